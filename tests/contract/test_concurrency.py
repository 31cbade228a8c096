"""Several processes at once: nothing is claimed twice, no limit is exceeded, nobody loses."""

from __future__ import annotations

import logging
import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import pytest

from chokaq import Completion, Lease, NewJob, Outcome, ZombieAction
from tests.contract import support_processes as processes
from tests.contract.support import Database, new_schema
from tests.contract.support_invariants import check
from tests.contract.support_processes import Place

CREW = 4


@pytest.fixture(scope="module")
def crew() -> Iterator[ProcessPoolExecutor]:
    """Processes that live as long as the module, each with a session of its own."""
    with ProcessPoolExecutor(CREW, mp_context=multiprocessing.get_context("spawn")) as pool:
        # A process is started for each task that finds none idle; these make all of them.
        for ready in [pool.submit(time.sleep, 0.3) for _ in range(CREW)]:
            ready.result()
        yield pool


def place(db: Database, wait: float = 0.2) -> Place:
    return Place(db.url, db.schema, time.time() + wait)


def results(futures: list[Future[Any]]) -> list[Any]:
    return [future.result(timeout=60) for future in futures]


def test_one_backlog_is_worked_off_once(db: Database, crew: ProcessPoolExecutor) -> None:
    ids = [job_id for queue in ("a", "b", "c") for job_id in db.fill(queue, 100)]
    here = place(db)
    found = results([crew.submit(processes.work_off, here, f"w{n}", 7 + n) for n in range(CREW)])
    claimed = [claim for done in found for claim in done]
    assert sorted(job_id for job_id, _ in claimed) == sorted(ids)
    assert {lease for _, lease in claimed} == {1}
    state = check(db, jobs=300)
    assert state.total("archive") == 300


def test_a_limit_is_never_exceeded(db: Database, crew: ProcessPoolExecutor) -> None:
    limit = 3
    db.queue.set_queue_max_workers("limited", limit, create=True)
    db.fill("limited", 400)
    here = place(db)
    found = results([crew.submit(processes.hold_places, here, f"w{n}", 15, 2) for n in range(CREW)])
    held = [each for jobs, _ in found for each in jobs]
    assert len(held) >= CREW
    assert max(most for _, most in found) <= limit
    events = sorted([(each.since, 1) for each in held] + [(each.until, -1) for each in held])
    at_once = most = 0
    for _, change in events:
        at_once += change
        most = max(most, at_once)
    assert most <= limit
    assert len({(each.job_id, each.lease_token) for each in held}) == len(held)
    check(db, jobs=400)


def test_a_claim_that_is_not_committed_yet_holds_its_places(db: Database, crew: ProcessPoolExecutor) -> None:
    db.queue.set_queue_max_workers("limited", 3, create=True)
    db.fill("limited", 20)
    connection = db.connect()
    try:
        first = db.queue.fetch("slow", 2, connection=connection)
        assert len(first) == 2
        here = place(db)
        others = [crew.submit(processes.claim_once, here, f"w{n}", 5) for n in range(CREW)]
        time.sleep(0.7)
        connection.commit()
        claimed = [job_id for jobs in results(others) for job_id in jobs]
    finally:
        connection.close()
    assert len(claimed) <= 1
    assert not set(claimed) & {job.job_id for job in first}
    (health,) = db.queue.queue_health("limited")
    assert health.fetched == 2 + len(claimed)


def test_a_claim_that_is_not_committed_yet_holds_up_nobody(db: Database, crew: ProcessPoolExecutor) -> None:
    db.needs("row-locks")
    db.needs("readpast")
    db.queue.set_queue_max_workers("limited", 3, create=True)
    db.fill("limited", 20)
    db.fill("free", 20)
    connection = db.connect()
    try:
        db.queue.fetch("slow", 2, connection=connection)
        here = place(db)
        others = [crew.submit(processes.claim_once, here, f"w{n}", 3) for n in range(CREW)]
        claimed = [future.result(timeout=5) for future in others]
        connection.rollback()
    finally:
        connection.close()
    assert [len(jobs) for jobs in claimed] == [3] * CREW


def test_a_limit_that_is_lowered_holds_for_every_later_claim(db: Database, crew: ProcessPoolExecutor) -> None:
    db.queue.set_queue_max_workers("limited", 50, create=True)
    db.fill("limited", 60)
    here = place(db)
    claims = [crew.submit(processes.claim_once, here, f"w{n}", 10) for n in range(CREW)]
    time.sleep(max(0.0, here.start_at - time.time()))
    db.queue.set_queue_max_workers("limited", 1)
    (after,) = db.queue.queue_health("limited")
    found = results(claims)
    # Claims that came before the change are counted in it already; none that came later took a place.
    (end,) = db.queue.queue_health("limited")
    assert end.fetched == sum(len(jobs) for jobs in found)
    assert end.fetched <= max(1, after.fetched)


def test_one_key_from_many_sessions_is_one_job(db: Database, crew: ProcessPoolExecutor) -> None:
    here = place(db)
    rounds = 10
    found = results([crew.submit(processes.enqueue_rounds, here, rounds) for _ in range(CREW)])
    for number in range(rounds):
        answers = [each[number] for each in found]
        assert len({answer.job_id for answer in answers}) == 1
        assert sorted(answer.outcome.value for answer in answers) == ["duplicate"] * (CREW - 1) + ["enqueued"]
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == rounds


def test_many_keys_in_opposite_orders_do_not_deadlock(db: Database, crew: ProcessPoolExecutor) -> None:
    keys = [f"key-{number:03}" for number in range(60)]
    here = place(db)
    found = results(
        [crew.submit(processes.enqueue_keys, here, keys if n % 2 else keys[::-1]) for n in range(CREW)]
    )
    outcomes = [answer.outcome for answers in found for answer in answers]
    assert outcomes.count(Outcome.ENQUEUED) == len(keys)
    assert outcomes.count(Outcome.DUPLICATE) == (CREW - 1) * len(keys)


def test_a_new_queue_is_created_once(db: Database, crew: ProcessPoolExecutor) -> None:
    here = place(db)
    found = results([crew.submit(processes.enqueue_keys, here, [f"{n}"], "brand new") for n in range(CREW)])
    assert [answers[0].outcome for answers in found] == [Outcome.ENQUEUED] * CREW
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Queues];") == 1
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[QueueGates];") == 1


@pytest.mark.parametrize("action", [0, 1], ids=["to-dlq", "retry"])
def test_sweep_or_completion_wins_never_both(db: Database, crew: ProcessPoolExecutor, action: int) -> None:
    db.queue.set_queue_zombie_policy(
        "q", zombie_timeout_seconds=100, zombie_action=ZombieAction(action), create=True
    )
    db.fill("q", 60)
    leases = [job.lease for job in db.start("w1", 60)]
    db.age(500, "HeartbeatUtc")
    here = place(db)
    sweeper = crew.submit(processes.sweep_often, here, 5, 15)
    workers = [crew.submit(processes.complete_each, here, "w1", leases[n::2]) for n in range(2)]
    outcomes = {job_id: outcome for part in results(workers) for job_id, outcome in part.items()}
    _, buried, retried = sweeper.result(timeout=60)
    state = check(db, jobs=60)
    archived = [job_id for job_id, outcome in outcomes.items() if outcome is Outcome.ARCHIVED]
    assert state.total("archive") == len(archived)
    assert buried + retried == 60 - len(archived)
    assert (state.total("dlq"), state.total("retried")) == (buried, retried)


def test_a_heartbeat_that_was_heard_saves_the_job(db: Database, crew: ProcessPoolExecutor) -> None:
    db.fill("q", 40)
    leases = [job.lease for job in db.start("w1", 40)]
    db.age(500, "HeartbeatUtc")
    here = place(db)
    sweeper = crew.submit(processes.sweep_often, here, 5, 10)
    beats = results([crew.submit(processes.keep_each, here, "w1", leases)])[0]
    sweeper.result(timeout=60)
    db.queue.sweep_zombies()
    for lease in leases:
        # What answered alive is running still; what was buried had answered lost.
        running = db.job(lease.job_id).status is not None
        assert running == (beats[lease.job_id] is Outcome.ALIVE)


def test_two_deployments_at_once(db: Database, crew: ProcessPoolExecutor) -> None:
    schema = new_schema()
    other = Database(db.url, schema, db.platform)
    try:
        start = time.time() + 0.2
        found = results([crew.submit(processes.deploy_tables, db.url, schema, start) for _ in range(2)])
        first, second = sorted(found)
        assert first == 0
        rows = other.sql("SELECT [Version] FROM [chokaq].[SchemaMigrations] ORDER BY [Version];")
        assert [row["Version"] for row in rows] == list(range(1, second + 1))
    finally:
        other.drop()
        other.close()


@pytest.mark.parametrize("ends", ["commit", "rollback"])
def test_a_key_of_an_open_transaction_is_waited_for(db: Database, ends: str) -> None:
    answers: list[Any] = []
    db.queue.enqueue("q", "t")  # the queue exists, so that only the key is contended
    connection = db.connect()
    try:
        first = db.queue.enqueue("q", "t", idempotency_key="k", connection=connection)
        second = threading.Thread(
            target=lambda: answers.append(db.queue.enqueue("q", "t", idempotency_key="k"))
        )
        second.start()
        time.sleep(0.4)
        connection.commit() if ends == "commit" else connection.rollback()
        second.join(30)
    finally:
        connection.close()
    (answer,) = answers
    if ends == "commit":
        assert (answer.outcome, answer.job_id) == (Outcome.DUPLICATE, first.job_id)
    else:
        assert answer.outcome is Outcome.ENQUEUED
        assert db.queue.get_job(first.job_id) is None
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsHot];") == 2


def test_a_deadlock_victim_is_repeated_by_the_driver(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    """The call takes the first row and waits for the second; then the other session wants the first."""
    db.needs("row-locks")
    db.queue.enqueue_many(NewJob(queue="q", type="t", job_id=job_id) for job_id in ("a", "b"))
    leases = [job.lease for job in db.start("w1", 2)]
    answers: list[Any] = []
    ready = threading.Event()

    def complete() -> None:
        # A thread has a session of its own, and the first call of one takes long on some servers.
        db.queue.complete("w1", Completion(lease=Lease(job_id="none", lease_token=1)))
        ready.set()
        answers.extend(db.queue.complete("w1", [Completion(lease=lease) for lease in leases]))

    connection = db.connect()
    touch = "UPDATE [chokaq].[JobsHot] SET [Tags] = 'touched' WHERE [Id] = '{}';"
    with caplog.at_level(logging.WARNING, "chokaq.calls"):
        try:
            db.sql("SET DEADLOCK_PRIORITY HIGH;", connection=connection)
            db.sql(touch.format("b"), connection=connection)
            call = threading.Thread(target=complete)
            call.start()
            ready.wait(30)
            time.sleep(0.4)
            db.sql(touch.format("a"), connection=connection)
            connection.commit()
            call.join(30)
        finally:
            connection.close()
    assert [answer.outcome for answer in answers] == [Outcome.ARCHIVED] * 2
    assert any("CompleteJobs is repeated" in message and "Deadlock" in message for message in caplog.messages)
    check(db, jobs=2)
