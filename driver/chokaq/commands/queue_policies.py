"""``chokaq queue retry-policy`` and ``zombie-policy``: show a queue's policy, or change parts of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..connection import Connector, close_quietly
from ..models import QueueConfig, ZombieAction
from ..queue import JobQueue
from .base import Place, database_command
from .moments import SECONDS
from .output import duration, moment, print_facts, print_json

__all__ = ["create_option", "print_config", "retry_policy_command", "zombie_policy_command"]

T = TypeVar("T")


def create_option(function: Callable[..., None]) -> Callable[..., None]:
    return click.option("--create", is_flag=True, help="Make the queue if it is not there.")(function)


def print_config(place: Place, config: QueueConfig) -> None:
    """A queue's settings as they now are."""
    if place.as_json:
        print_json({"queue": config})
        return
    age, timeout = config.max_job_age_seconds, config.zombie_timeout_seconds
    longest, jitter = duration(config.retry_max_seconds), config.retry_jitter_percent
    growth = f"{config.retry_base_seconds} s, then times {config.retry_multiplier:g}, at most {longest}"
    silence = "the time of the settings" if timeout is None else duration(timeout)
    is_retry = config.zombie_action is ZombieAction.RETRY
    print_facts(
        (
            ("queue", config.queue),
            ("paused", _yes(config.is_paused)),
            ("active", _yes(config.is_active)),
            ("limit", "none" if config.max_workers is None else config.max_workers),
            ("attempts", f"{config.max_attempts} at the most"),
            ("retry after", f"{growth}, give or take {jitter} %"),
            ("retry until", "no end" if age is None else f"{duration(age)} after the enqueue"),
            ("zombie after", f"{silence} without a heartbeat"),
            ("zombies go", "to a retry while attempts remain" if is_retry else "to the dead-letter queue"),
            ("changed", moment(config.last_updated_at)),
        )
    )


@database_command("retry-policy")
@click.argument("name", metavar="QUEUE")
@click.option("--attempts", type=click.IntRange(1, 1000), help="Executions at the most.")
@click.option("--base", type=SECONDS, help="Delay after the first failure: 30, 5m.")
@click.option("--multiplier", type=click.FloatRange(1, 100), help="Growth of the delay with each failure.")
@click.option("--max-delay", type=SECONDS, help="Longest delay.")
@click.option("--jitter", type=click.IntRange(0, 100), help="Percent by which each delay is moved at random.")
@click.option("--max-age", metavar="SECONDS|none", help="No retry later than so long after the enqueue.")
@create_option
def retry_policy_command(
    place: Place,
    name: str,
    attempts: int | None,
    base: float | None,
    multiplier: float | None,
    max_delay: float | None,
    jitter: int | None,
    max_age: str | None,
    create: bool,
) -> None:
    """Set how often and how soon failed jobs of QUEUE are tried again; without options: show it.

    What is not given stays as it is. Applies from the next failure on.
    """
    given = (attempts, base, multiplier, max_delay, jitter, max_age)
    with place.queue() as queue:
        config = _current(place, queue, name, create)
        if any(each is not None for each in given):
            config = queue.set_queue_retry_policy(
                name,
                max_attempts=_or(attempts, config.max_attempts),
                retry_base_seconds=round(_or(base, config.retry_base_seconds)),
                retry_multiplier=_or(multiplier, config.retry_multiplier),
                retry_max_seconds=round(_or(max_delay, config.retry_max_seconds)),
                retry_jitter_percent=_or(jitter, config.retry_jitter_percent),
                max_job_age_seconds=_seconds(max_age, config.max_job_age_seconds, "--max-age"),
                create=create,
            )
    print_config(place, config)


@database_command("zombie-policy")
@click.argument("name", metavar="QUEUE")
@click.option(
    "--timeout", metavar="SECONDS|none", help="Without a heartbeat for so long; none: the settings'."
)
@click.option("--action", type=click.Choice(["dlq", "retry"]), help="Where such a job goes.")
@create_option
def zombie_policy_command(
    place: Place, name: str, timeout: str | None, action: str | None, create: bool
) -> None:
    """Set when a running job of QUEUE counts as abandoned, and what becomes of it; without options: show it.

    "dlq" is right where a started job may have had effects; "retry" where running twice does no harm.
    """
    chosen = {"dlq": ZombieAction.TO_DLQ, "retry": ZombieAction.RETRY, None: None}[action]
    with place.queue() as queue:
        config = _current(place, queue, name, create)
        if timeout is not None or chosen is not None:
            config = queue.set_queue_zombie_policy(
                name,
                zombie_timeout_seconds=_seconds(timeout, config.zombie_timeout_seconds, "--timeout"),
                zombie_action=config.zombie_action if chosen is None else chosen,
                create=create,
            )
    print_config(place, config)


def _current(place: Place, queue: JobQueue, name: str, create: bool) -> QueueConfig:
    """A queue's settings. No procedure only reads them: a setter answers with the row, and is rolled back."""
    if create:
        return queue.set_queue_active(name, _is_active(queue, name), create=True)
    connector = Connector(place.url)
    connection: Any = connector.open()
    try:
        connection.autocommit = False
        # The pause is never seen by anybody; all the other columns are the queue's own.
        found = queue.set_queue_paused(name, True, connection=connection)
        connection.rollback()
    finally:
        close_quietly(connection)
    health = queue.queue_health(name)
    return _with_pause(found, health[0].is_paused) if health else found


def _is_active(queue: JobQueue, name: str) -> bool:
    health = queue.queue_health(name)
    return health[0].is_active if health else True


def _with_pause(config: QueueConfig, is_paused: bool) -> QueueConfig:
    return dataclasses.replace(config, is_paused=is_paused)


def _seconds(text: str | None, now: int | None, name: str) -> int | None:
    if text is None:
        return now
    if text.lower() == "none":
        return None
    try:
        return round(SECONDS.convert(text, None, None))
    except click.BadParameter as error:
        raise click.BadParameter(error.message, param_hint=name) from None


def _or(given: T | None, now: T) -> T:
    return now if given is None else given


def _yes(value: bool) -> str:
    return "yes" if value else "no"
