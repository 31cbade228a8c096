SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RollupRowsTests';
GO

CREATE TABLE [RollupRowsTests].[Expected] (
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

CREATE TABLE [RollupRowsTests].[Counts] (
    [FineRows] INT NULL,
    [HourlyRows] INT NULL,
    [DroppedRows] INT NULL,
    [MoreLeft] BIT NULL
);
GO

CREATE TABLE [RollupRowsTests].[ExpectedCounts] (
    [FineRows] INT NULL,
    [HourlyRows] INT NULL,
    [DroppedRows] INT NULL,
    [MoreLeft] BIT NULL
);
GO

CREATE PROCEDURE [RollupRowsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [RollupRowsTests].[Expected];
    DELETE FROM [RollupRowsTests].[Counts];
    DELETE FROM [RollupRowsTests].[ExpectedCounts];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;

    INSERT INTO [chokaq].[Settings] ([Id])
    VALUES (1);
END;
GO

CREATE PROCEDURE [RollupRowsTests].[Roll] @MaxRows INT = NULL, @NowUtc DATETIME2(7) = '2026-03-04T12:34:56'
AS
BEGIN
    DECLARE @FineRows INT;
    DECLARE @HourlyRows INT;
    DECLARE @DroppedRows INT;
    DECLARE @MoreLeft BIT;

    EXECUTE [chokaq].[RollupRows]
        @MaxRows = @MaxRows,
        @NowUtc = @NowUtc,
        @FineRows = @FineRows OUTPUT,
        @HourlyRows = @HourlyRows OUTPUT,
        @DroppedRows = @DroppedRows OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    INSERT INTO [RollupRowsTests].[Counts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (@FineRows, @HourlyRows, @DroppedRows, @MoreLeft);
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows sums fine rows into their hour and folds the shards]
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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 1, 2, 4, 3),
        (300, '2026-03-04T04:55:00', 0, 'mail', 'send', 0, -1, 10, 7, 3, 9, 5),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 7, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 5, 13, 5),
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (3, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows leaves the hours of the fine retention alone]
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
        (300, '2026-03-04T06:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T12:30:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-03-04T05:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (300, '2026-03-04T06:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T12:30:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (1, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows adds to an hour that is there]
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
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 10, 20, 9),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 11, 22, 9);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (1, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows keeps apart what differs in any part of the key]
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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 1, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'web', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'mail', 'read', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'mail', 'send', 1, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'mail', 'send', 0, 0, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'mail', 'send', 0, -1, -32768, 3, 1, 0, NULL);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 1, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'web', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'read', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 1, -1, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, 0, 10, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, -32768, 0, 1, 0, NULL);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (7, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows rolls every width of the fine tier]
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
        (60, '2026-03-04T04:01:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (300, '2026-03-04T04:05:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (1800, '2026-03-04T04:30:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 3, 6, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (3, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows sums hours into their day]
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
        (3600, '2026-02-24T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-02-24T23:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 4, 12, 4),
        (86400, '2026-02-24T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 7, 7, 1);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (86400, '2026-02-24T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 12, 21, 4);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 2, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows leaves the days of the hourly retention alone]
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
        (3600, '2026-02-24T23:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-02-25T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (86400, '2026-02-24T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-02-25T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 1, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows holds an hour back in the call that filled it]
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
        (300, '2026-02-20T04:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (3600, '2026-02-20T05:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-02-20T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2026-02-20T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (1, 1, 0, 1);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows rolls a held hour in the next call]
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
        (300, '2026-02-20T04:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (3600, '2026-02-20T05:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (86400, '2026-02-20T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 2, 4, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES
        (1, 1, 0, 1),
        (0, 1, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows drops an hour whose day is past the daily retention]
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
        (3600, '2025-12-03T23:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2025-12-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (86400, '2025-12-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 1, 1, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows drops days past the daily retention]
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
        (86400, '2025-12-03T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2025-12-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (86400, '2025-12-04T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 0, 1, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows keeps days for ever without a daily retention]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [DailyRetentionDays] = NULL
    WHERE [Id] = 1;

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
        (86400, '2001-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2001-01-02T05:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (86400, '2001-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2001-01-02T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 1, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows keeps the last hour of a leap day in its day]
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
        (3600, '2024-02-29T23:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2024-03-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (86400, '2024-02-29T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2024-03-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 2, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll] @NowUtc = '2024-03-10T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows keeps the last hour of a year in its day]
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
        (300, '2025-12-31T23:55:00', 0, 'mail', 'send', 0, -1, 10, 3, 3, 6, 2),
        (300, '2026-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2025-12-31T23:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 3, 6, 2),
        (3600, '2026-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (2, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll] @NowUtc = '2026-01-01T07:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows does nothing before its time]
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
    VALUES (300, '2026-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
    VALUES (300, '2026-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll] @NowUtc = '2026-01-01T06:59:59.9999999';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows takes as many rows as it may and says that more are left]
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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 3, 3, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 2, 0, 1, 2, 2),
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 3, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES
        (2, 0, 0, 1),
        (1, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll] @MaxRows = 2;
    EXECUTE [RollupRowsTests].[Roll] @MaxRows = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows shares the cap over all passes]
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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2),
        (3600, '2025-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (3600, '2026-02-20T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2025-01-01T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[Expected] (
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
        (3600, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2),
        (86400, '2026-02-20T00:00:00', 0, 'mail', 'send', 0, -1, 10, 0, 1, 2, 2);

    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES
        (1, 0, 1, 1),
        (0, 1, 1, 1),
        (0, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll] @MaxRows = 2;
    EXECUTE [RollupRowsTests].[Roll] @MaxRows = 2;
    EXECUTE [RollupRowsTests].[Roll] @MaxRows = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows has nothing to do in an empty table]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RollupRowsTests].[ExpectedCounts] ([FineRows], [HourlyRows], [DroppedRows], [MoreLeft])
    VALUES (0, 0, 0, 0);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupRowsTests].[ExpectedCounts]',
        @Actual = N'[RollupRowsTests].[Counts]';
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows follows the setting for the number of rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Rolled INT;

    UPDATE [chokaq].[Settings]
    SET [RollupMaxRows] = 1
    WHERE [Id] = 1;

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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 1, 2, 2);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    SELECT @Rolled = [c].[FineRows] FROM [RollupRowsTests].[Counts] AS [c] WHERE [c].[MoreLeft] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Rolled;
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows keeps the totals however small the steps]
AS
BEGIN
    /* Assemble */
    DECLARE @Step INT = 0;
    DECLARE @Samples BIGINT;
    DECLARE @Total BIGINT;
    DECLARE @Rows INT;

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
        (300, '2026-02-10T00:00:00', 0, 'mail', 'send', 0, -1, 0, 0, 1, 2, 0),
        (300, '2026-02-11T07:05:00', 0, 'mail', 'send', 0, -1, 1, 1, 2, 4, 1),
        (300, '2026-02-12T14:10:00', 0, 'mail', 'send', 0, -1, 2, 2, 3, 6, 2),
        (300, '2026-02-13T21:15:00', 0, 'mail', 'send', 0, -1, 0, 3, 4, 8, 3),
        (300, '2026-02-14T04:20:00', 0, 'mail', 'send', 0, -1, 1, 0, 5, 10, 4),
        (300, '2026-02-10T11:25:00', 0, 'mail', 'send', 0, -1, 2, 1, 6, 12, 5),
        (300, '2026-02-11T18:30:00', 0, 'mail', 'send', 0, -1, 0, 2, 7, 14, 6),
        (300, '2026-02-12T01:35:00', 0, 'mail', 'send', 0, -1, 1, 3, 8, 16, 7),
        (300, '2026-02-13T08:40:00', 0, 'mail', 'send', 0, -1, 2, 0, 9, 18, 8),
        (300, '2026-02-14T15:45:00', 0, 'mail', 'send', 0, -1, 0, 1, 10, 20, 9),
        (300, '2026-02-10T22:50:00', 0, 'mail', 'send', 0, -1, 1, 2, 11, 22, 10),
        (300, '2026-02-11T05:55:00', 0, 'mail', 'send', 0, -1, 2, 3, 12, 24, 11),
        (300, '2026-02-12T12:00:00', 0, 'mail', 'send', 0, -1, 0, 0, 13, 26, 12),
        (300, '2026-02-13T19:05:00', 0, 'mail', 'send', 0, -1, 1, 1, 14, 28, 13),
        (300, '2026-02-14T02:10:00', 0, 'mail', 'send', 0, -1, 2, 2, 15, 30, 14),
        (300, '2026-02-10T09:15:00', 0, 'mail', 'send', 0, -1, 0, 3, 16, 32, 15),
        (300, '2026-02-11T16:20:00', 0, 'mail', 'send', 0, -1, 1, 0, 17, 34, 16),
        (300, '2026-02-12T23:25:00', 0, 'mail', 'send', 0, -1, 2, 1, 18, 36, 17),
        (300, '2026-02-13T06:30:00', 0, 'mail', 'send', 0, -1, 0, 2, 19, 38, 18),
        (300, '2026-02-14T13:35:00', 0, 'mail', 'send', 0, -1, 1, 3, 20, 40, 19),
        (300, '2026-02-10T20:40:00', 0, 'mail', 'send', 0, -1, 2, 0, 21, 42, 20),
        (300, '2026-02-11T03:45:00', 0, 'mail', 'send', 0, -1, 0, 1, 22, 44, 21),
        (300, '2026-02-12T10:50:00', 0, 'mail', 'send', 0, -1, 1, 2, 23, 46, 22),
        (300, '2026-02-13T17:55:00', 0, 'mail', 'send', 0, -1, 2, 3, 24, 48, 23);

    /* Act */
    WHILE @Step < 80
    BEGIN
        EXECUTE [RollupRowsTests].[Roll] @MaxRows = 1;

        SET @Step = @Step + 1;
    END;

    /* Assert */
    SELECT
        @Samples = SUM([m].[SampleCount]),
        @Total = SUM([m].[TotalMs]),
        @Rows = SUM(CASE WHEN [m].[Resolution] = 86400 THEN 0 ELSE 1 END)
    FROM [chokaq].[MetricSeries] AS [m];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 300, @Actual = @Samples;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 600, @Actual = @Total;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Rows;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupRowsTests].[test RollupRows alone commits each batch]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Hourly INT;

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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 0, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 1, 2, 2);

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Hourly = COUNT(*) FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[Resolution] = 3600;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Hourly;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupRowsTests].[test RollupRows alone takes a batch back when it fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Fine INT;

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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 0, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 2, 3, 1, 2, 2);

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[AddSeries]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [RollupRowsTests].[Roll];
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Fine = COUNT(*) FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[Resolution] = 300;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Fine;
END;
GO

CREATE PROCEDURE [RollupRowsTests].[test RollupRows passes an error on to a caller who has a transaction]
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
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 0, 3, 1, 2, 2),
        (300, '2026-03-04T04:00:00', 0, 'mail', 'send', 0, -1, 1, 3, 1, 2, 2);

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[AddSeries]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 50001, @ExpectedMessagePattern = N'for the test';

    /* Act */
    EXECUTE [RollupRowsTests].[Roll];
END;
GO
