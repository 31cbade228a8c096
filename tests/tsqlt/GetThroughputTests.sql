SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetThroughputTests';
GO

CREATE TABLE [GetThroughputTests].[Expected] (
    [ProcessedLastMinute] BIGINT NOT NULL,
    [FailedLastMinute] BIGINT NOT NULL,
    [ProcessedLastFiveMinutes] BIGINT NOT NULL,
    [FailedLastFiveMinutes] BIGINT NOT NULL,
    [FailureRateLastMinute] FLOAT NOT NULL,
    [FailureRateLastFiveMinutes] FLOAT NOT NULL,
    [AverageDurationMs] FLOAT NULL,
    [MaxDurationMs] FLOAT NULL
);
GO

CREATE TABLE [GetThroughputTests].[Actual] (
    [ProcessedLastMinute] BIGINT NULL,
    [FailedLastMinute] BIGINT NULL,
    [ProcessedLastFiveMinutes] BIGINT NULL,
    [FailedLastFiveMinutes] BIGINT NULL,
    [FailureRateLastMinute] FLOAT NULL,
    [FailureRateLastFiveMinutes] FLOAT NULL,
    [AverageDurationMs] FLOAT NULL,
    [MaxDurationMs] FLOAT NULL
);
GO

CREATE PROCEDURE [GetThroughputTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBuckets]';
END;
GO

CREATE PROCEDURE [GetThroughputTests].[AddBucket]
    @SecondsAgo INT,
    @Queue VARCHAR(255),
    @Outcome TINYINT,
    @CompletedCount BIGINT,
    @DurationCount BIGINT,
    @TotalDurationMs FLOAT,
    @MaxDurationMs FLOAT,
    @Shard TINYINT = 0
AS
BEGIN
    INSERT INTO [chokaq].[MetricBuckets] (
        [BucketStartUtc],
        [Queue],
        [Outcome],
        [FailureReason],
        [Shard],
        [CompletedCount],
        [DurationCount],
        [TotalDurationMs],
        [MaxDurationMs]
    )
    VALUES (
        DATEADD(SECOND, -@SecondsAgo, SYSUTCDATETIME()),
        @Queue,
        @Outcome,
        CASE WHEN @Outcome = 0 THEN -1 ELSE 6 END,
        @Shard,
        @CompletedCount,
        @DurationCount,
        @TotalDurationMs,
        @MaxDurationMs
    );
END;
GO

CREATE PROCEDURE [GetThroughputTests].[Get] @Queue VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetThroughputTests].[Actual] (
        [ProcessedLastMinute],
        [FailedLastMinute],
        [ProcessedLastFiveMinutes],
        [FailedLastFiveMinutes],
        [FailureRateLastMinute],
        [FailureRateLastFiveMinutes],
        [AverageDurationMs],
        [MaxDurationMs]
    )
    EXECUTE [chokaq].[GetThroughput] @Queue = @Queue;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[Expect]
    @ProcessedLastMinute BIGINT,
    @FailedLastMinute BIGINT,
    @ProcessedLastFiveMinutes BIGINT,
    @FailedLastFiveMinutes BIGINT,
    @FailureRateLastMinute FLOAT,
    @FailureRateLastFiveMinutes FLOAT,
    @AverageDurationMs FLOAT,
    @MaxDurationMs FLOAT
AS
BEGIN
    INSERT INTO [GetThroughputTests].[Expected] (
        [ProcessedLastMinute],
        [FailedLastMinute],
        [ProcessedLastFiveMinutes],
        [FailedLastFiveMinutes],
        [FailureRateLastMinute],
        [FailureRateLastFiveMinutes],
        [AverageDurationMs],
        [MaxDurationMs]
    )
    VALUES (
        @ProcessedLastMinute,
        @FailedLastMinute,
        @ProcessedLastFiveMinutes,
        @FailedLastFiveMinutes,
        @FailureRateLastMinute,
        @FailureRateLastFiveMinutes,
        @AverageDurationMs,
        @MaxDurationMs
    );

    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetThroughputTests].[Expected]',
        @Actual = N'[GetThroughputTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput returns zeros where nothing was finished]
AS
BEGIN
    /* Act */
    EXECUTE [GetThroughputTests].[Get];

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 0,
        @FailedLastMinute = 0,
        @ProcessedLastFiveMinutes = 0,
        @FailedLastFiveMinutes = 0,
        @FailureRateLastMinute = 0,
        @FailureRateLastFiveMinutes = 0,
        @AverageDurationMs = NULL,
        @MaxDurationMs = NULL;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput counts the last minute and the last five]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 20,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 6,
        @DurationCount = 6,
        @TotalDurationMs = 600,
        @MaxDurationMs = 150;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 30,
        @Queue = 'mail',
        @Outcome = 1,
        @CompletedCount = 2,
        @DurationCount = 2,
        @TotalDurationMs = 40,
        @MaxDurationMs = 30;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 120,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 8,
        @DurationCount = 8,
        @TotalDurationMs = 960,
        @MaxDurationMs = 500;

    /* Act */
    EXECUTE [GetThroughputTests].[Get];

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 8,
        @FailedLastMinute = 2,
        @ProcessedLastFiveMinutes = 16,
        @FailedLastFiveMinutes = 2,
        @FailureRateLastMinute = 0.25,
        @FailureRateLastFiveMinutes = 0.125,
        @AverageDurationMs = 100,
        @MaxDurationMs = 500;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput forgets what is older than five minutes]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 310,
        @Queue = 'mail',
        @Outcome = 1,
        @CompletedCount = 5,
        @DurationCount = 5,
        @TotalDurationMs = 500,
        @MaxDurationMs = 500;

    /* Act */
    EXECUTE [GetThroughputTests].[Get];

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 0,
        @FailedLastMinute = 0,
        @ProcessedLastFiveMinutes = 0,
        @FailedLastFiveMinutes = 0,
        @FailureRateLastMinute = 0,
        @FailureRateLastFiveMinutes = 0,
        @AverageDurationMs = NULL,
        @MaxDurationMs = NULL;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput sums over the shards and over the queues]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 1,
        @DurationCount = 1,
        @TotalDurationMs = 10,
        @MaxDurationMs = 10,
        @Shard = 0;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 2,
        @DurationCount = 2,
        @TotalDurationMs = 40,
        @MaxDurationMs = 20,
        @Shard = 1;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'print',
        @Outcome = 1,
        @CompletedCount = 1,
        @DurationCount = 1,
        @TotalDurationMs = 30,
        @MaxDurationMs = 30,
        @Shard = 2;

    /* Act */
    EXECUTE [GetThroughputTests].[Get];

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 4,
        @FailedLastMinute = 1,
        @ProcessedLastFiveMinutes = 4,
        @FailedLastFiveMinutes = 1,
        @FailureRateLastMinute = 0.25,
        @FailureRateLastFiveMinutes = 0.25,
        @AverageDurationMs = 20,
        @MaxDurationMs = 30;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput counts one queue when it is named]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 9,
        @DurationCount = 9,
        @TotalDurationMs = 90,
        @MaxDurationMs = 90;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'print',
        @Outcome = 1,
        @CompletedCount = 1,
        @DurationCount = 1,
        @TotalDurationMs = 30,
        @MaxDurationMs = 30;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 200,
        @Queue = 'print',
        @Outcome = 0,
        @CompletedCount = 3,
        @DurationCount = 1,
        @TotalDurationMs = 50,
        @MaxDurationMs = 50;

    /* Act */
    EXECUTE [GetThroughputTests].[Get] @Queue = 'print';

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 1,
        @FailedLastMinute = 1,
        @ProcessedLastFiveMinutes = 4,
        @FailedLastFiveMinutes = 1,
        @FailureRateLastMinute = 1,
        @FailureRateLastFiveMinutes = 0.25,
        @AverageDurationMs = 40,
        @MaxDurationMs = 50;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput returns zeros for a queue that finished nothing]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 9,
        @DurationCount = 9,
        @TotalDurationMs = 90,
        @MaxDurationMs = 90;

    /* Act */
    EXECUTE [GetThroughputTests].[Get] @Queue = 'none';

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 0,
        @FailedLastMinute = 0,
        @ProcessedLastFiveMinutes = 0,
        @FailedLastFiveMinutes = 0,
        @FailureRateLastMinute = 0,
        @FailureRateLastFiveMinutes = 0,
        @AverageDurationMs = NULL,
        @MaxDurationMs = NULL;
END;
GO

CREATE PROCEDURE [GetThroughputTests].[test GetThroughput takes the average over the jobs with a known duration alone]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 0,
        @CompletedCount = 4,
        @DurationCount = 2,
        @TotalDurationMs = 100,
        @MaxDurationMs = 80;
    EXECUTE [GetThroughputTests].[AddBucket]
        @SecondsAgo = 10,
        @Queue = 'mail',
        @Outcome = 1,
        @CompletedCount = 4,
        @DurationCount = 0,
        @TotalDurationMs = 0,
        @MaxDurationMs = NULL;

    /* Act */
    EXECUTE [GetThroughputTests].[Get];

    /* Assert */
    EXECUTE [GetThroughputTests].[Expect]
        @ProcessedLastMinute = 8,
        @FailedLastMinute = 4,
        @ProcessedLastFiveMinutes = 8,
        @FailedLastFiveMinutes = 4,
        @FailureRateLastMinute = 0.5,
        @FailureRateLastFiveMinutes = 0.5,
        @AverageDurationMs = 50,
        @MaxDurationMs = 80;
END;
GO
