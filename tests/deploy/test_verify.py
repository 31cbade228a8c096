"""Drift: every sort of change behind the package's back is found, and a DBA's own objects are not drift."""

from __future__ import annotations

import pytest

from tests.unit.deploy.trees import SETS, procedure, write

from .places import Place

MORE = (
    SETS
    + """
CREATE TABLE [chokaq].[Parts] (
    [Id] INT NOT NULL,
    [Name] VARCHAR(50) NOT NULL,
    [Note] NVARCHAR(100) NULL,
    [Priority] INT NOT NULL CONSTRAINT [DF_Parts_Priority] DEFAULT (10),
    [AtUtc] DATETIME2(7) NULL,
    CONSTRAINT [PK_Parts] PRIMARY KEY CLUSTERED ([Id]),
    CONSTRAINT [CK_Parts_Priority] CHECK ([Priority] BETWEEN 0 AND 100)
);
GO

/* A reason. */
CREATE NONCLUSTERED INDEX [IX_Parts_Name] ON [chokaq].[Parts]([Name], [Priority] DESC)
WHERE [AtUtc] IS NOT NULL;
GO

CREATE UNIQUE NONCLUSTERED INDEX [IX_Parts_NameAt] ON [chokaq].[Parts]([Name], [AtUtc]);
GO

CREATE TYPE [chokaq].[PartRows] AS TABLE ([Id] INT NOT NULL, PRIMARY KEY CLUSTERED ([Id]));
GO
"""
)


@pytest.fixture
def place(place: Place) -> Place:
    write(place.root, {"db/migrations/0003_parts.sql": MORE})
    place.deploy()
    return place


def test_nothing_is_found_where_nothing_was_changed(place: Place) -> None:
    assert place.drift() == []
    found = place.verify()
    assert not found.plan.is_pending
    if place.engine == "server":
        assert "grants" in found.unseen or found.unseen == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("DROP INDEX [IX_Parts_Name] ON [chokaq].[Parts];", "missing index ix_parts_name of parts"),
        (
            "CREATE NONCLUSTERED INDEX [IX_Extra] ON [chokaq].[Parts]([Priority]);",
            "unexpected index ix_extra",
        ),
        ("ALTER TABLE [chokaq].[Parts] ADD [Extra] INT NULL;", "unexpected column parts.extra: int"),
        ("ALTER TABLE [chokaq].[Parts] DROP COLUMN [Note];", "missing column parts.note"),
        (
            "ALTER TABLE [chokaq].[Parts] ALTER COLUMN [Note] NVARCHAR(200) NULL;",
            "changed column parts.note: nvarchar(200), should be nvarchar(100)",
        ),
        (
            "ALTER TABLE [chokaq].[Parts] ALTER COLUMN [Note] NVARCHAR(100) NOT NULL;",
            "changed column parts.note: does not allow null",
        ),
        (
            "ALTER TABLE [chokaq].[Parts] DROP CONSTRAINT [CK_Parts_Priority];",
            "missing check ck_parts_priority of parts",
        ),
        (
            "ALTER TABLE [chokaq].[Parts] DROP CONSTRAINT [CK_Parts_Priority];\nGO\n"  # noqa: ISC004
            "ALTER TABLE [chokaq].[Parts] ADD CONSTRAINT [CK_Parts_Priority] CHECK ([Priority] < 7);",
            "changed check ck_parts_priority of parts",
        ),
        ("DROP TYPE [chokaq].[PartRows];", "missing type partrows"),
        ("CREATE TABLE [chokaq].[Stray] ([Id] INT NOT NULL);", "unexpected table stray"),
        ("DROP PROCEDURE [chokaq].[AskForThings];", "missing procedure askforthings"),
        (
            "CREATE PROCEDURE [chokaq].[Stray] AS BEGIN SELECT 1 AS [One]; END;",
            "unexpected procedure stray",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_change_is_found(place: Place, change: str, expected: str) -> None:
    try:
        place.run(change)
    except Exception as error:
        pytest.skip(f"this engine cannot make the change: {error}"[:120])
    found = place.drift()
    assert any(each.startswith(expected) for each in found), found


def test_another_key_order_is_found(place: Place) -> None:
    place.run(
        "DROP INDEX [IX_Parts_NameAt] ON [chokaq].[Parts];\nGO\n"
        "CREATE NONCLUSTERED INDEX [IX_Parts_NameAt] ON [chokaq].[Parts]([AtUtc], [Name] DESC);"
    )
    assert place.drift() == [
        "changed index ix_parts_nameat of parts: not unique",
        "changed index ix_parts_nameat of parts: (atutc, name desc), should be (name, atutc)",
    ]


def test_another_filter_is_found_where_filters_are_told(place: Place) -> None:
    place.run(
        "DROP INDEX [IX_Parts_Name] ON [chokaq].[Parts];\nGO\n"
        "CREATE NONCLUSTERED INDEX [IX_Parts_Name] ON [chokaq].[Parts]([Name], [Priority] DESC);"
    )
    found = place.verify()
    if "filters of indexes" in found.unseen:
        assert found.differences == ()
    else:
        assert "filter None, should be [AtUtc] IS NOT NULL" in str(found.differences[0])


def test_an_edited_procedure_is_found_and_a_deployment_of_it_is_pending_not_drift(place: Place) -> None:
    edited = procedure("CountThings", "SELECT 42 AS [Things];")
    created = edited[edited.index("CREATE OR ALTER") :]
    place.run("DROP PROCEDURE [chokaq].[CountThings];\nGO\n" + created.replace("OR ALTER ", ""))
    assert place.drift() == ["changed procedure countthings: its text is not the package's"]
    write(place.root, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT 43 AS [Things];")})
    assert place.drift() == []
    assert place.verify().plan.is_pending
    place.deploy()
    assert place.drift() == []
    assert place.scalar("EXECUTE [chokaq].[AskForThings];") == 43


def test_spacing_is_not_drift(place: Place) -> None:
    text = (place.root / "procs/jobs/CountThings.sql").read_text(encoding="utf-8")
    created = text[text.index("CREATE OR ALTER") :].replace("OR ALTER ", "").replace("    ", "\t")
    place.run("DROP PROCEDURE [chokaq].[CountThings];\nGO\n" + created)
    assert place.drift() == []


def test_what_a_dba_adds_under_the_prefix_is_not_drift(place: Place) -> None:
    place.run(
        "CREATE NONCLUSTERED INDEX [DBA_Parts_Priority] ON [chokaq].[Parts]([Priority]);\nGO\n"
        "CREATE TABLE [chokaq].[DBA_Notes] ([Id] INT NOT NULL);\nGO\n"
        "CREATE PROCEDURE [chokaq].[DBA_Look] AS BEGIN SELECT 1 AS [One]; END;"
    )
    assert place.drift() == []
    assert not place.deploy().changed


def test_grants_are_compared_where_they_are_told(place: Place) -> None:
    place.run("REVOKE EXECUTE ON OBJECT::[chokaq].[AskForThings] FROM [chokaq_worker];")
    place.run("GRANT EXECUTE ON OBJECT::[chokaq].[CountThings] TO [chokaq_worker];")
    found = place.verify()
    if "grants" in found.unseen:
        assert found.differences == ()
        return
    assert [str(each).split()[0] for each in found.differences] == ["missing", "unexpected"]
    place.run("REVOKE EXECUTE ON OBJECT::[chokaq].[CountThings] FROM [chokaq_worker];")
    place.deploy()
    assert place.drift() == []


def test_before_the_first_deployment_there_is_no_drift(place: Place) -> None:
    place.schema += "_new"
    found = place.verify()
    assert found.differences == ()
    assert found.plan.is_pending
