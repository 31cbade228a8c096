"""The control plane: what ``JobQueue`` sends to change queues and settings, and what it reads back."""

from __future__ import annotations

import sys
import types
from datetime import datetime, timezone
from typing import Any

import pytest

from chokaq import JobQueue, ZombieAction
from chokaq.calls import Caller
from chokaq.connection import Connector
from tests.unit.driver import fakedb
from tests.unit.driver.fakedb import rows

NOW = datetime(2026, 3, 4, 5, 6, 7)  # noqa: DTZ001 - as a database gives it
QUEUE_ROW = ("mail", 0, 1, None, 30, 1, 3, 10, 2.5, 600, 20, None, NOW)
SETTINGS_ROW = (8, 5, 6, 7, None, 15, 20000, 120, 121, 30, None, 1000, NOW)


def server_with(row: tuple[Any, ...]) -> fakedb.Server:
    return fakedb.Server(lambda call: rows(call.procedure, row))


def sent(server: fakedb.Server) -> tuple[str, tuple[Any, ...]]:
    (call,) = server.procedure_calls
    return call.procedure, call.values


def test_active() -> None:
    server = server_with(QUEUE_ROW)
    config = JobQueue(server.connect).set_queue_active("mail", False)
    assert sent(server) == ("SetQueueActive", ("mail", False, False))
    assert (config.queue, config.is_active, config.zombie_action) == ("mail", True, ZombieAction.RETRY)


def test_zombie_policy() -> None:
    server = server_with(QUEUE_ROW)
    config = JobQueue(server.connect).set_queue_zombie_policy(
        "mail", zombie_timeout_seconds=None, zombie_action=ZombieAction.RETRY, create=True
    )
    assert sent(server) == ("SetQueueZombiePolicy", ("mail", None, 1, True))
    assert config.zombie_timeout_seconds == 30


def test_retry_policy() -> None:
    server = server_with(QUEUE_ROW)
    config = JobQueue(server.connect).set_queue_retry_policy(
        "mail",
        max_attempts=3,
        retry_base_seconds=10,
        retry_multiplier=2,
        retry_max_seconds=600,
        retry_jitter_percent=20,
    )
    assert sent(server) == ("SetQueueRetryPolicy", ("mail", 3, 10, 2.0, 600, 20, None, False))
    assert isinstance(server.procedure_calls[0].values[3], float)
    assert (config.max_attempts, config.retry_multiplier) == (3, 2.5)


def test_settings() -> None:
    server = server_with(SETTINGS_ROW)
    settings = JobQueue(server.connect).update_settings(fetched_timeout_seconds=120, daily_retention_days=-1)
    name, values = sent(server)
    assert name == "UpdateSettings"
    assert values == (None, None, None, None, -1, None, None, 120, None, None, None, None)
    assert (settings.metric_shards, settings.daily_retention_days, settings.dlq_retention_days) == (
        8,
        None,
        None,
    )
    assert (settings.fetched_timeout_seconds, settings.zombie_timeout_seconds) == (120, 121)
    assert settings.last_updated_at == NOW.replace(tzinfo=timezone.utc)


def test_an_unknown_action_is_not_sent() -> None:
    server = server_with(QUEUE_ROW)
    with pytest.raises(ValueError, match="ZombieAction"):
        JobQueue(server.connect).set_queue_zombie_policy(
            "mail",
            zombie_timeout_seconds=1,
            zombie_action=2,  # type: ignore[arg-type]
        )
    assert server.connections == []


RETRY = ("q", 3, 10, 2.0, 600, 20, None, False)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("SetQueueZombiePolicy", ("q", 5, 256, False), ValueError),
        ("SetQueueZombiePolicy", ("q", 5, -1, False), ValueError),
        ("SetQueueZombiePolicy", ("q", 5, "1", False), TypeError),
        ("SetQueueZombiePolicy", ("q", 5, True, False), TypeError),
        ("SetQueueRetryPolicy", (*RETRY[:3], "2", *RETRY[4:]), TypeError),
        ("SetQueueRetryPolicy", (*RETRY[:3], True, *RETRY[4:]), TypeError),
        ("SetQueueRetryPolicy", (*RETRY[:3], float("nan"), *RETRY[4:]), ValueError),
    ],
)
def test_values_that_never_fit_are_not_sent(
    name: str, values: tuple[Any, ...], expected: type[Exception]
) -> None:
    server = server_with(QUEUE_ROW)
    with pytest.raises(expected):
        Caller(Connector(server.connect)).call(name, *values)
    assert server.connections == []


def test_pyodbc_cursors_get_the_declared_types(monkeypatch: pytest.MonkeyPatch) -> None:
    pyodbc = types.ModuleType("pyodbc")
    codes = {
        "SQL_VARCHAR": 12,
        "SQL_WVARCHAR": -9,
        "SQL_INTEGER": 4,
        "SQL_BIT": -7,
        "SQL_DOUBLE": 8,
        "SQL_TINYINT": -6,
    }
    for name, code in codes.items():
        setattr(pyodbc, name, code)
    monkeypatch.setitem(sys.modules, "pyodbc", pyodbc)
    monkeypatch.setattr(fakedb.Cursor, "__module__", "pyodbc")
    server = server_with(QUEUE_ROW)
    calls = Caller(Connector(server.connect))
    calls.call("SetQueueZombiePolicy", "q", 5, 1, False)
    calls.call("SetQueueRetryPolicy", *RETRY)
    kept = server.connections[0].cursors
    assert kept[1].sizes == [(-9, 4000, 0), (4, 0, 0), (-6, 0, 0), (-7, 0, 0)]
    assert kept[2].sizes == [(-9, 4000, 0), *[(4, 0, 0)] * 2, (8, 0, 0), *[(4, 0, 0)] * 3, (-7, 0, 0)]
