SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetLatencyPercentilesTests';
GO

CREATE TABLE [GetLatencyPercentilesTests].[Expected] (
    [Place] INT NOT NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [SampleCount] BIGINT NULL,
    [P50Ms] FLOAT NULL,
    [P95Ms] FLOAT NULL,
    [P99Ms] FLOAT NULL,
    [AverageMs] FLOAT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE TABLE [GetLatencyPercentilesTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [SampleCount] BIGINT NULL,
    [P50Ms] FLOAT NULL,
    [P95Ms] FLOAT NULL,
    [P99Ms] FLOAT NULL,
    [AverageMs] FLOAT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[Get]
    @FromUtc DATETIME2(7) = '2026-03-04T00:00:00',
    @ToUtc DATETIME2(7) = '2026-03-05T00:00:00',
    @Measure SMALLINT = 0,
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Outcome TINYINT = NULL,
    @ByType BIT = 0
AS
BEGIN
    INSERT INTO [GetLatencyPercentilesTests].[Actual] (
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    EXECUTE [chokaq].[GetLatencyPercentiles]
        @FromUtc = @FromUtc,
        @ToUtc = @ToUtc,
        @Measure = @Measure,
        @Queue = @Queue,
        @Type = @Type,
        @Outcome = @Outcome,
        @ByType = @ByType;

    /* Whole milliseconds are enough to compare. */
    UPDATE [GetLatencyPercentilesTests].[Actual]
    SET [P50Ms] = ROUND([P50Ms], 0), [P95Ms] = ROUND([P95Ms], 0), [P99Ms] = ROUND([P99Ms], 0);
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles takes the middle of the bin that holds the rank]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 50, 50, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 70, 3, 45, 45, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 80, 3, 4, 4, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 90, 3, 1, 1, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 100, 385, 1048, 2851, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles takes the next bin when the rank is one beyond]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 49, 49, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 70, 3, 45, 45, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 80, 3, 4, 4, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 90, 3, 2, 2, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 100, 1048, 2851, 7756, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles never says more than the maximum]
AS
BEGIN
    /* Assemble */
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 10, 10, 380);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 10, 380, 380, 380, 1, 380);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles knows the value zero]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, -32767, 3, 90, 0, 0),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 10, 100, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 100, 0, 385, 385, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles leaves out samples without a value]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, -32768, 3, 900, 0, NULL),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 1, 1, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 1, 385, 385, 385, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles gives no row where no sample had a value]
AS
BEGIN
    /* Assemble */
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, -32768, 3, 900, 0, NULL);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles adds up shards and tiers]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 1, 50, 50, 100000),
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 1, 1, 100000),
        (86400, '2026-03-04T00:00:00', 0, 'mail', 'send', 0, -1, 70, 3, 49, 49, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 100, 385, 1048, 1048, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles gives a row for each queue and type the most samples first]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 2, 2, 100000),
        (300, '2026-03-04T05:00:00', 0, 'web', 'read', 0, -1, 70, 3, 5, 5, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'read', 0, -1, 80, 3, 2, 2, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES
        (1, 'web', 'read', 5, 1048, 1048, 1048, 1, 100000),
        (2, 'mail', 'read', 2, 2851, 2851, 2851, 1, 100000),
        (3, 'mail', 'send', 2, 385, 385, 385, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @ByType = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles filters by queue]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 2, 2, 100000),
        (300, '2026-03-04T05:00:00', 0, 'web', 'send', 0, -1, 70, 3, 5, 5, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 5, 1048, 1048, 1048, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @Queue = 'WEB';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles filters by type]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 2, 2, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'read', 0, -1, 70, 3, 5, 5, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 5, 1048, 1048, 1048, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @Type = 'read';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles filters by outcome]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 2, 2, 100000),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 1, -1, 70, 3, 5, 5, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 2, 385, 385, 385, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @Outcome = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles filters by measure]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 2, 2, 100000),
        (300, '2026-03-04T05:00:00', 1, 'mail', 'send', 0, -1, 70, 3, 5, 5, 100000);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 5, 1048, 1048, 1048, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @Measure = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles takes the start of the window in and leaves the end out]
AS
BEGIN
    /* Assemble */
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
        (300, '2026-03-04T01:00:00', 0, 'mail', 'send', 0, -1, 60, 3, 1, 1, 100000),
        (300, '2026-03-04T02:00:00', 0, 'mail', 'send', 0, -1, 70, 3, 1, 2, 2),
        (300, '2026-03-04T00:55:00', 0, 'mail', 'send', 0, -1, 70, 3, 1, 2, 2);

    INSERT INTO [GetLatencyPercentilesTests].[Expected] (
        [Place],
        [Queue],
        [Type],
        [SampleCount],
        [P50Ms],
        [P95Ms],
        [P99Ms],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, NULL, NULL, 1, 385, 385, 385, 1, 100000);

    /* Act */
    EXECUTE [GetLatencyPercentilesTests].[Get] @FromUtc = '2026-03-04T01:00:00', @ToUtc = '2026-03-04T02:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetLatencyPercentilesTests].[Expected]',
        @Actual = N'[GetLatencyPercentilesTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles refuses a window that ends where it begins]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'GetLatencyPercentiles:%';

    /* Act */
    EXECUTE [chokaq].[GetLatencyPercentiles] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles refuses a window without a start]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'GetLatencyPercentiles:%';

    /* Act */
    EXECUTE [chokaq].[GetLatencyPercentiles] @FromUtc = NULL, @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetLatencyPercentilesTests].[test GetLatencyPercentiles refuses a window without an end]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'GetLatencyPercentiles:%';

    /* Act */
    EXECUTE [chokaq].[GetLatencyPercentiles] @FromUtc = '2026-03-04T00:00:00', @ToUtc = NULL;
END;
GO
