"""Frames, made up; and a queue whose answers are."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone
from typing import Any

from chokaq import (
    JobQueue,
    LatencyPercentiles,
    MetricPoint,
    QueueConfig,
    QueueHealth,
    QueueStats,
    Throughput,
    TopError,
    ZombieAction,
)
from chokaq.top.frame import Detail, Frame, QueueLine

NOW = datetime(2026, 3, 4, 12, 34, 56, tzinfo=timezone.utc)


def health(name: str, **values: Any) -> QueueHealth:
    given: dict[str, Any] = {
        "is_paused": False,
        "is_active": True,
        "max_workers": None,
        "fetched": 0,
        "processing": 0,
        "oldest_due_at": None,
        "lag_seconds": 0.0,
        "oldest_heartbeat_at": None,
        **values,
    }
    return QueueHealth(queue=name, **given)


def stats(name: str, pending: int = 0) -> QueueStats:
    return QueueStats(queue=name, pending=pending, due=pending, scheduled=0, fetched=0, processing=0)


def throughput(done: int = 0, failed: int = 0) -> Throughput:
    rate = failed / done if done else None
    return Throughput(
        processed_last_minute=done,
        failed_last_minute=failed,
        processed_last_five_minutes=done,
        failed_last_five_minutes=failed,
        failure_rate_last_minute=rate,
        failure_rate_last_five_minutes=rate,
        average_duration_ms=12.0 if done else None,
        max_duration_ms=99.0 if done else None,
    )


def percentiles(p50: float = 10.0) -> LatencyPercentiles:
    return LatencyPercentiles(
        queue=None,
        type=None,
        sample_count=7,
        p50_ms=p50,
        p95_ms=p50 * 10,
        p99_ms=p50 * 100,
        average_ms=p50,
        max_ms=p50 * 1000,
    )


def point(at: datetime, done: int, failed: int = 0) -> MetricPoint:
    return MetricPoint(
        at=at, succeeded=done, failed=failed, retried=0, sample_count=done, average_ms=None, max_ms=None
    )


def error(group: str = "ValueError") -> TopError:
    return TopError(error_group=group, failures=12, final=3, last_seen_at=NOW)


def detail(queue: str | None = None, errors: tuple[TopError, ...] = ()) -> Detail:
    points = tuple(point(NOW, number) if number % 2 else None for number in range(12))
    return Detail(queue=queue, execution=percentiles(), wait=None, points=points, errors=errors)


def line(name: str, pending: int = 0, **values: Any) -> QueueLine:
    return QueueLine(health=health(name, **values), stats=stats(name, pending), throughput=throughput())


def frame(*lines: QueueLine, errors: tuple[TopError, ...] = ()) -> Frame:
    return Frame(read_at=NOW, queues=lines, throughput=throughput(100, 4), detail=detail(errors=errors))


class MadeUpQueue(JobQueue):
    """Answers of two queues. ``faults``: errors that the next calls of ``queue_health`` raise."""

    def __init__(self, *names: str) -> None:
        super().__init__(lambda: None)
        self.names = names or ("mail", "report")
        self.paused: set[str] = set()
        self.calls: list[str] = []
        self.faults: list[Exception] = []
        self.refusal: Exception | None = None
        self.hang: threading.Event | None = None  # queue_health answers when it is set

    def queue_health(self, queue: str | None = None) -> list[QueueHealth]:
        self.calls.append("queue_health")
        if self.hang is not None:
            self.hang.wait(10)
        if self.faults:
            raise self.faults.pop(0)
        return [health(name, is_paused=name in self.paused) for name in self.names]

    def queue_stats(self, queue: str | None = None) -> list[QueueStats]:
        self.calls.append("queue_stats")
        return [stats(name, 5) for name in self.names]

    def throughput(self, queue: str | None = None) -> Throughput:
        self.calls.append(f"throughput {queue}")
        return throughput(10, 1)

    def latency_percentiles(self, *_: Any, queue: str | None = None, **__: Any) -> list[LatencyPercentiles]:
        self.calls.append(f"latency_percentiles {queue}")
        return [percentiles()]

    def metric_history(self, *_: Any, **__: Any) -> list[MetricPoint]:
        step = timedelta(minutes=5)
        last = NOW.replace(minute=30, second=0)
        return [point(last - step * back, 10 - back) for back in range(3)]

    def top_errors(self, queue: str | None = None, *, hours: int = 24, top: int = 10) -> list[TopError]:
        return [error()]

    def set_queue_paused(
        self, queue: str, is_paused: bool = True, *, create: bool = False, connection: Any = None
    ) -> QueueConfig:
        if self.refusal is not None:
            raise self.refusal
        (self.paused.add if is_paused else self.paused.discard)(queue)
        return QueueConfig(
            queue=queue,
            is_paused=is_paused,
            is_active=True,
            max_workers=None,
            zombie_timeout_seconds=None,
            zombie_action=ZombieAction.TO_DLQ,
            max_attempts=3,
            retry_base_seconds=1,
            retry_multiplier=2.0,
            retry_max_seconds=10,
            retry_jitter_percent=0,
            max_job_age_seconds=None,
            last_updated_at=NOW,
        )
