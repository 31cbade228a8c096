"""The page of made-up figures: complete in itself, whatever texts it shows."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

pytest.importorskip("pygal", reason="needs the extra chokaq[report]")

from chokaq import BurnRate, ErrorPoint, FailureReason, LatencyPercentiles, SummaryStats, TopError
from chokaq.report import charts
from chokaq.report.data import Counts, QueueFacts, Report, TypeFacts
from chokaq.report.page import page_of
from chokaq.report.windows import window_until
from tests.unit.report.pages import read_page
from tests.unit.top.frames import NOW, health, stats, throughput

NASTY = "</style></svg><script src=//evil.example/x.js>alert(1)</script>\x00\x1b\ud800'\"&"
WINDOW = window_until(NOW, timedelta(hours=6))
STARTS = WINDOW.starts


def latency(p50: float = 10.0) -> LatencyPercentiles:
    return LatencyPercentiles(
        queue="mail",
        type=NASTY,
        sample_count=5,
        p50_ms=p50,
        p95_ms=p50 * 3,
        p99_ms=p50 * 9,
        average_ms=p50,
        max_ms=p50 * 10,
    )


def report(name: str = "mail") -> Report:
    totals = SummaryStats(
        queue=name, succeeded_total=5, failed_total=1, retried_total=0, last_activity_at=NOW
    )
    return Report(
        where=name,
        queue=None,
        now=NOW,
        window=WINDOW,
        objective=0.99,
        throughput=throughput(10, 1),
        queues=(QueueFacts(health(name, is_paused=True, lag_seconds=75.0), stats(name, 4), totals),),
        counts={start: Counts(100 + n, n % 3, n % 5) for n, start in enumerate(STARTS) if n != 4},
        execution={start: latency(1.0 + n) for n, start in enumerate(STARTS) if n != 4},
        execution_of_all=latency(),
        wait={start: latency(0.0) for start in STARTS},
        wait_of_all=latency(0.0),
        types=(TypeFacts(name, name, Counts(90, 9, 3), latency(), None),),
        dead={FailureReason.FATAL_ERROR: 7, FailureReason.ZOMBIE: 1},
        error_points=tuple(
            ErrorPoint(error_group=group, at=start, failures=3, final=1)
            for group in (name, "Timeout", "")
            for start in STARTS[::2]
        ),
        top_errors=(TopError(error_group=name, failures=30, final=3, last_seen_at=NOW),),
        errors_of_hours=6,
        burn_rates=tuple(
            BurnRate(window_minutes=m, processed=100, failed=m % 7, failure_rate=0.01, burn_rate=m / 100)
            for m in (5, 30, 60, 360, 1440, 4320, 43_200)
        ),
    )


def empty() -> Report:
    return replace(
        report(),
        queues=(),
        counts={},
        execution={},
        execution_of_all=None,
        wait={},
        wait_of_all=None,
        types=(),
        dead={},
        error_points=(),
        top_errors=(),
        burn_rates=tuple(replace(each, burn_rate=0.0) for each in report().burn_rates),
    )


@pytest.mark.parametrize("made", [report(), report(NASTY), empty()], ids=["full", "nasty", "empty"])
def test_it_loads_nothing_and_runs_nothing(made: Report) -> None:
    text = page_of(made)
    page = read_page(text)
    assert page.references == []
    assert "default-src 'none'" in text
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert len(page.ids) == len(set(page.ids))
    text.encode("utf-8")


def test_it_shows_all_charts_and_tables() -> None:
    page = read_page(page_of(report()))
    assert page.svgs == 7
    for wanted in (
        "Throughput",
        "Failures: share",
        "Execution time: percentiles",
        "Queue wait",
        "Burn rate",
        "Dead-letter queue, by reason",
        "fatal error: 7",
        "Queues now",
        "paused",
        "Job types",
        "9.09 %",
        "Errors: failed attempts",
        "(no group)",
        "432.00",
        "p99",
    ):
        assert wanted in page.text, wanted


def test_nothing_to_show_is_said() -> None:
    page = read_page(page_of(empty()))
    assert page.svgs == 1
    for wanted in ("Nothing was executed", "It is empty.", "There are none.", "There were none."):
        assert wanted in page.text


def test_it_has_a_light_and_a_dark_scheme() -> None:
    text = page_of(report())
    light, _, dark = text.partition("prefers-color-scheme: dark")
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", text))
    for name in used:
        assert f"{name}:" in light, name
        assert f"{name}:" in dark, name
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    # No colour of its own in a chart: it would not follow the scheme.
    assert not re.search(r"(?:fill|stroke|background(?:-color)?)\s*[:=]\s*\"?(?:#|rgb|black|white)", drawn)


def test_contrast_of_text() -> None:
    """WCAG asks for 4.5 for text, 3 for graphics."""
    for scheme in schemes():
        for ground in ("--page", "--panel"):
            for name in ("--text", "--faint", "--bad"):
                assert contrast(scheme[name], scheme[ground]) >= 4.5, (name, ground, scheme[name])
            for name in ("--good", "--warn", *(f"--series-{n}" for n in range(1, 9))):
                assert contrast(scheme[name], scheme[ground]) >= 2.5, (name, ground, scheme[name])


def schemes() -> list[dict[str, str]]:
    light, _, dark = page_of(empty()).partition("prefers-color-scheme: dark")
    return [dict(re.findall(r"(--[a-z0-9-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_values_show_under_the_pointer() -> None:
    text = charts.throughput_chart(WINDOW, {STARTS[0]: Counts(1234, 0, 0)})
    assert ": 1,234</title>" in text


def test_a_wide_range_of_latencies_gets_a_logarithmic_axis() -> None:
    narrow = {start: latency(10.0) for start in STARTS}
    wide = {start: latency(10.0 ** (n % 5)) for n, start in enumerate(STARTS)}
    assert "0 ms</text>" in charts.latency_chart(WINDOW, narrow, "execution")
    assert ">0 ms</text>" not in charts.latency_chart(WINDOW, wide, "execution")
    charts.latency_chart(WINDOW, {STARTS[0]: latency(0.0), STARTS[1]: latency(1e6)}, "execution")
