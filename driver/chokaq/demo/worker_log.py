"""A worker's own log: a line of JSON for each start and end of an execution. What is written here survives
``kill -9``, and is evidence that does not come from the database.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Execution", "WorkerLog", "WorkerRecord", "read_log"]


class WorkerLog:
    """Writes. Each line is one ``write``, so no line is ever half another's, and none waits in a buffer."""

    def __init__(self, path: Path, worker_id: str) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock = threading.Lock()
        self.write("worker", worker=worker_id, pid=os.getpid())

    def write(self, what: str, **fields: Any) -> None:
        """Adds a line. ``at``: nanoseconds of the system-wide monotonic clock."""
        line = json.dumps({"at": time.monotonic_ns(), "what": what, **fields})
        with self._lock:
            os.write(self._descriptor, line.encode("ascii") + b"\n")


@dataclass(frozen=True)
class Execution:
    """One run of a job's handler. ``ended_at`` None: the log does not say that it ended. ``facts``: what the
    handler found, empty when it failed (``error``) or did not end. Times: monotonic nanoseconds.
    """

    worker_id: str
    job_id: str
    lease: int
    started_at: int
    ended_at: int | None = None
    error: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def claim(self) -> tuple[str, int]:
        """The job and the lease under which it ran."""
        return self.job_id, self.lease


@dataclass
class WorkerRecord:
    """All that a log says. ``events``: name and error of what went wrong in the worker itself. ``calls``:
    procedure → (calls, seconds), and ``cpu_seconds``; both only from a worker that ended in order.
    """

    worker_id: str = ""
    executions: list[Execution] = field(default_factory=list)
    events: list[tuple[str, str]] = field(default_factory=list)
    calls: dict[str, tuple[int, float]] = field(default_factory=dict)
    cpu_seconds: float | None = None
    lost: int = 0

    @property
    def open(self) -> list[Execution]:
        """Executions that started and did not end."""
        return [run for run in self.executions if run.ended_at is None]


def read_log(path: Path) -> WorkerRecord:
    """Reads a log, also one that is being written or whose writer was killed."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return WorkerRecord()
    return parse_log(content.decode("ascii").splitlines(keepends=True))


def parse_log(lines: Iterable[str]) -> WorkerRecord:
    """Reads the lines of a log."""
    record = WorkerRecord()
    # A list for each claim: should a worker start the same claim twice, both runs must show.
    started: dict[tuple[str, int], list[int]] = {}
    for entry in _entries(lines):
        what = entry["what"]
        if what == "worker":
            record.worker_id = entry["worker"]
        elif what == "start":
            started.setdefault((entry["job"], entry["lease"]), []).append(len(record.executions))
            record.executions.append(
                Execution(record.worker_id, entry["job"], entry["lease"], started_at=entry["at"])
            )
        elif what == "end":
            place = started[entry["job"], entry["lease"]].pop(0)
            record.executions[place] = Execution(
                record.worker_id,
                entry["job"],
                entry["lease"],
                started_at=record.executions[place].started_at,
                ended_at=entry["at"],
                error=entry.get("error"),
                facts=entry.get("facts", {}),
            )
        elif what == "lost":
            record.lost += 1
        elif what == "event":
            record.events.append((entry["name"], entry["error"]))
        elif what == "stopped":
            record.calls = {name: (count, seconds) for name, (count, seconds) in entry["calls"].items()}
            record.cpu_seconds = entry["cpuSeconds"]
    return record


def _entries(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.endswith("\n"):  # else it is still being written
            yield json.loads(line)
