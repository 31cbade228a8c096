"""``chokaq top``: the queues, live in a terminal."""

from __future__ import annotations

__all__: list[str] = []
