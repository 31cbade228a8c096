"""Dates and times as text: what SQL Server reads under us_english, and the styles in which CONVERT writes."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..errors import sql_error
from .datetimes import (
    DAY,
    EPOCH_1900,
    MINUTE,
    SECOND,
    clock_parts,
    offset_parts,
    to_date,
    ymd_ticks,
)
from .types import SqlType

__all__ = ["Moment", "format_value", "read"]


class Moment(NamedTuple):
    """What a text says: day and time of day in ticks, and the offset in minutes where it names one."""

    day: int
    clock: int
    offset: int | None
    has_date: bool
    has_time: bool
    digits: int


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        1,
    )
    for name in names
}
_SHORT_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# ISO 8601 with T wants every part at its full width.
_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
_ZONE: Final = re.compile(r"\s*(Z|[+-]\s*\d{1,2}:\d{1,2})$", re.ASCII | re.IGNORECASE)
_TIME: Final = re.compile(
    r"(?<![\d/.-])(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:([.:])\s*(\d{1,9}))?)?)?\s*(AM|PM)?(?![\d:])",
    re.ASCII | re.IGNORECASE,
)
_NUMBERS: Final = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})", re.ASCII)
_PACKED: Final = re.compile(r"(\d{8}|\d{6}|\d{4})", re.ASCII)
_WORDS: Final = re.compile(
    r"(\d{4}\s+)?(?:(\d{1,2})[\s-]+)?([a-z]+)\.?[\s-]*(?:(\d{1,2})(?!\d)\s*,?)?[\s,-]*(\d{2}(?:\d{2})?)?",
    re.ASCII | re.IGNORECASE,
)

_DAY_FIRST: Final = frozenset({3, 4, 5, 103, 104, 105})
_YEAR_FIRST: Final = frozenset({2, 11, 12, 102, 111, 112, 20, 21, 23, 25, 120, 121, 126, 127})


def read(text: str, style: int | None = None) -> Moment | None:
    """What the text says; None: no date or time. ``style`` settles the order of day and month."""
    body = text.strip()
    iso = _ISO.fullmatch(body)
    if iso is not None:
        day = ymd_ticks(int(iso[1]), int(iso[2]), int(iso[3]))
        clock = _clock(iso[4], iso[5], iso[6], iso[7], None)
        offset = _offset(iso[8])
        if day is None or clock is None or offset is False:
            return None
        return Moment(day, clock, offset, True, True, len(iso[7] or ""))
    if not body:
        return Moment(EPOCH_1900, 0, None, False, False, 0)
    return _read_loose(body, style)


def _read_loose(body: str, style: int | None) -> Moment | None:
    zone = _ZONE.search(body)
    offset: int | bool | None = None
    if zone is not None and ":" in body[: zone.start()]:
        offset = _offset(zone[1].replace(" ", ""))
        body = body[: zone.start()]
    clock, has_time, digits = 0, False, 0
    for found in _TIME.finditer(body):
        if found[2] is None and found[6] is None:
            continue
        parsed = _clock(found[1], found[2] or "0", found[3], found[5], found[6], mark=found[4])
        if parsed is None:
            return None
        clock, has_time, digits = parsed, True, len(found[5] or "")
        body = (body[: found.start()] + " " + body[found.end() :]).strip()
        break
    if offset is False or (offset is not None and not has_time):
        return None
    if not body:
        return Moment(EPOCH_1900, clock, offset, False, has_time, digits)
    day = _read_day(body, style)
    return None if day is None else Moment(day, clock, offset, True, has_time, digits)


def _read_day(text: str, style: int | None) -> int | None:
    found = _NUMBERS.fullmatch(text)
    if found is not None:
        first, second, third = found[1], found[3], found[4]
        if len(first) == 4 or style in _YEAR_FIRST:
            return ymd_ticks(_year(first), int(second), int(third)) if len(third) <= 2 else None
        if len(first) > 2 or len(third) == 3:
            return None
        month, day = (second, first) if style in _DAY_FIRST else (first, second)
        return ymd_ticks(_year(third), int(month), int(day))
    found = _PACKED.fullmatch(text)
    if found is not None:
        if len(text) == 4:
            return ymd_ticks(int(text), 1, 1)
        return ymd_ticks(_year(text[:-4]), int(text[-4:-2]), int(text[-2:]))
    found = _WORDS.fullmatch(text)
    if found is None:
        return None
    lead, before, word, after, last = found.groups()
    number = _MONTHS.get(word.lower())
    years = [part for part in (lead, last) if part]
    if number is None or len(years) != 1 or (before and after):
        return None
    return ymd_ticks(_year(years[0].strip()), number, int(before or after or 1))


def _year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < 50 else 1900)


def _clock(
    hour: str,
    minute: str,
    second: str | None,
    fraction: str | None,
    half: str | None,
    *,
    mark: str | None = ".",
) -> int | None:
    number = int(hour)
    if half:
        if not 0 <= number <= 12 and not (number <= 23 and half.upper() == "PM"):
            return None
        if half.upper() == "AM":
            number %= 12
        elif number < 12:
            number += 12
    digits = fraction or ""
    if len(digits) > 7:
        return None
    # After a colon the digits are whole milliseconds, after a point a fraction.
    digits = digits.rjust(3, "0") if mark == ":" else digits
    return clock_parts(number, int(minute), int(second or 0), int(digits or 0), len(digits))


def _offset(text: str | None) -> int | bool | None:
    """Minutes; None: no zone, False: one that there is not."""
    if not text:
        return None
    if text in "zZ":
        return 0
    hours, _, minutes = text[1:].partition(":")
    total = int(hours) * 60 + int(minutes)
    if int(minutes) > 59 or total > 840:
        return False
    return -total if text[0] == "-" else total


# Writing


def format_value(value: int | str, kind: SqlType, style: int | None = None) -> str:
    """A stored date or time in a style of CONVERT; None: CAST's. 281: no such style."""
    if style is None:
        style = 0 if kind.name in ("datetime", "smalldatetime") else 121
    if isinstance(value, str):
        ticks, minutes = offset_parts(value)
        if style == 127:
            return _format(ticks - minutes * MINUTE, kind, 126) + "Z"
        sign = "-" if minutes < 0 else "+"
        zone = f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
        text = _format(ticks, kind, style)
        if style in (0, 100, 9, 109, 13, 113, 20, 120, 21, 25, 121):
            return f"{text} {zone}"
        return text + zone if style == 126 else text
    return _format(value, kind, style)


def _format(ticks: int, kind: SqlType, style: int) -> str:
    has_date, has_time = kind.name != "time", kind.name != "date"
    if style in (8, 24, 108) or style in (14, 114):
        if not has_time:
            raise _no_style(style, kind)
        return _time_text(ticks, kind, ":") if style in (14, 114) else _time_text(ticks, kind, "")
    date, join, clock = _STYLES.get(style, ("", "", ""))
    if not date:
        raise _no_style(style, kind)
    if not has_date:
        if clock == "":
            raise _no_style(style, kind)
        return _clock_text(ticks, kind, clock).strip()
    day = to_date(ticks)
    short, month = day.year % 100, _SHORT_MONTHS[day.month - 1]
    text = date.format(y=day.year, s=short, m=day.month, d=day.day, n=month)
    return text + join + _clock_text(ticks, kind, clock) if clock and has_time else text


# Style: date, joint, clock. Clocks: "12" hh:mi AM, "12f" with seconds and fraction, "22" with seconds,
# "s" seconds, ":" and "." seconds and fraction, "iso" the fraction left out where the old types have none.
_STYLES: Final = {
    **dict.fromkeys((0, 100), ("{n} {d:2} {y:04}", " ", "12")),
    1: ("{m:02}/{d:02}/{s:02}", "", ""),
    101: ("{m:02}/{d:02}/{y:04}", "", ""),
    2: ("{s:02}.{m:02}.{d:02}", "", ""),
    102: ("{y:04}.{m:02}.{d:02}", "", ""),
    3: ("{d:02}/{m:02}/{s:02}", "", ""),
    103: ("{d:02}/{m:02}/{y:04}", "", ""),
    4: ("{d:02}.{m:02}.{s:02}", "", ""),
    104: ("{d:02}.{m:02}.{y:04}", "", ""),
    5: ("{d:02}-{m:02}-{s:02}", "", ""),
    105: ("{d:02}-{m:02}-{y:04}", "", ""),
    6: ("{d:02} {n} {s:02}", "", ""),
    106: ("{d:02} {n} {y:04}", "", ""),
    7: ("{n} {d:02}, {s:02}", "", ""),
    107: ("{n} {d:02}, {y:04}", "", ""),
    **dict.fromkeys((9, 109), ("{n} {d:2} {y:04}", " ", "12f")),
    10: ("{m:02}-{d:02}-{s:02}", "", ""),
    110: ("{m:02}-{d:02}-{y:04}", "", ""),
    11: ("{s:02}/{m:02}/{d:02}", "", ""),
    111: ("{y:04}/{m:02}/{d:02}", "", ""),
    12: ("{s:02}{m:02}{d:02}", "", ""),
    112: ("{y:04}{m:02}{d:02}", "", ""),
    **dict.fromkeys((13, 113), ("{d:02} {n} {y:04}", " ", ":")),
    **dict.fromkeys((20, 120), ("{y:04}-{m:02}-{d:02}", " ", "s")),
    **dict.fromkeys((21, 25, 121), ("{y:04}-{m:02}-{d:02}", " ", ".")),
    22: ("{m:02}/{d:02}/{s:02}", " ", "22"),
    23: ("{y:04}-{m:02}-{d:02}", "", ""),
    **dict.fromkeys((126, 127), ("{y:04}-{m:02}-{d:02}", "T", "iso")),
}


def _no_style(style: int, kind: SqlType) -> Exception:
    return sql_error(281, style, kind.name)


def _clock_text(ticks: int, kind: SqlType, clock: str) -> str:
    if clock in ("12", "12f", "22"):
        hour, rest = divmod(ticks % DAY, 60 * MINUTE)
        half = "AM" if hour < 12 else "PM"
        minute = f"{hour % 12 or 12:2}:{rest // MINUTE:02}"
        if clock == "12":
            return minute + half
        if clock == "22":
            return f"{minute}:{rest // SECOND % 60:02} {half}"
        return minute + _time_text(ticks, kind, ":")[5:] + half
    if clock == "s":
        return _time_text(ticks, kind, "")
    if clock == "iso" and kind.name in ("datetime", "smalldatetime") and not ticks % SECOND:
        return _time_text(ticks, kind, "")
    return _time_text(ticks, kind, ":" if clock == ":" else ".")


def _time_text(ticks: int, kind: SqlType, mark: str) -> str:
    seconds, fraction = divmod(ticks % DAY, SECOND)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not mark:
        return text
    if kind.name in ("datetime", "smalldatetime"):
        # Stored to 100 ns, shown to the nearest millisecond; only these types put a colon before it.
        return f"{text}{mark}{(fraction + 5000) // 10_000:03}"
    return f"{text}.{fraction:07}"[: 9 + kind.scale] if kind.scale else text
