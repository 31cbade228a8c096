"""Splits T-SQL text into tokens: just enough for batches, procedure names and the project's rule check.

It knows what hides text from a reader: strings, bracketed and double-quoted names, line comments and
nested block comments. It does not know statements.
"""

from __future__ import annotations

import bisect
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass


class TokenKind(enum.Enum):
    """What a token is. ``NAME`` is a delimited identifier, ``WORD`` a bare one or a keyword."""

    WORD = "word"
    NAME = "name"
    VARIABLE = "variable"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. ``start`` and ``end`` are offsets into the text, ``line`` counts from 1."""

    kind: TokenKind
    text: str
    start: int
    end: int
    line: int

    @property
    def upper(self) -> str:
        """The text in upper case, to compare keywords."""
        return self.text.upper()

    @property
    def value(self) -> str:
        """What a name or a string stands for, without its delimiters; else the text."""
        if self.kind is TokenKind.NAME:
            closing = self.text[-1]
            return self.text[1:-1].replace(closing * 2, closing)
        if self.kind is TokenKind.STRING:
            return self.text[self.text.index("'") + 1 : -1].replace("''", "'")
        return self.text

    def is_word(self, *words: str) -> bool:
        """Whether this is one of the given bare words (upper case)."""
        return self.kind is TokenKind.WORD and self.upper in words


class UnterminatedError(ValueError):
    """A string, delimited name or block comment that never ends. ``line`` is where it began."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(f"line {line}: this {what} is never closed")
        self.what = what
        self.line = line


_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<line_comment>--[^\n]*)
    | (?P<block_comment>/\*)
    | (?P<string>[Nn]?'(?:[^']|'')*')
    | (?P<bracket>\[(?:[^\]]|\]\])*\])
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<variable>@[\w@\#$]+)
    | (?P<number>0[xX][0-9A-Fa-f]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d][\w@\#$]*|\#[\w@\#$]+)
    | (?P<operator><=|>=|<>|!=|!<|!>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")

_KINDS = {
    "line_comment": TokenKind.COMMENT,
    "string": TokenKind.STRING,
    "bracket": TokenKind.NAME,
    "quoted": TokenKind.NAME,
    "variable": TokenKind.VARIABLE,
    "number": TokenKind.NUMBER,
    "word": TokenKind.WORD,
    "operator": TokenKind.OPERATOR,
}
_OPENERS = {"'": "string", "[": "bracketed name", '"': "quoted name"}


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of ``text`` in order, comments included, white space left out.

    Raises :class:`UnterminatedError` where a string, name or comment is never closed.
    """
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # the last branch takes any character
            raise AssertionError(f"no token at offset {position}")
        group = match.lastgroup or ""
        end = match.end()
        if group == "space":
            position = end
            continue
        line = bisect.bisect_right(line_starts, position)
        if group == "block_comment":
            end = _end_of_comment(text, position, line)
            kind = TokenKind.COMMENT
        else:
            kind = _KINDS[group]
            if kind is TokenKind.OPERATOR and match.group() in _OPENERS:
                raise UnterminatedError(_OPENERS[match.group()], line)
        yield Token(kind, text[position:end], position, end, line)
        position = end


def _end_of_comment(text: str, start: int, line: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    raise UnterminatedError("block comment", line)
