"""Reads the bounded procedures at a scrape, and gives what they say to prometheus_client."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillReadingError
from datetime import datetime, timedelta, timezone

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ..dbapi import is_driver_error
from ..errors import ChokaqError
from ..metric_models import BurnRate, LatencyPercentiles
from ..models import FailureReason, QueueHealth, QueueStats, SummaryStats, Throughput
from ..operator_models import DlqFilter
from ..pacing import Paced
from ..queue import JobQueue
from ..version import __version__
from .families import FAMILIES

__all__ = ["OTHER", "QueueCollector"]

OTHER = "(other)"  # of a label, for all that are too many

_log = logging.getLogger("chokaq.exporter")
_FAST, _COUNTS, _SLOW = 5.0, 15.0, 60.0  # seconds between two reads at least, however often it is scraped
_PATIENCE = 8.0  # seconds that a scrape waits; Prometheus gives up after ten
_HOUR = timedelta(hours=1)

Values = dict[tuple[str, ...], float]


class QueueCollector(Collector):
    """``max_queues``, ``max_types``: values that the labels may have. ``objective``: for the burn rate.

    All reading is done by one thread of its own, over one connection: each scrape comes in a new thread.
    """

    def __init__(
        self,
        queue: JobQueue,
        *,
        max_queues: int = 100,
        max_types: int = 50,
        objective: float = 0.99,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self._queue = queue
        self._objective = objective
        self._now = now
        self._clock = clock
        self._queues = _Names(max_queues)
        self._types = _Names(max_types)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="chokaq-exporter")
        self._lock = threading.Lock()
        self._reading: Future[dict[str, Values]] | None = None
        self._health: Paced[list[QueueHealth]] = Paced(queue.queue_health, _FAST, clock=clock)
        self._totals: Paced[list[SummaryStats]] = Paced(queue.summary_stats, _FAST, clock=clock)
        self._throughput: Paced[Throughput] = Paced(queue.throughput, _FAST, clock=clock)
        self._stats: Paced[list[QueueStats]] = Paced(queue.queue_stats, _COUNTS, clock=clock)
        self._dead: Paced[dict[FailureReason, int]] = Paced(self._read_dead, _SLOW, clock=clock)
        self._burn: Paced[list[BurnRate]] = Paced(lambda: queue.burn_rate(objective), _SLOW, clock=clock)
        self._execution = Paced(lambda: self._read_percentiles(0), _SLOW, clock=clock)
        self._wait = Paced(lambda: self._read_percentiles(1), _SLOW, clock=clock)

    def describe(self) -> Iterable[Metric]:
        """Registering does not read the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All metrics; without an answer of the database only that it is not up."""
        started = self._clock()
        values: dict[str, Values] = {}
        try:
            values = dict(self._under_way().result(_PATIENCE))
            up = 1.0
        except Exception as error:
            known = ChokaqError | OSError | StillReadingError
            if not isinstance(error, known) and not is_driver_error(error):
                raise
            _log.warning("the database did not answer: %s: %s", type(error).__name__, error)
            up = 0.0
        values["chokaq_up"] = {(): up}
        values["chokaq_scrape_duration_seconds"] = {(): self._clock() - started}
        values["chokaq_build_info"] = {(__version__,): 1.0}
        for name, found in values.items():
            yield _metric(name, found)

    def close(self) -> None:
        """Waits for a reading that is under way."""
        self._reader.shutdown(cancel_futures=True)

    def _under_way(self) -> Future[dict[str, Values]]:
        """The reading that goes on, or a new one: scrapes at the same time share it."""
        with self._lock:
            if self._reading is None or self._reading.done():
                self._reading = self._reader.submit(self._values)
            return self._reading

    def _values(self) -> dict[str, Values]:
        return {
            **self._of_health(),
            **self._of_totals(),
            "chokaq_queue_jobs": self._of_stats(),
            **self._of_throughput(),
            "chokaq_job_duration_quantile_seconds": self._of_percentiles(self._execution.get()),
            "chokaq_queue_wait_quantile_seconds": self._of_percentiles(self._wait.get()),
            "chokaq_dead_letter_jobs": {
                (reason.name.lower(),): float(count) for reason, count in self._dead.get().items()
            },
            "chokaq_burn_rate": {
                (_window(rate.window_minutes),): rate.burn_rate for rate in self._burn.get()
            },
            "chokaq_objective_ratio": {(): self._objective},
        }

    def _of_health(self) -> dict[str, Values]:
        names = ("lag_seconds", "paused", "active", "max_workers", "oldest_heartbeat_timestamp_seconds")
        found: dict[str, Values] = {f"chokaq_queue_{name}": {} for name in names}
        for each in self._health.get():
            label = (self._queues.label(each.queue),)
            lag = found["chokaq_queue_lag_seconds"]
            lag[label] = max(lag.get(label, 0.0), each.lag_seconds)
            if label == (OTHER,):
                continue  # the rest cannot be summed
            found["chokaq_queue_paused"][label] = float(each.is_paused)
            found["chokaq_queue_active"][label] = float(each.is_active)
            if each.max_workers is not None:
                found["chokaq_queue_max_workers"][label] = float(each.max_workers)
            if each.oldest_heartbeat_at is not None:
                found["chokaq_queue_oldest_heartbeat_timestamp_seconds"][label] = (
                    each.oldest_heartbeat_at.timestamp()
                )
        return found

    def _of_totals(self) -> dict[str, Values]:
        finished: Values = defaultdict(float)
        retries: Values = defaultdict(float)
        for each in self._totals.get():
            label = self._queues.label(each.queue)
            finished[label, "succeeded"] += each.succeeded_total
            finished[label, "failed"] += each.failed_total
            retries[label,] += each.retried_total
        return {"chokaq_jobs_finished": finished, "chokaq_job_retries": retries}

    def _of_stats(self) -> Values:
        found: Values = defaultdict(float)
        for each in self._stats.get():
            label = self._queues.label(each.queue)
            found[label, "due"] += each.due
            found[label, "scheduled"] += each.scheduled
            found[label, "fetched"] += each.fetched
            found[label, "processing"] += each.processing
        return found

    def _of_throughput(self) -> dict[str, Values]:
        found = self._throughput.get()
        rates = {"1m": found.failure_rate_last_minute, "5m": found.failure_rate_last_five_minutes}
        return {
            "chokaq_processed_jobs": {
                ("1m",): float(found.processed_last_minute),
                ("5m",): float(found.processed_last_five_minutes),
            },
            "chokaq_failure_ratio": {(each,): rate for each, rate in rates.items() if rate is not None},
        }

    def _of_percentiles(self, rows: Iterable[LatencyPercentiles]) -> Values:
        """Of the job types that have a label; percentiles of the others cannot be put together."""
        found: Values = {}
        for row in rows:
            queue, job_type = row.queue or "", row.type or ""
            label = self._queues.label(queue)
            if OTHER in {label, self._types.label(f"{queue}\0{job_type}")}:
                continue
            for quantile, value in (("0.5", row.p50_ms), ("0.95", row.p95_ms), ("0.99", row.p99_ms)):
                found[label, job_type, quantile] = value / 1000
        return found

    def _read_percentiles(self, measure: int) -> list[LatencyPercentiles]:
        now = self._now()
        return self._queue.latency_percentiles(
            now - _HOUR, now + timedelta(minutes=5), measure=measure, by_type=True
        )

    def _read_dead(self) -> dict[FailureReason, int]:
        return {
            reason: self._queue.preview_dlq(DlqFilter(failure_reason=reason), sample_size=1).match_count
            for reason in FailureReason
        }


class _Names:
    """The first so many names that come; they keep their label for the life of the process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()

    def label(self, name: str) -> str:
        if name not in self._known:
            if len(self._known) >= self._most:
                return OTHER
            self._known.add(name)
        return name


def _window(minutes: int) -> str:
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


def _metric(name: str, values: Values) -> Metric:
    family = FAMILIES[name]
    kind = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    metric = kind(family.name, family.help, labels=family.labels)
    for labels, value in values.items():
        metric.add_metric(labels, value)
    return metric
