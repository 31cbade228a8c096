"""Double claims in synthetic logs: those that are there are found, and nothing else."""

from __future__ import annotations

import pytest

from chokaq.demo.claims import Claim, double_claims
from chokaq.demo.worker_log import Execution


def ran(worker: str, job: str, lease: int, start: int, end: int | None) -> Execution:
    return Execution(worker, job, lease, started_at=start, ended_at=end)


def found(*runs: Execution, swept: set[Claim] | None = None, died: dict[str, int] | None = None) -> list[str]:
    return [double.job_id for double in double_claims(runs, swept or set(), died or {})]


def test_nothing_happened() -> None:
    assert found() == []


def test_other_jobs_may_run_at_the_same_time() -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w2", "b", 1, 0, 10), ran("w1", "c", 1, 5, 6)) == []


def test_one_claim_in_two_workers() -> None:
    runs = ran("w1", "a", 1, 0, 10), ran("w2", "a", 1, 5, 15)
    (double,) = double_claims(runs, set(), {})
    assert (double.job_id, double.first.worker_id, double.second.worker_id) == ("a", "w1", "w2")
    assert "same lease" in double.why
    assert "w1" in str(double)


def test_one_claim_twice_is_wrong_even_one_after_the_other() -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w2", "a", 1, 20, 30)) == ["a"]


def test_one_claim_twice_in_the_same_worker() -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w1", "a", 1, 20, 30)) == ["a"]


def test_one_claim_twice_is_wrong_even_after_a_sweep() -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w2", "a", 1, 20, 30), swept={("a", 1)}) == ["a"]


def test_a_retry_runs_under_a_new_lease() -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w2", "a", 2, 10, 20), ran("w1", "a", 3, 30, 40)) == []


@pytest.mark.parametrize(("start", "end"), [(5, 15), (0, 10), (2, 3), (5, None), (-5, 5)], ids=str)
def test_two_leases_of_one_job_at_a_time(start: int, end: int | None) -> None:
    assert found(ran("w1", "a", 1, 0, 10), ran("w2", "a", 2, start, end)) == ["a"]


def test_a_swept_lease_may_go_on_for_nothing() -> None:
    runs = ran("w1", "a", 1, 0, 10), ran("w2", "a", 2, 5, 15)
    assert found(*runs, swept={("a", 1)}) == []
    # The sweep of another claim, or of the later one, is no excuse.
    assert found(*runs, swept={("a", 2), ("b", 1)}) == ["a"]


def test_a_dead_worker_runs_nothing() -> None:
    runs = ran("w1", "a", 1, 0, None), ran("w2", "a", 2, 20, 30)
    assert found(*runs) == ["a"]
    assert found(*runs, died={"w1": 15}) == []
    assert found(*runs, died={"w1": 25}) == ["a"]
    assert found(*runs, died={"w2": 15}) == ["a"]


def test_each_pair_of_three_is_looked_at() -> None:
    runs = ran("w1", "a", 1, 0, 100), ran("w2", "a", 2, 10, 20), ran("w3", "a", 3, 30, 40)
    assert found(*runs) == ["a", "a"]
