"""From the syntax of a table body to a catalog Table: columns, constraints, indexes, with compiled
expressions.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from . import syntax as s
from .catalog import Catalog, Check, Column, Default, ForeignKey, Index, Table
from .naming import quote
from .problems import SqlError, at_line, invalid_column, must, unsupported
from .scope import Context, Scope, Source, SourceColumn, Typed, Unit
from .sqltypes import INT, make_type
from .storage import key_of, mark_keyed

if TYPE_CHECKING:
    from .expressions import Expressions


def build_table(
    catalog: Catalog,
    schema: str,
    name: str,
    body: s.TableBody,
    *,
    is_type: bool = False,
    variable: bool = False,
) -> Table:
    """A Table from its definition. ``variable``: no named constraints, no ids (table variables and types)."""
    table = Table(schema, name, 0 if variable else catalog.new_id(), [], is_type=is_type)
    for definition in body.columns:
        add_column(table, definition)
    for definition in body.columns:
        for constraint in definition.constraints:
            add_constraint(catalog, table, constraint)
    for constraint in body.constraints:
        add_constraint(catalog, table, constraint)
    for index in body.indexes:
        add_index(table, index)
    finish(catalog, table)
    return table


def add_column(table: Table, definition: s.ColumnDefinition) -> Column:
    if table.column(definition.name) is not None:
        raise at_line(
            SqlError(
                2705,
                f"Column names in each table must be unique. Column name '{definition.name}' in table "
                f"'{table.name}' is specified more than once.",
                16,
                3,
            ),
            definition.line,
        )
    if "#" in definition.name:
        raise unsupported("# in a column name", definition.line)
    number = max((column.id for column in table.columns), default=0) + 1
    if definition.computed is not None:
        column = Column(definition.name, INT, True, number, computed=definition.computed.text)
        table.columns.append(column)
        return column
    if definition.type.schema and definition.type.schema.lower() != "sys":
        raise unsupported(f"column type {definition.type.schema}.{definition.type.name}", definition.line)
    kind = make_type(definition.type.name, definition.type.arguments, definition.type.line)
    if kind.name == "decimal" and kind.storage == "TEXT" and definition.identity:
        raise unsupported("an identity column of more than 18 digits", definition.line)
    binary = False
    if definition.collation:
        if not kind.is_string:
            raise at_line(
                SqlError(448, "COLLATE stands at a column that is no string.", 16, 1), definition.line
            )
        upper = definition.collation.upper()
        binary = upper.endswith(("_BIN2", "_BIN"))
        if not binary and "_CI_AS" not in upper and upper != "DATABASE_DEFAULT":
            raise unsupported(f"COLLATE {definition.collation}", definition.line)
    nullable = definition.nullable
    primary = any(constraint.kind == "PK" for constraint in definition.constraints)
    if nullable is None:
        nullable = not primary and definition.identity is None
    if definition.identity is not None:
        if not kind.is_integer or definition.identity != (1, 1):
            raise unsupported(f"IDENTITY{definition.identity} on {kind}", definition.line)
        nullable = False
    column = Column(
        definition.name,
        kind,
        nullable,
        number,
        identity=definition.identity,
        binary=binary,
        collation=definition.collation,
    )
    table.columns.append(column)
    return column


def made_up(table: Table, kind: str, column: str = "") -> str:
    """A name as the server makes one up."""
    parts = [kind, table.name[:20], column[:20], secrets.token_hex(4).upper()]
    return "__".join(part for part in parts if part)


def add_constraint(catalog: Catalog, table: Table, constraint: s.Constraint) -> None:
    name = constraint.name
    for key in constraint.columns:
        if table.column(key.name) is None:
            raise at_line(
                SqlError(
                    1911, f"Column name '{key.name}' does not exist in the target table or view.", 16, 1
                ),
                constraint.line,
            )
    object_id = catalog.new_id() if table.object_id else 0
    if name and _taken(catalog, table, name):
        raise at_line(
            SqlError(2714, f"There is already an object named '{name}' in the database.", 16, 5),
            constraint.line,
        )
    if constraint.kind in ("PK", "UQ"):
        if constraint.kind == "PK":
            if any(index.kind == "PK" for index in table.indexes):
                raise at_line(
                    SqlError(
                        8110, f"Cannot add multiple PRIMARY KEY constraints to table '{table.name}'.", 16, 0
                    ),
                    constraint.line,
                )
            for key in constraint.columns:
                column = table.must(key.name)
                column.nullable = False
        clustered = constraint.clustered
        if clustered is None:
            clustered = constraint.kind == "PK" and not any(index.clustered for index in table.indexes)
        table.indexes.append(
            Index(
                name or made_up(table, constraint.kind),
                constraint.kind,
                [(_spelled(table, key.name), key.descending) for key in constraint.columns],
                True,
                _next_index(table, clustered),
                object_id,
                clustered,
                system_named=not name,
            )
        )
    elif constraint.kind == "CK":
        text = must(constraint.expression).text
        table.checks.append(Check(name or made_up(table, "CK"), text, "", object_id, not name))
    elif constraint.kind == "DF":
        owner = table.column(constraint.for_column)
        if owner is None:
            raise invalid_column(constraint.for_column, constraint.line)
        if owner.default is not None:
            raise at_line(SqlError(1781, "Column already has a DEFAULT bound to it.", 16, 1), constraint.line)
        text = must(constraint.expression).text
        owner.default = Default(name or made_up(table, "DF", owner.name), text, object_id, not name)
    else:
        _foreign_key(catalog, table, constraint, name, object_id)


def _foreign_key(catalog: Catalog, table: Table, constraint: s.Constraint, name: str, object_id: int) -> None:
    references = must(constraint.references)
    schema = references.schema or table.schema
    own = (references.name.lower(), schema.lower()) == (table.name.lower(), table.schema.lower())
    parent = table if own else catalog.table(schema, references.name)
    if parent is None:
        raise at_line(
            SqlError(
                1767, f"Foreign key '{name}' references invalid table '{constraint.references}'.", 16, 0
            ),
            constraint.line,
        )
    names = constraint.referenced_columns
    if not names:
        primary = next((index for index in parent.indexes if index.kind == "PK"), None)
        names = [column for column, _ in primary.columns] if primary else []
    wanted = {column.lower() for column in names}
    if not any(
        index.unique and not index.where and {c.lower() for c, _ in index.columns} == wanted
        for index in parent.indexes
    ):
        raise at_line(
            SqlError(
                1776,
                f"There are no primary or candidate keys in the referenced table '{parent.full_name}' "
                f"that match the referencing column list in the foreign key '{name}'.",
                16,
                0,
            ),
            constraint.line,
        )
    keys = []
    for column_name in names:
        column = parent.must(column_name)
        keys.append(key_of(column))
    table.foreign_keys.append(
        ForeignKey(
            name or made_up(table, "FK"),
            [_spelled(table, key.name) for key in constraint.columns],
            parent.schema,
            parent.name,
            keys,
            object_id,
            constraint.on_delete,
            constraint.on_update,
            not name,
        )
    )


def add_index(table: Table, definition: s.IndexDefinition) -> Index:
    if table.index(definition.name) is not None:
        raise at_line(
            SqlError(
                1913,
                f"The operation failed because an index or statistics with name '{definition.name}' "
                f"already exists on table '{table.full_name}'.",
                16,
                1,
            ),
            definition.line,
        )
    for name in (*(key.name for key in definition.columns), *definition.include):
        if table.column(name) is None:
            raise at_line(
                SqlError(1911, f"Column name '{name}' does not exist in the target table or view.", 16, 1),
                definition.line,
            )
    index = Index(
        definition.name,
        "IX",
        [(_spelled(table, key.name), key.descending) for key in definition.columns],
        definition.unique,
        _next_index(table, definition.clustered),
        0,
        definition.clustered,
        [_spelled(table, name) for name in definition.include],
        definition.where.text if definition.where else "",
    )
    table.indexes.append(index)
    return index


def _next_index(table: Table, clustered: bool) -> int:
    if clustered:
        return 1
    return max([1, *(index.id for index in table.indexes)]) + 1


def _spelled(table: Table, name: str) -> str:
    column = table.column(name)
    return column.name if column is not None else name


def _taken(catalog: Catalog, table: Table, name: str) -> bool:
    """Whether an object of the schema (a constraint is one) has the name."""
    low = name.lower()
    others = [other for other in catalog.tables.values() if other.schema.lower() == table.schema.lower()]
    for other in [*(t for t in others if t.full_name.lower() != table.full_name.lower()), table]:
        if other is not table and other.name.lower() == low:
            return True
        constraints: list[Any] = [*other.checks, *other.foreign_keys]
        if any(item.name.lower() == low for item in constraints):
            return True
        if any(index.name.lower() == low and index.kind != "IX" for index in other.indexes):
            return True
        if any(column.default is not None and column.default.name.lower() == low for column in other.columns):
            return True
    return False


# Expressions of a table


def finish(catalog: Catalog, table: Table) -> None:
    """Compile what the table's expressions say; errors name the table and the line of the statement."""
    mark_keyed(table)
    for column in table.columns:
        if column.computed:
            typed = _compile(catalog, table, column.computed, condition=False)
            column.type, column.computed_sql = typed.type, typed.sql
    for check in table.checks:
        check.sql = _compile(catalog, table, check.text, condition=True).sql
    for index in table.indexes:
        if index.where:
            index.where_sql = _compile(catalog, table, index.where, condition=True).sql
    for column in table.columns:
        if column.default is not None:
            default_value(catalog, table, column)
    table.print_ = ""


def table_expressions(catalog: Catalog, table: Table) -> tuple[Expressions, Context]:
    """Expressions over a table's own columns, without a prefix."""
    from .expressions import Expressions
    from .query import QueryCompiler

    unit = Unit(catalog, table.full_name, {})
    context = Context(unit, 1)
    scope = Scope()
    columns = []
    for column in table.columns:
        key = key_of(column) if column.keyed else ""
        columns.append(SourceColumn(column.name, quote(column.name), column.type, key, column.binary))
    scope.sources.append(Source(table.name, columns, schema=table.schema, name=table.name))
    return Expressions(context, scope, QueryCompiler(context)), context


def _compile(catalog: Catalog, table: Table, text: str, condition: bool) -> Typed:
    from . import tree

    ex, context = table_expressions(catalog, table)
    if condition:
        typed = ex.condition(tree.condition(s.Text(text, 1)))
    else:
        typed = ex.value(tree.values([s.Text(text, 1)]).expressions[0])
    if context.specials or context.loads or "\x01" in typed.sql:
        raise unsupported(f"a changing value in a constraint of {table.full_name}", 0)
    return typed


def default_value(catalog: Catalog, table: Table, column: Column) -> Typed:
    """The compiled default of a column; also checks that it converts to the column's type."""
    from . import tree
    from .conversions import convert
    from .expressions import Expressions
    from .query import QueryCompiler

    default = must(column.default)
    unit = Unit(catalog, table.full_name, {})
    context = Context(unit, 1)
    ex = Expressions(context, Scope(), QueryCompiler(context))
    return convert(
        ex.value(tree.values([s.Text(default.text, 1)]).expressions[0]),
        column.type,
        store=(table.full_name, column.name),
    )
