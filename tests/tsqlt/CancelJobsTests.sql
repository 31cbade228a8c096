SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'CancelJobsTests';
GO

CREATE TABLE [CancelJobsTests].[Expected] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [AttemptCount] INT NOT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FailureReason] INT NOT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [CancelJobsTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [CancelJobsTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [CancelJobsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [CancelJobsTests].[Expected];
    DELETE FROM [CancelJobsTests].[ExpectedAnswer];
    DELETE FROM [CancelJobsTests].[Answer];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBuckets]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [Status],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES
        (
            'pending',
            'mail',
            'send',
            N'{"n": 1}',
            'red',
            'key',
            77,
            0,
            2,
            5,
            NULL,
            4,
            NULL,
            '2026-01-02T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-02T01:00:00',
            '2026-01-01T00:00:00',
            'shop',
            'shop'
        ),
        (
            'claimed',
            'mail',
            'read',
            NULL,
            NULL,
            NULL,
            10,
            1,
            0,
            NULL,
            'w1',
            1,
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            NULL,
            '2026-01-01T00:00:00',
            NULL,
            'w1'
        ),
        (
            'running',
            'mail',
            'read',
            NULL,
            NULL,
            NULL,
            10,
            2,
            1,
            NULL,
            'w1',
            1,
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            NULL,
            'w1'
        );
END;
GO

CREATE PROCEDURE [CancelJobsTests].[Cancel] @JobIds NVARCHAR(MAX)
AS
BEGIN
    INSERT INTO [CancelJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[CancelJobs] @JobIds = @JobIds, @CancelledBy = 'op', @Reason = N'not wanted';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs moves a pending job to the DLQ with everything it had]
AS
BEGIN
    /* Assemble */
    INSERT INTO [CancelJobsTests].[Expected] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FailureReason],
        [ErrorDetails],
        [DurationMs],
        [WaitMs],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES (
        'pending',
        'mail',
        'send',
        N'{"n": 1}',
        'red',
        'key',
        77,
        2,
        5,
        NULL,
        4,
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00',
        '2026-01-02T01:00:00',
        1,
        N'not wanted',
        NULL,
        NULL,
        'shop',
        'op'
    );

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"pending"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[CancelJobsTests].[Expected]', @Actual = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs moves a claimed job to the DLQ and keeps worker and lease]
AS
BEGIN
    /* Assemble */
    DECLARE @Moved INT;
    DECLARE @Left INT;

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"claimed"}]';

    /* Assert */
    SELECT @Moved = COUNT(*)
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[Id] = 'claimed' AND [d].[WorkerId] = 'w1' AND [d].[LeaseToken] = 1;
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Id] = 'claimed';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Moved;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Left;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs asks a running job to stop and leaves it where it is]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Asked INT;

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"running"}]';

    /* Assert */
    SELECT @Asked = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'running'
        AND [h].[Status] = 2
        AND [h].[WorkerId] = 'w1'
        AND [h].[LeaseToken] = 1
        AND [h].[CancelRequestedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Asked;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs keeps the moment of the first request]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    UPDATE [chokaq].[JobsHot]
    SET [CancelRequestedUtc] = '2026-01-03T00:00:00'
    WHERE [Id] = 'running';

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"running"}]';

    /* Assert */
    SELECT @Kept = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[CancelRequestedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs answers for each id in the order of the ids]
AS
BEGIN
    /* Assemble */
    INSERT INTO [CancelJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'claimed', 'cancelled'),
        (2, 'nowhere', 'not-found'),
        (3, 'pending', 'cancelled'),
        (4, 'running', 'cancel-requested');

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel]
        @JobIds = N'[{"id":"running"},{"id":"pending"},{"id":"nowhere"},{"id":"claimed"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CancelJobsTests].[ExpectedAnswer]',
        @Actual = N'[CancelJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs answers not-found when it is repeated]
AS
BEGIN
    /* Assemble */
    INSERT INTO [CancelJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'pending', 'cancelled'),
        (2, 'pending', 'not-found');

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"pending"}]';
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"pending"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CancelJobsTests].[ExpectedAnswer]',
        @Actual = N'[CancelJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs takes an empty list]
AS
BEGIN
    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[CancelJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs leaves other jobs alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"pending"}]';

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[CancelRequestedUtc] IS NULL AND [h].[LastUpdatedUtc] = '2026-01-01T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs has a text of its own when no reason is given]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(MAX);

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"pending"}]';

    /* Assert */
    SELECT @Text = [d].[ErrorDetails] FROM [chokaq].[JobsDLQ] AS [d];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'Cancelled.', @Actual = @Text;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs counts cancelled jobs as failed for good]
AS
BEGIN
    /* Assemble */
    DECLARE @Failed BIGINT;
    DECLARE @Grouped BIGINT;

    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"pending"},{"id":"claimed"},{"id":"running"}]';

    /* Assert */
    SELECT @Failed = SUM([s].[FailedTotal]) FROM [chokaq].[StatsSummary] AS [s] WHERE [s].[Queue] = 'mail';
    SELECT @Grouped = SUM([m].[SampleCount])
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[Measure] = 2 AND [m].[Type] = 'Cancelled' AND [m].[Outcome] = 1 AND [m].[FailureReason] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Failed;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Grouped;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs counts nothing for a job that was only asked to stop]
AS
BEGIN
    /* Act */
    EXECUTE [CancelJobsTests].[Cancel] @JobIds = N'[{"id":"running"},{"id":"nowhere"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[StatsSummary]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricBuckets]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CancelJobs:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CancelJobs:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'{"id":"a"}';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CancelJobs:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = NULL;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'CancelJobs: row 1, column ids:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"a"},{"id":"b","ids":1}]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'CancelJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":null}]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses an id that is not text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'CancelJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":5}]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'CancelJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = @Json;
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'CancelJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"ж"}]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'CancelJobs:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"a"},{"id":"b"},{"id":"A"}]';
END;
GO

CREATE PROCEDURE [CancelJobsTests].[test CancelJobs refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[', REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a"},'), 1000), N'{"id":"a"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'CancelJobs:%';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = @Json;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [CancelJobsTests].[test CancelJobs alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Dead INT;

    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';

    /* Act */
    EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"pending"}]';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Dead;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [CancelJobsTests].[test CancelJobs alone takes everything back when the counting fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Dead INT;
    DECLARE @Untouched INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RecordOutcomes]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[CancelJobs] @JobIds = N'[{"id":"pending"},{"id":"running"}]';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ];
    SELECT @Untouched = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[CancelRequestedUtc] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Dead;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Untouched;
END;
GO
