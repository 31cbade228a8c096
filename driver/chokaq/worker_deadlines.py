"""Watches executions that may take only so long. A thread cannot be killed: what follows is the worker's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Deadlines"]

T = TypeVar("T")


class Deadlines(Generic[T]):
    """Calls ``on_deadline(item)`` in the thread that is in ``run``, when an item's time is up. What that
    returns is the time until the next call for the item, in seconds; None = no more.
    """

    def __init__(self, on_deadline: Callable[[T], float | None]) -> None:
        self._on_deadline = on_deadline
        self._changed = threading.Condition()
        self._items: dict[int, tuple[float, T]] = {}
        self._has_ended = False

    def start(self, item: T, seconds: float) -> None:
        with self._changed:
            self._items[id(item)] = (time.monotonic() + seconds, item)
            self._changed.notify()

    def finish(self, item: T) -> None:
        with self._changed:
            self._items.pop(id(item), None)

    def end(self) -> None:
        """Lets ``run`` return."""
        with self._changed:
            self._has_ended = True
            self._changed.notify()

    def run(self) -> None:
        while True:
            with self._changed:
                if self._has_ended:
                    return
                now = time.monotonic()
                # Never more items than slots (and overrunning handlers), so looking at all of them is cheap.
                due = [item for moment, item in self._items.values() if moment <= now]
                if not due:
                    first = min((moment for moment, _ in self._items.values()), default=None)
                    self._changed.wait(None if first is None else first - now)
                    continue
                for item in due:
                    del self._items[id(item)]
            for item in due:
                again = self._on_deadline(item)
                if again is not None:
                    self.start(item, again)
