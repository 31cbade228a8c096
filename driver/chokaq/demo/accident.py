"""The accident of every run: one worker process is killed in the middle of its work."""

from __future__ import annotations

from dataclasses import dataclass

from chokaq.models import JobStatus

from .crew import Member, frozen
from .reads import Reads

__all__ = ["Accident", "Kill"]

# The victim shall hold a running job and several prefetched ones; after so many looks in vain one is enough,
# and after so many more it need not hold both kinds. (A single job at the end may have no attempt left.)
_PREFETCHED = 4
_LOOKS_FOR_SEVERAL = 8
_LOOKS_FOR_BOTH = 20


@dataclass(frozen=True)
class Kill:
    """What the worker held when it was killed: claimed ahead and not started; running, by the database and by
    its own log both; finished by its log, but not yet reported to the database, for which they are running.
    """

    member: Member
    prefetched: int
    running: int
    unreported: int

    def __str__(self) -> str:
        return (
            f"{self.prefetched} prefetched and {self.running} running jobs, and {self.unreported} finished "
            "and not yet reported"
        )


class Accident:
    """Waits for the right moment. The process is frozen while its jobs are looked at, so that what is counted
    is what it dies with.
    """

    def __init__(self, reads: Reads, victim: Member, warm_up: int) -> None:
        """``warm_up``: jobs that the victim shall have done before."""
        self._reads = reads
        self._victim = victim
        self._warm_up = warm_up
        self._looks = 0

    def may_happen(self) -> bool:
        """Whether the victim is well into its work, by its log alone: cheap to ask."""
        if not self._victim.process.is_alive():
            return False
        done = sum(run.ended_at is not None for run in self._victim.record().executions)
        return done >= self._warm_up

    def try_now(self) -> Kill | None:
        """Kills the victim if it holds jobs, prefetched and running ones; else leaves it alone."""
        self._looks += 1
        with frozen(self._victim):
            held = self._reads.held_by(self._victim.worker_id)
            begun = {run.claim for run in self._victim.record().open}
            prefetched = sum(status is JobStatus.FETCHED for status in held.values())
            processing = len(held) - prefetched
            running = sum(status is JobStatus.PROCESSING and claim in begun for claim, status in held.items())
            wanted = _PREFETCHED if self._looks <= _LOOKS_FOR_SEVERAL else 1
            if (prefetched >= wanted and running) or (len(held) > 1 and self._looks > _LOOKS_FOR_BOTH):
                self._victim.kill()
                return Kill(self._victim, prefetched, running, processing - running)
        return None
