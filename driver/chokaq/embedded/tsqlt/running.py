"""Runs tests: each in a transaction that is rolled back, whatever it did to it."""

from __future__ import annotations

import datetime as dt
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import ir
from ..catalog import Procedure, Schema
from ..frames import Frame
from ..problems import SqlError
from ..values.patterns import like
from .annotations import read as read_annotations
from .asserts import FAILURE
from .classes import helper, test_classes, tests_of
from .doubles import undo
from .names import find_procedure, find_schema
from .results import ERROR, SKIPPED, SUCCESS, TestResult, quoted
from .results import FAILURE as FAILED
from .state import Expectation, raised, state_of
from .tables import NEW_LINE

if TYPE_CHECKING:
    from ..session import Session

_NO_END = "A severe error happened during test execution. Test did not finish."


@dataclass(slots=True)
class TestRun:
    """The results of one run, in the order of the tests."""

    __test__ = False

    results: list[TestResult] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        """How many tests came to this."""
        return sum(result.outcome == outcome for result in self.results)

    @property
    def passed(self) -> bool:
        """No test failed or ended in an error."""
        return self.count(FAILED) == self.count(ERROR) == 0


@dataclass(slots=True)
class _Action(ir.Statement):
    """A Python function as a statement, so that the engine's own rules for errors hold for it."""

    action: Callable[[Frame], None]

    def run(self, frame: Frame) -> int | None:
        self.action(frame)
        return None


def _attempt(frame: Frame, body: Callable[[Frame], None], handler: Callable[[Frame], None]) -> None:
    """BEGIN TRY … END TRY BEGIN CATCH … END CATCH."""
    ir.TryCatch(0, [_Action(0, body)], [_Action(0, handler)]).run(frame)


@contextmanager
def _outer_frame(session: Session) -> Iterator[Frame]:
    frame = Frame(session, ir.Program("tSQLt.Run", 0, {}, [], [], [], {}, [], {}), 0, ())
    session.frames.append(frame)
    try:
        yield frame
    finally:
        session.frames.remove(frame)


def run(session: Session, names: Iterable[str] | None = None) -> TestRun:
    """Run classes and tests by name; None: all classes. Error 50000 for a name that is neither."""
    with _outer_frame(session) as frame:
        return run_in(frame, names)


def run_in(frame: Frame, names: Iterable[str] | None) -> TestRun:
    """The same inside a running batch."""
    session = frame.session
    found = TestRun()
    session.sqlite.execute('DELETE FROM main."tSQLt.TestResult"')
    for schema, test in _chosen(session, names):
        set_up = helper(session, schema, "SetUp")
        clean_up = helper(session, schema, "CleanUp")
        found.results.append(_run_test(frame, test, set_up, clean_up))
    return found


def _chosen(session: Session, names: Iterable[str] | None) -> Iterator[tuple[Schema, Procedure]]:
    if names is None:
        for schema in test_classes(session):
            for test in tests_of(session, schema):
                yield schema, test
        return
    for name in names:
        schema_ = find_schema(session, name)
        if schema_ is not None:
            for test in tests_of(session, schema_):
                yield schema_, test
            continue
        single = find_procedure(session, name)
        owner = session.catalog.schema(single.schema) if single is not None else None
        if single is None or owner is None or not single.name.lower().startswith("test"):
            raise raised(f"There is no test class and no test named '{name}'.")
        yield owner, single


def _run_test(
    frame: Frame, test: Procedure, set_up: Procedure | None, clean_up: Procedure | None
) -> TestResult:
    session = frame.session
    state = state_of(session)
    state.expectation, state.failure = None, ""
    outside = session.trancount
    started = dt.datetime.now(dt.timezone.utc).replace(tzinfo=None)
    clock = time.perf_counter()
    outcome, message = SUCCESS, ""
    try:
        wanted = read_annotations(test.definition)
        if wanted.skip is not None:
            outcome, message = SKIPPED, wanted.skip
        elif wanted.no_transaction:
            outcome, message = _without_transaction(frame, test, set_up, clean_up, wanted.clean_up)
        else:
            outcome, message = _in_transaction(frame, test, set_up)
    except SqlError as error:
        outcome, message = ERROR, error.message
    if session.trancount != outside:
        raise raised(
            "tSQLt is in an invalid state: Stopping Execution. "
            f"(Mismatching TRANCOUNT: {outside} <> {session.trancount}))"
        )
    result = TestResult(test.schema, test.name, outcome, message, started, time.perf_counter() - clock)
    if outcome not in (SUCCESS, SKIPPED):
        session.message(f"{result.name} failed: ({outcome}) {message}", 0, 0, 1)
    _store(session, result, state.savepoint)
    return result


def _in_transaction(frame: Frame, test: Procedure, set_up: Procedure | None) -> tuple[str, str]:
    session = frame.session
    state = state_of(session)
    state.savepoint = f"tSQLtTran{uuid.uuid4().hex}"[:32]
    session.begin()
    session.save(state.savepoint)
    before = session.trancount
    outcome, message = _execute(frame, test, set_up)
    try:
        session.rollback(state.savepoint)
    except SqlError as error:
        change = before - session.trancount
        if session.trancount:
            session.rollback()
        session.begin()
        if outcome != SUCCESS or change:
            outcome = ERROR
            message += f" (There was also a ROLLBACK ERROR --> {error_text(error)})"
    # A transaction that the test began and left open: tSQLt stops all testing here.
    while session.trancount > before:
        session.commit()
    session.commit()
    return outcome, message


def _without_transaction(
    frame: Frame, test: Procedure, set_up: Procedure | None, clean_up: Procedure | None, named: list[str]
) -> tuple[str, str]:
    session = frame.session
    state_of(session).savepoint = ""
    before = _objects(session)
    outcome, message = _execute(frame, test, set_up)
    if session.trancount:
        session.rollback()
        outcome, message = ERROR, f"{message} The test left a transaction open.".lstrip()

    def attempt(action: Callable[[Frame], None]) -> None:
        nonlocal outcome, message

        def caught(_: Frame) -> None:
            nonlocal outcome, message
            error = session.errors[-1]
            lead = f"{message or '<empty>'} [Result: {outcome}] || " if message or outcome != SUCCESS else ""
            outcome, message = ERROR, f"{lead}Error during clean up: ({error_text(error)})"

        _attempt(frame, action, caught)
        if session.doomed:
            session.rollback()

    for name in named:
        procedure = find_procedure(session, name)
        if procedure is None:
            raise raised(f"Test CleanUp Procedure {name} does not exist or is not a procedure.")
        attempt(lambda inner, each=procedure: _call(inner, each))  # type: ignore[misc]
    if clean_up is not None:
        attempt(lambda inner: _call(inner, clean_up))
    attempt(lambda _: undo(session))
    after = _objects(session)
    if before != after:

        def side_effects(_: Frame) -> None:
            listed = ", ".join(
                [f"Deleted {each}" for each in sorted(before - after)]
                + [f"Added {each}" for each in sorted(after - before)]
            )
            raise raised(
                f"After the test executed, there were unexpected or missing objects in the database: {listed}"
            )

        attempt(side_effects)
    return outcome, message


def _objects(session: Session) -> set[str]:
    names = [(table.schema, table.name) for table in session.catalog.tables.values()]
    names += [(procedure.schema, procedure.name) for procedure in session.catalog.procedures.values()]
    return {f"{quoted(schema)}.{quoted(name)}" for schema, name in names}


def _call(frame: Frame, procedure: Procedure) -> None:
    frame.session.call(ir.Execute(0, procedure.schema, procedure.name, []), frame)


def _execute(frame: Frame, test: Procedure, set_up: Procedure | None) -> tuple[str, str]:
    """Run SetUp and the test, and judge how it ended."""
    session = frame.session
    state = state_of(session)
    outcome, message = SUCCESS, ""
    items = len(session.items)

    def body(inner: Frame) -> None:
        if set_up is not None:
            _call(inner, set_up)
        _call(inner, test)
        expected = state.expectation
        if expected is not None and expected.raises:
            lead = "" if expected.message is None else f"{expected.message} "
            state.failure = f"{lead}Expected an error to be raised."
            raise raised(FAILURE)

    def handler(_: Frame) -> None:
        nonlocal outcome, message
        error = session.errors[-1]
        if FAILURE in error.message:
            outcome, message = FAILED, state.failure
        else:
            outcome, message = _judge(error, state.expectation)

    _attempt(frame, body, handler)
    # Result sets that the test did not capture are nobody's.
    del session.items[items:]
    session.capture = None
    return outcome, message


def _judge(error: SqlError, expected: Expectation | None) -> tuple[str, str]:
    if expected is None:
        return ERROR, error_text(error)
    lead = "" if expected.message is None else f"{expected.message} "
    if not expected.raises:
        return FAILED, (
            f"{lead}Expected no error to be raised. Instead this error was encountered:"
            f"{NEW_LINE}{error_text(error)}"
        )
    lines = [f"{lead}Exception did not match expectation!"]
    if (
        expected.text is not None
        and error.message.rstrip(" ").casefold() != expected.text.rstrip(" ").casefold()
    ):
        lines += [f"Expected Message: <{expected.text}>", f"Actual Message  : <{error.message}>"]
    if expected.pattern is not None and not like(error.message, expected.pattern, wide=True):
        lines += [
            f"Expected Message to be like <{expected.pattern}>",
            f"Actual Message            : <{error.message}>",
        ]
    for name, wanted, actual in (
        ("Error Number", expected.number, error.number),
        ("Severity", expected.severity, error.severity),
        ("State", expected.state, error.state),
    ):
        if wanted is not None and wanted != actual:
            lines += [f"Expected {name}: {wanted}", f"Actual {name}  : {actual}"]
    return (SUCCESS, "") if len(lines) == 1 else (FAILED, NEW_LINE.join(lines))


def error_text(error: SqlError) -> str:
    """An error as tSQLt tells of it."""
    place = f"{error.procedure or '<NULL>'}{f' ({error.line})' if error.line else ''}"
    return (
        f"Message: {error.message} | Procedure: {place} | Severity, State: {error.severity}, {error.state}"
        f" | Number: {error.number}"
    )


def _store(session: Session, result: TestResult, savepoint: str) -> None:
    from ..values import datetimes

    start = datetimes.from_datetime(result.started)
    end = datetimes.from_datetime(result.started + dt.timedelta(seconds=result.seconds))
    session.sqlite.execute(
        'INSERT INTO main."tSQLt.TestResult" ("Class", "TestCase", "Name", "TranName", "Result", "Msg",'
        ' "TestStartTime", "TestEndTime")'
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            result.class_name,
            result.test,
            result.name,
            savepoint or None,
            result.outcome,
            result.message,
            start,
            end,
        ),
    )
