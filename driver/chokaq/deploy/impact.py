"""What a one-time script costs a database that holds data: what it locks, what it reads, how it is undone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .ddl import schema_of
from .lexer import Token, TokenKind, tokens
from .scripts import Script, SqlPackage, header_of

_COST = re.compile(r"Cost on an existing database:\s*(?P<text>.+?)(?:\.(?=\s)|\*/)", re.DOTALL)
_LOSES = re.compile(r"Loses\s+(?P<text>.+?)(?:\.(?=\s)|\*/)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Impact:
    """For a plan's reader. ``touched``: tables that were there before and that the script locks."""

    cost: str
    locks: str
    undo: str
    touched: tuple[str, ...]


def impact_of(script: Script, package: SqlPackage) -> Impact:
    """What the script's header says, and what its statements do to tables that were there before it."""
    before = schema_of(each for each in package.migrations if each.number < script.number)
    touched: dict[str, str] = {}
    for verb, table in _writes(script):
        if table.lower() in before.tables:
            touched.setdefault(before.tables[table.lower()].name, verb)
    stated = _COST.search(header_of(script.text))
    locks = "only what it creates"
    if touched:
        locks = "; ".join(f"{table} ({_lock(verb)})" for table, verb in sorted(touched.items()))
    cost = " ".join(stated["text"].split()) if stated else ""
    if not cost:
        cost = "none" if not touched else "grows with " + ", ".join(sorted(touched))
    return Impact(cost, locks, _undo(script, package), tuple(sorted(touched)))


def _lock(verb: str) -> str:
    if verb == "INDEX":
        return "CREATE INDEX reads all rows; no writes meanwhile"
    if verb in {"INSERT", "UPDATE", "DELETE"}:
        return f"{verb}: row locks, or the whole table"
    return f"{verb} TABLE: nobody reads or writes meanwhile"


def _undo(script: Script, package: SqlPackage) -> str:
    undo = next((each for each in package.undos if each.number == script.number), None)
    if undo is None:
        return "none: restore a backup"
    loses = _LOSES.search(header_of(undo.text))
    return undo.path + (f"; loses {' '.join(loses['text'].split())}" if loses else "")


def _writes(script: Script) -> list[tuple[str, str]]:
    """(verb, table) of each statement that changes a table of the schema."""
    found: list[tuple[str, str]] = []
    code = [token for token in tokens(script.text) if token.kind is not TokenKind.COMMENT]
    for index, token in enumerate(code):
        if token.is_word("ALTER", "DROP") and _word(code, index + 1) == "TABLE":
            found.append((token.upper, _table(code, index + 2)))
        elif token.is_word("INDEX"):
            on = next((at for at in range(index, min(index + 6, len(code))) if code[at].is_word("ON")), None)
            if on is not None:
                found.append(("INDEX", _table(code, on + 1)))
        elif token.is_word("INSERT", "UPDATE", "DELETE"):
            at = index + 2 if _word(code, index + 1) in {"INTO", "FROM"} else index + 1
            found.append((token.upper, _table(code, at)))
    return [(verb, table) for verb, table in found if table]


def _word(code: list[Token], index: int) -> str:
    return code[index].upper if index < len(code) else ""


def _table(code: list[Token], index: int) -> str:
    """The name at ``index``, when it is one of the schema's."""
    if _word(code, index + 1) == "." and index + 2 < len(code):
        return code[index + 2].value
    return ""
