"""The control plane: SetQueue…, UpdateSettings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chokaq import DatabaseError, InvalidParameterError, QueueConfig, QueueNotFoundError, ZombieAction
from tests.contract.support import Database

Setter = Callable[..., QueueConfig]
RETRY: dict[str, Any] = {
    "max_attempts": 7,
    "retry_base_seconds": 1,
    "retry_multiplier": 1.5,
    "retry_max_seconds": 60,
    "retry_jitter_percent": 25,
    "max_job_age_seconds": 3600,
}


def setters(db: Database) -> dict[str, tuple[Setter, dict[str, Any], dict[str, Any]]]:
    """Each method, its arguments, and what the row then says."""
    queue = db.queue
    zombie = {"zombie_timeout_seconds": 33, "zombie_action": ZombieAction(1)}
    return {
        "paused": (queue.set_queue_paused, {"is_paused": True}, {"is_paused": True}),
        "active": (queue.set_queue_active, {"is_active": False}, {"is_active": False}),
        "max-workers": (queue.set_queue_max_workers, {"max_workers": 12}, {"max_workers": 12}),
        "zombie": (queue.set_queue_zombie_policy, zombie, zombie),
        "retry": (queue.set_queue_retry_policy, RETRY, RETRY),
    }


NAMES = ("paused", "active", "max-workers", "zombie", "retry")


@pytest.mark.parametrize("name", NAMES)
def test_a_setter_answers_the_row_as_it_now_is(db: Database, name: str) -> None:
    setter, arguments, told = setters(db)[name]
    db.queue.enqueue("Mail", "t")
    row = setter("mail", **arguments)
    assert row.queue == "Mail"
    for field, value in told.items():
        assert getattr(row, field) == value, field
    assert setter("mail", **arguments).last_updated_at >= row.last_updated_at
    # All others are as they were.
    defaults = db.queue.set_queue_paused("fresh", False, create=True)
    for field in defaults.__dataclass_fields__:
        if field not in (*told, "queue", "last_updated_at"):
            assert getattr(row, field) == getattr(defaults, field), field


@pytest.mark.parametrize("name", NAMES)
def test_a_queue_that_is_not_there_is_created_only_on_request(db: Database, name: str) -> None:
    setter, arguments, _ = setters(db)[name]
    with pytest.raises(QueueNotFoundError, match="typo"):
        setter("typo", **arguments)
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[Queues];") == 0
    assert setter("typo", create=True, **arguments).queue == "typo"
    assert db.scalar("SELECT COUNT(*) AS [n] FROM [chokaq].[QueueGates];") == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("queue", ["", None])
def test_a_setter_needs_a_name(db: Database, name: str, queue: Any) -> None:
    setter, arguments, _ = setters(db)[name]
    with pytest.raises(InvalidParameterError):
        setter(queue, create=True, **arguments)


@pytest.mark.parametrize("name", NAMES)
def test_a_setter_in_a_transaction_that_rolls_back_set_nothing(db: Database, name: str) -> None:
    setter, arguments, _ = setters(db)[name]
    before = db.queue.set_queue_paused("q", False, create=True)
    connection = db.connect()
    try:
        setter("q", connection=connection, **arguments)
        connection.rollback()
    finally:
        connection.close()
    rows = db.sql(
        "SELECT [IsPaused], [IsActive], [MaxWorkers], [MaxAttempts], [ZombieAction] FROM [chokaq].[Queues];"
    )
    assert [tuple(row.values()) for row in rows] == [(False, True, None, 3, 0)]
    assert db.queue.queue_health("q")[0].max_workers == before.max_workers


@pytest.mark.parametrize(
    ("procedure", "values"),
    [
        ("SetQueuePaused", {"IsPaused": None}),
        ("SetQueueActive", {"IsActive": None}),
        ("SetQueueMaxWorkers", {"MaxWorkers": -1}),
        ("SetQueueZombiePolicy", {"ZombieTimeoutSeconds": 0, "ZombieAction": 0}),
        ("SetQueueZombiePolicy", {"ZombieTimeoutSeconds": 604801, "ZombieAction": 0}),
        ("SetQueueZombiePolicy", {"ZombieTimeoutSeconds": 10, "ZombieAction": 2}),
        ("SetQueueZombiePolicy", {"ZombieTimeoutSeconds": 10, "ZombieAction": None}),
    ],
)
def test_values_out_of_range(db: Database, procedure: str, values: dict[str, Any]) -> None:
    db.fill("q")
    with pytest.raises(InvalidParameterError, match=next(iter(values))):
        db.execute(procedure, Queue="q", **values)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_attempts", 0),
        ("max_attempts", 1001),
        ("max_attempts", None),
        ("retry_base_seconds", -1),
        ("retry_base_seconds", 86401),
        ("retry_base_seconds", 61),  # above retry_max_seconds
        ("retry_multiplier", 0.5),
        ("retry_multiplier", 101.0),
        ("retry_multiplier", None),
        ("retry_max_seconds", 2592001),
        ("retry_max_seconds", 0),
        ("retry_jitter_percent", -1),
        ("retry_jitter_percent", 101),
        ("max_job_age_seconds", 0),
    ],
)
def test_retry_policies_out_of_range(db: Database, name: str, value: Any) -> None:
    before = db.queue.set_queue_retry_policy("q", create=True, **RETRY)
    with pytest.raises(InvalidParameterError, match="RetryMaxSeconds"):
        db.queue.set_queue_retry_policy("q", **(RETRY | {name: value}))
    after = db.queue.set_queue_paused("q", False)
    assert after.max_attempts == before.max_attempts
    assert after.retry_multiplier == before.retry_multiplier


def test_settings_change_one_by_one(db: Database) -> None:
    before = db.queue.update_settings()
    after = db.queue.update_settings(zombie_timeout_seconds=77, dlq_retention_days=5)
    assert (after.zombie_timeout_seconds, after.dlq_retention_days) == (77, 5)
    for field in before.__dataclass_fields__:
        if field not in ("zombie_timeout_seconds", "dlq_retention_days", "last_updated_at"):
            assert getattr(after, field) == getattr(before, field), field
    kept = db.queue.update_settings(daily_retention_days=-1, archive_retention_days=-1, dlq_retention_days=-1)
    assert (kept.daily_retention_days, kept.archive_retention_days, kept.dlq_retention_days) == (None,) * 3


@pytest.mark.parametrize(
    "values",
    [
        {"metric_shards": 0},
        {"metric_shards": 65},
        {"fine_resolution_minutes": 7},
        {"fine_retention_hours": 0},
        {"hourly_retention_days": 0},
        {"fine_retention_hours": 24 * 7},  # not shorter than the hourly retention
        {"daily_retention_days": 7},  # not longer than the hourly retention
        {"bucket_retention_minutes": 5},
        {"rollup_max_rows": 0},
        {"fetched_timeout_seconds": 0},
        {"zombie_timeout_seconds": 604801},
        {"maintenance_batch_size": 1001},
    ],
)
def test_impossible_settings_are_refused_whole(db: Database, values: dict[str, int]) -> None:
    before = db.queue.update_settings()
    with pytest.raises(DatabaseError) as caught:
        db.queue.update_settings(**{"rollup_max_rows": 77} | values)
    assert caught.value.number == 547
    assert "ck_settings_" in str(caught.value).lower()
    assert db.queue.update_settings().rollup_max_rows == before.rollup_max_rows
