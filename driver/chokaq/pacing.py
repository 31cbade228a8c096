"""How often a reader that goes on and on may ask: never so often that the asking itself becomes the load."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Paced"]

T = TypeVar("T")

_SHARE = 0.1  # of the time that one reading may take up: what costs 1 s is read every 10 s at the most


class Paced(Generic[T]):
    """The newest answer of ``read``, asked again after ``interval`` seconds at the soonest, and later where
    the reading itself is slow. An error of ``read`` passes through, and the next ``get`` asks again.
    """

    def __init__(
        self, read: Callable[[], T], interval: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._interval = interval
        self._clock = clock
        self._answer: tuple[T] | None = None
        self._due = 0.0

    def get(self) -> T:
        """The answer, read anew when it is time."""
        started = self._clock()
        if self._answer is None or started >= self._due:
            self._answer = (self._read(),)
            ended = self._clock()
            self._due = ended + max(self._interval, (ended - started) * (1 / _SHARE - 1))
        return self._answer[0]

    def forget(self) -> None:
        """The next ``get`` asks, whatever the time."""
        self._answer = None
