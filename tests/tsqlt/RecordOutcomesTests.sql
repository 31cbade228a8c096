SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RecordOutcomesTests';
GO

CREATE TABLE [RecordOutcomesTests].[ExpectedSummary] (
    [Queue] VARCHAR(255) NOT NULL,
    [Shard] TINYINT NOT NULL,
    [SucceededTotal] BIGINT NOT NULL,
    [FailedTotal] BIGINT NOT NULL,
    [RetriedTotal] BIGINT NOT NULL
);
GO

CREATE TABLE [RecordOutcomesTests].[ExpectedBuckets] (
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
    [MaxWaitMs] FLOAT NULL
);
GO

CREATE TABLE [RecordOutcomesTests].[ExpectedSeries] (
    [Resolution] INT NOT NULL,
    [Measure] SMALLINT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [Bin] SMALLINT NOT NULL,
    [Shard] TINYINT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [TotalMs] FLOAT NOT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE PROCEDURE [RecordOutcomesTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricShards]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBuckets]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]';

    /* One shard, so that every session writes the same one. */
    INSERT INTO [chokaq].[Settings] ([MetricShards], [FineResolutionMinutes])
    VALUES (1, 5);

    INSERT INTO [chokaq].[MetricShards] ([Shard])
    VALUES
        (0),
        (1),
        (2);
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[RecordOne]
    @Queue VARCHAR(255) = 'mail',
    @Outcome TINYINT = 0,
    @FailureReason INT = -1,
    @DurationMs FLOAT = NULL,
    @WaitMs FLOAT = NULL,
    @ErrorGroup VARCHAR(255) = NULL
AS
BEGIN
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs], [ErrorGroup])
    VALUES (1, @Queue, 'welcome', @Outcome, @FailureReason, @DurationMs, @WaitMs, @ErrorGroup);

    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[AssertBin] @Expected INT
AS
BEGIN
    /* The bin of the one execution. */
    DECLARE @Bin SMALLINT;

    SELECT @Bin = [m].[Bin] FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[Measure] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Expected, @Actual = @Bin;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes begins the lifetime totals of a queue]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason])
    VALUES
        (1, 'mail', 'welcome', 0, -1),
        (2, 'mail', 'welcome', 0, -1),
        (3, 'mail', 'welcome', 0, -1),
        (4, 'mail', 'welcome', 1, 6),
        (5, 'mail', 'welcome', 1, 0),
        (6, 'mail', 'welcome', 2, 8),
        (7, 'print', 'page', 0, -1);

    INSERT INTO [RecordOutcomesTests].[ExpectedSummary] (
        [Queue],
        [Shard],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal]
    )
    VALUES
        ('mail', 0, 3, 2, 1),
        ('print', 0, 1, 0, 0);

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordOutcomesTests].[ExpectedSummary]',
        @Actual = N'[chokaq].[StatsSummary]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes adds to the lifetime totals of its shard alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    INSERT INTO [chokaq].[StatsSummary] ([Queue], [Shard], [SucceededTotal], [FailedTotal], [RetriedTotal])
    VALUES
        ('mail', 0, 100, 200, 300),
        ('mail', 1, 1000, 2000, 3000),
        ('print', 0, 7, 7, 7);

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason])
    VALUES
        (1, 'mail', 'welcome', 0, -1),
        (2, 'mail', 'welcome', 1, 6),
        (3, 'mail', 'welcome', 2, 8),
        (4, 'mail', 'welcome', 2, 8);

    INSERT INTO [RecordOutcomesTests].[ExpectedSummary] (
        [Queue],
        [Shard],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal]
    )
    VALUES
        ('mail', 0, 101, 201, 302),
        ('mail', 1, 1000, 2000, 3000),
        ('print', 0, 7, 7, 7);

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordOutcomesTests].[ExpectedSummary]',
        @Actual = N'[chokaq].[StatsSummary]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes stamps the totals with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    INSERT INTO [chokaq].[StatsSummary] (
        [Queue],
        [Shard],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    VALUES ('mail', 0, 0, 0, 0, '2026-01-01T00:00:00');

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @Queue = 'mail';
    EXECUTE [RecordOutcomesTests].[RecordOne] @Queue = 'print';

    /* Assert */
    SELECT @Stamped = COUNT(*) FROM [chokaq].[StatsSummary] AS [s] WHERE [s].[LastActivityUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes counts final outcomes in the bucket of the second]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs])
    VALUES
        (1, 'mail', 'welcome', 0, -1, 100, 5),
        (2, 'mail', 'goodbye', 0, -1, 300, 7),
        (3, 'mail', 'welcome', 0, -1, NULL, NULL),
        (4, 'mail', 'welcome', 1, 6, 50, 9),
        (5, 'mail', 'welcome', 1, 7, NULL, NULL),
        (6, 'print', 'page', 0, -1, 1, 2);

    INSERT INTO [RecordOutcomesTests].[ExpectedBuckets] (
        [Queue],
        [Outcome],
        [FailureReason],
        [Shard],
        [CompletedCount],
        [DurationCount],
        [TotalDurationMs],
        [MaxDurationMs],
        [WaitCount],
        [TotalWaitMs],
        [MaxWaitMs]
    )
    VALUES
        ('mail', 0, -1, 0, 3, 2, 400, 300, 2, 12, 7),
        ('mail', 1, 6, 0, 1, 1, 50, 50, 1, 9, 9),
        ('mail', 1, 7, 0, 1, 0, 0, NULL, 0, 0, NULL),
        ('print', 0, -1, 0, 1, 1, 1, 1, 1, 2, 2);

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordOutcomesTests].[ExpectedBuckets]',
        @Actual = N'[chokaq].[MetricBuckets]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes counts no retried attempt in a bucket]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @Outcome = 2, @FailureReason = 8, @DurationMs = 5;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricBuckets]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes uses the second that runs as the bucket]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Right INT;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne];

    /* Assert */
    SELECT @Right = COUNT(*)
    FROM [chokaq].[MetricBuckets] AS [b]
    WHERE [b].[BucketStartUtc] > DATEADD(SECOND, -1, @Before)
        AND [b].[BucketStartUtc] <= SYSUTCDATETIME()
        AND [b].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Right;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[AddBuckets] @MaxDurationMs FLOAT, @MaxWaitMs FLOAT
AS
BEGIN
    /* A bucket of shard 0 for each of the next seconds, whichever of them it will be. */
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Second INT = -1;

    WHILE @Second <= 10
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
            [MaxDurationMs],
            [WaitCount],
            [TotalWaitMs],
            [MaxWaitMs]
        )
        VALUES (DATEADD(SECOND, @Second, @Now), 'mail', 0, -1, 0, 10, 10, 1000, @MaxDurationMs, 10, 100, @MaxWaitMs);

        SET @Second = @Second + 1;
    END;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[AssertBuckets]
    @CompletedCount BIGINT,
    @TotalDurationMs FLOAT,
    @MaxDurationMs FLOAT,
    @TotalWaitMs FLOAT,
    @MaxWaitMs FLOAT
AS
BEGIN
    /* One of the twelve buckets has grown to this, and there is no thirteenth. */
    DECLARE @Grown INT;
    DECLARE @Buckets INT;

    SELECT @Grown = COUNT(*)
    FROM [chokaq].[MetricBuckets] AS [b]
    WHERE [b].[CompletedCount] = @CompletedCount
        AND [b].[TotalDurationMs] = @TotalDurationMs
        AND [b].[MaxDurationMs] = @MaxDurationMs
        AND [b].[TotalWaitMs] = @TotalWaitMs
        AND [b].[MaxWaitMs] = @MaxWaitMs
        AND [b].[LastUpdatedUtc] IS NOT NULL;
    SELECT @Buckets = COUNT(*) FROM [chokaq].[MetricBuckets];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Grown;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 12, @Actual = @Buckets;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes adds to a bucket that is there]
AS
BEGIN
    /* Assemble */
    EXECUTE [RecordOutcomesTests].[AddBuckets] @MaxDurationMs = 200, @MaxWaitMs = 20;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 300, @WaitMs = 30;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBuckets]
        @CompletedCount = 11,
        @TotalDurationMs = 1300,
        @MaxDurationMs = 300,
        @TotalWaitMs = 130,
        @MaxWaitMs = 30;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes keeps the largest value of a bucket]
AS
BEGIN
    /* Assemble */
    EXECUTE [RecordOutcomesTests].[AddBuckets] @MaxDurationMs = 200, @MaxWaitMs = 20;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 100, @WaitMs = 10;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBuckets]
        @CompletedCount = 11,
        @TotalDurationMs = 1100,
        @MaxDurationMs = 200,
        @TotalWaitMs = 110,
        @MaxWaitMs = 20;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes keeps the largest value of a bucket when a job has none]
AS
BEGIN
    /* Assemble */
    EXECUTE [RecordOutcomesTests].[AddBuckets] @MaxDurationMs = 200, @MaxWaitMs = 20;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = NULL, @WaitMs = NULL;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBuckets]
        @CompletedCount = 11,
        @TotalDurationMs = 1000,
        @MaxDurationMs = 200,
        @TotalWaitMs = 100,
        @MaxWaitMs = 20;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes gives a bucket without a largest value its first]
AS
BEGIN
    /* Assemble */
    EXECUTE [RecordOutcomesTests].[AddBuckets] @MaxDurationMs = NULL, @MaxWaitMs = NULL;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 100, @WaitMs = 10;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBuckets]
        @CompletedCount = 11,
        @TotalDurationMs = 1100,
        @MaxDurationMs = 100,
        @TotalWaitMs = 110,
        @MaxWaitMs = 10;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes writes executions, waits and failures to the long history]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs], [ErrorGroup])
    VALUES
        (1, 'mail', 'welcome', 0, -1, 100, 0, NULL),
        (2, 'mail', 'welcome', 0, -1, 100.5, 0, NULL),
        (3, 'mail', 'welcome', 1, 6, NULL, NULL, 'broken pipe'),
        (4, 'mail', 'welcome', 2, 8, 100, NULL, 'broken pipe');

    INSERT INTO [RecordOutcomesTests].[ExpectedSeries] (
        [Resolution],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [Shard],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES
        (300, 0, 'mail', 'welcome', 0, -1, 47, 0, 2, 200.5, 100.5),
        (300, 1, 'mail', 'welcome', 0, -1, -32767, 0, 2, 0, 0),
        (300, 0, 'mail', 'welcome', 1, 6, -32768, 0, 1, 0, NULL),
        (300, 2, 'mail', 'broken pipe', 1, 6, -32768, 0, 1, 0, NULL),
        (300, 0, 'mail', 'welcome', 2, 8, 47, 0, 1, 100, 100),
        (300, 2, 'mail', 'broken pipe', 2, 8, -32768, 0, 1, 0, NULL);

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordOutcomesTests].[ExpectedSeries]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes counts a failure without a group under an empty one]
AS
BEGIN
    /* Assemble */
    DECLARE @Groups INT;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @Outcome = 1, @FailureReason = 6;

    /* Assert */
    SELECT @Groups = COUNT(*) FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[Measure] = 2 AND [m].[Type] = '';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Groups;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts one millisecond into bin 0]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 1;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBin] @Expected = 0;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts a thousandth of a millisecond into a bin below zero]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 0.001;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBin] @Expected = -69;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts a day into its bin]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 86400000;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBin] @Expected = 183;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts the smallest and the largest float into bins that fit]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];
    DECLARE @Bins INT;

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason], [DurationMs])
    VALUES
        (1, 'mail', 'welcome', 0, -1, 2.3E-308),
        (2, 'mail', 'welcome', 0, -1, 1.7E308);

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    SELECT @Bins = COUNT(*)
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[Measure] = 0 AND [m].[Bin] BETWEEN -10000 AND 10000;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Bins;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts zero into a bin of its own]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 0;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBin] @Expected = -32767;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes puts an unknown duration into a bin of its own]
AS
BEGIN
    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = NULL;

    /* Assert */
    EXECUTE [RecordOutcomesTests].[AssertBin] @Expected = -32768;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes adds to the long history that is there]
AS
BEGIN
    /* Assemble */
    DECLARE @Hour DATETIME2(0);
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Grown INT;
    DECLARE @Rows INT;

    UPDATE [chokaq].[Settings]
    SET [FineResolutionMinutes] = 60;

    /* This hour and the next, in case the clock turns. */
    SET @Hour = DATEADD(HOUR, DATEPART(HOUR, @Now), CONVERT(DATETIME2(0), CONVERT(DATE, @Now)));

    INSERT INTO [chokaq].[MetricSeries] (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [Shard],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES
        (3600, @Hour, 0, 'mail', 'welcome', 0, -1, 47, 0, 10, 1000, 100),
        (3600, DATEADD(HOUR, 1, @Hour), 0, 'mail', 'welcome', 0, -1, 47, 0, 10, 1000, 100);

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 100.5;

    /* Assert */
    SELECT @Grown = COUNT(*)
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[SampleCount] = 11 AND [m].[TotalMs] = 1100.5 AND [m].[MaxMs] = 100.5;
    SELECT @Rows = COUNT(*) FROM [chokaq].[MetricSeries];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Grown;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Rows;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes begins a fine bucket at a whole multiple of its width]
AS
BEGIN
    /* Assemble */
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Right INT;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne];

    /* Assert */
    SELECT @Right = COUNT(*)
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE DATEPART(SECOND, [m].[BucketStartUtc]) = 0
        AND DATEPART(MINUTE, [m].[BucketStartUtc]) % 5 = 0
        AND [m].[BucketStartUtc] > DATEADD(MINUTE, -5, @Now)
        AND [m].[BucketStartUtc] <= SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Right;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes passes the gate of its shard and of no other]
AS
BEGIN
    /* Assemble */
    DECLARE @Passed NVARCHAR(MAX);

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne];

    /* Assert */
    SELECT @Passed = STRING_AGG(CONVERT(VARCHAR(20), [m].[Passes]), ',') WITHIN GROUP (ORDER BY [m].[Shard])
    FROM [chokaq].[MetricShards] AS [m];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'1,0,0', @Actual = @Passed;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes writes to one shard among those of the settings]
AS
BEGIN
    /* Assemble */
    DECLARE @Shards INT;
    DECLARE @Strays INT;
    DECLARE @Gate TINYINT;

    UPDATE [chokaq].[Settings]
    SET [MetricShards] = 2;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne] @DurationMs = 5, @WaitMs = 5;

    /* Assert */
    SELECT @Gate = [m].[Shard] FROM [chokaq].[MetricShards] AS [m] WHERE [m].[Passes] = 1;
    SELECT
        @Shards = COUNT(DISTINCT [w].[Shard]),
        @Strays = SUM(CASE WHEN [w].[Shard] <> @Gate OR [w].[Shard] > 1 THEN 1 ELSE 0 END)
    FROM (
        SELECT [s].[Shard] FROM [chokaq].[StatsSummary] AS [s]
        UNION ALL
        SELECT [b].[Shard] FROM [chokaq].[MetricBuckets] AS [b]
        UNION ALL
        SELECT [m].[Shard] FROM [chokaq].[MetricSeries] AS [m]
    ) AS [w];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Shards;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Strays;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes takes a gate from the beginning where there is none after its own]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;

    /* With one of these numbers of shards this session's own shard is not 0; and 0 is the only gate. */
    UPDATE [chokaq].[Settings]
    SET [MetricShards] = CASE WHEN @@SPID % 64 = 0 THEN 63 ELSE 64 END;

    DELETE FROM [chokaq].[MetricShards]
    WHERE [Shard] > 0;

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne];

    /* Assert */
    SELECT @Shard = [s].[Shard] FROM [chokaq].[StatsSummary] AS [s];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Shard;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes writes to its own shard where no gate is free]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;
    DECLARE @Own INT = @@SPID % 64;

    UPDATE [chokaq].[Settings]
    SET [MetricShards] = 64;

    DELETE FROM [chokaq].[MetricShards];

    /* Act */
    EXECUTE [RecordOutcomesTests].[RecordOne];

    /* Assert */
    SELECT @Shard = [s].[Shard] FROM [chokaq].[StatsSummary] AS [s];
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Own, @Actual = @Shard;
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes writes nothing where it is given nothing]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[StatsSummary]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricBuckets]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordOutcomesTests].[test RecordOutcomes keeps to the constraints of the tables that it writes]
AS
BEGIN
    /* Assemble */
    DECLARE @Outcomes [chokaq].[OutcomeRows];

    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[StatsSummary]', @ConstraintName = N'PK_StatsSummary';
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[MetricBuckets]', @ConstraintName = N'PK_MetricBuckets';
    EXECUTE [tSQLt].[ApplyConstraint]
        @TableName = N'[chokaq].[MetricBuckets]',
        @ConstraintName = N'CK_MetricBuckets_Outcome';
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[MetricSeries]', @ConstraintName = N'PK_MetricSeries';
    EXECUTE [tSQLt].[ApplyConstraint]
        @TableName = N'[chokaq].[MetricSeries]',
        @ConstraintName = N'CK_MetricSeries_Resolution';

    INSERT INTO @Outcomes ([Ordinal], [Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs], [ErrorGroup])
    VALUES
        (1, 'mail', 'welcome', 0, -1, 100, 0, NULL),
        (2, 'mail', 'welcome', 0, -1, 101, 0, NULL),
        (3, 'mail', 'welcome', 1, 6, NULL, NULL, 'broken pipe'),
        (4, 'mail', 'welcome', 1, 6, NULL, NULL, 'broken pipe');

    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;
    EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;
END;
GO
