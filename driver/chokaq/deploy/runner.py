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
from .errors import DeployError, LosesJobsError, PlanChangedError, ScriptFailedError
from .plan import Plan, make_plan
from .render import PlanScript, PlanTarget, render
from .scripts import DEFAULT_SCHEMA, SqlPackage, load_package, validate_schema
from .server import Dialect, Server, check_server
from .session import Session
from .steps import Step, steps_of
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
    expect_plan: str | None = None,
) -> DeployReport:
    """Bring a database to the state of this package; doing it again changes nothing.

    ``target`` is whatever ``chokaq.connect`` takes: a URL or ODBC string, a callable, or an open
    connection in autocommit mode, which stays open. ``lock_timeout`` is in seconds: how long to wait
    for another deployment. ``report`` is called with a line of text for each thing done. ``expect_plan`` is
    the SHA-256 of a plan that somebody agreed to: anything else is refused with :class:`PlanChangedError`.

    Each one-time script and its ledger row are one transaction; the changed procedures, their ledger
    rows and the permissions are one more. Raises a :class:`DeployError`; what was committed before it
    stays, the failing step leaves nothing.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    started = time.monotonic()
    with open_connection(target) as connection:
        session = Session(connection)
        with session.deployment_lock(schema, lock_timeout):
            server, recorded, plan = prepare(session, schema, package)
            if expect_plan is not None:
                target = PlanTarget(schema, server.dialect, server.database)
                _expect(render(plan, recorded, package, target).sha256, expect_plan)
            if plan.is_pending:
                check_server(session, server)
            for step in steps_of(plan, schema, server.dialect):
                run_step(session, step, report)
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
        server, recorded, plan = prepare(session, schema, package)
        return Status(schema, server.name, __version__, recorded.migrations, plan)


def plan_script(
    target: Source,
    *,
    schema: str = DEFAULT_SCHEMA,
    package: SqlPackage | None = None,
) -> PlanScript:
    """The script that :func:`deploy` would run now, for a DBA to read and run. Changes nothing."""
    validate_schema(schema)
    package = load_package() if package is None else package
    with open_connection(target) as connection:
        server, recorded, plan = prepare(Session(connection), schema, package)
        return render(plan, recorded, package, PlanTarget(schema, server.dialect, server.database))


def offline_plan_script(
    *,
    schema: str = DEFAULT_SCHEMA,
    dialect: Dialect = Dialect.SQLSERVER,
    package: SqlPackage | None = None,
) -> PlanScript:
    """The script for an empty database, made without a connection."""
    validate_schema(schema)
    package = load_package() if package is None else package
    nothing = ledger.Ledger()
    plan = make_plan(package, nothing, __version__)
    return render(plan, nothing, package, PlanTarget(schema, dialect, None))


def _expect(found: str, wanted: str) -> None:
    if found != wanted.strip().lower():
        raise PlanChangedError(
            f"the plan for this database has the SHA-256 {found}, not {wanted}: the database or the package"
            " is not what it was when the plan was made. Make a new one. Nothing was done."
        )


def prepare(session: Session, schema: str, package: SqlPackage) -> tuple[Server, ledger.Ledger, Plan]:
    """Read the database's state and work out the plan. Call it while the deployment lock is held."""
    server = Server.of(session)
    recorded = ledger.read(session, schema)
    return server, recorded, make_plan(package, recorded, __version__)


def run_step(
    session: Session, step: Step, report: Reporter, check: Callable[[Session], None] | None = None
) -> None:
    """Run a step in one transaction; report its parts when it is committed.

    ``check`` runs first, in the same transaction, and may refuse by raising.
    """
    started = time.monotonic()
    with _failures_named(step), session.transaction():
        if check is not None:
            check(session)
        for part in step.parts:
            for action in part.actions:
                with _naming(action.path, action.line):
                    session.execute(action.text)
        elapsed = round((time.monotonic() - started) * 1000)
        if step.ledger_row is not None:
            session.execute(step.ledger_row(str(elapsed)))
    for part in step.parts:
        if part.done:
            report(part.done if step.script is None else f"{part.done} ({elapsed} ms)")


@contextlib.contextmanager
def _failures_named(step: Step) -> Iterator[None]:
    try:
        yield
    except (ScriptFailedError, LosesJobsError):
        raise
    except DeployError as error:
        raise ScriptFailedError(step.title, 1, str(error)) from error


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
