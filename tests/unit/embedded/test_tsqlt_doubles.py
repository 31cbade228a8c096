"""FakeTable, ApplyConstraint, SpyProcedure: what a double lets through, and that it is gone afterwards."""

from __future__ import annotations

import pytest

from chokaq.embedded import Error

from .tsqlt_helper import Suite

FAKE = "EXECUTE [tSQLt].[FakeTable] @TableName = N'[app].[Items]';\n"
COUNT = "DECLARE @Count INT; SELECT @Count = COUNT(*) FROM [app].[Items];\n"


@pytest.fixture
def suite() -> Suite:
    return Suite()


def outcome(suite: Suite, body: str) -> str:
    result = suite.run(body)
    return f"{result.outcome} {result.message}".strip()


# FakeTable


def test_a_fake_is_empty(suite: Suite) -> None:
    assert outcome(suite, FAKE + "EXECUTE [tSQLt].[AssertEmptyTable] N'[app].[Items]';") == "Success"


def test_a_fake_takes_null_in_every_column(suite: Suite) -> None:
    assert outcome(suite, FAKE + "INSERT INTO [app].[Items] ([Price]) VALUES (NULL);") == "Success"


def test_a_fake_has_no_primary_key_no_unique_and_no_check(suite: Suite) -> None:
    insert = "INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (1, 'a', -1), (1, 'a', -1);"
    assert outcome(suite, FAKE + insert) == "Success"
    assert outcome(suite, insert).startswith("Error")


def test_a_fake_has_no_defaults_unless_asked(suite: Suite) -> None:
    read = (
        "INSERT INTO [app].[Items] ([Id]) VALUES (1); DECLARE @Name VARCHAR(20);"
        " SELECT @Name = [i].[Name] FROM [app].[Items] AS [i];"
    )
    assert outcome(suite, f"{FAKE}{read} EXECUTE [tSQLt].[AssertEquals] NULL, @Name;") == "Success"
    kept = f"EXECUTE [tSQLt].[FakeTable] N'[app].[Items]', @Defaults = 1; {read}"
    assert outcome(suite, f"{kept} EXECUTE [tSQLt].[AssertEquals] 'none', @Name;") == "Success"


def test_a_fake_keeps_identity_only_when_asked(suite: Suite) -> None:
    suite.cursor.execute(
        "CREATE TABLE [app].[Log] ([Id] INT IDENTITY(1, 1) NOT NULL PRIMARY KEY, [Text] VARCHAR(9) NULL)"
    )
    add = "INSERT INTO [app].[Log] ([Text]) VALUES ('a'); DECLARE @Id INT;"
    add += " SELECT @Id = [l].[Id] FROM [app].[Log] AS [l];"
    fake = "EXECUTE [tSQLt].[FakeTable] N'[app].[Log]'"
    without = f"{fake}; {add} EXECUTE [tSQLt].[AssertEquals] NULL, @Id;"
    kept = f"{fake}, @Identity = 1; {add} EXECUTE [tSQLt].[AssertEquals] 1, @Id;"
    assert outcome(suite, without) == "Success"
    assert outcome(suite, kept) == "Success"


def test_procedures_use_the_fake(suite: Suite) -> None:
    body = FAKE + "EXECUTE [app].[AddItem] @Id = 1;" + COUNT + "EXECUTE [tSQLt].[AssertEquals] 1, @Count;"
    assert outcome(suite, body) == "Success"


def test_procedures_use_the_table_again_after_the_test(suite: Suite) -> None:
    suite.run(FAKE + "EXECUTE [app].[AddItem] @Id = 1;")
    suite.cursor.execute("EXECUTE [app].[AddItem] @Id = 2")
    assert suite.rows("SELECT [Id] FROM [app].[Items] ORDER BY [Id]") == [(1,), (2,)]


def test_constraints_are_back_after_the_test(suite: Suite) -> None:
    suite.run(FAKE)
    with pytest.raises(Error, match="2627"):
        suite.cursor.execute("INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (1, 'b', 1)")
    with pytest.raises(Error, match="CK_Items_Price"):
        suite.cursor.execute("INSERT INTO [app].[Items] ([Id], [Name], [Price]) VALUES (2, 'b', -1)")


def test_a_fake_can_be_faked(suite: Suite) -> None:
    body = FAKE + "INSERT INTO [app].[Items] ([Id]) VALUES (1);" + FAKE
    assert outcome(suite, body + "EXECUTE [tSQLt].[AssertEmptyTable] N'[app].[Items]';") == "Success"


@pytest.mark.parametrize("name", ["[app].[Nothing]", "#Items", "Items"])
def test_a_table_that_is_not_there_cannot_be_faked(suite: Suite, name: str) -> None:
    body = "EXECUTE [tSQLt].[ExpectException] @ExpectedMessagePattern = N'FakeTable could not resolve%';"
    assert outcome(suite, f"{body} EXECUTE [tSQLt].[FakeTable] N'{name}';") == "Success"


# ApplyConstraint


def applied(constraint: str, insert: str, number: int) -> str:
    return (
        f"{FAKE} EXECUTE [tSQLt].[ApplyConstraint] N'[app].[Items]', N'{constraint}';"
        f" EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = {number}; {insert}"
    )


@pytest.mark.parametrize(
    ("constraint", "insert", "number"),
    [
        ("PK_Items", "INSERT INTO [app].[Items] ([Id]) VALUES (1), (1);", 2627),
        ("PK_Items", "INSERT INTO [app].[Items] ([Id]) VALUES (NULL);", 515),
        ("UQ_Items_Name", "INSERT INTO [app].[Items] ([Name]) VALUES ('a'), ('A');", 2627),
        ("CK_Items_Price", "INSERT INTO [app].[Items] ([Price]) VALUES (-1);", 547),
        ("[CK_Items_Price]", "INSERT INTO [app].[Items] ([Price]) VALUES (-1);", 547),
    ],
)
def test_one_constraint_can_be_had_back(suite: Suite, constraint: str, insert: str, number: int) -> None:
    assert outcome(suite, applied(constraint, insert, number)) == "Success"


def test_the_other_constraints_stay_away(suite: Suite) -> None:
    body = FAKE + "EXECUTE [tSQLt].[ApplyConstraint] N'[app].[Items]', N'CK_Items_Price';"
    assert outcome(suite, body + "INSERT INTO [app].[Items] ([Id]) VALUES (1), (1);") == "Success"


def test_a_foreign_key_can_be_had_back(suite: Suite) -> None:
    suite.cursor.execute(
        "CREATE TABLE [app].[Parts] ([ItemId] INT NOT NULL"
        " CONSTRAINT [FK_Parts] FOREIGN KEY REFERENCES [app].[Items] ([Id]))"
    )
    body = """
    EXECUTE [tSQLt].[FakeTable] N'[app].[Parts]';
    EXECUTE [tSQLt].[ApplyConstraint] N'[app].[Parts]', N'FK_Parts';
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 547;
    INSERT INTO [app].[Parts] ([ItemId]) VALUES (77);
    """
    assert outcome(suite, body) == "Success"


@pytest.mark.parametrize("lead", ["", FAKE])
def test_a_constraint_that_is_not_there_is_refused(suite: Suite, lead: str) -> None:
    body = (
        "EXECUTE [tSQLt].[ExpectException] @ExpectedMessagePattern = N'ApplyConstraint could not resolve%';"
    )
    assert (
        outcome(suite, f"{lead}{body} EXECUTE [tSQLt].[ApplyConstraint] N'[app].[Items]', N'CK_None';")
        == "Success"
    )


# SpyProcedure


SPY = "EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[app].[AddItem]'"
LOG = "N'[app].[AddItem_SpyProcedureLog]'"


def test_a_spied_procedure_does_nothing(suite: Suite) -> None:
    body = f"{SPY}; EXECUTE [app].[AddItem] @Id = 1; {COUNT} EXECUTE [tSQLt].[AssertEquals] 1, @Count;"
    assert outcome(suite, body) == "Success"


def test_a_spy_logs_each_call_with_its_arguments(suite: Suite) -> None:
    suite.cursor.execute(
        "CREATE TABLE [T].[Expected] ([_id_] INT NULL, [Id] INT NULL, [Name] VARCHAR(20) NULL)"
    )
    body = f"""
    INSERT INTO [T].[Expected] ([_id_], [Id], [Name]) VALUES (1, 7, 'seven'), (2, 8, NULL);
    {SPY};
    EXECUTE [app].[AddItem] 7, 'seven';
    EXECUTE [app].[AddItem] @Id = 8;
    EXECUTE [tSQLt].[AssertEqualsTable] N'[T].[Expected]', {LOG};
    """
    assert outcome(suite, body) == "Success"


def test_a_spy_stands_in_for_callers_that_are_procedures(suite: Suite) -> None:
    suite.cursor.execute("CREATE TABLE [T].[Expected] ([Id] INT NULL)")
    body = f"""
    INSERT INTO [T].[Expected] ([Id]) VALUES (5), (5);
    {SPY};
    EXECUTE [app].[AddTwice] @Id = 5;
    EXECUTE [tSQLt].[AssertEqualsTable] N'[T].[Expected]', {LOG};
    """
    assert outcome(suite, body) == "Success"


def test_a_spy_that_was_not_called_has_an_empty_log(suite: Suite) -> None:
    assert outcome(suite, f"{SPY}; EXECUTE [tSQLt].[AssertEmptyTable] {LOG};") == "Success"


def test_a_spy_runs_a_command_that_sees_the_parameters(suite: Suite) -> None:
    command = "@CommandToExecute = N'SET @Added = @Id * 2;'"
    call = "DECLARE @Added INT; EXECUTE [app].[AddItem] @Id = 21, @Added = @Added OUTPUT;"
    assert outcome(suite, f"{SPY}, {command}; {call} EXECUTE [tSQLt].[AssertEquals] 42, @Added;") == "Success"


def test_the_command_of_a_spy_may_throw(suite: Suite) -> None:
    command = "@CommandToExecute = N'THROW 50007, N''spy'', 1;'"
    expect = "EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 50007;"
    assert outcome(suite, f"{SPY}, {command}; {expect} EXECUTE [app].[AddItem] @Id = 1;") == "Success"


def test_a_spy_may_call_the_original(suite: Suite) -> None:
    call = "DECLARE @Added INT; EXECUTE [app].[AddItem] @Id = 2, @Name = 'x', @Added = @Added OUTPUT;"
    body = f"{SPY}, @CallOriginal = 1; {call} {COUNT} EXECUTE [tSQLt].[AssertEquals] 2, @Count;"
    assert outcome(suite, f"{body} EXECUTE [tSQLt].[AssertEquals] 1, @Added;") == "Success"


def test_a_spy_takes_table_parameters(suite: Suite) -> None:
    suite.cursor.execute("CREATE TABLE [T].[Seen] ([Id] INT NULL, [Note] NVARCHAR(10) NULL)")
    suite.cursor.execute("CREATE TABLE [T].[Expected] ([Id] INT NULL, [Note] NVARCHAR(10) NULL)")
    body = """
    INSERT INTO [T].[Expected] ([Id], [Note]) VALUES (1, N'ж'), (2, N'ж');
    EXECUTE [tSQLt].[SpyProcedure] N'[app].[TakeIds]',
        N'INSERT INTO [T].[Seen] ([Id], [Note]) SELECT [i].[Id], @Note FROM @Ids AS [i];';
    DECLARE @Ids [app].[Ids];
    INSERT INTO @Ids ([Id]) VALUES (1), (2);
    EXECUTE [app].[TakeIds] @Ids = @Ids, @Note = N'ж';
    EXECUTE [tSQLt].[AssertEqualsTable] N'[T].[Expected]', N'[T].[Seen]';
    """
    assert outcome(suite, body) == "Success"


def test_the_procedure_is_back_after_the_test(suite: Suite) -> None:
    suite.run(f"{SPY}; EXECUTE [app].[AddItem] @Id = 2;")
    suite.cursor.execute("EXECUTE [app].[AddItem] @Id = 2")
    assert suite.rows("SELECT COUNT(*) FROM [app].[Items]") == [(2,)]
    assert suite.rows("SELECT OBJECT_ID(N'[app].[AddItem_SpyProcedureLog]')") == [(None,)]


def test_a_procedure_that_is_not_there_cannot_be_spied_on(suite: Suite) -> None:
    expect = "EXECUTE [tSQLt].[ExpectException] @ExpectedMessagePattern = N'Cannot use SpyProcedure on %';"
    assert outcome(suite, f"{expect} EXECUTE [tSQLt].[SpyProcedure] N'[app].[None]';") == "Success"


def test_a_command_that_is_no_sql_is_an_error(suite: Suite) -> None:
    assert outcome(suite, f"{SPY}, @CommandToExecute = N'nonsense';").startswith("Error")


# Classes


def test_a_new_class_takes_the_place_of_the_old_one(suite: Suite) -> None:
    suite.procedure("test old", "RETURN;")
    suite.cursor.execute("CREATE TABLE [T].[Old] ([Id] INT NULL)")
    suite.cursor.execute("EXECUTE [tSQLt].[NewTestClass] @ClassName = N'[T]'")
    assert suite.outcomes() == {}
    assert suite.rows("SELECT OBJECT_ID(N'[T].[Old]')") == [(None,)]


def test_a_schema_that_is_no_class_is_not_overwritten(suite: Suite) -> None:
    with pytest.raises(Error, match="existing schema but not a test class"):
        suite.cursor.execute("EXECUTE [tSQLt].[NewTestClass] @ClassName = N'app'")
    assert suite.rows("SELECT COUNT(*) FROM [app].[Items]") == [(1,)]


def test_a_class_can_be_dropped(suite: Suite) -> None:
    suite.procedure("test old", "RETURN;")
    suite.cursor.execute("EXECUTE [tSQLt].[DropClass] @ClassName = N'T'")
    suite.cursor.execute("EXECUTE [tSQLt].[DropClass] @ClassName = N'T'")
    assert suite.rows("SELECT SCHEMA_ID(N'T')") == [(None,)]
