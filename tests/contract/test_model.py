"""Random sequences of calls by several workers and an operator, each answer compared with the model's.

After every step the database must say what the model says: every job in one pillar, in its state, with its
owner and lease, and all counters as what happened adds up to. No step sleeps: time passes by moving moments
in the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from chokaq import Completion, Failure, FailureReason, JobStatus, Lease, NewJob, Pillar, ZombieAction
from tests.contract.support import Database
from tests.contract.support_invariants import State
from tests.contract.support_model import Model, ModelJob, ModelQueue, R, S

CALLS = ("mark", "mark", "keep_alive", "release", "complete", "fail")
QUEUES = ("alpha", "beta")
WORKERS = ("w1", "w2")
REASONS = [
    reason for reason in R if reason not in (R.MAX_RETRIES_EXCEEDED, R.ZOMBIE, R.RETRY_LIFETIME_EXPIRED)
]
PLACES: dict[S, tuple[Pillar, JobStatus | None]] = {
    S.PENDING: (Pillar.HOT, JobStatus.PENDING),
    S.FETCHED: (Pillar.HOT, JobStatus.FETCHED),
    S.PROCESSING: (Pillar.HOT, JobStatus.PROCESSING),
    S.ARCHIVED: (Pillar.ARCHIVE, None),
    S.DEAD: (Pillar.DLQ, None),
}
_JOBS = """
SELECT 'hot' AS [Pillar], [t].[Id], [t].[Status], [t].[AttemptCount], [t].[WorkerId], [t].[LeaseToken],
    CONVERT(INT, NULL) AS [FailureReason]
FROM [chokaq].[JobsHot] AS [t];
SELECT 'archive' AS [Pillar], [t].[Id], CONVERT(TINYINT, NULL) AS [Status], [t].[AttemptCount],
    [t].[WorkerId], [t].[LeaseToken], CONVERT(INT, NULL) AS [FailureReason]
FROM [chokaq].[JobsArchive] AS [t];
SELECT 'dlq' AS [Pillar], [t].[Id], CONVERT(TINYINT, NULL) AS [Status], [t].[AttemptCount], [t].[WorkerId],
    [t].[LeaseToken], [t].[FailureReason]
FROM [chokaq].[JobsDLQ] AS [t];
"""
# What happens how often. One rule that draws from this list, because the choice among many rules is too
# uneven: it leaves rules out, and then hardly a run gets as far as to a second claim.
ACTIONS = (
    *["fetch"] * 6,
    *["run"] * 5,
    *["call"] * 5,
    *["come_back_late"] * 3,
    *["call_without_right"] * 2,
    *["enqueue"] * 3,
    *["heartbeats_stop"] * 2,
    *["sweep"] * 2,
    *["time_passes"] * 2,
    *["configure"] * 2,
    "set_policy",
    "cancel",
    "resurrect",
)
Draw = Callable[[Any], Any]


class QueueMachine(RuleBasedStateMachine):
    """One run: an empty database and an empty model."""

    db: ClassVar[Database]

    def __init__(self) -> None:
        super().__init__()
        self.db.reset()
        self.model = Model()
        self.made = 0
        # Every lease that was ever given out, newest last, with the worker that got it.
        self.leases: list[tuple[str, Lease]] = []
        for queue, base in zip(QUEUES, (0, 60), strict=True):
            self.write_policy(queue, 1, 2, base)
            self.enqueue_jobs([self.new_job(queue) for _ in range(3)])

    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        action = data.draw(st.sampled_from(ACTIONS), label="action")
        getattr(self, action)(data.draw)

    # Producers

    def enqueue(self, draw: Draw) -> None:
        queue = draw(st.sampled_from(QUEUES))
        jobs = [
            self.new_job(
                queue,
                priority=draw(st.sampled_from([5, 10, 90])),
                key=draw(st.sampled_from([None, None, "k1", "k2"])),
                max_attempts=draw(st.sampled_from([None, 1, 3])),
                due=draw(st.sampled_from([True, True, False])),
            )
            for _ in range(draw(st.integers(1, 4)))
        ]
        if draw(st.booleans()) and self.model.jobs:
            old = draw(st.sampled_from(list(self.model.jobs.values())))  # the same id once more
            jobs.append(self.new_job(old.queue, job_id=old.id, key=old.key))
        self.enqueue_jobs(jobs)

    def enqueue_jobs(self, jobs: list[ModelJob]) -> None:
        answers = self.db.queue.enqueue_many(
            NewJob(
                queue=job.queue,
                type="t",
                priority=job.priority,
                idempotency_key=job.key,
                max_attempts=job.max_attempts,
                delay=None if job.due else 3600,
                job_id=job.id,
            )
            for job in jobs
        )
        assert [(a.job_id, a.outcome) for a in answers] == [self.model.enqueue(job) for job in jobs]

    def new_job(
        self,
        queue: str,
        *,
        job_id: str = "",
        priority: int = 10,
        key: str | None = None,
        max_attempts: int | None = None,
        due: bool = True,
    ) -> ModelJob:
        # Numbered, because the id decides between jobs of one moment, and a run must be the same again.
        self.made += 1
        return ModelJob(job_id or f"job-{self.made:05}", queue, priority, key, max_attempts, due)

    # Workers

    def fetch(self, draw: Draw) -> None:
        worker = draw(st.sampled_from(WORKERS))
        limit = draw(st.sampled_from([1, 2, 5, 100]))
        names = draw(st.sampled_from([None, None, None, ["alpha"], ["beta", "nowhere"], []]))
        expected = self.model.expected_claims(names, limit)
        eligible = {job.id for jobs in self.model.eligible(names).values() for job in jobs}
        room = {queue: self.model.room(queue, limit) for queue in self.model.queues}
        jobs = self.db.queue.fetch(worker, limit, names)
        assert [job.priority for job in jobs] == expected
        assert {job.job_id for job in jobs} <= eligible
        assert all(amount <= room[queue] for queue, amount in Counter(job.queue for job in jobs).items())
        for job in jobs:
            claimed = self.model.claim(job.job_id, worker)
            assert job.lease_token == claimed.lease  # one more than ever before
            assert job.attempt_count == claimed.attempts
            self.leases.append((worker, job.lease))

    def held(self, draw: Draw) -> tuple[str, list[Lease]]:
        """A worker that holds jobs, and some of its leases; nobody: the worker of no lease."""
        found: dict[str, list[Lease]] = {}
        for worker, lease in self.leases:
            if self.model.jobs[lease.job_id].is_held_by(worker, lease.lease_token):
                found.setdefault(worker, []).append(lease)
        if not found:
            return WORKERS[0], []
        worker = draw(st.sampled_from(sorted(found)))
        return worker, draw(st.lists(st.sampled_from(found[worker]), min_size=1, max_size=5, unique=True))

    def run(self, draw: Draw) -> None:
        """As a real worker: marks, then ends."""
        worker, leases = self.held(draw)
        self.send("mark", worker, leases)
        end = draw(st.sampled_from(["complete", "fail", "fail", "keep_alive"]))
        self.send(end, worker, leases, draw(st.sampled_from(REASONS)))

    def call(self, draw: Draw) -> None:
        worker, leases = self.held(draw)
        self.send(draw(st.sampled_from(CALLS)), worker, leases, draw(st.sampled_from(REASONS)))

    def come_back_late(self, draw: Draw) -> None:
        """Any lease that was ever given out, for its worker: long lost, or the call is repeated."""
        if self.leases:
            worker, lease = draw(st.sampled_from(self.leases))
            self.send(draw(st.sampled_from(CALLS)), worker, [lease], draw(st.sampled_from(REASONS)))

    def call_without_right(self, draw: Draw) -> None:
        """Another worker's lease, or one that was never given out."""
        if not self.leases:
            return
        _, lease = draw(st.sampled_from(self.leases))
        thief = draw(st.sampled_from(WORKERS))
        if any((thief, lease) == each for each in self.leases):
            lease = Lease(job_id=lease.job_id, lease_token=lease.lease_token + 1000)
        before = self.db.queue.get_job(lease.job_id)
        self.send(draw(st.sampled_from(CALLS)), thief, [lease])
        assert self.db.queue.get_job(lease.job_id) == before

    def send(self, call: str, worker: str, leases: list[Lease], reason: FailureReason = R.TRANSIENT) -> None:
        """One call for some leases, compared with the model's answers."""
        queue, model = self.db.queue, self.model
        answers: Any
        if call == "mark":
            answers = queue.mark_processing(worker, leases)
        elif call == "keep_alive":
            answers = queue.keep_alive(worker, leases)
        elif call == "release":
            answers = queue.release(worker, leases)
        elif call == "complete":
            answers = queue.complete(worker, [Completion(lease=lease) for lease in leases])
        else:
            answers = queue.fail(worker, [Failure(lease=lease, reason=reason) for lease in leases])
        expected = [
            model.fail(worker, lease.job_id, lease.lease_token, reason)
            if call == "fail"
            else getattr(model, call)(worker, lease.job_id, lease.lease_token)
            for lease in leases
        ]
        assert [answer.outcome for answer in answers] == expected

    # Time

    def heartbeats_stop(self, draw: Draw) -> None:
        claimed = [job for job in self.model.jobs.values() if job.is_claimed]
        if claimed:
            for job in draw(st.lists(st.sampled_from(claimed), min_size=1, max_size=3, unique_by=id)):
                self.db.age(1000, "HeartbeatUtc", job_id=job.id)
                job.stale = True
            if draw(st.booleans()):
                self.sweep(draw)

    def time_passes(self, draw: Draw) -> None:
        """Long enough for every delay, while all workers keep their jobs alive."""
        self.db.age(86_400, "ScheduledAtUtc")
        for job in self.model.jobs.values():
            job.due = job.due or job.is_active

    def sweep(self, draw: Draw) -> None:
        found = self.db.queue.sweep_zombies()
        assert (found.recovered, found.buried, found.retried) == self.model.sweep()

    # Operators

    def configure(self, draw: Draw) -> None:
        queue = draw(st.sampled_from(QUEUES))
        model = self.model.queues[queue]
        model.paused = draw(st.sampled_from([False, False, False, True]))
        model.active = draw(st.sampled_from([True, True, True, False]))
        model.limit = draw(st.sampled_from([None, 0, 1, 2, 3]))
        self.db.queue.set_queue_paused(queue, model.paused)
        self.db.queue.set_queue_active(queue, model.active)
        row = self.db.queue.set_queue_max_workers(queue, model.limit)
        assert (row.is_paused, row.is_active, row.max_workers) == (model.paused, model.active, model.limit)

    def set_policy(self, draw: Draw) -> None:
        queue = draw(st.sampled_from(QUEUES))
        self.write_policy(
            queue, draw(st.integers(0, 1)), draw(st.integers(1, 4)), draw(st.sampled_from([0, 60]))
        )

    def write_policy(self, queue: str, action: int, attempts: int, base: int) -> None:
        self.db.queue.set_queue_zombie_policy(
            queue, zombie_timeout_seconds=100, zombie_action=ZombieAction(action), create=True
        )
        self.db.queue.set_queue_retry_policy(
            queue,
            max_attempts=attempts,
            retry_base_seconds=base,
            retry_multiplier=2,
            retry_max_seconds=3600,
            retry_jitter_percent=0,
        )
        model = self.model.queues.setdefault(queue, ModelQueue())
        model.zombie_action, model.max_attempts, model.base_seconds = action, attempts, base

    def cancel(self, draw: Draw) -> None:
        job_id = draw(st.sampled_from(list(self.model.jobs)))
        (answer,) = self.db.queue.cancel(job_id)
        assert answer.outcome is self.model.cancel(job_id)

    def resurrect(self, draw: Draw) -> None:
        dead = [job.id for job in self.model.jobs.values() if job.state is S.DEAD]
        job_id = draw(st.sampled_from(dead or list(self.model.jobs)))
        (answer,) = self.db.queue.resurrect(job_id)
        assert answer.outcome is self.model.resurrect(job_id)

    # What must hold

    @invariant()
    def every_job_is_where_the_model_has_it(self) -> None:
        rows = self.db.sql(_JOBS, every_set=True)
        found = {
            row["Id"]: (
                Pillar(row["Pillar"]),
                None if row["Status"] is None else JobStatus(row["Status"]),
                row["WorkerId"],
                row["LeaseToken"],
                row["AttemptCount"],
                row["FailureReason"],
            )
            for row in rows
        }
        assert len(found) == len(rows)  # no job twice
        assert found == {
            job.id: (*PLACES[job.state], job.worker, job.lease, job.attempts, job.reason)
            for job in self.model.jobs.values()
        }

    @invariant()
    def counters_add_up_to_what_happened(self) -> None:
        state, model = State.of(self.db), self.model
        failed: Counter[str] = Counter()
        retried: Counter[str] = Counter()
        for (queue, _), amount in model.failed.items():
            failed[queue] += amount
        for (queue, _), amount in model.retried.items():
            retried[queue] += amount
        assert state.by_queue("succeeded") == model.succeeded
        assert state.by_queue("failed") == failed
        assert state.by_queue("retried") == retried
        assert state.by_queue("bucket", "0/-1") == model.succeeded
        assert state.by_detail("bucket", "1/") == model.failed
        assert state.by_queue("series", "0/0/-1") == model.succeeded
        assert state.by_detail("series", "0/1/") == model.failed
        assert state.by_detail("series", "0/2/") == model.retried
        assert state.by_detail("series", "2/1/") == model.failed
        assert state.by_detail("series", "2/2/") == model.retried
        assert state.by_queue("series", "1/0/-1") == model.succeeded
        assert state.by_detail("series", "1/1/") == model.failed - model.unstarted
        assert state.by_detail("series", "1/2/") == model.retried


def explore(db: Database, examples: int, steps: int) -> None:
    machine = type("Machine", (QueueMachine,), {"db": db})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=True,
            deadline=None,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_random_sequences(db: Database) -> None:
    """The same sequences every time; fewer on a server, where each call is a round trip."""
    explore(db, *((20, 50) if db.platform == "embedded" else (4, 40)))


@pytest.mark.slow
def test_many_random_sequences(db: Database) -> None:
    explore(db, *((150, 60) if db.platform == "embedded" else (25, 50)))
