"""Exact numbers: decimal(p, s) as an unscaled int, its stored form, its text.

Up to 18 digits the stored form is the unscaled int. Longer types exceed SQLite's 64 bits; they are stored
as text of 39 characters that sorts as the numbers do: ``1`` and 38 digits, or for negative numbers ``0``
and the digits of 10**38 − 1 + value.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import convert_overflow
from .types import SqlType

__all__ = ["from_float", "pack", "parse", "rescale", "text", "unpack"]

_TOP = 10**38 - 1
_DECIMAL = re.compile(r" *([+-]?) *(\d*)(?:\.(\d*))? *", re.ASCII)


def pack(value: int, kind: SqlType, source: str = "numeric") -> Any:
    """The stored form of an unscaled value. 8115: more digits than the type has (``source`` is named)."""
    if abs(value) >= 10**kind.precision:
        raise convert_overflow("numeric", source)
    if kind.precision <= 18:
        return value
    return f"1{value:038}" if value >= 0 else f"0{_TOP + value:038}"


def unpack(stored: Any, kind: SqlType) -> int:
    """The unscaled value of a stored one."""
    if kind.precision <= 18:
        return int(stored)
    number = int(stored[1:])
    return number if stored[0] == "1" else number - _TOP


def rescale(value: int, source: int, target: int) -> int:
    """An unscaled value at another scale, rounded half away from zero."""
    if target >= source:
        return value * int(10 ** (target - source))
    unit = int(10 ** (source - target))
    rounded = (abs(value) + unit // 2) // unit
    return -rounded if value < 0 else rounded


def text(value: int, scale: int) -> str:
    """An unscaled value in digits."""
    digits = str(abs(value)).rjust(scale + 1, "0")
    body = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{body}" if value < 0 else body


def parse(written: str, scale: int) -> int | None:
    """Digits as an unscaled value, rounded to ``scale``; None: not a number without exponent."""
    found = _DECIMAL.fullmatch(written)
    if found is None or not (found[2] or found[3]):
        return None
    fraction = found[3] or ""
    value = rescale(int((found[2] or "0") + fraction), len(fraction), scale)
    return -value if found[1] == "-" else value


def from_float(value: float, scale: int) -> int:
    """A finite float, rounded half away from zero; its binary value counts, not its shortest text."""
    numerator, denominator = value.as_integer_ratio()
    scaled = abs(numerator) * int(10**scale)
    rounded = (2 * scaled + denominator) // (2 * denominator)
    return -rounded if numerator < 0 else rounded
