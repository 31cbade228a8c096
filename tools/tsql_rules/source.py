"""A ``.sql`` file as the rules see it: batches, tokens without comments, statements, header block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chokaq.deploy.batches import normalize, split
from chokaq.deploy.lexer import Token, TokenKind, tokens

from .statements import STARTERS, OpenBlock, Statement, parse

HEADER_FIELDS = (
    "Purpose", "Parameters", "Result set", "Outcomes", "Errors",
    "Transactions", "Lock order", "Role", "Version",
)  # fmt: skip
_FIELD = re.compile(rf"^[ \t*]*(?P<name>{'|'.join(HEADER_FIELDS)}):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. ``line`` counts from 1."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Procedure:
    """What a procedure's file creates: the signature's tokens, then the body's."""

    schema: Token
    name: Token
    signature: tuple[Token, ...]
    body: tuple[Token, ...]


class SqlFile:
    """One file. ``path`` is relative to the repository, with forward slashes.

    Raises the splitter's ``SplitError`` where the text has no batches to look at.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = normalize(text)
        self.batches: list[tuple[Token, ...]] = []
        batches = split(self.text)
        self.tokens = tuple(tokens(self.text))
        for batch in batches:
            shift = batch.line - 1
            self.batches.append(
                tuple(
                    Token(token.kind, token.text, token.start, token.end, token.line + shift)
                    for token in tokens(batch.text)
                    if token.kind is not TokenKind.COMMENT
                )
            )

    @property
    def is_procedure_file(self) -> bool:
        """Whether the file belongs to procs/, and so must hold one procedure."""
        return self.path.startswith("procs/")

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return Path(self.path).stem

    @property
    def code(self) -> Iterator[Token]:
        """All tokens but comments and GO lines."""
        for batch in self.batches:
            yield from batch

    @cached_property
    def procedure(self) -> Procedure | None:
        """The procedure that the file creates or alters, if any."""
        for batch in self.batches:
            found = _procedure(batch)
            if found is not None:
                return found
        return None

    @cached_property
    def parsed(self) -> list[Statement | OpenBlock]:
        """All statements, those of a procedure's body included, and block ends without a semicolon."""
        found: list[Statement | OpenBlock] = []
        for batch in self.batches:
            procedure = _procedure(batch)
            found += parse(batch if procedure is None else procedure.body)
        return found

    @property
    def statements(self) -> Iterator[Statement]:
        """The simple statements."""
        for each in self.parsed:
            if isinstance(each, Statement):
                yield each

    @cached_property
    def header(self) -> dict[str, str]:
        """The fields of the comment block before CREATE, in the order in which they stand."""
        for token in self.tokens:
            if token.kind is TokenKind.COMMENT and token.text.startswith("/*"):
                return _fields(token.text[2:-2])
            if token.is_word("CREATE"):
                break
        return {}

    def finding(self, rule: str, line: int, message: str) -> Finding:
        """A finding in this file."""
        return Finding(self.path, line, rule, message)


def _procedure(batch: Sequence[Token]) -> Procedure | None:
    words = [token.upper for token in batch[:4]]
    if words[:4] == ["CREATE", "OR", "ALTER", "PROCEDURE"]:
        at = 4
    elif words[:1] in (["CREATE"], ["ALTER"]) and words[1:2] in (["PROCEDURE"], ["PROC"]):
        at = 2
    else:
        return None
    if len(batch) < at + 3 or batch[at + 1].text != ".":
        return None
    for index in range(at + 3, len(batch) - 1):
        if batch[index].is_word("AS") and batch[index + 1].is_word(*STARTERS):
            body = batch[index + 1 :]
            return Procedure(batch[at], batch[at + 2], tuple(batch[at + 3 : index]), tuple(body))
    return None


def _fields(block: str) -> dict[str, str]:
    marks = list(_FIELD.finditer(block))
    fields = {}
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(block)
        fields[mark["name"]] = block[mark.end() : end].strip()
    return fields
