"""The operators' commands, run against the embedded engine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chokaq import Failure, FailureReason, JobQueue, connect
from chokaq.cli import main
from chokaq.commands import confirm
from chokaq.deploy import deploy


@pytest.fixture(scope="session")
def deployed_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty, deployed database: made once, copied for each test."""
    path = tmp_path_factory.mktemp("commands") / "empty.db"
    deploy(f"embedded://{path.as_posix()}")
    return path


@dataclass
class Shell:
    """Runs ``chokaq`` in this process, and looks into its database."""

    url: str
    queue: JobQueue
    columns: str = "80"

    def __call__(self, *arguments: str, code: int = 0, input: str | None = None) -> Result:  # noqa: A002
        environment = {"CHOKAQ_URL": self.url, "COLUMNS": self.columns, "NO_COLOR": "1"}
        result = CliRunner().invoke(main, list(arguments), env=environment, input=input)
        told = f"{result.output}\n{result.exception!r}"
        assert result.exception is None or isinstance(result.exception, SystemExit), told
        assert result.exit_code == code, told
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        result = self(*arguments, "--json", code=code)
        return json.loads(result.stdout)

    def dead(
        self, *names: str, reason: FailureReason = FailureReason.FATAL_ERROR, **values: Any
    ) -> list[str]:
        """Jobs in the dead-letter queue, one for each queue that is named; their ids."""
        found = []
        for name in names:
            self.queue.enqueue(name, "send", **values)
            job = self.queue.fetch("w1", 1, [name])[0]
            self.queue.mark_processing("w1", job.lease)
            self.queue.fail("w1", Failure(lease=job.lease, reason=reason, error="no route to host\ntrace"))
            found.append(job.job_id)
        return found


@pytest.fixture
def shell(deployed_file: Path, tmp_path: Path) -> Iterator[Shell]:
    for part in deployed_file.parent.glob("empty.db*"):
        shutil.copy(part, tmp_path / part.name.replace("empty", "jobs"))
    url = f"embedded://{tmp_path.as_posix()}/jobs.db"
    queue = connect(url)
    yield Shell(url, queue)
    queue.close()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is there to be asked."""
    monkeypatch.setattr(confirm, "is_interactive", lambda: True)
