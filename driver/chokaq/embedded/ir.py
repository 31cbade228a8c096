"""Compiled programs: plain data that can be pickled, and runs itself against a session.

A statement's ``run(frame)`` returns None to go on, or one of the signals below.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .catalog import Parameter, Table
from .problems import SqlError, unsupported
from .results import ResultSet
from .scalars import Scalar
from .sqltypes import SqlType
from .values.codepage import cut
from .values.conversions import converter
from .values.format_message import format_message
from .values.json_columns import open_json_list, open_json_rows
from .values.json_values import JsonColumn, open_json

if TYPE_CHECKING:
    from .frames import Frame

BREAK, CONTINUE, RETURN = 1, 2, 3

_TABLE_MARK = re.compile("\x02(\\d+)\x02")


@dataclass(slots=True)
class JsonLoad:
    """Rows of an OPENJSON over a variable, put into the temp table ``name`` before the statement runs."""

    name: str
    text: Scalar
    path: str
    columns: list[JsonColumn] | None
    table: Table

    def rows(self, text: str) -> list[Any]:
        if self.columns is None:
            return open_json_list(text) if self.path == "$" else open_json(text, self.path)
        return open_json_rows(text, self.columns, self.path)


@dataclass(slots=True)
class TableSlot:
    """kind: variable (made before the program runs, emptied each time), parameter (the caller's), temporary
    (#t).
    """

    name: str
    kind: str
    table: Table


@dataclass(slots=True)
class Sql:
    """One SQLite statement. ``params``: slots of the values bound, in order."""

    template: str
    params: tuple[int, ...]
    loads: list[JsonLoad]
    specials: list[tuple[int, str]]
    computed: list[tuple[int, Scalar]]
    views: list[str]
    marked: bool
    cache: dict[tuple[str, ...], str] = field(default_factory=dict, compare=False, repr=False)

    def execute(self, frame: Frame) -> sqlite3.Cursor:
        session = frame.session
        values = frame.values
        if self.specials:
            for slot, name in self.specials:
                values[slot] = session.special(name, frame)
        if self.computed:
            for slot, node in self.computed:
                values[slot] = node.eval(frame)
        if self.views:
            session.refresh_views(self.views)
        for load in self.loads:
            session.load_json(load, frame)
        text = self.template
        if self.marked:
            tables = frame.tables
            text = self.cache.get(tables, "")
            if not text:
                text = self.cache[tables] = _TABLE_MARK.sub(lambda m: quote(tables[int(m[1])]), self.template)
        return session.sqlite.execute(text, [values[slot] for slot in self.params])

    def __getstate__(self) -> Any:
        return (self.template, self.params, self.loads, self.specials, self.computed, self.views, self.marked)

    def __setstate__(self, state: Any) -> None:
        self.template, self.params, self.loads, self.specials, self.computed, self.views, self.marked = state
        self.cache = {}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@dataclass(slots=True)
class SqlScalar(Scalar):
    """A scalar that only SQLite can work out: SELECT of one value."""

    sql: Sql
    condition: bool = False
    locks: bool = False

    def eval(self, frame: Frame) -> Any:
        session = frame.session
        if self.locks and session.trancount:
            session.begin_write()
        try:
            row = self.sql.execute(frame).fetchone()
        except sqlite3.Error as error:
            raise session.translate(error) from None
        value = None if row is None else row[0]
        if self.condition:
            return None if value is None else bool(value)
        return value


@dataclass(slots=True)
class Statement:
    line: int

    def run(self, frame: Frame) -> int | None:
        raise NotImplementedError


def run_all(statements: list[Statement], frame: Frame) -> int | None:
    """Run statements in order; an error ends its statement, or more: the session decides."""
    for statement in statements:
        try:
            signal = statement.run(frame)
        except SqlError as error:
            frame.session.statement_failed(error, statement.line, frame)
            continue
        if signal is not None:
            return signal
    return None


# Variables and control flow


@dataclass(slots=True)
class Assign(Statement):
    slot: int
    value: Scalar

    def run(self, frame: Frame) -> int | None:
        frame.assign(self.slot, self.value.eval(frame))
        frame.session.done(1)
        return None


@dataclass(slots=True)
class AssignQuery(Statement):
    """SELECT @a = …, @b = … FROM …: the last row counts; without a row nothing changes."""

    sql: Sql
    slots: list[int]
    reads: bool
    locks: bool
    #: The variable that is also read: then more than one row would hand a value from row to row.
    carried: str = ""

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        session.before_read(self.reads, self.locks)
        try:
            rows = self.sql.execute(frame).fetchall()
        except sqlite3.Error as error:
            raise session.translate(error) from None
        if rows:
            if self.carried and len(rows) > 1:
                raise unsupported(f"SELECT {self.carried} = … {self.carried} … over several rows", self.line)
            for slot, value in zip(self.slots, rows[-1], strict=True):
                frame.assign(slot, value)
        session.done(len(rows))
        return None


@dataclass(slots=True)
class If(Statement):
    condition: Scalar
    then: list[Statement]
    otherwise: list[Statement]

    def run(self, frame: Frame) -> int | None:
        branch = self.then if self.condition.eval(frame) is True else self.otherwise
        frame.session.done(0)
        return run_all(branch, frame) if branch else None


@dataclass(slots=True)
class While(Statement):
    condition: Scalar
    body: list[Statement]

    def run(self, frame: Frame) -> int | None:
        while self.condition.eval(frame) is True:
            frame.session.done(0)
            signal = run_all(self.body, frame)
            if signal == BREAK:
                break
            if signal == RETURN:
                return RETURN
        return None


@dataclass(slots=True)
class Block(Statement):
    body: list[Statement]

    def run(self, frame: Frame) -> int | None:
        return run_all(self.body, frame)


@dataclass(slots=True)
class Signal(Statement):
    signal: int

    def run(self, _frame: Frame) -> int | None:
        return self.signal


@dataclass(slots=True)
class Return(Statement):
    value: Scalar | None

    def run(self, frame: Frame) -> int | None:
        value = self.value.eval(frame) if self.value is not None else None
        if value is not None:
            frame.session.return_code = value
        return RETURN


@dataclass(slots=True)
class TryCatch(Statement):
    body: list[Statement]
    handler: list[Statement]

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        session.try_depth += 1
        try:
            return run_all(self.body, frame)
        except SqlError as error:
            if error.severity >= 20:
                raise
            caught = error
        finally:
            session.try_depth -= 1
        session.caught(caught)
        try:
            return run_all(self.handler, frame)
        finally:
            session.errors.pop()


@dataclass(slots=True)
class Throw(Statement):
    """Without arguments it passes the caught error on."""

    number: Scalar | None
    message: Scalar | None
    state: Scalar | None

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        if self.number is None or self.message is None or self.state is None:
            if not session.errors:
                raise SqlError(
                    10704, "To rethrow an error, a THROW statement must be used inside a CATCH block.", 15, 1
                )
            raise session.again(session.errors[-1])
        number, message, state = self.number.eval(frame), self.message.eval(frame), self.state.eval(frame)
        if number is None or not 50000 <= number < 2**31:
            raise SqlError(
                35100,
                f"Error number {number} in the THROW statement is outside the valid range. Specify an "
                "error number in the valid range of 50000 to 2147483647.",
                16,
                10,
            )
        error = SqlError(number, cut(message or "", 2048), 16, min(max(state or 0, 0), 255))
        error.origin = "throw"
        raise error


@dataclass(slots=True)
class RaiseError(Statement):
    message: Scalar
    severity: Scalar
    state: Scalar
    arguments: list[Scalar]
    set_error: bool

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        message = self.message.eval(frame)
        severity = self.severity.eval(frame)
        state = self.state.eval(frame)
        text = format_message(message or "", [argument.eval(frame) for argument in self.arguments])
        severity = min(max(severity or 0, 0), 25)
        state = min(max(state or 0, 0), 255)
        if severity > 18:
            raise SqlError(
                2754,
                "Error severity levels greater than 18 can only be specified by members of the sysadmin "
                "role, using the WITH LOG option.",
                16,
                1,
            )
        if severity <= 10:
            session.message(text or "", 50000 if severity else 0, severity, state)
            session.error_number = 50000 if self.set_error else 0
            return None
        error = SqlError(50000, text or "", severity, state)
        error.origin = "raiserror"
        raise error


@dataclass(slots=True)
class Print(Statement):
    value: Scalar

    def run(self, frame: Frame) -> int | None:
        text = self.value.eval(frame)
        frame.session.message(" " if text in (None, "") else text, 0, 0, 1)
        frame.session.done(0)
        return None


@dataclass(slots=True)
class Transaction(Statement):
    action: str
    name: str
    slot: int = -1

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        name = self.name if self.slot < 0 else (frame.values[self.slot] or "")
        if len(name) > 32:
            raise SqlError(
                103,
                f"The identifier that starts with '{name[:32]}' is too long. Maximum length is 32.",
                15,
                4,
            )
        if self.action == "BEGIN":
            session.begin(name)
        elif self.action == "COMMIT":
            session.commit()
        elif self.action == "ROLLBACK":
            session.rollback(name)
        else:
            session.save(name)
        session.done(0)
        return None


@dataclass(slots=True)
class SetOption(Statement):
    names: list[str]
    on: bool
    table: str = ""

    def run(self, frame: Frame) -> int | None:
        for name in self.names:
            frame.session.set_option(name, self.on, self.table)
        frame.session.done(0)
        return None


@dataclass(slots=True)
class SetIsolation(Statement):
    level: str

    def run(self, frame: Frame) -> int | None:
        frame.session.options.isolation = self.level
        return None


@dataclass(slots=True)
class SetLockTimeout(Statement):
    value: Scalar

    def run(self, frame: Frame) -> int | None:
        frame.session.set_lock_timeout(self.value.eval(frame))
        return None


# Queries and DML


@dataclass(slots=True)
class Query(Statement):
    """SELECT … to the client (or to INSERT … EXECUTE)."""

    sql: Sql
    names: list[str]
    types: list[SqlType]
    reads: bool
    locks: bool

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        session.before_read(self.reads, self.locks)
        try:
            rows = self.sql.execute(frame).fetchall()
        except sqlite3.Error as error:
            raise session.translate(error) from None
        session.emit(ResultSet(self.names, self.types, rows))
        session.done(len(rows))
        return None


@dataclass(slots=True)
class Target:
    """What a DML statement writes. ``slot``: of a table variable, else -1; ``table`` gives errors their
    names.
    """

    table: Table
    slot: int = -1

    def sqlite_name(self, frame: Frame) -> str:
        return frame.tables[self.slot] if self.slot >= 0 else f"{self.table.schema}.{self.table.name}"


@dataclass(slots=True)
class Store(Statement):
    """INSERT, UPDATE or DELETE; with ``returning`` the rows of OUTPUT go to ``into`` or to the client."""

    verb: str
    sql: Sql
    target: Target
    reads: bool
    locks: bool
    into: Into | None = None
    names: list[str] | None = None
    types: list[SqlType] | None = None
    identity: bool = False

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        permanent = self.target.slot < 0
        session.before_write(permanent, self.reads, self.locks)
        if self.into is None and self.names is None:
            try:
                count = self.sql.execute(frame).rowcount
            except sqlite3.Error as error:
                raise session.translate(error, self.verb, self.target, frame) from None
            if count < 0:
                # The sqlite3 module does not count after WITH.
                count = session.sqlite.execute("SELECT changes()").fetchone()[0]
            if self.identity and count:
                session.inserted_identity()
            session.done(count, report=True)
            return None
        with session.one_statement(permanent or (self.into is not None and self.into.target.slot < 0)):
            try:
                rows = self.sql.execute(frame).fetchall()
            except sqlite3.Error as error:
                raise session.translate(error, self.verb, self.target, frame) from None
            if self.into is not None:
                self.into.put(frame, rows)
        if self.identity and rows:
            session.inserted_identity()
        if self.into is None:
            session.emit(ResultSet(self.names or [], self.types or [], rows))
        session.done(len(rows), report=self.into is not None)
        return None


@dataclass(slots=True)
class Into:
    """Where rows made in Python go: OUTPUT … INTO and INSERT … EXECUTE."""

    sql: Sql
    target: Target

    def put(self, frame: Frame, rows: list[Any]) -> None:
        session = frame.session
        if not rows:
            return
        text = self.sql.template
        if self.sql.marked:
            tables = frame.tables
            text = _TABLE_MARK.sub(lambda m: quote(tables[int(m[1])]), text)
        params = self.sql.params
        if params:
            for slot, name in self.sql.specials:
                frame.values[slot] = session.special(name, frame)
            for slot, node in self.sql.computed:
                frame.values[slot] = node.eval(frame)
            # Defaults of columns that are not named come after the rows' own values.
            extra = tuple(frame.values[slot] for slot in params)
            rows = [row + extra for row in rows]
        try:
            session.sqlite.executemany(text, rows)
        except sqlite3.Error as error:
            raise session.translate(error, "INSERT", self.target, frame) from None


@dataclass(slots=True)
class InsertExecute(Statement):
    """INSERT … EXECUTE: the rows of all result sets of the call."""

    into: Into
    types: list[SqlType]
    execute: Execute

    def run(self, frame: Frame) -> int | None:
        session = frame.session
        if session.capture is not None:
            raise SqlError(8164, "An INSERT EXEC statement cannot be nested.", 16, 1)
        permanent = self.into.target.slot < 0
        session.before_write(permanent, True, False)
        sets: list[ResultSet] = []
        session.capture = sets
        try:
            with session.one_statement(True):
                self.execute.run(frame)
                session.capture = None
                count = 0
                for found in sets:
                    if len(found.types) != len(self.types):
                        raise SqlError(
                            213,
                            "Column name or number of supplied values does not match table definition.",
                            16,
                            7,
                        )
                    converters = [
                        None if source == target else converter(source, target)
                        for source, target in zip(found.types, self.types, strict=True)
                    ]
                    rows = [
                        tuple(
                            value if convert is None else convert(value)
                            for value, convert in zip(row, converters, strict=True)
                        )
                        for row in found.rows
                    ]
                    self.into.put(frame, rows)
                    count += len(rows)
        finally:
            session.capture = None
        session.done(count, report=True)
        return None


# Procedures


@dataclass(slots=True)
class Argument:
    """An argument of EXECUTE. kind: value, default or table; ``out``: the variable that an OUTPUT goes to."""

    name: str
    kind: str
    value: Scalar | None = None
    type: SqlType | None = None
    out: int = -1
    out_type: SqlType | None = None
    table: int = -1
    table_type: tuple[str, str] | None = None


@dataclass(slots=True)
class Execute(Statement):
    schema: str
    name: str
    arguments: list[Argument]
    result: int = -1
    name_slot: int = -1
    #: The procedure that was called last, and how the arguments fit it.
    bound: Any = field(default=None, compare=False, repr=False)

    def run(self, frame: Frame) -> int | None:
        frame.session.call(self, frame)
        return None

    def __getstate__(self) -> Any:
        return (self.line, self.schema, self.name, self.arguments, self.result, self.name_slot)

    def __setstate__(self, state: Any) -> None:
        self.line, self.schema, self.name, self.arguments, self.result, self.name_slot = state
        self.bound = None


@dataclass(slots=True)
class MakeTemporary(Statement):
    """CREATE TABLE #t in a procedure or batch."""

    slot: int

    def run(self, frame: Frame) -> int | None:
        frame.session.make_temporary(frame, self.slot)
        frame.session.done(0)
        return None


@dataclass(slots=True)
class DropTemporary(Statement):
    name: str
    if_exists: bool

    def run(self, frame: Frame) -> int | None:
        frame.session.drop_temporary(self.name, self.if_exists)
        return None


@dataclass(slots=True)
class Definition(Statement):
    """A statement that changes the catalog: its syntax, run by ``ddl``."""

    syntax: Any

    def run(self, frame: Frame) -> int | None:
        from .ddl import define

        define(frame.session, self.syntax)
        return None


@dataclass(slots=True)
class Late(Statement):
    """A statement of a batch, compiled when its turn comes: what it names may be made by those before it."""

    syntax: Any
    unit: Any
    compiled: list[Statement] = field(default_factory=list)
    #: What it was compiled for: the catalog and the #tables of that moment.
    seen: Any = None

    def run(self, frame: Frame) -> int | None:
        return frame.session.run_late(self, frame)


@dataclass(slots=True)
class LateCondition(Scalar):
    """A condition of a batch, compiled when it is first asked."""

    text: Any
    unit: Any
    compiled: Scalar | None = None
    seen: Any = None

    def eval(self, frame: Frame) -> Any:
        from .compiler import compile_condition

        return compile_condition(frame.session, self, frame).eval(frame)


@dataclass(slots=True)
class Program:
    """A compiled procedure or batch. ``dependencies``: fingerprints of the tables and types it was compiled
    for.
    """

    name: str
    size: int
    keys: dict[int, int]
    tables: list[TableSlot]
    parameters: list[Parameter]
    slots: list[int]
    table_parameters: dict[int, int]
    body: list[Statement]
    dependencies: dict[str, str]
