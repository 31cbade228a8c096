"""A rollup that dies, wherever it is, loses no sample and doubles none: the next rolls what is left."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from chokaq import DatabaseError
from tests.contract.support import Database, embedded_url
from tests.contract.test_metrics_history import (
    DAY,
    HOUR,
    NOW,
    Key,
    Limits,
    Numbers,
    Row,
    Series,
    by_day,
    day_of,
    hour_of,
    put,
    read,
    roll_all,
    rolled,
    same,
)
from tests.faults.support_kill import ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL")
LIMITS = Limits.at(NOW)
PATH = os.pathsep.join([str(ROOT), str(ROOT / "driver")])


def history() -> Series:
    """Work for every pass: fine rows of old hours, hours of old days, hours and days that are to be dropped,
    and young rows of each tier that stay. Some meet a row that is there already.
    """
    keys = [Key(0, "a", "t", 0, -1, 10), Key(1, "a", "t", 0, -1, -32767), Key(2, "b", "boom", 1, 6, -32768)]
    hour, day = hour_of(NOW), day_of(NOW)
    starts = [
        *((300, hour - n * HOUR + timedelta(minutes=5 * n)) for n in (0, 5, 7, 8, 11)),
        *((3600, hour - n * HOUR) for n in (7, 8, 30)),
        *((3600, day - n * DAY + n % 24 * HOUR) for n in (6, 8, 9, 89, 95)),
        *((86400, day - n * DAY) for n in (9, 60, 89, 91, 400)),
    ]
    found: Series = {}
    for place, (resolution, start) in enumerate(starts):
        for key in keys:
            value = {-32768: None, -32767: 0.0}.get(key.bin, 1.5 + place)
            for shard in (0, 3) if resolution == 300 else (0,):
                count = 1 + place + shard
                found[Row(resolution, start, key, shard)] = Numbers(count, (value or 0) * count, value)
    return found


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with that history, all procedures compiled, and nobody connected."""
    url = embedded_url(tmp_path_factory.mktemp("rollup"))
    db = Database(url, "chokaq")
    db.deploy()
    db.queue.rollup_metrics(now=NOW)
    put(db, history())
    db.close()
    return Path(url.removeprefix("embedded://"))


def check_and_finish(db: Database, series: Series) -> None:
    """No sample of a day that is kept is lost or doubled, and the next rollups come to the same end."""
    same(by_day(read(db), LIMITS.daily), by_day(series, LIMITS.daily))
    roll_all(db, NOW)
    same(read(db), rolled(series, LIMITS))


@posix
@pytest.mark.slow
@pytest.mark.parametrize(("every", "at_least"), [(0, 60), (200, 40)], ids=["statement", "within"])
def test_a_kill_at_every_statement(base: Path, tmp_path: Path, every: int, at_least: int) -> None:
    command = [sys.executable, "-m", "tests.faults.support_rollup"]
    done = subprocess.run(
        [*command, str(base), str(tmp_path), NOW.isoformat(), str(every)],
        env={**os.environ, "PYTHONPATH": PATH},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().isdigit(), done.stdout
    places = int(done.stdout)
    assert places >= at_least
    states = set()
    for number in range(places + 1):
        db = Database(f"embedded://{(tmp_path / f'{number:04}.db').as_posix()}", "chokaq")
        state = frozenset(read(db).items())
        if state not in states:  # from the same state follows the same
            states.add(state)
            check_and_finish(db, history())
        db.close()
    assert len(states) >= 3  # passes had their own commits


class Interrupt:
    """Ends SQLite's work at the ``last``-th time that it asks."""

    def __init__(self, last: int) -> None:
        self.left = last

    def __call__(self) -> int:
        self.left -= 1
        return int(self.left == 0)


def test_an_error_anywhere_neither_loses_nor_doubles(base: Path, tmp_path: Path) -> None:
    """The statement under way fails, at ever later places; the transaction around it is rolled back."""
    file = tmp_path / "jobs.db"
    failures = 0
    for last in range(1, 10_000, 7):
        file.with_name("jobs.db-wal").unlink(missing_ok=True)
        file.write_bytes(base.read_bytes())
        db = Database(f"embedded://{file.as_posix()}", "chokaq")
        connection = db.connect(autocommit=True)
        sqlite = connection.session.sqlite
        sqlite.set_progress_handler(Interrupt(last), 40)
        try:
            rollup(connection)
        except connection.Error:
            failures += 1
            failed = True
        else:
            failed = False
        sqlite.set_progress_handler(None, 0)
        assert db.scalar("SELECT @@TRANCOUNT;", connection=connection) == 0
        connection.close()
        check_and_finish(db, history())
        db.close()
        if not failed:
            break
    assert failures >= 20


def rollup(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("{CALL [chokaq].[RollupMetrics] (?, ?)}", (None, NOW.replace(tzinfo=None)))
    cursor.fetchall()


@posix
def test_kills_at_random_moments(db: Database) -> None:
    """On any engine: the client dies, the server ends what it was in by itself."""
    series = {
        Row(300, hour_of(NOW) - 20 * HOUR, Key(0, "q", f"t{n:04}", 0, -1, 5), n % 8): Numbers(2, 4.0, 2.0)
        for n in range(3000)
    }
    put(db, series)
    program = (
        "import os, sys; from datetime import datetime; from chokaq import JobQueue\n"
        "queue = JobQueue(os.environ['TEST_URL'], sys.argv[1]); queue.check_version()\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "while queue.rollup_metrics(max_rows=400, now=datetime.fromisoformat(sys.argv[2])).more_left: pass\n"
    )
    chosen = random.Random(5)
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", program, db.schema, NOW.isoformat()],
            env={**os.environ, "PYTHONPATH": PATH, "TEST_URL": db.url},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            process.stdin.write(b"\n")
            process.stdin.flush()
            time.sleep(chosen.uniform(0.005, 0.08))
            process.kill()
        same(by_day(read(db), LIMITS.daily), by_day(series, LIMITS.daily))
    try:
        roll_all(db, NOW)
    except DatabaseError:  # a server may still be ending the session of the dead client
        time.sleep(2)
        roll_all(db, NOW)
    same(read(db), rolled(series, LIMITS))
