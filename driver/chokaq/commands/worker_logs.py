"""What ``chokaq worker`` writes while it runs: lines for people, or JSON objects for a log collector."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone

from .output import plain

__all__ = ["start_logging"]


class _Lines(logging.Formatter):
    """One line a record, times in UTC; what came from a job cannot break out of its line."""

    def format(self, record: logging.LogRecord) -> str:
        head = f"{_time(record)} {record.levelname:<7} {plain(record.getMessage())}".replace("\n", " ")
        if record.exc_info:
            head = f"{head}\n{plain(self.formatException(record.exc_info))}"
        return head


class _Json(logging.Formatter):
    """One JSON object a line: time, level, logger, message and the record's own fields (docs/worker.md)."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in vars(record).items():
            if name in {"event", "worker_id"} or name.startswith("chokaq_"):
                fields[name.removeprefix("chokaq_")] = value
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)


def start_logging(level: str, as_json: bool) -> None:
    """Sends all records from ``level`` on to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if as_json else _Lines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")
