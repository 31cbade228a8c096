"""OPENJSON … WITH column by column, for the usual case: an array, and no column that is kept as JSON.

The same rows as ``open_json_with``, without a Python call for most of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ..errors import SqlError
from .codepage import from_units
from .json_path import parse_path
from .json_text import MISSING, Number, Span, bad_character, check_end, kind_of, parse, scan, skip_space
from .json_values import JsonColumn, open_json, open_json_with, read_column
from .types import RANGES

__all__ = ["open_json_list", "open_json_rows"]

_NOWHERE = Span(None, 0, 0)


def open_json_rows(text: str, columns: Sequence[JsonColumn], path: str = "$") -> list[tuple[Any, ...]]:
    """All rows of OPENJSON … WITH. The errors are those of ``open_json_with``."""
    if not parse_path(path).steps and not any(column.as_json for column in columns):
        values = parse(text).value
        if isinstance(values, list):
            try:
                return list(zip(*[_read(column, values) for column in columns], strict=True))
            except SqlError:
                pass  # of several errors the first row's counts
    return list(open_json_with(text, columns, path))


def open_json_list(text: str) -> list[tuple[str, str | None, int]]:
    """The rows of OPENJSON without WITH and path. The errors are those of ``open_json``."""
    at = skip_space(text, 0)
    if text[at : at + 1] != "[":
        return open_json(text)
    rows: list[tuple[str, str | None, int]] = []
    at = skip_space(text, at + 1)
    if text[at : at + 1] == "]":
        check_end(text, at + 1)
        return rows
    while True:
        value, end = scan(text, at)
        kind = kind_of(value)
        if kind >= 4:
            shown: str | None = text[at:end]
        elif kind == 1:
            shown = value if value.isascii() else from_units(value)
        elif kind == 2:
            shown = value.decode()
        else:
            shown = None if kind == 0 else ("true" if value else "false")
        rows.append((str(len(rows)), shown, kind))
        mark = text[end : end + 1]
        if mark != ",":
            end = skip_space(text, end)
            mark = text[end : end + 1]
            if mark == "]":
                check_end(text, end + 1)
                return rows
            if mark != ",":
                raise bad_character(text, end)
        at = skip_space(text, end + 1)


def _read(column: JsonColumn, values: list[Any]) -> list[Any]:
    steps, quick = _reader(column)
    for step in steps:
        if isinstance(step, str):
            values = [value.get(step, MISSING) if type(value) is dict else MISSING for value in values]
        else:
            values = [
                value[step] if type(value) is list and step < len(value) else MISSING for value in values
            ]
    return [quick(value) for value in values]


@lru_cache(maxsize=1024)
def _reader(column: JsonColumn) -> tuple[tuple[str | int, ...], Callable[[Any], Any]]:
    """The steps to a column's value, and what makes a stored value of it."""
    read, _, steps = read_column(column)
    kind = column.type

    def slow(value: Any) -> Any:
        return read("", _NOWHERE, value)

    if kind.is_string and not kind.is_fixed:
        limit = 2**31 if kind.length is None else kind.length

        def string(value: Any) -> Any:
            if type(value) is str and len(value) <= limit and value.isascii():
                return value
            return slow(value)

        return steps, string
    if kind.is_integer and kind.name != "bit":
        low, high = RANGES[kind.name]

        def whole(value: Any) -> Any:
            if (
                type(value) is Number
                and len(value) < 19
                and value.isdigit()
                and low <= (number := int(value)) <= high
            ):
                return number
            return slow(value)

        return steps, whole
    if kind.name == "float":

        def real(value: Any) -> Any:
            return float(value) if type(value) is Number and len(value) < 300 else slow(value)

        return steps, real
    return steps, slow
