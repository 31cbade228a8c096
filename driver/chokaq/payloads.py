"""Values on their way into JSON parameters: payloads, times, durations, and the rows that carry them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from .calls import utc_naive
from .metric_models import Sample
from .models import Completion, Failure, FailureReason, Lease, NewJob
from .operator_models import Resurrection
from .uuid7 import new_job_id

__all__ = [
    "MAX_CHARACTERS",
    "MAX_ROWS",
    "batches",
    "completion_row",
    "failure_row",
    "id_row",
    "lease_row",
    "new_job_row",
    "payload_text",
    "payload_value",
    "resurrection_row",
    "sample_row",
]

#: Rows in one call; the procedures refuse more.
MAX_ROWS = 1000
#: Characters of JSON in one call (16 MB as nvarchar). A single larger row travels alone.
MAX_CHARACTERS = 8_000_000


def payload_value(payload: object) -> object:
    """The payload as a value of the row's JSON: a str stays a string and is stored as it is; an object or
    array is stored as its JSON text; so are numbers and booleans, whose text goes as a string.

    Raises TypeError for bytes. What json cannot dump shows when the row is dumped.
    """
    if payload is None or isinstance(payload, str):
        return None if payload is None else str(payload)
    if isinstance(payload, bytes | bytearray | memoryview):
        raise TypeError("payload: bytes cannot be stored; encode them as text (base64) or store a reference")
    if isinstance(payload, dict | list | tuple):
        return payload
    return _dump(payload)


def payload_text(payload: object) -> str | None:
    """The payload as it is stored, for a parameter of its own."""
    value = payload_value(payload)
    return value if value is None or isinstance(value, str) else _dump(value)


def _dump(value: object) -> str:
    """Compact JSON. Only a payload can be at fault: all other values were checked one by one."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except TypeError as error:
        raise TypeError(f"payload: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"payload: {error}") from None


def new_job_row(job: NewJob) -> dict[str, Any]:
    """The row of EnqueueJobs. The id is given here, so that the same call can be made again."""
    if not isinstance(job, NewJob):
        raise TypeError(f"a NewJob is needed, not {type(job).__name__}")
    row: dict[str, Any] = {
        "id": _text("job_id", job.job_id) if job.job_id is not None else new_job_id(),
        "queue": _text("queue", job.queue),
        "type": _text("type", job.type),
        "payload": payload_value(job.payload),
        "tags": _text("tags", job.tags),
        "idempotencyKey": _text("idempotency_key", job.idempotency_key),
        "priority": _whole("priority", job.priority),
        "maxAttempts": _whole("max_attempts", job.max_attempts),
    }
    if job.delay is not None and job.scheduled_at is not None:
        raise ValueError("delay and scheduled_at exclude each other")
    if job.delay is not None:
        row["delaySeconds"] = seconds("delay", job.delay)
    if job.scheduled_at is not None:
        row["scheduledAtUtc"] = utc_naive(job.scheduled_at, "scheduled_at").isoformat(timespec="microseconds")
    return {key: value for key, value in row.items() if value is not None}


def lease_row(lease: Lease) -> dict[str, Any]:
    """The row {id, lease} of the worker calls."""
    if not isinstance(lease, Lease):
        raise TypeError(f"a Lease is needed, not {type(lease).__name__}")
    return {"id": _text("job_id", lease.job_id), "lease": _whole("lease_token", lease.lease_token)}


def completion_row(completion: Completion) -> dict[str, Any]:
    """The row of CompleteJobs."""
    if not isinstance(completion, Completion):
        raise TypeError(f"a Completion is needed, not {type(completion).__name__}")
    row = lease_row(completion.lease)
    if completion.duration_ms is not None:
        row["durationMs"] = _milliseconds("duration_ms", completion.duration_ms)
    return row


def failure_row(failure: Failure) -> dict[str, Any]:
    """The row of FailJobs."""
    if not isinstance(failure, Failure):
        raise TypeError(f"a Failure is needed, not {type(failure).__name__}")
    row = lease_row(failure.lease)
    row["reason"] = int(FailureReason(failure.reason))
    if failure.error is not None:
        row["error"] = _text("error", failure.error)
    if failure.error_group is not None:
        row["errorGroup"] = _text("error_group", failure.error_group)
    if failure.retry_after is not None:
        row["retryAfterSeconds"] = seconds("retry_after", failure.retry_after)
    if failure.duration_ms is not None:
        row["durationMs"] = _milliseconds("duration_ms", failure.duration_ms)
    return row


def id_row(job_id: str) -> dict[str, Any]:
    """The row {id} of CancelJobs and PurgeDlq."""
    if not isinstance(job_id, str):
        raise TypeError(f"job_id: a str is needed, not {type(job_id).__name__}")
    return {"id": str(job_id)}


def resurrection_row(job: str | Resurrection) -> dict[str, Any]:
    """The row of ResurrectJobs, of a job id or of an id with edits."""
    if isinstance(job, str):
        return id_row(job)
    if not isinstance(job, Resurrection):
        raise TypeError(f"a job id or a Resurrection is needed, not {type(job).__name__}")
    row = {
        **id_row(job.job_id),
        "payload": payload_value(job.payload),
        "tags": _text("tags", job.tags),
        "priority": _whole("priority", job.priority),
        "delaySeconds": None if job.delay is None else seconds("delay", job.delay),
    }
    return {key: value for key, value in row.items() if value is not None}


def sample_row(sample: Sample) -> dict[str, Any]:
    """The row of RecordSamples."""
    if not isinstance(sample, Sample):
        raise TypeError(f"a Sample is needed, not {type(sample).__name__}")
    row = {
        "measure": _text("measure", sample.measure),
        "series": _text("series", sample.series),
        "queue": _text("queue", sample.queue),
        "valueMs": None if sample.value_ms is None else _milliseconds("value_ms", sample.value_ms),
        "outcome": 1 if sample.failed else 0,
    }
    if sample.at is not None:
        row["atUtc"] = utc_naive(sample.at, "at").isoformat(timespec="microseconds")
    return {key: value for key, value in row.items() if value is not None}


def batches(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """(number of rows, JSON array) for as many calls as the rows need. Reads ``rows`` lazily."""
    pending: list[str] = []
    size = 0
    for row in rows:
        text = _dump(row)
        try:
            text.encode("utf-16-le")
        except UnicodeEncodeError:
            raise ValueError("a text has a lone surrogate, which no database can store") from None
        if pending and (len(pending) >= MAX_ROWS or size + len(text) > MAX_CHARACTERS):
            yield len(pending), _array(pending)
            pending, size = [], 0
        pending.append(text)
        size += len(text)
    if pending:
        yield len(pending), _array(pending)


def _array(rows: Sequence[str]) -> str:
    return f"[{','.join(rows)}]"


def seconds(name: str, value: object) -> int:
    """Whole seconds, rounded up (nothing starts too early), of a number or a timedelta."""
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name}: a timedelta or a number of seconds is needed, not {type(value).__name__}")
    if not math.isfinite(value):
        raise ValueError(f"{name}: not a finite number")
    return math.ceil(value)


def _text(name: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
    return str(value) if value is not None else None  # a str enum is sent as its value


def _whole(name: str, value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise TypeError(f"{name}: an int is needed, not {type(value).__name__}")
    return None if value is None else int(value)


def _milliseconds(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name}: a number is needed, not {type(value).__name__}")
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{name}: not a finite number of at least 0")
    return float(value)
