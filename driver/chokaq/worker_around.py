"""Something that stands around each execution, in the handler's thread: a trace's span, a log context."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from .worker_context import JobContext

__all__ = ["Around", "guarded"]

_log = logging.getLogger("chokaq.worker")

#: Called with the context of each execution; what it returns is entered before the handler and left after
#: it, with the handler's exception if there is one.
Around = Callable[[JobContext], AbstractContextManager[object]]


@contextlib.contextmanager
def guarded(around: Around | None, context: JobContext) -> Iterator[None]:
    """``around`` without the power to change what becomes of the job: its own errors are logged, and the
    handler's exception goes on whatever it answers.
    """
    manager = _enter(around, context)
    if manager is None:
        yield
        return
    try:
        yield
    except BaseException:
        _leave(manager)
        raise
    _leave(manager)


def _enter(around: Around | None, context: JobContext) -> AbstractContextManager[object] | None:
    if around is None:
        return None
    try:
        manager = around(context)
        manager.__enter__()
    except Exception:
        _log.exception("the around hook failed before job %s", context.job.job_id)
        return None
    return manager


def _leave(manager: AbstractContextManager[object]) -> None:
    try:
        manager.__exit__(*sys.exc_info())
    except Exception:
        _log.exception("the around hook failed after a job")
