"""What a scrape tells, on made-up answers; the server and the command on the embedded engine."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

prometheus = pytest.importorskip("prometheus_client", reason="needs the extra chokaq[exporter]")

from prometheus_client import CollectorRegistry, generate_latest  # noqa: E402
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402

import chokaq  # noqa: E402
from chokaq import ConnectionLostError, LatencyPercentiles, SummaryStats  # noqa: E402
from chokaq.exporter import collector as module  # noqa: E402
from chokaq.exporter.collector import OTHER, QueueCollector  # noqa: E402
from chokaq.exporter.families import FAMILIES  # noqa: E402
from chokaq.operator_models import DlqFilter, DlqPreview  # noqa: E402
from tests.unit.top.frames import NOW, MadeUpQueue  # noqa: E402

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


class Queue(MadeUpQueue):
    def summary_stats(self, queue: str | None = None) -> list[SummaryStats]:
        self.calls.append("summary_stats")
        return [
            SummaryStats(
                queue=name, succeeded_total=10, failed_total=2, retried_total=3, last_activity_at=NOW
            )
            for name in self.names
        ]

    def latency_percentiles(self, *_: Any, **values: Any) -> list[LatencyPercentiles]:
        assert values["by_type"]
        self.calls.append("latency_percentiles")
        return [
            LatencyPercentiles(
                queue=name,
                type=f"t{number}",
                sample_count=9,
                p50_ms=1000.0,
                p95_ms=2000.0,
                p99_ms=3000.0,
                average_ms=1.0,
                max_ms=1.0,
            )
            for name in self.names
            for number in range(3)
        ]

    def preview_dlq(
        self, dlq_filter: DlqFilter, *, sample_size: int = 20, connection: Any = None
    ) -> DlqPreview:
        self.calls.append("preview_dlq")
        return DlqPreview(match_count=4, sample=())

    def burn_rate(self, objective: float = 0.99, **_: Any) -> list[chokaq.BurnRate]:
        self.calls.append("burn_rate")
        return [
            chokaq.BurnRate(window_minutes=m, processed=1, failed=0, failure_rate=0.0, burn_rate=1.5)
            for m in (5, 60, 4320)
        ]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def closing() -> Iterator[list[QueueCollector]]:
    made: list[QueueCollector] = []
    yield made
    for each in made:
        each.close()


def scrape(collector: QueueCollector) -> Samples:
    registry = CollectorRegistry()
    registry.register(collector)
    text = generate_latest(registry).decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, frozenset(labels.items())))


def test_a_scrape(closing: list[QueueCollector]) -> None:
    queue = Queue()
    queue.paused = {"report"}
    collector = QueueCollector(queue, now=lambda: NOW)
    closing.append(collector)
    found = scrape(collector)
    assert value(found, "chokaq_up") == 1
    assert value(found, "chokaq_jobs_finished_total", queue="mail", outcome="failed") == 2
    assert value(found, "chokaq_job_retries_total", queue="mail") == 3
    assert value(found, "chokaq_queue_jobs", queue="mail", state="due") == 5
    assert value(found, "chokaq_queue_paused", queue="report") == 1
    assert value(found, "chokaq_queue_max_workers", queue="mail") is None
    assert value(found, "chokaq_failure_ratio", window="1m") == 0.1
    assert (
        value(found, "chokaq_job_duration_quantile_seconds", queue="mail", type="t0", quantile="0.95") == 2.0
    )
    assert value(found, "chokaq_dead_letter_jobs", reason="fatal_error") == 4
    assert value(found, "chokaq_burn_rate", window="3d") == 1.5
    assert value(found, "chokaq_objective_ratio") == 0.99


def test_all_that_is_told_is_declared_and_follows_the_conventions(closing: list[QueueCollector]) -> None:
    collector = QueueCollector(Queue(), now=lambda: NOW)
    closing.append(collector)
    told = {name for name, _ in scrape(collector)}
    exposed = {family.exposed: family for family in FAMILIES.values()}
    optional = {"chokaq_queue_max_workers", "chokaq_queue_oldest_heartbeat_timestamp_seconds"}
    assert told == set(exposed) - optional
    for name, family in exposed.items():
        assert re.fullmatch(r"chokaq_[a-z]+(_[a-z]+)*", name)
        assert name.endswith("_total") == (family.kind == "counter")
        assert not re.search(r"_(ms|milliseconds|minutes|percent)(_|$)", name)  # base units
        assert family.help
    for name, labels in scrape(collector):
        assert {key for key, _ in labels} == set(exposed[name].labels)


def test_labels_are_bounded(closing: list[QueueCollector]) -> None:
    queue = Queue(*(f"q{number:03}" for number in range(300)))
    collector = QueueCollector(queue, max_queues=10, max_types=7, now=lambda: NOW)
    closing.append(collector)
    found = scrape(collector)
    queues = {dict(labels).get("queue") for _, labels in found} - {None}
    assert len(queues) == 11
    assert OTHER in queues
    assert (
        len({dict(labels)["type"] + dict(labels)["queue"] for _, labels in found if "type" in dict(labels)})
        == 7
    )
    assert value(found, "chokaq_jobs_finished_total", queue=OTHER, outcome="succeeded") == 2900
    queue.names = tuple(f"r{number:03}" for number in range(300))
    assert {dict(labels).get("queue") for _, labels in scrape(collector)} - {None} <= queues


def test_many_scrapes_read_no_more_often(closing: list[QueueCollector]) -> None:
    clock, queue = Clock(), Queue()
    collector = QueueCollector(queue, clock=clock, now=lambda: NOW)
    closing.append(collector)
    for _ in range(30):
        scrape(collector)
        clock.now += 1
    assert queue.calls.count("queue_health") == 6
    assert queue.calls.count("queue_stats") == 2
    assert queue.calls.count("burn_rate") == 1
    assert queue.calls.count("latency_percentiles") == 2


def test_a_lost_database_is_told_and_comes_back(
    closing: list[QueueCollector], caplog: pytest.LogCaptureFixture
) -> None:
    queue = Queue()
    queue.faults = [ConnectionLostError("gone")]
    collector = QueueCollector(queue, now=lambda: NOW)
    closing.append(collector)
    found = scrape(collector)
    assert value(found, "chokaq_up") == 0
    assert {name for name, _ in found} == {
        "chokaq_up",
        "chokaq_scrape_duration_seconds",
        "chokaq_build_info",
    }
    assert "ConnectionLostError: gone" in caplog.text
    assert value(scrape(collector), "chokaq_up") == 1


def test_a_database_that_hangs_holds_no_scrape(
    closing: list[QueueCollector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    release, queue = threading.Event(), Queue()
    answer = queue.queue_health

    def hang(queue: str | None = None) -> list[chokaq.QueueHealth]:
        release.wait(10)
        return answer(queue)

    queue.queue_health = hang  # type: ignore[method-assign]
    collector = QueueCollector(queue, now=lambda: NOW)
    closing.append(collector)
    for _ in range(3):
        assert value(scrape(collector), "chokaq_up") == 0
    release.set()
    end = time.monotonic() + 10
    while value(scrape(collector), "chokaq_up") != 1:
        assert time.monotonic() < end
    assert queue.calls.count("queue_health") <= 2  # those that waited asked once


def test_a_fault_of_its_own_is_not_hidden(closing: list[QueueCollector]) -> None:
    queue = Queue()
    queue.faults = [ZeroDivisionError("oops")]
    collector = QueueCollector(queue, now=lambda: NOW)
    closing.append(collector)
    with pytest.raises(ZeroDivisionError):
        scrape(collector)
