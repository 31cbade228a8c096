"""Looks after a run: shows how far it is, sweeps after dead workers, sees to the accident."""

from __future__ import annotations

import time

from chokaq.errors import ChokaqError
from chokaq.queue import JobQueue

from .accident import Accident, Kill
from .crew import Crew
from .display import Display, QueueProgress
from .figures import RunFigures
from .interrupts import Interrupts
from .reads import Reads

__all__ = ["DemoError", "Watch"]

_SWEEP_SECONDS = 1.0
_SHOW_SECONDS = 0.5
_TICK_SECONDS = 0.05
_STALL_SECONDS = 120.0


class DemoError(ChokaqError):
    """The run could not go on."""


class Watch:
    """Looks after the run while the workers work."""

    def __init__(
        self, queue: JobQueue, reads: Reads, crew: Crew, figures: RunFigures, display: Display
    ) -> None:
        self._queue = queue
        self._reads = reads
        self._crew = crew
        self._figures = figures
        self._display = display
        self._finished = 0
        self._last_change = time.monotonic()

    def until_done(self, workers: int, interrupts: Interrupts) -> None:
        """Returns when every job has ended."""
        total = len(self._figures.enqueued)
        warm_up = min(40, max(1, total // (workers * 5)))
        accident: Accident | None = Accident(self._reads, self._crew.members[0], warm_up)
        next_show = next_sweep = 0.0
        while True:
            interrupts.check()
            now = time.monotonic()
            if now >= next_show:
                next_show = now + _SHOW_SECONDS
                if self._show() >= total:
                    return
                self._check(now)
            if now >= next_sweep:
                next_sweep = now + _SWEEP_SECONDS
                self._sweep()
            if accident is not None and accident.may_happen():
                self._figures.kill = accident.try_now()
                if self._figures.kill is not None:
                    accident = None
                    self._replace(self._figures.kill)
            time.sleep(_TICK_SECONDS)

    def _show(self) -> int:
        stats = self._queue.summary_stats()
        self._display.show(
            {
                each.queue: QueueProgress(each.succeeded_total, each.failed_total, each.retried_total)
                for each in stats
            }
        )
        finished = sum(each.succeeded_total + each.failed_total for each in stats)
        if finished != self._finished:
            self._finished, self._last_change = finished, time.monotonic()
        return finished

    def _check(self, now: float) -> None:
        fallen = self._crew.fallen()
        if not self._crew.living():
            told = "\n".join(member.obituary() for member in fallen)
            raise DemoError(f"all worker processes ended before the work was done.\n{told}".rstrip())
        if now - self._last_change > _STALL_SECONDS:
            raise DemoError(
                f"no job ended for {_STALL_SECONDS:.0f} s; {self._finished:,} of "
                f"{len(self._figures.enqueued):,} are done."
            )

    def _sweep(self) -> None:
        sweeps = self._figures.sweeps
        # A second earlier than the sweep would: what grows old in between is among them too.
        silent = self._reads.silent_claims(self._figures.timeout - 1)
        result = self._queue.sweep_zombies()
        if not (result.recovered or result.buried or result.retried):
            return
        sweeps.claims |= silent - self._reads.claims()
        sweeps.recovered += result.recovered
        sweeps.buried += result.buried
        sweeps.retried += result.retried
        self._display.line(
            f"  sweep: {result.recovered} claimed jobs given back, {result.retried} zombies to run again, "
            f"{result.buried} buried"
        )

    def _replace(self, kill: Kill) -> None:
        new = self._crew.start()
        self._display.line(
            f"  worker {kill.member.number} was killed (SIGKILL) holding {kill}; "
            f"worker {new.number} takes its place"
        )
