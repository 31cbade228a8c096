"""Keys, pauses, a server that goes away: the app on made-up answers."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

from chokaq import ConnectionLostError, PermissionDeniedError
from chokaq.top.app import App
from chokaq.top.frame import FrameReader
from chokaq.top.keys import Keys
from tests.unit.top.frames import NOW, MadeUpQueue


class Script(Keys):
    """Presses keys one after the other; a callable waits until it says yes."""

    def __init__(self, *steps: str | Callable[[], bool]) -> None:
        super().__init__(None)
        self.steps: Iterator[str | Callable[[], bool]] = iter(steps)

    @property
    def are_heard(self) -> bool:
        return True

    def get(self, timeout: float) -> list[str]:
        step = next(self.steps)
        if isinstance(step, str):
            return [step]
        end = time.monotonic() + 10
        while not step():
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.01)
        return []


def app_of(queue: MadeUpQueue, every: float = 0.02) -> App:
    reader = FrameReader(queue, now=lambda: NOW)
    return App(queue, reader, reader.read(), where="somewhere", every=every)


def run(app: App, *steps: str | Callable[[], bool]) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80, height=40, color_system=None)
    app.run(console, Script(*steps))
    return stream.getvalue()


def test_p_pauses_the_selected_queue_and_resumes_it() -> None:
    queue = MadeUpQueue()
    shown = run(
        app_of(queue),
        "down",
        "down",
        "p",
        lambda: queue.paused == {"report"},
        "up",
        "p",
        lambda: queue.paused == {"report", "mail"},
        "q",
    )
    assert "report: ..." in shown


def test_p_without_a_selection_says_what_to_do() -> None:
    queue = MadeUpQueue()
    shown = run(app_of(queue), "p", lambda: True, "q")
    assert "No queue is selected" in shown
    assert not queue.paused


def test_a_refused_pause_is_told_and_not_repeated() -> None:
    queue = MadeUpQueue()
    queue.refusal = PermissionDeniedError("no right", number=229)
    app = app_of(queue)
    shown = run(app, "down", "p", lambda: "not changed" in app._shared.message, lambda: True, "q")
    assert "mail: not changed: PermissionDeniedError: no right" in shown


def test_a_lost_server_leaves_the_old_figures_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chokaq.top.app._LONGEST_PAUSE", 0.05)
    queue = MadeUpQueue()
    app = app_of(queue)
    queue.faults = [ConnectionLostError("gone"), OSError("gone too")]
    shown = run(
        app,
        lambda: bool(app._shared.trouble),
        lambda: True,
        lambda: not queue.faults and not app._shared.trouble,
        lambda: True,
        "q",
    )
    assert "! ConnectionLostError: gone; next try in" in shown
    assert "older figures below" in shown
    assert "> mail" not in shown
    assert "  mail" in shown


def test_a_call_that_hangs_is_told_and_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chokaq.top.app._SILENCE", 0.1)
    monkeypatch.setattr("chokaq.top.app._JOIN", 0.1)
    queue, release = MadeUpQueue(), threading.Event()
    app = app_of(queue)
    queue.hang = release
    started = time.monotonic()
    shown = run(app, lambda: time.monotonic() > started + 0.5, lambda: True, "down", lambda: True, "q")
    assert "! no answer for " in shown
    assert "> mail" in shown
    release.set()


def test_a_fault_of_its_own_is_not_hidden() -> None:
    queue = MadeUpQueue()
    app = app_of(queue)
    queue.faults = [ZeroDivisionError("oops")]
    with pytest.raises(ZeroDivisionError, match="oops"):
        run(app, lambda: app._fault is not None)


def test_ctrl_c_ends_it() -> None:
    run(app_of(MadeUpQueue()), "interrupt")


def test_reads_are_paced() -> None:
    queue = MadeUpQueue()
    reader = FrameReader(queue, now=lambda: NOW, clock=lambda: 5.0)
    for _ in range(5):
        reader.read()
    assert queue.calls.count("queue_health") == 5
    assert queue.calls.count("queue_stats") == 1
    assert queue.calls.count("latency_percentiles None") == 2
    reader.read("mail")
    assert queue.calls.count("latency_percentiles mail") == 2


def test_only_queues_in_sight_have_a_throughput_of_their_own() -> None:
    queue = MadeUpQueue(*(f"q{number}" for number in range(200)))
    reader = FrameReader(queue, now=lambda: NOW)
    assert sum(line.throughput is not None for line in reader.read().queues) == 50
    reader.in_sight = ("q7",)
    assert [line.name for line in reader.read().queues if line.throughput is not None] == ["q7"]


def test_the_sparkline_has_a_place_for_each_step_of_the_hour() -> None:
    points = FrameReader(MadeUpQueue(), now=lambda: NOW).read().detail.points
    assert [None if point is None else point.succeeded for point in points] == [None] * 9 + [8, 9, 10]
