"""Every metric that the exporter has: name, kind, labels, meaning. The dashboard is tested against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FAMILIES", "Family"]


@dataclass(frozen=True)
class Family:
    """``name``: without the suffix ``_total`` that the text format gives a counter."""

    name: str
    kind: Literal["gauge", "counter"]
    labels: tuple[str, ...]
    help: str

    @property
    def exposed(self) -> str:
        """The name of its samples."""
        return f"{self.name}_total" if self.kind == "counter" else self.name


def _gauge(name: str, meaning: str, *labels: str) -> Family:
    return Family(name, "gauge", labels, meaning)


def _counter(name: str, meaning: str, *labels: str) -> Family:
    return Family(name, "counter", labels, meaning)


#: By name. Values of the label queue: so many queues at most, the rest together as "(other)"; of type: so
#: many job types at most, those with the most executions.
FAMILIES = {
    family.name: family
    for family in (
        _gauge("chokaq_up", "1: the database answered this scrape; 0: it did not, and nothing else is told."),
        _gauge("chokaq_scrape_duration_seconds", "What the calls of this scrape took."),
        _gauge("chokaq_build_info", "1; the label is the version of the package.", "version"),
        _counter(
            "chokaq_jobs_finished", "Jobs that ended: succeeded, or failed for good.", "queue", "outcome"
        ),
        _counter("chokaq_job_retries", "Attempts that failed and were to be tried again.", "queue"),
        _gauge(
            "chokaq_queue_jobs",
            "Active jobs: due, scheduled (for later), fetched, processing.",
            "queue",
            "state",
        ),
        _gauge(
            "chokaq_queue_lag_seconds", "How long the oldest due job waits past its time; 0: none.", "queue"
        ),
        _gauge("chokaq_queue_paused", "1: paused.", "queue"),
        _gauge("chokaq_queue_active", "0: out of service.", "queue"),
        _gauge("chokaq_queue_max_workers", "Jobs claimed at a time at most; absent: no limit.", "queue"),
        _gauge(
            "chokaq_queue_oldest_heartbeat_timestamp_seconds",
            "The oldest heartbeat of a running job; absent: none runs.",
            "queue",
        ),
        _gauge("chokaq_processed_jobs", "Jobs that ended within the window, all queues.", "window"),
        _gauge(
            "chokaq_failure_ratio",
            "Share of them that failed for good, 0 to 1; absent: none ended.",
            "window",
        ),
        _gauge(
            "chokaq_job_duration_quantile_seconds",
            "Execution time over the last hour, at most 5 % off.",
            "queue",
            "type",
            "quantile",
        ),
        _gauge(
            "chokaq_queue_wait_quantile_seconds",
            "From the moment a job was due to its start, over the last hour, at most 5 % off.",
            "queue",
            "type",
            "quantile",
        ),
        _gauge("chokaq_dead_letter_jobs", "Jobs in the dead-letter queue.", "reason"),
        _gauge(
            "chokaq_burn_rate",
            "Share of failures over the share that the objective allows; 1 is just allowed.",
            "window",
        ),
        _gauge("chokaq_objective_ratio", "Share of jobs that shall succeed."),
    )
}
