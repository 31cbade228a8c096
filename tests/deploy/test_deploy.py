"""Deployments into a real database: each engine of this run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from chokaq.connection import Connector
from chokaq.deploy import (
    DatabaseNewerError,
    DeployReport,
    LockTimeoutError,
    ScriptChangedError,
    ScriptFailedError,
    deploy,
    load_package,
    status,
)
from tests.unit.deploy.trees import SETS, procedure, write

from .places import Place


def test_a_deployment_makes_everything_and_a_second_one_nothing(place: Place) -> None:
    lines: list[str] = []
    first = place.deploy(report=lines.append)
    assert first.migrations == ("db/migrations/0001_ledger.sql", "db/migrations/0002_things.sql")
    assert first.procedures == ("CountThings", "AskForThings")
    assert first.changed
    assert any("0002_things" in line for line in lines)
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 1
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaMigrations];") == 2

    written = place.scalar("SELECT MAX([DeployedAtUtc]) AS [t] FROM [chokaq].[SchemaModules];")
    lines.clear()
    second = place.deploy(report=lines.append)
    assert (second.migrations, second.procedures, second.dropped) == ((), (), ())
    assert not second.changed
    assert "nothing changed" in lines[-1]
    assert place.scalar("SELECT MAX([DeployedAtUtc]) AS [t] FROM [chokaq].[SchemaModules];") == written


def test_only_the_procedure_that_changed_is_redeployed(place: Place) -> None:
    place.deploy()
    write(place.root, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];")})
    done = place.deploy()
    assert done.procedures == ("CountThings",)
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 42


def test_a_procedure_that_left_the_package_is_dropped(place: Place) -> None:
    place.deploy()
    (place.root / "procs/jobs/AskForThings.sql").unlink()
    write(place.root, {"db/permissions/0001_roles.sql": SETS + "SELECT 1 AS [Nothing];\nGO\n"})
    lines: list[str] = []
    assert place.deploy(report=lines.append).dropped == ("AskForThings",)
    assert any("dropped" in line for line in lines)
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[AskForThings]', N'P') AS [Id];") is None
    assert not place.deploy().changed


def test_a_changed_script_stops_the_deployment(place: Place) -> None:
    place.deploy()
    path = place.root / "db/migrations/0002_things.sql"
    path.write_text(path.read_text(encoding="utf-8") + "\n-- one more line\n", encoding="utf-8")
    write(place.root, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];")})
    with pytest.raises(ScriptChangedError, match="0002_things"):
        place.deploy()
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 1


def test_an_older_package_stops_the_deployment(place: Place) -> None:
    write(place.root, {"db/migrations/0003_more.sql": SETS + "SELECT 1 AS [Nothing];\nGO\n"})
    place.deploy()
    older = load_package(place.root)
    older = replace(older, migrations=older.migrations[:2])
    with pytest.raises(DatabaseNewerError, match="0003"):
        deploy(place.url, schema=place.schema, package=older)


def test_nothing_remains_of_a_script_that_fails_in_the_middle(place: Place) -> None:
    bad = SETS + (
        "CREATE TABLE [chokaq].[Half] ([Id] INT NOT NULL);\nGO\n"
        "INSERT INTO [chokaq].[Half] ([Id]) VALUES (1);\nGO\n\n"
        "INSERT INTO [chokaq].[Half] ([Id]) VALUES (NULL);\nGO\n"
    )
    write(place.root, {"db/migrations/0003_bad.sql": bad})
    with pytest.raises(ScriptFailedError, match=r"0003_bad\.sql, batch at line 9: error 515") as caught:
        place.deploy()
    assert caught.value.line == 9
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[Half]', N'U') AS [Id];") is None
    assert place.scalar("SELECT MAX([Version]) AS [v] FROM [chokaq].[SchemaMigrations];") == 2
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[CountThings]', N'P') AS [Id];") is None
    write(place.root, {"db/migrations/0003_bad.sql": bad.replace("(NULL);", "(2);")})
    assert place.deploy().migrations == ("db/migrations/0003_bad.sql",)
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Half];") == 2
    place.scalar("DROP TABLE [chokaq].[Half];")


def test_one_bad_procedure_leaves_all_procedures_as_they_were(place: Place) -> None:
    place.deploy()
    write(
        place.root,
        {
            "procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];"),
            "procs/jobs/AskForThings.sql": procedure("AskForThings", "SELEKT 1;"),
        },
    )
    with pytest.raises(ScriptFailedError, match=r"procs/jobs/AskForThings\.sql"):
        place.deploy()
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 1
    assert status(place.url, schema=place.schema, package=load_package(place.root)).plan.is_pending


def test_a_deployment_waits_for_another_and_gives_up_in_time(place: Place) -> None:
    with place.session() as session, session.deployment_lock(place.schema, 1):
        with pytest.raises(LockTimeoutError, match="another deployment"):
            place.deploy(lock_timeout=0.2)
        with place.session() as other, other.deployment_lock(f"{place.schema}_b", 0.2):
            pass  # another schema has a lock of its own
    assert place.deploy(lock_timeout=0.2).changed


def test_of_deployments_at_once_one_does_the_work(place: Place) -> None:
    reports: list[DeployReport] = []
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def run() -> None:
        try:
            barrier.wait()
            reports.append(place.deploy(lock_timeout=60))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(len(report.migrations) for report in reports) == [0, 0, 0, 2]
    assert sorted(len(report.procedures) for report in reports) == [0, 0, 0, 2]
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Things];") == 1


_DIES_BEFORE_COMMIT = """
import os, pathlib, signal, sys
from chokaq.deploy import deploy, ledger, load_package

record = ledger.record_migration

def die_at_third(script, *rest):
    if script.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return record(script, *rest)

ledger.record_migration = die_at_third
deploy(os.environ["TEST_URL"], schema=sys.argv[1], package=load_package(pathlib.Path(sys.argv[2])))
"""


def test_a_deployment_that_is_killed_leaves_whole_scripts_and_no_lock(place: Place) -> None:
    write(
        place.root,
        {"db/migrations/0003_half.sql": SETS + "CREATE TABLE [chokaq].[Half] ([Id] INT NOT NULL);\nGO\n"},
    )
    killed = subprocess.run(
        [sys.executable, "-c", _DIES_BEFORE_COMMIT, place.schema, str(place.root)],
        env={**os.environ, "TEST_URL": place.url},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert place.scalar("SELECT MAX([Version]) AS [v] FROM [chokaq].[SchemaMigrations];") == 2
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[Half]', N'U') AS [Id];") is None
    assert place.deploy(lock_timeout=10).migrations == ("db/migrations/0003_half.sql",)
    place.scalar("DROP TABLE [chokaq].[Half];")


def test_an_open_connection_is_used_and_stays_open(place: Place) -> None:
    connection = Connector(place.url).open()
    try:
        assert deploy(connection, schema=place.schema, package=load_package(place.root)).changed
        assert not deploy(connection, schema=place.schema, package=load_package(place.root)).changed
    finally:
        connection.close()


def test_byte_order_marks_and_line_ends_make_no_difference(place: Place) -> None:
    place.deploy()
    for path in place.root.rglob("*.sql"):
        data = path.read_bytes()
        path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert not place.deploy().changed
