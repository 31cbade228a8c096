"""FORMATMESSAGE and RAISERROR: message texts with %s, %d …"""

from __future__ import annotations

import re
from typing import Any

from .problems import SqlError

_PLACE = re.compile(r"%(%|[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(?:h|l|I64)?([diosuxX]))")


def format_message(template: Any, *arguments: Any) -> Any:
    """The message with its arguments; NULL where the template is NULL. Raises 2786 or 2748."""
    if template is None:
        return None
    if not isinstance(template, str):
        raise SqlError(2732, f"Error number {template} is invalid: the embedded engine has no user-defined messages.", 16, 1)
    rest = list(arguments)

    def put(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        specification = found[0].replace("I64", "")
        if found[2] == "*" or found[3] == "*":
            raise SqlError(2787, f"Invalid format specification: '{found[0]}'.", 16, 1)
        if not rest:
            return "(null)"
        value = rest.pop(0)
        if value is None:
            return "(null)"
        if found[4] == "s":
            if not isinstance(value, str):
                raise _mismatch(len(arguments) - len(rest))
            return specification % value
        if isinstance(value, str):
            raise _mismatch(len(arguments) - len(rest))
        if found[4] in "ouxX" and value < 0:
            value += 2**32
        return specification.replace("u", "d").replace("i", "d") % value

    text = _PLACE.sub(put, template)
    return text if len(text) <= 2047 else text[:2044] + "..."


def _mismatch(index: int) -> SqlError:
    return SqlError(2786, f"The data type of substitution parameter {index} does not match the expected type of the format specification.", 16, 1)
