"""A run's figures, made up."""

from __future__ import annotations

from chokaq import FailureReason, SummaryStats
from chokaq.demo.figures import RunFigures, Sweeps
from chokaq.demo.files import Found
from chokaq.demo.reads import FinishedJob, Tables
from chokaq.demo.worker_log import Execution, WorkerRecord

FACTS = {"sha256": "0" * 64, "size": 3, "lines": 1, "functions": None, "classes": None}


def job(name: str, reason: FailureReason | None = None) -> FinishedJob:
    """A finished job of the worker w1, under its first lease."""
    return FinishedJob(
        job_id=name,
        queue="text",
        type="text",
        worker_id="w1",
        lease=1,
        attempts=1,
        duration_ms=1.0,
        wait_ms=2.0,
        reason=reason,
    )


def ran(name: str, error: str | None = None, ended_at: int | None = 2) -> Execution:
    """Its execution."""
    facts = {} if error or ended_at is None else FACTS
    return Execution("w1", name, 1, started_at=1, ended_at=ended_at, error=error, facts=facts)


def fine_run() -> RunFigures:
    """Three files: one archived, one dead, one dead as a zombie."""
    return RunFigures(
        found=Found(["a.txt", "b.txt", "c.txt"]),
        timeout=5,
        seconds={"all jobs": 1.5},
        enqueued={"a": "a.txt", "b": "b.txt", "c": "c.txt"},
        sweeps=Sweeps(recovered=4, buried=1, retried=2),
        tables=Tables([job("a")], [job("b", FailureReason.FATAL_ERROR), job("c", FailureReason.ZOMBIE)], []),
        summary=[
            SummaryStats(
                queue="text", succeeded_total=1, failed_total=2, retried_total=7, last_activity_at=None
            )
        ],
        records=[WorkerRecord("w1", [ran("a"), ran("b", "Fatal"), ran("c", ended_at=None)])],
    )
