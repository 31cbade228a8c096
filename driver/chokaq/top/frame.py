"""What one look at the queues shows, and how it is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from ..metric_models import LatencyPercentiles, MetricPoint, TopError
from ..models import QueueHealth, QueueStats, Throughput
from ..pacing import Paced
from ..queue import JobQueue

__all__ = ["STEP_MINUTES", "Detail", "Frame", "FrameReader", "QueueLine"]

STEP_MINUTES = 5  # of the sparkline
_HOUR = timedelta(hours=1)
_ERROR_HOURS = 24
_ERRORS = 5
_COUNTS_EVERY = 10.0  # seconds; counting costs with the backlog
_DETAIL_EVERY = 15.0  # seconds; history changes slowly
_MAX_QUEUES = 50  # so many queues have their own throughput: one call for each


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueLine:
    """A queue. ``stats``: counted less often than the rest; ``throughput``: None for a queue that is not in
    sight.
    """

    health: QueueHealth
    stats: QueueStats | None
    throughput: Throughput | None

    @property
    def name(self) -> str:
        return self.health.queue


@dataclass(frozen=True, kw_only=True, slots=True)
class Detail:
    """The last hour of one queue, or of all (``queue`` None), and the errors of a day."""

    queue: str | None
    execution: LatencyPercentiles | None
    wait: LatencyPercentiles | None
    points: tuple[MetricPoint | None, ...]  # one for each step of the last hour, oldest first
    errors: tuple[TopError, ...]
    error_hours: int = _ERROR_HOURS


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """One look. ``read_at``: by the local clock."""

    read_at: datetime
    queues: tuple[QueueLine, ...]
    throughput: Throughput
    detail: Detail


class FrameReader:
    """Reads frames, each part as often as it is worth. For one thread.

    ``only``: look at this queue alone. ``selected``: the queue that the detail is about, None: all.
    ``in_sight``: the queues that get a throughput of their own, None: the first so many.
    """

    def __init__(
        self,
        queue: JobQueue,
        only: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self._queue = queue
        self._only = only
        self._clock = clock
        self._now = now
        self._stats = Paced(lambda: queue.queue_stats(only), _COUNTS_EVERY, clock=clock)
        self._detail: Paced[Detail] | None = None
        self._detail_of: str | None = None
        self.in_sight: tuple[str, ...] | None = None

    def read(self, selected: str | None = None) -> Frame:
        """Raises ChokaqError."""
        health = self._queue.queue_health(self._only)
        stats = {each.queue: each for each in self._stats.get()}
        in_sight = set(self._in_sight(each.queue for each in health))
        lines = tuple(
            QueueLine(
                health=each,
                stats=stats.get(each.queue),
                throughput=self._queue.throughput(each.queue) if each.queue in in_sight else None,
            )
            for each in health
        )
        if selected is None:
            selected = self._only
        if self._detail is None or selected != self._detail_of:
            self._detail_of = selected
            self._detail = Paced(lambda: self._read_detail(selected), _DETAIL_EVERY, clock=self._clock)
        return Frame(
            read_at=self._now(),
            queues=lines,
            throughput=self._queue.throughput(self._only),
            detail=self._detail.get(),
        )

    def forget(self) -> None:
        """All is read anew the next time."""
        self._stats.forget()
        self._detail = None

    def _in_sight(self, names: Iterable[str]) -> list[str]:
        wanted = None if self.in_sight is None else set(self.in_sight)
        return [name for name in names if wanted is None or name in wanted][:_MAX_QUEUES]

    def _read_detail(self, name: str | None) -> Detail:
        now = self._now()
        begin, end = now - _HOUR, now + timedelta(minutes=STEP_MINUTES)  # the clocks may differ a little
        execution = self._queue.latency_percentiles(begin, end, measure=0, queue=name)
        wait = self._queue.latency_percentiles(begin, end, measure=1, queue=name)
        points = self._queue.metric_history(begin, end, step_minutes=STEP_MINUTES, queue=name)
        return Detail(
            queue=name,
            execution=execution[0] if execution else None,
            wait=wait[0] if wait else None,
            points=_steps(now, points),
            errors=tuple(self._queue.top_errors(name, hours=_ERROR_HOURS, top=_ERRORS)),
        )


def _steps(now: datetime, points: Iterable[MetricPoint]) -> tuple[MetricPoint | None, ...]:
    """A place for each step of the hour up to the one that ``now`` is in."""
    step = timedelta(minutes=STEP_MINUTES)
    last = now - timedelta(
        minutes=now.minute % STEP_MINUTES, seconds=now.second, microseconds=now.microsecond
    )
    by_start = {point.at: point for point in points}
    count = int(_HOUR / step)
    return tuple(by_start.get(last - step * back) for back in range(count - 1, -1, -1))
