"""Finds drift: what somebody changed in a database behind the package's back."""

from __future__ import annotations

from dataclasses import dataclass

from ..connection import Source
from . import catalog, drift, grants, ledger
from .ddl import schema_of
from .drift import Difference, Sight
from .plan import Plan
from .runner import prepare
from .scripts import DEFAULT_SCHEMA, SqlPackage, load_package, validate_schema
from .server import Server
from .session import Session
from .target import open_connection


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found. ``unseen`` words what this server does not tell and so was not compared."""

    schema: str
    server: str
    plan: Plan
    differences: tuple[Difference, ...]
    unseen: tuple[str, ...]


def verify(
    target: Source,
    *,
    schema: str = DEFAULT_SCHEMA,
    package: SqlPackage | None = None,
) -> Verification:
    """Compare tables, types, procedures and grants with the package; changes nothing.

    What is pending is not drift: tables are compared with the state after the scripts that ran here, and
    a procedure that the next deployment will replace is not compared. Raises the same errors as
    :func:`~chokaq.deploy.deploy` where package and database do not belong together.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    with open_connection(target) as connection:
        session = Session(connection)
        server, recorded, plan = prepare(session, schema, package)
        found = find_drift(session, server, schema, package=package, recorded=recorded, plan=plan)
    return Verification(schema, server.name, plan, found, Sight.of(server.dialect).blind_spots)


def find_drift(
    session: Session,
    server: Server,
    schema: str,
    *,
    package: SqlPackage,
    recorded: ledger.Ledger,
    plan: Plan,
) -> tuple[Difference, ...]:
    """The differences between the database and what the ledger says about it."""
    if not recorded.migrations:
        return ()
    ran = {each.number for each in recorded.migrations}
    pending = {each.name for each in plan.procedures}
    leaving = {name.lower() for name in plan.dropped}
    current = [each for each in package.procedures if each.name not in pending]
    names = {each.name.lower() for each in current}
    found = catalog.read(session, schema)
    excused = {each.lower() for each in pending} | leaving
    found = catalog.Catalog(
        found.schema,
        tuple(each for each in found.modules if each.name.lower() not in excused),
        tuple(each for each in found.grants if each.object.lower() not in excused),
        found.switched_off,
    )
    return drift.compare(
        expected=schema_of(each for each in package.migrations if each.number in ran),
        modules=current,
        grants=[each for each in grants.granted(package.permissions, schema) if each.object.lower() in names],
        roles=grants.roles(package.permissions, schema),
        found=found,
        schema=schema,
        sight=Sight.of(server.dialect),
    )
