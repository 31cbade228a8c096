"""The command on the embedded engine: printed, and live in a terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import chokaq
from chokaq.cli import main
from chokaq.deploy import deploy

posix = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
DRIVER = str(Path(chokaq.__file__).resolve().parent.parent)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = f"embedded://{(tmp_path_factory.mktemp('top') / 'jobs.db').as_posix()}"
    deploy(made)
    with chokaq.connect(made) as queue:
        queue.enqueue("mail", "welcome")
        queue.enqueue("report", "daily")
        job = queue.fetch("w1", 1, ["mail"])[0]
        queue.mark_processing("w1", job.lease)
        queue.complete("w1", chokaq.Completion(lease=job.lease, duration_ms=12.0))
    return made


@pytest.fixture
def queue(url: str) -> Iterator[chokaq.JobQueue]:
    with chokaq.connect(url) as found:
        yield found


def test_once(url: str) -> None:
    result = CliRunner().invoke(main, ["top", "--url", url, "--once"], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.output
    assert any(each.split()[:3] == ["report", "on", "1"] for each in lines)


def test_json(url: str) -> None:
    result = CliRunner().invoke(main, ["top", "--url", url, "--once", "--json", "--queue", "mail"])
    found = json.loads(result.output)
    assert [each["queue"] for each in found["queues"]] == ["mail"]
    assert found["last_hour"]["execution"]["sample_count"] == 1
    assert found["throughput"]["processed_last_five_minutes"] == 1


def test_several_looks(url: str) -> None:
    result = CliRunner().invoke(main, ["top", "--url", url, "--count", "2", "--every", "0.5"])
    assert result.output.count("chokaq top") == 2


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["top", "--url", f"embedded://{tmp_path}/none.db", "--once"])
    assert result.exit_code == 1
    assert not isinstance(result.exception, chokaq.ChokaqError)
    assert "none.db" in result.output


@posix
def test_live_in_a_terminal(url: str, queue: chokaq.JobQueue) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    mode = termios.tcgetattr(theirs)
    environment = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    environment |= {"CHOKAQ_URL": url, "TERM": "xterm", "PYTHONPATH": DRIVER, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "chokaq.cli", "top", "--every", "0.5"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        try:
            text = read_until(ours, "q quit")
            assert "report" in text
            assert "\x1b[31m" not in text  # no colour
            os.write(ours, b"\x1b[B\x1b[Bp")
            read_until(ours, "report: paused.")
            assert [each.queue for each in queue.queue_health() if each.is_paused] == ["report"]
            os.write(ours, b"p")
            read_until(ours, "report: resumed.")
            os.write(ours, b"q")
            read_until(ours, "\x1b[?1049l")  # the screen as it was before
            assert process.wait(10) == 0
            assert termios.tcgetattr(theirs)[3] == mode[3]
        finally:
            process.kill()
            os.close(theirs)
            os.close(ours)


def read_until(descriptor: int, wanted: str) -> str:
    """What the program wrote, up to ``wanted``."""
    text, end = "", time.monotonic() + 30
    while wanted not in text:
        assert time.monotonic() < end, f"{wanted!r} never came: {text[-2000:]}"
        if select.select([descriptor], [], [], 0.2)[0]:
            text += os.read(descriptor, 65_536).decode("utf-8", "replace")
    return text
