/*
One-time script: lifetime counters, one-second buckets and the long metric history, with the gates that keep concurrent
finalizers apart. Never changed after it was published. Cost on an existing database: none, every object is new.
Undo: db/undo/0002_metrics.sql.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/* What a series measures: 0 to 99 are the package's own, from 100 on the application's. */
CREATE TABLE [chokaq].[Measures] (
    [Measure] SMALLINT NOT NULL,
    [Name] VARCHAR(100) NOT NULL,
    [RegisteredAtUtc] DATETIME2(7) NOT NULL CONSTRAINT [DF_Measures_RegisteredAtUtc] DEFAULT (SYSUTCDATETIME()),
    CONSTRAINT [PK_Measures] PRIMARY KEY CLUSTERED ([Measure]),
    CONSTRAINT [UQ_Measures_Name] UNIQUE NONCLUSTERED ([Name])
);
GO

INSERT INTO [chokaq].[Measures] ([Measure], [Name])
VALUES
    (0, 'execution'),
    (1, 'queue wait'),
    (2, 'failure');
GO

/* The gates: whoever holds the row of a shard is the only one who writes counters of that shard. */
CREATE TABLE [chokaq].[MetricShards] (
    [Shard] TINYINT NOT NULL,
    [Passes] BIGINT NOT NULL CONSTRAINT [DF_MetricShards_Passes] DEFAULT (0),
    CONSTRAINT [PK_MetricShards] PRIMARY KEY CLUSTERED ([Shard])
);
GO

/* All 64 that Settings.MetricShards allows; RecordOutcomes uses the first so many of them. */
INSERT INTO [chokaq].[MetricShards] ([Shard])
SELECT CONVERT(TINYINT, [tens].[n] * 8 + [ones].[n]) AS [Shard]
FROM (VALUES
    (0),
    (1),
    (2),
    (3),
    (4),
    (5),
    (6),
    (7)
) AS [tens] ([n])
CROSS JOIN (VALUES
    (0),
    (1),
    (2),
    (3),
    (4),
    (5),
    (6),
    (7)
) AS [ones] ([n]);
GO

/* Lifetime counters. They never fall: not at purge, not at resurrect. */
CREATE TABLE [chokaq].[StatsSummary] (
    [Queue] VARCHAR(255) NOT NULL,
    [Shard] TINYINT NOT NULL,
    [SucceededTotal] BIGINT NOT NULL,
    [FailedTotal] BIGINT NOT NULL,
    [RetriedTotal] BIGINT NOT NULL,
    [LastActivityUtc] DATETIME2(7) NOT NULL,
    CONSTRAINT [PK_StatsSummary] PRIMARY KEY CLUSTERED ([Queue], [Shard])
);
GO

/* Final outcomes of one UTC second: the source of the one-minute and five-minute windows. */
CREATE TABLE [chokaq].[MetricBuckets] (
    [BucketStartUtc] DATETIME2(0) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [Shard] TINYINT NOT NULL,
    [CompletedCount] BIGINT NOT NULL,
    [DurationCount] BIGINT NOT NULL,
    [TotalDurationMs] FLOAT NOT NULL,
    [MaxDurationMs] FLOAT NULL,
    [WaitCount] BIGINT NOT NULL,
    [TotalWaitMs] FLOAT NOT NULL,
    [MaxWaitMs] FLOAT NULL,
    [LastUpdatedUtc] DATETIME2(7) NOT NULL,
    CONSTRAINT [PK_MetricBuckets] PRIMARY KEY CLUSTERED ([BucketStartUtc], [Queue], [Outcome], [FailureReason], [Shard]),
    CONSTRAINT [CK_MetricBuckets_Outcome] CHECK ([Outcome] IN (0, 1))
);
GO

/*
Long history of every family of measures through one pipeline.
Resolution is the bucket's width in seconds: the fine tier, 3600 or 86400. Bin is a logarithmic bin of the value:
ceiling(log(ms) / log(1.05 / 0.95)), so its middle is at most 5 % off; -32767 is the value 0, -32768 is "no value".
*/
CREATE TABLE [chokaq].[MetricSeries] (
    [Resolution] INT NOT NULL,
    [BucketStartUtc] DATETIME2(0) NOT NULL,
    [Measure] SMALLINT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [Bin] SMALLINT NOT NULL,
    [Shard] TINYINT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [TotalMs] FLOAT NOT NULL,
    [MaxMs] FLOAT NULL,
    CONSTRAINT [PK_MetricSeries] PRIMARY KEY CLUSTERED ([Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [Bin], [Shard]),
    CONSTRAINT [CK_MetricSeries_Resolution] CHECK ([Resolution] BETWEEN 60 AND 86400),
    CONSTRAINT [CK_MetricSeries_SampleCount] CHECK ([SampleCount] >= 0)
);
GO

/* The hours that BackfillMetrics has counted from the pillars, so that none is counted twice. */
CREATE TABLE [chokaq].[MetricBackfill] (
    [HourStartUtc] DATETIME2(0) NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [DoneAtUtc] DATETIME2(7) NOT NULL,
    CONSTRAINT [PK_MetricBackfill] PRIMARY KEY CLUSTERED ([HourStartUtc])
);
GO
