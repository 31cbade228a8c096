"""JSON paths: ``[lax|strict] $.name."any name"[0]``, and walking along them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from ..errors import SqlError, sql_error
from .json_text import MISSING, Span, elements, members

__all__ = ["JsonPath", "locate", "parse_path", "step", "walk"]


@dataclass(frozen=True, slots=True)
class JsonPath:
    """``steps``: str for a member, int for an element."""

    steps: tuple[str | int, ...]
    strict: bool = False
    append: bool = False


_MODE: Final = re.compile(r"\s*(?:(append)\s+)?(?:(lax|strict)\s*(?=\$))?")
_NAME: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_INDEX: Final = re.compile(r"\[\s*(\d{1,10})\s*\]")


@lru_cache(maxsize=1024)
def parse_path(text: str, *, modify: bool = False) -> JsonPath:
    """13607: malformed. ``modify``: JSON_MODIFY also knows ``append``."""
    mode = _MODE.match(text)
    append, word = (mode[1], mode[2]) if mode else (None, None)
    at = mode.end() if mode else 0
    if append and not modify:
        raise _bad(text, 0)
    if text[at : at + 1] != "$":
        raise _bad(text, at)
    at += 1
    steps: list[str | int] = []
    while at < len(text):
        mark = text[at]
        if mark == ".":
            if text[at + 1 : at + 2] == '"':
                try:
                    name, at = scanstring(text, at + 2, True)
                except json.JSONDecodeError:
                    raise _bad(text, len(text)) from None
            else:
                found = _NAME.match(text, at + 1)
                if found is None:
                    raise _bad(text, at + 1)
                name, at = found[0], found.end()
            steps.append(name)
        elif mark == "[":
            found = _INDEX.match(text, at)
            if found is None:
                raise _bad(text, at + 1)
            steps.append(int(found[1]))
            at = found.end()
        elif not text[at:].strip():
            break
        else:
            raise _bad(text, at)
    return JsonPath(tuple(steps), word == "strict", append is not None)


def _bad(text: str, at: int) -> SqlError:
    return sql_error(13607, text[at] if at < len(text) else ".", at)


def step(value: Any, part: str | int) -> Any:
    """One step into a parsed value; MISSING where there is nothing."""
    if isinstance(part, str):
        return value.get(part, MISSING) if isinstance(value, dict) else MISSING
    return value[part] if isinstance(value, list) and part < len(value) else MISSING


def walk(value: Any, steps: tuple[str | int, ...]) -> Any:
    """The value at the end of the path; MISSING where there is none."""
    for part in steps:
        value = step(value, part)
        if value is MISSING:
            break
    return value


def locate(text: str, span: Span, steps: tuple[str | int, ...]) -> Span | None:
    """As ``walk``, with the place in the text; None where there is nothing."""
    for part in steps:
        found = None
        if isinstance(part, str):
            if isinstance(span.value, dict) and part in span.value:
                found = next((member for member in members(text, span.start) if member.key == part), None)
        elif isinstance(span.value, list) and part < len(span.value):
            found = next(
                (item for index, item in enumerate(elements(text, span.start)) if index == part), None
            )
        if found is None:
            return None
        span = found
    return span
