"""The errors that T-SQL sees: SQL Server's numbers, message shapes, severities, SQLSTATEs.

``sql_error(8115, "expression", "int")`` makes one from the table ``MESSAGES``; the helpers below it name the
frequent ones. ``sqlstate`` and ``dbapi_class`` say how the Microsoft ODBC driver and pyodbc show a number.
"""

from __future__ import annotations

from .values.messages import MESSAGES

__all__ = [
    "BATCH_ABORTING",
    "MESSAGES",
    "UNSUPPORTED",
    "SqlError",
    "check_conflict",
    "conversion_failed",
    "convert_overflow",
    "dbapi_class",
    "divide_by_zero",
    "duplicate_key",
    "duplicate_row",
    "error_converting",
    "foreign_key_conflict",
    "implicit_conversion",
    "incompatible_types",
    "invalid_argument_type",
    "invalid_column",
    "invalid_object",
    "null_into_column",
    "operand_clash",
    "sql_error",
    "sqlstate",
    "syntax_near",
    "truncation",
    "type_overflow",
    "unsupported_value",
]


class SqlError(Exception):
    """An error with SQL Server's number. ``line``, ``procedure`` and ``source`` are filled in where they
    are known.
    """

    def __init__(
        self,
        number: int,
        message: str,
        severity: int = 16,
        state: int = 1,
    ) -> None:
        super().__init__(number, message, severity, state)
        self.number = number
        self.message = message
        self.severity = severity
        self.state = state
        self.line = 0
        self.procedure = ""
        self.source = ""
        #: How it came about, where that decides what it ends: "throw", "raiserror", "lost" (transaction
        #: gone).
        self.origin = ""
        #: Whether TRY dooms the transaction; set when the error is met.
        self.dooms = False
        self.decided = False

    def __str__(self) -> str:
        return f"Msg {self.number}, Level {self.severity}, State {self.state}: {self.message}"

    @property
    def sqlstate(self) -> str:
        """As the Microsoft ODBC driver reports this number."""
        return sqlstate(self.number)

    @property
    def dbapi_class(self) -> str:
        """Name of the PEP 249 class that pyodbc raises."""
        return dbapi_class(self.sqlstate)


#: Not a number of SQL Server's: what the engine does not have.
UNSUPPORTED = 49999

#: Errors that end the whole batch and doom an open transaction when TRY catches them, XACT_ABORT or not.
BATCH_ABORTING = frozenset({241, 242, 244, 245, 248, 295, 1205, 3609, 8114, 8169})

_SQLSTATES = {
    **dict.fromkeys((109, 110, 120, 121, 213), "21S01"),
    512: "21000",
    # Not 2628: the driver does not know it and says 42000.
    8152: "22001",
    **dict.fromkeys((220, 232, 244, 248, 535, 8115), "22003"),
    **dict.fromkeys((241, 242, 295, 517), "22007"),
    8134: "22012",
    **dict.fromkeys((206, 245, 529), "22018"),
    506: "22019",
    **dict.fromkeys((266, 3902, 3903), "25000"),
    **dict.fromkeys((515, 544, 547, 1505, 2601, 2627, 3621), "23000"),
    1205: "40001",
    2714: "42S01",
    **dict.fromkeys((208, 3701, 4902), "42S02"),
    1913: "42S11",
    2705: "42S21",
    **dict.fromkeys((207, 1911, 4924), "42S22"),
}

# pyodbc's table: exact states first, then classes of states; what is in neither is plain Error.
_CLASSES = {
    **dict.fromkeys(("01002", "08001", "08003", "08004", "08007", "08S01"), "OperationalError"),
    **dict.fromkeys(("HY001", "HY014", "HYT00", "HYT01"), "OperationalError"),
    "0A000": "NotSupportedError",
    **dict.fromkeys(("28000", "IM001", "IM002", "IM003"), "InterfaceError"),
    "40002": "IntegrityError",
    "22": "DataError",
    "23": "IntegrityError",
    **dict.fromkeys(("24", "25", "42"), "ProgrammingError"),
}  # fmt: skip


def sqlstate(number: int) -> str:
    """The SQLSTATE under which the Microsoft ODBC driver reports an error of the server."""
    return _SQLSTATES.get(number, "42000")


def dbapi_class(state: str) -> str:
    """Name of the PEP 249 exception class that pyodbc raises for a SQLSTATE."""
    return _CLASSES.get(state) or _CLASSES.get(state[:2]) or "Error"


def sql_error(number: int, *arguments: object, state: int | None = None) -> SqlError:
    """The error of that number with SQL Server's text. KeyError: the number is not in ``MESSAGES``."""
    message = MESSAGES[number]
    return SqlError(
        number, message.text.format(*arguments), message.severity, message.state if state is None else state
    )


def syntax_near(token: str) -> SqlError:
    """102."""
    return sql_error(102, token)


def invalid_column(name: str) -> SqlError:
    """207."""
    return sql_error(207, name)


def invalid_object(name: str) -> SqlError:
    """208."""
    return sql_error(208, name)


def operand_clash(source: str, target: str) -> SqlError:
    """206: types that never meet."""
    return sql_error(206, source, target)


def implicit_conversion(source: str, target: str) -> SqlError:
    """257: types that meet only when CONVERT is written."""
    return sql_error(257, source, target)


def incompatible_types(left: str, right: str, operator: str) -> SqlError:
    """402."""
    return sql_error(402, left, right, operator)


def invalid_argument_type(kind: str, position: int, function: str) -> SqlError:
    """8116."""
    return sql_error(8116, kind, position, function)


def conversion_failed(source: str, value: str, target: str) -> SqlError:
    """245: text that is no whole number."""
    return sql_error(245, source, value, target)


def error_converting(source: str, target: str) -> SqlError:
    """8114."""
    return sql_error(8114, source, target)


def convert_overflow(target: str, source: str = "expression") -> SqlError:
    """8115. ``source``: a type's name where SQL Server names it, else "expression"."""
    return sql_error(8115, source, target, state=8 if target == "numeric" else 2)


def type_overflow(target: str, value: object) -> SqlError:
    """220: a whole number that smallint or tinyint cannot hold."""
    return sql_error(220, target, value, state=2 if target == "tinyint" else 1)


def divide_by_zero() -> SqlError:
    """8134."""
    return sql_error(8134)


def null_into_column(column: str, table: str, statement: str) -> SqlError:
    """515. ``table``: database.schema.table; ``statement``: INSERT or UPDATE."""
    return sql_error(515, column, table, statement)


def check_conflict(statement: str, constraint: str, database: str, table: str, column: str = "") -> SqlError:
    """547 for a CHECK constraint. ``column``: where the constraint names just one."""
    return sql_error(
        547, statement, "CHECK", constraint, database, table, f", column '{column}'" if column else ""
    )


def foreign_key_conflict(
    statement: str, constraint: str, database: str, table: str, column: str = "", *, referenced: bool = False
) -> SqlError:
    """547 for a foreign key. ``referenced``: the row that others point to was deleted or changed."""
    kind = "REFERENCE" if referenced else "FOREIGN KEY"
    return sql_error(
        547, statement, kind, constraint, database, table, f", column '{column}'" if column else ""
    )


def duplicate_key(kind: str, constraint: str, table: str, key: str) -> SqlError:
    """2627. ``kind``: PRIMARY KEY or UNIQUE KEY; ``key``: the values as ``(a, 1)``."""
    return sql_error(2627, kind, constraint, table, key)


def duplicate_row(table: str, index: str, key: str) -> SqlError:
    """2601, for a unique index that is no constraint."""
    return sql_error(2601, table, index, key)


def truncation(table: str, column: str, value: str) -> SqlError:
    """2628. ``value``: the text as far as it fits the column (SQL Server shows at most 100 characters)."""
    return sql_error(2628, table, column, value[:100])


def unsupported_value(what: str) -> SqlError:
    """49999: a value, style or conversion outside the engine's subset."""
    return SqlError(UNSUPPORTED, f"The embedded engine does not support {what}.")
