"""CREATE, ALTER and DROP; extended properties; permissions; what sys views and metadata functions say of
them."""

from __future__ import annotations

import pytest

from tests.unit.embedded.core_support import Engine, number_of


@pytest.fixture
def q(db: Engine) -> Engine:
    return db.script(
        "CREATE SCHEMA [q];",
        """CREATE TABLE [q].[T] (
            [Id] int NOT NULL CONSTRAINT [PK_T] PRIMARY KEY CLUSTERED,
            [Name] varchar(50) NOT NULL CONSTRAINT [DF_Name] DEFAULT ('x'),
            [At] datetime2(3) NULL,
            [Price] decimal(9, 2) NULL,
            [Doc] nvarchar(max) NULL,
            CONSTRAINT [CK_Price] CHECK ([Price] >= 0),
            CONSTRAINT [UQ_Name] UNIQUE NONCLUSTERED ([Name], [At] DESC)
        );""",
        "CREATE NONCLUSTERED INDEX [IX_At] ON [q].[T] ([At] DESC) INCLUDE ([Price]) WHERE [Price] IS NOT "
        "NULL;",
        "CREATE TYPE [q].[Rows] AS TABLE ([A] int NOT NULL PRIMARY KEY);",
        "CREATE PROCEDURE [q].[P] @A int, @B varchar(5) = 'x' OUTPUT, @R [q].[Rows] READONLY AS SELECT "
        "@A AS [a];",
        "CREATE ROLE [q_reader];",
        "GRANT EXECUTE ON OBJECT::[q].[P] TO [q_reader];",
        "GRANT EXECUTE ON TYPE::[q].[Rows] TO [q_reader];",
    )


def test_tables_and_columns(q: Engine) -> None:
    assert q(
        "SELECT [s].[name], [t].[name] FROM [sys].[tables] AS [t] INNER JOIN [sys].[schemas] AS [s] ON "
        "[s].[schema_id] = [t].[schema_id];"
    ) == [("q", "T")]
    assert q(
        "SELECT [c].[name], [y].[name], [c].[max_length], [c].[precision], [c].[scale], "
        "[c].[is_nullable] FROM [sys].[columns] AS [c] "
        "INNER JOIN [sys].[types] AS [y] ON [y].[user_type_id] = [c].[user_type_id] WHERE "
        "[c].[object_id] = OBJECT_ID(N'[q].[T]') "
        "ORDER BY [c].[column_id];"
    ) == [
        ("Id", "int", 4, 10, 0, False),
        ("Name", "varchar", 50, 0, 0, False),
        ("At", "datetime2", 7, 23, 3, True),
        ("Price", "decimal", 5, 9, 2, True),
        ("Doc", "nvarchar", -1, 0, 0, True),
    ]
    assert q(
        "SELECT [COLUMN_NAME], [DATA_TYPE], [IS_NULLABLE] FROM [INFORMATION_SCHEMA].[COLUMNS] WHERE "
        "[TABLE_NAME] = 'T' AND [ORDINAL_POSITION] = 2;"
    ) == [("Name", "varchar", "NO")]


def test_indexes_and_constraints(q: Engine) -> None:
    assert q(
        "SELECT [name], [type_desc], [is_unique], [is_primary_key], [is_unique_constraint], "
        "[filter_definition] FROM [sys].[indexes] "
        "WHERE [object_id] = OBJECT_ID('q.T') ORDER BY [index_id];"
    ) == [
        ("PK_T", "CLUSTERED", True, True, False, None),
        ("UQ_Name", "NONCLUSTERED", True, False, True, None),
        ("IX_At", "NONCLUSTERED", False, False, False, "([Price] IS NOT NULL)"),
    ]
    assert q(
        "SELECT [c].[name], [x].[key_ordinal], [x].[is_descending_key], [x].[is_included_column] FROM "
        "[sys].[index_columns] AS [x] "
        "INNER JOIN [sys].[columns] AS [c] ON [c].[object_id] = [x].[object_id] AND [c].[column_id] = "
        "[x].[column_id] "
        "INNER JOIN [sys].[indexes] AS [i] ON [i].[object_id] = [x].[object_id] AND [i].[index_id] = "
        "[x].[index_id] "
        "WHERE [i].[name] = 'IX_At' ORDER BY [x].[index_column_id];"
    ) == [("At", 1, True, False), ("Price", 0, False, True)]
    assert q("SELECT [name], [definition] FROM [sys].[check_constraints];") == [
        ("CK_Price", "([Price] >= 0)")
    ]
    assert q("SELECT [name], [definition] FROM [sys].[default_constraints];") == [("DF_Name", "(('x'))")]
    assert q(
        "SELECT [name], [type] FROM [sys].[key_constraints] WHERE [parent_object_id] = OBJECT_ID('q.T') "
        "ORDER BY [name];"
    ) == [("PK_T", "PK"), ("UQ_Name", "UQ")]
    for kind in ("PK_T", "UQ_Name", "CK_Price", "DF_Name"):
        assert q.one(f"SELECT OBJECT_ID(N'[q].[{kind}]') AS [i];") is not None


def test_procedures(q: Engine) -> None:
    assert q(
        "SELECT [p].[name], [m].[parameter_id], [m].[name], [m].[is_output], [m].[is_readonly], "
        "TYPE_NAME([m].[user_type_id]) FROM [sys].[procedures] AS [p] "
        "INNER JOIN [sys].[parameters] AS [m] ON [m].[object_id] = [p].[object_id] ORDER BY "
        "[m].[parameter_id];"
    ) == [
        ("P", 1, "@A", False, False, "int"),
        ("P", 2, "@B", True, False, "varchar"),
        ("P", 3, "@R", False, True, "Rows"),
    ]
    assert q.one("SELECT OBJECT_DEFINITION(OBJECT_ID('q.P')) AS [d];").startswith("CREATE PROCEDURE [q].[P]")
    assert q("SELECT [uses_ansi_nulls], [uses_quoted_identifier] FROM [sys].[sql_modules];") == [(True, True)]
    assert q(
        "SELECT OBJECT_NAME(OBJECT_ID('q.P')) AS [n], OBJECT_SCHEMA_NAME(OBJECT_ID('q.P')) AS [s], "
        "SCHEMA_NAME(SCHEMA_ID('q')) AS [x];"
    ) == [("P", "q", "q")]
    assert q(
        "SELECT OBJECT_ID('q.P', 'P') AS [a], OBJECT_ID('q.P', 'U') AS [b], OBJECT_ID('q.Nope') AS [c], "
        "TYPE_ID('q.Rows') AS [d], TYPE_ID('int') AS [e];"
    )[0][1:3] == (None, None)


def test_extended_properties(q: Engine) -> None:
    add = (
        "EXECUTE sys.sp_addextendedproperty @name = N'MS_Description', @value = N'text', @level0type = "
        "N'SCHEMA', "
        "@level0name = N'q', @level1type = N'TABLE', @level1name = N'T'"
    )
    q(f"{add};")
    q(f"{add}, @level2type = N'COLUMN', @level2name = N'Name';")
    assert q.error(f"{add};") == 15233
    assert q.error(add.replace("N'T'", "N'Nope'") + ";") == 15135
    assert q(
        "SELECT COALESCE([c].[name], '') AS [n], CONVERT(nvarchar(20), [p].[value]) AS [v] FROM "
        "[sys].[extended_properties] AS [p] LEFT OUTER JOIN [sys].[columns] AS [c] "
        "ON [c].[object_id] = [p].[major_id] AND [c].[column_id] = [p].[minor_id] WHERE [p].[class] = 1 "
        "ORDER BY [p].[minor_id];"
    ) == [("", "text"), ("Name", "text")]
    q(add.replace("sp_add", "sp_update").replace("N'text'", "N'new'") + ";")
    q(
        add.replace("sp_add", "sp_drop").replace(" @value = N'text',", "")
        + ", @level2type = N'COLUMN', @level2name = N'Name';"
    )
    assert q("SELECT [value] FROM [sys].[extended_properties];") == [("new",)]
    assert (
        q.error(add.replace("sp_add", "sp_update") + ", @level2type = N'COLUMN', @level2name = N'Id';")
        == 15217
    )


def test_permissions(q: Engine) -> None:
    rows = (
        "SELECT [r].[name], [p].[class_desc], [p].[permission_name], [p].[state_desc] FROM "
        "[sys].[database_permissions] AS [p] "
        "INNER JOIN [sys].[database_principals] AS [r] ON [r].[principal_id] = "
        "[p].[grantee_principal_id] ORDER BY [p].[class];"
    )
    assert q(rows) == [
        ("q_reader", "OBJECT_OR_COLUMN", "EXECUTE", "GRANT"),
        ("q_reader", "TYPE", "EXECUTE", "GRANT"),
    ]
    q("GRANT EXECUTE ON OBJECT::[q].[P] TO [q_reader];")
    q("REVOKE EXECUTE ON TYPE::[q].[Rows] FROM [q_reader];")
    assert len(q(rows)) == 1
    assert q.error("GRANT EXECUTE ON OBJECT::[q].[Nope] TO [q_reader];") == 15151
    assert q.error("GRANT EXECUTE ON OBJECT::[q].[P] TO [nobody];") == 15151
    assert q.error("GRANT FLY ON OBJECT::[q].[P] TO [q_reader];") == 49999
    assert q.error("CREATE ROLE [q_reader];") == 15023
    q("ALTER ROLE [q_reader] ADD MEMBER [dbo];")
    assert q.error("DROP ROLE [q_reader];") == 15144
    q("ALTER ROLE [q_reader] DROP MEMBER [dbo]; DROP ROLE [q_reader];")
    assert q("SELECT [class] FROM [sys].[database_permissions];") == []


def test_alter_table(q: Engine) -> None:
    q("INSERT INTO [q].[T] ([Id], [Name]) VALUES (1, 'a'), (2, 'b');")
    q("ALTER TABLE [q].[T] ADD [New] int NOT NULL CONSTRAINT [DF_New] DEFAULT (5), [Free] varchar(5) NULL;")
    assert q("SELECT [Id], [New], [Free] FROM [q].[T] ORDER BY [Id];") == [(1, 5, None), (2, 5, None)]
    assert q.error("ALTER TABLE [q].[T] ADD [Must] int NOT NULL;") == 4901
    assert q.error("ALTER TABLE [q].[T] ADD [New] int NULL;") == 2705
    assert q.error("ALTER TABLE [q].[T] ADD CONSTRAINT [CK_Id] CHECK ([Id] > 1);") == 547
    q("ALTER TABLE [q].[T] ADD CONSTRAINT [CK_Id] CHECK ([Id] > 0);")
    assert q.error("INSERT INTO [q].[T] ([Id]) VALUES (0);") == 547
    assert q.error("ALTER TABLE [q].[T] ADD CONSTRAINT [CK_Id] CHECK ([Id] > 0);") == 2714
    q("ALTER TABLE [q].[T] DROP CONSTRAINT [CK_Id];")
    q(
        "ALTER TABLE [q].[T] NOCHECK CONSTRAINT [CK_Price]; INSERT INTO [q].[T] ([Id], [Price]) VALUES "
        "(0, -1);"
    )
    assert q.error("ALTER TABLE [q].[T] CHECK CONSTRAINT [CK_Price];") in (0, 547)
    assert q.error("ALTER TABLE [q].[T] DROP CONSTRAINT [Nope];") == 3728
    assert q.error("ALTER TABLE [q].[T] DROP COLUMN [New];") == 5074
    q("ALTER TABLE [q].[T] DROP CONSTRAINT [DF_New]; ALTER TABLE [q].[T] DROP COLUMN [New];")
    assert q.error("SELECT [New] FROM [q].[T];") == 207
    q("ALTER TABLE [q].[T] ALTER COLUMN [Free] varchar(10) NULL; UPDATE [q].[T] SET [Free] = '0123456789';")
    assert q.error("ALTER TABLE [q].[Nope] ADD [A] int NULL;") == 4902
    assert q("SELECT [name] FROM [sys].[indexes] WHERE [object_id] = OBJECT_ID('q.T') ORDER BY [name];") == [
        ("IX_At",),
        ("PK_T",),
        ("UQ_Name",),
    ]
    assert q.error("INSERT INTO [q].[T] ([Id], [Name]) VALUES (1, 'z');") == 2627


def test_drop(q: Engine) -> None:
    assert q.error("DROP SCHEMA [q];") == 3729
    assert q.error("DROP INDEX [PK_T] ON [q].[T];") == 3723
    q("DROP INDEX [IX_At] ON [q].[T];")
    assert q.error("DROP INDEX [IX_At] ON [q].[T];") == 3701
    q("DROP PROCEDURE [q].[P]; DROP TYPE [q].[Rows]; DROP TABLE [q].[T]; DROP SCHEMA [q];")
    assert q("SELECT [name] FROM [sys].[objects];") == []
    assert q.error("DROP TABLE [q].[T];") == 3701
    q(
        "DROP TABLE IF EXISTS [q].[T]; DROP SCHEMA IF EXISTS [q]; DROP PROCEDURE IF EXISTS [q].[P]; DROP "
        "TYPE IF EXISTS [q].[Rows];"
    )


ERRORS: list[tuple[str, int]] = [
    ("CREATE TABLE [nope].[T] ([A] int NOT NULL);", 2760),
    ("CREATE TABLE [q].[T] ([A] int NOT NULL);", 2714),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL, [a] int NULL);", 2705),
    ("CREATE TABLE [q].[X] ([A] nothing NOT NULL);", 243),
    ("CREATE TABLE [q].[X] ([A] varchar(9000) NOT NULL);", 131),
    ("CREATE TABLE [q].[X] ([A] money NOT NULL);", 243),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL CHECK ([B] > 0));", 207),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL DEFAULT ('2020-01-01x' + 1 + [B]));", 207),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL, PRIMARY KEY ([B]));", 1911),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL PRIMARY KEY, PRIMARY KEY ([A]));", 8110),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL CONSTRAINT [PK_T] PRIMARY KEY);", 2714),
    ("CREATE TABLE [q].[X] ([A] int IDENTITY(5, 2) NOT NULL);", 49999),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL) ON [files];", 49999),
    ("CREATE TABLE [q].[X] ([A] int NOT NULL) WITH (DATA_COMPRESSION = PAGE, NOPE = 1);", 49999),
    ("CREATE TABLE [q].[X] ([A] int SPARSE NULL);", 49999),
    ("CREATE INDEX [IX] ON [q].[Nope] ([A]);", 1088),
    ("CREATE INDEX [IX] ON [q].[T] ([Nope]);", 1911),
    ("CREATE INDEX [IX_At] ON [q].[T] ([Id]);", 1913),
    ("CREATE INDEX [IX] ON [q].[T] ([Id]) WHERE [Nope] = 1;", 207),
    ("CREATE INDEX [IX] ON [q].[T] ([Id]) WITH (IGNORE_DUP_KEY = ON);", 49999),
    ("CREATE SCHEMA [q];", 2714),
    ("CREATE TYPE [q].[Rows] AS TABLE ([A] int NOT NULL);", 219),
    ("CREATE TYPE [q].[Alias] FROM varchar(5);", 49999),
    ("CREATE TRIGGER [q].[X] ON [q].[T] AFTER INSERT AS SELECT 1;", 49999),
    ("CREATE FUNCTION [q].[F]() RETURNS int AS BEGIN RETURN 1; END;", 49999),
    ("CREATE PROCEDURE [q].[X] WITH ENCRYPTION AS SELECT 1 AS [a];", 49999),
    ("CREATE PROCEDURE [q].[X] @A int, @a int AS SELECT 1 AS [a];", 134),
    ("CREATE PROCEDURE [q].[X] @A nothing AS SELECT 1 AS [a];", 2715),
    ("CREATE PROCEDURE [nope].[X] AS SELECT 1 AS [a];", 2760),
]


@pytest.mark.parametrize(("sql", "number"), ERRORS)
def test_errors(q: Engine, sql: str, number: int) -> None:
    before = q("SELECT [name] FROM [sys].[objects] ORDER BY [name];")
    failure = q.failure(sql)
    assert number_of(failure) == number
    assert q("SELECT [name] FROM [sys].[objects] ORDER BY [name];") == before


def test_a_unique_index_over_duplicates(q: Engine) -> None:
    q("INSERT INTO [q].[T] ([Id], [Name], [Price]) VALUES (1, 'a', 1), (2, 'b', 1);")
    assert q.error("CREATE UNIQUE INDEX [UX] ON [q].[T] ([Price]);") == 1505
    assert q("SELECT [name] FROM [sys].[indexes] WHERE [name] = 'UX';") == []


def test_an_index_over_text_that_is_there(q: Engine) -> None:
    q("INSERT INTO [q].[T] ([Id], [Name]) VALUES (1, 'a');")
    q("ALTER TABLE [q].[T] ADD [Text] varchar(10) NULL;")
    q("UPDATE [q].[T] SET [Text] = 'Ä';")
    q("CREATE UNIQUE INDEX [UX_Text] ON [q].[T] ([Text]);")
    assert q.error("INSERT INTO [q].[T] ([Id], [Name], [Text]) VALUES (2, 'b', 'ä ');") == 2601
    assert q("SELECT [Id] FROM [q].[T] WHERE [Text] = 'ä';") == [(1,)]


def test_names_are_found_whatever_their_case(q: Engine) -> None:
    q("INSERT INTO [Q].[t] ([ID], [NAME]) VALUES (1, 'a');")
    assert q("SELECT [x].[iD] FROM [q].[T] AS [X] WHERE [X].[nAme] = 'A';") == [(1,)]


def test_computed_columns(db: Engine) -> None:
    db("CREATE TABLE [dbo].[C] ([A] int NOT NULL, [B] AS ([A] * 2));")
    db("INSERT INTO [dbo].[C] ([A]) VALUES (4);")
    assert db("SELECT [A], [B] FROM [dbo].[C];") == [(4, 8)]
    assert db.error("INSERT INTO [dbo].[C] ([A], [B]) VALUES (4, 8);") == 271


def test_server_facts(db: Engine) -> None:
    assert "embedded engine" in db.one("SELECT @@VERSION AS [v];")
    assert "SQL Server" not in db.one("SELECT @@VERSION AS [v];")
    assert db.one("SELECT @@SPID AS [s];") > 50
    assert db("SELECT [is_read_committed_snapshot_on] FROM [sys].[databases] WHERE [name] = DB_NAME();") == [
        (True,)
    ]
    assert db.one("SELECT SUSER_SNAME() AS [s];")
    assert db.error("SELECT [x] FROM [sys].[dm_exec_requests];") == 49999
