"""Job ids: UUIDv7 text, so that new rows go to the end of the clustered index.

Ids of one process only ever rise, also within a millisecond and when the clock is set back.
"""

from __future__ import annotations

import os
import threading
import time

__all__ = ["new_job_id"]

_RANDOM_BITS = 74  # what the version and variant bits leave of the 80 after the timestamp


class _Generator:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ms = 0
        self._tail = 0

    def next(self) -> int:
        """The id as a number, larger than any before."""
        now = time.time_ns() // 1_000_000
        with self._lock:
            if now > self._ms:
                self._begin(now)
            else:
                self._tail += 1 + int.from_bytes(os.urandom(5), "big")
                if self._tail >> _RANDOM_BITS:
                    self._begin(self._ms + 1)
            high, low = self._tail >> 62, self._tail & ((1 << 62) - 1)
            return (self._ms << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low

    def _begin(self, ms: int) -> None:
        self._ms = ms
        # The top bit stays free, for the steps within the millisecond.
        self._tail = int.from_bytes(os.urandom(10), "big") >> (80 - _RANDOM_BITS + 1)

    def after_fork(self) -> None:
        # The parent's lock may have been held. Equal states are no danger: every step is random.
        self._lock = threading.Lock()


_generator = _Generator()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_generator.after_fork)


def new_job_id() -> str:
    """A new id, 36 characters, lower case."""
    text = f"{_generator.next():032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
