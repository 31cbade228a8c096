"""A fresh database in memory for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.embedded.core_support import Engine


@pytest.fixture
def db() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.connection.close()
