"""Procedures that come with the server: application locks and extended properties. Others may be added to
the table.
"""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .catalog import Catalog, Property
from .locks import MODES
from .problems import SqlError

if TYPE_CHECKING:
    from .frames import Frame
    from .session import Session

VERSION = (
    "Chokaq embedded engine (a development engine with a subset of Transact-SQL)\n"
    f"\tSQLite {sqlite3.sqlite_version}, Python {platform.python_version()}"
)

#: A system procedure takes the session, the calling frame and its arguments by lower-case name (``#0`` …
#: where they
#: were given by position), and returns its return code and its OUTPUT values.
Handler = Callable[["Session", "Frame", dict[str, Any]], tuple[int, dict[str, Any]]]


def server_name() -> str:
    return platform.node() or "localhost"


def split_name(text: str) -> tuple[str, str]:
    """Schema and name of ``[schema].[name]`` in a string."""
    parts = name_parts(text)[-2:]
    return (parts[0], parts[1]) if len(parts) == 2 else ("", parts[0] if parts else "")


def name_parts(text: str) -> list[str]:
    """The parts of a dotted name, without brackets and quotes."""
    parts: list[str] = []
    position = 0
    text = text.strip()
    while position < len(text):
        if text[position] in '["':
            closing = "]" if text[position] == "[" else '"'
            end = position + 1
            piece = []
            while end < len(text):
                if text[end] == closing:
                    if text[end + 1 : end + 2] == closing:
                        piece.append(closing)
                        end += 2
                        continue
                    break
                piece.append(text[end])
                end += 1
            parts.append("".join(piece))
            position = end + 1
        else:
            end = text.find(".", position)
            end = len(text) if end < 0 else end
            parts.append(text[position:end].strip())
            position = end
        if text[position : position + 1] == ".":
            position += 1
    return parts


def _arguments(values: dict[str, Any], name: str, *order: str) -> dict[str, Any]:
    """Arguments by name. Errors 8145 and 8144."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key.startswith("#"):
            index = int(key[1:])
            if index >= len(order):
                raise SqlError(8144, f"Procedure or function {name} has too many arguments specified.", 16, 2)
            found[order[index]] = value
        else:
            if key not in order:
                raise SqlError(8145, f"{key} is not a parameter for procedure {name}.", 16, 2)
            found[key] = value
    return found


# Application locks


def _lock_owner(owner: Any) -> str:
    text = str(owner or "Transaction").capitalize()
    if text not in ("Transaction", "Session"):
        raise SqlError(
            15600, "An invalid parameter or option was specified for procedure 'sys.sp_getapplock'.", 15, 1
        )
    return text


def _mode(text: Any) -> str:
    for mode in MODES:
        if str(text).lower() == mode.lower():
            return mode
    raise SqlError(
        15600, "An invalid parameter or option was specified for procedure 'sys.sp_getapplock'.", 15, 1
    )


def getapplock(session: Session, _: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    given = _arguments(
        values, "sp_getapplock", "@resource", "@lockmode", "@lockowner", "@locktimeout", "@dbprincipal"
    )
    resource = given.get("@resource")
    if not resource or given.get("@lockmode") is None:
        return -999, {}
    mode = _mode(given["@lockmode"])
    owner = _lock_owner(given.get("@lockowner"))
    if owner == "Transaction" and not session.trancount:
        session.messages.append(
            ("The statement or function must be executed in the context of a user transaction.", 1934, 16, 1)
        )
        return -999, {}
    timeout = given.get("@locktimeout")
    if timeout is None:
        timeout = -1 if session.options.lock_timeout is None else session.options.lock_timeout
    seconds = None if timeout < 0 else timeout / 1000
    return session.locks.acquire(session.spid, owner, _resource(given), mode, seconds), {}


def releaseapplock(session: Session, _: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    given = _arguments(values, "sp_releaseapplock", "@resource", "@lockowner", "@dbprincipal")
    owner = _lock_owner(given.get("@lockowner"))
    if not session.locks.release(session.spid, owner, _resource(given)):
        raise SqlError(
            1223,
            "Cannot release the application lock (Database Principal: 'public', Resource: "
            f"'{given.get('@resource')}') because it is not "
            "currently held.",
            16,
            1,
        )
    return 0, {}


def _resource(given: dict[str, Any]) -> str:
    return f"{given.get('@dbprincipal') or 'public'}\0{given['@resource'][:255]}"


# Extended properties

_LEVELS = (
    "@name",
    "@value",
    "@level0type",
    "@level0name",
    "@level1type",
    "@level1name",
    "@level2type",
    "@level2name",
)


def find_level(catalog: Catalog, given: dict[str, Any]) -> tuple[int, int, int]:
    """(class, major_id, minor_id) of what a property belongs to. Error 15135."""
    level0, level1, level2 = ((given.get(f"@level{n}type") or "").upper() for n in range(3))
    names = [given.get(f"@level{n}name") or "" for n in range(3)]
    missing = SqlError(
        15135,
        "Object is invalid. Extended properties are not permitted on "
        f"'{'.'.join(name for name in names if name)}', or the object does not exist.",
        16,
        8,
    )
    if not level0:
        return 0, 0, 0
    schema = catalog.schema(names[0])
    if level0 != "SCHEMA" or schema is None:
        raise missing
    if not level1:
        return 3, schema.id, 0
    if level1 == "TABLE":
        table = catalog.table(names[0], names[1])
        if table is None:
            raise missing
        if not level2:
            return 1, table.object_id, 0
        if level2 == "COLUMN":
            column = table.column(names[2])
            if column is None:
                raise missing
            return 1, table.object_id, column.id
        if level2 == "INDEX":
            index = table.index(names[2])
            if index is None:
                raise missing
            return 7, table.object_id, index.id
        if level2 == "CONSTRAINT":
            constraints: list[Any] = [*table.indexes, *table.checks, *table.foreign_keys]
            for item in constraints:
                if item.name.lower() == names[2].lower() and item.object_id:
                    return 1, item.object_id, 0
            for column in table.columns:
                if column.default is not None and column.default.name.lower() == names[2].lower():
                    return 1, column.default.object_id, 0
        raise missing
    if level1 == "PROCEDURE":
        procedure = catalog.procedure(names[0], names[1])
        if procedure is None:
            raise missing
        if not level2:
            return 1, procedure.object_id, 0
        if level2 == "PARAMETER":
            for number, parameter in enumerate(procedure.parameters, 1):
                if parameter.name.lower() == names[2].lower():
                    return 2, procedure.object_id, number
        raise missing
    if level1 == "TYPE":
        type_ = catalog.type(names[0], names[1])
        if type_ is None:
            raise missing
        return 6, type_.object_id, 0
    raise missing


def _change_property(session: Session, values: dict[str, Any], name: str) -> tuple[int, dict[str, Any]]:
    order = (
        _LEVELS
        if name != "sp_dropextendedproperty"
        else tuple(level for level in _LEVELS if level != "@value")
    )
    given = _arguments(values, name, *order)
    with session.definition():
        catalog = session.catalog.fork()
        place = find_level(catalog, given)
        key = (given.get("@name") or "").lower()
        same = [
            p
            for p in catalog.properties
            if (p.class_, p.major_id, p.minor_id) == place and p.name.lower() == key
        ]
        if name == "sp_addextendedproperty" and same:
            raise SqlError(
                15233,
                f"Property cannot be added. Property '{given['@name']}' already exists for the object.",
                16,
                1,
            )
        if name != "sp_addextendedproperty" and not same:
            raise SqlError(
                15217,
                f"Property cannot be updated or deleted. Property '{given.get('@name')}' does not exist "
                "for the object.",
                16,
                2,
            )
        catalog.properties = [p for p in catalog.properties if p not in same]
        if name != "sp_dropextendedproperty":
            catalog.properties.append(Property(*place, given["@name"], given.get("@value")))
        session.change_catalog(catalog)
    return 0, {}


def addextendedproperty(session: Session, _: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return _change_property(session, values, "sp_addextendedproperty")


def updateextendedproperty(session: Session, _: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return _change_property(session, values, "sp_updateextendedproperty")


def dropextendedproperty(session: Session, _: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return _change_property(session, values, "sp_dropextendedproperty")


PROCEDURES: dict[tuple[str, str], Handler] = {
    ("sys", "sp_getapplock"): getapplock,
    ("sys", "sp_releaseapplock"): releaseapplock,
    ("sys", "sp_addextendedproperty"): addextendedproperty,
    ("sys", "sp_updateextendedproperty"): updateextendedproperty,
    ("sys", "sp_dropextendedproperty"): dropextendedproperty,
}
for _schema, _name in list(PROCEDURES):
    PROCEDURES["dbo", _name] = PROCEDURES[_schema, _name]
