"""The charts of a report, as SVG that stands inside the page: no script, no font, nothing from elsewhere.

Colours are CSS variables of the page, so that they follow its light or dark scheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from xml.etree import ElementTree as ET

from ..metric_models import BurnRate, ErrorPoint
from ..models import FailureReason
from .data import Counts, Percentiles
from .numbers import milliseconds, percent, step_label
from .svg_library import Bar, Config, HorizontalBar, Line, StackedBar, Style
from .windows import Window

__all__ = ["burn_chart", "dead_chart", "errors_chart", "failures_chart", "latency_chart", "throughput_chart"]

GOOD, BAD, WARN = "var(--good)", "var(--bad)", "var(--warn)"
SERIES = tuple(f"var(--series-{number})" for number in range(1, 9))
_FONT = "system-ui, sans-serif"
_LABELS = 8  # along the time axis at the most
_LOGARITHMIC = 50  # greatest value over the smallest, from which on a linear axis hides the small ones
_SVG = "{http://www.w3.org/2000/svg}"


def throughput_chart(window: Window, counts: dict[datetime, Counts]) -> str:
    """Executions that ended in each step."""
    chart = _over_time(StackedBar, window, (GOOD, BAD, WARN), _whole)
    found = [counts.get(start, Counts()) for start in window.starts]
    chart.add("succeeded", [each.succeeded for each in found])
    chart.add("failed for good", [each.failed for each in found])
    chart.add("retried attempts", [each.retried for each in found])
    return _svg(chart, "throughput")


def failures_chart(window: Window, counts: dict[datetime, Counts]) -> str:
    """The share of jobs that failed for good in each step."""
    chart = _over_time(Bar, window, (BAD,), percent, show_legend=False)
    found = [counts.get(start, Counts()).failure_rate for start in window.starts]
    chart.add("failed for good", found)
    chart.range = (0, max((rate for rate in found if rate is not None), default=0) or 0.01)
    return _svg(chart, "failures")


def latency_chart(window: Window, found: Percentiles, name: str) -> str:
    """p50, p95 and p99 of each step; on a logarithmic axis where they are far apart."""
    rows = [found.get(start) for start in window.starts]
    series = {
        "p50": [None if row is None else row.p50_ms for row in rows],
        "p95": [None if row is None else row.p95_ms for row in rows],
        "p99": [None if row is None else row.p99_ms for row in rows],
    }
    values = [value for each in series.values() for value in each if value is not None]
    is_logarithmic = bool(values) and 0 < min(values) < max(values) / _LOGARITHMIC
    chart = _over_time(
        Line,
        window,
        (SERIES[0], SERIES[1], SERIES[2]),
        milliseconds,
        logarithmic=is_logarithmic,
        allow_interruptions=True,
        dots_size=2.5,
    )
    if not is_logarithmic:
        chart.range = (0, max(values, default=1) or 1)
    for title, each in series.items():
        chart.add(title, each)
    return _svg(chart, name)


def errors_chart(window: Window, points: Iterable[ErrorPoint]) -> str:
    """Failed attempts of the most frequent error groups, stacked."""
    by_group: dict[str, dict[datetime, int]] = {}
    for point in points:
        by_group.setdefault(point.error_group, {})[point.at] = point.failures
    chart = _over_time(StackedBar, window, SERIES, _whole, truncate_legend=46, legend_at_bottom_columns=2)
    for group, found in by_group.items():
        chart.add(_text(group) or "(no group)", [found.get(start, 0) for start in window.starts])
    return _svg(chart, "errors")


def dead_chart(dead: dict[FailureReason, int]) -> str:
    """Jobs in the dead-letter queue by reason."""
    chart = _bars(len(dead), _whole, (BAD,))
    chart.x_labels = [f"{reason_text(reason)}: {count:,}" for reason, count in reversed(dead.items())]
    chart.add("jobs", list(reversed(dead.values())))
    return _svg(chart, "dead")


def burn_chart(rates: Sequence[BurnRate]) -> str:
    """Burn rates of all windows; 1 is what the objective allows."""
    chart = _bars(len(rates), lambda value: f"{value:,.2f}", (GOOD, BAD))
    chart.x_labels = [window_text(rate.window_minutes) for rate in reversed(rates)]
    chart.add(
        "burn rate",
        [
            {"value": rate.burn_rate, "color": GOOD if rate.burn_rate <= 1 else BAD}
            for rate in reversed(rates)
        ],
    )
    return _svg(chart, "burn")


def reason_text(reason: FailureReason) -> str:
    """Such as "max retries exceeded"."""
    return reason.name.replace("_", " ").lower()


def window_text(minutes: int) -> str:
    """5 min, 1 h, 3 d."""
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size} {unit}"
    return f"{minutes} min"


# How


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _text(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def _style(colors: Sequence[str]) -> Any:
    return Style(
        background="transparent",
        plot_background="transparent",
        value_background="transparent",
        foreground="var(--text)",
        foreground_strong="var(--text)",
        foreground_subtle="var(--faint)",
        guide_stroke_color="var(--line)",
        major_guide_stroke_color="var(--line)",
        guide_stroke_dasharray="2,4",
        major_guide_stroke_dasharray="2,4",
        opacity=".9",
        opacity_hover="1",
        stroke_opacity="1",
        stroke_width="2",
        stroke_width_hover="2",
        transition="0ms",
        font_family=_FONT,
        label_font_size=13,
        major_label_font_size=13,
        legend_font_size=13,
        colors=tuple(colors),
        value_colors=("var(--panel)",) * len(colors),
    )


def _config(colors: Sequence[str], formatter: Any, **options: Any) -> Any:
    return Config(
        js=(),
        style=_style(colors),
        value_formatter=formatter,
        explicit_size=False,
        show_title=False,
        legend_at_bottom=True,
        legend_box_size=12,
        margin=8,
        margin_right=36,
        print_values=False,
        no_data_text="",
        **options,
    )


def _over_time(kind: Any, window: Window, colors: Sequence[str], formatter: Any, **options: Any) -> Any:
    starts = window.starts
    every = -(-len(starts) // _LABELS)
    labels = [step_label(start, window.width, is_first=number == 0) for number, start in enumerate(starts)]
    config = _config(
        colors,
        formatter,
        width=900,
        height=300,
        x_labels=labels,
        x_labels_major=[label for number, label in enumerate(labels) if number % every == 0],
        show_minor_x_labels=False,
        truncate_label=-1,
        y_labels_major_count=4,
        show_minor_y_labels=False,
        min_scale=3,
        max_scale=6,
        **{"legend_at_bottom_columns": 3, **options},
    )
    return kind(config)


def _bars(count: int, formatter: Any, colors: Sequence[str]) -> Any:
    """A chart of bars that lie, one for each name."""
    config = _config(
        colors,
        formatter,
        width=560,
        height=70 + 32 * max(count, 1),
        show_legend=False,
        truncate_label=-1,
        max_scale=6,
    )
    return HorizontalBar(config)


def _svg(chart: Any, name: str) -> str:
    """The chart as an element of the page. ``name``: unlike those of the page's other charts."""
    chart.uuid = name
    chart.add_xml_filter(_without_scripts)
    text: str = chart.render(is_unicode=True, disable_xml_declaration=True)
    return text.strip()


def _without_scripts(root: ET.Element) -> ET.Element:
    """Scripts and comments go; values become titles, which a browser shows under the pointer."""
    for parent in root.iter():
        for child in list(parent):
            if not isinstance(child.tag, str) or child.tag in {f"{_SVG}script", "script"}:
                parent.remove(child)
    for parent in root.iter():
        if parent.get("id", "").startswith("activate-"):
            del parent.attrib["id"]  # for the script; each chart would have the same
        found = {each.get("class", ""): each for each in parent if each.tag in {f"{_SVG}desc", "desc"}}
        if "value" in found:
            title = ET.SubElement(parent, "title")
            parts = [(found[part].text or "") for part in ("x_label", "value") if part in found]
            title.text = ": ".join(part for part in parts if part)
            for each in found.values():
                parent.remove(each)
            parent.remove(title)
            parent.insert(0, title)
    root.set("role", "img")
    return root
