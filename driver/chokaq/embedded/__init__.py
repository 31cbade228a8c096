"""The embedded engine: a PEP 249 module that runs the project's T-SQL in process, on SQLite.

A development engine with a stated subset of Transact-SQL; what it does not support is an error that names the
construct and its line. Errors have SQL Server's numbers and pyodbc's classes and message shape.
"""

from __future__ import annotations

from .api import (
    Connection,
    Cursor,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Row,
    Warning,  # noqa: A004 (PEP 249 calls it so)
    apilevel,
    connect,
    paramstyle,
    threadsafety,
)

__all__ = [
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Row",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]
