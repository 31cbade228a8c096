"""What a call of a built-in function is made of; see ``functions`` for the table of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..errors import sql_error
from .types import RANGES, SqlType, text_length

__all__ = [
    "Call",
    "Context",
    "Inline",
    "Plan",
    "SqlFunction",
    "ascii_guard",
    "literal",
    "nulls",
    "short",
    "text_type",
]

Inline = Callable[[Sequence[str]], "str | None"]


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """A Python function that SQLite calls. ``count``: number of arguments, -1 for any. It takes and returns
    stored values, knows NULL, and raises ``SqlError``.
    """

    name: str
    call: Callable[..., Any]
    count: int
    deterministic: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """One call over arguments of known types.

    ``result``: the type of the value. ``arguments``: the types to which the arguments have to be converted
    first. ``function``: the SQLite function that does it, called with the arguments and then ``extra``.
    ``inline``: the same in SQLite's own SQL, None where it cannot; then the function is called.
    """

    result: SqlType
    arguments: tuple[SqlType, ...]
    function: str
    extra: tuple[Any, ...] = ()
    inline: Inline | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What a call depends on besides the types of its arguments. ``part``: the datepart as written.
    ``binary``: a BIN2 collation decides. ``raw_json``: the last argument is the result of JSON_QUERY (or
    of JSON_MODIFY).
    """

    part: str = ""
    binary: bool = False
    raw_json: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the compiler uses it."""

    name: str
    plan: Plan
    python: Callable[..., Any]
    deterministic: bool
    per_row: bool

    @property
    def result(self) -> SqlType:
        return self.plan.result

    @property
    def arguments(self) -> tuple[SqlType, ...]:
        """The types to which the arguments have to be converted before the call."""
        return self.plan.arguments

    def evaluate(self, *values: Any) -> Any:
        """The result for stored, converted values."""
        return self.python(*values, *self.plan.extra)

    def sql(self, arguments: Sequence[str]) -> str:
        """The call in SQLite's SQL over the SQL of the converted arguments."""
        if self.plan.inline is not None:
            text = self.plan.inline(arguments)
            if text is not None:
                return text
        return f"{self.plan.function}({', '.join([*arguments, *map(literal, self.plan.extra)])})"


#: Longer operands are not written several times; the function is called instead.
_SHORT: Final = 200


def short(*arguments: str) -> bool:
    return all(len(argument) <= _SHORT for argument in arguments)


def literal(value: Any) -> str:
    """A value as SQLite's SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int)):
        # The lowest bigint cannot be written as a literal.
        return str(int(value)) if value > -(2**63) else "(-9223372036854775807 - 1)"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if "\0" in value:
        return f"CAST(X'{value.encode().hex()}' AS TEXT)"
    return "'" + str(value).replace("'", "''") + "'"


def ascii_guard(text: str) -> str:
    """True in SQLite for text beyond ASCII or with NUL characters, at which SQLite's functions stop."""
    return f"length({text}) <> length(CAST({text} AS BLOB))"


def nulls(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with NULL for any NULL argument."""

    def run(*values: Any) -> Any:
        for value in values:
            if value is None:
                return None
        return function(*values)

    return run


def text_type(kind: SqlType, position: int = 1, function: str = "") -> SqlType:
    """The string type in which a function takes an argument. 8116: none."""
    if kind.is_string:
        return kind
    if kind.is_binary:
        if function:
            raise sql_error(8116, kind.message_name, position, function)
        return SqlType("varchar", kind.length)
    length = text_length(kind)
    return SqlType("varchar", length if kind.name in RANGES or length is not None else 30)
