"""Prepares a database for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import asserts, classes, commands, doubles, spies  # noqa: F401  (importing declares the procedures)
from .late import LatePrograms

if TYPE_CHECKING:
    from ..session import Session

_RESULT_TABLE = """
CREATE TABLE [tSQLt].[TestResult] (
    [Id] INT IDENTITY(1, 1) NOT NULL CONSTRAINT [PK_TestResult] PRIMARY KEY,
    [Class] NVARCHAR(MAX) NOT NULL,
    [TestCase] NVARCHAR(MAX) NOT NULL,
    [Name] NVARCHAR(517) NOT NULL,
    [TranName] NVARCHAR(MAX) NULL,
    [Result] NVARCHAR(MAX) NULL,
    [Msg] NVARCHAR(MAX) NULL,
    [TestStartTime] DATETIME2(7) NOT NULL CONSTRAINT [DF_TestResult_TestStartTime] DEFAULT (SYSDATETIME()),
    [TestEndTime] DATETIME2(7) NULL
)
"""


def install(connection: Any) -> Session:
    """Make ``[tSQLt].[TestResult]`` where it is missing.

    ``connection``: one of the embedded engine, in autocommit. The procedures are known to every session once
    this module is imported.
    """
    session: Session = connection.session
    if session.catalog.schema("tSQLt") is None:
        cursor = connection.cursor()
        cursor.execute("CREATE SCHEMA [tSQLt]")
        cursor.execute(_RESULT_TABLE)
        cursor.close()
    session.program_of = LatePrograms(session).program
    return session


def sql_files(paths: Iterable[Path]) -> list[Path]:
    """The .sql files among files and below folders."""
    found: list[Path] = []
    for path in paths:
        found += sorted(path.rglob("*.sql")) if path.is_dir() else [path]
    return found


def create_classes(connection: Any, paths: Iterable[Path], replace: dict[str, str] | None = None) -> None:
    """Run the files of test classes.

    ``replace``: texts to be exchanged, as a deployment under another schema does. An error names file and
    line.
    """
    from ...deploy.batches import normalize, split

    cursor = connection.cursor()
    for path in sql_files(paths):
        text = normalize(path.read_bytes())
        for old, new in (replace or {}).items():
            text = text.replace(old, new)
        for batch in split(text):
            try:
                cursor.execute(batch.text)
                while cursor.nextset():
                    pass
            except Exception as error:  # noqa: PERF203
                raise RuntimeError(f"{path}, batch at line {batch.line}: {error}") from error
