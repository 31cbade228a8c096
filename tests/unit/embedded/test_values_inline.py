"""Whatever is inlined as SQLite's own SQL gives exactly what the Python function gives."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.conversions import assigner, converter
from chokaq.embedded.values.datetimes import DAY, MAX_TICKS, from_datetime
from chokaq.embedded.values.functions import SQL_FUNCTIONS, register, resolve
from chokaq.embedded.values.inline_conversions import assign_sql, convert_sql
from chokaq.embedded.values.numbers import arithmetic, inline_arithmetic
from chokaq.embedded.values.plan import SqlFunction, literal
from chokaq.embedded.values.strings import key
from chokaq.embedded.values.types import (
    BIGINT,
    BIT,
    DATE,
    DATETIME,
    DATETIME2,
    FLOAT,
    INT,
    NVARCHAR_MAX,
    SMALLINT,
    TINYINT,
    VARCHAR_MAX,
    SqlType,
    decimal,
    nvarchar,
    parse_type,
    varchar,
)
from chokaq.embedded.values.value_functions import key_sql

TEXTS = ["", " ", "abc", "ABC  ", "a b c ", "it's", "ab\0cd", "\0", "é", "Straße ", "ß", "a€b", "x" * 30]
WIDE_TEXTS = [*TEXTS, "a😀b", "😀😀", "ж ", "Жж"]
COUNTS = [-1, 0, 1, 2, 3, 100]
INTS = [-(2**31), -(2**31) + 1, -7, -1, 0, 1, 2, 7, 255, 256, 32767, 32768, 2**31 - 1]
BIGINTS = [*INTS, -(2**63), 2**63 - 1, 2**40, -(2**40)]
TICKS = [
    0,
    DAY - 1,
    from_datetime(__import__("datetime").datetime(1753, 1, 1)),
    from_datetime(__import__("datetime").datetime(2024, 2, 29, 23, 59, 59, 999999)) + 9,
    from_datetime(__import__("datetime").datetime(2023, 12, 31, 12)),
    from_datetime(__import__("datetime").datetime(2024, 1, 1)),
    MAX_TICKS,
]


class Sql:
    """SQLite with the functions, reporting the SqlError of a callback."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.error: SqlError | None = None
        self.calls = 0
        register(self.connection, self._wrap)

    def _wrap(self, function: SqlFunction) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            self.calls += 1
            try:
                return function.call(*arguments)
            except SqlError as error:
                self.error = error
                raise

        return run

    def value(self, sql: str, *parameters: Any) -> Any:
        self.error = None
        try:
            return self.connection.execute(f"SELECT {sql}", parameters).fetchone()[0]
        except sqlite3.OperationalError:
            if self.error is None:
                raise
            return f"error {self.error.number}"


@pytest.fixture(scope="module")
def sql() -> Iterator[Sql]:
    made = Sql()
    yield made
    made.connection.close()


def outcome(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    try:
        return call(*arguments, **named)
    except SqlError as error:
        return f"error {error.number}"


Case = tuple[str, tuple[SqlType, ...], list[tuple[Any, ...]]]


def function_cases() -> Iterator[Case]:
    """Function, types of the arguments, rows of values."""
    for kind in (varchar(100), nvarchar(100), VARCHAR_MAX, NVARCHAR_MAX):
        texts = [*(WIDE_TEXTS if kind.is_unicode else TEXTS), None]
        for name in ("LEN", "DATALENGTH", "UPPER", "LOWER", "LTRIM", "RTRIM", "TRIM", "REVERSE"):
            yield name, (kind,), [(text,) for text in texts]
        for name in ("LEFT", "RIGHT"):
            yield name, (kind, INT), [(t, n) for t in texts for n in [*COUNTS, None]]
        pieces = [(t, s, n) for t in texts for s in (-2, 0, 1, 2, 50) for n in (-1, 0, 2, 99)]
        yield "SUBSTRING", (kind, INT, INT), pieces
        yield "CONCAT", (kind, kind), [(t, u) for t in texts for u in texts]
        for find in ("b", "é", "'", "B", " ", "b c"):
            yield "CHARINDEX", (varchar(3), kind), [(find, t) for t in texts]
            yield "REPLACE", (kind, varchar(3), varchar(3)), [(t, find, "-") for t in texts]
    for kind, numbers in ((INT, INTS), (BIGINT, BIGINTS), (FLOAT, [-1.5, 0.0, 2.5, 1e300])):
        for name in ("ABS", "SIGN", "FLOOR", "CEILING"):
            yield name, (kind,), [(value,) for value in [*numbers, None]]
    bytes_ = [(b, s, n) for b in (b"", b"\0", b"abc", None) for s in (-1, 1, 2) for n in (0, 1, 9)]
    yield "SUBSTRING", (parse_type("varbinary(10)"), INT, INT), bytes_
    yield "COALESCE", (INT, INT), [(None, 1), (2, 1), (None, None)]
    yield "ISNULL", (INT, INT), [(None, 1), (2, 1)]
    yield "NULLIF", (varchar(9),) * 2, [("a", "A "), ("a", "b"), (None, "a"), ("é", "É"), ("a", None)]
    yield "NULLIF", (INT, BIGINT), [(1, 1), (1, 2), (None, 1)]
    yield "CHOOSE", (INT, INT, INT), [(0, 5, 6), (1, 5, 6), (2, 5, 6), (3, 5, 6), (None, 5, 6)]


@pytest.mark.parametrize(("name", "types", "rows"), list(function_cases()), ids=lambda value: str(value)[:40])
def test_functions(sql: Sql, name: str, types: tuple[SqlType, ...], rows: list[tuple[Any, ...]]) -> None:
    call = resolve(name, types)
    for row in rows:
        expected = outcome(call.evaluate, *row)
        # Once with bound values, once with literals: literals are inlined further.
        marks = [f"?{index}" for index in range(1, len(row) + 1)]
        assert sql.value(call.sql(marks), *row) == expected, (name, row)
        assert sql.value(call.sql([literal(value) for value in row])) == expected, (name, row)


@pytest.mark.parametrize(
    "part", ["week", "day", "hour", "minute", "second", "millisecond", "microsecond", "month", "year"]
)
@pytest.mark.parametrize("kind", [DATETIME2, SqlType("datetime2", scale=3), DATETIME, DATE], ids=str)
def test_dateadd(sql: Sql, part: str, kind: SqlType) -> None:
    if outcome(resolve, "DATEADD", (INT, kind), part=part) == "error 9810":
        return
    call = resolve("DATEADD", (INT, kind), part=part)
    to_kind = converter(DATETIME2, kind)
    for ticks in TICKS:
        try:
            start = to_kind(ticks)
        except SqlError:
            continue
        for number in (-(2**31), -1000, -1, 0, 1, 59, 1000, 2**31 - 1):
            expected = outcome(call.evaluate, number, start)
            assert sql.value(call.sql(["?1", "?2"]), number, start) == expected, (part, number, start)


@pytest.mark.parametrize(
    "part",
    [
        *("year", "quarter", "month", "dayofyear", "day", "week", "weekday"),
        *("hour", "minute", "second", "millisecond", "microsecond", "nanosecond"),
    ],
)
def test_datediff_and_datepart(sql: Sql, part: str) -> None:
    for big in ("", "_BIG"):
        call = resolve(f"DATEDIFF{big}", (DATETIME2, DATETIME2), part=part)
        for start in TICKS:
            for end in TICKS:
                expected = outcome(call.evaluate, start, end)
                assert sql.value(call.sql(["?1", "?2"]), start, end) == expected, (part, start, end)
    piece = resolve("DATEPART", (DATETIME2,), part=part)
    for ticks in TICKS:
        assert sql.value(piece.sql(["?1"]), ticks) == piece.evaluate(ticks), (part, ticks)


@pytest.mark.parametrize("operator", list("+-*/%&|"))
@pytest.mark.parametrize("left", [TINYINT, SMALLINT, INT, BIGINT], ids=str)
@pytest.mark.parametrize("right", [TINYINT, INT, BIGINT], ids=str)
def test_arithmetic(sql: Sql, operator: str, left: SqlType, right: SqlType) -> None:
    values = {"tinyint": [0, 1, 255], "smallint": [-32768, 0, 3, 32767], "int": INTS, "bigint": BIGINTS}
    run = arithmetic(operator, left, right)
    text = inline_arithmetic(operator, "?1", "?2", left, right)
    assert text is not None
    for one in [*values[left.name], None]:
        for other in [*values[right.name], None]:
            assert sql.value(text, one, other) == outcome(run, one, other), (one, operator, other)


CONVERSIONS = [
    (source, target)
    for source, targets in {
        "int": "bit tinyint smallint int bigint float real varchar(12) varchar(3) nvarchar(20) "
        "decimal(12,2) decimal(5,0) decimal(30,2) char(4) varbinary(8)",
        "bigint": "bit tinyint smallint int bigint float varchar(30) varchar(5) decimal(18,0) decimal(19,0)",
        "float": "int bigint tinyint bit real varchar(30) decimal(10,3)",
        "bit": "int varchar(5) float",
        "varchar(20)": "varchar(5) varchar(max) nvarchar(5) nvarchar(30) char(8) int float",
        "nvarchar(20)": "varchar(5) varchar(30) varchar(max) nvarchar(3) nvarchar(max)",
        "nvarchar(max)": "varchar(5) varchar(max) nvarchar(3)",
        "datetime2(7)": "datetime2(0) datetime2(3) datetime date time(7) time(3) varchar(30) smalldatetime",
        "date": "datetime2(7) datetime2(0) datetime",
        "datetime": "datetime2(7) datetime2(3) date time(3)",
        "varbinary(10)": "varbinary(3) varbinary(max) binary(12) int",
    }.items()
    for target in targets.split()
]
VALUES: dict[str, list[Any]] = {
    "int": INTS,
    "bigint": BIGINTS,
    "float": [
        0.0,
        -1.9,
        2.5,
        2147483647.9,
        2147483648.0,
        -2147483648.9,
        -2147483649.0,
        255.5,
        256.0,
        9.3e18,
        -9.3e18,
    ],
    "bit": [0, 1],
    "varchar": TEXTS,
    "nvarchar": WIDE_TEXTS,
    "datetime2": TICKS,
    "date": [ticks - ticks % DAY for ticks in TICKS],
    "datetime": [TICKS[2], TICKS[4], TICKS[5] + 33333],
    "varbinary": [b"", b"\0\0", b"abcdef", b"\xff" * 10],
}


@pytest.mark.parametrize(("source", "target"), CONVERSIONS)
def test_conversions(sql: Sql, source: str, target: str) -> None:
    one, other = parse_type(source), parse_type(target)
    for attempt in (False, True):
        run = converter(one, other, None, attempt)
        text = convert_sql("?1", one, other, attempt=attempt)
        for value in [*VALUES[one.name], None]:
            result = sql.value(text, value)
            assert result == outcome(run, value), value
            assert type(result) is type(outcome(run, value)), value


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("varchar(20)", "varchar(5)"),
        ("nvarchar(20)", "varchar(5)"),
        ("nvarchar(20)", "nvarchar(5)"),
        ("nvarchar(max)", "nvarchar(2)"),
        ("varchar(20)", "char(5)"),
        ("varbinary(10)", "varbinary(3)"),
        ("int", "varchar(5)"),
        ("varchar(20)", "varchar(max)"),
    ],
)
def test_assignments(sql: Sql, source: str, target: str) -> None:
    one, other = parse_type(source), parse_type(target)
    run = assigner(one, other, "d.s.T", "C")
    text = assign_sql("?1", one, other, "d.s.T", "C")
    for value in [*VALUES[one.name], None]:
        assert sql.value(text, value) == outcome(run, value), value


def test_key_sql(sql: Sql) -> None:
    for text in [*WIDE_TEXTS, None]:
        assert sql.value(key_sql("?1"), text) == key(text)


def test_ascii_text_costs_no_callback(sql: Sql) -> None:
    before = sql.calls
    for name, types, row in (
        ("LEN", (nvarchar(50),), ("abc ",)),
        ("LEFT", (nvarchar(50), INT), ("abc", 2)),
        ("SUBSTRING", (varchar(50), INT, INT), ("abc", 2, 1)),
        ("UPPER", (varchar(50),), ("abc",)),
        ("CONCAT", (varchar(50), varchar(50)), ("abc", "d")),
        ("ABS", (INT,), (-4,)),
    ):
        sql.value(resolve(name, types).sql([f"?{index}" for index in range(1, len(row) + 1)]), *row)
    sql.value(resolve("DATEADD", (INT, DATETIME2), part="second").sql(["?1", "?2"]), 5, TICKS[4])
    sql.value(
        resolve("DATEDIFF", (DATETIME2, DATETIME2), part="second").sql(["?1", "?2"]), TICKS[4], TICKS[5]
    )
    sql.value(convert_sql("?1", nvarchar(20), varchar(20)), "abc")
    sql.value(convert_sql("?1", DATETIME2, SqlType("datetime2", scale=3)), TICKS[4])
    sql.value(inline_arithmetic("+", "?1", "?2", INT, BIT) or "", 1, 1)
    assert sql.calls == before


def test_decimals_sort_as_stored(sql: Sql) -> None:
    kind = decimal(38, 4)
    pack = converter(varchar(50), kind)
    random.seed(1)
    numbers = [str(random.randint(-(10**34) + 1, 10**34 - 1)) for _ in range(200)] + [
        "0",
        "-0.0001",
        "0.0001",
        "-1",
        "1",
    ]
    stored = [pack(number) for number in numbers]
    rows = sql.connection.execute(
        f"SELECT v.column1 FROM (VALUES {','.join('(?)' for _ in stored)}) AS v ORDER BY 1", stored
    ).fetchall()
    back = converter(kind, varchar(50))
    from decimal import Decimal

    shown = [Decimal(back(row[0])) for row in rows]
    assert shown == sorted(Decimal(number) for number in numbers)


def test_every_function_is_registered_under_its_own_name() -> None:
    assert all(
        name == function.name and name.startswith("chokaq_") for name, function in SQL_FUNCTIONS.items()
    )
