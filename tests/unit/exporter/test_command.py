"""The command: it serves on loopback until it is told to end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import chokaq
from chokaq.cli import main
from chokaq.deploy import deploy

DRIVER = str(Path(chokaq.__file__).resolve().parent.parent)


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"embedded://{(tmp_path / 'jobs.db').as_posix()}"
    deploy(made)
    with chokaq.connect(made) as queue:
        queue.enqueue("mail", "welcome")
    return made


@pytest.fixture
def served(url: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    pytest.importorskip("prometheus_client", reason="needs the extra chokaq[exporter]")
    environment = {**os.environ, "CHOKAQ_URL": url, "PYTHONPATH": DRIVER, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "chokaq.cli", "exporter", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            match = re.fullmatch(r"serving (http://127\.0\.0\.1:\d+/metrics)\n", line)
            assert match, line
            yield match[1], process
        finally:
            process.kill()


def test_it_serves_until_it_is_told_to_end(served: tuple[str, subprocess.Popen[str]]) -> None:
    address, process = served
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(2):
        with opener.open(address, timeout=30) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain")
            text = answer.read().decode()
        assert 'chokaq_queue_jobs{queue="mail",state="due"} 1.0' in text
        assert "chokaq_up 1.0" in text
    process.send_signal(signal.SIGTERM if os.name == "posix" else signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 0, told
    assert not told


def test_without_the_extra_it_says_what_is_missing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    result = CliRunner().invoke(main, ["exporter", "--url", url])
    assert result.exit_code == 1
    assert "chokaq[exporter]" in result.output


def test_a_port_that_is_taken(url: str, served: tuple[str, subprocess.Popen[str]]) -> None:
    port = served[0].split(":")[2].partition("/")[0]
    result = CliRunner().invoke(main, ["exporter", "--url", url, "--port", port])
    assert result.exit_code == 1
    assert "cannot listen on 127.0.0.1" in result.output
