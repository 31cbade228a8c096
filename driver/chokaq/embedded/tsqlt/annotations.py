"""Annotations: lines of a test's text that begin ``--[@tSQLt:``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..problems import SqlError

_LINE = re.compile(r"^\s*--\[@tSQLt:(?P<name>[^\]]*)\]\s*\((?P<arguments>.*)\)\s*$", re.MULTILINE)
_ANY = re.compile(r"^\s*--\[@tSQLt:.*$", re.MULTILINE)
_TEXT = re.compile(r"^[nN]?'(?P<text>(?:[^']|'')*)'$")


@dataclass(slots=True)
class Annotations:
    """``skip``: why the test is not run. ``clean_up``: what runs after a test without a transaction."""

    skip: str | None = None
    no_transaction: bool = False
    clean_up: list[str] = field(default_factory=list)


def read(definition: str) -> Annotations:
    """What the annotations of a test ask for. An unknown annotation is an error."""
    found = Annotations()
    for line in _ANY.findall(definition):
        match = _LINE.match(line)
        name = match["name"] if match else ""
        if match is None or name not in ("NoTransaction", "SkipTest"):
            raise SqlError(
                49999, f"The embedded engine does not support the annotation {line.strip()[2:]}.", 16, 1
            )
        argument = match["arguments"].strip()
        literal = _TEXT.match(argument)
        value = literal["text"].replace("''", "'") if literal else None
        if literal is None and argument.upper() not in ("DEFAULT", "NULL"):
            raise SqlError(
                49999, f"The argument of {line.strip()[2:]} is neither a text nor DEFAULT nor NULL.", 16, 1
            )
        if name == "SkipTest":
            found.skip = found.skip if found.skip is not None else (value or "<no reason provided>")
        else:
            found.no_transaction = True
            if value is not None:
                found.clean_up.append(value)
    return found
