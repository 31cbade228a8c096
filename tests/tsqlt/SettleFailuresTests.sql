SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SettleFailuresTests';
GO

CREATE TABLE [SettleFailuresTests].[ExpectedDead] (
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

CREATE TABLE [SettleFailuresTests].[ExpectedOutcomes] (
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [ErrorGroup] VARCHAR(255) NULL
);
GO

CREATE TABLE [SettleFailuresTests].[Outcomes] (
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Outcome] TINYINT NULL,
    [FailureReason] INT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [ErrorGroup] VARCHAR(255) NULL
);
GO

CREATE PROCEDURE [SettleFailuresTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RecordOutcomes]',
        @CommandToExecute = N'INSERT INTO [SettleFailuresTests].[Outcomes] ([Queue], [Type], [Outcome], [FailureReason], [DurationMs], [WaitMs], [ErrorGroup]) SELECT [o].[Queue], [o].[Type], [o].[Outcome], [o].[FailureReason], [o].[DurationMs], [o].[WaitMs], [o].[ErrorGroup] FROM @Outcomes AS [o];';

    /* Delays without chance: 10, 20, 40 … seconds, at most 3600. */
    INSERT INTO [chokaq].[Queues] (
        [Name],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent]
    )
    VALUES ('mail', 3, 10, 2, 3600, 0);
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[AddJob]
    @Id VARCHAR(50) = 'a',
    @AttemptCount INT = 1,
    @MaxAttempts INT = NULL,
    @Status TINYINT = 2,
    @WorkerId VARCHAR(100) = 'w1',
    @LeaseToken BIGINT = 3,
    @SecondsOld INT = 60
AS
BEGIN
    /* Running since 1.5 seconds after its time. */
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
        @AttemptCount,
        @MaxAttempts,
        @WorkerId,
        @LeaseToken,
        '2026-01-03T00:00:00',
        '2026-01-02T00:00:00',
        DATEADD(SECOND, -@SecondsOld, SYSUTCDATETIME()),
        '2026-01-02T00:00:01.5',
        '2026-01-03T00:00:00',
        'ann',
        'before'
    );
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[Settle]
    @Reason INT = 0,
    @ErrorDetails NVARCHAR(MAX) = NULL,
    @ErrorGroup NVARCHAR(255) = NULL,
    @RetryAfterSeconds INT = NULL,
    @DurationMs FLOAT = 5,
    @StaleBeforeUtc DATETIME2(7) = NULL,
    @WorkerId VARCHAR(100) = 'w1',
    @LeaseToken BIGINT = 3,
    @Retried INT = NULL OUTPUT,
    @Dead INT = NULL OUTPUT
AS
BEGIN
    /* One failure of the job "a". */
    DECLARE @Failures [chokaq].[FailureRows];

    INSERT INTO @Failures (
        [JobId],
        [WorkerId],
        [LeaseToken],
        [FailureReason],
        [ErrorDetails],
        [ErrorGroup],
        [RetryAfterSeconds],
        [DurationMs],
        [StaleBeforeUtc]
    )
    VALUES (
        'a',
        @WorkerId,
        @LeaseToken,
        @Reason,
        @ErrorDetails,
        @ErrorGroup,
        @RetryAfterSeconds,
        @DurationMs,
        @StaleBeforeUtc
    );

    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[AssertDelay] @Seconds INT
AS
BEGIN
    /* The job is pending, due so many seconds after it was settled. */
    DECLARE @Delay INT;

    SELECT @Delay = DATEDIFF(SECOND, [h].[LastUpdatedUtc], [h].[ScheduledAtUtc])
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'a' AND [h].[Status] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Seconds, @Actual = @Delay;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[AssertDead] @Reason INT
AS
BEGIN
    /* The job is in the DLQ, for this reason. */
    DECLARE @DeadReason INT;
    DECLARE @Active INT;

    SELECT @DeadReason = [d].[FailureReason] FROM [chokaq].[JobsDLQ] AS [d] WHERE [d].[Id] = 'a';
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Id] = 'a';
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Reason, @Actual = @DeadReason;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Active;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[AssertPassedOver]
AS
BEGIN
    /* Nothing was decided, changed or counted. */
    DECLARE @Untouched INT;

    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastModifiedBy] = 'before' AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[SettleFailuresTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[AssertErrorGroup] @Expected NVARCHAR(MAX)
AS
BEGIN
    /* The group under which the failure was counted. */
    DECLARE @ErrorGroup NVARCHAR(MAX);

    SELECT @ErrorGroup = [o].[ErrorGroup] FROM [SettleFailuresTests].[Outcomes] AS [o];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Expected, @Actual = @ErrorGroup;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures retries while attempts remain]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Pending INT;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 2;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 0;

    /* Assert */
    SELECT @Pending = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 0
        AND [h].[WorkerId] IS NULL
        AND [h].[HeartbeatUtc] IS NULL
        AND [h].[AttemptCount] = 2
        AND [h].[LeaseToken] = 3
        AND [h].[StartedAtUtc] = '2026-01-02T00:00:01.5'
        AND [h].[LastUpdatedUtc] >= @Before
        AND [h].[LastModifiedBy] = 'judge';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Pending;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures keeps what a retried job is]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 0;

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Payload] = N'{"to":"ж"}'
        AND [h].[Tags] = 'vip'
        AND [h].[IdempotencyKey] = 'k1'
        AND [h].[Priority] = 33
        AND [h].[CreatedBy] = 'ann';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts what it did]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;

    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'a';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'b';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'c';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'd', @WorkerId = 'w2';

    INSERT INTO @Failures ([JobId], [WorkerId], [LeaseToken], [FailureReason])
    VALUES
        ('a', 'w1', 3, 0),
        ('b', 'w1', 3, 6),
        ('c', 'w1', 3, 8),
        ('d', 'w1', 3, 0);

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Retried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Dead;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts zero where it is given nothing]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Retried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Dead;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[SettleFailuresTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits for the base after the first execution]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 1;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits longer after each execution]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 4, @MaxAttempts = 100;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 80;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits for fractions of a second]
AS
BEGIN
    /* Assemble */
    DECLARE @Delay BIGINT;

    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 1, [RetryMultiplier] = 1.5;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 2;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    SELECT @Delay = DATEDIFF_BIG(MILLISECOND, [h].[LastUpdatedUtc], [h].[ScheduledAtUtc])
    FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1500, @Actual = @Delay;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits for the longest delay at the most]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 20, @MaxAttempts = 100;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 3600;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures overflows at no number of executions]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 86400, [RetryMultiplier] = 100, [RetryMaxSeconds] = 2592000;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 999, @MaxAttempts = 1000;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 2592000;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures does not wait where the base is zero]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 0;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 2;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 0;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits equally long each time where the multiplier is one]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [RetryMultiplier] = 1;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 50, @MaxAttempts = 100;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits as long as the worker asks for]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @RetryAfterSeconds = 7200;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 7200;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures waits no less than the policy when the worker asks for less]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @RetryAfterSeconds = 5;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures moves the delay at random within the jitter]
AS
BEGIN
    /* Assemble */
    DECLARE @Delay BIGINT;
    DECLARE @IsWithin BIT;

    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 1000, [RetryJitterPercent] = 10;

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    SELECT @Delay = DATEDIFF_BIG(MILLISECOND, [h].[LastUpdatedUtc], [h].[ScheduledAtUtc])
    FROM [chokaq].[JobsHot] AS [h];
    SET @IsWithin = CASE WHEN @Delay BETWEEN 900000 AND 1100000 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @IsWithin;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures moves the delay of each job by itself]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;
    DECLARE @Times INT;
    DECLARE @AreSpread BIT;
    DECLARE @Id INT = 1;

    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 1000, [RetryJitterPercent] = 100;

    WHILE @Id <= 20
    BEGIN
        EXECUTE [SettleFailuresTests].[AddJob] @Id = @Id;

        INSERT INTO @Failures ([JobId], [WorkerId], [LeaseToken], [FailureReason])
        VALUES (@Id, 'w1', 3, 0);

        SET @Id = @Id + 1;
    END;

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    SELECT @Times = COUNT(DISTINCT [h].[ScheduledAtUtc]) FROM [chokaq].[JobsHot] AS [h];
    SET @AreSpread = CASE WHEN @Times > 10 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @AreSpread;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures never waits longer than the longest delay for the jitter]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;
    DECLARE @TooLong INT;
    DECLARE @Id INT = 1;

    UPDATE [chokaq].[Queues]
    SET [RetryBaseSeconds] = 3600, [RetryJitterPercent] = 100;

    WHILE @Id <= 20
    BEGIN
        EXECUTE [SettleFailuresTests].[AddJob] @Id = @Id;

        INSERT INTO @Failures ([JobId], [WorkerId], [LeaseToken], [FailureReason])
        VALUES (@Id, 'w1', 3, 0);

        SET @Id = @Id + 1;
    END;

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    SELECT @TooLong = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] > DATEADD(SECOND, 3600, [h].[LastUpdatedUtc])
        OR [h].[ScheduledAtUtc] < [h].[LastUpdatedUtc];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @TooLong;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries an ordinary failure that spent its attempts as MaxRetriesExceeded]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 0;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 0;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries a transient failure that spent its attempts as MaxRetriesExceeded]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 0;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures keeps the reason of a throttled job that spent its attempts]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 5;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 5;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures keeps the reason of a timeout that spent its attempts]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 7;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 7;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures keeps the reason of a lost heartbeat that spent its attempts]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 9;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 9;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures retries throttled, timed out, transient and silent jobs while attempts remain]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;

    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'a';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'b';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'c';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'd';

    INSERT INTO @Failures ([JobId], [WorkerId], [LeaseToken], [FailureReason])
    VALUES
        ('a', 'w1', 3, 5),
        ('b', 'w1', 3, 7),
        ('c', 'w1', 3, 8),
        ('d', 'w1', 3, 9);

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 4, @Actual = @Retried;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts the attempts of the job before those of the queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 1, @MaxAttempts = 1;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 0;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 0;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures lets a job have more attempts than its queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3, @MaxAttempts = 4;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 0;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 40;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures never retries a cancelled job]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 1;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 1;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures never retries a rejected job]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 4;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 4;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures never retries a fatal error]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 6;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures never retries a job whose cancellation was asked for]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    UPDATE [chokaq].[JobsHot]
    SET [CancelRequestedUtc] = '2026-01-03T00:00:00';

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 1;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures gives the attempt back when the circuit was open]
AS
BEGIN
    /* Assemble */
    DECLARE @AttemptCount INT;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 2;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 3;

    /* Assert */
    SELECT @AttemptCount = [h].[AttemptCount] FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @AttemptCount;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures retries behind an open circuit although the attempts are spent]
AS
BEGIN
    /* Assemble */
    DECLARE @AttemptCount INT;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 3;

    /* Assert */
    SELECT @AttemptCount = [h].[AttemptCount] FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @AttemptCount;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries a zombie where the queue says so]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 2;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 2;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures retries a zombie where the queue says so]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [ZombieAction] = 1;

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 2;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries a zombie that spent its attempts as a zombie]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [ZombieAction] = 1;

    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 2;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 2;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries a job that would run after its age as RetryLifetimeExpired]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [MaxJobAgeSeconds] = 100;

    EXECUTE [SettleFailuresTests].[AddJob] @SecondsOld = 95;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures retries a job that would run within its age]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [MaxJobAgeSeconds] = 1000;

    EXECUTE [SettleFailuresTests].[AddJob] @SecondsOld = 95;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDelay] @Seconds = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures ends even an open circuit by age]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [MaxJobAgeSeconds] = 100;

    EXECUTE [SettleFailuresTests].[AddJob] @SecondsOld = 95;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 3;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 10;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures buries a job with all that it is]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 2, @MaxAttempts = 5;

    UPDATE [chokaq].[JobsHot]
    SET [CreatedAtUtc] = '2026-01-01T00:00:00.1234567';

    INSERT INTO [SettleFailuresTests].[ExpectedDead] (
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
        'a',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        33,
        2,
        5,
        'w1',
        3,
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00.1234567',
        '2026-01-02T00:00:01.5',
        6,
        N'всё плохо',
        12.5,
        1500,
        'ann',
        'judge'
    );

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6, @ErrorDetails = N'всё плохо', @DurationMs = 12.5;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SettleFailuresTests].[ExpectedDead]',
        @Actual = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures stamps a burial with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[FailedAtUtc] >= @Before AND [d].[FailedAtUtc] <= SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures measures the duration itself where it is given none]
AS
BEGIN
    /* Assemble */
    DECLARE @DurationMs FLOAT;
    DECLARE @IsRight BIT;

    EXECUTE [SettleFailuresTests].[AddJob];

    UPDATE [chokaq].[JobsHot]
    SET [StartedAtUtc] = DATEADD(SECOND, -10, SYSUTCDATETIME());

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6, @DurationMs = NULL;

    /* Assert */
    SELECT @DurationMs = [d].[DurationMs] FROM [chokaq].[JobsDLQ] AS [d];
    SET @IsRight = CASE WHEN @DurationMs BETWEEN 10000 AND 70000 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @IsRight;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures gives no wait to a job that started before its time]
AS
BEGIN
    /* Assemble */
    DECLARE @WaitMs FLOAT;

    EXECUTE [SettleFailuresTests].[AddJob];

    UPDATE [chokaq].[JobsHot]
    SET [ScheduledAtUtc] = '2026-01-02T00:00:05';

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    SELECT @WaitMs = [d].[WaitMs] FROM [chokaq].[JobsDLQ] AS [d];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0.0E0, @Actual = @WaitMs;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures reports a retried attempt with the reason that it was given]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    INSERT INTO [SettleFailuresTests].[ExpectedOutcomes] (
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [DurationMs],
        [WaitMs],
        [ErrorGroup]
    )
    VALUES ('mail', 'welcome', 2, 8, 5, 1500, 'broken pipe');

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8, @ErrorGroup = N'broken pipe';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SettleFailuresTests].[ExpectedOutcomes]',
        @Actual = N'[SettleFailuresTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures reports a burial with the reason that it decided]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @AttemptCount = 3;

    INSERT INTO [SettleFailuresTests].[ExpectedOutcomes] (
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [DurationMs],
        [WaitMs],
        [ErrorGroup]
    )
    VALUES ('mail', 'welcome', 1, 0, 5, 1500, 'broken pipe');

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 8, @ErrorGroup = N'broken pipe';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SettleFailuresTests].[ExpectedOutcomes]',
        @Actual = N'[SettleFailuresTests].[Outcomes]';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts under the error group before the error]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @ErrorGroup = N'group', @ErrorDetails = N'error';

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertErrorGroup] @Expected = N'group';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts under the first line of the error]
AS
BEGIN
    /* Assemble */
    DECLARE @Error NVARCHAR(MAX) = CONCAT(N'first line', NCHAR(13), NCHAR(10), N'second line');

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @ErrorDetails = @Error;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertErrorGroup] @Expected = N'first line';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts under the error where the group is empty]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @ErrorGroup = N'', @ErrorDetails = N'error';

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertErrorGroup] @Expected = N'error';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts an endless first line under its beginning]
AS
BEGIN
    /* Assemble */
    DECLARE @Error NVARCHAR(MAX) = REPLICATE(CONVERT(NVARCHAR(MAX), N'x'), 5000);
    DECLARE @Beginning NVARCHAR(MAX) = REPLICATE(N'x', 255);

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @ErrorDetails = @Error;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertErrorGroup] @Expected = @Beginning;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts a failure without a word under a name of its own]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle];

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertErrorGroup] @Expected = N'(no error text)';
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts a group outside the code page under a number]
AS
BEGIN
    /* Assemble */
    DECLARE @ErrorGroup NVARCHAR(MAX);

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @ErrorGroup = N'всё плохо';

    /* Assert */
    SELECT @ErrorGroup = [o].[ErrorGroup] FROM [SettleFailuresTests].[Outcomes] AS [o];
    EXECUTE [tSQLt].[AssertLike] @ExpectedPattern = N'#%[0-9]', @Actual = @ErrorGroup;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures counts different groups outside the code page under different numbers]
AS
BEGIN
    /* Assemble */
    DECLARE @Failures [chokaq].[FailureRows];
    DECLARE @Retried INT;
    DECLARE @Dead INT;
    DECLARE @Groups INT;

    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'a';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'b';
    EXECUTE [SettleFailuresTests].[AddJob] @Id = 'c';

    INSERT INTO @Failures ([JobId], [WorkerId], [LeaseToken], [FailureReason], [ErrorGroup])
    VALUES
        ('a', 'w1', 3, 0, N'всё плохо'),
        ('b', 'w1', 3, 0, N'всё хорошо'),
        ('c', 'w1', 3, 0, N'всё плохо');

    /* Act */
    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Failures,
        @ModifiedBy = 'judge',
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /* Assert */
    SELECT @Groups = COUNT(DISTINCT [o].[ErrorGroup]) FROM [SettleFailuresTests].[Outcomes] AS [o];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Groups;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures passes over a job of another worker]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @WorkerId = 'w2';

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertPassedOver];
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures passes over a job under another lease]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @LeaseToken = 4;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertPassedOver];
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures passes over a job that does not run]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob] @Status = 1;

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertPassedOver];
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures passes over a job that has given a sign of life since]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 2, @StaleBeforeUtc = '2026-01-03T00:00:00';

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertPassedOver];
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures settles a job whose last sign of life is old enough]
AS
BEGIN
    /* Assemble */
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 2, @StaleBeforeUtc = '2026-01-03T00:00:00.0000001';

    /* Assert */
    EXECUTE [SettleFailuresTests].[AssertDead] @Reason = 2;
END;
GO

CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Dead INT;

    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Dead;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SettleFailuresTests].[test SettleFailures alone takes everything back when the counting fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Active INT;
    DECLARE @Dead INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RecordOutcomes]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';
    EXECUTE [SettleFailuresTests].[AddJob];

    /* Act */
    BEGIN TRY
        EXECUTE [SettleFailuresTests].[Settle] @Reason = 6;
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 2;
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Active;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Dead;
END;
GO
