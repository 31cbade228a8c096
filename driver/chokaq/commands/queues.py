"""``chokaq queue``: pause, resume, limit; the policies are in queue_policies.py."""

from __future__ import annotations

import click

from ..models import QueueConfig
from . import queue_policies
from .base import Place, database_command
from .confirm import ask, check_can_ask, yes_option
from .output import duration, moment, plain, print_json, print_table
from .queue_policies import create_option, print_config
from .stats import state_of

__all__ = ["queue_group"]


@click.group("queue", short_help="Queues: pause, resume, limit, policies.")
def queue_group() -> None:
    """Queues: pause, resume, limit, retry policy, zombie policy.

    A queue is made by the first job in it, or by --create here. A name that does not exist is an error
    otherwise, so that a mistyped one cannot pass for success.
    """


@database_command("list")
@click.option("--queue", "queue_name", metavar="NAME", help="Only this queue.")
def list_command(place: Place, queue_name: str | None) -> None:
    """List queues with their state, limit and lag. A few index seeks a queue, however long the backlog."""
    with place.queue() as queue:
        found = queue.queue_health(queue_name)
    if place.as_json:
        print_json({"queues": found})
        return
    print_table(
        ("queue", "state", "claimed", "running", "lag", "oldest due", "oldest heartbeat"),
        (
            (
                each.queue,
                state_of(each),
                each.fetched,
                each.processing,
                duration(each.lag_seconds),
                moment(each.oldest_due_at),
                moment(each.oldest_heartbeat_at),
            )
            for each in found
        ),
        numbers=("claimed", "running", "lag"),
        empty="no queues" if queue_name is None else f"no queue {plain(queue_name)}",
    )


@database_command("pause")
@click.argument("name", metavar="QUEUE")
@create_option
def pause_command(place: Place, name: str, create: bool) -> None:
    """Hand out no more jobs of QUEUE. It still accepts jobs, and what runs goes on running."""
    with place.queue() as queue:
        print_config(place, queue.set_queue_paused(name, True, create=create))


@database_command("resume")
@click.argument("name", metavar="QUEUE")
@create_option
def resume_command(place: Place, name: str, create: bool) -> None:
    """End the pause of QUEUE."""
    with place.queue() as queue:
        print_config(place, queue.set_queue_paused(name, False, create=create))


@database_command("activate")
@click.argument("name", metavar="QUEUE")
@create_option
def activate_command(place: Place, name: str, create: bool) -> None:
    """Take QUEUE into service again."""
    with place.queue() as queue:
        print_config(place, queue.set_queue_active(name, True, create=create))


@database_command("deactivate")
@click.argument("name", metavar="QUEUE")
@create_option
@yes_option
def deactivate_command(place: Place, name: str, create: bool, yes: bool) -> None:
    """Take QUEUE out of service. As a pause, but meant to last: "resume" does not end it."""
    check_can_ask(yes)
    with place.queue() as queue:
        if not yes:
            for each in queue.queue_stats(name):
                waiting = f"{each.pending:,} jobs wait, {each.processing:,} run"
                click.echo(
                    f"{plain(each.queue)}: {waiting}; those that wait will stay where they are", err=True
                )
            ask(f"Take queue {plain(name)} out of service?", yes)
        print_config(place, queue.set_queue_active(name, False, create=create))


@database_command("limit")
@click.argument("name", metavar="QUEUE")
@click.argument("limit", metavar="N|none")
@create_option
def limit_command(place: Place, name: str, limit: str, create: bool) -> None:
    """At most N jobs of QUEUE claimed and running at a time, over all workers; none: no limit.

    Jobs that run already are not stopped. 0 hands out nothing.
    """
    config: QueueConfig
    if limit.lower() == "none":
        count = None
    elif limit.isascii() and limit.isdigit():
        count = int(limit)
    else:
        raise click.BadParameter("a whole number from 0, or none", param_hint="N|none")
    with place.queue() as queue:
        config = queue.set_queue_max_workers(name, count, create=create)
    print_config(place, config)


for _command in (
    list_command,
    pause_command,
    resume_command,
    activate_command,
    deactivate_command,
    limit_command,
    queue_policies.retry_policy_command,
    queue_policies.zombie_policy_command,
):
    queue_group.add_command(_command)
