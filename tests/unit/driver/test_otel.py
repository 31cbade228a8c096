"""OpenTelemetry: what a worker's spans and metrics say, with an SDK that keeps them in memory."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from chokaq import (
    BreakerOptions,
    DriverMissingError,
    JobContext,
    Rejected,
    RetryLater,
    TypeOptions,
    WorkerEvent,
)
from tests.unit.driver.fakequeue import FakeQueue
from tests.unit.driver.workers import make

pytest.importorskip("opentelemetry.sdk", reason="the SDK is not installed (development extra)")

from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from chokaq.otel import Telemetry


class Recorded:
    """A Telemetry and all it recorded."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        self.reader = InMemoryMetricReader()
        self.telemetry = Telemetry(tracers, MeterProvider([self.reader], shutdown_on_exit=False))
        self.tracer = tracers.get_tracer("test")

    def points(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        data = self.reader.get_metrics_data()
        assert data is not None
        return [
            (dict(point.attributes or {}), getattr(point, "value", None) or getattr(point, "count", None))
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]

    def run(self, *types: str, handlers: dict[str, Any], **options: Any) -> None:
        telemetry = self.telemetry
        worker = make(
            FakeQueue(*types),
            handlers,
            concurrency=1,
            around=telemetry.around,
            on_event=telemetry.on_event,
            **options,
        )
        worker.run(burst=True)


def test_a_span_around_each_execution() -> None:
    recorded = Recorded()

    async def ok(_context: JobContext) -> None:
        with recorded.tracer.start_as_current_span("inner"):
            pass

    recorded.run("ok", handlers={"ok": ok})
    inner, span = recorded.spans.get_finished_spans()
    assert inner.parent is not None
    assert inner.parent.span_id == span.context.span_id
    assert (span.name, span.kind) == ("process q", trace.SpanKind.CONSUMER)
    assert dict(span.attributes or {}) == {
        "messaging.system": "chokaq",
        "messaging.operation.type": "process",
        "messaging.destination.name": "q",
        "messaging.message.id": "j0000",
        "chokaq.job.type": "ok",
        "chokaq.job.attempt": 1,
    }
    assert span.status.is_unset


@pytest.mark.parametrize(
    ("error", "is_error"), [(ValueError("x"), True), (Rejected("x"), True), (RetryLater("x"), False)]
)
def test_which_failures_are_errors_of_the_span(error: Exception, is_error: bool) -> None:
    recorded = Recorded()

    def bad(_context: JobContext) -> None:
        raise error

    recorded.run("bad", handlers={"bad": bad})
    span = recorded.spans.get_finished_spans()[0]
    assert (span.status.status_code is trace.StatusCode.ERROR) is is_error
    assert [event.name for event in span.events] == ["exception"]


def test_metrics() -> None:
    recorded = Recorded()

    def bad(_context: JobContext) -> None:
        raise RetryLater("down")

    options = {"bad": TypeOptions(breaker=BreakerOptions(failures=1))}
    handlers = {"ok": lambda _context: None, "bad": bad}
    recorded.run("ok", "bad", "bad", handlers=handlers, type_options=options)
    ok = {"messaging.destination.name": "q", "chokaq.job.type": "ok"}
    bad_type = {"messaging.destination.name": "q", "chokaq.job.type": "bad"}
    assert recorded.points("chokaq.jobs.started") == [(ok, 1), (bad_type, 2)]
    dead = {"chokaq.decision": "dead"}
    assert recorded.points("chokaq.jobs.ended") == [
        (ok | {"chokaq.outcome": "succeeded", "chokaq.decision": "archived"}, 1),
        (bad_type | {"chokaq.outcome": "failed", "chokaq.reason": "TRANSIENT"} | dead, 1),
        (bad_type | {"chokaq.outcome": "deferred"} | dead, 1),
    ]
    assert [count for _, count in recorded.points("chokaq.job.duration")] == [1, 1]
    assert recorded.points("chokaq.circuit.changes") == [(bad_type | {"chokaq.state": "opened"}, 1)]
    assert sum(count for _, count in recorded.points("chokaq.jobs.fetched")) == 3


def test_other_events_are_counted_or_passed_over() -> None:
    recorded = Recorded()
    for name in ("server-unavailable", "worker-started", "something-new"):
        recorded.telemetry.on_event(WorkerEvent(name=name))
    recorded.telemetry.on_event(WorkerEvent(name="swept", fields={"count": 5}))
    assert recorded.points("chokaq.server.lost") == [({}, 1)]
    assert recorded.points("chokaq.jobs.swept") == [({}, 5)]


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.delitem(sys.modules, "chokaq.otel")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(DriverMissingError, match=r"chokaq\[otel\]"):
        importlib.import_module("chokaq.otel")
