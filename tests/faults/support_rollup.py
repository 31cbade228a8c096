"""Rollups that are killed at a place of choice.

``python -m tests.faults.support_rollup BASE FOLDER NOW EVERY``: one process forks a child for each place, so
that a kill costs some milliseconds and no start of an interpreter. Each child works on a copy of the database
file BASE; the copies stay for the caller to look into. Every statement that SQLite begins is a place; with
EVERY above 0 every so many steps of its virtual machine is one, in the middle of statements. The output: how
many there are.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sqlite3
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import chokaq.embedded  # here, so that no child has to
from chokaq import connect

_open_connection = sqlite3.connect


class Trap:
    """Kills this process at the ``last``-th place, once it is set."""

    def __init__(self, last: int, every: int) -> None:
        self.last = last
        self.every = every
        self.is_set = False
        self.places = 0

    def __call__(self, *_: Any) -> int:
        if self.is_set:
            self.places += 1
            if self.places > self.last:
                os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """What stands in for ``sqlite3.connect``."""
        connection: sqlite3.Connection = _open_connection(*arguments, **options)
        if self.every:
            connection.set_progress_handler(self, self.every)
        else:
            connection.set_trace_callback(self)
        return connection


def roll(file: Path, now: datetime, trap: Trap) -> None:
    """One rollup; ends the process, by the trap or in peace."""
    sqlite3.connect = trap.connect  # type: ignore[assignment]
    queue = connect(f"embedded://{file.as_posix()}")
    trap.is_set = True
    queue.rollup_metrics(now=now)
    os._exit(0)


def main(base: Path, folder: Path, now: datetime, every: int) -> None:
    for number in itertools.count():
        file = folder / f"{number:04}.db"
        shutil.copy(base, file)
        child = os.fork()
        if child == 0:
            try:
                roll(file, now, Trap(number, every))
            finally:
                os._exit(3)  # an error, which a rollup here must not have
        status = os.waitpid(child, 0)[1]
        if not os.WIFSIGNALED(status):
            code = os.WEXITSTATUS(status)
            sys.stdout.write(str(number) if code == 0 else f"exit code {code} at place {number}")
            return


if __name__ == "__main__":
    assert chokaq.embedded.apilevel == "2.0"
    main(Path(sys.argv[1]), Path(sys.argv[2]), datetime.fromisoformat(sys.argv[3]), int(sys.argv[4]))
