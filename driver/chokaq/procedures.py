"""The procedures as data: parameters with their T-SQL types, result columns, whether a call may be
repeated.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROCEDURES", "Param", "Procedure", "SqlType"]


@dataclass(frozen=True)
class SqlType:
    """A T-SQL parameter type. ``size``: characters of a (n)varchar, 0 = max; 27 for a datetime2(7), which is
    sent as text.
    """

    name: str
    size: int = 0

    def __str__(self) -> str:
        if self.name == "datetime2":
            return "datetime2(7)"
        return f"{self.name}({self.size or 'max'})" if self.name in ("varchar", "nvarchar") else self.name


@dataclass(frozen=True)
class Param:
    """A parameter: its name without @, and its type as the procedure declares it."""

    name: str
    type: SqlType


@dataclass(frozen=True)
class Procedure:
    """A procedure: parameters in order, columns of its result set in order.

    ``repeatable``: calling again with the same values is right even where the first call may have taken
    effect.
    """

    name: str
    params: tuple[Param, ...]
    columns: tuple[str, ...]
    repeatable: bool

    @property
    def arguments(self) -> str:
        """`` @A = ?, @B = ?``, the text after the procedure's name."""
        return "".join(f"{',' if i else ''} @{param.name} = ?" for i, param in enumerate(self.params))


_JSON = SqlType("nvarchar")  # nvarchar(max)
# Wider than their columns: the procedures refuse what would not fit, instead of cutting it.
_WORKER = Param("WorkerId", SqlType("nvarchar", 4000))
_SET_QUEUE = Param("Queue", SqlType("nvarchar", 4000))
_QUEUE = Param("Queue", SqlType("varchar", 255))
_LEASES = Param("Leases", _JSON)
_CREATE = Param("Create", SqlType("bit"))
_JOB_ID = Param("JobId", SqlType("varchar", 50))
_TYPE = Param("Type", SqlType("varchar", 255))
_TAG = Param("Tag", SqlType("varchar", 1000))
_TEXT = Param("Text", SqlType("nvarchar", 4000))
_NEW_TAGS = Param("Tags", SqlType("nvarchar", 4000))  # refused, not cut, by the procedure itself
_MEASURE = Param("Measure", SqlType("smallint"))


def _whole(*names: str) -> tuple[Param, ...]:
    """Parameters of type int."""
    return tuple(Param(name, SqlType("int")) for name in names)


def _times(*names: str) -> tuple[Param, ...]:
    """Parameters of type datetime2(7)."""
    return tuple(Param(name, SqlType("datetime2", 27)) for name in names)


def _person(name: str) -> Param:
    """Who acts."""
    return Param(name, SqlType("varchar", 100))


_DLQ_FILTER = (
    _QUEUE,
    _TYPE,
    *_whole("FailureReason"),
    *_times("CreatedFromUtc", "CreatedToUtc", "FailedFromUtc", "FailedToUtc"),
    _TAG,
    _TEXT,
)
_PAGE = (*_times("BeforeUtc"), Param("BeforeId", SqlType("varchar", 50)), *_whole("PageSize"))
_BATCHES = (*_whole("BatchSize", "MaxBatches"), *_times("NowUtc"))
_WINDOW = _times("FromUtc", "ToUtc")
_OUTCOME = "JobId Outcome"
_PURGED = "Deleted MoreLeft"
_QUEUE_ROW = (
    "Queue IsPaused IsActive MaxWorkers ZombieTimeoutSeconds ZombieAction MaxAttempts RetryBaseSeconds "
    "RetryMultiplier RetryMaxSeconds RetryJitterPercent MaxJobAgeSeconds LastUpdatedUtc"
)
_SETTINGS = (
    "MetricShards FineResolutionMinutes FineRetentionHours HourlyRetentionDays DailyRetentionDays "
    "BucketRetentionMinutes RollupMaxRows FetchedTimeoutSeconds ZombieTimeoutSeconds ArchiveRetentionDays "
    "DlqRetentionDays MaintenanceBatchSize"
)
_CLAIM = (
    "JobId Queue Type Payload Tags IdempotencyKey Priority AttemptCount MaxAttempts LeaseToken "
    "ScheduledAtUtc CreatedAtUtc CreatedBy"
)
_HEALTH = "Queue IsPaused IsActive MaxWorkers Fetched Processing OldestDueUtc LagSeconds OldestHeartbeatUtc"
_THROUGHPUT = (
    "ProcessedLastMinute FailedLastMinute ProcessedLastFiveMinutes FailedLastFiveMinutes "
    "FailureRateLastMinute FailureRateLastFiveMinutes AverageDurationMs MaxDurationMs"
)
_JOB = (
    "Pillar JobId Queue Type Payload Tags IdempotencyKey Priority Status AttemptCount MaxAttempts WorkerId "
    "LeaseToken HeartbeatUtc CancelRequestedUtc ScheduledAtUtc CreatedAtUtc StartedAtUtc FinishedAtUtc "
    "FailedAtUtc DurationMs WaitMs FailureReason ErrorDetails LastUpdatedUtc CreatedBy LastModifiedBy"
)

PROCEDURES: dict[str, Procedure] = {}


def _declare(name: str, columns: str, *params: Param, repeatable: bool = True) -> None:
    PROCEDURES[name] = Procedure(name, params, tuple(columns.split()), repeatable)


# Ids come with the rows, so a repeated call answers "exists".
_declare(
    "EnqueueJobs",
    "Ordinal JobId Outcome",
    Param("Jobs", _JSON),
    Param("CreatedBy", SqlType("nvarchar", 4000)),
)
# A claim whose answer was lost stands; a second call would claim others as well.
_declare(
    "FetchNextBatch",
    _CLAIM,
    _WORKER,
    Param("Limit", SqlType("int")),
    Param("Queues", _JSON),
    repeatable=False,
)
_declare("MarkAsProcessing", _OUTCOME, _WORKER, _LEASES)
_declare("KeepAlive", _OUTCOME, _WORKER, _LEASES)
_declare("ReleaseJobs", _OUTCOME, _WORKER, _LEASES)
# Finished jobs keep worker and lease, so a repeated report answers what it answered first.
_declare("CompleteJobs", _OUTCOME, _WORKER, Param("Results", _JSON))
_declare("FailJobs", _OUTCOME + " NextRunUtc", _WORKER, Param("Failures", _JSON))
_declare("SweepZombies", "Recovered Buried Retried", Param("BatchSize", SqlType("int")))
_declare("SetQueuePaused", _QUEUE_ROW, _SET_QUEUE, Param("IsPaused", SqlType("bit")), _CREATE)
_declare("SetQueueMaxWorkers", _QUEUE_ROW, _SET_QUEUE, Param("MaxWorkers", SqlType("int")), _CREATE)
_declare("SetQueueActive", _QUEUE_ROW, _SET_QUEUE, Param("IsActive", SqlType("bit")), _CREATE)
_declare(
    "SetQueueZombiePolicy",
    _QUEUE_ROW,
    _SET_QUEUE,
    *_whole("ZombieTimeoutSeconds"),
    Param("ZombieAction", SqlType("tinyint")),
    _CREATE,
)
_declare(
    "SetQueueRetryPolicy",
    _QUEUE_ROW,
    _SET_QUEUE,
    *_whole("MaxAttempts", "RetryBaseSeconds"),
    Param("RetryMultiplier", SqlType("float")),
    *_whole("RetryMaxSeconds", "RetryJitterPercent", "MaxJobAgeSeconds"),
    _CREATE,
)
_declare("UpdateSettings", _SETTINGS + " LastUpdatedUtc", *_whole(*_SETTINGS.split()))
_declare("GetSummaryStats", "Queue SucceededTotal FailedTotal RetriedTotal LastActivityUtc", _QUEUE)
_declare("GetQueueStats", "Queue Pending Due Scheduled Fetched Processing", _QUEUE)
_declare("GetQueueHealth", _HEALTH, _QUEUE)
_declare("GetThroughput", _THROUGHPUT, _QUEUE)
_declare("GetJob", _JOB, _JOB_ID)
_declare("GetSchemaVersion", "Version Name PackageVersion AppliedAtUtc")

# A repeat would change nothing more, but would answer "not-found" for what the first call did.
_declare(
    "CancelJobs",
    _OUTCOME,
    Param("JobIds", _JSON),
    _person("CancelledBy"),
    Param("Reason", SqlType("nvarchar", 4000)),
    repeatable=False,
)
_declare(
    "EditPendingJob",
    _OUTCOME,
    _JOB_ID,
    Param("Payload", _JSON),
    _NEW_TAGS,
    *_whole("Priority"),
    *_times("ScheduledAtUtc"),
    *_whole("MaxAttempts"),
    _person("EditedBy"),
)
_declare(
    "EditDlqJob",
    _OUTCOME,
    _JOB_ID,
    Param("Payload", _JSON),
    _NEW_TAGS,
    *_whole("Priority"),
    _person("EditedBy"),
)
# A job that came back may be dead again by now: a second call would bring it back once more.
_declare("ResurrectJobs", _OUTCOME, Param("Jobs", _JSON), _person("ResurrectedBy"), repeatable=False)
_declare(
    "ResurrectByFilter",
    _OUTCOME,
    *_DLQ_FILTER,
    *_whole("MaxJobs"),
    _person("ResurrectedBy"),
    repeatable=False,
)
_declare("PurgeDlq", _OUTCOME, Param("JobIds", _JSON), repeatable=False)
# A second call would take the next ones.
_declare("PurgeDlqByFilter", _OUTCOME, *_DLQ_FILTER, *_whole("MaxJobs"), repeatable=False)
_declare(
    "PreviewDlq",
    "MatchCount JobId Queue Type FailureReason FailedAtUtc CreatedAtUtc AttemptCount Tags ErrorDetails",
    *_DLQ_FILTER,
    *_whole("SampleSize"),
)
_declare(
    "ListActiveJobs",
    "JobId Queue Type Status Priority AttemptCount WorkerId LeaseToken ScheduledAtUtc CreatedAtUtc "
    "StartedAtUtc HeartbeatUtc CancelRequestedUtc Tags IdempotencyKey",
    _QUEUE,
    _TYPE,
    Param("Status", SqlType("tinyint")),
    *_PAGE,
)
_declare(
    "ListArchive",
    "JobId Queue Type Priority AttemptCount WorkerId CreatedAtUtc StartedAtUtc FinishedAtUtc DurationMs "
    "WaitMs Tags IdempotencyKey",
    _QUEUE,
    _TYPE,
    _TAG,
    *_times("FinishedFromUtc"),
    *_PAGE,
)
_declare(
    "ListDlq",
    "JobId Queue Type FailureReason Priority AttemptCount WorkerId CreatedAtUtc StartedAtUtc FailedAtUtc "
    "DurationMs Tags IdempotencyKey ErrorDetails",
    _QUEUE,
    _TYPE,
    *_whole("FailureReason"),
    _TAG,
    _TEXT,
    *_times("FailedFromUtc"),
    *_PAGE,
)
# Maintenance: a repeat goes on where the first call ended.
_declare("PurgeArchive", _PURGED, *_BATCHES)
_declare("PurgeExpiredDlq", _PURGED, *_BATCHES)
_declare("PruneMetricBuckets", _PURGED, *_BATCHES)
_declare("RunMaintenance", "Task RowsDone MoreLeft", *_whole("MaxBatches"), *_times("NowUtc"))
_declare("RollupMetrics", "FineRows HourlyRows DroppedRows MoreLeft", *_whole("MaxRows"), *_times("NowUtc"))
_declare(
    "BackfillMetrics",
    "HoursDone SampleCount MoreLeft",
    *_WINDOW,
    *_whole("MaxHours"),
    *_times("CountedSinceUtc"),
)
# Samples have no ids: a repeat would count them twice.
_declare(
    "RecordSamples", "Accepted Refused", Param("Samples", _JSON), *_whole("MaxMeasures"), repeatable=False
)
# Metric history.
_declare("GetTopErrors", "ErrorGroup Failures Final LastSeenUtc", _QUEUE, *_whole("Hours", "Top"))
_declare(
    "GetMetricHistory",
    "PointUtc Succeeded Failed Retried SampleCount AverageMs MaxMs",
    *_WINDOW,
    *_whole("StepMinutes"),
    _MEASURE,
    _QUEUE,
    _TYPE,
)
_declare(
    "GetLatencyPercentiles",
    "Queue Type SampleCount P50Ms P95Ms P99Ms AverageMs MaxMs",
    *_WINDOW,
    _MEASURE,
    _QUEUE,
    _TYPE,
    Param("Outcome", SqlType("tinyint")),
    Param("ByType", SqlType("bit")),
)
_declare(
    "GetErrorTrends",
    "ErrorGroup PointUtc Failures Final",
    *_WINDOW,
    *_whole("StepMinutes"),
    _QUEUE,
    *_whole("Top"),
)
_declare(
    "GetBurnRate",
    "WindowMinutes Processed Failed FailureRate BurnRate",
    Param("Objective", SqlType("float")),
    _QUEUE,
    *_times("NowUtc"),
)
