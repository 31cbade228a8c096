"""Tokens of a T-SQL batch: what the statement parser reads.

The text of expressions and queries is later handed to sqlglot; here only words, names and the places
where a statement ends matter. Every token knows its line, so that every error can name it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .problems import syntax_error

WORD, NAME, VARIABLE, STRING, NUMBER, BINARY, OP, MARK, END = (
    "word",
    "name",
    "variable",
    "string",
    "number",
    "binary",
    "operator",
    "?",
    "end",
)

_TOKEN = re.compile(
    r"""
      (?P<space>[\s\ufeff]+|--[^\n]*)
    | (?P<comment>/\*)
    | (?P<string>[Nn]?'(?:[^']|'')*')
    | (?P<name>\[(?:[^\]]|\]\])*\]|"(?:[^"]|"")*")
    | (?P<variable>@@?[\w@$#]+)
    | (?P<binary>0[xX][0-9a-fA-F]*)
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d][\w@$#]*|\#\#?\w[\w@$#]*)
    | (?P<op><>|<=|>=|!=|!<|!>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|[-+*/%&|^~=<>().,;:{}])
    | (?P<mark>\?)
    """,
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


@dataclass(slots=True)
class Token:
    """One token; ``start`` and ``end`` are offsets into the batch, ``line`` counts from 1."""

    kind: str
    text: str
    upper: str
    start: int
    end: int
    line: int

    @property
    def value(self) -> str:
        """A name without its delimiters, a string without its quotes, else the text."""
        if self.kind == NAME:
            closing = self.text[-1]
            return self.text[1:-1].replace(closing * 2, closing)
        if self.kind == STRING:
            return self.text[self.text.index("'") + 1 : -1].replace("''", "'")
        return self.text


def tokenize(text: str) -> list[Token]:
    """Split a batch into tokens; the last one is of kind ``END``. Raises error 102, 105 or 113."""
    tokens: list[Token] = []
    position, line, size = 0, 1, len(text)
    match = _TOKEN.match
    while position < size:
        found = match(text, position)
        if found is None:
            character = text[position]
            if character in "'[\"":
                rest = text[position : position + 20]
                raise syntax_error(105, f"Unclosed quotation mark after the character string '{rest}'.", line)
            raise syntax_error(102, f"Incorrect syntax near '{character}'.", line)
        kind = found.lastgroup or ""
        end = found.end()
        if kind == "comment":
            end = _comment_end(text, end, line)
        elif kind != "space":
            word = found.group()
            if kind == "op":
                kind = OP
            elif kind == "mark":
                kind = MARK
            upper = word.upper() if kind == WORD else ("" if kind in (NAME, STRING) else word)
            tokens.append(Token(kind, word, upper, position, end, line))
        line += text.count("\n", position, end)
        position = end
    tokens.append(Token(END, "", "", size, size, line))
    return tokens


def _comment_end(text: str, position: int, line: int) -> int:
    depth = 1
    while depth:
        edge = _COMMENT_EDGE.search(text, position)
        if edge is None:
            raise syntax_error(113, "Missing end comment mark '*/'.", line)
        depth += 1 if edge.group() == "/*" else -1
        position = edge.end()
    return position
