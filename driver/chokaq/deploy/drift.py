"""Compares what a schema should hold with what it holds, and words every difference.

What a server does not tell, or tells differently, is not compared there; :class:`Sight` says what that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .catalog import Catalog, Grant, Module
from .lexer import TokenKind, tokens
from .model import Column, Index, Key, Schema, Table
from .scripts import Script, ScriptKind
from .server import Dialect

OWN_PREFIX = "DBA_"
"""Indexes, procedures and tables of this prefix are the DBA's own and never drift."""

_KEY_CLASS = {True: "primary key", False: "unique constraint"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``kind`` is missing, unexpected or changed; ``object`` names it with its sort."""

    kind: str
    object: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind:<10} {self.object}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Sight:
    """What a server's catalog tells truly. ``blind_spots`` words the rest for the reader."""

    index_names: bool = True
    filters: bool = True
    clustering: bool = True
    default_names: bool = True
    type_constraints: bool = True
    grants: bool = True
    time_scale: int = 7
    blind_spots: tuple[str, ...] = ()

    @classmethod
    def of(cls, dialect: Dialect) -> Sight:
        """What a dialect's catalog tells."""
        if dialect is not Dialect.BABELFISH:
            return cls()
        return cls(
            index_names=False,
            filters=False,
            clustering=False,
            default_names=False,
            grants=False,
            time_scale=6,
            blind_spots=(
                "filters of indexes",
                "which index is clustered",
                "names of default constraints",
                "the seventh digit of datetime2",
                "grants",
            ),
        )


def compare(
    *,
    expected: Schema,
    modules: Iterable[Script],
    grants: Iterable[Grant],
    roles: Iterable[str],
    found: Catalog,
    schema: str,
    sight: Sight,
) -> tuple[Difference, ...]:
    """Every difference, in a fixed order: tables, types, procedures, grants, what is switched off."""
    differences = [
        *_shapes("table", expected.tables, found.schema.tables, sight),
        *_shapes("type", expected.types, found.schema.types, sight),
        *_modules(tuple(modules), found.modules, schema),
    ]
    if sight.grants:
        differences += _grants(tuple(grants), found.grants, {each.lower() for each in roles})
    differences += [Difference("changed", text, "") for text in found.switched_off if OWN_PREFIX not in text]
    return tuple(differences)


def _same(one: str | None, other: str | None) -> bool:
    """Whether two expressions say the same."""
    from .expressions import same  # only here: workers import this package, and the parser takes its time

    return same(one, other)


def is_own(name: str) -> bool:
    """Whether an object is the DBA's own."""
    return name.upper().startswith(OWN_PREFIX)


def _shapes(
    sort: str, expected: Mapping[str, Table], found: Mapping[str, Table], sight: Sight
) -> Iterator[Difference]:
    for key, table in expected.items():
        other = found.get(key)
        if other is None:
            yield Difference("missing", f"{sort} {table.name}", "")
            continue
        yield from _columns(table, other, sight)
        yield from _keys(table, other, sight, named=sort == "table")
        yield from _checks(table, other)
        yield from _indexes(table, other, sight)
    for key, table in found.items():
        if key not in expected and not is_own(table.name):
            yield Difference("unexpected", f"{sort} {table.name}", "")


def _columns(table: Table, other: Table, sight: Sight) -> Iterator[Difference]:
    for column in table.columns:
        actual = other.column(column.name)
        place = f"column {table.name}.{column.name}"
        if actual is None:
            yield Difference("missing", place, "")
        else:
            for detail in _column(column, actual, sight):
                yield Difference("changed", place, detail)
    for column in other.columns:
        if table.column(column.name) is None:
            yield Difference("unexpected", f"column {table.name}.{column.name}", column.type)


def _column(column: Column, actual: Column, sight: Sight) -> Iterator[str]:
    if column.computed is not None or actual.computed is not None:
        if (column.computed is None) != (actual.computed is None):
            yield "computed" if actual.computed else "not computed"
        return
    wanted = _seen_type(column.type, sight)
    if wanted != actual.type:
        yield f"{actual.type}, should be {wanted}"
    if column.nullable != actual.nullable:
        yield "allows NULL" if actual.nullable else "does not allow NULL"
    if column.identity != actual.identity:
        yield "identity" if actual.identity else "no identity"
    if column.collation is not None and (actual.collation or "").lower() != column.collation.lower():
        yield f"collation {actual.collation}, should be {column.collation}"
    if not _same(column.default, actual.default):
        yield f"default {actual.default}, should be {column.default}"
    elif sight.default_names and (column.default_name or "").lower() != (actual.default_name or "").lower():
        yield f"default is called {actual.default_name}, should be {column.default_name}"


def _seen_type(text: str, sight: Sight) -> str:
    """A type as this server shows it."""
    match = re.fullmatch(r"(datetime2|datetimeoffset|time)\((\d)\)", text)
    if match is None:
        return text
    return f"{match[1]}({min(int(match[2]), sight.time_scale)})"


def _keys(table: Table, other: Table, sight: Sight, *, named: bool) -> Iterator[Difference]:
    left = list(other.keys)
    for key in table.keys:
        place = f"{_KEY_CLASS[key.primary]} {key.name or 'of'} {'' if key.name else table.name}".rstrip()
        actual = next((each for each in left if _same_key(key, each, named=named)), None)
        if actual is None:
            yield Difference("missing", place, "")
            continue
        left.remove(actual)
        if _names(key.columns) != _names(actual.columns):
            yield Difference("changed", place, f"({_list(actual.columns)}), should be ({_list(key.columns)})")
        if sight.clustering and key.clustered != actual.clustered:
            yield Difference("changed", place, "clustered" if actual.clustered else "not clustered")
    for key in left:
        yield Difference("unexpected", f"{_KEY_CLASS[key.primary]} {key.name} of {table.name}", "")


def _same_key(key: Key, actual: Key, *, named: bool) -> bool:
    if key.primary != actual.primary:
        return False
    return not (named and key.name) or (actual.name or "").lower() == key.name.lower()


def _checks(table: Table, other: Table) -> Iterator[Difference]:
    found = {(each.name or "").lower(): each for each in other.checks}
    for check in table.checks:
        actual = found.pop((check.name or "").lower(), None)
        place = f"check {check.name} of {table.name}"
        if actual is None:
            yield Difference("missing", place, "")
        elif not _same(check.expression, actual.expression):
            yield Difference("changed", place, f"{actual.expression}, should be {check.expression}")
    for actual in found.values():
        if not is_own(actual.name or ""):
            yield Difference("unexpected", f"check {actual.name} of {table.name}", "")


def _indexes(table: Table, other: Table, sight: Sight) -> Iterator[Difference]:
    left = list(other.indexes)
    # Where names are mangled, one name can begin like another: take the longest first.
    for index in sorted(table.indexes, key=lambda each: (-len(each.name), each.name)):
        place = f"index {index.name} of {table.name}"
        actual = next((each for each in left if _same_name(index, each, table, sight)), None)
        if actual is None:
            yield Difference("missing", place, "")
            continue
        left.remove(actual)
        for detail in _index(index, actual, sight):
            yield Difference("changed", place, detail)
    for actual in left:
        if not is_own(actual.name):
            yield Difference("unexpected", f"index {actual.name} of {table.name}", "")


def _same_name(index: Index, actual: Index, table: Table, sight: Sight) -> bool:
    if sight.index_names:
        return actual.name.lower() == index.name.lower()
    # The name, the table's name and a hash, the whole cut to 63 characters.
    hashed = 32
    return f"{index.name}{table.name}".lower().startswith(actual.name.lower()[:-hashed])


def _index(index: Index, actual: Index, sight: Sight) -> Iterator[str]:
    if index.unique != actual.unique:
        yield "unique" if actual.unique else "not unique"
    if _names(index.columns) != _names(actual.columns):
        yield f"({_list(actual.columns)}), should be ({_list(index.columns)})"
    if sorted(map(str.lower, index.included)) != sorted(map(str.lower, actual.included)):
        yield f"includes ({', '.join(actual.included)}), should include ({', '.join(index.included)})"
    if sight.filters and not _same(index.filter, actual.filter):
        yield f"filter {actual.filter}, should be {index.filter}"
    if sight.clustering and index.clustered != actual.clustered:
        yield "clustered" if actual.clustered else "not clustered"


def _names(columns: Iterable[object]) -> list[str]:
    return [str(each).lower() for each in columns]


def _list(columns: Iterable[object]) -> str:
    return ", ".join(map(str, columns))


def _modules(scripts: tuple[Script, ...], found: tuple[Module, ...], schema: str) -> Iterator[Difference]:
    stored = {each.name.lower(): each for each in found}
    for script in scripts:
        actual = stored.pop(script.name.lower(), None)
        place = f"procedure {script.name}"
        if actual is None:
            yield Difference("missing", place, "")
            continue
        if actual.definition is None:
            yield Difference("changed", place, "its text cannot be read (encrypted, or no right to see it)")
        elif canonical_module(actual.definition) != canonical_module(_text_of(script, schema)):
            yield Difference("changed", place, "its text is not the package's")
        for option, is_on in (
            ("ANSI_NULLS", actual.ansi_nulls),
            ("QUOTED_IDENTIFIER", actual.quoted_identifier),
        ):
            if not is_on:
                yield Difference("changed", place, f"was created with SET {option} OFF")
    for actual in stored.values():
        if not is_own(actual.name):
            yield Difference("unexpected", f"{_MODULE_SORTS.get(actual.type, 'object')} {actual.name}", "")


_MODULE_SORTS = {"P": "procedure", "V": "view", "TR": "trigger", "FN": "function", "IF": "function"}


def _text_of(script: Script, schema: str) -> str:
    """The batch that creates the procedure."""
    assert script.kind is ScriptKind.PROCEDURE  # noqa: S101
    return script.batches(schema)[-1].text


def canonical_module(text: str) -> str:
    """A module's text from the word PROCEDURE on, without what servers change when they store it: spaces,
    brackets, and whether it said CREATE, ALTER or both.
    """
    found = list(tokens(text))
    start = next(
        (index for index, token in enumerate(found) if token.is_word("PROCEDURE", "PROC")), len(found)
    )
    parts = [
        f"[{token.value}]" if token.kind in {TokenKind.NAME, TokenKind.WORD} else token.text
        for token in found[start + 1 :]
    ]
    while parts and parts[-1] == ";":
        parts.pop()
    return " ".join(parts)


def _grants(expected: tuple[Grant, ...], found: tuple[Grant, ...], roles: set[str]) -> Iterator[Difference]:
    wanted = {_key(each): each for each in expected}
    actual = {_key(each): each for each in found if each.state.startswith("GRANT")}
    for key, grant in sorted(wanted.items()):
        if key not in actual:
            yield Difference("missing", f"grant {grant.permission} on {grant.object} to {grant.grantee}", "")
    for grant in sorted(found, key=_key):
        if grant.grantee.lower() not in roles:
            continue  # what other principals may do is for the DBA to say
        text = f"{grant.permission} on {grant.object} to {grant.grantee}"
        if grant.state == "DENY":
            yield Difference("unexpected", f"deny {text}", "")
        elif _key(grant) not in wanted:
            yield Difference("unexpected", f"grant {text}", "")


def _key(grant: Grant) -> tuple[str, str, str]:
    return grant.grantee.lower(), grant.permission.upper(), grant.object.lower()
