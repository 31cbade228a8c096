"""Processes die by SIGKILL at random moments. Afterwards every job is there, once, run by one at a time."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from chokaq import NewJob, Outcome, ZombieAction, connect
from chokaq.deploy import deploy, status
from chokaq.embedded.sql_functions import register
from tests.contract.support import Database, embedded_url, new_schema
from tests.contract.support_invariants import State, check
from tests.faults.support_kill import ROOT, Crew, Execution

TYPES = ("work", "work", "work", "fail-at-first", "work", "work", "give-up", "work")


@pytest.fixture
def crew(db: Database, tmp_path: Path) -> Iterator[Crew]:
    folder = tmp_path / "logs"
    folder.mkdir()
    made = Crew(db, folder)
    yield made
    made.end()


def prepare(db: Database, jobs: int) -> None:
    """Half of the jobs may be run again after a crash, half go to the dead letters then."""
    for queue, action in (("again", 1), ("once", 0)):
        db.queue.set_queue_zombie_policy(
            queue, zombie_timeout_seconds=100, zombie_action=ZombieAction(action), create=True
        )
        db.queue.set_queue_retry_policy(
            queue,
            max_attempts=50,
            retry_base_seconds=0,
            retry_multiplier=1,
            retry_max_seconds=0,
            retry_jitter_percent=0,
        )
    db.queue.set_queue_max_workers("once", 6)
    db.queue.enqueue_many(
        NewJob(queue=("again", "once")[n % 2], type=TYPES[n // 2 % len(TYPES)], payload={"n": n})
        for n in range(jobs)
    )


def active(db: Database) -> int:
    return State.of(db).total("hot")


def wait_for_lines(crew: Crew, more: int, seconds: float) -> None:
    """Until so much more was logged, so that a kill hits the middle of work; not for ever."""
    target, end = crew.lines() + more, time.monotonic() + seconds
    while crew.lines() < target and time.monotonic() < end:
        time.sleep(0.01)


def work_off(crew: Crew) -> None:
    """Until nothing is left to do. Some servers need many seconds for the first calls of each new session."""
    end = time.monotonic() + (30 if crew.db.platform == "embedded" else 120)
    while active(crew.db) and time.monotonic() < end:
        crew.age_the_dead()
        time.sleep(0.2)
    assert set(crew.stop()) == {0}


def judge(crew: Crew, jobs: int) -> None:
    """Nothing is lost, nothing is counted twice, nobody ran a job that somebody else ran."""
    db = crew.db
    state = check(db, jobs=jobs)
    assert state.total("hot") == 0
    by_job: defaultdict[str, list[Execution]] = defaultdict(list)
    for execution in crew.executions():
        by_job[execution.job_id].append(execution)
    for executions in by_job.values():
        executions.sort(key=lambda each: each.start)
        leases = [each.lease for each in executions]
        assert leases == sorted(set(leases)), f"a lease came back: {executions}"
        for before, after in itertools.pairwise(executions):
            assert before.end is not None
            assert before.end <= after.start, f"two at once: {before} and {after}"
    done = db.sql("SELECT [Id], [LeaseToken], [WorkerId], [AttemptCount] FROM [chokaq].[JobsArchive];")
    for row in done:
        last = by_job[row["Id"]][-1]
        assert (last.lease, last.worker) == (row["LeaseToken"], row["WorkerId"]), "archived by another"
        # An execution may have been marked and its process killed before the handler could log it.
        assert len(by_job[row["Id"]]) <= row["AttemptCount"]
    if db.platform == "embedded":
        with closing(sqlite3.connect(db.url.removeprefix("embedded://"))) as file:
            register(file, {})  # the indexes of character columns are of keys that the engine computes
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_workers_that_are_killed_lose_nothing(db: Database, crew: Crew) -> None:
    jobs, kills, workers = (400, 10, 3) if db.platform == "embedded" else (80, 2, 2)
    chance = random.Random(20_261_201)
    prepare(db, jobs)
    for _ in range(workers):
        crew.start()
    for _ in range(kills):
        wait_for_lines(crew, chance.randint(4, 30), seconds=6)
        time.sleep(chance.uniform(0, 0.03))
        crew.kill(chance.choice(sorted(crew.alive)))
        crew.start()
        if chance.random() < 0.5:  # else one of the workers sweeps
            db.queue.sweep_zombies()
    work_off(crew)
    judge(crew, jobs)
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsArchive];") > jobs // 2


def test_all_workers_at_once(db: Database, crew: Crew) -> None:
    """As when the machine stops: nobody is left who could sweep; the next ones take everything over."""
    jobs = 60
    prepare(db, jobs)
    for _ in range(2):
        crew.start()
    wait_for_lines(crew, 10, seconds=20)
    for name in sorted(crew.alive):
        crew.kill(name)
    left = active(db)
    assert left > 0
    crew.start()
    work_off(crew)
    judge(crew, jobs)


def test_a_producer_that_is_killed_leaves_whole_calls(db: Database, tmp_path: Path) -> None:
    """Each call is a transaction: all of its rows are there, or none."""
    script = (
        "import os, sys\n"
        "from chokaq import NewJob, connect\n"
        "queue = connect(os.environ['TEST_URL'], sys.argv[1])\n"
        "for call in range(100000):\n"
        "    queue.enqueue_many(NewJob(queue='q', type=f'call-{call}') for _ in range(50))\n"
        "    print(call, flush=True)\n"
    )
    environment = {**os.environ, "TEST_URL": db.url}
    process = subprocess.Popen(
        [sys.executable, "-c", script, db.schema], env=environment, cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process.stdout:
        for _ in range(4):
            process.stdout.readline()
        time.sleep(0.013)
        process.kill()
        told = 4 + len(process.stdout.read().splitlines())
    assert process.wait() == -signal.SIGKILL
    rows = db.sql("SELECT [Type], COUNT(*) AS [n] FROM [chokaq].[JobsHot] GROUP BY [Type];")
    assert {row["n"] for row in rows} == {50}
    assert told <= len(rows) <= told + 1


_DEPLOY = (
    "import os, sys\n"
    "from chokaq.deploy import deploy\n"
    "deploy(os.environ['TEST_URL'], schema=sys.argv[1], lock_timeout=30,"
    " report=lambda line: print(line, flush=True))\n"
)


def test_a_deployment_that_is_killed_is_finished_by_the_next(db: Database, tmp_path: Path) -> None:
    url = embedded_url(tmp_path) if db.platform == "embedded" else db.url
    other = Database(url, new_schema(), db.platform)
    chance = random.Random(7)
    try:
        applied: list[int] = []
        for lines in (0, 1, 2, 4):  # after so many lines of its report, and a moment
            process = subprocess.Popen(
                [sys.executable, "-c", _DEPLOY, other.schema],
                env={**os.environ, "TEST_URL": url},
                cwd=ROOT,
                stdout=subprocess.PIPE,
            )
            assert process.stdout is not None
            with process.stdout:
                if lines == 0:
                    time.sleep(chance.uniform(0.2, 0.5))
                for _ in range(lines - len(applied)):
                    process.stdout.readline()
                time.sleep(chance.uniform(0, 0.1))
                process.kill()
            process.wait()
            done = status(url, schema=other.schema)
            applied = [migration.number for migration in done.applied]
            assert applied == list(range(1, len(applied) + 1))
        deploy(url, schema=other.schema, lock_timeout=30)
        assert not status(url, schema=other.schema).plan.is_pending
        with connect(url, other.schema) as queue:
            assert queue.enqueue("q", "t").outcome is Outcome.ENQUEUED
            assert len(queue.fetch("w1")) == 1
    finally:
        other.drop()
        other.close()
