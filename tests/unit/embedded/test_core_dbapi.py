"""The PEP 249 surface: cursors, rows, descriptions, parameters, exceptions."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from chokaq import embedded
from chokaq.dbapi import is_driver_error, read_error
from tests.unit.embedded.core_support import Engine


def test_module_facts() -> None:
    assert (embedded.apilevel, embedded.paramstyle) == ("2.0", "qmark")
    assert issubclass(embedded.IntegrityError, embedded.DatabaseError)
    assert issubclass(embedded.DatabaseError, embedded.Error)


def test_rows_by_position_and_name(db: Engine) -> None:
    row = db.connection.execute("SELECT 1 AS [A], N'x' AS [b], 3;").fetchone()
    assert (row[0], row.A, row.b, len(row), tuple(row)) == (1, 1, "x", 3, (1, "x", 3))
    with pytest.raises(AttributeError):
        row.c  # noqa: B018
    assert row.cursor_description[0][:2] == ("A", int)


def test_description(db: Engine) -> None:
    cursor = db.connection.execute(
        "SELECT CAST(1 AS bigint) AS [a], CAST('x' AS varchar(7)) AS [b], CAST(1.5 AS decimal(9, 2)) AS "
        "[c], SYSUTCDATETIME() AS [d], "
        "CAST(1 AS bit) AS [e], 0x01 AS [f], 1.5E0 AS [g];"
    )
    assert [(c[0], c[1]) for c in cursor.description] == [
        ("a", int),
        ("b", str),
        ("c", Decimal),
        ("d", dt.datetime),
        ("e", bool),
        ("f", bytes),
        ("g", float),
    ]
    assert cursor.description[1][3] == 7
    assert cursor.description[2][4:6] == (9, 2)


def test_fetching(db: Engine) -> None:
    cursor = db.connection.cursor()
    cursor.execute("SELECT [v].[n] FROM (VALUES (1), (2), (3), (4)) AS [v] ([n]) ORDER BY [v].[n];")
    assert cursor.fetchone()[0] == 1
    assert [row[0] for row in cursor.fetchmany(2)] == [2, 3]
    assert [row[0] for row in cursor] == [4]
    assert cursor.fetchone() is None
    assert cursor.fetchall() == []
    assert cursor.nextset() is False
    with pytest.raises(embedded.ProgrammingError):
        cursor.fetchall()
    cursor.close()
    with pytest.raises(embedded.ProgrammingError):
        cursor.execute("SELECT 1 AS [a];")


def test_result_sets_and_counts_come_in_order(db: Engine) -> None:
    db("CREATE TABLE [dbo].[T] ([A] int NOT NULL);")
    cursor = db.connection.execute(
        "INSERT INTO [dbo].[T] ([A]) VALUES (1), (2); SELECT [A] FROM [dbo].[T]; DELETE FROM [dbo].[T] "
        "WHERE [A] = 1;"
    )
    assert (cursor.rowcount, cursor.description) == (2, None)
    assert cursor.nextset()
    assert len(cursor.fetchall()) == 2
    assert cursor.nextset()
    assert cursor.rowcount == 1
    assert not cursor.nextset()
    cursor = db.connection.execute("SET NOCOUNT ON; INSERT INTO [dbo].[T] ([A]) VALUES (1);")
    assert (cursor.rowcount, cursor.description, cursor.nextset()) == (-1, None, False)


def test_parameters(db: Engine) -> None:
    assert db("SELECT ? AS [a], ? AS [b];", 1, "x") == [(1, "x")]
    assert db("SELECT ? AS [a], ? AS [b];", (1, "x")) == [(1, "x")]
    assert db("SELECT '?' AS [a], ? AS [b] /* ? */;", 5) == [("?", 5)]
    assert db.error("SELECT ? AS [a];") == 8178
    assert db.error("SELECT ? AS [a];", 1, 2) == 8178
    with pytest.raises(embedded.ProgrammingError, match="HY105"):
        db("SELECT ? AS [a];", object())
    with pytest.raises(embedded.ProgrammingError):
        db("SELECT ? AS [a];", 2**70)
    assert db("SELECT COALESCE(?, 'none') AS [a];", None) == [("none",)]


def test_executemany(db: Engine) -> None:
    db("CREATE TABLE [dbo].[T] ([A] int NOT NULL, [B] varchar(5) NULL);")
    cursor = db.connection.cursor()
    cursor.executemany("INSERT INTO [dbo].[T] ([A], [B]) VALUES (?, ?);", [(1, "x"), (2, None)])
    assert cursor.rowcount == 2
    assert db("SELECT [A], [B] FROM [dbo].[T] ORDER BY [A];") == [(1, "x"), (2, None)]


def test_the_drivers_reader_understands_the_errors(db: Engine) -> None:
    failure = db.failure("THROW 51010, N'no such queue', 1;")
    assert failure is not None
    assert is_driver_error(failure)
    found = read_error(failure)
    assert (found.sqlstate, found.number, found.message) == ("42000", 51010, "no such queue")


def test_a_bad_path() -> None:
    with pytest.raises(embedded.OperationalError):
        embedded.connect("/nonexistent/folder/file.db")
    with pytest.raises(embedded.InterfaceError):
        embedded.connect(None, synchronous="SOMETIMES")


def test_a_file_that_is_no_database(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "x.db"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(embedded.OperationalError):
        embedded.connect(path)


def test_the_catalog_takes_no_foreign_objects() -> None:
    import pickle

    from chokaq.embedded import catalog

    class Evil:
        def __reduce__(self) -> object:
            import os

            return os.system, ("true",)

    with pytest.raises(pickle.UnpicklingError):
        catalog.loads(pickle.dumps(Evil()))
