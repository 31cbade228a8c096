"""Compares T-SQL expressions by what they mean, since a server stores its own spelling of them.

SQL Server writes ``[Status] IN (0, 1)`` as ``([Status]=(1) OR [Status]=(0))``, ``BETWEEN`` as two
comparisons, and puts every literal into parentheses. Both sides are brought to one form here.
"""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from .lexer import TokenKind, tokens


def same(one: str | None, other: str | None) -> bool:
    """Whether two expressions say the same; None only equals None."""
    if one is None or other is None:
        return one is other
    return canonical(one) == canonical(other)


def canonical(expression: str) -> str:
    """The common form of an expression: lower case, no needless parentheses, AND and OR in one order."""
    try:
        tree: Any = sqlglot.parse_one(f"SELECT CASE WHEN {expression} THEN 1 END", read="tsql")
        condition = tree.find(exp.If)
        found: Any = condition.this if condition is not None else None
    except SqlglotError:
        found = None
    if found is None:
        try:
            found = sqlglot.parse_one(f"SELECT {expression}", read="tsql").expressions[0]
        except (SqlglotError, IndexError):
            return _plain(expression)
    return _form(found)


def _plain(expression: str) -> str:
    """Where the parser gives up: the words and signs, without brackets and parentheses."""
    found = (token for token in tokens(expression) if token.kind is not TokenKind.COMMENT)
    return " ".join(token.value.lower() for token in found if token.text not in {"(", ")"})


def _form(node: Any) -> str:
    if isinstance(node, exp.Paren):
        return _form(node.this)
    if isinstance(node, exp.And):
        return f"(and {' '.join(sorted(set(_flat(node, exp.And))))})"
    if isinstance(node, exp.Or):
        return f"(or {' '.join(sorted(set(_flat(node, exp.Or))))})"
    if isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        return f"(and {' '.join(sorted({_compare('>=', node.this, low), _compare('<=', node.this, high)}))})"
    if isinstance(node, exp.In) and node.expressions:
        each = sorted({_compare("=", node.this, value) for value in node.expressions})
        return each[0] if len(each) == 1 else f"(or {' '.join(each)})"
    for kind_, sign in _COMPARISONS.items():
        if type(node) is kind_:
            return _compare(sign, node.this, node.expression)
    if isinstance(node, exp.Column):
        return str(node.name).lower()
    if isinstance(node, exp.Literal):
        return repr(node.name) if node.is_string else str(node.name)
    if isinstance(node, exp.Neg):
        return f"-{_form(node.this)}"
    children = [_form(child) for child in node.iter_expressions()]
    name = str(node.name).lower() if isinstance(node, (exp.Anonymous, exp.Identifier, exp.Var)) else ""
    return f"({type(node).__name__.lower()} {name} {' '.join(children)})"


_COMPARISONS = {exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_TURNED = {"<": ">", "<=": ">=", "=": "=", "<>": "<>", ">": "<", ">=": "<="}


def _compare(sign: str, left: Any, right: Any) -> str:
    one, other = _form(left), _form(right)
    if one > other:
        one, other, sign = other, one, _TURNED[sign]
    return f"({one} {sign} {other})"


def _flat(node: Any, kind: type[exp.And | exp.Or]) -> list[str]:
    if isinstance(node, exp.Paren):
        return _flat(node.this, kind)
    if isinstance(node, kind):
        return [*_flat(node.this, kind), *_flat(node.expression, kind)]
    form = _form(node)
    prefix = "(and " if kind is exp.And else "(or "
    # BETWEEN and IN come back as an AND or OR of their own; inside another of the same kind they join it.
    if form.startswith(prefix) and isinstance(node, (exp.Between, exp.In)):
        return _split(form[len(prefix) : -1])
    return [form]


def _split(text: str) -> list[str]:
    """The items of a form: parenthesised groups and bare words."""
    items, depth, start = [], 0, 0
    for index, sign in enumerate(text):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == " " and depth == 0:
            items.append(text[start:index])
            start = index + 1
    return [each for each in (*items, text[start:]) if each]
