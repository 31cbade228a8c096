"""What SQLite reports, as SQL Server's errors."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from . import errors, storage
from .catalog import Index, Table
from .naming import quote
from .problems import SqlError, json_malformed
from .sql_functions import take_pending

if TYPE_CHECKING:
    from .session import Session


def translate(session: Session, error: sqlite3.Error, verb: str, target: Any, frame: Any) -> SqlError:
    """The SqlError for an error of SQLite in a statement of ``verb`` on ``target``."""
    text = str(error)
    if "user-defined" in text or text == "error":
        pending = take_pending()
        if pending is not None:
            return pending
    if isinstance(error, sqlite3.IntegrityError):
        if target is None:
            return SqlError(547, f"A constraint failed: {text}", 16, 0)
        return _integrity(session, text, verb, target, frame)
    low = text.lower()
    if "locked" in low or "busy" in low:
        return SqlError(1222, "Lock request time out period exceeded.", 16, 51)
    if "malformed json" in low:
        return json_malformed()
    if "integer overflow" in low:
        return errors.convert_overflow("bigint")
    if "disk is full" in low or "disk i/o" in low:
        return SqlError(1105, f"Could not allocate space for the database: {text}.", 17, 2)
    if "readonly" in low:
        return SqlError(3906, "Failed to update the database because the database is read-only.", 16, 1)
    if "interrupted" in low:
        return SqlError(3617, "The query was cancelled.", 11, 1)
    if "not a database" in low or "malformed" in low or "another version" in low:
        return SqlError(824, f"The database file cannot be read: {text}.", 24, 2)
    return SqlError(8630, f"Internal error of the embedded engine: {text}", 16, 1)


def _integrity(session: Session, text: str, verb: str, target: Any, frame: Any) -> SqlError:
    table: Table = target.table
    name = target.sqlite_name(frame)
    database = session.database.name if session.database.path else "memory"
    shown = f"{table.schema}.{table.name}" if table.schema else table.name
    kind, _, rest = text.partition(" constraint failed: ")
    if kind == "NOT NULL":
        column = rest[len(name) + 1 :] if rest.startswith(f"{name}.") else rest.rpartition(".")[2]
        return errors.null_into_column(column, f"{database}.{shown}", verb)
    if kind == "UNIQUE":
        index = _index(table, name, rest)
        if index is None:
            return SqlError(2627, f"Violation of a UNIQUE constraint: {rest}", 14, 1)
        if index.kind == "IX":
            return errors.duplicate_row(shown, index.name, "…")
        return errors.duplicate_key(
            "PRIMARY KEY" if index.kind == "PK" else "UNIQUE KEY", index.name, shown, "…"
        )
    if kind == "CHECK":
        if rest.startswith(storage.LENGTH):
            return errors.truncation(f"{database}.{shown}", rest[len(storage.LENGTH) :], "")
        if rest.startswith(storage.RANGE):
            column_ = table.column(rest[len(storage.RANGE) :])
            type_name = column_.type.name if column_ else "int"
            return errors.convert_overflow("numeric" if type_name == "decimal" else type_name)
        return errors.check_conflict(verb, rest, database, shown, _only_column(table, rest))
    if text.startswith("FOREIGN KEY"):
        if table.foreign_keys and verb != "DELETE":
            key = table.foreign_keys[0]
            return errors.foreign_key_conflict(verb, key.name, database, f"{key.schema}.{key.table}")
        for other in session.catalog.tables.values():
            for key in other.foreign_keys:
                if f"{key.schema}.{key.table}".lower() == table.full_name.lower():
                    return errors.foreign_key_conflict(
                        verb, key.name, database, other.full_name, referenced=True
                    )
        return errors.foreign_key_conflict(verb, "", database, shown)
    return SqlError(547, f"A constraint failed: {text}", 16, 0)


def _index(table: Table, name: str, text: str) -> Index | None:
    if text.startswith("index '"):
        inner = text[7:].rstrip("'").removesuffix("~null")
        return next((index for index in table.indexes if storage.index_name(name, index) == inner), None)
    columns = [part.removeprefix(f"{name}.") for part in text.split(", ")]
    for index in table.indexes:
        if not index.unique:
            continue
        keys = []
        for column_name, _ in index.columns:
            column = table.column(column_name)
            if column is not None:
                key = storage.key_of(column)
                keys.append(key)
        if keys == [quote(column) for column in columns]:
            return index
    return None


def _only_column(table: Table, constraint: str) -> str:
    """The column of a CHECK that names just one."""
    check = next((check for check in table.checks if check.name == constraint), None)
    if check is None:
        return ""
    found = [column.name for column in table.columns if quote(column.name) in check.sql]
    return found[0] if len(found) == 1 else ""
