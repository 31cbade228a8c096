"""What the processes of the concurrency tests do. Each keeps its session, as a worker would."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from chokaq import Completion, Enqueued, JobQueue, Lease, NewJob, Outcome
from chokaq.deploy import deploy, load_package

_queues: dict[tuple[str, str], JobQueue] = {}


@dataclass(frozen=True)
class Place:
    """Where a process works, and the moment when all of them begin."""

    url: str = field(repr=False)
    schema: str
    start_at: float

    def queue(self) -> JobQueue:
        """The process's own queue, opened before the start; waits for the start."""
        key = (self.url, self.schema)
        if key not in _queues:
            _queues[key] = JobQueue(self.url, self.schema)
        _queues[key].check_version()
        time.sleep(max(0.0, self.start_at - time.time()))
        return _queues[key]


@dataclass
class Held:
    """A job that a process held for certain from ``since`` to ``until``."""

    job_id: str
    lease_token: int
    since: float
    until: float


def work_off(place: Place, worker: str, limit: int) -> list[tuple[str, int]]:
    """Claims, marks and completes until nothing is left; (id, lease) of what it completed."""
    queue = place.queue()
    done: list[tuple[str, int]] = []
    empty = 0
    while empty < 3:
        jobs = queue.fetch(worker, limit)
        if not jobs:
            empty += 1
            time.sleep(0.02)
            continue
        empty = 0
        leases = [job.lease for job in jobs]
        queue.mark_processing(worker, leases)
        answers = queue.complete(worker, [Completion(lease=lease, duration_ms=1) for lease in leases])
        assert {answer.outcome for answer in answers} == {Outcome.ARCHIVED}
        done += [(job.job_id, job.lease_token) for job in jobs]
    return done


def hold_places(place: Place, worker: str, rounds: int, limit: int) -> tuple[list[Held], int]:
    """Claims from a limited queue and gives back, again and again; also the most that it ever saw held."""
    queue = place.queue()
    held: list[Held] = []
    most = 0
    for _ in range(rounds):
        jobs = queue.fetch(worker, limit, ["limited"])
        since = time.time()
        (health,) = queue.queue_health("limited")
        most = max(most, health.fetched + health.processing)
        if jobs:
            time.sleep(0.01)
            until = time.time()
            held += [Held(job.job_id, job.lease_token, since, until) for job in jobs]
            half = len(jobs) // 2
            leases = [job.lease for job in jobs]
            queue.release(worker, leases[:half])
            queue.mark_processing(worker, leases[half:])
            queue.complete(worker, [Completion(lease=lease) for lease in leases[half:]])
    return held, most


def claim_once(place: Place, worker: str, limit: int, queues: list[str] | None = None) -> list[str]:
    return [job.job_id for job in place.queue().fetch(worker, limit, queues)]


def enqueue_keys(place: Place, keys: list[str], queue: str = "q") -> list[Enqueued]:
    """One call with a job for each key."""
    jobs = [NewJob(queue=queue, type="t", idempotency_key=key) for key in keys]
    return place.queue().enqueue_many(jobs)


def enqueue_rounds(place: Place, rounds: int) -> list[Enqueued]:
    """One call for each round, with a key that all processes use in that round."""
    queue = place.queue()
    return [queue.enqueue("q", "t", idempotency_key=f"round-{number}") for number in range(rounds)]


def complete_each(place: Place, worker: str, leases: list[Lease]) -> dict[str, Outcome]:
    """One call for each lease."""
    queue = place.queue()
    return {lease.job_id: queue.complete(worker, Completion(lease=lease))[0].outcome for lease in leases}


def keep_each(place: Place, worker: str, leases: list[Lease]) -> dict[str, Outcome]:
    """One heartbeat for each lease."""
    queue = place.queue()
    return {lease.job_id: queue.keep_alive(worker, lease)[0].outcome for lease in leases}


def sweep_often(place: Place, batch: int, rounds: int) -> tuple[int, int, int]:
    queue = place.queue()
    found = [queue.sweep_zombies(batch) for _ in range(rounds)]
    return (
        sum(each.recovered for each in found),
        sum(each.buried for each in found),
        sum(each.retried for each in found),
    )


def deploy_tables(url: str, schema: str, start_at: float) -> int:
    """How many one-time scripts this deployment ran. (Procedures would take long, and add nothing here.)"""
    package = replace(load_package(), procedures=(), permissions=())
    time.sleep(max(0.0, start_at - time.time()))
    return len(deploy(url, schema=schema, lock_timeout=60, package=package).migrations)
