"""CancelJobs and EditPendingJob: outcomes, what is kept, and races with the worker."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timezone

import pytest

from chokaq import (
    Completion,
    DuplicateRowError,
    FailureReason,
    InvalidParameterError,
    JobStatus,
    Lease,
    NewJob,
    NotRepresentableError,
    Outcome,
    Pillar,
    ValueTooLongError,
)
from tests.contract.support import Database

# Long enough for the other side of a race to arrive at the lock, or to be seen not to wait.
WAIT = 0.4


@contextmanager
def other_side(db: Database) -> Iterator[ThreadPoolExecutor]:
    """A thread with a session that has made its calls before, so that it arrives at the lock in time."""
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            pool.submit(db.queue.cancel, "nowhere").result()
            pool.submit(db.queue.mark_processing, "w", Lease(job_id="nowhere", lease_token=1)).result()
            pool.submit(lambda: db.queue.edit_pending("nowhere", priority=1)).result()
        yield pool


def outcome(db: Database, job_id: str) -> Outcome:
    return db.queue.cancel(job_id)[0].outcome


# A job that nobody runs


def test_a_pending_job_goes_to_the_dlq_with_everything_it_had(db: Database) -> None:
    due = datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    job_id = db.queue.enqueue(
        "mail",
        "send",
        "payload",
        tags="red",
        idempotency_key="key",
        priority=77,
        scheduled_at=due,
        max_attempts=5,
        created_by="shop",
    ).job_id
    before = db.job(job_id)
    (answer,) = db.queue.cancel(job_id, cancelled_by="op", reason="no longer wanted")
    assert (answer.job_id, answer.outcome) == (job_id, Outcome.CANCELLED)
    job = db.job(job_id)
    assert (job.pillar, job.failure_reason, job.error_details) == (
        Pillar.DLQ,
        FailureReason.CANCELLED,
        "no longer wanted",
    )
    kept = [
        "queue",
        "type",
        "payload",
        "tags",
        "idempotency_key",
        "priority",
        "max_attempts",
        "scheduled_at",
        "created_at",
        "created_by",
        "attempt_count",
        "lease_token",
        "started_at",
    ]
    assert {name: getattr(job, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert (job.last_modified_by, job.duration_ms, job.wait_ms) == ("op", None, None)


def test_without_a_reason_the_error_text_says_what_happened(db: Database) -> None:
    (job_id,) = db.fill("q")
    db.queue.cancel(job_id)
    assert (db.job(job_id).error_details, db.job(job_id).last_modified_by) == ("Cancelled.", None)


def test_a_claimed_job_that_was_not_started_is_cancelled_and_its_worker_has_lost_it(db: Database) -> None:
    db.fill("q", 3)
    jobs = db.claim("w1", 3)
    assert outcome(db, jobs[0].job_id) is Outcome.CANCELLED
    assert db.queue.mark_processing("w1", jobs[0].lease)[0].outcome is Outcome.LOST
    assert db.queue.keep_alive("w1", jobs[0].lease)[0].outcome is Outcome.LOST
    assert db.queue.release("w1", jobs[0].lease)[0].outcome is Outcome.LOST
    job = db.job(jobs[0].job_id)
    assert (job.pillar, job.worker_id, job.lease_token) == (Pillar.DLQ, "w1", 1)
    assert db.job(jobs[1].job_id).status is JobStatus.FETCHED


def test_a_cancelled_job_frees_its_key_and_its_place(db: Database) -> None:
    db.queue.set_queue_max_workers("q", 1, create=True)
    first = db.queue.enqueue("q", "t", idempotency_key="k").job_id
    db.claim("w1")
    assert outcome(db, first) is Outcome.CANCELLED
    second = db.queue.enqueue("q", "t", idempotency_key="k")
    assert second.outcome is Outcome.ENQUEUED
    assert [job.job_id for job in db.claim("w2")] == [second.job_id]


# A job that runs


def test_a_running_job_is_asked_to_stop_and_the_worker_hears_of_it(db: Database) -> None:
    lease = db.started()
    other = db.started()
    assert outcome(db, lease.job_id) is Outcome.CANCEL_REQUESTED
    first = db.job(lease.job_id)
    assert (first.status, first.pillar) == (JobStatus.PROCESSING, Pillar.HOT)
    assert first.cancel_requested_at is not None
    answers = {a.job_id: a.outcome for a in db.queue.keep_alive("w1", [lease, other])}
    assert answers == {lease.job_id: Outcome.CANCEL_REQUESTED, other.job_id: Outcome.ALIVE}
    assert outcome(db, lease.job_id) is Outcome.CANCEL_REQUESTED
    assert db.job(lease.job_id).cancel_requested_at == first.cancel_requested_at


def test_a_running_job_that_finishes_all_the_same_is_a_success(db: Database) -> None:
    lease = db.started()
    db.queue.cancel(lease.job_id)
    assert db.complete("w1", lease) == [Outcome.ARCHIVED]
    assert db.job(lease.job_id).pillar is Pillar.ARCHIVE
    assert outcome(db, lease.job_id) is Outcome.NOT_FOUND


@pytest.mark.parametrize(
    "reason", [FailureReason.TRANSIENT, FailureReason.CANCELLED, FailureReason.CIRCUIT_BREAKER]
)
def test_a_running_job_that_was_cancelled_is_never_retried(db: Database, reason: FailureReason) -> None:
    lease = db.started()
    db.queue.cancel(lease.job_id)
    assert db.fail("w1", lease, reason, error="stopped") is Outcome.DEAD
    job = db.job(lease.job_id)
    assert (job.failure_reason, job.error_details) == (FailureReason.CANCELLED, "stopped")


def test_a_cancelled_job_whose_worker_died_ends_as_cancelled(db: Database) -> None:
    lease = db.started()
    db.queue.cancel(lease.job_id)
    db.age(1000, "HeartbeatUtc")
    assert db.queue.sweep_zombies().buried == 1
    assert db.job(lease.job_id).failure_reason is FailureReason.CANCELLED


# Calls


def test_what_is_not_active_is_not_found(db: Database) -> None:
    archived, dead = db.started(), db.started()
    db.complete("w1", archived)
    db.fail("w1", dead, FailureReason.FATAL_ERROR, error="first")
    before = db.job(dead.job_id)
    ids = [archived.job_id, dead.job_id, "nowhere"]
    assert [a.outcome for a in db.queue.cancel(ids)] == [Outcome.NOT_FOUND] * 3
    assert db.job(dead.job_id) == before


def test_answers_in_the_order_of_the_input(db: Database) -> None:
    ids = db.fill("q", 4)
    asked = [ids[2], "nowhere", ids[0], ids[3]]
    answers = db.queue.cancel(asked)
    assert [a.job_id for a in answers] == asked
    cancelled, unknown = Outcome.CANCELLED, Outcome.NOT_FOUND
    assert [a.outcome for a in answers] == [cancelled, unknown, cancelled, cancelled]
    assert db.job(ids[1]).pillar is Pillar.HOT


def test_an_id_that_stands_twice_is_refused_and_nothing_happens(db: Database) -> None:
    (job_id,) = db.fill("q")
    with pytest.raises(DuplicateRowError):
        db.queue.cancel([job_id, job_id])
    assert db.job(job_id).pillar is Pillar.HOT


def test_cancellations_are_counted_once(db: Database) -> None:
    ids = db.fill("q", 3)
    db.queue.cancel(ids[:2])
    db.queue.cancel(ids[:2])
    (stats,) = db.queue.summary_stats("q")
    assert (stats.succeeded_total, stats.failed_total, stats.retried_total) == (0, 2, 0)
    assert db.queue.throughput("q").failed_last_minute == 2
    (error,) = db.queue.top_errors("q")
    assert (error.error_group, error.failures, error.final) == ("Cancelled", 2, 2)


def test_the_callers_transaction_decides(db: Database) -> None:
    (job_id,) = db.fill("q")
    connection = db.connect()
    try:
        assert db.queue.cancel(job_id, connection=connection)[0].outcome is Outcome.CANCELLED
        connection.rollback()
        assert db.job(job_id).pillar is Pillar.HOT
        assert db.job(job_id).cancel_requested_at is None
        assert sum(stats.failed_total for stats in db.queue.summary_stats("q")) == 0
        db.queue.cancel(job_id, connection=connection)
        connection.commit()
    finally:
        connection.close()
    assert db.job(job_id).pillar is Pillar.DLQ


# Races with the worker


def test_a_cancel_that_comes_while_the_worker_starts_finds_it_running(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    worker = db.connect()
    try:
        with other_side(db) as pool:
            marked = db.queue.mark_processing("w1", job.lease, connection=worker)
            assert marked[0].outcome is Outcome.PROCESSING
            cancelling = pool.submit(db.queue.cancel, job.job_id)
            time.sleep(WAIT)
            assert not cancelling.done()
            worker.commit()
            assert cancelling.result()[0].outcome is Outcome.CANCEL_REQUESTED
    finally:
        worker.close()
    assert db.queue.keep_alive("w1", job.lease)[0].outcome is Outcome.CANCEL_REQUESTED


def test_a_worker_that_starts_while_the_job_is_cancelled_has_lost_it(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    operator = db.connect()
    try:
        with other_side(db) as pool:
            cancelled = db.queue.cancel(job.job_id, connection=operator)
            assert cancelled[0].outcome is Outcome.CANCELLED
            marking = pool.submit(db.queue.mark_processing, "w1", job.lease)
            time.sleep(WAIT)
            assert not marking.done()
            operator.commit()
            assert marking.result()[0].outcome is Outcome.LOST
    finally:
        operator.close()
    assert db.job(job.job_id).pillar is Pillar.DLQ


def test_a_worker_that_starts_while_a_cancel_is_taken_back_keeps_its_job(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    operator = db.connect()
    try:
        with other_side(db) as pool:
            db.queue.cancel(job.job_id, connection=operator)
            marking = pool.submit(db.queue.mark_processing, "w1", job.lease)
            time.sleep(WAIT)
            operator.rollback()
            assert marking.result()[0].outcome is Outcome.PROCESSING
    finally:
        operator.close()
    assert db.job(job.job_id).cancel_requested_at is None


def test_a_cancel_that_comes_while_the_job_completes_does_not_find_it(db: Database) -> None:
    lease = db.started()
    worker = db.connect()
    try:
        with other_side(db) as pool:
            db.queue.complete("w1", Completion(lease=lease), connection=worker)
            cancelling = pool.submit(db.queue.cancel, lease.job_id)
            time.sleep(WAIT)
            worker.commit()
            assert cancelling.result()[0].outcome is Outcome.NOT_FOUND
    finally:
        worker.close()
    assert db.job(lease.job_id).pillar is Pillar.ARCHIVE


def test_cancels_against_running_workers_lose_and_double_nothing(db: Database) -> None:
    count = 120
    ids = [
        answer.job_id
        for answer in db.queue.enqueue_many(
            [NewJob(queue="q", type="t", job_id=uuid.uuid4().hex) for _ in range(count)]
        )
    ]

    def work(worker: str) -> list[Lease]:
        started: list[Lease] = []
        idle = 0
        while idle < 3:
            jobs = db.queue.fetch(worker, 7)
            idle = 0 if jobs else idle + 1
            if not jobs:
                time.sleep(0.02)
                continue
            leases = {job.job_id: job.lease for job in jobs}
            marked = db.queue.mark_processing(worker, list(leases.values()))
            mine = [leases[a.job_id] for a in marked if a.outcome is Outcome.PROCESSING]
            started += mine
            assert db.complete(worker, *mine) == [Outcome.ARCHIVED] * len(mine)
        return started

    def cancel() -> dict[str, Outcome]:
        found: dict[str, Outcome] = {}
        for start in range(0, count, 4):
            for answer in db.queue.cancel(ids[start : start + 4]):
                found[answer.job_id] = answer.outcome
        return found

    with ThreadPoolExecutor(3) as pool:
        workers = [pool.submit(work, f"w{number}") for number in range(2)]
        cancelling = pool.submit(cancel)
        started = [lease for worker in workers for lease in worker.result()]
        cancelled = cancelling.result()

    assert set(Counter(lease.job_id for lease in started).values()) <= {1}
    dead = {job_id for job_id, what in cancelled.items() if what is Outcome.CANCELLED}
    assert dead.isdisjoint(lease.job_id for lease in started)
    assert dead | {lease.job_id for lease in started} == set(ids)
    rows = db.sql(
        "SELECT [p].[Pillar], COUNT(*) AS [Jobs] FROM ("
        " SELECT 'hot' AS [Pillar] FROM [chokaq].[JobsHot] UNION ALL"
        " SELECT 'archive' AS [Pillar] FROM [chokaq].[JobsArchive] UNION ALL"
        " SELECT 'dlq' AS [Pillar] FROM [chokaq].[JobsDLQ]) AS [p] GROUP BY [p].[Pillar];"
    )
    expected = {"archive": count - len(dead), "dlq": len(dead)}
    assert {row["Pillar"]: row["Jobs"] for row in rows} == {k: v for k, v in expected.items() if v}
    (stats,) = db.queue.summary_stats("q")
    assert (stats.succeeded_total, stats.failed_total) == (count - len(dead), len(dead))


# EditPendingJob


def test_edit_changes_what_it_is_given_and_leaves_the_rest(db: Database) -> None:
    job_id = db.queue.enqueue("q", "t", "old", tags="a", priority=3, max_attempts=2).job_id
    before = db.job(job_id)
    due = datetime(2031, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    assert db.queue.edit_pending(job_id, payload={"n": 1}, edited_by="op").outcome is Outcome.EDITED
    assert (db.job(job_id).json(), db.job(job_id).tags, db.job(job_id).priority) == ({"n": 1}, "a", 3)
    db.queue.edit_pending(job_id, tags="b", priority=0, scheduled_at=due, max_attempts=9)
    job = db.job(job_id)
    assert (job.tags, job.priority, job.scheduled_at, job.max_attempts) == ("b", 0, due, 9)
    assert job.json() == {"n": 1}
    assert (job.created_at, job.lease_token, job.status) == (before.created_at, 0, JobStatus.PENDING)
    assert job.last_modified_by is None


def test_only_a_job_that_nobody_has_claimed_is_edited(db: Database) -> None:
    db.fill("q", 2)
    claimed, running = db.claim("w1", 2)
    db.queue.mark_processing("w1", running.lease)
    done = db.started("other")
    db.complete("w1", done)
    for job_id, expected in (
        (claimed.job_id, Outcome.NOT_PENDING),
        (running.job_id, Outcome.NOT_PENDING),
        (done.job_id, Outcome.NOT_FOUND),
        ("nowhere", Outcome.NOT_FOUND),
    ):
        assert db.queue.edit_pending(job_id, priority=99).outcome is expected
    assert {db.job(job.job_id).priority for job in (claimed, running)} == {10}


def test_an_edited_priority_counts_at_the_next_claim(db: Database) -> None:
    ids = db.fill("q", 3)
    db.queue.edit_pending(ids[2], priority=50)
    assert db.claim("w1")[0].job_id == ids[2]


def test_an_edit_that_comes_while_the_job_is_claimed_is_too_late(db: Database) -> None:
    (job_id,) = db.fill("q")
    worker = db.connect()
    try:
        with other_side(db) as pool:
            (job,) = db.queue.fetch("w1", 1, connection=worker)
            editing = pool.submit(lambda: db.queue.edit_pending(job_id, payload="new"))
            time.sleep(WAIT)
            worker.commit()
            assert editing.result().outcome is Outcome.NOT_PENDING
    finally:
        worker.close()
    assert db.job(job_id).payload == job.payload is None


def test_values_that_cannot_be_are_refused(db: Database) -> None:
    (job_id,) = db.fill("q")
    for values in ({"priority": 101}, {"priority": -1}, {"max_attempts": 0}, {"max_attempts": 1001}):
        with pytest.raises(InvalidParameterError):
            db.queue.edit_pending(job_id, **values)  # type: ignore[arg-type]
    with pytest.raises(ValueTooLongError):
        db.queue.edit_pending(job_id, tags="x" * 1001)
    db.needs("exact-varchar")
    assert db.queue.edit_pending(job_id, tags="é" * 1000).outcome is Outcome.EDITED
    assert db.job(job_id).tags == "é" * 1000
    with pytest.raises(NotRepresentableError):
        db.queue.edit_pending(job_id, tags="ж")
