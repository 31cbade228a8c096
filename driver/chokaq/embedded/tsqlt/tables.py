"""Tables as values: their rows, the difference of two of them, and the text that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..catalog import Column
from ..naming import quote
from ..problems import SqlError
from ..sqltypes import NVARCHAR_MAX, SqlType, higher
from ..values.conversions import converter
from ..values.strings import key
from .names import Found

if TYPE_CHECKING:
    from ..session import Session

_WIDTH = 155
_NULL = "!NULL!"
NEW_LINE = "\r\n"


def rows_of(session: Session, found: Found, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    """The stored values of some columns."""
    names = ", ".join(quote(column.name) for column in columns)
    rows: list[tuple[Any, ...]] = session.sqlite.execute(f"SELECT {names} FROM {found.source}").fetchall()
    return rows


def differences(session: Session, expected: Found, actual: Found) -> tuple[bool, str]:
    """Whether two tables differ in the columns of the first, and both as text.

    ``<`` only in the first, ``>`` only in the second, ``=`` in both. Text is compared by its collation. Error
    207 where the second lacks a column.
    """
    columns = expected.table.columns
    others = []
    for column in columns:
        other = actual.table.column(column.name)
        if other is None:
            raise SqlError(207, f"Invalid column name '{column.name}'.", 16, 1)
        others.append(other)
    meeting = [higher(column.type, other.type) for column, other in zip(columns, others, strict=True)]
    left = _converted(rows_of(session, expected, columns), [column.type for column in columns], meeting)
    right = _converted(rows_of(session, actual, others), [column.type for column in others], meeting)
    keys = [kind.is_string and not column.binary for column, kind in zip(columns, meeting, strict=True)]
    shown: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    counts_left, counts_right = (_count(rows, keys, shown) for rows in (left, right))
    marked: list[tuple[str, tuple[Any, ...]]] = []
    for each, row in shown.items():
        both = min(counts_left[each], counts_right[each])
        marked += [("=", row)] * both
        marked += [("<", row)] * (counts_left[each] - both)
        marked += [(">", row)] * (counts_right[each] - both)
    marked.sort(key=lambda item: item[0])
    lines = [[mark, *_texts(row, meeting)] for mark, row in marked]
    unequal = any(mark != "=" for mark, _ in marked)
    return unequal, table_text(["_m_", *(column.name for column in columns)], lines) if unequal else ""


def _converted(rows: Iterable[Any], sources: list[SqlType], targets: list[SqlType]) -> list[tuple[Any, ...]]:
    steps = [converter(source, target) for source, target in zip(sources, targets, strict=True)]
    return [tuple(step(value) for step, value in zip(steps, row, strict=True)) for row in rows]


def _count(
    rows: list[tuple[Any, ...]], keyed: list[bool], shown: dict[tuple[Any, ...], tuple[Any, ...]]
) -> Counter[tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        each = tuple(key(value) if is_keyed else value for value, is_keyed in zip(row, keyed, strict=True))
        shown.setdefault(each, row)
        counts[each] += 1
    return counts


def _texts(row: Sequence[Any], types: Sequence[SqlType]) -> list[str]:
    return [value_text(value, kind) for value, kind in zip(row, types, strict=True)]


def value_text(value: Any, kind: SqlType) -> str:
    """A value as tSQLt's tables show it."""
    if value is None:
        return _NULL
    style = {"datetime": 121, "smalldatetime": 121, "float": 2, "binary": 1, "varbinary": 1}.get(kind.name)
    found = str(converter(kind, NVARCHAR_MAX, style)(value))
    if kind.name == "float":
        return found.upper()
    return found.lower() if kind.name == "uniqueidentifier" else found


def whole_text(session: Session, found: Found) -> str:
    """A whole table as text; empty where it has no row."""
    columns = found.table.columns
    rows = rows_of(session, found, columns)
    types = [column.type for column in columns]
    return (
        table_text([column.name for column in columns], [_texts(row, types) for row in rows]) if rows else ""
    )


def table_text(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with ``|`` between its columns, its names above a line of ``-``."""
    lines = [list(names), *(list(row) for row in rows)]
    widths = [min(_WIDTH, max(len(line[index]) for line in lines)) for index in range(len(names))]
    half = (_WIDTH - 5) // 2

    def cell(value: str, width: int) -> str:
        return f"{value[:half]}<...>{value[-half:]}" if len(value) > _WIDTH else value.ljust(width)

    shown = [
        f"|{'|'.join(cell(value, width) for value, width in zip(line, widths, strict=True))}|"
        for line in lines
    ]
    rule = f"+{'+'.join('-' * width for width in widths)}+"
    return NEW_LINE.join([shown[0], rule, *shown[1:]])
