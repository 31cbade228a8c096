"""StatsSummary, MetricBuckets, MetricSeries, GetSummaryStats and GetThroughput."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from chokaq import Completion, Failure, FailureReason, Lease, NewJob
from tests.contract.support import Database, Record
from tests.contract.support_invariants import check

R = FailureReason
GAMMA = 1.05 / 0.95
NO_VALUE, ZERO = -32768, -32767


def finish(
    db: Database,
    *durations: float | None,
    queue: str = "q",
    type_: str = "work",
    reason: FailureReason | None = None,
) -> list[Lease]:
    """Runs jobs that end after so many milliseconds: well, or for this reason."""
    db.queue.enqueue_many(NewJob(queue=queue, type=type_, max_attempts=5) for _ in durations)
    leases = [job.lease for job in db.start("w1", 1000, [queue])]
    assert len(leases) == len(durations)
    if reason is None:
        db.queue.complete(
            "w1",
            [Completion(lease=lease, duration_ms=ms) for lease, ms in zip(leases, durations, strict=True)],
        )
    else:
        db.queue.fail(
            "w1",
            [
                Failure(lease=lease, reason=reason, duration_ms=ms)
                for lease, ms in zip(leases, durations, strict=True)
            ],
        )
    return leases


def series(db: Database, measure: int) -> list[Record]:
    return db.sql(
        "SELECT [Queue], [Type], [Outcome], [FailureReason], [Bin], SUM([SampleCount]) AS [Samples],"
        " SUM([TotalMs]) AS [TotalMs], MAX([MaxMs]) AS [MaxMs] FROM [chokaq].[MetricSeries]"
        " WHERE [Measure] = ? GROUP BY [Queue], [Type], [Outcome], [FailureReason], [Bin]"
        " ORDER BY [Queue], [Type], [Outcome], [FailureReason], [Bin];",
        measure,
    )


def test_counters_agree_with_what_happened(db: Database) -> None:
    finish(db, 5, 6, 7)
    finish(db, 8, queue="other")
    finish(db, 1, 2, reason=R.FATAL_ERROR)
    finish(db, 3, reason=R.REJECTED, queue="other")
    finish(db, 4, 4, 4, reason=R.TRANSIENT)
    check(db, jobs=10)
    stats = {row.queue: row for row in db.queue.summary_stats()}
    assert [(name, s.succeeded_total, s.failed_total, s.retried_total) for name, s in stats.items()] == [
        ("other", 1, 1, 0),
        ("q", 3, 2, 3),
    ]
    assert db.queue.summary_stats("q") == [stats["q"]]
    assert db.queue.summary_stats("no such queue") == []


def test_a_queue_without_activity_has_zeros(db: Database) -> None:
    db.fill("q")
    (stats,) = db.queue.summary_stats()
    assert (stats.succeeded_total, stats.failed_total, stats.retried_total) == (0, 0, 0)
    assert stats.last_activity_at is None
    (lease,) = [job.lease for job in db.start()]
    db.complete("w1", lease)
    last = db.queue.summary_stats()[0].last_activity_at
    finished = db.job(lease.job_id).finished_at
    assert last is not None
    assert finished is not None
    assert timedelta(0) <= last - finished < timedelta(seconds=30)


def test_bins_are_at_most_five_percent_off(db: Database) -> None:
    durations = [0.001, 0.5, 1, 1.0001, 2, 9.99, 10, 123.456, 1000, 59_999, 3_600_000, 1e9]
    finish(db, *durations)
    rows = series(db, 0)
    for ms in durations:
        bin_ = math.ceil(math.log(ms) / math.log(GAMMA))
        (row,) = [row for row in rows if row["Bin"] == bin_]
        middle = 2 * GAMMA**bin_ / (GAMMA + 1)
        assert abs(middle - ms) <= 0.0500001 * ms
        assert row["MaxMs"] >= ms
    assert sum(row["Samples"] for row in rows) == len(durations)
    assert sum(row["TotalMs"] for row in rows) == pytest.approx(sum(durations))


def test_zero_has_a_bin_of_its_own(db: Database) -> None:
    finish(db, 0, 0)
    assert [(row["Bin"], row["Samples"], row["TotalMs"], row["MaxMs"]) for row in series(db, 0)] == [
        (ZERO, 2, 0, 0)
    ]


def test_series_tell_types_outcomes_and_reasons_apart(db: Database) -> None:
    finish(db, 10, 10, type_="a")
    finish(db, 10, type_="b")
    finish(db, 10, type_="b", reason=R.FATAL_ERROR)
    finish(db, 10, type_="b", reason=R.TIMEOUT)
    got = [(r["Type"], r["Outcome"], r["FailureReason"], r["Samples"]) for r in series(db, 0)]
    assert got == [("a", 0, -1, 2), ("b", 0, -1, 1), ("b", 1, 6, 1), ("b", 2, 7, 1)]


def test_failures_are_counted_by_error_group(db: Database) -> None:
    groups: list[dict[str, Any]] = [
        {"error_group": "given"},
        {"error_group": "given", "error": "not this"},
        {"error": "first line\nsecond"},
        {"error": "first line\r\nthird"},
        {},
        {"error": "\nempty first line"},
    ]
    db.fill("q", len(groups))
    jobs = db.start("w1", 100)
    db.queue.fail(
        "w1",
        [Failure(lease=j.lease, reason=R.FATAL_ERROR, **g) for j, g in zip(jobs, groups, strict=True)],
    )
    rows = series(db, 2)
    assert {row["Type"]: row["Samples"] for row in rows} == {
        "given": 2,
        "first line": 2,
        "(no error text)": 2,
    }
    assert {row["Bin"] for row in rows} == {NO_VALUE}


def test_an_error_group_that_the_column_cannot_hold_gets_a_number(db: Database) -> None:
    db.needs("exact-varchar")
    db.fill("q", 2)
    jobs = db.start("w1", 2)
    for job, group in zip(jobs, ("ошибка", "другая"), strict=True):
        db.fail("w1", job.lease, R.FATAL_ERROR, error_group=group)
    names = [row["Type"] for row in series(db, 2)]
    assert len(set(names)) == 2
    assert all(name.startswith("#") and "?" not in name for name in names)


def test_a_long_error_group_is_refused_and_a_long_first_line_is_cut(db: Database) -> None:
    lease = db.started()
    db.fail("w1", lease, R.FATAL_ERROR, error="x" * 1000)
    assert [row["Type"] for row in series(db, 2)] == ["x" * 255]


def test_waits(db: Database) -> None:
    db.fill("q", 2)
    late, early = db.claim("w1", 2)
    db.age(100, "ScheduledAtUtc", job_id=late.job_id)
    db.age(-100, "ScheduledAtUtc", job_id=early.job_id)  # due after its start: a clock was set back
    db.queue.mark_processing("w1", [late.lease, early.lease])
    db.complete("w1", late.lease, early.lease)
    assert 100_000 <= (db.job(late.job_id).wait_ms or 0) < 130_000
    assert db.job(early.job_id).wait_ms == 0
    rows = db.sql(
        "SELECT SUM([WaitCount]) AS [n], SUM([TotalWaitMs]) AS [t], MAX([MaxWaitMs]) AS [m]"
        " FROM [chokaq].[MetricBuckets];"
    )
    assert rows[0]["n"] == 2
    assert 100_000 <= rows[0]["t"] == rows[0]["m"] < 130_000
    assert ZERO in {row["Bin"] for row in series(db, 1)}


def test_the_fine_tier_has_the_width_of_the_setting(db: Database) -> None:
    db.queue.update_settings(fine_resolution_minutes=15)
    finish(db, 1)
    rows = db.sql("SELECT DISTINCT [Resolution], [BucketStartUtc] FROM [chokaq].[MetricSeries];")
    assert [row["Resolution"] for row in rows] == [900]
    start = rows[0]["BucketStartUtc"]
    assert (start.minute % 15, start.second) == (0, 0)


def test_one_shard_when_the_setting_says_so(db: Database) -> None:
    db.queue.update_settings(metric_shards=1)
    finish(db, 1, 2)
    finish(db, 3, reason=R.FATAL_ERROR)
    for table in ("StatsSummary", "MetricBuckets", "MetricSeries"):
        assert db.scalar(f"SELECT MAX([Shard]) AS [s] FROM [chokaq].[{table}];") == 0, table
    check(db, jobs=3)


def test_readers_sum_over_shards(db: Database) -> None:
    finish(db, 1, 2)
    db.sql("UPDATE [chokaq].[StatsSummary] SET [Shard] = 63;")
    db.sql("UPDATE [chokaq].[MetricBuckets] SET [Shard] = 63;")
    finish(db, 3)
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[StatsSummary];") == 2
    assert db.queue.summary_stats("q")[0].succeeded_total == 3
    assert db.queue.throughput().processed_last_minute == 3


# Throughput


def test_nothing_was_processed(db: Database) -> None:
    db.fill("q")
    found = db.queue.throughput()
    assert (found.processed_last_minute, found.processed_last_five_minutes) == (0, 0)
    assert (found.failed_last_minute, found.failed_last_five_minutes) == (0, 0)
    assert (found.failure_rate_last_minute, found.failure_rate_last_five_minutes) == (0, 0)
    assert (found.average_duration_ms, found.max_duration_ms) == (None, None)


def test_windows_of_one_and_five_minutes(db: Database) -> None:
    def earlier(seconds: int) -> None:
        db.sql(
            "UPDATE [chokaq].[MetricBuckets]"
            f" SET [BucketStartUtc] = DATEADD(SECOND, -{seconds}, [BucketStartUtc]);"
        )

    finish(db, 1000)
    earlier(250)  # then 400 s ago
    finish(db, 10, 20)
    finish(db, 30, reason=R.FATAL_ERROR)
    earlier(150)  # 150 s ago
    finish(db, 100)
    finish(db, 60, queue="other")
    finish(db, 1, 1, reason=R.TRANSIENT)
    every = db.queue.throughput()
    assert (every.processed_last_minute, every.failed_last_minute) == (2, 0)
    assert (every.processed_last_five_minutes, every.failed_last_five_minutes) == (5, 1)
    assert every.failure_rate_last_minute == 0
    assert every.failure_rate_last_five_minutes == pytest.approx(0.2)
    assert every.average_duration_ms == pytest.approx(44)
    assert every.max_duration_ms == 100
    one = db.queue.throughput("q")
    assert (one.processed_last_minute, one.processed_last_five_minutes) == (1, 4)
    assert one.failure_rate_last_five_minutes == pytest.approx(0.25)
    assert db.queue.throughput("no such queue").processed_last_five_minutes == 0


def test_purges_do_not_change_what_was_counted(db: Database) -> None:
    finish(db, 1, 2)
    finish(db, 3, reason=R.FATAL_ERROR)
    before = (db.queue.summary_stats(), db.queue.throughput())
    db.sql("DELETE FROM [chokaq].[JobsArchive]; DELETE FROM [chokaq].[JobsDLQ];")
    assert (db.queue.summary_stats(), db.queue.throughput()) == before


def test_buckets_are_whole_seconds_of_now(db: Database) -> None:
    finish(db, 1)
    row = db.sql("SELECT [BucketStartUtc] AS [b], SYSUTCDATETIME() AS [n] FROM [chokaq].[MetricBuckets];")[0]
    assert row["b"].microsecond == 0
    assert timedelta(0) <= row["n"] - row["b"] < timedelta(minutes=1)
