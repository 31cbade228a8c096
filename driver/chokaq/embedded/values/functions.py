"""The table of built-in functions, as the compiler uses it.

``resolve("LEFT", (nvarchar(50), INT))`` answers with a ``Call``: the type of its result, the types to
which the arguments have to be converted first, the call in SQLite's SQL, and the same in Python. Every
function that such SQL can name is in ``SQL_FUNCTIONS``, which a connection registers once (``register``).

Functions that ask the session (ERROR_NUMBER, XACT_STATE, OBJECT_ID …) and aggregates are not here. The clock
functions and RAND are constant within a statement (``per_row`` False): the executor evaluates them once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ..errors import SqlError, sql_error
from . import number_functions, text_functions, time_functions, value_functions
from .inline_conversions import FUNCTIONS as CONVERSION_FUNCTIONS
from .plan import Call, Context, SqlFunction
from .types import SqlType

__all__ = ["DATEPART_FUNCTIONS", "NAMES", "SQL_FUNCTIONS", "is_function", "register", "resolve"]

_PLANS: Final = {
    **text_functions.PLANS,
    **number_functions.PLANS,
    **time_functions.PLANS,
    **value_functions.PLANS,
}

#: SQLite name → function.
SQL_FUNCTIONS: Final[dict[str, SqlFunction]] = {
    function.name: function
    for function in (
        *text_functions.FUNCTIONS,
        *number_functions.FUNCTIONS,
        *time_functions.FUNCTIONS,
        *value_functions.FUNCTIONS,
        *CONVERSION_FUNCTIONS,
    )
}

#: Every T-SQL name in the table, LIKE included.
NAMES: Final = frozenset(_PLANS)
#: Functions whose first argument is a bare datepart; it is not counted among the arguments.
DATEPART_FUNCTIONS: Final = frozenset({"DATEADD", "DATEDIFF", "DATEDIFF_BIG", "DATENAME", "DATEPART"})
_PER_ROW: Final = frozenset({"NEWID", "NEWSEQUENTIALID", "CRYPT_GEN_RANDOM"})


def is_function(name: str) -> bool:
    return name.upper() in NAMES


@lru_cache(maxsize=2048)
def resolve(
    name: str, types: tuple[SqlType, ...], *, part: str = "", binary: bool = False, raw_json: bool = False
) -> Call:
    """The call of a function with arguments of these types.

    ``part``: the datepart of DATEADD and its like. ``binary``: a BIN2 collation applies. ``raw_json``: the
    value given to JSON_MODIFY comes from JSON_QUERY or JSON_MODIFY. 195: no such function; 174, 189: wrong
    number of arguments; 8116 and others: arguments of wrong types.
    """
    upper = name.upper()
    entry = _PLANS.get(upper)
    if entry is None:
        raise sql_error(195, name, "built-in function name")
    fewest, most, make = entry
    shift = 1 if upper in DATEPART_FUNCTIONS else 0
    if len(types) < fewest or (most is not None and len(types) > most):
        raise _wrong_count(upper.lower(), fewest + shift, None if most is None else most + shift)
    plan = make(types, Context(part, binary, raw_json))
    function = SQL_FUNCTIONS.get(plan.function)
    return Call(
        upper,
        plan,
        function.call if function else _only_inline(upper),
        function.deterministic if function else True,
        upper in _PER_ROW,
    )


def _wrong_count(name: str, fewest: int, most: int | None) -> SqlError:
    if fewest == most:
        return sql_error(174, name, fewest)
    return sql_error(189, name, fewest, most if most is not None else 32767)


def _only_inline(name: str) -> Callable[..., Any]:
    """The choosing functions over values that are all known."""
    if name in ("COALESCE", "ISNULL"):
        return lambda *values: next((value for value in values if value is not None), None)
    if name == "IIF":
        return lambda condition, yes, no: yes if condition else no
    if name == "CHOOSE":
        return lambda index, *values: (
            values[index - 1] if index is not None and 0 < index <= len(values) else None
        )
    if name == "LEN":
        return lambda value: None if value is None else len(value)
    raise sql_error(195, name, "built-in function name")


def register(
    connection: sqlite3.Connection, wrap: Callable[[SqlFunction], Callable[..., Any]] | None = None
) -> None:
    """Makes every function of the table known to a connection. ``wrap`` may give another callable for
    each: sqlite3 turns exceptions of callbacks into its own, so the engine keeps the ``SqlError`` there.
    """
    for function in SQL_FUNCTIONS.values():
        call = wrap(function) if wrap else function.call
        connection.create_function(function.name, function.count, call, deterministic=function.deterministic)
