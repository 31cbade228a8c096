"""The worker against the real procedures: what its reports lead to."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from chokaq import (
    BreakerOptions,
    CircuitOpen,
    FailureReason,
    Fatal,
    Job,
    JobContext,
    JobStatus,
    Pillar,
    RetryLater,
    Throttled,
    TypeOptions,
    Worker,
    WorkerSummary,
)
from tests.contract.support import Database


def work(db: Database, handlers: dict[str, Any], **options: Any) -> WorkerSummary:
    """A worker until nothing is due."""
    defaults: dict[str, Any] = {
        "concurrency": 2,
        "poll_interval": 0.05,
        "flush_interval": 0.02,
        "sweep_interval": None,
        "handle_signals": False,
    }
    return Worker(db.url, handlers, schema=db.schema, **{**defaults, **options}).run(burst=True)


def raising(error: Exception) -> Any:
    def handler(_context: JobContext) -> None:
        raise error

    return handler


def wait(job: Job) -> float:
    """Seconds from the last change of a job until it is due."""
    assert job.last_updated_at is not None
    return (job.scheduled_at - job.last_updated_at).total_seconds()


def test_a_whole_life(db: Database) -> None:
    seen: list[tuple[str | None, int]] = []

    async def handler(context: JobContext) -> None:
        await asyncio.sleep(0)
        seen.append((context.payload, context.attempt))

    job_id = db.fill("q", 1, payload="hello")[0]
    assert work(db, {"work": handler}).succeeded == 1
    assert seen == [("hello", 1)]
    assert db.job(job_id).pillar is Pillar.ARCHIVE


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Fatal("no"), FailureReason.FATAL_ERROR),
        (ValueError("no"), FailureReason.MAX_RETRIES_EXCEEDED),
        (Throttled("later", retry_after=60), FailureReason.THROTTLED),
    ],
)
def test_reasons_in_the_dead_letter_queue(db: Database, error: Exception, reason: FailureReason) -> None:
    job_id = db.fill("q", 1, max_attempts=1)[0]
    assert work(db, {"work": raising(error)}).failed == 1
    job = db.job(job_id)
    assert (job.pillar, job.failure_reason) == (Pillar.DLQ, reason)


def test_a_handler_says_when_to_come_back(db: Database) -> None:
    job_id = db.fill("q", 1)[0]
    assert work(db, {"work": raising(RetryLater("busy", retry_after=7200))}).failed == 1
    job = db.job(job_id)
    assert (job.status, job.attempt_count) == (JobStatus.PENDING, 1)
    assert wait(job) >= 7199


def test_an_open_circuit_burns_no_attempts(db: Database) -> None:
    db.fill("q", 6)
    options = {"work": TypeOptions(breaker=BreakerOptions(failures=2, open_seconds=300))}
    done = work(db, {"work": raising(ValueError("down"))}, concurrency=1, type_options=options)
    assert (done.failed, done.deferred) == (2, 4)
    jobs = [db.job(row.job_id) for row in db.queue.list_active(queue="q")]
    assert sorted(job.attempt_count for job in jobs) == [0, 0, 0, 0, 1, 1]
    assert all(job.status is JobStatus.PENDING for job in jobs)
    assert all(wait(job) >= 200 for job in jobs if job.attempt_count == 0)


def test_a_handler_that_finds_the_circuit_open_burns_none_either(db: Database) -> None:
    job_id = db.fill("q", 1, max_attempts=1)[0]
    assert work(db, {"work": raising(CircuitOpen("down", retry_after=60))}).failed == 1
    job = db.job(job_id)
    assert (job.pillar, job.status, job.attempt_count) == (Pillar.HOT, JobStatus.PENDING, 0)


@pytest.mark.parametrize("kind", ["thread", "async"])
def test_a_timeout(db: Database, kind: str) -> None:
    free = threading.Event()

    async def cancelled(_context: JobContext) -> None:
        await asyncio.sleep(30)

    job_id = db.fill("q", 1, max_attempts=1)[0]
    handler: Any = cancelled if kind == "async" else lambda _context: free.wait(30)
    assert work(db, {"work": handler}, default_options=TypeOptions(timeout=0.2)).failed == 1
    free.set()
    job = db.job(job_id)
    assert (job.pillar, job.failure_reason) == (Pillar.DLQ, FailureReason.TIMEOUT)
    assert job.duration_ms is not None
    assert job.duration_ms >= 190


def test_a_cancel_reaches_the_handler(db: Database) -> None:
    job_id = db.fill("q", 1)[0]

    def handler(context: JobContext) -> None:
        db_queue = context.queue
        db_queue.cancel(job_id, cancelled_by="ann")
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.02)
            context.check_cancelled()

    assert work(db, {"work": handler}, heartbeat_interval=0.2).failed == 1
    job = db.job(job_id)
    assert (job.pillar, job.failure_reason) == (Pillar.DLQ, FailureReason.CANCELLED)


def test_places_of_a_type(db: Database) -> None:
    now = most = 0
    lock = threading.Lock()

    def handler(_context: JobContext) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    db.fill("q", 8)
    options = {"work": TypeOptions(concurrency=1)}
    assert work(db, {"work": handler}, concurrency=4, type_options=options).succeeded == 8
    assert most == 1


def test_the_maintenance_thread_recovers_what_a_dead_worker_held(db: Database) -> None:
    job_id = db.fill("q", 1)[0]
    db.claim("dead-worker")
    db.age(3600, "HeartbeatUtc", job_id=job_id)
    done = threading.Event()
    worker = Worker(
        db.url,
        {"work": lambda _context: done.set()},
        schema=db.schema,
        poll_interval=0.05,
        max_poll_interval=0.2,
        sweep_interval=0.2,
        handle_signals=False,
    )
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        assert done.wait(20)
    finally:
        worker.stop()
        thread.join(20)
    assert db.job(job_id).pillar is Pillar.ARCHIVE
