SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'AddSamplesTests';
GO

CREATE TABLE [AddSamplesTests].[Expected] (
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

CREATE PROCEDURE [AddSamplesTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[TakeShard]', @CommandToExecute = N'SET @Shard = 3;';

    UPDATE [chokaq].[Settings]
    SET [FineResolutionMinutes] = 5
    WHERE [Id] = 1;
END;
GO

CREATE PROCEDURE [AddSamplesTests].[Add] @AtUtc DATETIME2(7), @ValueMs FLOAT
AS
BEGIN
    DECLARE @Samples [chokaq].[SampleRows];

    INSERT INTO @Samples ([Ordinal], [AtUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [ValueMs])
    VALUES (1, @AtUtc, 100, 'mail', 'GET /', 0, -1, @ValueMs);

    EXECUTE [chokaq].[AddSamples] @Samples = @Samples;
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples puts a sample into the bucket of its moment]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:10:00', 100, 'mail', 'GET /', 0, -1, 24, 3, 1, 10, 10);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:14:59.9999999', @ValueMs = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples begins a bucket with its first moment]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:15:00', 100, 'mail', 'GET /', 0, -1, 24, 3, 1, 10, 10);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:15:00', @ValueMs = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples knows the last bucket of a leap day]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2024-02-29T23:55:00', 100, 'mail', 'GET /', 0, -1, 24, 3, 1, 10, 10);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2024-02-29T23:59:59.9999999', @ValueMs = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples knows the first bucket of a year]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2027-01-01T00:00:00', 100, 'mail', 'GET /', 0, -1, 24, 3, 1, 10, 10);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2027-01-01T00:00:00', @ValueMs = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples has a bin for no value]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, -32768, 3, 1, 0, NULL);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:00:00', @ValueMs = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples has a bin for zero]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, -32767, 3, 1, 0, 0);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:00:00', @ValueMs = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples has bins below one millisecond]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, -69, 3, 1, 0.001, 0.001);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:00:00', @ValueMs = 0.001;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples has bins for days]
AS
BEGIN
    /* Assemble */
    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, 206, 3, 1, 864000000, 864000000);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:00:00', @ValueMs = 864000000;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples follows the width of the fine tier]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [FineResolutionMinutes] = 60
    WHERE [Id] = 1;

    INSERT INTO [AddSamplesTests].[Expected] (
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
    VALUES (3600, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, 24, 3, 1, 10, 10);

    /* Act */
    EXECUTE [AddSamplesTests].[Add] @AtUtc = '2026-03-04T05:59:00', @ValueMs = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [AddSamplesTests].[test AddSamples sums samples of one bucket and bin]
AS
BEGIN
    /* Assemble */
    DECLARE @Samples [chokaq].[SampleRows];

    INSERT INTO @Samples ([Ordinal], [AtUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [ValueMs])
    VALUES
        (1, '2026-03-04T05:01:00', 100, 'mail', 'GET /', 0, -1, 100),
        (2, '2026-03-04T05:02:00', 100, 'mail', 'GET /', 0, -1, 101),
        (3, '2026-03-04T05:03:00', 100, 'mail', 'GET /', 1, -1, 100),
        (4, '2026-03-04T05:03:00', 100, 'mail', 'PUT /', 0, -1, 100),
        (5, '2026-03-04T05:03:00', 101, 'mail', 'GET /', 0, -1, 100);

    INSERT INTO [AddSamplesTests].[Expected] (
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
        (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 0, -1, 47, 3, 2, 201, 101),
        (300, '2026-03-04T05:00:00', 100, 'mail', 'GET /', 1, -1, 47, 3, 1, 100, 100),
        (300, '2026-03-04T05:00:00', 100, 'mail', 'PUT /', 0, -1, 47, 3, 1, 100, 100),
        (300, '2026-03-04T05:00:00', 101, 'mail', 'GET /', 0, -1, 47, 3, 1, 100, 100);

    /* Act */
    EXECUTE [chokaq].[AddSamples] @Samples = @Samples;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[AddSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO
