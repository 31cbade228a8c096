"""What the database holds besides rows: tables, types, procedures, roles, permissions, extended properties.

Plain data, so that it can be pickled into the database file. A Catalog that sessions share is never changed:
definitions are made on a copy (``Catalog.fork``).
"""

from __future__ import annotations

import copy
import hashlib
import io
import pickle
import re
from dataclasses import dataclass, field, replace
from typing import Any

from .sqltypes import SqlType

DEFAULT_SCHEMA = "dbo"
SCHEMA_IDS = {"dbo": 1, "guest": 2, "INFORMATION_SCHEMA": 3, "sys": 4}


@dataclass(slots=True)
class Default:
    name: str
    text: str
    object_id: int
    system_named: bool = False


@dataclass(slots=True)
class Column:
    """``binary``: compared by code point (a BIN2 collation). ``keyed``: a hidden generated column holds the
    collation key, because an index is made of it.
    """

    name: str
    type: SqlType
    nullable: bool
    id: int
    default: Default | None = None
    identity: tuple[int, int] | None = None
    binary: bool = False
    collation: str = ""
    computed: str = ""
    computed_sql: str = ""
    keyed: bool = False


@dataclass(slots=True)
class Index:
    """kind: PK, UQ (constraints, with an object_id) or IX."""

    name: str
    kind: str
    columns: list[tuple[str, bool]]
    unique: bool
    id: int
    object_id: int = 0
    clustered: bool = False
    include: list[str] = field(default_factory=list)
    where: str = ""
    where_sql: str = ""
    system_named: bool = False


@dataclass(slots=True)
class Check:
    name: str
    text: str
    sql: str
    object_id: int
    system_named: bool = False
    disabled: bool = False


@dataclass(slots=True)
class ForeignKey:
    name: str
    columns: list[str]
    schema: str
    table: str
    referenced: list[str]
    object_id: int
    on_delete: str = "NO ACTION"
    on_update: str = "NO ACTION"
    system_named: bool = False


@dataclass(slots=True)
class Table:
    """A table, or (``is_type``) a table type, or the shape of a table variable."""

    schema: str
    name: str
    object_id: int
    columns: list[Column]
    indexes: list[Index] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    is_type: bool = False
    created: int = 0
    modified: int = 0
    print_: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"

    def column(self, name: str) -> Column | None:
        low = name.lower()
        for column in self.columns:
            if column.name.lower() == low:
                return column
        return None

    def must(self, name: str) -> Column:
        """A column that is known to be there."""
        found = self.column(name)
        if found is None:
            raise KeyError(name)
        return found

    @property
    def identity(self) -> Column | None:
        return next((column for column in self.columns if column.identity), None)

    def index(self, name: str) -> Index | None:
        return next((index for index in self.indexes if index.name.lower() == name.lower()), None)

    def fingerprint(self) -> str:
        """Changes with everything that compiled code depends on."""
        if not self.print_:
            text = repr(
                (
                    self.schema,
                    self.name,
                    self.columns,
                    [(i.kind, i.columns, i.unique, i.where) for i in self.indexes],
                    self.is_type,
                )
            )
            self.print_ = hashlib.sha256(_without_ids(text).encode()).hexdigest()[:16]
        return self.print_


def _without_ids(text: str) -> str:
    return re.sub(r"object_id=\d+", "", text)


@dataclass(slots=True)
class Parameter:
    """``table``: schema and name of a table type; then ``type`` says nothing."""

    name: str
    type: SqlType
    default: Any = None
    has_default: bool = False
    output: bool = False
    readonly: bool = False
    table: tuple[str, str] | None = None


@dataclass(slots=True)
class Procedure:
    schema: str
    name: str
    object_id: int
    parameters: list[Parameter]
    definition: str
    ansi_nulls: bool = True
    quoted_identifier: bool = True
    created: int = 0
    modified: int = 0

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(slots=True)
class Schema:
    name: str
    id: int


@dataclass(slots=True)
class Principal:
    """A role (type R) or the one user (type S)."""

    name: str
    id: int
    type: str = "R"
    members: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Grant:
    """class_: 0 database, 1 object, 3 schema, 6 type. state: G or D."""

    class_: int
    major_id: int
    minor_id: int
    principal: str
    permission: str
    state: str = "G"
    grant_option: bool = False


@dataclass(slots=True)
class Property:
    """class_: 0 database, 1 object or column, 2 parameter, 3 schema, 6 type, 7 index."""

    class_: int
    major_id: int
    minor_id: int
    name: str
    value: Any


@dataclass
class Catalog:
    """Names are keys in lower case: ``schema.name``."""

    version: int = 0
    next_id: int = 100_000_000
    schemas: dict[str, Schema] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    types: dict[str, Table] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    principals: dict[str, Principal] = field(default_factory=dict)
    grants: list[Grant] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    identity: str = ""

    @classmethod
    def new(cls) -> Catalog:
        catalog = cls()
        for name, number in SCHEMA_IDS.items():
            catalog.schemas[name.lower()] = Schema(name, number)
        for name, number, kind in (
            ("public", 0, "R"),
            ("dbo", 1, "S"),
            ("guest", 2, "S"),
            ("db_owner", 16384, "R"),
        ):
            catalog.principals[name] = Principal(name, number, kind)
        return catalog

    def fork(self) -> Catalog:
        """A copy whose objects may be replaced (not changed: the original still holds them)."""
        return replace(
            self,
            schemas=dict(self.schemas),
            tables=dict(self.tables),
            types=dict(self.types),
            procedures=dict(self.procedures),
            principals=dict(self.principals),
            grants=list(self.grants),
            properties=list(self.properties),
        )

    def edit_table(self, table: Table) -> Table:
        """A copy of the table, put in its place, that may be changed."""
        edited: Table = copy.deepcopy(table)
        edited.print_ = ""
        self.tables[table.full_name.lower()] = edited
        return edited

    def new_id(self) -> int:
        # Steps like SQL Server's, so that nobody takes ids for a dense sequence.
        self.next_id += 16_000_057
        if self.next_id >= 2**31:
            self.next_id -= 2**31 - 100_000_001
        return self.next_id

    def table(self, schema: str, name: str) -> Table | None:
        return self.tables.get(f"{schema or DEFAULT_SCHEMA}.{name}".lower())

    def must_table(self, schema: str, name: str) -> Table:
        """A table that is known to be there."""
        return self.tables[f"{schema or DEFAULT_SCHEMA}.{name}".lower()]

    def type(self, schema: str, name: str) -> Table | None:
        return self.types.get(f"{schema or DEFAULT_SCHEMA}.{name}".lower())

    def procedure(self, schema: str, name: str) -> Procedure | None:
        return self.procedures.get(f"{schema or DEFAULT_SCHEMA}.{name}".lower())

    def schema(self, name: str) -> Schema | None:
        return self.schemas.get((name or DEFAULT_SCHEMA).lower())

    def principal(self, name: str) -> Principal | None:
        return self.principals.get(name.lower())


_SAFE = ("chokaq.embedded.", __package__ + ".")
_SAFE_BUILTINS = frozenset(
    {
        ("builtins", "set"),
        ("builtins", "frozenset"),
        ("copyreg", "_reconstructor"),
        ("builtins", "object"),
        ("datetime", "datetime"),
        ("decimal", "Decimal"),
    }
)


class _SafeUnpickler(pickle.Unpickler):
    """Takes only the engine's own data classes: a database file must not be able to run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _SAFE_BUILTINS:
            return super().find_class(module, name)
        if module.startswith(_SAFE) and module.rpartition(".")[2] in (
            "catalog",
            "ir",
            "json_values",
            "scalars",
            "types",
        ):
            found = super().find_class(module, name)
            if isinstance(found, type) and hasattr(found, "__dataclass_fields__"):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not data of the engine")


def dumps(value: Any) -> bytes:
    return pickle.dumps(value, protocol=4)


def loads(data: bytes) -> Any:
    return _SafeUnpickler(io.BytesIO(data)).load()
