"""ListActiveJobs, ListArchive, ListDlq: filters, order, and pages that stay whole while rows come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    ActiveJob,
    ArchivedJob,
    DeadJob,
    FailureReason,
    InvalidParameterError,
    JobStatus,
    every_row,
)
from tests.contract.support import Database, Record

DAY = datetime(2026, 3, 4, tzinfo=timezone.utc)


@dataclass(frozen=True)
class List:
    """One of the three lists: its table, the column of its order, the method that pages through it."""

    table: str
    moment: str
    method: str
    required: Record

    def page(self, db: Database) -> Callable[..., list[Any]]:
        found: Callable[..., list[Any]] = getattr(db.queue, self.method)
        return found

    def add(self, db: Database, job_id: str, at: datetime | str = DAY, **values: Any) -> None:
        row: Record = {
            "Id": job_id,
            "Queue": "q",
            "Type": "t",
            "Priority": 10,
            "AttemptCount": 0,
            "LeaseToken": 0,
            "ScheduledAtUtc": DAY,
            "CreatedAtUtc": DAY,
            **self.required,
            self.moment: at,
            **values,
        }
        texts = [v.replace(tzinfo=None).isoformat() if isinstance(v, datetime) else v for v in row.values()]
        names = ", ".join(f"[{name}]" for name in row)
        marks = ", ".join("?" for _ in row)
        db.sql(f"INSERT INTO [chokaq].[{self.table}] ({names}) VALUES ({marks});", *texts)

    def remove(self, db: Database, job_id: str) -> None:
        db.sql(f"DELETE FROM [chokaq].[{self.table}] WHERE [Id] = ?;", job_id)


ACTIVE = List("JobsHot", "CreatedAtUtc", "list_active", {"Status": 0, "LastUpdatedUtc": DAY})
ARCHIVE = List("JobsArchive", "FinishedAtUtc", "list_archive", {})
DEAD = List("JobsDLQ", "FailedAtUtc", "list_dlq", {"FailureReason": 6})
LISTS = pytest.mark.parametrize("jobs", [ACTIVE, ARCHIVE, DEAD], ids=lambda jobs: jobs.table)


def ids(rows: Iterator[Any] | list[Any]) -> list[str]:
    return [row.job_id for row in rows]


@LISTS
def test_an_empty_list(db: Database, jobs: List) -> None:
    assert jobs.page(db)() == []
    assert list(every_row(jobs.page(db))) == []


@LISTS
def test_newest_first_and_by_id_where_moments_are_equal(db: Database, jobs: List) -> None:
    for job_id, minute in (("b", 1), ("a", 1), ("d", 0), ("c", 2), ("e", 1)):
        jobs.add(db, job_id, DAY + timedelta(minutes=minute))
    assert ids(jobs.page(db)()) == ["c", "e", "b", "a", "d"]


@LISTS
@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 1000])
def test_pages_hold_every_row_once(db: Database, jobs: List, page_size: int) -> None:
    # Groups of equal moments, larger than most pages, as one call of many rows makes them.
    for number in range(14):
        jobs.add(db, f"j{number:02}", DAY + timedelta(seconds=number // 5))
    found = ids(every_row(jobs.page(db), page_size=page_size))
    assert found == [f"j{number:02}" for number in reversed(range(14))]


@LISTS
def test_pages_hold_every_row_once_while_rows_come_and_go(db: Database, jobs: List) -> None:
    for number in range(20):
        jobs.add(db, f"j{number:02}", DAY + timedelta(seconds=number // 4))
    gone = {"j19", "j13", "j12", "j05"}
    found: list[str] = []
    for step, row in enumerate(every_row(jobs.page(db), page_size=3)):
        found.append(row.job_id)
        if step % 3 == 2:
            jobs.add(db, f"new{step}", DAY + timedelta(minutes=1))
            jobs.add(db, f"k{step}", DAY + timedelta(seconds=4, microseconds=500_000))
        if step == 8:
            for job_id in gone:
                jobs.remove(db, job_id)
    assert len(found) == len(set(found))
    assert {f"j{number:02}" for number in range(20)} - gone <= set(found)
    assert not [job_id for job_id in found if job_id.startswith("new")]


@LISTS
def test_pages_hold_every_row_once_where_moments_differ_in_the_seventh_digit(
    db: Database, jobs: List
) -> None:
    """A client's clock value has microseconds; the column has a digit more."""
    db.needs("seven-digits")
    for number in range(12):
        jobs.add(db, f"j{number:02}", f"2026-03-04T05:06:07.123456{number // 2}")
    found = ids(every_row(jobs.page(db), page_size=3))
    assert found == [f"j{number:02}" for number in reversed(range(12))]


@LISTS
def test_page_sizes(db: Database, jobs: List) -> None:
    for number in range(5):
        jobs.add(db, f"j{number}")
    assert len(jobs.page(db)(page_size=1)) == 1
    assert len(jobs.page(db)(page_size=1000)) == 5
    for wrong in (0, -1, 1001):
        with pytest.raises(InvalidParameterError):
            jobs.page(db)(page_size=wrong)


@LISTS
def test_filters_by_queue_and_type(db: Database, jobs: List) -> None:
    jobs.add(db, "a", Queue="mail", Type="send")
    jobs.add(db, "b", Queue="mail", Type="read")
    jobs.add(db, "c", Queue="web", Type="send")
    page = jobs.page(db)
    assert ids(page(queue="mail")) == ["b", "a"]
    assert ids(page(queue="MAIL ")) == ["b", "a"]
    assert ids(page(type="send")) == ["c", "a"]
    assert ids(page(queue="mail", type="send")) == ["a"]
    assert ids(page(queue="mai")) == []
    assert ids(every_row(page, page_size=1, queue="mail")) == ["b", "a"]


@pytest.mark.parametrize("jobs", [ARCHIVE, DEAD], ids=lambda jobs: jobs.table)
def test_filters_by_tag_and_moment(db: Database, jobs: List) -> None:
    jobs.add(db, "a", DAY, Tags="red,50%_[x]")
    jobs.add(db, "b", DAY + timedelta(hours=1), Tags="blue")
    jobs.add(db, "c", DAY + timedelta(hours=2))
    page = jobs.page(db)
    assert ids(page(tag="RED")) == ["a"]
    for literal in ("50%", "%_[", "_[x]"):
        assert ids(page(tag=literal)) == ["a"]
    for pattern in ("r_d", "r%d", "[r]ed", "b[l]ue"):
        assert ids(page(tag=pattern)) == []
    since = "finished_from" if jobs is ARCHIVE else "failed_from"
    assert ids(page(**{since: DAY + timedelta(hours=1)})) == ["c", "b"]
    assert ids(page(**{since: DAY + timedelta(hours=1), "tag": "blue"})) == ["b"]


def test_active_jobs_by_status(db: Database) -> None:
    db.fill("q", 3)
    claimed, running = db.claim("w1", 2)
    db.queue.mark_processing("w1", running.lease)
    db.queue.cancel(running.job_id)
    for status, expected in (
        (JobStatus.FETCHED, [claimed.job_id]),
        (JobStatus.PROCESSING, [running.job_id]),
    ):
        assert ids(db.queue.list_active(status=status)) == expected
    assert len(db.queue.list_active(status=JobStatus.PENDING)) == 1
    (row,) = db.queue.list_active(status=JobStatus.PROCESSING)
    job = db.job(running.job_id)
    assert row == ActiveJob(
        job_id=job.job_id,
        queue=job.queue,
        type=job.type,
        status=JobStatus.PROCESSING,
        priority=job.priority,
        attempt_count=1,
        worker_id="w1",
        lease_token=job.lease_token,
        scheduled_at=job.scheduled_at,
        created_at=job.created_at,
        started_at=job.started_at,
        heartbeat_at=job.heartbeat_at,
        cancel_requested_at=job.cancel_requested_at,
        tags=None,
        idempotency_key=None,
    )
    assert row.cancel_requested_at is not None


def test_a_row_of_the_archive(db: Database) -> None:
    lease = db.started(tags="red", idempotency_key="k", priority=7)
    db.complete("w1", lease)
    job = db.job(lease.job_id)
    assert job.finished_at is not None
    assert db.queue.list_archive() == [
        ArchivedJob(
            job_id=job.job_id,
            queue="q",
            type="work",
            priority=7,
            attempt_count=1,
            worker_id="w1",
            created_at=job.created_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
            duration_ms=job.duration_ms,
            wait_ms=job.wait_ms,
            tags="red",
            idempotency_key="k",
        )
    ]


def test_a_row_of_the_dlq(db: Database) -> None:
    lease = db.started(tags="red", idempotency_key="k", priority=7)
    db.fail("w1", lease, FailureReason.FATAL_ERROR, error="x" * 1000)
    job = db.job(lease.job_id)
    assert job.failed_at is not None
    assert db.queue.list_dlq() == [
        DeadJob(
            job_id=job.job_id,
            queue="q",
            type="work",
            failure_reason=FailureReason.FATAL_ERROR,
            priority=7,
            attempt_count=1,
            worker_id="w1",
            created_at=job.created_at,
            started_at=job.started_at,
            failed_at=job.failed_at,
            duration_ms=job.duration_ms,
            tags="red",
            idempotency_key="k",
            error_details="x" * 400,
        )
    ]


def test_dead_jobs_by_reason_and_text(db: Database) -> None:
    DEAD.add(db, "a", FailureReason=7, ErrorDetails="Disk full [50%_x]")
    DEAD.add(db, "b", FailureReason=6, ErrorDetails="disk gone")
    DEAD.add(db, "c", FailureReason=0)
    page = db.queue.list_dlq
    assert ids(page(failure_reason=FailureReason.TIMEOUT)) == ["a"]
    assert ids(page(failure_reason=FailureReason.MAX_RETRIES_EXCEEDED)) == ["c"]
    assert ids(page(text="DISK")) == ["b", "a"]
    assert ids(page(text="[50%_x]")) == ["a"]
    assert ids(page(text="d%k")) == []
    assert ids(page(text="disk", failure_reason=FailureReason.FATAL_ERROR)) == ["b"]
