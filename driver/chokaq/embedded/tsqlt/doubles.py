"""FakeTable and ApplyConstraint, and the way back.

A test double takes the place of an object, which keeps its rows under another name.
"""

from __future__ import annotations

import copy
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ddl, storage
from .. import syntax as s
from ..catalog import Catalog, Column, Property, Table
from ..naming import quote
from .arguments import Call, bit, procedure, text
from .names import constraint_names, find_table
from .results import quoted
from .state import raised

if TYPE_CHECKING:
    from ..session import Session

#: Extended properties of a double: that it is one, and the name that the original has meanwhile.
DOUBLE, ORIGINAL = "tSQLt.IsTempObject", "tSQLt.Private_TestDouble_OrgObjectName"


def new_name() -> str:
    """A name that no object has."""
    return f"tSQLt_tempobject_{uuid.uuid4().hex}"


def mark(catalog: Catalog, object_id: int, original: str = "") -> None:
    """Say that an object is a double, and of what."""
    catalog.properties.append(Property(1, object_id, 0, DOUBLE, 1))
    if original:
        catalog.properties.append(Property(1, object_id, 0, ORIGINAL, original))


def original_name(catalog: Catalog, object_id: int) -> str:
    """The present name of the original of a double; empty where there is none."""
    for item in catalog.properties:
        if (item.class_, item.major_id, item.name) == (1, object_id, ORIGINAL):
            return str(item.value)
    return ""


def rename_table(session: Session, catalog: Catalog, table: Table, name: str) -> Table:
    """Give a table another name, its rows and indexes with it."""
    moved = replace(table, name=name, print_="")
    del catalog.tables[table.full_name.lower()]
    catalog.tables[moved.full_name.lower()] = moved
    statements = [
        f"DROP INDEX IF EXISTS main.{quote(storage.index_name(table.full_name, index) + suffix)}"
        for index in table.indexes
        for suffix in ("", "~null")
    ]
    statements.append(f"ALTER TABLE main.{quote(table.full_name)} RENAME TO {quote(moved.full_name)}")
    for index in moved.indexes:
        statements += storage.create_index(moved, index, moved.full_name)
    _run(session, statements)
    return moved


def _run(session: Session, statements: list[str]) -> None:
    for statement in statements:
        session.sqlite.execute(statement)


def drop_table(session: Session, catalog: Catalog, table: Table) -> None:
    ddl.drop(session, catalog, s.DropObjects(0, "TABLE", [s.ObjectName(table.schema, table.name)], False))


@procedure(
    "FakeTable",
    text("TableName"), text("SchemaName", None),
    bit("Identity", None), bit("ComputedColumns", None), bit("Defaults", None),
)  # fmt: skip
def fake_table(  # noqa: PLR0917
    call: Call,
    name: str | None,
    schema: str | None,
    identity: int | None,
    computed: int | None,
    defaults: int | None,
) -> None:
    """An empty table in place of another: every column takes NULL, and there is no constraint and no index.

    Identity, computed columns and defaults are kept where that is asked for.
    """
    session = call.session
    full = f"{schema}.{name}" if schema is not None else name or ""
    if schema is not None and name is not None and ("." in name):
        raise raised("When @TableName is a multi-part identifier, @SchemaName must be NULL!")
    found = find_table(session, full)
    if found is None or found.temporary:
        raise raised(
            f"FakeTable could not resolve the object name, '{full}'. (When calling tSQLt.FakeTable, avoid the"
            " use of the @SchemaName parameter, as it is deprecated.)"
        )
    with session.definition():
        catalog = session.catalog.fork()
        table = found.table
        columns = [_fake_column(catalog, column, identity, computed, defaults) for column in table.columns]
        moved = rename_table(session, catalog, table, new_name())
        fake = Table(
            table.schema,
            table.name,
            catalog.new_id(),
            columns,
            created=table.created,
            modified=table.modified,
        )
        catalog.tables[fake.full_name.lower()] = fake
        _run(session, storage.create_table(fake, fake.full_name))
        mark(catalog, fake.object_id, moved.name)
        session.change_catalog(catalog)


def _fake_column(
    catalog: Catalog, column: Column, identity: int | None, computed: int | None, defaults: int | None
) -> Column:
    keeps_identity = column.identity is not None and bool(identity)
    keeps_computed = bool(column.computed) and bool(computed)
    default = None
    if column.default is not None and defaults:
        # The same name each time: procedures that were compiled for one fake fit the next one too.
        name = f"DF__{column.name}__fake"
        default = replace(column.default, object_id=catalog.new_id(), name=name, system_named=True)
    return replace(
        column,
        nullable=not keeps_identity,
        default=default,
        identity=column.identity if keeps_identity else None,
        computed=column.computed if keeps_computed else "",
        computed_sql=column.computed_sql if keeps_computed else "",
        keyed=False,
    )


@procedure(
    "ApplyConstraint",
    text("TableName"),
    text("ConstraintName"),
    text("SchemaName", None),
    bit("NoCascade", 0),
)
def apply_constraint(
    call: Call, table_name: str | None, constraint: str | None, schema: str | None, no_cascade: int | None
) -> None:
    """Give a fake one constraint of its original: PRIMARY KEY, UNIQUE, CHECK or FOREIGN KEY."""
    session = call.session
    full = f"{schema}.{table_name}" if schema is not None else table_name or ""
    found = find_table(session, full)
    catalog = session.catalog
    original = None
    if found is not None:
        original = catalog.table(found.table.schema, original_name(catalog, found.table.object_id))
    name = (constraint or "").lower()
    wanted = {name, name[1:-1] if name.startswith("[") and name.endswith("]") else name}
    if found is None or original is None or not wanted & constraint_names(original):
        raise raised(
            f"ApplyConstraint could not resolve the object names, '{table_name}', '{constraint}'. Be sure to"
            " call ApplyConstraint and pass in two parameters, such as: EXEC tSQLt.ApplyConstraint"
            " 'MySchema.MyTable', 'MyConstraint'"
        )
    with session.definition():
        catalog = session.catalog.fork()
        fake = catalog.edit_table(found.table)
        for check in original.checks:
            if check.name.lower() in wanted:
                fake.checks.append(replace(check, object_id=catalog.new_id()))
        for index in original.indexes:
            if index.kind != "IX" and index.name.lower() in wanted:
                added = copy.deepcopy(index)
                added.object_id = catalog.new_id()
                fake.indexes.append(added)
                if index.kind == "PK":
                    for column in fake.columns:
                        if any(column.name.lower() == key.lower() for key, _ in index.columns):
                            column.nullable = False
        for key in original.foreign_keys:
            if key.name.lower() in wanted:
                rule = "NO ACTION" if no_cascade else None
                fake.foreign_keys.append(
                    replace(
                        key,
                        object_id=catalog.new_id(),
                        on_delete=rule or key.on_delete,
                        on_update=rule or key.on_update,
                    )
                )
        storage.mark_keyed(fake)
        ddl.rebuild(session, found.table, fake, {})
        session.change_catalog(catalog)


def undo(session: Session) -> None:
    """Put every original back, and drop the doubles."""
    marked = {
        item.major_id for item in session.catalog.properties if item.class_ == 1 and item.name == DOUBLE
    }
    if not marked:
        return
    with session.definition():
        catalog = session.catalog.fork()
        names = {number: original_name(catalog, number) for number in marked}
        back: list[tuple[str, str, str]] = []
        for procedure_ in [each for each in catalog.procedures.values() if each.object_id in marked]:
            back.append((procedure_.schema, names[procedure_.object_id], procedure_.name))
            ddl.drop(
                session,
                catalog,
                s.DropObjects(0, "PROCEDURE", [s.ObjectName(procedure_.schema, procedure_.name)], False),
            )
        for table in [each for each in catalog.tables.values() if each.object_id in marked]:
            back.append((table.schema, names[table.object_id], table.name))
            drop_table(session, catalog, table)
        # A double of a double has another double for its original: only the first original is still there.
        last = {(schema, present): final for schema, present, final in back}
        for (schema, present), next_name in last.items():
            final = next_name
            while (schema, final) in last:
                final = last[schema, final]
            original = catalog.table(schema, present)
            if original is not None:
                rename_table(session, catalog, original, final)
            rename_procedure(catalog, schema, present, final)
        session.change_catalog(catalog)


def rename_procedure(catalog: Catalog, schema: str, present: str, final: str) -> None:
    """Give a procedure another name; nothing when there is none."""
    found = catalog.procedure(schema, present) if present else None
    if found is None:
        return
    del catalog.procedures[found.full_name.lower()]
    moved = replace(found, name=final)
    catalog.procedures[moved.full_name.lower()] = moved


@procedure("UndoTestDoubles", bit("Force", 0))
def undo_test_doubles(call: Call, _force: int | None) -> None:
    """For doubles that were made outside of a test."""
    undo(call.session)


@procedure("RemoveObject", text("ObjectName"), text("NewName", None), bit("IfExists", 0))
def remove_object(call: Call, name: str, new: str | None, if_exists: int | None) -> None:
    """Move a table or procedure out of the way."""
    session = call.session
    found = find_table(session, name)
    with session.definition():
        catalog = session.catalog.fork()
        if found is not None and not found.temporary:
            rename_table(session, catalog, found.table, new or new_name())
        else:
            from .names import find_procedure

            routine = find_procedure(session, name)
            if routine is None:
                if if_exists:
                    return
                raise raised(f"{name} does not exist!")
            rename_procedure(catalog, routine.schema, routine.name, new or new_name())
        session.change_catalog(catalog)


def display(table: Table) -> str:
    """``[schema].[name]``."""
    return f"{quoted(table.schema)}.{quoted(table.name)}"
