SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetMetricHistoryTests';
GO

CREATE TABLE [GetMetricHistoryTests].[Expected] (
    [Place] INT NOT NULL,
    [PointUtc] DATETIME2(0) NOT NULL,
    [Succeeded] BIGINT NOT NULL,
    [Failed] BIGINT NOT NULL,
    [Retried] BIGINT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [AverageMs] FLOAT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE TABLE [GetMetricHistoryTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [PointUtc] DATETIME2(0) NULL,
    [Succeeded] BIGINT NULL,
    [Failed] BIGINT NULL,
    [Retried] BIGINT NULL,
    [SampleCount] BIGINT NULL,
    [AverageMs] FLOAT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE PROCEDURE [GetMetricHistoryTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[Get]
    @FromUtc DATETIME2(7) = '2026-03-04T00:00:00',
    @ToUtc DATETIME2(7) = '2026-03-05T00:00:00',
    @StepMinutes INT = 60,
    @Measure SMALLINT = 0,
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetMetricHistoryTests].[Actual] (
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    EXECUTE [chokaq].[GetMetricHistory]
        @FromUtc = @FromUtc,
        @ToUtc = @ToUtc,
        @StepMinutes = @StepMinutes,
        @Measure = @Measure,
        @Queue = @Queue,
        @Type = @Type;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory adds up by outcome over shards and bins]
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 1, 1, 2, 6, 4),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 2, 2, 1, 9, 9),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 1, 6, -32768, 3, 3, 0, NULL),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 2, 8, -32768, 3, 4, 0, NULL);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 3, 3, 4, 10, 5, 9);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory has no value where no sample had one]
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, -32768, 3, 1, 0, NULL);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 1, 0, 0, 1, NULL, NULL);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory takes the value zero for a value]
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, -32767, 3, 1, 0, 0);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 1, 0, 0, 1, 0, 0);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory reads across the tiers]
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
        (300, '2026-03-04T05:55:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (3600, '2026-03-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (86400, '2026-03-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 7, 14, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES
        (1, '2026-03-04T00:00:00', 8, 0, 0, 8, 2, 2),
        (2, '2026-03-04T05:00:00', 2, 0, 0, 2, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory gives points in the order of time and leaves empty ones out]
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
        (300, '2026-03-04T09:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T01:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES
        (1, '2026-03-04T01:00:00', 1, 0, 0, 1, 2, 2),
        (2, '2026-03-04T05:00:00', 1, 0, 0, 1, 2, 2),
        (3, '2026-03-04T09:00:00', 1, 0, 0, 1, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory takes the start of the window in and leaves the end out]
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
        (300, '2026-03-04T01:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T02:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T00:55:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T01:00:00', 1, 0, 0, 1, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @FromUtc = '2026-03-04T01:00:00', @ToUtc = '2026-03-04T02:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory has points of five minutes]
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
        (60, '2026-03-04T01:04:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (60, '2026-03-04T01:05:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (60, '2026-03-04T01:09:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES
        (1, '2026-03-04T01:00:00', 1, 0, 0, 1, 2, 2),
        (2, '2026-03-04T01:05:00', 2, 0, 0, 2, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @StepMinutes = 5;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory has points of a day that begin at midnight]
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
        (300, '2026-03-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T23:55:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T00:00:00', 2, 0, 0, 2, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @StepMinutes = 1440;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory filters by measure]
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 100, 'mail', 'send', 0, -1, 10, 3, 5, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 5, 0, 0, 5, 0.4, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @Measure = 100;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory filters by queue]
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'web', 'send', 0, -1, 10, 3, 4, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 4, 0, 0, 4, 0.5, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @Queue = 'WEB';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory filters by type]
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'read', 0, -1, 10, 3, 4, 2, 2);

    INSERT INTO [GetMetricHistoryTests].[Expected] (
        [Place],
        [PointUtc],
        [Succeeded],
        [Failed],
        [Retried],
        [SampleCount],
        [AverageMs],
        [MaxMs]
    )
    VALUES (1, '2026-03-04T05:00:00', 4, 0, 0, 4, 0.5, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @Type = 'read';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetMetricHistoryTests].[Expected]',
        @Actual = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory finds nothing in an unknown queue]
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    /* Act */
    EXECUTE [GetMetricHistoryTests].[Get] @Queue = 'nowhere';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetMetricHistoryTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a window that ends where it begins]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a window without a start]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory] @FromUtc = NULL, @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a window without an end]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory] @FromUtc = '2026-03-04T00:00:00', @ToUtc = NULL;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a step of 0]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 0;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a step that does not divide the day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 7;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses a step of more than a day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 2880;
END;
GO

CREATE PROCEDURE [GetMetricHistoryTests].[test GetMetricHistory refuses NULL for a step]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetMetricHistory:%';

    /* Act */
    EXECUTE [chokaq].[GetMetricHistory]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = NULL;
END;
GO
