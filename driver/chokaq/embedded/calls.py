"""Compilation of function calls: scalar functions, aggregates, window functions, @@variables.

Every function that the engine knows stands in one of the tables at the end; any other name is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import dates, scalars
from .conversions import constant, convert
from .naming import literal
from .problems import SqlError, at_line, unsupported
from .scope import BOOLEAN, UNKNOWN, Typed, parameter
from .sqltypes import (
    BIGINT,
    DATE,
    DATETIME,
    DATETIME2,
    FLOAT,
    GUID,
    INT,
    MAX,
    NVARCHAR_MAX,
    SMALLINT,
    SYSNAME,
    SqlType,
    concat_type,
    decimal,
    nvarchar,
    varchar,
)
from .tree import exp, only

if TYPE_CHECKING:
    from .expressions import Expressions

Compiler = Callable[["FunctionCompiler", "Expressions", str, list[Any], Any], Typed]


class FunctionCompiler:
    """Stateless: what a call needs comes with the Expressions that it stands in."""

    def call(self, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        handler = _TABLE.get(name)
        if handler is None:
            if name in _AGGREGATES:
                return self.aggregate(ex, name, arguments, node)
            if name in _WINDOW:
                raise at_line(SqlError(10753, f"The function '{name}' must have an OVER clause.", 15, 1), ex.line(node))
            raise ex.refuse(f"the function {name}", node)
        low, high = _ARITY.get(name, (0, 99))
        if not low <= len(arguments) <= high:
            raise at_line(
                SqlError(174, f"The {name.lower()} function requires {low}{'' if low == high else f' to {high}'} argument(s).", 15, 1),
                ex.line(node),
            )
        try:
            return handler(self, ex, name, arguments, node)
        except SqlError as error:
            raise at_line(error, ex.line(node)) from None

    # @@variables and session state

    def global_variable(self, ex: Expressions, name: str, node: Any) -> Typed:
        kind = _GLOBALS.get(name.upper())
        if kind is None:
            raise ex.refuse(f"@@{name}", node)
        return self.special(ex, f"@@{name.lower()}", kind)

    def special(self, ex: Expressions, name: str, kind: SqlType) -> Typed:
        return Typed(ex.context.special(name), kind, node=scalars.Special(name))

    # Helpers

    def text(self, ex: Expressions, node: Any) -> Typed:
        e = ex.value(node)
        return as_text(e)

    def number(self, ex: Expressions, node: Any, kind: SqlType) -> Typed:
        return convert(ex.value(node), kind)

    def made(self, function: str, kind: SqlType, arguments: list[Typed], extra: tuple[Any, ...] = ()) -> Typed:
        """A call of an engine function, in SQL and (where its arguments allow it) in Python."""
        sql = f"chokaq_{function}({', '.join([*(e.sql for e in arguments), *(literal(x) for x in extra)])})"
        node = None
        if all(e.node is not None for e in arguments):
            node = scalars.Call(
                function, [*(e.node for e in arguments if e.node), *(scalars.Literal(x) for x in extra)]
            )
        rank = max([e.rank for e in arguments if e.type.is_string], default=0)
        binary = any(e.binary for e in arguments if e.rank == rank)
        return Typed(sql, kind, node=node, binary=binary, rank=rank)

    # Aggregates

    def aggregate(self, ex: Expressions, name: str, arguments: list[Any], node: Any, window: bool = False) -> Typed:
        scope = ex.scope
        if not scope.aggregates_allowed and not window:
            raise at_line(
                SqlError(147, "An aggregate may not appear here (only in a select list, HAVING or ORDER BY).", 15, 1),
                ex.line(node),
            )
        if len(arguments) != 1:
            raise ex.refuse(f"{name} with {len(arguments)} arguments", node)
        argument = arguments[0]
        if isinstance(argument, exp.Star):
            if name not in ("COUNT", "COUNT_BIG"):
                raise ex.refuse(f"{name}(*)", node)
            return Typed("count(*)", BIGINT if name == "COUNT_BIG" else INT)
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            only(argument, ex.context.line, "expressions")
            if len(argument.expressions) != 1:
                raise ex.refuse("DISTINCT over several expressions", node)
            argument = argument.expressions[0]
            if window:
                raise ex.refuse("DISTINCT in a window function", node)
        if not window:
            scope.in_aggregate += 1
        try:
            e = ex.value(argument)
        finally:
            if not window:
                scope.in_aggregate -= 1
        word = "DISTINCT " if distinct else ""
        if name in ("COUNT", "COUNT_BIG"):
            return Typed(f"count({word}{ex.sort_key(e)})", BIGINT if name == "COUNT_BIG" else INT)
        if name in ("MIN", "MAX"):
            return self._extreme(ex, name.lower(), e, node)
        if not e.type.is_number or e.type.name == "bit":
            raise at_line(
                SqlError(8117, f"Operand data type {e.type.name} is invalid for {name.lower()} operator."), ex.line(node)
            )
        if e.type.is_float:
            return Typed(f"{'sum' if name == 'SUM' else 'avg'}({word}{e.sql})", FLOAT)
        if e.type.name == "decimal":
            if e.type.precision > 18:
                raise ex.refuse(f"{name} of {e.type}", node)
            if window:
                raise ex.refuse(f"{name} OVER of {e.type}", node)
            kind = decimal(38, e.type.scale)
            total = f"chokaq_pack(sum({word}{e.sql}), 38, {kind.scale})"
            if name == "SUM":
                return Typed(total, kind)
            scale = max(e.type.scale, 6)
            return Typed(
                f"chokaq_decimal('/', {total}, 38, {e.type.scale}, count({word}{e.sql}), 18, 0, 38, {scale})", decimal(38, scale)
            )
        kind = BIGINT if e.type.name == "bigint" else INT
        if name == "AVG":
            return Typed(f"(sum({word}{e.sql}) / count({word}{e.sql}))", kind)
        total = f"sum({word}{e.sql})"
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
        return Typed(f"{name}({e.sql})", e.type, binary=e.binary)

    def _keyed(self, ex: Expressions, e: Typed) -> str:
        """Key and text in one string; a CASE gets it at each of its results, so that it is worked out once."""
        if e.value is None:
            return "NULL"
        if e.branches is None:
            return f"{ex.key(e)} || char(1) || {e.sql}"
        conditions, results = e.branches
        parts = [f"WHEN {c} THEN {self._keyed(ex, r)}" for c, r in zip(conditions, results, strict=False)]
        return f"CASE {' '.join(parts)} ELSE {self._keyed(ex, results[-1])} END"

    def string_agg(self, ex: Expressions, node: Any) -> Typed:
        only(node, ex.context.line, "this", "separator")
        scope = ex.scope
        if not scope.aggregates_allowed:
            raise at_line(SqlError(147, "An aggregate may not appear here.", 15, 1), ex.line(node))
        inner = node.this
        order = None
        if isinstance(inner, exp.Order):
            order = inner
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
            keys = []
            directions = ""
            for item in order.expressions if order is not None else ():
                keys.append(ex.sort_key(ex.value(item.this)))
                directions += "d" if item.args.get("desc") else "a"
        finally:
            scope.in_aggregate -= 1
        kind = e.type if e.type.is_max else SqlType(
            "nvarchar" if e.type.is_unicode else "varchar", 4000 if e.type.is_unicode else 8000
        )
        if not keys:
            return Typed(f"group_concat({e.sql}, {separator.sql})", kind)
        return Typed(
            f"chokaq_string_agg({e.sql}, {separator.sql}, '{directions}', {', '.join(keys)})", kind
        )

    # Window functions

    def window(self, ex: Expressions, node: Any) -> Typed:
        only(node, ex.context.line, "this", "partition_by", "order", "spec", "over")
        function = node.this
        if not isinstance(function, exp.Anonymous):
            raise ex.refuse(f"{type(function).__name__} OVER", node)
        name = str(function.this).upper()
        if not ex.scope.aggregates_allowed:
            raise at_line(
                SqlError(4108, "Windowed functions can only appear in the SELECT or ORDER BY clauses.", 15, 1), ex.line(node)
            )
        order = node.args.get("order")
        parts = []
        partition = node.args.get("partition_by")
        if partition:
            parts.append("PARTITION BY " + ", ".join(ex.sort_key(ex.value(item)) for item in partition))
        if order is not None:
            items = []
            for item in order.expressions:
                only(item, ex.context.line, "this", "desc", "nulls_first")
                items.append(ex.sort_key(ex.value(item.this)) + (" DESC" if item.args.get("desc") else ""))
            parts.append("ORDER BY " + ", ".join(items))
        spec = node.args.get("spec")
        if spec is not None:
            parts.append(self._frame(ex, spec))
        over = f"OVER ({' '.join(parts)})"
        if name in _AGGREGATES:
            if name in ("MIN", "MAX"):
                e = ex.value(function.expressions[0])
                if e.type.is_string and not e.binary:
                    return Typed(f"chokaq_after({name.lower()}({ex.key(e)} || char(1) || {e.sql}) {over})", e.type)
            inner = self.aggregate(ex, name, function.expressions, node, window=True)
            if name == "AVG" and not inner.type.is_float:
                e = ex.value(function.expressions[0])
                return Typed(f"(sum({e.sql}) {over} / count({e.sql}) {over})", inner.type)
            return Typed(f"{inner.sql} {over}", inner.type)
        if name not in _WINDOW:
            raise ex.refuse(f"the window function {name}", node)
        if order is None:
            raise at_line(
                SqlError(4112, f"The function '{name}' must have an OVER clause with ORDER BY.", 15, 1), ex.line(node)
            )
        if name in ("ROW_NUMBER", "RANK", "DENSE_RANK"):
            return Typed(f"{name.lower()}() {over}", BIGINT)
        if name == "NTILE":
            return Typed(f"ntile({self.number(ex, function.expressions[0], BIGINT).sql}) {over}", BIGINT)
        e = ex.value(function.expressions[0])
        if name in ("FIRST_VALUE", "LAST_VALUE"):
            return Typed(f"{name.lower()}({e.sql}) {over}", e.type)
        sql = e.sql
        if len(function.expressions) > 1:
            sql += ", " + self.number(ex, function.expressions[1], BIGINT).sql
        if len(function.expressions) > 2:
            sql += ", " + convert(ex.value(function.expressions[2]), e.type).sql
        return Typed(f"{name.lower()}({sql}) {over}", e.type)

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


def as_text(e: Typed) -> Typed:
    """The value as text: numbers and dates as CONCAT writes them."""
    if e.type.is_string:
        return e
    if e.type.name == "null":
        return Typed("NULL", varchar(1), value=None, node=scalars.Literal(None))
    if e.type.is_integer:
        return convert(e, varchar({"bit": 1, "tinyint": 3, "smallint": 6, "int": 11}.get(e.type.name, 20)))
    if e.type.name == "uniqueidentifier":
        return convert(e, varchar(36))
    return convert(e, nvarchar(60) if e.type.is_binary else varchar(60))


# Handlers: (functions, expressions, name, argument nodes, node) -> Typed


def _fixed(function: str, kind: SqlType | None, *kinds: SqlType | str | None) -> Compiler:
    """A plain function: each argument of a kind ("text", a SqlType, or None as it is); kind None: of the first."""

    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        given = []
        for index, argument in enumerate(arguments):
            wanted = kinds[min(index, len(kinds) - 1)]
            if wanted == "text":
                given.append(f.text(ex, argument))
            elif isinstance(wanted, SqlType):
                given.append(f.number(ex, argument, wanted))
            else:
                given.append(ex.value(argument))
        result = kind
        if result is None:
            result = given[0].type
            if result.name in ("char", "nchar"):
                result = SqlType(result.name.replace("char", "varchar"), result.length)
        return f.made(function, result, given)

    return compile_


def _concat(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    items = [f.text(ex, argument) for argument in arguments]
    kind = concat_type(*(item.type for item in items))
    if kind.name in ("char", "nchar"):
        kind = SqlType(kind.name.replace("char", "varchar"), kind.length)
    if name == "CONCAT_WS":
        return f.made("concat_ws", kind, items)
    parts = []
    for item in items:
        if item.value is None:
            continue
        parts.append(item.sql if item.value is not UNKNOWN else f"coalesce({item.sql}, '')")
    node_ = None
    if all(item.node is not None for item in items):
        node_ = scalars.Call("concat", [item.node for item in items if item.node])
    sql = f"({' || '.join(parts)})" if parts else "''"
    if len(items) == 1 and not sql.startswith("("):
        sql = f"({sql})"
    return Typed(sql, kind, node=node_)


def _length(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = as_text(ex.value(arguments[0]))
    made = f.made("len", BIGINT if e.type.is_max else INT, [e])
    if not e.type.is_unicode:
        made.sql = f"length(rtrim({e.sql}, ' '))"
    return made


def _datalength(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    kind = BIGINT if e.type.is_max else INT
    if not (e.type.is_string or e.type.is_binary):
        size = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "float": 8, "real": 4, "uniqueidentifier": 16}
        if e.type.name not in size:
            raise ex.refuse(f"DATALENGTH of {e.type}", node)
        return ex.case([Typed(f"({e.sql} IS NULL)", BOOLEAN)], [constant(None, INT), constant(size[e.type.name], INT)])
    made = f.made("datalength", kind, [e], (int(e.type.is_unicode),))
    if e.type.is_unicode:
        if len(e.sql) <= 300:
            made.sql = (
                f"CASE length({e.sql}) WHEN length(CAST({e.sql} AS BLOB)) THEN 2 * length({e.sql}) ELSE {made.sql} END"
            )
    else:
        made.sql = f"length({e.sql})"
    return made


def _left(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e, count = f.text(ex, arguments[0]), f.number(ex, arguments[1], INT)
    length = e.type.length
    if isinstance(count.value, int) and count.value >= 0:
        length = max(1, count.value if e.type.is_max else min(count.value, e.type.length or 1))
    kind = SqlType("nvarchar" if e.type.is_unicode else "varchar", length)
    made = f.made(name.lower(), kind, [e, count])
    if isinstance(count.value, int) and count.value > 0 and not e.type.is_unicode:
        made.sql = f"substr({e.sql}, 1, {count.value})" if name == "LEFT" else f"substr({e.sql}, -{count.value})"
    return made


def _substring(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    if not e.type.is_binary:
        e = as_text(e)
    start, count = f.number(ex, arguments[1], INT), f.number(ex, arguments[2], INT)
    length = e.type.length
    if isinstance(count.value, int) and count.value >= 0:
        length = max(1, count.value if e.type.is_max else min(count.value, e.type.length or 1))
    kind = SqlType("varbinary" if e.type.is_binary else "nvarchar" if e.type.is_unicode else "varchar", length)
    return f.made("substring", kind, [e, start, count])


def _charindex(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    needle, text = f.text(ex, arguments[0]), f.text(ex, arguments[1])
    rest = [f.number(ex, arguments[2], BIGINT)] if len(arguments) > 2 else []
    function = "charindex_binary" if needle.binary or text.binary else "charindex"
    return f.made(function, BIGINT if text.type.is_max else INT, [needle, text, *rest])


def _replace(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    items = [f.text(ex, argument) for argument in arguments]
    unicode = any(item.type.is_unicode for item in items)
    wide = any(item.type.is_max for item in items)
    kind = SqlType("nvarchar" if unicode else "varchar", MAX if wide else (4000 if unicode else 8000))
    binary = any(item.binary for item in items)
    return f.made("replace_binary" if binary else "replace", kind, items)


def _stuff(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    text, new = f.text(ex, arguments[0]), f.text(ex, arguments[3])
    kind = concat_type(text.type, new.type)
    kind = SqlType("nvarchar" if kind.is_unicode else "varchar", kind.length)
    return f.made(
        "stuff", kind, [text, f.number(ex, arguments[1], INT), f.number(ex, arguments[2], INT), new]
    )


def _replicate(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    text, count = f.text(ex, arguments[0]), f.number(ex, arguments[1], INT)
    kind = SqlType("nvarchar" if text.type.is_unicode else "varchar", MAX if text.type.is_max else (4000 if text.type.is_unicode else 8000))
    made = f.made("replicate", kind, [text, count])
    if not kind.is_max:
        return convert(Typed(made.sql, SqlType(kind.name, MAX), node=made.node), kind)
    return made


def _nullif(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    left, right = ex.value(arguments[0]), ex.value(arguments[1])
    equal = ex.compare("=", left, right)
    result = ex.case([equal], [constant(None, left.type), left])
    if left.type.is_number and not left.type.name == "decimal" and right.type.is_integer:
        result.sql = f"nullif({left.sql}, {right.sql})"
    return result


def _coalesce(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return ex.coalesce([ex.value(argument) for argument in arguments])


def _isnull(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    left, right = ex.value(arguments[0]), ex.value(arguments[1])
    if left.type.name == "null":
        return right
    return ex.coalesce([left, convert(right, left.type)])


def _iif(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return ex.case([ex.condition(arguments[0])], [ex.value(arguments[1]), ex.value(arguments[2])])


def _choose(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    index = f.number(ex, arguments[0], INT)
    conditions = [ex.compare("=", index, constant(i, index.type)) for i in range(1, len(arguments))]
    return ex.case(conditions, [*(ex.value(argument) for argument in arguments[1:]), constant(None, INT)])


# Dates


def date_part(ex: Expressions, node: Any) -> str:
    """The part of DATEADD and its like: a bare word."""
    name = node.name if isinstance(node, exp.Column) and not node.table else str(getattr(node, "this", ""))
    part = dates.PARTS.get(name.lower())
    if part is None:
        raise at_line(SqlError(155, f"'{name}' is not a recognized date part option.", 15, 1), ex.line(node))
    return part


def _as_time(f: FunctionCompiler, ex: Expressions, node: Any) -> Typed:
    e = ex.value(node)
    if e.type.is_time:
        return e
    if e.type.is_string or e.type.name == "null":
        return convert(e, DATETIME2)
    return convert(e, DATETIME)


def _dateadd(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    part = date_part(ex, arguments[0])
    count, start = f.number(ex, arguments[1], INT), _as_time(f, ex, arguments[2])
    if start.type.name == "time":
        raise ex.refuse("DATEADD of a time", node)
    made = f.made("dateadd", start.type, [constant(part, varchar(20)), count, start])
    unit = dates.UNITS.get(part, 0)
    if start.type.name in ("datetime2", "date") and unit and len(count.sql) + len(start.sql) < 200:
        sql = f"({start.sql} + {count.sql} * {unit})"
        made.sql = f"CASE WHEN {sql} NOT BETWEEN 0 AND {dates.MAX_TICKS} THEN {made.sql} ELSE {sql} END"
        if start.type.scale < 7 and unit < 10 ** (7 - start.type.scale):
            made.sql = f"chokaq_convert({made.sql}, 'datetime2(7)>{start.type}>0>0')"
    if start.type.name == "datetime":
        made.sql = f"chokaq_convert({made.sql}, 'datetime2(7)>datetime>0>0')"
        made.node = None
    return ex.hoist(made)


def _datediff(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    part = date_part(ex, arguments[0])
    start, end = _as_time(f, ex, arguments[1]), _as_time(f, ex, arguments[2])
    big = name == "DATEDIFF_BIG"
    made = f.made(name.lower(), BIGINT if big else INT, [constant(part, varchar(20)), start, end])
    unit = dates.UNITS.get(part, 0)
    if unit and part != "week" and len(start.sql) + len(end.sql) < 200:
        sql = f"({end.sql} / {unit} - {start.sql} / {unit})"
        if big:
            made.sql = sql
        else:
            made.sql = f"CASE WHEN {sql} NOT BETWEEN -2147483648 AND 2147483647 THEN {made.sql} ELSE {sql} END"
    return ex.hoist(made)


def _datepart(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    kind = nvarchar(30) if name == "DATENAME" else INT
    return f.made(name.lower(), kind, [constant(date_part(ex, arguments[0]), varchar(20)), _as_time(f, ex, arguments[1])])


def _year(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return f.made("datepart", INT, [constant(name.lower(), varchar(20)), _as_time(f, ex, arguments[0])])


def _eomonth(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    rest = [f.number(ex, argument, INT) for argument in arguments[1:]]
    return f.made("eomonth", DATE, [convert(_as_time(f, ex, arguments[0]), DATE), *rest])


def _datetime2fromparts(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    items = [f.number(ex, argument, INT) for argument in arguments]
    scale = items[7].value
    if not isinstance(scale, int) or not 0 <= scale <= 7:
        raise ex.refuse("DATETIME2FROMPARTS with a precision that is not a constant from 0 to 7", node)
    return f.made("datetime2fromparts", SqlType("datetime2", scale=scale), items)


def _clock(special: str, kind: SqlType) -> Compiler:
    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        return f.special(ex, special, kind)

    return compile_


# Numbers


def _rounding(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    if e.type.is_integer:
        return e
    if e.type.name == "decimal" and e.type.precision > 18:
        raise ex.refuse(f"{name} of {e.type}", node)
    if e.type.name == "decimal":
        unit = 10**e.type.scale
        away = f"({e.sql} / {unit})"
        sign = "<" if name == "FLOOR" else ">"
        step = "-" if name == "FLOOR" else "+"
        sql = f"({away} {step} ({e.sql} % {unit} {sign} 0))"
        return Typed(sql, decimal(e.type.precision, 0))
    return f.made(name.lower(), FLOAT, [convert(e, FLOAT)])


def _round(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    rest = [f.number(ex, argument, INT) for argument in arguments[1:]]
    if e.type.is_integer:
        return f.made("round_integer", e.type, [e, *rest])
    if e.type.name == "decimal":
        if e.type.precision > 18:
            raise ex.refuse(f"ROUND of {e.type}", node)
        return f.made("round_decimal", e.type, [e, constant(e.type.scale, INT), *rest])
    return f.made("round_float", FLOAT, [convert(e, FLOAT), *rest])


def _abs(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    if not e.type.is_number:
        e = convert(e, FLOAT)
    kind = e.type
    made = f.made("abs", kind, [e], (kind.name,))
    if kind.is_float:
        made.sql = f"abs({e.sql})"
    return made


def _sign(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    e = ex.value(arguments[0])
    if e.type.is_float:
        return convert(f.made("sign", INT, [e]), FLOAT)
    return f.made("sign", e.type, [e])


def _power(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    base = ex.value(arguments[0])
    made = f.made("power", FLOAT, [convert(base, FLOAT), f.number(ex, arguments[1], FLOAT)])
    if base.type.is_integer or base.type.name == "decimal":
        kind = INT if base.type.is_integer and base.type.name != "bigint" else base.type
        return convert(made, kind)
    return made


# Identity, hashing, JSON


def _newid(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    # No Python scalar: a new value for each row, never worked out beforehand.
    return Typed("chokaq_newid()", GUID)


def _rand(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    # Once for the whole query, as on a server.
    return ex.hoist(f.made("rand", FLOAT, [f.number(ex, argument, INT) for argument in arguments]))


def _parsename(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return f.made("parsename", SYSNAME, [f.text(ex, arguments[0]), f.number(ex, arguments[1], INT)])


def _checksum(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return f.made("checksum", INT, [ex.value(argument) for argument in arguments])


def _hashbytes(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    algorithm, e = f.text(ex, arguments[0]), ex.value(arguments[1])
    if not e.type.is_binary:
        e = convert(as_text(e), SqlType("varbinary", MAX))
    return f.made("hashbytes", SqlType("varbinary", 8000), [algorithm, e])


def _json(function: str, kind: SqlType) -> Compiler:
    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        made = f.made(function, kind, [f.text(ex, argument) for argument in arguments])
        made.json = name == "JSON_QUERY"
        return made

    return compile_


def _json_modify(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    text, path, e = f.text(ex, arguments[0]), f.text(ex, arguments[1]), ex.value(arguments[2])
    kind = "json" if e.json else "bit" if e.type.name == "bit" else "number" if e.type.is_number else "string"
    if kind == "number":
        e = as_text(e)
    elif kind == "string":
        e = as_text(e)
    made = f.made("json_modify", NVARCHAR_MAX, [text, path, e], (kind,))
    made.json = True
    return made


def _formatmessage(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
    return f.made("formatmessage", nvarchar(2048), [ex.value(argument) for argument in arguments])


def _session(kind: SqlType, *kinds: SqlType | str) -> Compiler:
    """A function of the session (metadata, locks, errors): ``session.functions`` has it under its name."""

    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        given = []
        for index, argument in enumerate(arguments):
            wanted = kinds[min(index, len(kinds) - 1)]
            given.append(f.text(ex, argument) if wanted == "text" else convert(ex.value(argument), INT))
        return f.made(name.lower(), kind, given)

    return compile_


def _state(special: str, kind: SqlType) -> Compiler:
    return _clock(special, kind)


_NVARCHAR = nvarchar(4000)
_TABLE: dict[str, Compiler] = {
    "CONCAT": _concat, "CONCAT_WS": _concat, "LEN": _length, "DATALENGTH": _datalength, "LEFT": _left, "RIGHT": _left,
    "SUBSTRING": _substring, "CHARINDEX": _charindex, "REPLACE": _replace, "STUFF": _stuff, "REPLICATE": _replicate,
    "REVERSE": _fixed("reverse", None, "text"), "UPPER": _fixed("upper", None, "text"),
    "LOWER": _fixed("lower", None, "text"), "LTRIM": _fixed("ltrim", None, "text"),
    "RTRIM": _fixed("rtrim", None, "text"), "TRIM": _fixed("trim", None, "text"),
    "QUOTENAME": _fixed("quotename", nvarchar(258), "text"), "SPACE": _fixed("space", varchar(8000), INT),
    "NCHAR": _fixed("nchar", nvarchar(1), INT), "CHAR": _fixed("char", varchar(1), INT),
    "UNICODE": _fixed("unicode", INT, "text"), "ASCII": _fixed("ascii", INT, "text"),
    "TRANSLATE": _fixed("translate", None, "text"), "PATINDEX": _fixed("patindex", INT, "text"),
    "NULLIF": _nullif, "COALESCE": _coalesce, "ISNULL": _isnull, "IIF": _iif, "CHOOSE": _choose,
    "DATEADD": _dateadd, "DATEDIFF": _datediff, "DATEDIFF_BIG": _datediff, "DATEPART": _datepart,
    "DATENAME": _datepart, "YEAR": _year, "MONTH": _year, "DAY": _year, "EOMONTH": _eomonth,
    "DATEFROMPARTS": _fixed("datefromparts", DATE, INT), "DATETIME2FROMPARTS": _datetime2fromparts,
    "SYSUTCDATETIME": _clock("now", DATETIME2), "SYSDATETIME": _clock("local", DATETIME2),
    "GETUTCDATE": _clock("now_datetime", DATETIME), "GETDATE": _clock("local_datetime", DATETIME),
    "CURRENT_TIMESTAMP": _clock("local_datetime", DATETIME),
    "FLOOR": _rounding, "CEILING": _rounding, "ROUND": _round, "ABS": _abs, "SIGN": _sign, "POWER": _power,
    "LOG": _fixed("log", FLOAT, FLOAT), "LOG10": _fixed("log10", FLOAT, FLOAT), "EXP": _fixed("exp", FLOAT, FLOAT),
    "SQRT": _fixed("sqrt", FLOAT, FLOAT), "SQUARE": _fixed("square", FLOAT, FLOAT), "RAND": _rand,
    "NEWID": _newid, "PARSENAME": _parsename, "CHECKSUM": _checksum, "HASHBYTES": _hashbytes,
    "ISJSON": _json("isjson", INT), "JSON_VALUE": _json("json_value", _NVARCHAR), "JSON_QUERY": _json("json_query", NVARCHAR_MAX),
    "JSON_MODIFY": _json_modify, "STRING_ESCAPE": _json("string_escape", NVARCHAR_MAX), "FORMATMESSAGE": _formatmessage,
    "ERROR_NUMBER": _state("error_number", INT), "ERROR_MESSAGE": _state("error_message", _NVARCHAR),
    "ERROR_SEVERITY": _state("error_severity", INT), "ERROR_STATE": _state("error_state", INT),
    "ERROR_LINE": _state("error_line", INT), "ERROR_PROCEDURE": _state("error_procedure", SYSNAME),
    "XACT_STATE": _state("xact_state", SMALLINT), "SCOPE_IDENTITY": _state("scope_identity", decimal(38, 0)),
    "ROWCOUNT_BIG": _state("@@rowcount", BIGINT),
    "OBJECT_ID": _session(INT, "text"), "OBJECT_NAME": _session(SYSNAME, INT), "OBJECT_SCHEMA_NAME": _session(SYSNAME, INT),
    "OBJECT_DEFINITION": _session(NVARCHAR_MAX, INT), "SCHEMA_ID": _session(INT, "text"),
    "SCHEMA_NAME": _session(SYSNAME, INT), "TYPE_ID": _session(INT, "text"), "TYPE_NAME": _session(SYSNAME, INT),
    "COL_LENGTH": _session(SMALLINT, "text"), "COL_NAME": _session(SYSNAME, INT), "DB_NAME": _session(SYSNAME, INT),
    "DB_ID": _session(SMALLINT, "text"), "SUSER_SNAME": _session(SYSNAME, INT), "SUSER_NAME": _session(SYSNAME, INT),
    "ORIGINAL_LOGIN": _session(SYSNAME, INT), "USER_NAME": _session(SYSNAME, INT), "USER_ID": _session(INT, "text"),
    "DATABASE_PRINCIPAL_ID": _session(INT, "text"), "HOST_NAME": _session(SYSNAME, INT), "APP_NAME": _session(SYSNAME, INT),
    "SERVERPROPERTY": _session(_NVARCHAR, "text"), "DATABASEPROPERTYEX": _session(_NVARCHAR, "text"),
    "OBJECTPROPERTY": _session(INT, INT, "text"), "INDEXPROPERTY": _session(INT, INT, "text", "text"),
    "COLUMNPROPERTY": _session(INT, INT, "text", "text"), "HAS_PERMS_BY_NAME": _session(INT, "text"),
    "IS_ROLEMEMBER": _session(INT, "text"), "IS_MEMBER": _session(INT, "text"),
    "APPLOCK_TEST": _session(SMALLINT, "text"), "APPLOCK_MODE": _session(nvarchar(32), "text"),
}  # fmt: skip
_ARITY: dict[str, tuple[int, int]] = {
    "CONCAT": (2, 254), "CONCAT_WS": (3, 254), "LEN": (1, 1), "DATALENGTH": (1, 1), "LEFT": (2, 2), "RIGHT": (2, 2),
    "SUBSTRING": (3, 3), "CHARINDEX": (2, 3), "REPLACE": (3, 3), "STUFF": (4, 4), "REPLICATE": (2, 2), "REVERSE": (1, 1),
    "UPPER": (1, 1), "LOWER": (1, 1), "LTRIM": (1, 1), "RTRIM": (1, 1), "TRIM": (1, 1), "QUOTENAME": (1, 2),
    "SPACE": (1, 1), "NCHAR": (1, 1), "CHAR": (1, 1), "UNICODE": (1, 1), "ASCII": (1, 1), "TRANSLATE": (3, 3),
    "PATINDEX": (2, 2), "NULLIF": (2, 2), "COALESCE": (2, 99), "ISNULL": (2, 2), "IIF": (3, 3), "CHOOSE": (2, 99),
    "DATEADD": (3, 3), "DATEDIFF": (3, 3), "DATEDIFF_BIG": (3, 3), "DATEPART": (2, 2), "DATENAME": (2, 2),
    "YEAR": (1, 1), "MONTH": (1, 1), "DAY": (1, 1), "EOMONTH": (1, 2), "DATEFROMPARTS": (3, 3),
    "DATETIME2FROMPARTS": (8, 8), "SYSUTCDATETIME": (0, 0), "SYSDATETIME": (0, 0), "GETDATE": (0, 0),
    "GETUTCDATE": (0, 0), "FLOOR": (1, 1), "CEILING": (1, 1), "ROUND": (2, 3), "ABS": (1, 1), "SIGN": (1, 1),
    "POWER": (2, 2), "LOG": (1, 2), "LOG10": (1, 1), "EXP": (1, 1), "SQRT": (1, 1), "SQUARE": (1, 1), "RAND": (0, 1),
    "NEWID": (0, 0), "PARSENAME": (2, 2), "CHECKSUM": (1, 99), "HASHBYTES": (2, 2), "ISJSON": (1, 1), "JSON_VALUE": (2, 2),
    "JSON_QUERY": (1, 2), "JSON_MODIFY": (3, 3), "STRING_ESCAPE": (2, 2), "FORMATMESSAGE": (1, 21), "XACT_STATE": (0, 0),
    "ERROR_NUMBER": (0, 0), "ERROR_MESSAGE": (0, 0), "SCOPE_IDENTITY": (0, 0), "OBJECT_ID": (1, 2), "TYPE_ID": (1, 1),
    "SCHEMA_ID": (0, 1), "SCHEMA_NAME": (0, 1), "OBJECT_NAME": (1, 1), "COL_LENGTH": (2, 2), "APPLOCK_TEST": (4, 4),
    "APPLOCK_MODE": (3, 3), "HAS_PERMS_BY_NAME": (3, 3), "OBJECTPROPERTY": (2, 2), "SERVERPROPERTY": (1, 1),
}  # fmt: skip
_AGGREGATES = frozenset({"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX"})
_WINDOW = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"})
_GLOBALS = {
    "ROWCOUNT": INT, "TRANCOUNT": INT, "SPID": SMALLINT, "ERROR": INT, "IDENTITY": decimal(38, 0), "PROCID": INT,
    "VERSION": nvarchar(300), "SERVERNAME": SYSNAME, "NESTLEVEL": INT, "LOCK_TIMEOUT": INT, "FETCH_STATUS": INT,
    "MAX_PRECISION": SqlType("tinyint"), "OPTIONS": INT, "DATEFIRST": SqlType("tinyint"), "DBTS": SqlType("binary", 8),
    "LANGUAGE": SYSNAME, "MICROSOFTVERSION": INT,
}  # fmt: skip
del _GLOBALS["FETCH_STATUS"], _GLOBALS["DBTS"], _GLOBALS["MICROSOFTVERSION"], _GLOBALS["OPTIONS"]
_ = (parameter, unsupported)
