"""The same T-SQL tests under tSQLt itself, on a SQL Server that has it: a class is a test here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chokaq.deploy import deploy
from chokaq.deploy.batches import normalize, split
from chokaq.deploy.target import open_connection

from .discovery import HERE, all_tests

CLASSES = sorted(HERE.glob("*Tests.sql"))


def _run(cursor: Any, text: str, *values: Any) -> None:
    cursor.execute(text, *values)
    while cursor.nextset():
        pass


@pytest.fixture(scope="module")
def cursor(server_url: str) -> Iterator[Any]:
    with open_connection(server_url) as connection:
        cursor = connection.cursor()
        if cursor.execute("SELECT OBJECT_ID(N'[tSQLt].[Run]')").fetchone()[0] is None:
            pytest.skip("the server's database has no tSQLt")
        deploy(connection)
        yield cursor


@pytest.mark.parametrize("path", CLASSES, ids=lambda path: path.stem)
def test_class(cursor: Any, path: Path) -> None:
    for batch in split(normalize(path.read_bytes())):
        _run(cursor, batch.text)
    run = "EXECUTE [tSQLt].[Run] @TestName = ?, @TestResultFormatter = N'tSQLt.NullTestResultFormatter'"
    _run(cursor, run, path.stem)
    rows = cursor.execute("SELECT [TestCase], [Result], [Msg] FROM [tSQLt].[TestResult]").fetchall()
    failed = [tuple(row) for row in rows if row[1] != "Success"]
    assert failed == []
    expected = sorted(name for owner, name in all_tests() if owner == f"[{path.stem}]")
    assert sorted(f"[{row[0]}]" for row in rows) == expected
