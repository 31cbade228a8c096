"""The filter of the dead-letter queue as options. Preview, resurrect and purge read it the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..models import FailureReason
from ..operator_models import DlqFilter
from .jobs_shown import reason_named
from .moments import MOMENT
from .output import enum_name, moment

__all__ = ["REASON", "filter_of", "filter_options", "in_words"]

REASON = click.Choice([enum_name(reason) for reason in FailureReason], case_sensitive=False)

_OPTIONS = (
    click.option("--queue", "f_queue", metavar="NAME", help="Jobs of this queue."),
    click.option("--type", "f_type", metavar="NAME", help="Jobs of this type."),
    click.option(
        "--reason", "f_reason", type=REASON, metavar="REASON", help="Jobs that died of this; see below."
    ),
    click.option("--tag", "f_tag", metavar="TEXT", help="Their tags contain this."),
    click.option("--text", "f_text", metavar="TEXT", help="Their error contains this."),
    click.option(
        "--failed-from", "f_failed_from", type=MOMENT, help="Failed at or after: 2026-03-01T09:00, 2h."
    ),
    click.option("--failed-to", "f_failed_to", type=MOMENT, help="Failed before."),
    click.option("--created-from", "f_created_from", type=MOMENT, help="Created at or after."),
    click.option("--created-to", "f_created_to", type=MOMENT, help="Created before."),
)

REASONS_HELP = f"Reasons: {', '.join(enum_name(reason) for reason in FailureReason)}."


def filter_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def filter_of(options: dict[str, Any]) -> DlqFilter:
    """The filter of a command's options."""
    reason = options["f_reason"]
    return DlqFilter(
        queue=options["f_queue"],
        type=options["f_type"],
        failure_reason=None if reason is None else reason_named(reason),
        created_from=options["f_created_from"],
        created_to=options["f_created_to"],
        failed_from=options["f_failed_from"],
        failed_to=options["f_failed_to"],
        tag=options["f_tag"],
        text=options["f_text"],
    )


def in_words(dlq_filter: DlqFilter) -> str:
    """What the filter says, for previews."""
    reason = dlq_filter.failure_reason
    parts = {
        "queue": dlq_filter.queue,
        "type": dlq_filter.type,
        "reason": None if reason is None else enum_name(reason),
        "tag": dlq_filter.tag,
        "text": dlq_filter.text,
        "failed from": dlq_filter.failed_from and moment(dlq_filter.failed_from),
        "failed to": dlq_filter.failed_to and moment(dlq_filter.failed_to),
        "created from": dlq_filter.created_from and moment(dlq_filter.created_from),
        "created to": dlq_filter.created_to and moment(dlq_filter.created_to),
    }
    return ", ".join(f"{name} {value}" for name, value in parts.items() if value) or "all dead jobs"
