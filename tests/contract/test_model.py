"""Random sequences of calls by several workers and an operator, each answer compared with the model's.

After every step the database must say what the model says: every job in one pillar, in its state, with its owner
and lease, and all counters as what happened adds up to. No step sleeps: time passes by moving moments in the rows.
"""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from chokaq import Completion, Failure, FailureReason, JobStatus, Lease, NewJob, Outcome, Pillar, ZombieAction
from tests.contract.support import Database
from tests.contract.support_invariants import State
from tests.contract.support_model import Model, ModelJob, ModelQueue, R, S

QUEUES = ("alpha", "beta")
WORKERS = ("w1", "w2", "w3")
REASONS = [reason for reason in R if reason not in (R.MAX_RETRIES_EXCEEDED, R.ZOMBIE, R.RETRY_LIFETIME_EXPIRED)]
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
SELECT 'archive' AS [Pillar], [t].[Id], CONVERT(TINYINT, NULL) AS [Status], [t].[AttemptCount], [t].[WorkerId],
    [t].[LeaseToken], CONVERT(INT, NULL) AS [FailureReason]
FROM [chokaq].[JobsArchive] AS [t];
SELECT 'dlq' AS [Pillar], [t].[Id], CONVERT(TINYINT, NULL) AS [Status], [t].[AttemptCount], [t].[WorkerId],
    [t].[LeaseToken], [t].[FailureReason]
FROM [chokaq].[JobsDLQ] AS [t];
"""
queues = st.sampled_from(QUEUES)
workers = st.sampled_from(WORKERS)
picks = st.integers(0, 10_000)


class QueueMachine(RuleBasedStateMachine):
    """One run: an empty database and an empty model."""

    db: ClassVar[Database]

    def __init__(self) -> None:
        super().__init__()
        self.db.reset()
        self.model = Model()
        # Every lease that was ever given out, newest last, with the worker that got it.
        self.leases: list[tuple[str, Lease]] = []

    @initialize()
    def configure(self) -> None:
        for queue in QUEUES:
            self.set_policy(queue, 3, 10)

    # Producers

    @rule(
        queue=queues,
        count=st.integers(1, 4),
        priority=st.sampled_from([5, 10, 90]),
        key=st.sampled_from([None, None, "k1", "k2"]),
        delayed=st.booleans(),
        attempts=st.sampled_from([None, 1, 2]),
    )
    def enqueue(
        self, queue: str, count: int, priority: int, key: str | None, delayed: bool, attempts: int | None
    ) -> None:
        jobs = [
            ModelJob(uuid.uuid4().hex, queue, priority, key, attempts, due=not delayed) for _ in range(count)
        ]
        self.enqueue_jobs(jobs, delayed)

    @precondition(lambda self: self.model.jobs)
    @rule(pick=picks)
    def enqueue_again(self, pick: int) -> None:
        old = self.pick_job(pick)
        self.enqueue_jobs([ModelJob(old.id, old.queue, 10, old.key, None, due=True)], delayed=False)

    def enqueue_jobs(self, jobs: list[ModelJob], delayed: bool) -> None:
        answers = self.db.queue.enqueue_many(
            NewJob(
                queue=job.queue,
                type="t",
                priority=job.priority,
                idempotency_key=job.key,
                max_attempts=job.max_attempts,
                delay=3600 if delayed else None,
                job_id=job.id,
            )
            for job in jobs
        )
        assert [(a.job_id, a.outcome) for a in answers] == [self.model.enqueue(job) for job in jobs]

    # Workers

    @rule(
        worker=workers,
        limit=st.sampled_from([1, 2, 5, 100]),
        names=st.sampled_from([None, None, None, ["alpha"], ["beta", "nowhere"], []]),
    )
    def fetch(self, worker: str, limit: int, names: list[str] | None) -> None:
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

    @precondition(lambda self: self.leases)
    @rule(pick=picks, fresh=st.booleans())
    def mark(self, pick: int, fresh: bool) -> None:
        worker, leases = self.pick_leases(pick, fresh)
        answers = self.db.queue.mark_processing(worker, leases)
        self.compare(answers, [self.model.mark(worker, each.job_id, each.lease_token) for each in leases])

    @precondition(lambda self: self.leases)
    @rule(pick=picks, fresh=st.booleans())
    def keep_alive(self, pick: int, fresh: bool) -> None:
        worker, leases = self.pick_leases(pick, fresh)
        answers = self.db.queue.keep_alive(worker, leases)
        self.compare(answers, [self.model.keep_alive(worker, each.job_id, each.lease_token) for each in leases])

    @precondition(lambda self: self.leases)
    @rule(pick=picks, fresh=st.booleans())
    def release(self, pick: int, fresh: bool) -> None:
        worker, leases = self.pick_leases(pick, fresh)
        answers = self.db.queue.release(worker, leases)
        self.compare(answers, [self.model.release(worker, each.job_id, each.lease_token) for each in leases])

    @precondition(lambda self: self.leases)
    @rule(pick=picks, fresh=st.booleans())
    def complete(self, pick: int, fresh: bool) -> None:
        worker, leases = self.pick_leases(pick, fresh)
        answers = self.db.queue.complete(worker, [Completion(lease=lease) for lease in leases])
        self.compare(answers, [self.model.complete(worker, each.job_id, each.lease_token) for each in leases])

    @precondition(lambda self: self.leases)
    @rule(pick=picks, fresh=st.booleans(), reason=st.sampled_from(REASONS))
    def fail(self, pick: int, fresh: bool, reason: FailureReason) -> None:
        worker, leases = self.pick_leases(pick, fresh)
        answers = self.db.queue.fail(worker, [Failure(lease=lease, reason=reason) for lease in leases])
        self.compare(
            answers, [self.model.fail(worker, each.job_id, each.lease_token, reason) for each in leases]
        )

    @precondition(lambda self: self.leases)
    @rule(pick=picks, call=st.sampled_from(["mark", "keep_alive", "release", "complete", "fail"]), thief=workers)
    def call_without_right(self, pick: int, call: str, thief: str) -> None:
        """Another worker's lease, or one that was never given out."""
        owner, lease = self.leases[-1 - pick % len(self.leases)]
        if thief == owner:
            lease = Lease(job_id=lease.job_id, lease_token=lease.lease_token + 1000)
        queue = self.db.queue
        answers: Any = {
            "mark": lambda: queue.mark_processing(thief, lease),
            "keep_alive": lambda: queue.keep_alive(thief, lease),
            "release": lambda: queue.release(thief, lease),
            "complete": lambda: queue.complete(thief, Completion(lease=lease)),
            "fail": lambda: queue.fail(thief, Failure(lease=lease, reason=R.TRANSIENT)),
        }[call]()
        assert [answer.outcome for answer in answers] == [Outcome.LOST]

    # Time

    @precondition(lambda self: any(job.is_claimed for job in self.model.jobs.values()))
    @rule(pick=picks, everyone=st.booleans())
    def heartbeats_stop(self, pick: int, everyone: bool) -> None:
        claimed = [job for job in self.model.jobs.values() if job.is_claimed]
        for job in claimed if everyone else [claimed[pick % len(claimed)]]:
            self.db.age(1000, "HeartbeatUtc", job_id=job.id)
            job.stale = True

    @rule()
    def time_passes(self) -> None:
        """Long enough for every delay, while all workers keep their jobs alive."""
        self.db.age(86_400, "ScheduledAtUtc")
        for job in self.model.jobs.values():
            job.due = job.due or job.is_active

    @rule()
    def sweep(self) -> None:
        found = self.db.queue.sweep_zombies()
        assert (found.recovered, found.buried, found.retried) == self.model.sweep()

    # Operators

    @rule(queue=queues, is_paused=st.booleans())
    def pause(self, queue: str, is_paused: bool) -> None:
        assert self.db.queue.set_queue_paused(queue, is_paused).is_paused == is_paused
        self.model.queues[queue].paused = is_paused

    @rule(queue=queues, is_active=st.sampled_from([True, True, False]))
    def activate(self, queue: str, is_active: bool) -> None:
        assert self.db.queue.set_queue_active(queue, is_active).is_active == is_active
        self.model.queues[queue].active = is_active

    @rule(queue=queues, limit=st.sampled_from([None, None, 0, 1, 3]))
    def limit(self, queue: str, limit: int | None) -> None:
        assert self.db.queue.set_queue_max_workers(queue, limit).max_workers == limit
        self.model.queues[queue].limit = limit

    @rule(queue=queues, action=st.sampled_from([0, 1]))
    def zombie_policy(self, queue: str, action: int) -> None:
        self.db.queue.set_queue_zombie_policy(
            queue, zombie_timeout_seconds=100, zombie_action=ZombieAction(action)
        )
        self.model.queues[queue].zombie_action = action

    @rule(queue=queues, attempts=st.integers(1, 4), base=st.sampled_from([0, 60]))
    def set_policy(self, queue: str, attempts: int, base: int) -> None:
        self.db.queue.set_queue_retry_policy(
            queue,
            max_attempts=attempts,
            retry_base_seconds=base,
            retry_multiplier=2,
            retry_max_seconds=3600,
            retry_jitter_percent=0,
            create=True,
        )
        settings_of = self.model.queues.setdefault(queue, ModelQueue())
        settings_of.max_attempts, settings_of.base_seconds = attempts, base

    @precondition(lambda self: self.model.jobs)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        job = self.pick_job(pick)
        (answer,) = self.db.queue.cancel(job.id)
        assert answer.outcome is self.model.cancel(job.id)

    @precondition(lambda self: any(job.state is S.DEAD for job in self.model.jobs.values()))
    @rule(pick=picks)
    def resurrect(self, pick: int) -> None:
        dead = [job for job in self.model.jobs.values() if job.state is S.DEAD]
        job = dead[pick % len(dead)]
        (answer,) = self.db.queue.resurrect(job.id)
        assert answer.outcome is self.model.resurrect(job.id)

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

    # How

    def pick_job(self, pick: int) -> ModelJob:
        return list(self.model.jobs.values())[-1 - pick % len(self.model.jobs)]

    def pick_leases(self, pick: int, fresh: bool) -> tuple[str, list[Lease]]:
        """A worker and some of its leases: those it holds now, or one that may be long void."""
        worker, lease = self.leases[-1 - pick % len(self.leases)]
        if not fresh:
            return worker, [lease]
        held = [
            each
            for owner, each in self.leases
            if owner == worker and self.model.jobs[each.job_id].is_held_by(worker, each.lease_token)
        ]
        return worker, held[: 1 + pick % 5] or [lease]

    @staticmethod
    def compare(answers: Any, expected: list[Outcome]) -> None:
        assert [answer.outcome for answer in answers] == expected


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
