"""Typed compilation of T-SQL expressions to SQLite text (and, where possible, to Python scalars)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import literals, scalars
from .aggregates import AGGREGATES
from .conversions import condition_error, constant, convert, null
from .naming import key_expression
from .problems import SqlError, at_line, unsupported
from .scope import BOOLEAN, UNKNOWN, Context, Scope, Typed, parameter
from .sqltypes import FLOAT, INT, NULL_TYPE, SqlType, arithmetic_type, decimal, higher
from .tree import exp, line_of, only, sql_type
from .values.numbers import arithmetic, inline_arithmetic, inline_negate, negate
from .values.strings import key as collation_key

if TYPE_CHECKING:
    from .query import QueryCompiler

# Beyond this length together, operands are not written twice.
_LONG = 300
_COMPARISONS = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
_ARITHMETIC = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}
_CONDITIONS = (
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Like,
    exp.Exists,
    exp.Escape,
    *_COMPARISONS,
)


class Expressions:
    """Compiles the expressions of one scope."""

    def __init__(self, context: Context, scope: Scope, queries: QueryCompiler) -> None:
        self.context = context
        self.scope = scope
        self.queries = queries

    # Entry points

    def value(self, node: Any) -> Typed:
        """A value. Raises where a condition stands instead."""
        try:
            result = self._value(node)
        except SqlError as error:
            raise at_line(error, self.line(node)) from None
        if result.type.name == "boolean":
            raise at_line(condition_error(), self.line(node))
        return result

    def condition(self, node: Any) -> Typed:
        """A condition: 1, 0 or NULL for unknown."""
        try:
            return self._condition(node)
        except SqlError as error:
            raise at_line(error, self.line(node)) from None

    def line(self, node: Any) -> int:
        return line_of(node, self.context.line)

    def refuse(self, what: str, node: Any) -> SqlError:
        return unsupported(what, self.line(node))

    # Values

    def _value(self, node: Any) -> Typed:
        if (
            self.scope.grouping is not None
            and not self.scope.in_aggregate
            and not isinstance(node, exp.Column)
        ):
            grouped = self._grouped(node)
            if grouped is not None:
                return grouped
        method = _VALUES.get(type(node))
        if method is not None:
            return method(self, node)
        operator = _ARITHMETIC.get(type(node))
        if operator is not None:
            return self._arithmetic(operator, node)
        if isinstance(node, _CONDITIONS):
            return self._condition(node)
        raise self.refuse(f"the expression {type(node).__name__} ({node.sql('tsql')[:60]})", node)

    def _grouped(self, node: Any) -> Typed | None:
        """A whole expression of GROUP BY that stands in the select list."""
        grouping = self.scope.grouping
        if not grouping or isinstance(node, (exp.Literal, exp.Parameter, exp.Null, exp.Subquery, exp.Select)):
            return None
        if isinstance(node, exp.Anonymous) and is_aggregate(node):
            return None
        self.scope.grouping = None
        try:
            try:
                found = self._value(node)
            except SqlError:
                return None
        finally:
            self.scope.grouping = grouping
        return found if found.sql in grouping else None

    def _paren(self, node: Any) -> Typed:
        only(node, self.context.line, "this")
        inner = self._value(node.this)
        if inner.value is not UNKNOWN or inner.sql.startswith("("):
            return inner
        return inner

    def _literal(self, node: Any) -> Typed:
        return literals.string(node.this, False) if node.is_string else literals.number(node.this)

    def _national(self, node: Any) -> Typed:
        return literals.string(str(node.this), True)

    def _hex(self, node: Any) -> Typed:
        return literals.binary(str(node.this))

    def _null(self, _: Any) -> Typed:
        return null(NULL_TYPE)

    def _column(self, node: Any) -> Typed:
        only(node, self.context.line, "this", "table", "db")
        if isinstance(node.this, exp.Star):
            raise self.refuse("* outside of a select list", node)
        name = node.name
        if not node.table and not node.this.quoted and name.upper() == "CURRENT_TIMESTAMP":
            return self.queries.functions.call(self, "CURRENT_TIMESTAMP", [], node)
        column, owner = self.scope.resolve(node.table, node.db, name, self.line(node))
        if owner.grouping is not None and not owner.in_aggregate and column.sql not in owner.grouping:
            full = f"{node.table}.{name}" if node.table else name
            raise at_line(
                SqlError(
                    8120,
                    f"Column '{full}' is invalid in the select list because it is not contained in either "
                    "an aggregate "
                    "function or the GROUP BY clause.",
                ),
                self.line(node),
            )
        return Typed(column.sql, column.type, key=column.key, binary=column.binary, name=column.name, rank=1)

    def _parameter(self, node: Any) -> Typed:
        inner = node.this
        if isinstance(inner, exp.Parameter):
            return self.queries.functions.global_variable(self, inner.name, node)
        local = self.context.unit.local(f"@{node.name}", self.line(node))
        return Typed(parameter(local.slot), local.type, slot=local.slot, node=scalars.Variable(local.slot))

    def _alias(self, node: Any) -> Typed:
        raise self.refuse("an alias inside an expression", node)

    def _neg(self, node: Any) -> Typed:
        inner = self.value(node.this)
        kind = inner.type
        if kind.name == "null":
            return null(INT)
        call = negate(kind)
        if inner.value is not UNKNOWN and inner.value is not None:
            value = call(inner.value)
            if kind == decimal(10, 0) and value == -(2**31):
                return constant(value, INT)
            return constant(value, kind)
        sql = inline_negate(inner.sql, kind) if len(inner.sql) <= _LONG else None
        scalar = None
        if inner.node is not None:
            zero = scalars.Literal(0.0 if kind.is_float else 0)
            scalar = scalars.Arithmetic("-", zero, inner.node, FLOAT if kind.is_float else INT, kind)
        return Typed(sql or f"chokaq_negate({inner.sql}, '{kind}')", kind, node=scalar)

    def _bitwise_not(self, node: Any) -> Typed:
        inner = self.value(node.this)
        if inner.type.name == "bit":
            return Typed(f"(1 - {inner.sql})", inner.type)
        if not inner.type.is_integer:
            raise at_line(
                SqlError(8117, f"Operand data type {inner.type.name} is invalid for '~' operator."),
                self.line(node),
            )
        return Typed(f"(~{inner.sql})", inner.type)

    # Arithmetic

    def _arithmetic(self, operator: str, node: Any) -> Typed:
        only(node, self.context.line, "this", "expression", "typed", "safe")
        if operator in "&|^":
            for side in (node.this, node.expression):
                if type(side) in _ARITHMETIC and type(side) is not type(node):
                    # T-SQL gives & | ^ the rank of + and -, the parser a lower one: only brackets say what
                    # is meant.
                    raise self.refuse(f"'{operator}' mixed with other operators without brackets", node)
        left, right = self.value(node.this), self.value(node.expression)
        try:
            return self.arithmetic(operator, left, right)
        except SqlError as error:
            raise at_line(error, self.line(node)) from None

    def arithmetic(self, operator: str, left: Typed, right: Typed) -> Typed:
        """``left operator right`` by the rules of their types. Errors 206, 257, 402, 8117."""
        kind = arithmetic_type(operator, left.type, right.type)
        if kind.is_string:
            return self._concatenate(left, right, kind)
        if kind.is_binary and operator == "+":
            return Typed(f"CAST({left.sql} || {right.sql} AS BLOB)", kind)
        if left.value is None or right.value is None:
            return null(kind)
        known = left.value is not UNKNOWN and right.value is not UNKNOWN
        if known:
            try:
                return constant(arithmetic(operator, left.type, right.type)(left.value, right.value), kind)
            except SqlError:
                pass  # it fails when it is evaluated, not before
        node = None
        if left.node is not None and right.node is not None:
            node = scalars.Arithmetic(operator, left.node, right.node, left.type, right.type)
        return self.hoist(Typed(self._arithmetic_sql(operator, left, right, kind), kind, node=node))

    def _arithmetic_sql(self, operator: str, left: Typed, right: Typed, kind: SqlType) -> str:
        a, b = left.sql, right.sql
        plain = kind.is_float and all(e.type.is_float or e.type.is_integer for e in (left, right))
        if plain and operator in "+-*/":
            a, b = convert(left, kind).sql, convert(right, kind).sql
            if operator != "/" or _never_zero(right):
                return f"({a} {operator} {b})"
            return f"({a} / CASE {b} WHEN 0.0 THEN chokaq_fail(8134) ELSE {b} END)"
        if kind.is_integer and operator in "/%" and right.value not in (UNKNOWN, 0, -1, None):
            return f"({a} {operator} {b})"
        if len(a) + len(b) <= _LONG:
            inline = inline_arithmetic(operator, a, b, left.type, right.type)
            if inline is not None:
                return inline
        return f"chokaq_arithmetic('{operator}', {a}, {b}, '{left.type}', '{right.type}')"

    def hoist(self, e: Typed) -> Typed:
        """What only needs variables is worked out once, in Python, and bound."""
        if e.node is None or e.value is not UNKNOWN or e.slot >= 0 or "chokaq_fail(8134)" in e.sql:
            return e
        return Typed(
            self.context.compute(e.node), e.type, binary=e.binary, node=e.node, name=e.name, rank=e.rank
        )

    def _concatenate(self, left: Typed, right: Typed, kind: SqlType) -> Typed:
        varying = SqlType(kind.name if "var" in kind.name else kind.name.replace("char", "varchar"), None)
        left, right = convert(left, varying), convert(right, varying)
        if left.value is None or right.value is None:
            return null(kind)
        rank = max(left.rank, right.rank)
        binary = any(e.binary for e in (left, right) if e.rank == rank)
        if left.value is not UNKNOWN and right.value is not UNKNOWN:
            return constant(left.value + right.value, kind)
        node = None
        if left.node is not None and right.node is not None:
            node = scalars.Concat(left.node, right.node)
        return Typed(f"({left.sql} || {right.sql})", kind, binary=binary, node=node, rank=rank)

    # Casts

    def _cast(self, node: Any) -> Typed:
        only(node, self.context.line, "this", "to", "safe")
        return self.convert_to(
            node.this, sql_type(node.to, self.context.line), node, None, isinstance(node, exp.TryCast)
        )

    def _convert(self, node: Any) -> Typed:
        only(node, self.context.line, "this", "expression", "style", "safe")
        style: int | None = None
        style_node = node.args.get("style")
        if style_node is not None:
            given = self.value(style_node)
            if given.value is UNKNOWN or not isinstance(given.value, int):
                raise self.refuse("CONVERT with a style that is not a constant", node)
            style = given.value
        return self.convert_to(
            node.expression, sql_type(node.this, self.context.line), node, style, bool(node.args.get("safe"))
        )

    def convert_to(self, inner: Any, target: SqlType, node: Any, style: int | None, attempt: bool) -> Typed:
        e = self.value(inner)
        try:
            result = convert(e, target, style, attempt, cast=True)
        except SqlError as error:
            raise at_line(error, self.line(node)) from None
        return result

    def _case(self, node: Any) -> Typed:
        only(node, self.context.line, "this", "ifs", "default")
        conditions: list[Typed] = []
        results: list[Typed] = []
        for branch in node.args["ifs"]:
            if node.this is not None:
                conditions.append(self.compare("=", self.value(node.this), self.value(branch.this)))
            else:
                conditions.append(self.condition(branch.this))
            results.append(self.value(branch.args["true"]))
        default = node.args.get("default")
        results.append(self.value(default) if default is not None else self._null(node))
        return self.case(conditions, results)

    def case(self, conditions: list[Typed], results: list[Typed]) -> Typed:
        """CASE WHEN conditions THEN results … ELSE the last result END."""
        target = self.common_type(results)
        binary = any(result.binary for result in results)
        results = [convert(result, target) for result in results]
        parts = ["CASE"]
        for condition, result in zip(conditions, results, strict=False):
            parts.append(f"WHEN {condition.sql} THEN {result.sql}")
        parts.append(f"ELSE {results[-1].sql} END")
        node = None
        if all(e.node is not None for e in (*conditions, *results)):
            node = scalars.Case(
                [(c.node, r.node) for c, r in zip(conditions, results, strict=False) if c.node and r.node],
                results[-1].node or scalars.Literal(None),
            )
        branches = ([condition.sql for condition in conditions], results)
        rank = max(result.rank for result in results)
        return Typed(" ".join(parts), target, binary=binary, node=node, rank=rank, branches=branches)

    def common_type(self, items: list[Typed]) -> SqlType:
        kind = NULL_TYPE
        for item in items:
            if item.type.name == "boolean":
                raise condition_error()
            kind = higher(kind, item.type)
        return INT if kind.name == "null" else kind

    def coalesce(self, items: list[Typed]) -> Typed:
        target = self.common_type(items)
        items = [convert(item, target) for item in items if item.value is not None] or items[:1]
        if len(items) == 1:
            return convert(items[0], target)
        node = None
        if all(item.node is not None for item in items):
            node = scalars.Coalesce([item.node for item in items if item.node])
        key = ""
        if target.is_string and all(self.has_key(item) for item in items):
            key = f"coalesce({', '.join(self.key(item) for item in items)})"
        return Typed(
            f"coalesce({', '.join(item.sql for item in items)})",
            target,
            key=key,
            binary=any(item.binary for item in items),
            node=node,
        )

    def _collate(self, node: Any) -> Typed:
        e = self.value(node.this)
        name = node.expression.name.upper()
        if not e.type.is_string:
            raise at_line(
                SqlError(447, f"Expression type {e.type.name} is invalid for COLLATE clause."),
                self.line(node),
            )
        if name in ("DATABASE_DEFAULT", "CATALOG_DEFAULT") or "_CI_AS" in name:
            key = "" if e.binary else e.key
            return Typed(e.sql, e.type, key, e.value, False, e.node, e.slot, e.name, rank=2)
        if name.endswith(("_BIN2", "_BIN", "_BIN2_UTF8")):
            key = e.key if e.binary else ""
            return Typed(e.sql, e.type, key, e.value, True, e.node, e.slot, e.name, rank=2)
        raise self.refuse(f"COLLATE {node.expression.name}", node)

    def _subquery(self, node: Any) -> Typed:
        only(node, self.context.line, "this")
        return self.queries.scalar(node.this, self.scope, self.line(node))

    def _select(self, node: Any) -> Typed:
        return self.queries.scalar(node, self.scope, self.line(node))

    def _function(self, node: Any) -> Typed:
        only(node, self.context.line, "this", "expressions")
        return self.queries.functions.call(self, str(node.this).upper(), node.expressions, node)

    def _window(self, node: Any) -> Typed:
        return self.queries.functions.window(self, node)

    def _string_agg(self, node: Any) -> Typed:
        return self.queries.functions.string_agg(self, node)

    # Conditions

    def _condition(self, node: Any) -> Typed:
        kind = type(node)
        if kind is exp.Paren:
            # Every condition that needs brackets has its own.
            return self._condition(node.this)
        if kind is exp.And or kind is exp.Or:
            return self._chain(kind, node)
        if kind is exp.Not:
            only(node, self.context.line, "this")
            return self._negated(self.condition(node.this), True)
        operator = _COMPARISONS.get(kind)
        if operator is not None:
            only(node, self.context.line, "this", "expression")
            for side in (node.this, node.expression):
                if isinstance(side, (exp.Any, exp.All)):
                    raise self.refuse("ANY, SOME or ALL", node)
            return self.compare(operator, self.value(node.this), self.value(node.expression))
        if kind is exp.Is:
            only(node, self.context.line, "this", "expression", "negate")
            if not isinstance(node.expression, exp.Null):
                raise self.refuse(f"IS {node.expression.sql('tsql')}", node)
            e = self.value(node.this)
            scalar = scalars.IsNull(e.node) if e.node is not None else None
            return self._negated(
                Typed(f"({e.sql} IS NULL)", BOOLEAN, node=scalar),
                bool(node.args.get("negate")),
                f"({e.sql} IS NOT NULL)",
            )
        if kind is exp.Between:
            only(node, self.context.line, "this", "low", "high", "negate")
            return self._negated(self._between(node), bool(node.args.get("negate")))
        if kind is exp.In:
            only(node, self.context.line, "this", "expressions", "query", "negate")
            return self._negated(self._in(node), bool(node.args.get("negate")))
        if kind is exp.Exists:
            only(node, self.context.line, "this")
            return Typed(f"EXISTS ({self.queries.exists(node.this, self.scope)})", BOOLEAN)
        if kind is exp.Like or kind is exp.Escape:
            return self._like(node)
        raise self.refuse(f"{kind.__name__.upper()} as a condition ({node.sql('tsql')[:60]})", node)

    def _chain(self, kind: Any, node: Any) -> Typed:
        """AND or OR of any number: one level of brackets, because SQLite's parser has a limit on their
        depth.
        """
        operands: list[Any] = []
        pending = [node]
        while pending:
            part = pending.pop()
            if type(part) is kind:
                only(part, self.context.line, "this", "expression")
                pending += [part.expression, part.this]
            else:
                operands.append(part)
        items = [self.condition(operand) for operand in operands]
        word, maker = (" AND ", scalars.And) if kind is exp.And else (" OR ", scalars.Or)
        scalar = items[0].node
        for item in items[1:]:
            scalar = None if scalar is None or item.node is None else maker(scalar, item.node)
        return Typed(f"({word.join(item.sql for item in items)})", BOOLEAN, node=scalar)

    def _negated(self, e: Typed, negate: bool, sql: str = "") -> Typed:
        if not negate:
            return e
        scalar = scalars.Not(e.node) if e.node is not None else None
        text = e.sql
        if not sql and text.startswith("(") and text.endswith(" IS NULL)") and text.count("(") == 1:
            sql = text[: -len("IS NULL)")] + "IS NOT NULL)"
        return Typed(sql or f"(NOT {text})", BOOLEAN, node=scalar)

    def compare(self, operator: str, left: Typed, right: Typed) -> Typed:
        """A comparison of two values by the rules of their types."""
        a, b = self.comparable([left, right])
        node = None
        if a.node is not None and b.node is not None:
            node = scalars.Compare(operator, a.node, b.node)
        return Typed(f"({a.sql} {operator} {b.sql})", BOOLEAN, node=node)

    def comparable(self, items: list[Typed]) -> list[Typed]:
        """The values in a form that SQLite compares as T-SQL would: of one type, strings by their keys."""
        if any(item.type.name == "boolean" for item in items):
            raise condition_error()
        if all(item.type.is_string or item.type.name == "null" for item in items):
            rank = max(item.rank for item in items)
            deciding = [item for item in items if item.rank == rank]
            if rank and len({item.binary for item in deciding}) > 1:
                raise SqlError(
                    468,
                    "Cannot resolve the collation conflict between a binary collation and the database's "
                    "in a comparison.",
                    16,
                    9,
                )
            if deciding[0].binary if rank else any(item.binary for item in items):
                return [_trimmed(item) for item in items]
            items = [
                item
                if not item.binary
                else Typed(item.sql, item.type, node=item.node, slot=item.slot, value=item.value)
                for item in items
            ]
            return [Typed(self.key(item), item.type, node=self.key_node(item)) for item in items]
        target = NULL_TYPE
        for item in items:
            target = higher(target, item.type)
        if all(item.type.is_integer or item.type.is_float or item.type.name == "null" for item in items):
            return items
        return [self._implicit(item, target) for item in items]

    def _implicit(self, item: Typed, target: SqlType) -> Typed:
        if item.type.is_time and target.is_time and "time" not in (item.type.name, target.name):
            return item
        return convert(item, target)

    def has_key(self, e: Typed) -> bool:
        return bool(e.key) or e.slot >= 0 or e.value is None

    def key(self, e: Typed) -> str:
        """SQLite text of the collation key."""
        if e.key:
            return e.key
        if e.value is None:
            return "NULL"
        if e.slot >= 0:
            return parameter(self.context.unit.key_slot(e.slot))
        return key_expression(e.sql)

    def key_node(self, e: Typed) -> scalars.Scalar | None:
        if e.node is None:
            return None
        if e.slot >= 0 and isinstance(e.node, scalars.Variable):
            return scalars.Variable(self.context.unit.key_slot(e.slot))
        if isinstance(e.node, scalars.Literal):
            return scalars.Literal(collation_key(e.node.value))
        return scalars.Key(e.node)

    def sort_key(self, e: Typed) -> str:
        """SQLite text that sorts and groups as T-SQL would."""
        if e.type.is_string:
            return e.key or e.sql if e.binary else self.key(e)
        return e.sql

    def _between(self, node: Any) -> Typed:
        e, low, high = self.value(node.this), self.value(node.args["low"]), self.value(node.args["high"])
        a, b, c = self.comparable([e, low, high])
        scalar: scalars.Scalar | None = None
        if a.node is not None and b.node is not None and c.node is not None:
            scalar = scalars.And(scalars.Compare(">=", a.node, b.node), scalars.Compare("<=", a.node, c.node))
        return Typed(f"({a.sql} BETWEEN {b.sql} AND {c.sql})", BOOLEAN, node=scalar)

    def _in(self, node: Any) -> Typed:
        e = self.value(node.this)
        query = node.args.get("query")
        if query is not None:
            query = query.this if isinstance(query, exp.Subquery) else query
            return self.queries.in_query(e, query, self)
        items = [self.value(item) for item in node.expressions]
        if not items:
            raise self.refuse("IN ()", node)
        first, *rest = self.comparable([e, *items])
        scalar = None
        if first.node is not None and all(item.node is not None for item in rest):
            scalar = scalars.In(first.node, [item.node for item in rest if item.node is not None])
        return Typed(f"({first.sql} IN ({', '.join(item.sql for item in rest)}))", BOOLEAN, node=scalar)

    def _like(self, node: Any) -> Typed:
        escape: Typed | None = None
        negate = bool(node.args.get("negate"))
        if isinstance(node, exp.Escape):
            escape = self.value(node.expression)
            node = node.this
            negate = negate or bool(node.args.get("negate"))
        only(node, self.context.line, "this", "expression", "negate")
        text, pattern = self._as_text(self.value(node.this)), self._as_text(self.value(node.expression))
        binary = text.binary or pattern.binary
        fixed = pattern.value
        if (
            isinstance(fixed, str)
            and not binary
            and fixed.isascii()
            and "[" not in fixed
            and fixed == fixed.rstrip(" ")
            and (escape is None or (isinstance(escape.value, str) and len(escape.value) == 1))
        ):
            sql = f"({text.sql} LIKE {pattern.sql}" + (f" ESCAPE {escape.sql})" if escape else ")")
        else:
            sql = ""
        made = self.queries.functions.apply(self, "LIKE", [text, pattern] + ([escape] if escape else []))
        scalar = None if made.node is None else scalars.Compare("=", made.node, scalars.Literal(1))
        return self._negated(Typed(sql or made.sql, BOOLEAN, node=scalar), negate)

    def _as_text(self, e: Typed) -> Typed:
        return e if e.type.is_string else convert(e, SqlType("nvarchar", 4000))


def is_aggregate(node: Any) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).upper() in AGGREGATES


def _never_zero(e: Typed) -> bool:
    return (e.value is not UNKNOWN and e.value != 0) or (
        e.sql.startswith("nullif(") and e.sql.endswith(", 0)")
    )


def _trimmed(e: Typed) -> Typed:
    """A binary comparison still ignores trailing spaces."""
    if e.binary and e.key:
        return Typed(e.key, e.type)
    if isinstance(e.value, str):
        return constant(e.value.rstrip(" "), e.type)
    if e.value is None:
        return e
    node = scalars.Trimmed(e.node) if e.node is not None else None
    return Typed(f"rtrim({e.sql}, ' ')", e.type, node=node)


_VALUES: dict[type, Callable[[Expressions, Any], Typed]] = {
    exp.Paren: Expressions._paren,
    exp.Literal: Expressions._literal,
    exp.National: Expressions._national,
    exp.HexString: Expressions._hex,
    exp.Null: Expressions._null,
    exp.Column: Expressions._column,
    exp.Parameter: Expressions._parameter,
    exp.Alias: Expressions._alias,
    exp.Neg: Expressions._neg,
    exp.BitwiseNot: Expressions._bitwise_not,
    exp.Cast: Expressions._cast,
    exp.TryCast: Expressions._cast,
    exp.Convert: Expressions._convert,
    exp.Case: Expressions._case,
    exp.Collate: Expressions._collate,
    exp.Subquery: Expressions._subquery,
    exp.Select: Expressions._select,
    exp.Anonymous: Expressions._function,
    exp.Window: Expressions._window,
    exp.GroupConcat: Expressions._string_agg,
}
