"""The descriptions of tables and columns, as the one-time scripts put them into extended properties.

The scripts list them as rows ``(place, N'table', N'column' or NULL, N'description')``.
"""

from __future__ import annotations

from collections.abc import Iterable

from chokaq.deploy.lexer import Token, TokenKind, tokens
from chokaq.deploy.scripts import Script

Descriptions = dict[tuple[str, str | None], str]


def descriptions(scripts: Iterable[Script]) -> Descriptions:
    """Descriptions by (table, column), both in lower case; column None: the table's."""
    found: Descriptions = {}
    for script in scripts:
        code = [token for token in tokens(script.text) if token.kind is not TokenKind.COMMENT]
        for start in range(len(code) - 8):
            row = code[start : start + 9]
            if [row[index].text for index in (0, 2, 4, 6, 8)] == ["(", ",", ",", ",", ")"]:
                _take(row[1], row[3], row[5], row[7], found)
    return found


def _take(place: Token, table: Token, column: Token, text: Token, found: Descriptions) -> None:
    named = column.kind is TokenKind.STRING or column.is_word("NULL")
    if place.kind is not TokenKind.NUMBER or table.kind is not TokenKind.STRING or not named:
        return
    if text.kind is not TokenKind.STRING:
        return
    name = None if column.is_word("NULL") else column.value.lower()
    found[table.value.lower(), name] = text.value
