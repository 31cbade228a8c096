"""Rules about single statements and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from chokaq.deploy.lexer import Token, TokenKind

from .source import Finding, SqlFile
from .statements import OpenBlock, Statement

_FORBIDDEN_WORDS = {
    "MERGE": "races without HOLDLOCK, and not every engine has it: UPDATE, then INSERT what is missing",
    "APPLY": "is outside the portable core",
    "WAITFOR": "holds a server thread",
    "CURSOR": "work in sets",
    "NOLOCK": "reads rows twice or not at all",
    "READUNCOMMITTED": "reads rows twice or not at all",
    "SP_EXECUTESQL": "dynamic SQL breaks ownership chaining",
    "RAISERROR": "use THROW with a number of db/errors.md",
    "GETDATE": "times are UTC from SYSUTCDATETIME()",
    "GETUTCDATE": "times are UTC from SYSUTCDATETIME()",
    "SYSDATETIME": "times are UTC from SYSUTCDATETIME()",
    "CURRENT_TIMESTAMP": "times are UTC from SYSUTCDATETIME()",
    "USE": "a script runs in the database that it is pointed at",
}
# Procedures of the server that are called by their bare name everywhere.
_SYSTEM_PROCEDURES = frozenset(
    {
        "SP_ADDEXTENDEDPROPERTY",
        "SP_DROPEXTENDEDPROPERTY",
        "SP_GETAPPLOCK",
        "SP_RELEASEAPPLOCK",
        "SP_UPDATEEXTENDEDPROPERTY",
    }
)
_ROW_FUNCTIONS = frozenset({"OPENJSON", "STRING_SPLIT", "GENERATE_SERIES"})
_NAMES = (TokenKind.NAME, TokenKind.WORD)


def forbidden_words(file: SqlFile) -> Iterator[Finding]:
    """Words that have no place in the portable core, as keywords, hints or functions."""
    for token in file.code:
        reason = _FORBIDDEN_WORDS.get(token.upper) if token.kind is TokenKind.WORD else None
        if reason is not None:
            yield file.finding("forbidden", token.line, f"{token.upper}: {reason}")


def no_dirty_isolation(file: SqlFile) -> Iterator[Finding]:
    """``SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED`` is NOLOCK for a whole session."""
    code = list(file.code)
    for first, second in pairwise(code):
        if first.is_word("READ") and second.is_word("UNCOMMITTED"):
            yield file.finding("forbidden", first.line, "READ UNCOMMITTED: reads rows twice or not at all")


def no_dynamic_sql(file: SqlFile) -> Iterator[Finding]:
    """``EXECUTE (@text)`` and ``EXECUTE @name`` run what no reader and no gate can see."""
    for statement in file.statements:
        called = _called(statement)
        if called and (called[0].text == "(" or called[0].kind is TokenKind.VARIABLE):
            yield file.finding("dynamic-sql", statement.line, "EXECUTE must name a procedure")


def qualified_calls(file: SqlFile) -> Iterator[Finding]:
    """An unqualified procedure is looked up in the caller's default schema."""
    for statement in file.statements:
        called = _called(statement)
        if not called or called[0].kind not in _NAMES:
            continue
        if not _is_qualified(called) and called[0].value.upper() not in _SYSTEM_PROCEDURES:
            yield file.finding("qualified", called[0].line, f"EXECUTE {called[0].text}: name its schema")


def _called(statement: Statement) -> Sequence[Token]:
    """What an EXECUTE names, from there to the end; empty for another statement."""
    if statement.verb not in {"EXEC", "EXECUTE"}:
        return ()
    rest = statement.tokens[1:]
    if len(rest) > 2 and rest[0].kind is TokenKind.VARIABLE and rest[1].text == "=":
        rest = rest[2:]
    return rest


def _is_qualified(tokens: Sequence[Token]) -> bool:
    return len(tokens) > 2 and tokens[1].text == "." and tokens[2].kind in _NAMES


def qualified_tables(file: SqlFile) -> Iterator[Finding]:
    """Tables, types and procedures are named with their schema, in DML and in DDL."""
    for statement in file.statements:
        tables = _table_names(statement)
        aliases = _aliases(statement)
        for index in _table_places(statement):
            rest = statement.tokens[index:]
            if not rest or rest[0].kind not in _NAMES or _is_qualified(rest):
                continue
            name = rest[0].value.lower()
            if name in tables or rest[0].upper in _ROW_FUNCTIONS:
                continue
            if index == _target_index(statement) and name in aliases:
                continue
            yield file.finding("qualified", rest[0].line, f"{rest[0].text}: name its schema")


def _table_names(statement: Statement) -> set[str]:
    """What a statement may name like a table: its common table expressions, the two tables of OUTPUT."""
    return {"inserted", "deleted", *_expressions(statement)}


def _expressions(statement: Statement) -> set[str]:
    """The names of a statement's common table expressions."""
    head = statement.tokens[: statement.verb_index]
    return {
        token.value.lower()
        for token, following in pairwise(head)
        if token.kind in _NAMES and (following.is_word("AS") or following.text == "(")
    }


def _aliases(statement: Statement) -> set[str]:
    """The aliases in a statement's FROM, which an UPDATE or DELETE may name as its target."""
    return {
        following.value.lower()
        for token, following in pairwise(statement.tokens)
        if token.is_word("AS") and following.kind in _NAMES
    }


def _table_places(statement: Statement) -> Iterator[int]:
    """The places among a statement's tokens where a table or another object of a schema is named."""
    tokens = statement.tokens
    verb = statement.verb
    if verb in {"CREATE", "ALTER", "DROP", "TRUNCATE"}:
        yield from _object_places(tokens)
        return
    if verb in {"INSERT", "UPDATE", "DELETE"}:
        yield _target_index(statement)
    if verb not in {"SELECT", "INSERT", "UPDATE", "DELETE", "SET", "DECLARE", "WITH"}:
        return
    for index, token in enumerate(tokens[:-1]):
        if token.is_word("FROM", "JOIN", "INTO") and index + 1 != _target_index(statement):
            yield index + 1


def _object_places(tokens: Sequence[Token]) -> Iterator[int]:
    for index, token in enumerate(tokens):
        if token.is_word("TABLE", "TYPE", "PROCEDURE", "VIEW", "FUNCTION") and index < 3:
            following = tokens[index + 1 :]
            skip = 2 if following[:1] and following[0].is_word("IF") else 0
            yield index + 1 + skip
        elif token.is_word("REFERENCES"):
            yield index + 1
        elif token.is_word("ON") and any(other.is_word("INDEX") for other in tokens[:4]):
            yield index + 1
            return  # what follows is a file group


def _after_parentheses(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[index].text, 0)
        if depth == 0:
            return index + 1
    return len(tokens)


def no_select_star(file: SqlFile) -> Iterator[Finding]:
    """The order and names of a result's columns are a contract."""
    for statement in file.statements:
        for index, token in enumerate(statement.tokens):
            if token.text != "*" or index == 0:
                continue
            before = statement.tokens[index - 1]
            after = statement.tokens[index + 1] if index + 1 < len(statement.tokens) else None
            counted = before.text == "("
            ends = (
                after is None or after.text in {",", ")"} or after.is_word("FROM", "INTO", "WHERE", "OUTPUT")
            )
            if before.is_word("SELECT", "DISTINCT", "ALL") or before.text == "." or (ends and not counted):
                yield file.finding("select-star", token.line, "name the columns")


def semicolons(file: SqlFile) -> Iterator[Finding]:
    """Every statement and every block ends with a semicolon."""
    for each in file.parsed:
        if isinstance(each, OpenBlock):
            yield file.finding("semicolon", each.token.line, "END must be followed by a semicolon")
        elif not each.terminated:
            last = each.tokens[-1]
            yield file.finding(
                "semicolon", last.line, f"the {each.tokens[0].upper} statement lacks its semicolon"
            )


def named_constraints(file: SqlFile) -> Iterator[Finding]:
    """Drivers, migrations and people refer to constraints by name."""
    for statement in file.statements:
        if statement.verb not in {"CREATE", "ALTER"} or not statement.tokens[1].is_word("TABLE"):
            continue
        for index, token in enumerate(statement.tokens):
            if not token.is_word("PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "FOREIGN", "REFERENCES"):
                continue
            before = statement.tokens[index - 2 : index]
            named = len(before) == 2 and before[0].is_word("CONSTRAINT") and before[1].kind is TokenKind.NAME
            goes_on = (
                # … WITH CHECK ADD CONSTRAINT, CHECK CONSTRAINT name, FOREIGN KEY (…) REFERENCES
                (token.is_word("CHECK") and before and before[-1].is_word("WITH"))
                or (
                    token.is_word("CHECK")
                    and statement.tokens[index + 1 : index + 2]
                    and statement.tokens[index + 1].is_word("CONSTRAINT")
                )
                or (token.is_word("REFERENCES") and _follows_foreign_key(statement.tokens[:index]))
            )
            if not named and not goes_on:
                yield file.finding("named-constraint", token.line, f"{token.upper} without CONSTRAINT [name]")


def _follows_foreign_key(before: Sequence[Token]) -> bool:
    """Whether ``FOREIGN KEY (columns)`` ends right here."""
    if not before or before[-1].text != ")":
        return False
    for index in range(len(before) - 1, -1, -1):
        if before[index].text == "(":
            return index > 0 and before[index - 1].is_word("KEY")
    return False


def output_into(file: SqlFile) -> Iterator[Finding]:
    """OUTPUT to the client sends rows that a later failure takes back; a trigger makes it fail."""
    for statement in file.statements:
        if statement.verb not in {"INSERT", "UPDATE", "DELETE"}:
            continue
        tokens = statement.tokens
        for index, token in enumerate(tokens):
            if not token.is_word("OUTPUT"):
                continue
            clause = _until(
                tokens[index + 1 :], "FROM", "WHERE", "VALUES", "SELECT", "DEFAULT", "EXEC", "EXECUTE"
            )
            if not any(each.is_word("INTO") for each in clause):
                yield file.finding("output-into", token.line, "OUTPUT must say INTO @table")
            if statement.verb == "UPDATE" and any(
                each.kind in _NAMES and each.value.lower() == "deleted" for each in clause
            ):
                yield file.finding("output-deleted", token.line, "an UPDATE's OUTPUT may not name deleted")


def _until(tokens: Sequence[Token], *words: str) -> list[Token]:
    depth = 0
    clause: list[Token] = []
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.is_word(*words):
            break
        clause.append(token)
    return clause


def no_derived_top(file: SqlFile) -> Iterator[Finding]:
    """An UPDATE or DELETE takes its rows from a list of ids, not from a derived table with TOP."""
    for statement in file.statements:
        if statement.verb not in {"UPDATE", "DELETE"}:
            continue
        tokens = statement.tokens
        for index, token in enumerate(tokens):
            opened = token.is_word("FROM", "JOIN") and [
                each.upper for each in tokens[index + 1 : index + 3]
            ] == ["(", "SELECT"]
            if opened and any(each.is_word("TOP") for each in tokens[index + 3 : index + 5]):
                yield file.finding("derived-top", token.line, "collect the ids into a table variable first")


def no_updatable_cte(file: SqlFile) -> Iterator[Finding]:
    """DML on a common table expression is outside the portable core."""
    for statement in file.statements:
        if not statement.tokens[0].is_word("WITH") or statement.verb not in {"UPDATE", "DELETE", "INSERT"}:
            continue
        target = _target(statement)
        if target is not None and target.value.lower() in _expressions(statement):
            yield file.finding(
                "updatable-cte", target.line, f"{statement.verb} on {target.text}: name the table"
            )


def _target_index(statement: Statement) -> int:
    """Where the first name or variable behind the verb of a DML statement stands."""
    tokens = statement.tokens
    at = statement.verb_index + 1
    if at < len(tokens) and tokens[at].is_word("TOP"):
        at = _after_parentheses(tokens, at + 1)
    while at < len(tokens) and tokens[at].is_word("FROM", "INTO"):
        at += 1
    return at


def _target(statement: Statement) -> Token | None:
    """What a DML statement changes."""
    at = _target_index(statement)
    return statement.tokens[at] if at < len(statement.tokens) else None


def insert_columns(file: SqlFile) -> Iterator[Finding]:
    """INSERT names its columns, or a new column in a table shifts them all."""
    for statement in file.statements:
        if statement.verb != "INSERT":
            continue
        tokens = statement.tokens
        at = _target_index(statement)
        while at + 1 < len(tokens) and tokens[at + 1].text == ".":
            at += 2
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and following.is_word("WITH"):  # hints come before the columns
            end = _after_parentheses(tokens, at + 2)
            following = tokens[end] if end < len(tokens) else None
        if following is None or following.text != "(":
            yield file.finding("insert-columns", statement.line, "INSERT without a list of columns")


def readpast_hints(file: SqlFile) -> Iterator[Finding]:
    """READPAST skips row locks only, and under READ_COMMITTED_SNAPSHOT it asks for READCOMMITTEDLOCK."""
    code = list(file.code)
    for index, token in enumerate(code):
        if not token.is_word("WITH") or [each.text for each in code[index + 1 : index + 2]] != ["("]:
            continue
        hints = {each.upper for each in code[index + 2 : _after_parentheses(code, index + 1)]}
        if "READPAST" in hints and not {"ROWLOCK", "READCOMMITTEDLOCK"} <= hints:
            yield file.finding(
                "readpast", token.line, "READPAST needs ROWLOCK and READCOMMITTEDLOCK beside it"
            )


def table_keys(file: SqlFile) -> Iterator[Finding]:
    """Rows that drive DML are read in key order, so that two callers lock rows in the same order."""
    unkeyed: dict[str, Token] = {}
    for statement in file.statements:
        tokens = statement.tokens
        if statement.verb == "DECLARE":
            for index, token in enumerate(tokens[:-2]):
                if token.kind is TokenKind.VARIABLE and tokens[index + 1].is_word("TABLE"):
                    body = tokens[index + 2 : _after_parentheses(tokens, index + 2)]
                    if not any(each.is_word("PRIMARY") for each in body):
                        unkeyed[token.text.lower()] = token
        elif (
            statement.verb == "CREATE"
            and tokens[1].is_word("TYPE")
            and any(each.is_word("TABLE") for each in tokens)
        ):
            if not any(each.is_word("PRIMARY") for each in tokens):
                yield file.finding("table-key", statement.line, "a table type needs a PRIMARY KEY")
        elif statement.verb in {"INSERT", "UPDATE", "DELETE"}:
            target = _target(statement)
            if target is None or target.kind is TokenKind.VARIABLE:
                continue
            for token in tokens:
                declared = unkeyed.pop(token.text.lower(), None)
                if declared is not None:
                    message = f"{declared.text} drives DML and needs a PRIMARY KEY"
                    yield file.finding("table-key", declared.line, message)


def own_transactions(file: SqlFile) -> Iterator[Finding]:
    """A procedure that begins a transaction must know whether its caller has one."""
    if not file.is_procedure_file or any(token.upper == "@@TRANCOUNT" for token in file.code):
        return
    for statement in file.statements:
        if statement.verb in {"BEGIN", "COMMIT", "ROLLBACK"}:
            message = f"{statement.verb} TRANSACTION in a procedure that never looks at @@TRANCOUNT"
            yield file.finding("own-transaction", statement.line, message)


def one_clock(file: SqlFile) -> Iterator[Finding]:
    """One call has one time, or its rows disagree with each other."""
    if not file.is_procedure_file:
        return
    seen = [token for token in file.code if token.is_word("SYSUTCDATETIME")]
    for token in seen[1:]:
        yield file.finding("one-clock", token.line, "SYSUTCDATETIME() once a procedure, into a variable")


_COUNTED = {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXEC", "EXECUTE"}


def rowcount_at_once(file: SqlFile) -> Iterator[Finding]:
    """@@ROWCOUNT is read by the statement right behind the one it counts.

    Nearly every statement changes it; an IF that is not taken sets it to 0, so behind a block it says
    nothing.
    """
    before: Statement | None = None
    for statement in file.statements:
        entered = statement.guards[len(before.guards) :] if before is not None else statement.guards
        places = [token for guard in entered for token in guard] or list(statement.tokens)
        reads = any(token.upper == "@@ROWCOUNT" for token in places)
        depth = len(statement.guards) - len(entered)
        if reads and (before is None or before.verb not in _COUNTED or len(before.guards) > depth):
            message = "@@ROWCOUNT right behind the statement that it counts, in the same block"
            yield file.finding("rowcount", statement.line, message)
        before = statement


STATEMENT_RULES = (
    forbidden_words,
    no_dirty_isolation,
    no_dynamic_sql,
    qualified_calls,
    qualified_tables,
    no_select_star,
    semicolons,
    named_constraints,
    output_into,
    no_derived_top,
    no_updatable_cte,
    insert_columns,
    readpast_hints,
    table_keys,
    own_transactions,
    one_clock,
    rowcount_at_once,
)
