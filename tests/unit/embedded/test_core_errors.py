"""TRY and CATCH, THROW, RAISERROR, PRINT; what an error ends; XACT_ABORT, XACT_STATE and doomed
transactions."""

from __future__ import annotations

import pytest

from chokaq import embedded
from tests.unit.embedded.core_support import Engine, number_of


@pytest.fixture
def t(db: Engine) -> Engine:
    return db.script("CREATE TABLE [dbo].[T] ([Id] int NOT NULL CONSTRAINT [PK_T] PRIMARY KEY);")


def ids(t: Engine) -> list[int]:
    return [row[0] for row in t("SELECT [Id] FROM [dbo].[T] ORDER BY [Id];")]


def test_catch_knows_the_error(t: Engine) -> None:
    t("CREATE PROCEDURE [dbo].[P]\nAS\nBEGIN\n    INSERT INTO [dbo].[T] ([Id]) VALUES (1), (1);\nEND;")
    rows = t(
        "BEGIN TRY EXECUTE [dbo].[P]; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS [n], ERROR_SEVERITY() "
        "AS [s], ERROR_LINE() AS [l], "
        "ERROR_PROCEDURE() AS [p], @@ERROR AS [e] END CATCH;"
    )
    assert rows == [(2627, 14, 4, "dbo.P", 2627)]
    assert t("SELECT ERROR_NUMBER() AS [n], ERROR_MESSAGE() AS [m];") == [(None, None)]


def test_nested_catch(t: Engine) -> None:
    sets = t.sets(
        """
BEGIN TRY
    BEGIN TRY
        SELECT 1 / 0 AS [x];
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS [inner];
        THROW 50001, 'second', 3;
    END CATCH;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS [n], ERROR_MESSAGE() AS [m], ERROR_STATE() AS [s];
END CATCH;
"""
    )
    assert sets == [[(8134,)], [(50001, "second", 3)]]


def test_throw_again_keeps_the_error(t: Engine) -> None:
    failure = t.failure(
        "BEGIN TRY INSERT INTO [dbo].[T] ([Id]) VALUES (NULL); END TRY BEGIN CATCH SELECT 1 AS [x]; "
        "THROW; END CATCH;"
    )
    assert number_of(failure) == 515
    assert isinstance(failure, embedded.IntegrityError)
    assert t.error("THROW;") == 10704
    assert t.error("THROW 49999, 'x', 1;") == 35100


def test_throw_shape(t: Engine) -> None:
    failure = t.failure("THROW 51002, N'text (with) brackets', 1;")
    assert isinstance(failure, embedded.ProgrammingError)
    assert failure.args == (
        "42000",
        "[42000] [chokaq][embedded engine]text (with) brackets (51002) (SQLExecDirectW)",
    )
    assert t.failure("DECLARE @n int = 50005, @m nvarchar(20) = 'm'; THROW @n, @m, 1;") is not None


def test_throw_ends_the_batch_and_raiserror_does_not(t: Engine) -> None:
    assert t.error("THROW 50001, 'x', 1; INSERT INTO [dbo].[T] ([Id]) VALUES (1);") == 50001
    assert ids(t) == []
    assert t.error("RAISERROR ('x %d', 16, 1, 5); INSERT INTO [dbo].[T] ([Id]) VALUES (2);") == 50000
    assert ids(t) == [2]


def test_statement_errors_go_on_without_xact_abort(t: Engine) -> None:
    t("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    cursor = t.connection.cursor()
    cursor.execute(
        "SET NOCOUNT ON; SELECT 1 AS [a]; INSERT INTO [dbo].[T] ([Id]) VALUES (1); SELECT @@ERROR AS [e]; "
        "INSERT INTO [dbo].[T] ([Id]) VALUES (2);"
    )
    assert cursor.fetchall() == [(1,)]
    with pytest.raises(embedded.IntegrityError):
        cursor.nextset()
    assert cursor.nextset()
    assert cursor.fetchall() == [(2627,)]
    assert ids(t) == [1, 2]


def test_xact_abort_ends_batch_and_transaction(t: Engine) -> None:
    t("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    assert (
        t.error(
            "SET XACT_ABORT ON; BEGIN TRANSACTION; INSERT INTO [dbo].[T] ([Id]) VALUES (2); INSERT INTO "
            "[dbo].[T] ([Id]) VALUES (1); "
            "INSERT INTO [dbo].[T] ([Id]) VALUES (3);"
        )
        == 2627
    )
    assert t.one("SELECT @@TRANCOUNT AS [n];") == 0
    assert ids(t) == [1]


def test_without_xact_abort_the_transaction_stays(t: Engine) -> None:
    t("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    assert (
        t.error(
            "BEGIN TRANSACTION; INSERT INTO [dbo].[T] ([Id]) VALUES (2); INSERT INTO [dbo].[T] ([Id]) "
            "VALUES (1); "
            "INSERT INTO [dbo].[T] ([Id]) VALUES (3);"
        )
        == 2627
    )
    assert t.one("SELECT @@TRANCOUNT AS [n];") == 1
    t("COMMIT;")
    assert ids(t) == [1, 2, 3]


def test_conversion_errors_always_end_the_batch(t: Engine) -> None:
    assert (
        t.error(
            "BEGIN TRANSACTION; INSERT INTO [dbo].[T] ([Id]) VALUES (2); SELECT CAST('x' AS int) AS [v]; "
            "INSERT INTO [dbo].[T] ([Id]) VALUES (3);"
        )
        == 245
    )
    assert t.one("SELECT @@TRANCOUNT AS [n];") == 0
    assert ids(t) == []


def test_doomed_transactions(t: Engine) -> None:
    t("INSERT INTO [dbo].[T] ([Id]) VALUES (1);")
    rows = t.sets(
        """
SET XACT_ABORT ON;
BEGIN TRANSACTION;
BEGIN TRY
    INSERT INTO [dbo].[T] ([Id]) VALUES (2);
    SAVE TRANSACTION [point];
    INSERT INTO [dbo].[T] ([Id]) VALUES (1);
END TRY
BEGIN CATCH
    SELECT XACT_STATE() AS [x], @@TRANCOUNT AS [n];
    BEGIN TRY
        INSERT INTO [dbo].[T] ([Id]) VALUES (3);
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS [e];
    END CATCH;
    BEGIN TRY
        ROLLBACK TRANSACTION [point];
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS [e];
    END CATCH;
    BEGIN TRY
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS [e];
    END CATCH;
    SELECT [Id] FROM [dbo].[T] ORDER BY [Id];
    ROLLBACK TRANSACTION;
    SELECT XACT_STATE() AS [x], @@TRANCOUNT AS [n];
END CATCH;
"""
    )
    assert rows == [[(-1, 1)], [(3930,)], [(3931,)], [(3930,)], [(1,), (2,)], [(0, 0)]]
    assert ids(t) == [1]


def test_a_doomed_transaction_ends_with_the_batch(t: Engine) -> None:
    assert (
        t.error(
            "SET XACT_ABORT ON; BEGIN TRANSACTION; BEGIN TRY SELECT 1 / 0 AS [x]; END TRY BEGIN CATCH "
            "SET XACT_ABORT OFF; END CATCH;"
        )
        == 3998
    )
    assert t.one("SELECT @@TRANCOUNT AS [n];") == 0


def test_catch_without_xact_abort_can_commit(t: Engine) -> None:
    assert t(
        "BEGIN TRANSACTION; INSERT INTO [dbo].[T] ([Id]) VALUES (1); BEGIN TRY INSERT INTO [dbo].[T] "
        "([Id]) VALUES (1); END TRY "
        "BEGIN CATCH SELECT XACT_STATE() AS [x]; END CATCH; COMMIT;"
    ) == [(1,)]
    assert ids(t) == [1]


def test_messages(t: Engine) -> None:
    cursor = t.connection.execute(
        "PRINT 'hello'; RAISERROR (N'low %s', 10, 1, 'x') WITH NOWAIT; PRINT CONCAT('n=', 5);"
    )
    assert [text for _, text in cursor.messages] == [
        "[chokaq][embedded engine]hello",
        "[chokaq][embedded engine]low x",
        "[chokaq][embedded engine]n=5",
    ]


def test_syntax_errors_run_nothing(t: Engine) -> None:
    assert t.error("INSERT INTO [dbo].[T] ([Id]) VALUES (1); SELEC 1;") in (102, 49999)
    assert t.error("INSERT INTO [dbo].[T] ([Id]) VALUES (1); SELECT 'x;") == 105
    assert t.error("INSERT INTO [dbo].[T] ([Id]) VALUES (1); /* open") == 113
    assert t.error("INSERT INTO [dbo].[T] ([Id]) VALUES (1); GO") == 102
    assert ids(t) == []


def test_sqlstates_and_classes(t: Engine) -> None:
    for sql, state, kind in (
        ("SELECT [x] FROM [dbo].[Nope];", "42S02", embedded.ProgrammingError),
        ("SELECT [x] FROM [dbo].[T];", "42S22", embedded.ProgrammingError),
        ("SELECT 1 / 0 AS [x];", "22012", embedded.DataError),
        ("SELECT CAST('x' AS int) AS [x];", "22018", embedded.DataError),
        ("INSERT INTO [dbo].[T] ([Id]) VALUES (NULL);", "23000", embedded.IntegrityError),
    ):
        failure = t.failure(sql)
        assert type(failure) is kind
        assert failure.args[0] == state
