"""The window of a report, cut into steps that the tiers of the history can fill."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

__all__ = ["LONGEST", "Window", "window_until"]

LONGEST = timedelta(days=5 * 366)

_DAY = 1440
_MOST_STEPS = 60
# Up to this length, steps of so many minutes. With the retentions of a new installation the first two have
# fine rows for all of it, and those up to a week hourly ones; older parts stand at the start of their day.
_STEPS = (
    (timedelta(hours=1), 5),
    (timedelta(hours=6), 15),
    (timedelta(days=2), 60),
    (timedelta(days=7), 360),
)
_EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)  # as the procedures count steps


@dataclass(frozen=True)
class Window:
    """From ``begin`` (inclusive) to ``end`` (exclusive), both on a whole step. ``step_minutes``: as the
    procedures take it; ``width``: of one point of the charts, a multiple of it.
    """

    begin: datetime
    end: datetime
    step_minutes: int
    width: timedelta

    @property
    def starts(self) -> list[datetime]:
        """Where each point begins."""
        count = -((self.begin - self.end) // self.width)
        return [self.begin + self.width * number for number in range(count)]

    def start_of(self, moment: datetime) -> datetime:
        """Where the point begins that ``moment`` belongs to."""
        return self.begin + (moment - self.begin) // self.width * self.width


def window_until(now: datetime, length: timedelta) -> Window:
    """The last ``length`` before ``now``, and what is left of the steps at both ends. Raises ValueError."""
    if not timedelta() < length <= LONGEST:
        raise ValueError(f"a window is longer than nothing and at most {LONGEST.days} days")
    step = next((minutes for limit, minutes in _STEPS if length <= limit), _DAY)
    width = timedelta(minutes=step)
    width *= max(-(-length // (width * _MOST_STEPS)), 1)
    end = _EPOCH - (_EPOCH - now) // width * width
    begin = _EPOCH + (now - length - _EPOCH) // width * width
    return Window(begin, end if end > now else end + width, step, width)
