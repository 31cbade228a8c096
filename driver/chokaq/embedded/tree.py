"""sqlglot as the parser of queries and expressions: T-SQL without its rewriting of functions, and strictly.

sqlglot is imported when the first statement is compiled, not when the engine is: a database whose procedures
are
compiled already never needs it.
"""

from __future__ import annotations

from typing import Any

from sqlglot import errors as glot_errors
from sqlglot import exp
from sqlglot.dialects.tsql import TSQL

from . import syntax as s
from .lexer import OP, WORD, tokenize
from .problems import SqlError, at_line, syntax_error, unsupported
from .sqltypes import SqlType, make_type

__all__ = ["condition", "exp", "line_of", "only", "query", "sql_type", "values"]

_KEPT_PARSERS = ("CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT", "OPENJSON", "STRING_AGG")


class StrictTsql(TSQL):
    """Functions stay as they are written; everything the dialect would translate is left alone."""

    class Parser(TSQL.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: Any = {}  # noqa: RUF012
        FUNCTION_PARSERS: Any = {  # noqa: RUF012
            name: parser for name, parser in TSQL.Parser.FUNCTION_PARSERS.items() if name in _KEPT_PARSERS
        }
        NO_PAREN_FUNCTIONS: Any = {}  # noqa: RUF012


_dialect = StrictTsql()
# Words of other dialects that sqlglot would take for clauses.
_FOREIGN = frozenset(
    "LIMIT QUALIFY ILIKE RLIKE REGEXP GLOB SIMILAR LATERAL USING NATURAL ASOF UNNEST INTERVAL SAMPLE "
    "PREWHERE SEMI ANTI "
    "CLUSTER DISTRIBUTE SORT WINDOW STRAIGHT_JOIN ISNULL_ NOTNULL".split()
)


def _parse(text: s.Text, into: Any = None) -> Any:
    _check_words(text)
    try:
        tokens = _dialect.tokenize(text.text)
        parser = _dialect.parser(error_level=glot_errors.ErrorLevel.IMMEDIATE)
        found = parser.parse_into(into, tokens, text.text) if into else parser.parse(tokens, text.text)
    except glot_errors.ParseError as error:
        raise _syntax(error, text) from None
    except glot_errors.TokenError as error:
        raise syntax_error(102, f"Incorrect syntax: {error}", text.line) from None
    except RecursionError:
        raise syntax_error(191, "Some part of your SQL statement is nested too deeply.", text.line) from None
    if len(found) != 1 or found[0] is None:
        raise syntax_error(102, "Incorrect syntax.", text.line)
    return found[0]


def _check_words(text: s.Text) -> None:
    previous = None
    for token in tokenize(text.text):
        if token.kind == WORD and token.upper in _FOREIGN and (previous is None or previous.text != "."):
            following = text.text[token.end :].lstrip()[:1]
            if not (
                following in (",", ")", "=", "") and token.upper in ("LIMIT", "SORT", "WINDOW", "SAMPLE")
            ):
                raise at_line(
                    SqlError(102, f"Incorrect syntax near '{token.text}'.", 15, 1), text.line + token.line - 1
                )
        if token.kind == OP and token.text in ("{", "}", "::", ":"):
            raise at_line(
                SqlError(102, f"Incorrect syntax near '{token.text}'.", 15, 1), text.line + token.line - 1
            )
        if (
            previous is not None
            and previous.kind == OP
            and token.kind == OP
            and previous.text == token.text == "|"
            and previous.end == token.start
        ):
            raise unsupported("the operator ||", text.line + token.line - 1)
        previous = token


def _syntax(error: glot_errors.ParseError, text: s.Text) -> SqlError:
    found = error.errors[0] if error.errors else {}
    line = text.line + int(found.get("line") or 1) - 1
    near = found.get("highlight") or "the end"
    return syntax_error(
        102, f"Incorrect syntax near '{near}' ({found.get('description') or 'parse error'}).", line
    )


def query(text: s.Text) -> Any:
    """A SELECT, set operation or WITH … SELECT."""
    node = _parse(text)
    if isinstance(node, exp.Subquery) and not node.alias:
        node = node.this
    if not isinstance(node, exp.Query):
        raise syntax_error(102, "Incorrect syntax: a query is expected.", text.line)
    return node


def condition(text: s.Text) -> Any:
    return _parse(text, exp.Condition)


def values(texts: list[s.Text], rest: s.Text | None = None, ctes: s.Text | None = None) -> Any:
    """Expressions and what follows them (FROM …, WHERE …) as one SELECT; lines stay what they were."""
    first = min([text.line for text in texts] + ([rest.line] if rest else []) + ([ctes.line] if ctes else []))
    pieces: list[str] = []
    line = first

    def put(text: s.Text) -> None:
        nonlocal line
        if text.line > line:
            pieces.append("\n" * (text.line - line))
            line = text.line
        pieces.append(text.text)
        line += text.text.count("\n")

    if ctes:
        put(ctes)
        pieces.append(" ")
    pieces.append("SELECT ")
    for index, text in enumerate(texts):
        if index:
            pieces.append(", ")
        # Brackets, so that "a = 1" cannot be taken for a column alias.
        pieces.append("(")
        put(text)
        pieces.append(")")
    if rest:
        pieces.append(" ")
        put(rest)
    return query(s.Text("".join(pieces), first))


def line_of(node: Any, base: int) -> int:
    """The line of a node: that of the first of its parts that knows one."""
    best = 0
    for part in node.walk():
        meta = part._meta
        if meta and "line" in meta:
            best = meta["line"] if not best else min(best, meta["line"])
    return base + best - 1 if best else base


def only(node: Any, base: int, *allowed: str) -> None:
    """Refuse a node that has any other argument than these: nothing that was written may be passed over."""
    for name, value in node.args.items():
        if value in (None, False, []) or name in allowed:
            continue
        if isinstance(value, (bool, str)) and name in ("nested", "nulls_first", "over", "_type"):
            continue
        raise unsupported(f"{type(node).__name__.upper()} … {name.strip('_').upper()}", line_of(node, base))


def table_word(identifier: Any) -> str:
    """The name of a table as written: sqlglot takes the # of #t off."""
    if identifier.args.get("global_"):
        raise unsupported(f"the global temporary table ##{identifier.name}", 0)
    return f"#{identifier.name}" if identifier.args.get("temporary") else str(identifier.name)


_TYPE_NAMES = {
    "UTINYINT": "tinyint", "DOUBLE": "float", "UUID": "uniqueidentifier", "TIMESTAMPTZ": "datetimeoffset",
    "VARIANT": "sql_variant", "BOOLEAN": "bit",
}  # fmt: skip


def sql_type(node: Any, base: int, cast: bool = True) -> SqlType:
    """The SqlType of a type in CAST, CONVERT or OPENJSON … WITH."""
    line = line_of(node, base)
    kind = getattr(node.this, "value", str(node.this))
    name = _TYPE_NAMES.get(kind, kind.lower())
    if kind == "USERDEFINED":
        name = str(node.args.get("kind") or "")
    arguments = tuple(str(getattr(part.this, "this", part.this)).lower() for part in node.expressions)
    return make_type(name, arguments, line, cast)
