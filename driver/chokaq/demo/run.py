"""One run of the demo, from the folder to the figures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chokaq
from chokaq.deploy import deploy
from chokaq.models import NewJob, Outcome, ZombieAction

from .crew import Crew
from .display import Display
from .figures import RunFigures
from .files import QUEUES, Found, job_of
from .interrupts import Interrupts
from .place import Place
from .reads import Reads
from .watch import Watch
from .worker_process import WorkerSpec

__all__ = ["run"]

_CONCURRENCY = 4  # jobs at a time in each worker
_PREFETCH = 16  # jobs claimed ahead by each
# Without a heartbeat for so long claimed jobs come back, and running ones are zombies. A server may be far
# away and busy, and compiles each procedure in each new session.
_TIMEOUT_SECONDS = {"embedded": 5, "sqlserver": 20}
_HEARTBEATS_IN_TIMEOUT = 8


def run(
    place: Place, root: str, found: Found, *, workers: int, display: Display, interrupts: Interrupts
) -> RunFigures:
    """Works all files off. Raises ChokaqError when that is not possible; whatever is raised, no process is
    left behind.
    """
    timeout = _TIMEOUT_SECONDS[place.engine]
    figures = RunFigures(found, timeout)
    _timed(figures, "deploy", lambda: _deploy(place, display))
    interrupts.check()
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
                interrupts.check()
            jobs = [job_of(path) for path in found.files]
            begun = time.monotonic()
            _timed(figures, "enqueue", lambda: _enqueue(queue, found.files, jobs, figures))
            totals = Counter(job.queue for job in jobs)
            display.field(
                "enqueued",
                f"{len(figures.enqueued):,} jobs in {figures.seconds['enqueue']:.1f} s: "
                + " · ".join(f"{name} {totals[name]:,}" for name in QUEUES),
            )
            interrupts.check()
            display.begin({name: totals[name] for name in QUEUES if totals[name]})
            try:
                Watch(queue, reads, crew, figures, display).until_done(workers, interrupts)
            finally:
                display.end()
            figures.seconds["all jobs"] = time.monotonic() - begun
            # Soon, because it looks back from now.
            figures.throughput = queue.throughput()
            crew.stop(30.0)
            figures.records = [member.record() for member in crew.members]
            figures.died_at = crew.died_at()
            figures.killed = {member.worker_id for member in crew.members if member.was_killed}
            figures.fallen = [each.obituary() for each in crew.fallen()]
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
