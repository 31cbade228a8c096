"""Opens what a deployment is pointed at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..connection import Connector, Source
from ..dbapi import Connection


@contextlib.contextmanager
def open_connection(target: Source) -> Iterator[Connection]:
    """A connection for whatever ``chokaq.connect`` takes; closed at the end unless it was handed in."""
    connector = Connector(target)
    if not connector.owned:
        given: Any = target
        yield given
        return
    connection: Connection = connector.open()
    try:
        yield connection
    finally:
        with contextlib.suppress(Exception):  # it may be broken, and that was reported already
            connection.close()
