"""What runs in each worker process: the project's Worker, with a handler that inspects files."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from chokaq.models import Completion, FailOutcome, Failure, FetchedJob, Lease, LeaseOutcome
from chokaq.queue import JobQueue
from chokaq.worker import Worker
from chokaq.worker_context import JobContext, Rejected
from chokaq.worker_events import WorkerEvent

from .files import path_of
from .inspection import inspect_file
from .worker_log import WorkerLog

__all__ = ["GRACE_SECONDS", "WorkerSpec", "run_worker"]

#: How long a worker that was told to stop may go on with the jobs that run.
GRACE_SECONDS = 10.0

_TROUBLE = frozenset(
    "job-refused job-abandoned report-dropped call-failed server-unavailable worker-error".split()
)


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker process needs to know; travels by pickle. The URL may hold a password."""

    url: str = field(repr=False)
    schema: str
    worker_id: str
    root: Path
    log: Path
    messages: Path
    concurrency: int
    prefetch: int
    heartbeat_interval: float


def run_worker(spec: WorkerSpec, stop: Connection) -> None:
    """The main function of the process. It ends in order when ``stop`` is closed at the other end, be it by
    the demo or by the demo's death, or on SIGTERM.
    """
    # Ctrl-C at a terminal goes to all processes of the demo; the parent tells the workers what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    logging.basicConfig(
        filename=spec.messages,
        encoding="utf-8",
        errors="backslashreplace",
        format="%(asctime)s %(name)s %(levelname)s %(message)s",
        level=logging.WARNING,
    )
    # Of the files that are parsed, many have escapes that Python warns of. That is not news.
    warnings.simplefilter("ignore")
    try:
        _work(spec, stop)
    except Exception:
        logging.getLogger(__name__).exception("the worker process failed")
        sys.exit(1)


def _work(spec: WorkerSpec, stop: Connection) -> None:
    log = WorkerLog(spec.log, spec.worker_id)
    queue = TimedQueue(spec.url, spec.schema)

    def on_event(event: WorkerEvent) -> None:
        if event.name == "job-lost":
            log.write("lost", job=event.fields["job_id"])
        elif event.name in _TROUBLE:
            log.write("event", name=event.name, error=str(event.fields.get("error", "")))

    handler = FileHandler(spec.root, log)
    worker = Worker(
        queue,
        dict.fromkeys(("python", "source", "text", "binary"), handler),
        worker_id=spec.worker_id,
        concurrency=spec.concurrency,
        prefetch=spec.prefetch,
        heartbeat_interval=spec.heartbeat_interval,
        poll_interval=0.2,
        max_poll_interval=0.5,
        # The demo sweeps by itself, to see what each sweep does.
        sweep_interval=None,
        grace_period=GRACE_SECONDS,
        on_event=on_event,
        handle_signals=False,
    )
    signal.signal(signal.SIGTERM, lambda _number, _frame: worker.stop())
    threading.Thread(target=_await_stop, args=(stop, worker), daemon=True).start()
    worker.run()
    log.write("stopped", calls=queue.calls, cpuSeconds=round(time.process_time(), 3))


def _await_stop(stop: Connection, worker: Worker) -> None:
    with contextlib.suppress(EOFError, OSError):
        stop.recv()
    worker.stop()
    time.sleep(GRACE_SECONDS + 10)
    os._exit(1)  # whatever holds it up, no process is left behind


class FileHandler:
    """The handler of all types: inspects the file that the payload names, and writes down that it did."""

    def __init__(self, root: Path, log: WorkerLog) -> None:
        self._root = root
        self._log = log

    def __call__(self, context: JobContext) -> None:
        job = context.job
        claim: dict[str, Any] = {"job": job.job_id, "lease": job.lease_token}
        self._log.write("start", **claim)
        try:
            path = self._root / self._path(context)
            facts = inspect_file(path, parse=job.type == "python")
        except BaseException as error:
            self._log.write("end", **claim, error=type(error).__name__)
            raise
        self._log.write("end", **claim, facts=dataclasses.asdict(facts))

    @staticmethod
    def _path(context: JobContext) -> str:
        try:
            return path_of(context.json())
        except (KeyError, TypeError, ValueError) as error:
            raise Rejected("the payload names no file") from error


class TimedQueue(JobQueue):
    """A JobQueue that adds up how long a worker's calls take."""

    def __init__(self, url: str, schema: str) -> None:
        super().__init__(url, schema)
        self.calls: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def _took(self, procedure: str, since: float) -> None:
        elapsed = time.perf_counter() - since
        with self._lock:
            count, seconds = self.calls.get(procedure, (0, 0.0))
            self.calls[procedure] = (count + 1, seconds + elapsed)

    def fetch(
        self, worker_id: str, limit: int = 1, queues: Iterable[str] | None = None, *, connection: Any = None
    ) -> list[FetchedJob]:
        since = time.perf_counter()
        try:
            return super().fetch(worker_id, limit, queues, connection=connection)
        finally:
            self._took("FetchNextBatch", since)

    def mark_processing(
        self, worker_id: str, leases: Lease | Iterable[Lease], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        since = time.perf_counter()
        try:
            return super().mark_processing(worker_id, leases, connection=connection)
        finally:
            self._took("MarkAsProcessing", since)

    def keep_alive(
        self, worker_id: str, leases: Lease | Iterable[Lease], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        since = time.perf_counter()
        try:
            return super().keep_alive(worker_id, leases, connection=connection)
        finally:
            self._took("KeepAlive", since)

    def complete(
        self, worker_id: str, completions: Completion | Iterable[Completion], *, connection: Any = None
    ) -> list[LeaseOutcome]:
        since = time.perf_counter()
        try:
            return super().complete(worker_id, completions, connection=connection)
        finally:
            self._took("CompleteJobs", since)

    def fail(
        self, worker_id: str, failures: Failure | Iterable[Failure], *, connection: Any = None
    ) -> list[FailOutcome]:
        since = time.perf_counter()
        try:
            return super().fail(worker_id, failures, connection=connection)
        finally:
            self._took("FailJobs", since)
