"""Plans of the date and time functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from ..errors import sql_error
from . import datetimes
from .plan import Context, Plan, SqlFunction, nulls, short
from .temporal_values import to_temporal
from .types import BIGINT, DATE, DATETIME, DATETIME2, INT, SqlType, nvarchar, parse_type

__all__ = ["FUNCTIONS", "PLANS"]

Types = tuple[SqlType, ...]
_OFFSET: Final = SqlType("datetimeoffset", scale=7)
_TIME: Final = SqlType("time", scale=7)


def _moment(kind: SqlType, position: int, function: str, text: SqlType) -> SqlType:
    """The date or time type in which a function takes its argument; ``text``: what strings become."""
    if kind.is_time:
        return kind
    if kind.is_string or kind.name == "null":
        return text
    if kind.is_number:
        return DATETIME
    raise sql_error(8116, kind.message_name, position, function)


def _date_add(types: Types, context: Context) -> Plan:
    part = datetimes.part_name(context.part, "dateadd")
    kind = _moment(types[1], 3, "dateadd", DATETIME)
    datetimes.adder(part, kind)

    def inline(a: Sequence[str]) -> str | None:
        return datetimes.inline_add(part, kind, a[0], a[1]) if short(*a) else None

    def ordered(a: Sequence[str]) -> str:
        return inline(a) or f"chokaq_dateadd('{part}', {a[0]}, {a[1]}, '{kind}')"

    return Plan(kind, (INT, kind), "chokaq_dateadd_last", (part, str(kind)), ordered)


def _date_diff(big: bool) -> Callable[[Types, Context], Plan]:
    function = "datediff_big" if big else "datediff"

    def plan(types: Types, context: Context) -> Plan:
        part = datetimes.part_name(context.part, function)
        kinds = [_moment(kind, index, function, DATETIME2) for index, kind in enumerate(types, 2)]
        common = DATETIME2
        if any(kind.name == "datetimeoffset" for kind in kinds):
            common = _OFFSET
        elif all(kind.name == "time" for kind in kinds):
            common = _TIME
        for kind in kinds:
            datetimes.differ(part, kind, big=big)

        def inline(a: Sequence[str]) -> str | None:
            start, end = a
            if common is _OFFSET:
                start, end = (
                    f"CAST(substr({start}, 1, 19) AS INTEGER)",
                    f"CAST(substr({end}, 1, 19) AS INTEGER)",
                )
            if not short(start, end):
                return None
            if part in ("year", "quarter", "month"):
                return f"({_calendar(part, end, total=True)} - {_calendar(part, start, total=True)})"
            return datetimes.inline_difference(part, start, end, big=big)

        return Plan(BIGINT if big else INT, (common, common), f"chokaq_{function}_last", (part,), inline)

    return plan


def _calendar(part: str, ticks: str, *, total: bool = False) -> str:
    """Year, month, day, dayofyear or quarter in SQLite's SQL; ``total``: counted from year 0."""
    moment = f"({ticks}) / {datetimes.SECOND} - 62135596800, 'unixepoch'"

    def field(mark: str) -> str:
        return f"CAST(strftime('{mark}', {moment}) AS INTEGER)"

    year, month = field("%Y"), field("%m")
    if part == "month":
        return f"({year} * 12 + {month})" if total else month
    if part == "quarter":
        quarter = f"(({month} + 2) / 3)"
        return f"({year} * 4 + {quarter})" if total else quarter
    return {"year": year, "day": field("%d"), "dayofyear": field("%j")}[part]


def _date_part(function: str, fixed: str = "") -> Callable[[Types, Context], Plan]:
    def plan(types: Types, context: Context) -> Plan:
        part = fixed or datetimes.part_name(context.part, function)
        kind = _moment(types[0], 2, function, DATETIME2)
        datetimes.check_datepart(part, kind)
        if function == "datename":
            return Plan(nvarchar(30), (kind,), "chokaq_datename", (part,))
        if kind.name == "datetimeoffset":
            return Plan(INT, (kind,), "chokaq_datepart", (part,))

        def inline(a: Sequence[str]) -> str | None:
            x = a[0]
            if not short(x):
                return None
            if part in ("year", "quarter", "month", "day", "dayofyear"):
                return _calendar(part, x)
            if part == "weekday":
                # DATEFIRST 7; 0001-01-01 was a Monday.
                return f"((({x}) / {datetimes.DAY} + 1) % 7 + 1)"
            return datetimes.inline_part(part, x)

        return Plan(INT, (kind,), "chokaq_datepart", (part,), inline)

    return plan


def _parts(result: SqlType, function: str, count: int) -> Callable[[Types, Context], Plan]:
    return lambda _, __: Plan(result, (INT,) * count, function)


def _end_of_month(types: Types, _: Context) -> Plan:
    kind = _moment(types[0], 1, "eomonth", DATE)
    del kind
    return Plan(DATE, (DATE, INT)[: len(types)], "chokaq_eomonth")


def _clock(result: SqlType, function: str) -> Callable[[Types, Context], Plan]:
    return lambda _, __: Plan(result, (), function)


def _is_date(types: Types, _: Context) -> Plan:
    return Plan(INT, (SqlType("nvarchar", None) if not types[0].is_string else types[0],), "chokaq_isdate")


def _to_offset(types: Types, _: Context) -> Plan:
    kind = types[0] if types[0].is_time else DATETIME2
    return Plan(
        _OFFSET, (DATETIME2 if kind.name != "datetimeoffset" else kind, types[1]), "chokaq_todatetimeoffset"
    )


def _switch_offset(types: Types, _: Context) -> Plan:
    return Plan(_OFFSET, (_OFFSET, types[1]), "chokaq_switchoffset")


#: T-SQL name → fewest and most arguments without the datepart, plan.
PLANS: Final[dict[str, tuple[int, int | None, Callable[[Types, Context], Plan]]]] = {
    "DATEADD": (2, 2, _date_add),
    "DATEDIFF": (2, 2, _date_diff(False)),
    "DATEDIFF_BIG": (2, 2, _date_diff(True)),
    "DATEPART": (1, 1, _date_part("datepart")),
    "DATENAME": (1, 1, _date_part("datename")),
    "YEAR": (1, 1, _date_part("year", "year")),
    "MONTH": (1, 1, _date_part("month", "month")),
    "DAY": (1, 1, _date_part("day", "day")),
    "EOMONTH": (1, 2, _end_of_month),
    "DATEFROMPARTS": (3, 3, _parts(DATE, "chokaq_datefromparts", 3)),
    "DATETIMEFROMPARTS": (7, 7, _parts(DATETIME, "chokaq_datetimefromparts", 7)),
    "DATETIME2FROMPARTS": (8, 8, _parts(DATETIME2, "chokaq_datetime2fromparts", 8)),
    "TIMEFROMPARTS": (5, 5, _parts(_TIME, "chokaq_timefromparts", 5)),
    "SYSUTCDATETIME": (0, 0, _clock(DATETIME2, "chokaq_sysutcdatetime")),
    "SYSDATETIME": (0, 0, _clock(DATETIME2, "chokaq_sysdatetime")),
    "SYSDATETIMEOFFSET": (0, 0, _clock(_OFFSET, "chokaq_sysdatetimeoffset")),
    "GETUTCDATE": (0, 0, _clock(DATETIME, "chokaq_getutcdate")),
    "GETDATE": (0, 0, _clock(DATETIME, "chokaq_getdate")),
    "ISDATE": (1, 1, _is_date),
    "TODATETIMEOFFSET": (2, 2, _to_offset),
    "SWITCHOFFSET": (2, 2, _switch_offset),
}


@lru_cache(maxsize=1024)
def _adder(part: str, kind: str) -> Callable[[int, Any], Any]:
    return datetimes.adder(part, parse_type(kind))


def _add_call(part: str, number: int | None, value: Any, kind: str) -> Any:
    return None if number is None or value is None else _adder(part, kind)(number, value)


def _utc(value: Any) -> int:
    return int(value[:19]) if isinstance(value, str) else int(value)


@lru_cache(maxsize=64)
def _differ(part: str, big: bool) -> Callable[[int, int], int]:
    return datetimes.differ(part, DATETIME2, big=big)


def _difference(start: Any, end: Any, part: str, *, big: bool) -> int | None:
    return None if start is None or end is None else _differ(part, big)(_utc(start), _utc(end))


def _local(value: Any) -> tuple[int, int]:
    return datetimes.offset_parts(value) if isinstance(value, str) else (value, 0)


def _part_call(value: Any, part: str) -> int | None:
    if value is None:
        return None
    ticks, minutes = _local(value)
    return minutes if part == "tzoffset" else datetimes.part_of(part, ticks)


def _name_call(value: Any, part: str) -> str | None:
    return None if value is None else datetimes.name_of(part, _local(value)[0])


def _end_of_month_call(value: int | None, months: int | None = 0) -> int | None:
    return None if value is None else datetimes.end_of_month(value, months)


def _is_date_call(text: str | None) -> int:
    if text is None:
        return 0
    try:
        to_temporal(SqlType("varchar", None), DATETIME, None)(text)
    except Exception as error:
        if getattr(error, "number", 0) not in (241, 242):
            raise
        return 0
    return int(bool(text.strip()))


def _minutes(value: Any) -> int:
    """An offset given in minutes or as ``+hh:mm``. 9812: neither."""
    if isinstance(value, int):
        return value
    sign = -1 if str(value).strip().startswith("-") else 1
    hours, _, minutes = str(value).strip().lstrip("+-").partition(":")
    if not (hours.isdigit() and minutes.isdigit()):
        raise sql_error(9812)
    return sign * (int(hours) * 60 + int(minutes))


def _to_offset_call(value: Any, offset: Any) -> str | None:
    if value is None or offset is None:
        return None
    return datetimes.offset_value(_local(value)[0], _minutes(offset))


def _switch_call(value: str | None, offset: Any) -> str | None:
    if value is None or offset is None:
        return None
    minutes = _minutes(offset)
    return datetimes.offset_value(int(value[:19]) + minutes * datetimes.MINUTE, minutes)


def _now_offset() -> str:
    utc, local = datetimes.utc_ticks(), datetimes.local_ticks()
    return datetimes.offset_value(local, round((local - utc) / datetimes.MINUTE))


#: What the plans above call. chokaq_dateadd and chokaq_datediff take the part first, as the inlined forms
#: write it.
FUNCTIONS: Final = (
    SqlFunction("chokaq_dateadd", _add_call, 4),
    SqlFunction(
        "chokaq_dateadd_last", lambda number, value, part, kind: _add_call(part, number, value, kind), 4
    ),
    SqlFunction("chokaq_datediff", lambda part, start, end: _difference(start, end, part, big=False), 3),
    SqlFunction("chokaq_datediff_last", lambda start, end, part: _difference(start, end, part, big=False), 3),
    SqlFunction(
        "chokaq_datediff_big_last", lambda start, end, part: _difference(start, end, part, big=True), 3
    ),
    SqlFunction("chokaq_datepart", _part_call, 2),
    SqlFunction("chokaq_datename", _name_call, 2),
    SqlFunction("chokaq_eomonth", _end_of_month_call, -1),
    SqlFunction("chokaq_datefromparts", nulls(lambda *parts: datetimes.from_parts("date", *parts)), 3),
    SqlFunction(
        "chokaq_datetimefromparts", nulls(lambda *parts: datetimes.from_parts("datetime", *parts)), 7
    ),
    SqlFunction(
        "chokaq_datetime2fromparts", nulls(lambda *parts: datetimes.from_parts("datetime2", *parts)), 8
    ),
    SqlFunction("chokaq_timefromparts", nulls(datetimes.time_from_parts), 5),
    SqlFunction("chokaq_sysutcdatetime", datetimes.utc_ticks, 0, deterministic=False),
    SqlFunction("chokaq_sysdatetime", datetimes.local_ticks, 0, deterministic=False),
    SqlFunction("chokaq_sysdatetimeoffset", _now_offset, 0, deterministic=False),
    SqlFunction(
        "chokaq_getutcdate", lambda: datetimes.round_datetime(datetimes.utc_ticks()), 0, deterministic=False
    ),
    SqlFunction(
        "chokaq_getdate", lambda: datetimes.round_datetime(datetimes.local_ticks()), 0, deterministic=False
    ),
    SqlFunction("chokaq_isdate", _is_date_call, 1),
    SqlFunction("chokaq_todatetimeoffset", _to_offset_call, 2),
    SqlFunction("chokaq_switchoffset", _switch_call, 2),
)
