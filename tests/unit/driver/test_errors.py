"""What a driver's exception says, and which class of ours it becomes."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

import chokaq
from chokaq.dbapi import is_driver_error, read_error
from chokaq.errors import REGISTRY, DatabaseError, RowError, parse_place
from tests.unit.driver import fakedb

ROOT = Path(__file__).resolve().parents[3]
PREFIX = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("42000", f"[42000] {PREFIX}no (51002) (SQLExecDirectW)"), ("42000", 51002, "no")),
        # The first record counts, whatever follows.
        (
            ("42000", f"[42000] {PREFIX}first (51002) (SQLExecute); [01000] {PREFIX}second (3621)"),
            ("42000", 51002, "first"),
        ),
        # A message that quotes such a text, or begins with a name in brackets.
        (
            ("42000", f"[42000] {PREFIX}[a].[b] (1205) (SQLExecDirectW) x (51010) (SQLMoreResults)"),
            ("42000", 51010, "[a].[b] (1205) (SQLExecDirectW) x"),
        ),
        (("40001", f"[40001] {PREFIX}victim (1205) (SQLExecDirectW)"), ("40001", 1205, "victim")),
        (
            (
                "08S01",
                "[08S01] [Microsoft][ODBC Driver 17 for SQL Server]TCP Provider: x\r\n (104) (SQLFetch)",
            ),
            ("08S01", 104, "TCP Provider: x"),
        ),
        (
            ("22001", "[22001] [Microsoft][ODBC Driver 18 for SQL Server]cut (0) (SQLExecute)"),
            ("22001", None, "cut"),
        ),
        (("IM002", "[IM002] [unixODBC][Driver Manager]none (0) (SQLDriverConnect)"), ("IM002", None, "none")),
        (
            ("42000", "[42000] [chokaq][embedded engine]no (51002) (SQLExecDirectW)"),
            ("42000", 51002, "no"),
        ),
        (("42000", f"[42000] {PREFIX}two\nlines (50000) (SQLExecDirectW)"), ("42000", 50000, "two\nlines")),
        (
            ("The cursor's connection has been closed.",),
            (None, None, "The cursor's connection has been closed."),
        ),
        (("HY000", "pyodbc has something to say"), ("HY000", None, "pyodbc has something to say")),
        ((), (None, None, "")),
    ],
)
def test_read_error(args: tuple[str, ...], expected: tuple[str | None, int | None, str]) -> None:
    found = read_error(fakedb.Error(*args))
    assert (found.sqlstate, found.number, found.message) == expected


def test_driver_errors_are_known_by_the_name_of_their_root() -> None:
    assert is_driver_error(fakedb.ProgrammingError())
    assert not is_driver_error(ValueError())
    assert not is_driver_error(chokaq.DatabaseError("x"))


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("EnqueueJobs: row 3, column queue: value is missing.", (3, "queue")),
        ("EnqueueJobs: row 0, column idempotencyKey: the value is too long.", (0, "idempotencyKey")),
        ('FailJobs: row 12, key "foo": not known.', (12, "foo")),
        ("MarkAsProcessing: a job id stands twice in one call.", (None, None)),
    ],
)
def test_place(message: str, place: tuple[int | None, str | None]) -> None:
    assert parse_place(message) == place


def test_row_errors_carry_their_place_and_survive_pickling() -> None:
    error = REGISTRY[51002]("P: row 3, column queue: missing.", number=51002, sqlstate="42000", procedure="P")
    again = pickle.loads(pickle.dumps(error))
    for found in (error, again):
        assert isinstance(found, RowError)
        assert (found.row, found.column, found.index, found.number) == (3, "queue", 3, 51002)
    assert str(error) == "P: row 3, column queue: missing. (error 51002)"


def test_every_class_of_the_registry_is_its_own() -> None:
    assert len(set(REGISTRY.values())) == len(REGISTRY)
    assert all(issubclass(kind, DatabaseError) for kind in REGISTRY.values())


def page() -> dict[int, str]:
    """Number and name of each line of db/errors.md."""
    text = (ROOT / "db" / "errors.md").read_text(encoding="utf-8")
    return {
        int(number): name for number, name in re.findall(r"^\| (51\d{3}) \| (\w+) \|", text, re.MULTILINE)
    }


def test_the_page_of_the_dba_is_part_of_the_registry() -> None:
    found = page()
    assert found
    assert {number: f"{name}Error" for number, name in found.items()} == {
        number: REGISTRY[number].__name__ for number in found
    }


def test_every_number_that_is_thrown_is_on_the_page() -> None:
    thrown = {
        int(number)
        for file in (*(ROOT / "procs").rglob("*.sql"), *(ROOT / "db").rglob("*.sql"))
        for number in re.findall(r"\bTHROW\s+(\d+)", file.read_text(encoding="utf-8"), re.IGNORECASE)
    }
    assert thrown
    assert thrown <= set(page())
