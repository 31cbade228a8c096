"""What a run gathers."""

from __future__ import annotations

from dataclasses import dataclass, field

from chokaq.models import SummaryStats, Throughput

from .accident import Kill
from .claims import Claim
from .files import Found
from .reads import Tables
from .worker_log import WorkerRecord

__all__ = ["RunFigures", "Sweeps"]


@dataclass
class Sweeps:
    """What the sweeps of a run did, and which claims they took away."""

    recovered: int = 0
    buried: int = 0
    retried: int = 0
    claims: set[Claim] = field(default_factory=set)

    @property
    def zombies(self) -> int:
        """Running jobs that were taken from dead workers."""
        return self.buried + self.retried


@dataclass
class RunFigures:
    """All that a run leaves to be told. ``timeout``: seconds without a heartbeat after which a claim is taken
    away. ``enqueued``: job id → path. ``seconds``: phase → its length.
    """

    found: Found
    timeout: int
    seconds: dict[str, float] = field(default_factory=dict)
    enqueued: dict[str, str] = field(default_factory=dict)
    sweeps: Sweeps = field(default_factory=Sweeps)
    kill: Kill | None = None
    tables: Tables = field(default_factory=lambda: Tables([], [], []))
    summary: list[SummaryStats] = field(default_factory=list)
    throughput: Throughput | None = None
    records: list[WorkerRecord] = field(default_factory=list)
    died_at: dict[str, int] = field(default_factory=dict)
    killed: set[str] = field(default_factory=set)
    fallen: list[str] = field(default_factory=list)
