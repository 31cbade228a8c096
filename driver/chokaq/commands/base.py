"""What every operator command shares: --url, --schema, --json, the connection, errors as exit codes."""

from __future__ import annotations

import contextlib
import functools
import getpass
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import click

from .. import urls
from ..connection import Connector
from ..errors import ChokaqError, ConnectionFailedError, InvalidUrlError, UnknownEngineError
from ..queue import JobQueue
from . import exits
from .output import print_json

__all__ = ["Place", "acting_as", "database_command", "fail"]


@dataclass(frozen=True)
class Place:
    """The database that a command is about, and how it shall answer."""

    url: str = field(repr=False)  # may hold a password
    schema: str
    as_json: bool

    @contextlib.contextmanager
    def queue(self) -> Iterator[JobQueue]:
        """The queue, its version compared, closed at the end."""
        target = urls.parse(self.url)
        if target.path is not None and not Path(target.path).exists():
            # The engine would make an empty file here, and a mistyped path would look like an empty queue.
            raise ConnectionFailedError(f"There is no file {target.path}; chokaq deploy makes one.")
        queue = JobQueue(Connector(target), self.schema)
        try:
            queue.check_version()
            yield queue
        finally:
            queue.close()


def database_command(name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """``click.command`` with the options that lead to a database; the function gets a Place first."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(url: str, schema: str, as_json: bool, **others: Any) -> None:
            _write_anything()
            try:
                function(Place(url, schema, as_json), **others)
            except ChokaqError as error:
                is_usage = isinstance(error, InvalidUrlError | UnknownEngineError)
                fail(error, as_json, exits.USAGE if is_usage else exits.ERROR)
            except (ValueError, TypeError) as error:  # a value that the driver refuses before it calls
                fail(error, as_json, exits.USAGE)

        decorated: Callable[..., None] = run
        for option in (_json, _schema, _url):
            decorated = option(decorated)
        make: Callable[[Callable[..., None]], click.Command]
        make = click.command(name, cls=click.Command, **settings)
        return make(decorated)

    return decorate


_url = click.option(
    "--url",
    envvar="CHOKAQ_URL",
    required=True,
    help="embedded:///path/file.db or mssql://user:password@host:1433/database; default: $CHOKAQ_URL, which"
    " keeps the password out of the list of processes.",
)
_schema = click.option("--schema", default="chokaq", show_default=True, help="Schema that holds the objects.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def acting_as(function: Callable[..., None]) -> Callable[..., None]:
    """The option --by."""
    return click.option(
        "--by",
        "actor",
        default=_user,
        metavar="NAME",
        help="Who does it, as the job will say.  [default: your user name]",
    )(function)


def fail(error: Exception, as_json: bool, code: int) -> NoReturn:
    """Ends the command with an error. Texts of the driver's errors hold no credentials."""
    if as_json:
        print_json({"error": str(error), "kind": type(error).__name__, "exit_code": code})
    else:
        click.echo(f"error: {error}", err=True)
    sys.exit(code)


def _user() -> str | None:
    try:
        return getpass.getuser()[:100]
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return None


def _write_anything() -> None:
    """A payload may hold characters that the terminal's encoding has not: shown escaped, no traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
