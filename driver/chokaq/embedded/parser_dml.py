"""Statement parser, second part: SELECT, INSERT, UPDATE, DELETE, TRUNCATE and EXECUTE.

It takes the outer clauses apart (target, hints, OUTPUT … INTO, SET); queries and expressions stay text.
"""

from __future__ import annotations

from . import syntax as s
from .lexer import NAME, STRING, VARIABLE, WORD
from .parser_base import ParserBase
from .problems import unsupported


class DataParser(ParserBase):
    """Statements that read and write rows, and EXECUTE."""

    def select(self, line: int) -> s.Statement:
        return self._select(line, self.position)

    def _select(self, line: int, begin: int) -> s.Statement:
        """The rest of a query that begins at token ``begin``; takes ``INTO target`` out of it."""
        into = None
        pieces: list[str] = []
        start = self.tokens[begin].start
        first_line = self.tokens[begin].line
        head = self.text_until("INTO")
        end = self.peek(-1).end
        if self.at("INTO"):
            self.next()
            into = self.target_name()
            pieces.append(self.source[start:end])
            pieces.append("\n" * (self.peek().line - first_line - self.source[start:end].count("\n")))
            start = self.peek().start
            end = start
            if not self.statement_ends():
                self.text_to_end()
                end = self.peek(-1).end
        del head
        pieces.append(self.source[start:end])
        return s.Select(line, s.Text(" ".join(pieces), first_line), into)

    def with_statement(self, line: int) -> s.Statement:
        begin = self.position
        start = self.peek().start
        self.next()
        while True:
            self.name()
            if self.at("("):
                self.name_list()
            self.expect("AS")
            self.parenthesized()
            if not self.accept(","):
                break
        ctes = s.Text(self.source[start : self.peek(-1).end], line)
        if self.at("SELECT"):
            return self._select(line, begin)
        if self.at("INSERT"):
            insert = self.insert(line)
            insert.ctes = ctes
            return insert
        if self.at("UPDATE"):
            update = self.update(line)
            update.ctes = ctes
            return update
        if self.at("DELETE"):
            delete = self.delete(line)
            delete.ctes = ctes
            return delete
        if self.at("MERGE"):
            raise unsupported("MERGE", line)
        raise self.near(self.peek())

    def _top(self) -> s.Text | None:
        if not self.accept("TOP"):
            return None
        line = self.peek().line
        text = self.parenthesized()
        if self.at("PERCENT"):
            raise unsupported("TOP … PERCENT", line)
        return text

    def _hints(self) -> list[str]:
        if not (self.at("WITH") and self.peek(1).text == "("):
            return []
        self.next()
        self.expect("(")
        hints = [self.next().upper]
        while self.accept(",") or not self.at(")"):
            if self.at("("):
                raise unsupported(f"table hint {hints[-1]} with arguments", self.peek().line)
            hints.append(self.next().upper)
        self.expect(")")
        return hints

    def _output(self) -> s.Output | None:
        if not self.at("OUTPUT"):
            return None
        line = self.next().line
        items = self.text_until(
            "INTO", "FROM", "WHERE", "OPTION", "VALUES", "SELECT", "EXEC", "EXECUTE", "WITH", "DEFAULT"
        )
        into = None
        columns: list[str] = []
        if self.accept("INTO"):
            into = self.target_name()
            if self.at("("):
                columns = self.name_list()
        if self.at("OUTPUT"):
            raise unsupported("two OUTPUT clauses", line)
        return s.Output(items, into, columns, line)

    def insert(self, line: int) -> s.Insert:
        self.next()
        top = self._top()
        self.accept("INTO")
        target = self.target_name()
        hints = self._hints()
        columns = []
        if self.at("(") and self.peek(1).upper not in ("SELECT", "WITH"):
            columns = self.name_list()
        if not hints:
            hints = self._hints() if self.peek().upper == "WITH" and self.peek(1).text == "(" else []
        output = self._output()
        insert = s.Insert(line, target, hints, columns, output, None, top=top)
        if self.at("DEFAULT") and self.peek(1).upper == "VALUES":
            self.next()
            self.next()
        elif self.at("EXEC", "EXECUTE"):
            statement = self.execute(self.peek().line)
            insert.execute = statement
        elif self.at("VALUES", "SELECT", "WITH", "("):
            insert.source = self.text_to_end()
        else:
            raise self.near(self.peek(), "VALUES, SELECT or EXECUTE")
        return insert

    def update(self, line: int) -> s.Update:
        self.next()
        top = self._top()
        if self.at("STATISTICS"):
            raise unsupported("UPDATE STATISTICS", line)
        target = self.target_name()
        hints = self._hints()
        self.expect("SET")
        assignments = []
        while True:
            at = self.peek().line
            if self.peek().kind == VARIABLE:
                raise unsupported("UPDATE … SET @variable = …", at)
            column = self.name()
            while self.accept("."):
                column = self.name()
            operator = self.next()
            value = self.text_until(",", "OUTPUT", "FROM", "WHERE", "OPTION")
            if operator.text in ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="):
                quoted = column.replace("]", "]]")
                value = s.Text(
                    f"[{target_alias(target)}].[{quoted}] {operator.text[0]} ({value.text})", value.line
                )
            elif operator.text != "=":
                raise self.near(operator)
            assignments.append(s.Assignment(column, value, at))
            if not self.accept(","):
                break
        output = self._output()
        rest = None if self.statement_ends() else self.text_to_end()
        return s.Update(line, target, hints, assignments, output, rest, top=top)

    def delete(self, line: int) -> s.Delete:
        self.next()
        top = self._top()
        self.accept("FROM")
        target = self.target_name()
        hints = self._hints()
        output = self._output()
        rest = None if self.statement_ends() else self.text_to_end()
        return s.Delete(line, target, hints, output, rest, top=top)

    def truncate(self, line: int) -> s.Statement:
        self.next()
        self.expect("TABLE")
        return s.Truncate(line, self.object_name())

    def execute(self, line: int) -> s.Execute:
        self.next()
        if self.at("("):
            raise unsupported("dynamic SQL: EXECUTE (…)", line)
        if self.at("AS"):
            raise unsupported("EXECUTE AS", line)
        return_variable = ""
        name_variable = ""
        if self.peek().kind == VARIABLE and self.peek(1).text == "=":
            return_variable = self.variable_name()
            self.next()
        if self.peek().kind == VARIABLE:
            name_variable = self.variable_name()
            name = s.ObjectName("", name_variable, line)
        else:
            name = self.object_name()
        arguments: list[s.Argument] = []
        if not self.statement_ends() and not self.at("WITH"):
            arguments.append(self._argument())
            while self.accept(","):
                arguments.append(self._argument())
        if self.accept("WITH"):
            option = self.next().upper
            if option != "RECOMPILE":
                raise unsupported(f"EXECUTE … WITH {option}", line)
        return s.Execute(line, name, arguments, return_variable, name_variable)

    def _argument(self) -> s.Argument:
        line = self.peek().line
        name = ""
        if self.peek().kind == VARIABLE and self.peek(1).text == "=":
            name = self.variable_name()
            self.next()
        token = self.peek()
        if token.kind == WORD and token.upper == "DEFAULT":
            self.next()
            return s.Argument(name, None, False, line)
        start = token.start
        if self.accept("-") or self.accept("+"):
            token = self.peek()
        self.next()
        if token.kind == WORD and token.upper != "NULL":
            # A bare word is a string: EXECUTE p N = Exclusive.
            value = s.Text("N'" + token.text.replace("'", "''") + "'", line)
        elif token.kind in (VARIABLE, STRING, "number", "binary") or token.upper == "NULL":
            value = s.Text(self.source[start : token.end], line)
        elif token.kind == NAME:
            value = s.Text("N'" + token.value.replace("'", "''") + "'", line)
        else:
            raise self.near(token, "a constant or a variable")
        output = False
        if self.at("OUTPUT", "OUT"):
            self.next()
            output = True
        return s.Argument(name, value, output, line)


def target_alias(target: s.ObjectName) -> str:
    """How a target's own columns can be named in an expression of its statement."""
    return target.name.replace("]", "]]")
