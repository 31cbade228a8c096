"""What counting costs: the rows that one finalize writes beside the jobs (docs/metrics.md)."""

from __future__ import annotations

import pytest

from chokaq import Completion, Failure, FailureReason, Lease
from tests.contract.support import Database

_TABLES = {
    "MetricShards": "[Shard], [Passes]",
    "StatsSummary": "[Queue], [Shard], [SucceededTotal], [FailedTotal]",
    "MetricBuckets": "[BucketStartUtc], [Queue], [Outcome], [FailureReason], [Shard], [CompletedCount]",
    "MetricSeries": "[Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason],"
    " [Bin], [Shard], [SampleCount]",
}


def rows_of(db: Database) -> dict[str, set[tuple[object, ...]]]:
    return {
        table: {tuple(row.values()) for row in db.sql(f"SELECT {columns} FROM [chokaq].[{table}];")}
        for table, columns in _TABLES.items()
    }


def written(db: Database, leases: list[Lease], *, failed: bool) -> dict[str, int]:
    """Rows of each table that are new or changed after all have ended in one call, in 20 ms each."""
    before = rows_of(db)
    if failed:
        reason = FailureReason.FATAL_ERROR
        db.queue.fail("w1", [Failure(lease=each, reason=reason, duration_ms=20.0) for each in leases])
    else:
        db.queue.complete("w1", [Completion(lease=each, duration_ms=20.0) for each in leases])
    after = rows_of(db)
    return {table: len(after[table] - before[table]) for table in _TABLES}


@pytest.mark.parametrize(("failed", "series"), [(False, 2), (True, 3)], ids=["success", "failure"])
def test_one_job(db: Database, failed: bool, series: int) -> None:
    for _ in range(2):  # new rows, then rows that are there
        found = written(db, [db.started("q")], failed=failed)
        assert found == {"MetricShards": 1, "StatsSummary": 1, "MetricBuckets": 1, "MetricSeries": series}


def test_a_batch_writes_the_rows_of_one_job_and_one_for_each_bin_of_the_wait(db: Database) -> None:
    db.fill("q", 100)
    found = written(db, [job.lease for job in db.start("w1", 100)], failed=False)
    waits = db.scalar("SELECT COUNT(*) FROM [chokaq].[MetricSeries] WHERE [Measure] = 1;")
    assert found == {"MetricShards": 1, "StatsSummary": 1, "MetricBuckets": 1, "MetricSeries": 1 + waits}
    assert sum(found.values()) < 40
