"""SweepZombies: what it takes back, from whom, and what it leaves alone."""

from __future__ import annotations

import pytest

from chokaq import FailureReason, InvalidParameterError, JobStatus, Outcome, SweepResult, ZombieAction
from tests.contract.support import Database


def swept(db: Database, batch: int = 1000) -> tuple[int, int, int]:
    result: SweepResult = db.queue.sweep_zombies(batch)
    return result.recovered, result.buried, result.retried


def test_nothing_to_sweep(db: Database) -> None:
    db.fill("q", 3)
    db.start("w1", 2)
    assert swept(db) == (0, 0, 0)


def test_a_claimed_job_is_given_back_at_its_old_place(db: Database) -> None:
    first, _ = db.fill("q", 2)
    (job,) = db.claim("w1")
    db.age(119, "HeartbeatUtc")
    assert swept(db) == (0, 0, 0)
    db.age(2, "HeartbeatUtc")
    assert swept(db) == (1, 0, 0)
    back = db.job(first)
    assert (back.status, back.worker_id, back.heartbeat_at, back.attempt_count) == (
        JobStatus.PENDING,
        None,
        None,
        0,
    )
    (again,) = db.claim("w2")
    assert (again.job_id, again.lease_token) == (first, job.lease_token + 1)
    assert swept(db) == (0, 0, 0)


def test_the_fetched_timeout_is_a_setting(db: Database) -> None:
    db.fill("q")
    db.claim("w1")
    db.queue.update_settings(fetched_timeout_seconds=1000)
    db.age(900, "HeartbeatUtc")
    assert swept(db) == (0, 0, 0)
    db.queue.update_settings(fetched_timeout_seconds=800)
    assert swept(db) == (1, 0, 0)


def test_a_heartbeat_in_time_keeps_the_job(db: Database) -> None:
    db.fill("q", 2)
    waiting, running = db.claim("w1", 2)
    db.queue.mark_processing("w1", running.lease)
    db.age(500, "HeartbeatUtc")
    db.queue.keep_alive("w1", [waiting.lease, running.lease])
    assert swept(db) == (0, 0, 0)


def test_a_running_job_goes_to_the_dead_letters_by_default(db: Database) -> None:
    lease = db.started(idempotency_key="k", payload="p")
    db.age(119, "HeartbeatUtc")
    assert swept(db) == (0, 0, 0)
    db.age(2, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)
    dead = db.job(lease.job_id)
    assert (dead.failure_reason, dead.payload, dead.worker_id) == (FailureReason.ZOMBIE, "p", "w1")
    assert (dead.lease_token, dead.attempt_count) == (lease.lease_token, 1)
    assert "w1" in (dead.error_details or "")
    assert db.queue.summary_stats("q")[0].failed_total == 1


def test_a_queue_has_a_timeout_of_its_own(db: Database) -> None:
    for queue, timeout in (("short", 10), ("long", 10_000), ("default", None)):
        db.queue.set_queue_zombie_policy(
            queue, zombie_timeout_seconds=timeout, zombie_action=ZombieAction(0), create=True
        )
        db.started(queue)
    db.age(60, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)
    db.age(100, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)
    assert [stats.processing for stats in db.queue.queue_stats("long")] == [1]
    assert [stats.processing for stats in db.queue.queue_stats("default")] == [0]


def test_zombie_action_1_retries_while_attempts_remain(db: Database) -> None:
    db.queue.set_queue_zombie_policy(
        "q", zombie_timeout_seconds=None, zombie_action=ZombieAction(1), create=True
    )
    lease = db.started(max_attempts=2)
    db.age(500, "HeartbeatUtc")
    assert swept(db) == (0, 0, 1)
    back = db.job(lease.job_id)
    assert (back.status, back.attempt_count, back.worker_id) == (JobStatus.PENDING, 1, None)
    assert back.scheduled_at > (back.last_updated_at or back.created_at)  # it waits as any retry
    db.age(86_400, "ScheduledAtUtc")
    (again,) = db.start("w2")
    assert again.lease_token == lease.lease_token + 1
    db.age(500, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)
    dead = db.job(lease.job_id)
    assert (dead.failure_reason, dead.attempt_count, dead.worker_id) == (FailureReason.ZOMBIE, 2, "w2")
    summary = db.queue.summary_stats("q")[0]
    assert (summary.failed_total, summary.retried_total, summary.succeeded_total) == (1, 1, 0)


def test_a_zombie_whose_cancel_was_asked_for_is_cancelled(db: Database) -> None:
    db.queue.set_queue_zombie_policy(
        "q", zombie_timeout_seconds=None, zombie_action=ZombieAction(1), create=True
    )
    lease = db.started()
    db.queue.cancel(lease.job_id)
    db.age(500, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)
    assert db.job(lease.job_id).failure_reason is FailureReason.CANCELLED


def test_one_call_is_one_batch_of_each_kind(db: Database) -> None:
    db.fill("q", 10)
    jobs = db.claim("w1", 10)
    db.queue.mark_processing("w1", [job.lease for job in jobs[:5]])
    db.age(500, "HeartbeatUtc")
    assert [swept(db, 3) for _ in range(3)] == [(3, 3, 0), (2, 2, 0), (0, 0, 0)]


def test_the_oldest_go_first(db: Database) -> None:
    db.fill("q", 3)
    jobs = db.claim("w1", 3)
    for number, job in enumerate(jobs):
        db.age(500 + 10 * number, "HeartbeatUtc", job_id=job.job_id)
    assert swept(db, 1) == (1, 0, 0)
    assert db.job(jobs[2].job_id).status is JobStatus.PENDING


def test_paused_queues_are_swept_too(db: Database) -> None:
    db.started()
    db.queue.set_queue_paused("q")
    db.queue.set_queue_active("q", False)
    db.age(500, "HeartbeatUtc")
    assert swept(db) == (0, 1, 0)


@pytest.mark.parametrize("batch", [0, -1, 1001])
def test_the_batch_size_has_limits(db: Database, batch: int) -> None:
    with pytest.raises(InvalidParameterError, match="BatchSize"):
        db.queue.sweep_zombies(batch)


def test_the_setting_is_the_default_batch_size(db: Database) -> None:
    db.fill("q", 5)
    db.claim("w1", 5)
    db.age(500, "HeartbeatUtc")
    db.queue.update_settings(maintenance_batch_size=2)
    assert list(db.call("SweepZombies", None)[0]) == [2, 0, 0]


def test_a_place_of_a_limited_queue_is_free_after_a_sweep(db: Database) -> None:
    db.fill("q", 3)
    db.queue.set_queue_max_workers("q", 2)
    db.start("w1", 1)
    db.claim("w1", 1)
    assert db.claim("w2", 5) == []
    db.age(500, "HeartbeatUtc")
    assert swept(db) == (1, 1, 0)
    assert len(db.claim("w2", 5)) == 2


def test_a_sweep_in_a_callers_transaction_that_rolls_back_took_nothing(db: Database) -> None:
    lease = db.started()
    db.age(500, "HeartbeatUtc")
    before = db.job(lease.job_id)
    connection = db.connect()
    try:
        rows = db.execute("SweepZombies", BatchSize=10, connection=connection)
        assert list(rows[0].values()) == [0, 1, 0]
        connection.rollback()
    finally:
        connection.close()
    assert db.job(lease.job_id) == before
    assert db.complete("w1", lease) == [Outcome.ARCHIVED]
