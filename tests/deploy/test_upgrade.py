"""Every published release, filled with jobs in every state, upgraded while its workers go on working; undone,
and upgraded again.

The upgrade is to the newest scripts and one more of the test's own, so that there is something to upgrade
even when the newest release is the one that is published.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chokaq.deploy.scripts import load_package
from tests.unit.deploy.trees import SETS, write
from tools.publish_schema import FOLDER, read

from .places import Place

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = sorted((ROOT / FOLDER).glob("*.txt"))


def old_tree(published: Path, root: Path) -> Path:
    """The scripts of a published release. Its one-time scripts are those of today: they never change."""
    hashes, texts = read(published.read_text(encoding="utf-8"))
    write(root, texts)
    for path in hashes:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    package = load_package(root)
    changed = [each.path for each in package.migrations if hashes[each.path] != each.sha256]
    assert not changed, (
        f"{changed} changed after {published.stem} was published: restore them. If {published.stem} is not"
        " released yet, write its file again: python -m tools.publish_schema"
    )
    return root


def new_tree(root: Path) -> Path:
    """Today's scripts, one more, and a procedure that differs."""
    for folder in ("db", "procs"):
        shutil.copytree(ROOT / folder, root / folder)
    number = load_package(root).newest + 1
    note = "/* Undo of a test's script. Loses the notes. */\n"
    write(
        root,
        {
            f"db/migrations/{number:04}_notes.sql": SETS
            + "ALTER TABLE [chokaq].[JobsHot] ADD [Note] VARCHAR(50) NULL;\nGO\n"
            + "CREATE NONCLUSTERED INDEX [IX_JobsHot_Note] ON [chokaq].[JobsHot]([Note])"
            + " WHERE [Note] IS NOT NULL;\nGO\n"
            + "CREATE TABLE [chokaq].[Notes] (\n    [Id] INT NOT NULL,\n"
            + "    CONSTRAINT [PK_Notes] PRIMARY KEY CLUSTERED ([Id])\n);\nGO\n",
            f"db/undo/{number:04}_notes.sql": SETS
            + note
            + "DROP TABLE [chokaq].[Notes];\nGO\n"
            + "DROP INDEX [IX_JobsHot_Note] ON [chokaq].[JobsHot];\nGO\n"
            + "ALTER TABLE [chokaq].[JobsHot] DROP COLUMN [Note];\nGO\n",
        },
    )
    for name in ("FetchNextBatch", "CompleteJobs"):
        path = next(root.glob(f"procs/*/{name}.sql"))
        text = path.read_text(encoding="utf-8")
        write(root, {path.relative_to(root).as_posix(): text.replace("Purpose:", "Purpose (newer):", 1)})
    return root


class OldWorker(threading.Thread):
    """A worker of the published release: its calls, with the signatures of that release."""

    def __init__(self, place: Place, name: str) -> None:
        super().__init__(name=name)
        self.place = place
        self.stop = threading.Event()
        self.completed: Counter[str] = Counter()
        self.failures: list[BaseException] = []

    def run(self) -> None:
        try:
            with self.place.connection() as connection:
                while not self.stop.is_set():
                    self.work(connection)
        except BaseException as error:
            self.failures.append(error)

    def call(self, connection: Any, name: str, **values: str) -> list[Any]:
        """Call a procedure by parameter names; calls are repeatable, so a lost race is tried again."""
        names = [f"@{each} = ?" for each in values]
        text = f"EXECUTE [{self.place.schema}].[{name}] {', '.join(names)};"
        for attempt in range(5):
            cursor = connection.cursor()
            try:
                cursor.execute(text, *values.values())
                rows = [] if cursor.description is None else list(cursor.fetchall())
                while cursor.nextset():
                    pass
                return rows
            except Exception:
                if attempt == 4:
                    raise
                time.sleep(0.05)
            finally:
                cursor.close()
        raise AssertionError("not reached")

    def work(self, connection: Any) -> None:
        jobs = json.dumps([{"queue": "traffic", "type": "t", "payload": "x"} for _ in range(5)])
        self.call(connection, "EnqueueJobs", Jobs=jobs, CreatedBy="old")
        claimed = self.call(
            connection, "FetchNextBatch", WorkerId=self.name, Limit="10", Queues='["traffic"]'
        )
        leases = [{"id": row[0], "lease": int(row[9])} for row in claimed]
        if not leases:
            return
        self.call(connection, "MarkAsProcessing", WorkerId=self.name, Leases=json.dumps(leases))
        self.call(connection, "KeepAlive", WorkerId=self.name, Leases=json.dumps(leases))
        for row in self.call(connection, "CompleteJobs", WorkerId=self.name, Results=json.dumps(leases)):
            assert row[1] == "archived", row
            self.completed[row[0]] += 1


def fill(place: Place) -> dict[str, Any]:
    """Jobs in every state a job can have, in a queue that no worker of the test takes from."""
    worker = OldWorker(place, "filler")
    with place.connection() as connection:

        def enqueue(*names: str, **more: Any) -> None:
            rows = [
                {"id": name, "queue": "states", "type": "t", "payload": f"ж {name}", **more} for name in names
            ]
            worker.call(connection, "EnqueueJobs", Jobs=json.dumps(rows), CreatedBy="test")

        def claim(count: int) -> list[dict[str, Any]]:
            rows = worker.call(
                connection, "FetchNextBatch", WorkerId="filler", Limit=str(count), Queues='["states"]'
            )
            return [{"id": row[0], "lease": int(row[9])} for row in rows]

        def mark(leases: list[dict[str, Any]]) -> None:
            worker.call(connection, "MarkAsProcessing", WorkerId="filler", Leases=json.dumps(leases))

        enqueue("done", "dead", "again", "cancelled-running")
        leases = claim(4)
        assert len(leases) == 4
        mark(leases)
        by_id = {lease["id"]: lease for lease in leases}
        worker.call(connection, "CompleteJobs", WorkerId="filler", Results=json.dumps([by_id["done"]]))
        failures = [{**by_id["dead"], "reason": 6, "error": "fatal"}, {**by_id["again"], "reason": 8}]
        worker.call(connection, "FailJobs", WorkerId="filler", Failures=json.dumps(failures))
        enqueue("running", "fetched")
        leases = claim(2)
        mark([lease for lease in leases if lease["id"] == "running"])
        enqueue("cancelled")
        cancelled = json.dumps([{"id": "cancelled"}, {"id": "cancelled-running"}])
        worker.call(connection, "CancelJobs", JobIds=cancelled, CancelledBy="test", Reason="test")
        enqueue("due", idempotencyKey="key")
        enqueue("later", delaySeconds=3600, priority=90)
    return {lease["id"]: lease for lease in [*leases, by_id["cancelled-running"]]}


def states(place: Place) -> list[tuple[Any, ...]]:
    """All jobs of the filled queue, with what must not change."""
    columns = "[j].[Id], [j].[Payload], [j].[AttemptCount], [j].[LeaseToken], [j].[WorkerId], [j].[Priority]"
    found: list[tuple[Any, ...]] = []
    for table, state in (
        ("JobsHot", "[j].[Status]"),
        ("JobsArchive", "-1"),
        ("JobsDLQ", "[j].[FailureReason]"),
    ):
        rows = place.rows(
            f"SELECT {columns}, {state} AS [State] FROM [chokaq].[{table}] AS [j]"
            " WHERE [j].[Queue] = 'states' ORDER BY [j].[Id];"
        )
        found += [(table, *row) for row in rows]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("published", PUBLISHED, ids=lambda path: path.stem)
def test_a_published_release_is_upgraded_under_load(whole: Place, published: Path, tmp_path: Path) -> None:
    place = whole
    place.root = old_tree(published, tmp_path / "old")
    old_version = place.package.newest
    place.deploy()
    assert place.drift() == []
    leases = fill(place)
    before = states(place)
    assert len(before) == 9
    assert {row[0] for row in before} == {"JobsHot", "JobsArchive", "JobsDLQ"}

    workers = [OldWorker(place, f"old-{number}") for number in range(2)]
    for worker in workers:
        worker.start()
    try:
        place.root = new_tree(tmp_path / "new")
        done = place.deploy()
        assert done.migrations
        assert {"FetchNextBatch", "CompleteJobs"} <= set(done.procedures)
        assert place.drift() == []
        assert states(place) == before

        place.undo(to=old_version)
        place.root = tmp_path / "old"
        place.deploy()
        assert place.drift() == []
        assert states(place) == before

        place.root = tmp_path / "new"
        place.deploy()
        time.sleep(0.5)
    finally:
        for worker in workers:
            worker.stop.set()
        for worker in workers:
            worker.join()
    assert [worker.failures for worker in workers] == [[], []]
    assert states(place) == before
    assert place.drift() == []
    finish_what_the_old_ones_began(place, leases)
    completed = sum((worker.completed for worker in workers), Counter[str]())
    assert completed
    assert set(completed.values()) == {1}
    archived = place.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[JobsArchive] WHERE [Queue] = 'traffic';")
    assert archived == len(completed)


def finish_what_the_old_ones_began(place: Place, leases: dict[str, Any]) -> None:
    worker = OldWorker(place, "filler")
    with place.connection() as connection:
        fetched = json.dumps([leases["fetched"]])
        assert [
            row[1] for row in worker.call(connection, "KeepAlive", WorkerId="filler", Leases=fetched)
        ] == ["alive"]
        told = json.dumps([leases["cancelled-running"]])
        rows = worker.call(connection, "KeepAlive", WorkerId="filler", Leases=told)
        assert [row[1] for row in rows] == ["cancel-requested"]
        results = json.dumps([leases["running"]])
        rows = worker.call(connection, "CompleteJobs", WorkerId="filler", Results=results)
        assert [row[1] for row in rows] == ["archived"]
