"""Opens what a deployment is pointed at."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import cast

from .session import Connection


@contextlib.contextmanager
def open_connection(target: str | Connection) -> Iterator[Connection]:
    """A connection for a URL or ODBC string, closed at the end; an open connection as it is.

    A deployment's connection is in autocommit mode and has no statement timeout: an index on a large
    table takes the time it takes.
    """
    if not isinstance(target, str):
        yield target
        return
    from .. import connection as connections

    opened = cast("Connection", connections.connector(target).connect())
    try:
        yield opened
    finally:
        opened.close()
