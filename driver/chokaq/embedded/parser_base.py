"""What all parts of the statement parser share: looking at tokens, cutting text, reading names and types."""

from __future__ import annotations

from . import syntax as s
from .lexer import END, NAME, NUMBER, OP, STRING, VARIABLE, WORD, Token
from .problems import SqlError, syntax_error, unsupported

# Words that can only begin a statement: a condition ends before them.
_STARTERS = frozenset(
    "BEGIN SET SELECT INSERT UPDATE DELETE EXEC EXECUTE RETURN THROW RAISERROR PRINT DECLARE IF WHILE "
    "BREAK CONTINUE "
    "COMMIT ROLLBACK SAVE CREATE ALTER DROP GRANT REVOKE DENY TRUNCATE WITH MERGE GOTO WAITFOR".split()
)


class ParserBase:
    """A position in the tokens of one batch."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0
        self.statement_seen = False

    def peek(self, offset: int = 0) -> Token:
        index = self.position + offset
        return self.tokens[index] if index < len(self.tokens) else self.tokens[-1]

    def next(self) -> Token:
        token = self.peek()
        if token.kind != END:
            self.position += 1
        return token

    def at_end(self) -> bool:
        return self.peek().kind == END

    def at(self, *words: str) -> bool:
        token = self.peek()
        return token.upper in words and token.kind in (WORD, OP)

    def accept(self, word: str) -> bool:
        token = self.peek()
        if token.upper == word and token.kind in (WORD, OP):
            self.position += 1
            return True
        return False

    def expect(self, word: str) -> Token:
        token = self.peek()
        if not self.accept(word):
            raise self.near(token, word)
        return token

    def near(self, token: Token, expected: str = "") -> SqlError:
        """Error 102 or 156 at this token."""
        text = "the end of the batch" if token.kind == END else f"'{token.text}'"
        hint = f" ({expected} is expected here)" if expected else ""
        return syntax_error(102, f"Incorrect syntax near {text}{hint}.", token.line)

    # Text

    def statement_ends(self) -> bool:
        token = self.peek()
        return (
            token.kind == END or token.text == ";" or (token.kind == WORD and token.upper in ("END", "ELSE"))
        )

    def end_of_statement(self, word: str) -> None:
        if self.accept(";"):
            return
        if self.statement_ends():
            return
        token = self.peek()
        raise syntax_error(
            102,
            f"Incorrect syntax near '{token.text}': the {word} statement before it must end with ';'.",
            token.line,
        )

    def text_until(self, *stops: str) -> s.Text:
        """The text up to one of the words at nesting level 0, or up to the end of the statement."""
        first = self.peek()
        depth = cases = 0
        last = first
        begin = self.position
        while True:
            token = self.peek()
            if token.kind == END:
                break
            if token.kind == OP:
                if token.text == "(":
                    depth += 1
                elif token.text == ")":
                    if depth == 0:
                        break
                    depth -= 1
                elif token.text == ";":
                    if depth:
                        raise self.near(token)
                    break
                elif depth == 0 and cases == 0 and token.text in stops:
                    break
            elif token.kind == WORD:
                if token.upper == "CASE":
                    cases += 1
                elif token.upper == "END":
                    if cases == 0:
                        break
                    cases -= 1
                elif depth == 0 and cases == 0 and (token.upper in stops or token.upper == "ELSE"):
                    break
            last = self.next()
        if self.position == begin:
            raise self.near(first)
        return s.Text(self.source[first.start : last.end], first.line)

    def text_to_end(self) -> s.Text:
        return self.text_until()

    def condition_text(self) -> s.Text:
        return self.text_until(*_STARTERS)

    def text_list(self, closing: bool = False) -> list[s.Text]:
        texts = [self.text_until(",")]
        while self.accept(","):
            texts.append(self.text_until(","))
        if closing:
            self.expect(")")
        return texts

    def parenthesized(self) -> s.Text:
        """``( … )``: the text inside."""
        self.expect("(")
        text = self.text_until()
        self.expect(")")
        return text

    # Names and types

    def name(self) -> str:
        token = self.next()
        if token.kind == NAME:
            return token.value
        if token.kind == WORD:
            return token.text
        raise self.near(token, "a name")

    def variable_name(self) -> str:
        token = self.next()
        if token.kind != VARIABLE:
            raise self.near(token, "a variable")
        return token.text

    def object_name(self) -> s.ObjectName:
        line = self.peek().line
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        if len(parts) > 2:
            raise unsupported(f"name with a database or server ({'.'.join(parts)})", line)
        return s.ObjectName(parts[0] if len(parts) == 2 else "", parts[-1], line)

    def target_name(self) -> s.ObjectName:
        """A table, an alias or a table variable."""
        if self.peek().kind == VARIABLE:
            token = self.next()
            return s.ObjectName("", token.text, token.line)
        return self.object_name()

    def name_list(self) -> list[str]:
        self.expect("(")
        names = [self.name()]
        while self.accept(","):
            names.append(self.name())
        self.expect(")")
        return names

    def type_name(self) -> s.TypeName:
        line = self.peek().line
        name = self.object_name()
        arguments: list[str] = []
        if self.accept("("):
            while True:
                token = self.next()
                if token.kind != NUMBER and token.upper != "MAX":
                    raise self.near(token)
                arguments.append(token.text.lower())
                if not self.accept(","):
                    break
            self.expect(")")
        if self.at("VARYING", "PRECISION"):
            raise unsupported(f"type {name} {self.peek().text}", line)
        return s.TypeName(name.schema, name.name, tuple(arguments), line)

    def signed_number(self) -> int:
        sign = -1 if self.accept("-") else 1
        token = self.next()
        if token.kind != NUMBER or not token.text.isdigit():
            raise self.near(token, "a whole number")
        return sign * int(token.text)

    def string(self) -> str:
        token = self.next()
        if token.kind != STRING:
            raise self.near(token, "a string")
        return token.value
