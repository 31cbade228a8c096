"""FetchNextBatch: order, turns between queues, what is passed over, MaxWorkers."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest

from chokaq import FetchedJob, InvalidJsonError, InvalidParameterError, JobStatus, NewJob, Outcome
from tests.contract.support import Database

START = datetime(2020, 1, 1, tzinfo=timezone.utc)


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def put(db: Database, *jobs: tuple[str, int, int]) -> None:
    """Enqueues (queue, priority, minute); the type says which it is."""
    db.queue.enqueue_many(
        NewJob(queue=queue, type=f"{queue}/{priority}/{minute}", priority=priority, scheduled_at=at(minute))
        for queue, priority, minute in jobs
    )


def types(jobs: list[FetchedJob]) -> list[str]:
    return [job.type for job in jobs]


def test_what_a_claim_returns_and_writes(db: Database) -> None:
    done = db.queue.enqueue(
        "mail",
        "send",
        {"to": "x"},
        tags="a",
        idempotency_key="k",
        priority=20,
        created_by="shop",
        max_attempts=9,
    )
    (job,) = db.claim("w1")
    stored = db.job(done.job_id)
    assert (job.job_id, job.queue, job.type, job.json()) == (done.job_id, "mail", "send", {"to": "x"})
    assert (job.tags, job.idempotency_key, job.priority, job.created_by) == ("a", "k", 20, "shop")
    assert (job.attempt_count, job.max_attempts, job.lease_token) == (0, 9, 1)
    assert (job.scheduled_at, job.created_at) == (stored.scheduled_at, stored.created_at)
    assert (stored.status, stored.worker_id, stored.lease_token) == (JobStatus.FETCHED, "w1", 1)
    assert stored.heartbeat_at == stored.last_updated_at
    assert stored.heartbeat_at is not None
    assert stored.last_modified_by == "w1"


def test_max_attempts_are_the_queues_unless_the_job_has_its_own(db: Database) -> None:
    db.queue.enqueue_many([NewJob(queue="q", type="own", max_attempts=9), NewJob(queue="q", type="none")])
    db.sql("UPDATE [chokaq].[Queues] SET [MaxAttempts] = 6;")
    assert {job.type: job.max_attempts for job in db.claim(limit=2)} == {"own": 9, "none": 6}


def test_nothing_due_is_no_row(db: Database) -> None:
    assert db.claim() == []
    db.fill("q")
    assert len(db.claim(limit=10)) == 1
    assert db.claim(limit=10) == []


def test_each_claim_raises_the_lease_by_one(db: Database) -> None:
    db.fill("q")
    for lease in (1, 2, 3):
        (job,) = db.claim("w1")
        assert job.lease_token == lease
        db.queue.release("w1", job.lease)


def test_higher_priority_goes_first_over_all_queues(db: Database) -> None:
    put(db, ("a", 5, 0), ("b", 50, 9), ("c", 20, 3), ("a", 100, 8), ("b", 0, 1))
    assert types(db.claim(limit=10)) == ["a/100/8", "b/50/9", "c/20/3", "a/5/0", "b/0/1"]


def test_within_a_level_the_oldest_schedule_goes_first(db: Database) -> None:
    put(db, *(("q", 10, minute) for minute in (5, 3, 9, 1)))
    assert types(db.claim(limit=3)) == ["q/10/1", "q/10/3", "q/10/5"]
    assert types(db.claim(limit=3)) == ["q/10/9"]


def test_at_the_same_moment_the_oldest_creation_goes_first(db: Database) -> None:
    ids = [
        db.queue.enqueue("q", "t", scheduled_at=at(0), job_id=f"z{9 - number}").job_id for number in range(3)
    ]
    assert [job.job_id for job in db.claim(limit=3)] == ids


def test_at_equal_priority_the_queues_share_a_batch(db: Database) -> None:
    put(db, *((queue, 10, minute) for minute in range(10) for queue in ("busy", "calm", "dull")))
    put(db, *(("busy", 10, minute) for minute in range(-50, 0)))
    jobs = db.claim(limit=9)
    taken = {queue: [job.type for job in jobs if job.queue == queue] for queue in ("busy", "calm", "dull")}
    assert taken["busy"] == ["busy/10/-50", "busy/10/-49", "busy/10/-48"]
    assert taken["calm"] == ["calm/10/0", "calm/10/1", "calm/10/2"]
    assert taken["dull"] == ["dull/10/0", "dull/10/1", "dull/10/2"]
    assert jobs[0].queue == "busy"  # the queue with the oldest due job begins


def test_what_one_queue_cannot_use_goes_to_the_others(db: Database) -> None:
    put(db, ("a", 10, 0), *(("b", 10, minute) for minute in range(20)))
    jobs = db.claim(limit=10)
    assert len(jobs) == 10
    assert types(jobs).count("a/10/0") == 1


def test_a_batch_smaller_than_the_number_of_queues_goes_to_those_that_waited_longest(db: Database) -> None:
    put(db, *((f"q{number}", 10, number) for number in (4, 2, 0, 3, 1)))
    assert types(db.claim(limit=2)) == ["q0/10/0", "q1/10/1"]
    assert types(db.claim(limit=2)) == ["q2/10/2", "q3/10/3"]
    assert types(db.claim(limit=2)) == ["q4/10/4"]


def test_a_stream_of_newer_jobs_starves_nobody(db: Database) -> None:
    put(db, *(("busy", 10, minute) for minute in range(3)), ("calm", 10, 3))
    claimed: list[str] = []
    for minute in range(4, 9):
        put(db, ("busy", 10, minute), ("busy", 10, minute))
        claimed += types(db.claim(limit=1))
    assert "calm/10/3" in claimed


def test_a_busy_queue_leaves_room_for_a_newer_one(db: Database) -> None:
    put(db, *(("busy", 10, minute) for minute in range(30)), ("calm", 10, 60))
    assert "calm/10/60" in types(db.claim(limit=4))


def test_a_hundred_priority_levels(db: Database) -> None:
    put(db, *(("q", level, 0) for level in range(101)))
    assert [job.priority for job in db.claim(limit=1000)] == list(range(100, -1, -1))


def test_levels_of_several_queues_interleave(db: Database) -> None:
    put(db, *((f"q{level % 3}", level, 0) for level in range(30)))
    assert [job.priority for job in db.claim(limit=7)] == [29, 28, 27, 26, 25, 24, 23]


def test_jobs_for_later_are_passed_over_at_any_priority(db: Database) -> None:
    later = datetime.now(timezone.utc) + timedelta(days=1)
    db.queue.enqueue_many(
        NewJob(queue="q", type="later", priority=priority, scheduled_at=later)
        for priority in (100, 50, 10)
        for _ in range(20)
    )
    put(db, ("q", 10, 0), ("q", 50, 1), ("q", 5, 2))
    assert types(db.claim(limit=50)) == ["q/50/1", "q/10/0", "q/5/2"]
    db.age(86400 + 60, "ScheduledAtUtc")
    assert len(db.claim(limit=100)) == 60


def test_paused_and_inactive_queues_are_passed_over(db: Database) -> None:
    put(db, ("open", 10, 5), ("paused", 90, 1), ("inactive", 90, 1))
    db.queue.set_queue_paused("paused")
    db.queue.set_queue_active("inactive", False)
    assert types(db.claim(limit=10)) == ["open/10/5"]
    assert db.claim(limit=10, queues=["paused", "inactive"]) == []
    db.queue.set_queue_paused("paused", False)
    db.queue.set_queue_active("inactive", True)
    assert sorted(types(db.claim(limit=10))) == ["inactive/90/1", "paused/90/1"]


def test_only_named_queues(db: Database) -> None:
    put(db, *((queue, 10, 0) for queue in ("a", "b", "c", "d")))
    assert sorted(types(db.claim(limit=10, queues=["A", "c", "never heard of", "ж"]))) == ["a/10/0", "c/10/0"]
    assert db.claim(limit=10, queues=[]) == []
    assert len(db.claim(limit=10)) == 2


def test_a_queue_named_twice_is_one_queue(db: Database) -> None:
    put(db, *(("a", 10, minute) for minute in range(4)))
    assert len(db.claim(limit=10, queues=["a", "a", "A"])) == 4


@pytest.mark.parametrize("queues", ["", "a", "[", '{"a": "b"}', "[1", '"a"'])
def test_queues_must_be_an_array(db: Database, queues: str) -> None:
    db.fill("b")
    with pytest.raises(InvalidJsonError):
        db.call("FetchNextBatch", "w1", 1, queues)
    assert db.scalar("SELECT MAX([Status]) AS [s] FROM [chokaq].[JobsHot];") == 0


@pytest.mark.parametrize("limit", [0, -1, 1001, None])
def test_the_limit_has_limits(db: Database, limit: int | None) -> None:
    db.fill("q")
    with pytest.raises(InvalidParameterError, match="Limit"):
        db.call("FetchNextBatch", "w1", limit, None)


@pytest.mark.parametrize("worker", ["", None])
def test_a_claim_needs_a_worker(db: Database, worker: str | None) -> None:
    db.fill("q")
    with pytest.raises(InvalidParameterError, match="WorkerId"):
        db.call("FetchNextBatch", worker, 1, None)


# MaxWorkers


def test_max_workers_counts_claimed_and_running_jobs(db: Database) -> None:
    db.fill("q", 10)
    db.queue.set_queue_max_workers("q", 3)
    first, second = db.claim("w1", 2)
    db.queue.mark_processing("w1", first.lease)
    (third,) = db.claim("w2", 10)
    assert db.claim("w3", 10) == []
    assert db.queue.release("w1", second.lease)[0].outcome is Outcome.RELEASED
    assert len(db.claim("w3", 10)) == 1
    assert db.complete("w1", first.lease) == [Outcome.ARCHIVED]
    assert len(db.claim("w3", 10)) == 1
    db.queue.mark_processing("w2", third.lease)
    assert db.claim("w3", 10) == []


def test_a_limited_queue_leaves_its_share_to_others(db: Database) -> None:
    put(db, *((queue, 10, minute) for minute in range(10) for queue in ("free", "limited")))
    db.queue.set_queue_max_workers("limited", 2)
    jobs = db.claim(limit=10)
    assert [job.queue for job in jobs].count("limited") == 2
    assert [job.queue for job in jobs].count("free") == 8


def test_a_full_queue_of_high_priority_does_not_hold_up_others(db: Database) -> None:
    put(db, *(("limited", 100, minute) for minute in range(5)), ("free", 1, 0))
    db.queue.set_queue_max_workers("limited", 1)
    assert types(db.claim(limit=3)) == ["limited/100/0", "free/1/0"]


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (None, 5)])
def test_limits_at_their_ends(db: Database, limit: int | None, expected: int) -> None:
    db.fill("q", 5)
    db.queue.set_queue_max_workers("q", limit)
    assert len(db.claim(limit=10)) == expected


def test_a_limit_below_what_runs_stops_nothing_and_starts_nothing(db: Database) -> None:
    db.fill("q", 6)
    running = db.start("w1", 4)
    db.queue.set_queue_max_workers("q", 2)
    assert db.claim("w2", 10) == []
    assert db.complete("w1", *(job.lease for job in running[:2])) == [Outcome.ARCHIVED] * 2
    assert db.claim("w2", 10) == []
    assert db.complete("w1", running[2].lease) == [Outcome.ARCHIVED]
    assert len(db.claim("w2", 10)) == 1


def test_a_thousand_at_once(db: Database) -> None:
    db.fill("q", 1000)
    jobs = db.claim(limit=1000)
    assert len({job.job_id for job in jobs}) == 1000
    assert json.loads(json.dumps(types(jobs))) == ["work"] * 1000
