"""Runs one handler and says what came of it."""

from __future__ import annotations

import asyncio
import inspect
import math
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from .models import Completion, Failure, FailureReason
from .worker_around import Around, guarded
from .worker_context import JobContext, JobError, Rejected

__all__ = ["Handler", "clean_text", "execute"]

#: Takes the context of one execution; what it returns is ignored. May be a coroutine function.
Handler = Callable[[JobContext], Any]

_MAX_ERROR = 20_000  # characters of an error that are kept; the middle of a longer one is left out
_MAX_GROUP = 200


def execute(
    handlers: Mapping[str, Handler], context: JobContext, around: Around | None = None
) -> Completion | Failure:
    """Runs the handler of the job's type in this thread. Never raises."""
    job = context.job
    started = time.perf_counter()
    try:
        handler = handlers.get(job.type)
        if handler is None:
            raise Rejected(f"no handler for the type {job.type}", group=f"no handler for {job.type}")
        with guarded(around, context):
            answer = handler(context)
            if inspect.isawaitable(answer):
                asyncio.run(_wait_for(answer, context))
    except BaseException as error:  # SystemExit of a handler must not end the slot
        return _failure(context, error, (time.perf_counter() - started) * 1000)
    return Completion(lease=job.lease, duration_ms=(time.perf_counter() - started) * 1000)


async def _wait_for(answer: Awaitable[Any], context: JobContext) -> None:
    """Waits for an async handler. A cancel, a lost lease or a timeout reaches it as CancelledError."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(answer)
    context._interruptible(lambda: loop.call_soon_threadsafe(task.cancel))
    try:
        await task
    finally:
        context._interruptible(None)


def _failure(context: JobContext, error: BaseException, duration_ms: float) -> Failure:
    reason, retry_after, group = FailureReason.TRANSIENT, None, None
    if isinstance(error, asyncio.CancelledError):
        error = _why_cancelled(context, error)
    if isinstance(error, JobError):
        reason, retry_after, group = error.reason, error.retry_after, error.group
    elif context.timed_out or isinstance(error, TimeoutError | asyncio.TimeoutError):
        reason = FailureReason.TIMEOUT
    return Failure(
        lease=context.job.lease,
        reason=reason,
        error=_details(error),
        error_group=clean_text(group or _group(error))[:_MAX_GROUP],
        retry_after=_not_negative(retry_after),
        duration_ms=duration_ms,
    )


def _why_cancelled(context: JobContext, error: asyncio.CancelledError) -> BaseException:
    """The worker interrupted an async handler: says why. One that cancelled itself has just failed."""
    try:
        context.check_cancelled()
    except JobError as why:
        return why.with_traceback(None)
    return error


def _not_negative(retry_after: float | timedelta | None) -> float | None:
    if isinstance(retry_after, timedelta):
        retry_after = retry_after.total_seconds()
    if not isinstance(retry_after, int | float) or not math.isfinite(retry_after):
        return None  # a mistake in a handler must not cost the report
    return min(max(0.0, float(retry_after)), 2_000_000_000.0)


def _headline(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an exception that cannot say what it is
        text = "(no text)"
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _details(error: BaseException) -> str:
    """First the headline, then where it came from. Deliberate failures need no traceback."""
    text = _headline(error)
    if not isinstance(error, JobError) or error.__cause__ is not None:
        try:
            trace = "".join(traceback.format_exception(type(error), error, _below_the_worker(error)))
        except Exception:  # a broken __str__ breaks the formatter as well
            trace = ""
        text = f"{text}\n\n{trace}" if trace else text
    text = clean_text(text)
    if len(text) > _MAX_ERROR:
        text = f"{text[: _MAX_ERROR // 2]}\n…\n{text[-_MAX_ERROR // 2 :]}"
    return text


def _below_the_worker(error: BaseException) -> Any:
    trace = error.__traceback__
    return trace.tb_next if trace is not None and trace.tb_next is not None else trace


def _group(error: BaseException) -> str:
    """The exception and the function that raised it: stable where messages hold numbers and names."""
    name = type(error).__qualname__
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return name
    frame = trace.tb_frame
    return f"{name} in {frame.f_globals.get('__name__', '?')}.{frame.f_code.co_name}"


def clean_text(text: str) -> str:
    """``text`` without what some database cannot store: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
