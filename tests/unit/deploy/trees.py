"""Makes small sets of ``.sql`` files for tests of the runner."""

from __future__ import annotations

from pathlib import Path

SETS = "SET ANSI_NULLS ON;\nSET QUOTED_IDENTIFIER ON;\nGO\n"

LEDGER = """
CREATE SCHEMA [chokaq];
GO
CREATE TABLE [chokaq].[SchemaMigrations] (
    [Version] INT NOT NULL,
    [Name] VARCHAR(200) NOT NULL,
    [Description] NVARCHAR(1000) NULL,
    [Sha256] CHAR(64) NOT NULL,
    [AppliedAtUtc] DATETIME2(7) NOT NULL,
    [AppliedBy] NVARCHAR(128) NOT NULL,
    [DurationMs] BIGINT NOT NULL,
    [PackageVersion] VARCHAR(50) NOT NULL,
    CONSTRAINT [PK_SchemaMigrations] PRIMARY KEY CLUSTERED ([Version])
);
GO
CREATE TABLE [chokaq].[SchemaModules] (
    [Name] VARCHAR(128) NOT NULL,
    [Version] INT NOT NULL,
    [Sha256] CHAR(64) NOT NULL,
    [DeployedAtUtc] DATETIME2(7) NOT NULL,
    [PackageVersion] VARCHAR(50) NOT NULL,
    CONSTRAINT [PK_SchemaModules] PRIMARY KEY CLUSTERED ([Name])
);
GO
"""


def procedure(name: str, body: str = "SELECT 1 AS [One];", version: int = 1, parameters: str = "") -> str:
    """The text of a procedure's file, in the form that the loader wants."""
    return f"""{SETS}
/*
Purpose: for a test.
Version: {version}
*/
CREATE OR ALTER PROCEDURE [chokaq].[{name}]{parameters}
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    {body}
END;
GO
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files, by path relative to ``root``; a text of None is not possible, delete the file instead."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))
    return root


def small_tree(root: Path) -> Path:
    """Two one-time scripts, two procedures of which one calls the other, one permission script."""
    return write(
        root,
        {
            "db/migrations/0001_ledger.sql": SETS + LEDGER,
            "db/migrations/0002_things.sql": SETS
            + "/* One-time script: things that\ntests look at. And more. */\n"
            + "CREATE TABLE [chokaq].[Things] (\n"
            + "    [Id] INT NOT NULL,\n"
            + "    CONSTRAINT [PK_Things] PRIMARY KEY CLUSTERED ([Id])\n);\nGO\n"
            + "INSERT INTO [chokaq].[Things] ([Id]) VALUES (1);\nGO\n",
            "procs/jobs/CountThings.sql": procedure(
                "CountThings", "SELECT COUNT(*) AS [Things]\n    FROM [chokaq].[Things];"
            ),
            "procs/jobs/AskForThings.sql": procedure("AskForThings", "EXECUTE [chokaq].[CountThings];"),
            "db/permissions/0001_roles.sql": SETS
            + "IF DATABASE_PRINCIPAL_ID(PARSENAME(N'[chokaq_worker]', 1)) IS NULL\nBEGIN\n"
            + "    CREATE ROLE [chokaq_worker];\nEND;\nGO\n"
            + "GRANT EXECUTE ON OBJECT::[chokaq].[AskForThings] TO [chokaq_worker];\nGO\n",
        },
    )
