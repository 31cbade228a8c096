"""Which files become jobs, of what kind, and that every name survives its way through a payload."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chokaq.demo.files import find_files, job_of, kind_of, path_of, printable
from chokaq.payloads import batches, new_job_row

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX names and links")


@pytest.mark.parametrize(
    ("path", "queue", "kind", "priority"),
    [
        ("os.py", "source", "python", 30),
        ("idlelib/Config.PY", "source", "python", 30),
        ("test/test_os.py", "source", "python", 20),
        ("idlelib/tests/x.c", "source", "source", 20),
        ("test.py", "source", "python", 30),
        ("a/notes.txt", "text", "text", 20),
        ("test/decimaltestdata/abs.decTest", "text", "text", 10),
        ("lib.so", "binary", "binary", 10),
        ("LICENSE", "binary", "binary", 10),
        (".py", "binary", "binary", 10),
    ],
)
def test_kinds(path: str, queue: str, kind: str, priority: int) -> None:
    found = kind_of(str(Path(path)))
    assert (found.queue, found.type, found.priority) == (queue, kind, priority)


def make(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")


def test_caches_and_installed_packages_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/c.txt", "a/__pycache__/c.pyc", "site-packages/x/y.py", "a/site-packages/z")
    found = find_files(str(tmp_path))
    assert found.files == [str(Path("a/c.txt")), "b.py"]
    assert found.unlisted == []


@posix
def test_links_and_what_is_no_file(tmp_path: Path) -> None:
    make(tmp_path / "root", "real.py")
    make(tmp_path, "outside/hidden.py")
    root = tmp_path / "root"
    (root / "to-file").symlink_to("real.py")
    (root / "to-nothing.py").symlink_to("gone.py")
    (root / "to-itself").symlink_to("to-itself")
    (root / "to-folder").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to(root)
    os.mkfifo(root / "pipe")
    (root / "to-pipe").symlink_to("pipe")
    assert find_files(str(root)).files == ["real.py", "to-file", "to-itself", "to-nothing.py"]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "closed/b.py")
    (tmp_path / "closed").chmod(0)
    try:
        found = find_files(str(tmp_path))
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert (found.files, found.unlisted) == (["a.py"], ["closed"])


def sent_and_read(path: str) -> str:
    """The path that a worker finds, after the payload was sent as JSON."""
    ((_, document),) = batches([new_job_row(job_of(path))])
    document.encode("utf-8")
    return path_of(json.loads(document)[0]["payload"])


@posix
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9-\xff\x80.py")
    try:
        (tmp_path / name).write_bytes(b"x = 1\n")
    except OSError:
        pytest.skip("this file system takes text only")
    (path,) = find_files(str(tmp_path)).files
    assert sent_and_read(path) == name
    assert (tmp_path / sent_and_read(path)).read_bytes() == b"x = 1\n"
    assert printable(path) == r"caf\xe9-\xff\x80.py"


@posix
@given(st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name))
def test_every_name_survives(name: bytes) -> None:
    path = os.fsdecode(name)
    assert os.fsencode(sent_and_read(path)) == name
    printable(path).encode("utf-8")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a/b.py", "a/b.py"),
        ("é日", "é日"),
        ("a\nb", r"a\nb"),
        ("a\x1b[31m", r"a\x1b[31m"),
        ("\u202e", r"\u202e"),
    ],
)
def test_printable(path: str, shown: str) -> None:
    assert printable(path) == shown


@pytest.mark.parametrize("payload", [{}, {"pathBase64": "%%"}])
def test_a_payload_of_somebody_else_is_refused(payload: dict[str, str]) -> None:
    with pytest.raises((KeyError, ValueError)):
        path_of(payload)
