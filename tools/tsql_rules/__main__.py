"""Checks the repository: ``python -m tools.tsql_rules [ROOT]``. Exit code 1 when it finds something."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from chokaq.deploy.batches import SplitError

from . import set_rules
from .file_rules import FILE_RULES
from .source import Finding, SqlFile
from .statement_rules import STATEMENT_RULES


def check_file(file: SqlFile) -> Iterator[Finding]:
    """What the rules for one file find."""
    for rule in (*FILE_RULES, *STATEMENT_RULES):
        yield from rule(file)


def check_tree(root: Path) -> list[Finding]:
    """What all rules find in db/ and procs/ below ``root``, by path and line."""
    files: list[SqlFile] = []
    found: list[Finding] = []
    for path in sorted(chain((root / "db").rglob("*.sql"), (root / "procs").rglob("*.sql"))):
        name = path.relative_to(root).as_posix()
        try:
            files.append(SqlFile(name, path.read_text(encoding="utf-8-sig")))
        except SplitError as error:
            found.append(Finding(name, error.line, "batches", error.reason))
    for file in files:
        found += check_file(file)
    registry = root / set_rules.REGISTRY_PATH
    runner = root / "driver" / "chokaq" / "deploy"
    found += set_rules.registry(
        files,
        registry.read_text(encoding="utf-8") if registry.is_file() else "",
        [path.read_text(encoding="utf-8") for path in sorted(runner.glob("*.py"))],
    )
    found += set_rules.stated_errors(files)
    found += set_rules.undo_scripts(
        [file for file in files if file.path.startswith(("db/migrations/", "db/undo/"))]
    )
    found += set_rules.grants(files)
    return sorted(found, key=lambda each: (each.path, each.line, each.rule))


def main(root: Path) -> int:
    found = check_tree(root)
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()))
