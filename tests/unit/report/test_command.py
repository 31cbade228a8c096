"""The command on the embedded engine, and the page in a browser where there is one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner

import chokaq
from chokaq import Completion, Failure, FailureReason
from chokaq.cli import main
from chokaq.deploy import deploy
from chokaq.report.data import read_report
from chokaq.report.windows import window_until
from tests.unit.report.pages import read_page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1200,3000"
).split()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = f"embedded://{(tmp_path_factory.mktemp('report') / 'jobs.db').as_posix()}"
    deploy(made)
    with chokaq.connect(made) as queue:
        for name in ("mail", "mail", "mail", "report"):
            queue.enqueue(name, "welcome")
        jobs = queue.fetch("w1", 10)
        queue.mark_processing("w1", [job.lease for job in jobs])
        done = [Completion(lease=job.lease, duration_ms=20.0) for job in jobs[1:]]
        queue.complete("w1", done)
        queue.fail(
            "w1",
            Failure(lease=jobs[0].lease, reason=FailureReason.FATAL_ERROR, error="boom", duration_ms=5.0),
        )
    return made


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["report", *arguments])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result.output


@pytest.fixture
def needs_pygal() -> None:
    pytest.importorskip("pygal", reason="needs the extra chokaq[report]")


@pytest.mark.usefixtures("needs_pygal")
@pytest.mark.parametrize("last", ["5m", "24h", "7d", "365d"])
def test_it_writes_a_page(url: str, tmp_path: Path, last: str) -> None:
    out = tmp_path / "page.html"
    assert run("--url", url, "--out", str(out), "--last", last) == f"report written to {out}\n"
    page = read_page(out.read_text(encoding="utf-8"))
    assert page.references == []
    assert "boom" in page.text
    assert page.svgs == 7


@pytest.mark.usefixtures("needs_pygal")
def test_json_and_one_queue(url: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    found = json.loads(run("--url", url, "--out", str(out), "--queue", "report", "--json"))
    assert found == {"report": str(out)}
    page = read_page(out.read_text(encoding="utf-8"))
    assert "queue report" in page.text
    assert "boom" not in page.text


@pytest.mark.usefixtures("needs_pygal")
def test_a_folder_that_is_not_there(url: str, tmp_path: Path) -> None:
    assert "cannot write" in run("--url", url, "--out", str(tmp_path / "no" / "page.html"), code=1)


def test_without_the_extra_it_says_what_is_missing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("page", "charts", "svg_library"):
        monkeypatch.delitem(sys.modules, f"chokaq.report.{name}", raising=False)
        monkeypatch.delattr(f"chokaq.report.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "pygal", None)
    assert "chokaq[report]" in run("--url", url, "--out", str(tmp_path / "page.html"), code=1)


def test_the_figures_are_those_of_the_database(url: str) -> None:
    now = datetime.now(timezone.utc)
    with chokaq.connect(url) as queue:
        found = read_report(queue, window_until(now, timedelta(hours=1)), now=now, where="here")
    assert (found.total.succeeded, found.total.failed, found.total.retried) == (3, 1, 0)
    assert found.dead == {FailureReason.FATAL_ERROR: 1}
    assert sum(each.counts.finished for each in found.types) == 4
    assert sum(each.sample_count for each in found.execution.values()) == 4
    assert sum(each.sample_count for each in found.wait.values()) == 4
    assert [each.error_group for each in found.top_errors] == ["boom"]
    assert sum(each.failures for each in found.error_points) == 1
    assert {each.health.queue for each in found.queues} == {"mail", "report"}


@pytest.mark.usefixtures("needs_pygal")
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH")
def test_a_browser_draws_it_and_follows_the_scheme(url: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    out = tmp_path / "page.html"
    run("--url", url, "--out", str(out), "--last", "1h")
    pictures = {}
    for scheme, number in (("dark", 0), ("light", 1)):
        picture = tmp_path / f"{scheme}.png"
        done = subprocess.run(
            [
                CHROMIUM,
                *FLAGS,
                f"--blink-settings=preferredColorScheme={number}",
                f"--user-data-dir={tmp_path / scheme}",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--enable-logging=stderr",
                f"--screenshot={picture}",
                out.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert picture.exists(), done.stderr[-2000:]
        # A refused or missing resource would be told on the console.
        assert "Refused to" not in done.stderr
        assert "CONSOLE" not in done.stderr, done.stderr[-2000:]
        pictures[scheme] = picture.read_bytes()
    assert pictures["light"] != pictures["dark"]
    assert all(len(each) > 50_000 for each in pictures.values())
