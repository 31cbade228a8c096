"""The driver against a real server (``--url``): what a fake cannot show. Procedures have their own tests."""

from __future__ import annotations

import hashlib
import os
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlsplit

import pytest

from chokaq import (
    Completion,
    ConnectionFailedError,
    Enqueued,
    FailureReason,
    Fatal,
    JobContext,
    JobQueue,
    JobStatus,
    NewJob,
    NotDeployedError,
    NotRepresentableError,
    Outcome,
    Pillar,
    QueueNotFoundError,
    ValueTooLongError,
    Worker,
    connect,
)
from chokaq.connection import Connector
from chokaq.deploy import deploy, load_package

# A schema for each state of the scripts: published ones never change, but those of a branch do.
_SCRIPTS = "".join(script.sha256 for script in load_package().migrations)
SCHEMA = f"chokaq_driver_{hashlib.sha256(_SCRIPTS.encode()).hexdigest()[:8]}"


@pytest.fixture(scope="module")
def url(server_url: str) -> str:
    deploy(server_url, schema=SCHEMA)
    return server_url


@pytest.fixture
def queue(url: str) -> Iterator[JobQueue]:
    with connect(url, SCHEMA) as opened:
        yield opened


@pytest.fixture
def name() -> str:
    """A queue of the test's own."""
    return f"q-{uuid.uuid4().hex}"


def test_values_come_back_as_they_went(queue: JobQueue, name: str) -> None:
    when = datetime(2030, 5, 6, 7, 8, 9, 123456, tzinfo=timezone(timedelta(hours=-3)))
    job = NewJob(
        queue=name,
        type="t-é",
        payload={"text": '日本 ж 😀 "q" \\ \n', "n": [1, 2.5, None, True]},
        tags="a,b",
        idempotency_key=name,
        priority=0,
        scheduled_at=when,
        max_attempts=7,
    )
    (answer,) = queue.enqueue_many([job], created_by="Zoë")
    found = queue.get_job(answer.job_id)
    assert found is not None
    assert (found.pillar, found.status) == (Pillar.HOT, JobStatus.PENDING)
    assert (found.queue, found.type, found.tags, found.created_by) == (name, "t-é", "a,b", "Zoë")
    assert (found.idempotency_key, found.priority, found.max_attempts) == (name, 0, 7)
    assert found.json() == job.payload
    assert found.scheduled_at == when
    assert abs(found.created_at - datetime.now(timezone.utc)) < timedelta(minutes=5)
    again = queue.enqueue(name, "t", idempotency_key=name)
    assert again == Enqueued(ordinal=0, job_id=answer.job_id, outcome=Outcome.DUPLICATE)
    assert queue.enqueue(name, "t", job_id=answer.job_id).outcome is Outcome.EXISTS


def test_answers_of_several_calls_are_in_order(queue: JobQueue, name: str) -> None:
    answers = queue.enqueue_many(NewJob(queue=name, type="t", job_id=f"{name[:30]}-{n}") for n in range(1200))
    assert [answer.job_id for answer in answers] == [f"{name[:30]}-{n}" for n in range(1200)]
    assert queue.queue_stats(name)[0].due == 1200


def test_errors_have_class_number_and_place(queue: JobQueue, name: str) -> None:
    jobs = [NewJob(queue=name, type="t") for _ in range(1003)]
    jobs.append(NewJob(queue=name, type="t" * 256))
    with pytest.raises(ValueTooLongError) as caught:
        queue.enqueue_many(jobs)
    error = caught.value
    assert (error.number, error.sqlstate, error.procedure) == (51004, "42000", "EnqueueJobs")
    assert (error.row, error.column, error.index) == (3, "type", 1003)
    with pytest.raises(QueueNotFoundError):
        queue.set_queue_paused(name + "x")
    with pytest.raises(NotRepresentableError):
        queue.set_queue_paused("日本", create=True)
    assert queue.queue_stats(name)[0].pending == 1000  # the first call stands, and the session is sound


def test_another_schema_is_not_deployed(url: str) -> None:
    with pytest.raises(NotDeployedError, match="chokaq deploy"):
        connect(url, "nothing_here")


def test_a_wrong_password_is_told_but_not_shown(url: str) -> None:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    with pytest.raises(ConnectionFailedError) as caught:
        connect(f"mssql://{parts.username}:wr0ng%7Dpass@{host}{parts.path}?{parts.query}")
    assert "wr0ng" not in str(caught.value)


def test_a_job_in_the_callers_transaction(queue: JobQueue, url: str, name: str) -> None:
    connection = Connector(url).open()
    try:
        connection.autocommit = False
        undone = queue.enqueue(name, "t", connection=connection)
        assert queue.get_job(undone.job_id, connection=connection) is not None
        connection.rollback()
        assert queue.get_job(undone.job_id) is None
        kept = JobQueue(connection, SCHEMA).enqueue(name, "t")
        connection.commit()
        assert queue.get_job(kept.job_id) is not None
    finally:
        connection.close()


def test_a_callable_is_asked_for_connections(url: str, name: str) -> None:
    def open_one() -> Any:
        connection = Connector(url).open()
        connection.autocommit = False
        return connection

    with connect(open_one, SCHEMA) as other:
        job = other.enqueue(name, "t")
    with connect(url, SCHEMA) as queue:
        assert queue.get_job(job.job_id) is not None


def test_the_way_of_a_job(queue: JobQueue, name: str) -> None:
    job_id = queue.enqueue(name, "t", "plain").job_id
    (job,) = queue.fetch("w1", 10, [name])
    assert (job.job_id, job.payload, job.attempt_count) == (job_id, "plain", 0)
    assert queue.mark_processing("w1", job.lease)[0].outcome is Outcome.PROCESSING
    assert queue.keep_alive("w2", job.lease)[0].outcome is Outcome.LOST
    for _ in range(2):  # repeated, it answers the same
        (done,) = queue.complete("w1", Completion(lease=job.lease, duration_ms=12.5))
        assert done.outcome is Outcome.ARCHIVED
    found = queue.get_job(job_id)
    assert found is not None
    assert (found.pillar, found.duration_ms, found.attempt_count) == (Pillar.ARCHIVE, 12.5, 1)
    assert queue.summary_stats(name)[0].succeeded_total == 1
    assert queue.throughput(name).processed_last_five_minutes == 1


def test_workers_share_the_work(url: str, queue: JobQueue, name: str) -> None:
    queue.enqueue_many(
        NewJob(queue=name, type="ok" if n % 20 else "bad", payload={"n": n}) for n in range(200)
    )
    runs: Counter[int] = Counter()
    lock = threading.Lock()

    def ok(context: JobContext) -> None:
        with lock:
            runs[context.json()["n"]] += 1

    def bad(_context: JobContext) -> None:
        raise Fatal("böse 日本")

    workers = [
        Worker(url, {"ok": ok, "bad": bad}, schema=SCHEMA, queues=[name], prefetch=10, heartbeat_interval=0.2)
        for _ in range(2)
    ]
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda w=worker: results.append(w.run(burst=True))) for worker in workers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sum(result.succeeded for result in results) == 190
    assert sum(result.failed for result in results) == 10
    assert runs == Counter({n: 1 for n in range(200) if n % 20})
    stats = queue.queue_stats(name)[0]
    assert (stats.pending, stats.fetched, stats.processing) == (0, 0, 0)
    assert queue.summary_stats(name)[0].failed_total == 10


def test_a_failure_is_kept_with_its_reason(url: str, queue: JobQueue, name: str) -> None:
    def bad(_context: JobContext) -> None:
        raise Fatal("böse 日本")

    job_id = queue.enqueue(name, "bad").job_id
    Worker(url, {"bad": bad}, schema=SCHEMA, queues=[name]).run(burst=True)
    found = queue.get_job(job_id)
    assert found is not None
    assert (found.pillar, found.failure_reason) == (Pillar.DLQ, FailureReason.FATAL_ERROR)
    assert found.error_details == "Fatal: böse 日本"


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_leaves_the_parents_session_alone(queue: JobQueue, name: str) -> None:
    queue.enqueue(name, "t")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if queue.queue_stats(name)[0].pending == 1 else 1
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    assert queue.queue_stats(name)[0].pending == 1
