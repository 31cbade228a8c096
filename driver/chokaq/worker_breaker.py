"""The circuit breaker of a job type: after some failures in a row its jobs are put off instead of run.

It decides nothing about retries: a job that is put off is reported with the reason CircuitBreaker, and the
procedure gives its attempt back and sets the next time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .models import FailureReason

__all__ = ["Admission", "BreakerOptions", "CircuitBreaker"]

#: Failures that speak about what the job needs. The others (Rejected, FatalError, Cancelled) speak about the
#: job itself, and neither open nor close a circuit.
_COUNTED = frozenset(
    {
        FailureReason.MAX_RETRIES_EXCEEDED,
        FailureReason.CIRCUIT_BREAKER,
        FailureReason.THROTTLED,
        FailureReason.TIMEOUT,
        FailureReason.TRANSIENT,
        FailureReason.HEARTBEAT_FAILURE,
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class BreakerOptions:
    """``failures`` in a row open the circuit for ``open_seconds``; then one job is tried, and its success
    closes it, its failure opens it again. Each worker has its own.
    """

    failures: int = 5
    open_seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.failures < 1 or self.open_seconds <= 0:
            raise ValueError("failures is at least 1, open_seconds greater than 0")


@dataclass(frozen=True, kw_only=True, slots=True)
class Admission:
    """``wait``: seconds until it is worth asking again; None = run it. ``is_probe``: this one decides."""

    wait: float | None = None
    is_probe: bool = False


class CircuitBreaker:
    """Closed, open, or half-open (open, the time has passed, one probe at a time). Safe between threads."""

    def __init__(self, options: BreakerOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until: float | None = None
        self._is_probing = False

    def admit(self) -> Admission:
        with self._lock:
            if self._open_until is None:
                return Admission()
            left = self._open_until - self._clock()
            if left > 0:
                return Admission(wait=left)
            if self._is_probing:
                return Admission(wait=self._options.open_seconds)
            self._is_probing = True
            return Admission(is_probe=True)

    def record(self, reason: FailureReason | None, admission: Admission) -> str | None:
        """How an admitted execution ended; circuit-opened or circuit-closed when that changed the state."""
        with self._lock:
            if admission.is_probe:
                self._is_probing = False
            elif self._open_until is not None:
                return None  # began before it opened: old news
            if reason is None:
                was_open, self._open_until, self._failures = self._open_until is not None, None, 0
                return "circuit-closed" if was_open else None
            if reason not in _COUNTED:
                return None
            self._failures += 1
            if not admission.is_probe and self._failures < self._options.failures:
                return None
            self._open_until = self._clock() + self._options.open_seconds
            return "circuit-opened"
