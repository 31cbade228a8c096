"""PurgeArchive, PurgeExpiredDlq, PruneMetricBuckets, RunMaintenance."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    FailureReason,
    InvalidParameterError,
    JobStatus,
    Pillar,
    PurgeResult,
    TransactionNotAllowedError,
)
from tests.contract.support import Database

NOW = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
TASKS = [
    "recovered",
    "buried",
    "retried",
    "rolled-up",
    "dropped-history",
    "pruned-buckets",
    "purged-archive",
    "purged-dlq",
]
# The lock of RunMaintenance, as the procedure names it.


def text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()


def archive(db: Database, age: timedelta, count: int = 1, prefix: str = "a") -> None:
    for number in range(count):
        db.sql(
            "INSERT INTO [chokaq].[JobsArchive] ([Id], [Queue], [Type], [Priority], [AttemptCount],"
            " [LeaseToken], [ScheduledAtUtc], [CreatedAtUtc], [FinishedAtUtc])"
            " VALUES (?, 'q', 't', 10, 1, 1, ?, ?, ?);",
            f"{prefix}{number:04}",
            *[text(NOW - age)] * 3,
        )


def bury(db: Database, age: timedelta, count: int = 1, prefix: str = "d") -> None:
    for number in range(count):
        db.sql(
            "INSERT INTO [chokaq].[JobsDLQ] ([Id], [Queue], [Type], [Priority], [AttemptCount], [LeaseToken],"
            " [ScheduledAtUtc], [CreatedAtUtc], [FailedAtUtc], [FailureReason])"
            " VALUES (?, 'q', 't', 10, 1, 1, ?, ?, ?, 6);",
            f"{prefix}{number:04}",
            *[text(NOW - age)] * 3,
        )


def bucket(db: Database, age: timedelta, count: int = 1) -> None:
    for number in range(count):
        db.sql(
            "INSERT INTO [chokaq].[MetricBuckets] ([BucketStartUtc], [Queue], [Outcome], [FailureReason],"
            " [Shard], [CompletedCount], [DurationCount], [TotalDurationMs], [WaitCount], [TotalWaitMs],"
            " [LastUpdatedUtc]) VALUES (?, 'q', 0, -1, ?, 1, 0, 0, 0, 0, ?);",
            text(NOW - age),
            number % 64,
            text(NOW),
        )


def left(db: Database, table: str) -> int:
    found = db.scalar(f"SELECT COUNT(*) AS [n] FROM [chokaq].[{table}];")
    assert isinstance(found, int)
    return found


DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
Purge = Callable[..., PurgeResult]


def test_the_archive_keeps_what_its_retention_says(db: Database) -> None:
    archive(db, 30 * DAY + SECOND, 3, "old")
    archive(db, 30 * DAY, 2, "edge")
    archive(db, DAY, 2, "new")
    assert db.queue.purge_archive(now=NOW) == PurgeResult(deleted=3, more_left=False)
    assert left(db, "JobsArchive") == 4
    assert db.queue.purge_archive(now=NOW).deleted == 0
    assert db.queue.purge_archive(now=NOW + SECOND).deleted == 2


def test_the_dlq_keeps_everything_until_it_is_told_otherwise(db: Database) -> None:
    bury(db, 4000 * DAY, 3, "old")
    bury(db, 9 * DAY, 2, "new")
    assert db.queue.purge_expired_dlq(now=NOW) == PurgeResult(deleted=0, more_left=False)
    db.queue.update_settings(dlq_retention_days=10)
    assert db.queue.purge_expired_dlq(now=NOW) == PurgeResult(deleted=3, more_left=False)
    assert left(db, "JobsDLQ") == 2


def test_an_archive_without_retention_is_kept(db: Database) -> None:
    archive(db, 4000 * DAY)
    db.queue.update_settings(archive_retention_days=-1)
    assert db.queue.purge_archive(now=NOW).deleted == 0


def test_buckets_older_than_their_retention_go(db: Database) -> None:
    bucket(db, timedelta(minutes=16), 5)
    bucket(db, timedelta(minutes=14), 4)
    assert db.queue.prune_metric_buckets(now=NOW) == PurgeResult(deleted=5, more_left=False)
    assert left(db, "MetricBuckets") == 4


@pytest.mark.parametrize(
    ("fill", "method", "table"),
    [
        (archive, "purge_archive", "JobsArchive"),
        (bury, "purge_expired_dlq", "JobsDLQ"),
        (bucket, "prune_metric_buckets", "MetricBuckets"),
    ],
)
def test_a_call_ends_and_says_that_more_is_left(
    db: Database, fill: Callable[..., None], method: str, table: str
) -> None:
    db.queue.update_settings(dlq_retention_days=10)
    fill(db, 400 * DAY, 25)
    purge: Purge = getattr(db.queue, method)
    assert purge(batch_size=4, max_batches=3, now=NOW) == PurgeResult(deleted=12, more_left=True)
    assert left(db, table) == 13
    assert purge(batch_size=4, max_batches=3, now=NOW) == PurgeResult(deleted=12, more_left=True)
    assert purge(batch_size=4, max_batches=3, now=NOW) == PurgeResult(deleted=1, more_left=False)
    for values in ({"batch_size": 0}, {"batch_size": 1001}, {"max_batches": 0}):
        with pytest.raises(InvalidParameterError):
            purge(**values)


def test_the_oldest_go_first(db: Database) -> None:
    archive(db, 50 * DAY, 2, "b")
    archive(db, 60 * DAY, 2, "z")
    archive(db, 40 * DAY, 2, "a")
    db.queue.purge_archive(batch_size=3, max_batches=1, now=NOW)
    rows = db.sql("SELECT [a].[Id] AS [Id] FROM [chokaq].[JobsArchive] AS [a] ORDER BY [a].[Id];")
    assert [row["Id"] for row in rows] == ["a0000", "a0001", "b0001"]


@pytest.mark.parametrize(
    "procedure",
    [
        "PurgeArchive",
        "PurgeExpiredDlq",
        "PruneMetricBuckets",
        "RunMaintenance",
        "RollupMetrics",
        "BackfillMetrics",
    ],
)
def test_a_transaction_of_the_caller_is_refused(db: Database, procedure: str) -> None:
    archive(db, 400 * DAY)
    window: dict[str, Any] = {"FromUtc": text(NOW), "ToUtc": text(NOW + DAY)}
    values: dict[str, Any] = window if procedure == "BackfillMetrics" else {"NowUtc": text(NOW)}
    connection = db.connect()
    try:
        db.sql("UPDATE [chokaq].[Settings] SET [RollupMaxRows] = 7;", connection=connection)
        with pytest.raises(TransactionNotAllowedError):
            db.execute(procedure, connection=connection, **values)
        connection.rollback()
    finally:
        connection.close()
    assert left(db, "JobsArchive") == 1


def test_purges_leave_the_counters_alone(db: Database) -> None:
    db.complete("w1", db.started())
    db.fail("w1", db.started(), FailureReason.FATAL_ERROR)
    db.queue.update_settings(dlq_retention_days=10, archive_retention_days=10)
    stats, history = db.queue.summary_stats("q"), left(db, "MetricSeries")
    later = datetime.now(timezone.utc) + 50 * DAY
    assert db.queue.purge_archive(now=later).deleted == 1
    assert db.queue.purge_expired_dlq(now=later).deleted == 1
    assert db.queue.prune_metric_buckets(now=later).deleted > 0
    assert db.queue.summary_stats("q") == stats
    assert left(db, "MetricSeries") == history


# RunMaintenance


def done(db: Database, **values: Any) -> dict[str, tuple[int, bool]]:
    tasks = db.queue.run_maintenance(**values)
    assert [task.task for task in tasks] == TASKS
    return {task.task: (task.rows_done, task.more_left) for task in tasks}


def test_nothing_to_do(db: Database) -> None:
    assert set(done(db).values()) == {(0, False)}


def test_everything_that_is_due(db: Database) -> None:
    db.queue.update_settings(dlq_retention_days=10)
    db.queue.set_queue_retry_policy(
        "again",
        max_attempts=3,
        retry_base_seconds=1,
        retry_multiplier=1,
        retry_max_seconds=1,
        retry_jitter_percent=0,
        create=True,
    )
    db.sql("UPDATE [chokaq].[Queues] SET [ZombieAction] = 1 WHERE [Name] = 'again';")
    claimed = db.fill("claimed", 2)
    db.claim("w1", 2, ["claimed"])
    zombie = db.started("bury")
    retried = db.started("again")
    db.age(1000, "HeartbeatUtc")
    archive(db, 31 * DAY, 3)
    bury(db, 11 * DAY, 2)
    bucket(db, DAY, 4)
    db.sql("DELETE FROM [chokaq].[MetricSeries];")
    for hour in (30, 29):
        db.sql(
            "INSERT INTO [chokaq].[MetricSeries] ([Resolution], [BucketStartUtc], [Measure], [Queue], [Type],"
            " [Outcome], [FailureReason], [Bin], [Shard], [SampleCount], [TotalMs])"
            " VALUES (300, ?, 0, 'q', 't', 0, -1, 1, 3, 1, 1);",
            text(NOW - timedelta(hours=hour)),
        )
    found = done(db, now=NOW)
    assert found == {
        "recovered": (2, False),
        "buried": (1, False),
        "retried": (1, False),
        "rolled-up": (2, False),
        "dropped-history": (0, False),
        "pruned-buckets": (4, False),
        "purged-archive": (3, False),
        "purged-dlq": (2, False),
    }
    assert {db.job(job_id).status for job_id in claimed} == {JobStatus.PENDING}
    assert db.job(zombie.job_id).pillar is Pillar.DLQ
    assert db.job(retried.job_id).status is JobStatus.PENDING


def test_batches_add_up_to_a_limit(db: Database) -> None:
    db.queue.update_settings(maintenance_batch_size=2)
    archive(db, 31 * DAY, 7)
    db.fill("q", 5)
    db.claim("w1", 5)
    db.age(1000, "HeartbeatUtc")
    first = done(db, max_batches=2, now=NOW)
    assert (first["recovered"], first["purged-archive"]) == ((4, True), (4, True))
    second = done(db, max_batches=2, now=NOW)
    assert (second["recovered"], second["purged-archive"]) == ((1, False), (3, False))
    for wrong in (0, 1001):
        with pytest.raises(InvalidParameterError):
            db.queue.run_maintenance(max_batches=wrong)


def test_one_run_at_a_time(db: Database) -> None:
    archive(db, 31 * DAY, 3)
    hold = "UPDATE [chokaq].[MaintenanceGate] SET [BusyUntilUtc] = DATEADD(SECOND, ?, SYSUTCDATETIME());"
    db.sql(hold, 60)
    for _ in range(6):
        (task,) = db.queue.run_maintenance(now=NOW)
        assert (task.task, task.rows_done, task.more_left) == ("busy", 0, False)
    assert left(db, "JobsArchive") == 3
    db.sql(hold, -1)  # as when the runner died and its time is over
    assert done(db, now=NOW)["purged-archive"] == (3, False)


def test_a_run_gives_its_lock_back(db: Database) -> None:
    first, second = db.connect(autocommit=True), db.connect(autocommit=True)
    try:
        for connection in (first, second, first):
            rows = db.execute("RunMaintenance", connection=connection, MaxBatches=1, NowUtc=text(NOW))
            assert [row["Task"] for row in rows] == TASKS
    finally:
        first.close()
        second.close()
