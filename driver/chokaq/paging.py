"""Walks through a list page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .operator_models import ActiveJob, ArchivedJob, DeadJob

__all__ = ["every_row"]

R = TypeVar("R", ActiveJob, ArchivedJob, DeadJob)


def every_row(list_page: Callable[..., list[R]], *, page_size: int = 1000, **filters: Any) -> Iterator[R]:
    """All rows of a list, newest first: ``every_row(queue.list_dlq, queue="mail")``.

    Reads one page when the last is used up. A row that is there all the while comes exactly once; rows that
    are added meanwhile are newer than what was read, and do not come.
    """
    last: R | None = None
    while True:
        page = list_page(after=last, page_size=page_size, **filters)
        yield from page
        if len(page) < page_size:
            return
        last = page[-1]
