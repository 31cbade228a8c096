"""``Worker``: claims jobs, runs their handlers, reports the results. Decides nothing about retries or limits.

Threads: one claims and starts jobs (the one that calls ``run``, unless that has signals to take); one per
slot runs handlers and never touches the database on the worker's account; one reports results, one sends
heartbeats, one does maintenance, one watches timeouts where there are any.
"""

from __future__ import annotations

import contextlib
import os
import queue as queues_of_threads
import secrets
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .connection import Source
from .errors import ChokaqError, ConnectionFailedError, NotDeployedError, PermissionDeniedError
from .models import Completion, Failure, FailureReason, FetchedJob, Lease, Outcome
from .queue import JobQueue
from .worker_around import Around
from .worker_backoff import Availability, Backoff, jittered
from .worker_breaker import Admission
from .worker_context import JobContext
from .worker_deadlines import Deadlines
from .worker_events import EventHook, Reporter
from .worker_handlers import Handler, execute
from .worker_maintenance import Maintenance
from .worker_reports import Report, ReportSender
from .worker_types import JobTypes, TypeOptions

__all__ = ["Worker", "WorkerSummary"]

_MAX_FETCH = 1000
_SIGNAL_LATENCY = 0.5
_LAST_REPORTS_SECONDS = 5.0  # for sending results at the end, where the grace period leaves less
_CANCEL_GRACE = 5.0  # for an async handler to end after its CancelledError, before its slot is given up
_READY, _RUNNING, _REPORTING = "ready", "running", "reporting"


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerSummary:
    """What a worker did. ``failed``: executions, whatever the database decided about them. ``lost``: taken
    away before the result was in. ``released``: given back unstarted. ``deferred``: put off by a circuit
    breaker, not executed. ``abandoned``: still running at the end.
    """

    succeeded: int = 0
    failed: int = 0
    lost: int = 0
    released: int = 0
    deferred: int = 0
    abandoned: int = 0


@dataclass
class _Held:
    """A job that this worker claimed and has not got rid of yet."""

    job: FetchedJob
    context: JobContext
    state: str = _READY
    admission: Admission = field(default_factory=Admission)
    overran: bool = False  # reported as Timeout while its handler still runs
    replaced: bool = False  # another thread has its slot


class Worker:
    """Runs jobs until it is told to stop. A worker runs once: its id must never come back.

    ``queue_or_url``: a JobQueue, or what ``chokaq.connect`` takes (then with ``schema``); not one made from a
    single open connection. ``handlers``: job type → callable, plain or async, that takes a JobContext.
    ``concurrency``: jobs at a time. ``queues``: names to take jobs from, None = all. ``prefetch``: jobs
    claimed ahead, default = ``concurrency``. ``type_options``: job type → TypeOptions (places, timeout,
    circuit breaker), ``default_options`` for all other types.

    Seconds: ``poll_interval`` between looks at an idle queue, growing to ``max_poll_interval``;
    ``heartbeat_interval`` must be well below the queues' zombie timeout; ``flush_interval`` until results are
    reported (or when there are ``flush_size``); ``sweep_interval`` between runs of maintenance, None = never
    (``maintenance=False``: only sweeps after dead workers); ``grace_period`` for running jobs at a stop,
    after which they are let go: their leases run out.
    ``on_event`` is called with each WorkerEvent, from several threads. ``around``: what ``around(context)``
    returns is entered before each handler and left after it, in its thread.
    """

    def __init__(
        self,
        queue_or_url: JobQueue | Source,
        handlers: Mapping[str, Handler],
        *,
        concurrency: int = 4,
        queues: Sequence[str] | None = None,
        worker_id: str | None = None,
        prefetch: int | None = None,
        poll_interval: float = 1.0,
        max_poll_interval: float = 5.0,
        heartbeat_interval: float = 15.0,
        flush_interval: float = 0.1,
        flush_size: int = 100,
        sweep_interval: float | None = 60.0,
        maintenance: bool = True,
        grace_period: float = 30.0,
        schema: str = "chokaq",
        on_event: EventHook | None = None,
        around: Around | None = None,
        type_options: Mapping[str, TypeOptions] | None = None,
        default_options: TypeOptions | None = None,
        handle_signals: bool = True,
    ) -> None:
        if concurrency < 1 or (prefetch is not None and prefetch < 0):
            raise ValueError("concurrency is at least 1, prefetch at least 0")
        if min(poll_interval, max_poll_interval, heartbeat_interval) <= 0 or flush_size < 1:
            raise ValueError("intervals and flush_size are greater than 0")
        if isinstance(queues, str):
            raise TypeError("queues: a list of names is needed, not one str")
        self._closes_queue = not isinstance(queue_or_url, JobQueue)
        self._queue = queue_or_url if isinstance(queue_or_url, JobQueue) else JobQueue(queue_or_url, schema)
        if not self._queue.owns_connections:
            raise TypeError(
                "a Worker needs several connections: give a URL or a callable, not one connection"
            )
        self.worker_id = worker_id or _new_worker_id()
        self._handlers = dict(handlers)
        self._concurrency = concurrency
        self._prefetch = concurrency if prefetch is None else prefetch
        self._queues = None if queues is None else list(queues)
        self._poll_interval = poll_interval
        self._max_poll_interval = max(poll_interval, max_poll_interval)
        self._heartbeat_interval = heartbeat_interval
        self._sweep_interval = sweep_interval
        self._sweep_only = not maintenance
        self._around = around
        self._types = JobTypes(type_options or {}, default_options or TypeOptions())
        self._deadlines: Deadlines[_Held] = Deadlines(self._time_is_up)
        self._grace_period = grace_period
        self._handle_signals = handle_signals
        self._report_event = Reporter(self.worker_id, on_event)
        self._availability = Availability(self._report_event)
        self._reports = ReportSender(
            self._queue,
            self.worker_id,
            size=flush_size,
            interval=flush_interval,
            reporter=self._report_event,
            availability=self._availability,
        )
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._ready: deque[_Held] = deque()
        self._running = 0  # slots in use
        self._overrunning = 0  # handlers whose time is up and who still run
        self._counts = dict.fromkeys(("succeeded", "failed", "lost", "released", "deferred", "abandoned"), 0)
        self._threads: list[threading.Thread] = []
        self._has_run = False
        self._stop_requests = 0
        self._shutdown = threading.Event()
        self._background_stop = threading.Event()
        self._abandon = False
        # A SimpleQueue, because its put may be called from a signal handler; a Condition's notify may not.
        self._wake: queues_of_threads.SimpleQueue[None] = queues_of_threads.SimpleQueue()
        self._work: queues_of_threads.SimpleQueue[_Held | None] = queues_of_threads.SimpleQueue()
        self._settled = False

    def __repr__(self) -> str:
        return f"<Worker {self.worker_id} on {self._queue!r}>"

    def stop(self) -> None:
        """Asks for a graceful end, from any thread or a signal handler. A second time: without the grace."""
        self._stop_requests += 1
        self._wake.put(None)

    def run(self, *, burst: bool = False, max_jobs: int | None = None) -> WorkerSummary:
        """Works until ``stop`` or SIGTERM/SIGINT (handled when this is the main thread).

        ``burst``: until nothing is due; jobs that are scheduled for later, retries among them, are not waited
        for. ``max_jobs``: until so many were claimed and finished. Raises at the start what no waiting will
        mend (NotDeployedError, PermissionDeniedError, a refused login …); later errors are waited out.
        """
        if self._has_run:
            raise RuntimeError("a Worker runs once; make a new one")
        self._has_run = True
        with self._signals() as takes_signals:
            if takes_signals:
                self._run_aside(burst, max_jobs)
            else:
                self._run(burst, max_jobs)
        return self._summary()

    def _run(self, burst: bool, max_jobs: int | None) -> None:
        if not self._wait_for_server(burst):
            return
        self._report_event("worker-started", concurrency=self._concurrency)
        self._start_threads()
        try:
            self._claim_and_start(burst, max_jobs)
        finally:
            self._end()

    def _run_aside(self, burst: bool, max_jobs: int | None) -> None:
        """As ``_run``, in a thread of its own. The main thread only waits: the system gives it the signals,
        and an ODBC driver takes a call that a signal interrupts for a broken connection, after a claim
        perhaps.
        """
        errors: list[BaseException] = []

        def run() -> None:
            try:
                self._run(burst, max_jobs)
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run, name="chokaq-claim", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(_SIGNAL_LATENCY)
        if errors:
            raise errors[0]

    def _summary(self) -> WorkerSummary:
        with self._lock:
            return WorkerSummary(**self._counts)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[bool]:
        """Turns SIGTERM and SIGINT into ``stop``; False where that is not wished or not possible."""
        if not self._handle_signals or threading.current_thread() is not threading.main_thread():
            yield False
            return

        def on_signal(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        before = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield True
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _wait_for_server(self, burst: bool) -> bool:
        """The first connection. False: told to stop while waiting."""
        backoff = Backoff()
        while True:
            try:
                self._queue.check_version()
            except ConnectionFailedError as error:
                if burst or not (error.sqlstate or "").startswith(("08", "HYT")):
                    raise
                self._availability.failed(error)
            else:
                self._availability.succeeded()
                return True
            end = time.monotonic() + backoff.next()
            while (left := end - time.monotonic()) > 0:
                if self._stop_requests:
                    return False
                self._sleep(left)

    def _start_threads(self) -> None:
        self._reports.start()
        targets = [(f"slot-{number}", self._run_slot) for number in range(self._concurrency)]
        targets.append(("heartbeat", self._send_heartbeats))
        if self._sweep_interval is not None:
            targets.append(("maintenance", self._maintain))
        if self._types.has_timeouts:
            targets.append(("deadlines", self._deadlines.run))
        # Daemons: a handler that never returns must not keep the process alive after the grace period.
        self._threads = [
            threading.Thread(target=target, name=f"chokaq-{name}", daemon=True) for name, target in targets
        ]
        for thread in self._threads:
            thread.start()

    # Claiming and starting

    def _claim_and_start(self, burst: bool, max_jobs: int | None) -> None:
        backoff = Backoff()
        not_before = 0.0  # no call at all: the server is away
        next_fetch = 0.0
        empty_fetches = 0
        claimed = 0
        has_worked = False
        while not self._stop_requests:
            now = time.monotonic()
            if now < not_before:
                self._sleep(not_before - now)
                continue
            with self._lock:
                if self._settled:
                    # A place of a limited queue may be free now, and in a burst this may have been the last
                    # job.
                    self._settled = False
                    next_fetch = min(next_fetch, now)
                limit, is_low = self._room()
                holds_none = not self._held
            if max_jobs is not None:
                limit = min(limit, max_jobs - claimed)
                if limit <= 0 and holds_none:
                    return
            may_fetch = limit > 0 and is_low
            try:
                if self._start_ready():
                    continue
                if may_fetch and now >= next_fetch:
                    limit = min(limit, _MAX_FETCH)
                    found = self._fetch(limit)
                    has_worked = True
                    claimed += found
                    empty_fetches = 0 if found else empty_fetches + 1
                    if burst and not found and holds_none:
                        return
                    next_fetch = time.monotonic() + self._poll_delay(found, limit, empty_fetches)
                    continue
            except (NotDeployedError, PermissionDeniedError):
                if not has_worked:
                    raise
                not_before = time.monotonic() + backoff.next()
            except ChokaqError as error:
                self._availability.failed(error)
                not_before = time.monotonic() + backoff.next()
            else:
                backoff.reset()
                self._sleep(max(0.0, next_fetch - time.monotonic()) if may_fetch else None)

    def _room(self) -> tuple[int, bool]:
        """Under the lock: how many jobs to claim, and whether it is time to.

        Jobs whose type has no free place do not count, or one type would keep the slots of all others idle;
        but there are only so many of them, for they are not for others to claim.
        """
        places = self._concurrency + self._prefetch
        blocked = 0
        if self._types.has_limits:
            blocked = sum(self._types.is_full(held.job.type) for held in self._ready)
        startable = len(self._ready) - blocked
        limit = min(places - startable - self._running, 2 * places - len(self._ready))
        return limit, startable <= self._prefetch // 2

    def _poll_delay(self, found: int, limit: int, empty_fetches: int) -> float:
        if found == limit:
            return 0.0  # there is probably more
        if found:
            return jittered(self._poll_interval)
        return jittered(min(self._max_poll_interval, self._poll_interval * 2.0 ** min(empty_fetches - 1, 20)))

    def _sleep(self, seconds: float | None) -> None:
        """Until something happens (a slot is free, a report is settled, a stop), or so many seconds."""
        with contextlib.suppress(queues_of_threads.Empty):
            self._wake.get(timeout=seconds)
            while True:  # several reasons to wake are one
                self._wake.get_nowait()

    def _fetch(self, limit: int) -> int:
        jobs = self._queue.fetch(self.worker_id, limit, self._queues)
        self._availability.succeeded()
        with self._lock:
            for job in jobs:
                older = self._held.get(job.job_id)
                if older is not None:
                    # It was taken away and came back: the older claim is void, whatever its handler still
                    # does.
                    older.context._on_lost()
                    self._counts["lost"] += 1
                held = _Held(job, JobContext(job, self._queue, self.worker_id, self._shutdown))
                self._held[job.job_id] = held
                self._ready.append(held)
        if jobs:
            self._report_event("jobs-fetched", count=len(jobs))
        return len(jobs)

    def _start_ready(self) -> bool:
        """Marks as many claimed jobs as there are free slots, in one call, and hands them to the slots."""
        with self._lock:
            starting: list[_Held] = []
            waiting: list[_Held] = []
            while self._ready and len(starting) < self._concurrency - self._running:
                held = self._ready.popleft()
                if held.context.lost:
                    continue
                (starting if self._types.take(held.job.type) else waiting).append(held)
            self._ready.extendleft(reversed(waiting))
        if not starting:
            return False
        try:
            answers = self._queue.mark_processing(self.worker_id, [held.job.lease for held in starting])
        except BaseException:
            with self._lock:
                self._ready.extendleft(reversed(starting))
                for held in starting:
                    self._types.give(held.job.type)
            raise
        self._availability.succeeded()
        outcomes = {answer.job_id: answer.outcome for answer in answers}
        for held in starting:
            if outcomes.get(held.job.job_id) is Outcome.PROCESSING and not held.context.lost:
                with self._lock:
                    held.state = _RUNNING
                    self._running += 1
                self._report_event("job-started", **_fields(held.job), attempt=held.context.attempt)
                self._work.put(held)
            else:
                with self._lock:
                    self._types.give(held.job.type)
                self._drop_lost(held)
        return True

    def _drop_lost(self, held: _Held) -> None:
        held.context._on_lost()
        with self._lock:
            if self._forget(held):
                self._counts["lost"] += 1
        self._report_event("job-lost", **_fields(held.job))

    def _forget(self, held: _Held) -> bool:
        """Under the lock: takes it off the held jobs. False: it was off already, or a newer claim is in its
        place.
        """
        if self._held.get(held.job.job_id) is not held:
            return False
        del self._held[held.job.job_id]
        return True

    # Slots

    def _run_slot(self) -> None:
        while (held := self._work.get()) is not None:
            result = self._execute(held)
            with self._lock:
                self._types.give(held.job.type)
                if held.overran:
                    self._overrunning -= 1
                if not held.replaced:
                    self._running -= 1
                is_mine = self._held.get(held.job.job_id) is held and not self._abandon
                is_lost = held.context.lost
                was_reported, held.state = held.overran, _REPORTING
            if was_reported:
                took = round(result.duration_ms or 0.0, 3)
                self._report_event("overrun-ended", **_fields(held.job), duration_ms=took)
            elif is_mine and not is_lost:
                self._reports.add(Report(held.job, result, self._on_settled(held)))
            elif is_mine:
                self._drop_lost(held)
            self._wake.put(None)
            if held.replaced:
                return

    def _execute(self, held: _Held) -> Completion | Failure:
        """Runs the handler, unless the circuit of the job's type is open."""
        job = held.job
        held.admission = self._types.admit(job.type)
        if held.admission.wait is not None:
            return Failure(
                lease=job.lease,
                reason=FailureReason.CIRCUIT_BREAKER,
                error=f"Not executed: the circuit of the type {job.type} is open in this worker.",
                error_group="circuit open",
                retry_after=jittered(held.admission.wait) + 1.0,
                duration_ms=0.0,
            )
        timeout = self._types.options(job.type).timeout
        held.context._begin(timeout)
        if timeout is not None:
            self._deadlines.start(held, timeout)
        result = execute(self._handlers, held.context, self._around)
        self._deadlines.finish(held)
        with self._lock:
            is_news = not held.overran  # else the breaker has heard of it
        if is_news:
            self._tell_breaker(held, result.reason if isinstance(result, Failure) else None)
        return result

    def _tell_breaker(self, held: _Held, reason: FailureReason | None) -> None:
        changed = self._types.record(held.job.type, reason, held.admission)
        if changed is not None:
            self._report_event(changed, queue=held.job.queue, type=held.job.type)

    # Timeouts

    def _time_is_up(self, held: _Held) -> float | None:
        """A handler overran. An async one is cancelled, and given a moment; of another the thread goes on."""
        if not held.context.timed_out and held.context._on_timeout():
            return _CANCEL_GRACE
        self._give_up(held)
        return None

    def _give_up(self, held: _Held) -> None:
        """Reports a Timeout in place of a handler that still runs, and gives its slot to a new thread: up to
        ``concurrency`` such handlers; after that their slots stay taken, or threads would grow for ever.
        """
        job = held.job
        timeout = self._types.options(job.type).timeout or 0.0
        with self._lock:
            if held.state != _RUNNING or self._abandon:
                return
            held.state, held.overran = _REPORTING, True
            is_mine = self._held.get(job.job_id) is held and not held.context.lost
            self._overrunning += 1
            if self._overrunning <= self._concurrency:
                held.replaced = True
                self._running -= 1
                thread = threading.Thread(target=self._run_slot, name="chokaq-slot", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._report_event("job-overran", **_fields(job), attempt=held.context.attempt)
        self._tell_breaker(held, FailureReason.TIMEOUT)
        if is_mine:
            failure = Failure(
                lease=job.lease,
                reason=FailureReason.TIMEOUT,
                error=f"TimedOut: the handler took longer than {timeout:g} s. It was not stopped.",
                error_group=f"timeout of {job.type}"[:200],
                duration_ms=timeout * 1000,
            )
            self._reports.add(Report(job, failure, self._on_settled(held)))
        else:
            self._drop_lost(held)
        self._wake.put(None)

    # Results

    def _on_settled(self, held: _Held) -> Any:
        def settled(report: Report, outcome: Outcome | None) -> None:
            with self._lock:
                was_held = self._forget(held)
                self._settled = True
                if outcome is Outcome.ARCHIVED:
                    self._counts["succeeded"] += 1
                elif outcome in (Outcome.RETRY, Outcome.DEAD):
                    self._counts["failed" if held.admission.wait is None else "deferred"] += 1
                elif was_held:
                    self._counts["lost"] += 1
            self._tell_result(report, outcome, is_deferred=held.admission.wait is not None)
            self._wake.put(None)

        return settled

    def _tell_result(self, report: Report, outcome: Outcome | None, *, is_deferred: bool) -> None:
        fields = _fields(report.job) | {"outcome": None if outcome is None else outcome.value}
        result = report.result
        fields["duration_ms"] = None if result.duration_ms is None else round(result.duration_ms, 3)
        if outcome is None or outcome is Outcome.LOST:
            self._report_event("job-lost", **fields)
        elif is_deferred:
            self._report_event("job-deferred", **fields)
        elif isinstance(result, Failure):
            self._report_event("job-failed", **fields, reason=result.reason.name, error=result.error_group)
        elif isinstance(result, Completion):
            self._report_event("job-succeeded", **fields)

    # Heartbeats and maintenance

    def _send_heartbeats(self) -> None:
        delay = jittered(self._heartbeat_interval)
        while not self._background_stop.wait(delay):
            delay = jittered(self._heartbeat_interval)
            with self._lock:
                leases = [held.job.lease for held in self._held.values()]
            if not leases:
                continue
            try:
                answers = self._queue.keep_alive(self.worker_id, leases)
            except Exception as error:
                self._background_failed(error)
                delay = min(delay, jittered(2.0))
                continue
            self._availability.succeeded()
            tokens = {lease.job_id: lease for lease in leases}
            for answer in answers:
                self._take_heartbeat(tokens.get(answer.job_id), answer.outcome)

    def _take_heartbeat(self, lease: Lease | None, outcome: Outcome) -> None:
        if lease is None or outcome is Outcome.ALIVE:
            return
        with self._lock:
            held = self._held.get(lease.job_id)
            # Reported in the meantime: then the answer to the report counts, and "lost" only says it is gone.
            if held is None or held.job.lease != lease or held.state == _REPORTING:
                return
            is_news = not (held.context.lost if outcome is Outcome.LOST else held.context.cancel_requested)
        if outcome is Outcome.LOST and held.state == _READY:
            self._drop_lost(held)
        elif is_news and outcome is Outcome.LOST:
            held.context._on_lost()  # told when its handler comes back
        elif is_news:
            held.context._on_cancel()
            self._report_event("cancel-requested", **_fields(held.job))

    def _maintain(self) -> None:
        Maintenance(
            self._queue,
            self._sweep_interval or 0.0,
            sweep_only=self._sweep_only,
            reporter=self._report_event,
            availability=self._availability,
            on_error=self._background_failed,
        ).run(self._background_stop)

    def _background_failed(self, error: Exception) -> None:
        if isinstance(error, ChokaqError):
            self._availability.failed(error)
        else:
            self._report_event("worker-error", cause=error, error=type(error).__name__)

    # The end

    def _end(self) -> None:
        self._shutdown.set()
        deadline = time.monotonic() + self._grace_period
        self._report_event("worker-stopping")
        self._release_ready()
        while time.monotonic() < deadline and self._stop_requests < 2:
            with self._lock:
                if not self._running:
                    break
            self._sleep(deadline - time.monotonic())
        with self._lock:
            # From here on no slot hands in a result.
            self._abandon = True
            left = [held for held in self._held.values() if held.state == _RUNNING]
            self._counts["abandoned"] += len(left)
            for held in left:
                del self._held[held.job.job_id]
        for held in left:
            held.context._on_lost()
            self._report_event("job-abandoned", **_fields(held.job))
        all_sent = self._reports.finish(max(_LAST_REPORTS_SECONDS, deadline - time.monotonic()))
        self._background_stop.set()
        self._deadlines.end()
        for _ in range(self._concurrency):
            self._work.put(None)
        if self._closes_queue and not left and all_sent and self._all_ended(seconds=5.0):
            self._queue.close()  # else somebody may be in a call, and the process is about to end anyway
        counts: dict[str, Any] = dict(self._counts)
        self._report_event("worker-stopped", **counts)

    def _all_ended(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _release_ready(self) -> None:
        with self._lock:
            unstarted = [held for held in self._ready if not held.context.lost]
            self._ready.clear()
        if not unstarted:
            return
        try:
            answers = self._queue.release(self.worker_id, [held.job.lease for held in unstarted])
        except Exception as error:  # they come free when a sweep finds them; the stop goes on
            self._background_failed(error)
            answers = []
        released = sum(answer.outcome is Outcome.RELEASED for answer in answers)
        with self._lock:
            for held in unstarted:
                self._forget(held)
            self._counts["released"] += released
        self._report_event("jobs-released", count=released)


def _fields(job: FetchedJob) -> dict[str, Any]:
    return {"job_id": job.job_id, "queue": job.queue, "type": job.type}


def _new_worker_id() -> str:
    """host:pid:random. The random part makes it new at every start, so that no old job looks alive again."""
    host = "".join(letter for letter in socket.gethostname() if letter.isascii() and letter.isprintable())
    return f"{host[:60]}:{os.getpid()}:{secrets.token_hex(6)}"
