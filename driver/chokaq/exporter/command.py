"""The command ``chokaq exporter``."""

from __future__ import annotations

import logging
import signal
import sys
import threading

import click

from ..commands.base import Place, database_command
from ..commands.output import print_json
from ..errors import DriverMissingError

__all__ = ["exporter_command"]

EXTRA = "chokaq exporter needs the extra chokaq[exporter]: pip install 'chokaq[exporter]'"
LOOPBACK = "127.0.0.1"


@database_command("exporter")
@click.option(
    "--listen",
    default=LOOPBACK,
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on. Whoever reaches it may read: there is no password and no TLS.",
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=9767, show_default=True, help="0: a free one."
)
@click.option(
    "--max-queues",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="Queues with a label of their own; the rest together are (other).",
)
@click.option(
    "--max-types",
    type=click.IntRange(0, 10_000),
    default=50,
    show_default=True,
    help="Job types whose percentiles are told; the rest are left out.",
)
@click.option(
    "--objective",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.99,
    show_default=True,
    help="Share of the jobs that shall succeed, for the burn rate.",
)
def exporter_command(
    place: Place, listen: str, port: int, *, max_queues: int, max_types: int, objective: float
) -> None:
    """Serve the figures of the queues to Prometheus, until SIGTERM or Ctrl-C.

    It reads when it is scraped, each figure no more often than it changes. A login with the role
    chokaq_reader is enough. When the database does not answer, chokaq_up is 0 and the exporter stays.
    """
    try:
        from prometheus_client import CollectorRegistry, start_http_server

        from .collector import QueueCollector
    except ImportError as error:
        raise DriverMissingError(f"{EXTRA} ({error})") from error
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    with place.queue() as queue:
        registry = CollectorRegistry()
        collector = QueueCollector(queue, max_queues=max_queues, max_types=max_types, objective=objective)
        registry.register(collector)
        try:
            server, thread = start_http_server(port, addr=listen, registry=registry)
        except (OSError, OverflowError) as error:
            click.echo(f"error: cannot listen on {listen} port {port}: {error}", err=True)
            sys.exit(1)
        shown = f"[{listen}]" if ":" in listen else listen
        address = f"http://{shown}:{server.server_port}/metrics"
        if place.as_json:
            print_json({"serving": address})
        else:
            click.echo(f"serving {address}")
        try:
            _wait()
        finally:
            server.shutdown()
            server.server_close()
            thread.join(5)
            collector.close()


def _wait() -> None:
    """Until a signal asks for the end."""
    over = threading.Event()
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: over.set())
    while not over.wait(3600):
        pass
