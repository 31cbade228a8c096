"""The suite for a server is there only when there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import engines


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave test_sqlserver.py out without a server, and test_tsqlt.py without the embedded engine."""
    chosen = engines(config)
    if collection_path.name == "test_sqlserver.py" and "server" not in chosen:
        return True
    if collection_path.name == "test_tsqlt.py" and "embedded" not in chosen:
        return True
    return None
