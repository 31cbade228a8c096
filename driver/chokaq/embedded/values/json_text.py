"""Reads JSON and remembers where each value stands in the text.

The heavy part is done by the scanner of the standard library, from any position; numbers come out as text, as
they are written. A value is described by its ``Span``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from ..errors import SqlError, sql_error

__all__ = ["MISSING", "Number", "Span", "check_end", "elements", "kind_of", "members", "parse", "skip_space"]


#: A number stands as the bytes of its text: that tells it from a string, and no conversion is faster.
Number = bytes


class Span(NamedTuple):
    """A value and where its text begins and ends. ``key``: its name in an object."""

    value: Any
    start: int
    end: int
    key: str | None = None


#: Stands for "not there", which is not JSON's null.
MISSING: Final = object()

_SPACE: Final = re.compile(r"[ \t\n\r]*")
# OPENJSON's numbers for the kinds of values.
_KINDS: Final[dict[type, int]] = {type(None): 0, str: 1, Number: 2, bool: 3, list: 4, dict: 5}


def kind_of(value: Any) -> int:
    """0 null, 1 string, 2 number, 3 bool, 4 array, 5 object."""
    return _KINDS[type(value)]


def _constant(_: str) -> Any:
    # NaN and the infinities are Python's, not JSON's.
    raise ValueError


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        found = {}
        for name, value in pairs:
            found.setdefault(name, value)
    return found


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_first_wins, parse_int=str.encode, parse_float=str.encode, parse_constant=_constant
)

_SCAN: Final[Callable[[str, int], tuple[Any, int]]] = _DECODER.scan_once  # type: ignore[attr-defined]


def parse(text: str) -> Span:
    """The whole text as one value; of equal names in an object the first counts. 13609: not JSON; 13606: too
    deep.
    """
    start = skip_space(text, 0)
    value, end = scan(text, start)
    check_end(text, end)
    return Span(value, start, end)


def check_end(text: str, end: int) -> None:
    """13609: something follows the value that ended at ``end``."""
    rest = skip_space(text, end)
    if rest != len(text):
        raise bad_character(text, rest)


def scan(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at ``at``, and where it ends."""
    try:
        value, end = _SCAN(text, at)
        return value, end
    except StopIteration as stop:
        raise bad_character(text, stop.value) from None
    except json.JSONDecodeError as error:
        raise bad_character(text, error.pos) from None
    except ValueError:
        raise bad_character(text, at) from None
    except RecursionError:
        raise sql_error(13606) from None


def bad_character(text: str, at: int) -> SqlError:
    """13609. At the end of the text SQL Server shows a point."""
    return sql_error(13609, text[at] if at < len(text) else ".", at)


def skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def elements(text: str, start: int, *, whole: bool = False) -> Iterator[Span]:
    """The elements of the array whose ``[`` stands at ``start``. ``whole``: nothing may follow its ``]``."""
    at = skip_space(text, start + 1)
    if text[at : at + 1] == "]":
        if whole:
            check_end(text, at + 1)
        return
    while True:
        value, end = scan(text, at)
        yield Span(value, at, end)
        at = skip_space(text, end)
        mark = text[at : at + 1]
        if mark == "]":
            if whole:
                check_end(text, at + 1)
            return
        if mark != ",":
            raise bad_character(text, at)
        at = skip_space(text, at + 1)


def members(text: str, start: int) -> Iterator[Span]:
    """The members of the object whose ``{`` stands at ``start``, duplicates included."""
    at = skip_space(text, start + 1)
    if text[at : at + 1] == "}":
        return
    while True:
        if text[at : at + 1] != '"':
            raise bad_character(text, at)
        try:
            key, end = scanstring(text, at + 1, True)
        except json.JSONDecodeError as error:
            raise bad_character(text, error.pos) from None
        at = skip_space(text, end)
        if text[at : at + 1] != ":":
            raise bad_character(text, at)
        at = skip_space(text, at + 1)
        value, end = scan(text, at)
        yield Span(value, at, end, key)
        at = skip_space(text, end)
        mark = text[at : at + 1]
        if mark == "}":
            return
        if mark != ",":
            raise bad_character(text, at)
        at = skip_space(text, at + 1)
