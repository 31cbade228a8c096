"""A deployed schema of one test run: how tests call it, look into it, age it and remove it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chokaq import (
    Completion,
    DatabaseError,
    Enqueued,
    Failure,
    FailureReason,
    FetchedJob,
    Job,
    JobQueue,
    Lease,
    NewJob,
    Outcome,
)
from chokaq.calls import Caller
from chokaq.connection import Connector
from chokaq.dbapi import is_driver_error, read_error
from chokaq.deploy import deploy
from chokaq.deploy.scripts import rename_schema
from chokaq.errors import REGISTRY

Record = dict[str, Any]

# What an engine cannot do, and why a test that needs it is skipped there. All else must work everywhere.
MISSING: dict[str, dict[str, str]] = {
    "embedded": {
        "row-locks": "SQLite has one writer: an open transaction that wrote keeps every other writer waiting",
        "options": "the embedded engine has no @@OPTIONS",
    },
    "babelfish": {
        "nul": "PostgreSQL cannot store the NUL character",
        "exact-varchar": "Babelfish stores any character in a varchar and sends it to the client as '?'",
        "code-page-lengths": "Babelfish counts UTF-8 bytes where the column counts code page characters",
        "json-controls": "Babelfish leaves escapes of JSON in texts; the procedures take out the usual ones",
        "large-values": "Babelfish at times loses the relation of a table variable with very large values",
        "readpast": "Babelfish accepts READPAST and ignores it: it waits for a locked row",
        "lock-timeout-error": "Babelfish reports a lock timeout without its number 1222",
        "seven-digits": "Babelfish keeps microseconds where datetime2(7) has a seventh digit",
        "json-text": "Babelfish parses JSON as jsonb: spaces, order of keys and duplicates are not kept",
    },
    "sqlserver": {},
}

# Emptied before every test: all that a test can have left. Settings go back to their defaults.
_RESET = """
DELETE FROM [chokaq].[JobsHot];
DELETE FROM [chokaq].[JobsArchive];
DELETE FROM [chokaq].[JobsDLQ];
DELETE FROM [chokaq].[StatsSummary];
DELETE FROM [chokaq].[MetricBuckets];
DELETE FROM [chokaq].[MetricSeries];
DELETE FROM [chokaq].[QueueGates];
DELETE FROM [chokaq].[Queues];
UPDATE [chokaq].[MaintenanceGate] SET [BusyUntilUtc] = '2000-01-01T00:00:00';
UPDATE [chokaq].[Settings]
SET [MetricShards] = 8, [FineResolutionMinutes] = 5, [FineRetentionHours] = 6, [HourlyRetentionDays] = 7,
    [DailyRetentionDays] = 90, [BucketRetentionMinutes] = 15, [RollupMaxRows] = 20000,
    [FetchedTimeoutSeconds] = 120, [ZombieTimeoutSeconds] = 120, [ArchiveRetentionDays] = 30,
    [DlqRetentionDays] = NULL, [MaintenanceBatchSize] = 1000;
"""


def new_schema() -> str:
    """A schema name that no other run has."""
    return f"chokaq_t_{uuid.uuid4().hex[:10]}"


@dataclass
class Database:
    """One schema in one database. ``url`` may hold a password and is never shown."""

    url: str = field(repr=False)
    schema: str
    platform: str = ""
    _connector: Connector = field(init=False, repr=False)
    queue: JobQueue = field(init=False, repr=False)
    _caller: Caller = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # One session for all: some servers take a second to compile the procedures for each new one.
        self._connector = Connector(self.url)
        self.queue = JobQueue(self._connector, self.schema)
        self._caller = Caller(self._connector, self.schema)
        if not self.platform:
            self.platform = self._which()

    def _which(self) -> str:
        if self.url.startswith("embedded:"):
            return "embedded"
        banner = str(self.scalar("SELECT @@VERSION AS [Banner];"))
        return "babelfish" if "babelfish" in banner.lower() else "sqlserver"

    def deploy(self) -> None:
        deploy(self.url, schema=self.schema)

    def close(self) -> None:
        self._connector.close()

    def needs(self, capability: str) -> None:
        """Skips the test where this engine lacks something, and says why."""
        reason = MISSING[self.platform].get(capability)
        if reason is not None:
            pytest.skip(reason)

    def lacks(self, capability: str) -> bool:
        return capability in MISSING[self.platform]

    def connect(self, *, autocommit: bool = False) -> Any:
        """A connection of the test's own, outside of the driver."""
        connection = self._connector.open()
        connection.autocommit = autocommit
        return connection

    # Statements

    def sql(self, text: str, *values: Any, connection: Any = None, every_set: bool = False) -> list[Record]:
        """Runs a batch, written for the schema [chokaq]; the rows of its last result set, or of all."""
        text = rename_schema(text, self.schema)
        if connection is not None:
            return run(connection, text, values, every_set)
        try:
            with self._connector.use() as session:
                return run(session.connection, text, values, every_set)
        except Exception as error:
            if is_driver_error(error):
                self._connector.discard()  # what a failed batch left of the session is not known
            raise

    def scalar(self, text: str, *values: Any, connection: Any = None) -> Any:
        rows = self.sql(text, *values, connection=connection)
        return next(iter(rows[0].values())) if rows else None

    def execute(self, procedure: str, *, connection: Any = None, **values: Any) -> list[Record]:
        """Calls a procedure by its T-SQL parameter names, past the driver's own checks."""
        named = ", ".join(f"@{name} = ?" for name in values)
        try:
            return self.sql(f"EXEC [chokaq].[{procedure}] {named};", *values.values(), connection=connection)
        except Exception as error:
            if not is_driver_error(error):
                raise
            found = read_error(error)
            kind = REGISTRY.get(found.number or 0, DatabaseError)
            raise kind(
                found.message, number=found.number, sqlstate=found.sqlstate, procedure=procedure
            ) from None

    def call(self, procedure: str, *values: Any) -> list[Any]:
        """Calls a procedure as the driver does, with values that JobQueue would not let through."""
        return list(self._caller.call(procedure, *values))

    def enqueue_rows(self, *rows: Record) -> list[Enqueued]:
        """EnqueueJobs with rows as they are."""
        found = self.call("EnqueueJobs", json.dumps(rows), None)
        return [Enqueued.from_row(row) for row in found]

    def reset(self) -> None:
        """Back to the state after the deployment."""
        self.sql(_RESET)

    # Shortcuts through a job's life

    def fill(self, queue: str, count: int = 1, **values: Any) -> list[str]:
        """Enqueues jobs in a fixed order of creation; their ids."""
        jobs = [NewJob(queue=queue, type="work", **values) for _ in range(count)]
        return [answer.job_id for answer in self.queue.enqueue_many(jobs)]

    def claim(
        self, worker: str = "w1", limit: int = 1, queues: Iterable[str] | None = None
    ) -> list[FetchedJob]:
        return self.queue.fetch(worker, limit, queues)

    def start(
        self, worker: str = "w1", limit: int = 1, queues: Iterable[str] | None = None
    ) -> list[FetchedJob]:
        """Claims and marks."""
        jobs = self.claim(worker, limit, queues)
        if jobs:
            answers = self.queue.mark_processing(worker, [job.lease for job in jobs])
            assert {answer.outcome for answer in answers} == {Outcome.PROCESSING}
        return jobs

    def started(self, queue: str = "q", worker: str = "w1", **values: Any) -> Lease:
        """The lease of a new job that this worker runs now."""
        job_id = self.fill(queue, 1, **values)[0]
        job = self.start(worker, 1, [queue])[0]
        assert job.job_id == job_id
        return job.lease

    def complete(self, worker: str, *leases: Lease) -> list[Outcome]:
        answers = self.queue.complete(worker, [Completion(lease=lease) for lease in leases])
        return [answer.outcome for answer in answers]

    def fail(self, worker: str, lease: Lease, reason: FailureReason, **values: Any) -> Outcome:
        return self.queue.fail(worker, Failure(lease=lease, reason=reason, **values))[0].outcome

    def job(self, job_id: str) -> Job:
        found = self.queue.get_job(job_id)
        assert found is not None, f"job {job_id} is nowhere"
        return found

    # Time

    def age(self, seconds: int, *columns: str, job_id: str | None = None) -> None:
        """Moves moments of one active job, or of all, into the past, instead of sleeping."""
        moves = ", ".join(f"[{column}] = DATEADD(SECOND, {-seconds}, [{column}])" for column in columns)
        where = "" if job_id is None else " WHERE [Id] = ?"
        self.sql(f"UPDATE [chokaq].[JobsHot] SET {moves}{where};", *([] if job_id is None else [job_id]))

    # Removal

    def drop(self) -> None:
        """Removes the schema, whatever part of it was made."""
        if self.platform == "embedded":
            return  # the file goes with the test's folder
        for kind, view in (("PROCEDURE", "procedures"), ("TYPE", "table_types"), ("TABLE", "tables")):
            names = self.sql(
                f"SELECT [name] AS [Name] FROM [sys].[{view}]"
                f" WHERE [schema_id] = SCHEMA_ID(N'{self.schema}');"
            )
            for row in names:
                self.sql(f"DROP {kind} [chokaq].[{row['Name']}];")
        self.sql("DROP SCHEMA IF EXISTS [chokaq];")
        for role in ("producer", "worker", "operator", "reader"):
            self.sql(f"DROP ROLE IF EXISTS [chokaq_{role}];")


def run(connection: Any, text: str, values: Sequence[Any] = (), every_set: bool = False) -> list[Record]:
    """One batch on any DB-API connection, read to the end; the rows of its last result set, or of all."""
    cursor = connection.cursor()
    try:
        cursor.execute(text, *([tuple(values)] if values else []))
        rows: list[Record] = []
        while True:
            if cursor.description is not None:
                names = [column[0] for column in cursor.description]
                found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
                rows = rows + found if every_set else found
            if not cursor.nextset():
                return rows
    finally:
        cursor.close()


def embedded_url(folder: Path) -> str:
    """A database file in a folder of the test run."""
    return f"embedded://{folder.resolve().as_posix()}/{uuid.uuid4().hex[:8]}.db"
