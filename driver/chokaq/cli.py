"""The ``chokaq`` command."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from . import deploy as runner
from .errors import ChokaqError, InvalidUrlError
from .version import __version__

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_PENDING = 3

_url = click.option(
    "--url",
    envvar="CHOKAQ_URL",
    required=True,
    help="embedded:///path/file.db or mssql://user:password@host:1433/database; default: $CHOKAQ_URL.",
)
_schema = click.option("--schema", default="chokaq", show_default=True, help="Schema that holds the objects.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chokaq")
def main() -> None:
    """Job queue in SQL Server: deploy it, look after it.

    Exit codes: 0 clean, 1 error, 2 usage, 3 pending, 4 drift, 5 lock timeout.
    """


@main.command("deploy")
@_url
@_schema
@click.option(
    "--lock-timeout",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="Seconds to wait for another deployment.",
)
def deploy_command(url: str, schema: str, lock_timeout: float) -> None:
    """Bring the database to the state of this package."""
    try:
        done = runner.deploy(url, schema=schema, lock_timeout=lock_timeout, report=click.echo)
    except ChokaqError as error:
        _fail(error)
    if done.changed:
        click.echo(
            f"schema [{schema}]: {len(done.migrations)} scripts, {len(done.procedures)} procedures,"
            f" {len(done.dropped)} dropped, in {done.duration_ms} ms"
        )


@main.command("status")
@_url
@_schema
def status_command(url: str, schema: str) -> None:
    """Tell what is deployed and what is pending; exit code 3 when something is."""
    try:
        found = runner.status(url, schema=schema)
    except ChokaqError as error:
        _fail(error)
    click.echo(f"server   {found.server}")
    click.echo(f"package  {found.package_version}")
    newest = found.applied[-1] if found.applied else None
    click.echo(f"schema   [{schema}] " + (f"{newest.number:04}_{newest.name}" if newest else "not deployed"))
    for script in (*found.plan.migrations, *found.plan.procedures):
        click.echo(f"pending  {script.path}")
    for name in found.plan.dropped:
        click.echo(f"pending  drop procedure {name}")
    if found.plan.is_pending:
        sys.exit(EXIT_PENDING)
    click.echo("clean")


def _fail(error: ChokaqError) -> NoReturn:
    click.echo(f"error: {error}", err=True)
    if isinstance(error, InvalidUrlError):
        sys.exit(EXIT_USAGE)
    sys.exit(error.exit_code if isinstance(error, runner.DeployError) else EXIT_ERROR)


if __name__ == "__main__":
    main()
