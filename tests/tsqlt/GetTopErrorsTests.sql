SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetTopErrorsTests';
GO

CREATE TABLE [GetTopErrorsTests].[Expected] (
    [Place] INT NOT NULL,
    [ErrorGroup] VARCHAR(255) NULL,
    [Failures] BIGINT NULL,
    [Final] BIGINT NULL
);
GO

CREATE TABLE [GetTopErrorsTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [ErrorGroup] VARCHAR(255) NULL,
    [Failures] BIGINT NULL,
    [Final] BIGINT NULL,
    [LastSeenUtc] DATETIME2(0) NULL
);
GO

CREATE PROCEDURE [GetTopErrorsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[Add]
    @ErrorGroup VARCHAR(255),
    @HoursAgo INT,
    @Outcome TINYINT,
    @SampleCount BIGINT,
    @Queue VARCHAR(255) = 'mail',
    @Resolution INT = 300,
    @Measure SMALLINT = 2
AS
BEGIN
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
    VALUES (
        @Resolution,
        DATEADD(HOUR, -@HoursAgo, SYSUTCDATETIME()),
        @Measure,
        @Queue,
        @ErrorGroup,
        @Outcome,
        6,
        -32768,
        1,
        @SampleCount,
        0,
        NULL
    );
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[Fill]
AS
BEGIN
    EXECUTE [GetTopErrorsTests].[Add] @ErrorGroup = 'disk', @HoursAgo = 1, @Outcome = 1, @SampleCount = 3;
    EXECUTE [GetTopErrorsTests].[Add]
        @ErrorGroup = 'disk',
        @HoursAgo = 9,
        @Outcome = 2,
        @SampleCount = 4,
        @Resolution = 3600;
    EXECUTE [GetTopErrorsTests].[Add] @ErrorGroup = 'net', @HoursAgo = 1, @Outcome = 2, @SampleCount = 5;
    EXECUTE [GetTopErrorsTests].[Add]
        @ErrorGroup = 'cpu',
        @HoursAgo = 1,
        @Outcome = 2,
        @SampleCount = 5,
        @Queue = 'web';
    EXECUTE [GetTopErrorsTests].[Add]
        @ErrorGroup = 'old',
        @HoursAgo = 30,
        @Outcome = 1,
        @SampleCount = 99,
        @Resolution = 86400;
    EXECUTE [GetTopErrorsTests].[Add]
        @ErrorGroup = 'disk',
        @HoursAgo = 1,
        @Outcome = 1,
        @SampleCount = 99,
        @Measure = 0;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[Get] @Queue VARCHAR(255) = NULL, @Hours INT = 24, @Top INT = 10
AS
BEGIN
    EXECUTE [GetTopErrorsTests].[Fill];

    INSERT INTO [GetTopErrorsTests].[Actual] ([ErrorGroup], [Failures], [Final], [LastSeenUtc])
    EXECUTE [chokaq].[GetTopErrors] @Queue = @Queue, @Hours = @Hours, @Top = @Top;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors gives the groups with the most failures first]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetTopErrorsTests].[Expected] ([Place], [ErrorGroup], [Failures], [Final])
    VALUES
        (1, 'disk', 7, 3),
        (2, 'cpu', 5, 0),
        (3, 'net', 5, 0);

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetTopErrorsTests].[Expected]',
        @Actual = N'[GetTopErrorsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors gives as many groups as it is asked for]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetTopErrorsTests].[Expected] ([Place], [ErrorGroup], [Failures], [Final])
    VALUES (1, 'disk', 7, 3);

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get] @Top = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetTopErrorsTests].[Expected]',
        @Actual = N'[GetTopErrorsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetTopErrorsTests].[Expected] ([Place], [ErrorGroup], [Failures], [Final])
    VALUES (1, 'cpu', 5, 0);

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get] @Queue = 'WEB';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetTopErrorsTests].[Expected]',
        @Actual = N'[GetTopErrorsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors looks back as far as it is told]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetTopErrorsTests].[Expected] ([Place], [ErrorGroup], [Failures], [Final])
    VALUES
        (1, 'cpu', 5, 0),
        (2, 'net', 5, 0),
        (3, 'disk', 3, 3);

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get] @Hours = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetTopErrorsTests].[Expected]',
        @Actual = N'[GetTopErrorsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors reaches into the days]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetTopErrorsTests].[Expected] ([Place], [ErrorGroup], [Failures], [Final])
    VALUES (1, 'old', 99, 99);

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get] @Hours = 2160, @Top = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetTopErrorsTests].[Expected]',
        @Actual = N'[GetTopErrorsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors tells when a group was seen last]
AS
BEGIN
    /* Assemble */
    DECLARE @Seen INT;

    /* Act */
    EXECUTE [GetTopErrorsTests].[Get] @Top = 1;

    /* Assert */
    SELECT @Seen = COUNT(*)
    FROM [GetTopErrorsTests].[Actual] AS [a]
    WHERE [a].[LastSeenUtc] BETWEEN DATEADD(HOUR, -2, SYSUTCDATETIME()) AND SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Seen;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses no hours]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Hours = 0;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses more than 90 days]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Hours = 2161;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses NULL for the hours]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Hours = NULL;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses no groups at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Top = 0;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses more than 100 groups]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Top = 101;
END;
GO

CREATE PROCEDURE [GetTopErrorsTests].[test GetTopErrors refuses NULL for the number of groups]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'GetTopErrors:%';

    /* Act */
    EXECUTE [chokaq].[GetTopErrors] @Top = NULL;
END;
GO
