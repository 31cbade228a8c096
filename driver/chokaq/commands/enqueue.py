"""``chokaq enqueue``."""

from __future__ import annotations

from datetime import datetime

import click

from .base import Place, acting_as, database_command
from .moments import MOMENT, SECONDS
from .output import plain, print_json
from .texts import payload_options, read_payload

__all__ = ["enqueue_command"]


@database_command("enqueue", short_help="Enqueue a job.")
@click.argument("queue_name", metavar="QUEUE")
@click.argument("job_type", metavar="TYPE")
@payload_options
@click.option("--key", metavar="TEXT", help="Idempotency key: one active job of this key at a time.")
@click.option("--tags", metavar="TEXT", help="Words to find the job by.")
@click.option("--priority", type=click.IntRange(0, 100), help="Higher goes first.  [default: 10]")
@click.option("--delay", type=SECONDS, help="Not before so long from now: 90, 15m, 2h.")
@click.option(
    "--at", "scheduled_at", type=MOMENT, help="Not before this moment; UTC unless it says otherwise."
)
@click.option(
    "--max-attempts", type=click.IntRange(1, 1000), help="Executions at the most.  [default: the queue's]"
)
@click.option("--id", "job_id", metavar="TEXT", help="The job's id: makes the command repeatable.")
@acting_as
def enqueue_command(
    place: Place,
    queue_name: str,
    job_type: str,
    payload: str | None,
    payload_file: str | None,
    key: str | None,
    tags: str | None,
    priority: int | None,
    delay: float | None,
    scheduled_at: datetime | None,
    max_attempts: int | None,
    job_id: str | None,
    actor: str | None,
) -> None:
    """Enqueue a job of TYPE in QUEUE, which is made if it is not there yet.

    \b
    Example:
      chokaq enqueue mail welcome --payload '{"to": "ann@example.org"}'

    Prints the job's id and "enqueued", or "duplicate" (an active job has the key: its id is the answer), or
    "exists" (the id is known). All three are exit code 0.
    """
    if delay is not None and scheduled_at is not None:
        raise click.UsageError("--delay and --at exclude each other.")
    with place.queue() as queue:
        done = queue.enqueue(
            queue_name,
            job_type,
            read_payload(payload, payload_file),
            tags=tags,
            idempotency_key=key,
            priority=priority,
            delay=delay,
            scheduled_at=scheduled_at,
            max_attempts=max_attempts,
            job_id=job_id,
            created_by=actor,
        )
    if place.as_json:
        print_json({"job_id": done.job_id, "outcome": done.outcome})
    else:
        click.echo(f"{plain(done.job_id)}  {done.outcome}")
