"""GetJob, GetQueueStats, GetQueueHealth."""

from __future__ import annotations

from datetime import timedelta

import pytest

from chokaq import FailureReason, JobStatus, Pillar
from tests.contract.support import Database


def test_a_job_in_each_pillar(db: Database) -> None:
    pending, done, dead = (db.fill(queue)[0] for queue in ("a", "b", "c"))
    (first,), (second,) = db.start("w1", 1, ["b"]), db.start("w1", 1, ["c"])
    db.complete("w1", first.lease)
    db.fail("w1", second.lease, FailureReason.REJECTED, error="no")

    hot = db.job(pending)
    assert (hot.pillar, hot.status, hot.finished_at, hot.failed_at) == (
        Pillar.HOT,
        JobStatus.PENDING,
        None,
        None,
    )
    assert (hot.duration_ms, hot.wait_ms, hot.failure_reason, hot.error_details) == (None,) * 4

    archived = db.job(done)
    assert (archived.pillar, archived.status, archived.failed_at) == (Pillar.ARCHIVE, None, None)
    assert archived.finished_at == archived.last_updated_at
    assert archived.finished_at is not None
    assert (archived.failure_reason, archived.error_details, archived.heartbeat_at) == (None,) * 3

    buried = db.job(dead)
    assert (buried.pillar, buried.status, buried.finished_at) == (Pillar.DLQ, None, None)
    assert buried.failed_at == buried.last_updated_at
    assert (buried.failure_reason, buried.error_details) == (FailureReason.REJECTED, "no")
    assert buried.duration_ms is not None
    assert buried.wait_ms is not None


def test_a_running_job(db: Database) -> None:
    lease = db.started()
    job = db.job(lease.job_id)
    assert (job.status, job.worker_id, job.attempt_count, job.lease_token) == (
        JobStatus.PROCESSING,
        "w1",
        1,
        1,
    )
    assert job.heartbeat_at == job.started_at


def test_a_job_that_is_nowhere(db: Database) -> None:
    assert db.queue.get_job("no such job") is None


def test_ids_are_compared_as_the_database_compares(db: Database) -> None:
    db.queue.enqueue("q", "t", job_id="Abc")
    assert db.job("aBC").job_id == "Abc"


def test_queue_stats_by_state(db: Database) -> None:
    db.fill("q", 6)
    db.fill("q", 2, delay=3600)
    db.claim("w1", 2, ["q"])
    db.start("w1", 1, ["q"])
    db.queue.set_queue_paused("empty", create=True)
    empty, q = db.queue.queue_stats()
    assert (q.queue, q.pending, q.due, q.scheduled, q.fetched, q.processing) == ("q", 5, 3, 2, 2, 1)
    assert (empty.queue, empty.pending, empty.fetched, empty.processing) == ("empty", 0, 0, 0)
    assert db.queue.queue_stats("Q") == [q]
    assert db.queue.queue_stats("no such queue") == []


def test_lag_is_the_age_of_the_oldest_due_job(db: Database) -> None:
    first, second = db.fill("q", 2)
    db.age(500, "ScheduledAtUtc", job_id=first)
    db.age(100, "ScheduledAtUtc", job_id=second)
    (health,) = db.queue.queue_health("q")
    assert 500 <= health.lag_seconds < 530
    assert health.oldest_due_at == db.job(first).scheduled_at
    db.claim("w1")
    (health,) = db.queue.queue_health("q")
    assert 100 <= health.lag_seconds < 130
    assert health.fetched == 1


def test_jobs_for_later_and_running_jobs_have_no_lag(db: Database) -> None:
    db.started()
    db.age(5000, "ScheduledAtUtc", "CreatedAtUtc")
    db.fill("q", 3, delay=3600)
    (health,) = db.queue.queue_health()
    assert (health.lag_seconds, health.oldest_due_at) == (0, None)
    assert (health.fetched, health.processing) == (0, 1)


def test_health_tells_settings_and_the_oldest_heartbeat(db: Database) -> None:
    db.fill("q", 3)
    jobs = db.start("w1", 2)
    db.age(50, "HeartbeatUtc", job_id=jobs[1].job_id)
    db.queue.set_queue_max_workers("q", 5)
    db.queue.set_queue_paused("q")
    (health,) = db.queue.queue_health()
    assert (health.queue, health.is_paused, health.is_active, health.max_workers) == ("q", True, True, 5)
    assert (health.fetched, health.processing) == (0, 2)
    assert health.oldest_heartbeat_at == db.job(jobs[1].job_id).heartbeat_at
    assert db.queue.queue_health("no such queue") == []


def test_lag_does_not_overflow(db: Database) -> None:
    db.enqueue_rows({"queue": "q", "type": "t", "scheduledAtUtc": "0001-01-01T00:00:00"})
    (health,) = db.queue.queue_health()
    assert health.lag_seconds == pytest.approx(timedelta(days=2025 * 365.25).total_seconds(), rel=0.05)


def test_nothing_is_there(db: Database) -> None:
    assert db.queue.queue_stats() == []
    assert db.queue.queue_health() == []
    assert db.queue.summary_stats() == []
