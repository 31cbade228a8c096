"""The spelling for a server that has no CREATE OR ALTER."""

from __future__ import annotations

from chokaq.deploy.steps import drop_and_create


def test_a_procedure_is_dropped_and_created() -> None:
    header = "/* header: CREATE OR ALTER PROCEDURE [x].[y] */\n"
    rest = "PROCEDURE [jobs].[Fetch] @a INT\nAS SELECT N'CREATE OR ALTER PROCEDURE';"
    assert drop_and_create(f"{header}create  or alter {rest}") == [
        "DROP PROCEDURE IF EXISTS [jobs].[Fetch];",
        f"{header}create  {rest}",
    ]


def test_other_batches_stay_as_they_are() -> None:
    for batch in (
        "SET ANSI_NULLS ON;",
        "SELECT 1 AS [CREATE OR ALTER PROCEDURE];",
        "CREATE TABLE [a].[b] ([c] INT);",
    ):
        assert drop_and_create(batch) == [batch]
