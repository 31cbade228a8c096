"""What goes into the procedures and what comes out: frozen dataclasses, enums, aware UTC datetimes.

``from_row`` reads a result row by position; the columns' names were compared with the declared ones before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from enum import Enum, IntEnum
from typing import Any, TypeVar

from .errors import ProtocolError

__all__ = [
    "Completion",
    "Enqueued",
    "FailOutcome",
    "Failure",
    "FailureReason",
    "FetchedJob",
    "Job",
    "JobStatus",
    "Lease",
    "LeaseOutcome",
    "NewJob",
    "Outcome",
    "Pillar",
    "QueueConfig",
    "QueueHealth",
    "QueueStats",
    "Settings",
    "SummaryStats",
    "SweepResult",
    "Throughput",
    "ZombieAction",
]

Row = Sequence[Any]
E = TypeVar("E", bound=Enum)


class _Text(str, Enum):
    """A str enum that prints as its value (enum.StrEnum is Python 3.11)."""

    def __str__(self) -> str:
        return str(self.value)


class JobStatus(IntEnum):
    """State of a job in the hot pillar."""

    PENDING = 0
    FETCHED = 1
    PROCESSING = 2


class FailureReason(IntEnum):
    """Why an execution failed, or why a job is in the dead-letter queue.

    A worker may report all but ZOMBIE and RETRY_LIFETIME_EXPIRED; the procedure decides what follows.
    """

    MAX_RETRIES_EXCEEDED = 0
    CANCELLED = 1
    ZOMBIE = 2
    CIRCUIT_BREAKER = 3
    REJECTED = 4
    THROTTLED = 5
    FATAL_ERROR = 6
    TIMEOUT = 7
    TRANSIENT = 8
    HEARTBEAT_FAILURE = 9
    RETRY_LIFETIME_EXPIRED = 10


class ZombieAction(IntEnum):
    """What becomes of a running job whose worker is gone."""

    TO_DLQ = 0  # the work may have had effects
    RETRY = 1  # while attempts remain


class Outcome(_Text):
    """What a procedure did with one row."""

    ENQUEUED = "enqueued"
    DUPLICATE = "duplicate"  # the idempotency key is active: the answer names the job that has it
    EXISTS = "exists"  # the id is known already, in whatever pillar
    PROCESSING = "processing"
    ALIVE = "alive"
    CANCEL_REQUESTED = "cancel-requested"
    RELEASED = "released"
    ARCHIVED = "archived"
    RETRY = "retry"
    DEAD = "dead"
    LOST = "lost"  # the lease is no longer the caller's; nothing changed
    CANCELLED = "cancelled"
    EDITED = "edited"
    RESURRECTED = "resurrected"
    PURGED = "purged"
    KEY_ACTIVE = "key-active"  # another active job has the idempotency key: the job stays in the DLQ
    NOT_PENDING = "not-pending"  # a worker has claimed it
    NOT_FOUND = "not-found"  # not where the call looks for it


class Pillar(_Text):
    """The table that holds a job."""

    HOT = "hot"
    ARCHIVE = "archive"
    DLQ = "dlq"


def _known(kind: type[E], value: object) -> E:
    try:
        return kind(value)
    except ValueError:
        raise ProtocolError(
            f"The database answered {value!r}, which is no {kind.__name__} this package knows."
        ) from None


def _utc(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=timezone.utc)


def _at(value: datetime) -> datetime:
    return value.replace(tzinfo=timezone.utc)


def _load(payload: str | None) -> Any:
    return None if payload is None else json.loads(payload)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewJob:
    """A job to enqueue.

    ``payload``: a str is stored as it is; None is stored as NULL; anything else is stored as its JSON text
    (``json.dumps``), which ``FetchedJob.json()`` and ``Job.json()`` read back. bytes are refused: encode them
    yourself. ``json()`` of a str payload parses it, so that str must be JSON text itself.

    ``scheduled_at``: aware datetime, or ``delay``: seconds or timedelta from now, by the database's
    clock. ``priority``: 0..100, higher first; None = the default. ``job_id``: None = a new UUIDv7.
    """

    queue: str
    type: str
    payload: object = None
    tags: str | None = None
    idempotency_key: str | None = None
    priority: int | None = None
    delay: float | timedelta | None = None
    scheduled_at: datetime | None = None
    max_attempts: int | None = None
    job_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Enqueued:
    """Answer to one enqueued row. ``ordinal``: its position in the input, from 0."""

    ordinal: int
    job_id: str
    outcome: Outcome

    @classmethod
    def from_row(cls, row: Row) -> Enqueued:
        return cls(ordinal=row[0], job_id=row[1], outcome=_known(Outcome, row[2]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """The right to report on a claimed job. It is only good together with the worker id that claimed."""

    job_id: str
    lease_token: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FetchedJob:
    """A claimed job. ``attempt_count``: executions so far; ``max_attempts``: the job's, else the queue's."""

    job_id: str
    queue: str
    type: str
    payload: str | None
    tags: str | None
    idempotency_key: str | None
    priority: int
    attempt_count: int
    max_attempts: int
    lease_token: int
    scheduled_at: datetime
    created_at: datetime
    created_by: str | None

    @property
    def lease(self) -> Lease:
        return Lease(job_id=self.job_id, lease_token=self.lease_token)

    def json(self) -> Any:
        """The payload parsed as JSON; None when there is none."""
        return _load(self.payload)

    @classmethod
    def from_row(cls, row: Row) -> FetchedJob:
        return cls(
            job_id=row[0],
            queue=row[1],
            type=row[2],
            payload=row[3],
            tags=row[4],
            idempotency_key=row[5],
            priority=row[6],
            attempt_count=row[7],
            max_attempts=row[8],
            lease_token=row[9],
            scheduled_at=_at(row[10]),
            created_at=_at(row[11]),
            created_by=row[12],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A success to report. ``duration_ms``: how long the execution took, None = not known."""

    lease: Lease
    duration_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A failure to report. ``error_group``: a short fingerprint for counting alike errors; ``retry_after``:
    at least so many seconds before a retry.
    """

    lease: Lease
    reason: FailureReason
    error: str | None = None
    error_group: str | None = None
    retry_after: float | timedelta | None = None
    duration_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaseOutcome:
    """Answer to one lease."""

    job_id: str
    outcome: Outcome

    @classmethod
    def from_row(cls, row: Row) -> LeaseOutcome:
        return cls(job_id=row[0], outcome=_known(Outcome, row[1]))


@dataclass(frozen=True, kw_only=True, slots=True)
class FailOutcome:
    """Answer to one failure. ``next_run_at``: when the job is due again; None unless the outcome is RETRY."""

    job_id: str
    outcome: Outcome
    next_run_at: datetime | None

    @classmethod
    def from_row(cls, row: Row) -> FailOutcome:
        return cls(job_id=row[0], outcome=_known(Outcome, row[1]), next_run_at=_utc(row[2]))


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepResult:
    """Jobs a sweep took from dead workers: given back unstarted, moved to the DLQ, set to run again."""

    recovered: int
    buried: int
    retried: int

    @classmethod
    def from_row(cls, row: Row) -> SweepResult:
        return cls(recovered=row[0], buried=row[1], retried=row[2])


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueConfig:
    """A queue's settings. None: the server's own setting, or no limit (``max_workers``,
    ``max_job_age_seconds``).
    """

    queue: str
    is_paused: bool
    is_active: bool
    max_workers: int | None
    zombie_timeout_seconds: int | None
    zombie_action: ZombieAction
    max_attempts: int
    retry_base_seconds: int
    retry_multiplier: float
    retry_max_seconds: int
    retry_jitter_percent: int
    max_job_age_seconds: int | None
    last_updated_at: datetime

    @classmethod
    def from_row(cls, row: Row) -> QueueConfig:
        return cls(
            queue=row[0],
            is_paused=bool(row[1]),
            is_active=bool(row[2]),
            max_workers=row[3],
            zombie_timeout_seconds=row[4],
            zombie_action=ZombieAction(row[5]),
            max_attempts=row[6],
            retry_base_seconds=row[7],
            retry_multiplier=float(row[8]),
            retry_max_seconds=row[9],
            retry_jitter_percent=row[10],
            max_job_age_seconds=row[11],
            last_updated_at=_at(row[12]),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Settings of the whole installation. None: kept for ever."""

    metric_shards: int
    fine_resolution_minutes: int
    fine_retention_hours: int
    hourly_retention_days: int
    daily_retention_days: int | None
    bucket_retention_minutes: int
    rollup_max_rows: int
    fetched_timeout_seconds: int
    zombie_timeout_seconds: int
    archive_retention_days: int | None
    dlq_retention_days: int | None
    maintenance_batch_size: int
    last_updated_at: datetime

    @classmethod
    def from_row(cls, row: Row) -> Settings:
        return cls(
            metric_shards=row[0],
            fine_resolution_minutes=row[1],
            fine_retention_hours=row[2],
            hourly_retention_days=row[3],
            daily_retention_days=row[4],
            bucket_retention_minutes=row[5],
            rollup_max_rows=row[6],
            fetched_timeout_seconds=row[7],
            zombie_timeout_seconds=row[8],
            archive_retention_days=row[9],
            dlq_retention_days=row[10],
            maintenance_batch_size=row[11],
            last_updated_at=_at(row[12]),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryStats:
    """A queue's lifetime counters; they never fall."""

    queue: str
    succeeded_total: int
    failed_total: int
    retried_total: int
    last_activity_at: datetime | None

    @classmethod
    def from_row(cls, row: Row) -> SummaryStats:
        return cls(
            queue=row[0],
            succeeded_total=row[1],
            failed_total=row[2],
            retried_total=row[3],
            last_activity_at=_utc(row[4]),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueStats:
    """Jobs of a queue by state. ``pending`` = ``due`` + ``scheduled`` (for later)."""

    queue: str
    pending: int
    due: int
    scheduled: int
    fetched: int
    processing: int

    @classmethod
    def from_row(cls, row: Row) -> QueueStats:
        return cls(
            queue=row[0], pending=row[1], due=row[2], scheduled=row[3], fetched=row[4], processing=row[5]
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueHealth:
    """``lag_seconds``: how long the oldest due job has waited past its time; 0 when nothing is due."""

    queue: str
    is_paused: bool
    is_active: bool
    max_workers: int | None
    fetched: int
    processing: int
    oldest_due_at: datetime | None
    lag_seconds: float
    oldest_heartbeat_at: datetime | None

    @classmethod
    def from_row(cls, row: Row) -> QueueHealth:
        return cls(
            queue=row[0],
            is_paused=bool(row[1]),
            is_active=bool(row[2]),
            max_workers=row[3],
            fetched=row[4],
            processing=row[5],
            oldest_due_at=_utc(row[6]),
            lag_seconds=float(row[7]),
            oldest_heartbeat_at=_utc(row[8]),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Throughput:
    """Processed = succeeded + failed. Rates 0..1; durations in ms over five minutes; None where nothing
    ran.
    """

    processed_last_minute: int
    failed_last_minute: int
    processed_last_five_minutes: int
    failed_last_five_minutes: int
    failure_rate_last_minute: float | None
    failure_rate_last_five_minutes: float | None
    average_duration_ms: float | None
    max_duration_ms: float | None

    @classmethod
    def from_row(cls, row: Row) -> Throughput:
        return cls(
            processed_last_minute=row[0],
            failed_last_minute=row[1],
            processed_last_five_minutes=row[2],
            failed_last_five_minutes=row[3],
            failure_rate_last_minute=row[4],
            failure_rate_last_five_minutes=row[5],
            average_duration_ms=row[6],
            max_duration_ms=row[7],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job in whatever pillar. ``status``: hot only; ``finished_at``: archive; ``failed_at``,
    ``failure_reason``, ``error_details``: DLQ; ``duration_ms``, ``wait_ms``: archive and DLQ.
    """

    pillar: Pillar
    job_id: str
    queue: str
    type: str
    payload: str | None
    tags: str | None
    idempotency_key: str | None
    priority: int
    status: JobStatus | None
    attempt_count: int
    max_attempts: int | None
    worker_id: str | None
    lease_token: int
    heartbeat_at: datetime | None
    cancel_requested_at: datetime | None
    scheduled_at: datetime
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    failed_at: datetime | None
    duration_ms: float | None
    wait_ms: float | None
    failure_reason: FailureReason | None
    error_details: str | None
    last_updated_at: datetime | None
    created_by: str | None
    last_modified_by: str | None

    def json(self) -> Any:
        """The payload parsed as JSON; None when there is none."""
        return _load(self.payload)

    @classmethod
    def from_row(cls, row: Row) -> Job:
        return cls(
            pillar=_known(Pillar, row[0]),
            job_id=row[1],
            queue=row[2],
            type=row[3],
            payload=row[4],
            tags=row[5],
            idempotency_key=row[6],
            priority=row[7],
            status=None if row[8] is None else _known(JobStatus, row[8]),
            attempt_count=row[9],
            max_attempts=row[10],
            worker_id=row[11],
            lease_token=row[12],
            heartbeat_at=_utc(row[13]),
            cancel_requested_at=_utc(row[14]),
            scheduled_at=_at(row[15]),
            created_at=_at(row[16]),
            started_at=_utc(row[17]),
            finished_at=_utc(row[18]),
            failed_at=_utc(row[19]),
            duration_ms=row[20],
            wait_ms=row[21],
            failure_reason=None if row[22] is None else _known(FailureReason, row[22]),
            error_details=row[23],
            last_updated_at=_utc(row[24]),
            created_by=row[25],
            last_modified_by=row[26],
        )
