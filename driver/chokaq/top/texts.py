"""Numbers and names in a few characters."""

from __future__ import annotations

from collections.abc import Sequence

from ..commands.output import plain

__all__ = ["clean", "count", "milliseconds", "seconds", "share", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = ".:-=+*#@"


def clean(text: str) -> str:
    """One line, without characters that would move the cursor."""
    return plain(" ".join(text.split()))


def count(value: int | None) -> str:
    """At most six characters: 99999, 100k, 12.3M."""
    if value is None:
        return "-"
    if value < 100_000:
        return str(value)
    for size, unit in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G"), (1_000_000_000_000, "T")):
        scaled = value / size
        if scaled < 9.95:
            return f"{scaled:.1f}{unit}"
        if scaled < 999.5:
            return f"{scaled:.0f}{unit}"
    return f"{value:.0e}"


def share(value: float | None) -> str:
    """At most five characters of percent."""
    if value is None:
        return "-"
    percent = value * 100
    if percent and percent < 0.05:
        return "<0.1%"
    return f"{percent:.1f}%" if percent < 99.95 else "100%"


def seconds(value: float) -> str:
    """At most five characters: 0s, 12s, 59m, 23h, 999d."""
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "m"), (172_800, 3600, "h")):
        if value < limit:
            return f"{value / size:.0f}{unit}"
    return f"{value / 86_400:.0f}d"


def milliseconds(value: float | None) -> str:
    """0.4 ms, 12 ms, 3.4 s, 12 min, 3.0 h."""
    if value is None:
        return "-"
    for limit, size, unit in ((1_000, 1, "ms"), (120_000, 1_000, "s"), (7_200_000, 60_000, "min")):
        if value < limit:
            scaled = value / size
            return f"{scaled:.1f} {unit}" if 0 < scaled < 9.95 else f"{scaled:.0f} {unit}"
    return f"{value / 3_600_000:.1f} h"


def sparkline(values: Sequence[int | None], *, is_ascii: bool = False) -> str:
    """A character for each value, by its share of the greatest. None, nothing known, is a blank."""
    bars = _ASCII_BARS if is_ascii else _BARS
    top = max((value for value in values if value), default=0)

    def bar(value: int | None) -> str:
        if value is None:
            return " "
        return bars[0] if not value else bars[max(1, round(value / top * (len(bars) - 1)))]

    return "".join(map(bar, values))
