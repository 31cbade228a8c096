"""Calls inside a caller's transaction: they join it, never end it, and leave nothing of a refused call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chokaq import Completion, Failure, FailureReason, InvalidValueError, NewJob, Outcome, Pillar
from tests.contract.support import Database
from tests.contract.support_invariants import State, check


@pytest.fixture
def connection(db: Database) -> Iterator[Any]:
    opened = db.connect()
    yield opened
    opened.close()


def open_transactions(db: Database, connection: Any) -> int:
    return int(db.scalar("SELECT @@TRANCOUNT AS [n];", connection=connection))


def test_a_whole_life_inside_one_transaction_that_commits(db: Database, connection: Any) -> None:
    queue = db.queue
    queue.enqueue_many([NewJob(queue="q", type="t") for _ in range(3)], connection=connection)
    jobs = queue.fetch("w1", 3, connection=connection)
    queue.mark_processing("w1", [job.lease for job in jobs[:2]], connection=connection)
    queue.keep_alive("w1", jobs[0].lease, connection=connection)
    queue.release("w1", jobs[2].lease, connection=connection)
    done = queue.complete("w1", Completion(lease=jobs[0].lease), connection=connection)
    dead = queue.fail(
        "w1", Failure(lease=jobs[1].lease, reason=FailureReason.REJECTED), connection=connection
    )
    assert (done[0].outcome, dead[0].outcome) == (Outcome.ARCHIVED, Outcome.DEAD)
    assert open_transactions(db, connection) == 1
    connection.commit()
    state = check(db, jobs=3)
    assert (state.total("hot"), state.total("archive"), state.total("dlq")) == (1, 1, 1)


def test_a_whole_life_inside_one_transaction_that_rolls_back(db: Database, connection: Any) -> None:
    db.fill("q", 2)
    before = db.sql("SELECT * FROM [chokaq].[JobsHot] ORDER BY [Id];")
    queue = db.queue
    jobs = queue.fetch("w1", 2, connection=connection)
    queue.mark_processing("w1", [job.lease for job in jobs], connection=connection)
    queue.complete("w1", Completion(lease=jobs[0].lease), connection=connection)
    queue.fail("w1", Failure(lease=jobs[1].lease, reason=FailureReason.REJECTED), connection=connection)
    assert open_transactions(db, connection) == 1
    connection.rollback()
    assert db.sql("SELECT * FROM [chokaq].[JobsHot] ORDER BY [Id];") == before
    assert State.of(db).total("series") == 0
    check(db, jobs=2)


def test_a_refused_call_leaves_the_callers_transaction_to_the_caller(db: Database, connection: Any) -> None:
    db.queue.enqueue("q", "t", job_id="first", connection=connection)
    with pytest.raises(InvalidValueError):
        db.queue.enqueue("q", "t", job_id="second", priority=101, connection=connection)
    # XACT_ABORT: the transaction is doomed or gone, but not half committed; the caller rolls back.
    connection.rollback()
    assert db.queue.get_job("first") is None
    assert db.queue.get_job("second") is None
    db.queue.enqueue("q", "t", job_id="third", connection=connection)
    connection.commit()
    assert db.job("third").pillar is Pillar.HOT


def test_a_refused_call_alone_leaves_no_transaction_open(db: Database) -> None:
    connection = db.connect(autocommit=True)
    try:
        for rows in ("[1]", '[{"queue": "q", "type": "t", "priority": 101}]'):
            with pytest.raises(Exception, match="EnqueueJobs"):
                db.execute("EnqueueJobs", Jobs=rows, connection=connection)
        with pytest.raises(Exception, match="SetQueuePaused"):
            db.execute("SetQueuePaused", Queue="no such queue", IsPaused=True, connection=connection)
        assert open_transactions(db, connection) == 0
    finally:
        connection.close()


def test_calls_alone_leave_no_transaction_open(db: Database) -> None:
    connection = db.connect(autocommit=True)
    try:
        db.queue.enqueue_many([NewJob(queue="q", type="t") for _ in range(4)], connection=connection)
        first, second, third, _ = db.queue.fetch("w1", 4, connection=connection)
        db.queue.mark_processing("w1", [first.lease, second.lease], connection=connection)
        db.queue.complete("w1", Completion(lease=first.lease), connection=connection)
        db.queue.fail(
            "w1", Failure(lease=second.lease, reason=FailureReason.TRANSIENT), connection=connection
        )
        db.queue.release("w1", third.lease, connection=connection)
        db.queue.set_queue_max_workers("q", 3, connection=connection)
        db.execute("SweepZombies", BatchSize=5, connection=connection)
        assert open_transactions(db, connection) == 0
    finally:
        connection.close()
    check(db, jobs=4)


def test_sessions_keep_their_options(db: Database) -> None:
    """SET inside a procedure ends with it: the caller's XACT_ABORT is what it was."""
    db.needs("options")
    connection = db.connect(autocommit=True)
    try:
        db.sql("SET XACT_ABORT OFF;", connection=connection)
        db.queue.enqueue("q", "t", connection=connection)
        assert db.scalar("SELECT @@OPTIONS & 16384 AS [XactAbort];", connection=connection) == 0
    finally:
        connection.close()
