"""Splits a script into batches at ``GO``, as the command-line clients of SQL Server do.

``GO`` separates batches only where it stands alone on a line, outside strings, delimited names and
comments. ``GO 5`` runs the batch before it five times.
"""

from __future__ import annotations

from dataclasses import dataclass

from .lexer import Token, TokenKind, UnterminatedError, tokens


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of a script.

    ``line`` is the line of the script on which ``text`` begins, so line *n* that a server reports is
    line ``line + n - 1`` of the file. ``count`` is how often to run it.
    """

    text: str
    line: int
    count: int = 1


class SplitError(ValueError):
    """A script that cannot be split without guessing. ``line`` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def normalize(data: bytes | str) -> str:
    """Text without a byte-order mark and with line feeds only, whatever the checkout made of it.

    Raises :class:`UnicodeDecodeError` where bytes are not UTF-8.
    """
    text = data if isinstance(data, str) else data.decode("utf-8")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split(text: str) -> list[Batch]:
    """The batches of a script, in order; those that hold nothing but comments are left out.

    Raises :class:`SplitError` for a string or comment that never ends and for a malformed ``GO`` line.
    """
    text = normalize(text)
    try:
        found = list(tokens(text))
    except UnterminatedError as error:
        raise SplitError(error.line, f"this {error.what} is never closed") from error

    batches: list[Batch] = []
    start = 0
    significant = False
    index = 0
    while index < len(found):
        token = found[index]
        if not _opens_separator(text, token):
            significant = significant or token.kind is not TokenKind.COMMENT
            index += 1
            continue
        line_end = _line_end(text, token.end)
        rest = [other for other in found[index + 1 : index + 4] if other.start < line_end]
        count = _repetitions(token, rest)
        if count is None:  # a column that is called go, say
            significant = True
            index += 1
            continue
        if significant:
            batches.append(_batch(text, start, _line_start(text, token.start), count))
        start = min(line_end + 1, len(text))
        significant = False
        index += 1 + len(rest)
    if significant:
        batches.append(_batch(text, start, len(text), 1))
    return batches


def _opens_separator(text: str, token: Token) -> bool:
    if not token.is_word("GO"):
        return False
    before = text[_line_start(text, token.start) : token.start]
    if not before.strip():
        return True
    after = text[token.end : _line_end(text, token.end)]
    if before.rstrip().endswith("*/") and not after.strip():
        # Clients disagree about this one; a script must not depend on which of them runs it.
        raise SplitError(token.line, "GO must stand alone on its line")
    return False


def _repetitions(go: Token, rest: list[Token]) -> int | None:
    """How often a ``GO`` line runs its batch; None when the line is not a separator at all."""
    words = [token for token in rest if token.kind is not TokenKind.COMMENT]
    if any(token.text.startswith("/*") for token in rest):
        raise SplitError(go.line, "GO must stand alone on its line")
    if not words:
        return 1
    if words[0].text == ";":
        raise SplitError(go.line, "GO is not a statement and takes no semicolon")
    if len(words) == 1 and words[0].kind is TokenKind.NUMBER:
        if not words[0].text.isdecimal() or int(words[0].text) < 1:
            raise SplitError(go.line, f"GO {words[0].text}: the count must be a whole number from 1")
        return int(words[0].text)
    return None


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _batch(text: str, start: int, end: int, count: int) -> Batch:
    body = text[start:end]
    blank = len(body) - len(body.lstrip())
    # Leading blank lines go, the indentation of the first line stays.
    blank = body.rfind("\n", 0, blank) + 1
    return Batch(body[blank:].rstrip(), text.count("\n", 0, start + blank) + 1, count)
