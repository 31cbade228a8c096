"""Writes the names of T-SQL types in upper case, as the formatter does wherever it knows a type from a name.

``python -m tools.type_case FOLDER …`` rewrites the ``.sql`` files in place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from chokaq.deploy.batches import normalize
from chokaq.deploy.lexer import Token, TokenKind, tokens

TYPES = frozenset(
    {
        "BIGINT", "BINARY", "BIT", "CHAR", "DATE", "DATETIME", "DATETIME2", "DATETIMEOFFSET", "DECIMAL",
        "FLOAT", "INT", "MAX", "MONEY", "NCHAR", "NUMERIC", "NVARCHAR", "REAL", "SMALLINT", "SQL_VARIANT",
        "SYSNAME", "TIME", "TINYINT", "UNIQUEIDENTIFIER", "VARBINARY", "VARCHAR", "XML",
    }
)  # fmt: skip


def wrong_case(text: str) -> Iterator[Token]:
    """The bare words of a script that name a type and are not in upper case."""
    for token in tokens(text):
        if token.kind is TokenKind.WORD and token.upper in TYPES and token.text != token.upper:
            yield token


def recase(text: str) -> str:
    """The script with the names of types in upper case."""
    parts: list[str] = []
    position = 0
    for token in wrong_case(text):
        parts += [text[position : token.start], token.upper]
        position = token.end
    return "".join([*parts, text[position:]])


def main(folders: list[str]) -> int:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.sql")):
            before = normalize(path.read_bytes())
            after = recase(before)
            if after != before:
                path.write_text(after, encoding="utf-8", newline="\n")
                print(f"{path}: types in upper case")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
