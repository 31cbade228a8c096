"""Names while a statement is compiled: variables, the sources of a query, and what the statement needs to
run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import ir
from .catalog import Catalog, Table
from .naming import key_expression, quote
from .problems import SqlError, at_line
from .scalars import Scalar
from .sqltypes import SqlType

UNKNOWN: Any = object()
BOOLEAN = SqlType("boolean")


@dataclass(slots=True)
class Typed:
    """A compiled expression: its SQLite text and its SQL type.

    ``key``: SQLite text of its collation key, where one is at hand. ``value``: the constant it stands for.
    ``binary``: compared by code point. ``node``: the same as a Python scalar, where that is possible.
    ``slot``: it is a variable.
    """

    sql: str
    type: SqlType
    key: str = ""
    value: Any = UNKNOWN
    binary: bool = False
    node: Scalar | None = None
    slot: int = -1
    name: str = ""
    json: bool = False
    #: How binding its collation is: 0 gives way, 1 that of a column, 2 written with COLLATE.
    rank: int = 0
    #: Of a CASE: its conditions and results, so that something can be done to each result.
    branches: tuple[list[str], list[Typed]] | None = None


@dataclass(slots=True)
class SourceColumn:
    name: str
    sql: str
    type: SqlType
    key: str = ""
    binary: bool = False


@dataclass(slots=True)
class Source:
    """One item of FROM. ``sql`` is its text; ``table`` and ``reference`` are there for tables that can be
    written.
    """

    alias: str
    columns: list[SourceColumn]
    sql: str = ""
    table: Table | None = None
    reference: str = ""
    schema: str = ""
    name: str = ""
    is_variable: bool = False
    inner: bool = True
    names: dict[str, SourceColumn] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = {column.name.lower(): column for column in self.columns}


class Scope:
    """The sources of one query, then those around it."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.sources: list[Source] = []
        self.ctes: dict[str, Any] = {}
        #: Texts of the GROUP BY expressions; None where nothing is grouped.
        self.grouping: set[str] | None = None
        self.in_aggregate = 0
        self.aggregates_allowed = False

    def find_cte(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name.lower() in scope.ctes:
                return scope.ctes[name.lower()]
            scope = scope.parent
        return None

    def resolve(self, table: str, schema: str, name: str, line: int) -> tuple[SourceColumn, Scope]:
        """The column of a name, and the scope that has it. Errors 207, 209, 4104."""
        scope: Scope | None = self
        low, low_table, low_schema = name.lower(), table.lower(), schema.lower()
        while scope is not None:
            matches = []
            for source in scope.sources:
                if table:
                    if low_schema:
                        if source.schema.lower() != low_schema or source.name.lower() != low_table:
                            continue
                    elif source.alias.lower() != low_table:
                        continue
                    found = source.names.get(low)
                    if found is None:
                        raise at_line(SqlError(207, f"Invalid column name '{name}'."), line)
                    matches.append(found)
                else:
                    found = source.names.get(low)
                    if found is not None:
                        matches.append(found)
            if len(matches) > 1:
                raise at_line(SqlError(209, f"Ambiguous column name '{name}'."), line)
            if matches:
                return matches[0], scope
            scope = scope.parent
        if table:
            full = ".".join(part for part in (schema, table, name) if part)
            raise at_line(SqlError(4104, f'The multi-part identifier "{full}" could not be bound.'), line)
        raise at_line(SqlError(207, f"Invalid column name '{name}'."), line)


def table_source(table: Table, reference: str, alias: str, all_keys: bool = False) -> Source:
    """A stored table as a source; ``reference`` is its text in FROM. ``all_keys``: a table of the unit's
    own, whose
    key columns are made when they turn out to be used.
    """
    prefix = f"{quote(alias)}."
    columns = []
    for column in table.columns:
        sql = prefix + quote(column.name)
        key = ""
        if column.type.is_string:
            if column.keyed or (all_keys and not column.type.is_max):
                key = prefix + quote(column.name + "#k")
            elif not column.binary:
                key = key_expression(sql)
        columns.append(SourceColumn(column.name, sql, column.type, key, column.binary))
    return Source(
        alias, columns, f"{reference} AS {quote(alias)}", table, reference, table.schema, table.name
    )


@dataclass(slots=True)
class Local:
    """A variable of a procedure or batch."""

    name: str
    slot: int
    type: SqlType


@dataclass(slots=True)
class LocalTable:
    """A table variable, table parameter or #table. ``slot`` is its place among the frame's table names."""

    name: str
    slot: int
    table: Table
    readonly: bool = False
    #: Its shape belongs to the unit alone, which may choose its key columns.
    own: bool = False


class Unit:
    """What is compiled as one: a procedure or a batch. Gives out the slots of its frame."""

    def __init__(self, catalog: Catalog, name: str, system: dict[str, Table]) -> None:
        self.catalog = catalog
        self.name = name
        self.system = system
        self.locals: dict[str, Local] = {}
        self.tables: dict[str, LocalTable] = {}
        self.temporary: dict[str, Table] = {}
        self.size = 0
        self.keys: dict[int, int] = {}
        self.table_slots: list[ir.TableSlot] = []
        self.dependencies: dict[str, str] = {}
        self.loops = 0
        #: Every SQL text of the unit: tells which key columns its tables need.
        self.texts: list[str] = []

    def new_slot(self) -> int:
        self.size += 1
        return self.size - 1

    def key_slot(self, slot: int) -> int:
        if slot not in self.keys:
            self.keys[slot] = self.new_slot()
        return self.keys[slot]

    def declare(self, name: str, type_: SqlType, line: int) -> Local:
        if name.lower() in self.locals or name.lower() in self.tables:
            raise at_line(
                SqlError(
                    134,
                    f"The variable name '{name}' has already been declared. Variable names must be unique "
                    "within a "
                    "query batch or stored procedure.",
                    15,
                    2,
                ),
                line,
            )
        local = Local(name, self.new_slot(), type_)
        self.locals[name.lower()] = local
        return local

    def local(self, name: str, line: int) -> Local:
        found = self.locals.get(name.lower())
        if found is None:
            if name.lower() in self.tables:
                raise at_line(SqlError(137, f'Must declare the scalar variable "{name}".', 15, 1), line)
            raise at_line(SqlError(137, f'Must declare the scalar variable "{name}".', 15, 2), line)
        return found

    def depend(self, kind: str, table: Table) -> None:
        self.dependencies[f"{kind}:{table.full_name.lower()}"] = table.fingerprint()


class Context:
    """What one statement collects while it is compiled."""

    def __init__(self, unit: Unit, line: int) -> None:
        self.unit = unit
        self.line = line
        self.loads: list[ir.JsonLoad] = []
        self.specials: dict[str, int] = {}
        self.views: set[str] = set()
        self.reads_tables = False
        self.locks = False
        self.ctes = 0
        #: Values worked out in Python before the statement runs.
        self.computed: list[tuple[int, Scalar]] = []

    def compute(self, node: Scalar) -> str:
        slot = self.unit.new_slot()
        self.computed.append((slot, node))
        return parameter(slot)

    def special(self, name: str) -> str:
        if name not in self.specials:
            self.specials[name] = self.unit.new_slot()
        return parameter(self.specials[name])


def parameter(slot: int) -> str:
    """The mark of a bound value in SQL text; replaced by ``?`` when the statement is finished."""
    return f"\x01{slot}\x01"


def table_mark(slot: int) -> str:
    """The mark of a frame's table name in SQL text."""
    return f"\x02{slot}\x02"
