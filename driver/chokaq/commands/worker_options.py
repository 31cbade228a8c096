"""--limit, --timeout and --breaker of ``chokaq worker``, read into TypeOptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import click

from ..worker_breaker import BreakerOptions
from ..worker_types import TypeOptions
from .moments import SECONDS

__all__ = ["type_options"]


def type_options(
    limits: Iterable[str], timeouts: Iterable[str], breaker: str | None
) -> tuple[TypeOptions, dict[str, TypeOptions]]:
    """The options of all types, and those of types that have their own. Raises click.BadParameter."""
    default = TypeOptions(breaker=None if breaker is None else _breaker(breaker))
    own_timeouts: dict[str, float] = {}
    for text in timeouts:
        job_type, equals, seconds = text.rpartition("=")
        if equals:
            own_timeouts[job_type] = _seconds(seconds, "--timeout")
        else:
            default = replace(default, timeout=_seconds(seconds, "--timeout"))
    found = {job_type: replace(default, timeout=seconds) for job_type, seconds in own_timeouts.items()}
    for text in limits:
        job_type, equals, count = text.rpartition("=")
        if not equals or not job_type:
            raise click.BadParameter(f"{text!r}: write TYPE=N", param_hint="--limit")
        found[job_type] = replace(found.get(job_type, default), concurrency=_count(count, "--limit"))
    return default, found


def _breaker(text: str) -> BreakerOptions:
    failures, colon, seconds = text.partition(":")
    count = _count(failures, "--breaker")
    if not colon:
        return BreakerOptions(failures=count)
    return BreakerOptions(failures=count, open_seconds=_seconds(seconds, "--breaker"))


def _count(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise click.BadParameter(f"{text!r} is no whole number from 1", param_hint=option)
    return int(text)


def _seconds(text: str, option: str) -> float:
    try:
        seconds = SECONDS.convert(text, None, None)
    except click.BadParameter as error:
        raise click.BadParameter(error.message, param_hint=option) from None
    if seconds <= 0:
        raise click.BadParameter("is greater than 0", param_hint=option)
    return seconds
