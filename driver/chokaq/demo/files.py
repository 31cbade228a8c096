"""Which files there are below a folder, what kind each is, and how its name travels in a payload."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from chokaq.models import NewJob

__all__ = ["QUEUES", "FileKind", "Found", "find_files", "job_of", "kind_of", "path_of", "printable"]

#: The demo's queues, in the order in which they are shown.
QUEUES = ("source", "text", "binary")

_SKIPPED_FOLDERS = frozenset({"__pycache__", "site-packages"})
_PYTHON = frozenset({".py", ".pyw"})
_SOURCE = frozenset(
    ".asm .bat .c .cc .cpp .cs .css .go .h .hpp .java .js .m4 .pl .ps1 .pyi .pyx .rb .rs .s .sh .sql .tcl "
    ".ts .vbs".split()
)
_TEXT = frozenset(
    ".1 .ac .am .cfg .conf .csv .dectest .def .diff .fish .htm .html .in .ini .json .log .md .pem .po .pxd "
    ".rst .svg .tex .toml .txt .xml .xslt .yaml .yml".split()
)
_PRIORITIES = {"source": 30, "text": 20, "binary": 10}


@dataclass(frozen=True)
class FileKind:
    """Where the job of a file goes. ``type`` is one of python, source, text, binary."""

    queue: str
    type: str
    priority: int


@dataclass
class Found:
    """Files as paths relative to the folder, sorted; folders that could not be listed."""

    files: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)


def kind_of(path: str) -> FileKind:
    """The kind of a file, by its name alone. What tests consist of comes after the rest of its queue."""
    name = PurePath(path)
    suffix = name.suffix.lower()
    if suffix in _PYTHON:
        queue, kind = "source", "python"
    elif suffix in _SOURCE:
        queue = kind = "source"
    elif suffix in _TEXT:
        queue = kind = "text"
    else:
        queue = kind = "binary"
    is_test = any(part in ("test", "tests") for part in name.parts[:-1])
    return FileKind(queue, kind, _PRIORITIES[queue] - (10 if is_test else 0))


def find_files(root: str) -> Found:
    """Every regular file below ``root``, and every link that leads to one or to nothing.

    Folders that are links are not entered; neither are __pycache__ and site-packages. A name that is not
    text in the file system's encoding comes with surrogate escapes, as the ``os`` functions have it.
    """
    found = Found()
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(Path(root, folder)))
        except OSError:
            found.unlisted.append(folder)
            continue
        for entry in entries:
            path = str(PurePath(folder, entry.name))
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS:
                    folders.append(path)
            elif _is_work(entry):
                found.files.append(path)
    found.files.sort()
    found.unlisted.sort()
    return found


def _is_work(entry: os.DirEntry[str]) -> bool:
    try:
        mode = entry.stat().st_mode
    except OSError:  # leads to nothing, or cannot be looked at: reading it is what will fail
        return True
    return stat.S_ISREG(mode)


def job_of(path: str) -> NewJob:
    """The job for a file."""
    kind = kind_of(path)
    return NewJob(queue=kind.queue, type=kind.type, payload=_payload(path), priority=kind.priority)


def _payload(path: str) -> dict[str, str]:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        # Such a name is bytes, not text: JSON has no way to write it, so the bytes are written.
        name = base64.b64encode(os.fsencode(path)).decode("ascii")
        return {"pathBase64": name, "shownAs": printable(path)}
    return {"path": path}


def path_of(payload: Mapping[str, Any]) -> str:
    """The path that a payload names, relative to the folder. Raises KeyError or ValueError for another's."""
    if "pathBase64" in payload:
        return os.fsdecode(base64.b64decode(str(payload["pathBase64"]), validate=True))
    return str(payload["path"])


def printable(path: str) -> str:
    r"""``path`` for people: what is not a printable character becomes ``\xff`` or ``\u200b``."""
    return "".join(_shown(path))


def _shown(path: str) -> Iterator[str]:
    for letter in path:
        if 0xDC80 <= ord(letter) <= 0xDCFF:
            yield f"\\x{ord(letter) - 0xDC00:02x}"
        elif letter.isprintable():
            yield letter
        else:
            yield letter.encode("unicode_escape", "replace").decode("ascii")
