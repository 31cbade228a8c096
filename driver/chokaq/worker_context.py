"""What a handler gets, and the exceptions by which it says how its job ended."""

# ruff: noqa: N818 - the names say what becomes of the job, and are raised as statements: raise Rejected(...)

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .errors import ChokaqError
from .models import FailureReason, FetchedJob

if TYPE_CHECKING:
    from .queue import JobQueue

__all__ = [
    "CircuitOpen",
    "Fatal",
    "JobCancelled",
    "JobContext",
    "JobError",
    "Rejected",
    "RetryLater",
    "Throttled",
    "TimedOut",
]


class JobError(ChokaqError):
    """Root of the exceptions by which a handler names the reason of its failure.

    ``retry_after``: at least so many seconds before a retry, where there is one. ``group``: a short
    fingerprint under which alike failures are counted; default: the exception and the function that raised
    it.
    """

    reason = FailureReason.TRANSIENT

    def __init__(
        self, *args: object, retry_after: float | timedelta | None = None, group: str | None = None
    ) -> None:
        super().__init__(*args)
        self.retry_after = retry_after
        self.group = group


class Fatal(JobError):
    """It can never work: to the dead-letter queue."""

    reason = FailureReason.FATAL_ERROR


class Rejected(JobError):
    """The job itself is wrong (its payload, its type): to the dead-letter queue."""

    reason = FailureReason.REJECTED


class RetryLater(JobError):
    """It did not work now; as any other exception, with a say in when to try again."""


class Throttled(JobError):
    """Somebody asked to come back later (``retry_after``)."""

    reason = FailureReason.THROTTLED


class CircuitOpen(JobError):
    """A service it needs is known to be down. The attempt does not count."""

    reason = FailureReason.CIRCUIT_BREAKER


class TimedOut(JobError):
    """It took too long. A handler's TimeoutError counts as this too."""

    reason = FailureReason.TIMEOUT


class JobCancelled(JobError):
    """The handler stopped because cancelling was asked for: to the dead-letter queue as cancelled."""

    reason = FailureReason.CANCELLED


class JobContext:
    """One execution of a job, as its handler sees it. Its flags may be read from any thread."""

    def __init__(self, job: FetchedJob, queue: JobQueue, worker_id: str, shutdown: threading.Event) -> None:
        self.job = job
        self.queue = queue
        self.worker_id = worker_id
        self._shutdown = shutdown
        self._cancel = threading.Event()
        self._lost = threading.Event()
        self._timed_out = threading.Event()
        self._deadline: float | None = None
        self._interrupt_lock = threading.Lock()
        self._interrupt: Callable[[], object] | None = None

    def __repr__(self) -> str:
        return f"<JobContext {self.job.job_id} {self.job.type}>"

    @property
    def payload(self) -> str | None:
        """The payload as it is stored."""
        return self.job.payload

    def json(self) -> Any:
        """The payload parsed as JSON; None when there is none."""
        return self.job.json()

    @property
    def attempt(self) -> int:
        """Which execution this is, from 1."""
        return self.job.attempt_count + 1

    @property
    def cancel_requested(self) -> bool:
        """Somebody asked to cancel the job (seen at the heartbeat after)."""
        return self._cancel.is_set()

    @property
    def lost(self) -> bool:
        """The job is no longer this worker's: another may run it, and what the handler returns is dropped."""
        return self._lost.is_set()

    @property
    def shutting_down(self) -> bool:
        """The worker is about to stop: finish soon, or raise RetryLater or CircuitOpen."""
        return self._shutdown.is_set()

    @property
    def timed_out(self) -> bool:
        """The time of its type is up; the job has been reported as Timeout, or is about to be."""
        return self._timed_out.is_set()

    @property
    def remaining(self) -> float | None:
        """Seconds until the timeout of its type, not below 0; None = it has none."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """There is no point in going on: cancelling was asked for, the time is up, or the job is lost."""
        return self.cancel_requested or self.timed_out or self.lost

    def check_cancelled(self) -> None:
        """Raises JobCancelled or TimedOut when ``cancelled``. For handlers that work in steps."""
        if self.timed_out:
            raise TimedOut("the time of its type is up", group="timeout")
        if self.cancelled:
            raise JobCancelled("cancelled on request" if self.cancel_requested else "the lease was lost")

    # For the worker

    def _begin(self, timeout: float | None) -> None:
        if timeout is not None:
            self._deadline = time.monotonic() + timeout

    def _on_cancel(self) -> None:
        self._cancel.set()
        self._interrupt_now()

    def _on_lost(self) -> None:
        self._lost.set()
        self._interrupt_now()

    def _on_timeout(self) -> bool:
        """Whether the handler can be interrupted: it is async, and gets a CancelledError."""
        self._timed_out.set()
        return self._interrupt_now()

    def _interruptible(self, interrupt: Callable[[], object] | None) -> None:
        """How to interrupt the handler from here on; None: it cannot be any more."""
        with self._interrupt_lock:
            self._interrupt = interrupt
        if interrupt is not None and self.cancelled:
            self._interrupt_now()

    def _interrupt_now(self) -> bool:
        with self._interrupt_lock:  # so that it is not called when the handler's event loop has gone
            if self._interrupt is not None:
                self._interrupt()
            return self._interrupt is not None
