"""How T-SQL names and values are spelled in SQLite."""

from __future__ import annotations

from typing import Any

from .values.value_functions import key_sql


def quote(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def table_name(schema: str, name: str) -> str:
    """The SQLite table of ``[schema].[name]``, quoted."""
    return quote(f"{schema}.{name}")


def key_column(name: str) -> str:
    """The hidden column with a column's collation key, quoted."""
    return quote(f"{name}#k")


def literal(value: Any) -> str:
    """A value as an SQLite literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        # The lowest bigint cannot be written as a literal.
        return str(value) if value > -(2**63) else "(-9223372036854775807 - 1)"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if "\0" in value:
        return f"CAST(X'{value.encode().hex()}' AS TEXT)"
    return "'" + str(value).replace("'", "''") + "'"


def key_expression(sql: str) -> str:
    """The collation key of a text expression, without Python for ASCII text."""
    return key_sql(sql)
