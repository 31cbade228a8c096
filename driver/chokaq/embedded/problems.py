"""Makes the errors that the engine itself raises: syntax, unsupported constructs, unknown names."""

from __future__ import annotations

from typing import TypeVar

from .errors import SqlError

T = TypeVar("T")

__all__ = ["SqlError", "invalid_column", "invalid_object", "syntax_error", "unsupported"]

#: Not a number of SQL Server's: what the engine does not support.
UNSUPPORTED = 49999


def must(value: T | None) -> T:
    """A value that cannot be missing here."""
    if value is None:
        raise SqlError(8630, "Internal error of the embedded engine: something is missing.")
    return value


def at_line(error: SqlError, line: int) -> SqlError:
    """The same error with its line, unless it has one."""
    if not error.line:
        error.line = line
    return error


def syntax_error(number: int, message: str, line: int) -> SqlError:
    """A batch that cannot be read; nothing of it runs."""
    return at_line(SqlError(number, message, 15, 1), line)


def unsupported(construct: str, line: int) -> SqlError:
    """A construct outside the engine's subset. The module or file is added where the batch is known."""
    return at_line(SqlError(UNSUPPORTED, f"The embedded engine does not support {construct}.", 16, 1), line)


def invalid_column(name: str, line: int) -> SqlError:
    return at_line(SqlError(207, f"Invalid column name '{name}'.", 16, 1), line)


def invalid_object(name: str, line: int) -> SqlError:
    return at_line(SqlError(208, f"Invalid object name '{name}'.", 16, 1), line)


def subquery_rows() -> SqlError:
    """512."""
    return SqlError(
        512,
        "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, "
        "<= , >, "
        ">= or when the subquery is used as an expression.",
        16,
        1,
    )


def top_count() -> SqlError:
    """1060: TOP or FETCH with NULL or a negative number."""
    return SqlError(
        1060,
        "The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.",
        15,
        1,
    )


def json_malformed() -> SqlError:
    """13609, where SQLite found it and says no more."""
    return SqlError(13609, "JSON text is not properly formatted.", 16, 4)
