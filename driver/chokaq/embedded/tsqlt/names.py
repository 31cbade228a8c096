"""Finds what the names in the arguments stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..catalog import Procedure, Schema, Table
from ..naming import quote
from ..system import split_name

if TYPE_CHECKING:
    from ..session import Session


@dataclass(frozen=True, slots=True)
class Found:
    """A table and its name in SQLite; ``temporary``: a #table."""

    table: Table
    sqlite: str
    temporary: bool

    @property
    def source(self) -> str:
        """For FROM."""
        return f"{'temp' if self.temporary else 'main'}.{quote(self.sqlite)}"


def find_table(session: Session, name: str) -> Found | None:
    """A table by ``[schema].[name]``, or a #table of the session."""
    schema, simple = split_name(name)
    if simple.startswith("#"):
        found = session.hash_tables.get(simple.lower())
        return Found(*found[-1], True) if found else None
    table = session.catalog.table(schema, simple)
    return Found(table, table.full_name, False) if table is not None else None


def find_procedure(session: Session, name: str) -> Procedure | None:
    """A procedure by ``[schema].[name]``."""
    return session.catalog.procedure(*split_name(name))


def find_schema(session: Session, name: str) -> Schema | None:
    """A schema by its name, in brackets or not."""
    exact = session.catalog.schemas.get(name.lower())
    if exact is not None:
        return exact
    schema, simple = split_name(name)
    return None if schema else session.catalog.schemas.get(simple.lower())


def exists(session: Session, name: str) -> bool:
    """Whether OBJECT_ID would find something: a table, procedure or constraint."""
    if find_table(session, name) is not None or find_procedure(session, name) is not None:
        return True
    schema, simple = (part.lower() for part in split_name(name))
    schema = schema or "dbo"
    return any(
        simple in constraint_names(table)
        for table in session.catalog.tables.values()
        if table.schema.lower() == schema
    )


def constraint_names(table: Table) -> set[str]:
    """The names of a table's keys, checks and foreign keys, in lower case."""
    names = [index.name for index in table.indexes if index.kind != "IX"]
    names += [check.name for check in table.checks]
    names += [key.name for key in table.foreign_keys]
    return {name.lower() for name in names}
