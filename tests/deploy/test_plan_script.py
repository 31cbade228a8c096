"""Rendered plans, run as a DBA's client runs them, and ``expect_plan``."""

from __future__ import annotations

import hashlib

import pytest

from chokaq.deploy import PlanChangedError, deploy, offline_plan_script, plan_script
from tests.unit.deploy.trees import SETS, procedure, write

from .places import Place, run_on


def test_the_script_does_what_a_deployment_does(whole: Place) -> None:
    script = whole.plan_script()
    assert script.data == whole.plan_script().data
    assert script.sha256 == hashlib.sha256(script.data).hexdigest()
    with whole.connection() as connection:
        assert run_on(connection, script.text) == []
    assert not whole.deploy().changed
    assert whole.drift() == []
    assert whole.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaMigrations];") == whole.package.newest
    with whole.connection() as connection:
        errors = run_on(connection, script.text)
    assert "is not as it was when this plan was made" in errors[0]
    assert not whole.deploy().changed
    assert not whole.plan_script().plan.is_pending
    with whole.connection() as connection:  # what is left of a plan grants again
        assert run_on(connection, whole.plan_script().text) == []


def test_an_offline_script_does_the_same(place: Place) -> None:
    dialect = place.dialect()
    script = offline_plan_script(schema=place.schema, dialect=dialect, package=place.package)
    with place.connection() as connection:
        assert run_on(connection, script.text) == []
    assert not place.deploy().changed
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 1


def test_a_later_script_holds_only_what_is_new(place: Place) -> None:
    place.deploy()
    write(
        place.root,
        {
            "db/migrations/0003_more.sql": SETS + "ALTER TABLE [chokaq].[Things] ADD [More] INT NULL;\nGO\n",
            "procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];"),
        },
    )
    script = place.plan_script()
    assert "0002_things by chokaq" in script.text  # the version before
    assert "CREATE TABLE" not in script.text
    assert "Things (ALTER TABLE: nobody reads or writes meanwhile)" in script.text
    assert "none: restore a backup" in script.text
    with place.connection() as connection:
        assert run_on(connection, script.text) == []
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 42
    assert not place.deploy().changed


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        # a run-time error, a syntax error, and one in the last transaction
        ("db/migrations/0002_things.sql", "VALUES (1)", "VALUES (NULL)"),
        ("db/migrations/0002_things.sql", "VALUES (1);", "VALUES VALUES (1);"),
        ("procs/jobs/CountThings.sql", "SELECT COUNT(*)", "SELEKT FROM FROM"),
    ],
)
def test_after_an_error_nothing_more_is_done(place: Place, path: str, old: str, new: str) -> None:
    text = (place.root / path).read_text(encoding="utf-8")
    assert old in text
    write(place.root, {path: text.replace(old, new)})
    script = place.plan_script()
    with place.connection() as connection:
        errors = run_on(connection, script.text)
        if place.engine == "server":
            assert "NOT carried out to its end" in errors[-1]
            # The session is usable again, and the lock is free.
            assert run_on(connection, "CREATE TABLE #t ([a] INT NULL);\nGO\nDROP TABLE #t;\nGO\n") == []
    assert errors
    if place.engine == "embedded":
        # Only programs drive this engine, and those stop; run_on does not, so look at the first error alone.
        return
    with place.session() as session, session.deployment_lock(place.schema, 0.5):
        pass
    expected = 1 if path.startswith("db") else 2
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaMigrations];") == expected
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaModules];") == 0
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[AskForThings]', N'P') AS [Id];") is None
    write(place.root, {path: text})
    place.deploy()
    assert place.drift() == []


def test_the_wrong_database_is_refused(place: Place) -> None:
    script = place.plan_script()
    name = place.scalar("SELECT DB_NAME() AS [n];")
    if place.engine == "embedded":
        pytest.skip("its plans are for one file, which has no other name")
    wrong = script.text.replace(f"DB_NAME() <> N'{name}'", "DB_NAME() <> N'payroll'")
    assert wrong != script.text
    with place.connection() as connection:
        errors = run_on(connection, wrong)
    assert "made for database" in errors[0]
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[SchemaMigrations]', N'U') AS [Id];") is None


def test_a_script_waits_for_no_lock_that_another_holds(place: Place) -> None:
    # The wait is a minute; a second is enough to see that it is refused.
    script = place.plan_script().text.replace("@LockTimeout = 60000", "@LockTimeout = 500")
    with place.session() as session, session.deployment_lock(place.schema, 1), place.connection() as other:
        errors = run_on(other, script)
    assert "holds the lock" in errors[0]
    if place.engine == "server":
        assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[SchemaMigrations]', N'U') AS [Id];") is None


def test_a_deployment_of_a_signed_plan(place: Place) -> None:
    signed = place.plan_script().sha256
    path = place.root / "procs/jobs/CountThings.sql"
    text = path.read_text(encoding="utf-8")
    write(place.root, {"procs/jobs/CountThings.sql": text.replace("COUNT(*)", "COUNT_BIG(*)")})
    with pytest.raises(PlanChangedError, match=signed):
        place.deploy(expect_plan=signed)
    assert place.scalar("SELECT OBJECT_ID(N'[chokaq].[SchemaMigrations]', N'U') AS [Id];") is None
    write(place.root, {"procs/jobs/CountThings.sql": text})
    assert place.deploy(expect_plan=signed.upper()).changed
    with pytest.raises(PlanChangedError):  # it was carried out: now the plan is another
        place.deploy(expect_plan=signed)


def test_a_plan_for_another_schema_is_another(place: Place) -> None:
    other = plan_script(place.url, schema=f"{place.schema}_b", package=place.package)
    with pytest.raises(PlanChangedError):
        deploy(place.url, schema=place.schema, package=place.package, expect_plan=other.sha256)
