"""Deploys the package's ``.sql`` files into a database: once-only scripts, procedures, permissions."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..connection import Source
from ..dbapi import read_error
from ..version import __version__
from . import ledger
from .errors import DeployError, ScriptFailedError
from .lexer import TokenKind, tokens
from .plan import Plan, make_plan
from .scripts import DEFAULT_SCHEMA, Script, SqlPackage, load_package, rename_schema, validate_schema
from .session import Session
from .target import open_connection

DEFAULT_LOCK_TIMEOUT = 60.0

Reporter = Callable[[str], None]


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class DeployReport:
    """What a deployment did: script names, procedure names, permission script names, in order."""

    schema: str
    server: str
    package_version: str
    migrations: tuple[str, ...]
    procedures: tuple[str, ...]
    dropped: tuple[str, ...]
    permissions: tuple[str, ...]
    duration_ms: int

    @property
    def changed(self) -> bool:
        """Whether anything was deployed or dropped; permissions, granted every time, do not count."""
        return bool(self.migrations or self.procedures or self.dropped)


@dataclass(frozen=True, slots=True)
class Status:
    """How a database stands against the package."""

    schema: str
    server: str
    package_version: str
    applied: tuple[ledger.AppliedMigration, ...]
    plan: Plan


def deploy(
    target: Source,
    *,
    schema: str = DEFAULT_SCHEMA,
    lock_timeout: float = DEFAULT_LOCK_TIMEOUT,
    report: Reporter = _silent,
    package: SqlPackage | None = None,
) -> DeployReport:
    """Bring a database to the state of this package; doing it again changes nothing.

    ``target`` is whatever ``chokaq.connect`` takes: a URL or ODBC string, a callable, or an open
    connection in autocommit mode, which stays open. ``lock_timeout`` is in seconds: how long to wait
    for another deployment. ``report`` is called with a line of text for each thing done.

    Each one-time script and its ledger row are one transaction; the changed procedures, their ledger
    rows and the permissions are one more. Raises a :class:`DeployError`; what was committed before it
    stays, the failing step leaves nothing.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    started = time.monotonic()
    with open_connection(target) as connection:
        session = Session(connection)
        server = Server.of(session)
        with session.deployment_lock(schema, lock_timeout):
            plan = make_plan(package, ledger.read(session, schema), __version__)
            for script in plan.migrations:
                _run_migration(session, script, schema, report)
            _run_modules(session, plan, schema, server, report)
    if not plan.is_pending:
        report(f"schema [{schema}] is up to date, nothing changed")
    return DeployReport(
        schema,
        server.name,
        __version__,
        tuple(script.path for script in plan.migrations),
        tuple(script.name for script in plan.procedures),
        plan.dropped,
        tuple(script.path for script in plan.permissions),
        round((time.monotonic() - started) * 1000),
    )


def status(
    target: Source,
    *,
    schema: str = DEFAULT_SCHEMA,
    package: SqlPackage | None = None,
) -> Status:
    """Compare a database with this package, without a lock and without changing anything.

    Raises the same errors as :func:`deploy` where the package must not be deployed over the database.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    with open_connection(target) as connection:
        session = Session(connection)
        server = Server.of(session)
        recorded = ledger.read(session, schema)
        return Status(
            schema, server.name, __version__, recorded.migrations, make_plan(package, recorded, __version__)
        )


@dataclass(frozen=True, slots=True)
class Server:
    """What the runner must know of a server: it spells one statement differently for one of them."""

    name: str
    has_create_or_alter: bool

    @classmethod
    def of(cls, session: Session) -> Server:
        """Ask the server what it is."""
        banner = str(session.scalar("SELECT @@VERSION AS ServerVersion;")).strip()
        name = banner.splitlines()[0].strip() if banner else "unknown"
        return cls(name, has_create_or_alter="babelfish" not in banner.lower())


def _run_migration(session: Session, script: Script, schema: str, report: Reporter) -> None:
    started = time.monotonic()
    with _one_step(session, script):
        _run_batches(session, script, schema)
        elapsed = round((time.monotonic() - started) * 1000)
        session.execute(ledger.record_migration(script, schema, elapsed, __version__))
    report(f"applied {script.path} ({elapsed} ms)")


def _run_modules(session: Session, plan: Plan, schema: str, server: Server, report: Reporter) -> None:
    """Procedures and permissions in one transaction: nobody sees a procedure without its grants."""
    if not (plan.procedures or plan.dropped or plan.permissions):
        return
    lines: list[str] = []
    with session.transaction():
        for name in plan.dropped:
            with _naming(f"procedure {name}", 0):
                session.execute(rename_schema(f"DROP PROCEDURE IF EXISTS [chokaq].[{name}];", schema))
                session.execute(ledger.forget_module(name, schema))
            lines.append(f"dropped procedure {name}: it is no longer in the package")
        for script in plan.procedures:
            _run_batches(session, script, schema, replace=not server.has_create_or_alter)
            session.execute(ledger.record_module(script, schema, __version__))
            lines.append(f"deployed {script.path}")
        for script in plan.permissions:
            _run_batches(session, script, schema)
            lines.append(f"granted {script.path}")
    for line in lines:
        report(line)


@contextlib.contextmanager
def _one_step(session: Session, script: Script) -> Iterator[None]:
    try:
        with session.transaction():
            yield
    except DeployError as error:
        if isinstance(error, ScriptFailedError):
            raise
        raise ScriptFailedError(script.path, 1, str(error)) from error


def _run_batches(session: Session, script: Script, schema: str, *, replace: bool = False) -> None:
    for batch in script.batches(schema):
        with _naming(script.path, batch.line):
            texts = drop_and_create(batch.text) if replace else [batch.text]
            for _ in range(batch.count):
                for text in texts:
                    session.execute(text)


@contextlib.contextmanager
def _naming(script: str, line: int) -> Iterator[None]:
    """Turn whatever the driver raises into an error that names the script and the batch."""
    try:
        yield
    except DeployError:
        raise
    except Exception as error:
        found = read_error(error)
        number = "" if found.number is None else f"error {found.number}: "
        raise ScriptFailedError(script, line, number + found.message) from error


def drop_and_create(batch: str) -> list[str]:
    """The statements that replace a procedure where the server has no ``CREATE OR ALTER``.

    Dropping loses the grants; the permissions run later in the same transaction. Any other batch comes
    back as it is.
    """
    code = [token for token in tokens(batch) if token.kind is not TokenKind.COMMENT]
    if [token.upper for token in code[:4]] != ["CREATE", "OR", "ALTER", "PROCEDURE"]:
        return [batch]
    name = "".join(token.text for token in code[4:7])
    return [f"DROP PROCEDURE IF EXISTS {name};", batch[: code[1].start] + batch[code[3].start :]]
