"""Plans of the string functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from . import codepage, strings
from .format_message import format_message
from .patterns import like, patindex
from .plan import Context, Inline, Plan, SqlFunction, ascii_guard, nulls, short, text_type
from .types import BIGINT, FLOAT, INT, SqlType, concat_type, text_length

__all__ = ["FUNCTIONS", "PLANS"]

Types = tuple[SqlType, ...]
_SIZES: Final = {
    "bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "float": 8, "real": 4, "date": 3,
    "time": 5, "smalldatetime": 4, "datetime": 8, "datetime2": 8, "datetimeoffset": 10,
    "uniqueidentifier": 16, "null": 0,
}  # fmt: skip


def _count(kind: SqlType) -> SqlType:
    return BIGINT if kind.length is None else INT


def _same(kind: SqlType) -> SqlType:
    """A varying string as large as its argument."""
    return SqlType(
        "nvarchar" if kind.is_unicode else "varchar", kind.length or (None if kind.length is None else 1)
    )


def _largest(*kinds: SqlType) -> SqlType:
    """As large as a string of these families can be: 8,000 bytes, or max if the first is."""
    unicode = any(kind.is_unicode for kind in kinds)
    if kinds[0].length is None:
        return SqlType("nvarchar" if unicode else "varchar", None)
    return SqlType("nvarchar", 4000) if unicode else SqlType("varchar", 8000)


# Lengths


def _len(types: Types, _: Context) -> Plan:
    kind = types[0]
    if kind.is_binary:
        return Plan(_count(kind), (kind,), "length", inline=lambda a: f"length({a[0]})")

    def inline(a: Sequence[str]) -> str | None:
        x = a[0]
        return (
            f"CASE WHEN {ascii_guard(x)} THEN chokaq_len({x}) ELSE length(rtrim({x}, ' ')) END"
            if short(x)
            else None
        )

    return Plan(_count(kind), (text_type(kind),), "chokaq_len", inline=inline)


def _data_length(types: Types, _: Context) -> Plan:
    kind = types[0]
    size = _SIZES.get(kind.name, 0)
    if kind.name == "decimal":
        size = next(s for p, s in ((9, 5), (19, 9), (28, 13), (38, 17)) if kind.precision <= p)

    def inline(a: Sequence[str]) -> str | None:
        x = a[0]
        if kind.is_binary:
            return f"length({x})"
        if not kind.is_string:
            return f"CASE WHEN {x} IS NULL THEN NULL ELSE {size} END"
        if not short(x):
            return None
        slow = f"chokaq_datalength({x}, '{kind.name}', 0)"
        return (
            f"CASE WHEN {ascii_guard(x)} THEN {slow} ELSE length({x}){' * 2' if kind.is_unicode else ''} END"
        )

    return Plan(_count(kind), (kind,), "chokaq_datalength", (kind.name, size), inline)


# Pieces


def _left(types: Types, _: Context) -> Plan:
    kind = text_type(types[0], 1, "left")

    def inline(a: Sequence[str]) -> str | None:
        x, n = a
        if not short(x, n):
            return None
        return (
            f"CASE WHEN {ascii_guard(x)} OR {n} < 0 THEN chokaq_left({x}, {n}) ELSE substr({x}, 1, {n}) END"
        )

    return Plan(_same(kind), (kind, INT), "chokaq_left", inline=inline)


def _right(types: Types, _: Context) -> Plan:
    kind = text_type(types[0], 1, "right")

    def inline(a: Sequence[str]) -> str | None:
        x, n = a
        if not short(x, n):
            return None
        fast = f"substr({x}, max(length({x}) - {n}, 0) + 1)"
        return f"CASE WHEN {ascii_guard(x)} OR {n} < 0 THEN chokaq_right({x}, {n}) ELSE {fast} END"

    return Plan(_same(kind), (kind, INT), "chokaq_right", inline=inline)


def _substring(types: Types, _: Context) -> Plan:
    kind = types[0] if types[0].is_binary else text_type(types[0])
    result = SqlType("varbinary", kind.length) if kind.is_binary else _same(kind)

    def inline(a: Sequence[str]) -> str | None:
        x, start, n = a
        if not short(x, start, n):
            return None
        # SQLite's substr makes NULL of an empty blob.
        guard = f"length({x}) = 0 OR " if kind.is_binary else f"{ascii_guard(x)} OR "
        slow = f"chokaq_substring({x}, {start}, {n})"
        return f"CASE WHEN {guard}{start} < 1 OR {n} < 0 THEN {slow} ELSE substr({x}, {start}, {n}) END"

    return Plan(result, (kind, INT, INT), "chokaq_substring", inline=inline)


def _stuff(types: Types, _: Context) -> Plan:
    kind, insert = text_type(types[0], 1, "stuff"), text_type(types[3], 4, "stuff")
    return Plan(_largest(kind, insert), (kind, INT, INT, insert), "chokaq_stuff")


def _replicate(types: Types, _: Context) -> Plan:
    kind = text_type(types[0], 1, "replicate")
    result = _largest(kind)
    return Plan(result, (kind, INT), "chokaq_replicate", (result.length,))


# Searching and replacing


def _plain_literal(sql: str, *, letters: bool) -> str | None:
    """The text of a short ASCII literal; with ``letters`` False only if case means nothing to it."""
    if len(sql) < 3 or sql[0] != "'" or sql[-1] != "'":
        return None
    body = sql[1:-1].replace("''", "'")
    if not body.isascii() or "\0" in body or (not letters and body.lower() != body.upper()):
        return None
    return body


def _charindex(types: Types, context: Context) -> Plan:
    find, text = text_type(types[0], 1, "charindex"), text_type(types[1], 2, "charindex")
    name = "chokaq_charindex_bin" if context.binary else "chokaq_charindex"

    def inline(a: Sequence[str]) -> str | None:
        if len(a) > 2 or not short(*a) or _plain_literal(a[0], letters=True) is None:
            return None
        sought, x = a
        fast = f"instr({x}, {sought})"
        if not context.binary and _plain_literal(sought, letters=False) is None:
            fast = f"instr(lower({x}), lower({sought}))"
        return f"CASE WHEN {ascii_guard(x)} THEN {name}({sought}, {x}) ELSE {fast} END"

    return Plan(_count(text), (find, text, BIGINT)[: len(types)], name, inline=inline)


def _patindex(types: Types, context: Context) -> Plan:
    pattern, text = text_type(types[0], 1, "patindex"), text_type(types[1], 2, "patindex")
    return Plan(_count(text), (pattern, text), "chokaq_patindex_bin" if context.binary else "chokaq_patindex")


def _replace(types: Types, context: Context) -> Plan:
    kinds = tuple(text_type(kind, index, "replace") for index, kind in enumerate(types, 1))
    result = _largest(*kinds)
    name = "chokaq_replace_bin" if context.binary else "chokaq_replace"

    def inline(a: Sequence[str]) -> str | None:
        find = _plain_literal(a[1], letters=context.binary)
        by = _plain_literal(a[2], letters=True) if a[2] != "''" else ""
        if find is None or (result.length is not None and (by is None or len(by) > len(find))):
            return None
        return f"replace({a[0]}, {a[1]}, {a[2]})"

    return Plan(result, kinds, name, (result.length,), inline)


def _translate(types: Types, _: Context) -> Plan:
    kinds = tuple(text_type(kind, index, "translate") for index, kind in enumerate(types, 1))
    return Plan(_same(kinds[0]), kinds, "chokaq_translate")


# Case, trimming, joining


def _case(function: str) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        kind = text_type(types[0], 1, function)

        def inline(a: Sequence[str]) -> str | None:
            x = a[0]
            if not short(x):
                return None
            slow = f"chokaq_{function}({x}, {int(not kind.is_unicode)})"
            return f"CASE WHEN {ascii_guard(x)} THEN {slow} ELSE {function}({x}) END"

        return Plan(_same(kind), (kind,), f"chokaq_{function}", (int(not kind.is_unicode),), inline)

    return plan


def _trim(function: str) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        kind = text_type(types[0], 1, function)
        if len(types) == 2:
            return Plan(_same(kind), (kind, text_type(types[1], 2, function)), f"chokaq_{function}")
        return Plan(_same(kind), (kind,), f"chokaq_{function}", inline=lambda a: f"{function}({a[0]}, ' ')")

    return plan


def _concat(types: Types, _: Context) -> Plan:
    kinds = tuple(text_type(kind) for kind in types)
    result = _varying(concat_type(*kinds))
    inline: Inline | None = None
    lengths = [text_length(kind) for kind in kinds]
    total = None if None in lengths else sum(length or 0 for length in lengths)
    if result.length is None or (total is not None and total <= result.length):

        def joined(a: Sequence[str]) -> str:
            return "(" + " || ".join(x if x[:1] == "'" else f"coalesce({x}, '')" for x in a) + ")"

        inline = joined
    return Plan(result, kinds, "chokaq_concat", () if inline else (result.length,), inline)


def _varying(kind: SqlType) -> SqlType:
    return SqlType("nvarchar" if kind.is_unicode else "varchar", kind.length)


def _concat_ws(types: Types, _: Context) -> Plan:
    kinds = tuple(text_type(kind) for kind in types)
    # The separator may stand between any two.
    return Plan(_varying(concat_type(*kinds, *(kinds[0] for _ in kinds[2:]))), kinds, "chokaq_concat_ws")


# Codes, quoting, messages


def _fixed(result: SqlType, function: str, *arguments: SqlType) -> Callable[[Types, Context], Plan]:
    return lambda types, _: Plan(result, arguments[: len(types)], function)


def _text_to(result: SqlType, function: str) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        return Plan(result, tuple(text_type(kind) for kind in types), function)

    return plan


def _reverse(types: Types, _: Context) -> Plan:
    kind = text_type(types[0])
    return Plan(_same(kind), (kind,), "chokaq_reverse")


def _escape(types: Types, _: Context) -> Plan:
    return Plan(SqlType("nvarchar", None), (text_type(types[0]), text_type(types[1])), "chokaq_string_escape")


_ANY_TEXT: Final = SqlType("nvarchar", None)


def _message(types: Types, _: Context) -> Plan:
    arguments = (_ANY_TEXT, *(kind if kind.is_integer else text_type(kind) for kind in types[1:]))
    return Plan(SqlType("nvarchar", 2048), arguments, "chokaq_formatmessage")


def _like(types: Types, context: Context) -> Plan:
    kinds = tuple(text_type(kind) for kind in types)
    wide = any(kind.is_unicode for kind in kinds[:2])
    return Plan(SqlType("bit"), kinds, "chokaq_like_bin" if context.binary else "chokaq_like", (int(wide),))


#: T-SQL name → fewest and most arguments (None: any number), plan. LIKE is here as a function of text,
#: pattern and, if written, escape character.
PLANS: Final[dict[str, tuple[int, int | None, Callable[[Types, Context], Plan]]]] = {
    "LEN": (1, 1, _len),
    "DATALENGTH": (1, 1, _data_length),
    "LEFT": (2, 2, _left),
    "RIGHT": (2, 2, _right),
    "SUBSTRING": (3, 3, _substring),
    "STUFF": (4, 4, _stuff),
    "REPLICATE": (2, 2, _replicate),
    "SPACE": (1, 1, _fixed(SqlType("varchar", 8000), "chokaq_space", INT)),
    "REVERSE": (1, 1, _reverse),
    "CHARINDEX": (2, 3, _charindex),
    "PATINDEX": (2, 2, _patindex),
    "LIKE": (2, 3, _like),
    "REPLACE": (3, 3, _replace),
    "TRANSLATE": (3, 3, _translate),
    "UPPER": (1, 1, _case("upper")),
    "LOWER": (1, 1, _case("lower")),
    "LTRIM": (1, 1, _trim("ltrim")),
    "RTRIM": (1, 1, _trim("rtrim")),
    "TRIM": (1, 2, _trim("trim")),
    "CONCAT": (2, 254, _concat),
    "CONCAT_WS": (3, 254, _concat_ws),
    "ASCII": (1, 1, _text_to(INT, "chokaq_ascii")),
    "CHAR": (1, 1, _fixed(SqlType("char", 1), "chokaq_char", INT)),
    "UNICODE": (1, 1, _text_to(INT, "chokaq_unicode")),
    "NCHAR": (1, 1, _fixed(SqlType("nchar", 1), "chokaq_nchar", INT)),
    "QUOTENAME": (1, 2, _text_to(SqlType("nvarchar", 258), "chokaq_quotename")),
    "STRING_ESCAPE": (2, 2, _escape),
    "STR": (1, 3, _fixed(SqlType("varchar", 8000), "chokaq_str", FLOAT, INT, INT)),
    "SOUNDEX": (1, 1, _text_to(SqlType("varchar", 4), "chokaq_soundex")),
    "DIFFERENCE": (2, 2, _text_to(INT, "chokaq_difference")),
    "FORMATMESSAGE": (1, 21, _message),
}


def _replace_call(text: str, find: str, by: str, limit: int | None) -> str:
    result = strings.replace(text, find, by)
    return result if limit is None else codepage.cut(result, limit)


def _replace_bin(text: str, find: str, by: str, limit: int | None) -> str:
    result = strings.replace(text, find, by, binary=True)
    return result if limit is None else codepage.cut(result, limit)


def _last_may_be_null(function: Callable[..., object]) -> Callable[..., object]:
    """As ``nulls``, but the last argument is a limit that NULL lifts."""

    def run(*values: object) -> object:
        return None if None in values[:-1] else function(*values)

    return run


def _concat_call(*values: str | int | None) -> str:
    # A number at the end is the limit of a type that is not max.
    if values and isinstance(values[-1], int):
        return codepage.cut(strings.concat(*values[:-1]), values[-1])  # type: ignore[arg-type]
    return strings.concat(*values)  # type: ignore[arg-type]


def _like_call(text: str, pattern: str, *rest: str | int) -> int:
    escape = rest[0] if len(rest) > 1 else None
    return int(like(text, pattern, escape, wide=bool(rest[-1])))  # type: ignore[arg-type]


def _like_bin(text: str, pattern: str, *rest: str | int) -> int:
    escape = rest[0] if len(rest) > 1 else None
    return int(like(text, pattern, escape, wide=bool(rest[-1]), binary=True))  # type: ignore[arg-type]


def _stuff_call(text: str | None, start: int | None, count: int | None, insert: str | None) -> str | None:
    if text is None or start is None or count is None:
        return None
    return strings.stuff(text, start, count, insert)


#: What the plans above call.
FUNCTIONS: Final = (
    SqlFunction("chokaq_key", strings.key, 1),
    SqlFunction("chokaq_len", nulls(strings.length), 1),
    SqlFunction("chokaq_datalength", nulls(strings.data_length), 3),
    SqlFunction("chokaq_left", nulls(strings.left), 2),
    SqlFunction("chokaq_right", nulls(strings.right), 2),
    SqlFunction("chokaq_substring", nulls(strings.substring), 3),
    SqlFunction("chokaq_stuff", _stuff_call, 4),
    SqlFunction("chokaq_replicate", _last_may_be_null(strings.replicate), 3),
    SqlFunction("chokaq_space", nulls(strings.space), 1),
    SqlFunction("chokaq_reverse", nulls(strings.reverse), 1),
    SqlFunction("chokaq_charindex", nulls(strings.charindex), -1),
    SqlFunction("chokaq_charindex_bin", nulls(lambda *values: strings.charindex(*values, binary=True)), -1),
    SqlFunction("chokaq_patindex", nulls(patindex), 2),
    SqlFunction("chokaq_patindex_bin", nulls(lambda pattern, text: patindex(pattern, text, binary=True)), 2),
    SqlFunction("chokaq_like", nulls(_like_call), -1),
    SqlFunction("chokaq_like_bin", nulls(_like_bin), -1),
    SqlFunction("chokaq_replace", _last_may_be_null(_replace_call), 4),
    SqlFunction("chokaq_replace_bin", _last_may_be_null(_replace_bin), 4),
    SqlFunction("chokaq_translate", nulls(strings.translate), 3),
    SqlFunction("chokaq_upper", nulls(lambda text, narrow: strings.upper(text, narrow=bool(narrow))), 2),
    SqlFunction("chokaq_lower", nulls(lambda text, _: strings.lower(text)), 2),
    SqlFunction("chokaq_trim", nulls(strings.trim), -1),
    SqlFunction("chokaq_ltrim", nulls(strings.ltrim), 1),
    SqlFunction("chokaq_rtrim", nulls(strings.rtrim), 1),
    SqlFunction("chokaq_concat", _concat_call, -1),
    SqlFunction("chokaq_concat_ws", strings.concat_ws, -1),
    SqlFunction("chokaq_ascii", nulls(strings.ascii_code), 1),
    SqlFunction("chokaq_char", nulls(strings.char), 1),
    SqlFunction("chokaq_unicode", nulls(strings.unicode_code), 1),
    SqlFunction("chokaq_nchar", nulls(strings.nchar), 1),
    SqlFunction("chokaq_quotename", nulls(strings.quote_name), -1),
    SqlFunction("chokaq_string_escape", nulls(strings.string_escape), 2),
    SqlFunction("chokaq_str", nulls(strings.str_number), -1),
    SqlFunction("chokaq_soundex", nulls(strings.soundex), 1),
    SqlFunction("chokaq_difference", nulls(strings.difference), 2),
    SqlFunction(
        "chokaq_formatmessage", lambda text, *rest: None if text is None else format_message(text, rest), -1
    ),
)
