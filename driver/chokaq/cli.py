"""The ``chokaq`` command."""

from __future__ import annotations

import click

from . import cli_deploy
from .commands import COMMANDS
from .exporter.command import exporter_command
from .report.command import report_command
from .top.command import top_command
from .version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chokaq")
def main() -> None:
    """Job queue in SQL Server: deploy it, look after it.

    \b
    First steps, in a shell:
      export CHOKAQ_URL=embedded:///./jobs.db
      chokaq deploy
      chokaq enqueue mail welcome --payload '{"to": "ann@example.org"}'
      chokaq stats

    Exit codes: 0 clean, 1 error, 2 usage, 3 pending, 4 drift, 5 lock timeout, 6 some jobs not as asked.
    """


for _command in (*cli_deploy.COMMANDS, *COMMANDS, top_command, report_command, exporter_command):
    main.add_command(_command)


if __name__ == "__main__":
    main()
