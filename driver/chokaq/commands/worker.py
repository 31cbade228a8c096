"""``chokaq worker``."""

from __future__ import annotations

from typing import Any

import click

from ..worker import Worker
from .base import Place, database_command
from .handlers import load_handlers
from .moments import SECONDS
from .output import print_json
from .worker_logs import start_logging
from .worker_options import type_options

__all__ = ["worker_command"]


@database_command("worker", short_help="Run jobs with your functions.")
@click.argument("handlers", nargs=-1, required=True, metavar="HANDLERS...")
@click.option(
    "--queue", "-q", "queues", multiple=True, metavar="NAME", help="Take jobs of this queue only; repeatable."
)
@click.option(
    "--concurrency", "-c", type=click.IntRange(1), default=4, show_default=True, help="Jobs at a time."
)
@click.option("--prefetch", type=click.IntRange(0), help="Jobs claimed ahead.  [default: as --concurrency]")
@click.option("--burst", is_flag=True, help="End when nothing is due.")
@click.option("--max-jobs", type=click.IntRange(1), help="End after so many jobs.")
@click.option("--grace", type=SECONDS, default=30, show_default=True, help="For running jobs at a stop.")
@click.option("--heartbeat", type=SECONDS, default=15, show_default=True, help="Between heartbeats.")
@click.option(
    "--poll", type=SECONDS, default=1, show_default=True, help="Between looks at an idle queue, at first."
)
@click.option("--max-poll", type=SECONDS, default=5, show_default=True, help="And at the most.")
@click.option(
    "--limit", "limits", multiple=True, metavar="TYPE=N", help="At most N jobs of TYPE at a time here."
)
@click.option(
    "--timeout",
    "timeouts",
    multiple=True,
    metavar="[TYPE=]SECONDS",
    help="Report an execution as Timeout after so long: 30, 5m. Without TYPE: of all types.",
)
@click.option(
    "--breaker",
    metavar="N[:SECONDS]",
    help="After N failures of a type in a row put its jobs off, for so long (30) at first.",
)
@click.option("--otel", is_flag=True, help="Spans and metrics through OpenTelemetry (extra chokaq[otel]).")
@click.option(
    "--worker-id", metavar="TEXT", help="Must never have been used before.  [default: host:pid:random]"
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"], case_sensitive=False),
    default="info",
    show_default=True,
)
@click.option("--log-json", is_flag=True, help="Log one JSON object a line.")
def worker_command(
    place: Place,
    handlers: tuple[str, ...],
    queues: tuple[str, ...],
    concurrency: int,
    prefetch: int | None,
    burst: bool,
    max_jobs: int | None,
    grace: float,
    heartbeat: float,
    poll: float,
    max_poll: float,
    limits: tuple[str, ...],
    timeouts: tuple[str, ...],
    breaker: str | None,
    otel: bool,
    worker_id: str | None,
    log_level: str,
    log_json: bool,
) -> None:
    """Run jobs until SIGTERM or Ctrl-C: then finish what runs, and give back what was not started.

    HANDLERS says which function runs which type of job:

    \b
      myapp.jobs:HANDLERS         a mapping {"type": function}
      myapp.jobs:send_mail        one function, for the type send_mail
      welcome=myapp.jobs:send     one function, for the type welcome
      myapp.jobs                  every public function of the module

    A function takes one argument, the job: job.payload, job.json(), job.attempt, job.check_cancelled().
    Modules are found in the working directory too. A job whose type has no handler is Rejected, so give each
    worker the queues whose types it knows.

    Logs go to stderr; at the end the counts go to stdout. A second Ctrl-C ends without the grace.
    """
    found = load_handlers(handlers)
    default, options = type_options(limits, timeouts, breaker)
    hooks = _telemetry() if otel else {}
    start_logging(log_level, log_json)
    with place.queue() as queue:
        worker = Worker(
            queue,
            found,
            concurrency=concurrency,
            queues=list(queues) or None,
            worker_id=worker_id,
            prefetch=prefetch,
            poll_interval=poll,
            max_poll_interval=max_poll,
            heartbeat_interval=heartbeat,
            grace_period=grace,
            type_options=options,
            default_options=default,
            **hooks,
        )
        done = worker.run(burst=burst, max_jobs=max_jobs)
        # Closing the connection under a handler that still runs would only add an error to its end.
        if done.abandoned:
            _print(place, worker.worker_id, done)
            raise SystemExit(1)
    _print(place, worker.worker_id, done)


def _telemetry() -> dict[str, Any]:
    from ..otel import Telemetry

    telemetry = Telemetry()
    return {"around": telemetry.around, "on_event": telemetry.on_event}


def _print(place: Place, worker_id: str, done: object) -> None:
    if place.as_json:
        print_json({"worker_id": worker_id, "summary": done})
        return
    names = ("succeeded", "failed", "lost", "released", "deferred", "abandoned")
    click.echo(", ".join(f"{getattr(done, name)} {name}" for name in names))
