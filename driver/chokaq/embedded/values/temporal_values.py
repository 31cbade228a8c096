"""Conversions into dates and times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import SqlError, sql_error, unsupported_value
from . import decimals
from .datetime_text import read
from .datetimes import (
    DAY,
    EPOCH_1900,
    MAX_TICKS,
    fit,
    offset_parts,
    offset_value,
    round_datetime,
    round_ticks,
)
from .types import SqlType

__all__ = ["to_temporal"]


def to_temporal(source: SqlType, target: SqlType, style: int | None) -> Callable[[Any], Any]:
    """241: text that is no date. 242: outside the target's range."""
    if source.is_string:
        return _from_text(source, target, style)
    if source.name == "datetimeoffset":
        return _from_offset(target)
    if source.is_time:
        return _from_ticks(source, target)
    if target.name not in ("datetime", "smalldatetime") or source.is_binary:
        raise unsupported_value(f"conversion of {source.name} to {target.name}")
    # A number counts days since 1900.
    if source.name == "decimal":
        unit = 10**source.scale
        return lambda value: _from_days(decimals.unpack(value, source) * DAY // unit, target)
    return lambda value: _from_days(int(value * DAY), target)


def _from_days(ticks: int, target: SqlType) -> int:
    moment = EPOCH_1900 + ticks
    if not 0 <= moment <= MAX_TICKS:
        raise sql_error(8115, "expression", target.name)
    try:
        return fit(moment, target)
    except SqlError:
        raise sql_error(8115, "expression", target.name) from None


def _from_text(source: SqlType, target: SqlType, style: int | None) -> Callable[[str], Any]:
    old = target.name in ("datetime", "smalldatetime")

    def parse(text: str) -> Any:
        moment = read(text, style)
        # The old types know three digits of a second and no offset but Z.
        if moment is None or (old and (moment.digits > 3 or moment.offset)):
            if target.name == "smalldatetime":
                raise sql_error(295)
            raise sql_error(241)
        ticks = moment.day + moment.clock
        if target.name == "datetimeoffset":
            return offset_value(round_ticks(ticks, target.scale), moment.offset or 0)
        # An offset is dropped, not applied: these types keep the local time.
        if old:
            return _fit_old(ticks, target, source.name)
        return fit(ticks, target)

    return parse


def _fit_old(ticks: int, target: SqlType, source: str) -> int:
    if target.name == "datetime":
        return round_datetime(ticks, source)
    try:
        return fit(ticks, target)
    except SqlError:
        raise sql_error(242, source, target.name) from None


def _from_offset(target: SqlType) -> Callable[[str], Any]:
    def run(value: str) -> Any:
        ticks, minutes = offset_parts(value)
        if target.name == "datetimeoffset":
            return offset_value(round_ticks(ticks, target.scale), minutes)
        if target.name in ("datetime", "smalldatetime"):
            return _fit_old(ticks, target, "datetimeoffset")
        return fit(ticks, target)

    return run


def _from_ticks(source: SqlType, target: SqlType) -> Callable[[int], Any]:
    shift = EPOCH_1900 if source.name == "time" and target.name != "time" else 0
    if target.name == "datetimeoffset":
        return lambda value: offset_value(round_ticks(value + shift, target.scale), 0)
    if target.name in ("datetime", "smalldatetime"):
        return lambda value: _fit_old(value + shift, target, source.name)
    if target.name == "datetime2" and target.scale == 7:
        return (lambda value: value + shift) if shift else (lambda value: value)
    return lambda value: fit(value + shift, target)
