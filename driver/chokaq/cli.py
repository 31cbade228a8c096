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
    """Tell what is deployed and whether anything is pending; exit code 3 when something is."""
    found = _status(url, schema)
    newest = found.applied[-1] if found.applied else None
    click.echo(f"server    {found.server}")
    click.echo(f"package   {found.package_version}")
    click.echo(f"schema    [{schema}]")
    click.echo(f"deployed  {f'{newest.number:04}_{newest.name}' if newest else 'nothing'}")
    click.echo(f"pending   {len(_steps(found.plan))}")
    if found.plan.is_pending:
        sys.exit(EXIT_PENDING)


@main.command("plan")
@_url
@_schema
def plan_command(url: str, schema: str) -> None:
    """List what deploy would do, in order; exit code 3 when there is something."""
    found = _status(url, schema)
    for step in _steps(found.plan):
        click.echo(step)
    if found.plan.is_pending:
        sys.exit(EXIT_PENDING)
    click.echo(f"schema [{schema}] is up to date")


def _status(url: str, schema: str) -> runner.Status:
    try:
        return runner.status(url, schema=schema)
    except ChokaqError as error:
        _fail(error)


def _steps(plan: runner.Plan) -> list[str]:
    return [
        *(f"apply   {script.path}" for script in plan.migrations),
        *(f"drop    procedure {name}" for name in plan.dropped),
        *(f"deploy  {script.path}" for script in plan.procedures),
    ]


def _fail(error: ChokaqError) -> NoReturn:
    click.echo(f"error: {error}", err=True)
    if isinstance(error, InvalidUrlError):
        sys.exit(EXIT_USAGE)
    sys.exit(error.exit_code if isinstance(error, runner.DeployError) else EXIT_ERROR)


if __name__ == "__main__":
    main()
