"""Reads what is really in a schema from the server's catalog, in the same form as the model of the scripts.

Only small statements without anything special, joined here, so that every engine can answer them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .model import Check, Column, Index, Key, KeyColumn, Schema, Table
from .session import Session

_WIDE = ("nchar", "nvarchar")
_SIZED = (*_WIDE, "char", "varchar", "binary", "varbinary")
_SCALED = ("datetime2", "datetimeoffset", "time")


@dataclass(frozen=True, slots=True)
class Module:
    """A procedure (or whatever else has a text) as the server stores it."""

    name: str
    type: str
    definition: str | None
    ansi_nulls: bool
    quoted_identifier: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission on an object of the schema."""

    grantee: str
    permission: str
    object: str
    state: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """All of a schema. ``switched_off``: what is there and does not work, disabled indexes for example."""

    schema: Schema
    modules: tuple[Module, ...]
    grants: tuple[Grant, ...]
    switched_off: tuple[str, ...]


def read(session: Session, schema: str) -> Catalog:
    """The catalog of one (validated) schema. Nothing in it when the schema does not exist."""
    return _Reader(session, schema).read()


class _Reader:
    def __init__(self, session: Session, schema: str) -> None:
        self._session = session
        self._schema = schema
        self._off: list[str] = []

    def _rows(self, text: str) -> list[Sequence[Any]]:
        return self._session.execute(text.replace("@Schema", f"N'{self._schema}'"))

    def read(self) -> Catalog:
        tables = self._shapes(
            "SELECT [t].[object_id], [t].[name] FROM [sys].[tables] AS [t]"
            " WHERE [t].[schema_id] = SCHEMA_ID(@Schema);",
            "SELECT [t].[object_id] FROM [sys].[tables] AS [t] WHERE [t].[schema_id] = SCHEMA_ID(@Schema)",
        )
        types = self._shapes(
            "SELECT [t].[type_table_object_id], [t].[name] FROM [sys].[table_types] AS [t]"
            " WHERE [t].[schema_id] = SCHEMA_ID(@Schema);",
            "SELECT [t].[type_table_object_id] FROM [sys].[table_types] AS [t]"
            " WHERE [t].[schema_id] = SCHEMA_ID(@Schema)",
        )
        return Catalog(Schema(tables, types), self._modules(), self._grants(), tuple(self._off))

    def _shapes(self, named: str, chosen: str) -> dict[str, Table]:
        names = {int(row[0]): str(row[1]) for row in self._rows(named)}
        if not names:
            return {}
        columns = self._columns(chosen)
        keys, indexes = self._indexes(chosen, columns, names)
        checks = self._checks(chosen, names)
        return {
            name.lower(): Table(
                name,
                tuple(columns[number].values()),
                tuple(keys[number]),
                tuple(checks[number]),
                tuple(indexes[number]),
            )
            for number, name in names.items()
        }

    def _columns(self, chosen: str) -> dict[int, dict[int, Column]]:
        defaults = {
            (int(row[0]), int(row[1])): (str(row[2]), str(row[3]))
            for row in self._rows(
                "SELECT [d].[parent_object_id], [d].[parent_column_id], [d].[name], [d].[definition]"
                f" FROM [sys].[default_constraints] AS [d] WHERE [d].[parent_object_id] IN ({chosen});"
            )
        }
        columns: dict[int, dict[int, Column]] = defaultdict(dict)
        for row in self._rows(
            "SELECT [c].[object_id], [c].[column_id], [c].[name], [y].[name] AS [TypeName], [c].[max_length],"
            " [c].[precision], [c].[scale], [c].[is_nullable], [c].[is_identity], [c].[is_computed],"
            " [c].[collation_name]"
            " FROM [sys].[columns] AS [c]"
            " INNER JOIN [sys].[types] AS [y] ON [y].[user_type_id] = [c].[user_type_id]"
            f" WHERE [c].[object_id] IN ({chosen}) ORDER BY [c].[object_id], [c].[column_id];"
        ):
            place = int(row[0]), int(row[1])
            name, default = defaults.get(place, (None, None))
            columns[place[0]][place[1]] = Column(
                str(row[2]),
                type_text(str(row[3]), int(row[4]), int(row[5]), int(row[6])),
                bool(row[7]),
                default,
                name,
                None if row[10] is None else str(row[10]),
                bool(row[8]),
                "computed" if row[9] else None,
            )
        return columns

    def _indexes(
        self, chosen: str, columns: dict[int, dict[int, Column]], names: dict[int, str]
    ) -> tuple[dict[int, list[Key]], dict[int, list[Index]]]:
        parts: dict[tuple[int, int], list[tuple[int, bool, bool, str]]] = defaultdict(list)
        for row in self._rows(
            "SELECT [x].[object_id], [x].[index_id], [x].[key_ordinal], [x].[is_descending_key],"
            " [x].[is_included_column], [x].[column_id]"
            f" FROM [sys].[index_columns] AS [x] WHERE [x].[object_id] IN ({chosen});"
        ):
            column = columns[int(row[0])].get(int(row[5]))
            if column is not None:
                parts[int(row[0]), int(row[1])].append((int(row[2]), bool(row[3]), bool(row[4]), column.name))
        keys: dict[int, list[Key]] = defaultdict(list)
        indexes: dict[int, list[Index]] = defaultdict(list)
        for row in self._rows(
            "SELECT [i].[object_id], [i].[index_id], [i].[name], [i].[type_desc], [i].[is_unique],"
            " [i].[is_primary_key], [i].[is_unique_constraint], [i].[filter_definition], [i].[is_disabled]"
            f" FROM [sys].[indexes] AS [i] WHERE [i].[object_id] IN ({chosen});"
        ):
            if row[2] is None:  # a heap
                continue
            number, name = int(row[0]), str(row[2])
            found = sorted(parts[number, int(row[1])])
            keyed = tuple(KeyColumn(each[3], each[1]) for each in found if not each[2])
            included = tuple(each[3] for each in found if each[2])
            clustered = str(row[3]) == "CLUSTERED"
            if row[8]:
                self._off.append(f"index {name} of {names[number]} is disabled")
            if row[5] or row[6]:
                keys[number].append(Key(name, bool(row[5]), clustered, keyed))
            else:
                condition = None if row[7] is None else str(row[7])
                indexes[number].append(Index(name, bool(row[4]), clustered, keyed, included, condition))
        return keys, indexes

    def _checks(self, chosen: str, names: dict[int, str]) -> dict[int, list[Check]]:
        checks: dict[int, list[Check]] = defaultdict(list)
        for row in self._rows(
            "SELECT [k].[parent_object_id], [k].[name], [k].[definition], [k].[is_disabled],"
            " [k].[is_not_trusted]"
            f" FROM [sys].[check_constraints] AS [k] WHERE [k].[parent_object_id] IN ({chosen});"
        ):
            checks[int(row[0])].append(Check(str(row[1]), str(row[2])))
            if row[3] or row[4]:
                state = "disabled" if row[3] else "not trusted"
                self._off.append(f"check {row[1]} of {names[int(row[0])]} is {state}")
        return checks

    def _modules(self) -> tuple[Module, ...]:
        rows = self._rows(
            "SELECT [o].[name], [o].[type], [m].[definition], [m].[uses_ansi_nulls],"
            " [m].[uses_quoted_identifier]"
            " FROM [sys].[objects] AS [o]"
            " INNER JOIN [sys].[sql_modules] AS [m] ON [m].[object_id] = [o].[object_id]"
            " WHERE [o].[schema_id] = SCHEMA_ID(@Schema) ORDER BY [o].[name];"
        )
        return tuple(
            Module(str(row[0]), str(row[1]).strip(), row[2], bool(row[3]), bool(row[4])) for row in rows
        )

    def _grants(self) -> tuple[Grant, ...]:
        rows = self._rows(
            "SELECT [u].[name], [p].[permission_name], [o].[name] AS [ObjectName], [p].[state_desc]"
            " FROM [sys].[database_permissions] AS [p]"
            " INNER JOIN [sys].[objects] AS [o] ON [o].[object_id] = [p].[major_id]"
            " INNER JOIN [sys].[database_principals] AS [u]"
            " ON [u].[principal_id] = [p].[grantee_principal_id]"
            " WHERE [p].[class] = 1 AND [o].[schema_id] = SCHEMA_ID(@Schema)"
            " ORDER BY [u].[name], [o].[name];"
        )
        return tuple(Grant(*(str(value) for value in row)) for row in rows)


def type_text(name: str, length: int, precision: int, scale: int) -> str:
    """A type as one writes it, from the numbers of the catalog."""
    name = name.lower()
    if name in _SIZED:
        size = "max" if length < 0 else str(length // 2 if name in _WIDE else length)
        return f"{name}({size})"
    if name in _SCALED:
        return f"{name}({scale})"
    if name in {"decimal", "numeric"}:
        return f"{name}({precision},{scale})"
    if name == "sysname":
        return "nvarchar(128)"
    return name
