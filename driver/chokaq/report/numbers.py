"""Numbers and moments for people."""

from __future__ import annotations

from datetime import datetime, timedelta

__all__ = ["duration_text", "milliseconds", "percent", "step_label", "width_text"]


def milliseconds(value: float | None) -> str:
    """0.42 ms, 12.3 ms, 3.45 s, 12.0 min, 3.0 h."""
    if value is None:
        return "–"
    for limit, size, unit in ((1_000, 1, "ms"), (120_000, 1_000, "s"), (7_200_000, 60_000, "min")):
        if value < limit:
            scaled = value / size
            digits = 0 if not scaled or scaled >= 100 else 1 if scaled >= 10 else 2
            return f"{scaled:.{digits}f} {unit}"
    return f"{value / 3_600_000:,.1f} h"


def percent(value: float | None) -> str:
    """0 %, <0.01 %, 1.23 %, 45.6 %."""
    if value is None:
        return "–"
    scaled = value * 100
    if 0 < scaled < 0.01:
        return "<0.01 %"
    return f"{scaled:.{0 if scaled in {0, 100} else 2 if scaled < 10 else 1}f} %"


def duration_text(seconds: float) -> str:
    """0 s, 35 s, 12 min, 3.4 h, 5.0 d."""
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}" if size < 3600 else f"{seconds / size:.1f} {unit}"
    return f"{seconds / 86_400:,.1f} d"


def width_text(width: timedelta) -> str:
    """5 minutes, 1 hour, 6 hours, 1 day, 3 days."""
    for size, unit in ((timedelta(days=1), "day"), (timedelta(hours=1), "hour")):
        if width >= size:
            count = width // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{width // timedelta(minutes=1)} minutes"


def step_label(moment: datetime, width: timedelta, *, is_first: bool) -> str:
    """The start of a step: its time, with the date at midnight and in front."""
    if width >= timedelta(days=1):
        return f"{moment:%Y-%m-%d}" if is_first or moment.timetuple().tm_yday <= 7 else f"{moment:%m-%d}"
    return f"{moment:%m-%d %H:%M}" if is_first or moment.hour == moment.minute == 0 else f"{moment:%H:%M}"
