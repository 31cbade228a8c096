"""Ownership and repetition: MarkAsProcessing, KeepAlive, ReleaseJobs, CompleteJobs, FailJobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from chokaq import (
    Completion,
    DuplicateRowError,
    Failure,
    FailureReason,
    Job,
    JobStatus,
    Lease,
    Outcome,
    Pillar,
)
from tests.contract.support import Database

Call = Callable[[Database, str, Lease], Outcome]


def _mark(db: Database, worker: str, lease: Lease) -> Outcome:
    return db.queue.mark_processing(worker, lease)[0].outcome


def _keep(db: Database, worker: str, lease: Lease) -> Outcome:
    return db.queue.keep_alive(worker, lease)[0].outcome


def _release(db: Database, worker: str, lease: Lease) -> Outcome:
    return db.queue.release(worker, lease)[0].outcome


def _complete(db: Database, worker: str, lease: Lease) -> Outcome:
    return db.queue.complete(worker, Completion(lease=lease))[0].outcome


def _fail(db: Database, worker: str, lease: Lease) -> Outcome:
    return db.queue.fail(worker, Failure(lease=lease, reason=FailureReason.TRANSIENT))[0].outcome


CALLS: dict[str, Call] = {
    "mark": _mark,
    "keep-alive": _keep,
    "release": _release,
    "complete": _complete,
    "fail": _fail,
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def refused(db: Database, call: Call, worker: str, lease: Lease) -> None:
    """The call answers lost and leaves the job and the counters as they are."""
    before = db.queue.get_job(lease.job_id)
    assert call(db, worker, lease) is Outcome.LOST
    assert db.queue.get_job(lease.job_id) == before
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[MetricSeries];") == 0


@every_call
@pytest.mark.parametrize("running", [False, True], ids=["fetched", "running"])
def test_only_the_owner_with_its_lease_is_heard(db: Database, call: Call, running: bool) -> None:
    db.fill("q")
    (job,) = db.start("w1") if running else db.claim("w1")
    refused(db, call, "w2", job.lease)
    refused(db, call, "w1", Lease(job_id=job.job_id, lease_token=0))
    refused(db, call, "w1", Lease(job_id=job.job_id, lease_token=2))
    refused(db, call, "w1", Lease(job_id="no such job", lease_token=1))


@every_call
def test_a_pending_job_has_no_owner(db: Database, call: Call) -> None:
    (job_id,) = db.fill("q")
    refused(db, call, "w1", Lease(job_id=job_id, lease_token=0))


@every_call
def test_after_a_sweep_the_lease_is_void(db: Database, call: Call) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    db.age(500, "HeartbeatUtc")
    assert db.queue.sweep_zombies().recovered == 1
    refused(db, call, "w1", job.lease)


@every_call
@pytest.mark.parametrize("second", ["w1", "w2"])
def test_after_another_claim_the_lease_is_void(db: Database, call: Call, second: str) -> None:
    db.fill("q")
    (old,) = db.claim("w1")
    db.queue.release("w1", old.lease)
    (new,) = db.start(second)
    assert new.lease_token == old.lease_token + 1
    refused(db, call, "w1", old.lease)
    assert db.queue.keep_alive(second, new.lease)[0].outcome is Outcome.ALIVE


@every_call
def test_a_finished_job_has_no_owner(db: Database, call: Call) -> None:
    done = db.started()
    _complete(db, "w1", done)
    dead = db.started()
    db.fail("w1", dead, FailureReason.FATAL_ERROR)
    for lease, own in ((done, _complete), (dead, _fail)):
        if call is not own:
            before = db.job(lease.job_id)
            assert call(db, "w1", lease) is Outcome.LOST
            assert db.job(lease.job_id) == before
    summary = db.queue.summary_stats("q")[0]
    assert (summary.succeeded_total, summary.failed_total) == (1, 1)


def test_a_job_must_be_marked_before_it_can_end(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    refused(db, _complete, "w1", job.lease)
    refused(db, _fail, "w1", job.lease)


def test_a_started_job_cannot_be_released(db: Database) -> None:
    refused(db, _release, "w1", db.started())


def test_mark_starts_once(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    assert _mark(db, "w1", job.lease) is Outcome.PROCESSING
    first = db.job(job.job_id)
    assert (first.status, first.attempt_count) == (JobStatus.PROCESSING, 1)
    assert first.started_at == first.heartbeat_at == first.last_updated_at
    assert _mark(db, "w1", job.lease) is Outcome.PROCESSING
    assert db.job(job.job_id) == first


def test_keep_alive_moves_the_heartbeat_of_claimed_and_running_jobs(db: Database) -> None:
    db.fill("q", 2)
    waiting, running = db.claim("w1", 2)
    _mark(db, "w1", running.lease)
    db.age(100, "HeartbeatUtc")
    before: list[Job] = [db.job(job.job_id) for job in (waiting, running)]
    answers = db.queue.keep_alive("w1", [waiting.lease, running.lease])
    assert [answer.outcome for answer in answers] == [Outcome.ALIVE, Outcome.ALIVE]
    for old in before:
        new = db.job(old.job_id)
        assert new.heartbeat_at is not None
        assert old.heartbeat_at is not None
        assert new.heartbeat_at - old.heartbeat_at >= timedelta(seconds=100)
        assert (new.status, new.started_at, new.attempt_count) == (
            old.status,
            old.started_at,
            old.attempt_count,
        )


def test_keep_alive_tells_of_a_cancel_request(db: Database) -> None:
    lease = db.started()
    db.queue.cancel(lease.job_id)
    assert _keep(db, "w1", lease) is Outcome.CANCEL_REQUESTED
    assert _keep(db, "w1", lease) is Outcome.CANCEL_REQUESTED
    assert _keep(db, "w2", lease) is Outcome.LOST
    assert _complete(db, "w1", lease) is Outcome.ARCHIVED


def test_release_gives_the_job_back_at_its_old_place(db: Database) -> None:
    ids = db.fill("q", 3)
    jobs = db.claim("w1", 2)
    before = db.job(ids[0])
    assert _release(db, "w1", jobs[0].lease) is Outcome.RELEASED
    after = db.job(ids[0])
    assert (after.status, after.worker_id, after.heartbeat_at) == (JobStatus.PENDING, None, None)
    assert (after.attempt_count, after.lease_token) == (0, 1)
    assert after.scheduled_at == before.scheduled_at
    assert [job.job_id for job in db.claim("w2", 5)] == [ids[0], ids[2]]


def test_release_repeats_until_somebody_claims(db: Database) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    assert [_release(db, "w1", job.lease) for _ in range(3)] == [Outcome.RELEASED] * 3
    db.claim("w2")
    assert _release(db, "w1", job.lease) is Outcome.LOST


def test_complete_moves_the_job_with_everything(db: Database) -> None:
    lease = db.started(payload={"a": [1]}, tags="x", idempotency_key="k", priority=33, max_attempts=4)
    hot = db.job(lease.job_id)
    answer = db.queue.complete("w1", Completion(lease=lease, duration_ms=12.5))[0]
    assert answer.outcome is Outcome.ARCHIVED
    done = db.job(lease.job_id)
    assert (done.pillar, done.status, done.duration_ms) == (Pillar.ARCHIVE, None, 12.5)
    kept = (
        "queue type payload tags idempotency_key priority attempt_count max_attempts worker_id lease_token "
        "scheduled_at created_at started_at created_by"
    )
    for name in kept.split():
        assert getattr(done, name) == getattr(hot, name), name
    assert done.finished_at is not None
    assert done.started_at is not None
    assert done.finished_at >= done.started_at
    assert done.wait_ms == pytest.approx(
        (done.started_at - done.scheduled_at) / timedelta(milliseconds=1), abs=0.01
    )
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 0


def test_without_a_duration_the_time_since_the_mark_counts(db: Database) -> None:
    lease = db.started()
    db.age(10, "StartedAtUtc", "ScheduledAtUtc")
    _complete(db, "w1", lease)
    done = db.job(lease.job_id)
    assert done.duration_ms is not None
    assert 10_000 <= done.duration_ms < 40_000


def test_complete_repeats(db: Database) -> None:
    lease = db.started()
    assert [_complete(db, "w1", lease) for _ in range(3)] == [Outcome.ARCHIVED] * 3
    assert db.queue.summary_stats("q")[0].succeeded_total == 1
    assert _complete(db, "w2", lease) is Outcome.LOST


def test_fail_repeats_a_retry(db: Database) -> None:
    lease = db.started()
    failure = Failure(lease=lease, reason=FailureReason.TRANSIENT, error="boom")
    first = db.queue.fail("w1", failure)[0]
    assert first.outcome is Outcome.RETRY
    job = db.job(lease.job_id)
    assert first.next_run_at == job.scheduled_at
    assert db.queue.fail("w1", failure)[0] == first
    assert db.job(lease.job_id) == job
    assert db.queue.summary_stats("q")[0].retried_total == 1
    assert db.queue.fail("w2", failure)[0].outcome is Outcome.LOST
    db.age(86400, "ScheduledAtUtc")
    db.claim("w2")
    assert db.queue.fail("w1", failure)[0].outcome is Outcome.LOST


def test_fail_repeats_a_death(db: Database) -> None:
    lease = db.started()
    failure = Failure(lease=lease, reason=FailureReason.REJECTED, error="no")
    first = db.queue.fail("w1", failure)[0]
    assert (first.outcome, first.next_run_at) == (Outcome.DEAD, None)
    assert db.queue.fail("w1", failure)[0] == first
    assert db.queue.summary_stats("q")[0].failed_total == 1
    assert db.queue.fail("w2", failure)[0].outcome is Outcome.LOST


def test_a_swept_zombie_is_lost_to_its_worker(db: Database) -> None:
    lease = db.started()
    db.age(500, "HeartbeatUtc")
    assert db.queue.sweep_zombies().buried == 1
    for call in CALLS.values():
        assert call(db, "w1", lease) is Outcome.LOST
    assert db.job(lease.job_id).failure_reason is FailureReason.ZOMBIE
    assert db.queue.summary_stats("q")[0].failed_total == 1


def test_a_batch_of_good_and_lost_leases_answers_each(db: Database) -> None:
    db.fill("q", 3)
    mine, other, released = db.claim("w1", 3)
    _release(db, "w1", released.lease)
    db.queue.mark_processing("w1", [mine.lease, other.lease])
    leases = [
        Lease(job_id="unknown", lease_token=1),
        other.lease,
        released.lease,
        Lease(job_id=mine.job_id, lease_token=7),
    ]
    assert [answer.outcome for answer in db.queue.keep_alive("w1", leases)] == [
        Outcome.LOST,
        Outcome.ALIVE,
        Outcome.LOST,
        Outcome.LOST,
    ]
    answers = db.queue.complete("w1", [Completion(lease=lease) for lease in (*leases[:3], mine.lease)])
    assert [answer.job_id for answer in answers] == ["unknown", other.job_id, released.job_id, mine.job_id]
    assert [answer.outcome.value for answer in answers] == ["lost", "archived", "lost", "archived"]


@every_call
def test_an_id_twice_in_one_call_is_refused(db: Database, call: Call) -> None:
    db.fill("q")
    (job,) = db.claim("w1")
    before = db.job(job.job_id)
    upper = Lease(job_id=job.job_id.upper(), lease_token=job.lease_token)
    with pytest.raises(DuplicateRowError):
        _twice(db, call, job.lease, upper)
    assert db.job(job.job_id) == before


def _twice(db: Database, call: Call, *leases: Lease) -> None:
    if call is _complete:
        db.queue.complete("w1", [Completion(lease=lease) for lease in leases])
    elif call is _fail:
        db.queue.fail("w1", [Failure(lease=lease, reason=FailureReason.TRANSIENT) for lease in leases])
    elif call is _mark:
        db.queue.mark_processing("w1", leases)
    elif call is _keep:
        db.queue.keep_alive("w1", leases)
    else:
        db.queue.release("w1", leases)


def test_leases_of_resurrected_jobs_go_on_counting(db: Database) -> None:
    lease = db.started()
    db.fail("w1", lease, FailureReason.FATAL_ERROR)
    db.queue.resurrect(lease.job_id)
    (again,) = db.claim("w1")
    assert (again.job_id, again.lease_token) == (lease.job_id, lease.lease_token + 1)
    assert _keep(db, "w1", lease) is Outcome.LOST
