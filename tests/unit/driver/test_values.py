"""Ids, payloads, rows on their way in and out."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chokaq import (
    Completion,
    Failure,
    FailureReason,
    FetchedJob,
    Job,
    JobStatus,
    Lease,
    NewJob,
    Outcome,
    Pillar,
    models,
)
from chokaq import uuid7 as uuid7_module
from chokaq.payloads import batches, completion_row, failure_row, lease_row, new_job_row
from chokaq.procedures import PROCEDURES
from chokaq.uuid7 import new_job_id

LEASE = Lease(job_id="a", lease_token=3)
NOW = datetime(2026, 3, 4, 5, 6, 7, 891234)  # noqa: DTZ001 - as a database gives it


def test_ids_rise_and_are_version_7() -> None:
    before = time.time_ns() // 1_000_000
    found = [new_job_id() for _ in range(5000)]
    after = time.time_ns() // 1_000_000
    assert found == sorted(set(found))
    assert all(len(one) == 36 and one[14] == "7" and one[19] in "89ab" for one in found)
    assert before <= int(found[0].replace("-", "")[:12], 16) <= after


def test_ids_of_several_threads_differ() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.extend([new_job_id() for _ in range(1000)])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 4000


def test_ids_rise_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_job_id()
    monkeypatch.setattr(uuid7_module.time, "time_ns", lambda: 1_600_000_000_000_000_000)
    assert new_job_id() > first


@pytest.mark.parametrize(
    ("payload", "sent"),
    [
        ("plain", "plain"),
        ("", ""),
        ('{"a": 1}', '{"a": 1}'),
        ({"a": [1, None, "é"]}, {"a": [1, None, "é"]}),
        ({}, {}),
        ([1, 2], [1, 2]),
        (5, "5"),
        (True, "true"),
    ],
)
def test_payloads(payload: object, sent: object) -> None:
    assert new_job_row(NewJob(queue="q", type="t", payload=payload))["payload"] == sent


def test_no_payload_is_not_sent() -> None:
    assert "payload" not in new_job_row(NewJob(queue="q", type="t"))


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"x", TypeError),
        (bytearray(b"x"), TypeError),
        ({"a": object()}, TypeError),
        ({"a": math.nan}, ValueError),
        (math.inf, ValueError),
        ({1, 2}, TypeError),
    ],
)
def test_refused_payloads(payload: object, expected: type[Exception]) -> None:
    with pytest.raises(expected, match="payload"):
        list(batches([new_job_row(NewJob(queue="q", type="t", payload=payload))]))


def test_a_job_in_full() -> None:
    row = new_job_row(
        NewJob(
            queue="q",
            type="t",
            payload="p",
            tags="a,b",
            idempotency_key="k",
            priority=0,
            scheduled_at=datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
            max_attempts=5,
            job_id="id-1",
        )
    )
    assert row == {
        "id": "id-1",
        "queue": "q",
        "type": "t",
        "payload": "p",
        "tags": "a,b",
        "idempotencyKey": "k",
        "priority": 0,
        "scheduledAtUtc": "2026-01-01T00:00:00.000000",
        "maxAttempts": 5,
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"queue": 1}, TypeError),
        ({"priority": "1"}, TypeError),
        ({"priority": True}, TypeError),
        ({"tags": ["a"]}, TypeError),
        ({"delay": "1"}, TypeError),
        ({"delay": math.nan}, ValueError),
        ({"delay": 1, "scheduled_at": datetime(2026, 1, 1, tzinfo=timezone.utc)}, ValueError),
        ({"scheduled_at": datetime(2026, 1, 1)}, ValueError),  # noqa: DTZ001
    ],
)
def test_wrong_types_are_named(values: dict[str, Any], expected: type[Exception]) -> None:
    with pytest.raises(expected, match=next(iter(values))):
        new_job_row(NewJob(**{"queue": "q", "type": "t", **values}))


@pytest.mark.parametrize(
    ("delay", "seconds"), [(0, 0), (1, 1), (0.1, 1), (1.5, 2), (timedelta(minutes=2), 120), (timedelta(0), 0)]
)
def test_delays_are_whole_seconds_and_never_too_short(delay: Any, seconds: int) -> None:
    assert new_job_row(NewJob(queue="q", type="t", delay=delay))["delaySeconds"] == seconds


def test_worker_rows() -> None:
    assert lease_row(LEASE) == {"id": "a", "lease": 3}
    assert completion_row(Completion(lease=LEASE)) == {"id": "a", "lease": 3}
    assert completion_row(Completion(lease=LEASE, duration_ms=2)) == {
        "id": "a",
        "lease": 3,
        "durationMs": 2.0,
    }
    failure = Failure(
        lease=LEASE,
        reason=FailureReason.THROTTLED,
        error="e",
        error_group="g",
        retry_after=timedelta(seconds=1.2),
        duration_ms=0.5,
    )
    assert failure_row(failure) == {
        "id": "a",
        "lease": 3,
        "reason": 5,
        "error": "e",
        "errorGroup": "g",
        "retryAfterSeconds": 2,
        "durationMs": 0.5,
    }


@pytest.mark.parametrize("duration", [math.nan, math.inf, -1.0])
def test_impossible_durations(duration: float) -> None:
    with pytest.raises(ValueError, match="duration_ms"):
        completion_row(Completion(lease=LEASE, duration_ms=duration))


def test_batches_split_by_rows_and_by_size() -> None:
    assert list(batches([])) == []
    found = list(batches({"n": number} for number in range(2500)))
    assert [count for count, _ in found] == [1000, 1000, 500]
    assert [row["n"] for _, text in found for row in json.loads(text)] == list(range(2500))
    big = "x" * 3_000_000
    assert [count for count, _ in batches([{"p": big}] * 5)] == [2, 2, 1]
    huge = "x" * 9_000_000
    assert [count for count, _ in batches([{"p": "s"}, {"p": huge}, {"p": "s"}])] == [1, 1, 1]


def test_batches_are_lazy() -> None:
    def endless() -> Any:
        number = 0
        while True:
            number += 1
            yield {"n": number}

    assert next(batches(endless()))[0] == 1000


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        list(batches([{"p": "\ud800"}]))


def full_row(procedure: str, **values: Any) -> tuple[Any, ...]:
    return tuple(values.get(column) for column in PROCEDURES[procedure].columns)


def test_a_fetched_job() -> None:
    job = FetchedJob.from_row(
        full_row(
            "FetchNextBatch",
            JobId="a",
            Queue="q",
            Type="t",
            Payload='{"x": 1}',
            Priority=10,
            AttemptCount=1,
            MaxAttempts=3,
            LeaseToken=7,
            ScheduledAtUtc=NOW,
            CreatedAtUtc=NOW,
        )
    )
    assert job.lease == Lease(job_id="a", lease_token=7)
    assert job.json() == {"x": 1}
    assert job.created_at == NOW.replace(tzinfo=timezone.utc)
    assert job.tags is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.queue = "other"  # type: ignore[misc]


def test_a_job_of_the_dead_letter_queue() -> None:
    job = Job.from_row(
        full_row(
            "GetJob",
            Pillar="dlq",
            JobId="a",
            Queue="q",
            Type="t",
            Priority=10,
            AttemptCount=1,
            LeaseToken=7,
            ScheduledAtUtc=NOW,
            CreatedAtUtc=NOW,
            FailedAtUtc=NOW,
            FailureReason=6,
            ErrorDetails="e",
        )
    )
    assert (job.pillar, job.status, job.failure_reason) == (Pillar.DLQ, None, FailureReason.FATAL_ERROR)
    assert job.failed_at == NOW.replace(tzinfo=timezone.utc)
    assert job.finished_at is None
    assert job.json() is None


def test_a_hot_job_has_a_status() -> None:
    row = full_row("GetJob", Pillar="hot", Status=2, ScheduledAtUtc=NOW, CreatedAtUtc=NOW)
    assert Job.from_row(row).status is JobStatus.PROCESSING


@pytest.mark.parametrize(
    ("procedure", "model"),
    [
        ("FetchNextBatch", models.FetchedJob),
        ("GetJob", models.Job),
        ("GetSummaryStats", models.SummaryStats),
        ("GetQueueStats", models.QueueStats),
        ("GetQueueHealth", models.QueueHealth),
        ("GetThroughput", models.Throughput),
        ("SetQueuePaused", models.QueueConfig),
        ("SweepZombies", models.SweepResult),
        ("EnqueueJobs", models.Enqueued),
        ("KeepAlive", models.LeaseOutcome),
        ("FailJobs", models.FailOutcome),
    ],
)
def test_fields_are_the_columns_in_their_order(procedure: str, model: Any) -> None:
    def snake(column: str) -> str:
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in column).lstrip("_")
        return name.removesuffix("_utc") + "_at" if name.endswith("_utc") else name

    names = [snake(column).replace("_at_at", "_at") for column in PROCEDURES[procedure].columns]
    names = [
        {"next_run_at": "next_run_at", "oldest_due_at": "oldest_due_at"}.get(name, name) for name in names
    ]
    assert names == [field.name for field in dataclasses.fields(model)]


def test_text_enums_print_as_their_value() -> None:
    assert str(Outcome.CANCEL_REQUESTED) == "cancel-requested"
    assert f"{Pillar.DLQ}" == "dlq"
