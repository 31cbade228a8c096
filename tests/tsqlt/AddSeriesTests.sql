SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'AddSeriesTests';
GO

CREATE TABLE [AddSeriesTests].[Expected] (
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
    [MaxMs] FLOAT NULL
);
GO

CREATE PROCEDURE [AddSeriesTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [AddSeriesTests].[test AddSeries makes a row for a new bucket]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows [chokaq].[SeriesRows];

    INSERT INTO @Rows (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 1, 2, 2),
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 4, 8, 2);

    INSERT INTO [AddSeriesTests].[Expected] (
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
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 4, 8, 2);

    /* Act */
    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSeriesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSeriesTests].[test AddSeries adds to the row of the bucket]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows [chokaq].[SeriesRows];

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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 10, 30, 5);

    INSERT INTO @Rows (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 2, 16, 9);

    INSERT INTO [AddSeriesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 12, 46, 9);

    /* Act */
    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSeriesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSeriesTests].[test AddSeries keeps the higher maximum]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows [chokaq].[SeriesRows];

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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 5),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 1, 5, 5),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 3, 3, 1, 0, NULL),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 4, 3, 1, 0, NULL);

    INSERT INTO @Rows (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 1, 1, 4, 4),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 2, 1, 0, NULL),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 3, 1, 7, 7),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 4, 1, 0, NULL);

    INSERT INTO [AddSeriesTests].[Expected] (
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
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 2, 6, 5),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 2, 5, 5),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 3, 3, 2, 7, 7),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 4, 3, 2, 0, NULL);

    /* Act */
    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSeriesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSeriesTests].[test AddSeries adds to a row only where every part of the key is the same]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows [chokaq].[SeriesRows];
    DECLARE @Changed INT;
    DECLARE @All INT;

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
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:05:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 1, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'web', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'read', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 1, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, 0, 10, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 11, 3, 1, 2, 2),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 4, 1, 2, 2);

    INSERT INTO @Rows (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    VALUES (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 5, 2, 2);

    /* Act */
    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 3;

    /* Assert */
    SELECT @Changed = COUNT(*) FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[SampleCount] <> 1;
    SELECT @All = SUM([m].[SampleCount]) FROM [chokaq].[MetricSeries] AS [m];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 14, @Actual = @All;
END;
GO

CREATE PROCEDURE [AddSeriesTests].[test AddSeries takes no rows at all]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows [chokaq].[SeriesRows];

    /* Act */
    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO
