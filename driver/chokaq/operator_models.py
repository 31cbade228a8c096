"""What operators give to the procedures and get from them: filters, edits, pages of jobs, counts.

``from_row`` reads a result row by position; the columns' names were compared with the declared ones before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .models import FailureReason, JobStatus, Outcome, _at, _known, _utc

__all__ = [
    "ActiveJob",
    "ArchivedJob",
    "DeadJob",
    "DlqFilter",
    "DlqMatch",
    "DlqPreview",
    "JobOutcome",
    "MaintenanceTask",
    "PurgeResult",
    "Resurrection",
]

Row = Sequence[Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobOutcome:
    """What an operator's call did with one job."""

    job_id: str
    outcome: Outcome

    @classmethod
    def from_row(cls, row: Row) -> JobOutcome:
        return cls(job_id=row[0], outcome=_known(Outcome, row[1]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Resurrection:
    """A dead job that shall be pending again. None: as it was. ``payload``: as in ``NewJob``; ``delay``:
    seconds or a timedelta from now, rounded up to whole seconds.
    """

    job_id: str
    payload: object = None
    tags: str | None = None
    priority: int | None = None
    delay: float | timedelta | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DlqFilter:
    """Which dead jobs are meant: all parts that are not None must match. Ranges are from (inclusive) to
    (exclusive), aware datetimes. ``tag``: the tags contain it; ``text``: the error details contain it.
    """

    queue: str | None = None
    type: str | None = None
    failure_reason: FailureReason | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    failed_from: datetime | None = None
    failed_to: datetime | None = None
    tag: str | None = None
    text: str | None = None

    def values(self) -> tuple[Any, ...]:
        """The parameters that the three procedures with this filter share, in their order."""
        reason = self.failure_reason
        return (
            self.queue,
            self.type,
            None if reason is None else int(FailureReason(reason)),
            self.created_from,
            self.created_to,
            self.failed_from,
            self.failed_to,
            self.tag,
            self.text,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DlqMatch:
    """A dead job that a filter matches. ``error_details``: its first 400 characters."""

    job_id: str
    queue: str
    type: str
    failure_reason: FailureReason
    failed_at: datetime
    created_at: datetime
    attempt_count: int
    tags: str | None
    error_details: str | None

    @classmethod
    def from_row(cls, row: Row) -> DlqMatch:
        return cls(
            job_id=row[1],
            queue=row[2],
            type=row[3],
            failure_reason=_known(FailureReason, row[4]),
            failed_at=_at(row[5]),
            created_at=_at(row[6]),
            attempt_count=row[7],
            tags=row[8],
            error_details=row[9],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DlqPreview:
    """How many jobs a filter matches, and the first of them, in the order in which an action takes them."""

    match_count: int
    sample: tuple[DlqMatch, ...]

    @classmethod
    def from_rows(cls, rows: Sequence[Row]) -> DlqPreview:
        return cls(
            match_count=rows[0][0] if rows else 0, sample=tuple(DlqMatch.from_row(row) for row in rows)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveJob:
    """A row of the list of active jobs."""

    job_id: str
    queue: str
    type: str
    status: JobStatus
    priority: int
    attempt_count: int
    worker_id: str | None
    lease_token: int
    scheduled_at: datetime
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    cancel_requested_at: datetime | None
    tags: str | None
    idempotency_key: str | None

    @property
    def place(self) -> tuple[datetime, str]:
        """Where it stands in the list; the next page begins after it."""
        return self.created_at, self.job_id

    @classmethod
    def from_row(cls, row: Row) -> ActiveJob:
        return cls(
            job_id=row[0],
            queue=row[1],
            type=row[2],
            status=_known(JobStatus, row[3]),
            priority=row[4],
            attempt_count=row[5],
            worker_id=row[6],
            lease_token=row[7],
            scheduled_at=_at(row[8]),
            created_at=_at(row[9]),
            started_at=_utc(row[10]),
            heartbeat_at=_utc(row[11]),
            cancel_requested_at=_utc(row[12]),
            tags=row[13],
            idempotency_key=row[14],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchivedJob:
    """A row of the list of succeeded jobs."""

    job_id: str
    queue: str
    type: str
    priority: int
    attempt_count: int
    worker_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime
    duration_ms: float | None
    wait_ms: float | None
    tags: str | None
    idempotency_key: str | None

    @property
    def place(self) -> tuple[datetime, str]:
        """Where it stands in the list; the next page begins after it."""
        return self.finished_at, self.job_id

    @classmethod
    def from_row(cls, row: Row) -> ArchivedJob:
        return cls(
            job_id=row[0],
            queue=row[1],
            type=row[2],
            priority=row[3],
            attempt_count=row[4],
            worker_id=row[5],
            created_at=_at(row[6]),
            started_at=_utc(row[7]),
            finished_at=_at(row[8]),
            duration_ms=row[9],
            wait_ms=row[10],
            tags=row[11],
            idempotency_key=row[12],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadJob:
    """A row of the list of dead jobs. ``error_details``: its first 400 characters."""

    job_id: str
    queue: str
    type: str
    failure_reason: FailureReason
    priority: int
    attempt_count: int
    worker_id: str | None
    created_at: datetime
    started_at: datetime | None
    failed_at: datetime
    duration_ms: float | None
    tags: str | None
    idempotency_key: str | None
    error_details: str | None

    @property
    def place(self) -> tuple[datetime, str]:
        """Where it stands in the list; the next page begins after it."""
        return self.failed_at, self.job_id

    @classmethod
    def from_row(cls, row: Row) -> DeadJob:
        return cls(
            job_id=row[0],
            queue=row[1],
            type=row[2],
            failure_reason=_known(FailureReason, row[3]),
            priority=row[4],
            attempt_count=row[5],
            worker_id=row[6],
            created_at=_at(row[7]),
            started_at=_utc(row[8]),
            failed_at=_at(row[9]),
            duration_ms=row[10],
            tags=row[11],
            idempotency_key=row[12],
            error_details=row[13],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeResult:
    """``more_left``: the call ended at its limit of batches; call again."""

    deleted: int
    more_left: bool

    @classmethod
    def from_row(cls, row: Row) -> PurgeResult:
        return cls(deleted=row[0], more_left=bool(row[1]))


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceTask:
    """What a maintenance run did for one task: recovered, buried, retried, rolled-up, dropped-history,
    pruned-buckets, purged-archive, purged-dlq; or the single task busy, when another run is at work.
    """

    task: str
    rows_done: int
    more_left: bool

    @classmethod
    def from_row(cls, row: Row) -> MaintenanceTask:
        return cls(task=row[0], rows_done=row[1], more_left=bool(row[2]))
