"""Hooks around each execution."""

from __future__ import annotations

import contextlib
import contextvars
import logging
from collections.abc import Iterator

import pytest

from chokaq import JobContext
from tests.unit.driver.fakequeue import FakeQueue
from tests.unit.driver.workers import make

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("name")


def test_it_stands_around_each_handler() -> None:
    told: list[str] = []

    @contextlib.contextmanager
    def around(context: JobContext) -> Iterator[None]:
        token = NAME.set(context.job.job_id)
        try:
            yield
            told.append("went well")
        except ValueError as error:
            told.append(str(error))
            raise
        finally:
            NAME.reset(token)

    async def ok(_context: JobContext) -> None:
        told.append(NAME.get())

    def bad(_context: JobContext) -> None:
        raise ValueError(f"bad in {NAME.get()}")

    done = make(FakeQueue("ok", "bad"), {"ok": ok, "bad": bad}, concurrency=1, around=around).run(burst=True)
    assert (done.succeeded, done.failed) == (1, 1)
    assert told == ["j0000", "went well", "bad in j0001"]


@pytest.mark.parametrize("place", ["before", "after"])
def test_its_own_errors_cost_no_job(place: str, caplog: pytest.LogCaptureFixture) -> None:
    @contextlib.contextmanager
    def around(_context: JobContext) -> Iterator[None]:
        if place == "before":
            raise RuntimeError("telemetry is broken")
        yield
        raise RuntimeError("telemetry is broken")

    with caplog.at_level(logging.ERROR, "chokaq.worker"):
        done = make(FakeQueue("ok"), around=around).run(burst=True)
    assert done.succeeded == 1
    assert f"the around hook failed {place}" in caplog.text


def test_it_cannot_make_a_failure_a_success() -> None:
    def bad(_context: JobContext) -> None:
        raise ValueError("bad")

    def around(_context: JobContext) -> contextlib.AbstractContextManager[None]:
        return contextlib.suppress(ValueError)

    assert make(FakeQueue("bad"), {"bad": bad}, around=around).run(burst=True).failed == 1
