"""The figures of a report, read by the bounded procedures only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..metric_models import BurnRate, ErrorPoint, LatencyPercentiles, MetricPoint, TopError
from ..models import FailureReason, QueueHealth, QueueStats, SummaryStats, Throughput
from ..operator_models import DlqFilter
from ..queue import JobQueue
from .windows import Window

__all__ = ["Counts", "Percentiles", "QueueFacts", "Report", "TypeFacts", "read_report"]

EXECUTION, QUEUE_WAIT = 0, 1
_TYPES = 25
_ERRORS = 8
_TOP_ERRORS = 20
_MOST_HOURS = 2160  # GetTopErrors looks no further back


@dataclass(frozen=True)
class Counts:
    """Executions by what they came to. ``failed``: for good; ``retried``: attempts."""

    succeeded: int = 0
    failed: int = 0
    retried: int = 0

    def plus(self, point: MetricPoint) -> Counts:
        return Counts(
            self.succeeded + point.succeeded, self.failed + point.failed, self.retried + point.retried
        )

    @property
    def finished(self) -> int:
        return self.succeeded + self.failed

    @property
    def failure_rate(self) -> float | None:
        return self.failed / self.finished if self.finished else None


@dataclass(frozen=True)
class TypeFacts:
    """A job type within a queue."""

    queue: str
    type: str
    counts: Counts
    execution: LatencyPercentiles
    wait: LatencyPercentiles | None


@dataclass(frozen=True)
class QueueFacts:
    """A queue as it is now."""

    health: QueueHealth
    stats: QueueStats | None
    totals: SummaryStats | None


Percentiles = dict[datetime, LatencyPercentiles]


@dataclass(frozen=True, kw_only=True)
class Report:
    """``queue``: None: all. Points are by the start of their step; steps without samples are left out.
    ``types``: those with the most executions; ``errors_of_hours``: what ``top_errors`` looks back on.
    """

    where: str
    queue: str | None
    now: datetime
    window: Window
    objective: float
    throughput: Throughput
    queues: tuple[QueueFacts, ...]
    counts: dict[datetime, Counts]
    execution: Percentiles
    execution_of_all: LatencyPercentiles | None
    wait: Percentiles
    wait_of_all: LatencyPercentiles | None
    types: tuple[TypeFacts, ...]
    dead: dict[FailureReason, int]
    error_points: tuple[ErrorPoint, ...]
    top_errors: tuple[TopError, ...]
    errors_of_hours: int
    burn_rates: tuple[BurnRate, ...]

    @property
    def total(self) -> Counts:
        """Of the whole window."""
        found = self.counts.values()
        return Counts(
            sum(each.succeeded for each in found),
            sum(each.failed for each in found),
            sum(each.retried for each in found),
        )


def read_report(
    queue: JobQueue,
    window: Window,
    *,
    now: datetime,
    where: str,
    name: str | None = None,
    objective: float = 0.99,
) -> Report:
    """Reads all figures: some 40 to 180 calls. ``name``: one queue. Raises ChokaqError."""
    hours = min(max(-((window.begin - now) // timedelta(hours=1)), 1), _MOST_HOURS)
    execution, execution_of_all = _percentiles(queue, window, EXECUTION, name)
    wait, wait_of_all = _percentiles(queue, window, QUEUE_WAIT, name)
    return Report(
        where=where,
        queue=name,
        now=now,
        window=window,
        objective=objective,
        throughput=queue.throughput(name),
        queues=_queues(queue, name),
        counts=_counts(queue, window, name),
        execution=execution,
        execution_of_all=execution_of_all,
        wait=wait,
        wait_of_all=wait_of_all,
        types=_types(queue, window, name),
        dead=_dead(queue, name),
        error_points=_errors(queue, window, name),
        top_errors=tuple(queue.top_errors(name, hours=hours, top=_TOP_ERRORS)),
        errors_of_hours=hours,
        burn_rates=tuple(queue.burn_rate(objective, queue=name)),
    )


def _queues(queue: JobQueue, name: str | None) -> tuple[QueueFacts, ...]:
    stats = {each.queue: each for each in queue.queue_stats(name)}
    totals = {each.queue: each for each in queue.summary_stats(name)}
    return tuple(
        QueueFacts(health, stats.get(health.queue), totals.get(health.queue))
        for health in queue.queue_health(name)
    )


def _history(
    queue: JobQueue, window: Window, name: str | None, job_type: str | None = None
) -> Iterable[MetricPoint]:
    return queue.metric_history(
        window.begin, window.end, step_minutes=window.step_minutes, queue=name, type=job_type
    )


def _counts(queue: JobQueue, window: Window, name: str | None) -> dict[datetime, Counts]:
    found: dict[datetime, Counts] = {}
    for point in _history(queue, window, name):
        start = window.start_of(point.at)
        found[start] = found.get(start, Counts()).plus(point)
    return found


def _percentiles(
    queue: JobQueue, window: Window, measure: int, name: str | None
) -> tuple[Percentiles, LatencyPercentiles | None]:
    """Of each step, and of the whole window."""
    whole = queue.latency_percentiles(window.begin, window.end, measure=measure, queue=name)
    if not whole:
        return {}, None
    found = {}
    for start in window.starts:
        rows = queue.latency_percentiles(start, start + window.width, measure=measure, queue=name)
        if rows:
            found[start] = rows[0]
    return found, whole[0]


def _types(queue: JobQueue, window: Window, name: str | None) -> tuple[TypeFacts, ...]:
    begin, end = window.begin, window.end
    executions = queue.latency_percentiles(begin, end, measure=EXECUTION, queue=name, by_type=True)
    waits = {
        (each.queue, each.type): each
        for each in queue.latency_percentiles(begin, end, measure=QUEUE_WAIT, queue=name, by_type=True)
    }
    whole_days = replace(window, step_minutes=1440)  # only the sum is wanted
    found = []
    for execution in executions[:_TYPES]:
        counts = Counts()
        for point in _history(queue, whole_days, execution.queue or "", execution.type or ""):
            counts = counts.plus(point)
        wait = waits.get((execution.queue, execution.type))
        found.append(TypeFacts(execution.queue or "", execution.type or "", counts, execution, wait))
    return tuple(found)


def _dead(queue: JobQueue, name: str | None) -> dict[FailureReason, int]:
    """Jobs in the dead-letter queue now; most first."""
    counts = {
        reason: queue.preview_dlq(DlqFilter(queue=name, failure_reason=reason), sample_size=1).match_count
        for reason in FailureReason
    }
    return {
        reason: count
        for reason, count in sorted(counts.items(), key=lambda item: item[1], reverse=True)
        if count
    }


def _errors(queue: JobQueue, window: Window, name: str | None) -> tuple[ErrorPoint, ...]:
    """The most frequent groups over time, summed into the points of the window."""
    sums: dict[tuple[str, datetime], ErrorPoint] = {}
    for point in queue.error_trends(
        window.begin, window.end, step_minutes=window.step_minutes, queue=name, top=_ERRORS
    ):
        key = (point.error_group, window.start_of(point.at))
        before = sums.get(key)
        sums[key] = ErrorPoint(
            error_group=point.error_group,
            at=key[1],
            failures=point.failures + (before.failures if before else 0),
            final=point.final + (before.final if before else 0),
        )
    return tuple(sums.values())
