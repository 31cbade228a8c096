"""Dates and times as ticks: 100 ns since 0001-01-01, the stored form of every date and time type."""

from __future__ import annotations

import datetime as dt
import re
import time

from .problems import SqlError

SECOND = 10_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
EPOCH = (dt.date(1970, 1, 1).toordinal() - 1) * DAY
MAX_TICKS = dt.date.max.toordinal() * DAY - 1
_FIRST = dt.datetime(1, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)

#: Ticks of one unit of the parts whose length is fixed.
UNITS = {
    "nanosecond": 0,
    "microsecond": 10,
    "millisecond": 10_000,
    "second": SECOND,
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "dayofyear": DAY,
    "week": 7 * DAY,
}
PARTS = {
    "year": "year", "yy": "year", "yyyy": "year",
    "quarter": "quarter", "qq": "quarter", "q": "quarter",
    "month": "month", "mm": "month", "m": "month",
    "dayofyear": "dayofyear", "dy": "dayofyear", "y": "dayofyear",
    "day": "day", "dd": "day", "d": "day",
    "week": "week", "wk": "week", "ww": "week", "iso_week": "iso_week", "isowk": "iso_week",
    "weekday": "weekday", "dw": "weekday",
    "hour": "hour", "hh": "hour",
    "minute": "minute", "mi": "minute", "n": "minute",
    "second": "second", "ss": "second", "s": "second",
    "millisecond": "millisecond", "ms": "millisecond",
    "microsecond": "microsecond", "mcs": "microsecond",
    "nanosecond": "nanosecond", "ns": "nanosecond",
}  # fmt: skip


def now_ticks() -> int:
    """The UTC clock."""
    return EPOCH + time.time_ns() // 100


def local_ticks() -> int:
    """The local clock."""
    utc = time.time()
    offset = dt.datetime.fromtimestamp(utc).astimezone().utcoffset() or dt.timedelta()
    return now_ticks() + int(offset.total_seconds()) * SECOND


def to_datetime(ticks: int) -> dt.datetime:
    """Ticks as a datetime, cut to microseconds."""
    return _FIRST + dt.timedelta(microseconds=ticks // 10)


def to_date(ticks: int) -> dt.date:
    return dt.date.fromordinal(ticks // DAY + 1)


def to_time(ticks: int) -> dt.time:
    return to_datetime(ticks % DAY).time()


def from_datetime(value: dt.datetime) -> int:
    if value.tzinfo is not None:
        raise SqlError(206, "Operand type clash: datetimeoffset is incompatible with datetime2", 16, 2)
    return (value - _FIRST) // _MICROSECOND * 10


def from_date(value: dt.date) -> int:
    return (value.toordinal() - 1) * DAY


def from_time(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * SECOND + value.microsecond * 10


def round_ticks(ticks: int, scale: int) -> int:
    """Ticks rounded half up to ``scale`` digits of a second."""
    unit = 10 ** (7 - scale)
    rounded = (ticks + unit // 2) // unit * unit
    if rounded > MAX_TICKS:
        return rounded - unit
    return rounded


def round_datetime(ticks: int) -> int:
    """Ticks rounded to the 1/300 s of the old datetime type."""
    if ticks < 552877920000000000:
        raise out_of_range("datetime")
    days, rest = divmod(ticks, DAY)
    units = (rest * 300 + SECOND // 2) // SECOND
    # A datetime shows as its milliseconds (.000, .003, .007).
    milliseconds = (units * 10 + 1) // 3
    return days * DAY + milliseconds * 10_000


def out_of_range(kind: str) -> SqlError:
    return SqlError(
        242, f"The conversion of a data type to a {kind} data type resulted in an out-of-range value.", 16, 3
    )


_ISO = re.compile(
    r"^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,7}))?)?)?\s*(Z|[+-]\d{2}:\d{2})?\s*$",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"^\s*(\d{4})(\d{2})(\d{2})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?)?\s*$")
_TIME = re.compile(r"^\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*$")


def parse(text: str) -> int | None:
    """ISO 8601 and yyyymmdd text as ticks, with 100 ns; None when it is neither. A zone is taken off by its offset."""
    found = _ISO.match(text) or _COMPACT.match(text)
    if found is None:
        only_time = _TIME.match(text)
        if only_time is None:
            return None if text.strip() else EPOCH_1900
        hour, minute, second, fraction = only_time.groups()
        return EPOCH_1900 + _clock(hour, minute, second, fraction) if int(hour) < 24 else None
    year, month, day, hour, minute, second, fraction = found.groups()[:7]
    try:
        ticks = from_date(dt.date(int(year), int(month), int(day)))
    except ValueError:
        return None
    if hour is not None:
        if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
            return None
        ticks += _clock(hour, minute, second, fraction)
    zone = found.group(8) if found.re is _ISO else None
    if zone and zone.upper() != "Z":
        offset = (int(zone[1:3]) * 60 + int(zone[4:6])) * MINUTE
        ticks += -offset if zone[0] == "+" else offset
    return ticks


EPOCH_1900 = (dt.date(1900, 1, 1).toordinal() - 1) * DAY


def _clock(hour: str, minute: str, second: str | None, fraction: str | None) -> int:
    ticks = (int(hour) * 60 + int(minute)) * MINUTE + int(second or 0) * SECOND
    return ticks + int((fraction or "0").ljust(7, "0"))


def text(ticks: int, kind: str, scale: int, style: int) -> str:
    """Date or time as text in one of the styles that the engine knows."""
    day = to_date(ticks)
    seconds, fraction = divmod(ticks % DAY, SECOND)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    digits = f"{fraction:07}"[:scale]
    with_fraction = f"{clock}.{digits}" if scale else clock
    if kind == "date" and style in (0, 20, 21, 23, 25, 120, 121, 126, 127):
        return day.isoformat()
    if kind == "time":
        return with_fraction if style not in (8, 108, 24) else clock
    if style in (126, 127):
        if kind == "datetime" and not fraction:
            with_fraction = clock
        return f"{day.isoformat()}T{with_fraction}" + ("Z" if style == 127 else "")
    if style in (20, 120):
        return f"{day.isoformat()} {clock}"
    if style in (21, 25, 121) or (style == 0 and kind == "datetime2"):
        return f"{day.isoformat()} {with_fraction}"
    if style == 23:
        return day.isoformat()
    if style == 112:
        return day.strftime("%Y%m%d")
    if style in (8, 24, 108):
        return clock
    if style == 0:
        hour = seconds // 3600
        return f"{day.strftime('%b')} {day.day:2} {day.year} {hour % 12 or 12:2}:{seconds // 60 % 60:02}{'AM' if hour < 12 else 'PM'}"
    raise SqlError(281, f"{style} is not a style that the embedded engine has for dates as text.", 16, 1)


def add(part: str, number: int, ticks: int) -> int:
    """DATEADD; raises 517 when the result leaves the calendar."""
    if part in ("year", "quarter", "month"):
        months = number * {"year": 12, "quarter": 3, "month": 1}[part]
        day = to_date(ticks)
        index = day.year * 12 + day.month - 1 + months
        year, month = divmod(index, 12)
        if not 1 <= year <= 9999:
            raise _overflow()
        last = (dt.date(year + (month == 11), (month + 1) % 12 + 1, 1) - dt.timedelta(days=1)).day if year < 9999 or month < 11 else 31
        return from_date(dt.date(year, month + 1, min(day.day, last))) + ticks % DAY
    if part == "nanosecond":
        result = ticks + (number + 50 if number >= 0 else number - 49) // 100
    elif part == "weekday":
        result = ticks + number * DAY
    else:
        result = ticks + number * UNITS[part]
    if not 0 <= result <= MAX_TICKS:
        raise _overflow()
    return result


def _overflow() -> SqlError:
    return SqlError(517, "Adding a value to a 'datetime2' column caused an overflow.", 16, 3)


def difference(part: str, start: int, end: int) -> int:
    """DATEDIFF: how many boundaries of the part lie between."""
    if part in ("year", "quarter", "month"):
        a, b = to_date(start), to_date(end)
        if part == "year":
            return b.year - a.year
        if part == "month":
            return (b.year - a.year) * 12 + b.month - a.month
        return (b.year * 4 + (b.month - 1) // 3) - (a.year * 4 + (a.month - 1) // 3)
    if part == "nanosecond":
        return (end - start) * 100
    if part == "week":
        # Weeks begin on Sunday, whatever DATEFIRST says; 0001-01-01 was a Monday.
        return (end + DAY) // (7 * DAY) - (start + DAY) // (7 * DAY)
    unit = UNITS["day" if part == "weekday" else part]
    return end // unit - start // unit


def part_of(part: str, ticks: int) -> int:
    """DATEPART."""
    day = to_date(ticks)
    if part == "year":
        return day.year
    if part == "quarter":
        return (day.month - 1) // 3 + 1
    if part == "month":
        return day.month
    if part == "day":
        return day.day
    if part == "dayofyear":
        return day.timetuple().tm_yday
    if part == "weekday":
        return day.isoweekday() % 7 + 1
    if part == "iso_week":
        return day.isocalendar()[1]
    if part == "week":
        first = dt.date(day.year, 1, 1)
        return (day.timetuple().tm_yday + first.isoweekday() % 7 - 1) // 7 + 1
    rest = ticks % DAY
    if part == "hour":
        return rest // HOUR
    if part == "minute":
        return rest // MINUTE % 60
    if part == "second":
        return rest // SECOND % 60
    fraction = rest % SECOND
    return {"millisecond": fraction // 10_000, "microsecond": fraction // 10, "nanosecond": fraction * 100}[part]
