"""Reports completions and failures to the database, in batches. One bad report does not hold up the
others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .errors import (
    CallTimeoutError,
    ChokaqError,
    ConnectionFailedError,
    ConnectionLostError,
    DatabaseError,
    DeadlockError,
    NotDeployedError,
    PermissionDeniedError,
    RowError,
)
from .models import Completion, Failure, FailureReason, FetchedJob, Outcome
from .queue import JobQueue
from .worker_backoff import Availability, Backoff
from .worker_events import Reporter

__all__ = ["Report", "ReportSender"]

_MAX_BATCH = 500
# How often a batch is sent again on an error that could be the server's or a row's fault, before it is split.
_PATIENCE = 6
_NO_ROW_AT_FAULT = (
    ConnectionLostError,
    ConnectionFailedError,
    CallTimeoutError,
    DeadlockError,
    NotDeployedError,
    PermissionDeniedError,
)


@dataclass
class Report:
    """A result on its way. ``on_settled`` is called once, with what the database said; None: it never got
    it.
    """

    job: FetchedJob
    result: Completion | Failure
    on_settled: Callable[[Report, Outcome | None], None]
    tries: int = 0
    is_replacement: bool = False
    settled: bool = False

    def settle(self, outcome: Outcome | None) -> None:
        self.settled = True
        self.on_settled(self, outcome)


class ReportSender:
    """A thread that sends what was added, when there are ``size`` reports or the oldest is ``interval``
    seconds old. While the server is away it keeps them and goes on trying.
    """

    def __init__(
        self,
        queue: JobQueue,
        worker_id: str,
        *,
        size: int,
        interval: float,
        reporter: Reporter,
        availability: Availability,
    ) -> None:
        self._queue = queue
        self._worker_id = worker_id
        self._size = size
        self._interval = interval
        self._reporter = reporter
        self._availability = availability
        self._waiting: list[Report] = []
        self._oldest = 0.0
        self._changed = threading.Condition()
        self._finish_by: float | None = None
        self._thread = threading.Thread(target=self._run, name="chokaq-reports", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def add(self, report: Report) -> None:
        """Takes a report; returns at once."""
        with self._changed:
            if not self._waiting:
                self._oldest = time.monotonic()
            self._waiting.append(report)
            # The thread wakes for the first (to time its age) and when a batch is full, not for each.
            if len(self._waiting) == 1 or len(self._waiting) >= self._size:
                self._changed.notify()

    def finish(self, seconds: float) -> bool:
        """Sends what is left, for so many seconds at the most. Whether all of it was settled."""
        with self._changed:
            self._finish_by = time.monotonic() + seconds
            self._changed.notify()
        self._thread.join(seconds + 1.0)
        with self._changed:
            left, self._waiting = self._waiting, []
        for report in left:
            self._reporter("report-dropped", job_id=report.job.job_id, error="the worker stopped")
            report.settle(None)
        return not left and not self._thread.is_alive()

    def _run(self) -> None:
        backoff = Backoff()
        while True:
            batch = self._next_batch()
            if not batch:
                return
            try:
                self._send_all(batch)
            except ChokaqError as error:
                self._availability.failed(error)
                self._put_back(batch)
                self._pause(backoff.next())
            except Exception as error:  # a fault of our own must not end the thread that all results need
                self._reporter("worker-error", cause=error, error=type(error).__name__)
                self._put_back(batch)
                self._pause(backoff.next())
            else:
                self._availability.succeeded()
                backoff.reset()

    def _next_batch(self) -> list[Report]:
        """Waits until there is something to send. Empty: the end."""
        with self._changed:
            while True:
                now = time.monotonic()
                if self._finish_by is not None and (not self._waiting or now >= self._finish_by):
                    return []
                age = now - self._oldest
                if self._waiting and (
                    self._finish_by is not None or len(self._waiting) >= self._size or age >= self._interval
                ):
                    batch = self._waiting[:_MAX_BATCH]
                    del self._waiting[:_MAX_BATCH]
                    return batch
                self._changed.wait(self._interval - age if self._waiting else None)

    def _put_back(self, batch: list[Report]) -> None:
        with self._changed:
            self._waiting[:0] = [report for report in batch if not report.settled]

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        with self._changed:
            while (left := end - time.monotonic()) > 0:
                if self._finish_by is not None:
                    left = min(left, 0.2)  # the end is near: try oftener, and leave in time
                    end = min(end, time.monotonic() + left)
                self._changed.wait(left)

    def _send_all(self, batch: list[Report]) -> None:
        completions = [report for report in batch if isinstance(report.result, Completion)]
        failures = [report for report in batch if isinstance(report.result, Failure)]
        self._send(completions)
        self._send(failures)

    def _send(self, reports: list[Report]) -> None:
        """One call; on an error that one row may have caused, two calls of half of them, and so on."""
        if not reports:
            return
        refusal = self._try(reports)
        if refusal is None:
            return
        if len(reports) == 1:
            self._refused(reports[0], refusal)
            return
        half = len(reports) // 2
        self._send(reports[:half])
        self._send(reports[half:])

    def _try(self, reports: list[Report]) -> Exception | None:
        """None: settled. An error that is returned, not raised, is for splitting the batch."""
        try:
            self._call(reports)
        except _NO_ROW_AT_FAULT:
            raise
        except (DatabaseError, ValueError, TypeError) as error:
            # Of other errors nobody knows whose fault they are: so the whole batch is tried for a while
            # first.
            if not _names_a_row(error) and reports[0].tries < _PATIENCE:
                for report in reports:
                    report.tries += 1
                raise
            return error
        return None

    def _call(self, reports: list[Report]) -> None:
        completions = [report.result for report in reports if isinstance(report.result, Completion)]
        failures = [report.result for report in reports if isinstance(report.result, Failure)]
        outcomes: dict[str, Outcome] = {}
        if completions:
            answers = self._queue.complete(self._worker_id, completions)
            outcomes.update((answer.job_id, answer.outcome) for answer in answers)
        if failures:
            failed = self._queue.fail(self._worker_id, failures)
            outcomes.update((answer.job_id, answer.outcome) for answer in failed)
        for report in reports:
            report.settle(outcomes.get(report.job.job_id, Outcome.LOST))

    def _refused(self, report: Report, error: Exception) -> None:
        """The database does not take this report: the job is failed with a text that it certainly takes."""
        job_id, told = report.job.job_id, f"{type(error).__name__}: {error}"
        if report.is_replacement:
            self._reporter("report-dropped", job_id=job_id, error=told)
            report.settle(None)  # its lease runs out, and a sweep brings it to light
            return
        self._reporter("job-refused", job_id=job_id, error=told)
        was_failure = isinstance(report.result, Failure)
        report.is_replacement = True
        report.result = Failure(
            lease=report.job.lease,
            reason=report.result.reason if isinstance(report.result, Failure) else FailureReason.FATAL_ERROR,
            error=f"The database refused the report of this {'failure' if was_failure else 'success'} "
            f"({type(error).__name__}).",
            error_group="report refused",
        )
        self._send([report])


def _names_a_row(error: Exception) -> bool:
    """Whether the error is about the data that was sent."""
    if isinstance(error, RowError | ValueError | TypeError):
        return True
    return isinstance(error, DatabaseError) and (error.sqlstate or "").startswith(("22", "23"))
