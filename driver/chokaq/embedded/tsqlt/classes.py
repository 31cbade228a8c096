"""Test classes: schemas that hold tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ddl
from .. import syntax as s
from ..catalog import Procedure, Property, Schema
from ..problems import SqlError
from ..system import split_name
from .arguments import Call, procedure, text
from .names import find_schema
from .state import raised

if TYPE_CHECKING:
    from ..session import Session

MARK = "tSQLt.TestClass"


def is_test_class(session: Session, schema: Schema) -> bool:
    """Whether NewTestClass made the schema."""
    return any(
        (item.class_, item.major_id, item.name) == (3, schema.id, MARK) for item in session.catalog.properties
    )


def test_classes(session: Session) -> list[Schema]:
    """All test classes, in the order in which they were made."""
    marked = {item.major_id for item in session.catalog.properties if item.class_ == 3 and item.name == MARK}
    return sorted(
        (each for each in session.catalog.schemas.values() if each.id in marked), key=lambda each: each.id
    )


def tests_of(session: Session, schema: Schema) -> list[Procedure]:
    """The tests of a class, in the order in which they were made."""
    return [each for each in _procedures(session, schema) if each.name.lower().startswith("test")]


def helper(session: Session, schema: Schema, name: str) -> Procedure | None:
    """SetUp or CleanUp of a class."""
    return next((each for each in _procedures(session, schema) if each.name.lower() == name.lower()), None)


def _procedures(session: Session, schema: Schema) -> list[Procedure]:
    return [
        each for each in session.catalog.procedures.values() if each.schema.lower() == schema.name.lower()
    ]


@procedure("NewTestClass", text("ClassName"))
def new_test_class(call: Call, name: str) -> None:
    """Make a class, anew when it is there."""
    existing = find_schema(call.session, name)
    if existing is not None and not is_test_class(call.session, existing):
        raise raised(
            f"Attempted to execute tSQLt.NewTestClass on '{name}' which is an existing schema but not a test"
            " class (Error originated in Private_DisallowOverwritingNonTestSchema)"
        )
    drop_class(call, name)
    simple = split_name(name)[1] if name.startswith("[") else name
    session = call.session
    with session.definition():
        catalog = session.catalog.fork()
        ddl.create_schema(session, catalog, s.CreateSchema(0, simple))
        schema = catalog.schemas[simple.lower()]
        catalog.properties.append(Property(3, schema.id, 0, MARK, 1))
        session.change_catalog(catalog)


@procedure("DropClass", text("ClassName"))
def drop_class(call: Call, name: str) -> None:
    """Drop a schema and all that is in it; nothing when there is no such schema."""
    session = call.session
    schema = find_schema(session, name)
    if schema is None:
        return
    with session.definition():
        catalog = session.catalog.fork()
        for kind, items in (
            ("PROCEDURE", catalog.procedures),
            ("TABLE", catalog.tables),
            ("TYPE", catalog.types),
        ):
            names = [
                s.ObjectName(each.schema, each.name)
                for each in items.values()
                if each.schema.lower() == schema.name.lower()
            ]
            ddl.drop(session, catalog, s.DropObjects(0, kind, names, False))
        ddl.drop(session, catalog, s.DropObjects(0, "SCHEMA", [s.ObjectName("", schema.name)], False))
        session.change_catalog(catalog)


@procedure("RenameClass", text("SchemaName"), text("NewSchemaName"))
def rename_class(_: Call, _name: str, _new: str) -> None:
    """Not supported."""
    raise SqlError(49999, "The embedded engine does not support tSQLt.RenameClass.", 16, 1)
