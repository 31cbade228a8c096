"""worker: handlers by import path, logs, counts."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from chokaq import BreakerOptions, FailureReason, TypeOptions
from chokaq.commands.handlers import load_handlers
from chokaq.commands.worker_options import type_options
from tests.unit.commands.conftest import Shell

MODULE = """
import asyncio
from os.path import join
from chokaq import Rejected

def send(job):
    if job.payload == "bad":
        raise Rejected("not like this\\nsecond line")

async def count(job):
    pass

async def slow(job):
    await asyncio.sleep(10)

def _helper(job):
    pass

class Mailer:
    def send(self, job):
        pass

mailer = Mailer()
HANDLERS = {"welcome": send, "count": count}
BROKEN = {"welcome": 3}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module of handlers in the working directory."""
    (tmp_path / "shop_handlers.py").write_text(MODULE)
    (tmp_path / "shop_empty.py").write_text("from os.path import join\n")
    (tmp_path / "shop_broken.py").write_text("import no_such_module_at_all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "shop_handlers"
    for name in ("shop_handlers", "shop_empty", "shop_broken"):
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("path", "types"),
    [
        ("shop_handlers", {"send", "count", "slow"}),
        ("shop_handlers:HANDLERS", {"welcome", "count"}),
        ("shop_handlers:send", {"send"}),
        ("order-confirmation=shop_handlers:send", {"order-confirmation"}),
        ("shop_handlers:mailer.send", {"send"}),
    ],
)
def test_import_paths(module: str, path: str, types: set[str]) -> None:
    assert set(load_handlers([path])) == types


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["shop_nowhere:HANDLERS"], "there is no module shop_nowhere"),
        (["shop_handlers:NOPE"], "has no NOPE"),
        (["shop_handlers:BROKEN"], "neither a function nor a mapping"),
        (["shop_empty"], "defines no public function"),
        (["x=shop_handlers"], "a type needs one function"),
        (["x=shop_handlers:HANDLERS"], "names its types itself"),
        ([":HANDLERS"], "import path"),
        (["shop_handlers:send", "send=shop_handlers:count"], "has two handlers"),
    ],
)
def test_wrong_import_paths(module: str, paths: list[str], message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        load_handlers(paths)


def test_a_module_that_breaks_says_where(module: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        load_handlers(["shop_broken"])


def test_it_runs_jobs(shell: Shell, module: str) -> None:
    shell.queue.enqueue("mail", "welcome")
    shell.queue.enqueue("mail", "welcome", payload="bad")
    shell.queue.enqueue("other", "welcome")
    result = shell("worker", "shop_handlers:HANDLERS", "-q", "mail", "--burst", "-c", "2")
    assert result.stdout == "1 succeeded, 1 failed, 0 lost, 0 released, 0 deferred, 0 abandoned\n"
    assert "job-failed" in result.stderr
    assert "reason=REJECTED" in result.stderr
    assert shell.queue.queue_stats("other")[0].due == 1


def test_logs_as_json(shell: Shell, module: str) -> None:
    shell.queue.enqueue("mail", "welcome", payload="bad", job_id="j1")
    result = shell("worker", "shop_handlers:HANDLERS", "--burst", "--log-json", "--json")
    done = json.loads(result.stdout)
    assert done["summary"] == {
        "succeeded": 0,
        "failed": 1,
        "lost": 0,
        "released": 0,
        "deferred": 0,
        "abandoned": 0,
    }
    records = [json.loads(line) for line in result.stderr.splitlines()]
    failed = next(record for record in records if record["event"] == "job-failed")
    assert failed["worker_id"] == done["worker_id"]
    assert (failed["level"], failed["job_id"], failed["queue"], failed["reason"]) == (
        "warning",
        "j1",
        "mail",
        "REJECTED",
    )


def test_limits_timeouts_and_breakers() -> None:
    default, own = type_options(["a=2", "b=1"], ["30", "a=5m"], "4:1m")
    breaker = BreakerOptions(failures=4, open_seconds=60)
    assert default == TypeOptions(timeout=30, breaker=breaker)
    assert own == {
        "a": TypeOptions(concurrency=2, timeout=300, breaker=breaker),
        "b": TypeOptions(concurrency=1, timeout=30, breaker=breaker),
    }
    assert type_options([], [], "3") == (TypeOptions(breaker=BreakerOptions(failures=3)), {})
    assert type_options([], [], None) == (TypeOptions(), {})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--limit", "2"),
        ("--limit", "=2"),
        ("--limit", "a=0"),
        ("--timeout", "0"),
        ("--timeout", "a=long"),
        ("--breaker", "x"),
        ("--breaker", "3:0"),
    ],
)
def test_wrong_options(shell: Shell, module: str, option: str, value: str) -> None:
    assert option in shell("worker", module, option, value, code=2).stderr


def test_a_timeout_and_telemetry(shell: Shell, module: str) -> None:
    pytest.importorskip("opentelemetry", reason="the extra otel is not installed")
    shell.queue.enqueue("mail", "slow", job_id="j1", max_attempts=1)
    options = ["--timeout", "slow=0.1", "--limit", "slow=1", "--breaker", "5", "--otel"]
    shell("worker", module, "--burst", *options)
    job = shell.queue.get_job("j1")
    assert job is not None
    assert job.failure_reason is FailureReason.TIMEOUT


def test_max_jobs(shell: Shell, module: str) -> None:
    for _ in range(3):
        shell.queue.enqueue("mail", "welcome")
    assert shell("worker", "shop_handlers:HANDLERS", "--max-jobs", "2").stdout.startswith("2 succeeded")


def test_handlers_are_loaded_before_anything_else(shell: Shell, module: str) -> None:
    assert "there is no module nope" in shell("worker", "nope", code=2).stderr
