"""Dates and times as ticks of 100 ns since 0001-01-01: arithmetic, parts, and the same in SQLite's own
SQL.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from typing import Any, Final

from ..errors import SqlError, sql_error
from .types import SqlType

__all__ = [
    "DAY",
    "EPOCH_1900",
    "HOUR",
    "MAX_TICKS",
    "MINUTE",
    "PARTS",
    "SECOND",
    "add",
    "adder",
    "clock_parts",
    "differ",
    "difference",
    "end_of_month",
    "from_date",
    "from_datetime",
    "from_parts",
    "from_time",
    "inline_add",
    "inline_difference",
    "inline_part",
    "local_ticks",
    "name_of",
    "offset_parts",
    "offset_value",
    "part_name",
    "part_of",
    "round_datetime",
    "round_ticks",
    "time_from_parts",
    "to_date",
    "to_datetime",
    "to_time",
    "utc_ticks",
    "ymd_ticks",
]

SECOND: Final = 10_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MAX_TICKS: Final = dt.date.max.toordinal() * DAY - 1
EPOCH_1900: Final = (dt.date(1900, 1, 1).toordinal() - 1) * DAY
_EPOCH_1970: Final = (dt.date(1970, 1, 1).toordinal() - 1) * DAY
_FIRST_DATETIME: Final = (dt.date(1753, 1, 1).toordinal() - 1) * DAY
_FIRST: Final = dt.datetime(1, 1, 1)  # noqa: DTZ001 - ticks have no zone
_MICROSECOND: Final = dt.timedelta(microseconds=1)

# Ticks of one unit of the parts that have a fixed length.
_UNITS: Final = {
    "microsecond": 10,
    "millisecond": 10_000,
    "second": SECOND,
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "dayofyear": DAY,
    "weekday": DAY,
    "week": 7 * DAY,
}
_ABBREVIATIONS: Final = {
    "year": ("yy", "yyyy"),
    "quarter": ("qq", "q"),
    "month": ("mm", "m"),
    "dayofyear": ("dy", "y"),
    "day": ("dd", "d"),
    "week": ("wk", "ww"),
    "iso_week": ("isowk", "isoww"),
    "weekday": ("dw", "w"),
    "hour": ("hh",),
    "minute": ("mi", "n"),
    "second": ("ss", "s"),
    "millisecond": ("ms",),
    "microsecond": ("mcs",),
    "nanosecond": ("ns",),
    "tzoffset": ("tz",),
}
#: Every spelling of a datepart → its full name.
PARTS: Final = {word: part for part, words in _ABBREVIATIONS.items() for word in (part, *words)}
_CLOCK_PARTS: Final = frozenset({"hour", "minute", "second", "millisecond", "microsecond", "nanosecond"})


def part_name(word: str, function: str) -> str:
    """The full name of a datepart. 155: there is none of that name."""
    part = PARTS.get(word.lower())
    if part is None:
        raise sql_error(155, word, function.lower())
    return part


# The clock and Python's values


def utc_ticks() -> int:
    """SYSUTCDATETIME()."""
    return _EPOCH_1970 + time.time_ns() // 100


def local_ticks() -> int:
    """SYSDATETIME()."""
    now = time.time_ns()
    offset = (
        dt.datetime.fromtimestamp(now // 10**9, dt.timezone.utc).astimezone().utcoffset() or dt.timedelta()
    )
    return _EPOCH_1970 + now // 100 + int(offset.total_seconds()) * SECOND


def from_datetime(value: dt.datetime) -> int:
    """A naive datetime. 206: it has a zone (datetime2 has none)."""
    if value.tzinfo is not None:
        raise sql_error(206, "datetimeoffset", "datetime2")
    return (value - _FIRST) // _MICROSECOND * 10


def to_datetime(ticks: int) -> dt.datetime:
    """Cut to microseconds, as pyodbc shows it."""
    return _FIRST + dt.timedelta(microseconds=ticks // 10)


def from_date(value: dt.date) -> int:
    return (value.toordinal() - 1) * DAY


def to_date(ticks: int) -> dt.date:
    return dt.date.fromordinal(ticks // DAY + 1)


def from_time(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * SECOND + value.microsecond * 10


def to_time(ticks: int) -> dt.time:
    return to_datetime(ticks % DAY).time()


def offset_value(local: int, minutes: int) -> str:
    """A datetimeoffset from its local time and its offset in minutes. 241: outside the calendar."""
    utc = local - minutes * MINUTE
    if not 0 <= utc <= MAX_TICKS or abs(minutes) > 840:
        raise sql_error(241)
    return f"{utc:019}{minutes + 840:04}"


def offset_parts(value: str) -> tuple[int, int]:
    """Local ticks and offset in minutes."""
    minutes = int(value[19:]) - 840
    return int(value[:19]) + minutes * MINUTE, minutes


# Rounding to a type


def round_ticks(ticks: int, scale: int) -> int:
    """To ``scale`` digits of a second, half up; at the end of the calendar down."""
    unit = int(10 ** (7 - scale))
    rounded = (ticks + unit // 2) // unit * unit
    return rounded if rounded <= MAX_TICKS else rounded - unit


def round_datetime(ticks: int, source: str = "datetime2") -> int:
    """To 1/300 s, as ticks. 242: before 1753."""
    days, rest = divmod(ticks, DAY)
    units = (rest * 300 + SECOND // 2) // SECOND
    rounded = days * DAY + (units * SECOND + 150) // 300
    if not _FIRST_DATETIME <= rounded <= MAX_TICKS:
        raise sql_error(242, source, "datetime")
    return rounded


def round_minute(ticks: int) -> int:
    """To smalldatetime's minute."""
    return (ticks + MINUTE // 2) // MINUTE * MINUTE


def fit(ticks: int, kind: SqlType) -> int:
    """Ticks as the type keeps them. 242: outside its range."""
    if kind.name == "datetime2":
        return ticks if kind.scale == 7 else round_ticks(ticks, kind.scale)
    if kind.name == "datetime":
        return round_datetime(ticks)
    if kind.name == "date":
        return ticks - ticks % DAY
    if kind.name == "time":
        return round_ticks(ticks % DAY, kind.scale) % DAY
    rounded = round_minute(ticks)
    if not EPOCH_1900 <= rounded < EPOCH_1900 + 65536 * DAY:
        raise sql_error(242, "datetime2", "smalldatetime")
    return rounded


# DATEADD


def _check_part(part: str, kind: SqlType, function: str) -> None:
    """9810. DATEDIFF takes every part: what a type lacks is midnight, or 1900-01-01."""
    wrong = (part == "tzoffset" and not (function == "datepart" and kind.name == "datetimeoffset")) or (
        part == "iso_week" and function != "datepart"
    )
    if not function.startswith("datediff"):
        wrong = (
            wrong
            or (kind.name == "date" and part in _CLOCK_PARTS)
            or (kind.name == "time" and part not in _CLOCK_PARTS)
        )
    if function == "dateadd" and kind.name in ("datetime", "smalldatetime"):
        wrong = wrong or part in ("microsecond", "nanosecond")
    if wrong:
        raise sql_error(9810, part, function, kind.name)


def add(part: str, number: int, ticks: int, kind: SqlType) -> int:
    """DATEADD over ticks of ``kind``. 517: the result leaves the type's range."""
    if part in ("year", "quarter", "month"):
        result = _add_months(number * {"year": 12, "quarter": 3, "month": 1}[part], ticks, kind)
    elif part == "nanosecond":
        result = ticks + (number + 50 if number >= 0 else number - 49) // 100
    else:
        result = ticks + number * _UNITS[part]
    if kind.name == "time":
        return round_ticks(result % DAY, kind.scale) % DAY
    if not 0 <= result <= MAX_TICKS:
        raise _add_overflow(kind)
    try:
        return fit(result, kind)
    except SqlError:
        raise _add_overflow(kind) from None


def _add_overflow(kind: SqlType) -> SqlError:
    return sql_error(517, kind.name)


def _add_months(months: int, ticks: int, kind: SqlType) -> int:
    day = to_date(ticks)
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise _add_overflow(kind)
    date = dt.date(year, month + 1, min(day.day, _month_length(year, month + 1)))
    return from_date(date) + ticks % DAY


def _month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def adder(part: str, kind: SqlType) -> Callable[[int, Any], Any]:
    """DATEADD of one part over stored values of one type. 9810: the type lacks the part."""
    _check_part(part, kind, "dateadd")
    if kind.name == "datetimeoffset":

        def add_offset(number: int, value: str) -> str:
            local, minutes = offset_parts(value)
            return offset_value(round_ticks(add(part, number, local, _PLAIN), kind.scale), minutes)

        return add_offset
    return lambda number, value: add(part, number, value, kind)


_PLAIN: Final = SqlType("datetime2", scale=7)


def inline_add(part: str, kind: SqlType, number: str, value: str) -> str | None:
    """DATEADD in SQLite's SQL, None where it must be ``adder``. Calls chokaq_dateadd only on overflow; both
    operands are written up to three times, so they should be short.
    """
    unit = _UNITS.get(part)
    if unit is None or kind.name not in ("datetime2", "datetime", "smalldatetime", "date"):
        return None
    if (kind.name == "datetime2" and unit % 10 ** (7 - kind.scale)) or (
        kind.name == "datetime" and unit < SECOND
    ):
        return None
    if (kind.name == "date" and unit < DAY) or (kind.name == "smalldatetime" and unit < MINUTE):
        return None
    low, high = 0, MAX_TICKS
    if kind.name == "datetime":
        low = _FIRST_DATETIME
    elif kind.name == "smalldatetime":
        low, high = EPOCH_1900, EPOCH_1900 + 65536 * DAY - 1
    total = f"{value} + {number} * {unit}"
    slow = f"chokaq_dateadd('{part}', {number}, {value}, '{kind}')"
    return f"CASE WHEN {total} < {low} OR {total} > {high} THEN {slow} ELSE {total} END"


# DATEDIFF


def difference(part: str, start: int, end: int) -> int:
    """How many boundaries of the part lie between. Weeks begin on Sunday, whatever DATEFIRST says."""
    if part in ("year", "quarter", "month"):
        first, last = to_date(start), to_date(end)
        months = (last.year - first.year) * 12 + last.month - first.month
        if part == "year":
            return last.year - first.year
        if part == "month":
            return months
        return (last.year * 12 + last.month - 1) // 3 - (first.year * 12 + first.month - 1) // 3
    if part == "nanosecond":
        return (end - start) * 100
    if part == "week":
        # 0001-01-01 was a Monday.
        return (end + DAY) // (7 * DAY) - (start + DAY) // (7 * DAY)
    unit = _UNITS[part]
    return end // unit - start // unit


def differ(part: str, kind: SqlType, *, big: bool = False) -> Callable[[int, int], int]:
    """DATEDIFF or (``big``) DATEDIFF_BIG over ticks. 535: the result exceeds its type."""
    function = "datediff_big" if big else "datediff"
    _check_part(part, kind, function)
    limit = 2**63 if big else 2**31

    def run(start: int, end: int) -> int:
        result = difference(part, start, end)
        if not -limit <= result < limit:
            raise sql_error(535, function, function)
        return result

    return run


def inline_difference(part: str, start: str, end: str, *, big: bool = False) -> str | None:
    """DATEDIFF of ticks in SQLite's SQL; None where it must be ``differ``."""
    unit = _UNITS.get(part)
    if unit is None:
        return None
    if part == "week":
        start, end = f"({start} + {DAY})", f"({end} + {DAY})"
    result = f"({end}) / {unit} - ({start}) / {unit}"
    if big or unit >= MINUTE * 60:
        # Even the whole calendar has fewer hours than int holds.
        return f"({result})"
    slow = f"chokaq_datediff('{part}', {start}, {end})"
    return f"CASE WHEN {result} NOT BETWEEN -2147483648 AND 2147483647 THEN {slow} ELSE {result} END"


# DATEPART and friends


def part_of(part: str, ticks: int, first_day: int = 7) -> int:
    """DATEPART. ``first_day``: SET DATEFIRST, 7 is Sunday."""
    if part in _CLOCK_PARTS:
        return _clock_part(part, ticks % DAY)
    day = to_date(ticks)
    if part in ("year", "month", "day"):
        return int(getattr(day, part))
    if part == "quarter":
        return (day.month - 1) // 3 + 1
    if part == "iso_week":
        return day.isocalendar()[1]
    if part == "weekday":
        return (day.isoweekday() - first_day) % 7 + 1
    day_of_year = day.timetuple().tm_yday
    if part == "dayofyear":
        return day_of_year
    before = (dt.date(day.year, 1, 1).isoweekday() - first_day) % 7
    return (day_of_year + before - 1) // 7 + 1


def _clock_part(part: str, rest: int) -> int:
    if part == "nanosecond":
        return rest % SECOND * 100
    if part in ("millisecond", "microsecond"):
        return rest % SECOND // _UNITS[part]
    return rest // _UNITS[part] % (24 if part == "hour" else 60)


def check_datepart(part: str, kind: SqlType) -> None:
    """9810: the type lacks the part."""
    _check_part(part, kind, "datepart")


def inline_part(part: str, value: str) -> str | None:
    """DATEPART of ticks in SQLite's SQL; None where it must be ``part_of``."""
    if part == "nanosecond":
        return f"(({value}) % {SECOND} * 100)"
    if part in ("millisecond", "microsecond"):
        return f"(({value}) % {SECOND} / {_UNITS[part]})"
    if part in _CLOCK_PARTS:
        return f"(({value}) / {_UNITS[part]} % {24 if part == 'hour' else 60})"
    return None


_MONTHS: Final = (
    "January February March April May June July August September October November December".split()
)
_DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def name_of(part: str, ticks: int) -> str:
    """DATENAME in us_english."""
    if part == "month":
        return _MONTHS[to_date(ticks).month - 1]
    if part == "weekday":
        return _DAYS[to_date(ticks).weekday()]
    return str(part_of(part, ticks))


def ymd_ticks(year: int, month: int, day: int) -> int | None:
    """Midnight of a day; None: no such day."""
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= _month_length(year, month)):
        return None
    return from_date(dt.date(year, month, day))


def clock_parts(hour: int, minute: int, second: int, fraction: int, precision: int) -> int | None:
    """Ticks since midnight, the fraction counted in units of 10**-precision s; None: no such time."""
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59 and 0 <= precision <= 7):
        return None
    if not 0 <= fraction < 10**precision:
        return None
    return (hour * 60 + minute) * MINUTE + second * SECOND + fraction * int(10 ** (7 - precision))


def from_parts(kind: str, *numbers: int) -> int:
    """DATEFROMPARTS, DATETIMEFROMPARTS, DATETIME2FROMPARTS. 289: no such moment."""
    day = ymd_ticks(*numbers[:3])
    if len(numbers) == 3:
        clock: int | None = 0
    else:
        precision = numbers[7] if len(numbers) > 7 else 3
        clock = clock_parts(numbers[3], numbers[4], numbers[5], numbers[6], precision)
    if day is None or clock is None or (kind == "datetime" and day < _FIRST_DATETIME):
        raise sql_error(289, kind)
    return round_datetime(day + clock) if kind == "datetime" else day + clock


def time_from_parts(*numbers: int) -> int:
    """TIMEFROMPARTS. 289: no such time."""
    ticks = clock_parts(*numbers[:5])
    if ticks is None:
        raise sql_error(289, "time")
    return ticks


def end_of_month(ticks: int, months: int | None = 0) -> int:
    """EOMONTH. 517: outside the calendar."""
    day = to_date(_add_months(months or 0, ticks - ticks % DAY, SqlType("date")))
    return from_date(day.replace(day=_month_length(day.year, day.month)))
