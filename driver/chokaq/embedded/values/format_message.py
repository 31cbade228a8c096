"""The printf of RAISERROR and FORMATMESSAGE."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ..errors import sql_error

__all__ = ["format_message"]

_FIELD: Final = re.compile(r"%(?:(%)|([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(I64|[hlI])?([a-zA-Z]))", re.ASCII)
_LIMIT: Final = 2047


def format_message(template: str, arguments: Sequence[Any]) -> str:
    """The template with its fields filled in, at most 2,047 characters. A missing or NULL argument shows as
    ``(null)``. 2786: an argument of the wrong kind; 2787: a field that there is not.
    """
    values = list(arguments)
    used = 0

    def take() -> Any:
        nonlocal used
        used += 1
        return values[used - 1] if used <= len(values) else None

    def fill(match: re.Match[str]) -> str:
        percent, flags, size, precision, _, kind = match.groups()
        if percent:
            return "%"
        if kind not in "diouxXsS":
            raise sql_error(2787, match[0])
        if size == "*":
            size = str(take() or 0)
        if precision == "*":
            precision = str(take() or 0)
        value = take()
        if value is None:
            text = "(null)"
        elif kind in "sS":
            if not isinstance(value, str):
                raise sql_error(2786, used)
            text = value if precision is None else value[: int(precision)]
        else:
            if not isinstance(value, int):
                raise sql_error(2786, used)
            return _number(value, kind, flags, int(size or 0), precision)
        return _pad(text, flags, int(size or 0))

    text = _FIELD.sub(fill, template)
    return text if len(text) <= _LIMIT else text[: _LIMIT - 3] + "..."


def _pad(text: str, flags: str, size: int) -> str:
    return text.ljust(size) if "-" in flags else text.rjust(size)


def _number(value: int, kind: str, flags: str, size: int, precision: str | None) -> str:
    if kind in "ouxX":
        bits = 32 if -(2**31) <= value < 2**32 else 64
        digits = format(value % 2**bits, "d" if kind == "u" else kind)
        sign = ""
        if "#" in flags and value:
            sign = {"o": "0", "x": "0x", "X": "0X"}.get(kind, "")
    else:
        digits = str(abs(value))
        sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    if precision is not None:
        digits = digits.rjust(int(precision), "0")
    elif "0" in flags and "-" not in flags:
        digits = digits.rjust(size - len(sign), "0")
    return _pad(sign + digits, flags, size)
