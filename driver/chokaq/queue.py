"""``JobQueue``: one method for each procedure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from .calls import Caller, RetryPolicy, Row
from .connection import Connector, Source
from .errors import ProtocolError, RowError
from .metric_models import (
    BackfillResult,
    BurnRate,
    ErrorPoint,
    LatencyPercentiles,
    MetricPoint,
    RollupResult,
    Sample,
    SampleResult,
    TopError,
)
from .models import (
    Completion,
    Enqueued,
    FailOutcome,
    Failure,
    FailureReason,
    FetchedJob,
    Job,
    JobStatus,
    Lease,
    LeaseOutcome,
    NewJob,
    QueueConfig,
    QueueHealth,
    QueueStats,
    Settings,
    SummaryStats,
    SweepResult,
    Throughput,
    ZombieAction,
)
from .operator_models import (
    ActiveJob,
    ArchivedJob,
    DeadJob,
    DlqFilter,
    DlqPreview,
    JobOutcome,
    MaintenanceTask,
    PurgeResult,
    Resurrection,
)
from .payloads import (
    batches,
    completion_row,
    failure_row,
    id_row,
    lease_row,
    new_job_row,
    payload_text,
    resurrection_row,
    sample_row,
)
from .schema_version import check_version

if TYPE_CHECKING:
    # In the standard library from Python 3.11 on; only the type checker needs it.
    from typing_extensions import Self

__all__ = ["JobQueue", "connect"]

Q = TypeVar("Q", bound="JobQueue")
A = TypeVar("A", LeaseOutcome, FailOutcome, JobOutcome)


def connect(source: Source, schema: str = "chokaq", *, check: bool = True) -> JobQueue:
    """Opens a queue.

    ``source``: ``embedded:///path/file.db``, ``embedded://`` (in memory),
    ``mssql://user:password@host:1433/database?encrypt=yes&trust_server_certificate=no``, an ODBC connection
    string, an open DB-API connection (used as it is: never committed, closed or repeated on), or a callable
    that returns a new connection (which the queue then owns, and sets to autocommit). ``schema``: where
    chokaq is deployed. With ``check`` a first connection is made at once and the versions of database and
    package are compared.

    Raises UnknownEngineError, InvalidUrlError, DriverMissingError, ConnectionFailedError, NotDeployedError,
    DatabaseOlderError, DatabaseNewerError.
    """
    queue = JobQueue(source, schema)
    if check:
        try:
            queue.check_version()
        except BaseException:
            queue.close()
            raise
    return queue


class JobQueue:
    """A job queue in a database. Threads may share it; each has its own connection.

    Methods that change something take ``connection=``: an open DB-API connection, whose transaction they then
    join. Nothing is committed, rolled back or repeated there. Input of any length is sent in calls of at most
    1,000 rows; without ``connection=`` each such call is a transaction of its own, so the earlier ones stand
    when a later one fails. All errors of the database are ``DatabaseError``; a refused row (``RowError``)
    names its place in the caller's input as ``index``.
    """

    def __init__(self, source: Source, schema: str = "chokaq", *, retry: RetryPolicy | None = None) -> None:
        self._connector = source if isinstance(source, Connector) else Connector(source)
        self._caller = Caller(self._connector, schema, retry=retry)

    def __repr__(self) -> str:
        return f"<JobQueue [{self.schema}] in {self._connector.describe()}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def schema(self) -> str:
        """The schema that holds the procedures."""
        return self._caller.schema

    @property
    def owns_connections(self) -> bool:
        """False when it was made from an open connection."""
        return self._connector.owned

    def close(self) -> None:
        """Closes the connections that the queue opened. No other thread may be in a call. Repeatable."""
        self._connector.close()

    def check_version(self) -> int:
        """The database's schema version. Raises NotDeployedError, DatabaseOlderError, DatabaseNewerError."""
        return check_version(self._caller)

    # Producers

    def enqueue(
        self,
        queue: str,
        type: str,  # noqa: A002 - the procedure calls it so
        payload: object = None,
        *,
        tags: str | None = None,
        idempotency_key: str | None = None,
        priority: int | None = None,
        delay: float | timedelta | None = None,
        scheduled_at: datetime | None = None,
        max_attempts: int | None = None,
        job_id: str | None = None,
        created_by: str | None = None,
        connection: Any = None,
    ) -> Enqueued:
        """Enqueues one job; for the values see ``NewJob``.

        The outcome is ENQUEUED, DUPLICATE (an active job has the idempotency key; its id is the answer) or
        EXISTS.
        """
        job = NewJob(
            queue=queue,
            type=type,
            payload=payload,
            tags=tags,
            idempotency_key=idempotency_key,
            priority=priority,
            delay=delay,
            scheduled_at=scheduled_at,
            max_attempts=max_attempts,
            job_id=job_id,
        )
        return self.enqueue_many([job], created_by=created_by, connection=connection)[0]

    def enqueue_many(
        self, jobs: Iterable[NewJob], *, created_by: str | None = None, connection: Any = None
    ) -> list[Enqueued]:
        """Enqueues jobs; answers in the order of the input. ``jobs`` is read as it is sent, and may be a
        generator.
        """
        done: list[Enqueued] = []
        for rows in self._in_batches(
            "EnqueueJobs", map(new_job_row, jobs), (created_by,), connection, first=True
        ):
            start = len(done)
            answers = sorted((Enqueued.from_row(row) for row in rows), key=lambda answer: answer.ordinal)
            done += [
                Enqueued(ordinal=start + answer.ordinal, job_id=answer.job_id, outcome=answer.outcome)
                for answer in answers
            ]
        return done

    # Workers

    def fetch(
        self,
        worker_id: str,
        limit: int = 1,
        queues: Iterable[str] | None = None,
        *,
        connection: Any = None,
    ) -> list[FetchedJob]:
        """Claims up to ``limit`` due jobs, in claim order; from all queues, or from those named.

        Never repeated after a lost connection: a claim whose answer was lost is taken back by
        ``sweep_zombies``.
        """
        names = None if queues is None else json.dumps(_names(queues), ensure_ascii=False)
        rows = self._caller.call("FetchNextBatch", worker_id, limit, names, connection=connection)
        return [FetchedJob.from_row(row) for row in rows]

    def mark_processing(
        self, worker_id: str, leases: Lease | Iterable[Lease], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        """Starts claimed jobs: PROCESSING or LOST for each, in the order of the input."""
        return self._leases("MarkAsProcessing", worker_id, leases, connection)

    def keep_alive(
        self, worker_id: str, leases: Lease | Iterable[Lease], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        """Heartbeat of claimed and running jobs: ALIVE, CANCEL_REQUESTED or LOST for each."""
        return self._leases("KeepAlive", worker_id, leases, connection)

    def release(
        self, worker_id: str, leases: Lease | Iterable[Lease], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        """Gives claimed jobs back that were never started: RELEASED or LOST for each."""
        return self._leases("ReleaseJobs", worker_id, leases, connection)

    def complete(
        self, worker_id: str, completions: Completion | Iterable[Completion], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        """Reports successes: ARCHIVED or LOST for each."""
        items = [completions] if isinstance(completions, Completion) else completions
        rows = map(completion_row, items)
        return self._ordered("CompleteJobs", (worker_id,), rows, LeaseOutcome.from_row, connection)

    def fail(
        self, worker_id: str, failures: Failure | Iterable[Failure], *, connection: Any = None
    ) -> list[FailOutcome]:
        """Reports failures; the procedure decides: RETRY (with the next time), DEAD or LOST for each."""
        items = [failures] if isinstance(failures, Failure) else failures
        rows = map(failure_row, items)
        return self._ordered("FailJobs", (worker_id,), rows, FailOutcome.from_row, connection)

    def sweep_zombies(self, batch_size: int = 1000) -> SweepResult:
        """Takes jobs from workers that are gone. Commits on its own."""
        return SweepResult.from_row(self._one("SweepZombies", batch_size))

    # Operators

    def set_queue_paused(
        self, queue: str, is_paused: bool = True, *, create: bool = False, connection: Any = None
    ) -> QueueConfig:
        """Pauses or resumes a queue. ``create``: make the queue when it is not there, else
        QueueNotFoundError.
        """
        return QueueConfig.from_row(
            self._one("SetQueuePaused", queue, is_paused, create, connection=connection)
        )

    def set_queue_max_workers(
        self, queue: str, max_workers: int | None, *, create: bool = False, connection: Any = None
    ) -> QueueConfig:
        """Limits how many jobs of a queue are claimed at a time, over all workers. None = no limit."""
        return QueueConfig.from_row(
            self._one("SetQueueMaxWorkers", queue, max_workers, create, connection=connection)
        )

    def set_queue_active(
        self, queue: str, is_active: bool = True, *, create: bool = False, connection: Any = None
    ) -> QueueConfig:
        """Takes a queue out of service or back. Like a pause, but meant to last."""
        return QueueConfig.from_row(
            self._one("SetQueueActive", queue, is_active, create, connection=connection)
        )

    def set_queue_zombie_policy(
        self,
        queue: str,
        *,
        zombie_timeout_seconds: int | None,
        zombie_action: ZombieAction,
        create: bool = False,
        connection: Any = None,
    ) -> QueueConfig:
        """When a running job of a queue counts as abandoned (None: ``Settings.zombie_timeout_seconds``), and
        what then becomes of it.
        """
        action = ZombieAction(zombie_action)
        return QueueConfig.from_row(
            self._one(
                "SetQueueZombiePolicy", queue, zombie_timeout_seconds, action, create, connection=connection
            )
        )

    def set_queue_retry_policy(
        self,
        queue: str,
        *,
        max_attempts: int,
        retry_base_seconds: int,
        retry_multiplier: float,
        retry_max_seconds: int,
        retry_jitter_percent: int,
        max_job_age_seconds: int | None = None,
        create: bool = False,
        connection: Any = None,
    ) -> QueueConfig:
        """How often and how soon failed jobs of a queue are tried again, from the next failure on.

        The delay after the n-th execution is base * multiplier ** (n - 1), at the most ``retry_max_seconds``,
        give or take the jitter. ``max_job_age_seconds``: no retry so long after the enqueue; None = no end.
        """
        return QueueConfig.from_row(
            self._one(
                "SetQueueRetryPolicy",
                queue,
                max_attempts,
                retry_base_seconds,
                retry_multiplier,
                retry_max_seconds,
                retry_jitter_percent,
                max_job_age_seconds,
                create,
                connection=connection,
            )
        )

    def update_settings(
        self,
        *,
        metric_shards: int | None = None,
        fine_resolution_minutes: int | None = None,
        fine_retention_hours: int | None = None,
        hourly_retention_days: int | None = None,
        daily_retention_days: int | None = None,
        bucket_retention_minutes: int | None = None,
        rollup_max_rows: int | None = None,
        fetched_timeout_seconds: int | None = None,
        zombie_timeout_seconds: int | None = None,
        archive_retention_days: int | None = None,
        dlq_retention_days: int | None = None,
        maintenance_batch_size: int | None = None,
        connection: Any = None,
    ) -> Settings:
        """Changes the settings of the whole installation, and answers what they now are.

        None leaves a setting as it is; -1 for the retention of days, archive or DLQ keeps for ever. Settings
        that cannot be together are refused by the database (DatabaseError 547, which names the constraint).
        """
        return Settings.from_row(
            self._one(
                "UpdateSettings",
                metric_shards,
                fine_resolution_minutes,
                fine_retention_hours,
                hourly_retention_days,
                daily_retention_days,
                bucket_retention_minutes,
                rollup_max_rows,
                fetched_timeout_seconds,
                zombie_timeout_seconds,
                archive_retention_days,
                dlq_retention_days,
                maintenance_batch_size,
                connection=connection,
            )
        )

    # Operators, on jobs

    def cancel(
        self,
        job_ids: str | Iterable[str],
        *,
        cancelled_by: str | None = None,
        reason: str | None = None,
        connection: Any = None,
    ) -> list[JobOutcome]:
        """Ends jobs: CANCELLED (nobody ran it: now in the DLQ), CANCEL_REQUESTED (its worker hears of it at
        the next heartbeat) or NOT_FOUND for each, in the order of the input. ``reason``: kept as the job's
        error details.
        """
        return self._by_id("CancelJobs", job_ids, (cancelled_by, reason), connection)

    def edit_pending(
        self,
        job_id: str,
        *,
        payload: object = None,
        tags: str | None = None,
        priority: int | None = None,
        scheduled_at: datetime | None = None,
        max_attempts: int | None = None,
        edited_by: str | None = None,
        connection: Any = None,
    ) -> JobOutcome:
        """Changes a job that nobody has claimed: EDITED, NOT_PENDING or NOT_FOUND. None leaves a value as it
        is.
        """
        text = payload_text(payload)
        return JobOutcome.from_row(
            self._one(
                "EditPendingJob",
                job_id,
                text,
                tags,
                priority,
                scheduled_at,
                max_attempts,
                edited_by,
                connection=connection,
            )
        )

    def edit_dlq_job(
        self,
        job_id: str,
        *,
        payload: object = None,
        tags: str | None = None,
        priority: int | None = None,
        edited_by: str | None = None,
        connection: Any = None,
    ) -> JobOutcome:
        """Changes a dead job where it lies: EDITED or NOT_FOUND. None leaves a value as it is."""
        text = payload_text(payload)
        return JobOutcome.from_row(
            self._one("EditDlqJob", job_id, text, tags, priority, edited_by, connection=connection)
        )

    def resurrect(
        self,
        jobs: str | Resurrection | Iterable[str | Resurrection],
        *,
        resurrected_by: str | None = None,
        connection: Any = None,
    ) -> list[JobOutcome]:
        """Makes dead jobs pending again, as they were or edited: RESURRECTED, KEY_ACTIVE or NOT_FOUND for
        each, in the order of the input.
        """
        items = [jobs] if isinstance(jobs, str | Resurrection) else jobs
        rows = map(resurrection_row, items)
        return self._ordered(
            "ResurrectJobs", (resurrected_by,), rows, JobOutcome.from_row, connection, first=True
        )

    def purge_dlq(self, job_ids: str | Iterable[str], *, connection: Any = None) -> list[JobOutcome]:
        """Deletes dead jobs for good: PURGED or NOT_FOUND for each, in the order of the input."""
        return self._by_id("PurgeDlq", job_ids, (), connection)

    def preview_dlq(
        self, dlq_filter: DlqFilter, *, sample_size: int = 20, connection: Any = None
    ) -> DlqPreview:
        """What ``resurrect_by_filter`` and ``purge_dlq_by_filter`` with this filter would take, oldest
        failure first; shows at most ``sample_size`` jobs, 1 to 1000.
        """
        return DlqPreview.from_rows(
            self._caller.call("PreviewDlq", *dlq_filter.values(), sample_size, connection=connection)
        )

    def resurrect_by_filter(
        self,
        dlq_filter: DlqFilter,
        *,
        max_jobs: int = 1000,
        resurrected_by: str | None = None,
        connection: Any = None,
    ) -> list[JobOutcome]:
        """Makes matching dead jobs pending again, oldest failure first, at most ``max_jobs`` (1 to 1000).

        Jobs whose idempotency key is active again come last; they are KEY_ACTIVE, stay, and match again the
        next time. So call again while an outcome is RESURRECTED.
        """
        rows = self._caller.call(
            "ResurrectByFilter", *dlq_filter.values(), max_jobs, resurrected_by, connection=connection
        )
        return [JobOutcome.from_row(row) for row in rows]

    def purge_dlq_by_filter(
        self, dlq_filter: DlqFilter, *, max_jobs: int = 1000, connection: Any = None
    ) -> list[JobOutcome]:
        """Deletes matching dead jobs for good, oldest failure first, at most ``max_jobs`` (1 to 1000)."""
        rows = self._caller.call("PurgeDlqByFilter", *dlq_filter.values(), max_jobs, connection=connection)
        return [JobOutcome.from_row(row) for row in rows]

    # Operators, on what has grown old

    def purge_archive(
        self, *, batch_size: int | None = None, max_batches: int = 100, now: datetime | None = None
    ) -> PurgeResult:
        """Deletes archived jobs older than ``Settings.archive_retention_days``, batch by batch, each
        committed. ``batch_size``: None: ``Settings.maintenance_batch_size``. ``now``: only tests give it.
        Raises TransactionNotAllowedError inside a transaction.
        """
        return PurgeResult.from_row(self._one("PurgeArchive", batch_size, max_batches, now))

    def purge_expired_dlq(
        self, *, batch_size: int | None = None, max_batches: int = 100, now: datetime | None = None
    ) -> PurgeResult:
        """Deletes dead jobs older than ``Settings.dlq_retention_days``; as ``purge_archive``."""
        return PurgeResult.from_row(self._one("PurgeExpiredDlq", batch_size, max_batches, now))

    def prune_metric_buckets(
        self, *, batch_size: int | None = None, max_batches: int = 100, now: datetime | None = None
    ) -> PurgeResult:
        """Deletes one-second buckets older than ``Settings.bucket_retention_minutes``; as
        ``purge_archive``.
        """
        return PurgeResult.from_row(self._one("PruneMetricBuckets", batch_size, max_batches, now))

    def rollup_metrics(self, *, max_rows: int | None = None, now: datetime | None = None) -> RollupResult:
        """Lets the metric history age by the retentions of the settings. ``max_rows``: None:
        ``Settings.rollup_max_rows``. Raises TransactionNotAllowedError inside a transaction.
        """
        return RollupResult.from_row(self._one("RollupMetrics", max_rows, now))

    def run_maintenance(self, *, max_batches: int = 20, now: datetime | None = None) -> list[MaintenanceTask]:
        """Everything that is due, once at a time; a run beside another answers the one task busy.

        Raises TransactionNotAllowedError inside a transaction.
        """
        rows = self._caller.call("RunMaintenance", max_batches, now)
        return [MaintenanceTask.from_row(row) for row in rows]

    def backfill_metrics(
        self,
        from_: datetime,
        to: datetime,
        *,
        max_hours: int = 24,
        counted_since: datetime | None = None,
    ) -> BackfillResult:
        """Counts history from archive and DLQ for whole hours before the counters existed, each hour once.

        ``counted_since``: only tests give it. Raises TransactionNotAllowedError inside a transaction.
        """
        return BackfillResult.from_row(self._one("BackfillMetrics", from_, to, max_hours, counted_since))

    def record_samples(
        self, samples: Sample | Iterable[Sample], *, max_measures: int = 100, connection: Any = None
    ) -> SampleResult:
        """Counts samples of the application's own measures. ``max_measures``: how many measures of
        applications there may be; samples of one more are refused.
        """
        items = [samples] if isinstance(samples, Sample) else samples
        accepted = refused = 0
        rows = map(sample_row, items)
        for found in self._in_batches("RecordSamples", rows, (max_measures,), connection, first=True):
            for row in found:
                result = SampleResult.from_row(row)
                accepted, refused = accepted + result.accepted, refused + result.refused
        return SampleResult(accepted=accepted, refused=refused)

    # Readers

    def summary_stats(self, queue: str | None = None) -> list[SummaryStats]:
        """Lifetime counters of all queues, or of one."""
        return [SummaryStats.from_row(row) for row in self._caller.call("GetSummaryStats", queue)]

    def queue_stats(self, queue: str | None = None) -> list[QueueStats]:
        """Jobs by state, of all queues or of one."""
        return [QueueStats.from_row(row) for row in self._caller.call("GetQueueStats", queue)]

    def queue_health(self, queue: str | None = None) -> list[QueueHealth]:
        """Lag and liveness, of all queues or of one."""
        return [QueueHealth.from_row(row) for row in self._caller.call("GetQueueHealth", queue)]

    def throughput(self, queue: str | None = None) -> Throughput:
        """What was processed in the last minute and the last five, over all queues or in one."""
        return Throughput.from_row(self._one("GetThroughput", queue))

    def get_job(self, job_id: str, *, connection: Any = None) -> Job | None:
        """The job, in whatever pillar; None when there is none of that id."""
        rows = self._caller.call("GetJob", job_id, connection=connection)
        return Job.from_row(rows[0]) if rows else None

    # Readers: lists, in pages

    def list_active(
        self,
        *,
        queue: str | None = None,
        type: str | None = None,  # noqa: A002 - the procedure calls it so
        status: JobStatus | None = None,
        after: ActiveJob | None = None,
        page_size: int = 100,
    ) -> list[ActiveJob]:
        """A page of the active jobs, newest first. ``after``: the last row of the page before it;
        ``page_size`` 1 to 1000. ``every_row`` walks through all pages.
        """
        state = None if status is None else JobStatus(status)
        place = (None, None) if after is None else after.place
        rows = self._caller.call("ListActiveJobs", queue, type, state, *place, page_size)
        return [ActiveJob.from_row(row) for row in rows]

    def list_archive(
        self,
        *,
        queue: str | None = None,
        type: str | None = None,  # noqa: A002
        tag: str | None = None,
        finished_from: datetime | None = None,
        after: ArchivedJob | None = None,
        page_size: int = 100,
    ) -> list[ArchivedJob]:
        """A page of the succeeded jobs, newest first. ``tag``: the tags contain it; as ``list_active``."""
        place = (None, None) if after is None else after.place
        rows = self._caller.call("ListArchive", queue, type, tag, finished_from, *place, page_size)
        return [ArchivedJob.from_row(row) for row in rows]

    def list_dlq(
        self,
        *,
        queue: str | None = None,
        type: str | None = None,  # noqa: A002
        failure_reason: FailureReason | None = None,
        tag: str | None = None,
        text: str | None = None,
        failed_from: datetime | None = None,
        after: DeadJob | None = None,
        page_size: int = 100,
    ) -> list[DeadJob]:
        """A page of the dead jobs, newest first. ``text``: the error details contain it; as
        ``list_archive``.
        """
        reason = None if failure_reason is None else int(FailureReason(failure_reason))
        place = (None, None) if after is None else after.place
        rows = self._caller.call("ListDlq", queue, type, reason, tag, text, failed_from, *place, page_size)
        return [DeadJob.from_row(row) for row in rows]

    # Readers: metric history. Windows are from (inclusive) to (exclusive); a bucket counts where it starts.

    def top_errors(self, queue: str | None = None, *, hours: int = 24, top: int = 10) -> list[TopError]:
        """The error groups with the most failures of the last hours, most first."""
        return [TopError.from_row(row) for row in self._caller.call("GetTopErrors", queue, hours, top)]

    def metric_history(
        self,
        from_: datetime,
        to: datetime,
        *,
        step_minutes: int = 60,
        measure: int = 0,
        queue: str | None = None,
        type: str | None = None,  # noqa: A002
    ) -> list[MetricPoint]:
        """A measure over time; points without samples are left out. ``measure``: 0 execution, 1 queue wait,
        2 failures (``type`` is then the error group), from 100 on the application's (``type``: its series).
        ``step_minutes`` divides the day. Old parts of the window are as coarse as their tier.
        """
        rows = self._caller.call("GetMetricHistory", from_, to, step_minutes, measure, queue, type)
        return [MetricPoint.from_row(row) for row in rows]

    def latency_percentiles(
        self,
        from_: datetime,
        to: datetime,
        *,
        measure: int = 0,
        queue: str | None = None,
        type: str | None = None,  # noqa: A002
        outcome: int | None = None,
        by_type: bool = False,
    ) -> list[LatencyPercentiles]:
        """Percentiles of a measure over any window: one row, or with ``by_type`` one for each queue and type;
        no row without samples. ``outcome``: 0 succeeded, 1 failed, 2 retried attempts.
        """
        rows = self._caller.call("GetLatencyPercentiles", from_, to, measure, queue, type, outcome, by_type)
        return [LatencyPercentiles.from_row(row) for row in rows]

    def error_trends(
        self,
        from_: datetime,
        to: datetime,
        *,
        step_minutes: int = 60,
        queue: str | None = None,
        top: int = 10,
    ) -> list[ErrorPoint]:
        """The most frequent error groups over time, the most frequent first."""
        rows = self._caller.call("GetErrorTrends", from_, to, step_minutes, queue, top)
        return [ErrorPoint.from_row(row) for row in rows]

    def burn_rate(
        self, objective: float = 0.99, *, queue: str | None = None, now: datetime | None = None
    ) -> list[BurnRate]:
        """How fast failures use up what an objective (share that shall succeed) allows, for windows from 5
        minutes to 30 days. ``now``: only tests give it.
        """
        return [BurnRate.from_row(row) for row in self._caller.call("GetBurnRate", objective, queue, now)]

    # How

    def _by_id(
        self, procedure: str, job_ids: str | Iterable[str], others: tuple[Any, ...], connection: Any
    ) -> list[JobOutcome]:
        rows = map(id_row, [job_ids] if isinstance(job_ids, str) else job_ids)
        return self._ordered(procedure, others, rows, JobOutcome.from_row, connection, first=True)

    def _one(self, procedure: str, *values: Any, connection: Any = None) -> Row:
        rows = self._caller.call(procedure, *values, connection=connection)
        if len(rows) != 1:
            raise ProtocolError(f"{procedure} returned {len(rows)} rows, expected one.")
        return rows[0]

    def _leases(
        self, procedure: str, worker_id: str, leases: Lease | Iterable[Lease], connection: Any
    ) -> list[LeaseOutcome]:
        items = [leases] if isinstance(leases, Lease) else leases
        return self._ordered(
            procedure, (worker_id,), map(lease_row, items), LeaseOutcome.from_row, connection
        )

    def _ordered(
        self,
        procedure: str,
        others: tuple[Any, ...],
        rows: Iterable[dict[str, Any]],
        from_row: Callable[[Row], A],
        connection: Any,
        *,
        first: bool = False,
    ) -> list[A]:
        """Outcomes in the order of the input; the procedures answer in key order. ``first``: as in
        ``_in_batches``.
        """
        place: dict[str, int] = {}

        def numbered() -> Iterator[dict[str, Any]]:
            for row in rows:
                place[row["id"]] = len(place)
                yield row

        answers: list[A] = []
        for found in self._in_batches(procedure, numbered(), others, connection, first=first):
            answers += [from_row(row) for row in found]
        if {answer.job_id for answer in answers} != set(place):
            # Never taken for "lost": that would drop results for which the lease is still good.
            raise ProtocolError(f"{procedure} did not answer for exactly the jobs that it was asked about.")
        return sorted(answers, key=lambda answer: place[answer.job_id])

    def _in_batches(
        self,
        procedure: str,
        rows: Iterable[dict[str, Any]],
        others: tuple[Any, ...],
        connection: Any,
        *,
        first: bool,
    ) -> Iterator[list[Row]]:
        """The result rows of one call after the other; ``first``: the JSON parameter comes before the
        others.
        """
        start = 0
        for count, document in batches(rows):
            values = (document, *others) if first else (*others, document)
            try:
                found = self._caller.call(procedure, *values, connection=connection)
            except RowError as error:
                if error.row is not None:
                    error.index = start + error.row
                raise
            yield found
            start += count


def _names(queues: Iterable[str]) -> list[str]:
    if isinstance(queues, str):
        raise TypeError("queues: a list of names is needed, not one str")
    names = list(queues)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"queues: names are str, not {type(name).__name__}")
    return names
