"""Points in time on the command line."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import click

__all__ = ["MOMENT", "SECONDS"]

if TYPE_CHECKING:
    _MomentType = click.ParamType[datetime]
    _SecondsType = click.ParamType[float]
else:  # not every click that is allowed knows the brackets
    _MomentType = _SecondsType = click.ParamType

_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


class _Moment(_MomentType):
    """``2026-03-01T09:00`` (UTC unless it says otherwise), ``2026-03-01``, or an age: 30m, 2h, 7d."""

    name = "MOMENT"

    def convert(
        self, value: str | datetime, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        text = value.strip()
        if match := _AGO.fullmatch(text):
            age = timedelta(seconds=float(match[1]) * _UNITS[match[2]])
            return datetime.now(timezone.utc) - age
        try:
            # Python 3.10 knows no Z.
            found = datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text))
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is no moment: write 2026-03-01T09:00, 2026-03-01T09:00+02:00 or an age as 2h, 7d",
                param,
                ctx,
            )
        return found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)


class _Seconds(_SecondsType):
    """A length of time: 90, 90s, 15m, 2h, 7d."""

    name = "SECONDS"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        text = value.strip()
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return float(text)
        match = _AGO.fullmatch(text)
        if match is None:
            self.fail(f"{value!r} is no length of time: write 90, 15m, 2h or 7d", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


MOMENT = _Moment()
SECONDS = _Seconds()
