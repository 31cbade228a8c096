"""Conversion of compiled expressions: as SQLite text and, where there is one, as a Python scalar."""

from __future__ import annotations

from . import scalars
from .naming import literal
from .problems import SqlError
from .scope import UNKNOWN, Typed
from .sqltypes import SqlType
from .values.conversions import converter
from .values.inline_conversions import assign_sql, convert_sql
from .values.strings import key

_DIGITS = {"int": 9, "bigint": 18}
_SHORT = 200


def constant(value: object, kind: SqlType) -> Typed:
    """A literal."""
    return Typed(
        literal(value),
        kind,
        key=literal(key(value)) if isinstance(value, str) and kind.is_string else "",
        value=value,
        node=scalars.Literal(value),
    )


def null(kind: SqlType) -> Typed:
    return Typed("NULL", kind, value=None, node=scalars.Literal(None))


def condition_error() -> SqlError:
    return SqlError(4145, "A condition stands where a value is expected.", 15, 1)


def convert(
    e: Typed,
    target: SqlType,
    style: int | None = None,
    attempt: bool = False,
    *,
    cast: bool = False,
    store: tuple[str, str] | None = None,
) -> Typed:
    """The expression as another type.

    ``cast``: CAST or CONVERT was written. ``store``: (table, column) that the value goes into: too long
    strings
    are errors then. Raises 206, 257 or 529 where SQL Server has no such conversion.
    """
    source = e.type
    if source.name == "boolean":
        raise condition_error()
    if source.name == "null" or e.value is None:
        return null(target)
    call = converter(source, target, style, attempt, not cast)
    if source == target and not attempt:
        return e
    if e.value is not UNKNOWN and (store is None or not (target.is_string or target.is_binary)):
        try:
            return constant(call(e.value), target)
        except SqlError:
            pass  # it fails when it is evaluated, not before
    if store is not None:
        sql = assign_sql(e.sql, source, target, *store)
    else:
        sql = convert_sql(e.sql, source, target, style, attempt=attempt, implicit=not cast)
        if source.is_string and target.name in _DIGITS and style is None and len(e.sql) <= _SHORT:
            # Plain digits need no Python.
            sql = (
                f"CASE WHEN length({e.sql}) BETWEEN 1 AND {_DIGITS[target.name]} AND {e.sql} NOT GLOB "
                "'*[^0-9]*' "
                f"THEN CAST({e.sql} AS INTEGER) ELSE {sql} END"
            )
        if source.is_string and target.name == "float" and style is None and len(e.sql) <= _SHORT:
            # Plain digits with at most one point, few enough to be read exactly.
            sql = (
                f"CASE WHEN length({e.sql}) BETWEEN 1 AND 15 AND {e.sql} NOT GLOB '*[^0-9.]*' AND {e.sql} "
                "GLOB '[0-9]*' "
                f"AND {e.sql} NOT GLOB '*.*.*' THEN CAST({e.sql} AS REAL) ELSE {sql} END"
            )
    same = sql == e.sql
    text = source.is_string and target.is_string
    return Typed(
        sql,
        target,
        key=e.key if same and text else "",
        value=e.value if same else UNKNOWN,
        binary=e.binary and target.is_string,
        node=None if e.node is None else scalars.Convert(e.node, source, target, style, attempt),
        slot=e.slot if same and text else -1,
        rank=e.rank if text else 0,
    )
