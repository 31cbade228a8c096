"""How procedures are called: binding, draining, errors, and when a call is repeated."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    CallTimeoutError,
    ConnectionLostError,
    DatabaseError,
    DatabaseNewerError,
    DatabaseOlderError,
    DeadlockError,
    MissingValueError,
    NotDeployedError,
    NotRepresentableError,
    PermissionDeniedError,
    ProtocolError,
    ValueTooLongError,
    connect,
)
from chokaq.calls import Caller, RetryPolicy, utc_naive
from chokaq.connection import Connector
from chokaq.schema_version import compare, expected_version
from tests.unit.driver import fakedb
from tests.unit.driver.fakedb import Answer, Call, Error, error, rows

Step = Any  # what one call gets: a list of answers, or an error


def scripted(*steps: Step) -> tuple[fakedb.Server, Callable[[Call], Any]]:
    """A server that answers its procedure calls with these, one after the other."""
    left = list(steps)

    def respond(_call: Call) -> Any:
        return left.pop(0)

    return fakedb.Server(respond), respond


def caller(server: fakedb.Server, delays: list[float] | None = None, **options: Any) -> Caller:
    pauses = [] if delays is None else delays
    return Caller(Connector(server.connect), sleep=pauses.append, **options)


STATS = [("mail", 1, 2, 3, None)]


def test_a_call_names_and_passes_every_parameter() -> None:
    server, _ = scripted(rows("FetchNextBatch"))
    caller(server).call("FetchNextBatch", "w", 10, None)
    (call,) = server.procedure_calls
    assert call.statement == "EXEC [chokaq].[FetchNextBatch] @WorkerId = ?, @Limit = ?, @Queues = ?;"
    assert call.values == ("w", 10, None)


def test_the_schema_is_part_of_the_name() -> None:
    server, _ = scripted(rows("GetSchemaVersion"))
    caller(server, schema="jobs").call("GetSchemaVersion")
    assert server.procedure_calls[0].statement == "EXEC [jobs].[GetSchemaVersion];"
    assert server.procedure_calls[0].values == ()


@pytest.mark.parametrize("schema", ["", "a b", "a]", "1a", "x" * 129, "a\n"])
def test_a_schema_is_a_plain_name(schema: str) -> None:
    with pytest.raises(ValueError, match="schema"):
        Caller(Connector(fakedb.Server(lambda _: []).connect), schema)


def test_row_counts_around_the_rows_are_passed_over() -> None:
    server, _ = scripted([Answer(), *rows("GetSummaryStats", *STATS), Answer()])
    assert caller(server).call("GetSummaryStats", None) == STATS


def test_an_error_after_the_first_result_set_is_seen() -> None:
    late = error("42000", 51002, "EnqueueJobs: row 3, column queue: value is missing.")
    server, _ = scripted([*rows("EnqueueJobs", (0, "a", "enqueued")), late])
    with pytest.raises(MissingValueError) as caught:
        caller(server).call("EnqueueJobs", "[]", None)
    found = caught.value
    assert (found.number, found.sqlstate, found.procedure) == (51002, "42000", "EnqueueJobs")
    assert (found.row, found.column) == (3, "queue")
    assert found.__cause__ is late


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [Answer()],
        [Answer(("Queue", "Other"), [])],
        [Answer(("queue", "SucceededTotal", "FailedTotal", "RetriedTotal", "LastActivityUtc"), [])],
        [*rows("GetSummaryStats"), *rows("GetSummaryStats")],
    ],
)
def test_another_shape_than_declared_is_an_error(answer: list[Answer | Error]) -> None:
    server, _ = scripted(answer)
    with pytest.raises(ProtocolError):
        caller(server).call("GetSummaryStats", None)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (error("42000", 229, "The EXECUTE permission was denied on the object"), PermissionDeniedError),
        (error("42000", 33557097, "permission denied for procedure fetchnextbatch"), PermissionDeniedError),
        (error("42000", 2812, "Could not find stored procedure 'chokaq.GetSummaryStats'."), NotDeployedError),
        (error("42000", 2760, 'The specified schema name "chokaq" either does not exist'), NotDeployedError),
        (error("42000", 33557097, 'schema "db_chokaq" does not exist'), NotDeployedError),
        (
            error("42000", 33557097, "procedure db_chokaq.getsummarystats(@a => x) does not exist"),
            NotDeployedError,
        ),
        (error("HYT00", 0, "Query timeout expired"), CallTimeoutError),
        (error("42000", 8134, "Divide by zero error encountered."), DatabaseError),
        (error("42000", 59999, "an unknown number of ours"), DatabaseError),
    ],
)
def test_errors_become_classes_and_are_not_repeated(raised: Error, expected: type[Exception]) -> None:
    server, _ = scripted(raised)
    with pytest.raises(expected) as caught:
        caller(server).call("GetSummaryStats", None)
    assert type(caught.value) is expected
    assert len(server.procedure_calls) == 1


def test_not_deployed_says_what_to_run() -> None:
    server, _ = scripted(error("42000", 2812, "Could not find stored procedure"))
    with pytest.raises(NotDeployedError, match="chokaq deploy --url URL --schema jobs"):
        caller(server, schema="jobs").call("GetSchemaVersion")


def test_a_deadlock_victim_is_repeated_with_growing_delays() -> None:
    victim = error(*fakedb.DEADLOCK)
    server, _ = scripted(victim, victim, rows("FetchNextBatch"))
    delays: list[float] = []
    caller(server, delays).call("FetchNextBatch", "w", 1, None)
    assert len(server.procedure_calls) == 3
    assert len(delays) == 2
    assert 0.05 <= delays[0] <= 0.1 < delays[1] <= 0.2
    assert len(server.connections) == 1  # the connection is sound


def test_a_deadlock_without_end_is_told() -> None:
    server, _ = scripted(*[error(*fakedb.DEADLOCK)] * 3)
    with pytest.raises(DeadlockError):
        caller(server, retry=RetryPolicy(attempts=3)).call("GetSummaryStats", None)
    assert len(server.procedure_calls) == 3


def test_a_lost_connection_is_replaced_and_a_repeatable_call_repeated() -> None:
    server, _ = scripted(error(*fakedb.LOST), rows("CompleteJobs", ("a", "archived")))
    assert caller(server).call("CompleteJobs", "w", "[]") == [("a", "archived")]
    assert [connection.closed for connection in server.connections] == [True, False]


def test_a_claim_is_not_repeated_after_a_lost_connection() -> None:
    server, _ = scripted(error(*fakedb.LOST), rows("FetchNextBatch"))
    calls = caller(server)
    with pytest.raises(ConnectionLostError):
        calls.call("FetchNextBatch", "w", 1, None)
    assert server.connections[0].closed
    assert calls.call("FetchNextBatch", "w", 1, None) == []


def test_a_timeout_is_never_repeated_and_costs_the_connection() -> None:
    server, _ = scripted(error("HYT00", 0, "Query timeout expired"))
    with pytest.raises(CallTimeoutError):
        caller(server).call("CompleteJobs", "w", "[]")
    assert server.connections[0].closed


@pytest.mark.parametrize(
    ("raised", "kept"),
    [
        (error("42000", 51010, "no such queue"), True),
        (error("42000", 8134, "Divide by zero"), True),
        (error("42000", 33557097, "internal error occurred"), False),
        (error("HY000", 0, "something in the driver"), False),
        (Error("The cursor's connection has been closed."), False),
        (ValueError("not of the driver at all"), False),
    ],
)
def test_a_connection_is_kept_only_after_a_plain_answer(raised: Exception, kept: bool) -> None:
    server, _ = scripted(raised)
    with pytest.raises((DatabaseError, ValueError)):
        caller(server).call("GetSummaryStats", None)
    assert server.connections[0].closed is not kept


def test_a_prepared_cursor_is_used_again_and_dropped_after_an_error() -> None:
    fine = rows("GetSummaryStats")
    server, _ = scripted(fine, fine, error("42000", 51008, "x"), fine)
    calls = caller(server)
    calls.call("GetSummaryStats", None)
    calls.call("GetSummaryStats", None)
    connection = server.connections[0]
    assert len(connection.cursors) == 2  # one for SET, one for the procedure
    with pytest.raises(DatabaseError):
        calls.call("GetSummaryStats", None)
    calls.call("GetSummaryStats", None)
    assert [cursor.closed for cursor in connection.cursors] == [True, True, False]
    # pyodbc knows a prepared statement by the identity of its text.
    assert len({id(call.statement) for call in server.procedure_calls}) == 1


@pytest.mark.parametrize("number", [40501, 49918])
def test_a_busy_server_is_asked_again(number: int) -> None:
    server, _ = scripted(error("HY000", number, "The service is currently busy."), rows("GetSummaryStats"))
    assert caller(server).call("GetSummaryStats", None) == []


def test_opening_is_repeated_while_the_server_is_away() -> None:
    server, _ = scripted(rows("GetSummaryStats"))
    failures = [error("08001", 111, "refused"), error("08001", 111, "refused")]

    def connect_sometimes() -> Any:
        if failures:
            raise failures.pop()
        return server.connect()

    Caller(Connector(connect_sometimes), sleep=lambda _: None).call("GetSummaryStats", None)
    assert failures == []


# A connection that belongs to somebody else


def test_a_given_connection_is_used_as_it_is() -> None:
    server, _ = scripted(rows("GetSummaryStats"), error(*fakedb.DEADLOCK), error(*fakedb.LOST))
    given = server.connect()
    calls = Caller(Connector(given))
    calls.call("GetSummaryStats", None)
    with pytest.raises(DeadlockError):
        calls.call("GetSummaryStats", None)
    with pytest.raises(ConnectionLostError):
        calls.call("GetSummaryStats", None)
    calls.connector.close()
    assert (given.autocommit, given.closed, given.commits, given.rollbacks) == (False, False, 0, 0)
    assert all(cursor.closed for cursor in given.cursors)
    assert len(server.connections) == 1
    assert all(call.procedure for call in server.calls)


def test_a_call_may_join_the_transaction_of_a_connection() -> None:
    server, _ = scripted(rows("GetSummaryStats"), error(*fakedb.DEADLOCK))
    given = server.connect()
    calls = caller(server)
    calls.call("GetSummaryStats", None, connection=given)
    with pytest.raises(DeadlockError):
        calls.call("GetSummaryStats", None, connection=given)
    assert server.connections == [given]
    assert (given.closed, given.commits, given.rollbacks) == (False, 0, 0)


# Values


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("FetchNextBatch", (1, 1, None), TypeError),
        ("FetchNextBatch", ("w", "1", None), TypeError),
        ("FetchNextBatch", ("w", True, None), TypeError),
        ("FetchNextBatch", ("w", 2**31, None), ValueError),
        ("FetchNextBatch", ("w", 1), TypeError),
        ("SetQueuePaused", ("q", 1, False), TypeError),
        ("GetJob", (b"x",), TypeError),
        ("GetJob", ("x" * 51,), ValueTooLongError),
    ],
)
def test_values_that_never_fit_are_not_sent(
    name: str, values: tuple[Any, ...], expected: type[Exception]
) -> None:
    server, _ = scripted()
    with pytest.raises(expected):
        caller(server).call(name, *values)
    assert server.connections == []


def test_characters_that_the_code_page_lacks_are_refused() -> None:
    def respond(call: Call) -> Any:
        if call.procedure:
            return rows(call.procedure)
        return [Answer(("Stored",), [(call.values[0].replace("日", "?"),)])]

    server = fakedb.Server(respond)
    calls = caller(server)
    with pytest.raises(NotRepresentableError, match="Queue"):
        calls.call("GetSummaryStats", "日")
    assert server.procedure_calls == []
    calls.call("GetSummaryStats", "é")
    assert server.procedure_calls[0].values == ("é",)


def test_times_are_sent_as_utc_and_naive_ones_refused() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    assert utc_naive(datetime(2026, 1, 1, 5, 30, tzinfo=east), "x") == datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(ValueError, match="no time zone"):
        utc_naive(datetime(2026, 1, 1), "x")  # noqa: DTZ001
    with pytest.raises(TypeError):
        utc_naive("2026-01-01", "x")


def test_pyodbc_cursors_get_the_declared_types(monkeypatch: pytest.MonkeyPatch) -> None:
    pyodbc = types.ModuleType("pyodbc")
    codes = {"SQL_VARCHAR": 12, "SQL_WVARCHAR": -9, "SQL_INTEGER": 4, "SQL_BIT": -7}
    for name, code in codes.items():
        setattr(pyodbc, name, code)
    monkeypatch.setitem(sys.modules, "pyodbc", pyodbc)
    monkeypatch.setattr(fakedb.Cursor, "__module__", "pyodbc")
    server, _ = scripted(rows("FetchNextBatch"), rows("SetQueuePaused"))
    calls = caller(server)
    calls.call("FetchNextBatch", "w", 1, None)
    assert server.connections[0].cursors[1].sizes == [(-9, 4000, 0), (4, 0, 0), (-9, 0, 0)]
    calls.call("SetQueuePaused", "q", True, None)
    assert server.connections[0].cursors[2].sizes == [(-9, 4000, 0), (-7, 0, 0), (-7, 0, 0)]


# Versions


def version(number: int) -> list[Answer | Error]:
    return rows("GetSchemaVersion", (number, "x", "9.9.9", datetime(2026, 1, 1)))  # noqa: DTZ001


def test_connect_checks_the_version_once() -> None:
    server, _ = scripted(version(expected_version()), rows("GetSummaryStats"))
    queue = connect(server.connect)
    queue.summary_stats()
    assert [call.procedure for call in server.procedure_calls] == ["GetSchemaVersion", "GetSummaryStats"]


@pytest.mark.parametrize(("offset", "expected"), [(-1, DatabaseOlderError), (1, DatabaseNewerError)])
def test_another_version_is_refused_and_the_connection_closed(offset: int, expected: type[Exception]) -> None:
    server, _ = scripted(version(expected_version() + offset))
    with pytest.raises(expected, match=r"deployed by chokaq 9\.9\.9"):
        connect(server.connect)
    assert server.connections[0].closed


def test_an_empty_ledger_is_not_deployed() -> None:
    server, _ = scripted(rows("GetSchemaVersion"))
    with pytest.raises(NotDeployedError):
        connect(server.connect)


def test_equal_versions_are_fine() -> None:
    compare(4, 4, database_package=None, where="x")
