"""Statement parser, third part: CREATE, ALTER, DROP, GRANT, REVOKE and DENY."""

from __future__ import annotations

from . import syntax as s
from .lexer import NUMBER, STRING, VARIABLE, WORD
from .parser_base import ParserBase
from .problems import syntax_error, unsupported

# Storage options that change nothing an embedded database could do differently.
_INDEX_OPTIONS = frozenset(
    "PAD_INDEX FILLFACTOR SORT_IN_TEMPDB STATISTICS_NORECOMPUTE DROP_EXISTING ONLINE ALLOW_ROW_LOCKS "
    "ALLOW_PAGE_LOCKS "
    "MAXDOP DATA_COMPRESSION OPTIMIZE_FOR_SEQUENTIAL_KEY RESUMABLE MAX_DURATION "
    "STATISTICS_INCREMENTAL".split()
)
_CONSTRAINT_WORDS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "DEFAULT")


class DefinitionParser(ParserBase):
    """Statements that define objects and permissions."""

    def statement(self) -> s.Statement:
        raise NotImplementedError

    # CREATE

    def create(self, line: int) -> s.Statement:
        start = self.next()
        del start
        mode = "CREATE"
        if self.accept("OR"):
            self.expect("ALTER")
            mode = "CREATE OR ALTER"
        word = self.next().upper
        if word in ("PROCEDURE", "PROC"):
            return self._procedure(line, mode)
        if mode != "CREATE":
            raise unsupported(f"CREATE OR ALTER {word}", line)
        if word == "SCHEMA":
            name = self.name()
            if self.accept("AUTHORIZATION"):
                self.name()
            return s.CreateSchema(line, name)
        if word == "TABLE":
            return s.CreateTable(line, self.object_name(), self.table_body())
        if word == "TYPE":
            name_ = self.object_name()
            if not self.accept("AS"):
                raise unsupported("CREATE TYPE … FROM", line)
            self.expect("TABLE")
            return s.CreateType(line, name_, self.table_body(variable=True))
        if word == "ROLE":
            role = self.name()
            if self.accept("AUTHORIZATION"):
                self.name()
            return s.CreateRole(line, role)
        unique = False
        if word == "UNIQUE":
            unique = True
            word = self.next().upper
        clustered = word == "CLUSTERED"
        if word in ("CLUSTERED", "NONCLUSTERED"):
            word = self.next().upper
        if word == "INDEX":
            index_name = self.name()
            self.expect("ON")
            table = self.object_name()
            index = self._index_rest(index_name, line)
            index.unique = unique
            index.clustered = clustered
            return s.CreateIndex(line, table, index)
        raise unsupported(f"CREATE {word}", line)

    def _procedure(self, line: int, mode: str) -> s.Statement:
        name = self.object_name()
        parameters: list[s.Parameter] = []
        bracket = self.accept("(")
        while self.peek().kind == VARIABLE:
            parameters.append(self._parameter())
            if not self.accept(","):
                break
        if bracket:
            self.expect(")")
        if self.accept("WITH"):
            while True:
                option = self.next().upper
                if option == "EXECUTE":
                    self.expect("AS")
                    option = f"EXECUTE AS {self.next().upper}"
                if option not in ("RECOMPILE", "EXECUTE AS CALLER"):
                    raise unsupported(f"CREATE PROCEDURE … WITH {option}", line)
                if not self.accept(","):
                    break
        if self.at("FOR"):
            raise unsupported("CREATE PROCEDURE … FOR REPLICATION", line)
        self.expect("AS")
        body: list[s.Statement] = []
        while True:
            while self.accept(";"):
                pass
            if self.at_end():
                break
            body.append(self.statement())
        return s.CreateProcedure(line, name, mode, parameters, body, self.source)

    def _parameter(self) -> s.Parameter:
        line = self.peek().line
        name = self.variable_name()
        self.accept("AS")
        type_name = self.type_name()
        parameter = s.Parameter(name, type_name, line)
        if self.accept("NOT"):
            raise unsupported("NOT NULL parameter", line)
        self.accept("NULL")
        if self.accept("="):
            token = self.peek()
            start = token.start
            if self.accept("-") or self.accept("+"):
                token = self.peek()
            self.next()
            if token.kind not in (STRING, NUMBER, "binary") and token.upper != "NULL":
                raise syntax_error(
                    102, f"Incorrect syntax near '{token.text}': a default is a constant.", token.line
                )
            parameter.default = s.Text(self.source[start : token.end], token.line)
        while self.at("OUTPUT", "OUT", "READONLY"):
            if self.next().upper == "READONLY":
                parameter.readonly = True
            else:
                parameter.output = True
        return parameter

    # Tables

    def table_body(self, variable: bool = False) -> s.TableBody:
        body = s.TableBody()
        self.expect("(")
        while True:
            self._table_element(body)
            if not self.accept(","):
                break
            if self.at(")"):
                break
        self.expect(")")
        if not variable:
            self._index_options()
            self._file_group()
        return body

    def _table_element(self, body: s.TableBody) -> None:
        if self.at(*_CONSTRAINT_WORDS):
            body.constraints.append(self._constraint())
        elif self.at("INDEX"):
            line = self.next().line
            name = self.name()
            unique = self.accept("UNIQUE")
            clustered = self.at("CLUSTERED")
            if self.at("CLUSTERED", "NONCLUSTERED"):
                self.next()
            index = self._index_rest(name, line)
            index.unique = unique
            index.clustered = clustered
            body.indexes.append(index)
        elif self.at("PERIOD"):
            raise unsupported("PERIOD FOR SYSTEM_TIME", self.peek().line)
        else:
            body.columns.append(self._column())

    def _column(self) -> s.ColumnDefinition:
        line = self.peek().line
        name = self.name()
        if self.accept("AS"):
            column = s.ColumnDefinition(name, s.TypeName("", "", (), line), line)
            column.computed = self.parenthesized()
            if self.accept("PERSISTED"):
                pass
            if self.accept("NOT"):
                self.expect("NULL")
            return column
        column = s.ColumnDefinition(name, self.type_name(), line)
        while True:
            token = self.peek()
            if self.accept("COLLATE"):
                column.collation = self.next().text
            elif self.accept("NOT"):
                self.expect("NULL")
                column.nullable = False
            elif self.accept("NULL"):
                column.nullable = True
            elif self.accept("IDENTITY"):
                column.identity = (1, 1)
                if self.accept("("):
                    seed = self.signed_number()
                    self.expect(",")
                    column.identity = (seed, self.signed_number())
                    self.expect(")")
                if self.at("NOT") and self.peek(1).upper == "FOR":
                    raise unsupported("IDENTITY … NOT FOR REPLICATION", token.line)
            elif self.at("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "FOREIGN"):
                constraint = self._constraint(column_level=True)
                if constraint.kind in ("PK", "UQ", "FK") and not constraint.columns:
                    constraint.columns = [s.KeyColumn(name)]
                if constraint.kind == "DF":
                    constraint.for_column = name
                column.constraints.append(constraint)
            elif self.at(",", ")") or self.statement_ends():
                return column
            else:
                raise unsupported(f"column option {token.text}", token.line)

    def _constraint(self, column_level: bool = False) -> s.Constraint:
        line = self.peek().line
        name = self.name() if self.accept("CONSTRAINT") else ""
        word = self.next().upper
        if word in ("PRIMARY", "UNIQUE"):
            if word == "PRIMARY":
                self.expect("KEY")
            constraint = s.Constraint("PK" if word == "PRIMARY" else "UQ", name, line)
            if self.at("CLUSTERED", "NONCLUSTERED"):
                constraint.clustered = self.next().upper == "CLUSTERED"
            if self.at("("):
                constraint.columns = self._key_columns()
            elif not column_level:
                raise self.near(self.peek(), "(")
            self._index_options()
            self._file_group()
            return constraint
        if word == "CHECK":
            if self.at("NOT"):
                raise unsupported("CHECK NOT FOR REPLICATION", line)
            return s.Constraint("CK", name, line, expression=self.parenthesized())
        if word == "DEFAULT":
            constraint = s.Constraint("DF", name, line, expression=self._default_text())
            if self.accept("FOR"):
                constraint.for_column = self.name()
            if self.accept("WITH"):
                self.expect("VALUES")
                constraint.with_values = True
            return constraint
        if word == "FOREIGN":
            self.expect("KEY")
            constraint = s.Constraint("FK", name, line)
            if self.at("("):
                constraint.columns = [s.KeyColumn(column) for column in self.name_list()]
            self.expect("REFERENCES")
            return self._references(constraint)
        if word == "REFERENCES" and column_level:
            return self._references(s.Constraint("FK", name, line))
        raise self.near(self.peek(-1))

    def _references(self, constraint: s.Constraint) -> s.Constraint:
        constraint.references = self.object_name()
        if self.at("("):
            constraint.referenced_columns = self.name_list()
        while self.accept("ON"):
            event = self.next().upper
            action = self.next().upper
            if action in ("NO", "SET"):
                action = f"{action} {self.next().upper}"
            if event == "DELETE":
                constraint.on_delete = action
            else:
                constraint.on_update = action
        return constraint

    def _default_text(self) -> s.Text:
        token = self.peek()
        if token.text == "(":
            start = token.start
            self.parenthesized()
            return s.Text(self.source[start : self.peek(-1).end], token.line)
        start = token.start
        if self.accept("-") or self.accept("+"):
            pass
        self.next()
        if token.kind == WORD and self.at("("):
            self.expect("(")
            if not self.at(")"):
                self.text_until()
            self.expect(")")
        return s.Text(self.source[start : self.peek(-1).end], token.line)

    def _key_columns(self) -> list[s.KeyColumn]:
        self.expect("(")
        columns = []
        while True:
            column = s.KeyColumn(self.name())
            if self.at("ASC", "DESC"):
                column.descending = self.next().upper == "DESC"
            columns.append(column)
            if not self.accept(","):
                break
        self.expect(")")
        return columns

    def _index_rest(self, name: str, line: int) -> s.IndexDefinition:
        index = s.IndexDefinition(name, self._key_columns(), line)
        if self.accept("INCLUDE"):
            index.include = self.name_list()
        if self.accept("WHERE"):
            index.where = self.text_until("WITH", "ON", ",")
        self._index_options()
        self._file_group()
        return index

    def _index_options(self) -> None:
        if not (self.at("WITH") and self.peek(1).text == "("):
            return
        self.next()
        self.expect("(")
        while True:
            token = self.next()
            self.expect("=")
            value = self.text_until(",")
            if token.upper == "IGNORE_DUP_KEY" and value.text.upper() == "OFF":
                pass
            elif token.upper not in _INDEX_OPTIONS:
                raise unsupported(f"index option {token.text} = {value.text}", token.line)
            if not self.accept(","):
                break
        self.expect(")")

    def _file_group(self) -> None:
        while self.at("ON", "TEXTIMAGE_ON"):
            line = self.next().line
            group = self.name()
            if group.upper() not in ("PRIMARY", "DEFAULT"):
                raise unsupported(f"file group {group}", line)
            if self.at("("):
                raise unsupported("partition scheme", line)

    # ALTER

    def alter(self, line: int) -> s.Statement:
        self.next()
        word = self.next().upper
        if word in ("PROCEDURE", "PROC"):
            return self._procedure(line, "ALTER")
        if word == "ROLE":
            role = self.name()
            action = self.next().upper
            if action not in ("ADD", "DROP"):
                raise unsupported(f"ALTER ROLE … {action}", line)
            self.expect("MEMBER")
            return s.AlterRole(line, role, action, self.name())
        if word == "INDEX":
            index = self.name()
            self.expect("ON")
            table = self.object_name()
            action = self.next().upper
            if action not in ("REBUILD", "REORGANIZE"):
                raise unsupported(f"ALTER INDEX … {action}", line)
            self._index_options()
            return s.AlterIndex(line, table, index, action)
        if word != "TABLE":
            raise unsupported(f"ALTER {word}", line)
        table = self.object_name()
        with_check = True
        if self.accept("WITH"):
            check = self.next().upper
            if check not in ("CHECK", "NOCHECK"):
                raise self.near(self.peek(-1))
            with_check = check == "CHECK"
        action = self.next().upper
        if action == "ADD":
            body = s.TableBody()
            while True:
                self._table_element(body)
                if not self.accept(","):
                    break
            return s.AlterTable(line, table, "ADD", body, with_check=with_check)
        if action == "DROP":
            kind = "COLUMN" if self.accept("COLUMN") else "CONSTRAINT"
            if kind == "CONSTRAINT":
                self.accept("CONSTRAINT")
            if_exists = self._if_exists()
            names = [self.name()]
            while self.accept(","):
                names.append(self.name())
            return s.AlterTable(line, table, f"DROP {kind}", names=names, if_exists=if_exists)
        if action == "ALTER":
            self.expect("COLUMN")
            body = s.TableBody(columns=[self._column()])
            return s.AlterTable(line, table, "ALTER COLUMN", body)
        if action in ("CHECK", "NOCHECK"):
            self.expect("CONSTRAINT")
            return s.AlterTable(
                line, table, f"{action} CONSTRAINT", names=[self.name()], with_check=with_check
            )
        raise unsupported(f"ALTER TABLE … {action}", line)

    # DROP

    def _if_exists(self) -> bool:
        if self.at("IF") and self.peek(1).upper == "EXISTS":
            self.next()
            self.next()
            return True
        return False

    def drop(self, line: int) -> s.Statement:
        self.next()
        kind = self.next().upper
        kind = "PROCEDURE" if kind == "PROC" else kind
        if kind not in ("TABLE", "PROCEDURE", "TYPE", "SCHEMA", "ROLE", "INDEX"):
            raise unsupported(f"DROP {kind}", line)
        if_exists = self._if_exists()
        names = [self.object_name()]
        tables = []
        if kind == "INDEX":
            if not self.accept("ON"):
                raise unsupported("DROP INDEX without ON", line)
            tables.append(self.object_name())
        while self.accept(","):
            names.append(self.object_name())
            if kind == "INDEX":
                self.expect("ON")
                tables.append(self.object_name())
        return s.DropObjects(line, kind, names, if_exists, tables)

    # Permissions

    def permission(self, line: int) -> s.Statement:
        action = self.next().upper
        grant_option = False
        if action == "REVOKE" and self.at("GRANT"):
            raise unsupported("REVOKE GRANT OPTION FOR", line)
        permissions: list[str] = []
        columns: list[str] = []
        words: list[str] = []
        while not self.at("ON", "TO", "FROM"):
            if self.at("("):
                columns = self.name_list()
            elif self.accept(","):
                permissions.append(" ".join(words))
                words = []
            else:
                token = self.next()
                if token.kind != WORD:
                    raise self.near(token)
                words.append(token.upper)
        permissions.append(" ".join(words))
        kind, name = "DATABASE", None
        if self.accept("ON"):
            kind = "OBJECT"
            if self.peek(1).text == "::":
                kind = self.next().upper
                self.next()
                if kind not in ("OBJECT", "TYPE", "SCHEMA", "DATABASE"):
                    raise unsupported(f"{action} … ON {kind}::", line)
            name = self.object_name()
        if not (self.accept("TO") or self.accept("FROM")):
            raise self.near(self.peek(), "TO or FROM")
        principals = [self.name()]
        while self.accept(","):
            principals.append(self.name())
        if self.accept("WITH"):
            self.expect("GRANT")
            self.expect("OPTION")
            grant_option = True
        if self.at("CASCADE", "AS"):
            raise unsupported(f"{action} … {self.peek().text}", line)
        return s.Permission(line, action, permissions, kind, name, columns, principals, grant_option)
