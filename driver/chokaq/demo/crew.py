"""The worker processes: started, killed, replaced, and all ended in the end."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import secrets
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .worker_log import WorkerRecord, read_log
from .worker_process import GRACE_SECONDS, WorkerSpec, run_worker

if TYPE_CHECKING:
    # In the standard library from Python 3.11 on; only the type checker needs it.
    from typing_extensions import Self

__all__ = ["Crew", "Member"]


@dataclass
class Member:
    """One worker process. ``died_at``: monotonic nanoseconds, None while nobody knows of its death."""

    number: int
    spec: WorkerSpec
    process: SpawnProcess
    stop: Connection = field(repr=False)
    was_killed: bool = False
    died_at: int | None = None

    @property
    def worker_id(self) -> str:
        return self.spec.worker_id

    def record(self) -> WorkerRecord:
        """What its log says now."""
        return read_log(self.spec.log)

    def kill(self) -> None:
        """``kill -9``, and waits until it is gone."""
        self.was_killed = True
        self.process.kill()
        self.process.join()
        self.note_death()

    def note_death(self) -> None:
        """It is dead; remembers since when that is known."""
        if self.died_at is None:
            self.died_at = time.monotonic_ns()

    def obituary(self) -> str:
        """How it ended, and the last lines of its log of warnings."""
        lines: list[str] = []
        with contextlib.suppress(OSError):
            lines = self.spec.messages.read_text("utf-8", "replace").splitlines()[-20:]
        return "\n".join([f"{self.worker_id} ended with exit code {self.process.exitcode}", *lines])


class Crew:
    """Worker processes of one run. Leaving the ``with`` block ends them all, whatever it takes."""

    def __init__(self, spec: WorkerSpec, folder: Path) -> None:
        """``spec``: a pattern; id and logs are filled in for each process."""
        self._spec = spec
        self._folder = folder
        self._context = multiprocessing.get_context("spawn")
        self._run = secrets.token_hex(4)  # ids of workers never come back
        if hasattr(signal, "pthread_sigmask"):
            # Else the first start would start it, and that would set the signal mask that a start relies on.
            resource_tracker.ensure_running()
        self.members: list[Member] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop(GRACE_SECONDS + 5 if error is None else 5.0)
        finally:
            self._kill_all()

    def start(self) -> Member:
        """Starts a worker."""
        number = len(self.members) + 1
        spec = replace(
            self._spec,
            worker_id=f"demo-{self._run}-{number}",
            log=self._folder / f"worker-{number}.jsonl",
            messages=self._folder / f"worker-{number}.log",
        )
        receiving, sending = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=run_worker, args=(spec, receiving), name=f"chokaq-demo-{number}", daemon=True
        )
        with _interrupts_held_back():
            process.start()
            self.members.append(Member(number, spec, process, sending))
        receiving.close()
        return self.members[-1]

    def living(self) -> list[Member]:
        """The processes that run; those that do not are noted as dead."""
        living = []
        for member in self.members:
            if member.process.is_alive():
                living.append(member)
            else:
                member.note_death()
        return living

    def died_at(self) -> dict[str, int]:
        """Worker → when it was found dead."""
        return {member.worker_id: member.died_at for member in self.members if member.died_at is not None}

    def fallen(self) -> list[Member]:
        """Those that ended without being asked to."""
        self.living()
        return [
            member
            for member in self.members
            if not member.was_killed and member.died_at is not None and member.process.exitcode != 0
        ]

    def stop(self, seconds: float) -> None:
        """Asks all to end in order; what still runs after ``seconds`` is killed."""
        for member in self.members:
            member.stop.close()
        end = time.monotonic() + seconds
        for member in self.members:
            member.process.join(max(0.0, end - time.monotonic()))
        self.living()
        self._kill_all()

    def _kill_all(self) -> None:
        for member in self.members:
            if member.process.is_alive():
                member.kill()


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """A Ctrl-C meanwhile arrives afterwards, and not at all in a process that is started meanwhile (which
    takes the mask over): it would break into its imports, and print a traceback there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def frozen(member: Member) -> Iterator[None]:
    """Stops the process in its tracks, so that what it holds can be looked at, and lets it go on after.
    Without effect where a system has no such signal.
    """
    pid = member.process.pid
    if pid is None or not hasattr(signal, "SIGSTOP") or not member.process.is_alive():
        yield
        return
    try:
        os.kill(pid, signal.SIGSTOP)
        _wait_until_stopped(pid)
        yield
    finally:
        if member.process.is_alive():
            os.kill(pid, signal.SIGCONT)


def _wait_until_stopped(pid: int) -> None:
    if hasattr(os, "waitid"):
        # WNOWAIT leaves the news for those who also wait for it.
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    else:
        time.sleep(0.05)
