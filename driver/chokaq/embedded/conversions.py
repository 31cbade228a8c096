"""Conversion of compiled expressions: as SQLite text where SQLite can do it alone, else by a function call."""

from __future__ import annotations

from . import dates, scalars
from .convert import converter
from .functions import conversion_spec
from .naming import literal
from .problems import SqlError
from .scope import BOOLEAN, UNKNOWN, Typed
from .sqltypes import MAX, RANGES, SqlType
from .texts import key

_DIGITS = {"bit": 1, "tinyint": 3, "smallint": 6, "int": 11, "bigint": 20}
# Beyond this length an expression is not written twice.
_TWICE = 300


def constant(value: object, kind: SqlType) -> Typed:
    """A literal."""
    return Typed(
        literal(value),
        kind,
        key=literal(key(value)) if isinstance(value, str) and kind.is_string else "",
        value=value,
        node=scalars.Literal(value),
    )


def convert(e: Typed, target: SqlType, style: int = 0, attempt: bool = False, store: bool = False, cast: bool = False) -> Typed:
    """The expression as another type.

    ``store``: it goes into a column, whose own checks see to lengths and ranges. Raises error 206 and the like
    where SQL Server has no such conversion.
    """
    source = e.type
    if source is BOOLEAN or source.name == "boolean":
        raise SqlError(4145, "A condition stands where a value is expected.", 15, 1)
    if source.name == "null" or e.value is None:
        return Typed("NULL", target, value=None, node=scalars.Literal(None))
    call = converter(source, target, style, attempt, not cast)
    if source == target and not (source.is_time and attempt):
        return e
    if e.value is not UNKNOWN and not (store and target.is_string):
        try:
            return constant(call(e.value), target)
        except SqlError:
            pass  # it fails when it is evaluated, not before
    node = None
    if e.node is not None:
        node = scalars.Convert(e.node, source, target, style, attempt)
    sql, keep_key = _sql(e, source, target, style, attempt, store)
    value = UNKNOWN
    if e.value is not UNKNOWN and sql == e.sql:
        value = e.value
    if sql == e.sql and not (source.is_string and target.is_string):
        keep_key = False
    return Typed(sql, target, key=e.key if keep_key else "", value=value, binary=e.binary, node=node,
                 slot=e.slot if sql == e.sql else -1)


def by_function(e: Typed, target: SqlType, style: int, attempt: bool) -> str:
    return f"chokaq_convert({e.sql}, '{conversion_spec(e.type, target, style, attempt)}')"


def _sql(e: Typed, source: SqlType, target: SqlType, style: int, attempt: bool, store: bool) -> tuple[str, bool]:
    sql = e.sql
    short = len(sql) <= _TWICE
    if source.is_string and target.is_string:
        return _string(e, target, store)
    if source.is_integer and target.is_integer:
        if target.name == "bit":
            return f"({sql} <> 0)", False
        low, high = RANGES[target.name]
        source_low, source_high = RANGES[source.name]
        if low <= source_low and source_high <= high:
            return sql, False
        if store and not attempt:
            return sql, False
        if short:
            other = "NULL" if attempt else f"chokaq_fail(8115, '{target.name}', {sql})"
            return f"CASE WHEN {sql} BETWEEN {low} AND {high} THEN {sql} WHEN {sql} IS NULL THEN NULL ELSE {other} END", False
        return by_function(e, target, style, attempt), False
    if source.is_integer and target.is_float:
        return (sql if store else f"CAST({sql} AS REAL)"), False
    if source.is_integer and target.is_string and (target.length == MAX or target.length >= _DIGITS[source.name]):
        if target.name in ("varchar", "nvarchar"):
            return f"CAST({sql} AS TEXT)", False
    if source.is_float and target.is_float:
        return sql, False
    if source.is_float and target.name in ("int", "bigint") and short:
        edge = 2.0**31 if target.name == "int" else 2.0**63
        return (
            f"CASE WHEN {sql} > {-edge!r} AND {sql} < {edge!r} THEN CAST({sql} AS INTEGER) "
            f"ELSE {by_function(e, target, style, attempt)} END",
            False,
        )
    if source.name == "decimal" and target.is_float and source.precision <= 18:
        return f"(CAST({sql} AS REAL) / {float(10**source.scale)!r})", False
    if source.is_string and target.name in ("int", "bigint") and short:
        digits = 9 if target.name == "int" else 18
        return (
            f"CASE WHEN length({sql}) BETWEEN 1 AND {digits} AND {sql} NOT GLOB '*[^0-9]*' THEN CAST({sql} AS INTEGER) "
            f"ELSE {by_function(e, target, style, attempt)} END",
            False,
        )
    if source.name in ("datetime2", "date", "datetime") and target.name == "datetime2":
        scale = source.scale if source.name == "datetime2" else (3 if source.name == "datetime" else 0)
        if scale <= target.scale:
            return sql, False
        unit = 10 ** (7 - target.scale)
        return f"(({sql} + {unit // 2}) / {unit} * {unit})", False
    if source.name in ("datetime2", "datetime") and target.name == "date" and short:
        return f"({sql} - {sql} % {dates.DAY})", False
    if source.is_binary and target.name == "varbinary" and (
        target.length == MAX or (source.length != MAX and target.length >= source.length)
    ):
        return sql, False
    if source.name == "uniqueidentifier" and target.is_string and target.name.endswith("varchar"):
        if target.length == MAX or target.length >= 36:
            return sql, False
    return by_function(e, target, style, attempt), False


def _string(e: Typed, target: SqlType, store: bool) -> tuple[str, bool]:
    source, sql, keep = e.type, e.sql, True
    if source.is_unicode and not target.is_unicode:
        if len(sql) <= _TWICE:
            sql = f"CASE WHEN length({sql}) = length(CAST({sql} AS BLOB)) THEN {sql} ELSE chokaq_code_page({sql}) END"
        else:
            sql = f"chokaq_code_page({sql})"
        keep = False
    fixed = target.name in ("char", "nchar")
    if target.length != MAX and (source.length == MAX or source.length > target.length) and not store:
        if len(sql) <= _TWICE:
            sql = (
                f"CASE WHEN length(CAST({sql} AS BLOB)) <= {target.length} THEN {sql} "
                f"ELSE chokaq_left({sql}, {target.length}) END"
            )
        else:
            sql = f"chokaq_left({sql}, {target.length})"
        keep = False
    if fixed and not (source.name in ("char", "nchar") and source.length == target.length):
        spaces = " " * target.length
        if store:
            sql = f"CASE WHEN length({sql}) < {target.length} THEN substr({sql} || '{spaces}', 1, {target.length}) ELSE {sql} END"
        else:
            sql = f"substr({sql} || '{spaces}', 1, {target.length})"
    return sql, keep
