"""The summary, JUnit's XML, the coverage of statements, the command line."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from chokaq.embedded.tsqlt import Coverage, TestResult, create_classes, junit, run, summary
from chokaq.embedded.tsqlt.__main__ import main
from chokaq.embedded.tsqlt.coverage import table, total

from .tsqlt_helper import Suite

AT = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc).replace(tzinfo=None)


def result(class_: str, name: str, outcome: str, message: str = "") -> TestResult:
    return TestResult(class_, name, outcome, message, AT, 0.0123)


RESULTS = [
    result("B", "test fails", "Failure", "Expected: <1> & \x02\r\nbut was"),
    result("A", "test passes", "Success"),
    result("B", "test errs", "Error", "Divide by zero"),
    result("B", "test waits", "Skipped", "later"),
]


def test_the_summary_lists_successes_first() -> None:
    last = "Test Case Summary: 4 test case(s) executed, 1 succeeded, 1 skipped, 1 failed, 1 errored."
    assert summary(RESULTS) == [
        " ",
        "+----------------------+",
        "|Test Execution Summary|",
        "+----------------------+",
        " ",
        "|No|Test Case Name   |Dur(ms)|Result |",
        "+--+-----------------+-------+-------+",
        "|1 |[A].[test passes]|     12|Success|",
        "|2 |[B].[test waits] |     12|Skipped|",
        "|3 |[B].[test fails] |     12|Failure|",
        "|4 |[B].[test errs]  |     12|Error  |",
        "-" * len(last),
        last,
        "-" * len(last),
    ]


def test_junit_has_a_suite_for_each_class() -> None:
    root = ElementTree.fromstring(junit(RESULTS, "here"))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["A", "B"]
    second = suites[1]
    numbers = {
        name: second.get(name) for name in ("tests", "failures", "errors", "skipped", "hostname", "timestamp")
    }
    assert numbers == {
        "tests": "3", "failures": "1", "errors": "1", "skipped": "1", "hostname": "here",
        "timestamp": "2026-01-02T03:04:05",
    }  # fmt: skip
    kinds = {case.get("name"): [child.tag for child in case] for case in second.findall("testcase")}
    assert kinds == {"test errs": ["error"], "test fails": ["failure"], "test waits": ["skipped"]}
    failure = second.find("testcase/failure")
    assert failure is not None
    assert "Expected: <1> & \\x02" in (failure.get("message") or "")


def test_no_results() -> None:
    assert "0 test case(s) executed" in summary([])[-2]
    assert ElementTree.fromstring(junit([])).findall("testsuite") == []


def test_coverage_tells_the_lines_that_did_not_run() -> None:
    suite = Suite()
    suite.cursor.execute("CREATE SCHEMA [c]")
    suite.cursor.execute(
        """CREATE PROCEDURE [c].[Branch] @Way INT
AS
BEGIN
    DECLARE @Sum INT = 0;
    IF @Way = 1
    BEGIN
        SET @Sum = 1;
    END;
    ELSE
    BEGIN
        SET @Sum = 2;
    END;
    BEGIN TRY
        SET @Sum = @Sum / (@Way - 1);
    END TRY
    BEGIN CATCH
        SET @Sum = 3;
    END CATCH;
END;
"""
    )
    suite.procedure("test it", "EXECUTE [c].[Branch] @Way = 1;")
    coverage = Coverage()
    with coverage.measure():
        run(suite.session)
    (covered,) = coverage.of(suite.session, "c")
    assert (covered.procedure, covered.missed) == ("Branch", (11,))
    assert covered.executed == covered.statements - 1
    assert 0 < total([covered]) < 100
    assert any("Branch" in line and line.endswith(" 11") for line in table([covered]))


def test_files_of_classes_are_run_batch_by_batch(tmp_path: Path) -> None:
    suite = Suite()
    file = tmp_path / "AppTests.sql"
    file.write_text(
        "EXECUTE [tSQLt].[NewTestClass] N'AppTests';\nGO\n"
        "CREATE PROCEDURE [AppTests].[test a] AS\nBEGIN\n    RETURN;\nEND;\nGO\n"
    )
    create_classes(suite.connection, [tmp_path])
    assert suite.outcomes(["AppTests"]) == {"test a": "Success"}
    file.write_text("SELECT 1 AS [One];\nGO\n\nNONSENSE;\nGO\n")
    with pytest.raises(RuntimeError, match=r"AppTests\.sql, batch at line 4"):
        create_classes(suite.connection, [file])


CLASS = """
EXECUTE [tSQLt].[NewTestClass] N'MiniTests';
GO
CREATE PROCEDURE [MiniTests].[test good] AS BEGIN EXECUTE [chokaq].[GetSchemaVersion]; END;
GO
CREATE PROCEDURE [MiniTests].[test bad] AS BEGIN EXECUTE [tSQLt].[Fail] N'because'; END;
GO
"""


def test_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "MiniTests.sql"
    file.write_text(CLASS)
    report = tmp_path / "junit.xml"
    both = CliRunner().invoke(main, [str(file), "--junit", str(report)])
    assert both.exit_code == 1, both.output
    assert "[MiniTests].[test bad] failed: (Failure) because" in both.output
    assert "1 succeeded, 0 skipped, 1 failed, 0 errored." in both.output
    assert ElementTree.parse(report).getroot().find("testsuite") is not None

    one = CliRunner().invoke(main, [str(file), "--name", "[MiniTests].[test good]", "--coverage"])
    assert one.exit_code == 0, one.output
    assert "GetSchemaVersion" in one.output

    low = CliRunner().invoke(main, [str(file), "--name", "[MiniTests].[test good]", "--minimum", "99"])
    assert low.exit_code == 1
