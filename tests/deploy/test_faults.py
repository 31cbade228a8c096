"""What goes wrong with deployments in the field: each leaves the database whole, and is told."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from chokaq.connection import Connector
from chokaq.deploy import (
    InvalidSchemaNameError,
    PackageError,
    ScriptFailedError,
    ScriptMissingError,
    ScriptOutOfOrderError,
    deploy,
    load_package,
    offline_plan_script,
    status,
)
from chokaq.deploy.errors import ServerRefusedError
from chokaq.deploy.server import Server, check_server
from tests.unit.deploy.trees import SETS, procedure, small_tree, write

from .places import Place, wipe


class Breaking:
    """A connection that is gone before the batch that holds a certain text."""

    def __init__(self, connection: Any, text: str) -> None:
        self.connection = connection
        self.text = text
        self.autocommit = True

    def cursor(self) -> Any:
        return _BreakingCursor(self)

    def close(self) -> None:
        self.connection.close()


class _BreakingCursor:
    def __init__(self, owner: Breaking) -> None:
        self._owner = owner
        self._cursor = owner.connection.cursor()

    def execute(self, text: str) -> Any:
        if self._owner.text in text:
            self._owner.connection.close()
        return self._cursor.execute(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


@pytest.mark.parametrize(
    ("moment", "scripts", "procedures"),
    [
        ("CREATE TABLE [{}].[Things]", 1, 0),
        ("COMMIT TRANSACTION", 0, 0),
        ("PROCEDURE [{}].[AskForThings]", 2, 0),
        ("GRANT EXECUTE", 2, 0),
    ],
)
def test_a_connection_that_is_lost_leaves_whole_steps(
    place: Place, moment: str, scripts: int, procedures: int
) -> None:
    with place.connection() as connection:
        broken = Breaking(connection, moment.format(place.schema))
        with pytest.raises(Exception):  # noqa: B017, PT011
            deploy(broken, schema=place.schema, package=place.package)
    made = place.scalar("SELECT OBJECT_ID(N'[chokaq].[SchemaMigrations]', N'U') AS [Id];") is not None
    assert made == (scripts > 0)
    if made:
        assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaMigrations];") == scripts
        assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaModules];") == procedures
    done = place.deploy(lock_timeout=20)
    assert len(done.migrations) == 2 - scripts
    assert place.drift() == []


def test_a_script_that_is_missing(place: Place) -> None:
    place.deploy()
    package = place.package
    write(place.root, {"db/migrations/0003_more.sql": SETS + "SELECT 1 AS [Nothing];\nGO\n"})
    (place.root / "db/migrations/0002_things.sql").rename(place.root / "db/migrations/0002_gone.sql")
    with pytest.raises(Exception, match="0002_things"):
        place.deploy()
    package = replace(package, migrations=package.migrations[1:])
    with pytest.raises(ScriptMissingError, match="0001_ledger"):
        deploy(place.url, schema=place.schema, package=package)


def test_scripts_in_another_order(place: Place) -> None:
    place.deploy()
    place.run("DELETE FROM [chokaq].[SchemaMigrations] WHERE [Version] = 1;")
    with pytest.raises(ScriptOutOfOrderError, match="0001_ledger"):
        place.deploy()


def test_two_scripts_of_one_number(place: Place) -> None:
    place.deploy()
    write(place.root, {"db/migrations/0002_other.sql": SETS + "SELECT 1 AS [Nothing];\nGO\n"})
    with pytest.raises(PackageError, match="0002"):
        place.deploy()


def test_go_in_comments_and_strings_and_go_with_a_count(place: Place) -> None:
    write(
        place.root,
        {
            "db/migrations/0003_go.sql": "\ufeff"
            + (
                SETS
                + "/* A comment with\nGO\nin it. */\n"
                + "INSERT INTO [chokaq].[Things] ([Id])\nSELECT MAX([t].[Id]) + 1 AS [Id]\n"
                + "FROM [chokaq].[Things] AS [t]\nWHERE N'\nGO\n' <> N'';\ngo 3\n"
            ).replace("\n", "\r\n")
        },
    )
    place.deploy()
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Things];") == 4
    with pytest.raises(PackageError, match="GO"):  # some clients would split it
        offline_plan_script(schema=place.schema, package=place.package)


@pytest.mark.parametrize(
    "name",
    [
        "x]; DROP TABLE [dbo].[t]; --",
        "x'--",
        "a b",
        "1st",
        "дом",
        "sys",
        "dbo",
        "",
        "x" * 101,
        "a.b",
        "a\nGO",
    ],
)
def test_a_schema_name_that_is_none(place: Place, name: str) -> None:
    with pytest.raises(InvalidSchemaNameError):
        deploy(place.url, schema=name, package=place.package)
    with pytest.raises(InvalidSchemaNameError):
        offline_plan_script(schema=name, package=place.package)


def test_a_path_with_other_letters(place: Place, tmp_path: Path) -> None:
    root = small_tree(tmp_path / "схема базы ✓")
    done = deploy(place.url, schema=place.schema, package=load_package(root))
    assert done.changed
    if place.engine == "embedded":
        url = f"embedded:///{tmp_path}/база данных.db"
        assert deploy(url, package=load_package(root)).changed
        assert not deploy(url, package=load_package(root)).changed


@contextmanager
def _stranger(place: Place) -> Iterator[Any]:
    """A login with no rights in the database but to come in."""
    name = f"{place.schema}_stranger"
    password = f"Pw!{os.urandom(12).hex()}aA1"
    place.run(
        f"CREATE LOGIN [{name}] WITH PASSWORD = N'{password}';\nGO\nCREATE USER [{name}] FOR LOGIN [{name}];"
    )
    try:
        whole = urlsplit(place.url)
        host = whole.netloc.rpartition("@")[2]
        connection = Connector(whole._replace(netloc=f"{name}:{quote(password)}@{host}").geturl()).open()
        try:
            yield connection
        finally:
            connection.close()
    finally:
        place.run(f"DROP USER [{name}];\nGO\nDROP LOGIN [{name}];")


def test_a_login_without_rights_is_told_which(place: Place) -> None:
    if place.engine == "embedded":
        pytest.skip("it has no logins")
    with _stranger(place) as connection, pytest.raises((ServerRefusedError, ScriptFailedError)) as caught:
        deploy(connection, schema=place.schema, package=place.package)
    assert "CREATE TABLE" in str(caught.value) or "permission denied" in str(caught.value)
    assert place.scalar(f"SELECT SCHEMA_ID(N'{place.schema}') AS [s];") is None


def test_a_database_that_is_read_only(place: Place) -> None:
    if place.engine == "embedded":
        place.deploy()
        path = Path(place.url.removeprefix("embedded:///"))
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        database.close()
        if os.geteuid() == 0:
            pytest.skip("the superuser may write to every file")
        path.chmod(stat.S_IRUSR)
        write(place.root, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];")})
        with pytest.raises(ScriptFailedError):
            place.deploy()
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
        return
    with place.session() as session:
        if Server.of(session).dialect.value != "babelfish":
            pytest.skip("needs a database that is read-only")
        session.execute(
            "SELECT [pg_catalog].[set_config](N'default_transaction_read_only', N'on',"
            " CAST(0 AS [pg_catalog].[bool])) AS [x];"
        )
        with pytest.raises(ScriptFailedError, match="read-only"):
            deploy(session._connection, schema=place.schema, package=place.package)
    assert place.scalar(f"SELECT SCHEMA_ID(N'{place.schema}') AS [s];") is None


def test_a_system_database_is_refused(place: Place) -> None:
    if place.engine == "embedded":
        pytest.skip("it has none")
    with place.session() as session:
        server = Server.of(session)
        with pytest.raises(ServerRefusedError, match="system database"):
            check_server(session, Server(server.name, server.dialect, "master"))


def test_an_error_in_the_middle_is_not_in_the_ledger_and_the_next_deployment_resumes(place: Place) -> None:
    bad = SETS + "CREATE TABLE [chokaq].[Half] ([Id] INT NOT NULL);\nGO\nSELECT 1 / 0 AS [x];\nGO\n"
    write(place.root, {"db/migrations/0003_bad.sql": bad})
    with pytest.raises(ScriptFailedError, match="0003_bad"):
        place.deploy()
    found = status(place.url, schema=place.schema, package=place.package)
    assert [each.number for each in found.applied] == [1, 2]
    assert [each.number for each in found.plan.migrations] == [3]
    write(place.root, {"db/migrations/0003_bad.sql": bad.replace("1 / 0", "1 / 1")})
    assert place.deploy().migrations == ("db/migrations/0003_bad.sql",)
    assert place.drift() == []


def test_a_schema_beside_another_is_not_touched(place: Place) -> None:
    place.deploy()
    other = f"{place.schema}_b"
    try:
        assert deploy(place.url, schema=other, package=place.package).changed
        assert not place.deploy().changed
        assert place.drift() == []
    finally:
        with place.session() as session:
            wipe(session, other)
