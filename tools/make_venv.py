"""Makes or refreshes .venv for the ``dev`` script. Standard library only: nothing is installed yet.

Usage: make_venv.py REPOSITORY

The environment is up to date when its stamp, written last, matches: a hash of pyproject.toml and the
version of Python. An interrupted run leaves no stamp, and the next one starts over. A lock held by the
operating system makes a second caller wait and then find the work done.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

EXTRAS = "dev"


def main(root: Path) -> int:
    venv = root / ".venv"
    wanted = f"{hashlib.sha256((root / 'pyproject.toml').read_bytes()).hexdigest()} {python_version()}\n"
    if is_current(venv, wanted):
        return 0
    with exclusive(root / ".venv.lock"):
        if is_current(venv, wanted):  # another caller made it while we waited
            return 0
        return make(root, venv, wanted)


def python_version() -> str:
    """The interpreter that the environment is tied to; compiled packages fit one minor version only."""
    return f"{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}"


def is_current(venv: Path, wanted: str) -> bool:
    try:
        stamp = (venv / "stamp").read_text(encoding="utf-8")
    except OSError:
        return False
    # The link breaks when the Python that it points to is removed.
    return stamp == wanted and os.access(interpreter(venv), os.X_OK)


def interpreter(venv: Path) -> Path:
    return venv / "bin" / "python"


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock that the system takes back when this process dies."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system: two callers at once are then the caller's affair
        yield
        return
    with path.open("w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another ./dev is preparing .venv, waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make(root: Path, venv: Path, wanted: str) -> int:
    say(f"preparing .venv with {python_version()} (first run, or pyproject.toml changed)")
    stamp = venv / "stamp"
    reusable = stamp.is_file() and stamp.read_text(encoding="utf-8").split()[-1:] == wanted.split()[-1:]
    stamp.unlink(missing_ok=True)
    if not (reusable and os.access(interpreter(venv), os.X_OK)):
        if not has_venv():
            say("this Python has no working venv module; on Debian and Ubuntu: apt-get install python3-venv")
            return 1
        shutil.rmtree(venv, ignore_errors=True)
        # When .venv itself is activated, its own python called us; it cannot be its own base.
        base = getattr(sys, "_base_executable", None) or sys.executable
        if subprocess.run([base, "-m", "venv", str(venv)], check=False).returncode != 0:
            say("python -m venv failed, see above")
            return 1
    install = [
        str(interpreter(venv)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--editable", f"{root}[{EXTRAS}]",
    ]  # fmt: skip
    if subprocess.run(install, check=False).returncode != 0:
        say("installing the packages failed, see above; run the command again when it is mended")
        return 1
    stamp.write_text(wanted, encoding="utf-8")
    return 0


def has_venv() -> bool:
    try:
        import ensurepip
        import venv
    except ImportError:
        return False
    return bool(ensurepip and venv)


def say(line: str) -> None:
    print(f"dev: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
