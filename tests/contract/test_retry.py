"""What becomes of a failure: reason × attempts × age × cancel request, and when a retry is due."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from chokaq import Failure, FailureReason, FetchedJob, JobStatus, NewJob, Outcome, Pillar
from tests.contract.support import Database

R = FailureReason
POLICY: dict[str, Any] = {
    "max_attempts": 3,
    "retry_base_seconds": 10,
    "retry_multiplier": 2,
    "retry_max_seconds": 100,
    "retry_jitter_percent": 0,
    "max_job_age_seconds": None,
}
REPORTABLE = [reason for reason in R if reason not in (R.ZOMBIE, R.RETRY_LIFETIME_EXPIRED)]


def policy(db: Database, queue: str = "q", **changes: Any) -> None:
    db.queue.set_queue_retry_policy(queue, create=True, **(POLICY | changes))


def delays(db: Database, jobs: list[FetchedJob]) -> list[float]:
    """Seconds from the failure to the next run, by the database's clock, as they are stored."""
    found = [db.job(job.job_id) for job in jobs]
    assert {job.status for job in found} == {JobStatus.PENDING}
    return [(job.scheduled_at - (job.last_updated_at or job.created_at)).total_seconds() for job in found]


def expected(reason: R, exhausted: bool, expired: bool, cancelled: bool) -> R | None:
    """The DLQ's reason, or None for a retry."""
    if cancelled:
        return R.CANCELLED
    if reason in (R.CANCELLED, R.REJECTED, R.FATAL_ERROR):
        return reason
    if exhausted and reason is not R.CIRCUIT_BREAKER:
        return R.MAX_RETRIES_EXCEEDED if reason is R.TRANSIENT else reason
    return R.RETRY_LIFETIME_EXPIRED if expired else None


def test_the_decision_table(db: Database) -> None:
    policy(db, max_job_age_seconds=1000)
    cases = list(itertools.product(REPORTABLE, (False, True), (False, True), (False, True)))
    names = {
        f"{reason.name}{' exhausted' * exhausted}{' expired' * expired}{' cancelled' * cancelled}": case
        for case in cases
        for reason, exhausted, expired, cancelled in [case]
    }
    db.queue.enqueue_many(
        NewJob(queue="q", type=name, max_attempts=1 if exhausted else 5)
        for name, (_, exhausted, _, _) in names.items()
    )
    jobs = {job.type: job for job in db.start("w1", 1000)}
    db.sql(
        "UPDATE [chokaq].[JobsHot] SET [CreatedAtUtc] = DATEADD(SECOND, -995, [CreatedAtUtc])"
        " WHERE [Type] LIKE '% expired%';"
    )
    db.queue.cancel([jobs[name].job_id for name, case in names.items() if case[3]])
    answers = db.queue.fail(
        "w1", [Failure(lease=jobs[name].lease, reason=case[0], error="x") for name, case in names.items()]
    )
    got: dict[str, tuple[str, R | None, int]] = {}
    for name, answer in zip(names, answers, strict=True):
        job = db.job(answer.job_id)
        got[name] = (answer.outcome.value, job.failure_reason, job.attempt_count)
    want: dict[str, tuple[str, R | None, int]] = {}
    for name, (reason, exhausted, expired, cancelled) in names.items():
        dead = expected(reason, exhausted, expired, cancelled)
        given_back = dead is None and reason is R.CIRCUIT_BREAKER
        want[name] = ("retry" if dead is None else "dead", dead, 0 if given_back else 1)
    assert got == want
    summary = db.queue.summary_stats("q")[0]
    retried = sum(outcome == "retry" for outcome, _, _ in want.values())
    assert (summary.retried_total, summary.failed_total) == (retried, len(want) - retried)


@pytest.mark.parametrize(("attempts", "outcomes"), [(1, "dead"), (2, "retry dead"), (3, "retry retry dead")])
def test_executions_are_counted_up_to_the_queues_maximum(db: Database, attempts: int, outcomes: str) -> None:
    policy(db, max_attempts=attempts, retry_base_seconds=0)
    (job_id,) = db.fill("q")
    got = []
    for number in range(1, attempts + 1):
        (job,) = db.start("w1")
        assert job.attempt_count == number - 1
        got.append(db.fail("w1", job.lease, R.TRANSIENT).value)
    assert got == outcomes.split()
    assert db.job(job_id).attempt_count == attempts


def test_a_jobs_own_maximum_goes_before_the_queues(db: Database) -> None:
    policy(db, max_attempts=1, retry_base_seconds=0)
    lease = db.started(max_attempts=2)
    assert db.fail("w1", lease, R.TIMEOUT) is Outcome.RETRY
    (job,) = db.start("w1")
    assert db.fail("w1", job.lease, R.TIMEOUT) is Outcome.DEAD
    assert db.job(job.job_id).failure_reason is R.TIMEOUT


def test_delays_grow_up_to_the_longest(db: Database) -> None:
    policy(db, max_attempts=1000)
    db.fill("q", 7)
    jobs = db.start("w1", 7)
    for number, job in enumerate(jobs):
        attempt = number + 1 if number < 6 else 999
        db.sql("UPDATE [chokaq].[JobsHot] SET [AttemptCount] = ? WHERE [Id] = ?;", attempt, job.job_id)
    answers = db.queue.fail("w1", [Failure(lease=job.lease, reason=R.TRANSIENT) for job in jobs])
    assert delays(db, jobs) == [10, 20, 40, 80, 100, 100, 100]
    assert [answer.next_run_at for answer in answers] == [db.job(job.job_id).scheduled_at for job in jobs]


@pytest.mark.parametrize(
    ("changes", "delay"),
    [
        ({"retry_base_seconds": 0}, 0),
        ({"retry_multiplier": 1}, 10),
        ({"retry_multiplier": 1.5}, 22.5),
        ({"retry_base_seconds": 100}, 100),
        ({"retry_base_seconds": 86400, "retry_max_seconds": 2592000, "retry_multiplier": 100}, 2592000),
    ],
)
def test_policies_at_their_ends(db: Database, changes: dict[str, Any], delay: float) -> None:
    policy(db, **changes)
    lease = db.started(max_attempts=1000)
    (job,) = [db.job(lease.job_id)]
    db.sql("UPDATE [chokaq].[JobsHot] SET [AttemptCount] = 3 WHERE [Id] = ?;", job.job_id)
    assert db.fail("w1", lease, R.TRANSIENT) is Outcome.RETRY
    job = db.job(lease.job_id)
    assert (job.scheduled_at - (job.last_updated_at or job.created_at)).total_seconds() == delay


def test_jitter_moves_each_delay_both_ways_within_its_share(db: Database) -> None:
    policy(db, retry_base_seconds=50, retry_max_seconds=1000, retry_jitter_percent=20)
    db.fill("q", 100)
    jobs = db.start("w1", 100)
    db.queue.fail("w1", [Failure(lease=job.lease, reason=R.TRANSIENT) for job in jobs])
    found = delays(db, jobs)
    assert all(40 <= delay <= 60 for delay in found)
    assert min(found) < 48
    assert max(found) > 52
    assert len(set(found)) > 20


def test_full_jitter_stays_between_nothing_and_the_longest(db: Database) -> None:
    policy(db, retry_base_seconds=80, retry_max_seconds=100, retry_jitter_percent=100)
    db.fill("q", 100)
    jobs = db.start("w1", 100)
    db.queue.fail("w1", [Failure(lease=job.lease, reason=R.TRANSIENT) for job in jobs])
    found = delays(db, jobs)
    assert all(0 <= delay <= 100 for delay in found)
    assert min(found) < 60
    assert max(found) > 90


def test_retry_after_is_the_least(db: Database) -> None:
    policy(db)
    db.fill("q", 3)
    jobs = db.start("w1", 3)
    least: list[float | timedelta] = [5, 50, timedelta(hours=2)]
    failures = [
        Failure(lease=job.lease, reason=R.THROTTLED, retry_after=after)
        for job, after in zip(jobs, least, strict=True)
    ]
    db.queue.fail("w1", failures)
    assert delays(db, jobs) == [10, 50, 7200]


def test_the_next_run_must_lie_within_the_jobs_age(db: Database) -> None:
    policy(db, max_job_age_seconds=3600)
    db.fill("q", 3)
    jobs = db.start("w1", 3)
    db.age(3540, "CreatedAtUtc")
    answers = db.queue.fail(
        "w1",
        [
            Failure(lease=jobs[0].lease, reason=R.TRANSIENT),
            Failure(lease=jobs[1].lease, reason=R.TRANSIENT, retry_after=120),
            Failure(lease=jobs[2].lease, reason=R.CIRCUIT_BREAKER, retry_after=120),
        ],
    )
    assert [answer.outcome for answer in answers] == [Outcome.RETRY, Outcome.DEAD, Outcome.DEAD]
    assert db.job(jobs[1].job_id).failure_reason is R.RETRY_LIFETIME_EXPIRED
    assert db.job(jobs[2].job_id).failure_reason is R.RETRY_LIFETIME_EXPIRED


def test_an_open_circuit_gives_the_attempt_back_however_often(db: Database) -> None:
    policy(db, max_attempts=1, retry_base_seconds=0)
    (job_id,) = db.fill("q")
    for _ in range(4):
        (job,) = db.start("w1")
        assert (job.job_id, job.attempt_count) == (job_id, 0)
        assert db.fail("w1", job.lease, R.CIRCUIT_BREAKER) is Outcome.RETRY
    (job,) = db.start("w1")
    assert db.fail("w1", job.lease, R.TRANSIENT) is Outcome.DEAD
    assert db.job(job_id).attempt_count == 1


def test_a_retried_job_keeps_everything_but_its_time(db: Database) -> None:
    policy(db)
    lease = db.started(payload="p", tags="t", idempotency_key="k", priority=42, max_attempts=8)
    before = db.job(lease.job_id)
    db.fail("w1", lease, R.TRANSIENT, error="boom")
    after = db.job(lease.job_id)
    for (
        name
    ) in "payload tags idempotency_key priority max_attempts created_at attempt_count lease_token".split():
        assert getattr(after, name) == getattr(before, name), name
    assert (after.status, after.worker_id, after.heartbeat_at) == (JobStatus.PENDING, None, None)
    assert after.scheduled_at > before.scheduled_at
    assert db.claim("w2") == []
    db.age(11, "ScheduledAtUtc")
    (again,) = db.claim("w2")
    assert (again.job_id, again.lease_token) == (lease.job_id, lease.lease_token + 1)


def test_a_retried_job_goes_behind_those_that_waited(db: Database) -> None:
    policy(db, retry_base_seconds=0)
    first, second = db.fill("q", 2)
    (job,) = db.start("w1")
    assert job.job_id == first
    db.fail("w1", job.lease, R.TRANSIENT)
    assert [each.job_id for each in db.claim("w1", 2)] == [second, first]


def test_a_dead_job_keeps_everything(db: Database) -> None:
    lease = db.started(payload="p", tags="t", idempotency_key="k", priority=42, max_attempts=8)
    hot = db.job(lease.job_id)
    db.fail("w1", lease, R.FATAL_ERROR, error="first line\nsecond line", duration_ms=7.25)
    dead = db.job(lease.job_id)
    kept = (
        "queue type payload tags idempotency_key priority attempt_count max_attempts worker_id lease_token "
        "scheduled_at created_at started_at created_by"
    )
    for name in kept.split():
        assert getattr(dead, name) == getattr(hot, name), name
    assert (dead.pillar, dead.failure_reason, dead.duration_ms) == (Pillar.DLQ, R.FATAL_ERROR, 7.25)
    assert dead.error_details == "first line\nsecond line"
    assert dead.failed_at is not None
    assert dead.last_modified_by == "w1"


def test_long_and_strange_error_texts_arrive_whole(db: Database) -> None:
    text = (
        'Traceback\n\t"quoted" \\path\\to\\x \'single\' €ж🎉 {"json": "\\u0041"}\r\n' + "x" * 20_000 + " end"
    )
    lease = db.started()
    db.fail("w1", lease, R.FATAL_ERROR, error=text)
    assert db.job(lease.job_id).error_details == text


def test_a_failure_without_a_text(db: Database) -> None:
    lease = db.started()
    db.fail("w1", lease, R.FATAL_ERROR)
    assert db.job(lease.job_id).error_details is None
