"""What of docker/ can be checked without a container engine: its files, by the linters that are there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import sqlserver_container

FOLDER = sqlserver_container.FOLDER
SCRIPTS = sorted(FOLDER.glob("*.sh"))


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def tool(name: str) -> str:
    """A linter of this environment or of the system; skips where there is none."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def check(*command: str) -> None:
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shell_scripts() -> None:
    assert SCRIPTS
    check(tool("shellcheck"), *(script.name for script in SCRIPTS))


def test_dockerfile() -> None:
    check(tool("hadolint"), "Dockerfile")


def test_compose_file() -> None:
    check(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "compose.yaml")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_can_be_run(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/bin/bash"
    assert "set -euo pipefail" in lines


def test_the_image_has_every_script_that_is_called() -> None:
    dockerfile = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    compose = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    texts = [dockerfile, compose, *(script.read_text(encoding="utf-8") for script in SCRIPTS)]
    called = {name for text in texts for name in re.findall(r"/opt/chokaq/([\w.]+)", text)}
    copied = {
        name
        for line in re.findall(r"^COPY (.*) /opt/chokaq/$", dockerfile, re.MULTILINE)
        for name in line.split()
    }
    assert called <= copied
    assert {path.name for path in (*SCRIPTS, *FOLDER.glob("*.sql"))} == copied - {"--chmod=755"}


def test_tsqlt_is_pinned_by_its_hash() -> None:
    dockerfile = text("Dockerfile")
    assert re.search(r"^ARG TSQLT_SHA256=[0-9a-f]{64}$", dockerfile, re.MULTILINE)
    assert "sha256sum -c" in dockerfile


def test_every_database_of_the_tasks_is_made() -> None:
    made = set(
        re.findall(r"CREATE DATABASE \[(\w+)\]", (FOLDER / "databases.sql").read_text(encoding="utf-8"))
    )
    prepared = re.search(
        r'^databases="([^"]+)"$', (FOLDER / "prepare.sh").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert prepared is not None
    assert set(prepared[1].split()) == made
    assert sqlserver_container.DATABASE in made
    # The last one made stands for all of them in the health check.
    assert f"[{prepared[1].split()[-1]}].[tSQLt].[Run]" in text("healthy.sh")


def test_no_password_is_kept_in_the_repository() -> None:
    ignored = (FOLDER / ".gitignore").read_text(encoding="utf-8").split()
    assert ".env" in ignored
    for path in FOLDER.rglob("*"):
        if path.is_file() and path.name != ".env":
            assert not re.search(r"PASSWORD\s*[=:]\s*[\"']?\w", path.read_text(encoding="utf-8")), path.name


def test_the_server_listens_on_this_machine_alone() -> None:
    ports = re.findall(
        r'^\s+- "(.*):1433"$', (FOLDER / "compose.yaml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert str(sqlserver_container.PORT) in ports[0]
