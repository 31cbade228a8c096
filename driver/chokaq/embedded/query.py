"""Compilation of queries: SELECT, set operations, CTEs, FROM with joins, and subqueries of every kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from . import ir, scalars
from .calls import FunctionCompiler
from .catalog import Column, Table
from .conversions import convert
from .expressions import Expressions, is_aggregate
from .naming import key_expression, quote, table_name
from .problems import SqlError, at_line, invalid_object, must, unsupported
from .scope import (
    BOOLEAN,
    UNKNOWN,
    Context,
    LocalTable,
    Scope,
    Source,
    SourceColumn,
    Typed,
    table_mark,
    table_source,
)
from .sqltypes import BIGINT, INT, NVARCHAR_MAX, SqlType, higher
from .tree import exp, line_of, only, sql_type, table_word
from .values.json_values import JsonColumn

#: Hints that may stand at a table. Their effect here: those that ask for locks make a transaction take the
#: write lock.
HINTS = frozenset(
    "ROWLOCK UPDLOCK READPAST READCOMMITTEDLOCK READCOMMITTED HOLDLOCK SERIALIZABLE REPEATABLEREAD XLOCK "
    "PAGLOCK TABLOCK "
    "TABLOCKX NOLOCK READUNCOMMITTED FORCESEEK NOWAIT".split()
)
LOCKING = frozenset({"UPDLOCK", "HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD", "XLOCK", "TABLOCKX"})
OPTIONS = frozenset(
    {
        "RECOMPILE",
        "MAXDOP",
        "FORCE ORDER",
        "LOOP JOIN",
        "OPTIMIZE FOR UNKNOWN",
        "MAXRECURSION",
        "KEEPFIXED PLAN",
    }
)

_SELECT_ARGS = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "with_",
    "options",
    "kind",
)


@dataclass(slots=True)
class Output:
    name: str
    value: Typed


@dataclass(slots=True)
class Cte:
    name: str
    outputs: list[Output]
    reference: str
    recursive: bool = False


@dataclass(slots=True)
class Wanted:
    """What is asked of a query. ``keys``: each comparable string column X is followed by its key X#k.
    ``targets``: convert the columns to these types, ``store``: for these (table, column). ``key_only``: the
    one
    column as its key. ``extra``: further columns, each made by a function of an Expressions. ``assign``:
    items
    may be assignments to variables.
    """

    keys: bool = False
    targets: list[SqlType] | None = None
    store: list[tuple[str, str]] | None = None
    key_only: bool = False
    extra: list[tuple[str, Any]] | None = None
    assign: bool = False


@dataclass(slots=True)
class Compiled:
    """``sql``: the query; with ``keys`` each comparable string column X is followed by ``X#k``."""

    sql: str
    outputs: list[Output] = field(default_factory=list)
    single_row: bool = False
    assigns: list[tuple[str, Typed]] | None = None


class QueryCompiler:
    """Compiles the queries of one statement."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.unit = context.unit
        self.functions = FunctionCompiler()

    def line(self, node: Any) -> int:
        return line_of(node, self.context.line)

    # Queries

    def query(self, node: Any, parent: Scope | None, **options: Any) -> Compiled:
        """Any query; the options are those of ``Wanted``."""
        want = Wanted(**options)
        if isinstance(node, exp.Subquery):
            only(node, self.context.line, "this")
            node = node.this
        scope = Scope(parent)
        prefix = self._ctes(node, scope)
        if isinstance(node, exp.SetOperation):
            compiled = self._set_operation(node, scope, want)
        elif isinstance(node, exp.Select):
            compiled = self._select(node, scope, want)
        else:
            raise unsupported(f"{type(node).__name__} as a query", self.line(node))
        if prefix:
            compiled.sql = f"{prefix} {compiled.sql}"
        return compiled

    def _ctes(self, node: Any, scope: Scope) -> str:
        with_ = node.args.get("with_")
        if with_ is None:
            return ""
        only(with_, self.context.line, "expressions")
        pieces = []
        recursive = False
        for cte in with_.expressions:
            only(cte, self.context.line, "this", "alias")
            name = cte.alias
            columns = [column.name for column in cte.args["alias"].args.get("columns") or []]
            self.context.ctes += 1
            reference = f"{name}~{self.context.ctes}"
            body = cte.this
            if isinstance(body, exp.Union) and self._mentions(body.expression, name):
                recursive = True
                sql, outputs = self._recursive(body, scope, name, columns, reference)
            else:
                compiled = self.query(body, scope, keys=True)
                sql, outputs = compiled.sql, compiled.outputs
            outputs = self._renamed(outputs, columns, name, self.line(cte))
            scope.ctes[name.lower()] = Cte(name, outputs, reference, recursive)
            listed = ", ".join(_listed(outputs))
            pieces.append(f"{quote(reference)} ({listed}) AS ({sql})")
        return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(pieces)}"

    def _mentions(self, node: Any, name: str) -> bool:
        return any(table.name.lower() == name.lower() and not table.db for table in node.find_all(exp.Table))

    def _recursive(
        self, node: Any, scope: Scope, name: str, columns: list[str], reference: str
    ) -> tuple[str, list[Output]]:
        if node.args.get("distinct"):
            raise at_line(
                SqlError(
                    252,
                    f"Recursive common table expression '{name}' does not contain a top-level UNION ALL "
                    "operator.",
                ),
                self.line(node),
            )
        anchor = self.query(node.this, scope, keys=True)
        inner = Scope(scope)
        outputs = self._renamed(anchor.outputs, columns, name, self.line(node))
        inner.ctes[name.lower()] = Cte(name, outputs, reference, True)
        step = self.query(
            node.expression, inner, keys=True, targets=[output.value.type for output in outputs]
        )
        return f"{anchor.sql} UNION ALL {step.sql}", outputs

    def _renamed(self, outputs: list[Output], columns: list[str], name: str, line: int) -> list[Output]:
        if columns:
            if len(columns) != len(outputs):
                raise at_line(
                    SqlError(
                        8158 if len(columns) < len(outputs) else 8159,
                        f"'{name}' has {len(outputs)} columns, but {len(columns)} were named.",
                    ),
                    line,
                )
            outputs = [Output(column, output.value) for column, output in zip(columns, outputs, strict=True)]
        seen = set()
        for index, output in enumerate(outputs):
            if not output.name:
                raise at_line(
                    SqlError(8155, f"No column name was specified for column {index + 1} of '{name}'."), line
                )
            if output.name.lower() in seen:
                raise at_line(
                    SqlError(8156, f"The column '{output.name}' was specified multiple times for '{name}'."),
                    line,
                )
            seen.add(output.name.lower())
        return outputs

    # Set operations

    def _set_operation(self, node: Any, scope: Scope, want: Wanted) -> Compiled:
        only(
            node,
            self.context.line,
            "this",
            "expression",
            "distinct",
            "order",
            "limit",
            "offset",
            "with_",
            "options",
        )
        self._options(node)
        members = self._members(node)
        types = self._common_types(node, members, scope)
        union_all = isinstance(node, exp.Union) and not node.args.get("distinct")
        ordered = any(node.args.get(name) is not None for name in ("order", "limit", "offset"))
        other_types = want.targets is not None and want.targets != types
        if union_all and not (ordered or want.extra or want.key_only or want.store or other_types):
            compiled = [self.query(member, scope, keys=want.keys, targets=types) for member in members]
            outputs = self._combined(compiled, types, node)
            return Compiled(self._all_of(members, compiled), outputs)
        compiled = [self.query(member, scope, keys=True, targets=types) for member in members]
        outputs = self._combined(compiled, types, node)
        self.context.ctes += 1
        alias = f"u~{self.context.ctes}"
        if union_all:
            from_, group = f"({self._all_of(members, compiled)}) AS {quote(alias)}", ""
        else:
            from_, group = self._distinct(node, alias, outputs, compiled)
        outer = Scope(scope)
        source = derived_source(alias, outputs, "")
        outer.sources.append(source)
        ex = Expressions(self.context, outer, self)
        values = [
            Typed(column.sql, column.type, key=column.key, binary=column.binary, rank=1)
            for column in source.columns
        ]
        values = self._targets(values, want, node)
        results = [
            Output("" if output.name.startswith("~") else output.name, value)
            for output, value in zip(outputs, values, strict=True)
        ]
        for name, maker in want.extra or ():
            results.append(Output(name, maker(ex)))
        items = self._emit(results, want, ex)
        tail = self._order(node, ex, results)
        limit = self._limit(node, ex)
        return Compiled(f"SELECT {', '.join(items)} FROM {from_}{group}{tail}{limit}", results)

    def _members(self, node: Any) -> list[Any]:
        """The queries that a set operation combines; a chain of UNION ALL is taken as one."""
        if not (isinstance(node, exp.Union) and not node.args.get("distinct")):
            return [node.this, node.expression]
        found: list[Any] = []
        while isinstance(node, exp.Union) and not node.args.get("distinct"):
            found.append(node.expression)
            node = node.this
            if any(node.args.get(name) is not None for name in ("order", "limit", "offset", "with_")):
                break
        found.append(node)
        found.reverse()
        return found

    def _common_types(self, node: Any, members: list[Any], scope: Scope) -> list[SqlType]:
        types: list[SqlType] = []
        for number, member in enumerate(members):
            own = [output.value.type for output in self.query(member, scope).outputs]
            if number and len(own) != len(types):
                raise at_line(
                    SqlError(
                        205,
                        "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an "
                        "equal number of "
                        "expressions in their target lists.",
                    ),
                    self.line(node),
                )
            try:
                types = [higher(a, b) for a, b in zip(types, own, strict=True)] if number else own
            except SqlError as error:
                raise at_line(error, self.line(node)) from None
        return [INT if kind.name == "null" else kind for kind in types]

    def _combined(self, compiled: list[Compiled], types: list[SqlType], node: Any) -> list[Output]:
        outputs = []
        for index, kind in enumerate(types):
            binary = {member.outputs[index].value.binary for member in compiled}
            if kind.is_string and len(binary) > 1:
                raise unsupported("a set operation over different collations", self.line(node))
            name = compiled[0].outputs[index].name or f"~{index}"
            outputs.append(Output(name, Typed("", kind, binary=binary.pop())))
        return outputs

    def _all_of(self, members: list[Any], compiled: list[Compiled]) -> str:
        """UNION ALL of the members, as one compound query whose first member gives the names."""
        pieces = []
        for member, found in zip(members, compiled, strict=True):
            plain = isinstance(member, exp.Select) and not any(
                member.args.get(name) is not None for name in ("order", "limit", "offset", "with_")
            )
            pieces.append(found.sql if plain else _wrapped(found.sql))
        return " UNION ALL ".join(pieces)

    def _distinct(
        self, node: Any, alias: str, outputs: list[Output], compiled: list[Compiled]
    ) -> tuple[str, str]:
        """FROM and GROUP BY of UNION, EXCEPT and INTERSECT, which compare strings by their keys."""
        names = f"SELECT NULL AS {', NULL AS '.join(_listed(outputs))} WHERE 0 UNION ALL "
        left, right = _wrapped(compiled[0].sql), _wrapped(compiled[1].sql)

        def sort_columns(table: str) -> list[str]:
            return [
                _qualified(output, table)
                if output.value.type.is_string and not output.value.binary
                else f"{quote(table)}.{quote(output.name)}"
                for output in outputs
            ]

        group = f" GROUP BY {', '.join(sort_columns(alias))}"
        if isinstance(node, exp.Union):
            return f"({names}{left} UNION ALL {right}) AS {quote(alias)}", group
        if not isinstance(node, (exp.Except, exp.Intersect)):
            raise unsupported(type(node).__name__.upper(), self.line(node))
        word = "NOT EXISTS" if isinstance(node, exp.Except) else "EXISTS"
        other = alias + "r"
        pairs = zip(sort_columns(alias), sort_columns(other), strict=True)
        match = " AND ".join(f"{a} IS {b}" for a, b in pairs)
        inner = f"SELECT 1 FROM ({names}{right}) AS {quote(other)} WHERE {match}"
        return f"({names}{left}) AS {quote(alias)} WHERE {word} ({inner})", group

    # SELECT

    def _select(self, node: Any, scope: Scope, want: Wanted) -> Compiled:
        only(node, self.context.line, *_SELECT_ARGS)
        if node.args.get("kind"):
            raise unsupported(f"SELECT {node.args['kind']}", self.line(node))
        self._options(node)
        ex = Expressions(self.context, scope, self)
        from_ = self.from_clause(node, scope, ex)
        where = node.args.get("where")
        where_sql = f" WHERE {_bare(ex.condition(where.this).sql)}" if where is not None else ""
        group_sql = ""
        group = node.args.get("group")
        having = node.args.get("having")
        if group is not None:
            only(group, self.context.line, "expressions")
            grouped = [ex.value(item) for item in group.expressions]
            scope.grouping = {item.sql for item in grouped}
            group_sql = " GROUP BY " + ", ".join(ex.sort_key(item) for item in grouped)
        elif having is not None or self._has_aggregate(node):
            scope.grouping = set()
        scope.aggregates_allowed = True
        outputs, assigns = self._select_list(node, scope, ex, want.assign)
        single = scope.grouping is not None and group is None
        having_sql = ""
        if having is not None:
            having_sql = f" HAVING {_bare(ex.condition(having.this).sql)}"
        final = self._targets([output.value for output in outputs], want, node)
        outputs = [Output(output.name, typed) for output, typed in zip(outputs, final, strict=True)]
        for name, maker in want.extra or ():
            outputs.append(Output(name, maker(ex)))
        if want.key_only and len(outputs) != 1:
            raise at_line(
                SqlError(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not "
                    "introduced with EXISTS.",
                    15,
                    1,
                ),
                self.line(node),
            )
        distinct = node.args.get("distinct")
        if distinct is not None:
            only(distinct, self.context.line)
            if group_sql:
                raise unsupported("DISTINCT together with GROUP BY", self.line(node))
            if self._has_window(node):
                raise unsupported("DISTINCT together with window functions", self.line(node))
            if not single:
                group_sql = " GROUP BY " + ", ".join(
                    ex.sort_key(output.value) if output.value.value is UNKNOWN else "NULL"
                    for output in outputs
                )
        items = self._emit(outputs, want, ex)
        tail = self._order(node, ex, outputs)
        limit = self._limit(node, ex)
        from_sql = f" FROM {from_}" if from_ else ""
        if having_sql and not group_sql:
            # Older SQLite takes HAVING only beside GROUP BY, and a GROUP BY would make no row of no rows.
            return self._having_alone(outputs, items, f"{from_sql}{where_sql}", having_sql, limit)
        sql = f"SELECT {', '.join(items)}{from_sql}{where_sql}{group_sql}{having_sql}{tail}{limit}"
        if limit and node.args.get("limit") is not None:
            count = node.args["limit"].args.get("expression")
            if isinstance(count, exp.Literal) and count.this == "1":
                single = True
        if not from_ and not limit and not where_sql:
            single = True
        if not from_ and tail:
            sql = f"SELECT {', '.join(items)}{where_sql}"
        return Compiled(sql, outputs, single, assigns)

    def _having_alone(
        self, outputs: list[Output], items: list[str], rest: str, having: str, limit: str
    ) -> Compiled:
        names = [quote(f"~{index}") for index in range(len(items))]
        inner = [
            f"{item.rpartition(' AS ')[0] or item} AS {name}" for item, name in zip(items, names, strict=True)
        ]
        condition = having.removeprefix(" HAVING ")
        shown = [
            name + (f" AS {item.rpartition(' AS ')[2]}" if " AS " in item else "")
            for item, name in zip(items, names, strict=True)
        ]
        query = f'SELECT {", ".join(inner)}, {condition} AS "~h"{rest}'
        return Compiled(f'SELECT {", ".join(shown)} FROM ({query}) WHERE "~h"{limit}', outputs, True)

    def _targets(self, values: list[Typed], want: Wanted, node: Any) -> list[Typed]:
        targets, store = want.targets, want.store
        if targets is None:
            return values
        if len(targets) != len(values):
            number, word = (121, "more") if len(values) > len(targets) else (120, "fewer")
            raise at_line(
                SqlError(
                    number,
                    f"The select list for the INSERT statement contains {word} items than the insert "
                    "list. The number of "
                    "SELECT values must match the number of INSERT columns.",
                    15,
                    1,
                ),
                self.line(node),
            )
        try:
            return [
                convert(value, target, store=store[index] if store else None)
                for index, (value, target) in enumerate(zip(values, targets, strict=True))
            ]
        except SqlError as error:
            raise at_line(error, self.line(node)) from None

    def _emit(self, outputs: list[Output], want: Wanted, ex: Expressions) -> list[str]:
        if want.key_only:
            return [ex.sort_key(outputs[0].value)]
        items = []
        for output in outputs:
            name = f" AS {quote(output.name)}" if output.name else ""
            items.append(f"{output.value.sql}{name}")
            if want.keys and has_key_column(output.value):
                items.append(f"{ex.key(output.value)} AS {quote(output.name + '#k')}")
        return items

    def _select_list(
        self, node: Any, scope: Scope, ex: Expressions, assign: bool
    ) -> tuple[list[Output], list[tuple[str, Typed]] | None]:
        outputs: list[Output] = []
        assigns: list[tuple[str, Typed]] = []
        for item in node.expressions:
            if (
                isinstance(item, exp.EQ)
                and isinstance(item.this, exp.Parameter)
                and not isinstance(item.this.this, exp.Parameter)
            ):
                if not assign:
                    raise unsupported("an assignment to a variable in a subquery", self.line(item))
                value = ex.value(item.expression)
                name = f"@{item.this.name}"
                assigns.append((name, value))
                outputs.append(Output(name, value))
                continue
            outputs.extend(self._item(item, scope, ex))
        if assigns and len(assigns) != len(outputs):
            raise at_line(
                SqlError(
                    141,
                    "A SELECT statement that assigns a value to a variable must not be combined with "
                    "data-retrieval operations.",
                    15,
                    1,
                ),
                self.line(node),
            )
        return outputs, assigns or None

    def _item(self, item: Any, scope: Scope, ex: Expressions) -> list[Output]:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            only(item, self.context.line, "this", "table")
            table = item.table.lower() if isinstance(item, exp.Column) else ""
            sources = [source for source in scope.sources if not table or source.alias.lower() == table]
            if not sources:
                raise at_line(
                    SqlError(
                        107 if table else 263,
                        f"The column prefix '{table}' does not match with a table name or alias name used "
                        "in the query."
                        if table
                        else "Must specify table to select from.",
                        15,
                        1,
                    ),
                    self.line(item),
                )
            return [
                Output(
                    column.name,
                    ex.value(
                        exp.column(
                            exp.to_identifier(column.name, quoted=True),
                            table=exp.to_identifier(source.alias, quoted=True),
                        )
                    ),
                )
                for source in sources
                for column in source.columns
            ]
        if isinstance(item, exp.Alias):
            only(item, self.context.line, "this", "alias")
            return [Output(item.alias, ex.value(item.this))]
        if isinstance(item, exp.Aliases):
            raise unsupported("several aliases", self.line(item))
        value = ex.value(item)
        return [Output(value.name if isinstance(_inside(item), exp.Column) else "", value)]

    def _has_aggregate(self, node: Any) -> bool:
        parts = list(node.expressions)
        order = node.args.get("order")
        if order is not None:
            parts.append(order)
        return any(self._contains(part, aggregate=True) for part in parts)

    def _has_window(self, node: Any) -> bool:
        return any(part.find(exp.Window) for part in node.expressions)

    def _contains(self, node: Any, aggregate: bool) -> bool:
        if isinstance(node, (exp.Subquery, exp.Select, exp.SetOperation, exp.Exists)):
            return False
        if isinstance(node, exp.Window):
            inner = node.this
            return any(self._contains(part, aggregate) for part in inner.iter_expressions())
        if is_aggregate(node) or isinstance(node, exp.GroupConcat):
            return True
        return any(self._contains(part, aggregate) for part in node.iter_expressions())

    def _order(self, node: Any, ex: Expressions, outputs: list[Output]) -> str:
        order = node.args.get("order")
        if order is None:
            return ""
        only(order, self.context.line, "expressions")
        items = []
        for item in order.expressions:
            only(item, self.context.line, "this", "desc", "nulls_first")
            value = self._order_value(item.this, ex, outputs)
            if value.value is not UNKNOWN:
                continue
            items.append(ex.sort_key(value) + (" DESC" if item.args.get("desc") else ""))
        return f" ORDER BY {', '.join(items)}" if items else ""

    def _order_value(self, node: Any, ex: Expressions, outputs: list[Output]) -> Typed:
        if isinstance(node, exp.Literal) and not node.is_string:
            number = int(node.this) if node.this.isdigit() else 0
            if not 1 <= number <= len(outputs):
                raise at_line(
                    SqlError(
                        108,
                        f"The ORDER BY position number {node.this} is out of range of the number of items "
                        "in the select list.",
                        15,
                        1,
                    ),
                    self.line(node),
                )
            return outputs[number - 1].value
        if isinstance(node, exp.Column) and not node.table:
            for output in outputs:
                if output.name.lower() == node.name.lower():
                    return output.value
        return ex.value(node)

    def _limit(self, node: Any, ex: Expressions) -> str:
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is None and offset is None:
            return ""
        count = "-1"
        if limit is not None:
            options = limit.args.get("limit_options")
            if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
                raise unsupported("TOP … PERCENT or WITH TIES", self.line(node))
            number = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.args.get("expression")
            count = self._count(ex, number)
        if offset is not None:
            if node.args.get("order") is None:
                raise at_line(SqlError(102, "OFFSET needs an ORDER BY.", 15, 1), self.line(node))
            return f" LIMIT {count} OFFSET {self._count(ex, offset.args['expression'])}"
        return f" LIMIT {count}"

    def count(self, ex: Expressions, node: Any) -> str:
        return self._count(ex, node)

    def _count(self, ex: Expressions, node: Any) -> str:
        while isinstance(node, exp.Paren):
            node = node.this
        e = convert(ex.value(node), BIGINT)
        if isinstance(e.value, int) and e.value >= 0:
            return e.sql
        return f"CASE WHEN {e.sql} >= 0 THEN {e.sql} ELSE chokaq_fail(1060) END"

    def _options(self, node: Any) -> None:
        for option in node.args.get("options") or ():
            name = option.this.name.upper()
            if name not in OPTIONS:
                raise unsupported(f"OPTION ({name})", self.line(option))

    # Subqueries

    def scalar(self, node: Any, scope: Scope, line: int) -> Typed:
        """(SELECT …) as a value: error 512 when it has more than one row."""
        compiled = self.query(node, scope)
        if len(compiled.outputs) != 1:
            raise at_line(
                SqlError(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not "
                    "introduced with EXISTS.",
                    15,
                    1,
                ),
                line,
            )
        value = compiled.outputs[0].value
        if compiled.single_row:
            return Typed(f"({compiled.sql})", value.type, binary=value.binary)
        body = compiled.sql
        sql = (
            f"(SELECT CASE WHEN count(*) > 1 THEN chokaq_fail(512) ELSE max(v) END FROM "
            f"(SELECT * FROM (SELECT NULL AS v WHERE 0 UNION ALL {_wrapped(body)}) LIMIT 2))"
        )
        return Typed(sql, value.type, binary=value.binary)

    def exists(self, node: Any, scope: Scope) -> str:
        if isinstance(node, exp.Subquery):
            node = node.this
        return self.query(node, scope).sql

    def in_query(self, e: Typed, node: Any, ex: Expressions) -> Typed:
        compiled = self.query(node, ex.scope)
        if len(compiled.outputs) != 1:
            raise at_line(
                SqlError(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not "
                    "introduced with EXISTS.",
                    15,
                    1,
                ),
                self.line(node),
            )
        inner = compiled.outputs[0].value
        if e.type.is_string and inner.type.is_string:
            if e.binary or inner.binary:
                return Typed(f"(rtrim({e.sql}, ' ') IN ({compiled.sql}))", BOOLEAN)
            compiled = self.query(node, ex.scope, key_only=True)
            return Typed(f"({ex.key(e)} IN ({compiled.sql}))", BOOLEAN)
        left, right = ex.comparable([e, inner])
        if right is not inner and right.sql != inner.sql:
            compiled = self.query(node, ex.scope, targets=[right.type])
        return Typed(f"({left.sql} IN ({compiled.sql}))", BOOLEAN)

    # FROM

    def from_clause(self, node: Any, scope: Scope, ex: Expressions) -> str:
        """The text of FROM; its sources are put into the scope."""
        from_ = node.args.get("from_")
        if from_ is None:
            return ""
        only(from_, self.context.line, "this")
        first = self.source(from_.this, scope)
        scope.sources.append(first)
        pieces = [first.sql, *(self.join(join, scope, ex) for join in self._joins(node, from_.this))]
        seen: set[str] = set()
        for source in scope.sources:
            low = source.alias.lower()
            if low in seen:
                raise at_line(
                    SqlError(
                        1011,
                        f"The correlation name '{source.alias}' is specified multiple times in a FROM "
                        "clause.",
                        15,
                        1,
                    ),
                    self.line(node),
                )
            seen.add(low)
        return "".join(pieces)

    def _joins(self, node: Any, first: Any) -> list[Any]:
        return [*(first.args.get("joins") or []), *(node.args.get("joins") or [])]

    def join(self, join: Any, scope: Scope, ex: Expressions) -> str:
        only(join, self.context.line, "this", "side", "kind", "on")
        side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
        if isinstance(join.this, exp.Lateral):
            raise unsupported("APPLY", self.line(join))
        source = self.source(join.this, scope)
        on = join.args.get("on")
        if side == "LEFT":
            source.inner = False
            word = " LEFT JOIN "
        elif side == "" and kind in ("INNER", "", "CROSS"):
            word = " JOIN "
        else:
            raise unsupported(f"{side or kind} JOIN", self.line(join))
        if (on is None) != (kind == "CROSS" or (kind == "" and side == "" and on is None)):
            raise at_line(SqlError(102, "Incorrect syntax: a join needs ON.", 15, 1), self.line(join))
        scope.sources.append(source)
        if on is None:
            return word + source.sql
        return f"{word}{source.sql} ON {_bare(ex.condition(on).sql)}"

    def source(self, node: Any, scope: Scope) -> Source:
        """One table, derived table, CTE, OPENJSON or VALUES."""
        kind = type(node)
        if kind is exp.Subquery:
            only(node, self.context.line, "this", "alias")
            return self._derived(node, scope)
        if kind is exp.Values:
            only(node, self.context.line, "expressions", "alias")
            return self._values(node, scope)
        if kind is not exp.Table:
            raise unsupported(f"{kind.__name__.upper()} in FROM", self.line(node))
        inner = node.this
        if isinstance(inner, exp.OpenJSON):
            only(node, self.context.line, "this", "alias", "joins")
            return self.open_json(inner, node.alias or "openjson", scope)
        if isinstance(inner, exp.Anonymous):
            raise unsupported(f"the table function {inner.this}", self.line(node))
        only(node, self.context.line, "this", "db", "alias", "hints", "joins")
        self._hints(node)
        alias_node = node.args.get("alias")
        if alias_node is not None and alias_node.args.get("columns"):
            raise unsupported("column aliases of a table", self.line(node))
        if isinstance(inner, exp.Parameter):
            name = f"@{inner.name}"
            local = self.unit.tables.get(name.lower())
            if local is None:
                raise at_line(
                    SqlError(1087, f'Must declare the table variable "{name}".', 15, 2), self.line(node)
                )
            return self.local_source(local, node.alias or name)
        name, schema = table_word(inner), node.db
        if not schema:
            cte = scope.find_cte(name)
            if cte is not None:
                return derived_source(node.alias or name, cte.outputs, quote(cte.reference))
            if name.startswith("#"):
                temp = self.unit.tables.get(name.lower())
                if temp is not None:
                    return self.local_source(temp, node.alias or name)
                raise invalid_object(name, self.line(node))
        return self.table_source(schema, name, node.alias or name, self.line(node))

    def local_source(self, local: LocalTable, alias: str) -> Source:
        source = table_source(local.table, f"temp.{table_mark(local.slot)}", alias, local.own)
        source.is_variable = True
        source.schema, source.name = "", local.name
        return source

    def table_source(self, schema: str, name: str, alias: str, line: int) -> Source:
        low = schema.lower()
        if low in ("sys", "information_schema"):
            view = self.unit.system.get(f"{low}.{name.lower()}")
            if view is None:
                raise at_line(unsupported(f"the view {schema}.{name}", line), line)
            self.context.views.add(f"{low}.{name.lower()}")
            return table_source(view, f"temp.{quote(f'{low}.{name.lower()}')}", alias)
        table = self.unit.catalog.table(schema, name)
        if table is None:
            raise invalid_object(f"{schema}.{name}" if schema else name, line)
        self.unit.depend("table", table)
        self.context.reads_tables = True
        return table_source(table, f"main.{table_name(table.schema, table.name)}", alias)

    def _hints(self, node: Any) -> None:
        for group in node.args.get("hints") or ():
            for hint in group.expressions:
                if isinstance(hint, exp.Anonymous) and str(hint.this).upper() == "INDEX":
                    self._index_hint(node, hint)
                    continue
                self.hint(
                    hint.name.upper() if hasattr(hint, "name") and hint.name else str(hint.this).upper(),
                    self.line(node),
                )

    def hint(self, name: str, line: int) -> None:
        if name not in HINTS:
            raise unsupported(f"the table hint {name}", line)
        if name in LOCKING:
            self.context.locks = True

    def _index_hint(self, node: Any, hint: Any) -> None:
        """INDEX (name): the index must be there; SQLite chooses by itself."""
        table = self.unit.catalog.table(node.db, node.this.name)
        for item in hint.expressions:
            if table is None or table.index(item.name) is None:
                raise at_line(
                    SqlError(
                        308,
                        f"Index '{item.name}' on table '{node.this.name}' (specified in the FROM clause) "
                        "does not exist.",
                    ),
                    self.line(node),
                )

    def _derived(self, node: Any, scope: Scope) -> Source:
        alias = node.alias
        if not alias:
            raise at_line(
                SqlError(102, "Incorrect syntax: a derived table needs an alias.", 15, 1), self.line(node)
            )
        # A derived table does not see its neighbours, only what is around the whole query.
        inner = Scope(scope.parent)
        inner.ctes = scope.ctes
        compiled = self.query(node.this, inner, keys=True)
        columns = [column.name for column in node.args["alias"].args.get("columns") or []]
        outputs = self._renamed(compiled.outputs, columns, alias, self.line(node))
        if columns:
            listed = ", ".join(_listed(outputs))
            return derived_source(
                alias, outputs, f"(SELECT {listed.replace(', ', ', ')} FROM ({_named(compiled, outputs)}))"
            )
        return derived_source(alias, outputs, f"({compiled.sql})")

    def _values(self, node: Any, scope: Scope) -> Source:
        alias = node.alias
        columns = (
            [column.name for column in node.args["alias"].args.get("columns") or []]
            if node.args.get("alias")
            else []
        )
        if not alias or not columns:
            raise at_line(
                SqlError(102, "Incorrect syntax: VALUES in FROM needs an alias with column names.", 15, 1),
                self.line(node),
            )
        inner = Scope(scope.parent)
        ex = Expressions(self.context, inner, self)
        rows = [[ex.value(item) for item in row.expressions] for row in node.expressions]
        if any(len(row) != len(columns) for row in rows):
            raise at_line(
                SqlError(
                    10709, "The number of columns for each row in a table value constructor must be the same."
                ),
                self.line(node),
            )
        kinds = [ex.common_type([row[index] for row in rows]) for index in range(len(columns))]
        rows = [[convert(item, kind) for item, kind in zip(row, kinds, strict=True)] for row in rows]
        outputs = [Output(name, Typed("", kind)) for name, kind in zip(columns, kinds, strict=True)]
        listed = _listed(outputs)
        selects = []
        for row in rows:
            cells = []
            for item in row:
                cells.append(item.sql)
                if has_key_column(item):
                    cells.append(ex.key(item))
            selects.append(f"SELECT {', '.join(cells)}")
        body = " UNION ALL ".join([f"SELECT NULL AS {', NULL AS '.join(listed)} WHERE 0", *selects])
        return derived_source(alias, outputs, f"({body})")

    # OPENJSON

    def open_json(self, node: Any, alias: str, scope: Scope) -> Source:
        only(node, self.context.line, "this", "path", "expressions")
        # The argument sees what is around the query, not its neighbours in FROM (that would be APPLY).
        ex = Expressions(self.context, Scope(scope.parent), self)
        text = ex.value(node.this)
        if not text.type.is_string:
            text = convert(text, NVARCHAR_MAX)
        path = "$"
        path_node = node.args.get("path")
        if path_node:
            given = ex.value(path_node)
            if not isinstance(given.value, str):
                raise unsupported("OPENJSON with a path that is not a constant", self.line(node))
            path = given.value
        columns = self._json_columns(node)
        if text.node is not None:
            return self._loaded_json(text, path, columns, alias)
        if columns is not None or path != "$":
            raise unsupported("OPENJSON … WITH over a column", self.line(node))
        return self._correlated_json(text, alias)

    def _json_columns(self, node: Any) -> list[JsonColumn] | None:
        if not node.expressions:
            return None
        columns = []
        for definition in node.expressions:
            only(definition, self.context.line, "this", "kind", "path", "as_json")
            name = definition.this.name
            kind = sql_type(definition.args["kind"], self.context.line, cast=False)
            path_node = definition.args.get("path")
            if isinstance(path_node, exp.Expression):
                path = str(path_node.this)
            else:
                path = str(path_node) if path_node else ""
            as_json = bool(definition.args.get("as_json"))
            try:
                columns.append(JsonColumn(name, kind, path, as_json))
            except SqlError as error:
                raise at_line(error, self.line(node)) from None
        return columns

    def _loaded_json(self, text: Typed, path: str, columns: list[JsonColumn] | None, alias: str) -> Source:
        """The rows are made in Python and put into a temporary table before the statement runs."""
        if columns is None:
            shape = [
                SourceColumn("key", "", SqlType("nvarchar", 4000), binary=True),
                SourceColumn("value", "", NVARCHAR_MAX),
                SourceColumn("type", "", SqlType("tinyint")),
            ]
            # Plain variables share a table, so that a text that goes from procedure to procedure is read
            # once; what
            # is made of it has another table and does not push it out.
            plain = isinstance(text.node, scalars.Variable)
            digest = "" if plain else hashlib.sha256(repr(text.node).encode()).hexdigest()[:8]
            count = sum(load.name.startswith(f"openjson#{digest}-") for load in self.context.loads)
            name = f"openjson#{digest}-{count}"
        else:
            shape = [SourceColumn(column.name, "", column.type) for column in columns]
            digest = hashlib.sha256(repr(columns).encode()).hexdigest()[:12]
            count = sum(load.name.startswith(f"openjson#{digest}") for load in self.context.loads)
            name = f"openjson#{digest}#{count}"
        table = Table(
            "",
            name,
            0,
            [
                Column(column.name, column.type, True, index + 1, binary=column.binary)
                for index, column in enumerate(shape)
            ],
        )
        self.context.loads.append(ir.JsonLoad(name, must(text.node), path, columns, table))
        return table_source(table, f"temp.{quote(name)}", alias, columns is not None)

    def _correlated_json(self, text: Typed, alias: str) -> Source:
        """SQLite's own json_each; numbers with a fraction and fragments are taken from the text as
        written.
        """
        t = text.sql
        guard = (
            f"CASE WHEN substr(ltrim({t}, ' ' || char(9, 10, 13)), 1, 1) IN ('{{', '[') THEN {t} "
            f"WHEN {t} IS NULL THEN NULL ELSE chokaq_fail(13609) END"
        )
        body = (
            "SELECT CAST(key AS TEXT) AS \"key\", CASE type WHEN 'text' THEN "
            # SQLite stops at \u0000 and takes half of a surrogate pair as it is.
            f"CASE WHEN instr({t}, '\\u') THEN chokaq_json_text({t}, key) ELSE value END WHEN 'integer' "
            "THEN CAST(value AS TEXT) "
            "WHEN 'null' THEN NULL WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' "
            # A number with a fraction as it is written: SQLite's own text of it, where that stands there.
            f"WHEN 'real' THEN CASE WHEN instr({t}, '\"' || key || '\": ' || value || ',') OR instr({t}, "
            f"'\"' || key || '\": ' || value || '}}') OR instr({t}, '\"' || key || '\":' || value || ',') "
            f"OR instr({t}, '\"' || key || '\":' || value || '}}') THEN CAST(value AS TEXT) ELSE "
            f"chokaq_json_child({t}, key) END "
            f"ELSE chokaq_json_child({t}, key) END AS \"value\", CASE type WHEN 'text' THEN 1 WHEN "
            "'integer' THEN 2 WHEN 'real' THEN 2 "
            "WHEN 'null' THEN 0 WHEN 'true' THEN 3 WHEN 'false' THEN 3 WHEN 'array' THEN 4 ELSE 5 END AS "
            '"type" '
            f"FROM json_each({guard}) LIMIT -1"
        )
        prefix = quote(alias)
        columns = [
            SourceColumn("key", f'{prefix}."key"', SqlType("nvarchar", 4000), binary=True),
            SourceColumn("value", f'{prefix}."value"', NVARCHAR_MAX, key_expression(f'{prefix}."value"')),
            SourceColumn("type", f'{prefix}."type"', SqlType("tinyint")),
        ]
        return Source(alias, columns, f"({body}) AS {prefix}")


def is_keyed(kind: SqlType) -> bool:
    return kind.is_string and not kind.is_max


def has_key_column(e: Typed) -> bool:
    """Whether a derived table carries the key of this column along."""
    return e.type.is_string and not e.type.is_max and not e.binary


def _listed(outputs: list[Output]) -> list[str]:
    listed = []
    for output in outputs:
        listed.append(quote(output.name))
        if has_key_column(output.value):
            listed.append(quote(output.name + "#k"))
    return listed


def _qualified(output: Output, alias: str) -> str:
    if has_key_column(output.value):
        return f"{quote(alias)}.{quote(output.name + '#k')}"
    return key_expression(f"{quote(alias)}.{quote(output.name)}")


def derived_source(alias: str, outputs: list[Output], sql: str) -> Source:
    """A derived table or CTE; its string columns bring their keys along."""
    prefix = quote(alias) + "."
    columns = []
    for output in outputs:
        column = prefix + quote(output.name)
        key = ""
        if output.value.type.is_string and not output.value.binary:
            key = (
                prefix + quote(output.name + "#k") if has_key_column(output.value) else key_expression(column)
            )
        columns.append(SourceColumn(output.name, column, output.value.type, key, output.value.binary))
    return Source(alias, columns, f"{sql} AS {quote(alias)}")


def _named(compiled: Compiled, outputs: list[Output]) -> str:
    """The query with other column names (through an empty first member that gives the names)."""
    listed = _listed(outputs)
    return f"SELECT NULL AS {', NULL AS '.join(listed)} WHERE 0 UNION ALL {_wrapped(compiled.sql)}"


def _wrapped(sql: str) -> str:
    """A member of a set operation; one with ORDER BY or LIMIT must be a subquery."""
    return f"SELECT * FROM ({sql})"


def _inside(node: Any) -> Any:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _bare(sql: str) -> str:
    return sql
