"""A JobQueue in memory, with the ownership rules of the procedures and faults on demand. For worker tests."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from chokaq import (
    Completion,
    FailOutcome,
    Failure,
    FetchedJob,
    JobQueue,
    Lease,
    LeaseOutcome,
    MaintenanceTask,
    Outcome,
    SweepResult,
)

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass
class State:
    job_id: str
    type: str
    payload: str | None = None
    status: str = "pending"  # fetched, processing, archived, failed
    worker: str | None = None
    lease: int = 0
    attempts: int = 0
    failures: list[Failure] = field(default_factory=list)


class FakeQueue(JobQueue):
    def __init__(self, *types: str, payload: str | None = None) -> None:
        super().__init__(lambda: None)
        self.lock = threading.Lock()
        self.jobs = {f"j{n:04}": State(f"j{n:04}", kind, payload) for n, kind in enumerate(types)}
        self.calls: Counter[str] = Counter()
        self.batches: dict[str, list[list[str]]] = defaultdict(list)
        #: Errors that the next calls of a method raise, before they do anything.
        self.faults: dict[str, list[Exception]] = defaultdict(list)
        #: Ids whose report is refused, and with which error.
        self.poison: dict[str, Exception] = {}
        self.cancelled: set[str] = set()
        self.max_processing = 0
        self.max_claimed = 0
        self.closed = False

    def _begin(self, method: str, ids: Iterable[str] = ()) -> None:
        self.calls[method] += 1
        self.batches[method].append(list(ids))
        if self.faults[method]:
            raise self.faults[method].pop(0)

    def _mine(self, worker_id: str, lease: Lease, *statuses: str) -> State | None:
        job = self.jobs[lease.job_id]
        matches = (job.worker, job.lease) == (worker_id, lease.lease_token) and job.status in statuses
        return job if matches else None

    def count(self, status: str) -> int:
        return sum(job.status == status for job in self.jobs.values())

    def take_away(self, job_id: str) -> None:
        """What a sweep does to the job of a worker that seems dead."""
        with self.lock:
            job = self.jobs[job_id]
            job.status, job.worker = "pending", None

    def check_version(self) -> int:
        self._begin("check_version")
        return 1

    def close(self) -> None:
        self.closed = True

    def fetch(
        self, worker_id: str, limit: int = 1, queues: Iterable[str] | None = None, *, connection: Any = None
    ) -> list[FetchedJob]:
        with self.lock:
            self._begin("fetch")
            found = [job for job in self.jobs.values() if job.status == "pending"][:limit]
            for job in found:
                job.status, job.worker, job.lease = "fetched", worker_id, job.lease + 1
            self.max_claimed = max(self.max_claimed, self.count("fetched") + self.count("processing"))
            return [
                FetchedJob(
                    job_id=job.job_id,
                    queue="q",
                    type=job.type,
                    payload=job.payload,
                    tags=None,
                    idempotency_key=None,
                    priority=10,
                    attempt_count=job.attempts,
                    max_attempts=3,
                    lease_token=job.lease,
                    scheduled_at=NOW,
                    created_at=NOW,
                    created_by=None,
                )
                for job in found
            ]

    def _each(  # noqa: PLR0917
        self,
        method: str,
        worker_id: str,
        leases: Any,
        statuses: tuple[str, ...],
        good: Outcome,
        status: str | None,
    ) -> list[LeaseOutcome]:
        with self.lock:
            self._begin(method, [lease.job_id for lease in leases])
            outcomes = []
            for lease in leases:
                job = self._mine(worker_id, lease, *statuses)
                if job is not None and status is not None:
                    if status == "processing" and job.status == "fetched":
                        job.attempts += 1
                    job.status = status
                outcome = good if job is not None else Outcome.LOST
                if method == "keep_alive" and job is not None and lease.job_id in self.cancelled:
                    outcome = Outcome.CANCEL_REQUESTED
                outcomes.append(LeaseOutcome(job_id=lease.job_id, outcome=outcome))
            self.max_processing = max(self.max_processing, self.count("processing"))
            return outcomes

    def mark_processing(self, worker_id: str, leases: Any, *, connection: Any = None) -> list[LeaseOutcome]:
        states = ("fetched", "processing")
        return self._each("mark_processing", worker_id, leases, states, Outcome.PROCESSING, "processing")

    def keep_alive(self, worker_id: str, leases: Any, *, connection: Any = None) -> list[LeaseOutcome]:
        return self._each("keep_alive", worker_id, leases, ("fetched", "processing"), Outcome.ALIVE, None)

    def release(self, worker_id: str, leases: Any, *, connection: Any = None) -> list[LeaseOutcome]:
        return self._each("release", worker_id, leases, ("fetched",), Outcome.RELEASED, "pending")

    def _refuse_poison(self, items: list[Any]) -> None:
        for item in items:
            if item.lease.job_id in self.poison:
                raise self.poison[item.lease.job_id]

    def complete(self, worker_id: str, completions: Any, *, connection: Any = None) -> list[LeaseOutcome]:
        items: list[Completion] = list(completions)
        self._refuse_poison(items)
        leases = [item.lease for item in items]
        return self._each("complete", worker_id, leases, ("processing",), Outcome.ARCHIVED, "archived")

    def fail(self, worker_id: str, failures: Any, *, connection: Any = None) -> list[FailOutcome]:
        items: list[Failure] = list(failures)
        with self.lock:
            self._begin("fail", [item.lease.job_id for item in items])
            outcomes = []
            for item in items:
                job = self._mine(worker_id, item.lease, "processing")
                if job is not None:
                    job.status = "failed"
                    job.failures.append(item)
                outcome = Outcome.DEAD if job is not None else Outcome.LOST
                outcomes.append(FailOutcome(job_id=item.lease.job_id, outcome=outcome, next_run_at=None))
            return outcomes

    def sweep_zombies(self, batch_size: int = 1000) -> SweepResult:
        self._begin("sweep_zombies")
        return SweepResult(recovered=0, buried=1, retried=0)

    def run_maintenance(self, *, max_batches: int = 20, now: datetime | None = None) -> list[MaintenanceTask]:
        self._begin("run_maintenance")
        done = {"recovered": 0, "buried": 1, "retried": 2, "rolled-up": 40}
        return [MaintenanceTask(task=name, rows_done=rows, more_left=False) for name, rows in done.items()]


def wait_until(condition: Any, seconds: float = 5.0) -> None:
    """Fails when the condition does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)
