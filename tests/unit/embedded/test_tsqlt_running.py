"""How tests are run: each by itself, in a transaction that leaves nothing behind."""

from __future__ import annotations

import pytest

from chokaq.embedded import Error
from chokaq.embedded.tsqlt import run

from .tsqlt_helper import Suite

ITEMS = "SELECT [Id], [Name], [Price] FROM [app].[Items] ORDER BY [Id]"
KEPT = [(1, "kept", 5)]


@pytest.fixture
def suite() -> Suite:
    return Suite()


def test_a_test_that_does_nothing_wrong_succeeds(suite: Suite) -> None:
    result = suite.run("EXECUTE [app].[AddItem] @Id = 2;")
    assert (result.outcome, result.message) == ("Success", "")
    assert result.name == "[T].[test it]"


def test_what_a_test_wrote_is_undone(suite: Suite) -> None:
    suite.run("EXECUTE [app].[AddItem] @Id = 2; DELETE FROM [app].[Items] WHERE [Id] = 1;")
    assert suite.rows(ITEMS) == KEPT


def test_an_assertion_that_fails_is_a_failure(suite: Suite) -> None:
    result = suite.run("EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = 2;")
    assert (result.outcome, result.message) == ("Failure", "Expected: <1> but was: <2>")


def test_nothing_runs_after_a_failed_assertion(suite: Suite) -> None:
    result = suite.run(
        "EXECUTE [tSQLt].[Fail] @Message0 = N'first'; EXECUTE [tSQLt].[Fail] @Message0 = N'second';"
    )
    assert result.message == "first"


def test_any_other_error_is_an_error(suite: Suite) -> None:
    result = suite.run("DECLARE @Zero INT = 0; SET @Zero = 1 / @Zero;")
    assert result.outcome == "Error"
    assert "Divide by zero" in result.message
    assert "Number: 8134" in result.message


def test_a_doomed_transaction_is_an_error_and_is_told_of(suite: Suite) -> None:
    result = suite.run("EXECUTE [app].[Refuse];")
    assert result.outcome == "Error"
    assert "Refused: nothing to add" in result.message
    assert "There was also a ROLLBACK ERROR" in result.message
    assert "3931" in result.message
    assert suite.rows(ITEMS) == KEPT


def test_a_doomed_transaction_does_not_spoil_the_next_test(suite: Suite) -> None:
    suite.procedure("test 1 dooms", "EXECUTE [app].[Refuse];")
    suite.procedure(
        "test 2 goes on", "EXECUTE [app].[AddItem] @Id = 2; EXECUTE [app].[AddItem] @Id = 3, @Name = 'x';"
    )
    suite.procedure(
        "test 3 dooms with a double", "EXECUTE [tSQLt].[FakeTable] N'[app].[Items]'; EXECUTE [app].[Refuse];"
    )
    suite.procedure(
        "test 4 goes on", "EXECUTE [tSQLt].[FakeTable] N'[app].[Items]'; EXECUTE [app].[AddTwice] @Id = 2;"
    )
    assert suite.outcomes() == {
        "test 1 dooms": "Error",
        "test 2 goes on": "Success",
        "test 3 dooms with a double": "Error",
        "test 4 goes on": "Success",
    }
    assert suite.rows(ITEMS) == KEPT


@pytest.mark.parametrize("statement", ["ROLLBACK TRANSACTION;", "COMMIT TRANSACTION;", "BEGIN TRANSACTION;"])
def test_a_test_that_ends_or_begins_a_transaction_is_an_error(suite: Suite, statement: str) -> None:
    assert suite.run(statement).outcome == "Error"
    assert suite.session.trancount == 0
    assert suite.run("EXECUTE [app].[AddItem] @Id = 2;").outcome == "Success"


def test_set_up_runs_before_each_test_of_its_class(suite: Suite) -> None:
    suite.procedure("setup", "EXECUTE [app].[AddItem] @Id = 2;")
    suite.cursor.execute("EXECUTE [tSQLt].[NewTestClass] @ClassName = N'Other'")
    suite.cursor.execute(
        "CREATE PROCEDURE [Other].[test none] AS BEGIN EXECUTE [app].[AddItem] @Id = 2; END;"
    )
    body = "DECLARE @Count INT; SELECT @Count = COUNT(*) FROM [app].[Items];"
    body += " EXECUTE [tSQLt].[AssertEquals] 2, @Count;"
    suite.procedure("test a", body)
    suite.procedure("test b", body)
    assert suite.outcomes() == {"test a": "Success", "test b": "Success", "test none": "Success"}


def test_an_error_in_set_up_is_an_error_of_the_test(suite: Suite) -> None:
    suite.procedure("SetUp", "EXECUTE [app].[AddItem] @Id = 1;")
    assert suite.run("EXECUTE [app].[AddItem] @Id = 2;").outcome == "Error"


def test_procedures_that_are_no_tests_do_not_run(suite: Suite) -> None:
    suite.procedure("helper", "EXECUTE [tSQLt].[Fail] N'ran';")
    assert suite.outcomes() == {}


def test_result_sets_of_a_test_go_nowhere(suite: Suite) -> None:
    suite.procedure("test it", "SELECT [i].[Id] FROM [app].[Items] AS [i];")
    suite.cursor.execute("EXECUTE [tSQLt].[RunWithNullResults] N'T'")
    assert suite.cursor.description is None


def test_one_test_or_one_class_can_be_run(suite: Suite) -> None:
    suite.procedure("test a", "EXECUTE [tSQLt].[Fail] N'a';")
    suite.procedure("test b", "RETURN;")
    assert suite.outcomes(["[T].[test b]"]) == {"test b": "Success"}
    assert suite.outcomes(["T"]) == {"test a": "Failure", "test b": "Success"}
    assert suite.outcomes(["[T]"]) == {"test a": "Failure", "test b": "Success"}


def test_an_unknown_name_is_refused(suite: Suite) -> None:
    with pytest.raises(Exception, match="no test class and no test named 'Nobody'"):
        run(suite.session, ["Nobody"])


def test_run_prints_the_summary_and_ends_in_an_error_when_something_failed(suite: Suite) -> None:
    suite.procedure("test good", "RETURN;")
    suite.procedure("test bad", "EXECUTE [tSQLt].[Fail] N'because';")
    with pytest.raises(
        Error, match=r"2 test case\(s\) executed, 1 succeeded, 0 skipped, 1 failed, 0 errored\."
    ):
        suite.cursor.execute("EXECUTE [tSQLt].[Run] @TestName = N'T'")
    printed = [text for _, text in suite.cursor.messages]
    assert any("[T].[test bad] failed: (Failure) because" in text for text in printed)
    assert any("|Test Execution Summary|" in text for text in printed)
    assert any("|[T].[test good]|" in text for text in printed)


def test_run_all_prints_the_summary(suite: Suite) -> None:
    suite.procedure("test good", "RETURN;")
    suite.cursor.execute("EXECUTE [tSQLt].[RunAll]")
    assert any("1 succeeded" in text for _, text in suite.cursor.messages)


def test_results_can_be_read_from_their_table(suite: Suite) -> None:
    suite.procedure("test good", "RETURN;")
    suite.procedure("test bad", "EXECUTE [tSQLt].[Fail] N'because';")
    run(suite.session)
    found = suite.rows(
        "SELECT [Class], [TestCase], [Name], [Result], [Msg] FROM [tSQLt].[TestResult] ORDER BY [TestCase]"
    )
    assert found == [
        ("T", "test bad", "[T].[test bad]", "Failure", "because"),
        ("T", "test good", "[T].[test good]", "Success", ""),
    ]


def test_a_skipped_test_does_not_run(suite: Suite) -> None:
    result = suite.run("EXECUTE [tSQLt].[Fail] N'ran';", "--[@tSQLt:SkipTest]('not today, it''s late')")
    assert (result.outcome, result.message) == ("Skipped", "not today, it's late")


def test_an_unknown_annotation_is_an_error(suite: Suite) -> None:
    result = suite.run("RETURN;", "--[@tSQLt:MinSqlMajorVersion](14)")
    assert result.outcome == "Error"
    assert "does not support the annotation [@tSQLt:MinSqlMajorVersion](14)" in result.message


def test_without_a_transaction_a_test_begins_at_zero(suite: Suite) -> None:
    body = "DECLARE @Open INT = @@TRANCOUNT; EXECUTE [tSQLt].[AssertEquals] 0, @Open;"
    assert suite.run(body, "--[@tSQLt:NoTransaction](DEFAULT)").outcome == "Success"
    assert suite.run(body).outcome == "Failure"


def test_without_a_transaction_doubles_are_undone_all_the_same(suite: Suite) -> None:
    body = """
    EXECUTE [tSQLt].[FakeTable] N'[app].[Items]', @Defaults = 1;
    EXECUTE [tSQLt].[ApplyConstraint] N'[app].[Items]', N'PK_Items';
    EXECUTE [tSQLt].[SpyProcedure] N'[app].[AddItem]';
    EXECUTE [tSQLt].[SpyProcedure] N'[app].[AddItem]';
    EXECUTE [app].[AddItem] @Id = 1;
    INSERT INTO [app].[Items] ([Id]) VALUES (7);
    """
    result = suite.run(body, "--[@tSQLt:NoTransaction](NULL)")
    assert (result.outcome, result.message) == ("Success", "")
    assert suite.rows(ITEMS) == KEPT
    suite.cursor.execute("EXECUTE [app].[AddItem] @Id = 2")
    assert suite.rows(ITEMS) == [*KEPT, (2, "new", 1)]
    with pytest.raises(Error, match="2627"):
        suite.cursor.execute("EXECUTE [app].[AddItem] @Id = 2")


def test_without_a_transaction_clean_up_runs(suite: Suite) -> None:
    suite.procedure("CleanUp", "DELETE FROM [app].[Items] WHERE [Id] = 2;")
    suite.procedure("tidy", "DELETE FROM [app].[Items] WHERE [Id] = 3;")
    body = "EXECUTE [app].[AddItem] @Id = 2; EXECUTE [app].[AddItem] @Id = 3, @Name = 'x';"
    assert suite.run(body, "--[@tSQLt:NoTransaction]('[T].[tidy]')").outcome == "Success"
    assert suite.rows(ITEMS) == KEPT


def test_without_a_transaction_a_failing_clean_up_is_an_error(suite: Suite) -> None:
    suite.procedure("CleanUp", "THROW 50001, N'no', 1;")
    result = suite.run("RETURN;", "--[@tSQLt:NoTransaction](DEFAULT)")
    assert result.outcome == "Error"
    assert "Error during clean up: (Message: no" in result.message


def test_without_a_transaction_one_that_is_left_open_is_an_error(suite: Suite) -> None:
    result = suite.run("BEGIN TRANSACTION;", "--[@tSQLt:NoTransaction](DEFAULT)")
    assert result.outcome == "Error"
    assert suite.session.trancount == 0
