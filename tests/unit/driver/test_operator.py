"""The operator's calls: what ``JobQueue`` sends for them, and what it reads back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    DlqFilter,
    FailureReason,
    InvalidValueError,
    JobQueue,
    JobStatus,
    Outcome,
    ProtocolError,
    Resurrection,
    every_row,
)
from chokaq.operator_models import DeadJob
from tests.unit.driver import fakedb
from tests.unit.driver.fakedb import Call, error, rows

NOW = datetime(2026, 3, 4, 5, 6, 7)  # noqa: DTZ001 - as a database gives it
UTC_NOW = NOW.replace(tzinfo=timezone.utc)


def answering(outcome: str) -> Callable[[Call], Any]:
    """Answers in key order, as the procedures do."""

    def respond(call: Call) -> Any:
        ids = sorted(row["id"] for row in json.loads(call.values[0]))
        return rows(call.procedure, *[(job_id, outcome) for job_id in ids])

    return respond


def sent(server: fakedb.Server) -> tuple[str, tuple[Any, ...]]:
    (call,) = server.procedure_calls
    return call.procedure, call.values


def test_cancel_answers_in_the_order_of_the_input() -> None:
    server = fakedb.Server(answering("cancelled"))
    answers = JobQueue(server.connect).cancel(["b", "a"], cancelled_by="me", reason="why")
    name, values = sent(server)
    assert (name, json.loads(values[0]), values[1:]) == (
        "CancelJobs",
        [{"id": "b"}, {"id": "a"}],
        ("me", "why"),
    )
    assert [(a.job_id, a.outcome) for a in answers] == [("b", Outcome.CANCELLED), ("a", Outcome.CANCELLED)]


def test_one_id_is_not_a_list_of_letters() -> None:
    server = fakedb.Server(answering("purged"))
    (answer,) = JobQueue(server.connect).purge_dlq("abc")
    assert (answer.job_id, answer.outcome) == ("abc", Outcome.PURGED)
    assert json.loads(sent(server)[1][0]) == [{"id": "abc"}]


def test_many_ids_go_in_several_calls() -> None:
    server = fakedb.Server(answering("purged"))
    ids = [f"j{number:04}" for number in range(1500)]
    answers = JobQueue(server.connect).purge_dlq(iter(ids))
    assert [answer.job_id for answer in answers] == ids
    assert [len(json.loads(call.values[0])) for call in server.procedure_calls] == [1000, 500]


def test_nothing_to_do_is_no_call() -> None:
    server = fakedb.Server(answering("purged"))
    queue = JobQueue(server.connect)
    assert queue.cancel([]) == queue.purge_dlq([]) == queue.resurrect([]) == []
    assert server.calls == []


def test_resurrect_takes_ids_and_edits() -> None:
    server = fakedb.Server(answering("resurrected"))
    JobQueue(server.connect).resurrect(
        [
            "a",
            Resurrection(
                job_id="b", payload={"n": 1}, tags="red", priority=0, delay=timedelta(milliseconds=1500)
            ),
            Resurrection(job_id="c", payload="text"),
        ],
        resurrected_by="me",
    )
    name, (document, by) = sent(server)
    assert (name, by) == ("ResurrectJobs", "me")
    assert json.loads(document) == [
        {"id": "a"},
        {"id": "b", "payload": {"n": 1}, "tags": "red", "priority": 0, "delaySeconds": 2},
        {"id": "c", "payload": "text"},
    ]


@pytest.mark.parametrize("bad", [5, None, ("a", 1)])
def test_what_is_no_job_is_not_sent(bad: Any) -> None:
    server = fakedb.Server(answering("resurrected"))
    queue = JobQueue(server.connect)
    for call in (queue.resurrect, queue.cancel, queue.purge_dlq):
        with pytest.raises(TypeError):
            call([bad])
    assert server.connections == []


def test_a_refused_row_is_found_in_the_callers_input() -> None:
    def respond(call: Call) -> Any:
        if json.loads(call.values[0])[0]["id"] == "j1000":
            return error("42000", 51003, "ResurrectJobs: row 2, column priority: the value is out of range.")
        return answering("resurrected")(call)

    with pytest.raises(InvalidValueError) as caught:
        JobQueue(fakedb.Server(respond).connect).resurrect([f"j{number}" for number in range(1100)])
    assert caught.value.index == 1002


def test_an_answer_about_other_jobs_is_not_believed() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, ("b", "cancelled")))
    with pytest.raises(ProtocolError):
        JobQueue(server.connect).cancel("a")


@pytest.mark.parametrize(
    ("payload", "text"),
    [(None, None), ("as it is", "as it is"), ({"a": [1, "ж"]}, '{"a":[1,"ж"]}'), (5, "5")],
)
def test_a_payload_is_sent_as_it_is_stored(payload: object, text: str | None) -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, ("a", "edited")))
    JobQueue(server.connect).edit_dlq_job("a", payload=payload, edited_by="me")
    assert sent(server) == ("EditDlqJob", ("a", text, None, None, "me"))


def test_edit_pending() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, ("a", "not-pending")))
    answer = JobQueue(server.connect).edit_pending(
        "a", tags="t", priority=3, scheduled_at=UTC_NOW, max_attempts=4
    )
    assert answer.outcome is Outcome.NOT_PENDING
    expected = ("a", None, "t", 3, "2026-03-04T05:06:07.000000", 4, None)
    assert sent(server) == ("EditPendingJob", expected)


def test_preview_and_actions_send_the_same_filter() -> None:
    found = DlqFilter(
        queue="mail",
        type="send",
        failure_reason=FailureReason.TIMEOUT,
        created_from=UTC_NOW,
        created_to=UTC_NOW + timedelta(hours=1),
        failed_from=UTC_NOW + timedelta(hours=2),
        failed_to=UTC_NOW.astimezone(timezone(timedelta(hours=2))) + timedelta(hours=3),
        tag="red",
        text="boom",
    )
    parts = (
        "mail",
        "send",
        7,
        "2026-03-04T05:06:07.000000",
        "2026-03-04T06:06:07.000000",
        "2026-03-04T07:06:07.000000",
        "2026-03-04T08:06:07.000000",
        "red",
        "boom",
    )
    server = fakedb.Server(lambda call: rows(call.procedure))
    queue = JobQueue(server.connect)
    preview = queue.preview_dlq(found)
    assert (preview.match_count, preview.sample) == (0, ())
    assert queue.resurrect_by_filter(found, resurrected_by="me") == []
    assert queue.purge_dlq_by_filter(found, max_jobs=7) == []
    assert [(call.procedure, call.values) for call in server.procedure_calls] == [
        ("PreviewDlq", (*parts, 20)),
        ("ResurrectByFilter", (*parts, 1000, "me")),
        ("PurgeDlqByFilter", (*parts, 7)),
    ]


def test_preview_counts_more_than_it_shows() -> None:
    server = fakedb.Server(
        lambda call: rows(
            call.procedure,
            *[(7, job_id, "q", "t", 6, NOW, NOW, 2, None, "boom") for job_id in ("a", "b")],
        )
    )
    preview = JobQueue(server.connect).preview_dlq(DlqFilter(), sample_size=2)
    assert preview.match_count == 7
    assert [match.job_id for match in preview.sample] == ["a", "b"]
    assert preview.sample[0].failure_reason is FailureReason.FATAL_ERROR
    assert preview.sample[0].failed_at == UTC_NOW


def test_pages_of_active_jobs() -> None:
    row = ("a", "q", "t", 2, 10, 1, "w", 5, NOW, NOW, NOW, NOW, None, None, None)
    server = fakedb.Server(lambda call: rows(call.procedure, row))
    queue = JobQueue(server.connect)
    (job,) = queue.list_active(queue="q", status=JobStatus.PROCESSING, page_size=1)
    assert (job.job_id, job.status, job.created_at) == ("a", JobStatus.PROCESSING, UTC_NOW)
    queue.list_active(after=job)
    assert [call.values for call in server.procedure_calls] == [
        ("q", None, 2, None, None, 1),
        (None, None, None, "2026-03-04T05:06:07.000000", "a", 100),
    ]


def test_pages_of_the_archive() -> None:
    row = ("a", "q", "t", 10, 1, "w", NOW, NOW, NOW, 1.5, 2.5, "red", "key")
    server = fakedb.Server(lambda call: rows(call.procedure, row))
    queue = JobQueue(server.connect)
    (job,) = queue.list_archive(type="t", tag="red", finished_from=UTC_NOW)
    assert (job.duration_ms, job.wait_ms, job.tags, job.idempotency_key) == (1.5, 2.5, "red", "key")
    at = "2026-03-04T05:06:07.000000"
    assert sent(server) == ("ListArchive", (None, "t", "red", at, None, None, 100))


def dead(number: int) -> tuple[Any, ...]:
    return (f"j{number}", "q", "t", 2, 10, 1, "w", NOW, None, NOW, None, None, None, "boom")


def test_every_row_reads_page_after_page() -> None:
    pages = [[dead(5), dead(4)], [dead(3), dead(2)], [dead(1)]]

    def respond(call: Call) -> Any:
        return rows(call.procedure, *pages.pop(0))

    server = fakedb.Server(respond)
    queue = JobQueue(server.connect)
    found: list[DeadJob] = []
    for job in every_row(queue.list_dlq, page_size=2, queue="q"):
        found.append(job)
        assert len(server.procedure_calls) == (len(found) + 1) // 2, "reads ahead"
    assert [job.job_id for job in found] == ["j5", "j4", "j3", "j2", "j1"]
    assert [call.values[-2] for call in server.procedure_calls] == [None, "j4", "j2"]
    assert found[0].failure_reason is FailureReason.ZOMBIE


def test_every_row_asks_again_after_a_full_page() -> None:
    pages = [[dead(2), dead(1)], []]
    server = fakedb.Server(lambda call: rows(call.procedure, *pages.pop(0)))
    assert len(list(every_row(JobQueue(server.connect).list_dlq, page_size=2))) == 2


@pytest.mark.parametrize(
    ("method", "procedure"),
    [
        ("purge_archive", "PurgeArchive"),
        ("purge_expired_dlq", "PurgeExpiredDlq"),
        ("prune_metric_buckets", "PruneMetricBuckets"),
    ],
)
def test_purges(method: str, procedure: str) -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, (3, 1)))
    result = getattr(JobQueue(server.connect), method)(batch_size=5, now=UTC_NOW)
    assert (result.deleted, result.more_left) == (3, True)
    assert sent(server) == (procedure, (5, 100, "2026-03-04T05:06:07.000000"))


def test_maintenance() -> None:
    server = fakedb.Server(lambda call: rows(call.procedure, ("recovered", 2, 0), ("purged-dlq", 3, 1)))
    tasks = JobQueue(server.connect).run_maintenance()
    assert [(t.task, t.rows_done, t.more_left) for t in tasks] == [
        ("recovered", 2, False),
        ("purged-dlq", 3, True),
    ]
    assert sent(server) == ("RunMaintenance", (20, None))


@pytest.mark.parametrize(
    "call",
    [
        lambda queue: queue.cancel("a"),
        lambda queue: queue.resurrect("a"),
        lambda queue: queue.purge_dlq("a"),
        lambda queue: queue.resurrect_by_filter(DlqFilter()),
        lambda queue: queue.purge_dlq_by_filter(DlqFilter()),
    ],
)
def test_actions_are_not_repeated_after_a_lost_connection(call: Callable[[JobQueue], Any]) -> None:
    server = fakedb.Server(lambda _: [error(*fakedb.LOST)])
    with pytest.raises(Exception, match="TCP Provider"):
        call(JobQueue(server.connect))
    assert len(server.procedure_calls) == 1
