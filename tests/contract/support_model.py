"""What a queue should do, in plain Python: the model that test_model.py compares the database with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from chokaq import FailureReason, Outcome

R = FailureReason
SWEEPER = "SweepZombies"


class S(Enum):
    """Where a job is."""

    PENDING = "pending"
    FETCHED = "fetched"
    PROCESSING = "processing"
    ARCHIVED = "archived"
    DEAD = "dead"


@dataclass
class ModelJob:
    """``due``: its time has come. ``stale``: no heartbeat for longer than any timeout. ``started``: marked
    under its present lease. ``modified_by``: who changed its state last.
    """

    id: str
    queue: str
    priority: int
    key: str | None
    max_attempts: int | None
    due: bool
    state: S = S.PENDING
    worker: str | None = None
    lease: int = 0
    attempts: int = 0
    stale: bool = False
    started: bool = False
    cancel: bool = False
    reason: FailureReason | None = None
    modified_by: str | None = None

    @property
    def is_active(self) -> bool:
        return self.state not in (S.ARCHIVED, S.DEAD)

    @property
    def is_claimed(self) -> bool:
        return self.state in (S.FETCHED, S.PROCESSING)

    def is_held_by(self, worker: str, lease: int) -> bool:
        return self.is_claimed and (self.worker, self.lease) == (worker, lease)


@dataclass
class ModelQueue:
    paused: bool = False
    active: bool = True
    limit: int | None = None
    zombie_action: int = 0
    max_attempts: int = 3
    base_seconds: int = 10


@dataclass
class Model:
    """The whole queue, and the counters of what happened to it."""

    jobs: dict[str, ModelJob] = field(default_factory=dict)
    queues: dict[str, ModelQueue] = field(default_factory=dict)
    succeeded: Counter[str] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    retried: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Failures that had no execution, and so no wait: jobs cancelled before they started.
    unstarted: Counter[tuple[str, str]] = field(default_factory=Counter)

    # Producers

    def active_with_key(self, key: str | None) -> ModelJob | None:
        found = [job for job in self.jobs.values() if job.is_active and key is not None and job.key == key]
        assert len(found) <= 1
        return found[0] if found else None

    def enqueue(self, job: ModelJob) -> tuple[str, Outcome]:
        self.queues.setdefault(job.queue, ModelQueue())
        if job.id in self.jobs:
            return job.id, Outcome.EXISTS
        other = self.active_with_key(job.key)
        if other is not None:
            return other.id, Outcome.DUPLICATE
        self.jobs[job.id] = job
        return job.id, Outcome.ENQUEUED

    # Claims

    def claimed(self, queue: str) -> int:
        return sum(job.is_claimed for job in self.jobs.values() if job.queue == queue)

    def room(self, queue: str, at_most: int) -> int:
        limit = self.queues[queue].limit
        return at_most if limit is None else max(0, min(at_most, limit - self.claimed(queue)))

    def eligible(self, names: list[str] | None) -> dict[str, list[ModelJob]]:
        """Jobs that may be claimed, by queue."""
        found: dict[str, list[ModelJob]] = {}
        for job in self.jobs.values():
            queue = self.queues[job.queue]
            is_open = queue.active and not queue.paused and (names is None or job.queue in names)
            if is_open and job.due and job.state is S.PENDING:
                found.setdefault(job.queue, []).append(job)
        return found

    def expected_claims(self, names: list[str] | None, at_most: int) -> list[int]:
        """The priorities of the jobs that a fetch must return, in order. Which of equal ones is left open."""
        candidates: list[int] = []
        for queue, jobs in self.eligible(names).items():
            best = sorted((job.priority for job in jobs), reverse=True)
            candidates += best[: self.room(queue, at_most)]
        return sorted(candidates, reverse=True)[:at_most]

    def claim(self, job_id: str, worker: str) -> ModelJob:
        job = self.jobs[job_id]
        job.state, job.worker, job.lease = S.FETCHED, worker, job.lease + 1
        job.stale, job.started, job.modified_by = False, False, worker
        return job

    # Worker calls: each answers what the procedure must answer

    def mark(self, worker: str, job_id: str, lease: int) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or not job.is_held_by(worker, lease):
            return Outcome.LOST
        if job.state is S.FETCHED:
            job.state, job.started, job.stale = S.PROCESSING, True, False
            job.attempts += 1
            job.modified_by = worker
        return Outcome.PROCESSING

    def keep_alive(self, worker: str, job_id: str, lease: int) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or not job.is_held_by(worker, lease):
            return Outcome.LOST
        job.stale = False
        return Outcome.CANCEL_REQUESTED if job.cancel else Outcome.ALIVE

    def release(self, worker: str, job_id: str, lease: int) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or job.lease != lease:
            return Outcome.LOST
        if job.state is S.FETCHED and job.worker == worker:
            job.state, job.worker, job.modified_by = S.PENDING, None, worker
            return Outcome.RELEASED
        gave_back = job.state is S.PENDING and not job.started and job.modified_by == worker
        return Outcome.RELEASED if gave_back else Outcome.LOST

    def complete(self, worker: str, job_id: str, lease: int) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or (job.worker, job.lease) != (worker, lease):
            return Outcome.LOST
        if job.state is S.PROCESSING:
            job.state = S.ARCHIVED
            self.succeeded[job.queue] += 1
        return Outcome.ARCHIVED if job.state is S.ARCHIVED else Outcome.LOST

    def fail(self, worker: str, job_id: str, lease: int, reason: FailureReason) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or job.lease != lease:
            return Outcome.LOST
        if job.state is S.PROCESSING and job.worker == worker:
            return self.settle(job, reason, worker)
        if job.modified_by == worker and job.started:
            if job.state is S.PENDING:
                return Outcome.RETRY
            if job.state is S.DEAD and job.worker == worker:
                return Outcome.DEAD
        return Outcome.LOST

    def settle(self, job: ModelJob, reason: FailureReason, by: str) -> Outcome:
        queue = self.queues[job.queue]
        dead: FailureReason | None = None
        if job.cancel:
            dead = R.CANCELLED
        elif reason in (R.CANCELLED, R.REJECTED, R.FATAL_ERROR):
            dead = reason
        elif reason is R.ZOMBIE and queue.zombie_action == 0:
            dead = R.ZOMBIE
        elif reason is not R.CIRCUIT_BREAKER and job.attempts >= (job.max_attempts or queue.max_attempts):
            dead = R.MAX_RETRIES_EXCEEDED if reason is R.TRANSIENT else reason
        job.modified_by = by
        if dead is None:
            self.retried[job.queue, str(int(reason))] += 1
            job.state, job.worker = S.PENDING, None
            job.attempts -= reason is R.CIRCUIT_BREAKER
            job.due = queue.base_seconds == 0
            return Outcome.RETRY
        self.failed[job.queue, str(int(dead))] += 1
        job.state, job.reason = S.DEAD, dead
        return Outcome.DEAD

    # Operators

    def cancel(self, job_id: str) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or not job.is_active:
            return Outcome.NOT_FOUND
        if job.state is S.PROCESSING:
            job.cancel = True
            return Outcome.CANCEL_REQUESTED
        job.state, job.reason, job.modified_by = S.DEAD, R.CANCELLED, None
        self.failed[job.queue, str(int(R.CANCELLED))] += 1
        self.unstarted[job.queue, str(int(R.CANCELLED))] += 1
        return Outcome.CANCELLED

    def resurrect(self, job_id: str) -> Outcome:
        job = self.jobs.get(job_id)
        if job is None or job.state is not S.DEAD:
            return Outcome.NOT_FOUND
        if self.active_with_key(job.key) is not None:
            return Outcome.KEY_ACTIVE
        job.state, job.worker, job.reason, job.modified_by = S.PENDING, None, None, None
        job.attempts, job.due, job.started, job.cancel = 0, True, False, False
        return Outcome.RESURRECTED

    def sweep(self) -> tuple[int, int, int]:
        recovered = buried = retried = 0
        for job in self.jobs.values():
            if not job.stale or not job.is_claimed:
                continue
            if job.state is S.FETCHED:
                job.state, job.worker, job.modified_by = S.PENDING, None, SWEEPER
                recovered += 1
            elif self.settle(job, R.ZOMBIE, SWEEPER) is Outcome.DEAD:
                buried += 1
            else:
                retried += 1
        return recovered, buried, retried
