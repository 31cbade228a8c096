"""PEP 249: connect, connections, cursors, rows and exceptions, as pyodbc has them."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import ir
from .catalog import Parameter, Procedure
from .database import Database
from .dbapi_values import description, fetcher, stored
from .errors import dbapi_class, sqlstate
from .problems import SqlError
from .results import Count, ResultSet
from .session import Session
from .sqltypes import SqlType

if TYPE_CHECKING:
    from typing_extensions import Self

apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"
DEFAULT_TIMEOUT = 30.0
_SYNCHRONOUS = ("OFF", "NORMAL", "FULL", "EXTRA")
_BATCHES = 300


class Warning(Exception):  # noqa: A001, N818 (PEP 249 calls it so)
    """PEP 249."""


class Error(Exception):
    """``args``: (SQLSTATE, text); the text ends with the error number, as ODBC drivers write it."""


class InterfaceError(Error):
    """The module was used wrongly."""


class DatabaseError(Error):
    """PEP 249."""


class DataError(DatabaseError):
    """SQLSTATE 22…"""


class OperationalError(DatabaseError):
    """SQLSTATE 08…, HYT…"""


class IntegrityError(DatabaseError):
    """SQLSTATE 23…"""


class InternalError(DatabaseError):
    """PEP 249."""


class ProgrammingError(DatabaseError):
    """SQLSTATE 24…, 25…, 42…: also what THROW raises."""


class NotSupportedError(DatabaseError):
    """SQLSTATE 0A…"""


_ERRORS: dict[str, type[Error]] = {
    kind.__name__: kind
    for kind in (
        Error,
        InterfaceError,
        DatabaseError,
        DataError,
        OperationalError,
        IntegrityError,
        InternalError,
        ProgrammingError,
        NotSupportedError,
    )
}


def public(error: SqlError, function: str = "SQLExecDirectW") -> Error:
    """The exception that a client sees."""
    state = sqlstate(error.number)
    message = error.message
    if error.number in _WITH_PLACE or error.severity == 15:
        place = (
            f" in {error.procedure}" if error.procedure else (f" in {error.source}" if error.source else "")
        )
        if error.line:
            message = f"{message} (line {error.line}{place})"
    found = _ERRORS[dbapi_class(state)](
        state, f"[{state}] [chokaq][embedded engine]{message} ({error.number}) ({function})"
    )
    found.__cause__ = None
    return found


# Errors of a text, not of its data: they are of no use without the place.
_WITH_PLACE = frozenset(
    {
        49999,
        207,
        208,
        209,
        2812,
        2715,
        4104,
        137,
        206,
        257,
        402,
        529,
        1087,
        8117,
        8120,
        4145,
        8144,
        8145,
        201,
        102,
    }
)


class Row(tuple[Any, ...]):
    """A row: by position, and by attribute where the column has a name."""

    __slots__ = ()
    _positions: dict[str, int] = {}  # noqa: RUF012
    cursor_description: Any = None

    def __getattr__(self, name: str) -> Any:
        try:
            return self[type(self)._positions[name]]
        except KeyError:
            raise AttributeError(f"no column {name}") from None


def _row_class(names: Sequence[str], columns: Any) -> type[Row]:
    positions: dict[str, int] = {}
    for index, name in enumerate(names):
        positions.setdefault(name, index)
    return type("Row", (Row,), {"__slots__": (), "_positions": positions, "cursor_description": columns})


_row_classes: dict[Any, tuple[type[Row], Any, list[tuple[int, Any]]]] = {}


def _shape(result: ResultSet) -> tuple[type[Row], Any, list[tuple[int, Any]]]:
    key = (tuple(result.names), tuple(result.types))
    found = _row_classes.get(key)
    if found is None:
        columns = tuple(
            description(name, kind) for name, kind in zip(result.names, result.types, strict=True)
        )
        converters = [
            (i, convert) for i, kind in enumerate(result.types) if (convert := fetcher(kind)) is not None
        ]
        if len(_row_classes) > 2000:
            _row_classes.clear()
        found = _row_classes[key] = (_row_class(result.names, columns), columns, converters)
    return found


def connect(
    path: str | os.PathLike[str] | None = None,
    autocommit: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    synchronous: str = "FULL",
) -> Connection:
    """Open a database.

    ``path``: a file, made when missing; None: a new database in memory; ``:memory:name``: one in memory that
    connections of this process share. ``timeout``: seconds to wait for another writer before error 1222.
    ``synchronous``: FULL survives a power cut, NORMAL a crash of the process. Raises OperationalError.
    """
    if synchronous.upper() not in _SYNCHRONOUS:
        raise InterfaceError("HY024", f"synchronous is one of {', '.join(_SYNCHRONOUS)}")
    try:
        database = Database.of(path)
        session = Session(database, timeout, synchronous.upper())
    except sqlite3.Error as error:
        raise OperationalError(
            "08001", f"[08001] [chokaq][embedded engine]cannot open {path}: {error} (0) (SQLDriverConnect)"
        ) from None
    except SqlError as error:
        raise public(error, "SQLDriverConnect") from None
    return Connection(session, autocommit)


class Connection:
    """One session. Not for use by several threads at the same time (a second one waits)."""

    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(self, session: Session, autocommit: bool) -> None:
        self._session: Session | None = session
        self._lock = threading.RLock()
        session.options.implicit = not autocommit
        self._batches: dict[Any, ir.Program] = {}
        self.timeout = 0

    @property
    def session(self) -> Session:
        """The engine's side of the connection."""
        if self._session is None:
            raise ProgrammingError("HY000", "Attempt to use a closed connection.")
        return self._session

    @property
    def autocommit(self) -> bool:
        return not self.session.options.implicit

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        session = self.session
        if value and session.options.implicit:
            self.commit()
        session.options.implicit = not value

    @property
    def closed(self) -> bool:
        return self._session is None

    def cursor(self) -> Cursor:
        self.session  # noqa: B018
        return Cursor(self)

    def execute(self, sql: str, *params: Any) -> Cursor:
        """A new cursor that has executed this."""
        return self.cursor().execute(sql, *params)

    def commit(self) -> None:
        """Commit everything that is open; nothing when nothing is."""
        with self._lock:
            session = self.session
            try:
                while session.trancount:
                    session.commit()
            except SqlError as error:
                raise public(error, "SQLEndTran") from None

    def rollback(self) -> None:
        with self._lock:
            session = self.session
            try:
                if session.trancount:
                    session.rollback()
            except SqlError as error:
                raise public(error, "SQLEndTran") from None

    def close(self) -> None:
        """End the session; what is not committed is rolled back."""
        with self._lock:
            session, self._session = self._session, None
            if session is not None:
                session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        if self._session is None or self.autocommit:
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()

    def __del__(self) -> None:
        session = getattr(self, "_session", None)
        if session is not None:
            self._session = None
            try:
                session.close()
            except Exception:
                return

    # Running

    def _run(self, sql: str, values: list[Any]) -> tuple[list[Any], list[Any]]:
        """(result sets, counts and errors in order; messages) of a batch."""
        with self._lock:
            session = self.session
            try:
                session.sync_catalog()
                program, prepare = self._program(sql, values)
            except SqlError as error:
                self._failed_to_start(session, error)
                raise public(error) from None
            session.run(program, prepare)
            items, messages = session.items, session.messages
            session.items, session.messages = [], []
            return items, messages

    def _failed_to_start(self, session: Session, error: SqlError) -> None:
        """An error before the batch ran: XACT_ABORT counts for it, too."""
        session.rowcount = 0
        session.error_number = error.number

    def _program(self, sql: str, values: list[Any]) -> tuple[ir.Program, Any]:
        session = self.session
        bound = [self._bind(value, index) for index, value in enumerate(values)]
        kinds = tuple(kind for _, kind, _ in bound)
        key = (sql, kinds)
        program = self._batches.get(key)
        if program is None:
            call = _CALL.match(sql)
            if call is not None:
                program = self._call_program(call, kinds)
            else:
                # Only now: a client that calls procedures alone never needs the parser.
                from .compiler import compile_batch
                from .parser import parse_batch

                batch = parse_batch(sql)
                marks = _marks(batch)
                if marks != len(values):
                    raise SqlError(
                        8178,
                        f"The SQL contains {marks} parameter markers, but {len(values)} parameters were "
                        "supplied.",
                        16,
                        1,
                    )
                parameters = [
                    Parameter(f"@__p{index + 1}", SqlType("nvarchar", 4000) if kind.name == "null" else kind)
                    if not isinstance(kind, _TableKind)
                    else Parameter(
                        f"@__p{index + 1}", SqlType("null"), table=(kind.schema, kind.name), readonly=True
                    )
                    for index, kind in enumerate(kinds)
                ]
                program = compile_batch(session, batch, parameters)
            if len(self._batches) >= _BATCHES:
                session.forget_program(self._batches.pop(next(iter(self._batches))))
            self._batches[key] = program
        elif len(program.parameters) != len(values):
            raise SqlError(8178, "The number of parameters does not fit the statement.", 16, 1)

        def prepare(frame: Any) -> None:
            for position, (value, kind, rows) in enumerate(bound):
                if isinstance(kind, _TableKind):
                    slot = program.table_parameters[position]
                    _fill(session, frame, program, slot, rows)
                else:
                    frame.assign(program.slots[position], value)

        return program, (prepare if bound else None)

    def _bind(self, value: Any, index: int) -> tuple[Any, Any, Any]:
        if isinstance(value, (list, tuple)):
            return self._table_value(value)
        try:
            found, kind = stored(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ProgrammingError(
                "HY105",
                f"[HY105] [chokaq][embedded engine]parameter {index + 1}: {error} (0) (SQLBindParameter)",
            ) from None
        return found, kind, None

    def _table_value(self, value: Sequence[Any]) -> tuple[Any, Any, Any]:
        """A table-valued parameter: optionally type name and schema, then the rows."""
        rows = list(value)
        names: list[str] = []
        while rows and isinstance(rows[0], str) and len(names) < 2:
            names.append(rows.pop(0))
        if not names:
            return None, _TableKind("", ""), rows
        return None, _TableKind(names[1] if len(names) > 1 else "dbo", names[0]), rows

    def _call_program(self, call: re.Match[str], kinds: tuple[Any, ...]) -> ir.Program:
        """``{CALL [s].[p] (?, ?)}``: every argument is a parameter mark."""
        from .system import split_name

        schema, name = split_name(call[1])
        arguments_text = (call[2] or "").strip()
        marks = [part.strip() for part in arguments_text.split(",")] if arguments_text else []
        if any(mark != "?" for mark in marks):
            raise SqlError(102, "Incorrect syntax: the arguments of {CALL …} are parameter marks.", 15, 1)
        if len(marks) != len(kinds):
            raise SqlError(
                8178,
                f"The SQL contains {len(marks)} parameter markers, but {len(kinds)} parameters were "
                "supplied.",
                16,
                1,
            )
        procedure = self.session.catalog.procedure(schema, name)
        tables: list[ir.TableSlot] = []
        table_parameters: dict[int, int] = {}
        arguments = []
        parameters = []
        for index, kind in enumerate(kinds):
            if isinstance(kind, _TableKind):
                table_kind = _table_kind(procedure, index, kind)
                shape = self.session.catalog.type(table_kind.schema, table_kind.name)
                if shape is None:
                    raise SqlError(
                        2715, f"Cannot find data type {table_kind.schema}.{table_kind.name}.", 16, 6
                    )
                tables.append(ir.TableSlot(f"@__p{index + 1}", "variable", shape))
                table_parameters[index] = len(tables) - 1
                arguments.append(
                    ir.Argument("", "table", table=len(tables) - 1, table_type=(shape.schema, shape.name))
                )
                parameters.append(
                    Parameter(f"@__p{index + 1}", SqlType("null"), table=(shape.schema, shape.name))
                )
            else:
                from .scalars import Variable

                arguments.append(ir.Argument("", "value", Variable(index), kind))
                parameters.append(Parameter(f"@__p{index + 1}", kind))
        execute = ir.Execute(1, schema, name, arguments)
        return ir.Program(
            f"call {schema}.{name}",
            len(kinds),
            {},
            tables,
            parameters,
            list(range(len(kinds))),
            table_parameters,
            [execute],
            {},
        )


class _TableKind:
    """The type of a table-valued parameter."""

    def __init__(self, schema: str, name: str) -> None:
        self.schema = schema
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TableKind) and (self.schema, self.name) == (other.schema, other.name)

    def __hash__(self) -> int:
        return hash((self.schema, self.name))


def _table_kind(procedure: Procedure | None, index: int, kind: _TableKind) -> _TableKind:
    if kind.name or procedure is None or index >= len(procedure.parameters):
        return kind
    table = procedure.parameters[index].table
    return _TableKind(*table) if table else kind


def _fill(session: Session, frame: Any, program: ir.Program, slot: int, rows: list[Any]) -> None:
    from .ir import Target, quote
    from .values.conversions import assigner

    shape = program.tables[slot].table
    columns = [column for column in shape.columns if not column.computed and not column.identity]
    made = []
    for row in rows:
        if len(row) != len(columns):
            raise SqlError(
                500,
                f"Trying to pass a table-valued parameter with {len(row)} column(s) where the "
                f"corresponding user-defined table type requires {len(columns)} column(s).",
                16,
                1,
            )
        cells = []
        for cell, column in zip(row, columns, strict=True):
            value, kind = stored(cell)
            if value is not None and kind != column.type:
                value = assigner(kind, column.type, shape.full_name, column.name)(value)
            cells.append(value)
        made.append(tuple(cells))
    if not made:
        return
    names = ", ".join(quote(column.name) for column in columns)
    marks = ", ".join("?" * len(columns))
    try:
        session.sqlite.executemany(
            f"INSERT INTO temp.{quote(frame.tables[slot])} ({names}) VALUES ({marks})", made
        )
    except sqlite3.Error as error:
        raise session.translate(error, "INSERT", Target(shape, slot), frame) from None


_CALL = re.compile(
    r"\s*\{\s*call\s+((?:\[[^\]]*\]|[\w#$@]+)(?:\s*\.\s*(?:\[[^\]]*\]|[\w#$@]+))*)\s*(?:\((.*)\))?\s*\}\s*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)


def _marks(batch: Any) -> int:
    """How many ``?`` the batch has."""
    if batch.text == batch.source:
        return 0
    return max((int(number) for number in re.findall(r"@__p(\d+)", batch.source)), default=0)


class Cursor:
    """Results of the last batch, one set at a time."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self._connection: Connection | None = connection
        self._items: list[Any] = []
        self._position = 0
        self._rows: list[Any] = []
        self._row = 0
        self.description: Any = None
        self.rowcount = -1
        self.messages: list[tuple[str, str]] = []

    @property
    def connection(self) -> Connection:
        if self._connection is None:
            raise ProgrammingError("HY000", "Attempt to use a closed cursor.")
        return self._connection

    def execute(self, operation: str, *params: Any) -> Cursor:
        """Run a batch. Its first error is raised here when no result set comes before it, else by
        ``nextset``.
        """
        values = list(params[0]) if len(params) == 1 and _is_sequence(params[0]) else list(params)
        self._items, self._position, self._rows, self._row = [], 0, [], 0
        self.description, self.rowcount = None, -1
        items, messages = self.connection._run(operation, values)
        self.messages = [_message(*message) for message in messages]
        self._items = items
        self._show()
        return self

    def executemany(self, operation: str, rows: Sequence[Any]) -> Cursor:
        """Run a batch once for each row of parameters; results are not kept."""
        total = 0
        for row in rows:
            self.execute(operation, list(row))
            while True:
                total += max(0, self.rowcount)
                if not self.nextset():
                    break
        self.rowcount = total
        return self

    def _show(self) -> None:
        """Make the item at the current position the current set; raise it when it is an error."""
        self.description, self.rowcount, self._rows, self._row = None, -1, [], 0
        if self._position >= len(self._items):
            return
        item = self._items[self._position]
        if isinstance(item, SqlError):
            function = "SQLExecDirectW" if self._position == 0 else "SQLMoreResults"
            raise public(item, function)
        if isinstance(item, Count):
            self.rowcount = item.rows
            return
        kind, columns, converters = _shape(item)
        self.description = columns
        if converters:
            rows = []
            for row in item.rows:
                cells = list(row)
                for index, convert in converters:
                    if cells[index] is not None:
                        cells[index] = convert(cells[index])
                rows.append(kind(cells))
            self._rows = rows
        else:
            self._rows = [kind(row) for row in item.rows]

    def nextset(self) -> bool:
        """Go to the next result set or row count; False after the last."""
        self.connection  # noqa: B018
        if self._position + 1 >= len(self._items):
            self._position = len(self._items)
            self.description, self.rowcount, self._rows, self._row = None, -1, [], 0
            return False
        self._position += 1
        self._show()
        return True

    def _need_rows(self) -> None:
        self.connection  # noqa: B018
        if self.description is None:
            raise ProgrammingError("HY000", "No results.  Previous SQL was not a query.")

    def fetchone(self) -> Any:
        self._need_rows()
        if self._row >= len(self._rows):
            return None
        self._row += 1
        return self._rows[self._row - 1]

    def fetchmany(self, size: int | None = None) -> list[Any]:
        self._need_rows()
        start = self._row
        self._row = min(len(self._rows), start + (self.arraysize if size is None else size))
        return self._rows[start : self._row]

    def fetchall(self) -> list[Any]:
        self._need_rows()
        rows = self._rows[self._row :]
        self._row = len(self._rows)
        return rows

    def fetchval(self) -> Any:
        """The first column of the next row; None without one."""
        row = self.fetchone()
        return None if row is None else row[0]

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def setinputsizes(self, sizes: Any = None) -> None:
        """Accepted: values are converted to the types that procedures declare."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Accepted; all values are whole."""

    def commit(self) -> None:
        self.connection.commit()

    def rollback(self) -> None:
        self.connection.rollback()

    def close(self) -> None:
        if self._connection is None:
            return
        self._connection = None
        self._items, self._rows = [], []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        if kind is None and self._connection is not None and not self._connection.autocommit:
            self._connection.commit()
        self.close()


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not isinstance(value, Row)


def _message(text: str, number: int, _severity: int, _state: int) -> tuple[str, str]:
    return f"[01000] ({number})", f"[chokaq][embedded engine]{text}"
