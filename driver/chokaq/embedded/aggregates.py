"""Compilation of aggregates and window functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .conversions import convert
from .problems import SqlError, at_line
from .scope import Typed
from .sqltypes import BIGINT, FLOAT, INT, SqlType, decimal
from .tree import exp, only

if TYPE_CHECKING:
    from .expressions import Expressions

AGGREGATES = frozenset({"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX"})
WINDOW_ONLY = frozenset(
    {"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"}
)


def _misplaced() -> SqlError:
    return SqlError(147, "An aggregate may stand only in a select list, in HAVING or in ORDER BY.", 15, 1)


class AggregateCompiler:
    """Part of the function compiler."""

    def aggregate(
        self, ex: Expressions, name: str, arguments: list[Any], node: Any, window: bool = False
    ) -> Typed:
        scope = ex.scope
        if not scope.aggregates_allowed and not window:
            raise at_line(_misplaced(), ex.line(node))
        if len(arguments) != 1:
            raise ex.refuse(f"{name} with {len(arguments)} arguments", node)
        argument = arguments[0]
        if isinstance(argument, exp.Star):
            if name not in ("COUNT", "COUNT_BIG"):
                raise ex.refuse(f"{name}(*)", node)
            return Typed("count(*)", BIGINT if name == "COUNT_BIG" else INT)
        word = ""
        if isinstance(argument, exp.Distinct):
            only(argument, ex.context.line, "expressions")
            if len(argument.expressions) != 1 or window:
                raise ex.refuse("DISTINCT over several expressions or in a window function", node)
            argument = argument.expressions[0]
            word = "DISTINCT "
        # The ORDER BY and PARTITION BY of a window see grouped columns only, an aggregate's argument all of
        # them.
        scope.in_aggregate += not window
        try:
            e = ex.value(argument)
        finally:
            scope.in_aggregate -= not window
        if name in ("COUNT", "COUNT_BIG"):
            return Typed(f"count({word}{ex.sort_key(e)})", BIGINT if name == "COUNT_BIG" else INT)
        if name in ("MIN", "MAX"):
            return self._extreme(ex, name.lower(), e, node)
        return self._total(ex, name, word, e, node, window=window)

    def _total(self, ex: Expressions, name: str, word: str, e: Typed, node: Any, *, window: bool) -> Typed:
        if not e.type.is_number or e.type.name == "bit":
            raise at_line(
                SqlError(8117, f"Operand data type {e.type.name} is invalid for {name.lower()} operator."),
                ex.line(node),
            )
        if e.type.is_float:
            return Typed(f"{'sum' if name == 'SUM' else 'avg'}({word}{e.sql})", FLOAT)
        total = f"sum({word}{e.sql})"
        if e.type.name == "decimal":
            if e.type.precision > 18 or window:
                raise ex.refuse(f"{name} of {e.type}", node)
            packed = f"chokaq_pack({total}, 38, {e.type.scale})"
            kind = decimal(38, e.type.scale)
            if name == "SUM":
                return Typed(packed, kind)
            return ex.arithmetic("/", Typed(packed, kind), Typed(f"count({word}{e.sql})", INT))
        kind = BIGINT if e.type.name == "bigint" else INT
        if name == "AVG":
            return Typed(f"({total} / count({word}{e.sql}))", kind)
        if kind is BIGINT or window:
            return Typed(total, kind)
        return Typed(f"chokaq_check_integer({total}, 'int')", kind)

    def _extreme(self, ex: Expressions, name: str, e: Typed, node: Any) -> Typed:
        if e.type.name == "bit":
            raise at_line(
                SqlError(8117, f"Operand data type bit is invalid for {name} operator."), ex.line(node)
            )
        if e.type.is_string and not e.binary:
            # The greatest key brings its text along.
            found = f"{name}({self._keyed(ex, e)})"
            return Typed(f"substr({found}, instr({found}, char(1)) + 1)", e.type, rank=e.rank)
        return Typed(f"{name}({e.sql})", e.type, binary=e.binary, rank=e.rank)

    def _keyed(self, ex: Expressions, e: Typed) -> str:
        """Key and text in one string; a CASE gets it at each of its results, so that it is worked out
        once.
        """
        if e.value is None:
            return "NULL"
        if e.branches is None:
            return f"{ex.key(e)} || char(1) || {e.sql}"
        conditions, results = e.branches
        parts = [
            f"WHEN {condition} THEN {self._keyed(ex, result)}"
            for condition, result in zip(conditions, results, strict=False)
        ]
        return f"CASE {' '.join(parts)} ELSE {self._keyed(ex, results[-1])} END"

    def string_agg(self, ex: Expressions, node: Any) -> Typed:
        from .calls import as_text

        only(node, ex.context.line, "this", "separator")
        scope = ex.scope
        if not scope.aggregates_allowed:
            raise at_line(_misplaced(), ex.line(node))
        inner = node.this
        items: list[Any] = []
        if isinstance(inner, exp.Order):
            items = inner.expressions
            inner = inner.this
        if isinstance(inner, exp.Distinct):
            raise ex.refuse("STRING_AGG(DISTINCT …)", node)
        separator_node = node.args.get("separator")
        if separator_node is None:
            raise ex.refuse("STRING_AGG without a separator", node)
        scope.in_aggregate += 1
        try:
            e = as_text(ex.value(inner))
            separator = as_text(ex.value(separator_node))
            keys = [ex.sort_key(ex.value(item.this)) for item in items]
        finally:
            scope.in_aggregate -= 1
        directions = "".join("d" if item.args.get("desc") else "a" for item in items)
        kind = SqlType("nvarchar", 4000) if e.type.is_unicode else SqlType("varchar", 8000)
        if e.type.is_max:
            kind = SqlType(kind.name, None)
        if not keys:
            return Typed(f"group_concat({e.sql}, {separator.sql})", kind)
        return Typed(f"chokaq_string_agg({e.sql}, {separator.sql}, '{directions}', {', '.join(keys)})", kind)

    # Window functions

    def window(self, ex: Expressions, node: Any) -> Typed:
        only(node, ex.context.line, "this", "partition_by", "order", "spec", "over")
        function = node.this
        if not isinstance(function, exp.Anonymous):
            raise ex.refuse(f"{type(function).__name__} OVER", node)
        name = str(function.this).upper()
        if not ex.scope.aggregates_allowed:
            raise at_line(
                SqlError(
                    4108, "Windowed functions can only appear in the SELECT or ORDER BY clauses.", 15, 1
                ),
                ex.line(node),
            )
        over = self._over(ex, node)
        arguments = function.expressions
        if name in AGGREGATES:
            return self._aggregate_over(ex, name, arguments, over, node)
        if name not in WINDOW_ONLY:
            raise ex.refuse(f"the window function {name}", node)
        if node.args.get("order") is None:
            raise at_line(
                SqlError(4112, f"The function '{name}' must have an OVER clause with ORDER BY.", 15, 1),
                ex.line(node),
            )
        if name in ("ROW_NUMBER", "RANK", "DENSE_RANK"):
            if arguments:
                raise ex.refuse(f"{name} with arguments", node)
            return Typed(f"{name.lower()}() {over}", BIGINT)
        if not arguments:
            raise ex.refuse(f"{name} without arguments", node)
        if name == "NTILE":
            return Typed(f"ntile({convert(ex.value(arguments[0]), BIGINT).sql}) {over}", BIGINT)
        e = ex.value(arguments[0])
        sql = e.sql
        if name in ("LAG", "LEAD"):
            if len(arguments) > 1:
                sql += ", " + convert(ex.value(arguments[1]), BIGINT).sql
            if len(arguments) > 2:
                sql += ", " + convert(ex.value(arguments[2]), e.type).sql
        return Typed(f"{name.lower()}({sql}) {over}", e.type)

    def _over(self, ex: Expressions, node: Any) -> str:
        parts = []
        partition = node.args.get("partition_by")
        if partition:
            parts.append("PARTITION BY " + ", ".join(ex.sort_key(ex.value(item)) for item in partition))
        order = node.args.get("order")
        if order is not None:
            items = []
            for item in order.expressions:
                only(item, ex.context.line, "this", "desc", "nulls_first")
                e = ex.value(item.this)
                items.append(ex.sort_key(e) + (" DESC" if item.args.get("desc") else ""))
            parts.append("ORDER BY " + ", ".join(items))
        spec = node.args.get("spec")
        if spec is not None:
            parts.append(self._frame(ex, spec))
        return f"OVER ({' '.join(parts)})"

    def _aggregate_over(
        self, ex: Expressions, name: str, arguments: list[Any], over: str, node: Any
    ) -> Typed:
        if name in ("MIN", "MAX") and len(arguments) == 1:
            e = ex.value(arguments[0])
            if e.type.is_string and not e.binary:
                return Typed(f"chokaq_after({name.lower()}({self._keyed(ex, e)}) {over})", e.type)
        inner = self.aggregate(ex, name, arguments, node, window=True)
        if name == "AVG" and not inner.type.is_float:
            e = ex.value(arguments[0])
            return Typed(f"(sum({e.sql}) {over} / count({e.sql}) {over})", inner.type)
        return Typed(f"{inner.sql} {over}", inner.type)

    def _frame(self, ex: Expressions, spec: Any) -> str:
        def edge(side: str) -> str:
            value = spec.args.get(side)
            direction = spec.args.get(f"{side}_side")
            if value is None:
                return ""
            if isinstance(value, str):
                return f"{value} {direction}" if direction else value
            number = ex.value(value)
            if not isinstance(number.value, int):
                raise ex.refuse("a window frame that is not constant", spec)
            return f"{number.value} {direction}"

        start, end = edge("start"), edge("end")
        kind = str(spec.args.get("kind") or "ROWS")
        return f"{kind} BETWEEN {start} AND {end}" if end else f"{kind} {start}"
