"""Keeps what a release deploys: ``python -m tools.publish_schema`` writes tests/deploy/published/VERSION.txt.

The upgrade tests deploy every kept release and upgrade it to the newest. The file holds procedures and
permissions as they were; of one-time scripts it holds the hash, because those never change. Until a version
is released its file may be written again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chokaq.deploy.scripts import Script, SqlPackage, load_package
from chokaq.version import __version__

FOLDER = Path("tests/deploy/published")
_MARK = "==== "


def written(package: SqlPackage) -> str:
    """The file's text: a line ``==== path`` before each text, ``==== path sha256`` for one-time scripts."""
    lines = [f"{_MARK}{script.path} {script.sha256}\n" for script in package.migrations]
    lines += [_text(script) for script in (*package.permissions, *package.procedures)]
    return "".join(lines)


def _text(script: Script) -> str:
    text = script.text if script.text.endswith("\n") else f"{script.text}\n"
    return f"{_MARK}{script.path}\n{text}"


def read(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Hashes of the one-time scripts, and texts of the rest, by path."""
    hashes: dict[str, str] = {}
    texts: dict[str, str] = {}
    path = ""
    for line in text.splitlines(keepends=True):
        if line.startswith(_MARK):
            path, _, digest = line[len(_MARK) :].strip().partition(" ")
            if digest:
                hashes[path] = digest
            else:
                texts[path] = ""
        else:
            texts[path] += line
    return hashes, texts


def main(root: Path) -> int:
    target = root / FOLDER / f"{__version__}.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(written(load_package(root)), encoding="utf-8", newline="\n")
    print(f"written: {target.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
