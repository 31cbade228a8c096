"""Procedures, parameters, control flow, nested calls, INSERT … EXECUTE, compile-time checks."""

# ruff: noqa: DTZ001 (datetime2 has no zone)

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.unit.embedded.core_support import Engine


def make(db: Engine, name: str, parameters: str, body: str) -> None:
    db(f"CREATE OR ALTER PROCEDURE [dbo].[{name}] {parameters}\nAS\nBEGIN\n    SET NOCOUNT ON;\n{body}\nEND;")


def test_parameters_and_defaults(db: Engine) -> None:
    make(
        db,
        "P",
        "@A int, @B varchar(3) = 'xyz', @C decimal(5, 2) = 1.5, @D bit = NULL",
        "SELECT @A AS [a], @B AS [b], @C AS [c], @D AS [d];",
    )
    assert db("EXEC [dbo].[P] 1;") == [(1, "xyz", Decimal("1.50"), None)]
    assert db("EXECUTE [dbo].[P] @B = 'abcdef', @A = '7';") == [(7, "abc", Decimal("1.50"), None)]
    assert db("EXEC dbo.P 1, DEFAULT, 2.555, 1;") == [(1, "xyz", Decimal("2.56"), True)]
    assert db("{CALL [dbo].[P] (?, ?)}", 5, None) == [(5, None, Decimal("1.50"), None)]
    assert db("EXEC [dbo].[P] @A = ?, @D = ?;", 5, True) == [(5, "xyz", Decimal("1.50"), True)]
    assert db("DECLARE @x int = 3; EXEC P @x;") == [(3, "xyz", Decimal("1.50"), None)]


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("EXEC [dbo].[P];", 201),
        ("EXEC [dbo].[P] 1, 2, 3;", 8144),
        ("EXEC [dbo].[P] @X = 1;", 8145),
        ("EXEC [dbo].[P] @A = 1, 2;", 119),
        ("EXEC [dbo].[P] 1, @A = 1;", 8143),
        ("EXEC [dbo].[P] 'x';", 8114),
        ("EXEC [dbo].[Nope];", 2812),
        ("EXEC [nope].[P];", 2812),
        ("DECLARE @o int; EXEC [dbo].[P] @A = @o OUTPUT;", 8162),
        ("EXEC [dbo].[P] @A = 5 OUTPUT;", 179),
        ("EXEC ('SELECT 1');", 49999),
        ("EXEC sp_executesql N'SELECT 1';", 49999),
        ("EXEC sp_who;", 49999),
    ],
)
def test_call_errors(db: Engine, sql: str, number: int) -> None:
    make(db, "P", "@A int, @B int = 1", "SELECT @A AS [a];")
    # SQL Server words a bad argument 8114; the conversion itself 245.
    assert db.error(sql) in {number, 245 if number == 8114 else number}


def test_output_parameters_and_return_codes(db: Engine) -> None:
    make(
        db,
        "P",
        "@A int, @B int = 5 OUTPUT, @C varchar(2) OUTPUT",
        "SET @B = @B + @A; SET @C = 'ok'; RETURN 7;",
    )
    assert db(
        "DECLARE @b bigint = 10, @c varchar(10) = 'zz', @r int; EXEC @r = [dbo].[P] @A = 1, @B = @b "
        "OUTPUT, @C = @c OUTPUT; "
        "SELECT @b AS [b], @c AS [c], @r AS [r];"
    ) == [(11, "ok", 7)]
    assert db(
        "DECLARE @b int = 10, @c varchar(10), @r int; EXEC @r = [dbo].[P] 1, @b, @c OUTPUT; SELECT @b AS "
        "[b], @c AS [c];"
    ) == [(10, "ok")]
    make(db, "Q", "", "IF 1 = 1 RETURN; SELECT 1 AS [never];")
    assert db.sets("DECLARE @r int = 3; EXEC @r = [dbo].[Q]; SELECT @r AS [r];") == [[(0,)]]


def test_recursion(db: Engine) -> None:
    make(
        db,
        "Fact",
        "@N int, @R bigint OUTPUT",
        "DECLARE @Less int = @N - 1, @Inner bigint; DECLARE @T TABLE ([V] int NOT NULL); INSERT INTO @T "
        "([V]) VALUES (@N); "
        "IF @N <= 1 SET @R = 1; ELSE BEGIN EXECUTE [dbo].[Fact] @Less, @Inner OUTPUT; SELECT @R = @Inner "
        "* [V] FROM @T; END;",
    )
    assert db.one("DECLARE @r bigint; EXEC [dbo].[Fact] 10, @r OUTPUT; SELECT @r AS [r];") == 3628800
    make(db, "Loop", "", "EXECUTE [dbo].[Loop];")
    assert db.error("EXEC [dbo].[Loop];") == 217


def test_control_flow(db: Engine) -> None:
    rows = db(
        """
DECLARE @i int = 0, @text varchar(100) = '';
WHILE 1 = 1
BEGIN
    SET @i += 1;
    IF @i = 2 CONTINUE;
    IF @i > 5 BREAK;
    IF @i % 2 = 0
        SET @text = CONCAT(@text, 'e');
    ELSE IF @i = 3
        SET @text = CONCAT(@text, 't');
    ELSE
    BEGIN
        SET @text = CONCAT(@text, @i);
    END;
END;
SELECT @text AS [t], @i AS [i];
"""
    )
    assert rows == [("1te5", 6)]
    assert db.one("DECLARE @n int = 0; WHILE @n < 3 SET @n = @n + 1; SELECT @n AS [n];") == 3
    assert db.sets("IF NULL = 1 SELECT 1 AS [a]; ELSE SELECT 2 AS [a]; RETURN; SELECT 3 AS [a];") == [[(2,)]]


def test_variables(db: Engine) -> None:
    assert db("DECLARE @a int = 1, @b int; SET @b = @a; SET @a += 5; SELECT @a AS [a], @b AS [b];") == [
        (6, 1)
    ]
    assert db.error("DECLARE @a int; DECLARE @A int;") == 134
    assert db.error("SET @a = 1;") == 137
    # A declaration without a value does not reset it.
    assert (
        db.one(
            "DECLARE @i int = 0, @s int = 0; WHILE @i < 3 BEGIN DECLARE @x int; SET @x = COALESCE(@x, 0) "
            "+ 1; SET @s = @x; "
            "SET @i += 1; END; SELECT @s AS [s];"
        )
        == 3
    )


def test_table_types(db: Engine) -> None:
    db("CREATE TYPE [dbo].[Rows] AS TABLE ([Id] int NOT NULL PRIMARY KEY, [Name] varchar(5) NULL);")
    make(
        db,
        "Inner1",
        "@R [dbo].[Rows] READONLY, @Least int",
        "SELECT [Id], [Name] FROM @R WHERE [Id] >= @Least ORDER BY [Id];",
    )
    make(
        db,
        "Outer1",
        "@R [dbo].[Rows] READONLY",
        "DECLARE @Mine [dbo].[Rows]; INSERT INTO @Mine ([Id], [Name]) SELECT [Id] + 1, [Name] FROM @R; "
        "EXECUTE [dbo].[Inner1] @R = @Mine, @Least = 3; EXECUTE [dbo].[Inner1] @R, 1;",
    )
    sets = db.sets(
        "DECLARE @x [dbo].[Rows]; INSERT INTO @x ([Id], [Name]) VALUES (1, 'a'), (2, 'b'); EXEC "
        "[dbo].[Outer1] @x;"
    )
    assert sets == [[(3, "b")], [(1, "a"), (2, "b")]]
    assert db("{CALL [dbo].[Inner1] (?, ?)}", [(5, "v"), (6, None)], 0) == [(5, "v"), (6, None)]
    assert db("{CALL [dbo].[Inner1] (?, ?)}", ["Rows", "dbo", (7, "w")], 0) == [(7, "w")]
    assert db("{CALL [dbo].[Inner1] (?, ?)}", ["Rows", "dbo"], 0) == []
    assert db("EXEC [dbo].[Inner1] @Least = 1;") == []
    assert db.error("{CALL [dbo].[Inner1] (?, ?)}", [(5, "toolong")], 0) in (2628, 8152)
    assert db.error("{CALL [dbo].[Inner1] (?, ?)}", [(5, "a"), (5, "b")], 0) == 2627
    assert db.error("CREATE PROCEDURE [dbo].[Bad] @R [dbo].[Rows] AS SELECT 1 AS [a];") == 352
    assert (
        db.error("CREATE PROCEDURE [dbo].[Bad] @R [dbo].[Rows] READONLY AS INSERT INTO @R ([Id]) VALUES (1);")
        == 10700
    )
    assert db.error("CREATE PROCEDURE [dbo].[Bad] @R [dbo].[Nope] READONLY AS SELECT 1 AS [a];") == 2715
    assert db.error("DECLARE @x int; EXEC [dbo].[Inner1] @x, 1;") == 206
    assert db.error("DROP TYPE [dbo].[Rows];") == 3732


def test_insert_execute(db: Engine) -> None:
    make(db, "P", "@N int", "SELECT @N AS [a], 'x' AS [b]; SELECT @N + 1 AS [c], NULL AS [d];")
    db("CREATE TABLE [dbo].[T] ([A] bigint NOT NULL, [B] nvarchar(5) NULL, [C] int NOT NULL DEFAULT (3));")
    assert db.sets("INSERT INTO [dbo].[T] ([A], [B]) EXEC [dbo].[P] 5; SELECT @@ROWCOUNT AS [n];") == [[(2,)]]
    assert db("SELECT [A], [B], [C] FROM [dbo].[T] ORDER BY [A];") == [(5, "x", 3), (6, None, 3)]
    assert db.error("INSERT INTO [dbo].[T] ([A]) EXEC [dbo].[P] 5;") == 213
    assert db(
        "DECLARE @t TABLE ([A] int NOT NULL, [B] varchar(5) NULL); INSERT INTO @t ([A], [B]) EXECUTE "
        "[dbo].[P] @N = 8; "
        "SELECT [A], [B] FROM @t;"
    ) == [(8, "x"), (9, None)]


def test_options_end_with_the_procedure(db: Engine) -> None:
    make(db, "P", "", "SET XACT_ABORT ON; SET LOCK_TIMEOUT 5; SELECT @@LOCK_TIMEOUT AS [t];")
    assert db.sets("EXEC [dbo].[P]; SELECT @@LOCK_TIMEOUT AS [t];") == [[(5,)], [(-1,)]]
    assert db.connection.session.options.xact_abort is False


CREATE_ERRORS: list[tuple[str, int]] = [
    ("SELECT [Nope] FROM [dbo].[T];", 207),
    ("SELECT [A] FROM [dbo].[Nope];", 208),
    ("UPDATE [dbo].[T] SET [Nope] = 1;", 207),
    ("INSERT INTO [dbo].[T] ([Nope]) VALUES (1);", 207),
    ("SET @nope = 1;", 137),
    ("EXECUTE [dbo].[Known] @Nope = 1;", 8145),
    ("EXECUTE [dbo].[Known];", 201),
    ("SELECT @@NOPE AS [a];", 49999),
    ("SELECT NOPE(1) AS [a];", 49999),
    ("GOTO done;", 49999),
    ("WAITFOR DELAY '00:00:01';", 49999),
    ("DECLARE [c] CURSOR FOR SELECT 1;", 102),
    ("OPEN [c];", 49999),
    ("SET ROWCOUNT 5;", 49999),
    ("SET DATEFORMAT dmy;", 49999),
    ("SET ANSI_NULLS OFF;", 49999),
    ("USE [master];", 49999),
    ("BACKUP DATABASE [x] TO DISK = 'y';", 49999),
    ("CREATE TABLE [dbo].[X] ([A] int NOT NULL);", 49999),
    ("CREATE VIEW [dbo].[V] AS SELECT 1 AS [a];", 49999),
    ("SELECT 1 AS [a] SELECT 2 AS [b];", 102),
    ("IF 1 = 1 BEGIN SELECT 1 AS [a];", 102),
    ("DECLARE @t TABLE ([A] int CONSTRAINT [PK_x] PRIMARY KEY);", 49999),
]


@pytest.mark.parametrize(("body", "number"), CREATE_ERRORS)
def test_names_and_constructs_are_checked_at_creation(db: Engine, body: str, number: int) -> None:
    db("CREATE TABLE [dbo].[T] ([A] int NOT NULL);")
    make(db, "Known", "@A int", "SELECT @A AS [a];")
    failure = db.failure(f"CREATE PROCEDURE [dbo].[P]\nAS\nBEGIN\n    SET NOCOUNT ON;\n    {body}\nEND;")
    from tests.unit.embedded.core_support import number_of

    assert number_of(failure) == number
    if number == 49999:
        assert "(line 5" in str(failure)
        assert "dbo.P" in str(failure) or "line 5)" in str(failure)
    assert db.one("SELECT OBJECT_ID(N'dbo.P') AS [i];") is None


def test_a_called_procedure_may_come_later(db: Engine) -> None:
    make(db, "P", "", "EXECUTE [dbo].[Later] @A = 1;")
    assert db.error("EXEC [dbo].[P];") == 2812
    make(db, "Later", "@A int", "SELECT @A AS [a];")
    assert db("EXEC [dbo].[P];") == [(1,)]


def test_a_changed_table_recompiles(db: Engine) -> None:
    db("CREATE TABLE [dbo].[T] ([A] int NOT NULL);")
    make(db, "P", "", "INSERT INTO [dbo].[T] ([A]) VALUES (1); SELECT * FROM [dbo].[T];")
    assert db("EXEC [dbo].[P];") == [(1,)]
    db("ALTER TABLE [dbo].[T] ADD [B] varchar(5) NOT NULL CONSTRAINT [DF_B] DEFAULT ('x');")
    assert db("EXEC [dbo].[P];") == [(1, "x"), (1, "x")]


def test_create_alter_drop(db: Engine) -> None:
    assert db.error("ALTER PROCEDURE [dbo].[P] AS SELECT 1 AS [a];") == 208
    db("CREATE PROCEDURE [dbo].[P] AS SELECT 1 AS [a];")
    assert db.error("CREATE PROCEDURE [dbo].[P] AS SELECT 2 AS [a];") == 2714
    db("ALTER PROCEDURE [dbo].[P] AS SELECT 2 AS [a];")
    assert db.one("EXEC [dbo].[P];") == 2
    identity = db.one("SELECT OBJECT_ID(N'dbo.P') AS [i];")
    db("CREATE OR ALTER PROCEDURE [dbo].[P] AS SELECT 3 AS [a];")
    assert db.one("SELECT OBJECT_ID(N'dbo.P') AS [i];") == identity
    assert db.error("SELECT 1 AS [a]; CREATE PROCEDURE [dbo].[Q] AS SELECT 1 AS [a];") == 111
    db("DROP PROCEDURE [dbo].[P];")
    assert db.error("DROP PROCEDURE [dbo].[P];") == 3701
    db("DROP PROCEDURE IF EXISTS [dbo].[P];")


def test_hash_tables_live_with_their_procedure(db: Engine) -> None:
    make(db, "Inner1", "", "SELECT [A] FROM #t;") if False else None
    make(
        db,
        "P",
        "",
        "CREATE TABLE #t ([A] int NOT NULL); INSERT INTO #t ([A]) VALUES (5); SELECT [A] FROM #t;",
    )
    assert db("EXEC [dbo].[P];") == [(5,)]
    assert db("EXEC [dbo].[P];") == [(5,)]
    assert db.error("SELECT [A] FROM #t;") == 208


def test_parameters_of_every_type(db: Engine) -> None:
    import datetime as dt
    import uuid

    values: list[tuple[str, Any, Any]] = [
        ("int", 5, 5),
        ("bigint", 2**40, 2**40),
        ("bit", True, True),
        ("float", 1.5, 1.5),
        ("decimal(9, 3)", Decimal("1.25"), Decimal("1.250")),
        ("varchar(10)", "é€", "é€"),
        ("nvarchar(10)", "Ж😀", "Ж😀"),
        ("varbinary(5)", b"\0\1", b"\0\1"),
        ("datetime2(7)", dt.datetime(2020, 1, 2, 3, 4, 5, 678901), dt.datetime(2020, 1, 2, 3, 4, 5, 678901)),
        ("datetime2(0)", dt.datetime(2020, 1, 2, 3, 4, 5, 678901), dt.datetime(2020, 1, 2, 3, 4, 6)),
        ("date", dt.date(2020, 1, 2), dt.date(2020, 1, 2)),
        ("time(3)", dt.time(1, 2, 3), dt.time(1, 2, 3)),
        ("uniqueidentifier", uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    ]
    for kind, given, expected in values:
        make(db, "P", f"@A {kind} = NULL", "SELECT @A AS [a];")
        assert db.one("{CALL [dbo].[P] (?)}", given) == expected
        assert db.one("EXEC [dbo].[P] @A = ?;", None) is None
        assert db.one("SELECT ? AS [v];", given) in (expected, given, Decimal("1.25"))
