"""What the demo reads from the tables themselves. Only for looking; every change goes through a procedure."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from chokaq.connection import Connector
from chokaq.models import FailureReason, JobStatus

if TYPE_CHECKING:
    # In the standard library from Python 3.11 on; only the type checker needs it.
    from typing_extensions import Self

__all__ = ["FinishedJob", "Reads", "Tables"]


@dataclass(frozen=True, kw_only=True)
class FinishedJob:
    """A row of the archive or of the dead-letter queue; ``reason`` None: archived. Times in ms."""

    job_id: str
    queue: str
    type: str
    worker_id: str | None
    lease: int
    attempts: int
    duration_ms: float | None
    wait_ms: float | None
    reason: FailureReason | None

    @property
    def claim(self) -> tuple[str, int]:
        """The job and the lease of its last execution."""
        return self.job_id, self.lease


@dataclass(frozen=True)
class Tables:
    """The three pillars. ``hot``: ids of the jobs that have not ended."""

    archive: list[FinishedJob]
    dlq: list[FinishedJob]
    hot: list[str]


class Reads:
    """Read-only queries on a connection of their own."""

    def __init__(self, url: str, schema: str) -> None:
        self._connection: Any = Connector(url).open()
        self._schema = f"[{schema}]"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def held_by(self, worker_id: str) -> dict[tuple[str, int], JobStatus]:
        """Claim → status, of the jobs that a worker holds."""
        rows = self._rows(
            f"SELECT [h].[Id], [h].[LeaseToken], [h].[Status] FROM {self._schema}.[JobsHot] AS [h] "
            "WHERE [h].[WorkerId] = ?;",
            worker_id,
        )
        return {(row[0], row[1]): JobStatus(row[2]) for row in rows}

    def silent_claims(self, seconds: int) -> set[tuple[str, int]]:
        """The claims that have gone without a heartbeat for so long."""
        rows = self._rows(
            f"SELECT [h].[Id], [h].[LeaseToken] FROM {self._schema}.[JobsHot] AS [h] "
            f"WHERE [h].[Status] >= 1 AND [h].[HeartbeatUtc] < DATEADD(SECOND, -{int(seconds)}, "
            "SYSUTCDATETIME());"
        )
        return {(row[0], row[1]) for row in rows}

    def claims(self) -> set[tuple[str, int]]:
        """All claims that are held now."""
        rows = self._rows(
            f"SELECT [h].[Id], [h].[LeaseToken] FROM {self._schema}.[JobsHot] AS [h] WHERE [h].[Status] >= 1;"
        )
        return {(row[0], row[1]) for row in rows}

    def tables(self) -> Tables:
        """All jobs of the schema, payloads and errors left out."""
        hot = self._rows(f"SELECT [h].[Id] FROM {self._schema}.[JobsHot] AS [h];")
        return Tables(self._finished("JobsArchive", "-1"), self._finished("JobsDLQ"), [row[0] for row in hot])

    def _finished(self, table: str, reason: str = "[j].[FailureReason]") -> list[FinishedJob]:
        rows = self._rows(
            "SELECT [j].[Id], [j].[Queue], [j].[Type], [j].[WorkerId], [j].[LeaseToken], [j].[AttemptCount], "
            f"[j].[DurationMs], [j].[WaitMs], {reason} AS [Reason] FROM {self._schema}.[{table}] AS [j];"
        )
        return [
            FinishedJob(
                job_id=row[0],
                queue=row[1],
                type=row[2],
                worker_id=row[3],
                lease=row[4],
                attempts=row[5],
                duration_ms=row[6],
                wait_ms=row[7],
                reason=None if row[8] < 0 else FailureReason(row[8]),
            )
            for row in rows
        ]

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with contextlib.closing(self._connection.cursor()) as cursor:
            cursor.execute(statement, values) if values else cursor.execute(statement)
            return list(cursor.fetchall())
