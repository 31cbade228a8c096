"""Run, RunAll, RunTestClass and their kind, for callers in T-SQL."""

from __future__ import annotations

from ..results import ResultSet
from ..sqltypes import NVARCHAR_MAX
from ..system import server_name
from .arguments import Call, procedure, text
from .reports import counts, junit, summary
from .running import TestRun, run_in
from .state import raised, state_of

_XML = "tsqlt.xmlresultformatter"
_NULL = "tsqlt.nulltestresultformatter"


def _print(call: Call, found: TestRun, formatter: str) -> None:
    low = formatter.replace("[", "").replace("]", "").lower()
    if low == _NULL:
        return
    if low == _XML:
        call.session.emit(ResultSet([""], [NVARCHAR_MAX], [(junit(found.results, server_name()),)]))
        return
    if low not in ("", "tsqlt.defaultresultformatter"):
        raise raised(f"The embedded engine does not support the result formatter '{formatter}'.")
    for line in summary(found.results):
        call.session.message(line, 0, 0, 1)
    if not found.passed:
        raise raised(counts(found.results))


@procedure("Run", text("TestName", None), text("TestResultFormatter", None))
def run_procedure(call: Call, name: str | None, formatter: str | None) -> None:
    """Run a class or a test; without a name the one that ran last."""
    state = state_of(call.session)
    chosen = name if name is not None and name.strip() else state.last_run
    state.last_run = chosen
    _print(call, run_in(call.frame, [chosen] if chosen else []), formatter or "")


@procedure("RunTestClass", text("TestClassName"))
def run_test_class(call: Call, name: str) -> None:
    """Run a class."""
    run_procedure(call, name, None)


@procedure("RunAll")
def run_all(call: Call) -> None:
    """Run every class."""
    _print(call, run_in(call.frame, None), "")


@procedure("RunWithXmlResults", text("TestName", None))
def run_with_xml_results(call: Call, name: str | None) -> None:
    """Run a class or a test; the result is JUnit's XML."""
    run_procedure(call, name, _XML)


@procedure("RunWithNullResults", text("TestName", None))
def run_with_null_results(call: Call, name: str | None) -> None:
    """Run a class or a test; the results are in tSQLt.TestResult alone."""
    run_procedure(call, name, _NULL)


@procedure("SetVerbose", text("Verbose", "1"))
def set_verbose(call: Call, verbose: str | None) -> None:
    """Taken, and without effect: failures are told as they happen in any case."""
