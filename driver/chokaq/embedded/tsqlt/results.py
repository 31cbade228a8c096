"""What a test came to."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

SUCCESS, FAILURE, ERROR, SKIPPED = "Success", "Failure", "Error", "Skipped"


@dataclass(frozen=True, slots=True)
class TestResult:
    """``outcome``: Success, Failure (an assertion), Error (anything else) or Skipped."""

    __test__ = False

    class_name: str
    test: str
    outcome: str
    message: str
    started: dt.datetime
    seconds: float

    @property
    def name(self) -> str:
        """``[class].[test]``."""
        return f"{quoted(self.class_name)}.{quoted(self.test)}"


def quoted(name: str) -> str:
    """QUOTENAME."""
    return f"[{name.replace(']', ']]')}]"
