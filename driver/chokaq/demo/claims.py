"""Did any job run twice that should have run once? Answered from the workers' own logs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from .worker_log import Execution

__all__ = ["Claim", "DoubleClaim", "double_claims"]

#: A job and the lease under which it was claimed.
Claim = tuple[str, int]


@dataclass(frozen=True)
class DoubleClaim:
    """Two executions of one job that must not both be."""

    job_id: str
    first: Execution
    second: Execution
    why: str

    def __str__(self) -> str:
        runs = " and ".join(f"{run.worker_id} (lease {run.lease})" for run in (self.first, self.second))
        return f"job {self.job_id}: {runs}: {self.why}"


def double_claims(
    executions: Iterable[Execution], swept: Collection[Claim], died_at: Mapping[str, int]
) -> list[DoubleClaim]:
    """The violations among all executions of a run, one for each pair.

    A claim, that is a job under one lease, may be executed once. Under different leases a job may be
    executed again, but not while an earlier lease is still good: it ends with its execution, with the death
    of its worker (``died_at``: worker → monotonic nanoseconds), or when a sweep takes it (``swept``).
    """
    by_job: dict[str, list[Execution]] = {}
    for run in executions:
        by_job.setdefault(run.job_id, []).append(run)
    found = []
    for job_id, runs in by_job.items():
        ordered = sorted(runs, key=lambda run: (run.lease, run.started_at))
        for first, second in combinations(ordered, 2):
            if first.lease == second.lease:
                found.append(DoubleClaim(job_id, first, second, "the same lease was executed twice"))
            elif first.claim not in swept and _overlap(first, second, died_at):
                found.append(
                    DoubleClaim(job_id, first, second, "both ran at a time, and no sweep had taken the first")
                )
    return found


def _overlap(first: Execution, second: Execution, died_at: Mapping[str, int]) -> bool:
    first_end, second_end = _end(first, died_at), _end(second, died_at)
    return (first_end is None or second.started_at < first_end) and (
        second_end is None or first.started_at < second_end
    )


def _end(run: Execution, died_at: Mapping[str, int]) -> int | None:
    """None: as far as is known it runs still."""
    return run.ended_at if run.ended_at is not None else died_at.get(run.worker_id)
