"""Takes over a schema that was made by hand: records the one-time scripts as run, without running them."""

from __future__ import annotations

from ..connection import Source
from ..version import __version__
from . import catalog, drift, ledger
from .ddl import schema_of
from .drift import Sight
from .errors import BaselineError
from .runner import DEFAULT_LOCK_TIMEOUT, Reporter
from .scripts import DEFAULT_SCHEMA, SqlPackage, load_package, validate_schema
from .server import Server
from .session import Session
from .target import open_connection


def baseline(
    target: Source,
    *,
    version: int | None = None,
    schema: str = DEFAULT_SCHEMA,
    lock_timeout: float = DEFAULT_LOCK_TIMEOUT,
    report: Reporter = lambda _: None,
    package: SqlPackage | None = None,
) -> tuple[str, ...]:
    """Record the scripts up to ``version`` (default: the newest) as applied; their paths.

    Only over a ledger that is there and empty, and only when tables and types are exactly those that the
    scripts would have made: raises :class:`BaselineError` otherwise. Procedures and grants are left to
    the next ``deploy``.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    version = package.newest if version is None else version
    if not 1 <= version <= package.newest:
        raise BaselineError(f"this package has the versions 1 to {package.newest}, not {version}")
    scripts = [each for each in package.migrations if each.number <= version]
    with open_connection(target) as connection:
        session = Session(connection)
        with session.deployment_lock(schema, lock_timeout):
            if ledger.read(session, schema).migrations:
                raise BaselineError("scripts are recorded here already: use deploy")
            server = Server.of(session)
            found = catalog.read(session, schema)
            differences = drift.compare(
                expected=schema_of(scripts),
                modules=(),
                grants=(),
                roles=(),
                found=catalog.Catalog(found.schema, (), (), found.switched_off),
                schema=schema,
                sight=Sight.of(server.dialect),
            )
            if differences:
                listed = "\n".join(f"  {each}" for each in differences)
                raise BaselineError(f"the schema is not that of version {version}:\n{listed}")
            with session.transaction():
                for script in scripts:
                    session.execute(ledger.record_migration(script, schema, "0", __version__))
    for script in scripts:
        report(f"recorded {script.path}")
    return tuple(script.path for script in scripts)
