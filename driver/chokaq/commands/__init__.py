"""The operators' commands of ``chokaq``: one file for each group, registered in cli.py."""

from __future__ import annotations

import click

from .dlq import dlq_group
from .enqueue import enqueue_command
from .jobs import job_group
from .maintain import maintain_command
from .queues import queue_group
from .settings import settings_command
from .stats import stats_command
from .worker import worker_command

__all__ = ["COMMANDS"]

COMMANDS: tuple[click.Command, ...] = (
    enqueue_command,
    worker_command,
    stats_command,
    queue_group,
    job_group,
    dlq_group,
    maintain_command,
    settings_command,
)
