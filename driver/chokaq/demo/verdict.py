"""What a run's figures add up to, and whether they are as they must be."""

from __future__ import annotations

from dataclasses import dataclass

from chokaq.models import FailureReason

from .claims import DoubleClaim, double_claims
from .figures import RunFigures
from .files import printable
from .reads import FinishedJob
from .worker_log import Execution

__all__ = ["Verdict", "judge"]

_SHOWN = 3


@dataclass(frozen=True)
class Verdict:
    """``lost``: ids of enqueued jobs that are neither archived nor dead. ``problems``: what is not as it must
    be, in words; none: the run is fine.
    """

    files: int
    enqueued: int
    archived: int
    dead: int
    zombies: int
    recovered: int
    retried: int
    lost: list[str]
    claimed_twice: list[DoubleClaim]
    elapsed_s: float
    problems: list[str]

    @property
    def jobs_per_s(self) -> float:
        """Finished jobs a second, from the first enqueue to the last result."""
        return (self.archived + self.dead) / self.elapsed_s if self.elapsed_s else 0.0

    def as_json(self) -> dict[str, int | float]:
        """The figures, as ``--json`` prints them."""
        return {
            "files": self.files,
            "enqueued": self.enqueued,
            "archived": self.archived,
            "dead": self.dead,
            "zombies": self.zombies,
            "recovered": self.recovered,
            "retried": self.retried,
            "lost": len(self.lost),
            "claimed_twice": len({double.job_id for double in self.claimed_twice}),
            "elapsed_s": round(self.elapsed_s, 3),
            "jobs_per_s": round(self.jobs_per_s, 1),
        }


def judge(figures: RunFigures) -> Verdict:
    """Counts from the tables and from the workers' logs, and holds the two against each other."""
    archived = [job for job in figures.tables.archive if job.job_id in figures.enqueued]
    dead = [job for job in figures.tables.dlq if job.job_id in figures.enqueued]
    ended = {job.job_id for job in (*archived, *dead)}
    executions = [run for record in figures.records for run in record.executions]
    doubles = double_claims(executions, figures.sweeps.claims, figures.died_at)
    lost = sorted(figures.enqueued.keys() - ended)
    return Verdict(
        files=len(figures.found.files),
        enqueued=len(figures.enqueued),
        archived=len(archived),
        dead=len(dead),
        zombies=figures.sweeps.zombies,
        recovered=figures.sweeps.recovered,
        retried=sum(each.retried_total for each in figures.summary),
        lost=lost,
        claimed_twice=doubles,
        elapsed_s=figures.seconds.get("all jobs", 0.0),
        problems=[
            *_miscounts(figures, archived, dead, ended),
            *_named(figures, "neither archived nor dead", lost),
            *_named(figures, "reported as done, but no log shows it", _unproven(archived, dead, executions)),
            *map(str, doubles),
            *(f"a worker ended by itself: {each}" for each in figures.fallen),
        ],
    )


def _miscounts(
    figures: RunFigures, archived: list[FinishedJob], dead: list[FinishedJob], ended: set[str]
) -> list[str]:
    problems = []
    files, enqueued = len(figures.found.files), len(figures.enqueued)
    if files != enqueued:
        problems.append(f"{files:,} files, but {enqueued:,} jobs were enqueued")
    if enqueued != len(archived) + len(dead):
        problems.append(f"{enqueued:,} enqueued, but {len(archived):,} archived + {len(dead):,} dead")
    if len(ended) != len(archived) + len(dead):
        problems.append("a job is in the archive and in the dead-letter queue")
    succeeded = sum(each.succeeded_total for each in figures.summary)
    failed = sum(each.failed_total for each in figures.summary)
    if (succeeded, failed) != (len(archived), len(dead)):
        problems.append(
            f"the counters say {succeeded:,} succeeded and {failed:,} failed; the tables hold "
            f"{len(archived):,} and {len(dead):,}"
        )
    return problems


def _unproven(archived: list[FinishedJob], dead: list[FinishedJob], executions: list[Execution]) -> list[str]:
    """Jobs whose end no worker's log bears out. A zombie's execution has no end."""
    succeeded = {(run.worker_id, *run.claim) for run in executions if run.ended_at and not run.error}
    failed = {(run.worker_id, *run.claim) for run in executions if run.error}
    return [
        *(job.job_id for job in archived if (job.worker_id, *job.claim) not in succeeded),
        *(
            job.job_id
            for job in dead
            if job.reason is not FailureReason.ZOMBIE and (job.worker_id, *job.claim) not in failed
        ),
    ]


def _named(figures: RunFigures, what: str, jobs: list[str]) -> list[str]:
    if not jobs:
        return []
    names = ", ".join(printable(figures.enqueued[job]) for job in jobs[:_SHOWN])
    return [f"{len(jobs):,} jobs {what}: {names}{', …' if len(jobs) > _SHOWN else ''}"]
