"""A worker process that is there to be killed, and the log by which its executions are judged afterwards.

``python -m tests.faults.support_kill SCHEMA WORKER_ID LOG``, the URL in TEST_URL (it may hold a password).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from chokaq import Fatal, JobContext, Worker
from tests.contract.support import Database

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Execution:
    """One run of a handler. ``end``: when it came back, or when its process was known to be dead."""

    job_id: str
    lease: int
    worker: str
    start: float
    end: float | None = None


@dataclass
class Crew:
    """Worker processes on one schema."""

    db: Database
    folder: Path
    alive: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    died_at: dict[str, float] = field(default_factory=dict)

    def start(self) -> str:
        name = f"worker-{len(self.alive) + len(self.died_at)}"
        command = [
            sys.executable,
            "-m",
            "tests.faults.support_kill",
            self.db.schema,
            name,
            str(self.log(name)),
        ]
        path = os.pathsep.join([str(ROOT), str(ROOT / "driver")])
        environment = {**os.environ, "TEST_URL": self.db.url, "PYTHONPATH": path}
        self.alive[name] = subprocess.Popen(command, env=environment, cwd=ROOT)
        return name

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def kill(self, name: str) -> None:
        """SIGKILL, and then its jobs look as if the timeout had passed."""
        process = self.alive.pop(name)
        process.kill()
        process.wait()
        self.died_at[name] = time.time()
        self.age_the_dead()

    def age_the_dead(self) -> None:
        """The jobs of dead workers look as if the timeout had passed, and so does their maintenance. To be
        repeated, because a server ends the call that it was in when its client died: a claim may be committed
        after that.
        """
        self.db.sql(
            "UPDATE [chokaq].[MaintenanceGate] SET [BusyUntilUtc] = DATEADD(SECOND, -300, [BusyUntilUtc]);"
        )
        for name in self.died_at:
            self.db.sql(
                "UPDATE [chokaq].[JobsHot] SET [HeartbeatUtc] = DATEADD(SECOND, -1000, [HeartbeatUtc])"
                " WHERE [WorkerId] = ?;",
                name,
            )

    def stop(self) -> list[int]:
        """SIGTERM for all; their exit codes."""
        for process in self.alive.values():
            process.terminate()
        codes = []
        for name, process in list(self.alive.items()):
            codes.append(process.wait(timeout=20))
            self.died_at[name] = time.time()
        self.alive.clear()
        return codes

    def end(self) -> None:
        """Whatever happened: no process is left."""
        for process in self.alive.values():
            process.kill()
            process.wait()
        self.alive.clear()

    def lines(self) -> int:
        """How much was logged so far."""
        return sum(path.read_bytes().count(b"\n") for path in self.folder.glob("*.log"))

    def executions(self) -> Iterator[Execution]:
        """All that the logs tell. A line that the kill cut off tells nothing."""
        for path in self.folder.glob("*.log"):
            worker = path.stem
            running: dict[tuple[str, int], Execution] = {}
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                if not line.endswith("\n"):
                    continue
                what, job_id, lease, moment = line.split()
                key = (job_id, int(lease))
                if what == "start":
                    assert key not in running, f"{worker} started {key} twice"
                    running[key] = Execution(job_id, int(lease), worker, float(moment))
                else:
                    running[key].end = float(moment)
            for execution in running.values():
                if execution.end is None:
                    execution.end = self.died_at[worker]
                yield execution


def main() -> None:
    """Works until it is killed or told to stop."""
    schema, name, path = sys.argv[1:]
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    chance = random.Random(name)

    def note(what: str, context: JobContext) -> None:
        line = f"{what} {context.job.job_id} {context.job.lease_token} {time.time():.6f}\n"
        os.write(log, line.encode())  # one write: whole or not at all

    def work(context: JobContext) -> None:
        note("start", context)
        time.sleep(chance.uniform(0.0, 0.03))
        note("end", context)

    def fail_at_first(context: JobContext) -> None:
        work(context)
        if context.attempt == 1:
            raise RuntimeError("the first time it does not work")

    def give_up(context: JobContext) -> None:
        work(context)
        raise Fatal("it never works")

    worker = Worker(
        os.environ["TEST_URL"],
        {"work": work, "fail-at-first": fail_at_first, "give-up": give_up},
        schema=schema,
        worker_id=name,
        concurrency=4,
        prefetch=4,
        poll_interval=0.05,
        max_poll_interval=0.2,
        heartbeat_interval=0.5,
        flush_interval=0.02,
        sweep_interval=0.5,
        grace_period=5.0,
    )
    worker.run()


if __name__ == "__main__":
    main()
