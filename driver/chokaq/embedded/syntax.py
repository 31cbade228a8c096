"""The statements of a batch as plain data: what the statement parser makes and the compiler reads.

Expressions and queries stay text here (``Text``): sqlglot parses them when the statement is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Text:
    """A piece of the batch and the line it begins on."""

    text: str
    line: int


@dataclass(slots=True)
class ObjectName:
    """``schema.name``; the schema is empty when it was not written."""

    schema: str
    name: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(slots=True)
class TypeName:
    """A type as written: ``varchar(50)`` is name varchar, arguments ("50",); max is ("max",)."""

    schema: str
    name: str
    arguments: tuple[str, ...] = ()
    line: int = 0


@dataclass(slots=True)
class Statement:
    """The common part: where the statement begins."""

    line: int


# Tables


@dataclass(slots=True)
class KeyColumn:
    name: str
    descending: bool = False


@dataclass(slots=True)
class Constraint:
    """kind: PK, UQ, CK, DF or FK. ``name`` is empty when the server would make one up."""

    kind: str
    name: str
    line: int
    columns: list[KeyColumn] = field(default_factory=list)
    expression: Text | None = None
    clustered: bool | None = None
    for_column: str = ""
    references: ObjectName | None = None
    referenced_columns: list[str] = field(default_factory=list)
    on_delete: str = "NO ACTION"
    on_update: str = "NO ACTION"
    with_values: bool = False


@dataclass(slots=True)
class ColumnDefinition:
    name: str
    type: TypeName
    line: int
    nullable: bool | None = None
    identity: tuple[int, int] | None = None
    collation: str = ""
    computed: Text | None = None
    constraints: list[Constraint] = field(default_factory=list)


@dataclass(slots=True)
class IndexDefinition:
    name: str
    columns: list[KeyColumn]
    line: int
    unique: bool = False
    clustered: bool = False
    include: list[str] = field(default_factory=list)
    where: Text | None = None


@dataclass(slots=True)
class TableBody:
    columns: list[ColumnDefinition] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    indexes: list[IndexDefinition] = field(default_factory=list)


# Definitions


@dataclass(slots=True)
class CreateSchema(Statement):
    name: str


@dataclass(slots=True)
class CreateTable(Statement):
    name: ObjectName
    body: TableBody


@dataclass(slots=True)
class CreateType(Statement):
    name: ObjectName
    body: TableBody


@dataclass(slots=True)
class CreateIndex(Statement):
    table: ObjectName
    index: IndexDefinition


@dataclass(slots=True)
class AlterTable(Statement):
    """One action: ADD (columns, constraints), DROP COLUMN, DROP CONSTRAINT, ALTER COLUMN, (NO)CHECK."""

    table: ObjectName
    action: str
    body: TableBody = field(default_factory=TableBody)
    names: list[str] = field(default_factory=list)
    if_exists: bool = False
    with_check: bool = True


@dataclass(slots=True)
class AlterIndex(Statement):
    table: ObjectName
    index: str
    action: str


@dataclass(slots=True)
class DropObjects(Statement):
    """kind: TABLE, PROCEDURE, TYPE, SCHEMA, ROLE or INDEX (then ``tables`` runs beside ``names``)."""

    kind: str
    names: list[ObjectName]
    if_exists: bool
    tables: list[ObjectName] = field(default_factory=list)


@dataclass(slots=True)
class Parameter:
    name: str
    type: TypeName
    line: int
    default: Text | None = None
    output: bool = False
    readonly: bool = False


@dataclass(slots=True)
class CreateProcedure(Statement):
    """``mode``: CREATE, ALTER or CREATE OR ALTER. ``definition`` is the module's text as stored."""

    name: ObjectName
    mode: str
    parameters: list[Parameter]
    body: list[Statement]
    definition: str


@dataclass(slots=True)
class CreateRole(Statement):
    name: str


@dataclass(slots=True)
class AlterRole(Statement):
    name: str
    action: str
    member: str


@dataclass(slots=True)
class Permission(Statement):
    """action: GRANT, REVOKE or DENY; ``kind`` is OBJECT, TYPE, SCHEMA or DATABASE."""

    action: str
    permissions: list[str]
    kind: str
    name: ObjectName | None
    columns: list[str]
    principals: list[str]
    grant_option: bool = False


# Control flow


@dataclass(slots=True)
class DeclaredVariable:
    name: str
    type: TypeName
    line: int
    value: Text | None = None


@dataclass(slots=True)
class Declare(Statement):
    variables: list[DeclaredVariable]


@dataclass(slots=True)
class DeclareTable(Statement):
    name: str
    body: TableBody


@dataclass(slots=True)
class SetVariable(Statement):
    name: str
    value: Text


@dataclass(slots=True)
class SetOptions(Statement):
    names: list[str]
    on: bool
    table: ObjectName | None = None


@dataclass(slots=True)
class SetIsolation(Statement):
    level: str


@dataclass(slots=True)
class SetNumber(Statement):
    """SET LOCK_TIMEOUT, DEADLOCK_PRIORITY, ROWCOUNT, DATEFIRST, … with its value as text."""

    option: str
    value: Text


@dataclass(slots=True)
class If(Statement):
    condition: Text
    then: Statement
    otherwise: Statement | None


@dataclass(slots=True)
class While(Statement):
    condition: Text
    body: Statement


@dataclass(slots=True)
class Block(Statement):
    body: list[Statement]


@dataclass(slots=True)
class Break(Statement):
    pass


@dataclass(slots=True)
class Continue(Statement):
    pass


@dataclass(slots=True)
class TryCatch(Statement):
    body: list[Statement]
    handler: list[Statement]


@dataclass(slots=True)
class Return(Statement):
    value: Text | None


@dataclass(slots=True)
class Throw(Statement):
    arguments: list[Text]


@dataclass(slots=True)
class RaiseError(Statement):
    arguments: list[Text]
    options: list[str]


@dataclass(slots=True)
class Print(Statement):
    value: Text


@dataclass(slots=True)
class Transaction(Statement):
    """action: BEGIN, COMMIT, ROLLBACK or SAVE; the name may be a variable (``@name``)."""

    action: str
    name: str


@dataclass(slots=True)
class Argument:
    """An argument of EXECUTE. ``value`` None stands for DEFAULT."""

    name: str
    value: Text | None
    output: bool
    line: int


@dataclass(slots=True)
class Execute(Statement):
    name: ObjectName
    arguments: list[Argument]
    return_variable: str = ""
    name_variable: str = ""


# Data


@dataclass(slots=True)
class Output:
    """``OUTPUT items [INTO target (columns)]``; without INTO the rows go to the client."""

    items: Text
    into: ObjectName | None
    columns: list[str]
    line: int


@dataclass(slots=True)
class Select(Statement):
    query: Text
    into: ObjectName | None = None


@dataclass(slots=True)
class Insert(Statement):
    """``source`` is a query, a VALUES list, or None for DEFAULT VALUES; ``execute`` for INSERT … EXEC."""

    target: ObjectName
    hints: list[str]
    columns: list[str]
    output: Output | None
    source: Text | None
    execute: Execute | None = None
    ctes: Text | None = None
    top: Text | None = None


@dataclass(slots=True)
class Assignment:
    column: str
    value: Text
    line: int


@dataclass(slots=True)
class Update(Statement):
    target: ObjectName
    hints: list[str]
    assignments: list[Assignment]
    output: Output | None
    rest: Text | None
    ctes: Text | None = None
    top: Text | None = None
    options: Text | None = None


@dataclass(slots=True)
class Delete(Statement):
    target: ObjectName
    hints: list[str]
    output: Output | None
    rest: Text | None
    ctes: Text | None = None
    top: Text | None = None
    options: Text | None = None


@dataclass(slots=True)
class Truncate(Statement):
    table: ObjectName


@dataclass(slots=True)
class Batch:
    """A parsed batch: its statements, or the one definition it consists of."""

    text: str
    source: str
    statements: list[Statement]
