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
from .models import (
    Completion,
    Enqueued,
    FailOutcome,
    Failure,
    FetchedJob,
    Job,
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
from .payloads import batches, completion_row, failure_row, lease_row, new_job_row
from .schema_version import check_version

if TYPE_CHECKING:
    # In the standard library from Python 3.11 on; only the type checker needs it.
    from typing_extensions import Self

__all__ = ["JobQueue", "connect"]

Q = TypeVar("Q", bound="JobQueue")
A = TypeVar("A", LeaseOutcome, FailOutcome)


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
        return self._ordered("CompleteJobs", worker_id, rows, LeaseOutcome.from_row, connection)

    def fail(
        self, worker_id: str, failures: Failure | Iterable[Failure], *, connection: Any = None
    ) -> list[FailOutcome]:
        """Reports failures; the procedure decides: RETRY (with the next time), DEAD or LOST for each."""
        items = [failures] if isinstance(failures, Failure) else failures
        rows = map(failure_row, items)
        return self._ordered("FailJobs", worker_id, rows, FailOutcome.from_row, connection)

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

    # How

    def _one(self, procedure: str, *values: Any, connection: Any = None) -> Row:
        rows = self._caller.call(procedure, *values, connection=connection)
        if len(rows) != 1:
            raise ProtocolError(f"{procedure} returned {len(rows)} rows, expected one.")
        return rows[0]

    def _leases(
        self, procedure: str, worker_id: str, leases: Lease | Iterable[Lease], connection: Any
    ) -> list[LeaseOutcome]:
        items = [leases] if isinstance(leases, Lease) else leases
        return self._ordered(procedure, worker_id, map(lease_row, items), LeaseOutcome.from_row, connection)

    def _ordered(
        self,
        procedure: str,
        worker_id: str,
        rows: Iterable[dict[str, Any]],
        from_row: Callable[[Row], A],
        connection: Any,
    ) -> list[A]:
        """Outcomes in the order of the input; the procedures answer in key order."""
        place: dict[str, int] = {}

        def numbered() -> Iterator[dict[str, Any]]:
            for row in rows:
                place[row["id"]] = len(place)
                yield row

        answers: list[A] = []
        for found in self._in_batches(procedure, numbered(), (worker_id,), connection, first=False):
            answers += [from_row(row) for row in found]
        return sorted(answers, key=lambda answer: place.get(answer.job_id, len(place)))

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
