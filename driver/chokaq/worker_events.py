"""What a worker tells about itself: log records with stable fields, and the same to a hook. Never a
payload.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["EventHook", "Reporter", "WorkerEvent"]

_log = logging.getLogger("chokaq.worker")

_LEVELS = {
    "job-failed": logging.WARNING,
    "job-lost": logging.WARNING,
    "job-refused": logging.ERROR,
    "job-abandoned": logging.WARNING,
    "job-overran": logging.WARNING,
    "overrun-ended": logging.INFO,
    "circuit-opened": logging.WARNING,
    "circuit-closed": logging.WARNING,
    "report-dropped": logging.ERROR,
    "call-failed": logging.WARNING,
    "server-unavailable": logging.WARNING,
    "server-available": logging.WARNING,
    "sweep-denied": logging.WARNING,
    "worker-error": logging.ERROR,
    "worker-started": logging.INFO,
    "worker-stopping": logging.INFO,
    "worker-stopped": logging.INFO,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerEvent:
    """Something that happened in a worker.

    ``name``: worker-started, worker-stopping, worker-stopped, job-started, job-succeeded, job-failed,
    job-deferred, job-lost, job-refused, job-abandoned, job-overran, overrun-ended, jobs-fetched,
    jobs-released, report-dropped, cancel-requested, circuit-opened, circuit-closed, call-failed,
    server-unavailable, server-available, swept, maintained, sweep-denied, worker-error. ``fields``: of these
    worker_id, job_id, queue, type, attempt, outcome, reason, duration_ms, count, error; docs/worker.md says
    which event has which.
    """

    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)


EventHook = Callable[[WorkerEvent], None]


class Reporter:
    """Sends events to the log and to the hook."""

    def __init__(self, worker_id: str, hook: EventHook | None) -> None:
        self._worker_id = worker_id
        self._hook = hook

    def __call__(self, name: str, /, *, cause: BaseException | None = None, **fields: Any) -> None:
        level = _LEVELS.get(name, logging.DEBUG)
        if _log.isEnabledFor(level):
            shown = " ".join([name, *(f"{key}={value}" for key, value in fields.items())])
            _log.log(
                level,
                "%s",
                shown,
                exc_info=cause,
                extra={
                    "event": name,
                    "worker_id": self._worker_id,
                    **{f"chokaq_{k}": v for k, v in fields.items()},
                },
            )
        if self._hook is None:
            return
        try:
            self._hook(WorkerEvent(name=name, fields={"worker_id": self._worker_id, **fields}))
        except Exception:
            _log.exception("the on_event hook failed on %s", name)
