"""``chokaq dlq resurrect``, ``purge`` and ``edit``: each shows first what it is about to do, and asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ..models import Job, Outcome, Pillar
from ..operator_models import DlqFilter, JobOutcome, Resurrection
from ..queue import JobQueue
from . import exits
from .base import Place, acting_as, database_command
from .confirm import ask, check_can_ask, yes_option
from .dlq_filters import REASONS_HELP, filter_of, filter_options, in_words
from .jobs_shown import counted, outcome_counts, print_dead, print_outcomes
from .moments import SECONDS
from .output import enum_name, moment, plain, print_facts, print_json
from .texts import payload_options, read_payload

__all__ = ["edit_command", "purge_command", "resurrect_command"]

_CALL = 1000  # jobs in one call; the procedures take no more
_SAMPLE = 5

_all = click.option("--all", "take_all", is_flag=True, help="All dead jobs, instead of ids or a filter.")
_max = click.option("--max", "max_jobs", type=click.IntRange(1), help="At most so many of those that match.")


@database_command("resurrect", epilog=REASONS_HELP)
@click.argument("job_ids", nargs=-1, metavar="[ID]...")
@filter_options
@_all
@_max
@payload_options
@click.option("--tags", metavar="TEXT", help="With ids: give them these tags.")
@click.option("--priority", type=click.IntRange(0, 100), help="With ids: give them this priority.")
@click.option("--delay", type=SECONDS, help="With ids: due so long from now.")
@acting_as
@yes_option
def resurrect_command(
    place: Place,
    job_ids: tuple[str, ...],
    take_all: bool,
    max_jobs: int | None,
    payload: str | None,
    payload_file: str | None,
    tags: str | None,
    priority: int | None,
    delay: float | None,
    actor: str | None,
    yes: bool,
    **options: Any,
) -> None:
    """Make dead jobs pending again: those named by ID, or those that a filter matches.

    Their attempts start over. A job whose idempotency key is active again stays dead ("key-active").

    \b
    Examples:
      chokaq dlq resurrect 0193e7a2-... --payload '{"to": "ann@example.org"}'
      chokaq dlq resurrect --queue mail --reason Timeout --failed-from 2h

    Exit code 6 when some of the jobs were not resurrected.
    """
    dlq_filter = _what(job_ids, options, take_all)
    body = read_payload(payload, payload_file)
    if dlq_filter is not None and any(value is not None for value in (body, tags, priority, delay)):
        raise click.UsageError("--payload, --tags, --priority and --delay go with ids, not with a filter.")
    check_can_ask(yes)
    with place.queue() as queue:
        if dlq_filter is None:
            _preview_ids(queue, job_ids, yes)
            ask(f"Resurrect {_jobs(len(set(job_ids)))}?", yes)
            wanted = [
                Resurrection(job_id=each, payload=body, tags=tags, priority=priority, delay=delay)
                for each in dict.fromkeys(job_ids)
            ]
            done, matched = queue.resurrect(wanted, resurrected_by=actor), len(wanted)
        else:
            matched = _preview_filter(queue, dlq_filter, max_jobs, yes, "Resurrect")

            def act(count: int) -> list[JobOutcome]:
                return queue.resurrect_by_filter(dlq_filter, max_jobs=count, resurrected_by=actor)

            done = _repeated(act, matched, Outcome.RESURRECTED)
    _report(place, matched, done, Outcome.RESURRECTED)


@database_command("purge", epilog=REASONS_HELP)
@click.argument("job_ids", nargs=-1, metavar="[ID]...")
@filter_options
@_all
@_max
@yes_option
def purge_command(
    place: Place, job_ids: tuple[str, ...], take_all: bool, max_jobs: int | None, yes: bool, **options: Any
) -> None:
    """Delete dead jobs for good: those named by ID, or those that a filter matches.

    Counters and error history do not change: that the jobs failed stays true.

    \b
    Example:
      chokaq dlq purge --queue mail --failed-to 30d

    Exit code 6 when some of the jobs were not there.
    """
    dlq_filter = _what(job_ids, options, take_all)
    check_can_ask(yes)
    with place.queue() as queue:
        if dlq_filter is None:
            _preview_ids(queue, job_ids, yes)
            ask(f"Delete {_jobs(len(set(job_ids)))} for good?", yes)
            wanted = list(dict.fromkeys(job_ids))
            done, matched = queue.purge_dlq(wanted), len(wanted)
        else:
            matched = _preview_filter(queue, dlq_filter, max_jobs, yes, "Delete for good")

            def act(count: int) -> list[JobOutcome]:
                return queue.purge_dlq_by_filter(dlq_filter, max_jobs=count)

            done = _repeated(act, matched, Outcome.PURGED)
    _report(place, matched, done, Outcome.PURGED)


@database_command("edit")
@click.argument("job_id", metavar="ID")
@payload_options
@click.option("--tags", metavar="TEXT", help="New tags.")
@click.option("--priority", type=click.IntRange(0, 100), help="New priority.")
@acting_as
@yes_option
def edit_command(
    place: Place,
    job_id: str,
    payload: str | None,
    payload_file: str | None,
    tags: str | None,
    priority: int | None,
    actor: str | None,
    yes: bool,
) -> None:
    """Change a dead job where it lies, to resurrect it later. What is not given stays as it is.

    Exit code 6 when it is not in the dead-letter queue.
    """
    body = read_payload(payload, payload_file)
    if body is None and tags is None and priority is None:
        raise click.UsageError("Nothing to change: give --payload, --payload-file, --tags or --priority.")
    check_can_ask(yes)
    with place.queue() as queue:
        if not yes:
            job = queue.get_job(job_id)
            if job is not None and job.pillar is Pillar.DLQ:
                changes: tuple[tuple[str, object, object], ...] = (
                    ("payload", job.payload, body),
                    ("tags", job.tags, tags),
                    ("priority", job.priority, priority),
                )
                print_facts(before_and_after(changes), stderr=True)
                ask(f"Change dead job {plain(job_id)}?", yes)
        done = queue.edit_dlq_job(job_id, payload=body, tags=tags, priority=priority, edited_by=actor)
    _report(place, 1, [done], Outcome.EDITED)


def before_and_after(changes: Sequence[tuple[str, object, object]]) -> list[tuple[str, object]]:
    """Facts to print: old and new value of what changes."""
    facts: list[tuple[str, object]] = []
    for name, old, new in changes:
        if new is not None:
            facts += [(f"{name} now", "-" if old is None else old), (f"{name} then", new)]
    return facts


def _what(job_ids: tuple[str, ...], options: dict[str, Any], take_all: bool) -> DlqFilter | None:
    """The filter; None: the ids. Neither is refused: "everything" must be said."""
    dlq_filter = filter_of(options)
    has_filter = dlq_filter != DlqFilter()
    if sum((bool(job_ids), has_filter, take_all)) != 1:
        raise click.UsageError("Name the jobs by their ids, or by a filter, or say --all.")
    return None if job_ids else dlq_filter


def _preview_ids(queue: JobQueue, job_ids: tuple[str, ...], yes: bool) -> None:
    if yes:
        return
    for job_id in list(dict.fromkeys(job_ids))[:_SAMPLE]:
        click.echo(_in_a_line(job_id, queue.get_job(job_id)), err=True)
    if len(job_ids) > _SAMPLE:
        click.echo(f"and {len(job_ids) - _SAMPLE} more", err=True)


def _in_a_line(job_id: str, job: Job | None) -> str:
    if job is None or job.pillar is not Pillar.DLQ or job.failure_reason is None:
        return plain(f"{job_id}  not in the dead-letter queue")
    reason = enum_name(job.failure_reason)
    return plain(f"{job_id}  {moment(job.failed_at)}  {reason}  {job.queue} / {job.type}")


def _preview_filter(
    queue: JobQueue, dlq_filter: DlqFilter, max_jobs: int | None, yes: bool, verb: str
) -> int:
    """Shows what matches and asks; how many jobs the action may take. Newer ones are not taken."""
    found = queue.preview_dlq(dlq_filter, sample_size=_SAMPLE)
    count = min(found.match_count, max_jobs or found.match_count)
    if not yes and count:
        print_dead(found.sample[:count], stderr=True)
        click.echo(f"{found.match_count:,} match: {plain(in_words(dlq_filter))}", err=True)
        ask(f"{verb}: {_jobs(count)}, oldest failure first?", yes)
    return count


def _repeated(act: Callable[[int], list[JobOutcome]], count: int, wanted: Outcome) -> list[JobOutcome]:
    """Calls of at most 1,000 jobs, each a transaction of its own, until so many were taken or none
    is left.
    """
    done: list[JobOutcome] = []
    while len(done) < count:
        found = act(min(_CALL, count - len(done)))
        done += found
        outcomes = {each.outcome for each in found}
        if wanted not in outcomes or Outcome.KEY_ACTIVE in outcomes:
            break  # jobs with active keys come last: what is left cannot be taken now
    return done


def _report(place: Place, matched: int, done: list[JobOutcome], wanted: Outcome) -> None:
    if place.as_json:
        print_json({"matched": matched, "outcomes": outcome_counts(done), "jobs": done})
    elif not done:
        click.echo("nothing matches")
    else:
        print_outcomes(done)
        if len(done) > 1:
            click.echo(f"of {_jobs(matched)}: {counted(outcome_counts(done))}", err=True)
    if any(each.outcome is not wanted for each in done):
        raise SystemExit(exits.NOT_DONE)


def _jobs(count: int) -> str:
    return f"{count:,} job{'' if count == 1 else 's'}"
