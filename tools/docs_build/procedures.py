"""A procedure as its file describes it: header fields, parameters with their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from chokaq.deploy.ddl import joined
from chokaq.deploy.errors import PackageError
from chokaq.deploy.lexer import Token, TokenKind
from chokaq.deploy.scripts import Script, SqlPackage
from tools.tsql_rules.source import SqlFile

_PARAMETER_LINE = re.compile(r"^\s*(?P<names>@\w+(?:,\s*@\w+)*)\s+(?P<text>\S.*)$")
_ROLE = re.compile(r"\[chokaq_(\w+)\]")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter. ``default`` is empty where one must be given."""

    name: str
    type: str
    default: str
    direction: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure's page. ``roles`` are the suffixes of the roles that may execute it."""

    name: str
    area: str
    path: str
    fields: dict[str, str]
    parameters: tuple[Parameter, ...]
    roles: tuple[str, ...]
    note: str

    def field(self, name: str) -> str:
        """A header field on one line."""
        return " ".join(self.fields.get(name, "").split())


def procedures(package: SqlPackage) -> list[Procedure]:
    """All procedures, by area and name."""
    found = [_procedure(script) for script in package.procedures]
    return sorted(found, key=lambda each: (each.area, each.name))


def _procedure(script: Script) -> Procedure:
    file = SqlFile(script.path, script.text)
    created = file.procedure
    if created is None:
        raise PackageError(f"{script.path}: creates no procedure")
    meanings = _meanings(file.header.get("Parameters", ""))
    parameters = tuple(_parameters(created.signature, meanings))
    area = script.path.split("/")[1]
    roles = tuple(_ROLE.findall(file.header.get("Role", "")))
    note = " ".join(meanings[""].split()) if parameters else ""
    return Procedure(script.name, area, script.path, file.header, parameters, roles, note)


def _meanings(text: str) -> dict[str, str]:
    """What the header says of each parameter; lines without a name belong to the one before.

    Under the empty name stands what comes before the first of them, and so is meant for all others.
    """
    found: dict[str, str] = {"": ""}
    current: list[str] = [""]
    for line in text.splitlines():
        match = _PARAMETER_LINE.match(line)
        if match is not None:
            current = [name.strip().lower() for name in match["names"].split(",")]
            found |= dict.fromkeys(current, match["text"].strip())
        else:
            for name in current:
                found[name] += " " + line.strip()
    return found


def _parameters(signature: Iterable[Token], meanings: dict[str, str]) -> Iterable[Parameter]:
    items: list[list[Token]] = []
    depth = 0
    for token in signature:
        if token.kind is TokenKind.VARIABLE and depth == 0:
            items.append([])
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if items and not (token.text == "," and depth == 0):
            items[-1].append(token)
    for item in items:
        words = [token.upper for token in item]
        direction = (
            "OUTPUT" if words[-1] in {"OUTPUT", "OUT"} else "READONLY" if words[-1] == "READONLY" else ""
        )
        rest = item[1:-1] if direction else item[1:]
        cut = next((index for index, token in enumerate(rest) if token.text == "="), len(rest))
        kind = joined(rest[:cut]).replace("[chokaq].", "").strip("[]")
        name = item[0].text
        meaning = meanings.get(name.lower(), meanings[""].split(". ")[0])
        yield Parameter(
            name,
            kind.lower() if kind.isupper() or "(" in kind else kind,
            joined(rest[cut + 1 :]),
            direction,
            meaning,
        )
