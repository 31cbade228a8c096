"""Every exception of the package.

``ChokaqError`` is the root. What the database reports is a ``DatabaseError`` with the native error number,
the SQLSTATE and the procedure; errors that chokaq's own procedures throw have one class each (``REGISTRY``,
the same numbers as db/errors.md). What happens on this side of the wire has no number.
"""

from __future__ import annotations

import re

__all__ = [
    "REGISTRY",
    "BatchTooLargeError",
    "CallTimeoutError",
    "ChokaqError",
    "ConnectionFailedError",
    "ConnectionLostError",
    "DatabaseError",
    "DatabaseNewerError",
    "DatabaseOlderError",
    "DeadlockError",
    "DriverMissingError",
    "DuplicateRowError",
    "InvalidJsonError",
    "InvalidParameterError",
    "InvalidUrlError",
    "InvalidValueError",
    "LockNotAvailableError",
    "MissingValueError",
    "NotDeployedError",
    "NotRepresentableError",
    "PermissionDeniedError",
    "ProtocolError",
    "QueueNotFoundError",
    "RowError",
    "ScriptChangedError",
    "TransactionNotAllowedError",
    "UnknownEngineError",
    "UnknownKeyError",
    "ValueTooLongError",
    "WrongSchemaVersionError",
]


class ChokaqError(Exception):
    """Root of every exception that this package raises on its own account."""


class InvalidUrlError(ChokaqError, ValueError):
    """The database URL or ODBC string cannot be read. The text never repeats the URL: it may hold a
    password.
    """


class UnknownEngineError(InvalidUrlError):
    """The URL's scheme is none that chokaq knows; the text names those it does."""


class DriverMissingError(ChokaqError, ImportError):
    """pyodbc or an ODBC driver for SQL Server is not installed."""


class ConnectionFailedError(ChokaqError):
    """No connection could be opened. ``sqlstate`` and ``number`` are the driver's, None where it gave
    none.
    """

    def __init__(self, message: str, *, sqlstate: str | None = None, number: int | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.number = number


class NotDeployedError(ChokaqError):
    """The database holds no chokaq (of this schema name, or not this procedure); the text says what to
    run.
    """


class DatabaseOlderError(NotDeployedError):
    """The database was deployed by an older package: its schema lacks what this package calls."""


class DatabaseNewerError(ChokaqError):
    """The database was deployed by a newer package than this one."""


class ProtocolError(ChokaqError):
    """A procedure answered with a result set of another shape than this package expects."""


class DatabaseError(ChokaqError):
    """An error reported by the database.

    ``number``: native error number (2627, 51003 …) or None; ``sqlstate``: five characters or None;
    ``procedure``: name of the procedure called, without schema; ``message``: the first error's text without
    the driver's prefixes.
    """

    def __init__(
        self,
        message: str,
        *,
        number: int | None = None,
        sqlstate: str | None = None,
        procedure: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.number = number
        self.sqlstate = sqlstate
        self.procedure = procedure

    def __str__(self) -> str:
        where = (
            f"{self.procedure}: " if self.procedure and not self.message.startswith(self.procedure) else ""
        )
        number = f" (error {self.number})" if self.number is not None else ""
        return f"{where}{self.message}{number}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.number, self.sqlstate, self.procedure))


def _rebuild(
    cls: type[DatabaseError], message: str, number: int | None, sqlstate: str | None, procedure: str | None
) -> DatabaseError:
    """Pickle support: keyword-only arguments do not survive the default way."""
    return cls(message, number=number, sqlstate=sqlstate, procedure=procedure)


class ConnectionLostError(DatabaseError):
    """The connection broke during a call. Whether the call took effect is not known."""


class CallTimeoutError(DatabaseError):
    """The client stopped waiting for a call (query timeout). Whether the call took effect is not known."""


class DeadlockError(DatabaseError):
    """The call was chosen as deadlock victim (1205) and rolled back, each time it was tried."""


class PermissionDeniedError(DatabaseError):
    """The login may not execute the procedure; it needs membership in one of the chokaq roles."""


class RowError(DatabaseError):
    """An input row was refused, and with it the whole call. Nothing of the call took effect.

    ``row``: the row's number as the message gives it (0-based position within the call), ``column``: the key
    at fault; each None when the message does not say. ``index``: position in the caller's own input, set by
    ``JobQueue`` methods that split their input into several calls; else the same as ``row``.
    """

    def __init__(
        self,
        message: str,
        *,
        number: int | None = None,
        sqlstate: str | None = None,
        procedure: str | None = None,
    ) -> None:
        super().__init__(message, number=number, sqlstate=sqlstate, procedure=procedure)
        self.row, self.column = parse_place(message)
        self.index = self.row


class InvalidJsonError(RowError):
    """The parameter is not a JSON array of objects."""


class UnknownKeyError(RowError):
    """A row has a key that the procedure does not know."""


class MissingValueError(RowError):
    """A row lacks a value that is required."""


class InvalidValueError(RowError):
    """A value cannot be converted, or is out of range."""


class ValueTooLongError(RowError):
    """A value is longer than the column that should hold it."""


class NotRepresentableError(RowError):
    """A value has characters that the column's code page does not have."""


class DuplicateRowError(RowError):
    """The same id appears twice in one call."""


class BatchTooLargeError(DatabaseError):
    """More rows than one call may carry."""


class InvalidParameterError(DatabaseError):
    """A parameter that is not a row list is missing or out of range."""


class QueueNotFoundError(DatabaseError):
    """There is no queue of that name."""


class TransactionNotAllowedError(DatabaseError):
    """The procedure commits on its own and refuses to run inside a transaction."""


class LockNotAvailableError(DatabaseError):
    """Somebody else holds the application lock."""


class WrongSchemaVersionError(DatabaseError):
    """A rendered script was made for another version of the schema."""


class ScriptChangedError(DatabaseError):
    """A one-time script differs from the one that was applied."""


#: The numbers that chokaq's T-SQL throws, and the class of each. db/errors.md is the same list for a DBA.
REGISTRY: dict[int, type[DatabaseError]] = {
    51000: InvalidJsonError,
    51001: UnknownKeyError,
    51002: MissingValueError,
    51003: InvalidValueError,
    51004: ValueTooLongError,
    51005: NotRepresentableError,
    51006: DuplicateRowError,
    51007: BatchTooLargeError,
    51008: InvalidParameterError,
    51010: QueueNotFoundError,
    51020: TransactionNotAllowedError,
    51021: LockNotAvailableError,
    51030: WrongSchemaVersionError,
    51031: ScriptChangedError,
}

_ROW = re.compile(r"\brow (\d+)\b")
_COLUMN = re.compile(r"\b(?:column|key) ([^\s:,;]+)")


def parse_place(message: str) -> tuple[int | None, str | None]:
    """(row, column) named in a message such as ``EnqueueJobs: row 3, column queue: value is missing.``"""
    row = _ROW.search(message)
    column = _COLUMN.search(message)
    return (int(row[1]) if row else None, column[1].strip("\"'`.") if column else None)
