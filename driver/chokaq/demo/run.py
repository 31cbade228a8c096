"""One run of the demo, from the folder to the figures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import chokaq
from chokaq.deploy import deploy
from chokaq.errors import ChokaqError
from chokaq.models import NewJob, Outcome, SummaryStats, Throughput, ZombieAction

from .accident import Accident, Kill
from .claims import Claim
from .crew import Crew
from .display import Display, QueueProgress
from .files import QUEUES, Found, job_of
from .place import Place
from .reads import Reads, Tables
from .worker_log import WorkerRecord
from .worker_process import WorkerSpec

__all__ = ["DemoError", "RunFigures", "run"]

_CONCURRENCY = 4  # jobs at a time in each worker
_PREFETCH = 16  # jobs claimed ahead by each
# Without a heartbeat for so long claimed jobs come back, and running ones are zombies. A server may be far
# away and busy, and compiles each procedure in each new session.
_TIMEOUT_SECONDS = {"embedded": 5, "sqlserver": 20}
_HEARTBEATS_IN_TIMEOUT = 8
_SWEEP_SECONDS = 1.0
_SHOW_SECONDS = 0.5
_TICK_SECONDS = 0.05
_STALL_SECONDS = 120.0


class DemoError(ChokaqError):
    """The run could not go on."""


@dataclass
class Sweeps:
    """What the sweeps of a run did, and which claims they took away."""

    recovered: int = 0
    buried: int = 0
    retried: int = 0
    claims: set[Claim] = field(default_factory=set)

    @property
    def zombies(self) -> int:
        """Running jobs that were taken from dead workers."""
        return self.buried + self.retried


@dataclass
class RunFigures:
    """All that a run leaves to be told. ``enqueued``: job id → path. ``seconds``: by phase."""

    found: Found
    seconds: dict[str, float]
    enqueued: dict[str, str] = field(default_factory=dict)
    sweeps: Sweeps = field(default_factory=Sweeps)
    kill: Kill | None = None
    tables: Tables = field(default_factory=lambda: Tables([], [], []))
    summary: list[SummaryStats] = field(default_factory=list)
    throughput: Throughput | None = None
    records: list[WorkerRecord] = field(default_factory=list)
    died_at: dict[str, int] = field(default_factory=dict)
    killed: set[str] = field(default_factory=set)
    fallen: list[str] = field(default_factory=list)


def run(place: Place, root: str, found: Found, workers: int, display: Display) -> RunFigures:
    """Works all files off. Raises ChokaqError when that is not possible; whatever is raised, no process is
    left behind.
    """
    figures = RunFigures(found, {})
    timeout = _TIMEOUT_SECONDS[place.engine]
    _timed(figures, "deploy", lambda: _deploy(place, display))
    spec = WorkerSpec(
        url=place.url,
        schema=place.schema,
        worker_id="",
        root=Path(root).absolute(),
        log=place.folder,
        messages=place.folder,
        concurrency=_CONCURRENCY,
        prefetch=_PREFETCH,
        heartbeat_interval=timeout / _HEARTBEATS_IN_TIMEOUT,
    )
    with chokaq.connect(place.url, place.schema) as queue, Reads(place.url, place.schema) as reads:
        _configure(queue, timeout)
        with Crew(spec, place.folder) as crew:
            for _ in range(workers):
                crew.start()
            jobs = [job_of(path) for path in found.files]
            begun = time.monotonic()
            _timed(figures, "enqueue", lambda: _enqueue(queue, found.files, jobs, figures))
            totals = Counter(job.queue for job in jobs)
            display.field(
                "enqueued",
                f"{len(figures.enqueued):,} jobs in {figures.seconds['enqueue']:.1f} s: "
                + " · ".join(f"{name} {totals[name]:,}" for name in QUEUES),
            )
            display.begin({name: totals[name] for name in QUEUES if totals[name]})
            try:
                _Watch(queue, reads, crew, figures, display, timeout).until_done(workers)
            finally:
                display.end()
            figures.seconds["all jobs"] = time.monotonic() - begun
            # Soon, because it looks back from now.
            figures.throughput = queue.throughput()
            crew.stop(30.0)
            figures.records = [member.record() for member in crew.members]
            figures.died_at = crew.died_at()
            figures.killed = {member.worker_id for member in crew.members if member.was_killed}
            figures.fallen = [f"{each.worker_id}: {each.messages()}" for each in crew.fallen()]
        figures.tables = reads.tables()
        figures.summary = queue.summary_stats()
    return figures


def _timed(figures: RunFigures, phase: str, work: Callable[[], None]) -> None:
    started = time.monotonic()
    work()
    figures.seconds[phase] = time.monotonic() - started


def _deploy(place: Place, display: Display) -> None:
    place.is_deployed = True  # what is there is to be taken away, even if it is only half of it
    report = deploy(place.url, schema=place.schema)
    display.field(
        "deployed",
        f"{len(report.migrations)} scripts, {len(report.procedures)} procedures "
        f"in {report.duration_ms / 1000:.1f} s on {report.server}",
    )


def _configure(queue: chokaq.JobQueue, timeout: int) -> None:
    """Short timeouts, so that the rescue of what the killed worker held can be watched."""
    queue.update_settings(fetched_timeout_seconds=timeout, zombie_timeout_seconds=timeout)
    for name in QUEUES:
        # Reading a file twice does no harm: a job of a dead worker may simply run again.
        queue.set_queue_zombie_policy(
            name,
            zombie_timeout_seconds=timeout,
            zombie_action=ZombieAction.RETRY,
            create=True,
        )
        queue.set_queue_retry_policy(
            name,
            max_attempts=3,
            retry_base_seconds=1,
            retry_multiplier=2.0,
            retry_max_seconds=4,
            retry_jitter_percent=20,
        )


def _enqueue(queue: chokaq.JobQueue, paths: list[str], jobs: list[NewJob], figures: RunFigures) -> None:
    answers = queue.enqueue_many(jobs, created_by="chokaq.demo")
    figures.enqueued = {
        answer.job_id: path
        for path, answer in zip(paths, answers, strict=True)
        if answer.outcome is Outcome.ENQUEUED
    }


class _Watch:
    """Looks after the run while the workers work."""

    def __init__(
        self,
        queue: chokaq.JobQueue,
        reads: Reads,
        crew: Crew,
        figures: RunFigures,
        display: Display,
        timeout: int,
    ) -> None:
        self._timeout = timeout
        self._queue = queue
        self._reads = reads
        self._crew = crew
        self._figures = figures
        self._display = display
        self._finished = 0
        self._last_change = time.monotonic()

    def until_done(self, workers: int) -> None:
        """Returns when every job has ended."""
        total = len(self._figures.enqueued)
        warm_up = min(40, max(1, total // (workers * 5)))
        accident: Accident | None = Accident(self._reads, self._crew.members[0], warm_up)
        next_show = next_sweep = 0.0
        while True:
            now = time.monotonic()
            if now >= next_show:
                next_show = now + _SHOW_SECONDS
                if self._show() >= total:
                    return
                self._check(now)
            if now >= next_sweep:
                next_sweep = now + _SWEEP_SECONDS
                self._sweep()
            if accident is not None and accident.may_happen():
                self._figures.kill = accident.try_now()
                if self._figures.kill is not None:
                    accident = None
                    self._replace(self._figures.kill)
            time.sleep(_TICK_SECONDS)

    def _show(self) -> int:
        stats = self._queue.summary_stats()
        self._display.show(
            {
                each.queue: QueueProgress(each.succeeded_total, each.failed_total, each.retried_total)
                for each in stats
            }
        )
        finished = sum(each.succeeded_total + each.failed_total for each in stats)
        if finished != self._finished:
            self._finished, self._last_change = finished, time.monotonic()
        return finished

    def _check(self, now: float) -> None:
        fallen = self._crew.fallen()
        if not self._crew.living():
            told = "\n".join(member.messages() for member in fallen)
            raise DemoError(f"all worker processes ended before the work was done.\n{told}".rstrip())
        if now - self._last_change > _STALL_SECONDS:
            raise DemoError(
                f"no job ended for {_STALL_SECONDS:.0f} s; {self._finished:,} of "
                f"{len(self._figures.enqueued):,} are done."
            )

    def _sweep(self) -> None:
        sweeps = self._figures.sweeps
        # A second earlier than the sweep would: what grows old in between is among them too.
        silent = self._reads.silent_claims(self._timeout - 1)
        result = self._queue.sweep_zombies()
        if not (result.recovered or result.buried or result.retried):
            return
        sweeps.claims |= silent - self._reads.claims()
        sweeps.recovered += result.recovered
        sweeps.buried += result.buried
        sweeps.retried += result.retried
        self._display.line(
            f"  sweep: {result.recovered} claimed jobs given back, {result.retried} zombies to run again, "
            f"{result.buried} buried"
        )

    def _replace(self, kill: Kill) -> None:
        new = self._crew.start()
        self._display.line(
            f"  worker {kill.member.number} was killed (SIGKILL) while it held {kill.prefetched} prefetched "
            f"and {kill.running} running jobs; worker {new.number} takes its place"
        )
