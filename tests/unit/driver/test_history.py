"""The metric history: what ``JobQueue`` sends for it, and what it reads back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import JobQueue, Sample
from chokaq.calls import Caller
from chokaq.connection import Connector
from tests.unit.driver import fakedb
from tests.unit.driver.fakedb import Call, error, rows

NOW = datetime(2026, 3, 4, 5, 6, 7)  # noqa: DTZ001 - as a database gives it
UTC_NOW = NOW.replace(tzinfo=timezone.utc)
TEXT = "2026-03-04T05:06:07.000000"
LATER = "2026-03-04T06:06:07.000000"
WINDOW = (UTC_NOW, UTC_NOW + timedelta(hours=1))


def server_with(*found: tuple[Any, ...]) -> fakedb.Server:
    return fakedb.Server(lambda call: rows(call.procedure, *found))


def sent(server: fakedb.Server) -> tuple[str, tuple[Any, ...]]:
    (call,) = server.procedure_calls
    return call.procedure, call.values


def test_samples() -> None:
    server = server_with((2, 1))
    result = JobQueue(server.connect).record_samples(
        [
            Sample(measure="endpoint", series="GET /", value_ms=12),
            Sample(measure="endpoint", series="GET /", queue="q", value_ms=0.5, failed=True, at=UTC_NOW),
            Sample(measure="event", series="click"),
        ],
        max_measures=7,
    )
    name, (document, limit) = sent(server)
    assert (name, limit) == ("RecordSamples", 7)
    assert json.loads(document) == [
        {"measure": "endpoint", "series": "GET /", "valueMs": 12.0, "outcome": 0},
        {"measure": "endpoint", "series": "GET /", "queue": "q", "valueMs": 0.5, "outcome": 1, "atUtc": TEXT},
        {"measure": "event", "series": "click", "outcome": 0},
    ]
    assert (result.accepted, result.refused) == (2, 1)


def test_samples_of_many_calls_are_added_up() -> None:
    def respond(call: Call) -> Any:
        return rows(call.procedure, (len(json.loads(call.values[0])), 0))

    server = fakedb.Server(respond)
    result = JobQueue(server.connect).record_samples(Sample(measure="m", series="s") for _ in range(2500))
    assert (result.accepted, result.refused, len(server.procedure_calls)) == (2500, 0, 3)
    assert JobQueue(server.connect).record_samples([]).accepted == 0


def test_samples_are_not_counted_twice_after_a_lost_connection() -> None:
    server = fakedb.Server(lambda _: [error(*fakedb.LOST)])
    with pytest.raises(Exception, match="TCP Provider"):
        JobQueue(server.connect).record_samples(Sample(measure="m", series="s"))
    assert len(server.procedure_calls) == 1


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (Sample(measure="m", series="s", value_ms=-1), ValueError),
        (Sample(measure="m", series="s", value_ms=float("inf")), ValueError),
        (Sample(measure="m", series="s", value_ms=True), TypeError),
        (Sample(measure=1, series="s"), TypeError),  # type: ignore[arg-type]
        (Sample(measure="m", series="s", at=NOW), ValueError),
        ("m", TypeError),
    ],
)
def test_values_that_never_fit_are_not_sent(sample: Any, expected: type[Exception]) -> None:
    server = server_with((1, 0))
    with pytest.raises(expected):
        JobQueue(server.connect).record_samples([sample])
    assert server.connections == []


def test_a_measure_is_a_smallint() -> None:
    server = server_with()
    calls = Caller(Connector(server.connect))
    for value in (32768, -32769):
        with pytest.raises(ValueError, match="smallint"):
            calls.call("GetMetricHistory", *WINDOW, 60, value, None, None)
    assert server.connections == []


def test_history() -> None:
    server = server_with((NOW, 1, 2, 3, 6, None, None), (NOW, 1, 0, 0, 1, 2.5, 4.5))
    found = JobQueue(server.connect).metric_history(*WINDOW, step_minutes=5, measure=100, queue="q", type="s")
    assert sent(server) == ("GetMetricHistory", (TEXT, LATER, 5, 100, "q", "s"))
    assert (found[0].at, found[0].succeeded, found[0].failed, found[0].retried) == (UTC_NOW, 1, 2, 3)
    assert (found[0].average_ms, found[1].average_ms, found[1].max_ms) == (None, 2.5, 4.5)


def test_percentiles() -> None:
    server = server_with((None, None, 5, 1.0, 2.0, 3.0, 1.5, 4.0))
    (found,) = JobQueue(server.connect).latency_percentiles(*WINDOW, outcome=0)
    assert sent(server) == ("GetLatencyPercentiles", (TEXT, LATER, 0, None, None, 0, False))
    assert (found.queue, found.sample_count, found.p50_ms, found.p95_ms) == (None, 5, 1.0, 2.0)
    assert (found.p99_ms, found.average_ms, found.max_ms) == (3.0, 1.5, 4.0)


def test_error_trends() -> None:
    server = server_with(("boom", NOW, 3, 1))
    (found,) = JobQueue(server.connect).error_trends(*WINDOW, queue="q", top=3)
    assert sent(server) == ("GetErrorTrends", (TEXT, LATER, 60, "q", 3))
    assert (found.error_group, found.at, found.failures, found.final) == ("boom", UTC_NOW, 3, 1)


def test_top_errors() -> None:
    server = server_with(("boom", 3, 1, NOW))
    (found,) = JobQueue(server.connect).top_errors("q", hours=2)
    assert sent(server) == ("GetTopErrors", ("q", 2, 10))
    assert (found.failures, found.final, found.last_seen_at) == (3, 1, UTC_NOW)


def test_burn_rate() -> None:
    server = server_with((5, 100, 2, 0.02, 2.0))
    (found,) = JobQueue(server.connect).burn_rate(0.99, now=UTC_NOW)
    assert sent(server) == ("GetBurnRate", (0.99, None, TEXT))
    assert (found.window_minutes, found.processed, found.failed, found.burn_rate) == (5, 100, 2, 2.0)


def test_rollup_and_backfill() -> None:
    server = server_with((4, 3, 2, 1))
    rolled = JobQueue(server.connect).rollup_metrics(max_rows=7, now=UTC_NOW)
    assert sent(server) == ("RollupMetrics", (7, TEXT))
    assert (rolled.fine_rows, rolled.hourly_rows, rolled.dropped_rows, rolled.more_left) == (4, 3, 2, True)
    server = server_with((4, 30, 0))
    filled = JobQueue(server.connect).backfill_metrics(*WINDOW)
    assert sent(server) == ("BackfillMetrics", (TEXT, LATER, 24, None))
    assert (filled.hours_done, filled.sample_count, filled.more_left) == (4, 30, False)
