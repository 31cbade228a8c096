"""Numbers as text and text as numbers, by SQL Server's rules rather than Python's."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["float_text", "parse_float", "parse_whole"]

_WHOLE: Final = re.compile(r" *([+-]?) *(\d*) *", re.ASCII)
_FLOAT: Final = re.compile(r" *([+-]?) *((?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d*)?|) *", re.ASCII)


def parse_whole(text: str) -> int | None:
    """Spaces, a sign, digits. Nothing at all, or a lone sign, is 0. None: something else."""
    found = _WHOLE.fullmatch(text)
    if found is None:
        return None
    digits = found[2].lstrip("0")
    if len(digits) > 40:
        # Too large for every type; spares Python's limit on digits.
        digits = "9" * 40
    number = int(digits or 0)
    return -number if found[1] == "-" else number


def parse_float(text: str) -> float | None:
    """A number with or without exponent; empty text is 0. None: something else."""
    found = _FLOAT.fullmatch(text)
    if found is None:
        return None
    body = found[2].lower().replace("d", "e") or "0"
    if body[-1] in "e+-":
        body += "0"
    number = float(body)
    return -number if found[1] == "-" else number


def float_text(value: float, style: int = 0) -> str:
    """A float in one of CONVERT's styles: 0 at most six digits, 1 eight, 2 sixteen, 3 seventeen (exact)."""
    if value == 0:
        value = 0.0
    digits = {1: 7, 2: 15, 3: 16}.get(style)
    text = f"{value:.6g}" if digits is None else f"{value:.{digits}e}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    # The exponent has three digits.
    return f"{mantissa}e{exponent[0]}{exponent[1:].rjust(3, '0')}"
