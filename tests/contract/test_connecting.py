"""Where no queue is: unknown engine, unreachable server, nothing deployed, a newer or older database."""

from __future__ import annotations

from pathlib import Path

import pytest

from chokaq import (
    ConnectionFailedError,
    DatabaseNewerError,
    DatabaseOlderError,
    InvalidUrlError,
    NotDeployedError,
    UnknownEngineError,
    connect,
)
from chokaq.deploy import deploy
from tests.contract.support import Database, new_schema

SECRET = "pa55-word"


@pytest.mark.parametrize("url", ["oracle://u:p@host/db", "postgresql://host/db", "sqlite:///file.db"])
def test_an_engine_that_nobody_knows(url: str) -> None:
    with pytest.raises(UnknownEngineError, match="embedded"):
        connect(url)


@pytest.mark.parametrize(
    "url", ["", "jobs.db", "embedded://host/file", "embedded:///", "mssql://", "mssql://h:x/d"]
)
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(InvalidUrlError):
        connect(url)


def test_a_server_that_nobody_reaches(server_url: str) -> None:
    with pytest.raises(ConnectionFailedError) as caught:
        connect(f"mssql://someone:{SECRET}@127.0.0.1:9/jobs?login_timeout=2")
    assert SECRET not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no folder", encoding="utf-8")
    with pytest.raises(ConnectionFailedError, match="plain"):
        connect(f"embedded://{tmp_path.as_posix()}/plain/jobs.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    path.write_text("this is not a database, and long enough to be read as one\n" * 50, encoding="utf-8")
    with pytest.raises(ConnectionFailedError):
        connect(f"embedded://{path.as_posix()}")


def test_a_database_without_chokaq(db: Database) -> None:
    schema = new_schema()
    with pytest.raises(NotDeployedError, match=schema) as caught:
        connect(db.url, schema)
    assert "chokaq deploy" in str(caught.value)
    assert type(caught.value) is NotDeployedError


def test_a_database_of_a_newer_package(db: Database) -> None:
    newest = db.scalar("SELECT MAX([Version]) AS [v] FROM [chokaq].[SchemaMigrations];")
    db.sql(
        "INSERT INTO [chokaq].[SchemaMigrations]"
        " ([Version], [Name], [Sha256], [AppliedBy], [DurationMs], [PackageVersion])"
        " VALUES (?, 'from_the_future', REPLICATE('0', 64), N'test', 0, '99.0');",
        newest + 1,
    )
    try:
        with pytest.raises(DatabaseNewerError, match=r"99\.0"):
            connect(db.url, db.schema)
        with pytest.raises(DatabaseNewerError):
            deploy(db.url, schema=db.schema)
    finally:
        db.sql("DELETE FROM [chokaq].[SchemaMigrations] WHERE [Version] = ?;", newest + 1)
    connect(db.url, db.schema).close()


def test_a_database_of_an_older_package(db: Database) -> None:
    rows = db.sql("SELECT * FROM [chokaq].[SchemaMigrations] ORDER BY [Version] DESC;")
    newest = rows[0]["Version"]
    db.sql("UPDATE [chokaq].[SchemaMigrations] SET [Version] = [Version] - 1000;")
    try:
        with pytest.raises(DatabaseOlderError, match="chokaq deploy"):
            connect(db.url, db.schema)
    finally:
        db.sql("UPDATE [chokaq].[SchemaMigrations] SET [Version] = [Version] + 1000;")
    assert connect(db.url, db.schema).check_version() == newest


def test_a_second_deployment_changes_nothing(db: Database) -> None:
    assert not deploy(db.url, schema=db.schema).changed


def test_names_of_tables_and_schemas_cannot_be_smuggled_in(db: Database) -> None:
    for schema in ("a]b", "x; DROP TABLE y", "", "1a", "a.b"):
        with pytest.raises(ValueError, match="schema"):
            connect(db.url, schema)
