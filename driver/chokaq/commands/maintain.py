"""``chokaq maintain``."""

from __future__ import annotations

import click

from ..operator_models import MaintenanceTask
from . import exits
from .base import Place, database_command
from .output import print_json, print_table

__all__ = ["maintain_command"]

_BUSY = "busy"


@database_command("maintain", short_help="Sweep, roll up, purge: what is due.")
@click.option(
    "--max-batches",
    type=click.IntRange(1, 10000),
    default=20,
    show_default=True,
    help="Batches of each task in one call; each is a short transaction of its own.",
)
@click.option(
    "--once", is_flag=True, help="One call, even when it leaves something; exit code 3 when it does."
)
def maintain_command(place: Place, max_batches: int, once: bool) -> None:
    """Do what is due: sweep after dead workers, roll up and prune metrics, purge by the retentions.

    The same as EXECUTE [chokaq].[RunMaintenance], which a SQL Agent job or the workers do every minute.
    Where another run is at work it says "busy" and does nothing; that is exit code 0.
    """
    done: dict[str, int] = {}
    calls = 0
    more = True
    with place.queue() as queue:
        while more and not (once and calls):
            calls += 1
            tasks = queue.run_maintenance(max_batches=max_batches)
            if any(each.task == _BUSY for each in tasks):
                more = calls > 1
                break
            more = _add(done, tasks)
    busy = not done
    if place.as_json:
        print_json({"busy": busy, "calls": calls, "more_left": more, "tasks": done})
    elif busy:
        click.echo("busy: another run is at work")
    else:
        print_table(("task", "rows"), done.items(), numbers=("rows",))
        if more:
            click.echo("there is more to do: run it again", err=True)
    if more:
        raise SystemExit(exits.PENDING)


def _add(done: dict[str, int], tasks: list[MaintenanceTask]) -> bool:
    for each in tasks:
        done[each.task] = done.get(each.task, 0) + each.rows_done
    return any(each.more_left for each in tasks)
