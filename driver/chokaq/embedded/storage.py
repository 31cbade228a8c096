"""Tables in SQLite: their CREATE statements, the checks that stand for T-SQL's type rules, and their
indexes.
"""

from __future__ import annotations

from .catalog import Column, Index, Table
from .naming import key_column, key_expression, literal, quote
from .sqltypes import RANGES

#: Prefixes of the engine's own CHECK constraints; the executor turns them into conversion and truncation
#: errors.
LENGTH, RANGE = "#length:", "#range:"


def key_of(column: Column) -> str:
    """The text of the column that indexes and constraints use: the key of a string, else the column."""
    return key_column(column.name) if column.type.is_string else quote(column.name)


def mark_keyed(table: Table) -> None:
    """Decide which string columns get a hidden key column: those that an index or a foreign key is made
    of.
    """
    names = {name.lower() for index in table.indexes for name, _ in index.columns}
    names.update(name.lower() for key in table.foreign_keys for name in key.columns)
    for column in table.columns:
        if column.name.lower() in names and column.type.is_string:
            column.keyed = True


def column_text(column: Column) -> str:
    """One column of CREATE TABLE."""
    name = quote(column.name)
    if column.computed:
        return f"{name} {column.type.storage} GENERATED ALWAYS AS ({column.computed_sql}) VIRTUAL"
    if column.identity:
        return f"{name} INTEGER PRIMARY KEY AUTOINCREMENT"
    return f"{name} {column.type.storage}{'' if column.nullable else ' NOT NULL'}"


def key_text(column: Column, kept: bool = False) -> str:
    """The hidden column with the collation key; of a binary collation that is the text without trailing
    spaces.
    ``kept``: worked out once, when the row is written.
    """
    name = quote(column.name)
    key = f"rtrim({name}, ' ')" if column.binary else key_expression(name)
    return f"{key_column(column.name)} TEXT GENERATED ALWAYS AS ({key}) {'STORED' if kept else 'VIRTUAL'}"


def type_check(column: Column) -> str:
    """The CHECK that keeps a column within its declared type; empty where SQLite does it alone."""
    name, kind = quote(column.name), column.type
    if kind.is_integer:
        low, high = RANGES[kind.name]
        test = (
            f"typeof({name}) IN ('integer', 'null')"
            if kind.name == "bigint"
            else f"{name} BETWEEN {low} AND {high}"
        )
        return f"CONSTRAINT {quote(RANGE + column.name)} CHECK ({test})"
    if (kind.is_string or kind.is_binary) and kind.length is not None:
        test = f"length({name}) <= {kind.length}"
        if kind.is_unicode:
            test = f"length(CAST({name} AS BLOB)) <= {kind.length} OR chokaq_width({name}) <= {kind.length}"
        return f"CONSTRAINT {quote(LENGTH + column.name)} CHECK ({test})"
    if kind.name == "decimal" and kind.storage == "INTEGER":
        limit = 10**kind.precision
        return (
            f"CONSTRAINT {quote(RANGE + column.name)} CHECK ({name} > {-limit} AND {name} < {limit})"
            if limit < 2**63
            else (f"CONSTRAINT {quote(RANGE + column.name)} CHECK (typeof({name}) IN ('integer', 'null'))")
        )
    return ""


def create_table(table: Table, name: str, database: str = "main") -> list[str]:
    """The statements that make the table and its indexes under the SQLite name ``name``."""
    parts = [column_text(column) for column in table.columns]
    parts += [key_text(column, database == "temp") for column in table.columns if column.keyed]
    parts += [check for check in map(type_check, table.columns) if check]
    parts += [
        f"CONSTRAINT {quote(check.name)} CHECK ({check.sql})" for check in table.checks if not check.disabled
    ]
    for key in table.foreign_keys:
        own = ", ".join(key_of(column) for column in map(table.column, key.columns) if column)
        parts.append(
            f"CONSTRAINT {quote(key.name)} FOREIGN KEY ({own}) REFERENCES "
            f"{quote(f'{key.schema}.{key.table}')} "
            f"({', '.join(key.referenced)}) ON DELETE {key.on_delete} ON UPDATE {key.on_update}"
        )
    statements = [f"CREATE TABLE {database}.{quote(name)} ({', '.join(parts)})"]
    for index in table.indexes:
        statements += create_index(table, index, name, database)
    return statements


def create_index(table: Table, index: Index, name: str, database: str = "main") -> list[str]:
    """The statements of one index; none where the table itself is that index (a single identity column)."""
    columns = []
    nulls = []
    for column_name, descending in index.columns:
        column = table.must(column_name)
        if column.identity and len(index.columns) == 1 and index.unique:
            return []
        key = key_of(column)
        columns.append(key + (" DESC" if descending else ""))
        if column.nullable and f"{quote(column.name)} IS NOT NULL" not in index.where_sql:
            nulls.append(key)
    where = f" WHERE {index.where_sql}" if index.where_sql else ""
    unique = "UNIQUE " if index.unique else ""
    full = index_name(name, index)
    statements = [
        f"CREATE {unique}INDEX {database}.{quote(full)} ON {quote(name)} ({', '.join(columns)}){where}"
    ]
    if unique and nulls:
        # NULLs are equal for T-SQL's unique indexes, all different for SQLite's: a second index says so.
        keys = []
        for column_name, _ in index.columns:
            column = table.must(column_name)
            key = key_of(column)
            keys += [f"ifnull({key}, 0)", f"{key} IS NULL"] if key in nulls else [key]
        some_null = " OR ".join(f"{key} IS NULL" for key in nulls)
        where = f" WHERE ({some_null})" + (f" AND ({index.where_sql})" if index.where_sql else "")
        statements.append(
            f"CREATE UNIQUE INDEX {database}.{quote(full + '~null')} ON {quote(name)} "
            f"({', '.join(keys)}){where}"
        )
    return statements


def index_name(table: str, index: Index) -> str:
    return f"{table}~{index.name}"


#: How many rows the planner is to expect: tables of the database may be large, temporary ones are small.
LARGE, SMALL = 1_000_000, 64


def statistics(table: Table, name: str, rows: int) -> list[tuple[str, str | None, str]]:
    """Rows of sqlite_stat1. Nothing is measured: a unique key finds one row, each further column of an index
    leaves a tenth, a column of few values (bit, tinyint) a third. Without them SQLite takes any equality for
    nearly unique, and walks all rows of one status to find a few by their keys.
    """
    found: list[tuple[str, str | None, str]] = []
    for index in table.indexes:
        columns = [table.must(column) for column, _ in index.columns]
        if columns[0].identity and len(columns) == 1 and index.unique:
            continue
        parts = [str(rows)]
        left = rows
        for column in columns:
            left = max(2, left // (3 if column.type.name in ("bit", "tinyint") else 10))
            parts.append(str(left))
        if index.unique:
            parts[-1] = "1"
        found.append((name, index_name(name, index), " ".join(parts)))
    if not found:
        found.append((name, None, str(rows)))
    return found


def write_statistics(table: Table, name: str, first: bool) -> list[str]:
    """The statements that put a permanent table's statistics into the database. ``first``: it has none."""
    # ANALYZE makes the table sqlite_stat1; what it measures does not stay.
    statements = [f"ANALYZE main.{quote(name)}"] if first else []
    statements += [f"DELETE FROM main.sqlite_stat1 WHERE tbl = {literal(name)}"]
    insert = "INSERT INTO main.sqlite_stat1 (tbl, idx, stat) VALUES"
    statements += [f"{insert} ({', '.join(map(literal, row))})" for row in statistics(table, name, LARGE)]
    return [*statements, "ANALYZE main.sqlite_schema"]
