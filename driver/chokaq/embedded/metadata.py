"""Metadata functions (OBJECT_ID and its like) and the views of schemas sys and INFORMATION_SCHEMA.

The views are temp tables, filled from the catalog when a statement reads them and the catalog has changed.
"""

from __future__ import annotations

import getpass
import platform
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .catalog import Catalog, Column, Index, Parameter, Table
from .naming import quote
from .sql_functions import name_part
from .sqltypes import SqlType
from .system import split_name
from .values.types import parse_type

if TYPE_CHECKING:
    from .session import Session

#: system_type_id, bytes, precision, scale of the types, as sys.types has them.
_TYPES = {
    "uniqueidentifier": (36, 16, 0, 0),
    "date": (40, 3, 10, 0),
    "time": (41, 5, 16, 7),
    "datetime2": (42, 8, 27, 7),
    "tinyint": (48, 1, 3, 0),
    "smallint": (52, 2, 5, 0),
    "int": (56, 4, 10, 0),
    "smalldatetime": (58, 4, 16, 0),
    "real": (59, 4, 24, 0),
    "datetime": (61, 8, 23, 3),
    "float": (62, 8, 53, 0),
    "bit": (104, 1, 1, 0),
    "decimal": (106, 17, 38, 38),
    "numeric": (108, 17, 38, 38),
    "bigint": (127, 8, 19, 0),
    "varbinary": (165, 8000, 0, 0),
    "varchar": (167, 8000, 0, 0),
    "binary": (173, 8000, 0, 0),
    "char": (175, 8000, 0, 0),
    "nvarchar": (231, 8000, 0, 0),
    "nchar": (239, 8000, 0, 0),
}
COLLATION = "SQL_Latin1_General_CP1_CI_AS"
SYSNAME_ID = 256


def user_name() -> str:
    try:
        return getpass.getuser()
    except Exception:
        return "dbo"


# Functions


def find_object(catalog: Catalog, name: str, kind: str = "") -> int | None:
    """The object_id of a name; ``kind`` is a type code such as U, P, PK, UQ, C, D, F, TT."""
    schema, plain = split_name(name)
    kind = kind.strip().upper()
    table = catalog.table(schema, plain)
    if table is not None and kind in ("", "U"):
        return table.object_id
    procedure = catalog.procedure(schema, plain)
    if procedure is not None and kind in ("", "P"):
        return procedure.object_id
    wanted = (schema or "dbo").lower()
    for row in constraint_rows(catalog):
        if row[2].lower() == wanted and row[1].lower() == plain.lower() and kind in ("", row[3]):
            return int(row[0])
    return None


def constraint_rows(catalog: Catalog) -> Iterator[tuple[int, str, str, str, int]]:
    """(object_id, name, schema, type, parent_object_id) of every constraint."""
    for table in (*catalog.tables.values(), *catalog.types.values()):
        for index in table.indexes:
            if index.kind != "IX" and index.object_id:
                yield index.object_id, index.name, table.schema, index.kind, table.object_id
        for check in table.checks:
            yield check.object_id, check.name, table.schema, "C", table.object_id
        for key in table.foreign_keys:
            yield key.object_id, key.name, table.schema, "F", table.object_id
        for column in table.columns:
            if column.default is not None:
                yield column.default.object_id, column.default.name, table.schema, "D", table.object_id


def session_functions(session: Session) -> dict[str, Callable[..., Any]]:
    """The functions that look at a session's catalog and locks."""

    def named(number: Any) -> tuple[str, str] | None:
        catalog = session.catalog
        items: list[Any] = [*catalog.tables.values(), *catalog.procedures.values(), *catalog.types.values()]
        for item in items:
            if item.object_id == number:
                return item.schema, item.name
        for object_id, name, schema, _, _ in constraint_rows(catalog):
            if object_id == number:
                return schema, name
        return None

    def object_id(name: Any, kind: Any = "") -> Any:
        if name is None:
            return None
        plain = split_name(name)[1]
        if plain.startswith("#") or name.lower().startswith("tempdb.."):
            found = session.hash_tables.get(plain.lower())
            return -1000 - len(found) if found and (kind or "U").strip().upper() == "U" else None
        return find_object(session.catalog, name, kind or "")

    def object_name(number: Any, _database: Any = None) -> Any:
        found = named(number)
        return found[1] if found else None

    def object_schema_name(number: Any, _database: Any = None) -> Any:
        found = named(number)
        return found[0] if found else None

    def object_definition(number: Any) -> Any:
        catalog = session.catalog
        for procedure in catalog.procedures.values():
            if procedure.object_id == number:
                return procedure.definition
        for table in catalog.tables.values():
            for check in table.checks:
                if check.object_id == number:
                    return f"({check.text})"
            for column in table.columns:
                if column.default is not None and column.default.object_id == number:
                    return f"({column.default.text})"
        return None

    def schema_id(name: Any = "dbo") -> Any:
        found = session.catalog.schema(name) if name else None
        return found.id if found else None

    def schema_name(number: Any = 1) -> Any:
        return next((s.name for s in session.catalog.schemas.values() if s.id == number), None)

    def type_id(name: Any) -> Any:
        if name is None:
            return None
        schema, plain = split_name(name)
        found = session.catalog.type(schema, plain)
        if found is not None:
            return user_type_id(session.catalog, found)
        low = plain.lower()
        return SYSNAME_ID if low == "sysname" else _TYPES[low][0] if low in _TYPES else None

    def type_name(number: Any) -> Any:
        for table in session.catalog.types.values():
            if user_type_id(session.catalog, table) == number:
                return table.name
        return next((name for name, facts in _TYPES.items() if facts[0] == number), None)

    def col_length(table: Any, column: Any) -> Any:
        found = session.catalog.table(*split_name(table)) if table else None
        item = found.column(column) if found and column else None
        return type_facts(item.type)[1] if item else None

    def col_name(number: Any, column: Any) -> Any:
        for table in session.catalog.tables.values():
            if table.object_id == number:
                return next((c.name for c in table.columns if c.id == column), None)
        return None

    def database_principal_id(name: Any = "dbo") -> Any:
        found = session.catalog.principal(name) if name else None
        return found.id if found else None

    def user_name_(number: Any = 1) -> Any:
        return next((p.name for p in session.catalog.principals.values() if p.id == number), None)

    def serverproperty(name: Any) -> Any:
        return {
            "productversion": "14.0.0.0",
            "productmajorversion": "14",
            "edition": "Embedded engine",
            "engineedition": "0",
            "collation": COLLATION,
            "servername": platform.node(),
            "machinename": platform.node(),
        }.get(str(name).lower())

    def databasepropertyex(_database: Any, name: Any) -> Any:
        return {"collation": COLLATION, "status": "ONLINE", "updateability": "READ_WRITE", "isrcsi": "1"}.get(
            str(name).lower()
        )

    def objectproperty(number: Any, name: Any) -> Any:
        low = str(name).lower()
        catalog = session.catalog
        table = any(t.object_id == number for t in catalog.tables.values())
        procedure = any(p.object_id == number for p in catalog.procedures.values())
        if not (table or procedure):
            return None
        return {
            "istable": int(table),
            "isusertable": int(table),
            "isprocedure": int(procedure),
            "execisquotedidenton": 1 if procedure else None,
            "execisansinullson": 1 if procedure else None,
        }.get(low)

    def columnproperty(number: Any, column: Any, name: Any) -> Any:
        for table in session.catalog.tables.values():
            if table.object_id == number:
                found = table.column(column)
                if found is None:
                    return None
                return {
                    "allowsnull": int(found.nullable),
                    "isidentity": int(found.identity is not None),
                    "iscomputed": int(bool(found.computed)),
                    "columnid": found.id,
                }.get(str(name).lower())
        return None

    def indexproperty(number: Any, index: Any, name: Any) -> Any:
        for table in session.catalog.tables.values():
            if table.object_id == number:
                found = table.index(index)
                if found is None:
                    return None
                return {
                    "isunique": int(found.unique),
                    "isclustered": int(found.clustered),
                    "indexid": found.id,
                }.get(str(name).lower())
        return None

    def role_member(name: Any, member: Any = None) -> Any:
        role = session.catalog.principal(name) if name else None
        if role is None or role.type != "R":
            return None
        return int(
            (member or "dbo").lower() in {m.lower() for m in role.members}
            or role.name == "public"
            or (member in (None, "dbo") and role.name == "db_owner")
        )

    def applock_test(principal: Any, resource: Any, mode: Any, _owner: Any) -> Any:
        from .system import _mode

        return int(
            session.locks.test(
                session.spid, f"{principal or 'public'}\0{(resource or '')[:255]}", _mode(mode)
            )
        )

    def applock_mode(principal: Any, resource: Any, owner: Any) -> Any:
        return session.locks.mode(
            session.spid, str(owner).capitalize(), f"{principal or 'public'}\0{(resource or '')[:255]}"
        )

    return {
        "object_id": object_id,
        "object_name": object_name,
        "object_schema_name": object_schema_name,
        "object_definition": object_definition,
        "schema_id": schema_id,
        "schema_name": schema_name,
        "type_id": type_id,
        "type_name": type_name,
        "col_length": col_length,
        "col_name": col_name,
        "db_name": lambda _number=None: session.database.name if session.database.path else "memory",
        "db_id": lambda _name=None: 5,
        "suser_sname": lambda _sid=None: user_name(),
        "suser_name": lambda _sid=None: user_name(),
        "original_login": user_name,
        "user_name": user_name_,
        "user_id": database_principal_id,
        "database_principal_id": database_principal_id,
        "host_name": platform.node,
        "app_name": lambda: "chokaq",
        "serverproperty": serverproperty,
        "databasepropertyex": databasepropertyex,
        "objectproperty": objectproperty,
        "columnproperty": columnproperty,
        "indexproperty": indexproperty,
        "has_perms_by_name": lambda *_: 1,
        "is_rolemember": role_member,
        "is_member": role_member,
        "applock_test": applock_test,
        "applock_mode": applock_mode,
        "parsename": name_part,
    }


# Facts of types, as sys.columns has them


def type_facts(kind: SqlType) -> tuple[int, int, int, int]:
    """(system_type_id, max_length, precision, scale)."""
    number, size, precision, scale = _TYPES[kind.name]
    if kind.is_string or kind.is_binary:
        size = -1 if kind.length is None else kind.length * (2 if kind.is_unicode else 1)
    elif kind.name == "decimal":
        size = 5 if kind.precision <= 9 else 9 if kind.precision <= 19 else 13 if kind.precision <= 28 else 17
        precision, scale = kind.precision, kind.scale
    elif kind.name in ("datetime2", "time"):
        extra = 3 if kind.name == "datetime2" else 0
        size = (3 if kind.scale <= 2 else 4 if kind.scale <= 4 else 5) + extra
        base = 19 if kind.name == "datetime2" else 8
        precision, scale = base + (kind.scale + 1 if kind.scale else 0), kind.scale
    return number, size, precision, scale


def user_type_id(catalog: Catalog, table: Table) -> int:
    ids = sorted(other.object_id for other in catalog.types.values())
    return 257 + ids.index(table.object_id)


# Views: name -> columns ("name type …"), rows

_COLUMNS = {
    "sys.schemas": "name sysname, schema_id int, principal_id int",
    "sys.objects": "name sysname, object_id int, principal_id int, schema_id int, parent_object_id int, "
    "type char(2), "
    "type_desc nvarchar(60), create_date datetime, modify_date datetime, is_ms_shipped bit",
    "sys.tables": "name sysname, object_id int, schema_id int, parent_object_id int, type char(2), "
    "type_desc nvarchar(60), "
    "create_date datetime, modify_date datetime, is_ms_shipped bit, temporal_type tinyint",
    "sys.procedures": "name sysname, object_id int, schema_id int, parent_object_id int, type char(2), "
    "type_desc nvarchar(60), "
    "create_date datetime, modify_date datetime, is_ms_shipped bit",
    "sys.columns": "object_id int, name sysname, column_id int, system_type_id tinyint, user_type_id "
    "int, max_length smallint, "
    "precision tinyint, scale tinyint, collation_name sysname, is_nullable bit, is_identity bit, "
    "is_computed bit, "
    "default_object_id int, is_rowguidcol bit",
    "sys.types": "name sysname, system_type_id tinyint, user_type_id int, schema_id int, max_length "
    "smallint, precision tinyint, "
    "scale tinyint, is_nullable bit, is_user_defined bit, is_table_type bit",
    "sys.table_types": "name sysname, system_type_id tinyint, user_type_id int, schema_id int, "
    "type_table_object_id int, "
    "is_nullable bit, is_user_defined bit, is_table_type bit",
    "sys.indexes": "object_id int, name sysname, index_id int, type tinyint, type_desc nvarchar(60), "
    "is_unique bit, "
    "is_primary_key bit, is_unique_constraint bit, has_filter bit, filter_definition nvarchar(max), "
    "is_disabled bit, "
    "fill_factor tinyint, is_padded bit, allow_row_locks bit, allow_page_locks bit, data_space_id int, "
    "ignore_dup_key bit",
    "sys.index_columns": "object_id int, index_id int, index_column_id int, column_id int, key_ordinal "
    "tinyint, "
    "partition_ordinal tinyint, is_descending_key bit, is_included_column bit",
    "sys.key_constraints": "name sysname, object_id int, schema_id int, parent_object_id int, type "
    "char(2), type_desc nvarchar(60), "
    "unique_index_id int, is_system_named bit",
    "sys.check_constraints": "name sysname, object_id int, schema_id int, parent_object_id int, type "
    "char(2), type_desc nvarchar(60), "
    "definition nvarchar(max), parent_column_id int, is_disabled bit, is_not_trusted bit, "
    "is_system_named bit",
    "sys.default_constraints": "name sysname, object_id int, schema_id int, parent_object_id int, type "
    "char(2), type_desc nvarchar(60), "
    "definition nvarchar(max), parent_column_id int, is_system_named bit",
    "sys.foreign_keys": "name sysname, object_id int, schema_id int, parent_object_id int, type char(2), "
    "type_desc nvarchar(60), "
    "referenced_object_id int, is_disabled bit, is_not_trusted bit, is_system_named bit, "
    "delete_referential_action tinyint, "
    "update_referential_action tinyint",
    "sys.foreign_key_columns": "constraint_object_id int, constraint_column_id int, parent_object_id "
    "int, parent_column_id int, "
    "referenced_object_id int, referenced_column_id int",
    "sys.identity_columns": "object_id int, name sysname, column_id int, seed_value bigint, "
    "increment_value bigint",
    "sys.computed_columns": "object_id int, name sysname, column_id int, definition nvarchar(max), "
    "is_persisted bit",
    "sys.parameters": "object_id int, name sysname, parameter_id int, system_type_id tinyint, "
    "user_type_id int, max_length smallint, "
    "precision tinyint, scale tinyint, is_output bit, has_default_value bit, is_readonly bit, "
    "is_nullable bit, "
    "default_value nvarchar(4000)",
    "sys.sql_modules": "object_id int, definition nvarchar(max), uses_ansi_nulls bit, "
    "uses_quoted_identifier bit, is_schema_bound bit, "
    "is_recompiled bit, execute_as_principal_id int",
    "sys.extended_properties": "class tinyint, class_desc nvarchar(60), major_id int, minor_id int, name "
    "sysname, value nvarchar(4000)",
    "sys.database_principals": "name sysname, principal_id int, type char(1), type_desc nvarchar(60), "
    "is_fixed_role bit",
    "sys.database_role_members": "role_principal_id int, member_principal_id int",
    "sys.database_permissions": "class tinyint, class_desc nvarchar(60), major_id int, minor_id int, "
    "grantee_principal_id int, "
    "grantor_principal_id int, type char(4), permission_name nvarchar(128), state char(1), state_desc "
    "nvarchar(60)",
    "sys.databases": "name sysname, database_id int, compatibility_level tinyint, collation_name sysname, "
    "is_read_committed_snapshot_on bit, snapshot_isolation_state tinyint, is_read_only bit, state "
    "tinyint, recovery_model tinyint",
    "sys.stats": "object_id int, name sysname, stats_id int",
    "sys.triggers": "name sysname, object_id int, parent_id int, is_disabled bit",
    "sys.views": "name sysname, object_id int, schema_id int",
    "sys.sequences": "name sysname, object_id int, schema_id int",
    "information_schema.tables": "table_catalog sysname, table_schema sysname, table_name sysname, "
    "table_type varchar(10)",
    "information_schema.columns": "table_catalog sysname, table_schema sysname, table_name sysname, "
    "column_name sysname, "
    "ordinal_position int, column_default nvarchar(4000), is_nullable varchar(3), data_type nvarchar(128), "
    "character_maximum_length int, numeric_precision tinyint, numeric_scale int, datetime_precision "
    "smallint, collation_name sysname",
    "information_schema.routines": "routine_schema sysname, routine_name sysname, routine_type "
    "nvarchar(20), routine_definition nvarchar(4000)",
    "information_schema.parameters": "specific_schema sysname, specific_name sysname, ordinal_position "
    "int, parameter_mode nvarchar(10), "
    "parameter_name sysname, data_type nvarchar(128), character_maximum_length int",
}
_DESCRIPTIONS = {
    "U": "USER_TABLE",
    "P": "SQL_STORED_PROCEDURE",
    "PK": "PRIMARY_KEY_CONSTRAINT",
    "UQ": "UNIQUE_CONSTRAINT",
    "C": "CHECK_CONSTRAINT",
    "D": "DEFAULT_CONSTRAINT",
    "F": "FOREIGN_KEY_CONSTRAINT",
    "TT": "TYPE_TABLE",
}
_CLASSES = {0: "DATABASE", 1: "OBJECT_OR_COLUMN", 2: "PARAMETER", 3: "SCHEMA", 6: "TYPE", 7: "INDEX"}
_PERMISSION_CODES = {
    "EXECUTE": "EX",
    "SELECT": "SL",
    "INSERT": "IN",
    "UPDATE": "UP",
    "DELETE": "DL",
    "REFERENCES": "RF",
    "CONTROL": "CL",
    "ALTER": "AL",
    "VIEW DEFINITION": "VW",
    "CONNECT": "CO",
}


@lru_cache(maxsize=1)
def view_tables() -> dict[str, Table]:
    """The views as tables, by lower-case ``schema.name``."""
    found = {}
    for full, text in _COLUMNS.items():
        schema, _, name = full.partition(".")
        columns = []
        depth_text = text.replace("(max)", "(max)")
        for number, part in enumerate(depth_text.split(", "), 1):
            column, _, kind = part.partition(" ")
            columns.append(Column(column, parse_type(kind), True, number))
        table = Table(schema, name, 0, columns)
        if (full.startswith("sys.") and columns[0].name == "object_id") or name in ("objects", "tables"):
            table.indexes.append(Index("IX", "IX", [("object_id", False)], False, 2))
        found[full] = table
    return found


def refresh(session: Session, views: list[str]) -> None:
    """Fill the views that are older than the catalog."""
    tables = view_tables()
    for name in views:
        if session.views_version.get(name) is session.catalog:
            continue
        table = tables[name]
        rows = list(_ROWS[name](session))
        alone = not session.sqlite.in_transaction
        if alone:
            session.sqlite.execute("BEGIN")
        if not session.ensure_temp(name, table):
            session.sqlite.execute(f"DELETE FROM temp.{quote(name)}")
        marks = ", ".join("?" * len(table.columns))
        session.sqlite.executemany(f"INSERT INTO temp.{quote(name)} VALUES ({marks})", rows)
        if alone:
            session.sqlite.execute("COMMIT")
        session.views_version[name] = session.catalog


def _schema_id(catalog: Catalog, name: str) -> int:
    found = catalog.schema(name)
    return found.id if found else 0


def _schemas(session: Session) -> Iterator[Any]:
    for schema in session.catalog.schemas.values():
        yield schema.name, schema.id, 1


def _objects(session: Session) -> Iterator[Any]:
    catalog = session.catalog
    for table in catalog.tables.values():
        yield (
            table.name,
            table.object_id,
            None,
            _schema_id(catalog, table.schema),
            0,
            "U ",
            "USER_TABLE",
            table.created,
            table.modified,
            0,
        )
    for table in catalog.types.values():
        yield (
            f"TT_{table.name}",
            table.object_id,
            None,
            4,
            0,
            "TT",
            "TYPE_TABLE",
            table.created,
            table.modified,
            0,
        )
    for procedure in catalog.procedures.values():
        yield (
            procedure.name,
            procedure.object_id,
            None,
            _schema_id(catalog, procedure.schema),
            0,
            "P ",
            "SQL_STORED_PROCEDURE",
            procedure.created,
            procedure.modified,
            0,
        )
    for object_id, name, schema, kind, parent in constraint_rows(catalog):
        yield (
            name,
            object_id,
            None,
            _schema_id(catalog, schema),
            parent,
            kind.ljust(2),
            _DESCRIPTIONS[kind],
            0,
            0,
            0,
        )


def _tables(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        yield (
            table.name,
            table.object_id,
            _schema_id(session.catalog, table.schema),
            0,
            "U ",
            "USER_TABLE",
            table.created,
            table.modified,
            0,
            0,
        )


def _procedures(session: Session) -> Iterator[Any]:
    for procedure in session.catalog.procedures.values():
        yield (
            procedure.name,
            procedure.object_id,
            _schema_id(session.catalog, procedure.schema),
            0,
            "P ",
            "SQL_STORED_PROCEDURE",
            procedure.created,
            procedure.modified,
            0,
        )


def _all_tables(session: Session) -> list[Table]:
    return [*session.catalog.tables.values(), *session.catalog.types.values()]


def _columns(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        for column in table.columns:
            number, size, precision, scale = type_facts(column.type)
            collation = (column.collation or COLLATION) if column.type.is_string else None
            yield (
                table.object_id,
                column.name,
                column.id,
                number,
                number,
                size,
                precision,
                scale,
                collation,
                int(column.nullable),
                int(column.identity is not None),
                int(bool(column.computed)),
                column.default.object_id if column.default else 0,
                0,
            )


def _types(session: Session) -> Iterator[Any]:
    for name, (number, size, precision, scale) in _TYPES.items():
        yield name, number, number, 4, size, precision, scale, 1, 0, 0
    yield "sysname", 231, SYSNAME_ID, 4, 256, 0, 0, 0, 0, 0
    for table in session.catalog.types.values():
        yield (
            table.name,
            243,
            user_type_id(session.catalog, table),
            _schema_id(session.catalog, table.schema),
            -1,
            0,
            0,
            0,
            1,
            1,
        )


def _table_types(session: Session) -> Iterator[Any]:
    for table in session.catalog.types.values():
        yield (
            table.name,
            243,
            user_type_id(session.catalog, table),
            _schema_id(session.catalog, table.schema),
            table.object_id,
            0,
            1,
            1,
        )


def _indexes(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        if not any(index.clustered for index in table.indexes):
            yield (table.object_id, None, 0, 0, "HEAP", 0, 0, 0, 0, None, 0, 0, 0, 1, 1, 1, 0)
        for index in table.indexes:
            yield (
                table.object_id,
                index.name,
                index.id,
                1 if index.clustered else 2,
                "CLUSTERED" if index.clustered else "NONCLUSTERED",
                int(index.unique),
                int(index.kind == "PK"),
                int(index.kind == "UQ"),
                int(bool(index.where)),
                f"({index.where})" if index.where else None,
                0,
                0,
                0,
                1,
                1,
                1,
                0,
            )


def _index_columns(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        for index in table.indexes:
            number = 0
            for name, descending in index.columns:
                number += 1
                column = table.must(name)
                yield table.object_id, index.id, number, column.id, number, 0, int(descending), 0
            for name in index.include:
                number += 1
                column = table.must(name)
                yield table.object_id, index.id, number, column.id, 0, 0, 0, 1


def _key_constraints(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        for index in table.indexes:
            if index.kind != "IX":
                yield (
                    index.name,
                    index.object_id,
                    _schema_id(session.catalog, table.schema),
                    table.object_id,
                    index.kind,
                    _DESCRIPTIONS[index.kind],
                    index.id,
                    int(index.system_named),
                )


def _check_constraints(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        for check in table.checks:
            named = [column.id for column in table.columns if quote(column.name) in check.sql]
            yield (
                check.name,
                check.object_id,
                _schema_id(session.catalog, table.schema),
                table.object_id,
                "C ",
                "CHECK_CONSTRAINT",
                f"({check.text})",
                named[0] if len(named) == 1 else 0,
                int(check.disabled),
                0,
                int(check.system_named),
            )


def _default_constraints(session: Session) -> Iterator[Any]:
    for table in _all_tables(session):
        for column in table.columns:
            if column.default is not None:
                yield (
                    column.default.name,
                    column.default.object_id,
                    _schema_id(session.catalog, table.schema),
                    table.object_id,
                    "D ",
                    "DEFAULT_CONSTRAINT",
                    f"({column.default.text})",
                    column.id,
                    int(column.default.system_named),
                )


def _foreign_keys(session: Session) -> Iterator[Any]:
    actions = {"NO ACTION": 0, "CASCADE": 1, "SET NULL": 2, "SET DEFAULT": 3}
    for table in session.catalog.tables.values():
        for key in table.foreign_keys:
            parent = session.catalog.table(key.schema, key.table)
            yield (
                key.name,
                key.object_id,
                _schema_id(session.catalog, table.schema),
                table.object_id,
                "F ",
                "FOREIGN_KEY_CONSTRAINT",
                parent.object_id if parent else 0,
                0,
                0,
                int(key.system_named),
                actions[key.on_delete],
                actions[key.on_update],
            )


def _foreign_key_columns(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        for key in table.foreign_keys:
            parent = session.catalog.must_table(key.schema, key.table)
            for number, (own, other) in enumerate(zip(key.columns, key.referenced, strict=True), 1):
                column = table.must(own)
                referenced = parent.must(other.strip('"').removesuffix("#k"))
                yield key.object_id, number, table.object_id, column.id, parent.object_id, referenced.id


def _identity_columns(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        for column in table.columns:
            if column.identity is not None:
                yield table.object_id, column.name, column.id, *column.identity


def _computed_columns(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        for column in table.columns:
            if column.computed:
                yield table.object_id, column.name, column.id, f"({column.computed})", 0


def _parameter_facts(session: Session, parameter: Parameter) -> tuple[int, int, int, int, int]:
    if parameter.table is not None:
        table = session.catalog.type(*parameter.table)
        return 243, user_type_id(session.catalog, table) if table else 0, -1, 0, 0
    number, size, precision, scale = type_facts(parameter.type)
    return number, number, size, precision, scale


def _parameters(session: Session) -> Iterator[Any]:
    for procedure in session.catalog.procedures.values():
        for number, parameter in enumerate(procedure.parameters, 1):
            # has_default_value is 0 for T-SQL procedures on a server, too.
            yield (
                procedure.object_id,
                parameter.name,
                number,
                *_parameter_facts(session, parameter),
                int(parameter.output),
                0,
                int(parameter.readonly),
                1,
                None,
            )


def _sql_modules(session: Session) -> Iterator[Any]:
    for procedure in session.catalog.procedures.values():
        yield (
            procedure.object_id,
            procedure.definition,
            int(procedure.ansi_nulls),
            int(procedure.quoted_identifier),
            0,
            0,
            None,
        )


def _extended_properties(session: Session) -> Iterator[Any]:
    for item in session.catalog.properties:
        value = item.value
        yield (
            item.class_,
            _CLASSES[item.class_],
            item.major_id,
            item.minor_id,
            item.name,
            None if value is None else str(value),
        )


def _principals(session: Session) -> Iterator[Any]:
    for principal in session.catalog.principals.values():
        yield (
            principal.name,
            principal.id,
            principal.type,
            "DATABASE_ROLE" if principal.type == "R" else "SQL_USER",
            int(principal.id == 16384),
        )


def _role_members(session: Session) -> Iterator[Any]:
    for principal in session.catalog.principals.values():
        for member in principal.members:
            found = session.catalog.principal(member)
            if found is not None:
                yield principal.id, found.id


def _permissions(session: Session) -> Iterator[Any]:
    for grant in session.catalog.grants:
        principal = session.catalog.principal(grant.principal)
        state = "W" if grant.grant_option else grant.state
        words = {"G": "GRANT", "D": "DENY", "W": "GRANT_WITH_GRANT_OPTION"}
        yield (
            grant.class_,
            _CLASSES[grant.class_],
            grant.major_id,
            grant.minor_id,
            principal.id if principal else 0,
            1,
            _PERMISSION_CODES.get(grant.permission, "").ljust(4),
            grant.permission,
            state,
            words[state],
        )


def _databases(session: Session) -> Iterator[Any]:
    yield (session.database.name if session.database.path else "memory", 5, 140, COLLATION, 1, 0, 0, 0, 1)


def _stats(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        for index in table.indexes:
            yield table.object_id, index.name, index.id


def _none(_: Session) -> Iterator[Any]:
    return iter(())


def _info_tables(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        yield session.database.name, table.schema, table.name, "BASE TABLE"


def _info_columns(session: Session) -> Iterator[Any]:
    for table in session.catalog.tables.values():
        for column in table.columns:
            kind = column.type
            _, _, precision, scale = type_facts(kind)
            text = kind.is_string or kind.is_binary
            yield (
                session.database.name,
                table.schema,
                table.name,
                column.name,
                column.id,
                f"({column.default.text})" if column.default else None,
                "YES" if column.nullable else "NO",
                kind.name,
                (-1 if kind.length is None else kind.length) if text else None,
                precision if kind.is_number else None,
                scale if kind.is_number else None,
                scale if kind.is_time else None,
                COLLATION if kind.is_string else None,
            )


def _info_routines(session: Session) -> Iterator[Any]:
    for procedure in session.catalog.procedures.values():
        yield procedure.schema, procedure.name, "PROCEDURE", procedure.definition[:4000]


def _info_parameters(session: Session) -> Iterator[Any]:
    for procedure in session.catalog.procedures.values():
        for number, parameter in enumerate(procedure.parameters, 1):
            kind = "table type" if parameter.table else parameter.type.name
            yield (
                procedure.schema,
                procedure.name,
                number,
                "INOUT" if parameter.output else "IN",
                parameter.name,
                kind,
                parameter.type.length,
            )


_ROWS: dict[str, Callable[[Session], Iterator[Any]]] = {
    "sys.schemas": _schemas,
    "sys.objects": _objects,
    "sys.tables": _tables,
    "sys.procedures": _procedures,
    "sys.columns": _columns,
    "sys.types": _types,
    "sys.table_types": _table_types,
    "sys.indexes": _indexes,
    "sys.index_columns": _index_columns,
    "sys.key_constraints": _key_constraints,
    "sys.check_constraints": _check_constraints,
    "sys.default_constraints": _default_constraints,
    "sys.foreign_keys": _foreign_keys,
    "sys.foreign_key_columns": _foreign_key_columns,
    "sys.identity_columns": _identity_columns,
    "sys.computed_columns": _computed_columns,
    "sys.parameters": _parameters,
    "sys.sql_modules": _sql_modules,
    "sys.extended_properties": _extended_properties,
    "sys.database_principals": _principals,
    "sys.database_role_members": _role_members,
    "sys.database_permissions": _permissions,
    "sys.databases": _databases,
    "sys.stats": _stats,
    "sys.triggers": _none,
    "sys.views": _none,
    "sys.sequences": _none,
    "information_schema.tables": _info_tables,
    "information_schema.columns": _info_columns,
    "information_schema.routines": _info_routines,
    "information_schema.parameters": _info_parameters,
}
