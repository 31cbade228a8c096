"""The statement parser: batch text -> syntax.Batch.

It finds where each statement begins and ends, and takes control flow, transactions and EXECUTE apart.
What it does not know it refuses with the construct and the line; nothing is skipped.
"""

from __future__ import annotations

from . import syntax as s
from .lexer import MARK, tokenize
from .parser_base import ParserBase
from .parser_ddl import DefinitionParser
from .parser_dml import DataParser
from .problems import syntax_error, unsupported

_TRANSACTION_WORDS = frozenset({"TRAN", "TRANSACTION"})
_LEVELS = frozenset({"READ COMMITTED", "READ UNCOMMITTED", "REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT"})
_NUMBER_OPTIONS = frozenset({"LOCK_TIMEOUT", "DEADLOCK_PRIORITY"})
SWITCHES = frozenset(
    {
        "ANSI_NULLS",
        "QUOTED_IDENTIFIER",
        "ANSI_PADDING",
        "ANSI_WARNINGS",
        "ANSI_NULL_DFLT_ON",
        "ARITHABORT",
        "CONCAT_NULL_YIELDS_NULL",
        "NUMERIC_ROUNDABORT",
        "NOCOUNT",
        "XACT_ABORT",
        "IMPLICIT_TRANSACTIONS",
        "CURSOR_CLOSE_ON_COMMIT",
        "IDENTITY_INSERT",
    }
)


def parse_batch(text: str) -> s.Batch:
    """Parse one batch (no GO). Each ``?`` becomes a variable ``@__p1``, ``@__p2`` …"""
    tokens = tokenize(text)
    source = text
    if any(token.kind == MARK for token in tokens):
        pieces: list[str] = []
        position = number = 0
        for token in tokens:
            if token.kind == MARK:
                number += 1
                pieces.append(text[position : token.start])
                pieces.append(f"@__p{number}")
                position = token.end
        pieces.append(text[position:])
        source = "".join(pieces)
        tokens = tokenize(source)
    return StatementParser(source, tokens).batch(text)


class StatementParser(DefinitionParser, DataParser, ParserBase):
    """Recursive descent over the tokens of one batch."""

    def batch(self, text: str) -> s.Batch:
        statements: list[s.Statement] = []
        while True:
            while self.accept(";"):
                pass
            if self.at_end():
                return s.Batch(text, self.source, statements)
            first = not statements
            statement = self.statement()
            if isinstance(statement, s.CreateProcedure) and not first:
                # SET options before it are a batch of their own in every file; anything else hides a missing
                # GO.
                raise syntax_error(
                    111,
                    "'CREATE/ALTER PROCEDURE' must be the first statement in a query batch.",
                    statement.line,
                )
            if isinstance(statement, s.CreateSchema) and not first:
                raise syntax_error(
                    111, "'CREATE SCHEMA' must be the first statement in a query batch.", statement.line
                )
            statements.append(statement)

    def statement(self) -> s.Statement:
        token = self.peek()
        word = token.upper
        line = token.line
        method = _STATEMENTS.get(word) if token.kind == "word" else None
        if method is not None:
            statement = method(self, line)
            if isinstance(statement, (s.If, s.While, s.CreateProcedure)):
                return statement
            if isinstance(statement, (s.Block, s.TryCatch)):
                self.accept(";")
                return statement
            self.end_of_statement(word)
            return statement
        if token.kind == "word" and self.peek(1).text == ":" and self.peek(1).start == token.end:
            raise unsupported(f"label {token.text}", line)
        if word in _REFUSED:
            raise unsupported(_REFUSED[word], line)
        if word == "GO":
            raise syntax_error(
                102, "Incorrect syntax near 'GO': it separates batches and belongs to the client.", line
            )
        if token.kind in ("word", "name") and not self.statement_seen:
            raise unsupported(f"EXECUTE without the keyword (statement '{token.text}')", line)
        raise self.near(token)

    # Blocks and branches

    def _begin(self, line: int) -> s.Statement:
        self.expect("BEGIN")
        if self.peek().upper in _TRANSACTION_WORDS:
            self.next()
            name = self._transaction_name()
            if self.at("WITH"):
                raise unsupported("BEGIN TRANSACTION … WITH MARK", line)
            return s.Transaction(line, "BEGIN", name)
        if self.at("DISTRIBUTED", "DIALOG", "CONVERSATION", "ATOMIC"):
            raise unsupported(f"BEGIN {self.peek().text}", line)
        if self.accept("TRY"):
            body = self._statements_until_end("TRY", line)
            self.accept(";")
            self.expect("BEGIN")
            self.expect("CATCH")
            handler = self._statements_until_end("CATCH", line)
            return s.TryCatch(line, body, handler)
        body = self._statements_until_end("", line)
        if not body:
            raise self.near(self.peek(-1))
        return s.Block(line, body)

    def _statements_until_end(self, kind: str, line: int) -> list[s.Statement]:
        statements: list[s.Statement] = []
        while True:
            while self.accept(";"):
                pass
            if self.at_end():
                raise syntax_error(102, f"Incorrect syntax: BEGIN {kind}".rstrip() + " has no END.", line)
            if self.accept("END"):
                if kind:
                    self.expect(kind)
                return statements
            statements.append(self.statement())

    def _if(self, line: int) -> s.Statement:
        self.expect("IF")
        condition = self.condition_text()
        then = self.statement()
        otherwise = self.statement() if self.accept("ELSE") else None
        return s.If(line, condition, then, otherwise)

    def _while(self, line: int) -> s.Statement:
        self.expect("WHILE")
        condition = self.condition_text()
        return s.While(line, condition, self.statement())

    def _break(self, line: int) -> s.Statement:
        self.next()
        return s.Break(line)

    def _continue(self, line: int) -> s.Statement:
        self.next()
        return s.Continue(line)

    def _return(self, line: int) -> s.Statement:
        self.next()
        return s.Return(line, None if self.statement_ends() else self.text_to_end())

    # Variables and options

    def _declare(self, line: int) -> s.Statement:
        self.next()
        first = self.variable_name()
        self.accept("AS")
        if self.at("TABLE"):
            self.next()
            return s.DeclareTable(line, first, self.table_body(variable=True))
        variables = [self._declared(first, line)]
        while self.accept(","):
            at = self.peek().line
            name = self.variable_name()
            self.accept("AS")
            if self.at("TABLE"):
                raise unsupported("a table variable declared together with other variables", at)
            variables.append(self._declared(name, at))
        return s.Declare(line, variables)

    def _declared(self, name: str, line: int) -> s.DeclaredVariable:
        if self.at("CURSOR"):
            raise unsupported("cursor variable", line)
        type_name = self.type_name()
        value = self.text_until(",") if self.accept("=") else None
        return s.DeclaredVariable(name, type_name, line, value)

    def _set(self, line: int) -> s.Statement:
        self.next()
        if self.peek().kind == "variable":
            name = self.variable_name()
            operator = self.next()
            value = self.text_to_end()
            if operator.text == "=":
                return s.SetVariable(line, name, value)
            if operator.text in ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="):
                return s.SetVariable(
                    line, name, s.Text(f"{name} {operator.text[0]} ({value.text})", value.line)
                )
            raise self.near(operator)
        if self.accept("TRANSACTION"):
            self.expect("ISOLATION")
            self.expect("LEVEL")
            level = self.next().upper
            if level in ("READ", "REPEATABLE"):
                level = f"{level} {self.next().upper}"
            if level not in _LEVELS:
                raise unsupported(f"SET TRANSACTION ISOLATION LEVEL {level}", line)
            return s.SetIsolation(line, level)
        if self.peek().upper in _NUMBER_OPTIONS:
            option = self.next().upper
            return s.SetNumber(line, option, self.text_to_end())
        names = []
        while True:
            name = self.next().upper
            if name not in SWITCHES:
                raise unsupported(f"SET {name or self.peek(-1).text}", line)
            names.append(name)
            if not self.accept(","):
                break
        table = None
        if "IDENTITY_INSERT" in names:
            table = self.object_name()
        state = self.next()
        if state.upper not in ("ON", "OFF"):
            raise self.near(state)
        return s.SetOptions(line, names, state.upper == "ON", table)

    # Transactions and errors

    def _commit(self, line: int) -> s.Statement:
        self.next()
        if self.accept("WORK"):
            return s.Transaction(line, "COMMIT", "")
        name = self._transaction_name() if self._transaction_word() else ""
        if self.at("WITH"):
            raise unsupported("COMMIT … WITH (DELAYED_DURABILITY)", line)
        return s.Transaction(line, "COMMIT", name)

    def _rollback(self, line: int) -> s.Statement:
        self.next()
        if self.accept("WORK"):
            return s.Transaction(line, "ROLLBACK", "")
        return s.Transaction(line, "ROLLBACK", self._transaction_name() if self._transaction_word() else "")

    def _save(self, line: int) -> s.Statement:
        self.next()
        if not self._transaction_word():
            raise self.near(self.peek())
        name = self._transaction_name()
        if not name:
            raise self.near(self.peek())
        return s.Transaction(line, "SAVE", name)

    def _transaction_word(self) -> bool:
        if self.peek().upper in _TRANSACTION_WORDS:
            self.next()
            return True
        return False

    def _transaction_name(self) -> str:
        token = self.peek()
        if token.kind in ("name", "variable") or (
            token.kind == "word" and not self.statement_ends() and token.upper != "WITH"
        ):
            self.next()
            return token.value
        return ""

    def _throw(self, line: int) -> s.Statement:
        self.next()
        arguments = [] if self.statement_ends() else self.text_list()
        if len(arguments) not in (0, 3):
            raise syntax_error(102, "Incorrect syntax near 'THROW': it takes no argument or three.", line)
        return s.Throw(line, arguments)

    def _raiserror(self, line: int) -> s.Statement:
        self.next()
        self.expect("(")
        arguments = self.text_list(closing=True)
        options = []
        if self.accept("WITH"):
            options.append(self.next().upper)
            while self.accept(","):
                options.append(self.next().upper)
            for option in options:
                if option not in ("NOWAIT", "LOG", "SETERROR"):
                    raise unsupported(f"RAISERROR … WITH {option}", line)
        if len(arguments) < 3:
            raise syntax_error(102, "Incorrect syntax near 'RAISERROR': message, severity and state.", line)
        return s.RaiseError(line, arguments, options)

    def _print(self, line: int) -> s.Statement:
        self.next()
        return s.Print(line, self.text_to_end())


_REFUSED = {
    "GOTO": "GOTO",
    "MERGE": "MERGE",
    "WAITFOR": "WAITFOR",
    "USE": "USE",
    "OPEN": "cursor",
    "FETCH": "cursor",
    "CLOSE": "cursor",
    "DEALLOCATE": "cursor",
    "BACKUP": "BACKUP",
    "RESTORE": "RESTORE",
    "BULK": "BULK INSERT",
    "KILL": "KILL",
    "CHECKPOINT": "CHECKPOINT",
    "RECONFIGURE": "RECONFIGURE",
    "SHUTDOWN": "SHUTDOWN",
    "DBCC": "DBCC",
    "ENABLE": "ENABLE TRIGGER",
    "DISABLE": "DISABLE TRIGGER",
    "READTEXT": "READTEXT",
    "WRITETEXT": "WRITETEXT",
    "REVERT": "REVERT",
}

_STATEMENTS = {
    "BEGIN": StatementParser._begin,
    "IF": StatementParser._if,
    "WHILE": StatementParser._while,
    "BREAK": StatementParser._break,
    "CONTINUE": StatementParser._continue,
    "RETURN": StatementParser._return,
    "DECLARE": StatementParser._declare,
    "SET": StatementParser._set,
    "COMMIT": StatementParser._commit,
    "ROLLBACK": StatementParser._rollback,
    "SAVE": StatementParser._save,
    "THROW": StatementParser._throw,
    "RAISERROR": StatementParser._raiserror,
    "PRINT": StatementParser._print,
    "CREATE": StatementParser.create,
    "ALTER": StatementParser.alter,
    "DROP": StatementParser.drop,
    "GRANT": StatementParser.permission,
    "REVOKE": StatementParser.permission,
    "DENY": StatementParser.permission,
    "SELECT": StatementParser.select,
    "WITH": StatementParser.with_statement,
    "INSERT": StatementParser.insert,
    "UPDATE": StatementParser.update,
    "DELETE": StatementParser.delete,
    "TRUNCATE": StatementParser.truncate,
    "EXEC": StatementParser.execute,
    "EXECUTE": StatementParser.execute,
}
