"""``python -m chokaq.embedded.tsqlt PATH …``: runs T-SQL tests.

It deploys to an empty database in memory, creates the test classes of the files, runs them, prints the
summary. Exit code 0: all passed, 1: something failed, 2: it could not be run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ...deploy import deploy
from .. import connect
from . import coverage as coverages
from .coverage import Coverage
from .reports import junit, summary
from .running import run
from .setup import create_classes, install


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--name", "names", multiple=True, help="Run this class, or this test [class].[test]; may be repeated."
)
@click.option("--schema", default="chokaq", show_default=True, help="Schema to deploy to.")
@click.option(
    "--junit",
    "junit_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write JUnit's XML to a file.",
)
@click.option("--coverage", is_flag=True, help="Tell which statements of the procedures ran.")
@click.option("--minimum", type=float, default=0.0, help="Fail when fewer percent of the statements ran.")
def main(  # noqa: PLR0917
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    schema: str,
    junit_path: Path | None,
    coverage: bool,
    minimum: float,
) -> None:
    """Run T-SQL tests on the embedded engine."""
    connection = connect(None, autocommit=True)
    deploy(connection, schema=schema)
    session = install(connection)
    create_classes(connection, paths)
    measured = Coverage()
    if coverage or minimum:
        with measured.measure():
            found = run(session, names or None)
    else:
        found = run(session, names or None)
    for result in found.results:
        if result.outcome in ("Failure", "Error"):
            click.echo(f"{result.name} failed: ({result.outcome}) {result.message}")
    for line in summary(found.results):
        click.echo(line)
    if junit_path is not None:
        junit_path.write_text(junit(found.results), encoding="utf-8")
    passed = found.passed
    if coverage or minimum:
        covered = measured.of(session, schema)
        for line in coverages.table(covered):
            click.echo(line)
        passed = passed and coverages.total(covered) >= minimum
    connection.close()
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
