"""The worker's maintenance thread: RunMaintenance, or only sweeps where the login may not do more."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .errors import PermissionDeniedError
from .queue import JobQueue
from .worker_backoff import Availability, jittered
from .worker_events import Reporter

__all__ = ["Maintenance"]

_SWEEP_BATCH = 1000
_SWEPT = frozenset({"recovered", "buried", "retried"})


class Maintenance:
    """Every ``interval`` seconds, and at once again while something is left. Several workers do not disturb
    each other: RunMaintenance runs once at a time, and the others are told "busy".
    """

    def __init__(
        self,
        queue: JobQueue,
        interval: float,
        *,
        sweep_only: bool,
        reporter: Reporter,
        availability: Availability,
        on_error: Callable[[Exception], None],
    ) -> None:
        self._queue = queue
        self._interval = interval
        self._sweep_only = sweep_only
        self._reporter = reporter
        self._availability = availability
        self._on_error = on_error

    def run(self, stop: threading.Event) -> None:
        """Until ``stop``, or until the login turns out to have no right to any of it."""
        delay = jittered(self._interval / 2)
        while not stop.wait(delay):
            delay = jittered(self._interval)
            try:
                more_left = self._sweep() if self._sweep_only else self._maintain()
            except PermissionDeniedError:
                if self._sweep_only:
                    self._reporter("sweep-denied")
                    return
                self._sweep_only = True
                delay = 0.0
            except Exception as error:
                self._on_error(error)
            else:
                self._availability.succeeded()
                delay = 0.0 if more_left else delay

    def _maintain(self) -> bool:
        tasks = self._queue.run_maintenance()
        if any(each.task == "busy" for each in tasks):
            # Another run is at work, or one that died keeps the gate shut for some minutes. Zombies do
            # not wait.
            return self._sweep()
        swept = sum(each.rows_done for each in tasks if each.task in _SWEPT)
        others = sum(each.rows_done for each in tasks if each.task not in _SWEPT)
        if swept:
            self._reporter("swept", count=swept)
        if others:
            self._reporter("maintained", count=others)
        return any(each.more_left for each in tasks)

    def _sweep(self) -> bool:
        result = self._queue.sweep_zombies(_SWEEP_BATCH)
        count = result.recovered + result.buried + result.retried
        if count:
            self._reporter("swept", count=count)
        return count >= _SWEEP_BATCH
