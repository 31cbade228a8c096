"""The little of PEP 249 that the driver uses, as types; and what a driver's exceptions tell.

pyodbc and the embedded engine word their errors the same way: ``args`` is (SQLSTATE, text), the text being
``[42000] [vendor][driver][server]message (51002) (SQLExecDirectW)``, followed by ``; [state] message
(number)`` for each further record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Connection", "Cursor", "DriverError", "is_driver_error", "read_error"]


class Cursor(Protocol):
    """A DB-API cursor."""

    @property
    def description(self) -> Any: ...

    def execute(self, operation: str, *parameters: Any) -> Any: ...

    def fetchall(self) -> Sequence[Sequence[Any]]: ...

    def nextset(self) -> Any: ...

    def close(self) -> Any: ...


class Connection(Protocol):
    """A DB-API connection."""

    def cursor(self) -> Any: ...

    def close(self) -> Any: ...


@dataclass(frozen=True)
class DriverError:
    """What an exception of the driver says: SQLSTATE, native number, text of the first record without
    prefixes.
    """

    sqlstate: str | None
    number: int | None
    message: str


# The function name follows the first record only, so a number before it is the first record's. It must end
# the record: a message that quotes such a text in its middle does not mislead.
_FIRST = re.compile(r"\s*\((-?\d+)\) \(SQL\w+\)(?=$|; \[)", re.DOTALL)
_STATE = re.compile(r"^\[([0-9A-Z]{5})\]\s*")
# Only names of drivers: a message may itself begin with a name in brackets.
_VENDORS = re.compile(
    r"^(?:\[(?:Microsoft|unixODBC|iODBC|Driver Manager|Microsoft Driver Manager|FreeTDS|SQL Server"
    r"|ODBC Driver \d+ for SQL Server|ODBC Driver Manager|ODBC SQL Server Driver|SQL Native Client)\])+"
    r"|^\[chokaq\]\[embedded engine\]"
)


def is_driver_error(error: BaseException) -> bool:
    """Whether ``error`` comes from a DB-API module: PEP 249 calls the root of its exceptions ``Error``.

    By name, because a connection handed in may be of a module (or a wrapper) that we never imported.
    """
    return isinstance(error, Exception) and any(base.__name__ == "Error" for base in type(error).__mro__)


def read_error(error: BaseException) -> DriverError:
    """Takes a driver's exception apart."""
    args = error.args
    state = args[0] if args and isinstance(args[0], str) and re.fullmatch(r"[0-9A-Z]{5}", args[0]) else None
    text = str(args[1]) if len(args) > 1 else str(error)
    first = _FIRST.search(text)
    number = (int(first[1]) or None) if first else None  # 0: the ODBC driver's own error, not the server's
    message = text[: first.start()] if first else text
    shown_state = _STATE.match(message)
    if shown_state:
        message = message[shown_state.end() :]
        state = state or shown_state[1]
    return DriverError(state, number, _VENDORS.sub("", message).strip())
