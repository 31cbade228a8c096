"""Patience with a server that is away."""

from __future__ import annotations

import random
import threading

from .errors import CallTimeoutError, ConnectionFailedError, ConnectionLostError
from .worker_events import Reporter

__all__ = ["Availability", "Backoff", "jittered"]


def jittered(seconds: float) -> float:
    """``seconds`` give or take a fifth, so that workers that began together do not stay together."""
    return seconds * random.uniform(0.8, 1.2)


class Backoff:
    """Growing delays: ``base``, doubled each time up to ``cap`` seconds, jittered."""

    def __init__(self, base: float = 0.5, cap: float = 30.0) -> None:
        self._base = base
        self._cap = cap
        self._count = 0

    def next(self) -> float:
        """Seconds to wait now."""
        delay = min(self._cap, self._base * 2.0 ** min(self._count, 30))
        self._count += 1
        return jittered(delay)

    def reset(self) -> None:
        self._count = 0


class Availability:
    """Tells once that the server went away, and once that it is back, however many threads notice."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._lock = threading.Lock()
        self._is_down = False

    def failed(self, error: Exception) -> None:
        told_error = f"{type(error).__name__}: {error}"
        if not isinstance(error, ConnectionFailedError | ConnectionLostError | CallTimeoutError):
            self._reporter("call-failed", error=told_error)
            return
        with self._lock:
            told, self._is_down = self._is_down, True
        if not told:
            self._reporter("server-unavailable", error=told_error)

    def succeeded(self) -> None:
        with self._lock:
            was_down, self._is_down = self._is_down, False
        if was_down:
            self._reporter("server-available")
