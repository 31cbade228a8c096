SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetBurnRateTests';
GO

CREATE TABLE [GetBurnRateTests].[Expected] (
    [Place] INT NOT NULL,
    [WindowMinutes] INT NULL,
    [Processed] BIGINT NULL,
    [Failed] BIGINT NULL,
    [FailureRate] FLOAT NULL,
    [BurnRate] FLOAT NULL
);
GO

CREATE TABLE [GetBurnRateTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [WindowMinutes] INT NULL,
    [Processed] BIGINT NULL,
    [Failed] BIGINT NULL,
    [FailureRate] FLOAT NULL,
    [BurnRate] FLOAT NULL
);
GO

CREATE PROCEDURE [GetBurnRateTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[Get] @Objective FLOAT = 0.5, @Queue VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetBurnRateTests].[Actual] ([WindowMinutes], [Processed], [Failed], [FailureRate], [BurnRate])
    EXECUTE [chokaq].[GetBurnRate] @Objective = @Objective, @Queue = @Queue, @NowUtc = '2026-03-04T12:00:00';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[Expect] @Processed1 BIGINT, @Failed1 BIGINT, @From INT
AS
BEGIN
    /* What is expected of the windows of at least so many minutes; the shorter ones are empty. An objective of 0.5 doubles the rate. */
    INSERT INTO [GetBurnRateTests].[Expected] (
        [Place],
        [WindowMinutes],
        [Processed],
        [Failed],
        [FailureRate],
        [BurnRate]
    )
    SELECT
        [w].[Place],
        [w].[WindowMinutes],
        CASE WHEN [w].[WindowMinutes] >= @From THEN @Processed1 ELSE 0 END,
        CASE WHEN [w].[WindowMinutes] >= @From THEN @Failed1 ELSE 0 END,
        CASE WHEN [w].[WindowMinutes] >= @From THEN CONVERT(FLOAT, @Failed1) / @Processed1 ELSE 0 END,
        CASE WHEN [w].[WindowMinutes] >= @From THEN 2 * CONVERT(FLOAT, @Failed1) / @Processed1 ELSE 0 END
    FROM (VALUES
        (1, 5),
        (2, 30),
        (3, 60),
        (4, 360),
        (5, 1440),
        (6, 4320),
        (7, 43200)
    ) AS [w] ([Place], [WindowMinutes]);
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate sets failures against the objective in every window]
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
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 6, 2, 2),
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 1, 6, 10, 3, 2, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 8, @Failed1 = 2, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate leaves retried attempts out]
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
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 4, 2, 2),
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 2, 8, 10, 3, 99, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 4, @Failed1 = 0, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate leaves other measures out]
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
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 4, 2, 2),
        (300, '2026-03-04T11:56:00', 100, 'mail', 'send', 1, -1, 10, 3, 99, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 4, @Failed1 = 0, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate counts a bucket where it starts]
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
    VALUES (300, '2026-03-04T11:55:00', 0, 'mail', 'send', 0, -1, 10, 3, 4, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 4, @Failed1 = 0, @From = 30;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate reaches into the hours]
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
        (3600, '2026-03-04T07:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 3, 2, 2),
        (3600, '2026-03-04T07:00:00', 0, 'mail', 'send', 1, 6, 10, 3, 1, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 4, @Failed1 = 1, @From = 360;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate reaches into the days]
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
        (86400, '2026-02-10T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 3, 2, 2),
        (86400, '2026-02-10T00:00:00', 0, 'mail', 'send', 1, 6, 10, 3, 1, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 4, @Failed1 = 1, @From = 43200;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate leaves out what is older than the longest window]
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
        (86400, '2026-02-02T00:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 9, 2, 2),
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 1, @Failed1 = 0, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate leaves out what comes after its end]
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
        (300, '2026-03-04T12:05:00', 0, 'mail', 'send', 0, -1, 10, 3, 9, 2, 2),
        (300, '2026-03-04T12:00:00', 0, 'mail', 'send', 0, -1, 10, 3, 1, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 1, @Failed1 = 0, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate filters by queue]
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
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 6, 2, 2),
        (300, '2026-03-04T11:56:00', 0, 'web', 'send', 1, 6, 10, 3, 2, 2, 2);

    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 2, @Failed1 = 2, @From = 5;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get] @Queue = 'WEB';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate gives zeros where nothing ran]
AS
BEGIN
    /* Assemble */
    EXECUTE [GetBurnRateTests].[Expect] @Processed1 = 1, @Failed1 = 0, @From = 100000;

    /* Act */
    EXECUTE [GetBurnRateTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetBurnRateTests].[Expected]',
        @Actual = N'[GetBurnRateTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate burns faster under a stricter objective]
AS
BEGIN
    /* Assemble */
    DECLARE @Right INT;

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
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 0, -1, 10, 3, 98, 2, 2),
        (300, '2026-03-04T11:56:00', 0, 'mail', 'send', 1, 6, 10, 3, 2, 2, 2);

    /* Act */
    EXECUTE [GetBurnRateTests].[Get] @Objective = 0.99;

    /* Assert */
    SELECT @Right = COUNT(*)
    FROM [GetBurnRateTests].[Actual] AS [a]
    WHERE ABS([a].[FailureRate] - 0.02) < 0.000001 AND ABS([a].[BurnRate] - 2) < 0.000001;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 7, @Actual = @Right;
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate refuses an objective of 0]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetBurnRate:%';

    /* Act */
    EXECUTE [chokaq].[GetBurnRate] @Objective = 0;
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate refuses an objective of 1]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetBurnRate:%';

    /* Act */
    EXECUTE [chokaq].[GetBurnRate] @Objective = 1;
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate refuses an objective below 0]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetBurnRate:%';

    /* Act */
    EXECUTE [chokaq].[GetBurnRate] @Objective = -0.5;
END;
GO

CREATE PROCEDURE [GetBurnRateTests].[test GetBurnRate refuses NULL for the objective]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetBurnRate:%';

    /* Act */
    EXECUTE [chokaq].[GetBurnRate] @Objective = NULL;
END;
GO
