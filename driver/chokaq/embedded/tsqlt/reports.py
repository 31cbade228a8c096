"""Results as text, as tSQLt prints them, and as JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree

from .results import ERROR, FAILURE, SKIPPED, SUCCESS, TestResult
from .tables import NEW_LINE, table_text

_TITLE = ["+----------------------+", "|Test Execution Summary|", "+----------------------+"]
# What XML 1.0 cannot hold.
_UNPRINTABLE = {code: f"\\x{code:02x}" for code in range(32) if code not in (9, 10, 13)}


def counts(results: Sequence[TestResult]) -> str:
    """The last line of a summary."""
    number = {
        kind: sum(result.outcome == kind for result in results) for kind in (SUCCESS, SKIPPED, FAILURE, ERROR)
    }
    return (
        f"Test Case Summary: {len(results)} test case(s) executed, {number[SUCCESS]} succeeded,"
        f" {number[SKIPPED]} skipped, {number[FAILURE]} failed, {number[ERROR]} errored."
    )


def summary(results: Sequence[TestResult]) -> list[str]:
    """The lines of the summary: successes first, failures and errors last."""
    ordered = sorted(
        sorted(results, key=lambda each: each.name.casefold()), key=lambda each: each.outcome, reverse=True
    )
    rows = [
        [str(number), each.name, f"{int(each.seconds * 1000)}".rjust(7), each.outcome]
        for number, each in enumerate(ordered, 1)
    ]
    last = counts(results)
    table = table_text(["No", "Test Case Name", "Dur(ms)", "Result"], rows).split(NEW_LINE)
    dashes = "-" * len(last)
    return [" ", *_TITLE, " ", *table, dashes, last, dashes]


def junit(results: Sequence[TestResult], host: str = "") -> str:
    """The results as JUnit's XML, a suite for each class, as tSQLt.XmlResultFormatter has it."""
    root = ElementTree.Element("testsuites")
    by_class = sorted(results, key=lambda each: each.class_name)
    for number, (name, group) in enumerate(groupby(by_class, key=lambda each: each.class_name), 1):
        tests = sorted(group, key=lambda each: each.test)
        seconds = sum(each.seconds for each in tests)
        suite = ElementTree.SubElement(
            root, "testsuite",
            id=str(number), name=name, tests=str(len(tests)),
            errors=str(sum(each.outcome == ERROR for each in tests)),
            failures=str(sum(each.outcome == FAILURE for each in tests)),
            skipped=str(sum(each.outcome == SKIPPED for each in tests)),
            timestamp=min(each.started for each in tests).isoformat(timespec="seconds"),
            time=f"{seconds:.3f}", hostname=host, package="tSQLt",
        )  # fmt: skip
        ElementTree.SubElement(suite, "properties")
        for each in tests:
            case = ElementTree.SubElement(
                suite, "testcase", classname=name, name=each.test, time=f"{each.seconds:.3f}"
            )
            message = each.message.translate(_UNPRINTABLE)
            if each.outcome == FAILURE:
                ElementTree.SubElement(case, "failure", message=message, type="tSQLt.Fail")
            elif each.outcome == ERROR:
                ElementTree.SubElement(case, "error", message=message, type="SQL Error")
            elif each.outcome == SKIPPED:
                ElementTree.SubElement(case, "skipped", message=message)
        ElementTree.SubElement(suite, "system-out")
        ElementTree.SubElement(suite, "system-err")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"
