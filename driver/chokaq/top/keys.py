"""Single keys from the terminal, without waiting for Enter."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator

__all__ = ["Keys", "listening", "parse"]

_ARROWS = {b"\x1b[A": "up", b"\x1bOA": "up", b"\x1b[B": "down", b"\x1bOB": "down"}


def parse(data: bytes) -> list[str]:
    """The keys in what a terminal sent: letters, ``up``, ``down``, ``interrupt``. The rest is left out."""
    keys = []
    while data:
        arrow = next((sequence for sequence in _ARROWS if data.startswith(sequence)), None)
        if arrow is not None:
            keys.append(_ARROWS[arrow])
            data = data[len(arrow) :]
        elif data.startswith(b"\x1b["):
            end = next((n for n in range(2, len(data)) if 0x40 <= data[n] <= 0x7E), len(data) - 1)
            data = data[end + 1 :]  # a key that means nothing here
        else:
            if data[0] == 3:
                keys.append("interrupt")
            elif 0x20 <= data[0] < 0x7F:
                keys.append(chr(data[0]).lower())
            data = data[1:]
    return keys


class Keys:
    """Keys of one terminal. ``get`` waits, so it also paces the caller's loop."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @property
    def are_heard(self) -> bool:
        """False where there is no keyboard: then ``get`` only waits."""
        return self._descriptor is not None

    def get(self, timeout: float) -> list[str]:
        """What was pressed within ``timeout`` seconds; comes back at the first key."""
        if self._descriptor is None:
            time.sleep(timeout)
            return []
        ready, _, _ = select.select([self._descriptor], [], [], timeout)
        if not ready:
            return []
        data = os.read(self._descriptor, 1024)
        return parse(data) if data else ["q"]  # the terminal is gone


class _WindowsKeys(Keys):
    """Keys of a Windows console, which has no descriptor to wait for."""

    @property
    def are_heard(self) -> bool:
        return True

    def get(self, timeout: float) -> list[str]:
        import msvcrt

        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if msvcrt.kbhit():  # type: ignore[attr-defined,unused-ignore]
                key: str = msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
                if key in {"\x00", "\xe0"}:
                    arrow: str = msvcrt.getwch()  # type: ignore[attr-defined,unused-ignore]
                    return {"H": ["up"], "P": ["down"]}.get(arrow, [])
                return parse(key.encode("utf-8", "replace"))
            time.sleep(0.05)
        return []


@contextlib.contextmanager
def listening() -> Iterator[Keys]:
    """The keys of standard input, if it is a terminal; its mode is put back at the end."""
    if not sys.stdin.isatty():
        yield Keys(None)
        return
    try:
        import termios
        import tty
    except ImportError:
        yield _WindowsKeys(None)
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield Keys(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
