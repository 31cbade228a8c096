"""What holds at every moment: one pillar a job, and counters that agree with the pillars."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.contract.support import Database

# (kind, detail, amount, table): amounts by queue and detail
_PARTS = (
    ("hot", "CONVERT(VARCHAR(20), [t].[Status])", "COUNT_BIG(*)", "JobsHot"),
    ("archive", "''", "COUNT_BIG(*)", "JobsArchive"),
    ("dlq", "CONVERT(VARCHAR(20), [t].[FailureReason])", "COUNT_BIG(*)", "JobsDLQ"),
    ("succeeded", "''", "SUM([t].[SucceededTotal])", "StatsSummary"),
    ("failed", "''", "SUM([t].[FailedTotal])", "StatsSummary"),
    ("retried", "''", "SUM([t].[RetriedTotal])", "StatsSummary"),
    (
        "bucket",
        "CONCAT([t].[Outcome], '/', [t].[FailureReason])",
        "SUM([t].[CompletedCount])",
        "MetricBuckets",
    ),
    (
        "series",
        "CONCAT([t].[Measure], '/', [t].[Outcome], '/', [t].[FailureReason])",
        "SUM([t].[SampleCount])",
        "MetricSeries",
    ),
)
_STATE = "\n".join(
    f"SELECT '{kind}' AS [Kind], [t].[Queue], {detail} AS [Detail], {amount} AS [Amount]"
    f" FROM [chokaq].[{table}] AS [t] GROUP BY [t].[Queue], {detail};"
    if detail != "''"
    else f"SELECT '{kind}' AS [Kind], [t].[Queue], '' AS [Detail], {amount} AS [Amount]"
    f" FROM [chokaq].[{table}] AS [t] GROUP BY [t].[Queue];"
    for kind, detail, amount, table in _PARTS
)
_IN_TWO_PILLARS = """
SELECT [p].[Id], COUNT(*) AS [Pillars]
FROM (
    SELECT [h].[Id] FROM [chokaq].[JobsHot] AS [h]
    UNION ALL SELECT [a].[Id] FROM [chokaq].[JobsArchive] AS [a]
    UNION ALL SELECT [d].[Id] FROM [chokaq].[JobsDLQ] AS [d]
) AS [p]
GROUP BY [p].[Id]
HAVING COUNT(*) > 1;
"""
Key = tuple[str, str]  # queue, detail


@dataclass
class State:
    """How many of what there are, by kind, queue and detail; zeros are left out."""

    amounts: dict[str, Counter[Key]] = field(default_factory=dict)

    @classmethod
    def of(cls, db: Database) -> State:
        state = cls()
        for row in db.sql(_STATE, every_set=True):
            kind, queue, detail, amount = row.values()
            if amount:
                state.amounts.setdefault(kind, Counter())[queue, detail] += int(amount)
        return state

    def __getitem__(self, kind: str) -> Counter[Key]:
        return self.amounts.get(kind, Counter())

    def total(self, kind: str) -> int:
        return sum(self[kind].values())

    def by_queue(self, kind: str, *details: str) -> Counter[str]:
        """Amounts by queue; only of these details, when some are given."""
        found: Counter[str] = Counter()
        for (queue, detail), amount in self[kind].items():
            if not details or detail in details:
                found[queue] += amount
        return found

    def by_detail(self, kind: str, prefix: str = "") -> Counter[Key]:
        """Amounts of details that begin so, without that beginning."""
        return Counter(
            {
                (queue, detail.removeprefix(prefix)): amount
                for (queue, detail), amount in self[kind].items()
                if detail.startswith(prefix)
            }
        )


def check(db: Database, *, jobs: int | None = None) -> State:
    """Raises AssertionError where the pillars or the counters contradict each other.

    ``jobs``: how many were accepted since the reset. Only while nothing was purged, resurrected or cancelled
    unstarted, which the counters of executions rightly do not follow.
    """
    assert db.sql(_IN_TWO_PILLARS) == []
    state = State.of(db)
    if jobs is not None:
        assert state.total("hot") + state.total("archive") + state.total("dlq") == jobs
    archived = state.by_queue("archive")
    dead = state.by_queue("dlq")
    assert state.by_queue("succeeded") == archived
    assert state.by_queue("failed") == dead
    assert state.by_queue("bucket", "0/-1") == archived
    # By reason, too: buckets hold final failures, series also the attempts that are retried.
    reasons = state["dlq"]
    assert state.by_detail("bucket", "1/") == reasons
    assert state.by_detail("series", "0/1/") == reasons
    assert state.by_detail("series", "2/1/") == reasons
    assert state.by_queue("series", "0/0/-1") == archived
    retried: Counter[str] = Counter()
    for (queue, _), amount in state.by_detail("series", "0/2/").items():
        retried[queue] += amount
    assert state.by_queue("retried") == retried
    assert state.by_detail("series", "0/2/") == state.by_detail("series", "2/2/")
    # Every execution had a wait.
    assert state.by_detail("series", "1/") == state.by_detail("series", "0/")
    return state
