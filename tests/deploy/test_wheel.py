"""What a user installs: the wheel, alone in an empty environment, can deploy."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", str(ROOT), "--quiet", "--disable-pip-version-check",
            "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder),
        ],
        check=True,
    )  # fmt: skip
    return next(folder.glob("chokaq-*.whl"))


def test_the_wheel_carries_the_sql_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    scripts = [
        path.relative_to(ROOT) for folder in ("db", "procs") for path in (ROOT / folder).rglob("*.sql")
    ]
    assert scripts
    assert {f"chokaq/sql/{path.as_posix()}" for path in scripts} <= names
    assert "chokaq/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"chokaq"}


def test_the_wheel_deploys_from_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("chokaq.embedded")
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CHOKAQ"))}
    subprocess.run(
        [
            sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet",
            "--disable-pip-version-check", str(wheel),
        ],
        check=True,
        env=clean,
    )  # fmt: skip
    url = f"embedded:///{tmp_path}/jobs.db"

    def chokaq(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(home / "bin" / "chokaq"), *arguments, "--url", url]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=clean)

    assert chokaq("status").returncode == 3
    first = chokaq("deploy")
    assert first.returncode == 0, first.stderr
    second = chokaq("deploy")
    assert second.returncode == 0
    assert "nothing changed" in second.stdout
    assert chokaq("status").returncode == 0
