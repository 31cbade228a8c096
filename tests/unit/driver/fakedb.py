"""A DB-API module without a database: a function answers, and everything that is done is written down."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chokaq.procedures import PROCEDURES


class Error(Exception):
    """Root of the module's exceptions, as PEP 249 has it."""


class ProgrammingError(Error):
    pass


def error(state: str, number: int, text: str, *more: str, cls: type[Error] = ProgrammingError) -> Error:
    """An exception with pyodbc's arguments."""
    prefix = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"
    message = f"[{state}] {prefix}{text} ({number}) (SQLExecDirectW)"
    return cls(state, "; ".join([message, *more]))


LOST = ("08S01", 104, "TCP Provider: Error code 0x68")
DEADLOCK = (
    "40001",
    1205,
    "Transaction (Process ID 55) was deadlocked and has been chosen as the deadlock victim.",
)


@dataclass
class Answer:
    """One result set. ``columns`` empty: a row count only."""

    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


@dataclass
class Call:
    """What was executed."""

    connection: Connection
    statement: str
    values: tuple[Any, ...]

    @property
    def procedure(self) -> str:
        found = re.match(r"EXEC \[\w+\]\.\[(\w+)\]", self.statement)
        return found[1] if found else ""


Responder = Callable[[Call], "list[Answer | Error] | Error"]


def rows(procedure: str, *found: Sequence[Any]) -> list[Answer | Error]:
    """The right columns for a procedure, and these rows."""
    return [Answer(PROCEDURES[procedure].columns, found)]


@dataclass
class Server:
    """Opens connections; ``respond`` answers calls."""

    respond: Responder
    calls: list[Call] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)

    def connect(self) -> Connection:
        connection = Connection(self)
        self.connections.append(connection)
        return connection

    @property
    def procedure_calls(self) -> list[Call]:
        return [call for call in self.calls if call.procedure]


class Connection:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.autocommit = False
        self.closed = False
        self.commits = 0
        self.rollbacks = 0
        self.cursors: list[Cursor] = []

    def cursor(self) -> Cursor:
        if self.closed:
            raise ProgrammingError("The connection has been closed.")
        cursor = Cursor(self)
        self.cursors.append(cursor)
        return cursor

    def commit(self) -> None:
        self.commits += 1

    def rollback(self) -> None:
        self.rollbacks += 1

    def close(self) -> None:
        self.closed = True


class Cursor:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.closed = False
        self._sets: list[Answer | Error] = []
        self.sizes: list[Any] = []

    @property
    def description(self) -> Any:
        first = self._sets[0] if self._sets else None
        if not isinstance(first, Answer) or not first.columns:
            return None
        return [(name, None, None, None, None, None, None) for name in first.columns]

    def setinputsizes(self, sizes: Any) -> None:
        self.sizes = list(sizes)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        call = Call(self.connection, statement, tuple(values))
        self.connection.server.calls.append(call)
        if statement.startswith("SET TRANSACTION"):
            self._sets = [Answer()]
            return self
        answer = self.connection.server.respond(call)
        if isinstance(answer, Exception):
            raise answer
        self._sets = list(answer)
        self._raise_if_error()
        return self

    def fetchall(self) -> list[Sequence[Any]]:
        first = self._sets[0]
        assert isinstance(first, Answer)
        return list(first.rows)

    def nextset(self) -> bool:
        self._sets = self._sets[1:]
        self._raise_if_error()
        return bool(self._sets)

    def _raise_if_error(self) -> None:
        if self._sets and isinstance(self._sets[0], Exception):
            raise self._sets[0]

    def close(self) -> None:
        self.closed = True
