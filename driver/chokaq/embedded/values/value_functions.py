"""Plans of the functions that choose, of JSON, of hashes and of random values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ..errors import sql_error
from . import hashes, json_values
from .conversions import convert
from .plan import Context, Plan, SqlFunction, ascii_guard, nulls, short, text_type
from .strings import key
from .types import FLOAT, GUID, INT, NVARCHAR_MAX, SqlType, branch_type, comparison_type, nvarchar, varbinary

__all__ = ["FUNCTIONS", "PLANS", "key_sql"]

Types = tuple[SqlType, ...]


def key_sql(text: str, *, binary: bool = False) -> str:
    """The collation key of a text in SQLite's SQL, without Python for ASCII."""
    if binary:
        return text
    if not short(text):
        return f"chokaq_key({text})"
    return f"CASE WHEN {ascii_guard(text)} THEN chokaq_key({text}) ELSE lower(rtrim({text}, ' ')) END"


# Choosing: always inlined, because their arguments are not all evaluated


def _coalesce(types: Types, _: Context) -> Plan:
    result = branch_type(*types)
    return Plan(result, (result,) * len(types), "coalesce", inline=lambda a: f"coalesce({', '.join(a)})")


def _is_null(types: Types, _: Context) -> Plan:
    first, second = types
    result = second if first.name == "null" else first
    return Plan(result, (result, result), "coalesce", inline=lambda a: f"coalesce({a[0]}, {a[1]})")


def _null_if(types: Types, context: Context) -> Plan:
    """Both arguments in the type of comparison; the result type is that of the first."""
    first, second = types
    common = comparison_type(first, second)
    result = first if first.name != "null" else second

    def inline(a: Sequence[str]) -> str:
        one, other = a
        if common.is_string:
            same = f"{key_sql(one, binary=context.binary)} = {key_sql(other, binary=context.binary)}"
        elif common.name == "datetimeoffset":
            same = f"substr({one}, 1, 19) = substr({other}, 1, 19)"
        else:
            same = f"({one}) = ({other})"
        back = one if common == result else f"chokaq_convert({one}, '{common}', '{result}', NULL, 0)"
        return f"CASE WHEN {same} THEN NULL ELSE {back} END"

    return Plan(
        result, (common, common), "chokaq_nullif", (str(common), str(result), int(context.binary)), inline
    )


def _null_if_call(one: Any, other: Any, common: str, result: str, binary: int) -> Any:
    if one is not None and other is not None:
        if common.startswith("datetimeoffset"):
            same = one[:19] == other[:19]
        elif common.startswith(("varchar", "nvarchar", "char", "nchar")) and not binary:
            same = key(one) == key(other)
        else:
            same = one == other
        if same:
            return None
    return convert(one, common, result)


def _iif(types: Types, _: Context) -> Plan:
    """The first argument is a condition, whatever type is given for it."""
    result = branch_type(*types[1:])

    def inline(a: Sequence[str]) -> str:
        return f"CASE WHEN {a[0]} THEN {a[1]} ELSE {a[2]} END"

    return Plan(result, (types[0], result, result), "chokaq_iif", inline=inline)


def _choose(types: Types, _: Context) -> Plan:
    result = branch_type(*types[1:])

    def inline(a: Sequence[str]) -> str:
        cases = " ".join(f"WHEN {index} THEN {value}" for index, value in enumerate(a[1:], 1))
        return f"CASE {a[0]} {cases} END"

    return Plan(result, (INT, *(result for _ in types[1:])), "chokaq_choose", inline=inline)


# JSON


def _json(function: str, result: SqlType) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        return Plan(
            result,
            tuple(text_type(kind, i, function) for i, kind in enumerate(types, 1)),
            f"chokaq_{function}",
        )

    return plan


def _json_modify(types: Types, context: Context) -> Plan:
    value = types[2]
    if context.raw_json:
        kind = "json"
    elif value.name == "bit":
        kind = "bool"
    elif value.is_number:
        kind = "number"
    else:
        kind = "string"
    # Numbers are written as T-SQL converts them to text.
    third = value if value.name == "bit" else NVARCHAR_MAX
    return Plan(
        NVARCHAR_MAX, (text_type(types[0]), text_type(types[1]), third), "chokaq_json_modify", (kind,)
    )


# Hashes and random values


def _hash_bytes(types: Types, _: Context) -> Plan:
    data = types[1]
    if not (data.is_string or data.is_binary or data.name == "null"):
        raise sql_error(8116, data.message_name, 2, "hashbytes")
    return Plan(varbinary(8000), (text_type(types[0]), data), "chokaq_hashbytes", (int(data.is_unicode),))


def _checksum(function: str) -> Callable[[Types, Context], Plan]:
    return lambda types, _: Plan(INT, types, f"chokaq_{function}")


def _random(result: SqlType, function: str, *arguments: SqlType) -> Callable[[Types, Context], Plan]:
    return lambda types, _: Plan(result, arguments[: len(types)], function)


def _is_numeric(types: Types, _: Context) -> Plan:
    kind = types[0]
    if kind.is_number:
        return Plan(INT, (kind,), "chokaq_isnumeric", inline=lambda a: f"({a[0]} IS NOT NULL)")
    return Plan(INT, (text_type(kind),), "chokaq_isnumeric")


#: T-SQL name → fewest and most arguments, plan.
PLANS: Final[dict[str, tuple[int, int | None, Callable[[Types, Context], Plan]]]] = {
    "COALESCE": (2, None, _coalesce),
    "ISNULL": (2, 2, _is_null),
    "NULLIF": (2, 2, _null_if),
    "IIF": (3, 3, _iif),
    "CHOOSE": (2, 254, _choose),
    "ISJSON": (1, 1, _json("isjson", INT)),
    "JSON_VALUE": (1, 2, _json("json_value", nvarchar(4000))),
    "JSON_QUERY": (1, 2, _json("json_query", NVARCHAR_MAX)),
    "JSON_MODIFY": (3, 3, _json_modify),
    "HASHBYTES": (2, 2, _hash_bytes),
    "CHECKSUM": (1, None, _checksum("checksum")),
    "BINARY_CHECKSUM": (1, None, _checksum("binary_checksum")),
    "NEWID": (0, 0, _random(GUID, "chokaq_newid")),
    "NEWSEQUENTIALID": (0, 0, _random(GUID, "chokaq_newsequentialid")),
    "CRYPT_GEN_RANDOM": (1, 1, _random(varbinary(8000), "chokaq_crypt_gen_random", INT)),
    "RAND": (0, 1, _random(FLOAT, "chokaq_rand", INT)),
    "ISNUMERIC": (1, 1, _is_numeric),
}


def _is_numeric_call(value: Any) -> int:
    from .number_text import parse_float

    if not isinstance(value, str):
        return int(value is not None)
    text = value.strip().lstrip("$").replace(",", "")
    return int(bool(text) and parse_float(text) is not None)


#: What the plans above call.
FUNCTIONS: Final = (
    SqlFunction("chokaq_convert", convert, 5),
    SqlFunction("chokaq_nullif", _null_if_call, 5),
    SqlFunction("chokaq_isjson", nulls(json_values.is_json), 1),
    SqlFunction("chokaq_json_value", nulls(json_values.json_value), -1),
    SqlFunction("chokaq_json_query", nulls(json_values.json_query), -1),
    SqlFunction(
        "chokaq_json_modify",
        lambda text, path, value, kind: (
            None if text is None or path is None else json_values.json_modify(text, path, value, kind)
        ),
        4,
    ),
    SqlFunction(
        "chokaq_hashbytes",
        nulls(lambda algorithm, value, wide: hashes.hash_bytes(algorithm, value, wide=bool(wide))),
        3,
    ),
    SqlFunction("chokaq_checksum", hashes.checksum, -1),
    SqlFunction("chokaq_binary_checksum", hashes.binary_checksum, -1),
    SqlFunction("chokaq_newid", hashes.new_id, 0, deterministic=False),
    SqlFunction("chokaq_newsequentialid", hashes.new_sequential_id, 0, deterministic=False),
    SqlFunction("chokaq_crypt_gen_random", nulls(hashes.crypt_gen_random), 1, deterministic=False),
    SqlFunction("chokaq_rand", hashes.rand, -1, deterministic=False),
    SqlFunction("chokaq_isnumeric", _is_numeric_call, 1),
)
