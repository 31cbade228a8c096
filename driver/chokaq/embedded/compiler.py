"""From the syntax of a procedure or batch to a Program."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import ir, metadata, scalars
from . import syntax as s
from .catalog import Catalog, Parameter, Procedure, Table
from .conversions import constant, convert
from .lexer import tokenize
from .parser import parse_batch
from .problems import SqlError, at_line, must, unsupported
from .scope import UNKNOWN, Context, LocalTable, Scope, Typed, Unit
from .sqltypes import INT, SqlType, make_type, nvarchar

if TYPE_CHECKING:
    from .session import Session

_SQL_DEFINITIONS = (
    s.CreateSchema,
    s.CreateTable,
    s.CreateType,
    s.CreateIndex,
    s.AlterTable,
    s.AlterIndex,
    s.DropObjects,
    s.CreateProcedure,
    s.CreateRole,
    s.AlterRole,
    s.Permission,
    s.Truncate,
)


def procedure_parameters(catalog: Catalog, parameters: list[s.Parameter]) -> list[Parameter]:
    """The parameters of a procedure with their types. Errors 2715, 346, 134."""
    found: list[Parameter] = []
    for parameter in parameters:
        if any(other.name.lower() == parameter.name.lower() for other in found):
            raise at_line(
                SqlError(134, f"The variable name '{parameter.name}' has already been declared.", 15, 2),
                parameter.line,
            )
        table = table_type(catalog, parameter.type)
        if table is not None:
            if not parameter.readonly:
                raise at_line(
                    SqlError(
                        352,
                        f'The table-valued parameter "{parameter.name}" must be declared with the '
                        "READONLY option.",
                        15,
                        1,
                    ),
                    parameter.line,
                )
            found.append(
                Parameter(
                    parameter.name,
                    SqlType("null"),
                    readonly=True,
                    table=(table.schema, table.name),
                    has_default=True,
                )
            )
            continue
        if parameter.readonly:
            raise at_line(
                SqlError(
                    346,
                    f'The parameter "{parameter.name}" can not be declared "READONLY" since it is not a '
                    "table-valued parameter.",
                    15,
                    1,
                ),
                parameter.line,
            )
        kind = scalar_type(parameter.type)
        default = None
        if parameter.default is not None:
            typed = simple_value(parameter.default)
            if typed is None or typed.value is UNKNOWN:
                raise at_line(
                    SqlError(102, "Incorrect syntax: a default is a constant.", 15, 1), parameter.line
                )
            default = convert(typed, kind).value
            if default is UNKNOWN:
                from .values.conversions import converter

                default = converter(typed.type, kind)(typed.value)
        found.append(
            Parameter(parameter.name, kind, default, parameter.default is not None, parameter.output)
        )
    return found


def table_type(catalog: Catalog, name: s.TypeName) -> Table | None:
    """The table type of a name; None when it is a scalar type. Error 2715."""
    found = None if name.arguments else catalog.type(name.schema, name.name)
    if found is None and name.schema and name.schema.lower() != "sys":
        raise at_line(
            SqlError(
                2715,
                f"Column, parameter, or variable #1: Cannot find data type {name.schema}.{name.name}.",
                16,
                6,
            ),
            name.line,
        )
    return found


def scalar_type(name: s.TypeName) -> SqlType:
    try:
        return make_type(name.name, name.arguments, name.line)
    except SqlError as error:
        if error.number == 243:
            raise at_line(
                SqlError(
                    2715, f"Column, parameter, or variable #1: Cannot find data type {name.name}.", 16, 6
                ),
                name.line,
            ) from None
        raise


def simple_value(text: s.Text) -> Typed | None:
    """A constant, without the help of sqlglot; None for anything else."""
    from .literals import number

    tokens = tokenize(text.text)[:-1]
    sign = ""
    if tokens and tokens[0].text in "+-" and len(tokens) == 2 and tokens[1].kind == "number":
        sign = tokens[0].text
        tokens = tokens[1:]
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.kind == "number":
        typed = number(token.text)
        return constant(-typed.value, typed.type) if sign == "-" else typed
    if token.kind == "string":
        from .literals import string

        return string(token.value, token.text[0] in "nN")
    if token.kind == "binary":
        from .literals import binary

        return binary(token.text[2:])
    if token.upper == "NULL":
        return Typed("NULL", SqlType("null"), value=None, node=scalars.Literal(None))
    return None


def compile_procedure(
    session: Session, procedure: Procedure, statement: s.CreateProcedure | None = None
) -> ir.Program:
    """Compile a procedure: every name in it is looked up now."""
    if statement is None:
        batch = parse_batch(procedure.definition)
        found = next((item for item in batch.statements if isinstance(item, s.CreateProcedure)), None)
        if found is None:
            raise SqlError(8630, f"The text of {procedure.full_name} is no procedure.", 16, 1)
        statement = found
    unit = Unit(session.catalog, procedure.full_name, metadata.view_tables())
    try:
        return UnitCompiler(session, unit, procedure.parameters).program(statement.body)
    except SqlError as error:
        error.procedure = error.procedure or procedure.full_name
        raise


def compile_batch(session: Session, batch: s.Batch, parameters: list[Parameter]) -> ir.Program:
    """Compile a batch: each statement when its turn comes."""
    digest = hashlib.sha256(batch.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    unit = Unit(session.catalog, f"batch {digest}", metadata.view_tables())
    return UnitCompiler(session, unit, parameters).batch(batch)


def compile_late(session: Session, late: ir.Late, frame: Any) -> None:
    """Compile one statement of a batch, unless it was compiled for the same catalog."""
    unit: Unit = late.unit
    temporary = {name: tables[-1] for name, tables in session.hash_tables.items() if tables}
    seen = (session.catalog, tuple(temporary.items()))
    if late.seen is None or late.seen[0] is not seen[0] or late.seen[1] != seen[1]:
        unit.catalog = session.catalog
        compiler = UnitCompiler(session, unit, [])
        for name, (table, sqlite_name) in temporary.items():
            _adopt(unit, frame, name, table, sqlite_name)
        late.compiled = [compiler.compile(late.syntax)]
        late.seen = seen
    _extend(session, unit, frame)


def compile_condition(session: Session, late: ir.LateCondition, frame: Any) -> scalars.Scalar:
    """The same for the condition of IF or WHILE."""
    unit: Unit = late.unit
    temporary = {name: tables[-1] for name, tables in session.hash_tables.items() if tables}
    seen = (session.catalog, tuple(temporary.items()))
    if late.seen is None or late.seen[0] is not seen[0] or late.seen[1] != seen[1]:
        unit.catalog = session.catalog
        for name, (table, sqlite_name) in temporary.items():
            _adopt(unit, frame, name, table, sqlite_name)
        late.compiled = UnitCompiler(session, unit, []).condition(late.text)
        late.seen = seen
    _extend(session, unit, frame)
    return must(late.compiled)


def _adopt(unit: Unit, frame: Any, name: str, table: Table, sqlite_name: str) -> None:
    """A #table of the session or of a caller becomes one of the unit's tables."""
    local = unit.tables.get(name)
    if local is None or local.table is not table:
        unit.table_slots.append(ir.TableSlot(table.name, "adopted", table))
        local = LocalTable(table.name, len(unit.table_slots) - 1, table)
        unit.tables[name] = local
    slot = local.slot
    names = list(frame.tables)
    while len(names) <= slot:
        names.append("")
    names[slot] = sqlite_name
    frame.tables = tuple(names)


def _extend(session: Session, unit: Unit, frame: Any) -> None:
    """Give the running frame the slots that were added."""
    values = frame.values
    if len(values) < unit.size:
        values.extend([None] * (unit.size - len(values)))
    frame.program.size = unit.size
    from .values.strings import key

    for slot, key_slot in unit.keys.items():
        if values[key_slot] is None and isinstance(values[slot], str):
            values[key_slot] = key(values[slot])
    if len(frame.tables) < len(unit.table_slots):
        names = list(frame.tables)
        for slot_ in unit.table_slots[len(names) :]:
            name = f"{frame.program.name}{slot_.name}~{frame.nest}"
            if slot_.kind == "variable":
                session.ensure_temp(name, slot_.table)
            names.append(name)
        frame.tables = tuple(names)


class UnitCompiler:
    """Compiles the statements of one unit."""

    def __init__(self, session: Session, unit: Unit, parameters: list[Parameter]) -> None:
        self.session = session
        self.unit = unit
        self.parameters = parameters
        self.identity_insert = ""
        self.in_procedure = True
        self.slots: list[int] = []
        self.table_parameters: dict[int, int] = {}
        self._data: Any = None

    @property
    def data(self) -> Any:
        if self._data is None:
            from .dml import DataCompiler

            self._data = DataCompiler(self.unit)
            self._data.unit_compiler = self
        return self._data

    def program(self, body: list[s.Statement]) -> ir.Program:
        self._declare_parameters()
        self._declare_temporary(body)
        compiled = self.block(body)
        unit = self.unit
        self._choose_keys()
        return ir.Program(
            unit.name,
            unit.size,
            unit.keys,
            unit.table_slots,
            self.parameters,
            self.slots,
            self.table_parameters,
            compiled,
            unit.dependencies,
        )

    def batch(self, batch: s.Batch) -> ir.Program:
        self.in_procedure = False
        self._declare_parameters()
        unit = self.unit
        compiled = [self.batch_statement(statement) for statement in batch.statements]
        return ir.Program(
            unit.name,
            unit.size,
            unit.keys,
            unit.table_slots,
            self.parameters,
            self.slots,
            self.table_parameters,
            compiled,
            unit.dependencies,
        )

    def batch_statement(self, statement: s.Statement) -> ir.Statement:
        """Control flow is compiled at once, what names objects when it runs."""
        if isinstance(
            statement, (s.Declare, s.DeclareTable, s.SetOptions, s.SetIsolation, s.Transaction, s.Execute)
        ):
            if isinstance(statement, s.Declare) and any(v.value is not None for v in statement.variables):
                self._declare(statement, values=False)
                return ir.Late(statement.line, _values_only(statement), self.unit)
            return self.compile(statement)
        if isinstance(statement, s.Block):
            return ir.Block(statement.line, [self.batch_statement(item) for item in statement.body])
        if isinstance(statement, s.TryCatch):
            return ir.TryCatch(
                statement.line,
                [self.batch_statement(item) for item in statement.body],
                [self.batch_statement(item) for item in statement.handler],
            )
        if isinstance(statement, s.If):
            return ir.If(
                statement.line,
                ir.LateCondition(statement.condition, self.unit),
                [self.batch_statement(statement.then)],
                [self.batch_statement(statement.otherwise)] if statement.otherwise else [],
            )
        if isinstance(statement, s.While):
            return ir.While(
                statement.line,
                ir.LateCondition(statement.condition, self.unit),
                [self.batch_statement(statement.body)],
            )
        if isinstance(statement, (s.Break, s.Continue)):
            return self.compile(statement)
        if isinstance(statement, _SQL_DEFINITIONS):
            if isinstance(statement, s.CreateTable) and statement.name.name.startswith("#"):
                return ir.Late(statement.line, statement, self.unit)
            return self.compile(statement)
        return ir.Late(statement.line, statement, self.unit)

    def _declare_parameters(self) -> None:
        for position, parameter in enumerate(self.parameters):
            if parameter.table is not None:
                shape = self.session.catalog.type(*parameter.table)
                if shape is None:
                    raise SqlError(2715, f"Cannot find data type {'.'.join(parameter.table)}.", 16, 6)
                self.unit.depend("type", shape)
                self.table_parameters[position] = self._add_table(
                    parameter.name, "parameter", shape, readonly=True
                )
                self.slots.append(-1)
                continue
            self.slots.append(self.unit.declare(parameter.name, parameter.type, 1).slot)

    def _add_table(self, name: str, kind: str, table: Table, readonly: bool = False) -> int:
        low = name.lower()
        if low in self.unit.locals or (low in self.unit.tables and not name.startswith("#")):
            raise SqlError(
                134,
                f"The variable name '{name}' has already been declared. Variable names must be unique "
                "within a query batch or stored procedure.",
                15,
                2,
            )
        self.unit.table_slots.append(ir.TableSlot(name, kind, table))
        slot = len(self.unit.table_slots) - 1
        own = kind == "variable" and not table.is_type
        if (own and not self.in_procedure) or kind == "temporary":
            # Their texts are not all known when the table is made.
            own = False
            for column in table.columns:
                column.keyed = column.type.is_string and not column.type.is_max
        self.unit.tables[low] = LocalTable(name, slot, table, readonly, own)
        return slot

    def _choose_keys(self) -> None:
        """Give the table variables the key columns that some statement reads."""
        texts = "\n".join(self.unit.texts)
        for local in self.unit.tables.values():
            if local.own:
                for column in local.table.columns:
                    if column.type.is_string and f"{column.name}#k" in texts:
                        column.keyed = True

    def _declare_temporary(self, body: list[s.Statement]) -> None:
        """Nothing yet: #tables are declared where CREATE TABLE stands."""
        del body

    # Statements

    def block(self, statements: list[s.Statement]) -> list[ir.Statement]:
        return [self.compile(statement) for statement in statements]

    def compile(self, statement: s.Statement) -> ir.Statement:
        method = _METHODS.get(type(statement))
        if method is None:
            raise unsupported(type(statement).__name__, statement.line)
        try:
            return method(self, statement)
        except SqlError as error:
            raise at_line(error, statement.line) from None

    def _many(self, statement: s.Statement | None) -> list[ir.Statement]:
        if statement is None:
            return []
        if isinstance(statement, s.Block):
            return self.block(statement.body)
        return [self.compile(statement)]

    def _block(self, statement: s.Block) -> ir.Statement:
        return ir.Block(statement.line, self.block(statement.body))

    def _declare_statement(self, statement: s.Declare) -> ir.Statement:
        return self._declare(statement, values=True)

    def _declare(self, statement: s.Declare, values: bool) -> ir.Statement:
        made: list[ir.Statement] = []
        for variable in statement.variables:
            table = table_type(self.unit.catalog, variable.type)
            if table is not None:
                if variable.value is not None:
                    raise at_line(SqlError(206, "A table variable takes no value.", 16, 2), variable.line)
                self.unit.depend("type", table)
                self._add_table(variable.name, "variable", table)
                continue
            local = self.unit.declare(variable.name, scalar_type(variable.type), variable.line)
            if variable.value is not None and values:
                made.append(ir.Assign(variable.line, local.slot, self.scalar(variable.value, local.type)))
        return made[0] if len(made) == 1 else ir.Block(statement.line, made)

    def _declare_table(self, statement: s.DeclareTable) -> ir.Statement:
        from .shapes import build_table

        table = build_table(self.unit.catalog, "", statement.name, statement.body, variable=True)
        constraints: list[Any] = [*table.indexes, *table.checks]
        for item in constraints:
            if not item.system_named and getattr(item, "kind", "CK") != "IX":
                raise unsupported("a named constraint in a table variable", statement.line)
        _plain_names(table)
        self._add_table(statement.name, "variable", table)
        return ir.Block(statement.line, [])

    def _set_variable(self, statement: s.SetVariable) -> ir.Statement:
        local = self.unit.local(statement.name, statement.line)
        return ir.Assign(statement.line, local.slot, self.scalar(statement.value, local.type))

    def _set_options(self, statement: s.SetOptions) -> ir.Statement:
        table = ""
        if statement.table is not None:
            found = self.unit.catalog.table(statement.table.schema, statement.table.name)
            if found is None:
                raise SqlError(
                    1088,
                    f'Cannot find the object "{statement.table}" because it does not exist or you do not '
                    "have permissions.",
                    16,
                    11,
                )
            if found.identity is None:
                raise SqlError(
                    8106,
                    f"Table '{statement.table}' does not have the identity property. Cannot perform SET "
                    "operation.",
                    16,
                    1,
                )
            table = found.full_name.lower()
            self.identity_insert = table if statement.on else ""
        from .transactions import check_option

        for name in statement.names:
            check_option(name, statement.on, statement.line)
        return ir.SetOption(statement.line, statement.names, statement.on, table)

    def _set_isolation(self, statement: s.SetIsolation) -> ir.Statement:
        return ir.SetIsolation(statement.line, statement.level)

    def _set_number(self, statement: s.SetNumber) -> ir.Statement:
        if statement.option == "LOCK_TIMEOUT":
            return ir.SetLockTimeout(statement.line, self.scalar(statement.value, INT))
        word = statement.value.text.strip().upper()
        if (
            word not in ("LOW", "NORMAL", "HIGH")
            and not word.lstrip("-").isdigit()
            and not word.startswith("@")
        ):
            raise SqlError(102, f"Incorrect syntax near '{statement.value.text}'.", 15, 1)
        # There is one writer at a time, so nobody is ever chosen as a deadlock victim.
        return ir.Block(statement.line, [])

    def _if(self, statement: s.If) -> ir.Statement:
        return ir.If(
            statement.line,
            self.condition(statement.condition),
            self._many(statement.then),
            self._many(statement.otherwise),
        )

    def _while(self, statement: s.While) -> ir.Statement:
        condition = self.condition(statement.condition)
        self.unit.loops += 1
        body = self._many(statement.body)
        self.unit.loops -= 1
        return ir.While(statement.line, condition, body)

    def _break(self, statement: s.Break) -> ir.Statement:
        return ir.Signal(statement.line, ir.BREAK)

    def _continue(self, statement: s.Continue) -> ir.Statement:
        return ir.Signal(statement.line, ir.CONTINUE)

    def _try(self, statement: s.TryCatch) -> ir.Statement:
        return ir.TryCatch(statement.line, self.block(statement.body), self.block(statement.handler))

    def _return(self, statement: s.Return) -> ir.Statement:
        if statement.value is not None and not self.in_procedure:
            raise SqlError(
                178, "A RETURN statement with a return value cannot be used in this context.", 15, 1
            )
        return ir.Return(statement.line, self.scalar(statement.value, INT) if statement.value else None)

    def _throw(self, statement: s.Throw) -> ir.Statement:
        if not statement.arguments:
            return ir.Throw(statement.line, None, None, None)
        number, message, state = statement.arguments
        return ir.Throw(
            statement.line,
            self.scalar(number, INT),
            self.scalar(message, nvarchar(2048)),
            self.scalar(state, INT),
        )

    def _raiserror(self, statement: s.RaiseError) -> ir.Statement:
        message, severity, state, *rest = statement.arguments
        first = self.typed(message)
        if not first.type.is_string:
            raise unsupported("RAISERROR with a message number", statement.line)
        return ir.RaiseError(
            statement.line,
            self.node(first, message),
            self.scalar(severity, INT),
            self.scalar(state, INT),
            [self.scalar(argument, None) for argument in rest],
            "SETERROR" in statement.options,
        )

    def _print(self, statement: s.Print) -> ir.Statement:
        from .calls import as_text

        typed = self.typed(statement.value, as_text)
        return ir.Print(statement.line, self.node(convert(typed, nvarchar(4000)), statement.value))

    def _transaction(self, statement: s.Transaction) -> ir.Statement:
        if statement.name.startswith("@"):
            return ir.Transaction(
                statement.line, statement.action, "", self.unit.local(statement.name, statement.line).slot
            )
        return ir.Transaction(statement.line, statement.action, statement.name)

    # EXECUTE

    def execute(self, statement: s.Execute) -> ir.Execute:
        from .system import PROCEDURES

        unit = self.unit
        schema, name = statement.name.schema, statement.name.name
        name_slot = -1
        procedure = None
        builtin = False
        if statement.name_variable:
            name_slot = unit.local(statement.name_variable, statement.line).slot
        else:
            builtin = (schema.lower() or "sys", name.lower()) in PROCEDURES
            procedure = None if builtin else unit.catalog.procedure(schema, name)
            if not builtin and name.lower() == "sp_executesql":
                raise unsupported("dynamic SQL: sp_executesql", statement.line)
            if not builtin and procedure is None and name.lower().startswith(("sp_", "xp_")):
                raise unsupported(f"the system procedure {name}", statement.line)
        named = False
        arguments: list[ir.Argument] = []
        for argument in statement.arguments:
            if argument.name:
                named = True
            elif named:
                raise at_line(
                    SqlError(
                        119,
                        f"Must pass parameter number {len(arguments) + 1} and subsequent parameters as "
                        "'@name = value'. After the form '@name = value' has been used, all subsequent "
                        "parameters must be passed in the form '@name = value'.",
                        15,
                        1,
                    ),
                    argument.line,
                )
            arguments.append(self._argument(argument))
        result = (
            unit.local(statement.return_variable, statement.line).slot if statement.return_variable else -1
        )
        execute = ir.Execute(statement.line, schema, name, arguments, result, name_slot)
        if procedure is not None:
            from .session import bind

            bind(procedure, execute)
        return execute

    def _argument(self, argument: s.Argument) -> ir.Argument:
        if argument.value is None:
            return ir.Argument(argument.name, "default")
        text = argument.value.text
        if text.startswith("@") and not text.startswith("@@"):
            table = self.unit.tables.get(text.lower())
            if table is not None:
                shape = self.unit.table_slots[table.slot].table
                return ir.Argument(
                    argument.name,
                    "table",
                    table=table.slot,
                    table_type=(shape.schema, shape.name) if shape.is_type else ("", shape.name),
                )
            local = self.unit.local(text, argument.line)
            out = local.slot if argument.output else -1
            return ir.Argument(
                argument.name, "value", scalars.Variable(local.slot), local.type, out, local.type
            )
        if argument.output:
            raise at_line(
                SqlError(
                    179, "Cannot use the OUTPUT option when passing a constant to a stored procedure.", 15, 1
                ),
                argument.line,
            )
        simple = simple_value(argument.value)
        if simple is None:
            typed = self.typed(argument.value)
            return ir.Argument(argument.name, "value", self.node(typed, argument.value), typed.type)
        return ir.Argument(argument.name, "value", scalars.Literal(simple.value), simple.type)

    # Data

    def _select(self, statement: s.Select) -> ir.Statement:
        if statement.into is not None:
            return self._select_into(statement)
        found: ir.Statement = self.data.select(statement)
        return found

    def _select_into(self, statement: s.Select) -> ir.Statement:
        """SELECT … INTO #t: the table is made with the types of the columns, then filled."""
        from .catalog import Column

        into = must(statement.into)
        if not into.name.startswith("#"):
            raise unsupported("SELECT … INTO a permanent table", statement.line)
        plain = s.Select(statement.line, statement.query)
        compiled = self.data.select(plain)
        if not isinstance(compiled, ir.Query):
            raise unsupported("SELECT @variable … INTO", statement.line)
        columns = [
            Column(name, kind, True, number)
            for number, (name, kind) in enumerate(zip(compiled.names, compiled.types, strict=True), 1)
        ]
        if any(not column.name for column in columns):
            raise SqlError(
                1038,
                "An object or column name is missing or empty. For SELECT INTO statements, verify each "
                "column has a name.",
                15,
                5,
            )
        table = Table("", into.name, 0, columns)
        slot = self._temporary_slot(into.name, table)
        names = "".join(f", [{column.name.replace(']', ']]')}]" for column in columns)[2:]
        insert = s.Insert(
            statement.line, s.ObjectName("", into.name, statement.line), [], [], None, statement.query
        )
        del names
        return ir.Block(statement.line, [ir.MakeTemporary(statement.line, slot), self.data.insert(insert)])

    def _temporary_slot(self, name: str, table: Table) -> int:
        existing = self.unit.tables.get(name.lower())
        if existing is not None and self.unit.table_slots[existing.slot].kind == "temporary":
            self.unit.table_slots[existing.slot].table = table
            self.unit.tables[name.lower()] = LocalTable(name, existing.slot, table)
            return existing.slot
        self.unit.tables.pop(name.lower(), None)
        return self._add_table(name, "temporary", table)

    def _insert(self, statement: s.Insert) -> ir.Statement:
        if self.session.options.identity_insert:
            self.identity_insert = self.identity_insert or self.session.options.identity_insert
        found: ir.Statement = self.data.insert(statement)
        return found

    def _update(self, statement: s.Update) -> ir.Statement:
        found: ir.Statement = self.data.update(statement)
        return found

    def _delete(self, statement: s.Delete) -> ir.Statement:
        found: ir.Statement = self.data.delete(statement)
        return found

    # Definitions

    def _definition(self, statement: s.Statement) -> ir.Statement:
        return ir.Definition(statement.line, statement)

    def _create_table(self, statement: s.CreateTable) -> ir.Statement:
        if statement.name.name.startswith("#") and not statement.name.schema:
            from .shapes import build_table

            table = build_table(self.unit.catalog, "", statement.name.name, statement.body, variable=True)
            return ir.MakeTemporary(statement.line, self._temporary_slot(statement.name.name, table))
        if self.in_procedure and self.unit.name and not self.unit.name.startswith("batch "):
            raise unsupported("CREATE TABLE in a procedure", statement.line)
        return self._definition(statement)

    def _drop(self, statement: s.DropObjects) -> ir.Statement:
        if statement.kind == "TABLE" and any(name.name.startswith("#") for name in statement.names):
            return ir.Block(
                statement.line,
                [
                    ir.DropTemporary(statement.line, name.name, statement.if_exists)
                    for name in statement.names
                ],
            )
        return self._definition(statement)

    def _truncate(self, statement: s.Truncate) -> ir.Statement:
        if statement.table.name.startswith("#"):
            delete = s.Delete(statement.line, statement.table, [], None, None)
            return self._delete(delete)
        return self._definition(statement)

    # Scalars

    def typed(self, text: s.Text, change: Callable[[Typed], Typed] | None = None) -> Typed:
        """A value of the unit, with ``node`` always set."""
        simple = simple_value(text)
        if simple is not None:
            return change(simple) if change else simple
        from . import tree
        from .dml import finish
        from .expressions import Expressions
        from .query import QueryCompiler

        context = Context(self.unit, text.line)
        ex = Expressions(context, Scope(), QueryCompiler(context))
        # In brackets, so that "@a = 1" is not an assignment.
        typed = ex.value(tree.values([text]).expressions[0])
        if change is not None:
            typed = change(typed)
        if typed.node is None:
            typed.node = ir.SqlScalar(finish(context, f"SELECT {typed.sql}"), False, context.locks)
        return typed

    def node(self, typed: Typed, text: s.Text) -> scalars.Scalar:
        if typed.node is None:
            raise at_line(unsupported("this expression", text.line), text.line)
        return typed.node

    def scalar(self, text: s.Text, target: SqlType | None) -> scalars.Scalar:
        """An expression as a value of a type."""
        typed = self.typed(text)
        if target is None or typed.type == target:
            return must(typed.node)
        try:
            converted = convert(typed, target)
        except SqlError as error:
            raise at_line(error, text.line) from None
        if converted.node is None:
            raise unsupported("this expression", text.line)
        return converted.node

    def condition(self, text: s.Text) -> scalars.Scalar:
        from . import tree
        from .dml import finish
        from .expressions import Expressions
        from .query import QueryCompiler

        context = Context(self.unit, text.line)
        ex = Expressions(context, Scope(), QueryCompiler(context))
        typed = ex.condition(tree.condition(text))
        if typed.node is not None:
            return typed.node
        return ir.SqlScalar(finish(context, f"SELECT {typed.sql}"), True, context.locks)


def _values_only(statement: s.Declare) -> s.Statement:
    sets: list[s.Statement] = [
        s.SetVariable(variable.line, variable.name, variable.value)
        for variable in statement.variables
        if variable.value
    ]
    return sets[0] if len(sets) == 1 else s.Block(statement.line, sets)


def _plain_names(table: Table) -> None:
    """Names of a table variable's constraints that do not change from one compilation to the next."""
    for number, index in enumerate(table.indexes):
        index.name = f"{index.kind}{number}"
    for number, check in enumerate(table.checks):
        check.name = f"CK{number}"


_METHODS: dict[type, Callable[[Any, Any], ir.Statement]] = {
    s.Block: UnitCompiler._block,
    s.Declare: UnitCompiler._declare_statement,
    s.DeclareTable: UnitCompiler._declare_table,
    s.SetVariable: UnitCompiler._set_variable,
    s.SetOptions: UnitCompiler._set_options,
    s.SetIsolation: UnitCompiler._set_isolation,
    s.SetNumber: UnitCompiler._set_number,
    s.If: UnitCompiler._if,
    s.While: UnitCompiler._while,
    s.Break: UnitCompiler._break,
    s.Continue: UnitCompiler._continue,
    s.TryCatch: UnitCompiler._try,
    s.Return: UnitCompiler._return,
    s.Throw: UnitCompiler._throw,
    s.RaiseError: UnitCompiler._raiserror,
    s.Print: UnitCompiler._print,
    s.Transaction: UnitCompiler._transaction,
    s.Execute: UnitCompiler.execute,
    s.Select: UnitCompiler._select,
    s.Insert: UnitCompiler._insert,
    s.Update: UnitCompiler._update,
    s.Delete: UnitCompiler._delete,
    s.CreateTable: UnitCompiler._create_table,
    s.DropObjects: UnitCompiler._drop,
    s.Truncate: UnitCompiler._truncate,
    s.CreateSchema: UnitCompiler._definition,
    s.CreateType: UnitCompiler._definition,
    s.CreateIndex: UnitCompiler._definition,
    s.AlterTable: UnitCompiler._definition,
    s.AlterIndex: UnitCompiler._definition,
    s.CreateProcedure: UnitCompiler._definition,
    s.CreateRole: UnitCompiler._definition,
    s.AlterRole: UnitCompiler._definition,
    s.Permission: UnitCompiler._definition,
}
