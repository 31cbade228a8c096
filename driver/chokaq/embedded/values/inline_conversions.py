"""Conversions and assignments in SQLite's SQL: without Python wherever the value is already right.

``convert_sql`` is CAST and CONVERT, ``assign_sql`` what INSERT and UPDATE do to a value before it is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from .conversions import assigner, converter
from .datetimes import DAY, MAX_TICKS
from .plan import SqlFunction, ascii_guard, literal, short
from .types import RANGES, SqlType, check_conversion, integer_as_decimal, parse_type, text_length

__all__ = ["FUNCTIONS", "assign_sql", "convert_sql"]


def convert_sql(
    value: str,
    source: SqlType,
    target: SqlType,
    style: int | None = None,
    *,
    attempt: bool = False,
    implicit: bool = False,
) -> str:
    """The conversion of an SQL expression. Errors of the types (206, 257, 529) are raised here, those of
    values when it runs.
    """
    check_conversion(source, target, cast=not implicit)
    text = (
        _inline(value, source, target, _slow(value, source, target, style, attempt))
        if style is None
        else None
    )
    return text if text is not None else _slow(value, source, target, style, attempt)


def _slow(value: str, source: SqlType, target: SqlType, style: int | None, attempt: bool) -> str:
    return f"chokaq_convert({value}, '{source}', '{target}', {literal(style)}, {int(attempt)})"


def _inline(value: str, source: SqlType, target: SqlType, slow: str) -> str | None:
    if source.name == "null":
        return value
    if source == target:
        return value
    if target.is_string:
        return _to_string(value, source, target, slow)
    if target.is_integer:
        return _to_integer(value, source, target, slow)
    if target.name == "float":
        if source.is_integer:
            return f"CAST({value} AS REAL)"
        return value if source.name == "real" else None
    if target.name == "decimal":
        return _to_decimal(value, source, target)
    if target.is_time and source.is_time:
        return _to_time(value, source, target, slow)
    if target.name == "varbinary" and source.is_binary:
        return _to_varbinary(value, source, target)
    return None


def _to_varbinary(value: str, source: SqlType, target: SqlType) -> str:
    if target.length is None or (source.length is not None and source.length <= target.length):
        return value
    # SQLite's substr makes NULL of an empty blob, so what fits is left alone.
    size = target.length
    return f"CASE WHEN length({value}) > {size} THEN substr({value}, 1, {size}) ELSE {value} END"


def _to_string(value: str, source: SqlType, target: SqlType, slow: str) -> str | None:
    if target.is_fixed:
        return None
    room = target.length
    fits = room is None or ((need := text_length(source)) is not None and need <= room)
    if source.is_string:
        narrow = source.is_unicode and not target.is_unicode
        if fits and not narrow:
            return value
        if not short(value):
            return None
        kept = value if fits else f"substr({value}, 1, {room})"
        return f"CASE WHEN {ascii_guard(value)} THEN {slow} ELSE {kept} END"
    if source.is_integer and fits:
        return f"CAST({value} AS TEXT)"
    if source.name == "uniqueidentifier" and fits:
        return value
    return None


def _to_integer(value: str, source: SqlType, target: SqlType, slow: str) -> str | None:
    low, high = RANGES[target.name]
    if source.is_integer:
        if target.name == "bit":
            return f"(({value}) <> 0)"
        if RANGES[source.name][0] >= low and RANGES[source.name][1] <= high:
            return value
        return (
            f"CASE WHEN ({value}) NOT BETWEEN {low} AND {high} THEN {slow} ELSE {value} END"
            if short(value)
            else None
        )
    if source.is_float and target.name != "bit" and short(value):
        inside = f"({value}) > {low - 1}.0 AND ({value}) < {high + 1}.0"
        if target.name == "bigint":
            inside = f"({value}) >= {low}.0 AND ({value}) < {high + 1}.0"
        return f"CASE WHEN {inside} THEN CAST({value} AS INTEGER) WHEN ({value}) IS NOT NULL THEN {slow} END"
    return None


def _to_decimal(value: str, source: SqlType, target: SqlType) -> str | None:
    other = integer_as_decimal(source) if source.is_integer else source
    if other.name != "decimal" or target.precision > 18 or other.precision > 19 or other.scale > target.scale:
        return None
    if other.precision > 18 and not source.is_integer:
        return None
    if other.precision - other.scale > target.precision - target.scale:
        return None
    shift = target.scale - other.scale
    return value if not shift else f"(({value}) * {10**shift})"


def _to_time(value: str, source: SqlType, target: SqlType, slow: str) -> str | None:
    if "datetimeoffset" in (source.name, target.name) or source.name == "time":
        if source.name == target.name == "time" and source.scale <= target.scale:
            return value
        return None
    if target.name == "date":
        return f"(({value}) - ({value}) % {DAY})" if short(value) else None
    if target.name == "time":
        return f"(({value}) % {DAY})" if target.scale == 7 else None
    if target.name != "datetime2":
        return None
    exact = source.name in ("date", "smalldatetime") or (
        source.name == "datetime2" and source.scale <= target.scale
    )
    if exact or target.scale == 7:
        return value
    if not short(value):
        return None
    unit = 10 ** (7 - target.scale)
    rounded = f"(({value}) + {unit // 2}) / {unit} * {unit}"
    return f"CASE WHEN ({value}) > {MAX_TICKS - unit} THEN {slow} ELSE {rounded} END"


def assign_sql(value: str, source: SqlType, target: SqlType, table: str, column: str) -> str:
    """What is stored in ``table``.``column``: the conversion, with 2628 for strings and binaries that are
    too long.
    """
    check_conversion(source, target)
    if not (target.is_string or target.is_binary) or target.length is None:
        return convert_sql(value, source, target, implicit=True)
    slow = f"chokaq_assign({value}, '{source}', '{target}', {literal(table)}, {literal(column)})"
    need = text_length(source) if source.name != "null" else 0
    if target.is_fixed or source.is_string != target.is_string:
        return slow
    fits = need is not None and need <= target.length
    if target.is_binary:
        return value if fits else f"CASE WHEN length({value}) > {target.length} THEN {slow} ELSE {value} END"
    narrow = source.is_unicode and not target.is_unicode
    if fits and not narrow:
        return value
    if not short(value):
        return slow
    return f"CASE WHEN {ascii_guard(value)} OR length({value}) > {target.length} THEN {slow} ELSE {value} END"


@lru_cache(maxsize=4096)
def _assigner(source: str, target: str, table: str, column: str) -> Callable[[Any], Any]:
    kinds = [SqlType("null") if text == "null" else parse_type(text, cast=True) for text in (source, target)]
    if kinds[0].name == "null":
        return converter(kinds[0], kinds[1])
    return assigner(kinds[0], kinds[1], table, column)


def _assign(*values: Any) -> Any:
    value, *rest = values
    return None if value is None else _assigner(*rest)(value)


#: What the expressions above call, besides chokaq_convert.
FUNCTIONS: Final = (SqlFunction("chokaq_assign", _assign, 5),)
