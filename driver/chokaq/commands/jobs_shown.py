"""Jobs as text: one in full, lists in blocks of two or three lines that fit 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from ..models import FailureReason, Job
from ..operator_models import ActiveJob, ArchivedJob, DeadJob, DlqMatch, JobOutcome
from .output import duration, enum_name, moment, plain, print_facts, width

__all__ = [
    "counted",
    "outcome_counts",
    "print_dead",
    "print_job",
    "print_listed",
    "print_outcomes",
    "reason_named",
]


def print_job(job: Job, *, stderr: bool = False) -> None:
    """All there is to know about a job; the payload and the error come last."""
    reason = None if job.failure_reason is None else enum_name(job.failure_reason)
    limit = "as many as the queue allows"
    cancel = None if job.cancel_requested_at is None else moment(job.cancel_requested_at)
    facts: list[tuple[str, object]] = [
        ("job", job.job_id),
        ("is in", job.pillar),
        ("status", None if job.status is None else enum_name(job.status)),
        ("reason", reason),
        ("queue", job.queue),
        ("type", job.type),
        ("tags", job.tags),
        ("key", job.idempotency_key),
        ("priority", job.priority),
        ("attempts", f"{job.attempt_count} of {job.max_attempts or limit}"),
        ("created", moment(job.created_at) + (f" by {job.created_by}" if job.created_by else "")),
        ("due", moment(job.scheduled_at)),
        ("started", None if job.started_at is None else moment(job.started_at)),
        ("finished", None if job.finished_at is None else moment(job.finished_at)),
        ("failed", None if job.failed_at is None else moment(job.failed_at)),
        ("duration", None if job.duration_ms is None else f"{job.duration_ms:.1f} ms"),
        ("worker", job.worker_id),
        ("heartbeat", None if job.heartbeat_at is None else moment(job.heartbeat_at)),
        ("cancel asked", cancel),
        ("changed by", job.last_modified_by),
        ("payload", job.payload),
        ("error", job.error_details),
    ]
    print_facts(facts, stderr=stderr)


def print_dead(jobs: Iterable[DeadJob | DlqMatch], *, stderr: bool = False) -> int:
    """Dead jobs, each with the first line of its error; how many they were."""
    count = 0
    for job in jobs:
        count += 1
        head = f"{job.job_id}  {moment(job.failed_at)}  {enum_name(job.failure_reason)}"
        lines = [f"{job.queue} / {job.type}  attempts {job.attempt_count}{_tags(job.tags)}"]
        if job.error_details:
            lines.append(job.error_details.strip().partition("\n")[0])
        _print_block(head, lines, stderr)
    return count


def print_listed(jobs: Iterable[ActiveJob | ArchivedJob]) -> int:
    """Active or archived jobs; how many they were."""
    count = 0
    for job in jobs:
        count += 1
        what = f"{job.queue} / {job.type}  attempts {job.attempt_count}{_tags(job.tags)}"
        if isinstance(job, ActiveJob):
            asked = "  cancel asked" if job.cancel_requested_at else ""
            head = f"{job.job_id}  {moment(job.scheduled_at)}  {enum_name(job.status)}{asked}"
            lines = [f"{what}  priority {job.priority}"]
            if job.worker_id:
                lines.append(f"worker {job.worker_id}  heartbeat {moment(job.heartbeat_at)}")
        else:
            took = "-" if job.duration_ms is None else duration(job.duration_ms / 1000)
            head = f"{job.job_id}  {moment(job.finished_at)}  took {took}"
            lines = [what]
        _print_block(head, lines, stderr=False)
    return count


def outcome_counts(outcomes: Iterable[JobOutcome]) -> dict[str, int]:
    """How often each outcome came."""
    counts: dict[str, int] = {}
    for each in outcomes:
        counts[each.outcome.value] = counts.get(each.outcome.value, 0) + 1
    return counts


def print_outcomes(outcomes: Sequence[JobOutcome], *, limit: int = 20) -> None:
    """Each job's outcome where they are few, else their counts."""
    if len(outcomes) <= limit:
        for each in outcomes:
            click.echo(f"{plain(each.job_id)}  {each.outcome}")
    else:
        click.echo(counted(outcome_counts(outcomes)))


def counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "nothing"


def reason_named(text: str) -> FailureReason:
    """The reason of a name as it is shown."""
    return {enum_name(reason).lower(): reason for reason in FailureReason}[text.lower()]


def _tags(tags: str | None) -> str:
    return f"  tags {tags}" if tags else ""


def _print_block(head: str, lines: list[str], stderr: bool) -> None:
    limit = width(stderr=stderr)
    click.echo(plain(head), err=stderr)
    for line in lines:
        click.echo(_cropped(f"    {plain(line)}", limit), err=stderr)


def _cropped(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
