"""The test server in a container: ``docker/compose.yaml``, its password, its URL.

The password is made here at the first start and kept in ``docker/.env``, which git ignores.
"""

from __future__ import annotations

import os
import secrets
import shutil
import string
import subprocess
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).resolve().parents[1] / "docker"
ENV_FILE = FOLDER / ".env"
PORT = 14330
DATABASE = "chokaq_test"
VERSIONS = ("2019", "2022", "2025")
_KEY = "MSSQL_SA_PASSWORD"


def read_settings(path: Path = ENV_FILE) -> dict[str, str]:
    """``NAME=value`` lines of a file; empty when there is no file."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def new_password() -> str:
    """A password that SQL Server's policy accepts: capitals, small letters and digits, 32 characters."""
    kinds = (string.ascii_uppercase, string.ascii_lowercase, string.digits)
    while True:
        found = "".join(secrets.choice("".join(kinds)) for _ in range(32))
        if all(any(character in kind for character in found) for kind in kinds):
            return found


def ensure_password(path: Path = ENV_FILE) -> str:
    """The server's password; made and written down, for the owner's eyes alone, when there is none."""
    known = read_settings(path).get(_KEY)
    if known:
        return known
    made = new_password()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{_KEY}={made}\n")
    return made


def url(database: str = DATABASE, path: Path = ENV_FILE) -> str:
    """Where the tests reach the server. Raises LookupError when it was never started."""
    settings = read_settings(path)
    if _KEY not in settings:
        raise LookupError("there is no test server yet: ./dev up starts it")
    port = os.environ.get("SQLSERVER_PORT") or settings.get("SQLSERVER_PORT") or PORT
    password = quote(settings[_KEY], safe="")
    return f"mssql://sa:{password}@127.0.0.1:{port}/{database}?encrypt=yes&trust_server_certificate=yes"


def compose(*arguments: str, version: str = "") -> int:
    """Run ``docker compose`` for the test server; its exit code. Raises LookupError without docker."""
    docker = shutil.which("docker")
    if docker is None:
        raise LookupError("docker was not found; it, or something that answers to its name, is needed")
    environment = {**os.environ, **({"SQLSERVER_TAG": f"{version}-latest"} if version else {})}
    command = [
        docker,
        "compose",
        "--file",
        str(FOLDER / "compose.yaml"),
        "--env-file",
        str(ENV_FILE),
        *arguments,
    ]
    return subprocess.run(command, check=False, env=environment).returncode
