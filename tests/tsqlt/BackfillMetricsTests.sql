SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'BackfillMetricsTests';
GO

CREATE TABLE [BackfillMetricsTests].[Expected] (
    [BucketStartUtc] DATETIME2(0) NOT NULL,
    [Measure] SMALLINT NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [TotalMs] FLOAT NOT NULL
);
GO

CREATE TABLE [BackfillMetricsTests].[ExpectedHours] (
    [HourStartUtc] DATETIME2(0) NOT NULL,
    [SampleCount] BIGINT NOT NULL
);
GO

CREATE PROCEDURE [BackfillMetricsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [BackfillMetricsTests].[Expected];
    DELETE FROM [BackfillMetricsTests].[ExpectedHours];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBackfill]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[SchemaMigrations]', @Defaults = 1;

    INSERT INTO [chokaq].[SchemaMigrations] ([Version], [AppliedAtUtc])
    VALUES
        (1, '2026-01-02T04:10:00'),
        (2, '2026-01-02T04:20:00'),
        (3, '2026-01-02T06:00:00');

    INSERT INTO [chokaq].[JobsArchive] ([Id], [Queue], [Type], [FinishedAtUtc], [DurationMs], [WaitMs])
    VALUES
        ('a', 'mail', 'send', '2026-01-02T01:00:00', 10, 1),
        ('b', 'mail', 'send', '2026-01-02T01:59:59.9999999', 10, 1),
        ('c', 'mail', 'send', '2026-01-02T02:00:00', 10, NULL),
        ('late', 'mail', 'send', '2026-01-02T04:05:00', 10, 1);

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [Queue], [Type], [FailedAtUtc], [FailureReason], [DurationMs], [WaitMs])
    VALUES
        ('d', 'mail', 'send', '2026-01-02T01:30:00', 6, 20, 2),
        ('e', 'mail', 'send', '2026-01-02T03:30:00', 7, 20, NULL);
END;
GO

CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-01T00:00:00', @ToUtc = '2026-01-02T00:00:00';
END;
GO

CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = NULL, @ToUtc = NULL;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics counts executions and waits of every hour before the counters]
AS
BEGIN
    /* Assemble */
    INSERT INTO [BackfillMetricsTests].[Expected] (
        [BucketStartUtc],
        [Measure],
        [Outcome],
        [FailureReason],
        [SampleCount],
        [TotalMs]
    )
    VALUES
        ('2026-01-02T01:00:00', 0, 0, -1, 2, 20),
        ('2026-01-02T01:00:00', 1, 0, -1, 2, 2),
        ('2026-01-02T01:00:00', 0, 1, 6, 1, 20),
        ('2026-01-02T01:00:00', 1, 1, 6, 1, 2),
        ('2026-01-02T02:00:00', 0, 0, -1, 1, 10),
        ('2026-01-02T03:00:00', 0, 1, 7, 1, 20);

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[BackfillMetricsTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics notes each hour with its executions]
AS
BEGIN
    /* Assemble */
    INSERT INTO [BackfillMetricsTests].[ExpectedHours] ([HourStartUtc], [SampleCount])
    VALUES
        ('2026-01-02T00:00:00', 0),
        ('2026-01-02T01:00:00', 3),
        ('2026-01-02T02:00:00', 1),
        ('2026-01-02T03:00:00', 1);

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[BackfillMetricsTests].[ExpectedHours]',
        @Actual = N'[chokaq].[MetricBackfill]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics counts an hour once however often it is called]
AS
BEGIN
    /* Assemble */
    DECLARE @Samples BIGINT;

    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00';

    /* Assert */
    SELECT @Samples = SUM([m].[SampleCount]) FROM [chokaq].[MetricSeries] AS [m];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 8, @Actual = @Samples;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics takes whole hours of its window only]
AS
BEGIN
    /* Assemble */
    INSERT INTO [BackfillMetricsTests].[ExpectedHours] ([HourStartUtc], [SampleCount])
    VALUES ('2026-01-02T02:00:00', 1);

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T01:00:01', @ToUtc = '2026-01-02T03:59:59';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[BackfillMetricsTests].[ExpectedHours]',
        @Actual = N'[chokaq].[MetricBackfill]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics takes as many hours as it may]
AS
BEGIN
    /* Assemble */
    INSERT INTO [BackfillMetricsTests].[ExpectedHours] ([HourStartUtc], [SampleCount])
    VALUES
        ('2026-01-02T00:00:00', 0),
        ('2026-01-02T01:00:00', 3);

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00', @MaxHours = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[BackfillMetricsTests].[ExpectedHours]',
        @Actual = N'[chokaq].[MetricBackfill]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics ends where the counters began when it is told]
AS
BEGIN
    /* Assemble */
    INSERT INTO [BackfillMetricsTests].[ExpectedHours] ([HourStartUtc], [SampleCount])
    VALUES
        ('2026-01-02T00:00:00', 0),
        ('2026-01-02T01:00:00', 3);

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics]
        @FromUtc = '2026-01-02T00:00:00',
        @ToUtc = '2026-01-03T00:00:00',
        @CountedSinceUtc = '2026-01-02T02:30:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[BackfillMetricsTests].[ExpectedHours]',
        @Actual = N'[chokaq].[MetricBackfill]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics takes an hour back when it cannot be counted]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Noted INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[AddSamples]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Noted = COUNT(*) FROM [chokaq].[MetricBackfill];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Noted;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses a window that ends where it begins]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-02T00:00:00';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses a window without a start]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = NULL, @ToUtc = '2026-01-02T00:00:00';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses a window without an end]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = NULL;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses no hours at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-02T00:00:00', @ToUtc = '2026-01-03T00:00:00', @MaxHours = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses more than 1000 hours]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics]
        @FromUtc = '2026-01-02T00:00:00',
        @ToUtc = '2026-01-03T00:00:00',
        @MaxHours = 1001;
END;
GO
