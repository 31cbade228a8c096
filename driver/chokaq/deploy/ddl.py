"""Reads the CREATE, ALTER and DROP statements of one-time scripts into a model of the schema.

It knows the forms that the package's scripts use. Any other definition statement is an error, so that a
script with a new form cannot be left out of ``verify`` unnoticed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .errors import PackageError
from .lexer import Token, TokenKind, tokens
from .model import Check, Column, Index, Key, KeyColumn, Schema, Table
from .scripts import Script

_DEFINING = ("CREATE", "ALTER", "DROP")
_OBJECTS = (
    "TABLE",
    "INDEX",
    "TYPE",
    "SCHEMA",
    "VIEW",
    "FUNCTION",
    "TRIGGER",
    "SEQUENCE",
    "SYNONYM",
    "UNIQUE",
)
# The types whose length or precision is written out, with the default that a bare name stands for.
_DEFAULT_ARGUMENT = {"datetime2": "7", "datetimeoffset": "7", "time": "7", "varchar": "1", "char": "1"}
_SYNONYMS = {"integer": "int", "dec": "decimal", "sysname": "nvarchar(128)", "real": "real"}


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition statement: its tokens without comments, and the comment above it."""

    tokens: tuple[Token, ...]
    comment: str
    path: str

    def fail(self, reason: str) -> PackageError:
        """An error that names the place."""
        text = " ".join(token.text for token in self.tokens[:6])
        return PackageError(f"{self.path}: {text} …: {reason}")


def schema_of(scripts: Iterable[Script]) -> Schema:
    """The schema after these one-time scripts, in their order. Raises PackageError for an unknown form."""
    tables: dict[str, Table] = {}
    types: dict[str, Table] = {}
    for script in scripts:
        for definition in definitions(script):
            _apply(definition, tables, types)
    return Schema(tables, types)


def definitions(script: Script) -> Iterator[Definition]:
    """The statements of a script that define something, in order."""
    for batch in script.batches():
        comment = ""
        statement: list[Token] = []
        depth = 0
        for token in tokens(batch.text):
            if token.kind is TokenKind.COMMENT:
                if not statement:
                    comment = token.text
                continue
            if token.text == ";" and depth == 0:
                yield from _defining(statement, comment, script.path)
                statement, comment = [], ""
                continue
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            statement.append(token)
        yield from _defining(statement, comment, script.path)


def _defining(statement: Sequence[Token], comment: str, path: str) -> Iterator[Definition]:
    definition = Definition(tuple(statement), _plain(comment), path)
    if statement and statement[0].is_word(*_DEFINING):
        yield definition
        return
    for first, second in itertools.pairwise(statement):
        if first.is_word(*_DEFINING) and second.is_word(*_OBJECTS):
            raise definition.fail("a definition inside a block or a condition is not known to verify")


def _plain(comment: str) -> str:
    """The text of a block comment, on one line."""
    if not comment.startswith("/*"):
        return ""
    return " ".join(comment[2:-2].split())


def _apply(definition: Definition, tables: dict[str, Table], types: dict[str, Table]) -> None:
    reader = Reader(definition)
    verb = reader.word()
    what = reader.word()
    if (verb, what) == ("CREATE", "SCHEMA"):
        return
    if (verb, what) == ("CREATE", "TABLE"):
        name = reader.qualified()
        tables[name.lower()] = _table(reader, name)
    elif (verb, what) == ("CREATE", "TYPE"):
        name = reader.qualified()
        reader.expect("AS", "TABLE")
        types[name.lower()] = _table(reader, name)
    elif verb == "CREATE" and what in {"UNIQUE", "CLUSTERED", "NONCLUSTERED", "INDEX"}:
        _create_index(reader, what, tables)
    elif (verb, what) == ("ALTER", "TABLE"):
        _alter_table(reader, tables)
    elif (verb, what) == ("DROP", "INDEX"):
        _skip_if_exists(reader)
        index = reader.name()
        reader.expect("ON")
        table = _known(reader, tables)
        left = tuple(each for each in table.indexes if each.name.lower() != index.lower())
        tables[table.name.lower()] = replace(table, indexes=left)
    elif (verb, what) in {("DROP", "TABLE"), ("DROP", "TYPE")}:
        _skip_if_exists(reader)
        (tables if what == "TABLE" else types).pop(reader.qualified().lower(), None)
    else:
        raise definition.fail("this kind of definition is not known to verify")


def _skip_if_exists(reader: Reader) -> None:
    if reader.at("IF"):
        reader.expect("IF", "EXISTS")


def _known(reader: Reader, tables: dict[str, Table]) -> Table:
    name = reader.qualified()
    table = tables.get(name.lower())
    if table is None:
        raise reader.definition.fail(f"there is no table {name}")
    return table


def _table(reader: Reader, name: str) -> Table:
    columns: list[Column] = []
    keys: list[Key] = []
    checks: list[Check] = []
    for item in reader.items():
        _element(item, columns, keys, checks)
    reader.end()
    return _with_keys(Table(name, tuple(columns), tuple(keys), tuple(checks), (), reader.definition.comment))


def _with_keys(table: Table) -> Table:
    """The columns of a primary key are NOT NULL, whatever their definition says."""
    keyed = {each.name.lower() for key in table.keys if key.primary for each in key.columns}
    columns = tuple(
        replace(each, nullable=False) if each.name.lower() in keyed else each for each in table.columns
    )
    return replace(table, columns=columns)


def _element(reader: Reader, columns: list[Column], keys: list[Key], checks: list[Check]) -> None:
    """One item between the commas of a table: a constraint, or a column with its own constraints."""
    if reader.at("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK"):
        _constraint(reader, keys, checks, None)
        reader.end()
        return
    name = reader.name()
    if reader.at("AS"):
        reader.word()
        columns.append(Column(name, "computed", True, computed=reader.group()))
        return
    column = Column(name, reader.type(), True)
    while not reader.done:
        named: str | None = None
        if reader.at("CONSTRAINT"):
            reader.word()
            named = reader.name()
        if reader.at("NOT"):
            reader.expect("NOT", "NULL")
            column = replace(column, nullable=False)
        elif reader.at("NULL"):
            reader.word()
            column = replace(column, nullable=True)
        elif reader.at("DEFAULT"):
            reader.word()
            column = replace(column, default=reader.expression(), default_name=named)
        elif reader.at("COLLATE"):
            reader.word()
            column = replace(column, collation=reader.word())
        elif reader.at("IDENTITY"):
            reader.word()
            reader.group()
            column = replace(column, identity=True)
        elif reader.at("PRIMARY", "UNIQUE", "CHECK"):
            _constraint(reader, keys, checks, name, named)
        else:
            raise reader.definition.fail(f"column {name}: {reader.text} is not known to verify")
    columns.append(column)


def _constraint(
    reader: Reader, keys: list[Key], checks: list[Check], column: str | None, named: str | None = None
) -> None:
    if reader.at("CONSTRAINT"):
        reader.word()
        named = reader.name()
    word = reader.word()
    if word == "CHECK":
        checks.append(Check(named, reader.group()))
        return
    primary = word == "PRIMARY"
    if primary:
        reader.expect("KEY")
    clustered = primary
    if reader.at("CLUSTERED", "NONCLUSTERED"):
        clustered = reader.word() == "CLUSTERED"
    names = reader.key_columns() if column is None else (KeyColumn(column),)
    keys.append(Key(named, primary, clustered, names))


def _create_index(reader: Reader, word: str, tables: dict[str, Table]) -> None:
    unique = word == "UNIQUE"
    clustered = False
    while word != "INDEX":
        clustered = clustered or word == "CLUSTERED"
        word = reader.word()
    name = reader.name()
    reader.expect("ON")
    table = _known(reader, tables)
    columns = reader.key_columns()
    included: tuple[str, ...] = ()
    condition: str | None = None
    if reader.at("INCLUDE"):
        reader.word()
        included = tuple(each.name for each in reader.key_columns())
    if reader.at("WHERE"):
        reader.word()
        condition = reader.rest(stop="WITH")
    if reader.at("WITH"):
        reader.word()
        reader.group()
    reader.end()
    index = Index(name, unique, clustered, columns, included, condition, reader.definition.comment)
    tables[table.name.lower()] = replace(table, indexes=(*table.indexes, index))


def _alter_table(reader: Reader, tables: dict[str, Table]) -> None:
    table = _known(reader, tables)
    if reader.at("WITH"):  # CHECK or NOCHECK of what is added
        reader.word()
        reader.word()
    verb = reader.word()
    columns, keys, checks = list(table.columns), list(table.keys), list(table.checks)
    if verb == "ADD":
        for item in reader.separated():
            _element(item, columns, keys, checks)
    elif verb == "ALTER":
        reader.expect("COLUMN")
        altered: list[Column] = []
        _element(reader, altered, keys, checks)
        new = altered[0]
        columns = [
            replace(new, default=old.default, default_name=old.default_name)
            if old.name.lower() == new.name.lower()
            else old
            for old in columns
        ]
    elif verb == "DROP":
        what = reader.word()
        _skip_if_exists(reader)
        gone = {item.name().lower() for item in reader.separated()}
        if what == "COLUMN":
            columns = [each for each in columns if each.name.lower() not in gone]
        elif what == "CONSTRAINT":
            keys = [each for each in keys if (each.name or "").lower() not in gone]
            checks = [each for each in checks if (each.name or "").lower() not in gone]
            columns = [
                replace(each, default=None, default_name=None)
                if (each.default_name or "").lower() in gone
                else each
                for each in columns
            ]
        else:
            raise reader.definition.fail(f"DROP {what} is not known to verify")
    else:
        raise reader.definition.fail(f"ALTER TABLE … {verb} is not known to verify")
    changed = replace(table, columns=tuple(columns), keys=tuple(keys), checks=tuple(checks))
    tables[table.name.lower()] = _with_keys(changed)


class Reader:
    """Walks over the tokens of a definition."""

    def __init__(self, definition: Definition, found: Sequence[Token] | None = None) -> None:
        self.definition = definition
        self._tokens = definition.tokens if found is None else tuple(found)
        self._at = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._tokens)

    @property
    def text(self) -> str:
        """The next token's text; empty at the end."""
        return "" if self.done else self._tokens[self._at].text

    def at(self, *words: str) -> bool:
        """Whether one of these words comes next."""
        return not self.done and self._tokens[self._at].is_word(*words)

    def _next(self) -> Token:
        if self.done:
            raise self.definition.fail("ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def word(self) -> str:
        """The next token in upper case."""
        return self._next().upper

    def name(self) -> str:
        """The next token as an identifier."""
        return self._next().value

    def qualified(self) -> str:
        """A name after its schema."""
        self._next()
        self.expect(".")
        return self.name()

    def expect(self, *words: str) -> None:
        """Pass these words."""
        for word in words:
            found = self.word()
            if found != word:
                raise self.definition.fail(f"{word} expected, {found} found")

    def end(self) -> None:
        """Nothing may be left."""
        if not self.done:
            raise self.definition.fail(f"{self.text} is not known to verify")

    def _group(self) -> list[Token]:
        self.expect("(")
        depth, inner = 1, []
        while depth:
            token = self._next()
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            inner.append(token)
        return inner[:-1]

    def group(self) -> str:
        """The text between the next parentheses."""
        return joined(self._group())

    def items(self) -> Iterator[Reader]:
        """What stands between the commas of the next parentheses."""
        return Reader(self.definition, self._group()).separated()

    def separated(self) -> Iterator[Reader]:
        """What stands between the commas up to the end."""
        item: list[Token] = []
        depth = 0
        while not self.done:
            token = self._next()
            if token.text == "," and depth == 0:
                yield Reader(self.definition, item)
                item = []
                continue
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            item.append(token)
        yield Reader(self.definition, item)

    def key_columns(self) -> tuple[KeyColumn, ...]:
        """Columns with their direction."""
        found = []
        for item in self.items():
            name = item.name()
            descending = not item.done and item.word() == "DESC"
            found.append(KeyColumn(name, descending))
        return tuple(found)

    def type(self) -> str:
        """A column's type, in lower case."""
        name = self._next().value.lower()
        name = _SYNONYMS.get(name, name)
        if self.text == "(":
            return f"{name}({self.group().lower().replace(' ', '')})"
        argument = _DEFAULT_ARGUMENT.get(name)
        return name if argument is None else f"{name}({argument})"

    def expression(self) -> str:
        """A default's expression: parentheses, a literal with its sign, or a function's call."""
        if self.text == "(":
            return self.group()
        found = self._next().text
        if found in {"-", "+"}:
            return found + self._next().text
        return f"{found}({self.group()})" if self.text == "(" else found

    def rest(self, stop: str) -> str:
        """The text up to a word, or to the end."""
        found = []
        while not self.done and not self.at(stop):
            found.append(self._next())
        return joined(found)


def joined(found: Sequence[Token]) -> str:
    """Tokens as text, with the spaces that a reader expects."""
    text = ""
    last = ""
    for token in found:
        glue = not text or token.text in {")", ",", ".", ";"} or last in {"(", "."}
        glue = glue or (token.text == "(" and last[-1:].isalnum() and not _is_keyword(last))
        text += token.text if glue else f" {token.text}"
        last = token.text
    return text


def _is_keyword(text: str) -> bool:
    return text.upper() in {"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "LIKE"}
