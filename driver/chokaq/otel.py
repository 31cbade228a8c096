"""OpenTelemetry for workers: a span around each execution, counters and histograms. Extra ``chokaq[otel]``.

Only the API package is needed; without an SDK that the application sets up, nothing is recorded.

    telemetry = chokaq.otel.Telemetry()
    Worker(url, handlers, around=telemetry.around, on_event=telemetry.on_event)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from .errors import DriverMissingError
from .version import __version__
from .worker_context import JobContext, JobError
from .worker_events import WorkerEvent

if find_spec("opentelemetry") is None:
    raise DriverMissingError("chokaq.otel needs the package opentelemetry-api: install chokaq[otel].")

from opentelemetry import metrics, trace

__all__ = ["Telemetry"]

# Outcomes of an execution, as the attribute chokaq.outcome has them.
_ENDED = {
    "job-succeeded": "succeeded",
    "job-failed": "failed",
    "job-deferred": "deferred",
    "job-lost": "lost",
    "job-abandoned": "abandoned",
}


class Telemetry:
    """``around`` and ``on_event`` for a Worker.

    Span ``process <queue>``, kind consumer, current while the handler runs: messaging.system = chokaq,
    messaging.operation.type = process, messaging.destination.name, messaging.message.id, chokaq.job.type,
    chokaq.job.attempt. An exception is recorded; it is an error of the span unless it says cancelled or
    come back later.

    Instruments, with the attributes messaging.destination.name and chokaq.job.type: counters
    ``chokaq.jobs.started`` and ``chokaq.jobs.ended`` (chokaq.outcome: succeeded, failed, deferred, lost,
    abandoned; chokaq.reason of a failure; chokaq.decision: archived, retry, dead), histogram
    ``chokaq.job.duration`` (s), counters ``chokaq.jobs.overran``, ``chokaq.circuit.changes``
    (chokaq.state: opened, closed); without attributes ``chokaq.jobs.fetched``, ``chokaq.jobs.swept``,
    ``chokaq.server.lost``. Ids, payloads and error texts are in no metric.
    """

    def __init__(self, tracer_provider: Any = None, meter_provider: Any = None) -> None:
        self._tracer = trace.get_tracer("chokaq", __version__, tracer_provider)
        meter = metrics.get_meter("chokaq", __version__, meter_provider)
        self._started = meter.create_counter("chokaq.jobs.started", "{job}", "Executions begun")
        self._ended = meter.create_counter("chokaq.jobs.ended", "{job}", "Executions ended, by outcome")
        self._overran = meter.create_counter(
            "chokaq.jobs.overran", "{job}", "Handlers that ran past their time"
        )
        self._circuit = meter.create_counter(
            "chokaq.circuit.changes", "{change}", "Circuits opened and closed"
        )
        self._fetched = meter.create_counter("chokaq.jobs.fetched", "{job}", "Jobs claimed")
        self._swept = meter.create_counter("chokaq.jobs.swept", "{job}", "Jobs taken from dead workers")
        self._away = meter.create_counter("chokaq.server.lost", "{event}", "Times the database went away")
        self._duration = meter.create_histogram("chokaq.job.duration", "s", "Time in the handler")

    @contextlib.contextmanager
    def around(self, context: JobContext) -> Iterator[None]:
        """For ``Worker(around=…)``."""
        job = context.job
        attributes: dict[str, str | int] = {
            "messaging.system": "chokaq",
            "messaging.operation.type": "process",
            "messaging.destination.name": job.queue,
            "messaging.message.id": job.job_id,
            "chokaq.job.type": job.type,
            "chokaq.job.attempt": context.attempt,
        }
        with self._tracer.start_as_current_span(
            f"process {job.queue}",
            kind=trace.SpanKind.CONSUMER,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.record_exception(error)
                if not isinstance(error, JobError) or error.reason.name in _ERRORS:
                    span.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
                raise

    def on_event(self, event: WorkerEvent) -> None:
        """For ``Worker(on_event=…)``. Call it from your own hook if you have one."""
        fields = event.fields
        name = event.name
        if name in _ENDED:
            self._job_ended(name, fields)
        elif (count := self._counts.get(name)) is not None:
            count(self, fields)

    def _job_ended(self, name: str, fields: Mapping[str, Any]) -> None:
        attributes = _of_job(fields) | {"chokaq.outcome": _ENDED[name]}
        for key, attribute in (("reason", "chokaq.reason"), ("outcome", "chokaq.decision")):
            if fields.get(key):
                attributes[attribute] = str(fields[key])
        self._ended.add(1, attributes)
        if fields.get("duration_ms") is not None and name != "job-deferred":
            self._duration.record(fields["duration_ms"] / 1000, attributes)

    def _circuit_changed(self, state: str, fields: Mapping[str, Any]) -> None:
        self._circuit.add(1, _of_job(fields) | {"chokaq.state": state})

    _counts: Mapping[str, Callable[[Telemetry, Mapping[str, Any]], None]] = {
        "job-started": lambda self, fields: self._started.add(1, _of_job(fields)),
        "job-overran": lambda self, fields: self._overran.add(1, _of_job(fields)),
        "jobs-fetched": lambda self, fields: self._fetched.add(fields["count"]),
        "swept": lambda self, fields: self._swept.add(fields["count"]),
        "server-unavailable": lambda self, _fields: self._away.add(1),
        "circuit-opened": lambda self, fields: self._circuit_changed("opened", fields),
        "circuit-closed": lambda self, fields: self._circuit_changed("closed", fields),
    }


_ERRORS = frozenset({"FATAL_ERROR", "REJECTED", "TIMEOUT", "HEARTBEAT_FAILURE"})


def _of_job(fields: Mapping[str, Any]) -> dict[str, str]:
    return {"messaging.destination.name": fields["queue"], "chokaq.job.type": fields["type"]}
