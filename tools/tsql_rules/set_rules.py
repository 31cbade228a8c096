"""Rules about the whole set of files: the error registry, undo scripts, grants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chokaq.deploy.lexer import Token, TokenKind

from .source import Finding, SqlFile

REGISTRY_PATH = "db/errors.md"
FIRST_NUMBER, LAST_NUMBER = 51000, 51999
# One row of the registry's table: | 51000 | InvalidJson | …
_REGISTRY_ROW = re.compile(r"^\|\s*(?P<number>\d{5})\s*\|\s*`?(?P<name>\w+)`?\s*\|", re.MULTILINE)
_NUMBER = re.compile(r"\b5[01]\d{3}\b")
_ROLE = re.compile(r"\[chokaq_(?P<role>[a-z]+)\]")


def registry_numbers(text: str) -> dict[int, int]:
    """The numbers of the registry's table and the line that each stands on."""
    return {
        int(match["number"]): text.count("\n", 0, match.start()) + 1 for match in _REGISTRY_ROW.finditer(text)
    }


def registry(files: Sequence[SqlFile], registry_text: str, elsewhere: Sequence[str]) -> Iterator[Finding]:
    """THROW uses a number of the registry, the registry holds no number that nothing throws.

    ``elsewhere``: texts outside the ``.sql`` files that throw too, in scripts that the runner renders.
    """
    known = registry_numbers(registry_text)
    numbers = [int(match["number"]) for match in _REGISTRY_ROW.finditer(registry_text)]
    for number in sorted({each for each in numbers if numbers.count(each) > 1}):
        yield Finding(REGISTRY_PATH, known[number], "registry", f"{number} stands here twice")
    thrown: set[int] = set()
    for text in elsewhere:
        thrown |= {int(number) for number in _NUMBER.findall(text)}
    for file in files:
        for token in thrown_tokens(file):
            if token.kind is not TokenKind.NUMBER:
                yield file.finding("registry", token.line, f"THROW {token.text}: write the number itself")
                continue
            thrown.add(int(token.text))
            if int(token.text) not in known:
                yield file.finding("registry", token.line, f"THROW {token.text}: not in {REGISTRY_PATH}")
    for number, line in sorted(known.items()):
        if not FIRST_NUMBER <= number <= LAST_NUMBER:
            yield Finding(
                REGISTRY_PATH, line, "registry", f"{number} is outside {FIRST_NUMBER}–{LAST_NUMBER}"
            )
        elif number not in thrown:
            yield Finding(REGISTRY_PATH, line, "registry", f"{number} is never thrown")


def thrown_tokens(file: SqlFile) -> Iterator[Token]:
    """What each THROW with arguments throws."""
    for statement in file.statements:
        if statement.verb == "THROW" and len(statement.tokens) > 1:
            yield statement.tokens[1]


def stated_errors(files: Sequence[SqlFile]) -> Iterator[Finding]:
    """A procedure's header names every number that the procedure throws itself."""
    for file in files:
        stated = set(_NUMBER.findall(file.header.get("Errors", "")))
        for token in thrown_tokens(file) if file.is_procedure_file else ():
            if token.text not in stated:
                yield file.finding("stated-error", token.line, f"{token.text} is not in the header's Errors")
                stated.add(token.text)


def undo_scripts(files: Sequence[SqlFile]) -> Iterator[Finding]:
    """Each one-time script has its undo."""
    paths = {file.path for file in files}
    for path in sorted(paths):
        undo = path.replace("db/migrations/", "db/undo/")
        if undo not in paths:
            yield Finding(path, 1, "undo", f"{undo} is missing")


def grants(files: Sequence[SqlFile]) -> Iterator[Finding]:
    """The permission scripts grant each procedure to the roles that its header names, and to no other."""
    permissions = [file for file in files if file.path.startswith("db/permissions/")]
    if not permissions:
        return
    granted = granted_roles(permissions)
    for file in files:
        if not file.is_procedure_file:
            continue
        stated = {match["role"] for match in _ROLE.finditer(file.header.get("Role", ""))}
        actual = granted.get(file.stem.lower(), set())
        for role in sorted(stated - actual):
            yield file.finding(
                "grants", 1, f"the header says [chokaq_{role}], no permission script grants it"
            )
        for role in sorted(actual - stated):
            yield file.finding("grants", 1, f"granted to [chokaq_{role}], which the header does not say")


def granted_roles(permissions: Sequence[SqlFile]) -> Mapping[str, set[str]]:
    """Role suffixes by procedure, lower case, of ``GRANT EXECUTE ON [chokaq].[Name] TO [chokaq_role]``."""
    granted: dict[str, set[str]] = {}
    for file in permissions:
        for statement in file.statements:
            words = [token.upper for token in statement.tokens]
            if words[:2] != ["GRANT", "EXECUTE"] or "TYPE" in words or "TO" not in words:
                continue
            to = words.index("TO")
            name = statement.tokens[to - 1].value.lower()
            roles = {match["role"] for token in statement.tokens[to:] for match in _ROLE.finditer(token.text)}
            granted.setdefault(name, set()).update(roles)
    return granted
