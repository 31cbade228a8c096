"""When the environment of ``./dev`` is made, made again, or left alone."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tools import make_venv


class FakeRuns:
    """Stands in for subprocess.run: notes the commands, makes the interpreter that venv would make."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: list[list[str]] = []
        self.fails: str = ""

    def __call__(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        if "venv" in command:
            python = make_venv.interpreter(self.root / ".venv")
            python.parent.mkdir(parents=True)
            python.write_text("#!/bin/sh\n")
            python.chmod(0o755)
        return subprocess.CompletedProcess(command, int(bool(self.fails) and self.fails in command))

    @property
    def kinds(self) -> list[str]:
        return ["venv" if "venv" in command else "pip" for command in self.commands]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    return tmp_path


@pytest.fixture
def runs(root: Path, monkeypatch: pytest.MonkeyPatch) -> FakeRuns:
    fake = FakeRuns(root)
    monkeypatch.setattr(subprocess, "run", fake)
    return fake


def test_it_is_made_once(root: Path, runs: FakeRuns) -> None:
    assert make_venv.main(root) == 0
    assert runs.kinds == ["venv", "pip"]
    assert f"{root}[dev]" in runs.commands[-1]
    assert make_venv.main(root) == 0
    assert runs.kinds == ["venv", "pip"]


def test_a_changed_project_is_installed_into_the_same_environment(root: Path, runs: FakeRuns) -> None:
    make_venv.main(root)
    (root / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert make_venv.main(root) == 0
    assert runs.kinds == ["venv", "pip", "pip"]


def test_another_python_makes_it_anew(root: Path, runs: FakeRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    make_venv.main(root)
    monkeypatch.setattr(make_venv, "python_version", lambda: "cpython-3.99")
    assert make_venv.main(root) == 0
    assert runs.kinds == ["venv", "pip", "venv", "pip"]


def test_a_python_that_is_gone_makes_it_anew(root: Path, runs: FakeRuns) -> None:
    make_venv.main(root)
    make_venv.interpreter(root / ".venv").unlink()
    assert make_venv.main(root) == 0
    assert runs.kinds == ["venv", "pip", "venv", "pip"]


@pytest.mark.parametrize("step", ["venv", "pip"])
def test_a_failed_step_is_reported_and_done_again(root: Path, runs: FakeRuns, step: str) -> None:
    runs.fails = step
    assert make_venv.main(root) == 1
    assert not (root / ".venv" / "stamp").exists()
    runs.fails = ""
    assert make_venv.main(root) == 0
    assert runs.kinds[-2:] == ["venv", "pip"]


def test_a_missing_venv_module_is_named(
    root: Path, runs: FakeRuns, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_venv, "has_venv", lambda: False)
    assert make_venv.main(root) == 1
    assert "python3-venv" in capsys.readouterr().err
    assert runs.commands == []


def test_of_two_at_once_one_waits_and_finds_it_made(root: Path, runs: FakeRuns) -> None:
    results: list[int] = []
    waiting = threading.Thread(target=lambda: results.append(make_venv.main(root)))
    with make_venv.exclusive(root / ".venv.lock"):
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        stamp = root / ".venv" / "stamp"
        runs([".", "venv"])
        content = (root / "pyproject.toml").read_bytes()
        stamp.write_text(f"{make_venv.hashlib.sha256(content).hexdigest()} {make_venv.python_version()}\n")
        made = len(runs.commands)
    waiting.join(10)
    assert results == [0]
    assert len(runs.commands) == made
