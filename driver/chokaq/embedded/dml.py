"""Compilation of SELECT, INSERT, UPDATE and DELETE: one SQLite statement each, wherever that is possible."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from . import ir, tree
from . import syntax as s
from .catalog import Column, Table
from .conversions import constant, convert
from .expressions import Expressions
from .naming import quote
from .problems import SqlError, at_line, invalid_column, invalid_object, must, unsupported
from .query import Output, QueryCompiler
from .scope import Context, Scope, Source, SourceColumn, Typed, Unit, table_mark, table_source
from .semijoin import as_join
from .sqltypes import SqlType
from .tree import exp

_MARK = re.compile("\x01(\\d+)\x01")


def finish(context: Context, sql: str) -> ir.Sql:
    """Turn the marks of values into ``?`` and their slots."""
    params: list[int] = []

    def put(found: re.Match[str]) -> str:
        params.append(int(found[1]))
        return "?"

    for load in context.loads:
        if load.columns is None:
            continue
        bits = ""
        for column in load.table.columns:
            column.keyed = column.type.is_string and f"{quote(column.name + '#k')}" in sql
            bits += str(int(column.keyed))
        name = f"{load.name}#{int(bits, 2):x}"
        sql = sql.replace(quote(load.name), quote(name))
        load.name = load.table.name = name
    text = _MARK.sub(put, sql)
    context.unit.texts.append(text)
    used = set(params)
    specials = [(slot, name) for name, slot in context.specials.items() if slot in used]
    computed = [(slot, node) for slot, node in context.computed if slot in used]
    return ir.Sql(
        text, tuple(params), context.loads, specials, computed, sorted(context.views), "\x02" in text
    )


class DataCompiler:
    """Compiles the data statements of one unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def start(self, line: int, texts: list[s.Text | None]) -> tuple[Context, QueryCompiler]:
        first = min([text.line for text in texts if text is not None] or [line])
        context = Context(self.unit, first)
        return context, QueryCompiler(context)

    # SELECT

    def select(self, statement: s.Select) -> ir.Statement:
        context, queries = self.start(statement.line, [statement.query])
        node = tree.query(statement.query)
        compiled = queries.query(node, None, assign=True)
        if compiled.assigns is not None:
            return self._assign(statement, context, queries, node)
        if statement.into is not None:
            raise unsupported("SELECT … INTO", statement.line)
        for output in compiled.outputs:
            if output.value.type.name == "null":
                output.value.type = SqlType("int")
        return ir.Query(
            statement.line,
            finish(context, compiled.sql),
            [output.name for output in compiled.outputs],
            [output.value.type for output in compiled.outputs],
            context.reads_tables,
            context.locks,
        )

    def _assign(
        self, statement: s.Select, context: Context, queries: QueryCompiler, node: Any
    ) -> ir.Statement:
        if statement.into is not None:
            raise unsupported("SELECT @variable … INTO", statement.line)
        locals_ = []
        carried = ""
        for item in node.expressions:
            name = f"@{item.this.name}"
            local = self.unit.local(name, tree.line_of(item, context.line))
            locals_.append(local)
            if node.args.get("from_") is not None:
                for parameter in item.expression.find_all(exp.Parameter):
                    if (
                        f"@{parameter.name}".lower() == name.lower()
                        and not isinstance(parameter.parent, exp.Parameter)
                        and not isinstance(parameter.this, exp.Parameter)
                    ):
                        carried = name
        context, queries = self.start(statement.line, [statement.query])
        compiled = queries.query(node, None, targets=[local.type for local in locals_], assign=True)
        if node.args.get("from_") is None and node.args.get("where") is None and len(compiled.outputs) == 1:
            value = compiled.outputs[0].value
            if value.node is not None:
                return ir.Block(statement.line, [ir.Assign(statement.line, locals_[0].slot, value.node)])
        return ir.AssignQuery(
            statement.line,
            finish(context, compiled.sql),
            [local.slot for local in locals_],
            context.reads_tables,
            context.locks,
            carried,
        )

    # Targets

    def target(self, name: s.ObjectName) -> tuple[Table, int, str]:
        """(table, frame slot or -1, SQLite reference) of what a statement writes."""
        if name.name.startswith(("@", "#")) and not name.schema:
            local = self.unit.tables.get(name.name.lower())
            if local is None:
                if name.name.startswith("@"):
                    raise at_line(
                        SqlError(1087, f'Must declare the table variable "{name.name}".', 15, 2), name.line
                    )
                raise invalid_object(name.name, name.line)
            if local.readonly:
                raise at_line(
                    SqlError(
                        10700,
                        f'The table-valued parameter "{name.name}" is READONLY and cannot be modified.',
                        16,
                        1,
                    ),
                    name.line,
                )
            return local.table, local.slot, f"temp.{table_mark(local.slot)}"
        table = self.unit.catalog.table(name.schema, name.name)
        if table is None:
            raise invalid_object(str(name), name.line)
        self.unit.depend("table", table)
        return table, -1, f"main.{quote(table.full_name)}"

    def _hints(self, queries: QueryCompiler, hints: list[str], line: int) -> None:
        for hint in hints:
            queries.hint(hint, line)

    # INSERT

    def insert(self, statement: s.Insert) -> ir.Statement:
        line = statement.line
        if statement.top is not None:
            raise unsupported("INSERT TOP", line)
        if statement.ctes is not None and statement.source is not None:
            statement = _with_ctes(statement)
        table, slot, reference = self.target(statement.target)
        context, queries = self.start(line, [statement.source])
        self._hints(queries, statement.hints, line)
        columns = self._insert_columns(table, statement.columns, line)
        identity = table.identity
        explicit_identity = identity is not None and identity in columns
        defaults = [c for c in table.columns if c not in columns and not c.computed and c.default is not None]
        if statement.execute is not None:
            into = self._into(table, slot, reference, columns, line)
            execute = self.unit_compiler.execute(statement.execute)
            return ir.InsertExecute(line, into, [c.type for c in columns], execute)
        extra = [(c.name, self._default_maker(table, c)) for c in defaults]
        names = ", ".join(quote(c.name) for c in (*columns, *defaults))
        if statement.source is None:
            cells = [
                self._default_maker(table, c)(Expressions(context, Scope(), queries)).sql for c in defaults
            ]
            body = f"({names}) VALUES ({', '.join(cells)})" if cells else "DEFAULT VALUES"
            sql = f"INSERT INTO {reference} {body}"
        elif statement.source.text.lstrip()[:6].upper() == "VALUES":
            rows = self._value_rows(table, statement.source, queries, columns, extra)
            sql = f"INSERT INTO {reference} ({names}) {rows}"
        else:
            node = tree.query(statement.source)
            compiled = queries.query(
                node,
                None,
                targets=[c.type for c in columns],
                store=[_place(table, c) for c in columns],
                extra=extra,
            )
            sql = f"INSERT INTO {reference} ({names}) {compiled.sql}"
        if explicit_identity and identity is not None:
            self._check_identity(table, line)
        return self._store(
            "INSERT",
            line,
            queries,
            sql,
            ir.Target(table, slot),
            output=statement.output,
            identity=identity is not None,
        )

    def _check_identity(self, table: Table, line: int) -> None:
        if self.unit_compiler.identity_insert != table.full_name.lower():
            raise at_line(
                SqlError(
                    544,
                    f"Cannot insert explicit value for identity column in table '{table.name}' when "
                    "IDENTITY_INSERT is set to OFF.",
                ),
                line,
            )

    def _insert_columns(self, table: Table, names: list[str], line: int) -> list[Column]:
        if not names:
            return [c for c in table.columns if not c.identity and not c.computed]
        columns = []
        for name in names:
            column = table.column(name)
            if column is None:
                raise invalid_column(name, line)
            if column.computed:
                raise at_line(
                    SqlError(
                        271,
                        f'The column "{name}" cannot be modified because it is either a computed column '
                        "or is the result of a UNION operator.",
                    ),
                    line,
                )
            if column in columns:
                raise at_line(
                    SqlError(
                        264,
                        f"The column name '{name}' is specified more than once in the SET clause or "
                        "column list of an INSERT.",
                    ),
                    line,
                )
            columns.append(column)
        return columns

    def _default_maker(self, table: Table, column: Column) -> Any:
        def make(ex: Expressions) -> Typed:
            text = must(column.default).text
            node = tree.values([s.Text(text, ex.context.line)]).expressions[0]
            inner = Expressions(ex.context, Scope(), ex.queries)
            return convert(inner.value(node), column.type, store=_place(table, column))

        return make

    def _value_rows(
        self,
        table: Table,
        source: s.Text,
        queries: QueryCompiler,
        columns: list[Column],
        extra: list[tuple[str, Any]],
    ) -> str:
        node = tree.query(s.Text(f"SELECT * FROM ({source.text}) AS [v] ([x])", source.line))
        values = node.args["from_"].this
        if not isinstance(values, exp.Values):
            values = values.this
        ex = Expressions(queries.context, Scope(), queries)
        rows = []
        for row in values.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            if len(cells) != len(columns):
                number, word = (110, "fewer") if len(cells) > len(columns) else (109, "more")
                raise at_line(
                    SqlError(
                        number,
                        f"There are {word} columns in the INSERT statement than values specified in the "
                        "VALUES clause. The number of "
                        "values in the VALUES clause must match the number of columns specified in the "
                        "INSERT statement.",
                        15,
                        1,
                    ),
                    tree.line_of(row, queries.context.line),
                )
            sqls = []
            for cell, column in zip(cells, columns, strict=True):
                if _is_default(cell):
                    typed = (
                        self._default_maker(table, column)(ex)
                        if column.default
                        else constant(None, column.type)
                    )
                else:
                    try:
                        typed = convert(ex.value(cell), column.type, store=_place(table, column))
                    except SqlError as error:
                        raise at_line(error, tree.line_of(cell, queries.context.line)) from None
                sqls.append(typed.sql)
            sqls += [maker(ex).sql for _, maker in extra]
            rows.append(f"({', '.join(sqls)})")
        return f"VALUES {', '.join(rows)}"

    def _into(self, table: Table, slot: int, reference: str, columns: list[Column], line: int) -> ir.Into:
        """An INSERT of rows made in Python, defaults of the other columns included."""
        context, queries = self.start(line, [])
        ex = Expressions(context, Scope(), queries)
        defaults = [c for c in table.columns if c not in columns and not c.computed and c.default is not None]
        cells = ["?"] * len(columns)
        cells += [self._default_maker(table, c)(ex).sql for c in defaults]
        names = ", ".join(quote(c.name) for c in (*columns, *defaults))
        sql = finish(context, f"INSERT INTO {reference} ({names}) VALUES ({', '.join(cells)})")
        return ir.Into(sql, ir.Target(table, slot))

    def _store(
        self,
        verb: str,
        line: int,
        queries: QueryCompiler,
        sql: str,
        target: ir.Target,
        *,
        output: s.Output | None,
        identity: bool = False,
    ) -> ir.Statement:
        context, table = queries.context, target.table
        if output is None:
            return ir.Store(
                line,
                verb,
                finish(context, sql),
                target,
                context.reads_tables,
                context.locks,
                identity=identity,
            )
        items, outputs = self._output(verb, table, output, context, queries)
        into = None
        names = types = None
        if output.into is not None:
            into_table, into_slot, into_reference = self.target(output.into)
            columns = self._insert_columns(into_table, output.columns, output.line)
            if len(columns) != len(outputs):
                raise at_line(
                    SqlError(
                        120 if len(columns) > len(outputs) else 121,
                        "The number of OUTPUT columns must match the number of INSERT columns.",
                        15,
                        1,
                    ),
                    output.line,
                )
            items = []
            try:
                for found, column in zip(outputs, columns, strict=True):
                    items.append(convert(found.value, column.type, store=_place(into_table, column)).sql)
            except SqlError as error:
                raise at_line(error, output.line) from None
            into = self._into(into_table, into_slot, into_reference, columns, output.line)
        else:
            names = [found.name for found in outputs]
            types = [found.value.type for found in outputs]
        return ir.Store(
            line,
            verb,
            finish(context, f"{sql} RETURNING {', '.join(items)}"),
            target,
            context.reads_tables,
            context.locks,
            into,
            names,
            types,
            identity,
        )

    def _output(
        self, verb: str, table: Table, output: s.Output, context: Context, queries: QueryCompiler
    ) -> tuple[list[str], list[Output]]:
        alias = "deleted" if verb == "DELETE" else "inserted"
        scope = Scope()
        columns = [SourceColumn(c.name, quote(c.name), c.type, "", c.binary) for c in table.columns]
        scope.sources.append(Source(alias, columns))
        node = tree.query(s.Text(f"SELECT {output.items.text}", output.items.line))
        tree.only(node, output.line, "expressions")
        base, context.line = context.line, output.items.line
        ex = Expressions(context, scope, queries)
        outputs: list[Output] = []
        try:
            for item in node.expressions:
                for column in item.find_all(exp.Column):
                    prefix = column.table.lower()
                    if prefix not in ("inserted", "deleted"):
                        raise unsupported(
                            f"OUTPUT of {column.sql('tsql')} (only inserted. and deleted. columns)",
                            output.line,
                        )
                    if prefix != alias:
                        raise unsupported(f"{prefix}. in the OUTPUT of {verb}", output.line)
                outputs.extend(queries._item(item, scope, ex))
        finally:
            context.line = base
        return [f"{found.value.sql} AS {quote(found.name or 'c')}" for found in outputs], outputs

    # UPDATE and DELETE

    def update(self, statement: s.Update) -> ir.Statement:
        line = statement.line
        texts = [assignment.value for assignment in statement.assignments]
        node = tree.values(texts, statement.rest, statement.ctes)
        first = min(
            [text.line for text in texts]
            + ([statement.rest.line] if statement.rest else [])
            + ([statement.ctes.line] if statement.ctes else [])
        )
        context = Context(self.unit, first)
        queries = QueryCompiler(context)
        self._hints(queries, statement.hints, line)
        tree.only(node, first, "expressions", "from_", "joins", "where", "options", "with_")
        queries._options(node)
        if statement.top is None:
            as_join(node, statement.target)
        scope = Scope()
        prefix = queries._ctes(node, scope)
        ex = Expressions(context, scope, queries)
        sources = self._dml_sources(statement.target, node, scope, queries, ex)
        table, slot, reference, source = sources.table, sources.slot, sources.reference, sources.source
        sets: list[tuple[Column, Typed]] = []
        for assignment, value in zip(statement.assignments, node.expressions, strict=True):
            column = table.column(assignment.column)
            if column is None:
                raise invalid_column(assignment.column, assignment.line)
            if column.identity or column.computed:
                raise at_line(
                    SqlError(8102, f"Cannot update identity column '{column.name}'."), assignment.line
                )
            if any(column is other for other, _ in sets):
                raise at_line(
                    SqlError(
                        264,
                        f"The column name '{column.name}' is specified more than once in the SET clause "
                        "or column list of an INSERT.",
                    ),
                    assignment.line,
                )
            if _is_default(value):
                typed = (
                    self._default_maker(table, column)(ex) if column.default else constant(None, column.type)
                )
            else:
                try:
                    typed = convert(ex.value(value), column.type, store=_place(table, column))
                except SqlError as error:
                    raise at_line(error, assignment.line) from None
            sets.append((column, typed))
        where = node.args.get("where")
        conditions = list(sources.conditions)
        if where is not None:
            conditions.append(ex.condition(where.this).sql)
        if statement.top is not None:
            if sources.joined:
                raise unsupported("UPDATE TOP with FROM", line)
            count = queries.count(ex, tree.values([statement.top]).expressions[0])
            inner = f" WHERE {' AND '.join(conditions)}" if conditions else ""
            conditions = [
                f"rowid IN (SELECT rowid FROM {reference} AS {quote(source.alias)}{inner} LIMIT {count})"
            ]
        if sources.general:
            values = ", ".join(
                f"{typed.sql} AS {quote(f'v{index}')}" for index, (_, typed) in enumerate(sets)
            )
            inner = f" WHERE {' AND '.join(conditions)}" if conditions else ""
            assigned = ", ".join(
                f'{quote(column.name)} = "~s".{quote(f"v{index}")}' for index, (column, _) in enumerate(sets)
            )
            sql = (
                f'UPDATE {reference} AS "~t" SET {assigned} FROM (SELECT {quote(source.alias)}.rowid AS '
                f'"~r", {values} '
                f'FROM {sources.text}{inner}) AS "~s" WHERE "~t".rowid = "~s"."~r"'
            )
        else:
            assigned = ", ".join(f"{quote(column.name)} = {typed.sql}" for column, typed in sets)
            sql = f"UPDATE {reference} AS {quote(source.alias)} SET {assigned}"
            if sources.joined:
                sql += f" FROM {sources.text}"
            if conditions:
                sql += f" WHERE {' AND '.join(conditions)}"
        if prefix:
            sql = f"{prefix} {sql}"
        return self._store("UPDATE", line, queries, sql, ir.Target(table, slot), output=statement.output)

    def delete(self, statement: s.Delete) -> ir.Statement:
        line = statement.line
        lines = [text.line for text in (statement.rest, statement.ctes) if text is not None]
        first = min([line, *lines])
        node = tree.values([s.Text("1", first)], statement.rest, statement.ctes)
        context = Context(self.unit, first)
        queries = QueryCompiler(context)
        self._hints(queries, statement.hints, line)
        tree.only(node, first, "expressions", "from_", "joins", "where", "options", "with_")
        queries._options(node)
        as_join(node, statement.target)
        scope = Scope()
        prefix = queries._ctes(node, scope)
        ex = Expressions(context, scope, queries)
        sources = self._dml_sources(statement.target, node, scope, queries, ex, delete=True)
        table, slot, reference, source = sources.table, sources.slot, sources.reference, sources.source
        where = node.args.get("where")
        conditions = list(sources.conditions)
        if where is not None:
            conditions.append(ex.condition(where.this).sql)
        limit = ""
        if statement.top is not None:
            limit = f" LIMIT {queries.count(ex, tree.values([statement.top]).expressions[0])}"
        filtered = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if sources.joined:
            rows = f"SELECT {quote(source.alias)}.rowid FROM {sources.text}{filtered}{limit}"
            sql = f"DELETE FROM {reference} WHERE rowid IN ({rows})"
        elif limit:
            rows = f"SELECT rowid FROM {reference} AS {quote(source.alias)}{filtered}{limit}"
            sql = f"DELETE FROM {reference} WHERE rowid IN ({rows})"
        else:
            sql = f"DELETE FROM {reference} AS {quote(source.alias)}{filtered}"
        if prefix:
            sql = f"{prefix} {sql}"
        return self._store("DELETE", line, queries, sql, ir.Target(table, slot), output=statement.output)

    def _dml_sources(
        self,
        name: s.ObjectName,
        node: Any,
        scope: Scope,
        queries: QueryCompiler,
        ex: Expressions,
        *,
        delete: bool = False,
    ) -> _Sources:
        from_ = node.args.get("from_")
        if from_ is None:
            if not name.schema and scope.find_cte(name.name) is not None:
                raise unsupported("an updatable CTE", name.line)
            table, slot, reference = self.target(name)
            source = self._source(table, reference, name)
            scope.sources.append(source)
            return _Sources(table, slot, reference, source)
        items = [from_.this, *(join.this for join in queries._joins(node, from_.this))]
        position, named = self._find_target(name, items)
        node_ = items[position] if position >= 0 else None
        if node_ is not None:
            inner = node_.this
            if isinstance(inner, exp.Parameter):
                full = s.ObjectName("", f"@{inner.name}", name.line)
            elif isinstance(inner, exp.Identifier):
                if not node_.db and scope.find_cte(inner.name) is not None:
                    raise unsupported("an updatable CTE", name.line)
                full = s.ObjectName(node_.db, tree.table_word(inner), name.line)
            else:
                raise unsupported(f"{named} as the target of a statement", name.line)
            table, slot, reference = self.target(full)
        else:
            table, slot, reference = self.target(name)
            raise unsupported(f"a target ({name}) that is not in FROM", name.line)
        joins = queries._joins(node, from_.this)
        plain = all((join.args.get("side") or "") == "" for join in joins)
        if delete or not plain:
            text = queries.from_clause(node, scope, ex)
            source = scope.sources[position]
            return _Sources(
                table, slot, reference, source, text, [], joined=len(items) > 1, general=len(items) > 1
            )
        conditions = []
        pieces = []
        first = queries.source(from_.this, scope)
        scope.sources.append(first)
        if position != 0:
            pieces.append(first.sql)
        for index, join in enumerate(joins, 1):
            sql = queries.join(join, scope, ex)
            source_ = scope.sources[-1]
            if index != position:
                pieces.append(source_.sql)
            _, _, on = sql.partition(f"{source_.sql} ON ")
            if on:
                conditions.append(on)
        source = scope.sources[position]
        return _Sources(table, slot, reference, source, ", ".join(pieces), conditions, joined=bool(pieces))

    def _source(self, table: Table, reference: str, name: s.ObjectName) -> Source:
        local = self.unit.tables.get(name.name.lower()) if not name.schema else None
        source = table_source(table, reference, name.name, local is not None and local.own)
        source.schema = table.schema if not name.name.startswith(("@", "#")) else ""
        return source

    def _find_target(self, name: s.ObjectName, items: list[Any]) -> tuple[int, str]:
        low = name.name.lower()
        if not name.schema:
            for index, item in enumerate(items):
                if (item.alias or "").lower() == low:
                    return index, name.name
        found = []
        for index, item in enumerate(items):
            if not isinstance(item, exp.Table):
                continue
            inner = item.this
            own = ""
            if isinstance(inner, exp.Parameter):
                own = f"@{inner.name}"
            elif isinstance(inner, exp.Identifier):
                own = tree.table_word(inner)
            if own.lower() == low and (item.db or "dbo").lower() == (name.schema or "dbo").lower():
                found.append(index)
        if len(found) > 1:
            raise at_line(SqlError(8154, f"The table '{name}' is ambiguous.", 16, 1), name.line)
        return (found[0], name.name) if found else (-1, name.name)

    unit_compiler: Any = None


@dataclass(slots=True)
class _Sources:
    """What a DML statement reads besides its target. ``general``: through a join on rowid."""

    table: Table
    slot: int
    reference: str
    source: Source
    text: str = ""
    conditions: list[str] = field(default_factory=list)
    joined: bool = False
    general: bool = False


def _with_ctes(statement: s.Insert) -> s.Insert:
    """The CTEs before INSERT belong to its query."""
    ctes, source = must(statement.ctes), must(statement.source)
    gap = "\n" * max(1, source.line - ctes.line - ctes.text.count("\n"))
    text = s.Text(f"{ctes.text}{gap}{source.text}", ctes.line)
    return s.Insert(
        statement.line,
        statement.target,
        statement.hints,
        statement.columns,
        statement.output,
        text,
        statement.execute,
        None,
        statement.top,
    )


def _place(table: Table, column: Column) -> tuple[str, str]:
    """Table and column as error 2628 names them."""
    return (f"{table.schema}.{table.name}" if table.schema else table.name), column.name


def _is_default(node: Any) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return (isinstance(node, exp.Var) and node.name.upper() == "DEFAULT") or (
        isinstance(node, exp.Column)
        and not node.table
        and not node.this.quoted
        and node.name.upper() == "DEFAULT"
    )
