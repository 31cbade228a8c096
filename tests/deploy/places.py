"""Where a test of the runner deploys: a database, a schema of its own, and the tree of scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chokaq.connection import Connector
from chokaq.deploy import (
    DeployReport,
    PlanScript,
    SqlPackage,
    UndoPlan,
    Verification,
    deploy,
    load_package,
    plan_script,
    undo,
    verify,
)
from chokaq.deploy.batches import split
from chokaq.deploy.server import Dialect, Server
from chokaq.deploy.session import Session


@dataclass
class Place:
    """A database and a schema of one test, and the tree that it deploys."""

    engine: str
    url: str = field(repr=False)  # it may hold a password
    schema: str
    root: Path

    @property
    def package(self) -> SqlPackage:
        return load_package(self.root)

    def deploy(self, **options: Any) -> DeployReport:
        return deploy(self.url, schema=self.schema, package=self.package, **options)

    def undo(self, **options: Any) -> UndoPlan:
        return undo(self.url, schema=self.schema, package=self.package, **options)

    def verify(self) -> Verification:
        return verify(self.url, schema=self.schema, package=self.package)

    def plan_script(self) -> PlanScript:
        return plan_script(self.url, schema=self.schema, package=self.package)

    def dialect(self) -> Dialect:
        with self.session() as session:
            return Server.of(session).dialect

    def drift(self) -> list[str]:
        """The differences as text, in lower case, since one server keeps names that way."""
        return [" ".join(str(each).lower().split()) for each in self.verify().differences]

    @contextlib.contextmanager
    def connection(self) -> Iterator[Any]:
        connection = Connector(self.url).open()
        try:
            yield connection
        finally:
            with contextlib.suppress(Exception):  # a test may have closed it
                connection.close()

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        with self.connection() as connection:
            yield Session(connection)

    def named(self, text: str) -> str:
        """T-SQL of the test under this place's schema name."""
        return text.replace("[chokaq", f"[{self.schema}")

    def scalar(self, text: str) -> Any:
        with self.session() as session:
            return session.scalar(self.named(text))

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        with self.session() as session:
            return [tuple(row) for row in session.execute(self.named(text))]

    def run(self, script: str) -> None:
        """Run a script batch by batch, as a client does that stops at the first error."""
        with self.connection() as connection:
            for batch in split(self.named(script)):
                send(connection, batch.text)


def send(connection: Any, text: str) -> None:
    """One batch, all of its results read."""
    cursor = connection.cursor()
    try:
        cursor.execute(text)
        while cursor.nextset():
            pass
    finally:
        cursor.close()


def run_on(connection: Any, script: str) -> list[str]:
    """Run a script as clients do by default: on and on, whatever fails. The errors."""
    errors = []
    for batch in split(script):
        try:
            send(connection, batch.text)
        except Exception as error:  # noqa: PERF203
            errors.append(str(error))
    return errors


def wipe(session: Session, schema: str) -> None:
    """Drop everything in a schema, then the schema and its roles."""

    def names(text: str) -> list[str]:
        return [str(row[0]) for row in session.execute(text)]

    owned = f"WHERE [o].[schema_id] = SCHEMA_ID(N'{schema}')"
    for name in names(f"SELECT [o].[name] FROM [sys].[procedures] AS [o] {owned};"):
        session.execute(f"DROP PROCEDURE [{schema}].[{name}];")
    for name in names(f"SELECT [o].[name] FROM [sys].[tables] AS [o] {owned};"):
        session.execute(f"DROP TABLE [{schema}].[{name}];")
    for name in names(f"SELECT [o].[name] FROM [sys].[table_types] AS [o] {owned};"):
        session.execute(f"DROP TYPE [{schema}].[{name}];")
    session.execute(f"DROP SCHEMA IF EXISTS [{schema}];")
    roles = "SELECT [p].[name] FROM [sys].[database_principals] AS [p] WHERE [p].[type] = 'R';"
    for name in names(roles):
        if name.lower().startswith(f"{schema.lower()}_"):
            session.execute(f"DROP ROLE [{name}];")
