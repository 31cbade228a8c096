"""Ctrl-C and the other signals that ask the demo to end."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["Interrupted", "Interrupts"]


class Interrupted(BaseException):
    """A signal asked for the end. Not an Exception, as KeyboardInterrupt is none."""


class Interrupts:
    """Raises Interrupted where the program is when a signal comes, and remembers it: C code that is waiting
    for a database may turn the exception into one of its own.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None

    def check(self) -> None:
        """Raises Interrupted if a signal has come, be it long ago."""
        if self.received is not None:
            raise Interrupted(self.received.name)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Takes the signals meanwhile; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        before = {number: signal.signal(number, self._take) for number in (signal.Signals[n] for n in names)}
        for number in before if hasattr(signal, "siginterrupt") else ():
            # A signal in the middle of a call must not break the connection: an ODBC driver does not go on
            # after an interrupted system call.
            signal.siginterrupt(number, False)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self.received = signal.Signals(number)
        self.check()
