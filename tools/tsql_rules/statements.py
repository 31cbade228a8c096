"""Takes a batch apart into statements, by their first words alone.

Enough for rules that look at one statement at a time, and for the one that wants a semicolon after each.
Blocks (BEGIN … END, TRY, CATCH, IF, WHILE) are entered: the statements inside come out in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chokaq.deploy.lexer import Token, TokenKind

# A bare word of these begins a statement wherever it stands, but for the cases in _continues.
STARTERS = frozenset(
    {
        "ALTER", "BEGIN", "BREAK", "CLOSE", "COMMIT", "CONTINUE", "CREATE", "DEALLOCATE", "DECLARE", "DELETE",
        "DENY", "DROP", "EXEC", "EXECUTE", "FETCH", "GOTO", "GRANT", "IF", "INSERT", "MERGE", "OPEN", "PRINT",
        "RAISERROR", "RETURN", "REVOKE", "ROLLBACK", "SAVE", "SELECT", "SET", "THROW", "TRUNCATE", "UPDATE",
        "USE", "WAITFOR", "WHILE", "WITH",
    }
)  # fmt: skip
_SET_OPERATORS = ("UNION", "ALL", "EXCEPT", "INTERSECT")
_TRANSACTION = ("TRAN", "TRANSACTION")


@dataclass(frozen=True, slots=True)
class Statement:
    """One simple statement: its tokens without comments and without the semicolon.

    ``terminated`` tells whether a semicolon follows. ``guards`` holds the conditions of the IF and WHILE
    around it, innermost last.
    """

    tokens: tuple[Token, ...]
    terminated: bool
    guards: tuple[tuple[Token, ...], ...] = ()

    @property
    def line(self) -> int:
        """The line on which it begins."""
        return self.tokens[0].line

    @property
    def verb(self) -> str:
        """Its first word; for ``WITH name AS (…)`` the first word after the common table expressions."""
        return self.tokens[self.verb_index].upper

    @property
    def verb_index(self) -> int:
        """The place of the verb among the tokens."""
        if not self.tokens[0].is_word("WITH"):
            return 0
        depth = 0
        for index, token in enumerate(self.tokens):
            depth += _step(token)
            if index and depth == 0 and token.is_word("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"):
                return index
        return 0


@dataclass(frozen=True, slots=True)
class OpenBlock:
    """A block's END without a semicolon."""

    token: Token


class _Reader:
    """Walks over the tokens of a batch; every method moves ``position`` behind what it read."""

    def __init__(self, code: Sequence[Token]) -> None:
        self.code = code
        self.position = 0
        self.found: list[Statement | OpenBlock] = []
        self.guards: tuple[tuple[Token, ...], ...] = ()

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.position + ahead
        return self.code[index] if index < len(self.code) else None

    def at(self, *words: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and token.is_word(*words)

    def skip_semicolon(self) -> bool:
        token = self.peek()
        if token is None or token.text != ";":
            return False
        self.position += 1
        return True

    def statements(self) -> None:
        """Everything up to the end of the batch or the END of the enclosing block."""
        while self.peek() is not None and not self.at("END"):
            if not self.skip_semicolon():
                self.statement()

    def statement(self) -> None:
        if self.at("BEGIN") and not self.at(*_TRANSACTION, ahead=1):
            self.block()
        elif self.at("IF", "WHILE"):
            self.branch()
        else:
            self.simple()

    def block(self) -> None:
        self.position += 1
        part = self.peek() if self.at("TRY", "CATCH") else None
        self.position += part is not None
        self.statements()
        end = self.peek()
        if end is None:
            return
        self.position += 1
        self.position += self.at("TRY", "CATCH")
        if part is not None and part.is_word("TRY") and self.at("BEGIN") and self.at("CATCH", ahead=1):
            self.block()
        elif not self.skip_semicolon() and not self.at("ELSE"):
            self.found.append(OpenBlock(end))

    def branch(self) -> None:
        self.position += 1
        condition: list[Token] = []
        depth = 0
        while (token := self.peek()) is not None:
            depth += _step(token)
            if depth == 0 and token.is_word(*STARTERS):
                break
            condition.append(token)
            self.position += 1
        outer = self.guards
        self.guards = (*outer, tuple(condition))
        if self.peek() is not None:
            self.statement()
        if self.at("ELSE"):
            self.position += 1
            self.statement()
        self.guards = outer

    def simple(self) -> None:
        start = self.position
        depth = cases = 0
        while (token := self.peek()) is not None and token.text != ";":
            depth += _step(token)
            if token.is_word("CASE"):
                cases += 1
            elif cases and token.is_word("END"):
                cases -= 1
            elif depth <= 0 and not cases and self.position > start:
                if token.is_word("END", "ELSE"):
                    break
                if token.is_word(*STARTERS) and not _continues(self.code[start : self.position], token):
                    break
            self.position += 1
        if self.position == start:  # a stray ELSE, say; not for us to judge
            self.position += 1
        tokens = tuple(self.code[start : self.position])
        self.found.append(Statement(tokens, self.skip_semicolon(), self.guards))


def _step(token: Token) -> int:
    return {"(": 1, ")": -1}.get(token.text, 0) if token.kind is TokenKind.OPERATOR else 0


def _continues(before: Sequence[Token], word: Token) -> bool:
    """Whether a word that could begin a statement goes on with the one before it."""
    first, last = before[0].upper, before[-1].upper
    name = word.upper
    if (
        name == "WITH"
    ):  # hints, options of an index, OPENJSON's columns: never a new statement after a semicolon rule
        return True
    if first in {"GRANT", "DENY", "REVOKE"}:
        return True
    if last == "ON" and name in {"DELETE", "UPDATE"}:  # of a foreign key
        return True
    if name == "SELECT":
        in_insert = _main_verb(before) == "INSERT" and not any(
            token.is_word("SELECT", "VALUES") for token in _flat(before)
        )
        return in_insert or last in _SET_OPERATORS or _opens_cte(before) or last == "FOR" or first == "CREATE"
    if name in {"INSERT", "UPDATE", "DELETE", "MERGE"}:
        return _opens_cte(before)
    if name == "SET":
        return _main_verb(before) == "UPDATE" and not any(token.is_word("SET") for token in _flat(before))
    if name in {"EXEC", "EXECUTE"}:
        return _main_verb(before) == "INSERT" or last == "WITH"
    if name in {"ALTER", "DROP"}:
        return first == "ALTER" or (first == "CREATE" and last == "OR")
    if name == "IF":
        return first == "DROP"
    return name == "FETCH" and (last in {"ROWS", "ROW"})


def _flat(code: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside any parentheses."""
    depth = 0
    for token in code:
        depth += _step(token)
        if depth == 0:
            yield token


def _main_verb(code: Sequence[Token]) -> str:
    flat = list(_flat(code))
    if flat and flat[0].is_word("WITH"):
        return next(
            (token.upper for token in flat if token.is_word("INSERT", "UPDATE", "DELETE", "SELECT")), "WITH"
        )
    return code[0].upper


def _opens_cte(code: Sequence[Token]) -> bool:
    """Whether these tokens are ``WITH name AS (…)`` and so need a main statement still."""
    return code[0].is_word("WITH") and _main_verb(code) == "WITH"


def parse(code: Sequence[Token]) -> list[Statement | OpenBlock]:
    """The statements of a batch and the block ends without a semicolon, in order.

    ``code`` are the tokens of one batch, or of a procedure's body, without comments.
    """
    reader = _Reader([token for token in code if token.kind is not TokenKind.COMMENT])
    while reader.peek() is not None:
        reader.statements()
        reader.position += reader.at("END")  # one too many: the parsers of the other gates say so
    return reader.found
