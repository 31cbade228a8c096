"""One session: a SQLite connection, its transaction state, options, temporary tables, and the running
frames.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from . import ir, metadata, sql_functions, system
from .catalog import Catalog, Procedure
from .database import (
    Database,
    find_program,
    keep_program,
    store_program,
    stored_program,
    text_key,
)
from .errors import BATCH_ABORTING
from .failures import translate
from .frames import Frame
from .problems import SqlError
from .results import Count, ResultSet
from .sqltypes import SqlType
from .temporary import Temporary
from .transactions import Options, Transactions
from .values import datetimes, decimals
from .values.conversions import converter

MAX_NEST = 32
_IDENTITY = SqlType("decimal", 0, 38, 0)
# Names and types that turn out wrong only when a statement is compiled end the batch, as they would on a
# server.
_COMPILE_ERRORS = frozenset(
    {102, 103, 105, 109, 110, 111, 113, 120, 121, 128, 131, 134, 137, 141, 147, 156, 174, 195, 206, 207, 208,
    209, 257,
     402, 529, 1087, 2715, 4104, 4145, 8117, 8120, 8155, 8156, 10704, 35100, 49999}
)  # fmt: skip


class Session(Temporary, Transactions):
    """Not safe for use by several threads at once; the connection object sees to that."""

    def __init__(self, database: Database, timeout: float, synchronous: str) -> None:
        self.database = database
        self.default_timeout = timeout
        self.sqlite = database.connect(timeout, synchronous)
        self.locks = database.locks
        self.spid = database.take_spid()
        self.options = Options()
        self.frames: list[Frame] = []
        self.start_transactions()
        self.start_temporary()
        self.rowcount = 0
        self.error_number = 0
        self.identity: int | None = None
        self.return_code = 0
        self.try_depth = 0
        self.errors: list[SqlError] = []
        self.items: list[Any] = []
        self.messages: list[tuple[str, int, int, int]] = []
        self.capture: list[ResultSet] | None = None
        #: Of the system procedure that is being called, by lower-case name (``#0`` … by position).
        self.argument_types: dict[str, SqlType | None] = {}
        #: May give a procedure another program than the one compiled as usual.
        self.program_of: Callable[[Procedure], ir.Program | None] | None = None
        self.catalog = Catalog.new()
        self.catalog_dirty = False
        self._programs: dict[str, tuple[Procedure, ir.Program]] = {}
        self._version_sql = "PRAGMA main.user_version"
        self.functions: dict[str, Callable[..., Any]] = metadata.session_functions(self)
        sql_functions.register(self.sqlite, self.functions)
        self._specials = self._special_table()
        self.sync_catalog()

    def close(self) -> None:
        try:
            if self.sqlite.in_transaction:
                self.sqlite.execute("ROLLBACK")
        except sqlite3.Error:
            pass
        self.locks.release_all(self.spid)
        self.sqlite.close()
        self.database.closed(self.spid)

    # Catalog

    def sync_catalog(self) -> None:
        """See what other sessions and processes have defined."""
        if self.catalog_dirty:
            return
        try:
            version = self.sqlite.execute(self._version_sql).fetchone()[0]
        except sqlite3.Error as error:
            raise self.translate(error) from None
        if version == self.catalog.version and version:
            return
        with self.database.lock:
            shared = self.database.catalog
            if shared is not None and shared.version == version and version:
                self.catalog = shared
            elif version or self.catalog.version:
                self.catalog = self.database.read_catalog(self.sqlite, version)
                if not self.sqlite.in_transaction:
                    self.database.catalog = self.catalog

    def change_catalog(self, new: Catalog) -> None:
        """Write a changed catalog; the caller is inside a transaction or ``one_statement``."""
        self.database.write_catalog(self.sqlite, self.catalog, new)
        self.catalog = new
        self.catalog_dirty = True
        # Compiled for tables as they were.
        self._programs.clear()

    def committed(self) -> None:
        if self.catalog_dirty:
            self.catalog_dirty = False
            with self.database.lock:
                self.database.catalog = self.catalog

    def catalog_rolled_back(self) -> None:
        if self.catalog_dirty:
            self.catalog_dirty = False
            self.catalog = Catalog.new()
            self._programs.clear()
            version = self.sqlite.execute(self._version_sql).fetchone()[0]
            shared = self.database.catalog
            if shared is not None and shared.version == version and version:
                self.catalog = shared
                return
            self.catalog = self.database.read_catalog(self.sqlite, version)
            # A rollback to a savepoint may leave earlier changes of the transaction.
            self.catalog_dirty = self.sqlite.in_transaction

    def refresh_views(self, views: list[str]) -> None:
        metadata.refresh(self, views)

    # Programs

    def program(self, procedure: Procedure) -> ir.Program:
        """The compiled procedure: from this process, from the file, or compiled now."""
        if self.program_of is not None:
            special = self.program_of(procedure)
            if special is not None:
                return special
        low = procedure.full_name.lower()
        found = self._programs.get(low)
        if found is not None and found[0] is procedure:
            return found[1]
        key = text_key(low, procedure.definition)
        program = find_program(key, self.catalog)
        if program is None:
            if self.catalog.version:
                program = stored_program(self.sqlite, key, self.catalog)
            if program is None:
                from .compiler import compile_procedure

                program = compile_procedure(self, procedure)
                if not self.sqlite.in_transaction:
                    self._try_store(key, program)
            keep_program(key, program)
        self._programs[low] = (procedure, program)
        return program

    def _try_store(self, key: str, program: ir.Program) -> None:
        try:
            store_program(self.sqlite, key, program)
        except Exception:
            return

    # State that expressions ask for

    def _special_table(self) -> dict[str, Callable[[Frame], Any]]:
        def error(attribute: str) -> Callable[[Frame], Any]:
            return lambda _: getattr(self.errors[-1], attribute) or None if self.errors else None

        def state(attribute: str) -> Callable[[Frame], Any]:
            return lambda _: getattr(self.errors[-1], attribute) if self.errors else None

        return {
            "now": lambda _: datetimes.utc_ticks(),
            "local": lambda _: datetimes.local_ticks(),
            "now_datetime": lambda _: datetimes.round_datetime(datetimes.utc_ticks()),
            "local_datetime": lambda _: datetimes.round_datetime(datetimes.local_ticks()),
            "@@rowcount": lambda _: self.rowcount,
            "@@trancount": lambda _: self.trancount,
            "@@spid": lambda _: self.spid,
            "@@error": lambda _: self.error_number,
            "@@identity": lambda _: self.last_identity(),
            "scope_identity": lambda _: self.last_identity(),
            "@@procid": lambda frame: frame.procedure_id,
            "@@nestlevel": lambda frame: frame.nest,
            "@@version": lambda _: system.VERSION,
            "@@servername": lambda _: system.server_name(),
            "@@lock_timeout": lambda _: (
                -1 if self.options.lock_timeout is None else self.options.lock_timeout
            ),
            "@@max_precision": lambda _: 38,
            "@@datefirst": lambda _: 7,
            "@@language": lambda _: "us_english",
            "xact_state": lambda _: -1 if self.doomed else int(self.trancount > 0),
            "error_number": state("number"),
            "error_message": state("message"),
            "error_severity": state("severity"),
            "error_state": state("state"),
            "error_line": state("line"),
            "error_procedure": error("procedure"),
        }

    def last_identity(self) -> Any:
        return None if self.identity is None else decimals.pack(self.identity, _IDENTITY)

    def special(self, name: str, frame: Frame) -> Any:
        return self._specials[name](frame)

    def inserted_identity(self) -> None:
        self.identity = self.sqlite.execute("SELECT last_insert_rowid()").fetchone()[0]

    # Output

    def emit(self, result: ResultSet) -> None:
        if self.capture is not None:
            self.capture.append(result)
        else:
            self.items.append(result)

    def done(self, count: int, report: bool = False) -> None:
        """A statement ended well."""
        self.rowcount = count
        self.error_number = 0
        if report and not self.options.nocount and self.capture is None:
            self.items.append(Count(count))

    def message(self, text: str, number: int, severity: int, state: int) -> None:
        self.messages.append((text, number, severity, state))

    # Errors

    def translate(
        self, error: sqlite3.Error, verb: str = "", target: Any = None, frame: Any = None
    ) -> SqlError:
        found = translate(self, error, verb, target, frame)
        if self.tx_open and not self.sqlite.in_transaction:
            self.lost()
            found.origin = "lost"
        return found

    def statement_failed(self, error: SqlError, line: int, frame: Frame) -> None:
        """Decide what an error ends: its statement (then this returns), or more (then it is raised on)."""
        if not error.line:
            error.line = line
        if error.decided:
            raise error
        if not error.procedure and frame.procedure_id:
            error.procedure = frame.name
        self.rowcount = 0
        self.error_number = error.number
        raised = error.origin == "raiserror"
        aborting = error.number in BATCH_ABORTING or error.origin == "lost"
        strict = self.options.xact_abort and not raised
        if self.try_depth:
            error.decided = True
            error.dooms = self.trancount > 0 and (strict or aborting)
            raise error
        if (
            strict
            or aborting
            or error.origin == "throw"
            or error.severity >= 20
            or error.number in _COMPILE_ERRORS
        ):
            error.decided = True
            if self.trancount and (strict or aborting):
                self.rollback()
            raise error
        self.items.append(error)

    def caught(self, error: SqlError) -> None:
        """A CATCH block begins."""
        if error.dooms and self.trancount:
            self.doomed = True
        error.decided = False
        self.error_number = error.number
        self.errors.append(error)

    def again(self, error: SqlError) -> SqlError:
        """The caught error, to be thrown once more."""
        copy = SqlError(error.number, error.message, error.severity, error.state)
        copy.line, copy.procedure, copy.origin = error.line, error.procedure, "throw"
        return copy

    # Running

    def run(self, program: ir.Program, prepare: Callable[[Frame], None] | None = None) -> None:
        """Run a batch; what it gives is in ``items`` and ``messages``."""
        self.items = []
        self.messages = []
        self.capture = None
        self.try_depth = 0
        self.errors.clear()
        frame: Frame | None = None
        try:
            frame = Frame(self, program, 0, self.frame_tables(program, 0, {}))
            self.frames.append(frame)
            if prepare is not None:
                prepare(frame)
            ir.run_all(program.body, frame)
        except SqlError as error:
            self.items.append(error)
        except sqlite3.Error as error:
            self.items.append(self.translate(error))
        finally:
            self.try_depth = 0
            self.capture = None
            self.errors.clear()
            if frame is not None:
                # The #tables of a batch live as long as the session.
                self.frames.remove(frame)
            if self.doomed:
                self.rollback()
                self.items.append(
                    SqlError(
                        3998,
                        "Uncommittable transaction is detected at the end of the batch. The transaction "
                        "is rolled back.",
                        16,
                        1,
                    )
                )

    def run_late(self, late: ir.Late, frame: Frame) -> int | None:
        from .compiler import compile_late

        compile_late(self, late, frame)
        return ir.run_all(late.compiled, frame)

    def call(self, execute: ir.Execute, frame: Frame) -> None:
        """EXECUTE: bind the arguments, run the procedure in a frame of its own, hand OUTPUT values back."""
        schema, name = execute.schema, execute.name
        if execute.name_slot >= 0:
            schema, name = system.split_name(frame.values[execute.name_slot] or "")
        handler = system.PROCEDURES.get((schema.lower() or "sys", name.lower()))
        if handler is not None:
            self._call_system(handler, execute, frame)
            return
        procedure = self.catalog.procedure(schema, name)
        if procedure is None:
            full = f"{schema}.{name}" if schema else name
            raise SqlError(2812, f"Could not find stored procedure '{full}'.", 16, 62)
        program = self.program(procedure)
        bound = execute.bound
        if bound is None or bound[0] is not procedure:
            bound = execute.bound = (procedure, bind(procedure, execute))
        binding = bound[1]
        if frame.nest >= MAX_NEST:
            raise SqlError(
                217,
                "Maximum stored procedure, function, trigger, or view nesting level exceeded (limit "
                f"{MAX_NEST}).",
                16,
                1,
            )
        given: dict[int, str] = {}
        values: list[tuple[int, Any]] = []
        for parameter, argument, position in binding:
            if parameter.table is not None:
                slot = program.table_parameters[position]
                if argument is None:
                    given[slot] = self._empty_parameter(program, slot, frame.nest + 1)
                else:
                    given[slot] = frame.tables[argument.table]
                continue
            if argument is None or argument.value is None or argument.type is None:
                value = parameter.default
            else:
                value = argument.value.eval(frame)
                if argument.type != parameter.type:
                    value = assign_converter(argument.type, parameter.type)(value)
            values.append((program.slots[position], value))
        inner = Frame(self, program, frame.nest + 1, self.frame_tables(program, frame.nest + 1, given))
        inner.procedure_id = procedure.object_id
        for slot, value in values:
            inner.assign(slot, value)
        self._run_procedure(inner)
        for parameter, argument, position in binding:
            if argument is not None and argument.out >= 0:
                value = inner.values[program.slots[position]]
                if argument.out_type is not None and argument.out_type != parameter.type:
                    value = assign_converter(parameter.type, argument.out_type)(value)
                frame.assign(argument.out, value)
        if execute.result >= 0:
            frame.assign(execute.result, self.return_code)

    def _empty_parameter(self, program: ir.Program, slot: int, nest: int) -> str:
        """A table parameter that was not given is empty."""
        shape = program.tables[slot]
        name = f"{program.name}{shape.name}~{nest}~none"
        self.ensure_temp(name, shape.table)
        return name

    def _run_procedure(self, inner: Frame) -> None:
        before = self.trancount
        kept = self.options
        self.options = kept.copy()
        self.return_code = 0
        self.frames.append(inner)
        try:
            ir.run_all(inner.program.body, inner)
        finally:
            self.frames.pop()
            changed = self.options.lock_timeout != kept.lock_timeout
            self.options = kept
            if changed:
                self.apply_lock_timeout()
            if inner.temporary:
                self.end_frame(inner)
        if self.trancount != before and not self.options.implicit:
            raise SqlError(
                266,
                "Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT "
                "statements. Previous count "
                f"= {before}, current count = {self.trancount}.",
                16,
                2,
            )

    def _call_system(self, handler: Any, execute: ir.Execute, frame: Frame) -> None:
        values: dict[str, Any] = {}
        types: dict[str, SqlType | None] = {}
        for position, argument in enumerate(execute.arguments):
            key = argument.name.lower() if argument.name else f"#{position}"
            value = argument.value.eval(frame) if argument.value is not None else None
            if argument.kind == "table":
                # The name of its rows in SQLite's temp database.
                value = frame.tables[argument.table]
            values[key] = value
            types[key] = argument.type
        self.argument_types = types
        result, outputs = handler(self, frame, values)
        for argument in execute.arguments:
            if argument.out >= 0 and argument.name.lower() in outputs:
                frame.assign(argument.out, outputs[argument.name.lower()])
        self.return_code = result
        if execute.result >= 0:
            frame.assign(execute.result, result)
        self.error_number = 0


def assign_converter(source: SqlType, target: SqlType) -> Callable[[Any], Any]:
    return converter(source, target)


def bind(procedure: Procedure, execute: ir.Execute) -> list[tuple[Any, ir.Argument | None, int]]:
    """Match arguments with parameters. Errors 201, 8144, 8145, 8143, 8162, 206."""
    arguments = execute.arguments
    by_name = {parameter.name.lower(): index for index, parameter in enumerate(procedure.parameters)}
    found: list[ir.Argument | None] = [None] * len(procedure.parameters)
    for position, argument in enumerate(arguments):
        if argument.name:
            index = by_name.get(argument.name.lower(), -1)
            if index < 0:
                raise SqlError(
                    8145, f"{argument.name} is not a parameter for procedure {procedure.name}.", 16, 2
                )
        else:
            index = position
            if index >= len(found):
                raise SqlError(
                    8144, f"Procedure or function {procedure.name} has too many arguments specified.", 16, 2
                )
        if found[index] is not None:
            raise SqlError(8143, f"Parameter '{argument.name}' was supplied multiple times.", 16, 1)
        found[index] = argument
        parameter = procedure.parameters[index]
        if argument.out >= 0 and not parameter.output:
            raise SqlError(
                8162,
                f'The formal parameter "{parameter.name}" was not declared as an OUTPUT parameter, but '
                "the actual parameter passed in requested output.",
                16,
                2,
            )
        if (parameter.table is not None) != (argument.kind == "table") and argument.kind != "default":
            raise SqlError(
                206,
                f"Operand type clash: {'table' if argument.kind == 'table' else 'a scalar'} is "
                f"incompatible with {parameter.table[1] if parameter.table else parameter.type.name}",
                16,
                2,
            )
        if parameter.table is not None and argument.kind == "table" and argument.table_type is not None:
            given, wanted = ".".join(argument.table_type).lower(), ".".join(parameter.table).lower()
            if given != wanted:
                raise SqlError(
                    206,
                    f"Operand type clash: {argument.table_type[1]} is incompatible with {parameter.table[1]}",
                    16,
                    2,
                )
    result = []
    for index, parameter in enumerate(procedure.parameters):
        argument_ = found[index]
        missing = argument_ is None or argument_.kind == "default"
        if missing and not parameter.has_default and parameter.table is None:
            raise SqlError(
                201,
                f"Procedure or function '{procedure.name}' expects parameter '{parameter.name}', which "
                "was not supplied.",
                16,
                4,
            )
        result.append(
            (parameter, argument_ if not (parameter.table is not None and missing) else None, index)
        )
    return result
