"""``chokaq job``: single jobs, wherever they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import click

from ..models import JobStatus, Outcome, Pillar
from ..operator_models import ActiveJob, ArchivedJob
from ..paging import every_row
from . import exits
from .base import Place, acting_as, database_command
from .confirm import ask, check_can_ask, yes_option
from .dlq_actions import before_and_after
from .jobs_shown import outcome_counts, print_job, print_listed, print_outcomes
from .moments import MOMENT
from .output import enum_name, moment, plain, print_facts, print_json
from .texts import payload_options, read_payload

__all__ = ["job_group"]


@click.group("job")
def job_group() -> None:
    """Single jobs: find, show, cancel, edit."""


@database_command("list")
@click.option("--queue", "queue_name", metavar="NAME", help="Jobs of this queue.")
@click.option("--type", "job_type", metavar="NAME", help="Jobs of this type.")
@click.option(
    "--status",
    type=click.Choice([enum_name(each) for each in JobStatus], case_sensitive=False),
    help="Only active jobs in this state.",
)
@click.option("--archive", is_flag=True, help="Succeeded jobs instead of active ones.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Jobs at the most.")
def list_command(
    place: Place, queue_name: str | None, job_type: str | None, status: str | None, archive: bool, limit: int
) -> None:
    """List active jobs (newest first, with the moment they are due), or succeeded ones with --archive.

    Dead jobs: chokaq dlq list.
    """
    if archive and status:
        raise click.UsageError("--archive and --status exclude each other.")
    size = min(limit + 1, 1000)
    with place.queue() as queue:
        rows: Iterator[ActiveJob | ArchivedJob]
        if archive:
            rows = every_row(queue.list_archive, page_size=size, queue=queue_name, type=job_type)
        else:
            state = None if status is None else JobStatus[status.upper()]
            rows = every_row(queue.list_active, page_size=size, queue=queue_name, type=job_type, status=state)
        found: list[ActiveJob | ArchivedJob] = list(islice(rows, limit + 1))
    jobs, more = found[:limit], len(found) > limit
    if place.as_json:
        print_json({"jobs": jobs, "more": more})
        return
    if not print_listed(jobs):
        click.echo("no jobs")
    if more:
        click.echo(f"more than {limit}: see --limit", err=True)


@database_command("show")
@click.argument("job_id", metavar="ID")
def show_command(place: Place, job_id: str) -> None:
    """Show a job, wherever it is, with payload and error. Exit code 6 when there is none."""
    with place.queue() as queue:
        job = queue.get_job(job_id)
    if place.as_json:
        print_json({"job": job})
    elif job is None:
        click.echo(f"job {plain(job_id)} does not exist", err=True)
    else:
        print_job(job)
    if job is None:
        raise SystemExit(exits.NOT_DONE)


@database_command("cancel")
@click.argument("job_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", metavar="TEXT", help="Why; kept as the job's error.")
@acting_as
@yes_option
def cancel_command(
    place: Place, job_ids: tuple[str, ...], reason: str | None, actor: str | None, yes: bool
) -> None:
    """End jobs. One that nobody runs goes to the dead-letter queue at once ("cancelled"); a running one is
    asked to stop, and its handler hears of it with the next heartbeat ("cancel-requested").

    Exit code 6 when one of them is not active.
    """
    check_can_ask(yes)
    wanted = list(dict.fromkeys(job_ids))
    with place.queue() as queue:
        if not yes:
            for job_id in wanted[:5]:
                job = queue.get_job(job_id)
                active = job is not None and job.pillar is Pillar.HOT and job.status is not None
                state = (
                    enum_name(job.status)
                    if active and job is not None and job.status is not None
                    else "not active"
                )
                name = f"{job.queue} / {job.type}" if job is not None else ""
                click.echo(plain(f"{job_id}  {state}  {name}".rstrip()), err=True)
            if len(wanted) > 5:
                click.echo(f"and {len(wanted) - 5} more", err=True)
            ask(f"Cancel {len(wanted)} job{'' if len(wanted) == 1 else 's'}?", yes)
        done = queue.cancel(wanted, cancelled_by=actor, reason=reason)
    if place.as_json:
        print_json({"outcomes": outcome_counts(done), "jobs": done})
    else:
        print_outcomes(done)
    if any(each.outcome is Outcome.NOT_FOUND for each in done):
        raise SystemExit(exits.NOT_DONE)


@database_command("edit")
@click.argument("job_id", metavar="ID")
@payload_options
@click.option("--tags", metavar="TEXT", help="New tags.")
@click.option("--priority", type=click.IntRange(0, 100), help="New priority.")
@click.option("--at", "scheduled_at", type=MOMENT, help="Due at this moment; UTC unless it says otherwise.")
@click.option("--max-attempts", type=click.IntRange(1, 1000), help="Executions at the most.")
@acting_as
@yes_option
def edit_command(
    place: Place,
    job_id: str,
    payload: str | None,
    payload_file: str | None,
    tags: str | None,
    priority: int | None,
    scheduled_at: datetime | None,
    max_attempts: int | None,
    actor: str | None,
    yes: bool,
) -> None:
    """Change a job that nobody has claimed yet. What is not given stays as it is.

    Exit code 6 when it is claimed ("not-pending") or not active ("not-found").
    """
    body = read_payload(payload, payload_file)
    if all(each is None for each in (body, tags, priority, scheduled_at, max_attempts)):
        raise click.UsageError("Nothing to change: give at least one option.")
    check_can_ask(yes)
    with place.queue() as queue:
        job = None if yes else queue.get_job(job_id)
        if job is not None and job.pillar is Pillar.HOT:
            due = None if scheduled_at is None else moment(scheduled_at)
            changes: tuple[tuple[str, object, object], ...] = (
                ("payload", job.payload, body),
                ("tags", job.tags, tags),
                ("priority", job.priority, priority),
                ("due", moment(job.scheduled_at), due),
                ("max attempts", job.max_attempts, max_attempts),
            )
            print_facts(before_and_after(changes), stderr=True)
            ask(f"Change job {plain(job_id)}?", yes)
        done = queue.edit_pending(
            job_id,
            payload=body,
            tags=tags,
            priority=priority,
            scheduled_at=scheduled_at,
            max_attempts=max_attempts,
            edited_by=actor,
        )
    if place.as_json:
        print_json({"job_id": done.job_id, "outcome": done.outcome})
    else:
        print_outcomes([done])
    if done.outcome is not Outcome.EDITED:
        raise SystemExit(exits.NOT_DONE)


for _command in (list_command, show_command, cancel_command, edit_command):
    job_group.add_command(_command)
