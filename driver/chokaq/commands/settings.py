"""``chokaq settings``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .base import Place, database_command
from .output import moment, print_facts, print_json

__all__ = ["settings_command"]

if TYPE_CHECKING:
    _DaysType = click.ParamType[int]
else:  # not every click that is allowed knows the brackets
    _DaysType = click.ParamType

_KEEP = -1  # the procedure's word for "for ever"
_PLAIN = {
    "metric_shards": "Shards of the counters, 1 to 64.",
    "fine_resolution_minutes": "Width of the fine tier, a divisor of 60.",
    "fine_retention_hours": "Then fine rows are summed into hours.",
    "hourly_retention_days": "Then hours are summed into days.",
    "bucket_retention_minutes": "Then one-second buckets go, 6 to 1440.",
    "rollup_max_rows": "Rows that one rollup touches at the most.",
    "fetched_timeout_seconds": "Claimed and never started for so long: pending again.",
    "zombie_timeout_seconds": "Running without a heartbeat for so long: a zombie.",
    "maintenance_batch_size": "Rows of one purge or sweep batch, 1 to 1000.",
}
_OR_NONE = {
    "daily_retention_days": "Then days of history go; none: never.",
    "archive_retention_days": "Then succeeded jobs go; none: never.",
    "dlq_retention_days": "Then dead jobs go; none: never.",
}


class _Days(_DaysType):
    name = "N|none"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if value.lower() == "none":
            return _KEEP
        if not (value.isascii() and value.isdigit() and int(value) > 0):
            self.fail(f"{value!r} is no number of days: write 30, or none", param, ctx)
        return int(value)


def _settings(place: Place, **changes: Any) -> None:
    """Show the settings of the whole installation, and change those that are given.

    Settings that cannot be together are refused, and the error names the constraint.
    """
    with place.queue() as queue:
        found = queue.update_settings(**changes)
    if place.as_json:
        print_json({"settings": found})
        return
    names = [*_PLAIN, *_OR_NONE]
    facts: list[tuple[str, object]] = []
    for name in names:
        value = getattr(found, name)
        facts.append((name.replace("_", "-"), "none" if value is None else value))
    print_facts([*facts, ("changed", moment(found.last_updated_at))])


for _name, _help in reversed(_OR_NONE.items()):
    _settings = click.option(f"--{_name.replace('_', '-')}", type=_Days(), help=_help)(_settings)
for _name, _help in reversed(_PLAIN.items()):
    _settings = click.option(f"--{_name.replace('_', '-')}", type=click.IntRange(0), metavar="N", help=_help)(
        _settings
    )
settings_command = database_command("settings", short_help="Show or change the settings of all.")(_settings)
