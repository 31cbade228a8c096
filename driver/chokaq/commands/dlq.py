"""``chokaq dlq``: look into the dead-letter queue."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Any

import click

from ..models import Pillar
from ..paging import every_row
from . import dlq_actions, exits
from .base import Place, database_command
from .dlq_filters import REASON, REASONS_HELP, filter_of, filter_options, in_words
from .jobs_shown import print_dead, print_job, reason_named
from .moments import MOMENT
from .output import moment, plain, print_json, print_table

__all__ = ["dlq_group"]


@click.group("dlq", short_help="Dead jobs: list, resurrect, purge, edit.")
def dlq_group() -> None:
    """The dead-letter queue: what failed for good, was cancelled, or lost its worker.

    Begin with "errors" (which errors are most frequent), go on with "list" and "show", try a filter with
    "preview", then "resurrect" or "purge" with the same filter.
    """


@database_command("list", epilog=REASONS_HELP)
@click.option("--queue", "queue_name", metavar="NAME", help="Jobs of this queue.")
@click.option("--type", "job_type", metavar="NAME", help="Jobs of this type.")
@click.option("--reason", type=REASON, metavar="REASON", help="Jobs that died of this; see below.")
@click.option("--tag", metavar="TEXT", help="Their tags contain this.")
@click.option("--text", metavar="TEXT", help="Their error contains this.")
@click.option("--failed-from", type=MOMENT, help="Failed at or after: 2026-03-01T09:00, 2h.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Jobs at the most.")
def list_command(
    place: Place,
    queue_name: str | None,
    job_type: str | None,
    reason: str | None,
    tag: str | None,
    text: str | None,
    failed_from: datetime | None,
    limit: int,
) -> None:
    """List dead jobs, newest failure first."""
    with place.queue() as queue:
        rows = every_row(
            queue.list_dlq,
            page_size=min(limit + 1, 1000),
            queue=queue_name,
            type=job_type,
            failure_reason=None if reason is None else reason_named(reason),
            tag=tag,
            text=text,
            failed_from=failed_from,
        )
        found = list(islice(rows, limit + 1))
    jobs, more = found[:limit], len(found) > limit
    if place.as_json:
        print_json({"jobs": jobs, "more": more})
        return
    if not print_dead(jobs):
        click.echo("no dead jobs")
    if more:
        click.echo(f"more than {limit}: see --limit", err=True)


@database_command("show")
@click.argument("job_id", metavar="ID")
def show_command(place: Place, job_id: str) -> None:
    """Show a dead job with its payload and its whole error. Exit code 6 when it is not there."""
    with place.queue() as queue:
        job = queue.get_job(job_id)
    is_dead = job is not None and job.pillar is Pillar.DLQ
    if place.as_json:
        print_json({"job": job if is_dead else None})
    elif job is not None and is_dead:
        print_job(job)
    else:
        where = "does not exist" if job is None else f"is not dead, but in {job.pillar}: chokaq job show"
        click.echo(f"job {plain(job_id)} {where}", err=True)
    if not is_dead:
        raise SystemExit(exits.NOT_DONE)


@database_command("errors")
@click.option("--queue", "queue_name", metavar="NAME", help="Errors of this queue.")
@click.option("--hours", type=click.IntRange(1, 2160), default=24, show_default=True, help="How far back.")
@click.option("--top", type=click.IntRange(1, 100), default=10, show_default=True, help="Errors at the most.")
def errors_command(place: Place, queue_name: str | None, hours: int, top: int) -> None:
    """Which errors happen most. Counts failed executions; "final" are those that ended in the DLQ.

    Counted as it happens: a purge or a resurrect does not change the answer.
    """
    with place.queue() as queue:
        errors = queue.top_errors(queue_name, hours=hours, top=top)
    if place.as_json:
        print_json({"hours": hours, "errors": errors})
        return
    print_table(
        ("failures", "final", "last seen", "error"),
        ((each.failures, each.final, moment(each.last_seen_at), each.error_group) for each in errors),
        numbers=("failures", "final", "last seen"),
        empty=f"no failures in the last {hours} h",
    )


@database_command("preview", epilog=REASONS_HELP)
@filter_options
@click.option("--sample", type=click.IntRange(1, 1000), default=10, show_default=True, help="Jobs to show.")
def preview_command(place: Place, sample: int, **options: Any) -> None:
    """Show what "resurrect" or "purge" with the same filter would take, in that order."""
    dlq_filter = filter_of(options)
    with place.queue() as queue:
        found = queue.preview_dlq(dlq_filter, sample_size=sample)
    if place.as_json:
        print_json({"matched": found.match_count, "sample": found.sample})
        return
    print_dead(found.sample)
    click.echo(f"{found.match_count:,} match: {plain(in_words(dlq_filter))}")


for _command in (
    list_command,
    show_command,
    errors_command,
    preview_command,
    dlq_actions.resurrect_command,
    dlq_actions.purge_command,
    dlq_actions.edit_command,
):
    dlq_group.add_command(_command)
