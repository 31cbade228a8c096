"""The assertions and the expectations, with tSQLt's messages."""

from __future__ import annotations

import pytest

from .tsqlt_helper import Suite

NL = "\r\n"


@pytest.fixture(scope="module")
def suite() -> Suite:
    suite = Suite()
    for name in ("A", "B"):
        suite.cursor.execute(
            f"CREATE TABLE [T].[{name}] "
            "([Id] INT NULL, [Name] VARCHAR(20) NULL, [At] DATETIME2(7) NULL, [Size] FLOAT NULL)"
        )
    return suite


def outcome(suite: Suite, body: str) -> tuple[str, str]:
    result = suite.run(body)
    return result.outcome, result.message


PASS = ("Success", "")


@pytest.mark.parametrize(
    ("declare", "expected", "actual"),
    [
        ("", "1", "1"),
        ("DECLARE @B BIGINT = 1;", "1", "@B"),
        ("DECLARE @B BIT = 1;", "@B", "1"),
        ("DECLARE @N INT;", "NULL", "@N"),
        ("", "'Text'", "N'text  '"),
        (
            "DECLARE @D DATETIME2(7) = '2026-01-02T03:04:05', @E DATETIME2(0) = '2026-01-02T03:04:05';",
            "@D",
            "@E",
        ),
        ("DECLARE @F FLOAT = 0.5;", "5.0E-1", "@F"),
        ("DECLARE @M DECIMAL(9, 2) = 1.50;", "1.5", "@M"),
    ],
)
def test_equal_values(suite: Suite, declare: str, expected: str, actual: str) -> None:
    assert (
        outcome(
            suite, f"{declare} EXECUTE [tSQLt].[AssertEquals] @Expected = {expected}, @Actual = {actual};"
        )
        == PASS
    )


@pytest.mark.parametrize(
    ("declare", "expected", "actual", "message"),
    [
        ("", "1", "2", "Expected: <1> but was: <2>"),
        ("", "1", "NULL", "Expected: <1> but was: <NULL>"),
        ("", "NULL", "'x'", "Expected: <NULL> but was: <x>"),
        # sql_variant: a value of another family is never equal.
        ("", "1", "'1'", "Expected: <1> but was: <1>"),
        ("DECLARE @F FLOAT = 1;", "1", "@F", "Expected: <1> but was: <1>"),
        (
            "DECLARE @D DATETIME2(7) = '2026-01-02';",
            "'2026-01-02'",
            "@D",
            "Expected: <2026-01-02> but was: <2026-01-02 00:00:00.0000000>",
        ),
    ],
)
def test_unequal_values(suite: Suite, declare: str, expected: str, actual: str, message: str) -> None:
    found = outcome(
        suite, f"{declare} EXECUTE [tSQLt].[AssertEquals] @Expected = {expected}, @Actual = {actual};"
    )
    assert found == ("Failure", message)


def test_a_message_leads(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEquals] 1, 2, N'Rows:';") == (
        "Failure",
        "Rows: Expected: <1> but was: <2>",
    )


def test_a_text_without_end_is_no_variant(suite: Suite) -> None:
    kind, message = outcome(
        suite, "DECLARE @T NVARCHAR(MAX) = N'x'; EXECUTE [tSQLt].[AssertEquals] N'x', @T;"
    )
    assert kind == "Error"
    assert "Operand type clash: nvarchar(max) is incompatible with sql_variant" in message


def test_values_that_should_differ(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertNotEquals] 1, 2;") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertNotEquals] 1, NULL;") == PASS
    same = outcome(suite, "EXECUTE [tSQLt].[AssertNotEquals] 1, 1;")
    assert same == ("Failure", "Expected actual value to not equal <1>.")
    none = outcome(suite, "EXECUTE [tSQLt].[AssertNotEquals] NULL, NULL;")
    assert none == ("Failure", "Expected actual value to not be NULL.")


def test_texts(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEqualsString] N'Ж', N'ж ';") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEqualsString] NULL, NULL;") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEqualsString] N'a', NULL, N'Name';") == (
        "Failure",
        f"Name{NL}Expected: <a>{NL}but was : NULL",
    )


def test_patterns(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertLike] N'a[0-9]%', N'a7 and more';") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertLike] NULL, NULL;") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertLike] N'a[0-9]', N'ab';") == (
        "Failure",
        f"{NL}Expected: <a[0-9]>{NL} but was: <ab>",
    )
    assert outcome(suite, "EXECUTE [tSQLt].[AssertLike] N'a', NULL;")[0] == "Failure"


@pytest.mark.parametrize("name", ["[app].[Items]", "app.Items", "[app].[AddItem]", "[app].[PK_Items]"])
def test_objects(suite: Suite, name: str) -> None:
    assert outcome(suite, f"EXECUTE [tSQLt].[AssertObjectExists] N'{name}';") == PASS
    assert outcome(suite, f"EXECUTE [tSQLt].[AssertObjectDoesNotExist] N'{name}';") == (
        "Failure",
        f"'{name}' does exist!",
    )


def test_objects_that_are_missing(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertObjectDoesNotExist] N'[app].[None]';") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertObjectExists] N'[app].[None]';") == (
        "Failure",
        "'[app].[None]' does not exist",
    )
    assert outcome(suite, "EXECUTE [tSQLt].[AssertObjectExists] NULL;") == (
        "Failure",
        "'NULL' does not exist",
    )


def test_a_table_that_should_be_empty(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEmptyTable] N'[T].[A]';") == PASS
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEmptyTable] N'[app].[Items]', N'Rows left. ';") == (
        "Failure",
        f"Rows left. [app].[Items] was not empty:{NL}|Id|Name|Price|{NL}+--+----+-----+{NL}|1 |kept|5    |",
    )
    assert outcome(suite, "EXECUTE [tSQLt].[AssertEmptyTable] N'[T].[None]';") == (
        "Failure",
        "'[T].[None]' does not exist",
    )


INSERT = "INSERT INTO [T].[{0}] ([Id], [Name], [At], [Size]) VALUES {1};"


def compared(suite: Suite, expected: str, actual: str) -> tuple[str, str]:
    body = "".join(INSERT.format(name, rows) for name, rows in (("A", expected), ("B", actual)) if rows)
    return outcome(suite, f"{body} EXECUTE [tSQLt].[AssertEqualsTable] N'[T].[A]', N'[T].[B]';")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("", ""),
        (
            "(1, 'a', NULL, 0.5), (2, NULL, '2026-01-02', NULL)",
            "(2, NULL, '2026-01-02T00:00', NULL), (1, 'A ', NULL, 0.5)",
        ),
        ("(1, 'a', NULL, 1), (1, 'a', NULL, 1)", "(1, 'a', NULL, 1), (1, 'a', NULL, 1)"),
    ],
)
def test_equal_tables(suite: Suite, expected: str, actual: str) -> None:
    assert compared(suite, expected, actual) == PASS


def test_the_difference_of_two_tables_is_shown(suite: Suite) -> None:
    gone = "(2, 'gone', '2026-01-02T03:04:05.1234567', NULL)"
    expected = f"(1, 'same', NULL, 100), {gone}, (3, 'twice', NULL, NULL), (3, 'twice', NULL, NULL)"
    actual = "(1, 'same', NULL, 100), (3, 'twice', NULL, NULL), (4, NULL, NULL, 0.25)"
    kind, message = compared(suite, expected, actual)
    assert kind == "Failure"
    assert message.split(NL) == [
        "Unexpected/missing resultset rows!",
        "|_m_|Id|Name  |At                         |Size                  |",
        "+---+--+------+---------------------------+----------------------+",
        "|<  |2 |gone  |2026-01-02 03:04:05.1234567|!NULL!                |",
        "|<  |3 |twice |!NULL!                     |!NULL!                |",
        "|=  |1 |same  |!NULL!                     |1.000000000000000E+002|",
        "|=  |3 |twice |!NULL!                     |!NULL!                |",
        "|>  |4 |!NULL!|!NULL!                     |2.500000000000000E-001|",
    ]


def test_long_values_are_shown_in_part(suite: Suite) -> None:
    body = "CREATE TABLE #Expected ([Text] NVARCHAR(MAX) NULL);"
    body += "CREATE TABLE #Actual ([Text] NVARCHAR(MAX) NULL);"
    body += "INSERT INTO #Actual ([Text]) SELECT CONCAT(N'begin', REPLICATE(N'x', 200), N'end');"
    kind, message = outcome(
        suite, f"{body} EXECUTE [tSQLt].[AssertEqualsTable] N'#Expected', N'#Actual', N'Why.', N'How.';"
    )
    assert kind == "Failure"
    lines = message.split(NL)
    assert lines[:2] == ["Why.", "How."]
    assert lines[4] == f"|>  |begin{'x' * 70}<...>{'x' * 72}end|"


def test_only_the_columns_of_the_expected_table_count(suite: Suite) -> None:
    body = "CREATE TABLE #Expected ([Name] NVARCHAR(9) NULL, [Id] BIGINT NULL);"
    body += "INSERT INTO #Expected ([Name], [Id]) VALUES (N'kept', 1);"
    assert (
        outcome(suite, f"{body} EXECUTE [tSQLt].[AssertEqualsTable] N'#Expected', N'[app].[Items]';") == PASS
    )


def test_a_column_that_the_actual_table_lacks_is_an_error(suite: Suite) -> None:
    body = "CREATE TABLE #Expected ([Colour] INT NULL);"
    body += "EXECUTE [tSQLt].[AssertEqualsTable] N'#Expected', N'[app].[Items]';"
    kind, message = outcome(suite, body)
    assert kind == "Error"
    assert "Invalid column name 'Colour'" in message


def test_fail_joins_its_messages(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[Fail] N'a', NULL, N'c';") == ("Failure", "a!NULL!c")


def test_a_failure_in_a_doomed_transaction_is_a_failure(suite: Suite) -> None:
    body = "BEGIN TRY EXECUTE [app].[Refuse]; END TRY BEGIN CATCH EXECUTE [tSQLt].[Fail] N'no'; END CATCH;"
    assert outcome(suite, body) == ("Failure", f"no{NL}Warning: Uncommitable transaction detected!")


def test_tables_cannot_be_compared_in_a_doomed_transaction(suite: Suite) -> None:
    compare = "EXECUTE [tSQLt].[AssertEqualsTable] N'[T].[A]', N'[T].[B]';"
    kind, message = outcome(
        suite, f"BEGIN TRY EXECUTE [app].[Refuse]; END TRY BEGIN CATCH {compare} END CATCH;"
    )
    assert kind == "Error"
    assert "3930" in message


# Expectations


REFUSE = "EXECUTE [app].[Refuse] @State = 7;"


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "@ExpectedErrorNumber = 51234",
        "@ExpectedMessage = N'refused: nothing to add'",
        "@ExpectedMessagePattern = N'Refused:%'",
        "@ExpectedSeverity = 16, @ExpectedState = 7",
        "N'Refused: nothing to add', 16, 7, N'Why', N'%add', 51234",
    ],
)
def test_an_expected_exception(suite: Suite, arguments: str) -> None:
    assert outcome(suite, f"EXECUTE [tSQLt].[ExpectException] {arguments}; {REFUSE}") == PASS
    assert suite.rows("SELECT COUNT(*) FROM [app].[Items]") == [(1,)]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ("@ExpectedErrorNumber = 51000", ["Expected Error Number: 51000", "Actual Error Number  : 51234"]),
        (
            "@ExpectedMessage = N'Other'",
            ["Expected Message: <Other>", "Actual Message  : <Refused: nothing to add>"],
        ),
        (
            "@ExpectedMessagePattern = N'Other%'",
            ["Expected Message to be like <Other%>", "Actual Message            : <Refused: nothing to add>"],
        ),
        ("@ExpectedSeverity = 14", ["Expected Severity: 14", "Actual Severity  : 16"]),
        ("@ExpectedState = 1", ["Expected State: 1", "Actual State  : 7"]),
    ],
)
def test_another_exception_than_expected(suite: Suite, arguments: str, lines: list[str]) -> None:
    # In a transaction that is not doomed, so that the failure stands alone.
    raise_ = (
        "RAISERROR(N'Refused: nothing to add', 16, 7);"
        if "Number" not in arguments
        else "THROW 51234, N'Refused', 1;"
    )
    if "Number" in arguments:
        lines = lines[:2]
    _, message = outcome(suite, f"EXECUTE [tSQLt].[ExpectException] {arguments}; {raise_}")
    assert message.split(NL)[0].startswith("Exception did not match expectation!")
    assert [line.split(" (There was also")[0] for line in message.split(NL)[1:]] == lines


def test_another_exception_in_a_doomed_transaction_is_an_error(suite: Suite) -> None:
    kind, message = outcome(
        suite, f"EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000; {REFUSE}"
    )
    assert kind == "Error"
    assert "Actual Error Number  : 51234 (There was also a ROLLBACK ERROR" in message


def test_an_expected_exception_that_does_not_come(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[ExpectException];") == (
        "Failure",
        "Expected an error to be raised.",
    )
    found = outcome(suite, "EXECUTE [tSQLt].[ExpectException] @Message = N'It must refuse.';")
    assert found == ("Failure", "It must refuse. Expected an error to be raised.")


def test_a_failed_assertion_is_no_expected_exception(suite: Suite) -> None:
    body = "EXECUTE [tSQLt].[ExpectException]; EXECUTE [tSQLt].[AssertEquals] 1, 2;"
    assert outcome(suite, body) == ("Failure", "Expected: <1> but was: <2>")


def test_no_exception(suite: Suite) -> None:
    assert outcome(suite, "EXECUTE [tSQLt].[ExpectNoException]; EXECUTE [app].[AddItem] @Id = 2;") == PASS
    kind, message = outcome(
        suite, "EXECUTE [tSQLt].[ExpectNoException] N'Quiet.'; RAISERROR(N'loud', 16, 3);"
    )
    assert kind == "Failure"
    assert message.startswith(
        f"Quiet. Expected no error to be raised. Instead this error was encountered:{NL}Message: loud"
    )


def test_an_expectation_does_not_outlive_its_test(suite: Suite) -> None:
    outcome(suite, f"EXECUTE [tSQLt].[ExpectException]; {REFUSE}")
    assert outcome(suite, "RETURN;") == PASS


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "EXECUTE [tSQLt].[ExpectException]; EXECUTE [tSQLt].[ExpectException];",
            "only contain one call to tSQLt.ExpectException",
        ),
        (
            "EXECUTE [tSQLt].[ExpectNoException]; EXECUTE [tSQLt].[ExpectNoException];",
            "only contain one call to tSQLt.ExpectNoException",
        ),
        (
            "EXECUTE [tSQLt].[ExpectException]; EXECUTE [tSQLt].[ExpectNoException];",
            "cannot follow tSQLt.ExpectException",
        ),
    ],
)
def test_one_expectation_a_test(suite: Suite, body: str, message: str) -> None:
    kind, found = outcome(suite, body)
    assert kind == "Error"
    assert message in found


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("[AssertEquals] 1;", "expects parameter '@Actual', which was not supplied"),
        (
            "[AssertEquals] @Expected = 1, @Actual = 1, @Mesage = N'x';",
            "@mesage is not a parameter for procedure AssertEquals",
        ),
        ("[FakeTable] N'a', N'b', 1, 1, 1, 1;", "has too many arguments"),
        ("[FakeFunction] N'a', N'b';", "does not support tSQLt.FakeFunction"),
        ("[NoSuchThing];", "Could not find stored procedure"),
    ],
)
def test_wrong_calls(suite: Suite, call: str, message: str) -> None:
    kind, found = outcome(suite, f"EXECUTE [tSQLt].{call}")
    assert kind == "Error"
    assert message in found
