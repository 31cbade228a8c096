SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetErrorTrendsTests';
GO

CREATE TABLE [GetErrorTrendsTests].[Expected] (
    [Place] INT NOT NULL,
    [ErrorGroup] VARCHAR(255) NULL,
    [PointUtc] DATETIME2(0) NULL,
    [Failures] BIGINT NULL,
    [Final] BIGINT NULL
);
GO

CREATE TABLE [GetErrorTrendsTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [ErrorGroup] VARCHAR(255) NULL,
    [PointUtc] DATETIME2(0) NULL,
    [Failures] BIGINT NULL,
    [Final] BIGINT NULL
);
GO

CREATE PROCEDURE [GetErrorTrendsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

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
        (300, '2026-03-04T05:00:00', 2, 'mail', 'disk', 1, 6, -32768, 1, 3, 0, NULL),
        (300, '2026-03-04T05:00:00', 2, 'mail', 'disk', 2, 6, -32768, 2, 4, 0, NULL),
        (3600, '2026-03-04T01:00:00', 2, 'mail', 'disk', 1, 6, -32768, 1, 1, 0, NULL),
        (300, '2026-03-04T05:00:00', 2, 'mail', 'net', 2, 6, -32768, 1, 5, 0, NULL),
        (300, '2026-03-04T05:00:00', 2, 'web', 'cpu', 2, 6, -32768, 1, 5, 0, NULL),
        (86400, '2026-03-03T00:00:00', 2, 'mail', 'old', 1, 6, -32768, 1, 99, 0, NULL),
        (300, '2026-03-04T05:00:00', 0, 'mail', 'disk', 1, 6, 10, 3, 99, 2, 2);
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[Get]
    @FromUtc DATETIME2(7) = '2026-03-04T00:00:00',
    @ToUtc DATETIME2(7) = '2026-03-05T00:00:00',
    @StepMinutes INT = 60,
    @Queue VARCHAR(255) = NULL,
    @Top INT = 10
AS
BEGIN
    INSERT INTO [GetErrorTrendsTests].[Actual] ([ErrorGroup], [PointUtc], [Failures], [Final])
    EXECUTE [chokaq].[GetErrorTrends]
        @FromUtc = @FromUtc,
        @ToUtc = @ToUtc,
        @StepMinutes = @StepMinutes,
        @Queue = @Queue,
        @Top = @Top;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends gives the groups with the most failures first and each in the order of time]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES
        (1, 'disk', '2026-03-04T01:00:00', 1, 1),
        (2, 'disk', '2026-03-04T05:00:00', 7, 3),
        (3, 'cpu', '2026-03-04T05:00:00', 5, 0),
        (4, 'net', '2026-03-04T05:00:00', 5, 0);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends gives as many groups as it is asked for]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES
        (1, 'disk', '2026-03-04T01:00:00', 1, 1),
        (2, 'disk', '2026-03-04T05:00:00', 7, 3);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get] @Top = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES (1, 'cpu', '2026-03-04T05:00:00', 5, 0);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get] @Queue = 'WEB';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends chooses the groups within the window]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES (1, 'old', '2026-03-03T00:00:00', 99, 99);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get] @FromUtc = '2026-03-03T00:00:00', @ToUtc = '2026-03-04T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends has points of a day]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES
        (1, 'disk', '2026-03-04T00:00:00', 8, 4),
        (2, 'cpu', '2026-03-04T00:00:00', 5, 0),
        (3, 'net', '2026-03-04T00:00:00', 5, 0);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get] @StepMinutes = 1440;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends leaves the end of the window out]
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
    VALUES (300, '2026-03-04T06:00:00', 2, 'mail', 'net', 2, 6, -32768, 1, 3, 0, NULL);

    INSERT INTO [GetErrorTrendsTests].[Expected] ([Place], [ErrorGroup], [PointUtc], [Failures], [Final])
    VALUES (1, 'disk', '2026-03-04T05:00:00', 7, 3);

    /* Act */
    EXECUTE [GetErrorTrendsTests].[Get] @FromUtc = '2026-03-04T05:00:00', @ToUtc = '2026-03-04T06:00:00', @Top = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetErrorTrendsTests].[Expected]',
        @Actual = N'[GetErrorTrendsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a window that ends where it begins]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a window without a start]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = NULL, @ToUtc = '2026-03-04T00:00:00';
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a window without an end]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = '2026-03-04T00:00:00', @ToUtc = NULL;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a step of 0]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 0;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a step that does not divide the day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 7;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses a step of more than a day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = 2880;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses NULL for a step]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends]
        @FromUtc = '2026-03-04T00:00:00',
        @ToUtc = '2026-03-05T00:00:00',
        @StepMinutes = NULL;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses no groups at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-05T00:00:00', @Top = 0;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses more than 100 groups]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-05T00:00:00', @Top = 101;
END;
GO

CREATE PROCEDURE [GetErrorTrendsTests].[test GetErrorTrends refuses NULL for the number of groups]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetErrorTrends:%';

    /* Act */
    EXECUTE [chokaq].[GetErrorTrends] @FromUtc = '2026-03-04T00:00:00', @ToUtc = '2026-03-05T00:00:00', @Top = NULL;
END;
GO
