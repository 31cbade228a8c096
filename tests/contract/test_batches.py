"""How much one call and one method take."""

from __future__ import annotations

import pytest

from chokaq import Completion, Failure, FailureReason, Lease, NewJob, Outcome
from tests.contract.support import Database
from tests.contract.support_invariants import check


def through_the_queue(db: Database, count: int) -> None:
    """Enqueues, claims, marks, keeps alive and completes so many, each in one call of the driver."""
    done = db.queue.enqueue_many(NewJob(queue="q", type="t") for _ in range(count))
    assert [answer.ordinal for answer in done] == list(range(count))
    assert all(answer.outcome is Outcome.ENQUEUED for answer in done)
    leases: list[Lease] = []
    while jobs := db.claim("w1", 1000):
        leases += [job.lease for job in jobs]
    assert len({lease.job_id for lease in leases}) == count
    for outcome, answers in (
        (Outcome.PROCESSING, db.queue.mark_processing("w1", leases)),
        (Outcome.ALIVE, db.queue.keep_alive("w1", leases)),
        (Outcome.ARCHIVED, db.queue.complete("w1", [Completion(lease=lease) for lease in leases])),
    ):
        assert [answer.job_id for answer in answers] == [lease.job_id for lease in leases]
        assert {answer.outcome for answer in answers} <= {outcome}
    check(db, jobs=count)


@pytest.mark.parametrize("count", [0, 1, 1000, 1001])
def test_batches_of_every_size(db: Database, count: int) -> None:
    through_the_queue(db, count)


def test_nothing_is_taken_well_by_every_method(db: Database) -> None:
    queue = db.queue
    assert queue.enqueue_many([]) == []
    assert queue.mark_processing("w1", []) == []
    assert queue.keep_alive("w1", []) == []
    assert queue.release("w1", []) == []
    assert queue.complete("w1", []) == []
    assert queue.fail("w1", []) == []
    assert db.call("EnqueueJobs", "[]", None) == []
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Queues];") == 0


def test_ten_thousand_jobs_are_sent_in_several_calls(db: Database) -> None:
    done = db.queue.enqueue_many(NewJob(queue=f"q{n % 3}", type="t") for n in range(10_000))
    assert len({answer.job_id for answer in done}) == 10_000
    assert [answer.ordinal for answer in done] == list(range(10_000))
    assert sum(stats.due for stats in db.queue.queue_stats()) == 10_000


def test_a_thousand_failures_in_one_call(db: Database) -> None:
    db.fill("q", 1000)
    jobs = db.start("w1", 1000)
    reasons = (FailureReason.TRANSIENT, FailureReason.FATAL_ERROR)
    answers = db.queue.fail(
        "w1",
        [
            Failure(lease=job.lease, reason=reasons[n % 2], error=f"error {n}", error_group="g")
            for n, job in enumerate(jobs)
        ],
    )
    assert [answer.outcome for answer in answers] == [Outcome.RETRY, Outcome.DEAD] * 500
    check(db, jobs=1000)


def test_large_rows_make_more_calls(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 3_000_000
    if db.lacks("large-values"):
        size = 100_000
        monkeypatch.setattr("chokaq.payloads.MAX_CHARACTERS", 250_000)
    done = db.queue.enqueue_many(NewJob(queue="q", type="t", payload="x" * size) for _ in range(4))
    assert len(done) == 4
    assert db.scalar("SELECT MIN(LEN([Payload])) AS [n] FROM [chokaq].[JobsHot];") == size
