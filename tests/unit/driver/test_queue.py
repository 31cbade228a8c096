"""JobQueue: what it sends, and in which order it answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chokaq import (
    Completion,
    Enqueued,
    Failure,
    FailureReason,
    JobQueue,
    Lease,
    MissingValueError,
    NewJob,
    Outcome,
    ProtocolError,
)
from tests.unit.driver import fakedb
from tests.unit.driver.fakedb import Call, error, rows


def documents(server: fakedb.Server) -> list[Any]:
    """The JSON parameters of the calls."""
    texts = [
        next(v for v in call.values if isinstance(v, str) and v.startswith("["))
        for call in server.procedure_calls
    ]
    return [json.loads(text) for text in texts]


def enqueuing(call: Call) -> Any:
    sent = json.loads(call.values[0])
    # Not in order, as a server may well answer.
    return rows(call.procedure, *[(n, row["id"], "enqueued") for n, row in reversed(list(enumerate(sent)))])


def test_enqueue_sends_one_row_with_an_id() -> None:
    server = fakedb.Server(enqueuing)
    answer = JobQueue(server.connect).enqueue("mail", "welcome", {"to": "a"}, priority=7, created_by="me")
    ((row,),) = documents(server)
    assert row == {
        "id": answer.job_id,
        "queue": "mail",
        "type": "welcome",
        "payload": {"to": "a"},
        "priority": 7,
    }
    assert server.procedure_calls[0].values[1] == "me"
    assert answer == Enqueued(ordinal=0, job_id=row["id"], outcome=Outcome.ENQUEUED)


def test_enqueue_many_answers_in_the_order_of_the_input() -> None:
    server = fakedb.Server(enqueuing)
    jobs = (NewJob(queue="q", type="t", job_id=f"j{number}") for number in range(2345))
    answers = JobQueue(server.connect).enqueue_many(jobs)
    assert [answer.job_id for answer in answers] == [f"j{number}" for number in range(2345)]
    assert [answer.ordinal for answer in answers] == list(range(2345))
    assert [len(document) for document in documents(server)] == [1000, 1000, 345]


def test_nothing_to_enqueue_is_no_call() -> None:
    server = fakedb.Server(enqueuing)
    assert JobQueue(server.connect).enqueue_many([]) == []
    assert server.calls == []


def test_a_repeated_enqueue_sends_the_same_ids() -> None:
    lost = [error(*fakedb.LOST)]
    server = fakedb.Server(lambda call: lost.pop() if lost else enqueuing(call))
    JobQueue(server.connect).enqueue("q", "t")
    first, second = documents(server)
    assert first == second


def test_a_refused_row_is_found_in_the_callers_input() -> None:
    def respond(call: Call) -> Any:
        if json.loads(call.values[0])[0]["id"] == "j1000":
            return error("42000", 51002, "EnqueueJobs: row 3, column queue: the value is missing.")
        return enqueuing(call)

    jobs = [NewJob(queue="q", type="t", job_id=f"j{number}") for number in range(1500)]
    with pytest.raises(MissingValueError) as caught:
        JobQueue(fakedb.Server(respond).connect).enqueue_many(jobs)
    assert (caught.value.row, caught.value.index) == (3, 1003)


def test_enqueue_on_a_connection_of_the_caller() -> None:
    server = fakedb.Server(enqueuing)
    given = server.connect()
    other = fakedb.Server(enqueuing)
    JobQueue(other.connect).enqueue("q", "t", connection=given)
    assert len(server.procedure_calls) == 1
    assert other.connections == []
    assert given.commits == 0


def test_fetch() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure))
    queue = JobQueue(server.connect)
    assert queue.fetch("w", 5, ["a", "é"]) == []
    queue.fetch("w", 5)
    assert [call.values for call in server.procedure_calls] == [("w", 5, '["a", "é"]'), ("w", 5, None)]
    with pytest.raises(TypeError, match="not one str"):
        queue.fetch("w", 5, "abc")
    with pytest.raises(TypeError, match="int"):
        queue.fetch("w", 5, [1])  # type: ignore[list-item]


def test_leases_are_answered_in_the_order_of_the_input() -> None:
    def respond(call: Call) -> Any:
        return rows(
            call.procedure,
            *[(row["id"], "processing") for row in sorted(json.loads(call.values[1]), key=str)],
        )

    server = fakedb.Server(respond)
    leases = [Lease(job_id=name, lease_token=1) for name in "cab"]
    answers = JobQueue(server.connect).mark_processing("w", leases)
    assert [answer.job_id for answer in answers] == ["c", "a", "b"]
    assert documents(server) == [[{"id": name, "lease": 1} for name in "cab"]]


@pytest.mark.parametrize("many", [False, True])
def test_one_or_many(many: bool) -> None:
    server = fakedb.Server(
        lambda call: rows(
            call.procedure, ("a", "archived") if call.procedure == "CompleteJobs" else ("a", "dead", None)
        )
    )
    queue = JobQueue(server.connect)
    lease = Lease(job_id="a", lease_token=1)
    completion, failure = Completion(lease=lease), Failure(lease=lease, reason=FailureReason.REJECTED)
    (done,) = queue.complete("w", [completion] if many else completion)
    (failed,) = queue.fail("w", [failure] if many else failure)
    assert (done.outcome, failed.outcome, failed.next_run_at) == (Outcome.ARCHIVED, Outcome.DEAD, None)


def test_an_unknown_outcome_is_not_passed_on() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, ("a", "somehow")))
    with pytest.raises(ProtocolError, match="somehow"):
        JobQueue(server.connect).complete("w", Completion(lease=Lease(job_id="a", lease_token=1)))


def test_no_row_where_there_must_be_one() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure))
    with pytest.raises(ProtocolError, match="0 rows"):
        JobQueue(server.connect).throughput()
    assert JobQueue(server.connect).get_job("x") is None


def test_a_queue_is_a_context_manager() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure))
    with JobQueue(server.connect) as queue:
        queue.queue_stats()
    assert server.connections[0].closed
