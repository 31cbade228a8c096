"""What is seen while the demo runs: bars on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

__all__ = ["Display", "QueueProgress"]

_SECONDS_BETWEEN_LINES = 2.0


@dataclass(frozen=True)
class QueueProgress:
    """How far a queue is: jobs archived, jobs dead, attempts retried."""

    archived: int
    dead: int
    retried: int


class Display:
    """Tells what happens. Not made for threads."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._totals: Mapping[str, int] = {}
        self._started = 0.0
        self._last_line = 0.0

    def line(self, text: str = "") -> None:
        """A line that stays."""
        self.console.print(text, soft_wrap=True)

    def field(self, name: str, text: str) -> None:
        """A line with a name in front."""
        self.line(f"{name:<10} {text}")

    def begin(self, totals: Mapping[str, int]) -> None:
        """The work begins; ``totals``: queue → jobs."""
        self._started = self._last_line = time.monotonic()
        self._totals = totals
        if self.console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.description:<10}"),
                BarColumn(bar_width=40),
                MofNCompleteColumn(),
                TextColumn("{task.fields[notes]}"),
                TimeElapsedColumn(),
                console=self.console,
                transient=True,
            )
            self._tasks = {
                queue: self._progress.add_task(queue, total=total, notes="")
                for queue, total in totals.items()
            }
            self._progress.start()

    def show(self, queues: Mapping[str, QueueProgress]) -> None:
        """Where the queues stand now."""
        if self._progress is not None:
            for queue, task in self._tasks.items():
                found = queues.get(queue, QueueProgress(0, 0, 0))
                self._progress.update(task, completed=found.archived + found.dead, notes=_notes(found))
            return
        now = time.monotonic()
        if now - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        parts = [
            f"{queue} {queues[queue].archived + queues[queue].dead:,}/{total:,}"
            for queue, total in self._totals.items()
            if queue in queues
        ]
        sums = QueueProgress(
            sum(found.archived for found in queues.values()),
            sum(found.dead for found in queues.values()),
            sum(found.retried for found in queues.values()),
        )
        self.line(f"{now - self._started:8.1f} s  {' · '.join(parts)}  {_notes(sums)}".rstrip())

    def end(self) -> None:
        """The work is over, whatever became of it. Repeatable."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _notes(found: QueueProgress) -> str:
    notes = [f"{found.dead} dead"] if found.dead else []
    if found.retried:
        notes.append(f"{found.retried} retried")
    return ", ".join(notes)
