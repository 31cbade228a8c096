"""A small database with one test class, for tests of the framework itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chokaq.embedded import connect
from chokaq.embedded.tsqlt import TestResult, install, run

TABLES = (
    "CREATE SCHEMA [app]",
    """
    CREATE TABLE [app].[Items] (
        [Id] INT NOT NULL CONSTRAINT [PK_Items] PRIMARY KEY,
        [Name] VARCHAR(20) NOT NULL CONSTRAINT [DF_Items_Name] DEFAULT ('none'),
        [Price] INT NOT NULL,
        CONSTRAINT [CK_Items_Price] CHECK ([Price] >= 0),
        CONSTRAINT [UQ_Items_Name] UNIQUE ([Name])
    )
    """,
    "CREATE NONCLUSTERED INDEX [IX_Items_Price] ON [app].[Items]([Price])",
    "INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (1, 'kept', 5)",
    "CREATE TYPE [app].[Ids] AS TABLE([Id] INT NOT NULL PRIMARY KEY)",
    """
    CREATE PROCEDURE [app].[AddItem] @Id INT, @Name VARCHAR(20) = 'new', @Added INT = NULL OUTPUT
    AS
    BEGIN
        SET NOCOUNT, XACT_ABORT ON;
        INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (@Id, @Name, 1);
        SET @Added = @@ROWCOUNT;
    END;
    """,
    """
    CREATE PROCEDURE [app].[AddTwice] @Id INT
    AS
    BEGIN
        SET NOCOUNT, XACT_ABORT ON;
        EXECUTE [app].[AddItem] @Id = @Id;
        EXECUTE [app].[AddItem] @Id = @Id;
    END;
    """,
    """
    CREATE PROCEDURE [app].[Refuse] @State TINYINT = 1
    AS
    BEGIN
        SET NOCOUNT, XACT_ABORT ON;
        INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (99, 'doomed', 1);
        THROW 51234, N'Refused: nothing to add', @State;
    END;
    """,
    """
    CREATE PROCEDURE [app].[TakeIds] @Ids [app].[Ids] READONLY, @Note NVARCHAR(10)
    AS
    BEGIN
        SELECT COUNT(*) AS [Count] FROM @Ids;
    END;
    """,
)


class Suite:
    """A database in memory, to which tests are added as text."""

    def __init__(self) -> None:
        self.connection = connect(None, autocommit=True)
        self.cursor = self.connection.cursor()
        for batch in TABLES:
            self.cursor.execute(batch)
        self.session = install(self.connection)
        self.cursor.execute("EXECUTE [tSQLt].[NewTestClass] @ClassName = N'T'")

    def procedure(self, name: str, body: str, annotation: str = "") -> None:
        """``[T].[name]``."""
        lead = f"{annotation}\n" if annotation else ""
        self.cursor.execute(f"{lead}CREATE PROCEDURE [T].[{name}]\nAS\nBEGIN\n{body}\nEND;")

    def run(self, body: str, annotation: str = "") -> TestResult:
        """Add one test and run it alone."""
        name = "test it"
        self.cursor.execute(f"DROP PROCEDURE IF EXISTS [T].[{name}]")
        self.procedure(name, body, annotation)
        (result,) = run(self.session, ["[T].[test it]"]).results
        return result

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives."""
        return [tuple(row) for row in self.cursor.execute(query).fetchall()]

    def outcomes(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """Run, and give the outcome of each test by its name."""
        return {result.test: result.outcome for result in run(self.session, names).results}
