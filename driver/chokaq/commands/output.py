"""How results look: JSON with stable shapes, tables, and blocks of text. Nothing here needs colour."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from enum import Enum, IntEnum
from typing import Any

import click
from rich.box import Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = [
    "console",
    "duration",
    "enum_name",
    "moment",
    "plain",
    "print_facts",
    "print_json",
    "print_table",
    "to_json",
    "width",
]

# A rule under the head and nothing else, of characters that every terminal has.
_RULE = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_PIPE_WIDTH = 1000  # nothing is cut or folded on its way into another program
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def console(*, stderr: bool = False) -> Console:
    """A terminal's own width and colours; in a pipe wide and plain. $COLUMNS and $NO_COLOR are heeded."""
    stream = sys.stderr if stderr else sys.stdout
    is_free = not stream.isatty() and not os.environ.get("COLUMNS", "").isdigit()
    return Console(
        file=stream, width=_PIPE_WIDTH if is_free else None, highlight=False, markup=False, emoji=False
    )


def width(*, stderr: bool = False) -> int:
    return console(stderr=stderr).width


def enum_name(value: Enum) -> str:
    """MAX_RETRIES_EXCEEDED as MaxRetriesExceeded; text enums as their text."""
    if isinstance(value, IntEnum):
        return "".join(part.capitalize() for part in value.name.split("_"))
    return str(value.value)


def to_json(value: Any) -> Any:
    """Dataclasses as objects, enums by name, moments as ISO 8601 in UTC."""
    if isinstance(value, Enum):
        return enum_name(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_json(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    return value


def print_json(value: Mapping[str, Any]) -> None:
    click.echo(json.dumps(to_json(value), indent=2))


def plain(text: str) -> str:
    """``text`` without what a terminal would obey: a job's data must not move the cursor or hide text."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def moment(value: datetime | None) -> str:
    """UTC to the second; a dash for none."""
    return "-" if value is None else value.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float | None) -> str:
    """0.2 s, 35 s, 12 min, 3.4 h, 5.0 d."""
    if seconds is None:
        return "-"
    for limit, size, unit in ((10, 1, "s"), (120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            shown = seconds / size
            return f"{shown:.1f} {unit}" if limit in {10, 172800} and shown else f"{shown:.0f} {unit}"
    return f"{seconds / 86400:.1f} d"


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
    empty: str = "nothing",
    stderr: bool = False,
) -> None:
    """A table that fits the terminal: texts fold, numbers (right-aligned) stay whole."""
    table = _table(columns, rows, numbers)
    if not table.row_count:
        click.echo(empty, err=stderr)
        return
    _print(table, stderr)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[str]) -> Table:
    table = Table(box=_RULE, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        is_number = name in numbers
        table.add_column(
            name,
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
            header_style="bold",
        )
    for row in rows:
        table.add_row(*(Text("-" if cell is None else plain(str(cell))) for cell in row))
    return table


def print_facts(facts: Iterable[tuple[str, object]], *, stderr: bool = False) -> None:
    """Name and value, one a line; those without a value are left out. Long values go on below each other."""
    shown = [(name, plain(str(value))) for name, value in facts if value is not None]
    margin = max((len(name) for name, _ in shown), default=0) + 2
    for name, value in shown:
        first, *others = value.splitlines() or [""]
        click.echo(f"{name:<{margin}}{first}".rstrip(), err=stderr)
        for line in others:
            click.echo(f"{'':<{margin}}{line}".rstrip(), err=stderr)


def _print(table: Table, stderr: bool) -> None:
    target = console(stderr=stderr)
    with target.capture() as captured:
        target.print(table)
    # rich pads the last column; trailing blanks are of no use to anybody.
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), err=stderr, color=target.is_terminal)
