"""A connection that nobody holds any more is closed by the garbage collector, which may run at any moment."""

from __future__ import annotations

import threading
import uuid

import pytest

from chokaq.embedded import connect
from chokaq.embedded import database as module


def test_a_connection_is_collected_while_another_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = [connect(None, autocommit=True)]
    real = uuid.uuid4

    def collect() -> uuid.UUID:
        # Called while the table of open databases is locked.
        forgotten.clear()
        return real()

    monkeypatch.setattr(module.uuid, "uuid4", collect)
    made = []
    thread = threading.Thread(target=lambda: made.append(connect(None, autocommit=True)), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert forgotten == []
    assert made[0].cursor().execute("SELECT 1 AS [One]").fetchall() == [(1,)]
