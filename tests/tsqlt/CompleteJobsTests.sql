SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'CompleteJobsTests';
GO

CREATE TABLE [CompleteJobsTests].[Expected] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [CompleteJobsTests].[Actual] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE TABLE [CompleteJobsTests].[ExpectedArchive] (
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
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [CompleteJobsTests].[ExpectedOutcomes] (
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [ErrorGroup] VARCHAR(255) NULL
);
GO

CREATE TABLE [CompleteJobsTests].[Outcomes] (
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Outcome] TINYINT NULL,
    [FailureReason] INT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [ErrorGroup] VARCHAR(255) NULL
);
GO

CREATE PROCEDURE [CompleteJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RecordOutcomes]',
        @CommandToExecute = N'INSERT INTO [CompleteJobsTests].[Outcomes] ([Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs], [ErrorGroup]) SELECT [o].[Queue], [o].[Type], [o].[Outcome], [o].[FailureReason], [o].[DurationMs], [o].[WaitMs], [o].[ErrorGroup] FROM @Outcomes AS [o];';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[AddJob]
    @Id VARCHAR(50),
    @Status TINYINT = 2,
    @WorkerId VARCHAR(100) = 'w1',
    @LeaseToken BIGINT = 3
AS
BEGIN
    /* Waited for 1.5 seconds and started long ago. */
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
    VALUES (
        @Id,
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        33,
        @Status,
        4,
        5,
        @WorkerId,
        @LeaseToken,
        '2026-01-03T00:00:00',
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00.1234567',
        '2026-01-02T00:00:01.5',
        '2026-01-03T00:00:00',
        'ann',
        'before'
    );
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[Complete] @Results NVARCHAR(MAX), @WorkerId VARCHAR(100) = 'w1'
AS
BEGIN
    INSERT INTO [CompleteJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = @WorkerId, @Results = @Results;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[AssertLost] @Results NVARCHAR(MAX)
AS
BEGIN
    /* The only answer is "lost", and the job stays where it is. */
    DECLARE @Untouched INT;

    EXECUTE [CompleteJobsTests].[Complete] @Results = @Results;

    INSERT INTO [CompleteJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[Expected]',
        @Actual = N'[CompleteJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[CompleteJobsTests].[Outcomes]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastModifiedBy] = 'before' AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs moves a running job to the archive with all that it is]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    INSERT INTO [CompleteJobsTests].[ExpectedArchive] (
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
        [DurationMs],
        [WaitMs],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES (
        'a',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        33,
        4,
        5,
        'w1',
        3,
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00.1234567',
        '2026-01-02T00:00:01.5',
        12.5,
        1500,
        'ann',
        'w1'
    );

    INSERT INTO [CompleteJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'archived');

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3,"durationMs":12.5}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[Expected]',
        @Actual = N'[CompleteJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[ExpectedArchive]',
        @Actual = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs stamps the end with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[JobsArchive] AS [a]
    WHERE [a].[FinishedAtUtc] >= @Before AND [a].[FinishedAtUtc] <= SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs measures the duration itself where the worker gives none]
AS
BEGIN
    /* Assemble */
    DECLARE @DurationMs FLOAT;
    DECLARE @IsRight BIT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    UPDATE [chokaq].[JobsHot]
    SET [StartedAtUtc] = DATEADD(SECOND, -10, SYSUTCDATETIME());

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @DurationMs = [a].[DurationMs] FROM [chokaq].[JobsArchive] AS [a];
    SET @IsRight = CASE WHEN @DurationMs BETWEEN 10000 AND 70000 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @IsRight;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs takes a duration of zero]
AS
BEGIN
    /* Assemble */
    DECLARE @DurationMs FLOAT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3,"durationMs":0}]';

    /* Assert */
    SELECT @DurationMs = [a].[DurationMs] FROM [chokaq].[JobsArchive] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0.0E0, @Actual = @DurationMs;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs gives no wait to a job that started before its time]
AS
BEGIN
    /* Assemble */
    DECLARE @WaitMs FLOAT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    UPDATE [chokaq].[JobsHot]
    SET [ScheduledAtUtc] = '2026-01-02T00:00:05';

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @WaitMs = [a].[WaitMs] FROM [chokaq].[JobsArchive] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0.0E0, @Actual = @WaitMs;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs reports each success to RecordOutcomes]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'b';

    INSERT INTO [CompleteJobsTests].[ExpectedOutcomes] (
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [DurationMs],
        [WaitMs],
        [ErrorGroup]
    )
    VALUES
        ('mail', 'welcome', 0, -1, 10, 1500, NULL),
        ('mail', 'welcome', 0, -1, 20, 1500, NULL);

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete]
        @Results = N'[{"id":"a","lease":3,"durationMs":10},{"id":"b","lease":3,"durationMs":20}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[ExpectedOutcomes]',
        @Actual = N'[CompleteJobsTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs answers the same and counts nothing when it is repeated]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3,"durationMs":10}]';

    DELETE FROM [CompleteJobsTests].[Outcomes];

    INSERT INTO [CompleteJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'archived');

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3,"durationMs":10}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[Expected]',
        @Actual = N'[CompleteJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[CompleteJobsTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost what another worker archived]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';

    INSERT INTO [CompleteJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":3}]', @WorkerId = 'w2';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[Expected]',
        @Actual = N'[CompleteJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost what was archived under another lease]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';

    INSERT INTO [CompleteJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[{"id":"a","lease":2}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[CompleteJobsTests].[Expected]',
        @Actual = N'[CompleteJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost a job of another worker]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a', @WorkerId = 'w2';

    /* Act and assert */
    EXECUTE [CompleteJobsTests].[AssertLost] @Results = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost a job under an older lease]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a', @LeaseToken = 4;

    /* Act and assert */
    EXECUTE [CompleteJobsTests].[AssertLost] @Results = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost a job that was never marked as processing]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a', @Status = 1;

    /* Act and assert */
    EXECUTE [CompleteJobsTests].[AssertLost] @Results = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost a job that is pending again]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a', @Status = 0, @WorkerId = NULL;

    /* Act and assert */
    EXECUTE [CompleteJobsTests].[AssertLost] @Results = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs calls lost a job that does not exist]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'other';

    /* Act and assert */
    EXECUTE [CompleteJobsTests].[AssertLost] @Results = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs answers for many jobs in the order of their ids]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'c';
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'b', @WorkerId = 'w2';

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete]
        @Results = N'[{"id":"c","lease":3},{"id":"d","lease":3},{"id":"b","lease":3},{"id":"a","lease":3}]';

    /* Assert */
    SELECT @Order = STRING_AGG(CONCAT([a].[JobId], '=', [a].[Outcome]), ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [CompleteJobsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a=archived,b=lost,c=archived,d=lost', @Actual = @Order;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs answers an empty array with no row]
AS
BEGIN
    /* Assemble */
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [CompleteJobsTests].[Complete] @Results = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[CompleteJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsArchive]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a duration below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column durationMs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3,"durationMs":-1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs is undone with the work of its caller]
AS
BEGIN
    /* Assemble */
    DECLARE @Active INT;

    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';
    SAVE TRANSACTION [BeforeWork];

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';
    ROLLBACK TRANSACTION [BeforeWork];

    /* Assert */
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Active;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsArchive]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Archived INT;

    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Archived = COUNT(*) FROM [chokaq].[JobsArchive];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Archived;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs alone takes everything back when the counting fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Active INT;
    DECLARE @Archived INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RecordOutcomes]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';
    EXECUTE [CompleteJobsTests].[AddJob] @Id = 'a';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":3}]';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 2;
    SELECT @Archived = COUNT(*) FROM [chokaq].[JobsArchive];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Active;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Archived;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CompleteJobs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CompleteJobs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'{"id":"a","lease":1}';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'CompleteJobs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = NULL;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'CompleteJobs: row 1, column leases:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs]
        @WorkerId = 'w1',
        @Results = N'[{"id":"a","lease":1},{"id":"b","lease":1,"leases":2}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":null,"lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a row without a lease]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a"}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a lease that is not a number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"a","lease":"1"}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'","lease":1}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = @Json;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'CompleteJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = N'[{"id":"ж","lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'CompleteJobs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs]
        @WorkerId = 'w1',
        @Results = N'[{"id":"a","lease":1},{"id":"b","lease":1},{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Json NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a","lease":1},'), 1000),
            N'{"id":"a","lease":1}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'CompleteJobs:%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = 'w1', @Results = @Json;
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a call without a worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'CompleteJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = NULL, @Results = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a worker longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @WorkerId NVARCHAR(4000) = REPLICATE(N'w', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'CompleteJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = @WorkerId, @Results = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses a worker outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'CompleteJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = N'ж', @Results = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [CompleteJobsTests].[test CompleteJobs refuses an empty worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'CompleteJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[CompleteJobs] @WorkerId = '', @Results = N'[{"id":"a","lease":1}]';
END;
GO
