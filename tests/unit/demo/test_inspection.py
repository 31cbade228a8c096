"""What the handler finds in a file, and how it fails."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from chokaq import Fatal, Rejected
from chokaq.demo.inspection import inspect_file

SOURCE = b"""import os

class A:
    def f(self): ...
    async def g(self):
        def h(): ...
"""


def write(tmp_path: Path, content: bytes, name: str = "x.py") -> Path:
    file = tmp_path / name
    file.write_bytes(content)
    return file


@pytest.mark.parametrize(
    ("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"\r\n\0", 2)]
)
def test_lines(tmp_path: Path, content: bytes, lines: int) -> None:
    facts = inspect_file(write(tmp_path, content), parse=False)
    assert (facts.size, facts.lines) == (len(content), lines)
    assert facts.sha256 == hashlib.sha256(content).hexdigest()
    assert (facts.functions, facts.classes) == (None, None)


def test_a_file_of_several_chunks(tmp_path: Path) -> None:
    content = b"0123456789abcde\n" * 200_000 + b"end"
    facts = inspect_file(write(tmp_path, content), parse=False)
    assert (facts.size, facts.lines) == (len(content), 200_001)
    assert facts.sha256 == hashlib.sha256(content).hexdigest()


def test_definitions(tmp_path: Path) -> None:
    facts = inspect_file(write(tmp_path, SOURCE), parse=True)
    assert (facts.lines, facts.functions, facts.classes) == (6, 3, 1)


def test_an_empty_source(tmp_path: Path) -> None:
    facts = inspect_file(write(tmp_path, b""), parse=True)
    assert (facts.functions, facts.classes) == (0, 0)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"def f(:\n", r"SyntaxError: .*line 1"),
        (b"# -*- coding: uft-8 -*-\n", "SyntaxError: .*uft-8"),
        (b"x = '\xff'\n", "SyntaxError: .*0xff"),
        (b"x = '\0'\n", "null bytes"),
        (b"if x:\n\ty\n        z\n", "(TabError|IndentationError): "),
    ],
)
def test_source_that_does_not_parse_is_never_retried(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(Fatal, match=told) as caught:
        inspect_file(write(tmp_path, content), parse=True)
    assert caught.value.__cause__ is not None
    assert caught.value.group is not None


def test_what_does_not_parse_is_fine_where_nobody_parses(tmp_path: Path) -> None:
    assert inspect_file(write(tmp_path, b"def f(:\n"), parse=False).lines == 1


def test_a_file_that_is_gone_may_come_back(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        inspect_file(tmp_path / "gone.py", parse=True)


@pytest.mark.skipif(os.name != "posix", reason="POSIX files")
def test_what_is_no_file_any_more(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Rejected):
        inspect_file(tmp_path / "pipe", parse=False)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="loop"):
        inspect_file(tmp_path / "loop", parse=False)
