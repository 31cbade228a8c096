"""The command ``chokaq report``."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import click

from ..commands.base import Place, database_command
from ..commands.moments import SECONDS
from ..commands.output import print_json
from ..errors import ChokaqError, DriverMissingError
from ..queue import JobQueue
from ..urls import parse

__all__ = ["report_command", "write_report"]

EXTRA = "chokaq report needs the extra chokaq[report]: pip install 'chokaq[report]'"


@database_command("report")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page; replaced if it is there.",
)
@click.option(
    "--last", type=SECONDS, default="24h", show_default=True, help="The window: 90m, 24h, 7d, 365d."
)
@click.option("--queue", "name", metavar="NAME", help="Only this queue.")
@click.option(
    "--objective",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.99,
    show_default=True,
    help="Share of the jobs that shall succeed, for the burn rate.",
)
def report_command(place: Place, out: Path, last: float, name: str | None, objective: float) -> None:
    """Write a page with charts: throughput, failures, latencies, queue wait, dead letters, errors.

    The page is one file and loads nothing; it follows the browser's light or dark scheme.
    """
    with place.queue() as queue:
        where = f"{parse(place.url)}, schema [{place.schema}]"
        write_report(queue, out, timedelta(seconds=last), where=where, name=name, objective=objective)
    if place.as_json:
        print_json({"report": str(out.resolve())})
    else:
        click.echo(f"report written to {out.resolve()}")


def write_report(
    queue: JobQueue,
    out: Path,
    last: timedelta,
    *,
    where: str,
    name: str | None = None,
    objective: float = 0.99,
) -> None:
    """Reads and writes the page. ``where``: the database in words.

    Raises DriverMissingError without the extra, ValueError for a window that cannot be, ChokaqError.
    """
    try:
        from .page import page_of
    except ImportError as error:
        raise DriverMissingError(f"{EXTRA} ({error})") from error
    from .data import read_report
    from .windows import window_until

    now = datetime.now(timezone.utc)
    window = window_until(now, last)
    report = read_report(queue, window, now=now, where=where, name=name, objective=objective)
    try:
        out.write_text(page_of(report), encoding="utf-8")
    except OSError as error:
        raise ChokaqError(f"cannot write {out}: {error.strerror}") from error
