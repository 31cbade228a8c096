"""SQL types: their names, sizes, precedence, what converts into what, and the type of an expression.

How values are stored (every function of this subpackage takes and returns *stored* values, NULL being None):

=================================  ========================================================================
bit, tinyint … bigint              int
decimal(p, s), p <= 18             int: the value times 10**s
decimal(p, s), p > 18              str: as ``decimals.pack`` writes it, which sorts as the number does
float, real                        float
char, varchar, nchar, nvarchar     str
binary, varbinary                  bytes
date, datetime, datetime2,
smalldatetime                      int: ticks of 100 ns since 0001-01-01 00:00
time                               int: ticks since midnight
datetimeoffset                     str: 19 digits UTC ticks, 4 digits offset in minutes + 840; equality and
                                   order look at the first 19 only
uniqueidentifier                   str: upper case, with hyphens
=================================  ========================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..errors import sql_error

__all__ = [
    "BIGINT",
    "BIT",
    "DATE",
    "DATETIME",
    "DATETIME2",
    "EXPLICIT",
    "FLOAT",
    "FORBIDDEN",
    "GUID",
    "IMPLICIT",
    "INT",
    "NULL",
    "NVARCHAR_MAX",
    "RANGES",
    "REAL",
    "SMALLINT",
    "SYSNAME",
    "TINYINT",
    "VARBINARY_MAX",
    "VARCHAR_MAX",
    "SqlType",
    "arithmetic_type",
    "branch_type",
    "check_conversion",
    "comparison_type",
    "concat_type",
    "conversion",
    "decimal",
    "integer_as_decimal",
    "literal_type",
    "make_type",
    "nvarchar",
    "parse_type",
    "precedence",
    "text_length",
    "varbinary",
    "varchar",
]


@dataclass(frozen=True, slots=True)
class SqlType:
    """``length`` counts bytes of char, varchar, binary, varbinary and UTF-16 units of nchar, nvarchar;
    None is max. ``precision`` and ``scale`` are decimal's; datetime2, time and datetimeoffset use
    ``scale`` only. Fields that a type does not have are 0.
    """

    name: str
    length: int | None = 0
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        if self.name in _SIZED:
            return f"{self.name}({'max' if self.length is None else self.length})"
        if self.name == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.name in _SCALED:
            return f"{self.name}({self.scale})"
        return self.name

    @property
    def is_string(self) -> bool:
        return self.name in _STRINGS

    @property
    def is_unicode(self) -> bool:
        return self.name in ("nchar", "nvarchar")

    @property
    def is_fixed(self) -> bool:
        """Padded to its length."""
        return self.name in ("char", "nchar", "binary")

    @property
    def is_binary(self) -> bool:
        return self.name in ("binary", "varbinary")

    @property
    def is_integer(self) -> bool:
        """Also bit."""
        return self.name in RANGES

    @property
    def is_float(self) -> bool:
        return self.name in ("float", "real")

    @property
    def is_number(self) -> bool:
        return self.is_integer or self.is_float or self.name == "decimal"

    @property
    def is_time(self) -> bool:
        """Dates and times of every kind."""
        return self.name in _TIMES

    @property
    def is_max(self) -> bool:
        return self.length is None

    @property
    def message_name(self) -> str:
        """The name that error messages use: numeric for decimal, ``(max)`` shown."""
        if self.name == "decimal":
            return "numeric"
        return f"{self.name}(max)" if self.length is None else self.name

    @property
    def storage(self) -> str:
        """The SQLite type that keeps stored values as they are."""
        if self.name in ("float", "real"):
            return "REAL"
        if self.is_binary:
            return "BLOB"
        if self.is_string or self.name in ("uniqueidentifier", "datetimeoffset"):
            return "TEXT"
        return "TEXT" if self.name == "decimal" and self.precision > 18 else "INTEGER"


_STRINGS: Final = frozenset({"char", "varchar", "nchar", "nvarchar"})
_SIZED: Final = _STRINGS | {"binary", "varbinary"}
_SCALED: Final = frozenset({"datetime2", "time", "datetimeoffset"})
_TIMES: Final = _SCALED | {"date", "datetime", "smalldatetime"}
_LIMITS: Final = {
    "char": 8000,
    "varchar": 8000,
    "nchar": 4000,
    "nvarchar": 4000,
    "binary": 8000,
    "varbinary": 8000,
}

#: Lowest and highest value of the whole-number types.
RANGES: Final = {
    "bit": (0, 1),
    "tinyint": (0, 255),
    "smallint": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "bigint": (-(2**63), 2**63 - 1),
}

BIT: Final = SqlType("bit")
TINYINT: Final = SqlType("tinyint")
SMALLINT: Final = SqlType("smallint")
INT: Final = SqlType("int")
BIGINT: Final = SqlType("bigint")
FLOAT: Final = SqlType("float")
REAL: Final = SqlType("real")
DATE: Final = SqlType("date")
DATETIME: Final = SqlType("datetime", scale=3)
DATETIME2: Final = SqlType("datetime2", scale=7)
GUID: Final = SqlType("uniqueidentifier")
SYSNAME: Final = SqlType("nvarchar", 128)
VARCHAR_MAX: Final = SqlType("varchar", None)
NVARCHAR_MAX: Final = SqlType("nvarchar", None)
VARBINARY_MAX: Final = SqlType("varbinary", None)
#: A bare NULL: takes the type of whatever it meets, int when alone.
NULL: Final = SqlType("null")


def varchar(length: int | None) -> SqlType:
    return SqlType("varchar", length)


def nvarchar(length: int | None) -> SqlType:
    return SqlType("nvarchar", length)


def varbinary(length: int | None) -> SqlType:
    return SqlType("varbinary", length)


def decimal(precision: int, scale: int) -> SqlType:
    return SqlType("decimal", 0, precision, scale)


# Reading a type

_SYNONYMS: Final = {
    "integer": "int",
    "numeric": "decimal",
    "dec": "decimal",
    "character": "char",
    "character varying": "varchar",
    "char varying": "varchar",
    "national character": "nchar",
    "national char": "nchar",
    "national character varying": "nvarchar",
    "national char varying": "nvarchar",
    "binary varying": "varbinary",
    "double precision": "float",
}
_PLAIN: Final = frozenset({*RANGES, "real", "date", "datetime", "smalldatetime", "uniqueidentifier"})
_TEXT: Final = re.compile(
    r"\s*(?:\[?sys\]?\s*\.\s*)?\[?([a-z_][\w ]*?)\]?\s*(?:\(\s*([\w ]+?)\s*(?:,\s*(\d+)\s*)?\))?\s*",
    re.IGNORECASE,
)


def parse_type(text: str, *, cast: bool = False) -> SqlType:
    """The type written in ``text``, such as ``[nvarchar](max)``. ``cast``: strings without a length have 30
    characters (CAST and CONVERT), not 1 (columns and variables).

    Errors: 102 for text that is no type, 243 unknown, 131, 291, 1001 and 2750 for impossible sizes.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise sql_error(102, text.strip())
    return make_type(found[1], tuple(part for part in found.groups()[1:] if part is not None), cast=cast)


def make_type(name: str, arguments: tuple[str, ...] = (), *, cast: bool = False) -> SqlType:
    """As ``parse_type``, from the name and the texts between the parentheses."""
    low = " ".join(name.lower().split())
    low = _SYNONYMS.get(low, low)
    if low == "sysname" and not arguments:
        return SYSNAME
    try:
        sizes = [None if part.lower() == "max" else int(part) for part in arguments]
    except ValueError:
        raise sql_error(102, arguments[0]) from None
    if low in _SIZED:
        return _sized_type(low, sizes, 30 if cast else 1)
    numbers = [size for size in sizes if size is not None]
    if len(numbers) != len(sizes) or (numbers and low in _PLAIN):
        raise sql_error(291, low)
    if low == "decimal":
        return _decimal_type(numbers)
    if low in _SCALED and len(numbers) <= 1:
        scale = numbers[0] if numbers else 7
        if not 0 <= scale <= 7:
            raise sql_error(1002, 1, scale)
        return SqlType(low, scale=scale)
    if low == "float" and len(numbers) <= 1:
        bits = numbers[0] if numbers else 53
        if not 1 <= bits <= 53:
            raise sql_error(1001, 1, bits)
        return REAL if bits <= 24 else FLOAT
    if low in _PLAIN:
        return DATETIME if low == "datetime" else SqlType(low)
    raise sql_error(243, name)


def _sized_type(name: str, sizes: list[int | None], default: int) -> SqlType:
    length = sizes[0] if sizes else default
    if len(sizes) > 1 or (length is None and name in ("char", "nchar", "binary")):
        raise sql_error(291, name)
    if length is not None:
        if length < 1:
            raise sql_error(1001, 1, length)
        if length > _LIMITS[name]:
            raise sql_error(131, length, "type", name, _LIMITS[name])
    return SqlType(name, length)


def _decimal_type(numbers: list[int]) -> SqlType:
    precision = numbers[0] if numbers else 18
    scale = numbers[1] if len(numbers) > 1 else 0
    if not 1 <= precision <= 38:
        raise sql_error(2750, 1, precision)
    if scale > precision:
        raise sql_error(2751, 1, scale, precision)
    return decimal(precision, scale)


def literal_type(text: str) -> SqlType:
    """The type of a literal as written, without sign: ``1``, ``1.50``, ``1e3``, ``'a'``, ``N'a'``, ``0x1F``,
    ``NULL``. A whole number beyond int is a decimal, not a bigint.
    """
    if text.upper() == "NULL":
        return NULL
    if text[:2].lower() == "0x":
        size = (len(text) - 1) // 2
        return varbinary(max(1, size) if size <= 8000 else None)
    if text.endswith("'"):
        unicode = text[0] in "nN"
        body = text[text.index("'") + 1 : -1].replace("''", "'")
        size = len(body.encode("utf-16-le", "surrogatepass")) // 2
        limit = 4000 if unicode else 8000
        return SqlType("nvarchar" if unicode else "varchar", max(1, size) if size <= limit else None)
    if "e" in text or "E" in text:
        return FLOAT
    whole, point, fraction = text.partition(".")
    digits = len(whole.lstrip("0"))
    if not point and digits <= 10 and int(text) <= RANGES["int"][1]:
        return INT
    return decimal(max(1, digits + len(fraction)), len(fraction))


# Conversion matrix

IMPLICIT: Final = "implicit"
EXPLICIT: Final = "explicit"
FORBIDDEN: Final = "forbidden"

_GROUPS: Final = {
    **dict.fromkeys(_STRINGS, "text"),
    "binary": "binary",
    "varbinary": "binary",
    **dict.fromkeys(RANGES, "number"),
    "decimal": "number",
    "float": "float",
    "real": "float",
    "datetime": "old",
    "smalldatetime": "old",
    "date": "date",
    "time": "time",
    "datetime2": "new",
    "datetimeoffset": "new",
    "uniqueidentifier": "guid",
}
# Source group → target groups converted implicitly, and those converted only when asked.
_IMPLICIT: Final = {
    "text": frozenset({"text", "number", "float", "old", "date", "time", "new", "guid"}),
    "binary": frozenset({"text", "binary", "number", "old", "guid"}),
    "number": frozenset({"text", "binary", "number", "float", "old"}),
    "float": frozenset({"text", "binary", "number", "float", "old"}),
    "old": frozenset({"text", "old", "date", "time", "new"}),
    "date": frozenset({"text", "old", "date", "new"}),
    "time": frozenset({"text", "old", "time", "new"}),
    "new": frozenset({"text", "old", "date", "time", "new"}),
    "guid": frozenset({"text", "binary", "guid"}),
}
_EXPLICIT: Final = {
    "text": frozenset({"binary"}),
    "binary": frozenset({"date", "time", "new"}),
    "old": frozenset({"binary", "number", "float"}),
    "date": frozenset({"binary"}),
    "time": frozenset({"binary"}),
    "new": frozenset({"binary"}),
}


def conversion(source: SqlType, target: SqlType) -> str:
    """IMPLICIT, EXPLICIT (CAST must be written) or FORBIDDEN."""
    if source.name == "null":
        return IMPLICIT
    one, other = _GROUPS[source.name], _GROUPS[target.name]
    if other in _IMPLICIT[one]:
        return IMPLICIT
    return EXPLICIT if other in _EXPLICIT.get(one, ()) else FORBIDDEN


def check_conversion(source: SqlType, target: SqlType, *, cast: bool = False) -> None:
    """Raises 206 or 257 for an implicit conversion that there is not, 529 for a CAST that there is not."""
    kind = conversion(source, target)
    if kind == FORBIDDEN:
        raise sql_error(529 if cast else 206, source.name, target.name)
    if kind == EXPLICIT and not cast:
        raise sql_error(257, source.message_name, target.message_name)


# Types of expressions

_PRECEDENCE: Final = {
    name: rank
    for rank, name in enumerate(
        (
            *("null", "binary", "varbinary", "char", "varchar", "nchar", "nvarchar", "uniqueidentifier"),
            *("bit", "tinyint", "smallint", "int", "bigint", "decimal", "real", "float"),
            *("time", "date", "smalldatetime", "datetime", "datetime2", "datetimeoffset"),
        )
    )
}
_INTEGER_DIGITS: Final = {"bit": 1, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_OPERATORS: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo",
                     "&": "'&'", "|": "'|'", "^": "'^'"}  # fmt: skip


def precedence(kind: SqlType) -> int:
    """The operand with the lower number is converted to the type of the other."""
    return _PRECEDENCE[kind.name]


def integer_as_decimal(kind: SqlType) -> SqlType:
    return decimal(_INTEGER_DIGITS[kind.name], 0)


def text_length(kind: SqlType) -> int | None:
    """Characters that a value of the type can need as text; None without limit."""
    if kind.is_string:
        return kind.length
    if kind.is_binary:
        return kind.length
    if kind.name == "decimal":
        return kind.precision + 3
    return _TEXT_LENGTHS[kind.name]


_TEXT_LENGTHS: Final = {
    "null": 1, "bit": 1, "tinyint": 4, "smallint": 6, "int": 12, "bigint": 22, "float": 23, "real": 23,
    "date": 10, "time": 16, "smalldatetime": 19, "datetime": 27, "datetime2": 27, "datetimeoffset": 34,
    "uniqueidentifier": 36,
}  # fmt: skip


def _join(left: SqlType, right: SqlType) -> SqlType:
    """The type of higher precedence, large enough for values of both."""
    if left == right or right.name == "null":
        return left
    if left.name == "null":
        return right
    low, top = sorted((left, right), key=precedence)
    check_conversion(low, top)
    if top.name == "decimal":
        other = integer_as_decimal(low) if low.is_integer else low
        if other.name != "decimal":
            return top
        scale = max(top.scale, other.scale)
        whole = max(top.precision - top.scale, other.precision - other.scale)
        return decimal(whole + scale, scale) if whole + scale <= 38 else decimal(38, max(0, 38 - whole))
    if top.is_string or top.is_binary:
        length = text_length(low)
        if top.length is None or length is None:
            # max exists of the varying types only.
            return SqlType(top.name if top.name.startswith(("var", "nvar")) else _VARYING[top.name], None)
        name = top.name if low.is_fixed == top.is_fixed else _VARYING.get(top.name, top.name)
        return SqlType(name, min(max(top.length, length), _LIMITS[name]))
    if top.name in _SCALED:
        return SqlType(top.name, scale=max(top.scale, low.scale if low.is_time else 0))
    return top


_VARYING: Final = {"char": "varchar", "nchar": "nvarchar", "binary": "varbinary"}


def branch_type(*types: SqlType) -> SqlType:
    """The type of CASE, COALESCE, IIF, CHOOSE, UNION and VALUES columns. 206 or 257: types that do not
    meet.
    """
    result = NULL
    for kind in types:
        result = _join(result, kind)
    return result


def comparison_type(left: SqlType, right: SqlType, operator: str = "equal to") -> SqlType:
    """The type in which two operands are compared. 402: types that never meet."""
    low, top = sorted((left, right), key=precedence)
    if (
        conversion(low, top) == FORBIDDEN
        and {low.name, top.name} & {"time", "date"}
        and low.is_time
        and top.is_time
    ):
        raise sql_error(402, left.name, right.name, operator)
    return _join(left, right)


def arithmetic_type(operator: str, left: SqlType, right: SqlType) -> SqlType:
    """The type of ``left operator right``: ``+ - * / % & | ^``. ``+`` of two strings or binaries is
    concatenation. 206, 257, 402, 8117: operands that have no such operator.
    """
    if operator == "+" and _concatenates(left, right):
        return concat_type(left, right)
    low, top = sorted((left, right), key=precedence)
    word = _OPERATORS[operator]
    if top.name == "null":
        return INT
    if top.is_string or top.name == "uniqueidentifier" or (top.is_binary and operator not in "&|^"):
        raise sql_error(8117, top.name, word)
    if top.is_time:
        return _time_arithmetic(operator, left, right, low, top)
    check_conversion(low, top)
    if operator in "&|^":
        if top.is_float or top.name == "decimal":
            raise sql_error(402, left.message_name, right.message_name, word)
        return top
    if top.name == "bit":
        raise sql_error(8117, "bit", word)
    if operator == "%" and top.is_float:
        raise sql_error(402, left.message_name, right.message_name, word)
    if top.name == "decimal":
        return _decimal_result(operator, _as_decimal(left, top), _as_decimal(right, top))
    return top


def _concatenates(left: SqlType, right: SqlType) -> bool:
    for kind, other in ((left, right), (right, left)):
        if kind.is_string or kind.is_binary:
            return other.name == "null" or other.is_string or (kind.is_binary and other.is_binary)
    return False


def _time_arithmetic(operator: str, left: SqlType, right: SqlType, low: SqlType, top: SqlType) -> SqlType:
    # Only the old types have arithmetic: they count days.
    if top.name not in ("datetime", "smalldatetime") or operator not in "+-":
        if operator in "+-" and top.is_time and not low.is_time and not low.is_string:
            raise sql_error(206, left.name, right.name)
        raise (
            sql_error(8117, top.name, _OPERATORS[operator])
            if left.name == right.name
            else sql_error(402, left.name, right.name, _OPERATORS[operator])
        )
    check_conversion(low, top)
    return top


def _as_decimal(kind: SqlType, other: SqlType) -> SqlType:
    if kind.is_integer:
        return integer_as_decimal(kind)
    # Text and NULL take the type of the number they meet.
    return kind if kind.name == "decimal" else other


def _decimal_result(operator: str, left: SqlType, right: SqlType) -> SqlType:
    p1, s1, p2, s2 = left.precision, left.scale, right.precision, right.scale
    if operator in "+-":
        whole = max(p1 - s1, p2 - s2)
        scale = max(s1, s2)
        precision = whole + scale + 1
        return decimal(min(precision, 38), min(scale, max(0, min(precision, 38) - whole)))
    if operator == "%":
        scale = max(s1, s2)
        return decimal(max(1, min(p1 - s1, p2 - s2) + scale), scale)
    if operator == "*":
        scale = s1 + s2
        precision = p1 + p2 + 1
    else:
        scale = max(6, s1 + p2 + 1)
        precision = p1 - s1 + s2 + scale
    if precision <= 38:
        return decimal(precision, scale)
    # Digits before the point come first, but at least six stay behind it (or all, where there are fewer).
    whole = precision - scale
    return decimal(38, min(scale, max(38 - whole, 6)))


def concat_type(*types: SqlType) -> SqlType:
    """The type of ``a + b`` over strings or over binaries, and of CONCAT over anything."""
    if all(kind.is_binary or kind.name == "null" for kind in types) and any(kind.is_binary for kind in types):
        name = "varbinary"
    elif all(kind.name in ("char", "nchar") for kind in types):
        name = "nchar" if any(kind.is_unicode for kind in types) else "char"
    else:
        name = "nvarchar" if any(kind.is_unicode for kind in types) else "varchar"
    total = 0
    for kind in types:
        length = text_length(kind)
        if length is None:
            return SqlType(_VARYING.get(name, name), None)
        total += length
    return SqlType(name, max(1, min(total, _LIMITS[name])))
