"""Which T-SQL tests there are: read from the files, so that a test that is not created is missed."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROCEDURES = HERE.parents[1] / "procs"
_TEST = re.compile(r"^CREATE PROCEDURE (\[\w+Tests\])\.(\[test [^\]]+\])", re.MULTILINE)


def all_tests() -> list[tuple[str, str]]:
    """``([Class], [test …])`` in the order of the files."""
    found = []
    for path in sorted(HERE.glob("*Tests.sql")):
        found += _TEST.findall(path.read_text(encoding="utf-8"))
    return found


def names() -> list[str]:
    """``[Class].[test …]``."""
    return [f"{class_}.{test}" for class_, test in all_tests()]
