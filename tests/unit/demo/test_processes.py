"""Worker processes: none is left behind, whatever state it is in; signals to the demo."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from chokaq.demo.crew import Crew, Member, frozen
from chokaq.demo.interrupts import Interrupted, Interrupts
from chokaq.demo.worker_process import WorkerSpec

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def pattern(folder: Path) -> WorkerSpec:
    """For workers that find nothing in their database."""
    return WorkerSpec(
        url=f"embedded://{(folder / 'empty.db').as_posix()}",
        schema="chokaq",
        worker_id="",
        root=folder,
        log=folder,
        messages=folder,
        concurrency=1,
        prefetch=1,
        heartbeat_interval=1.0,
    )


def test_a_url_is_not_shown() -> None:
    assert "embedded" not in repr(pattern(Path("/x")))


def test_a_worker_that_cannot_work_says_why(tmp_path: Path) -> None:
    with Crew(pattern(tmp_path), tmp_path) as crew:
        member = crew.start()
        member.process.join(30)
        assert crew.fallen() == [member]
        assert crew.living() == []
        assert f"{member.worker_id} ended with exit code 1" in member.obituary()
        assert "NotDeployedError" in member.obituary()
        assert crew.died_at().keys() == {member.worker_id}


def sleeper(folder: Path) -> Member:
    """A member that does nothing, and does not end when it is told to."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=time.sleep, args=(60,), daemon=True)
    process.start()
    receiving.close()
    return Member(1, pattern(folder), process, sending)


def state(member: Member) -> str:
    """The state's letter, of a system that has /proc."""
    stat = Path(f"/proc/{member.process.pid}/stat")
    if not stat.exists():
        pytest.skip("no /proc")
    return stat.read_text("ascii").rpartition(")")[2].split()[0]


@posix
def test_frozen_and_going_on(tmp_path: Path) -> None:
    member = sleeper(tmp_path)
    try:
        with frozen(member):
            assert state(member) == "T"
        time.sleep(0.1)
        assert state(member) in "SR"
        with frozen(member):
            member.kill()
        assert not member.process.is_alive()
        assert member.was_killed
        assert member.died_at is not None
        with frozen(member):  # nobody there any more
            pass
    finally:
        member.process.kill()


@posix
@pytest.mark.parametrize("stopped", [False, True])
def test_nothing_is_left_behind(tmp_path: Path, stopped: bool) -> None:
    crew = Crew(pattern(tmp_path), tmp_path)
    member = sleeper(tmp_path)
    crew.members.append(member)
    if stopped:
        assert member.process.pid is not None
        os.kill(member.process.pid, signal.SIGSTOP)
    crew.stop(0.2)
    assert not member.process.is_alive()


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_raised_and_remembered(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    interrupts = Interrupts()
    interrupts.check()
    with interrupts.listening():
        # Here it is lost, as in C code that makes an exception of its own of it.
        with contextlib.suppress(Interrupted):
            os.kill(os.getpid(), number)
            time.sleep(5)
        with pytest.raises(Interrupted, match=number.name):
            interrupts.check()
    assert interrupts.received is number
    assert signal.getsignal(number) is before
