"""A frame as text for a terminal: readable at 80 columns, and without colour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from ..metric_models import LatencyPercentiles
from ..models import QueueHealth, Throughput
from .frame import STEP_MINUTES, Detail, Frame, QueueLine
from .texts import clean, count, milliseconds, seconds, share, sparkline

__all__ = ["Screen", "shown_queues"]

# Lines that are not queues: title, two of all queues, header, detail (9) and errors (7), keys.
_OTHER_LINES = 21
_FEWEST_QUEUES = 3
_NARROWEST = 60


@dataclass(frozen=True, kw_only=True)
class Screen:
    """All that is on the terminal. ``where``: the database in words; ``trouble``: why ``frame`` is old;
    ``message``: what became of the last key; ``height``: lines, None: as many as there are.
    """

    where: str
    frame: Frame
    selected: str | None = None
    trouble: str = ""
    message: str = ""
    height: int | None = None
    keys: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Group(*self._parts(options.ascii_only, max(options.max_width, _NARROWEST)))

    def _parts(self, is_ascii: bool, width: int) -> list[RenderableType]:
        frame = self.frame
        parts: list[RenderableType] = [
            _title(self.where, frame.read_at, width),
            _all_queues(frame.throughput),
        ]
        if self.trouble:
            parts.append(_line(f"! {clean(self.trouble)}", "bold red"))
        lines, before, after = shown_queues(frame.queues, self.selected, self.height)
        parts += [Text(""), _queues(lines, self.selected)]
        if not frame.queues:
            parts.append(_line("no queues yet: the first job of a queue makes it", "dim"))
        if before or after:
            parts.append(_line(f"  {before} queues above, {after} below", "dim"))
        parts += [Text(""), *_detail(frame.detail, is_ascii), Text(""), *_errors(frame.detail, width)]
        if self.message:
            parts.append(_line(clean(self.message), "bold"))
        elif self.keys:
            arrows = "up/down" if is_ascii else "↑↓"
            parts.append(_line(f"{arrows} select   p pause/resume   r read again   q quit", "dim"))
        return parts


def shown_queues(
    queues: tuple[QueueLine, ...], selected: str | None, height: int | None
) -> tuple[tuple[QueueLine, ...], int, int]:
    """The queues that fit, with the selected one among them, and how many stand above and below."""
    room = len(queues) if height is None else max(height - _OTHER_LINES, _FEWEST_QUEUES)
    if len(queues) <= room:
        return queues, 0, 0
    place = next((number for number, line in enumerate(queues) if line.name == selected), 0)
    first = min(max(place - room // 2, 0), len(queues) - room)
    return queues[first : first + room], first, len(queues) - room - first


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="crop")


def _title(where: str, read_at: datetime, width: int) -> Text:
    right = f"{read_at:%H:%M:%S} UTC"
    left = f"chokaq top  {clean(where)}"
    room = width - len(right) - 2
    if len(left) > room:
        left = left[: room - 3] + "..."
    return _line(f"{left:<{room}}  {right}", "bold")


def _all_queues(found: Throughput) -> Text:
    average = milliseconds(found.average_duration_ms)
    return _line(
        f"1 min: {count(found.processed_last_minute)} done, {share(found.failure_rate_last_minute)} failed"
        f"   5 min: {count(found.processed_last_five_minutes)} done,"
        f" {share(found.failure_rate_last_five_minutes)} failed, {average} on average"
    )


def _table(*columns: tuple[str, int | None]) -> Table:
    """The first column is text and takes what is left; the others have a width."""
    table = Table(box=None, pad_edge=False, expand=True, padding=0)
    for name, size in columns:
        table.add_column(
            name,
            width=size,
            ratio=1 if size is None else None,
            justify="left" if size is None else "right",
            header_style="bold underline",
            no_wrap=True,
            overflow="crop",
        )
    return table


def _queues(lines: tuple[QueueLine, ...], selected: str | None) -> Table:
    table = _table(
        ("  queue", None),
        ("state", 7),
        ("pending", 8),
        ("run", 6),
        ("limit", 6),
        ("lag", 6),
        ("1 min", 7),
        ("failed", 7),
        ("5 min", 7),
        ("failed", 7),
    )
    for line in lines:
        health, rate = line.health, line.throughput
        is_selected = line.name == selected
        table.add_row(
            Text(f"{'>' if is_selected else ' '} {clean(line.name)}"),
            Text(_state(health), style="bold yellow" if _state(health) != "on" else ""),
            count(line.stats.pending if line.stats else None),
            count(health.processing),
            count(health.max_workers) if health.max_workers is not None else "-",
            Text(seconds(health.lag_seconds), style="yellow" if health.lag_seconds >= 60 else ""),
            count(rate.processed_last_minute if rate else None),
            _rate(rate.failure_rate_last_minute if rate else None),
            count(rate.processed_last_five_minutes if rate else None),
            _rate(rate.failure_rate_last_five_minutes if rate else None),
            style="reverse" if is_selected else "",
        )
    return table


def _state(health: QueueHealth) -> str:
    return "off" if not health.is_active else "paused" if health.is_paused else "on"


def _rate(value: float | None) -> Text:
    return Text(share(value), style="red" if value is not None and value >= 0.05 else "")


def _detail(detail: Detail, is_ascii: bool) -> list[RenderableType]:
    name = "all queues" if detail.queue is None else clean(detail.queue)
    table = _table(
        (f"last hour, {name}", None), ("p50", 9), ("p95", 9), ("p99", 9), ("max", 9), ("samples", 9)
    )
    for title, found in (("execution", detail.execution), ("queue wait", detail.wait)):
        table.add_row(f"  {title}", *_percentiles(found))
    done = [None if point is None else point.succeeded + point.failed for point in detail.points]
    failed = [None if point is None else point.failed for point in detail.points]
    return [table, _spark("done", done, is_ascii), _spark("failed", failed, is_ascii)]


def _percentiles(found: LatencyPercentiles | None) -> tuple[str, ...]:
    if found is None:
        return ("-",) * 4 + ("0",)
    values = (found.p50_ms, found.p95_ms, found.p99_ms, found.max_ms)
    return (*map(milliseconds, values), count(found.sample_count))


def _spark(title: str, values: list[int | None], is_ascii: bool) -> Text:
    top = max((value for value in values if value is not None), default=0)
    bars = sparkline(values, is_ascii=is_ascii)
    total = sum(value for value in values if value is not None)
    return _line(f"  {title:<10} [{bars}]  {count(total)}, at most {count(top)} in {STEP_MINUTES} min")


def _errors(detail: Detail, width: int) -> list[RenderableType]:
    if not detail.errors:
        return [_line(f"no errors in {detail.error_hours} h", "dim")]
    table = _table((f"errors, {detail.error_hours} h", None), ("attempts", 10), ("final", 8), ("last", 8))
    for error in detail.errors:
        table.add_row(
            Text(f"  {clean(error.error_group)[:width] or '(no group)'}"),
            count(error.failures),
            count(error.final),
            f"{error.last_seen_at:%H:%M}",
        )
    return [table]
