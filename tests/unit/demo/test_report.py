"""The tables at the end, and the progress before: whatever files are called, and wherever it is printed."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from rich.console import Console

from chokaq import FailureReason, Throughput
from chokaq.demo.display import Display, QueueProgress
from chokaq.demo.figures import RunFigures
from chokaq.demo.files import Found
from chokaq.demo.report import print_report, print_verdict
from chokaq.demo.verdict import judge
from chokaq.operator_models import DeadJob
from tests.unit.demo.runs import fine_run

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def console(*, terminal: bool = False) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=110, markup=False, highlight=False, force_terminal=terminal), out


def dead(job_id: str, error: str) -> DeadJob:
    return DeadJob(
        job_id=job_id,
        queue="text",
        type="text",
        failure_reason=FailureReason.FATAL_ERROR,
        priority=10,
        attempt_count=1,
        worker_id="w1",
        created_at=NOW,
        started_at=NOW,
        failed_at=NOW,
        duration_ms=1.0,
        tags=None,
        idempotency_key=None,
        error_details=error,
    )


def printed(figures: RunFigures, error: str = "Fatal: no\ntrace") -> str:
    screen, out = console()
    verdict = judge(figures)
    print_report(screen, figures, verdict, {FailureReason.FATAL_ERROR: [dead("b", error)]})
    print_verdict(screen, figures, verdict)
    return out.getvalue()


def test_a_fine_run() -> None:
    throughput = Throughput(
        processed_last_minute=3,
        failed_last_minute=1,
        processed_last_five_minutes=3,
        failed_last_five_minutes=1,
        failure_rate_last_minute=1 / 3,
        failure_rate_last_five_minutes=1 / 3,
        average_duration_ms=1.25,
        max_duration_ms=2.5,
    )
    text = printed(replace(fine_run(), throughput=throughput))
    assert "3 enqueued = 1 archived + 2 dead; 0 lost; 0 claimed twice, by 3 executions" in text
    assert "4 claimed jobs given back (Recovered), 2 zombies to run again (Retried), 1 zombies" in text
    assert "33.33%" in text
    assert "fatal error (1)" in text
    assert "zombie (1)" in text
    assert "trace" not in text
    assert "PROBLEM" not in text


def test_what_is_wrong_stands_at_the_end() -> None:
    text = printed(replace(fine_run(), fallen=["w2 ended with exit code -9"]))
    assert text.splitlines()[-1] == "PROBLEM: a worker ended by itself: w2 ended with exit code -9"


def test_no_file_at_all() -> None:
    text = printed(RunFigures(found=Found(), timeout=5))
    assert "0 enqueued = 0 archived + 0 dead" in text
    assert "Dead letters: none." in text


def test_names_are_no_markup_and_no_control_characters() -> None:
    names = {"a": "[red]\x1b[31m\udcff.txt", "b": "[/]x\n.txt", "c": "c.txt"}
    text = printed(replace(fine_run(), enqueued=names), error="[bold]\x07 \udcff")
    text.encode("utf-8")
    assert r"[red]\x1b[31m\xff.txt" in text
    assert r"[/]x\n.txt" in text
    assert r"[bold]\x07 \xff" in text


@pytest.mark.parametrize("terminal", [False, True])
def test_progress(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("chokaq.demo.display.time.monotonic", lambda: float(next(clock)))
    screen, out = console(terminal=terminal)
    display = Display(screen)
    display.begin({"text": 10})
    display.show({"text": QueueProgress(archived=4, dead=1, retried=2), "other": QueueProgress(1, 0, 0)})
    display.line("[red] is a name")
    display.end()
    display.end()
    assert "[red] is a name" in out.getvalue()
    if not terminal:
        assert "text 5/10  1 dead, 2 retried" in out.getvalue()
        assert "\x1b" not in out.getvalue()
