"""The worker: claims, slots, heartbeats, reports, faults and endings."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from chokaq import (
    CircuitOpen,
    ConnectionFailedError,
    ConnectionLostError,
    DatabaseError,
    FailureReason,
    Fatal,
    JobCancelled,
    JobContext,
    JobError,
    NotDeployedError,
    NotRepresentableError,
    PermissionDeniedError,
    Rejected,
    RetryLater,
    Throttled,
    TimedOut,
    Worker,
    WorkerEvent,
)
from chokaq import worker_reports as reports_module
from chokaq.worker_handlers import clean_text
from tests.unit.driver import fakedb
from tests.unit.driver.fakequeue import FakeQueue, wait_until
from tests.unit.driver.workers import Events, Running, make

LOST = ConnectionLostError("gone", number=104, sqlstate="08S01")


@pytest.fixture(autouse=True)
def short_backoffs(monkeypatch: pytest.MonkeyPatch) -> None:
    from chokaq import worker_backoff

    monkeypatch.setattr(worker_backoff.Backoff.__init__, "__defaults__", (0.01, 0.05))


# What is done


def test_a_burst_runs_everything_that_is_due() -> None:
    queue = FakeQueue(*["ok"] * 250, *["async"] * 5)
    seen: list[str] = []

    async def asynchronous(context: JobContext) -> None:
        await asyncio.sleep(0)
        seen.append(context.job.job_id)

    events = Events()
    worker = make(queue, {"ok": lambda c: seen.append(c.job.job_id), "async": asynchronous}, on_event=events)
    summary = worker.run(burst=True)
    assert (summary.succeeded, summary.failed, summary.lost) == (255, 0, 0)
    assert sorted(seen) == sorted(queue.jobs)
    assert queue.count("archived") == 255
    assert events.names["job-started"] == events.names["job-succeeded"] == 255
    assert not queue.closed  # it was handed in


def test_nothing_to_do_ends_a_burst_at_once() -> None:
    queue = FakeQueue()
    assert make(queue).run(burst=True).succeeded == 0
    assert queue.calls["fetch"] == 1


@pytest.mark.parametrize("count", [1, 3, 7])
def test_max_jobs(count: int) -> None:
    queue = FakeQueue(*["ok"] * 10)
    assert make(queue).run(max_jobs=count).succeeded == count
    assert queue.count("pending") == 10 - count


@pytest.mark.parametrize(("concurrency", "prefetch"), [(1, 0), (3, 0), (3, 2), (2, 50)])
def test_never_more_running_or_claimed_than_asked_for(concurrency: int, prefetch: int) -> None:
    queue = FakeQueue(*["ok"] * 60)
    lock = threading.Lock()
    running, most = 0, 0

    def handler(_context: JobContext) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.002)
        with lock:
            running -= 1

    worker = make(
        queue, {"ok": handler}, concurrency=concurrency, prefetch=prefetch, flush_size=1, flush_interval=0
    )
    assert worker.run(burst=True).succeeded == 60
    assert most == concurrency
    # Handlers that have returned count in the database until they are reported.
    assert queue.max_claimed <= 2 * concurrency + prefetch + concurrency


def test_reports_travel_in_batches() -> None:
    queue = FakeQueue(*["ok"] * 400)
    make(queue, concurrency=8, prefetch=200, flush_size=100, flush_interval=0.2).run(burst=True)
    assert queue.calls["complete"] <= 20
    assert sum(len(batch) for batch in queue.batches["complete"]) == 400


# What goes wrong in handlers


def raising(error: BaseException) -> Callable[[JobContext], None]:
    def handler(_context: JobContext) -> None:
        raise error

    return handler


@pytest.mark.parametrize(
    ("error", "reason", "retry_after"),
    [
        (ValueError("x"), FailureReason.TRANSIENT, None),
        (SystemExit(1), FailureReason.TRANSIENT, None),
        (TimeoutError(), FailureReason.TIMEOUT, None),
        (asyncio.TimeoutError(), FailureReason.TIMEOUT, None),
        (TimedOut("x"), FailureReason.TIMEOUT, None),
        (Fatal("x"), FailureReason.FATAL_ERROR, None),
        (Rejected("x"), FailureReason.REJECTED, None),
        (RetryLater("x", retry_after=30), FailureReason.TRANSIENT, 30),
        (Throttled("x", retry_after=timedelta(minutes=1)), FailureReason.THROTTLED, 60),
        (CircuitOpen("x"), FailureReason.CIRCUIT_BREAKER, None),
        (JobCancelled("x"), FailureReason.CANCELLED, None),
        (Throttled("x", retry_after=-5), FailureReason.THROTTLED, 0),
        (Throttled("x", retry_after=float("nan")), FailureReason.THROTTLED, None),
    ],
)
def test_exceptions_are_reasons(
    error: BaseException, reason: FailureReason, retry_after: float | None
) -> None:
    queue = FakeQueue("bad")
    assert make(queue, {"bad": raising(error)}).run(burst=True).failed == 1
    (failure,) = queue.jobs["j0000"].failures
    assert (failure.reason, failure.retry_after) == (reason, retry_after)
    assert failure.duration_ms is not None
    assert failure.error is not None
    assert failure.error.startswith(type(error).__name__)


def test_a_type_without_a_handler_is_rejected() -> None:
    queue = FakeQueue("unheard-of")
    make(queue).run(burst=True)
    (failure,) = queue.jobs["j0000"].failures
    assert failure.reason is FailureReason.REJECTED
    assert failure.error_group == "no handler for unheard-of"


def test_errors_are_grouped_by_exception_and_place() -> None:
    queue = FakeQueue("bad", "named")
    make(queue, {"bad": raising(ValueError("17")), "named": raising(JobError("x", group="ours"))}).run(
        burst=True
    )
    groups = [job.failures[0].error_group for job in queue.jobs.values()]
    assert groups == [f"ValueError in {__name__}.handler", "ours"]
    text = queue.jobs["j0000"].failures[0].error
    assert text is not None
    assert text.startswith("ValueError: 17\n\nTraceback")
    assert "worker_handlers" not in text


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize("error", [UnspeakableError(), ValueError("\ud800 \0"), ValueError("x" * 100_000)])
def test_every_error_can_be_reported(error: Exception) -> None:
    queue = FakeQueue("bad")
    make(queue, {"bad": raising(error)}).run(burst=True)
    text = queue.jobs["j0000"].failures[0].error
    assert text is not None
    assert len(text) < 21_000
    text.encode("utf-8")
    assert "\0" not in text


def test_clean_text() -> None:
    assert clean_text("a\ud800b\0c") == "a?b\ufffdc"


# Heartbeats


def test_one_heartbeat_for_all_that_is_held() -> None:
    queue = FakeQueue(*["slow"] * 6)
    release = threading.Event()
    running = Running(
        make(queue, {"slow": lambda _c: release.wait(5)}, concurrency=2, prefetch=2, heartbeat_interval=0.03)
    )
    wait_until(lambda: queue.calls["keep_alive"] >= 3)
    release.set()
    running.worker.stop()
    running.join()
    assert all(len(batch) == 4 for batch in queue.batches["keep_alive"][:2])  # two running, two waiting


def test_a_lost_job_is_told_to_its_handler_and_its_result_dropped() -> None:
    queue = FakeQueue("slow")
    events = Events()
    flags: list[tuple[bool, bool]] = []

    def handler(context: JobContext) -> None:
        if context.attempt > 1:
            return
        queue.take_away("j0000")
        wait_until(lambda: context.lost)
        flags.append((context.lost, context.cancelled))
        context.check_cancelled()

    # prefetch 0 and one slot: it is not claimed again while the first handler still runs
    worker = make(
        queue, {"slow": handler}, heartbeat_interval=0.02, concurrency=1, prefetch=0, on_event=events
    )
    summary = worker.run(burst=True)
    assert flags == [(True, True)]
    assert (summary.succeeded, summary.lost, summary.failed) == (1, 1, 0)
    assert events.names["job-lost"] == 1
    assert queue.jobs["j0000"].failures == []


def test_a_job_that_comes_back_to_its_own_worker_is_a_new_claim() -> None:
    queue = FakeQueue("slow")
    contexts: list[JobContext] = []
    second_done = threading.Event()

    def handler(context: JobContext) -> None:
        contexts.append(context)
        if len(contexts) == 1:
            queue.take_away("j0000")
            assert second_done.wait(5)
        else:
            second_done.set()

    summary = make(queue, {"slow": handler}, concurrency=2, prefetch=0).run(max_jobs=2)
    assert contexts[0].lost
    assert not contexts[1].lost
    assert (summary.succeeded, summary.lost) == (1, 1)
    assert (queue.jobs["j0000"].status, queue.jobs["j0000"].lease) == ("archived", 2)


def test_a_job_lost_before_it_started_is_not_started() -> None:
    queue = FakeQueue("slow", "ok")
    started: list[str] = []

    def slow(_context: JobContext) -> None:
        queue.jobs["j0001"].worker = "somebody else"
        wait_until(lambda: queue.calls["keep_alive"] >= 2)

    handlers = {"slow": slow, "ok": lambda c: started.append(c.job.job_id)}
    worker = make(queue, handlers, concurrency=1, prefetch=1, heartbeat_interval=0.02)
    summary = worker.run(max_jobs=2)
    assert started == []
    assert summary.lost == 1


def test_cancelling_is_asked_for_once() -> None:
    queue = FakeQueue("slow")
    queue.cancelled.add("j0000")
    events = Events()

    def handler(context: JobContext) -> None:
        wait_until(lambda: context.cancel_requested)
        wait_until(lambda: queue.calls["keep_alive"] >= 3)
        context.check_cancelled()

    make(queue, {"slow": handler}, heartbeat_interval=0.02, on_event=events).run(burst=True)
    assert queue.jobs["j0000"].failures[0].reason is FailureReason.CANCELLED
    assert events.names["cancel-requested"] == 1


def test_heartbeats_go_on_after_a_failure() -> None:
    queue = FakeQueue("slow")
    queue.faults["keep_alive"] = [LOST]
    make(
        queue,
        {"slow": lambda _c: wait_until(lambda: queue.calls["keep_alive"] >= 3)},
        heartbeat_interval=0.02,
    ).run(burst=True)
    assert queue.count("archived") == 1


# Reports that are refused


@pytest.mark.parametrize(
    "refusal",
    [
        NotRepresentableError("CompleteJobs: row 0, column id", number=51005, sqlstate="42000"),
        DatabaseError("conversion failed", number=8114, sqlstate="22018"),
        DatabaseError("duplicate", number=2627, sqlstate="23000"),
        ValueError("client side"),
    ],
)
def test_one_poison_report_does_not_hold_up_the_others(refusal: Exception) -> None:
    queue = FakeQueue(*["ok"] * 50)
    queue.poison["j0017"] = refusal
    events = Events()
    summary = make(queue, concurrency=4, prefetch=50, flush_interval=0.1, on_event=events).run(burst=True)
    assert (summary.succeeded, summary.failed) == (49, 1)
    assert queue.count("archived") == 49
    (failure,) = queue.jobs["j0017"].failures
    assert failure.reason is FailureReason.FATAL_ERROR
    assert failure.error == f"The database refused the report of this success ({type(refusal).__name__})."
    assert events.names["job-refused"] == 1


def test_an_error_of_unknown_fault_is_tried_for_a_while_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports_module, "_PATIENCE", 3)
    queue = FakeQueue(*["ok"] * 10)
    queue.poison["j0003"] = DatabaseError("internal error", number=33557097, sqlstate="42000")
    summary = make(queue, flush_size=10, flush_interval=0.1, concurrency=4, prefetch=10).run(burst=True)
    assert (summary.succeeded, summary.failed) == (9, 1)


def test_a_report_that_no_form_helps_is_dropped_and_the_worker_goes_on() -> None:
    queue = FakeQueue("ok", "ok")
    refusal = NotRepresentableError("no", number=51005)
    queue.poison["j0000"] = refusal
    queue.faults["fail"] = [refusal]
    events = Events()
    summary = make(queue, on_event=events).run(burst=True)
    assert (summary.succeeded, summary.lost) == (1, 1)
    assert events.names["report-dropped"] == 1
    assert queue.jobs["j0000"].status == "processing"  # a sweep will find it


# A server that goes away


@pytest.mark.parametrize("method", ["fetch", "mark_processing", "complete", "fail"])
def test_the_server_goes_away_and_comes_back(method: str) -> None:
    queue = FakeQueue(*["ok"] * 20, "bad")
    queue.faults[method] = [LOST, ConnectionFailedError("refused", sqlstate="08001"), LOST]
    events = Events()
    worker = make(queue, {"ok": lambda _c: None, "bad": raising(ValueError())}, on_event=events)
    summary = worker.run(burst=True)
    assert (summary.succeeded, summary.failed, summary.lost) == (20, 1, 0)
    assert queue.faults[method] == []
    assert 1 <= events.names["server-unavailable"] <= 3
    assert events.names["server-available"] == events.names["server-unavailable"]


def test_a_worker_waits_for_a_server_that_is_not_up_yet() -> None:
    queue = FakeQueue("ok")
    queue.faults["check_version"] = [ConnectionFailedError("refused", sqlstate="08001")] * 2
    assert make(queue).run(max_jobs=1).succeeded == 1


@pytest.mark.parametrize(
    "error",
    [
        NotDeployedError("x"),
        ConnectionFailedError("login failed", sqlstate="28000", number=18456),
        PermissionDeniedError("x", number=229),
    ],
)
def test_what_no_waiting_mends_is_raised_at_the_start(error: Exception) -> None:
    queue = FakeQueue()
    queue.faults["check_version"] = [error]
    with pytest.raises(type(error)):
        make(queue).run()


def test_a_missing_permission_is_raised_at_the_first_claim() -> None:
    queue = FakeQueue()
    queue.faults["fetch"] = [PermissionDeniedError("x", number=229)]
    with pytest.raises(PermissionDeniedError):
        make(queue).run()


def test_a_stop_ends_the_wait_for_the_server() -> None:
    queue = FakeQueue()
    queue.faults["check_version"] = [ConnectionFailedError("refused", sqlstate="08001")] * 100_000
    running = Running(make(queue))
    wait_until(lambda: queue.calls["check_version"] > 2)
    running.worker.stop()
    assert running.join().succeeded == 0


# Idling


def test_an_idle_worker_does_not_hammer() -> None:
    queue = FakeQueue()
    running = Running(make(queue, poll_interval=0.05, max_poll_interval=0.2))
    time.sleep(0.8)
    running.worker.stop()
    running.join()
    assert 3 <= queue.calls["fetch"] <= 8
    assert queue.calls["keep_alive"] == queue.calls["complete"] == 0


def test_work_that_comes_later_is_found() -> None:
    queue = FakeQueue()
    running = Running(make(queue))
    wait_until(lambda: queue.calls["fetch"] >= 2)
    other = FakeQueue("ok").jobs
    with queue.lock:
        queue.jobs.update(other)
    wait_until(lambda: queue.count("archived") == 1)
    running.worker.stop()
    running.join()


# Endings


def test_a_stop_finishes_what_runs_and_releases_what_waits() -> None:
    queue = FakeQueue(*["slow"] * 8)
    go_on = threading.Event()
    told: list[bool] = []

    def handler(context: JobContext) -> None:
        assert go_on.wait(5)
        told.append(context.shutting_down)

    running = Running(make(queue, {"slow": handler}, concurrency=2, prefetch=3))
    wait_until(lambda: queue.count("processing") == 2 and queue.count("fetched") == 3)
    running.worker.stop()
    wait_until(lambda: queue.count("pending") == 6)
    assert running.is_alive
    go_on.set()
    summary = running.join()
    assert (summary.succeeded, summary.released, summary.abandoned) == (2, 3, 0)
    assert told == [True, True]


def test_what_does_not_end_in_time_is_let_go() -> None:
    queue = FakeQueue("slow", "ok")
    end = threading.Event()
    contexts: list[JobContext] = []

    def handler(context: JobContext) -> None:
        contexts.append(context)
        end.wait(5)

    worker = make(queue, {"slow": handler, "ok": lambda _c: None}, grace_period=0.1)
    running = Running(worker)
    wait_until(lambda: contexts and queue.count("archived") == 1)
    worker.stop()
    summary = running.join()
    assert (summary.succeeded, summary.abandoned) == (1, 1)
    assert contexts[0].lost
    end.set()
    time.sleep(0.05)
    assert queue.jobs["j0000"].status == "processing"  # its late result is not reported


def test_a_second_stop_cuts_the_grace_period() -> None:
    queue = FakeQueue("slow")
    end = threading.Event()
    running = Running(make(queue, {"slow": lambda _c: end.wait(10)}, grace_period=60))
    wait_until(lambda: queue.count("processing") == 1)
    running.worker.stop()
    running.worker.stop()
    assert running.join().abandoned == 1
    end.set()


def test_a_release_that_fails_does_not_keep_the_worker_from_stopping() -> None:
    queue = FakeQueue(*["slow"] * 4)
    queue.faults["release"] = [LOST]
    go_on = threading.Event()
    running = Running(make(queue, {"slow": lambda _c: go_on.wait(5)}, concurrency=1, prefetch=2))
    wait_until(lambda: queue.count("processing") == 1)
    running.worker.stop()
    go_on.set()
    summary = running.join()
    assert (summary.succeeded, summary.released) == (1, 0)


def test_reports_that_cannot_be_sent_do_not_keep_the_worker_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = FakeQueue("ok")
    queue.faults["complete"] = [LOST] * 1_000_000
    events = Events()
    worker = make(queue, grace_period=0.1, on_event=events)
    monkeypatch.setattr("chokaq.worker._LAST_REPORTS_SECONDS", 0.3)
    running = Running(worker)
    wait_until(lambda: queue.calls["complete"] > 1)
    worker.stop()
    summary = running.join()
    assert (summary.succeeded, summary.lost) == (0, 1)
    assert events.names["report-dropped"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_stop_it_gracefully(number: signal.Signals) -> None:
    queue = FakeQueue("slow")
    before = signal.getsignal(number)

    def handler(context: JobContext) -> None:
        os.kill(os.getpid(), number)
        wait_until(lambda: context.shutting_down)

    summary = make(
        queue, {"slow": handler}, handle_signals=True, poll_interval=30, max_poll_interval=30
    ).run()
    assert summary.succeeded == 1
    assert signal.getsignal(number) is before


def test_a_worker_runs_once_and_its_id_is_new() -> None:
    worker = make(FakeQueue())
    worker.run(burst=True)
    with pytest.raises(RuntimeError):
        worker.run(burst=True)
    ids = {make(FakeQueue()).worker_id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(one) <= 100 and one.isascii() for one in ids)


def test_a_single_connection_is_not_enough_for_a_worker() -> None:
    connection = fakedb.Server(lambda _call: []).connect()
    with pytest.raises(TypeError, match="URL or a callable"):
        Worker(connection, {})


@pytest.mark.parametrize(
    "options",
    [
        {"concurrency": 0},
        {"prefetch": -1},
        {"poll_interval": 0},
        {"flush_size": 0},
        {"heartbeat_interval": 0},
    ],
)
def test_impossible_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"at least|greater"):
        make(FakeQueue(), **options)


# What is told


def test_a_failing_hook_does_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    def hook(_event: WorkerEvent) -> None:
        raise ValueError("hook")

    queue = FakeQueue(*["ok"] * 3)
    assert make(queue, on_event=hook).run(burst=True).succeeded == 3
    assert "hook failed" in caplog.text


def test_logs_have_stable_fields_and_no_payload(caplog: pytest.LogCaptureFixture) -> None:
    queue = FakeQueue("ok", "bad", payload='{"card": "4111-1111"}')

    def bad(context: JobContext) -> None:
        raise ValueError(f"cannot charge {context.json()}")

    with caplog.at_level(logging.DEBUG, logger="chokaq"):
        make(queue, {"ok": lambda _c: None, "bad": bad}, worker_id="w1").run(burst=True)
    assert "4111-1111" not in caplog.text
    assert "4111-1111" not in "".join(str(record.__dict__) for record in caplog.records)
    done = next(record for record in caplog.records if getattr(record, "event", "") == "job-failed")
    fields = done.__dict__
    assert (fields["worker_id"], fields["chokaq_job_id"], fields["chokaq_queue"]) == ("w1", "j0001", "q")
    assert (fields["chokaq_outcome"], fields["chokaq_reason"]) == ("dead", "TRANSIENT")
