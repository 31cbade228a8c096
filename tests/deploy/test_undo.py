"""Going back, and taking over."""

from __future__ import annotations

import pytest

from chokaq.deploy import BaselineError, LosesJobsError, NoUndoError, UndoPlan, baseline
from tests.unit.deploy.trees import SETS, procedure, write

from .places import Place

NOTES = {
    "db/migrations/0003_notes.sql": SETS
    + "ALTER TABLE [chokaq].[JobsHot] ADD [Note] VARCHAR(50) NULL;\nGO\n"
    + "CREATE TABLE [chokaq].[Notes] ([Id] INT NOT NULL);\nGO\n",
    "db/undo/0003_notes.sql": SETS
    + "/* Undo of 0003_notes.sql. Loses all notes. */\nDROP TABLE [chokaq].[Notes];\nGO\n"
    + "ALTER TABLE [chokaq].[JobsHot] DROP COLUMN [Note];\nGO\n",
    "procs/jobs/CountNotes.sql": procedure(
        "CountNotes", "SELECT COUNT(*) AS [Notes]\n    FROM [chokaq].[Notes];"
    ),
    "procs/jobs/AskForNotes.sql": procedure("AskForNotes", "EXECUTE [chokaq].[CountNotes];"),
}


@pytest.fixture
def place(place: Place) -> Place:
    things = (place.root / "db/migrations/0002_things.sql").read_text(encoding="utf-8")
    jobs = "CREATE TABLE [chokaq].[JobsHot] (\n    [Id] INT NOT NULL\n);\nGO\n"
    write(
        place.root,
        {
            "db/migrations/0002_things.sql": things + jobs,
            "db/undo/0002_things.sql": SETS
            + "DROP TABLE [chokaq].[JobsHot];\nGO\nDROP TABLE [chokaq].[Things];\nGO\n",
            "db/undo/0001_ledger.sql": SETS
            + "DROP TABLE [chokaq].[SchemaModules];\nGO\nDROP TABLE [chokaq].[SchemaMigrations];\nGO\n"
            + "DROP SCHEMA [chokaq];\nGO\n",
            **NOTES,
        },
    )
    place.deploy()
    return place


def test_an_undo_takes_back_the_newest_and_what_needs_it(place: Place) -> None:
    seen: list[UndoPlan] = []
    lines: list[str] = []
    done = place.undo(to=2, confirm=lambda plan: seen.append(plan) or True, report=lines.append)
    assert seen == [done]
    assert done.scripts == ("db/undo/0003_notes.sql",)
    assert "all notes" in done.losses[0]
    assert {each.lower() for each in done.procedures} == {"countnotes", "askfornotes"}
    assert any("does not fit" in line for line in lines)
    assert place.scalar("SELECT MAX([Version]) AS [v] FROM [chokaq].[SchemaMigrations];") == 2
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 1  # what fits runs on
    assert place.drift() == []
    assert place.deploy().migrations == ("db/migrations/0003_notes.sql",)
    assert place.drift() == []


def test_nothing_happens_without_consent(place: Place) -> None:
    assert place.undo(to=0, confirm=lambda _: False).scripts
    assert not place.deploy().changed
    assert not place.undo(to=3).changes


def test_an_undo_of_everything_leaves_nothing(place: Place) -> None:
    place.undo(to=0)
    count = "SELECT COUNT(*) AS [n] FROM [sys].[objects] AS [o] WHERE [o].[schema_id] = SCHEMA_ID(N'{}');"
    assert place.scalar(count.format(place.schema)) == 0
    assert place.scalar(f"SELECT SCHEMA_ID(N'{place.schema}') AS [s];") is None
    assert place.scalar(f"SELECT DATABASE_PRINCIPAL_ID(N'{place.schema}_worker') AS [p];") is None
    assert place.deploy().changed
    assert place.drift() == []


def test_jobs_are_not_lost_unless_one_says_so(place: Place) -> None:
    place.run("INSERT INTO [chokaq].[JobsHot] ([Id], [Note]) VALUES (1, NULL);")
    place.undo(to=2)  # no job loses anything
    place.deploy()
    place.run("UPDATE [chokaq].[JobsHot] SET [Note] = 'x';")
    with pytest.raises(LosesJobsError, match="Note of 1 jobs"):
        place.undo(to=2)
    with pytest.raises(LosesJobsError, match="1 jobs of JobsHot"):
        place.undo(to=0)
    assert not place.deploy().changed
    place.undo(to=2, lose_jobs=True)
    with pytest.raises(LosesJobsError):
        place.undo(to=1)
    place.undo(to=0, lose_jobs=True)


def test_a_job_that_comes_in_between_stops_the_undo(place: Place) -> None:
    def confirm(_: UndoPlan) -> bool:
        place.run("INSERT INTO [chokaq].[JobsHot] ([Id], [Note]) VALUES (1, 'x');")
        return True

    with pytest.raises(LosesJobsError):
        place.undo(to=2, confirm=confirm)
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 1
    assert not place.deploy().changed


def test_a_version_that_cannot_be_gone_back_to(place: Place) -> None:
    with pytest.raises(NoUndoError, match="version 3"):
        place.undo(to=4)
    (place.root / "db/undo/0003_notes.sql").unlink()
    with pytest.raises(NoUndoError, match="has no undo script"):
        place.undo(to=2)
    assert not place.deploy().changed


def test_the_older_package_can_be_deployed_afterwards(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.run("DELETE FROM [chokaq].[SchemaMigrations] WHERE [Version] = 3;")
    place.run("DROP TABLE [chokaq].[Notes];\nGO\nALTER TABLE [chokaq].[JobsHot] DROP COLUMN [Note];")
    for module in ("runner", "steps"):
        monkeypatch.setattr(f"chokaq.deploy.{module}.__version__", "99.0")
    write(place.root, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 42 AS [Things];")})
    assert place.deploy().migrations
    place.undo(to=2)
    for path in NOTES:
        (place.root / path).unlink()
    monkeypatch.undo()
    place.deploy()
    assert place.drift() == []


def test_a_schema_that_was_made_by_hand_is_taken_over(place: Place) -> None:
    place.run("DELETE FROM [chokaq].[SchemaMigrations];\nGO\nDELETE FROM [chokaq].[SchemaModules];")
    done = baseline(place.url, schema=place.schema, package=place.package)
    assert len(done) == 3
    assert place.deploy().migrations == ()
    assert place.drift() == []
    with pytest.raises(BaselineError, match="already"):
        baseline(place.url, schema=place.schema, package=place.package)


def test_a_schema_that_differs_is_not_taken_over(place: Place) -> None:
    place.run("DELETE FROM [chokaq].[SchemaMigrations];\nGO\nDROP TABLE [chokaq].[Notes];")
    with pytest.raises(BaselineError, match=r"missing +table Notes"):
        baseline(place.url, schema=place.schema, package=place.package)
    with pytest.raises(BaselineError, match=r"unexpected +column"):
        baseline(place.url, schema=place.schema, package=place.package, version=2)
    with pytest.raises(BaselineError, match="1 to 3"):
        baseline(place.url, schema=place.schema, package=place.package, version=4)
    assert place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[SchemaMigrations];") == 0
