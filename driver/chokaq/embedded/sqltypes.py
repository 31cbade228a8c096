"""The types that the compiler uses, with the line of the statement in their errors."""

from __future__ import annotations

from .problems import SqlError, at_line
from .values import types as _types
from .values.types import (
    BIGINT,
    BIT,
    DATE,
    DATETIME,
    DATETIME2,
    FLOAT,
    GUID,
    INT,
    NVARCHAR_MAX,
    RANGES,
    SMALLINT,
    SYSNAME,
    TINYINT,
    VARCHAR_MAX,
    SqlType,
    arithmetic_type,
    branch_type,
    check_conversion,
    concat_type,
    decimal,
    integer_as_decimal,
    nvarchar,
    varchar,
)

__all__ = [
    "BIGINT",
    "BIT",
    "DATE",
    "DATETIME",
    "DATETIME2",
    "FLOAT",
    "GUID",
    "INT",
    "MAX",
    "NULL_TYPE",
    "NVARCHAR_MAX",
    "RANGES",
    "SMALLINT",
    "SYSNAME",
    "TINYINT",
    "VARCHAR_MAX",
    "SqlType",
    "arithmetic_type",
    "branch_type",
    "check_conversion",
    "concat_type",
    "decimal",
    "higher",
    "integer_as_decimal",
    "make_type",
    "nvarchar",
    "varchar",
]

#: The length of varchar(max).
MAX = None
NULL_TYPE = _types.NULL


def make_type(name: str, arguments: tuple[str, ...], line: int, cast: bool = False) -> SqlType:
    """A type as written. ``cast``: strings without a length have 30 characters there, else 1."""
    try:
        return _types.make_type(name, arguments, cast=cast)
    except SqlError as error:
        raise at_line(error, line) from None


def higher(left: SqlType, right: SqlType) -> SqlType:
    """The type that two operands meet in."""
    return branch_type(left, right)
