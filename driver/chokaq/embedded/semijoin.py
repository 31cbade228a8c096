"""Rewrites a DELETE or UPDATE whose WHERE has a correlated IN (SELECT …) into one over a join.

SQLite would run such a subquery once for every row of the target. As a join it can begin with the (small)
table of the
subquery and seek. What the statement means stays the same: a row is changed once, however often it is
matched.
"""

from __future__ import annotations

from typing import Any

from . import syntax as s
from .tree import exp


def as_join(node: Any, target: s.ObjectName) -> bool:
    """Change ``node`` (a SELECT made of a statement's expressions and WHERE); False when nothing was
    changed.
    """
    where = node.args.get("where")
    if where is None or node.args.get("from_") is not None or node.args.get("with_") is not None:
        return False
    conjuncts = _conjuncts(where.this)
    alias = target.name
    for position, conjunct in enumerate(conjuncts):
        inner = _candidate(conjunct, alias)
        if inner is None:
            continue
        others = conjuncts[:position] + conjuncts[position + 1 :]
        outside = [*node.expressions, *others, conjunct.this]
        if any(
            part.find(exp.Subquery, exp.Select, exp.Exists, exp.In) for part in [*node.expressions, *others]
        ):
            continue
        for part in outside:
            _qualify(part, alias)
        conditions = [*others, exp.EQ(this=conjunct.this, expression=inner.expressions[0])]
        if inner.args.get("where") is not None:
            conditions.append(inner.args["where"].this)
        joins = [exp.Join(this=inner.args["from_"].this, kind="CROSS"), *(inner.args.get("joins") or [])]
        node.set("from_", exp.From(this=_table(target)))
        node.set("joins", joins)
        node.set(
            "where", exp.Where(this=exp.and_(*[exp.paren(c, copy=False) for c in conditions], copy=False))
        )
        return True
    return False


def _conjuncts(node: Any) -> list[Any]:
    if isinstance(node, exp.Paren):
        return _conjuncts(node.this)
    if isinstance(node, exp.And):
        return _conjuncts(node.this) + _conjuncts(node.expression)
    return [node]


def _candidate(conjunct: Any, alias: str) -> Any:
    """The query of ``column IN (SELECT …)`` when it looks at the target and can become part of a join."""
    if not isinstance(conjunct, exp.In) or conjunct.args.get("negate"):
        return None
    query = conjunct.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    used = {name for name, value in inner.args.items() if value not in (None, False, [])}
    if used - {"expressions", "from_", "joins", "where"} or inner.args.get("from_") is None:
        return None
    joins = inner.args.get("joins") or []
    if any(join.args.get("side") for join in joins):
        return None
    sources = [inner.args["from_"].this, *(join.this for join in joins)]
    if not all(isinstance(source, exp.Table) and source.alias for source in sources):
        return None
    names = {source.alias.lower() for source in sources}
    if alias.lower() in names or inner.expressions[0].find(exp.Subquery, exp.Select):
        return None
    columns = list(inner.find_all(exp.Column))
    if not all(column.table for column in columns):
        return None
    return inner if any(column.table.lower() == alias.lower() for column in columns) else None


def _qualify(node: Any, alias: str) -> None:
    """Columns without a qualifier are the target's."""
    for column in list(node.find_all(exp.Column)):
        if not column.table and not isinstance(column.this, exp.Star) and not _is_word(column):
            column.set("table", exp.to_identifier(alias, quoted=True))


def _is_word(column: Any) -> bool:
    """A date part, DEFAULT or CURRENT_TIMESTAMP, which sqlglot takes for a column."""
    parent = column.parent
    if not column.this.quoted and column.name.upper() in ("DEFAULT", "CURRENT_TIMESTAMP"):
        return True
    return (
        isinstance(parent, exp.Anonymous)
        and str(parent.this).upper().startswith("DATE")
        and bool(parent.expressions)
        and parent.expressions[0] is column
    )


def _table(target: s.ObjectName) -> Any:
    name = target.name
    if name.startswith("@"):
        this: Any = exp.Parameter(this=exp.Var(this=name[1:]))
    else:
        this = exp.to_identifier(name, quoted=True)
    table = exp.Table(this=this, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    if target.schema:
        table.set("db", exp.to_identifier(target.schema, quoted=True))
    return table
