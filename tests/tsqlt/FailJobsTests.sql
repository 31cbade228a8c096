SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
What becomes of a failure is SettleFailures' decision and tested there; here it is what FailJobs hands to it, and what it answers.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'FailJobsTests';
GO

CREATE TABLE [FailJobsTests].[Expected] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL,
    [NextRunUtc] DATETIME2(7) NULL
);
GO

CREATE TABLE [FailJobsTests].[Actual] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL,
    [NextRunUtc] DATETIME2(7) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE TABLE [FailJobsTests].[ExpectedFailures] (
    [JobId] VARCHAR(50) NOT NULL,
    [WorkerId] VARCHAR(100) NOT NULL,
    [LeaseToken] BIGINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [ErrorGroup] NVARCHAR(255) NULL,
    [RetryAfterSeconds] INT NULL,
    [DurationMs] FLOAT NULL,
    [StaleBeforeUtc] DATETIME2(7) NULL,
    [ModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [FailJobsTests].[Failures] (
    [JobId] VARCHAR(50) NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NULL,
    [FailureReason] INT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [ErrorGroup] NVARCHAR(255) NULL,
    [RetryAfterSeconds] INT NULL,
    [DurationMs] FLOAT NULL,
    [StaleBeforeUtc] DATETIME2(7) NULL,
    [ModifiedBy] VARCHAR(100) NULL
);
GO

CREATE PROCEDURE [FailJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';

    INSERT INTO [chokaq].[Queues] ([Name], [RetryJitterPercent])
    VALUES ('mail', 0);
END;
GO

CREATE PROCEDURE [FailJobsTests].[SpySettleFailures]
AS
BEGIN
    /* Keeps the rows that SettleFailures gets, and does nothing else. */
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[SettleFailures]',
        @CommandToExecute = N'INSERT INTO [FailJobsTests].[Failures] ([JobId], [WorkerId], [LeaseToken], [FailureReason], [ErrorDetails], [ErrorGroup], [RetryAfterSeconds], [DurationMs], [StaleBeforeUtc], [ModifiedBy]) SELECT [f].[JobId], [f].[WorkerId], [f].[LeaseToken], [f].[FailureReason], [f].[ErrorDetails], [f].[ErrorGroup], [f].[RetryAfterSeconds], [f].[DurationMs], [f].[StaleBeforeUtc], @ModifiedBy FROM @Failures AS [f];';
END;
GO

CREATE PROCEDURE [FailJobsTests].[AddJob]
    @Id VARCHAR(50),
    @Status TINYINT = 2,
    @WorkerId VARCHAR(100) = 'w1',
    @LeaseToken BIGINT = 3,
    @AttemptCount INT = 1
AS
BEGIN
    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Status],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc],
        [LastModifiedBy]
    )
    VALUES (
        @Id,
        'mail',
        'welcome',
        @Status,
        @AttemptCount,
        @WorkerId,
        @LeaseToken,
        '2026-01-03T00:00:00',
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00',
        '2026-01-02T00:00:01',
        '2026-01-03T00:00:00',
        'before'
    );
END;
GO

CREATE PROCEDURE [FailJobsTests].[Fail] @Failures NVARCHAR(MAX), @WorkerId VARCHAR(100) = 'w1'
AS
BEGIN
    INSERT INTO [FailJobsTests].[Actual] ([JobId], [Outcome], [NextRunUtc])
    EXECUTE [chokaq].[FailJobs] @WorkerId = @WorkerId, @Failures = @Failures;
END;
GO

CREATE PROCEDURE [FailJobsTests].[AssertLost] @Failures NVARCHAR(MAX)
AS
BEGIN
    /* The only answer is "lost", and the job stays where it is. */
    DECLARE @Untouched INT;

    EXECUTE [FailJobsTests].[Fail] @Failures = @Failures;

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'lost', NULL);

    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastModifiedBy] = 'before' AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs hands everything that it is told to SettleFailures]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[SpySettleFailures];

    INSERT INTO [FailJobsTests].[ExpectedFailures] (
        [JobId],
        [WorkerId],
        [LeaseToken],
        [FailureReason],
        [ErrorDetails],
        [ErrorGroup],
        [RetryAfterSeconds],
        [DurationMs],
        [StaleBeforeUtc],
        [ModifiedBy]
    )
    VALUES
        ('a', 'w1', 3, 7, N'всё плохо', N'Timeout', 30, 12.5, NULL, 'w1'),
        ('b', 'w1', 9000000000, 0, NULL, NULL, NULL, NULL, NULL, 'w1');

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":3,"reason":7,"error":"всё плохо","errorGroup":"Timeout","retryAfterSeconds":30,"durationMs":12.5},{"id":"b","lease":9000000000,"reason":0}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[ExpectedFailures]',
        @Actual = N'[FailJobsTests].[Failures]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs hands on the error character by character]
AS
BEGIN
    /* Assemble */
    DECLARE @Error NVARCHAR(MAX);

    EXECUTE [FailJobsTests].[SpySettleFailures];

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":3,"reason":0,"error":"a \"quoted\" \\ back\r\nsecond\tline"}]';

    /* Assert */
    SELECT
        @Error = REPLACE(
            REPLACE(REPLACE([f].[ErrorDetails], NCHAR(13), N'<cr>'), NCHAR(10), N'<lf>'),
            NCHAR(9),
            N'<tab>'
        )
    FROM [FailJobsTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a "quoted" \ back<cr><lf>second<tab>line', @Actual = @Error;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs hands on a long error whole]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Failures NVARCHAR(MAX) = CONCAT(
            N'[{"id":"a","lease":3,"reason":0,"error":"',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'0123456789'), 2000),
            N'"}]'
        );
    DECLARE @Length INT;

    EXECUTE [FailJobsTests].[SpySettleFailures];

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = @Failures;

    /* Assert */
    SELECT @Length = LEN([f].[ErrorDetails]) FROM [FailJobsTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 20000, @Actual = @Length;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs hands on every reason that a worker can know]
AS
BEGIN
    /* Assemble */
    DECLARE @Reasons NVARCHAR(MAX);

    EXECUTE [FailJobsTests].[SpySettleFailures];

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":3,"reason":0},{"id":"b","lease":3,"reason":1},{"id":"c","lease":3,"reason":3},{"id":"d","lease":3,"reason":4},{"id":"e","lease":3,"reason":5},{"id":"f","lease":3,"reason":6},{"id":"g","lease":3,"reason":7},{"id":"h","lease":3,"reason":8},{"id":"i","lease":3,"reason":9}]';

    /* Assert */
    SELECT @Reasons = STRING_AGG(CONVERT(VARCHAR(11), [f].[FailureReason]), ',') WITHIN GROUP (ORDER BY [f].[JobId])
    FROM [FailJobsTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'0,1,3,4,5,6,7,8,9', @Actual = @Reasons;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers retry with the time of the next run]
AS
BEGIN
    /* Assemble */
    DECLARE @Matches INT;

    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    SELECT @Matches = COUNT(*)
    FROM [FailJobsTests].[Actual] AS [a]
    INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [a].[JobId] AND [h].[ScheduledAtUtc] = [a].[NextRunUtc]
    WHERE [a].[Outcome] = 'retry' AND [h].[Status] = 0 AND [a].[NextRunUtc] > SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Matches;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers dead once the attempts are spent]
AS
BEGIN
    /* Assemble */
    DECLARE @Dead INT;

    EXECUTE [FailJobsTests].[AddJob] @Id = 'a', @AttemptCount = 3;

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'dead', NULL);

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ] AS [d] WHERE [d].[Id] = 'a' AND [d].[LastModifiedBy] = 'w1';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Dead;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers the same next run when it is repeated]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    SELECT [h].[Id], 'retry', [h].[ScheduledAtUtc] FROM [chokaq].[JobsHot] AS [h];

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers dead again when it is repeated]
AS
BEGIN
    /* Assemble */
    DECLARE @Buried INT;

    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":6}]';

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'dead', NULL);

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":6}]';

    /* Assert */
    SELECT @Buried = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Buried;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a retried job that someone else has claimed]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    UPDATE [chokaq].[JobsHot]
    SET [Status] = 1, [WorkerId] = 'w2', [LeaseToken] = 4, [LastModifiedBy] = 'w2';

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'lost', NULL);

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job that the sweep has buried]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsDLQ] ([Id], [WorkerId], [LeaseToken], [LastModifiedBy])
    VALUES ('a', 'w1', 3, 'SweepZombies');

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'lost', NULL);

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job of another worker]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a', @WorkerId = 'w2';

    /* Act and assert */
    EXECUTE [FailJobsTests].[AssertLost] @Failures = N'[{"id":"a","lease":3,"reason":6}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job under an older lease]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a', @LeaseToken = 4;

    /* Act and assert */
    EXECUTE [FailJobsTests].[AssertLost] @Failures = N'[{"id":"a","lease":3,"reason":6}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job that was never marked as processing]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a', @Status = 1;

    /* Act and assert */
    EXECUTE [FailJobsTests].[AssertLost] @Failures = N'[{"id":"a","lease":3,"reason":6}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job that does not exist]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'other';

    /* Act and assert */
    EXECUTE [FailJobsTests].[AssertLost] @Failures = N'[{"id":"a","lease":3,"reason":6}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs calls lost a job that was given back and never started]
AS
BEGIN
    /* Assemble */
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a', @Status = 0, @WorkerId = NULL;

    UPDATE [chokaq].[JobsHot]
    SET [HeartbeatUtc] = NULL, [StartedAtUtc] = NULL, [LastModifiedBy] = 'w1';

    INSERT INTO [FailJobsTests].[Expected] ([JobId], [Outcome], [NextRunUtc])
    VALUES ('a', 'lost', NULL);

    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[{"id":"a","lease":3,"reason":6}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FailJobsTests].[Expected]',
        @Actual = N'[FailJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers for many jobs in the order of their ids]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    EXECUTE [FailJobsTests].[AddJob] @Id = 'c';
    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';
    EXECUTE [FailJobsTests].[AddJob] @Id = 'b', @WorkerId = 'w2';

    /* Act */
    EXECUTE [FailJobsTests].[Fail]
        @Failures = N'[{"id":"c","lease":3,"reason":6},{"id":"d","lease":3,"reason":6},{"id":"b","lease":3,"reason":6},{"id":"a","lease":3,"reason":8}]';

    /* Assert */
    SELECT @Order = STRING_AGG(CONCAT([a].[JobId], '=', [a].[Outcome]), ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [FailJobsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a=retry,b=lost,c=dead,d=lost', @Actual = @Order;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs answers an empty array with no row]
AS
BEGIN
    /* Act */
    EXECUTE [FailJobsTests].[Fail] @Failures = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[FailJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a failure without a reason]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'FailJobs: row 0, column reason:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses the reason that is for the sweep alone]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003, @ExpectedMessagePattern = N'FailJobs:%reason%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":2}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses the reason that only the decision gives]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'FailJobs: row 0, column reason:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":10}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a reason below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":-1}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a retry before now]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'FailJobs: row 0, column retryAfterSeconds:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":3,"reason":0,"retryAfterSeconds":-1}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a duration below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'FailJobs: row 0, column durationMs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":0,"durationMs":-0.1}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs accepts an error group that fills its column]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Failures NVARCHAR(MAX) = CONCAT(
            N'[{"id":"a","lease":3,"reason":0,"errorGroup":"',
            REPLICATE(N'ж', 255),
            N'"}]'
        );
    DECLARE @Length INT;

    EXECUTE [FailJobsTests].[SpySettleFailures];

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = @Failures;

    /* Assert */
    SELECT @Length = LEN([f].[ErrorGroup]) FROM [FailJobsTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 255, @Actual = @Length;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses an error group longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Failures NVARCHAR(MAX) = CONCAT(
            N'[{"id":"a","lease":3,"reason":0,"errorGroup":"',
            REPLICATE(N'a', 256),
            N'"}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'FailJobs: row 0, column errorGroup:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = @Failures;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":6}]';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs is undone with the work of its caller]
AS
BEGIN
    /* Assemble */
    DECLARE @Active INT;

    EXECUTE [FailJobsTests].[AddJob] @Id = 'a';
    SAVE TRANSACTION [BeforeWork];

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":3,"reason":6}]';
    ROLLBACK TRANSACTION [BeforeWork];

    /* Assert */
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Active;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'FailJobs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'FailJobs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'{"id":"a","lease":1,"reason":0}';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'FailJobs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = NULL;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'FailJobs: row 1, column leases:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":1,"reason":0},{"id":"b","lease":1,"reason":0,"leases":2}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'FailJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":null,"lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a row without a lease]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'FailJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a lease that is not a number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'FailJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"a","lease":"1","reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'","lease":1,"reason":0}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'FailJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = @Json;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'FailJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = N'[{"id":"ж","lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'FailJobs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs]
        @WorkerId = 'w1',
        @Failures = N'[{"id":"a","lease":1,"reason":0},{"id":"b","lease":1,"reason":0},{"id":"a","lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Json NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a","lease":1,"reason":0},'), 1000),
            N'{"id":"a","lease":1,"reason":0}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'FailJobs:%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = 'w1', @Failures = @Json;
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a call without a worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'FailJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = NULL, @Failures = N'[{"id":"a","lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a worker longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @WorkerId NVARCHAR(4000) = REPLICATE(N'w', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004, @ExpectedMessagePattern = N'FailJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = @WorkerId, @Failures = N'[{"id":"a","lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses a worker outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005, @ExpectedMessagePattern = N'FailJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = N'ж', @Failures = N'[{"id":"a","lease":1,"reason":0}]';
END;
GO

CREATE PROCEDURE [FailJobsTests].[test FailJobs refuses an empty worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'FailJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FailJobs] @WorkerId = '', @Failures = N'[{"id":"a","lease":1,"reason":0}]';
END;
GO
