"""Conversion of stored values, by the values subpackage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import convert_overflow, type_overflow
from .problems import SqlError
from .sqltypes import SqlType
from .values import conversions, decimals

Converter = Callable[[Any], Any]


def converter(
    source: SqlType, target: SqlType, style: int = 0, attempt: bool = False, implicit: bool = False
) -> Converter:
    """A function from stored values of one type to stored values of another. ``style`` 0: none was given."""
    return conversions.converter(source, target, style or None, attempt, implicit)


def overflow(target: SqlType) -> SqlError:
    return convert_overflow("numeric" if target.name == "decimal" else target.name)


def integer_overflow(target: SqlType, value: int) -> SqlError:
    if target.name in ("tinyint", "smallint"):
        return type_overflow(target.name, value)
    return overflow(target)


def decimal_text(value: int, scale: int) -> str:
    return decimals.text(value, scale)


def rescale(value: int, source: int, target: int) -> int:
    return decimals.rescale(value, source, target)
