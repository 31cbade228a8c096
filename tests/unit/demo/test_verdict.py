"""The verdict: counts come from tables and logs, and whatever does not agree is a problem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chokaq.demo.figures import RunFigures
from chokaq.demo.files import Found
from chokaq.demo.reads import Tables
from chokaq.demo.verdict import judge
from chokaq.demo.worker_log import Execution, WorkerRecord
from tests.unit.demo.runs import fine_run, job, ran


@pytest.fixture
def fine() -> RunFigures:
    return fine_run()


def test_a_fine_run(fine: RunFigures) -> None:
    verdict = judge(fine)
    assert verdict.problems == []
    assert verdict.as_json() == {
        "files": 3,
        "enqueued": 3,
        "archived": 1,
        "dead": 2,
        "zombies": 3,
        "recovered": 4,
        "retried": 7,
        "lost": 0,
        "claimed_twice": 0,
        "elapsed_s": 1.5,
        "jobs_per_s": 2.0,
    }


def test_no_file_at_all() -> None:
    verdict = judge(RunFigures(found=Found(), timeout=5))
    assert verdict.problems == []
    assert verdict.as_json()["jobs_per_s"] == 0.0


def test_a_lost_job(fine: RunFigures) -> None:
    verdict = judge(replace(fine, tables=Tables([], fine.tables.dlq, ["a"])))
    assert verdict.as_json()["lost"] == 1
    assert any("3 enqueued, but 0 archived + 2 dead" in problem for problem in verdict.problems)
    assert any("a.txt" in problem for problem in verdict.problems)


def test_a_job_that_ended_twice(fine: RunFigures) -> None:
    verdict = judge(replace(fine, tables=Tables([job("a"), job("b")], fine.tables.dlq, [])))
    assert any("in the archive and in the dead-letter queue" in problem for problem in verdict.problems)


def test_a_file_that_was_not_enqueued(fine: RunFigures) -> None:
    verdict = judge(replace(fine, found=Found(["a.txt", "b.txt", "c.txt", "d.txt"])))
    assert verdict.problems == ["4 files, but 3 jobs were enqueued"]


def test_counters_that_disagree(fine: RunFigures) -> None:
    verdict = judge(replace(fine, summary=[]))
    assert len(verdict.problems) == 1
    assert "counters" in verdict.problems[0]


@pytest.mark.parametrize(
    "executions",
    [
        [ran("b", "Fatal")],  # nobody ran it
        [ran("a", "Fatal"), ran("b", "Fatal")],  # it failed
        [ran("a", ended_at=None), ran("b", "Fatal")],  # it never ended
        [replace(ran("a"), lease=2), ran("b", "Fatal")],  # under another lease
        [replace(ran("a"), worker_id="w2"), ran("b", "Fatal")],  # in another worker
    ],
)
def test_a_success_that_no_log_shows(fine: RunFigures, executions: list[Execution]) -> None:
    verdict = judge(replace(fine, records=[WorkerRecord("w1", executions)]))
    assert verdict.problems == ["1 jobs reported as done, but no log shows it: a.txt"]


def test_a_double_claim(fine: RunFigures) -> None:
    other = WorkerRecord("w2", [replace(ran("a"), worker_id="w2")])
    verdict = judge(replace(fine, records=[*fine.records, other]))
    assert verdict.as_json()["claimed_twice"] == 1
    assert len(verdict.problems) == 1
    assert "job a" in verdict.problems[0]


def test_a_worker_that_ended_by_itself(fine: RunFigures) -> None:
    verdict = judge(replace(fine, fallen=["w2: MemoryError"]))
    assert verdict.problems == ["a worker ended by itself: w2: MemoryError"]
