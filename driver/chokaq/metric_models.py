"""The metric history: samples that go in, points, percentiles and rates that come out.

``from_row`` reads a result row by position; the columns' names were compared with the declared ones before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .models import _at

__all__ = [
    "BackfillResult",
    "BurnRate",
    "ErrorPoint",
    "LatencyPercentiles",
    "MetricPoint",
    "RollupResult",
    "Sample",
    "SampleResult",
    "TopError",
]

Row = Sequence[Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One sample of an application's own measure.

    ``measure``: its name; ``series``: the key within it (an endpoint, an adapter); ``value_ms``: None: the
    sample only counts; ``failed``: it counts as a bad one; ``at``: when, None: now.
    """

    measure: str
    series: str
    queue: str | None = None
    value_ms: float | None = None
    failed: bool = False
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleResult:
    """``refused``: the measure is new and there are too many already, or the moment is out of range."""

    accepted: int
    refused: int

    @classmethod
    def from_row(cls, row: Row) -> SampleResult:
        return cls(accepted=row[0], refused=row[1])


@dataclass(frozen=True, kw_only=True, slots=True)
class TopError:
    """An error group by its failures (attempts); ``final``: of them those that ended in the DLQ;
    ``last_seen_at``: start of the newest bucket that has one.
    """

    error_group: str
    failures: int
    final: int
    last_seen_at: datetime

    @classmethod
    def from_row(cls, row: Row) -> TopError:
        return cls(error_group=row[0], failures=row[1], final=row[2], last_seen_at=_at(row[3]))


@dataclass(frozen=True, kw_only=True, slots=True)
class RollupResult:
    """Source rows that a rollup summed into hours and days, and dropped. ``more_left``: call again."""

    fine_rows: int
    hourly_rows: int
    dropped_rows: int
    more_left: bool

    @classmethod
    def from_row(cls, row: Row) -> RollupResult:
        return cls(fine_rows=row[0], hourly_rows=row[1], dropped_rows=row[2], more_left=bool(row[3]))


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricPoint:
    """A measure in one step of time, by outcome. Milliseconds; None where no sample had a value."""

    at: datetime
    succeeded: int
    failed: int
    retried: int
    sample_count: int
    average_ms: float | None
    max_ms: float | None

    @classmethod
    def from_row(cls, row: Row) -> MetricPoint:
        return cls(
            at=_at(row[0]),
            succeeded=row[1],
            failed=row[2],
            retried=row[3],
            sample_count=row[4],
            average_ms=row[5],
            max_ms=row[6],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LatencyPercentiles:
    """Milliseconds, at most 5 % off the value of that rank. ``queue``, ``type``: None where they are not
    told apart; ``sample_count``: samples with a value.
    """

    queue: str | None
    type: str | None
    sample_count: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    average_ms: float
    max_ms: float

    @classmethod
    def from_row(cls, row: Row) -> LatencyPercentiles:
        return cls(
            queue=row[0],
            type=row[1],
            sample_count=row[2],
            p50_ms=row[3],
            p95_ms=row[4],
            p99_ms=row[5],
            average_ms=row[6],
            max_ms=row[7],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorPoint:
    """Failures (attempts) of an error group in one step of time; ``final``: of them those that ended in the
    DLQ.
    """

    error_group: str
    at: datetime
    failures: int
    final: int

    @classmethod
    def from_row(cls, row: Row) -> ErrorPoint:
        return cls(error_group=row[0], at=_at(row[1]), failures=row[2], final=row[3])


@dataclass(frozen=True, kw_only=True, slots=True)
class BurnRate:
    """Failures of a window against an objective: ``burn_rate`` 1 is what the objective just allows."""

    window_minutes: int
    processed: int
    failed: int
    failure_rate: float
    burn_rate: float

    @classmethod
    def from_row(cls, row: Row) -> BurnRate:
        return cls(
            window_minutes=row[0], processed=row[1], failed=row[2], failure_rate=row[3], burn_rate=row[4]
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class BackfillResult:
    """``sample_count``: executions counted; ``more_left``: call again."""

    hours_done: int
    sample_count: int
    more_left: bool

    @classmethod
    def from_row(cls, row: Row) -> BackfillResult:
        return cls(hours_done=row[0], sample_count=row[1], more_left=bool(row[2]))
