"""Statements that change the catalog: each makes a changed copy, the SQLite tables to match, and writes
both.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from . import storage
from . import syntax as s
from .catalog import Catalog, Grant, Principal, Procedure, Schema, Table
from .database import keep_program, store_program, text_key
from .naming import quote
from .problems import SqlError, at_line, unsupported
from .shapes import add_column, add_constraint, add_index, build_table, finish
from .values import datetimes

if TYPE_CHECKING:
    from .session import Session


def define(session: Session, statement: Any) -> None:
    """Run one definition."""
    method = _METHODS[type(statement)]
    try:
        with session.definition():
            catalog = session.catalog.fork()
            method(session, catalog, statement)
            session.change_catalog(catalog)
    except SqlError as error:
        raise at_line(error, statement.line) from None
    session.done(0)


def _schema_of(catalog: Catalog, name: s.ObjectName) -> str:
    schema = catalog.schema(name.schema)
    if schema is None:
        raise SqlError(
            2760,
            f'The specified schema name "{name.schema}" either does not exist or you do not have '
            "permission to use it.",
            16,
            1,
        )
    return schema.name


def _free(catalog: Catalog, schema: str, name: str) -> None:
    if catalog.table(schema, name) is not None or catalog.procedure(schema, name) is not None:
        raise SqlError(2714, f"There is already an object named '{name}' in the database.", 16, 6)


def _run(session: Session, statements: list[str]) -> None:
    import sqlite3

    try:
        for text in statements:
            session.sqlite.execute(text)
    except sqlite3.Error as error:
        raise session.translate(error) from None


def _write_statistics(session: Session, table: Table, name: str) -> None:
    found = session.sqlite.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'").fetchone()
    _run(session, storage.write_statistics(table, name, first=found is None))


def create_schema(_: Session, catalog: Catalog, statement: s.CreateSchema) -> None:
    if catalog.schema(statement.name) is not None:
        raise SqlError(2714, f"There is already an object named '{statement.name}' in the database.", 16, 6)
    number = max([4, *(schema.id for schema in catalog.schemas.values())]) + 1
    catalog.schemas[statement.name.lower()] = Schema(statement.name, number)


def create_table(session: Session, catalog: Catalog, statement: s.CreateTable) -> None:
    schema = _schema_of(catalog, statement.name)
    _free(catalog, schema, statement.name.name)
    table = build_table(catalog, schema, statement.name.name, statement.body)
    table.created = table.modified = datetimes.utc_ticks()
    catalog.tables[table.full_name.lower()] = table
    _run(session, storage.create_table(table, table.full_name))
    _write_statistics(session, table, table.full_name)


def create_type(_: Session, catalog: Catalog, statement: s.CreateType) -> None:
    schema = _schema_of(catalog, statement.name)
    if catalog.type(schema, statement.name.name) is not None:
        raise SqlError(
            219,
            f"The type '{statement.name}' already exists, or you do not have permission to create it.",
            16,
            1,
        )
    table = build_table(catalog, schema, statement.name.name, statement.body, is_type=True)
    table.created = table.modified = datetimes.utc_ticks()
    catalog.types[table.full_name.lower()] = table


def _table(catalog: Catalog, name: s.ObjectName, number: int = 4902) -> Table:
    table = catalog.table(name.schema, name.name)
    if table is None:
        text = {
            1088: f'Cannot find the object "{name}" because it does not exist or you do not have '
            "permissions.",
            4902: f'Cannot find the object "{name}" because it does not exist or you do not have '
            "permissions.",
        }[number]
        raise SqlError(number, text, 16, 1)
    return catalog.edit_table(table)


def create_index(session: Session, catalog: Catalog, statement: s.CreateIndex) -> None:
    table = _table(catalog, statement.table, 1088)
    keyed = {column.name for column in table.columns if column.keyed}
    index = add_index(table, statement.index)
    finish(catalog, table)
    table.modified = datetimes.utc_ticks()
    for column in table.columns:
        if column.keyed and column.name not in keyed:
            _run(
                session, [f"ALTER TABLE main.{quote(table.full_name)} ADD COLUMN {storage.key_text(column)}"]
            )
    import sqlite3

    try:
        for text in storage.create_index(table, index, table.full_name):
            session.sqlite.execute(text)
    except sqlite3.IntegrityError:
        raise SqlError(
            1505,
            "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the "
            f"object name '{table.full_name}' and the index name '{index.name}'. The duplicate key "
            "value is (…).",
            16,
            1,
        ) from None
    except sqlite3.Error as error:
        raise session.translate(error) from None
    _write_statistics(session, table, table.full_name)


def alter_table(session: Session, catalog: Catalog, statement: s.AlterTable) -> None:
    table = _table(catalog, statement.table)
    old = session.catalog.must_table(statement.table.schema, statement.table.name)
    table.modified = datetimes.utc_ticks()
    filled: dict[str, str] = {}
    action = statement.action
    if action == "ADD":
        if not statement.with_check and any(c.kind in ("CK", "FK") for c in statement.body.constraints):
            raise unsupported("WITH NOCHECK", statement.line)
        for definition in statement.body.columns:
            add_column(table, definition)
        for definition in statement.body.columns:
            for constraint in definition.constraints:
                add_constraint(catalog, table, constraint)
        for constraint in statement.body.constraints:
            add_constraint(catalog, table, constraint)
        finish(catalog, table)
        from .shapes import default_value

        for definition in statement.body.columns:
            column = table.must(definition.name)
            with_values = any(c.with_values for c in definition.constraints)
            if column.default is not None and (not column.nullable or with_values):
                typed = default_value(catalog, table, column)
                filled[column.name] = _constant_default(session, typed)
    elif action == "DROP CONSTRAINT":
        for name in statement.names:
            if not _drop_constraint(table, name) and not statement.if_exists:
                raise SqlError(3728, f"'{name}' is not a constraint.", 16, 1)
    elif action == "DROP COLUMN":
        for name in statement.names:
            _drop_column(table, name, statement.if_exists)
    elif action == "ALTER COLUMN":
        _alter_column(table, statement.body.columns[0])
    else:
        name = statement.names[0]
        for check in table.checks:
            if check.name.lower() == name.lower():
                check.disabled = action.startswith("NOCHECK")
                break
        else:
            raise SqlError(4917, f"Constraint '{name}' does not exist.", 16, 0)
    finish(catalog, table)
    rebuild(session, old, table, filled)


def _constant_default(session: Session, typed: Any) -> str:
    from .frames import Frame
    from .ir import Program

    if typed.node is not None:
        from .naming import literal

        frame = Frame(session, Program("", 0, {}, [], [], [], {}, [], {}), 0, ())
        return literal(typed.node.eval(frame))
    return str(typed.sql)


def _drop_constraint(table: Table, name: str) -> bool:
    low = name.lower()
    groups: list[list[Any]] = [table.checks, table.foreign_keys]
    for items in groups:
        for item in items:
            if item.name.lower() == low:
                items.remove(item)
                return True
    for index in table.indexes:
        if index.name.lower() == low and index.kind != "IX":
            table.indexes.remove(index)
            return True
    for column in table.columns:
        if column.default is not None and column.default.name.lower() == low:
            column.default = None
            return True
    return False


def _drop_column(table: Table, name: str, if_exists: bool) -> None:
    column = table.column(name)
    if column is None:
        if if_exists:
            return
        raise SqlError(
            4924,
            f"ALTER TABLE DROP COLUMN failed because column '{name}' does not exist in table '{table.name}'.",
            16,
            1,
        )
    used = [index.name for index in table.indexes if any(c.lower() == name.lower() for c, _ in index.columns)]
    used += [check.name for check in table.checks if quote(column.name) in check.sql]
    if column.default is not None:
        used.append(column.default.name)
    if used:
        raise SqlError(5074, f"The object '{used[0]}' is dependent on column '{name}'.", 16, 1)
    table.columns.remove(column)


def _alter_column(table: Table, definition: s.ColumnDefinition) -> None:
    column = table.column(definition.name)
    if column is None:
        raise SqlError(
            4924,
            f"ALTER TABLE ALTER COLUMN failed because column '{definition.name}' does not exist in table "
            f"'{table.name}'.",
            16,
            1,
        )
    position = table.columns.index(column)
    table.columns.remove(column)
    new = add_column(table, definition)
    table.columns.remove(new)
    new.id, new.default, new.name = column.id, column.default, column.name
    if definition.nullable is None:
        new.nullable = True
    if new.type.storage != column.type.storage:
        raise unsupported(f"ALTER COLUMN from {column.type} to {new.type}", definition.line)
    table.columns.insert(position, new)


def rebuild(session: Session, old: Table, new: Table, filled: dict[str, str]) -> None:
    """Make the table anew with its rows: SQLite cannot add a constraint to a table that is there."""
    import sqlite3

    work = f"{new.full_name}~new"
    name = old.full_name
    statements = storage.create_table(new, work)[:1]
    _run(session, statements)
    both = [column for column in new.columns if old.column(column.name) is not None and not column.computed]
    added = [column for column in new.columns if column.name in filled and old.column(column.name) is None]
    targets = ", ".join(quote(column.name) for column in (*both, *added))
    sources = ", ".join(
        [*(quote(column.name) for column in both), *(filled[column.name] for column in added)]
    )
    try:
        session.sqlite.execute(
            f"INSERT INTO main.{quote(work)} (rowid, {targets}) SELECT rowid, {sources} FROM "
            f"main.{quote(name)}"
            if new.identity is None
            else f"INSERT INTO main.{quote(work)} ({targets}) SELECT {sources} FROM main.{quote(name)}"
        )
    except sqlite3.IntegrityError as error:
        from .ir import Target

        class _Work(Target):
            def sqlite_name(self, _frame: Any) -> str:
                return work

        found = session.translate(error, "ALTER TABLE", _Work(new), None)
        if found.number == 515:
            found = SqlError(
                4901,
                "ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT "
                f"definition specified: {found.message}",
                16,
                1,
            )
        raise found from None
    _run(
        session, [f"DROP TABLE main.{quote(name)}", f"ALTER TABLE main.{quote(work)} RENAME TO {quote(name)}"]
    )
    _run(session, storage.create_table(new, name)[1:])
    _write_statistics(session, new, name)


def drop(session: Session, catalog: Catalog, statement: s.DropObjects) -> None:
    for position, name in enumerate(statement.names):
        if statement.kind == "INDEX":
            _drop_index(session, catalog, statement.tables[position], name, statement.if_exists)
        elif statement.kind == "TABLE":
            _drop_table(session, catalog, name, statement.if_exists)
        elif statement.kind == "PROCEDURE":
            procedure = catalog.procedure(name.schema, name.name)
            if procedure is None:
                if not statement.if_exists:
                    raise _no_drop("procedure", name)
                continue
            del catalog.procedures[procedure.full_name.lower()]
            _forget(catalog, 1, procedure.object_id)
            _forget(catalog, 2, procedure.object_id)
        elif statement.kind == "TYPE":
            found = catalog.type(name.schema, name.name)
            if found is None:
                if not statement.if_exists:
                    raise SqlError(
                        218,
                        f"Could not find the type '{name}'. Either it does not exist or you do not have "
                        "the necessary permission.",
                        16,
                        1,
                    )
                continue
            for procedure in catalog.procedures.values():
                for parameter in procedure.parameters:
                    if parameter.table and ".".join(parameter.table).lower() == found.full_name.lower():
                        raise SqlError(
                            3732,
                            f"Cannot drop type '{name}' because it is being referenced by object "
                            f"'{procedure.name}'. There may be other objects that reference this type.",
                            16,
                            1,
                        )
            del catalog.types[found.full_name.lower()]
            _forget(catalog, 6, found.object_id)
        elif statement.kind == "SCHEMA":
            _drop_schema(catalog, name.name, statement.if_exists)
        else:
            _drop_role(catalog, name.name, statement.if_exists)


def _no_drop(kind: str, name: s.ObjectName) -> SqlError:
    return SqlError(
        3701,
        f"Cannot drop the {kind} '{name}', because it does not exist or you do not have permission.",
        11,
        5,
    )


def _drop_table(session: Session, catalog: Catalog, name: s.ObjectName, if_exists: bool) -> None:
    table = catalog.table(name.schema, name.name)
    if table is None:
        if if_exists:
            return
        raise _no_drop("table", name)
    for other in catalog.tables.values():
        for key in other.foreign_keys:
            if other is not table and f"{key.schema}.{key.table}".lower() == table.full_name.lower():
                raise SqlError(
                    3726,
                    f"Could not drop object '{name}' because it is referenced by a FOREIGN KEY constraint.",
                    16,
                    1,
                )
    del catalog.tables[table.full_name.lower()]
    for number in (
        table.object_id,
        *(i.object_id for i in table.indexes),
        *(c.object_id for c in table.checks),
    ):
        _forget(catalog, 1, number)
    _forget(catalog, 7, table.object_id)
    _run(session, [f"DROP TABLE main.{quote(table.full_name)}"])


def _drop_index(
    session: Session, catalog: Catalog, owner: s.ObjectName, name: s.ObjectName, if_exists: bool
) -> None:
    found = catalog.table(owner.schema, owner.name)
    index = found.index(name.name) if found else None
    if found is None or index is None:
        if if_exists:
            return
        raise SqlError(
            3701,
            f"Cannot drop the index '{owner}.{name}', because it does not exist or you do not have "
            "permission.",
            11,
            7,
        )
    if index.kind != "IX":
        raise SqlError(
            3723,
            f"An explicit DROP INDEX is not allowed on index '{owner}.{name}'. It is being used for "
            f"{'PRIMARY KEY' if index.kind == 'PK' else 'UNIQUE'} constraint enforcement.",
            16,
            4,
        )
    table = catalog.edit_table(found)
    table.indexes = [other for other in table.indexes if other.name != index.name]
    full = storage.index_name(table.full_name, index)
    _run(
        session,
        [f"DROP INDEX IF EXISTS main.{quote(full)}", f"DROP INDEX IF EXISTS main.{quote(full + '~null')}"],
    )


def _drop_schema(catalog: Catalog, name: str, if_exists: bool) -> None:
    schema = catalog.schemas.get(name.lower())
    if schema is None:
        if if_exists:
            return
        raise SqlError(
            15151,
            f"Cannot drop the schema '{name}', because it does not exist or you do not have permission.",
            16,
            1,
        )
    items: list[Any] = [*catalog.tables.values(), *catalog.procedures.values(), *catalog.types.values()]
    for item in items:
        if item.schema.lower() == name.lower():
            raise SqlError(
                3729,
                f"Cannot drop schema '{name}' because it is being referenced by object '{item.name}'.",
                16,
                1,
            )
    del catalog.schemas[name.lower()]
    _forget(catalog, 3, schema.id)


def _drop_role(catalog: Catalog, name: str, if_exists: bool) -> None:
    role = catalog.principal(name)
    if role is None or role.type != "R" or role.id in (0, 16384):
        if if_exists and role is None:
            return
        raise SqlError(
            15151,
            f"Cannot drop the role '{name}', because it does not exist or you do not have permission.",
            16,
            1,
        )
    if role.members:
        raise SqlError(15144, "The role has members. It must be empty before it can be dropped.", 16, 1)
    del catalog.principals[name.lower()]
    catalog.grants = [grant for grant in catalog.grants if grant.principal.lower() != name.lower()]


def _forget(catalog: Catalog, class_: int, number: int) -> None:
    catalog.properties = [p for p in catalog.properties if (p.class_, p.major_id) != (class_, number)]
    catalog.grants = [g for g in catalog.grants if (g.class_, g.major_id) != (class_, number)]


def create_procedure(session: Session, catalog: Catalog, statement: s.CreateProcedure) -> None:
    from .compiler import compile_procedure, procedure_parameters

    schema = _schema_of(catalog, statement.name)
    name = statement.name.name
    existing = catalog.procedure(schema, name)
    if statement.mode == "CREATE" and (existing is not None or catalog.table(schema, name) is not None):
        _free(catalog, schema, name)
    if statement.mode == "ALTER" and existing is None:
        raise SqlError(208, f"Invalid object name '{statement.name}'.", 16, 6)
    if existing is None and catalog.table(schema, name) is not None:
        _free(catalog, schema, name)
    now = datetimes.utc_ticks()
    procedure = Procedure(
        schema,
        existing.name if existing else name,
        existing.object_id if existing else catalog.new_id(),
        procedure_parameters(catalog, statement.parameters),
        statement.definition,
        created=existing.created if existing else now,
        modified=now,
    )
    catalog.procedures[procedure.full_name.lower()] = procedure
    previous = session.catalog
    session.catalog = catalog
    try:
        from .database import find_program

        key = text_key(procedure.full_name.lower(), procedure.definition)
        program = find_program(key, catalog)
        if program is None:
            program = compile_procedure(session, procedure, statement)
            keep_program(key, program)
    finally:
        session.catalog = previous
    if previous.version:
        with contextlib.suppress(TypeError, AttributeError):
            store_program(session.sqlite, key, program)


def create_role(_: Session, catalog: Catalog, statement: s.CreateRole) -> None:
    if catalog.principal(statement.name) is not None:
        raise SqlError(
            15023, f"User, group, or role '{statement.name}' already exists in the current database.", 16, 1
        )
    number = max([4, *(p.id for p in catalog.principals.values() if p.id < 16384)]) + 1
    catalog.principals[statement.name.lower()] = Principal(statement.name, number)


def alter_role(_: Session, catalog: Catalog, statement: s.AlterRole) -> None:
    role = catalog.principal(statement.name)
    member = catalog.principal(statement.member)
    if role is None or role.type != "R":
        raise _no_principal(statement.name)
    if member is None:
        raise _no_principal(statement.member)
    members = [name for name in role.members if name.lower() != member.name.lower()]
    if statement.action == "ADD":
        members.append(member.name)
    catalog.principals[role.name.lower()] = Principal(role.name, role.id, role.type, members)


def _no_principal(name: str) -> SqlError:
    return SqlError(
        15151,
        f"Cannot find the user '{name}', because it does not exist or you do not have permission.",
        16,
        1,
    )


_CLASSES = {"DATABASE": 0, "OBJECT": 1, "SCHEMA": 3, "TYPE": 6}
_PERMISSIONS = {
    "OBJECT": {
        "EXECUTE",
        "EXEC",
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "REFERENCES",
        "ALTER",
        "CONTROL",
        "VIEW DEFINITION",
    },
    "TYPE": {"EXECUTE", "EXEC", "REFERENCES", "CONTROL", "VIEW DEFINITION"},
    "SCHEMA": {
        "EXECUTE",
        "EXEC",
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "REFERENCES",
        "ALTER",
        "CONTROL",
        "VIEW DEFINITION",
    },
    "DATABASE": {
        "CONNECT",
        "CREATE TABLE",
        "CREATE PROCEDURE",
        "VIEW DEFINITION",
        "VIEW DATABASE STATE",
        "EXECUTE",
        "EXEC",
        "SELECT",
    },
}


def permission(_: Session, catalog: Catalog, statement: s.Permission) -> None:
    if statement.columns:
        raise unsupported("permissions on columns", statement.line)
    major = _securable(catalog, statement)
    class_ = _CLASSES[statement.kind]
    for principal_name in statement.principals:
        principal = catalog.principal(principal_name)
        if principal is None:
            raise _no_principal(principal_name)
        for written in statement.permissions:
            if written not in _PERMISSIONS[statement.kind]:
                raise unsupported(f"{statement.action} {written} ON {statement.kind}", statement.line)
            name = "EXECUTE" if written == "EXEC" else written
            catalog.grants = [
                grant
                for grant in catalog.grants
                if not (
                    grant.class_ == class_
                    and grant.major_id == major
                    and grant.permission == name
                    and grant.principal.lower() == principal.name.lower()
                )
            ]
            if statement.action != "REVOKE":
                state = "G" if statement.action == "GRANT" else "D"
                catalog.grants.append(
                    Grant(class_, major, 0, principal.name, name, state, statement.grant_option)
                )


def _securable(catalog: Catalog, statement: s.Permission) -> int:
    name = statement.name
    if name is None or statement.kind == "DATABASE":
        return 0
    if statement.kind == "SCHEMA":
        schema = catalog.schema(name.name)
        if schema is not None:
            return schema.id
    elif statement.kind == "TYPE":
        found = catalog.type(name.schema, name.name)
        if found is not None:
            return found.object_id
    else:
        item = catalog.table(name.schema, name.name) or catalog.procedure(name.schema, name.name)
        if item is not None:
            return item.object_id
    raise SqlError(
        15151,
        f"Cannot find the {statement.kind.lower()} '{name.name}', because it does not exist or you do not "
        "have permission.",
        16,
        1,
    )


def alter_index(session: Session, catalog: Catalog, statement: s.AlterIndex) -> None:
    table = catalog.table(statement.table.schema, statement.table.name)
    if table is None:
        raise SqlError(
            1088,
            f'Cannot find the object "{statement.table}" because it does not exist or you do not have '
            "permissions.",
            16,
            9,
        )
    if statement.index.upper() == "ALL":
        _run(session, [f"REINDEX main.{quote(table.full_name)}"])
        return
    index = table.index(statement.index)
    if index is None:
        raise SqlError(
            7999, f"Could not find any index named '{statement.index}' for table '{statement.table}'.", 16, 9
        )
    if statement.action == "REBUILD":
        _run(session, [f"REINDEX main.{quote(storage.index_name(table.full_name, index))}"])


def truncate(session: Session, catalog: Catalog, statement: s.Truncate) -> None:
    table = catalog.table(statement.table.schema, statement.table.name)
    if table is None:
        raise SqlError(
            4701,
            f'Cannot find the object "{statement.table}" because it does not exist or you do not have '
            "permissions.",
            16,
            1,
        )
    _run(session, [f"DELETE FROM main.{quote(table.full_name)}"])
    if table.identity is not None:
        session.sqlite.execute("DELETE FROM main.sqlite_sequence WHERE name = ?", (table.full_name,))


_METHODS: dict[type, Any] = {
    s.CreateSchema: create_schema,
    s.CreateTable: create_table,
    s.CreateType: create_type,
    s.CreateIndex: create_index,
    s.AlterTable: alter_table,
    s.AlterIndex: alter_index,
    s.DropObjects: drop,
    s.CreateProcedure: create_procedure,
    s.CreateRole: create_role,
    s.AlterRole: alter_role,
    s.Permission: permission,
    s.Truncate: truncate,
}
