"""What a job does: looks a file through. The same for all workers, and without knowledge of queues."""

from __future__ import annotations

import ast
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from chokaq.worker_context import Fatal, Rejected

__all__ = ["FileFacts", "inspect_file"]

_CHUNK = 1 << 20


@dataclass(frozen=True)
class FileFacts:
    """``functions``, ``classes``: None where the file was not parsed."""

    sha256: str
    size: int
    lines: int
    functions: int | None = None
    classes: int | None = None


def inspect_file(path: Path, *, parse: bool) -> FileFacts:
    """Hashes the file and counts its lines; with ``parse`` counts its functions and classes too.

    Raises Fatal for source that does not parse: it will not next time either. Raises OSError for a file that
    cannot be read, which may pass. Raises Rejected for what is no file.
    """
    digest = hashlib.sha256()
    size = lines = 0
    last = b"\n"
    kept: list[bytes] = []
    # Not blocking: should the name be a pipe by now, opening it would wait for somebody who writes.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Rejected("it is not a regular file any more")
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            lines += chunk.count(b"\n")
            last = chunk[-1:]
            if parse:
                kept.append(chunk)
    lines += last != b"\n"
    if not parse:
        return FileFacts(digest.hexdigest(), size, lines)
    functions, classes = _definitions(b"".join(kept), path)
    return FileFacts(digest.hexdigest(), size, lines, functions, classes)


def _definitions(source: bytes, path: Path) -> tuple[int, int]:
    try:
        tree = ast.parse(source, filename=str(path))
    except (SyntaxError, ValueError, RecursionError) as error:  # ValueError: null bytes, before Python 3.12
        name = type(error).__name__
        group = error.msg if isinstance(error, SyntaxError) else str(error)
        raise Fatal(f"{name}: {error}", group=f"{name}: {group}") from error
    nodes = list(ast.walk(tree))
    functions = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in nodes)
    return functions, sum(isinstance(node, ast.ClassDef) for node in nodes)
