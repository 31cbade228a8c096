"""Workers for tests: quick ones, in threads of their own, and what they tell."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from chokaq import Worker, WorkerEvent
from tests.unit.driver.fakequeue import FakeQueue


class Events:
    """Collects what a worker tells."""

    def __init__(self) -> None:
        self.all: list[WorkerEvent] = []

    def __call__(self, event: WorkerEvent) -> None:
        self.all.append(event)

    @property
    def names(self) -> Counter[str]:
        return Counter(event.name for event in self.all)

    def of(self, name: str) -> list[WorkerEvent]:
        return [event for event in self.all if event.name == name]


def make(queue: FakeQueue, handlers: Any = None, **options: Any) -> Worker:
    defaults: dict[str, Any] = {
        "concurrency": 2,
        "poll_interval": 0.02,
        "max_poll_interval": 0.05,
        "flush_interval": 0.01,
        "sweep_interval": None,
        "handle_signals": False,
    }
    return Worker(queue, handlers or {"ok": lambda _context: None}, **{**defaults, **options})


class Running:
    """A worker in a thread of its own."""

    def __init__(self, worker: Worker, **options: Any) -> None:
        self.worker = worker
        self.error: BaseException | None = None
        self.summary: Any = None
        self._thread = threading.Thread(target=self._run, kwargs=options)
        self._thread.start()

    def _run(self, **options: Any) -> None:
        try:
            self.summary = self.worker.run(**options)
        except BaseException as error:
            self.error = error

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> Any:
        self._thread.join(10)
        assert not self._thread.is_alive()
        return self.summary
