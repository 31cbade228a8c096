"""The worker's maintenance thread."""

from __future__ import annotations

import time
from datetime import datetime

from chokaq import ConnectionLostError, MaintenanceTask, PermissionDeniedError
from tests.unit.driver.fakequeue import FakeQueue, wait_until
from tests.unit.driver.workers import Events, Running, make

DENIED = PermissionDeniedError("x", number=229)


def stopped(running: Running) -> None:
    running.worker.stop()
    running.join()


def test_it_runs_again_and_again() -> None:
    queue, events = FakeQueue(), Events()
    running = Running(make(queue, sweep_interval=0.03, on_event=events))
    wait_until(lambda: queue.calls["run_maintenance"] >= 2)
    stopped(running)
    assert events.of("swept")[0].fields["count"] == 3
    assert events.of("maintained")[0].fields["count"] == 40
    assert queue.calls["sweep_zombies"] == 0


def test_without_the_right_it_sweeps() -> None:
    queue, events = FakeQueue(), Events()
    queue.faults["run_maintenance"] = [DENIED]
    running = Running(make(queue, sweep_interval=0.03, on_event=events))
    wait_until(lambda: queue.calls["sweep_zombies"] >= 2)
    stopped(running)
    assert queue.calls["run_maintenance"] == 1
    assert events.of("swept")[0].fields["count"] == 1
    assert events.names["sweep-denied"] == 0


def test_without_any_right_it_ends() -> None:
    queue, events = FakeQueue(), Events()
    queue.faults["run_maintenance"], queue.faults["sweep_zombies"] = [DENIED], [DENIED]
    running = Running(make(queue, sweep_interval=0.01, on_event=events))
    wait_until(lambda: events.names["sweep-denied"] == 1)
    time.sleep(0.05)
    stopped(running)
    assert (queue.calls["run_maintenance"], queue.calls["sweep_zombies"]) == (1, 1)


def test_only_sweeps_when_told_so() -> None:
    queue = FakeQueue()
    running = Running(make(queue, sweep_interval=0.02, maintenance=False))
    wait_until(lambda: queue.calls["sweep_zombies"] >= 2)
    stopped(running)
    assert queue.calls["run_maintenance"] == 0


def test_errors_are_waited_out() -> None:
    queue, events = FakeQueue(), Events()
    queue.faults["run_maintenance"] = [
        ConnectionLostError("gone", number=1, sqlstate="08S01"),
        ValueError("x"),
    ]
    running = Running(make(queue, sweep_interval=0.02, on_event=events))
    wait_until(lambda: events.names["swept"] >= 1)
    stopped(running)
    assert events.names["server-unavailable"] == 1
    assert events.names["worker-error"] == 1


class Backlog(FakeQueue):
    def run_maintenance(self, *, max_batches: int = 20, now: datetime | None = None) -> list[MaintenanceTask]:
        super().run_maintenance()
        more_left = self.calls["run_maintenance"] < 5
        return [MaintenanceTask(task="purged-archive", rows_done=20_000, more_left=more_left)]


def test_a_backlog_is_not_waited_for() -> None:
    queue = Backlog()
    running = Running(make(queue, sweep_interval=0.4))
    wait_until(lambda: queue.calls["run_maintenance"] >= 5, 2.0)
    stopped(running)
