"""The command as a whole, on the embedded engine: real processes, a real kill, a real Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

DRIVER = Path(__file__).resolve().parents[3] / "driver"
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and names")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "chokaq.demo", *arguments]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With a folder for temporary files of its own, so that a test can see what is left there."""
    (tmp_path / "temporary").mkdir()
    inherited = {name: value for name, value in os.environ.items() if name != "CHOKAQ_DEMO_URL"}
    return {**inherited, "PYTHONPATH": str(DRIVER), "TMPDIR": str(tmp_path / "temporary")}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """A working directory that nobody may write to."""
    folder = tmp_path / "here"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Files of all kinds; four of them are a worker's bad luck or a name's."""
    folder = tmp_path / "root"
    (folder / "package" / "tests").mkdir(parents=True)
    for number in range(150):
        functions = "".join(f"def f{line}(): return {line}\n" for line in range(200))
        (folder / "package" / f"m{number}.py").write_text(functions, "utf-8")
        (folder / "package" / "tests" / f"t{number}.txt").write_text("x\n" * number, "utf-8")
    (folder / "picture.gif").write_bytes(b"GIF89a")
    (folder / "broken.py").write_text("def f(:\n", "utf-8")
    if os.name == "posix":
        (folder / "dangling.txt").symlink_to("nowhere")
        (folder / "elsewhere").symlink_to(DRIVER)
        (folder / os.fsdecode(b"caf\xe9.py")).write_bytes(b"x = 1\n")
        os.mkfifo(folder / "pipe")
    return folder


def alive(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    listed = subprocess.run(["ps", "-eo", "sid,stat,args"], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()[1:]]
    return [row[2] for row in rows if row[0] == str(session) and not row[1].startswith("Z")]


def nothing_left(session: int) -> bool:
    end = time.monotonic() + 20
    while alive(session):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@posix
@pytest.mark.slow
def test_a_run(root: Path, here: Path, environment: dict[str, str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("--path", str(root), "--workers", "2", "--json"),
        cwd=here,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, ""), out
    figures = json.loads(out.splitlines()[-1])
    assert (
        list(figures)
        == (
            "files enqueued archived dead zombies recovered retried lost claimed_twice elapsed_s jobs_per_s"
        ).split()
    )
    assert figures["files"] == figures["enqueued"] == 304
    assert (figures["archived"], figures["dead"]) == (302, 2)
    assert (figures["lost"], figures["claimed_twice"]) == (0, 0)
    assert figures["retried"] == 2 + figures["zombies"]  # the dangling link, and who was rescued
    # On a busy machine so small a folder may be done before a worker holds jobs; then the demo says so.
    if "No worker was killed" not in out:
        assert figures["zombies"] + figures["recovered"] > 0, out
        assert "was killed (SIGKILL)" in out
    assert "SyntaxError: invalid syntax (broken.py, line 1)" in out
    assert "max retries exceeded (1)" in out
    assert nothing_left(process.pid)
    page = next((tmp_path / "temporary").glob("*/report.html"))
    assert f"Charts: {page}" in out
    assert list(page.parent.iterdir()) == [page]
    assert list((tmp_path / "temporary").iterdir()) == [page.parent]
    assert list(here.iterdir()) == []


@posix
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_behind(
    number: signal.Signals, root: Path, here: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    with subprocess.Popen(
        command("--path", str(root), "--workers", "2"),
        cwd=here,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        told = ""
        for line in process.stdout:
            told += line
            if line.startswith("enqueued"):
                break
        if number is signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        told += process.stdout.read()
        code = process.wait(30)
    assert nothing_left(process.pid), told
    if number is signal.SIGKILL:
        assert code == -number
        return
    assert code == 128 + number
    assert f"Interrupted ({number.name})." in told
    assert "Traceback" not in told
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--path", "no-such-folder"], "no-such-folder"),
        (["--workers", "0"], "workers"),
        (["--url", "postgres://x"], "No engine is called postgres://"),
        (["--url", "embedded://"], "need a file"),
        (["--url", "mssql://u:SECRET@h:port/d"], "port"),
    ],
)
def test_usage(arguments: list[str], told: str, environment: dict[str, str], tmp_path: Path) -> None:
    found = subprocess.run(
        command(*arguments), env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert found.returncode == 2
    assert told in found.stderr
    assert "SECRET" not in found.stderr + found.stdout
    assert list((tmp_path / "temporary").iterdir()) == []
