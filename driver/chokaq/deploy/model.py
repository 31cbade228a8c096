"""What a schema consists of: the same classes hold what the scripts say and what a server tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``type`` is its type as one writes it, in lower case: ``varchar(255)``, ``datetime2(7)``.

    ``default`` and ``computed`` are expressions as text; ``default_name`` is the constraint's name.
    """

    name: str
    type: str
    nullable: bool
    default: str | None = None
    default_name: str | None = None
    collation: str | None = None
    identity: bool = False
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of a key or an index."""

    name: str
    descending: bool = False

    def __str__(self) -> str:
        return f"{self.name} DESC" if self.descending else self.name


@dataclass(frozen=True, slots=True)
class Key:
    """A primary key or a unique constraint. ``name`` is None where the script gives none (table types)."""

    name: str | None
    primary: bool
    clustered: bool
    columns: tuple[KeyColumn, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A check constraint."""

    name: str | None
    expression: str


@dataclass(frozen=True, slots=True)
class Index:
    """An index that is not behind a constraint. ``reason`` is the comment above its CREATE INDEX."""

    name: str
    unique: bool
    clustered: bool
    columns: tuple[KeyColumn, ...]
    included: tuple[str, ...] = ()
    filter: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or the shape of a table type. ``reason`` is the comment above its CREATE statement."""

    name: str
    columns: tuple[Column, ...]
    keys: tuple[Key, ...] = ()
    checks: tuple[Check, ...] = ()
    indexes: tuple[Index, ...] = ()
    reason: str = ""

    def column(self, name: str) -> Column | None:
        """The column of that name, in any case."""
        return next((each for each in self.columns if each.name.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Schema:
    """Tables and table types by name in lower case."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    types: Mapping[str, Table] = field(default_factory=dict)
