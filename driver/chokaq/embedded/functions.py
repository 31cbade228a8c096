"""The engine's functions: called from Python scalars by name, and from SQLite as ``chokaq_<name>``.

All take and return stored values. An error inside SQLite is kept by the session, because SQLite only passes on
that there was one.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
import sqlite3
import threading
import uuid
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from . import dates, jsonpath, messages, texts
from .convert import converter, decimal_text, integer_overflow, overflow, rescale
from .problems import SqlError
from .sqltypes import RANGES, SqlType
from .values import decimals
from .values.types import parse_type

Function = Callable[..., Any]

#: Where an error raised inside SQLite waits until the executor picks it up.
pending = threading.local()


def divide_by_zero() -> SqlError:
    return SqlError(8134, "Divide by zero error encountered.", 16, 1)


def fail(number: int, *arguments: Any) -> Any:
    """Called by generated SQL where a condition must not happen."""
    if number == 8134:
        raise divide_by_zero()
    if number == 512:
        raise SqlError(
            512,
            "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= "
            "or when the subquery is used as an expression.",
            16,
            1,
        )
    if number == 1060:
        raise SqlError(1060, "The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.", 15, 1)
    if number == 13609:
        raise SqlError(13609, "JSON text is not properly formatted.", 16, 4)
    if number == 8115:
        kind = str(arguments[0])
        if kind in ("tinyint", "smallint") and len(arguments) > 1:
            raise integer_overflow(SqlType(kind), arguments[1])
        raise overflow(SqlType(kind))
    raise SqlError(number, " ".join(map(str, arguments)), 16, 1)


@lru_cache(maxsize=2048)
def _conversion(specification: str) -> Function:
    source, target, style, attempt = specification.split(">")
    return converter(parse_type(source), parse_type(target), int(style), attempt == "1")


def convert(value: Any, specification: str) -> Any:
    return _conversion(specification)(value)


def conversion_spec(source: SqlType, target: SqlType, style: int = 0, attempt: bool = False) -> str:
    return f"{source}>{target}>{style}>{int(attempt)}"


def arithmetic(operator: str, left: Any, right: Any, result: SqlType) -> Any:
    """Arithmetic of Python scalars: whole numbers and floats."""
    if operator in ("/", "%") and right == 0:
        raise divide_by_zero()
    if operator == "+":
        value = left + right
    elif operator == "-":
        value = left - right
    elif operator == "*":
        value = left * right
    elif operator == "/":
        if result.is_float:
            value = left / right
        else:
            value = abs(left) // abs(right)
            value = -value if (left < 0) != (right < 0) else value
    elif operator == "%":
        value = abs(left) % abs(right)
        value = -value if left < 0 else value
    elif operator == "&":
        value = left & right
    elif operator == "|":
        value = left | right
    else:
        value = left ^ right
    if result.is_integer:
        low, high = RANGES[result.name]
        if not low <= value <= high:
            raise overflow(result)
    elif result.is_float and not math.isfinite(value):
        raise overflow(result)
    return value


def decimal_operation(
    operator: str, left: Any, p1: int, s1: int, right: Any, p2: int, s2: int, precision: int, scale: int
) -> Any:
    """Exact arithmetic on stored decimals."""
    if left is None or right is None:
        return None
    a = decimals.unpack(left, SqlType("decimal", 0, p1, s1))
    b = decimals.unpack(right, SqlType("decimal", 0, p2, s2))
    if operator in "/%" and b == 0:
        raise divide_by_zero()
    common = max(s1, s2)
    if operator == "*":
        value = rescale(a * b, s1 + s2, scale)
    elif operator == "/":
        numerator, denominator = a * 10 ** (scale + s2), b * 10**s1
        # SQL Server cuts the quotient.
        value = abs(numerator) // abs(denominator)
        value = -value if (numerator < 0) != (denominator < 0) else value
    elif operator == "%":
        a, b = rescale(a, s1, common), rescale(b, s2, common)
        value = abs(a) % abs(b)
        value = rescale(-value if a < 0 else value, common, scale)
    else:
        a, b = rescale(a, s1, common), rescale(b, s2, common)
        value = rescale(a + b if operator == "+" else a - b, common, scale)
    return decimals.pack(value, SqlType("decimal", 0, precision, scale))


def pack_decimal(value: Any, precision: int, scale: int) -> Any:
    """An unscaled INTEGER as a stored decimal of more digits."""
    return None if value is None else decimals.pack(int(value), SqlType("decimal", 0, precision, scale))


# Strings


def concat(*values: Any) -> str:
    return "".join(value for value in values if value is not None)


def concat_ws(separator: Any, *values: Any) -> str:
    return (separator or "").join(value for value in values if value is not None)


def length(value: Any) -> Any:
    return None if value is None else texts.units(value.rstrip(" "))


def byte_length(value: Any, unicode: int) -> Any:
    if value is None:
        return None
    if isinstance(value, bytes):
        return len(value)
    return texts.units(value) * 2 if unicode else len(value)


def left(value: Any, count: Any) -> Any:
    if value is None or count is None:
        return None
    if count < 0:
        raise SqlError(537, "Invalid length parameter passed to the LEFT or SUBSTRING function.", 16, 2)
    return texts.cut(value, count)


def right(value: Any, count: Any) -> Any:
    if value is None or count is None:
        return None
    if count < 0:
        raise SqlError(536, "Invalid length parameter passed to the RIGHT function.", 16, 1)
    return value[-count:] if count else ""


def substring(value: Any, start: Any, count: Any) -> Any:
    if value is None or start is None or count is None:
        return None
    if count < 0:
        raise SqlError(537, "Invalid length parameter passed to the LEFT or SUBSTRING function.", 16, 3)
    end = start + count - 1
    return value[max(start, 1) - 1 : max(end, 0)]


def charindex(needle: Any, text: Any, start: Any = 1) -> Any:
    if needle is None or text is None:
        return None
    if not needle:
        return 0
    return _fold(text).find(_fold(needle), max(0, (start or 1) - 1)) + 1


def charindex_binary(needle: Any, text: Any, start: Any = 1) -> Any:
    if needle is None or text is None:
        return None
    return text.find(needle, max(0, (start or 1) - 1)) + 1 if needle else 0


def _fold(text: str) -> str:
    # Letter by letter, so that positions stay: casefold would make "ss" of one letter.
    return text.lower() if text.isascii() else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def replace(text: Any, old: Any, new: Any) -> Any:
    if text is None or old is None or new is None:
        return None
    if not old:
        return text
    folded, needle = _fold(text), _fold(old)
    if needle not in folded:
        return text
    pieces, position = [], 0
    while True:
        found = folded.find(needle, position)
        if found < 0:
            pieces.append(text[position:])
            return "".join(pieces)
        pieces.append(text[position:found] + new)
        position = found + len(old)


def replace_binary(text: Any, old: Any, new: Any) -> Any:
    if text is None or old is None or new is None:
        return None
    return text.replace(old, new) if old else text


def stuff(text: Any, start: Any, count: Any, new: Any) -> Any:
    if text is None or start is None or count is None or start < 1 or start > len(text) or count < 0:
        return None
    return text[: start - 1] + (new or "") + text[start - 1 + count :]


def replicate(text: Any, count: Any) -> Any:
    return None if text is None or count is None or count < 0 else text * count


def reverse(text: Any) -> Any:
    return None if text is None else text[::-1]


def upper(text: Any) -> Any:
    # Letters whose other case is longer stay, as in a code page.
    return None if text is None else "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def lower(text: Any) -> Any:
    return None if text is None else text.lower()


def ltrim(text: Any) -> Any:
    return None if text is None else text.lstrip(" ")


def rtrim(text: Any) -> Any:
    return None if text is None else text.rstrip(" ")


def trim(text: Any) -> Any:
    return None if text is None else text.strip(" ")


def quotename(text: Any, mark: Any = "[") -> Any:
    if text is None or mark is None or len(text) > 128:
        return None
    closing = {"[": "]", "]": "]", "(": ")", "<": ">", "{": "}", "'": "'", '"': '"', "`": "`"}.get(mark)
    if closing is None:
        return None
    opening = "[" if mark == "]" else mark
    return opening + text.replace(closing, closing * 2) + closing


def space(count: Any) -> Any:
    return None if count is None or count < 0 else " " * count


def nchar(code: Any) -> Any:
    return None if code is None or not 0 <= code <= 0x10FFFF else chr(code)


def char(code: Any) -> Any:
    return None if code is None or not 0 <= code <= 255 else texts.decode(bytes((code,)))


def unicode(text: Any) -> Any:
    return ord(text[0]) if text else None


def ascii_(text: Any) -> Any:
    return texts.encode(text[0])[0] if text else None


def translate(text: Any, old: Any, new: Any) -> Any:
    if text is None or old is None or new is None:
        return None
    if len(old) != len(new):
        raise SqlError(9828, "The second and third arguments of the TRANSLATE built-in function must contain an equal number of characters.", 16, 1)
    return "".join(new[old.index(c)] if c in old else c for c in text)


@lru_cache(maxsize=512)
def _like_pattern(pattern: str, escape: str, binary: bool) -> re.Pattern[str]:
    out, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if escape and c == escape and i + 1 < len(pattern):
            i += 1
            out.append(re.escape(pattern[i]))
        elif c == "%":
            out.append(".*")
        elif c == "_":
            out.append(".")
        elif c == "[" and "]" in pattern[i + 1 :]:
            end = pattern.index("]", i + 1)
            inside = pattern[i + 1 : end]
            negated = inside.startswith("^")
            inside = inside[1:] if negated else inside
            inside = re.sub(r"([\\\[\]&~|^])", r"\\\1", inside)
            out.append(f"[{'^' if negated else ''}{inside}]" if inside else ("." if negated else "(?!)"))
            i = end
        else:
            out.append(re.escape(c))
        i += 1
    return re.compile("".join(out), re.DOTALL | (0 if binary else re.IGNORECASE))


def like(text: Any, pattern: Any, escape: Any = "", binary: int = 0) -> Any:
    if text is None or pattern is None:
        return None
    compiled = _like_pattern(pattern, escape or "", bool(binary))
    if compiled.fullmatch(text):
        return 1
    # Trailing spaces of the text do not count, unless the pattern asks for them.
    return int(text.endswith(" ") and compiled.fullmatch(text.rstrip(" ")) is not None)


def patindex(pattern: Any, text: Any) -> Any:
    if text is None or pattern is None:
        return None
    core = pattern
    anywhere = core.startswith("%")
    core = core[1:] if anywhere else core
    if core.endswith("%"):
        core, tail = core[:-1], ""
    else:
        tail = r"\Z"
    compiled = re.compile(_like_pattern(core, "", False).pattern + tail, re.DOTALL | re.IGNORECASE)
    found = compiled.search(text) if anywhere else compiled.match(text)
    return found.start() + 1 if found else 0


# Numbers


def floor(value: Any) -> Any:
    return None if value is None else float(math.floor(value))


def ceiling(value: Any) -> Any:
    return None if value is None else float(math.ceil(value))


def round_float(value: Any, digits: Any, cut: Any = 0) -> Any:
    if value is None or digits is None:
        return None
    if not math.isfinite(value):
        return value
    if cut:
        unit = 10.0**digits
        return math.trunc(value * unit) / unit
    numerator, denominator = abs(value).as_integer_ratio()
    shift = 10 ** abs(digits)
    if digits >= 0:
        numerator *= shift
    else:
        denominator *= shift
    whole = (2 * numerator + denominator) // (2 * denominator)
    result = whole / shift if digits >= 0 else float(whole * shift)
    return -result if value < 0 else result


def round_integer(value: Any, digits: Any, cut: Any = 0) -> Any:
    if value is None or digits is None or digits >= 0:
        return value
    unit = 10 ** (-digits)
    whole = abs(value) // unit if cut else (abs(value) + unit // 2) // unit
    return -whole * unit if value < 0 else whole * unit


def round_decimal(value: Any, scale: int, digits: Any, cut: Any = 0) -> Any:
    if value is None or digits is None:
        return None
    return round_integer(value, digits - scale, cut) if digits < scale else value


def log(value: Any, base: Any = None) -> Any:
    if value is None:
        return None
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise SqlError(3623, "An invalid floating point operation occurred.", 16, 1)
    return math.log(value) if base is None else math.log(value) / math.log(base)


def log10(value: Any) -> Any:
    if value is None:
        return None
    if value <= 0:
        raise SqlError(3623, "An invalid floating point operation occurred.", 16, 1)
    return math.log10(value)


def exp(value: Any) -> Any:
    return _finite(math.exp, value)


def sqrt(value: Any) -> Any:
    if value is not None and value < 0:
        raise SqlError(3623, "An invalid floating point operation occurred.", 16, 1)
    return None if value is None else math.sqrt(value)


def power(base: Any, exponent: Any) -> Any:
    if base is None or exponent is None:
        return None
    if base == 0 and exponent < 0:
        raise divide_by_zero()
    if base < 0 and exponent != int(exponent):
        raise SqlError(3623, "An invalid floating point operation occurred.", 16, 1)
    return _finite(lambda number: math.pow(number, exponent), base)


def square(value: Any) -> Any:
    return None if value is None else value * value


def _finite(call: Callable[[float], float], value: Any) -> Any:
    if value is None:
        return None
    try:
        result = call(value)
    except OverflowError:
        raise overflow(SqlType("float")) from None
    if math.isinf(result):
        raise overflow(SqlType("float"))
    return result


def absolute(value: Any, kind: str) -> Any:
    if value is None:
        return None
    result = abs(value)
    if kind in RANGES and result > RANGES[kind][1]:
        raise overflow(SqlType(kind))
    return result


def sign(value: Any) -> Any:
    return None if value is None else (value > 0) - (value < 0)


def check_integer(value: Any, kind: str) -> Any:
    """The value of whole-number arithmetic, if its type can hold it."""
    if value is None:
        return None
    low, high = RANGES[kind]
    if isinstance(value, float) or not low <= value <= high:
        raise overflow(SqlType(kind))
    return value


def random_float(seed: Any = None) -> Any:
    return random.random() if seed is None else random.Random(seed).random()


def parsename(text: Any, piece: Any) -> Any:
    """One part of a dotted name, counted from its end."""
    from .system import name_parts

    if text is None or piece is None:
        return None
    parts = name_parts(text)
    if len(parts) > 4 or not 1 <= piece <= len(parts):
        return None
    return parts[-piece] or None


def newid() -> str:
    return str(uuid.uuid4()).upper()


def checksum(*values: Any) -> int:
    data = "\0".join("" if value is None else str(texts.key(value) if isinstance(value, str) else value) for value in values)
    number = zlib.crc32(data.encode())
    return number - 2**32 if number >= 2**31 else number


def hashbytes(algorithm: Any, data: Any) -> Any:
    if algorithm is None or data is None:
        return None
    name = {"MD5": "md5", "SHA": "sha1", "SHA1": "sha1", "SHA2_256": "sha256", "SHA2_512": "sha512"}.get(algorithm.upper())
    return None if name is None else hashlib.new(name, data).digest()


# Dates


def dateadd(part: str, number: Any, ticks: Any) -> Any:
    return None if number is None or ticks is None else dates.add(part, int(number), ticks)


def datediff(part: str, start: Any, end: Any) -> Any:
    if start is None or end is None:
        return None
    number = dates.difference(part, start, end)
    if not -(2**31) <= number < 2**31:
        raise datediff_overflow()
    return number


def datediff_overflow() -> SqlError:
    return SqlError(
        535,
        "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is too "
        "large. Try to use datediff with a less precise datepart.",
        16,
        0,
    )


def datediff_big(part: str, start: Any, end: Any) -> Any:
    return None if start is None or end is None else dates.difference(part, start, end)


def datepart(part: str, ticks: Any) -> Any:
    return None if ticks is None else dates.part_of(part, ticks)


def datename(part: str, ticks: Any) -> Any:
    if ticks is None:
        return None
    if part == "month":
        return dates.to_date(ticks).strftime("%B")
    if part == "weekday":
        return dates.to_date(ticks).strftime("%A")
    return str(dates.part_of(part, ticks))


def eomonth(ticks: Any, months: Any = 0) -> Any:
    if ticks is None:
        return None
    day = dates.to_date(dates.add("month", (months or 0) + 1, ticks - (dates.to_date(ticks).day - 1) * dates.DAY))
    return dates.from_date(day) - day.day * dates.DAY if day.day != 1 else dates.from_date(day) - dates.DAY


def datefromparts(year: Any, month: Any, day: Any) -> Any:
    if year is None or month is None or day is None:
        return None
    try:
        import datetime

        return dates.from_date(datetime.date(year, month, day))
    except ValueError:
        raise SqlError(289, "Cannot construct data type date, some of the arguments have values which are not valid.", 16, 1) from None


def datetime2fromparts(*values: Any) -> Any:
    if any(value is None for value in values):
        return None
    year, month, day, hour, minute, second, fraction, precision = values
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= fraction < 10**precision):
        raise SqlError(289, "Cannot construct data type datetime2, some of the arguments have values which are not valid.", 16, 5)
    clock = (hour * 60 + minute) * dates.MINUTE + second * dates.SECOND + fraction * 10 ** (7 - precision)
    return datefromparts(year, month, day) + clock


# JSON


def isjson(text: Any) -> Any:
    if text is None:
        return None
    stripped = text.lstrip(" \t\r\n")
    if not stripped or stripped[0] not in "[{":
        return 0
    try:
        jsonpath.parse(text)
    except SqlError:
        return 0
    return 1


def formatmessage(*arguments: Any) -> Any:
    return messages.format_message(*arguments)


SCALAR: dict[str, Function] = {
    "fail": fail, "convert": convert, "arithmetic": arithmetic, "decimal": decimal_operation, "pack": pack_decimal, "key": texts.key,
    "code_page": lambda text: None if text is None else texts.to_code_page(text),
    "units": lambda text: None if text is None else texts.units(text),
    "concat": concat, "concat_ws": concat_ws, "len": length, "datalength": byte_length, "left": left, "right": right,
    "substring": substring, "charindex": charindex, "charindex_binary": charindex_binary, "replace": replace,
    "replace_binary": replace_binary, "stuff": stuff, "replicate": replicate, "reverse": reverse, "upper": upper,
    "lower": lower, "ltrim": ltrim, "rtrim": rtrim, "trim": trim, "quotename": quotename, "space": space,
    "nchar": nchar, "char": char, "unicode": unicode, "ascii": ascii_, "translate": translate, "like": like,
    "patindex": patindex, "floor": floor, "ceiling": ceiling, "round_float": round_float,
    "round_integer": round_integer, "round_decimal": round_decimal, "log": log, "log10": log10, "exp": exp,
    "sqrt": sqrt, "power": power, "square": square, "abs": absolute, "sign": sign, "check_integer": check_integer,
    "rand": random_float, "newid": newid, "parsename": parsename, "checksum": checksum, "hashbytes": hashbytes, "dateadd": dateadd,
    "datediff": datediff, "datediff_big": datediff_big, "datepart": datepart, "datename": datename,
    "eomonth": eomonth, "datefromparts": datefromparts, "datetime2fromparts": datetime2fromparts,
    "isjson": isjson, "json_value": jsonpath.json_value, "json_query": jsonpath.json_query,
    "json_modify": jsonpath.json_modify, "json_raw": jsonpath.raw_child, "string_escape": jsonpath.string_escape,
    "formatmessage": formatmessage,
    "decimal_text": lambda value, scale: None if value is None else decimal_text(value, scale),
}  # fmt: skip
_RANDOM = frozenset({"rand", "newid"})


class StringAggregate:
    """STRING_AGG … WITHIN GROUP (ORDER BY …): up to two sort keys, each with its direction."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.separator = ""
        self.directions = ""

    def step(self, value: Any, separator: Any, directions: str, *keys: Any) -> None:
        self.separator = separator or ""
        self.directions = directions
        if value is not None:
            self.rows.append((value, *keys))

    def finalize(self) -> Any:
        if not self.rows:
            return None
        for index in range(len(self.directions), 0, -1):
            self.rows.sort(
                key=lambda row, i=index: (row[i] is not None, row[i]),  # type: ignore[misc]
                reverse=self.directions[index - 1] == "d",
            )
        return self.separator.join(row[0] for row in self.rows)


def register(connection: sqlite3.Connection, extra: dict[str, Function] | None = None) -> None:
    """Make the functions known to a SQLite connection."""
    for name, function in {**SCALAR, **(extra or {})}.items():
        if name in ("arithmetic",):
            continue
        connection.create_function(
            f"chokaq_{name}", -1, _keeping_errors(function), deterministic=name not in _RANDOM and name not in (extra or {})
        )
    connection.create_aggregate("chokaq_string_agg", -1, StringAggregate)  # type: ignore[arg-type]


def _keeping_errors(function: Function) -> Function:
    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except SqlError as error:
            pending.error = error
            raise
        except Exception as error:
            pending.error = SqlError(8630, f"Internal error in a function: {type(error).__name__}: {error}", 16, 1)
            raise

    return call


def take_pending() -> SqlError | None:
    error: SqlError | None = getattr(pending, "error", None)
    pending.error = None
    return error


