"""Dead letters: resurrect, purge, edit, filters, previews; their races; what they leave alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    Completion,
    DlqFilter,
    DuplicateRowError,
    FailureReason,
    InvalidParameterError,
    InvalidValueError,
    JobStatus,
    Lease,
    MissingValueError,
    NotRepresentableError,
    Outcome,
    Pillar,
    Resurrection,
    ValueTooLongError,
)
from tests.contract.support import Database, Record

# Long enough for the other side of a race to arrive at the lock.
WAIT = 0.4
DAY = datetime(2026, 3, 4, tzinfo=timezone.utc)


@contextmanager
def other_side(db: Database) -> Iterator[ThreadPoolExecutor]:
    """A thread with a session that has made its calls before, so that it arrives at the lock in time."""
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            pool.submit(db.queue.resurrect, "nowhere").result()
            pool.submit(db.queue.purge_dlq, "nowhere").result()
            pool.submit(lambda: db.queue.enqueue("warm", "t")).result()
        db.sql("DELETE FROM [chokaq].[JobsHot] WHERE [Queue] = 'warm';")
        yield pool


def die(
    db: Database, queue: str = "q", reason: FailureReason = FailureReason.FATAL_ERROR, **values: Any
) -> Lease:
    """A job that failed for good; the lease under which it did."""
    lease = db.started(queue, **values)
    assert db.fail("w1", lease, reason, error="boom") is Outcome.DEAD
    return lease


def insert_dead(db: Database, job_id: str, hour: float = 0, **values: Any) -> str:
    """A dead job as it stands in the table; ``hour``: when it failed, after DAY."""
    row: Record = {
        "Id": job_id,
        "Queue": "q",
        "Type": "t",
        "Priority": 10,
        "AttemptCount": 1,
        "LeaseToken": 3,
        "ScheduledAtUtc": DAY - timedelta(days=2),
        "CreatedAtUtc": DAY - timedelta(days=1),
        "FailedAtUtc": DAY + timedelta(hours=hour),
        "FailureReason": 6,
        **values,
    }
    texts = [v.replace(tzinfo=None).isoformat() if isinstance(v, datetime) else v for v in row.values()]
    names = ", ".join(f"[{name}]" for name in row)
    marks = ", ".join("?" for _ in row)
    db.sql(f"INSERT INTO [chokaq].[JobsDLQ] ({names}) VALUES ({marks});", *texts)
    return job_id


def dead_ids(db: Database) -> set[str]:
    return {row["Id"] for row in db.sql("SELECT [d].[Id] AS [Id] FROM [chokaq].[JobsDLQ] AS [d];")}


def counted(db: Database) -> list[list[Record]]:
    """All that the metrics hold."""
    return [
        db.sql(
            "SELECT [Queue], [Shard], [SucceededTotal], [FailedTotal], [RetriedTotal]"
            " FROM [chokaq].[StatsSummary] ORDER BY [Queue], [Shard];"
        ),
        db.sql(
            "SELECT [BucketStartUtc], [Queue], [Outcome], [FailureReason], [Shard], [CompletedCount],"
            " [TotalDurationMs], [TotalWaitMs] FROM [chokaq].[MetricBuckets]"
            " ORDER BY [BucketStartUtc], [Queue], [Outcome], [FailureReason], [Shard];"
        ),
        db.sql(
            "SELECT [Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason],"
            " [Bin], [Shard], [SampleCount], [TotalMs], [MaxMs] FROM [chokaq].[MetricSeries]"
            " ORDER BY [Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome],"
            " [FailureReason], [Bin], [Shard];"
        ),
    ]


def outcomes(answers: Iterable[Any]) -> list[Outcome]:
    return [answer.outcome for answer in answers]


# Resurrect


def test_a_resurrected_job_is_as_it_was_but_for_its_attempts(db: Database) -> None:
    due = datetime(2020, 1, 1, tzinfo=timezone.utc)
    lease = die(
        db,
        payload="payload",
        tags="red",
        idempotency_key="k",
        priority=42,
        scheduled_at=due,
        max_attempts=4,
    )
    before = db.job(lease.job_id)
    start = db.scalar("SELECT SYSUTCDATETIME() AS [Now];").replace(tzinfo=timezone.utc)
    (answer,) = db.queue.resurrect(lease.job_id, resurrected_by="op")
    assert (answer.job_id, answer.outcome) == (lease.job_id, Outcome.RESURRECTED)
    job = db.job(lease.job_id)
    assert (job.pillar, job.status, job.attempt_count) == (Pillar.HOT, JobStatus.PENDING, 0)
    kept = [
        "queue",
        "type",
        "payload",
        "tags",
        "idempotency_key",
        "priority",
        "max_attempts",
        "created_at",
        "created_by",
        "lease_token",
    ]
    assert {name: getattr(job, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert (job.worker_id, job.heartbeat_at, job.started_at, job.cancel_requested_at) == (None,) * 4
    assert (job.failure_reason, job.error_details, job.last_modified_by) == (None, None, "op")
    assert job.scheduled_at >= start - timedelta(milliseconds=1)
    assert dead_ids(db) == set()


def test_a_lease_number_never_comes_back(db: Database) -> None:
    old = die(db)
    db.queue.resurrect(old.job_id)
    (job,) = db.start("w1")
    assert job.lease_token == old.lease_token + 1
    assert db.complete("w1", old) == [Outcome.LOST]
    assert db.queue.keep_alive("w1", old)[0].outcome is Outcome.LOST
    assert db.complete("w1", job.lease) == [Outcome.ARCHIVED]


def test_a_resurrected_job_may_try_as_often_as_at_first(db: Database) -> None:
    lease = die(db, max_attempts=2)
    db.queue.resurrect(lease.job_id)
    (first,) = db.start("w1")
    assert db.fail("w1", first.lease, FailureReason.TRANSIENT) is Outcome.RETRY
    db.age(100000, "ScheduledAtUtc")
    (second,) = db.start("w1")
    assert db.fail("w1", second.lease, FailureReason.TRANSIENT) is Outcome.DEAD


def test_a_resurrected_cancelled_job_is_no_longer_cancelled(db: Database) -> None:
    lease = db.started()
    db.queue.cancel(lease.job_id)
    db.fail("w1", lease, FailureReason.CANCELLED)
    db.queue.resurrect(lease.job_id)
    (job,) = db.start("w2")
    assert db.queue.keep_alive("w2", job.lease)[0].outcome is Outcome.ALIVE


def test_edits_at_resurrect(db: Database) -> None:
    ids = [die(db, payload="old", tags="red", priority=5).job_id for _ in range(3)]
    start = db.scalar("SELECT SYSUTCDATETIME() AS [Now];").replace(tzinfo=timezone.utc)
    answers = db.queue.resurrect(
        [
            Resurrection(job_id=ids[2], payload={"n": 1}, tags="blue"),
            ids[0],
            Resurrection(job_id=ids[1], priority=0, delay=60),
        ]
    )
    assert [answer.job_id for answer in answers] == [ids[2], ids[0], ids[1]]
    plain, delayed, edited = (db.job(job_id) for job_id in ids)
    assert (plain.payload, plain.tags, plain.priority) == ("old", "red", 5)
    assert (edited.json(), edited.tags, edited.priority) == ({"n": 1}, "blue", 5)
    assert (delayed.payload, delayed.tags, delayed.priority) == ("old", "red", 0)
    assert delayed.scheduled_at - start >= timedelta(seconds=60) - timedelta(milliseconds=1)


def test_a_key_that_is_active_again_keeps_the_job_in_the_dlq(db: Database) -> None:
    lease = die(db, idempotency_key="Key")
    other = die(db)
    newer = db.queue.enqueue("q", "t", idempotency_key="KEY").job_id
    before = db.job(lease.job_id)
    assert outcomes(db.queue.resurrect([lease.job_id, other.job_id])) == [
        Outcome.KEY_ACTIVE,
        Outcome.RESURRECTED,
    ]
    assert db.job(lease.job_id) == before
    assert db.job(newer).status is JobStatus.PENDING
    db.queue.cancel(newer)
    assert outcomes(db.queue.resurrect(lease.job_id)) == [Outcome.RESURRECTED]


def test_of_two_dead_jobs_with_one_key_the_first_of_the_call_comes_back(db: Database) -> None:
    first, second = die(db, idempotency_key="k"), die(db, idempotency_key="k")
    assert outcomes(db.queue.resurrect([second.job_id, first.job_id])) == [
        Outcome.RESURRECTED,
        Outcome.KEY_ACTIVE,
    ]
    assert dead_ids(db) == {first.job_id}


def test_only_dead_jobs_are_found(db: Database) -> None:
    (pending,) = db.fill("other")
    lease = db.started()
    db.complete("w1", lease)
    ids = [pending, lease.job_id, "nowhere"]
    assert outcomes(db.queue.resurrect(ids)) == [Outcome.NOT_FOUND] * 3
    assert outcomes(db.queue.purge_dlq(ids)) == [Outcome.NOT_FOUND] * 3
    assert db.job(pending).pillar is Pillar.HOT
    assert db.job(lease.job_id).pillar is Pillar.ARCHIVE


def test_purge_deletes_for_good(db: Database) -> None:
    ids = [die(db).job_id for _ in range(3)]
    assert outcomes(db.queue.purge_dlq([ids[2], "nowhere", ids[0]])) == [
        Outcome.PURGED,
        Outcome.NOT_FOUND,
        Outcome.PURGED,
    ]
    assert dead_ids(db) == {ids[1]}
    assert outcomes(db.queue.purge_dlq(ids[0])) == [Outcome.NOT_FOUND]
    assert outcomes(db.queue.resurrect(ids[0])) == [Outcome.NOT_FOUND]


def test_purge_and_resurrect_change_nothing_in_the_metrics(db: Database) -> None:
    ids = [die(db, idempotency_key=f"k{number}").job_id for number in range(4)]
    db.complete("w1", db.started())
    before = counted(db)
    assert before[0]
    assert before[1]
    assert before[2]
    db.queue.resurrect(ids[0])
    db.queue.purge_dlq(ids[1])
    db.queue.edit_dlq_job(ids[2], payload="new")
    db.queue.resurrect_by_filter(DlqFilter(), max_jobs=1)
    db.queue.purge_dlq_by_filter(DlqFilter())
    assert dead_ids(db) == set()
    assert counted(db) == before


def test_a_job_that_dies_twice_failed_twice(db: Database) -> None:
    lease = die(db)
    db.queue.resurrect(lease.job_id)
    (job,) = db.start("w1")
    db.fail("w1", job.lease, FailureReason.FATAL_ERROR, error="boom")
    (stats,) = db.queue.summary_stats("q")
    assert stats.failed_total == 2
    assert db.job(lease.job_id).lease_token == lease.lease_token + 1


def test_the_callers_transaction_decides(db: Database) -> None:
    first, second = die(db), die(db)
    connection = db.connect()
    try:
        assert outcomes(db.queue.resurrect(first.job_id, connection=connection)) == [Outcome.RESURRECTED]
        assert outcomes(db.queue.purge_dlq(second.job_id, connection=connection)) == [Outcome.PURGED]
        connection.rollback()
    finally:
        connection.close()
    assert dead_ids(db) == {first.job_id, second.job_id}


# Edit


def test_edit_of_a_dead_job(db: Database) -> None:
    lease = die(db, payload="old", tags="red")
    before = db.job(lease.job_id)
    assert db.queue.edit_dlq_job(lease.job_id, payload="new", edited_by="op").outcome is Outcome.EDITED
    assert db.queue.edit_dlq_job(lease.job_id, tags="blue", priority=0).outcome is Outcome.EDITED
    expected = replace(before, payload="new", tags="blue", priority=0, last_modified_by=None)
    assert db.job(lease.job_id) == expected
    assert db.queue.edit_dlq_job("nowhere", priority=1).outcome is Outcome.NOT_FOUND
    assert db.queue.edit_dlq_job(db.fill("q")[0], priority=1).outcome is Outcome.NOT_FOUND


# Refused calls


def test_refused_calls_change_nothing(db: Database) -> None:
    ids = [die(db).job_id for _ in range(2)]
    for call in (db.queue.resurrect, db.queue.purge_dlq):
        with pytest.raises(DuplicateRowError):
            call([ids[0], ids[1], ids[0]])
        with pytest.raises(MissingValueError):
            call([ids[0], ""])
    with pytest.raises(InvalidValueError) as caught:
        db.queue.resurrect([ids[0], Resurrection(job_id=ids[1], priority=101)])
    assert caught.value.index == 1
    for priority in (101, -1):
        with pytest.raises(InvalidParameterError):
            db.queue.edit_dlq_job(ids[0], priority=priority)
    with pytest.raises(ValueTooLongError):
        db.queue.edit_dlq_job(ids[0], tags="x" * 1001)
    for limit in (0, 1001):
        with pytest.raises(InvalidParameterError):
            db.queue.purge_dlq_by_filter(DlqFilter(), max_jobs=limit)
        with pytest.raises(InvalidParameterError):
            db.queue.resurrect_by_filter(DlqFilter(), max_jobs=limit)
        with pytest.raises(InvalidParameterError):
            db.queue.preview_dlq(DlqFilter(), sample_size=limit)
    assert dead_ids(db) == set(ids)
    db.needs("exact-varchar")
    with pytest.raises(NotRepresentableError):
        db.queue.resurrect(Resurrection(job_id=ids[0], tags="ж"))
    with pytest.raises(NotRepresentableError):
        db.queue.edit_dlq_job(ids[0], tags="ж")


# Filters

CREATED = DAY - timedelta(days=1)
DEAD: dict[str, Record] = {
    "a": {"hour": 5},
    "b": {"hour": 4, "Queue": "mail"},
    "c": {"hour": 3, "Type": "send"},
    "d": {"hour": 2, "FailureReason": 7},
    "e": {"hour": 1, "Tags": "red,50%_[x]"},
    "f": {"hour": 0, "ErrorDetails": "Boom: disk full [50%_x]"},
    "g": {"hour": 6, "CreatedAtUtc": CREATED - timedelta(hours=1)},
    "h": {"hour": 7, "CreatedAtUtc": CREATED + timedelta(hours=1), "Queue": "mail", "Tags": "blue"},
}
FILTERS = [
    (DlqFilter(), "fedcbagh"),
    (DlqFilter(queue="mail"), "bh"),
    (DlqFilter(queue="MAIL"), "bh"),
    (DlqFilter(queue="mail", tag="blue"), "h"),
    (DlqFilter(queue="nowhere"), ""),
    (DlqFilter(type="send"), "c"),
    (DlqFilter(failure_reason=FailureReason.TIMEOUT), "d"),
    (DlqFilter(failure_reason=FailureReason.MAX_RETRIES_EXCEEDED), ""),
    (DlqFilter(created_from=CREATED), "fedcbah"),
    (DlqFilter(created_to=CREATED), "g"),
    (DlqFilter(created_from=CREATED, created_to=CREATED + timedelta(hours=1)), "fedcba"),
    (DlqFilter(failed_from=DAY + timedelta(hours=4)), "bagh"),
    (DlqFilter(failed_to=DAY + timedelta(hours=4)), "fedc"),
    (DlqFilter(failed_from=DAY + timedelta(hours=2), failed_to=DAY + timedelta(hours=4)), "dc"),
    (DlqFilter(tag="red"), "e"),
    (DlqFilter(tag="RED"), "e"),
    (DlqFilter(tag="50%_[x]"), "e"),
    (DlqFilter(tag="r_d"), ""),
    (DlqFilter(tag="r%d"), ""),
    (DlqFilter(tag="[e]d"), ""),
    (DlqFilter(text="disk full"), "f"),
    (DlqFilter(text="DISK"), "f"),
    (DlqFilter(text="[50%_x]"), "f"),
    (DlqFilter(text="d%k"), ""),
    (DlqFilter(queue="q", type="t", failure_reason=FailureReason.FATAL_ERROR, tag="red"), "e"),
]


@pytest.mark.parametrize("action", ["resurrect", "purge"])
def test_a_preview_shows_what_the_action_takes_in_its_order(db: Database, action: str) -> None:
    for found, expected in FILTERS:
        db.sql("DELETE FROM [chokaq].[JobsDLQ]; DELETE FROM [chokaq].[JobsHot];")
        for job_id, values in DEAD.items():
            insert_dead(db, job_id, **values)
        preview = db.queue.preview_dlq(found)
        assert "".join(match.job_id for match in preview.sample) == expected, found
        assert preview.match_count == len(expected)
        if action == "resurrect":
            answers = db.queue.resurrect_by_filter(found, resurrected_by="op")
        else:
            answers = db.queue.purge_dlq_by_filter(found)
        assert "".join(answer.job_id for answer in answers) == expected, found
        done = Outcome.RESURRECTED if action == "resurrect" else Outcome.PURGED
        assert set(outcomes(answers)) <= {done}
        assert dead_ids(db) == set(DEAD) - set(expected)
        hot = {row["Id"] for row in db.sql("SELECT [h].[Id] AS [Id] FROM [chokaq].[JobsHot] AS [h];")}
        assert hot == (set(expected) if action == "resurrect" else set())


def test_a_preview_counts_all_and_shows_some(db: Database) -> None:
    for job_id, values in DEAD.items():
        insert_dead(db, job_id, **values)
    insert_dead(db, "long", 8, ErrorDetails="x" * 1000, AttemptCount=7, Tags="t")
    preview = db.queue.preview_dlq(DlqFilter(), sample_size=2)
    assert preview.match_count == 9
    assert [match.job_id for match in preview.sample] == ["f", "e"]
    (match,) = db.queue.preview_dlq(DlqFilter(tag="t", text="xxx")).sample
    assert (match.error_details, match.attempt_count, match.tags) == ("x" * 400, 7, "t")
    assert (match.failed_at, match.created_at) == (DAY + timedelta(hours=8), CREATED)
    assert dead_ids(db) == {*DEAD, "long"}


def test_an_action_takes_the_oldest_up_to_its_limit(db: Database) -> None:
    for job_id, values in DEAD.items():
        insert_dead(db, job_id, **values)
    assert [a.job_id for a in db.queue.purge_dlq_by_filter(DlqFilter(), max_jobs=3)] == ["f", "e", "d"]
    answers = db.queue.resurrect_by_filter(DlqFilter(), max_jobs=2)
    assert [a.job_id for a in answers] == ["c", "b"]
    assert dead_ids(db) == set("agh")


def test_equal_moments_are_taken_by_id(db: Database) -> None:
    for job_id in "cab":
        insert_dead(db, job_id, 1)
    assert [match.job_id for match in db.queue.preview_dlq(DlqFilter()).sample] == ["a", "b", "c"]


def test_resurrect_by_filter_leaves_active_keys_and_says_so(db: Database) -> None:
    db.queue.enqueue("q", "t", idempotency_key="k")
    insert_dead(db, "a", 0, IdempotencyKey="k")
    insert_dead(db, "b", 1)
    answers = db.queue.resurrect_by_filter(DlqFilter())
    assert [(a.job_id, a.outcome) for a in answers] == [
        ("b", Outcome.RESURRECTED),
        ("a", Outcome.KEY_ACTIVE),  # last: it must not stand in the way of the others
    ]


def test_jobs_whose_keys_are_active_do_not_block_the_others(db: Database) -> None:
    """Called again while a call is full, it comes to an end and reaches every job that can come back."""
    for number in range(4):
        db.queue.enqueue("q", "t", idempotency_key=f"k{number}")
        insert_dead(db, f"a{number}", number, IdempotencyKey=f"k{number}")
    insert_dead(db, "b", 9)
    for _ in range(20):
        if len(db.queue.resurrect_by_filter(DlqFilter(), max_jobs=2)) < 2:
            break
    assert dead_ids(db) == {"a0", "a1", "a2", "a3"}


# Races


def test_a_resurrect_that_comes_while_the_key_is_enqueued_again(db: Database) -> None:
    lease = die(db, idempotency_key="k")
    producer = db.connect()
    try:
        with other_side(db) as pool:
            new = db.queue.enqueue("q", "t", idempotency_key="k", connection=producer)
            resurrecting = pool.submit(db.queue.resurrect, lease.job_id)
            time.sleep(WAIT)
            assert not resurrecting.done()
            producer.commit()
            assert outcomes(resurrecting.result()) == [Outcome.KEY_ACTIVE]
    finally:
        producer.close()
    assert dead_ids(db) == {lease.job_id}
    assert db.job(new.job_id).pillar is Pillar.HOT


def test_an_enqueue_that_comes_while_the_key_is_resurrected(db: Database) -> None:
    lease = die(db, idempotency_key="k")
    operator = db.connect()
    try:
        with other_side(db) as pool:
            answers = db.queue.resurrect(lease.job_id, connection=operator)
            assert outcomes(answers) == [Outcome.RESURRECTED]
            enqueuing = pool.submit(lambda: db.queue.enqueue("q", "t", idempotency_key="k"))
            time.sleep(WAIT)
            assert not enqueuing.done()
            operator.commit()
            answer = enqueuing.result()
            assert (answer.outcome, answer.job_id) == (Outcome.DUPLICATE, lease.job_id)
    finally:
        operator.close()


@pytest.mark.parametrize("key", [None, "k"])
def test_a_resurrect_that_comes_while_the_job_is_purged_does_not_find_it(
    db: Database, key: str | None
) -> None:
    lease = die(db, idempotency_key=key)
    operator = db.connect()
    try:
        with other_side(db) as pool:
            assert outcomes(db.queue.purge_dlq(lease.job_id, connection=operator)) == [Outcome.PURGED]
            resurrecting = pool.submit(db.queue.resurrect, lease.job_id)
            time.sleep(WAIT)
            operator.commit()
            assert outcomes(resurrecting.result()) == [Outcome.NOT_FOUND]
    finally:
        operator.close()
    assert db.queue.get_job(lease.job_id) is None


def test_a_purge_that_comes_while_the_job_is_resurrected_does_not_find_it(db: Database) -> None:
    lease = die(db)
    operator = db.connect()
    try:
        with other_side(db) as pool:
            db.queue.resurrect(lease.job_id, connection=operator)
            purging = pool.submit(db.queue.purge_dlq, lease.job_id)
            time.sleep(WAIT)
            operator.commit()
            assert outcomes(purging.result()) == [Outcome.NOT_FOUND]
    finally:
        operator.close()
    assert db.job(lease.job_id).pillar is Pillar.HOT


def test_of_two_resurrects_of_one_job_one_succeeds(db: Database) -> None:
    lease = die(db)
    operator = db.connect()
    try:
        with other_side(db) as pool:
            db.queue.resurrect(lease.job_id, connection=operator)
            again = pool.submit(db.queue.resurrect, lease.job_id)
            time.sleep(WAIT)
            operator.commit()
            assert outcomes(again.result()) == [Outcome.NOT_FOUND]
    finally:
        operator.close()
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 1


def test_of_two_resurrects_with_one_key_one_succeeds(db: Database) -> None:
    first, second = die(db, idempotency_key="k"), die(db, idempotency_key="k")
    operator = db.connect()
    try:
        with other_side(db) as pool:
            db.queue.resurrect(first.job_id, connection=operator)
            again = pool.submit(db.queue.resurrect, second.job_id)
            time.sleep(WAIT)
            operator.commit()
            assert outcomes(again.result()) == [Outcome.KEY_ACTIVE]
    finally:
        operator.close()
    assert dead_ids(db) == {second.job_id}


def test_purges_and_resurrects_at_once_take_each_job_once(db: Database) -> None:
    ids = {insert_dead(db, f"j{number:03}", number) for number in range(60)}

    def purge() -> list[str]:
        found = []
        for _ in range(8):
            answers = db.queue.purge_dlq_by_filter(DlqFilter(), max_jobs=5)
            found += [answer.job_id for answer in answers if answer.outcome is Outcome.PURGED]
        return found

    def resurrect() -> list[str]:
        found = []
        for _ in range(8):
            answers = db.queue.resurrect_by_filter(DlqFilter(), max_jobs=5)
            found += [answer.job_id for answer in answers if answer.outcome is Outcome.RESURRECTED]
        return found

    with ThreadPoolExecutor(3) as pool:
        purged = [pool.submit(purge) for _ in range(2)]
        raised = pool.submit(resurrect)
        gone = [job_id for part in purged for job_id in part.result()]
        back = raised.result()
    assert len(gone) == len(set(gone))
    assert set(gone).isdisjoint(back)
    hot = {row["Id"] for row in db.sql("SELECT [h].[Id] AS [Id] FROM [chokaq].[JobsHot] AS [h];")}
    assert hot == set(back)
    assert dead_ids(db) == ids - set(gone) - set(back)


def test_a_repeated_report_of_a_job_that_was_resurrected_is_lost(db: Database) -> None:
    """The worker repeats its failure, not knowing that it had arrived, after an operator acted on it."""
    lease = die(db)
    db.queue.resurrect(lease.job_id)
    assert db.fail("w1", lease, FailureReason.FATAL_ERROR) is Outcome.LOST
    assert db.queue.complete("w1", Completion(lease=lease))[0].outcome is Outcome.LOST
    assert db.job(lease.job_id).status is JobStatus.PENDING
