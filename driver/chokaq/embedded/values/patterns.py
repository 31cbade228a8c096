"""LIKE and PATINDEX: patterns with ``%``, ``_``, ``[a-z]``, ``[^a-z]`` and ESCAPE, matched by the
collation.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ..errors import sql_error
from .codepage import to_units
from .strings import fold

__all__ = ["like", "patindex"]

#: Matches nothing: a pattern that is no pattern (an open bracket, an escape character at the end).
_NEVER: Final = re.compile(r"(?!)")


def like(
    text: str, pattern: str, escape: str | None = None, *, wide: bool = False, binary: bool = False
) -> bool:
    """``text LIKE pattern ESCAPE escape``. ``wide``: one of the two is nvarchar, so trailing spaces of the
    text count; for varchar they do not. 506: the escape is not one character.
    """
    if escape is not None and len(escape) != 1:
        raise sql_error(506, escape, "LIKE")
    text = to_units(text)
    if not binary:
        text = fold(text)
    pieces = _compile(to_units(pattern), escape, wide, binary)
    if len(pieces) == 1:
        return pieces[0].fullmatch(text) is not None
    at = 0
    # Between two % every piece has one length, so the first place where it fits is as good as any: no
    # backtracking, whatever the pattern.
    for piece in pieces[:-1]:
        found = piece.match(text) if piece is pieces[0] else piece.search(text, at)
        if found is None:
            return False
        at = found.end()
    return pieces[-1].search(text, at) is not None


def patindex(pattern: str, text: str, *, binary: bool = False) -> int:
    """PATINDEX: where the match of the pattern between its outer ``%`` begins, 1-based; 0 when absent."""
    text = to_units(text)
    if not binary:
        text = fold(text)
    units = to_units(pattern)
    if units and not units.strip("%"):
        return int(bool(text))
    anchored = not units.startswith("%")
    core = _compile_core(units.lstrip("%"), binary)
    found = core.match(text) if anchored else core.search(text)
    return found.start() + 1 if found else 0


@lru_cache(maxsize=512)
def _compile(pattern: str, escape: str | None, wide: bool, binary: bool) -> tuple[re.Pattern[str], ...]:
    """The pieces between the ``%``: the first begins the text, the last ends it."""
    bodies = _translate(pattern, escape, binary)
    if bodies is None:
        return (_NEVER,)
    tail = "" if wide else " *"
    if len(bodies) > 1:
        # Behind a final % there is nothing to find.
        tail = "" if not bodies[-1] else tail + r"\Z"
    *front, last = bodies
    return (*(re.compile(body, re.DOTALL) for body in front), re.compile(last + tail, re.DOTALL))


@lru_cache(maxsize=512)
def _compile_core(pattern: str, binary: bool) -> re.Pattern[str]:
    bodies = _translate(pattern, None, binary)
    if bodies is None:
        return _NEVER
    end = "" if len(bodies) > 1 and not bodies[-1] else r" *\Z"
    return re.compile(f"(?:{'.*?'.join(bodies)}){end}", re.DOTALL)


def _translate(pattern: str, escape: str | None, binary: bool) -> list[str] | None:
    """The pattern as regular expressions, split at its ``%``; None: it is malformed."""
    pieces: list[str] = [""]
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == escape:
            if at == len(pattern):
                return None
            pieces[-1] += _literal(pattern[at], binary)
            at += 1
        elif character == "%":
            pieces.append("")
        elif character == "_":
            pieces[-1] += "."
        elif character == "[":
            found = _class(pattern, at, escape, binary)
            if found is None:
                return None
            body, at = found
            pieces[-1] += body
        else:
            pieces[-1] += _literal(character, binary)
    return pieces


def _literal(character: str, binary: bool) -> str:
    return re.escape(character if binary else fold(character))


def _class(pattern: str, at: int, escape: str | None, binary: bool) -> tuple[str, int] | None:
    """The regular expression of ``[…]`` from behind its bracket, and where it ends; None: it never does."""
    negated = pattern[at : at + 1] == "^"
    at += negated
    items: list[str] = []
    ranged = False
    while True:
        if at >= len(pattern):
            return None
        character = pattern[at]
        at += 1
        if character == "]":
            break
        if character == escape and at < len(pattern):
            character = pattern[at]
            at += 1
        elif character == "-" and items and not ranged and pattern[at : at + 1] not in ("]", ""):
            ranged = True
            continue
        if ranged:
            items[-1] = _range(items[-1], character, binary)
            ranged = False
        else:
            items.append(_in_class(character, binary))
    if not items:
        # Nothing is in the empty set, everything outside it.
        return (".", at) if negated else ("(?!)", at)
    return f"[{'^' if negated else ''}{''.join(items)}]", at


def _in_class(character: str, binary: bool) -> str:
    character = character if binary else fold(character)
    return "\\" + character if character in r"\]^-[&~|" else character


def _range(low: str, high: str, binary: bool) -> str:
    first = low[-1]
    last = high if binary else fold(high)
    if first > last:
        # An empty range: only a lone character that nothing holds.
        return "\ufffe"
    return f"{_in_class(first, True)}-{_in_class(last, True)}"
