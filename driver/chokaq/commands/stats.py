"""``chokaq stats``."""

from __future__ import annotations

from dataclasses import dataclass

import click

from ..models import QueueHealth, QueueStats, SummaryStats, Throughput
from ..queue import JobQueue
from .base import Place, database_command
from .output import duration, plain, print_json, print_table

__all__ = ["state_of", "stats_command"]

_COLUMNS = ("queue", "state", "due", "later", "claimed", "running", "lag", "done", "failed", "retried")
_NUMBERS = _COLUMNS[2:]


@dataclass(frozen=True)
class Overview:
    """The figures of all queues, or of one, as of about the same moment."""

    stats: list[QueueStats]
    health: dict[str, QueueHealth]
    totals: dict[str, SummaryStats]
    throughput: Throughput


def read_overview(queue: JobQueue, name: str | None) -> Overview:
    return Overview(
        stats=queue.queue_stats(name),
        health={each.queue: each for each in queue.queue_health(name)},
        totals={each.queue: each for each in queue.summary_stats(name)},
        throughput=queue.throughput(name),
    )


@database_command("stats", short_help="What waits, runs, succeeded and failed.")
@click.option("--queue", "queue_name", metavar="NAME", help="Only this queue.")
def stats_command(place: Place, queue_name: str | None) -> None:
    """How much waits, runs, succeeded and failed, for each queue and altogether.

    \b
    due      waiting, and its time has come
    later    scheduled for later, retries too
    claimed  held by a worker, not yet started
    lag      how long the oldest due job has waited past its time
    done, failed (for good), retried: totals since the beginning; they never fall
    """
    with place.queue() as queue:
        found = read_overview(queue, queue_name)
    if place.as_json:
        rows = [
            {
                "queue": each.queue,
                "stats": each,
                "health": found.health.get(each.queue),
                "totals": found.totals.get(each.queue),
            }
            for each in found.stats
        ]
        print_json({"queues": rows, "throughput": found.throughput})
        return
    empty = "no queues" if queue_name is None else f"no queue {plain(queue_name)}"
    print_table(_COLUMNS, _rows(found), numbers=_NUMBERS, empty=empty)
    for line in _rates(found.throughput):
        click.echo(line)


def state_of(health: QueueHealth | None) -> str:
    """active, paused or inactive, with the limit where there is one."""
    if health is None:
        return "-"
    state = "inactive" if not health.is_active else "paused" if health.is_paused else "active"
    return state if health.max_workers is None else f"{state}, max {health.max_workers}"


def _rows(found: Overview) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for each in found.stats:
        health, totals = found.health.get(each.queue), found.totals.get(each.queue)
        rows.append(
            (
                each.queue,
                state_of(health),
                each.due,
                each.scheduled,
                each.fetched,
                each.processing,
                duration(health.lag_seconds if health else None),
                totals.succeeded_total if totals else 0,
                totals.failed_total if totals else 0,
                totals.retried_total if totals else 0,
            )
        )
    return rows


def _rates(found: Throughput) -> list[str]:
    rates = (found.failure_rate_last_minute, found.failure_rate_last_five_minutes)
    minute, five = ("-" if rate is None else f"{rate:.1%} failed" for rate in rates)
    lines = [
        f"last minute     {found.processed_last_minute} done, {minute}",
        f"last 5 minutes  {found.processed_last_five_minutes} done, {five}",
    ]
    average, longest = found.average_duration_ms, found.max_duration_ms
    if average is not None and longest is not None:
        lines.append(f"duration        {average:.1f} ms on average, {longest:.1f} ms at most")
    return lines
