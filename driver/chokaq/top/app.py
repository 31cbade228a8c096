"""The live view: a thread reads, the main thread shows and listens, so that a slow server stops neither."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live

from ..dbapi import is_driver_error
from ..errors import ChokaqError
from ..queue import JobQueue
from .frame import Frame, FrameReader
from .keys import Keys
from .view import Screen, shown_queues

__all__ = ["App", "describe"]

_LOOK = 0.25  # seconds between two looks at what the reader has
_LONGEST_PAUSE = 30.0  # seconds between two tries while the server does not answer
_SILENCE = 5.0  # seconds without an answer after which the figures are called old
_JOIN = 2.0  # seconds that a call under way gets at the end


def describe(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


@dataclass
class _Shared:
    """What both threads know; under ``lock``."""

    frame: Frame
    selected: str | None = None
    in_sight: tuple[str, ...] | None = None
    trouble: str = ""
    message: str = ""
    answered: float = field(default_factory=time.monotonic)
    is_stale: bool = False  # read all anew
    wishes: deque[str] = field(default_factory=deque)  # queues to pause or resume
    lock: threading.Lock = field(default_factory=threading.Lock)


class App:
    """``first``: a frame that was read already, so that there is something to show at once."""

    def __init__(
        self, queue: JobQueue, reader: FrameReader, first: Frame, *, where: str, every: float
    ) -> None:
        self._queue = queue
        self._reader = reader
        self._where = where
        self._every = every
        self._shared = _Shared(first)
        self._wake = threading.Event()
        self._over = threading.Event()
        self._fault: Exception | None = None  # of this program, not of the server

    def run(self, console: Console, keys: Keys, *, looks: int | None = None) -> None:
        """Shows until q, Ctrl-C, or so many ``looks``."""
        thread = threading.Thread(target=self._read_on, name="chokaq-top", daemon=True)
        thread.start()
        try:
            with (
                contextlib.suppress(KeyboardInterrupt),
                Live(console=console, screen=True, auto_refresh=False) as live,
            ):
                shown = 0
                while self._fault is None and (looks is None or shown < looks):
                    live.update(self._screen(console.size.height, keys), refresh=True)
                    shown += 1
                    pressed = keys.get(_LOOK)
                    if any(key in {"q", "interrupt"} for key in pressed):
                        break
                    for key in pressed:
                        self.press(key)
        finally:
            self._over.set()
            self._wake.set()
            thread.join(_JOIN)
        if self._fault is not None:
            raise self._fault

    def press(self, key: str) -> None:
        """What a key does."""
        shared = self._shared
        with shared.lock:
            names = [line.name for line in shared.frame.queues]
            shared.message = ""
            if key in {"up", "k", "down", "j"}:
                shared.selected = _next(names, shared.selected, 1 if key in {"down", "j"} else -1)
            elif key == "p" and shared.selected is None:
                shared.message = "No queue is selected: move to one with the arrow keys."
                return
            elif key == "p" and shared.selected is not None:
                shared.wishes.append(shared.selected)
                shared.message = f"{shared.selected}: ..."
            elif key == "r":
                shared.is_stale = True
            else:
                return
        self._wake.set()

    def _screen(self, height: int, keys: Keys) -> Screen:
        shared = self._shared
        with shared.lock:
            lines, _, _ = shown_queues(shared.frame.queues, shared.selected, height)
            shared.in_sight = tuple(line.name for line in lines)
            silence = time.monotonic() - shared.answered
            trouble = shared.trouble
            if not trouble and silence > max(
                _SILENCE, 3 * self._every
            ):  # the call may be tried again for long
                trouble = f"no answer for {silence:.0f} s, older figures below"
            return Screen(
                where=self._where,
                frame=shared.frame,
                selected=shared.selected,
                trouble=trouble,
                message=shared.message,
                height=height,
                keys=keys.are_heard,
            )

    # The reading thread

    def _read_on(self) -> None:
        pause = self._every
        while not self._over.is_set():
            self._wake.wait(pause)
            self._wake.clear()
            if self._over.is_set():
                return
            try:
                self._grant_wishes()
                self._read()
                pause = self._every
            except Exception as error:
                if not isinstance(error, ChokaqError | OSError) and not is_driver_error(error):
                    self._fault = error
                    return
                pause = min(max(pause, 1.0) * 2, _LONGEST_PAUSE)
                self._tell(f"{describe(error)}; next try in {pause:.0f} s, older figures below")

    def _read(self) -> None:
        shared = self._shared
        with shared.lock:
            selected, self._reader.in_sight = shared.selected, shared.in_sight
            is_stale, shared.is_stale = shared.is_stale, False
        if is_stale:
            self._reader.forget()
        frame = self._reader.read(selected)
        with shared.lock:
            shared.frame, shared.trouble = frame, ""
            shared.answered = time.monotonic()
            if shared.selected not in {line.name for line in frame.queues}:
                shared.selected = None

    def _tell(self, trouble: str) -> None:
        with self._shared.lock:
            self._shared.trouble = trouble

    def _grant_wishes(self) -> None:
        """Pauses or resumes; a refusal is shown and not repeated."""
        shared = self._shared
        while True:
            with shared.lock:
                if not shared.wishes:
                    return
                name = shared.wishes.popleft()
                is_paused = next(
                    (line.health.is_paused for line in shared.frame.queues if line.name == name), False
                )
            try:
                now = self._queue.set_queue_paused(name, not is_paused).is_paused
                message = f"{name}: {'paused' if now else 'resumed'}."
            except ChokaqError as error:
                message = f"{name}: not changed: {describe(error)}"
            with shared.lock:
                shared.message = message


def _next(names: list[str], selected: str | None, step: int) -> str | None:
    """The queue below or above; above the first is none of them: all."""
    places: list[str | None] = [None, *names]
    place = places.index(selected) if selected in places else 0
    return places[min(max(place + step, 0), len(places) - 1)]
