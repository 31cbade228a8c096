"""The functions that generated SQL calls, made known to a SQLite connection.

Those of T-SQL are in ``values``; here are the few that only the engine's own SQL needs. An error inside
SQLite is
kept aside, because SQLite only passes on that there was one.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .errors import SqlError, convert_overflow, divide_by_zero, type_overflow
from .problems import json_malformed, subquery_rows, top_count
from .sqltypes import RANGES, SqlType
from .values import decimals
from .values import functions as value_functions
from .values.codepage import from_units, width
from .values.json_text import elements, members, skip_space
from .values.plan import SqlFunction

Function = Callable[..., Any]

#: Where an error raised inside SQLite waits until the executor picks it up.
_pending = threading.local()


def fail(number: int, *arguments: Any) -> Any:
    """Called by generated SQL where a condition must not happen."""
    if number == 8134:
        raise divide_by_zero()
    if number == 512:
        raise subquery_rows()
    if number == 1060:
        raise top_count()
    if number == 13609:
        raise json_malformed()
    kind = str(arguments[0])
    if kind in ("tinyint", "smallint") and len(arguments) > 1:
        raise type_overflow(kind, arguments[1])
    raise convert_overflow(kind)


def check_integer(value: Any, kind: str) -> Any:
    """The result of SUM, if its type can hold it."""
    if value is None:
        return None
    low, high = RANGES[kind]
    if isinstance(value, float) or not low <= value <= high:
        raise convert_overflow(kind)
    return value


def pack(value: Any, precision: int, scale: int) -> Any:
    """An unscaled whole number as a stored decimal."""
    return None if value is None else decimals.pack(int(value), SqlType("decimal", 0, precision, scale))


def json_child(text: str, name: Any) -> Any:
    """One member of an object or array, as it is written there."""
    item = _member(text, name)
    return None if item is None else text[item.start : item.end]


def json_text(text: str, name: Any) -> Any:
    """The string that one member of an object or array is."""
    item = _member(text, name)
    return None if item is None else from_units(item.value)


def _member(text: str, name: Any) -> Any:
    start = skip_space(text, 0)
    if text[start] == "[":
        return next((item for index, item in enumerate(elements(text, start)) if index == int(name)), None)
    return next((item for item in members(text, start) if from_units(item.key or "") == str(name)), None)


def name_part(text: Any, piece: Any) -> Any:
    """PARSENAME: one part of a dotted name, counted from its end."""
    from .system import name_parts

    if text is None or piece is None:
        return None
    parts = name_parts(text)
    if len(parts) > 4 or not 1 <= piece <= len(parts):
        return None
    return parts[-piece] or None


_OWN: dict[str, Function] = {
    "fail": fail,
    "check_integer": check_integer,
    "pack": pack,
    "json_child": json_child,
    "json_text": json_text,
    "width": lambda text: None if text is None else width(text),
    "after": lambda text: None if text is None else text[text.index("\x01") + 1 :],
}


@lru_cache(maxsize=1)
def has_logarithm() -> bool:
    """Whether this SQLite was built with its mathematical functions."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT ln(2.0)")
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return True


class StringAggregate:
    """STRING_AGG … WITHIN GROUP (ORDER BY …): sorts by its keys, each with its direction, then joins."""

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
            self.rows.sort(key=_sorter(index), reverse=self.directions[index - 1] == "d")
        return self.separator.join(row[0] for row in self.rows)


def _sorter(index: int) -> Callable[[tuple[Any, ...]], Any]:
    return lambda row: (row[index] is not None, row[index])


def register(connection: sqlite3.Connection, session: dict[str, Function]) -> None:
    """Make all functions known to a connection. ``session``: those that ask its session."""
    value_functions.register(connection, _wrapped)
    for name, function in _OWN.items():
        connection.create_function(f"chokaq_{name}", -1, keeping_errors(function), deterministic=True)
    for name, function in session.items():
        connection.create_function(f"chokaq_{name}", -1, keeping_errors(function))
    connection.create_aggregate("chokaq_string_agg", -1, StringAggregate)  # type: ignore[arg-type]


def _wrapped(function: SqlFunction) -> Function:
    return keeping_errors(function.call)


def keeping_errors(function: Function) -> Function:
    """The function, with its error put where the executor finds it."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except SqlError as error:
            _pending.error = error
            raise
        except Exception as error:
            _pending.error = SqlError(8630, f"Internal error in a function: {type(error).__name__}: {error}")
            raise

    return call


def take_pending() -> SqlError | None:
    """The error of the function that failed last, once."""
    error: SqlError | None = getattr(_pending, "error", None)
    _pending.error = None
    return error
