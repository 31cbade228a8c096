"""tSQLt's procedures for the embedded engine: classes that run under tSQLt on SQL Server run here unchanged.

``install(connection)`` makes the procedures known and creates ``[tSQLt].[TestResult]``; ``run`` runs
classes and gives results. Names, parameters, outcomes and messages are tSQLt's. What is not supported is an
error that says so.
"""

from __future__ import annotations

from .coverage import Coverage, Covered
from .reports import junit, summary
from .results import TestResult
from .running import TestRun, run
from .setup import create_classes, install

__all__ = [
    "Coverage",
    "Covered",
    "TestResult",
    "TestRun",
    "create_classes",
    "install",
    "junit",
    "run",
    "summary",
]
