"""The deployment commands of ``chokaq``: deploy, plan, status, verify, undo, baseline."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from . import deploy as runner
from .errors import ChokaqError, InvalidUrlError

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_PENDING = 3
EXIT_DRIFT = 4

_URL_HELP = "embedded:///path/file.db or mssql://user:password@host:1433/database; default: $CHOKAQ_URL."
_url = click.option("--url", envvar="CHOKAQ_URL", required=True, help=_URL_HELP)
_url_or_none = click.option("--url", envvar="CHOKAQ_URL", default=None, help=_URL_HELP)
_schema = click.option("--schema", default="chokaq", show_default=True, help="Schema that holds the objects.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
_lock_timeout = click.option(
    "--lock-timeout",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="Seconds to wait for another deployment.",
)


@click.command("deploy")
@_url
@_schema
@_lock_timeout
@click.option("--expect-plan", metavar="HASH", help="Deploy only if the plan's SHA-256 is this.")
@_json
def deploy_command(
    url: str, schema: str, lock_timeout: float, expect_plan: str | None, *, as_json: bool
) -> None:
    """Bring the database to the state of this package."""
    try:
        done = runner.deploy(
            url,
            schema=schema,
            lock_timeout=lock_timeout,
            report=_reporter(as_json),
            expect_plan=expect_plan,
        )
    except ChokaqError as error:
        _fail(error, as_json)
    if as_json:
        _print({**dataclasses.asdict(done), "changed": done.changed})
    elif done.changed:
        click.echo(
            f"schema [{schema}]: {len(done.migrations)} scripts, {len(done.procedures)} procedures,"
            f" {len(done.dropped)} dropped, in {done.duration_ms} ms"
        )


@click.command("status")
@_url
@_schema
@_json
def status_command(url: str, schema: str, *, as_json: bool) -> None:
    """Tell what is deployed and whether anything is pending; exit code 3 when something is."""
    found = _status(url, schema, as_json)
    newest = found.applied[-1] if found.applied else None
    deployed = f"{newest.number:04}_{newest.name}" if newest else None
    if as_json:
        _print(
            {
                "server": found.server,
                "package_version": found.package_version,
                "schema": schema,
                "deployed": deployed,
                "version": newest.number if newest else 0,
                "applied": [dataclasses.asdict(each) for each in found.applied],
                "pending": _steps(found.plan),
            }
        )
    else:
        click.echo(f"server    {found.server}")
        click.echo(f"package   {found.package_version}")
        click.echo(f"schema    [{schema}]")
        click.echo(f"deployed  {deployed or 'nothing'}")
        click.echo(f"pending   {len(_steps(found.plan))}")
    if found.plan.is_pending:
        sys.exit(EXIT_PENDING)


@click.command("plan")
@_url_or_none
@_schema
@click.option("--out", type=click.Path(dir_okay=False), help="Write the complete script here.")
@click.option("--offline", is_flag=True, help="For an empty database, without a connection.")
@click.option(
    "--server",
    "dialect",
    type=click.Choice([each.value for each in runner.Dialect]),
    default=runner.Dialect.SQLSERVER.value,
    show_default=True,
    help="What an offline plan is for.",
)
@_json
def plan_command(
    url: str | None, schema: str, out: str | None, dialect: str, *, offline: bool, as_json: bool
) -> None:
    """Show what deploy would do, or write it as a script for sqlcmd and SSMS, with its hash.

    Exit code 3 when something is pending, except with --offline.
    """
    try:
        if offline:
            script = runner.offline_plan_script(schema=schema, dialect=runner.Dialect(dialect))
        elif url is None:
            raise click.UsageError("--url is missing (or use --offline)")
        else:
            script = runner.plan_script(url, schema=schema)
    except ChokaqError as error:
        _fail(error, as_json)
    steps = _steps(script.plan)
    pending = script.plan.is_pending and not offline
    if out is not None:
        Path(out).write_bytes(script.data)
    if as_json:
        _print({"schema": schema, "steps": steps, "sha256": script.sha256, "pending": pending, "file": out})
    elif offline and out is None:
        click.echo(script.text, nl=False)
    else:
        for step in steps:
            click.echo(step)
        if not steps:
            click.echo(f"schema [{schema}] is up to date")
        click.echo(f"sha256  {script.sha256}" + (f"  {out}" if out else ""))
    if pending:
        sys.exit(EXIT_PENDING)


@click.command("verify")
@_url
@_schema
@_json
def verify_command(url: str, schema: str, *, as_json: bool) -> None:
    """Look for what was changed by hand; exit code 4 when something was, 3 when something is pending."""
    try:
        found = runner.verify(url, schema=schema)
    except ChokaqError as error:
        _fail(error, as_json)
    if as_json:
        _print(
            {
                "server": found.server,
                "schema": schema,
                "differences": [dataclasses.asdict(each) for each in found.differences],
                "unseen": list(found.unseen),
                "pending": _steps(found.plan),
            }
        )
    else:
        for difference in found.differences:
            click.echo(str(difference))
        if found.unseen:
            click.echo(f"not compared, because this server does not tell: {', '.join(found.unseen)}")
        if not found.differences:
            click.echo(f"schema [{schema}]: no drift, {len(_steps(found.plan))} steps pending")
    if found.differences:
        sys.exit(EXIT_DRIFT)
    if found.plan.is_pending:
        sys.exit(EXIT_PENDING)


@click.command("undo")
@_url
@_schema
@_lock_timeout
@click.option("--to", type=click.IntRange(min=0), required=True, help="Version to go back to; 0: remove all.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--lose-jobs", is_flag=True, help="Go on even where jobs are lost.")
@_json
def undo_command(
    url: str, schema: str, lock_timeout: float, to: int, *, yes: bool, lose_jobs: bool, as_json: bool
) -> None:
    """Go back to an earlier version by the undo scripts. Asks first, unless --yes."""
    agreed = True

    def confirm(plan: runner.UndoPlan) -> bool:
        nonlocal agreed
        for script, loss in zip(plan.scripts, plan.losses, strict=True):
            click.echo(
                f"undo    {script}: {loss.partition('; ')[2] or 'says nothing about losses'}", err=True
            )
        for name in plan.procedures:
            click.echo(f"drop    procedure {name}", err=True)
        for loss in plan.job_losses:
            click.echo(f"LOSES   {loss}", err=True)
        agreed = yes or click.confirm(f"Go back to version {to} in schema [{schema}]?", err=True)
        return agreed

    try:
        done = runner.undo(
            url,
            to=to,
            schema=schema,
            lose_jobs=lose_jobs,
            confirm=confirm,
            lock_timeout=lock_timeout,
            report=_reporter(as_json),
        )
    except ChokaqError as error:
        _fail(error, as_json)
    if not agreed:
        click.echo("nothing was done", err=True)
        sys.exit(EXIT_ERROR)
    if as_json:
        _print({**dataclasses.asdict(done), "changed": done.changes})
    elif not done.changes:
        click.echo(f"schema [{schema}] is at version {to} already")


@click.command("baseline")
@_url
@_schema
@_lock_timeout
@click.option("--version", type=click.IntRange(min=1), help="Up to this script; default: the newest.")
@_json
def baseline_command(
    url: str, schema: str, lock_timeout: float, version: int | None, *, as_json: bool
) -> None:
    """Take over a schema that was made by hand: record its scripts as run, if it is what they would make."""
    try:
        done = runner.baseline(
            url, version=version, schema=schema, lock_timeout=lock_timeout, report=_reporter(as_json)
        )
    except ChokaqError as error:
        _fail(error, as_json)
    if as_json:
        _print({"schema": schema, "recorded": list(done)})


COMMANDS = (
    deploy_command,
    status_command,
    plan_command,
    verify_command,
    undo_command,
    baseline_command,
)


def _status(url: str, schema: str, as_json: bool) -> runner.Status:
    try:
        return runner.status(url, schema=schema)
    except ChokaqError as error:
        _fail(error, as_json)


def _steps(plan: runner.Plan) -> list[str]:
    return [
        *(f"apply   {script.path}" for script in plan.migrations),
        *(f"drop    procedure {name}" for name in plan.dropped),
        *(f"deploy  {script.path}" for script in plan.procedures),
    ]


def _reporter(as_json: bool) -> runner.Reporter:
    """Progress goes to the screen, but must not get into JSON."""
    return (lambda _: None) if as_json else click.echo


def _print(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, indent=2, default=str))


def _fail(error: ChokaqError, as_json: bool) -> NoReturn:
    code = error.exit_code if isinstance(error, runner.DeployError) else EXIT_ERROR
    if isinstance(error, InvalidUrlError):
        code = EXIT_USAGE
    if as_json:
        _print({"error": str(error), "kind": type(error).__name__, "exit_code": code})
    else:
        click.echo(f"error: {error}", err=True)
    sys.exit(code)
