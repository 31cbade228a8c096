"""The command ``python -m chokaq.demo``."""

from __future__ import annotations

import io
import json
import sys
import sysconfig
from datetime import timedelta

import click
from rich.console import Console

import chokaq
from chokaq import urls
from chokaq.dbapi import is_driver_error
from chokaq.errors import ChokaqError, InvalidUrlError, UnknownEngineError
from chokaq.report.command import write_report

from .display import Display
from .files import find_files, printable
from .interrupts import Interrupted, Interrupts
from .place import Place, make_place
from .report import dead_letter_samples, print_report, print_verdict
from .run import run
from .verdict import Verdict, judge

__all__ = ["main"]

_PLAIN_WIDTH = 110


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--path",
    "root",
    type=click.Path(exists=True, file_okay=False),
    help="Folder whose files become jobs; default: this interpreter's standard library.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=4, show_default=True, help="Worker processes.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object, the last line.")
@click.option(
    "--url",
    envvar="CHOKAQ_DEMO_URL",
    default="",
    help="Run in this database, in a schema of its own: mssql://user:password@host:1433/database; "
    "default: $CHOKAQ_DEMO_URL, else a new file of the embedded engine.",
)
@click.option("--keep", is_flag=True, help="Leave the database and the workers' logs where they are.")
def main(root: str | None, workers: int, as_json: bool, url: str, keep: bool) -> None:
    """Work off a folder: a job for every file, several worker processes, one of which is killed.

    Exit codes: 0 every job came to its end, 1 not so or an error, 2 usage, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files are beyond any terminal
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=_PLAIN_WIDTH)
    display = Display(console)
    place = _place(url, keep)
    code, verdict = _run(display, place, root or sysconfig.get_path("stdlib"), workers)
    if verdict is not None and as_json:
        click.echo(json.dumps(verdict.as_json()))
    sys.exit(code)


def _place(url: str, keep: bool) -> Place:
    try:
        if url and (target := urls.parse(url)).engine == "embedded" and target.path is None:
            raise InvalidUrlError("The demo's workers are processes of their own: they need a file.")
        return make_place(url, keep)
    except (InvalidUrlError, UnknownEngineError) as error:
        raise click.UsageError(str(error)) from None


def _run(display: Display, place: Place, root: str, workers: int) -> tuple[int, Verdict | None]:
    """The exit code, and the verdict where there is one."""
    interrupts = Interrupts()
    code, verdict = 1, None
    with interrupts.listening():
        try:
            verdict = _run_in(place, display, root, workers, interrupts)
            code = 1 if verdict.problems else 0
            place.keep |= code != 0
        except Interrupted:
            pass
        except Exception as error:
            if interrupts.received is None:
                place.keep |= place.has_logs()  # something to look into
                if not isinstance(error, ChokaqError) and not is_driver_error(error):
                    raise
                display.line(f"error: {error}")
        finally:
            if verdict is None and interrupts.received is not None:
                display.line(f"Interrupted ({interrupts.received.name}).")
                code = 128 + interrupts.received
            _leave(place, display)
    return code, verdict


def _run_in(place: Place, display: Display, root: str, workers: int, interrupts: Interrupts) -> Verdict:
    found = find_files(root)
    display.field("files", f"{len(found.files):,} below {printable(root)}")
    for folder in found.unlisted:
        display.field("", f"could not be listed: {printable(folder) or '.'}")
    display.field("database", place.where())
    display.field("workers", f"{workers} processes")
    figures = run(place, root, found, workers=workers, display=display, interrupts=interrupts)
    verdict = judge(figures)
    with chokaq.connect(place.url, place.schema) as queue:
        samples = dead_letter_samples(queue, figures)
        page = _page(queue, place)
    display.line()
    print_report(display.console, figures, verdict, samples)
    print_verdict(display.console, figures, verdict)
    display.line(page)
    return verdict


def _page(queue: chokaq.JobQueue, place: Place) -> str:
    """Writes the page with the charts; where it is, or why there is none."""
    try:
        write_report(queue, place.page, timedelta(hours=1), where=f"chokaq demo, {place.where()}")
    except ChokaqError as error:
        return f"No page with charts: {error}"
    return f"Charts: {place.page} (chokaq report)."


def _leave(place: Place, display: Display) -> None:
    """Tells where things are kept, or takes them away."""
    if place.keep:
        display.line(f"Kept: {place.where()}; logs of the workers in {place.folder}.")
        return
    try:
        place.clean_up()
    except Exception as error:
        display.line(f"Not removed: {place.where()}: {error}")
    else:
        display.line(f"Removed: {place.where()} (--keep keeps it).")
