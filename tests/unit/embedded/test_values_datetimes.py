"""DATEADD, DATEDIFF, DATEPART and the constructors."""

from __future__ import annotations

from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.conversions import convert
from chokaq.embedded.values.datetimes import from_datetime, offset_parts, to_datetime, utc_ticks
from chokaq.embedded.values.functions import resolve
from chokaq.embedded.values.types import DATE, INT, NULL, SqlType, parse_type, varchar


def ticks(text: str, kind: str = "datetime2") -> Any:
    return convert(text, "varchar(50)", kind)


def shown(value: Any, kind: str = "datetime2") -> str:
    return str(convert(value, kind, "varchar(50)", 121))


def call(name: str, types: tuple[SqlType, ...], *values: Any, part: str = "") -> Any:
    try:
        return resolve(name, types, part=part).evaluate(*values)
    except SqlError as error:
        return error.number


# From the page dateadd of functions in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("part", "number", "kind", "start", "expected"),
    [
        ("year", 1, "datetime2", "2024-02-29", "2025-02-28 00:00:00.0000000"),
        ("yy", -1, "datetime2", "2024-02-29 01:02:03", "2023-02-28 01:02:03.0000000"),
        ("quarter", 1, "date", "2023-11-30", "2024-02-29"),
        ("month", 1, "datetime", "2006-08-30", "2006-09-30 00:00:00.000"),
        ("mm", 1, "datetime", "2006-08-31", "2006-09-30 00:00:00.000"),
        ("month", -1, "date", "2024-01-31", "2023-12-31"),
        ("week", 1, "date", "2024-01-01", "2024-01-08"),
        ("weekday", 1, "date", "2024-01-01", "2024-01-02"),
        ("dayofyear", 1, "date", "2024-01-01", "2024-01-02"),
        ("hh", -1, "datetime2", "2024-01-01", "2023-12-31 23:00:00.0000000"),
        ("second", 90, "datetime2(0)", "2024-01-01", "2024-01-01 00:01:30"),
        ("millisecond", 1, "datetime2", "2024-01-01", "2024-01-01 00:00:00.0010000"),
        ("millisecond", 1, "datetime2(0)", "2024-01-01", "2024-01-01 00:00:00"),
        ("millisecond", 2, "datetime", "2024-01-01", "2024-01-01 00:00:00.003"),
        ("ns", 150, "datetime2", "2024-01-01", "2024-01-01 00:00:00.0000002"),
        ("mcs", 7, "datetime2", "2024-01-01", "2024-01-01 00:00:00.0000070"),
        ("hour", 25, "time(0)", "01:00:00", "02:00:00"),
        ("day", 1, "datetimeoffset(0)", "2024-01-01 00:00:00 +05:00", "2024-01-02 00:00:00 +05:00"),
        ("year", 10000, "datetime2", "2024-01-01", 517),
        ("day", -1, "datetime2", "0001-01-01", 517),
        ("day", -1, "datetime", "1753-01-01", 517),
        ("second", 1, "datetime2", "9999-12-31 23:59:59.5", 517),
        ("minute", 1, "date", "2024-01-01", 9810),
        ("day", 1, "time(0)", "01:00:00", 9810),
        ("nanosecond", 1, "datetime", "2024-01-01", 9810),
        ("fortnight", 1, "date", "2024-01-01", 155),
    ],
)
def test_dateadd(part: str, number: int, kind: str, start: str, expected: Any) -> None:
    result = call("DATEADD", (INT, parse_type(kind)), number, ticks(start, kind), part=part)
    assert (result if isinstance(expected, int) else shown(result, kind)) == expected


def test_dateadd_types() -> None:
    # The page says that a string literal gives a datetime.
    assert resolve("DATEADD", (INT, varchar(10)), part="day").result.name == "datetime"
    assert resolve("DATEADD", (INT, DATE), part="day").result.name == "date"
    assert resolve("DATEADD", (parse_type("bigint"), DATE), part="day").arguments[0] == INT
    assert call("DATEADD", (INT, DATE), None, 0, part="day") is None
    assert resolve("DATEADD", (INT, NULL), part="day").result.name == "datetime"


# From the page datediff of functions in Microsoft's T-SQL reference: every one of these is one boundary.
@pytest.mark.parametrize(
    "part",
    "year quarter month dayofyear day week hour minute second millisecond microsecond".split(),
)
def test_datediff_counts_boundaries(part: str) -> None:
    kind = parse_type("datetime2")
    start, end = ticks("2005-12-31 23:59:59.9999999"), ticks("2006-01-01 00:00:00.0000000")
    assert call("DATEDIFF", (kind, kind), start, end, part=part) == 1
    assert call("DATEDIFF", (kind, kind), end, start, part=part) == -1


@pytest.mark.parametrize(
    ("part", "start", "end", "expected"),
    [
        ("day", "2024-01-01", "2023-12-31 23:59", -1),
        ("week", "2024-01-06", "2024-01-07", 1),  # Saturday, Sunday
        ("week", "2024-01-07", "2024-01-13", 0),
        ("nanosecond", "2024-01-01", "2024-01-01 00:00:00.0000001", 100),
        ("second", "0001-01-01", "9999-12-31", 535),
        ("second", "1900-01-01", "1968-01-20 03:14:07", 2147483647),
        ("second", "1900-01-01", "1968-01-20 03:14:08", 535),
        ("millisecond", "2024-01-01", "2024-01-31", 535),
        ("minute", "0001-01-01", "9999-12-31", 535),
        ("hour", "0001-01-01", "9999-12-31", 87649392),
        ("quarter", "2023-12-31", "2024-04-01", 2),
    ],
)
def test_datediff(part: str, start: str, end: str, expected: int) -> None:
    kind = parse_type("datetime2")
    assert call("DATEDIFF", (kind, kind), ticks(start), ticks(end), part=part) == expected
    if expected == 535:
        assert call("DATEDIFF_BIG", (kind, kind), ticks(start), ticks(end), part=part) > 2**31 - 1


def test_datediff_message_and_mixed_types() -> None:
    with pytest.raises(SqlError) as caught:
        resolve("DATEDIFF", (parse_type("date"),) * 2, part="second").evaluate(
            ticks("0001-01-01"), ticks("2000-01-01")
        )
    assert caught.value.message == (
        "The datediff function resulted in an overflow. The number of dateparts separating two date/time "
        "instances is too large. Try to use datediff with a less precise datepart."
    )
    assert call("DATEDIFF", (parse_type("time"),) * 2, 0, 1, part="day") == 0
    mixed = resolve("DATEDIFF", (parse_type("datetimeoffset"), parse_type("datetime2")), part="hour")
    assert [kind.name for kind in mixed.arguments] == ["datetimeoffset", "datetimeoffset"]
    one, other = (
        ticks("2024-01-01 02:00 +02:00", "datetimeoffset"),
        ticks("2024-01-01 01:00", "datetimeoffset"),
    )
    assert mixed.evaluate(one, other) == 1


# From the page datepart of functions in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("year", 2007),
        ("quarter", 4),
        ("month", 10),
        ("dayofyear", 303),
        ("day", 30),
        ("week", 44),
        ("weekday", 3),
        ("hour", 12),
        ("minute", 15),
        ("second", 32),
        ("millisecond", 123),
        ("microsecond", 123456),
        ("nanosecond", 123456700),
        ("iso_week", 44),
    ],
)
def test_datepart(part: str, expected: int) -> None:
    moment = ticks("2007-10-30 12:15:32.1234567")
    assert call("DATEPART", (parse_type("datetime2"),), moment, part=part) == expected


def test_datepart_of_offset_and_names() -> None:
    kind = parse_type("datetimeoffset")
    moment = ticks("2007-10-30 12:15:32.1234567 +05:10", "datetimeoffset")
    assert call("DATEPART", (kind,), moment, part="tz") == 310
    assert call("DATEPART", (kind,), moment, part="hour") == 12
    day = parse_type("datetime2")
    assert call("DATENAME", (day,), ticks("2007-10-30"), part="month") == "October"
    assert call("DATENAME", (day,), ticks("2007-10-30"), part="weekday") == "Tuesday"
    assert call("DATENAME", (day,), ticks("2007-10-30"), part="year") == "2007"
    assert (call("YEAR", (day,), ticks("2007-10-30")), call("MONTH", (day,), ticks("2007-10-30"))) == (
        2007,
        10,
    )
    assert call("DATEPART", (DATE,), ticks("2007-10-30"), part="hour") == 9810


@pytest.mark.parametrize(
    ("text", "week"), [("2021-01-03", 53), ("2021-01-04", 1), ("2016-01-01", 53), ("2018-12-31", 1)]
)
def test_iso_week(text: str, week: int) -> None:
    assert call("DATEPART", (DATE,), ticks(text), part="isowk") == week


def test_constructors() -> None:
    integers = (INT,) * 8
    made = call("DATETIME2FROMPARTS", integers, 2011, 8, 15, 14, 23, 44, 5, 1)
    assert shown(made) == "2011-08-15 14:23:44.5000000"
    made = call("DATETIME2FROMPARTS", integers, 2011, 8, 15, 14, 23, 44, 1234567, 7)
    assert shown(made) == "2011-08-15 14:23:44.1234567"
    assert call("DATETIME2FROMPARTS", integers, 2011, 8, 15, 14, 23, 44, 5, 0) == 289
    assert call("DATETIME2FROMPARTS", integers, 2011, 8, None, 14, 23, 44, 5, 1) is None
    assert shown(call("DATEFROMPARTS", integers[:3], 2024, 2, 29), "date") == "2024-02-29"
    assert call("DATEFROMPARTS", integers[:3], 2023, 2, 29) == 289
    assert (
        shown(call("DATETIMEFROMPARTS", integers[:7], 2024, 2, 29, 1, 2, 3, 998), "datetime")
        == "2024-02-29 01:02:03.997"
    )
    assert shown(call("TIMEFROMPARTS", integers[:5], 1, 2, 3, 45, 2), "time(2)") == "01:02:03.45"


def test_eomonth() -> None:
    assert shown(call("EOMONTH", (DATE,), ticks("2024-02-10", "date")), "date") == "2024-02-29"
    assert shown(call("EOMONTH", (DATE, INT), ticks("2024-01-31", "date"), 1), "date") == "2024-02-29"
    assert shown(call("EOMONTH", (DATE, INT), ticks("2024-01-31", "date"), -2), "date") == "2023-11-30"
    assert shown(call("EOMONTH", (DATE,), ticks("9999-12-01", "date")), "date") == "9999-12-31"
    assert call("EOMONTH", (DATE, INT), ticks("9999-12-01", "date"), 1) == 517


def test_clock_and_python_values() -> None:
    import datetime as dt

    now = to_datetime(utc_ticks()).replace(tzinfo=dt.timezone.utc)
    assert abs((now - dt.datetime.now(dt.timezone.utc)).total_seconds()) < 5
    moment = dt.datetime(2024, 2, 29, 1, 2, 3, 456789)  # noqa: DTZ001
    assert to_datetime(from_datetime(moment)) == moment
    with pytest.raises(SqlError):
        from_datetime(moment.replace(tzinfo=dt.timezone.utc))
    assert shown(call("GETUTCDATE", ()), "datetime")[:4] == str(now.year)


def test_offsets() -> None:
    kind = parse_type("datetimeoffset")
    made = call(
        "TODATETIMEOFFSET", (parse_type("datetime2"), varchar(6)), ticks("2024-01-01 10:00"), "-05:00"
    )
    assert shown(made, "datetimeoffset(0)") == "2024-01-01 10:00:00 -05:00"
    moved = call("SWITCHOFFSET", (kind, INT), made, 60)
    assert shown(moved, "datetimeoffset(0)") == "2024-01-01 16:00:00 +01:00"
    assert offset_parts(moved)[1] == 60
    assert made[:19] == moved[:19]


@pytest.mark.parametrize(
    ("text", "expected"), [("2024-01-01", 1), ("nonsense", 0), ("", 0), (None, 0), ("17000101", 0)]
)
def test_isdate(text: str | None, expected: int) -> None:
    assert call("ISDATE", (varchar(50),), text) == expected
