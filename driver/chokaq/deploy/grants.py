"""What the permission scripts grant, and which roles they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .catalog import Grant
from .lexer import Token, TokenKind, tokens
from .scripts import Script, rename_schema

_ROLE_TOKEN = re.compile(r"\[chokaq_[a-z]+\]")


def granted(scripts: Iterable[Script], schema: str) -> tuple[Grant, ...]:
    """Every ``GRANT … ON [OBJECT::][chokaq].[Name] TO [role]`` of the scripts, for a schema of this name."""
    return tuple(grant for script in scripts for grant in _of_text(rename_schema(script.text, schema)))


def roles(scripts: Iterable[Script], schema: str) -> tuple[str, ...]:
    """The roles of the scripts."""
    found = {match for script in scripts for match in _ROLE_TOKEN.findall(script.text)}
    return tuple(sorted(rename_schema(each, schema)[1:-1] for each in found))


def _of_text(text: str) -> Iterator[Grant]:
    statement: list[Token] = []
    for token in tokens(text):
        if token.kind is TokenKind.COMMENT:
            continue
        if token.text == ";":
            yield from _of_statement(statement)
            statement = []
        elif token.is_word("GRANT"):
            statement = [token]  # whatever stood before it (GO, IF …) is not part of it
        else:
            statement.append(token)


def _of_statement(statement: list[Token]) -> Iterator[Grant]:
    words = [token.upper for token in statement]
    if words[:1] != ["GRANT"] or "ON" not in words or "TO" not in words:
        return
    on, to = words.index("ON"), words.index("TO")
    permissions = [word for word in words[1:on] if word != ","]
    for permission in permissions:
        for grantee in statement[to + 1 :]:
            if grantee.kind is TokenKind.NAME:
                yield Grant(grantee.value, permission, statement[to - 1].value, "GRANT")
