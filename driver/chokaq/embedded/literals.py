"""Literals of T-SQL text, typed."""

from __future__ import annotations

from .conversions import constant
from .problems import SqlError
from .scope import Typed
from .sqltypes import FLOAT, INT, SqlType, decimal
from .values import decimals
from .values.codepage import width as units


def number(text: str) -> Typed:
    """int, decimal or float, by how it is written."""
    if "e" in text.lower():
        return constant(float(text), FLOAT)
    if "." in text:
        whole, _, fraction = text.partition(".")
        digits = (whole.lstrip("0") + fraction) or "0"
        kind = decimal(max(len(digits), len(fraction), 1), len(fraction))
        value = int((whole or "0") + fraction)
    else:
        value = int(text)
        if value < 2**31:
            return constant(value, INT)
        kind = decimal(len(str(value)), 0)
    if kind.precision > 38:
        raise SqlError(
            1007,
            f"The number '{text}' is out of the range for numeric representation (maximum precision 38).",
            15,
            1,
        )
    return constant(decimals.pack(value, kind), kind)


def string(text: str, unicode: bool) -> Typed:
    if unicode:
        size = units(text)
        return constant(text, SqlType("nvarchar", max(1, size) if size <= 4000 else None))
    return constant(text, SqlType("varchar", max(1, len(text)) if len(text) <= 8000 else None))


def binary(digits: str) -> Typed:
    data = bytes.fromhex(digits.rjust(len(digits) + len(digits) % 2, "0"))
    return constant(data, SqlType("varbinary", max(1, len(data)) if len(data) <= 8000 else None))
