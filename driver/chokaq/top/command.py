"""The command ``chokaq top``."""

from __future__ import annotations

import os
import sys
import time

import click
from rich.console import Console

from ..commands.base import Place, database_command
from ..commands.output import print_json
from ..errors import ChokaqError
from ..urls import parse
from .app import App, describe
from .frame import Frame, FrameReader
from .keys import listening
from .view import Screen

__all__ = ["top_command"]

_WIDTH = 100  # where there is no terminal to ask


@database_command("top")
@click.option("--queue", "only", metavar="NAME", help="Only this queue.")
@click.option(
    "--every", type=click.FloatRange(0.2, 3600), default=2.0, show_default=True, help="Seconds between looks."
)
@click.option("--count", type=click.IntRange(1), help="End after so many looks.")
@click.option("--once", is_flag=True, help="One look, printed; the same as --count 1.")
def top_command(place: Place, only: str | None, every: float, count: int | None, once: bool) -> None:
    """The queues, live: what waits, runs, fails, and how long it takes.

    Keys: arrows (or j, k) select a queue, whose last hour is then shown; p pauses or resumes it; r reads all
    figures again at once; q quits. Counts of pending jobs and the history are read less often than the rest.

    In a pipe, with --count or --once, one look is printed after the other.
    """
    if once or (place.as_json and count is None):
        count = 1
    with place.queue() as queue:
        reader = FrameReader(queue, only)
        first = reader.read()
        where = f"{parse(place.url)} [{place.schema}]"
        console = _console()
        if place.as_json or count is not None or not _is_live(console):
            _print(place, console, where, reader, first, every=every, count=count)
        else:
            with listening() as keys:
                App(queue, reader, first, where=where, every=every).run(console, keys)


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return Console(highlight=False, markup=False, emoji=False, width=_WIDTH)


def _is_live(console: Console) -> bool:
    """Whether the cursor can be moved."""
    return console.is_terminal and not console.is_dumb_terminal and sys.stdout.isatty()


def _print(
    place: Place,
    console: Console,
    where: str,
    reader: FrameReader,
    first: Frame,
    *,
    every: float,
    count: int | None,
) -> None:
    """One look after the other, to the end."""
    frame, trouble, number = first, "", 1
    try:
        while True:
            if place.as_json:
                print_json(_as_json(frame))
            else:
                console.print(Screen(where=where, frame=frame, trouble=trouble))
            if count is not None and number >= count:
                return
            number += 1
            time.sleep(every)
            try:
                frame, trouble = reader.read(), ""
            except ChokaqError as error:  # it may come back; the older figures are shown with the reason
                trouble = describe(error)
    except KeyboardInterrupt:
        return


def _as_json(frame: Frame) -> dict[str, object]:
    return {
        "read_at": frame.read_at,
        "queues": [
            {
                "queue": line.name,
                "stats": line.stats,
                "health": line.health,
                "throughput": line.throughput,
            }
            for line in frame.queues
        ],
        "throughput": frame.throughput,
        "last_hour": {
            "execution": frame.detail.execution,
            "queue_wait": frame.detail.wait,
            "points": [point for point in frame.detail.points if point is not None],
        },
        "errors": list(frame.detail.errors),
    }
