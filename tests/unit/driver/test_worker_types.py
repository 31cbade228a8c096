"""Places, timeouts and circuit breakers of job types."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from chokaq import (
    BreakerOptions,
    CircuitOpen,
    FailureReason,
    JobContext,
    Rejected,
    RetryLater,
    TypeOptions,
)
from chokaq import worker as worker_module
from chokaq.worker_breaker import Admission, CircuitBreaker
from tests.unit.driver.fakequeue import FakeQueue, wait_until
from tests.unit.driver.workers import Events, Running, make


def failure(queue: FakeQueue, job_id: str = "j0000") -> Any:
    return queue.jobs[job_id].failures[0]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (TypeOptions, {"concurrency": 0}),
        (TypeOptions, {"timeout": 0}),
        (BreakerOptions, {"failures": 0}),
        (BreakerOptions, {"open_seconds": 0}),
    ],
)
def test_options_that_make_no_sense(kind: Any, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        kind(**values)


# Places


def test_a_type_takes_only_its_places() -> None:
    now = most = 0
    lock = threading.Lock()

    def slow(_context: JobContext) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1

    queue = FakeQueue(*["slow"] * 12)
    options = {"SLOW ": TypeOptions(concurrency=2)}
    done = make(queue, {"slow": slow}, concurrency=6, type_options=options).run(burst=True)
    assert (done.succeeded, most) == (12, 2)


def test_a_full_type_does_not_hold_up_the_others() -> None:
    free = threading.Event()
    queue = FakeQueue(*["slow"] * 6, *["quick"] * 6)
    handlers = {"slow": lambda _context: free.wait(5), "quick": lambda _context: None}
    options = {"slow": TypeOptions(concurrency=1)}
    running = Running(make(queue, handlers, concurrency=2, prefetch=2, type_options=options))
    wait_until(lambda: sum(job.status == "archived" for job in queue.jobs.values()) == 6)
    assert queue.count("processing") == 1
    free.set()
    wait_until(lambda: queue.count("archived") == 12)
    running.worker.stop()
    running.join()


def test_waiting_jobs_of_a_full_type_are_few_and_given_back() -> None:
    free = threading.Event()
    queue = FakeQueue(*["slow"] * 50)
    options = {"slow": TypeOptions(concurrency=1)}
    running = Running(make(queue, {"slow": lambda _c: free.wait(5)}, prefetch=2, type_options=options))
    wait_until(lambda: queue.count("processing") == 1)
    time.sleep(0.2)
    assert queue.max_claimed <= 1 + 8  # twice the slots and the prefetch
    running.worker.stop()
    time.sleep(0.05)
    free.set()
    assert running.join().succeeded == 1
    assert queue.count("pending") == 49


# Timeouts


def test_an_overrunning_thread_loses_job_and_slot() -> None:
    stuck, told = threading.Event(), threading.Event()

    def overrun(context: JobContext) -> None:
        assert context.remaining is not None
        assert 0 < context.remaining <= 0.05
        stuck.wait(5)
        if context.timed_out and context.cancelled and context.remaining == 0:
            told.set()

    queue, events = FakeQueue("overrun", "ok", "ok"), Events()
    handlers = {"overrun": overrun, "ok": lambda context: context.remaining}
    options = {"overrun": TypeOptions(timeout=0.05)}
    running = Running(make(queue, handlers, concurrency=1, type_options=options, on_event=events))
    wait_until(lambda: queue.count("archived") == 2)
    assert failure(queue).reason is FailureReason.TIMEOUT
    assert failure(queue).duration_ms == 50
    assert "longer than 0.05 s" in failure(queue).error
    assert not told.is_set()
    stuck.set()
    wait_until(lambda: events.names["overrun-ended"] == 1)
    assert told.is_set()
    running.worker.stop()
    done = running.join()
    assert (done.succeeded, done.failed, done.lost, done.abandoned) == (2, 1, 0, 0)
    assert (events.names["job-overran"], events.names["job-failed"]) == (1, 1)
    assert queue.calls["fail"] == 1  # what the handler returned in the end was dropped


def test_overrunning_threads_do_not_grow_for_ever() -> None:
    stuck = threading.Event()
    queue = FakeQueue(*["overrun"] * 10)
    default = TypeOptions(timeout=0.02)
    running = Running(make(queue, {"overrun": lambda _c: stuck.wait(5)}, default_options=default))
    wait_until(lambda: queue.count("failed") == 4)  # twice the concurrency
    time.sleep(0.2)
    assert queue.count("failed") == 4
    stuck.set()
    wait_until(lambda: queue.count("archived") == 6)
    running.worker.stop()
    running.join()


def test_a_stop_does_not_wait_for_an_overrunning_thread() -> None:
    stuck = threading.Event()
    queue = FakeQueue("overrun")
    worker = make(queue, {"overrun": lambda _c: stuck.wait(20)}, default_options=TypeOptions(timeout=0.02))
    started = time.monotonic()
    done = worker.run(burst=True)
    assert time.monotonic() - started < 5
    assert (done.failed, done.abandoned) == (1, 0)
    stuck.set()


def test_an_async_handler_is_cancelled() -> None:
    cleaned = threading.Event()

    async def overrun(_context: JobContext) -> None:
        try:
            await asyncio.sleep(20)
        finally:
            cleaned.set()

    queue, events = FakeQueue("overrun"), Events()
    worker = make(queue, {"overrun": overrun}, default_options=TypeOptions(timeout=0.05), on_event=events)
    assert worker.run(burst=True).failed == 1
    assert cleaned.is_set()
    assert failure(queue).reason is FailureReason.TIMEOUT
    assert events.names["job-overran"] == 0


def test_an_async_handler_that_will_not_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "_CANCEL_GRACE", 0.05)
    stuck = threading.Event()

    async def overrun(_context: JobContext) -> None:
        stuck.wait(5)  # blocks its event loop

    queue, events = FakeQueue("overrun"), Events()
    worker = make(queue, {"overrun": overrun}, default_options=TypeOptions(timeout=0.02), on_event=events)
    running = Running(worker)
    wait_until(lambda: queue.count("failed") == 1)
    assert events.names["job-overran"] == 1
    stuck.set()
    wait_until(lambda: events.names["overrun-ended"] == 1)
    running.worker.stop()
    running.join()


def test_work_that_is_done_in_the_last_moment_counts() -> None:
    async def overrun(_context: JobContext) -> None:
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            return  # had just finished

    queue = FakeQueue("overrun")
    done = make(queue, {"overrun": overrun}, default_options=TypeOptions(timeout=0.05)).run(burst=True)
    assert done.succeeded == 1


def test_a_handler_in_steps_stops_itself() -> None:
    def steps(context: JobContext) -> None:
        while True:
            time.sleep(0.005)
            context.check_cancelled()

    queue, events = FakeQueue("steps"), Events()
    worker = make(queue, {"steps": steps}, default_options=TypeOptions(timeout=0.03), on_event=events)
    assert worker.run(burst=True).failed == 1
    assert failure(queue).reason is FailureReason.TIMEOUT


def test_a_cancel_reaches_an_async_handler() -> None:
    async def wait(_context: JobContext) -> None:
        await asyncio.sleep(20)

    queue = FakeQueue("wait")
    queue.cancelled = {"j0000"}
    done = make(queue, {"wait": wait}, heartbeat_interval=0.03).run(burst=True)
    assert done.failed == 1
    assert failure(queue).reason is FailureReason.CANCELLED


def test_an_async_handler_that_cancels_itself_has_failed() -> None:
    async def odd(_context: JobContext) -> None:
        raise asyncio.CancelledError

    queue = FakeQueue("odd")
    assert make(queue, {"odd": odd}).run(burst=True).failed == 1
    assert failure(queue).reason is FailureReason.TRANSIENT


# Circuit breakers


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


BAD = FailureReason.TRANSIENT


def test_a_circuit_opens_half_opens_and_closes() -> None:
    clock = Clock()
    breaker = CircuitBreaker(BreakerOptions(failures=3, open_seconds=10), clock)
    normal = breaker.admit()
    assert normal == Admission()
    assert [breaker.record(BAD, normal) for _ in range(2)] == [None, None]
    assert breaker.record(None, normal) is None  # in a row, it says
    assert [breaker.record(BAD, normal) for _ in range(3)] == [None, None, "circuit-opened"]
    assert breaker.record(None, normal) is None  # began before it opened
    clock.now += 4
    assert breaker.admit().wait == 6
    clock.now += 6
    probe = breaker.admit()
    assert probe == Admission(is_probe=True)
    assert breaker.admit().wait == 10  # one at a time
    assert breaker.record(BAD, probe) == "circuit-opened"
    assert breaker.admit().wait == 10
    clock.now += 10
    assert breaker.record(None, breaker.admit()) == "circuit-closed"
    assert breaker.admit() == Admission()
    assert breaker.record(BAD, normal) is None  # counting from the beginning


def test_failures_of_the_job_itself_do_not_count() -> None:
    clock = Clock()
    breaker = CircuitBreaker(BreakerOptions(failures=1, open_seconds=10), clock)
    for reason in (FailureReason.REJECTED, FailureReason.FATAL_ERROR, FailureReason.CANCELLED):
        assert breaker.record(reason, breaker.admit()) is None
    assert breaker.record(FailureReason.TIMEOUT, breaker.admit()) == "circuit-opened"
    clock.now += 10
    probe = breaker.admit()
    assert breaker.record(FailureReason.REJECTED, probe) is None
    assert breaker.admit().is_probe  # it said nothing about the service: the next one decides


def test_a_worker_puts_jobs_off_while_the_circuit_is_open() -> None:
    executed = []

    def bad(context: JobContext) -> None:
        executed.append(context.job.job_id)
        raise RetryLater("the service is down")

    queue, events = FakeQueue(*["bad"] * 5, "ok"), Events()
    options = {"bad": TypeOptions(breaker=BreakerOptions(failures=2, open_seconds=60))}
    handlers = {"bad": bad, "ok": lambda _context: None}
    worker = make(queue, handlers, concurrency=1, type_options=options, on_event=events)
    done = worker.run(burst=True)
    assert (done.failed, done.deferred, done.succeeded) == (2, 3, 1)
    assert len(executed) == 2
    put_off = queue.jobs["j0004"].failures[0]
    assert put_off.reason is FailureReason.CIRCUIT_BREAKER
    assert 40 < put_off.retry_after < 80
    assert put_off.error_group == "circuit open"
    assert (events.names["circuit-opened"], events.names["job-deferred"]) == (1, 3)
    assert events.of("circuit-opened")[0].fields["type"] == "bad"


def test_a_handler_that_says_circuit_open_counts_too() -> None:
    def bad(_context: JobContext) -> None:
        raise CircuitOpen("known to be down")

    queue = FakeQueue("bad", "bad")
    options = TypeOptions(breaker=BreakerOptions(failures=1))
    done = make(queue, {"bad": bad}, concurrency=1, default_options=options).run(burst=True)
    assert (done.failed, done.deferred) == (1, 1)


def test_the_probe_closes_the_circuit() -> None:
    healthy = False

    def work(_context: JobContext) -> None:
        if not healthy:
            raise RetryLater("down")

    queue, events = FakeQueue("work"), Events()
    options = TypeOptions(breaker=BreakerOptions(failures=1, open_seconds=0.05))
    running = Running(make(queue, {"work": work}, default_options=options, on_event=events))
    wait_until(lambda: events.names["circuit-opened"] == 1)
    healthy = True
    time.sleep(0.06)
    with queue.lock:
        queue.jobs["j0000"].status = "pending"
    wait_until(lambda: events.names["circuit-closed"] == 1)
    running.worker.stop()
    assert running.join().succeeded == 1


def test_a_timeout_opens_the_circuit_while_the_handler_still_runs() -> None:
    stuck = threading.Event()
    queue, events = FakeQueue("stuck", "stuck"), Events()
    options = TypeOptions(timeout=0.03, breaker=BreakerOptions(failures=1))
    worker = make(
        queue, {"stuck": lambda _c: stuck.wait(5)}, concurrency=1, default_options=options, on_event=events
    )
    done = worker.run(burst=True)
    stuck.set()
    assert (done.failed, done.deferred) == (1, 1)
    assert events.names["circuit-opened"] == 1


def test_rejected_jobs_do_not_open_it() -> None:
    def bad(_context: JobContext) -> None:
        raise Rejected("no")

    queue = FakeQueue(*["bad"] * 4)
    options = TypeOptions(breaker=BreakerOptions(failures=1))
    assert make(queue, {"bad": bad}, default_options=options).run(burst=True).failed == 4
