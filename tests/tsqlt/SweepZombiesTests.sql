SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SweepZombiesTests';
GO

CREATE TABLE [SweepZombiesTests].[Expected] (
    [Recovered] INT NOT NULL,
    [Buried] INT NOT NULL,
    [Retried] INT NOT NULL
);
GO

CREATE TABLE [SweepZombiesTests].[Actual] (
    [Recovered] INT NULL,
    [Buried] INT NULL,
    [Retried] INT NULL
);
GO

CREATE TABLE [SweepZombiesTests].[ExpectedFailures] (
    [JobId] VARCHAR(50) NOT NULL,
    [WorkerId] VARCHAR(100) NOT NULL,
    [LeaseToken] BIGINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [ErrorGroup] NVARCHAR(255) NULL,
    [RetryAfterSeconds] INT NULL,
    [DurationMs] FLOAT NULL,
    [ModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [SweepZombiesTests].[Failures] (
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

CREATE PROCEDURE [SweepZombiesTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';

    INSERT INTO [chokaq].[Settings] ([FetchedTimeoutSeconds], [ZombieTimeoutSeconds], [MaintenanceBatchSize])
    VALUES (120, 300, 1000);

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[SpySettleFailures]
AS
BEGIN
    /* Keeps the rows that SettleFailures gets, and lets it say that it retried 4 and buried 5. */
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[SettleFailures]',
        @CommandToExecute = N'INSERT INTO [SweepZombiesTests].[Failures] ([JobId], [WorkerId], [LeaseToken], [FailureReason], [ErrorDetails], [ErrorGroup], [RetryAfterSeconds], [DurationMs], [StaleBeforeUtc], [ModifiedBy]) SELECT [f].[JobId], [f].[WorkerId], [f].[LeaseToken], [f].[FailureReason], [f].[ErrorDetails], [f].[ErrorGroup], [f].[RetryAfterSeconds], [f].[DurationMs], [f].[StaleBeforeUtc], @ModifiedBy FROM @Failures AS [f]; SET @Retried = 4; SET @Dead = 5;';
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[AddJob]
    @Id VARCHAR(50),
    @Status TINYINT,
    @SecondsSilent INT,
    @Queue VARCHAR(255) = 'mail',
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
        @Queue,
        'welcome',
        @Status,
        @AttemptCount,
        'w1',
        3,
        DATEADD(SECOND, -@SecondsSilent, SYSUTCDATETIME()),
        '2026-01-02T00:00:00',
        '2026-01-01T00:00:00',
        CASE WHEN @Status = 2 THEN CONVERT(DATETIME2(7), '2026-01-02T00:00:01') END,
        '2026-01-03T00:00:00',
        'before'
    );
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[Sweep] @BatchSize INT = NULL
AS
BEGIN
    INSERT INTO [SweepZombiesTests].[Actual] ([Recovered], [Buried], [Retried])
    EXECUTE [chokaq].[SweepZombies] @BatchSize = @BatchSize;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[AssertAnswer] @Recovered INT, @Buried INT, @Retried INT
AS
BEGIN
    INSERT INTO [SweepZombiesTests].[Expected] ([Recovered], [Buried], [Retried])
    VALUES (@Recovered, @Buried, @Retried);

    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SweepZombiesTests].[Expected]',
        @Actual = N'[SweepZombiesTests].[Actual]';
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[AssertUntouched] @Expected INT
AS
BEGIN
    /* So many jobs are as they were. */
    DECLARE @Untouched INT;

    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastModifiedBy] = 'before' AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Expected, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies answers zeros where there is nothing to take back]
AS
BEGIN
    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 0;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies takes back a claimed job that never started]
AS
BEGIN
    /* Assemble */
    DECLARE @Pending INT;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 121;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 1, @Buried = 0, @Retried = 0;
    SELECT @Pending = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 0
        AND [h].[WorkerId] IS NULL
        AND [h].[HeartbeatUtc] IS NULL
        AND [h].[LastModifiedBy] = 'SweepZombies'
        AND [h].[LastUpdatedUtc] > '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Pending;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies keeps the place, the lease and the attempts of a claimed job]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 121, @AttemptCount = 2;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] = '2026-01-02T00:00:00'
        AND [h].[CreatedAtUtc] = '2026-01-01T00:00:00'
        AND [h].[LeaseToken] = 3
        AND [h].[AttemptCount] = 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies leaves a claimed job whose worker is alive]
AS
BEGIN
    /* Assemble */
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 60;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 0;
    EXECUTE [SweepZombiesTests].[AssertUntouched] @Expected = 1;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies leaves a running job whose worker is alive]
AS
BEGIN
    /* Assemble */
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 200;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 0;
    EXECUTE [SweepZombiesTests].[AssertUntouched] @Expected = 1;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies leaves a pending job however old it is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc], [LastUpdatedUtc], [LastModifiedBy])
    VALUES ('a', 'mail', 0, '2020-01-01T00:00:00', '2026-01-03T00:00:00', 'before');

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 0;
    EXECUTE [SweepZombiesTests].[AssertUntouched] @Expected = 1;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies hands a silent running job to SettleFailures as a zombie]
AS
BEGIN
    /* Assemble */
    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 301;

    UPDATE [chokaq].[JobsHot]
    SET [HeartbeatUtc] = '2026-01-02T03:04:05.1234567';

    INSERT INTO [SweepZombiesTests].[ExpectedFailures] (
        [JobId],
        [WorkerId],
        [LeaseToken],
        [FailureReason],
        [ErrorDetails],
        [ErrorGroup],
        [RetryAfterSeconds],
        [DurationMs],
        [ModifiedBy]
    )
    VALUES (
        'a',
        'w1',
        3,
        2,
        N'No heartbeat since 2026-01-02T03:04:05.1234567Z from worker w1.',
        N'No heartbeat',
        NULL,
        NULL,
        'SweepZombies'
    );

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SweepZombiesTests].[ExpectedFailures]',
        @Actual = N'[SweepZombiesTests].[Failures]';
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies tells SettleFailures how old the last sign of life must be]
AS
BEGIN
    /* Assemble */
    DECLARE @SecondsAgo INT;
    DECLARE @IsRight BIT;

    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 1000;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    SELECT @SecondsAgo = DATEDIFF(SECOND, [f].[StaleBeforeUtc], SYSUTCDATETIME())
    FROM [SweepZombiesTests].[Failures] AS [f];
    SET @IsRight = CASE WHEN @SecondsAgo BETWEEN 300 AND 360 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @IsRight;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies answers what SettleFailures did]
AS
BEGIN
    /* Assemble */
    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 301;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 5, @Retried = 4;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies does not trouble SettleFailures where no running job is silent]
AS
BEGIN
    /* Assemble */
    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 1000;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[SettleFailures_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies uses the timeout of the queue before that of the settings]
AS
BEGIN
    /* Assemble */
    DECLARE @Found NVARCHAR(MAX);

    INSERT INTO [chokaq].[Queues] ([Name], [ZombieTimeoutSeconds])
    VALUES
        ('quick', 10),
        ('slow', 4000);

    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 30, @Queue = 'quick';
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'b', @Status = 2, @SecondsSilent = 3000, @Queue = 'slow';
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'c', @Status = 2, @SecondsSilent = 400, @Queue = 'mail';
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'd', @Status = 2, @SecondsSilent = 30, @Queue = 'mail';

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    SELECT @Found = STRING_AGG([f].[JobId], ',') WITHIN GROUP (ORDER BY [f].[JobId])
    FROM [SweepZombiesTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a,c', @Actual = @Found;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies sweeps paused queues and queues out of service too]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Queues]
    SET [IsPaused] = 1, [IsActive] = 0;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 1000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'b', @Status = 2, @SecondsSilent = 1000;
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 1, @Buried = 1, @Retried = 0;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies buries a zombie]
AS
BEGIN
    /* Assemble */
    DECLARE @Buried INT;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 301;
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 1, @Retried = 0;
    SELECT @Buried = COUNT(*)
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[FailureReason] = 2
        AND [d].[WorkerId] = 'w1'
        AND [d].[LeaseToken] = 3
        AND [d].[LastModifiedBy] = 'SweepZombies'
        AND [d].[ErrorDetails] LIKE N'No heartbeat since %';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Buried;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies retries a zombie where the queue says so]
AS
BEGIN
    /* Assemble */
    DECLARE @Pending INT;

    UPDATE [chokaq].[Queues]
    SET [ZombieAction] = 1;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 2, @SecondsSilent = 301;
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[RecordOutcomes]';

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 1;
    SELECT @Pending = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 0 AND [h].[LastModifiedBy] = 'SweepZombies';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Pending;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies takes a batch of each kind, the longest silent first]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered NVARCHAR(MAX);
    DECLARE @Found NVARCHAR(MAX);

    EXECUTE [SweepZombiesTests].[SpySettleFailures];
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'claimed 1', @Status = 1, @SecondsSilent = 1000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'claimed 2', @Status = 1, @SecondsSilent = 3000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'claimed 3', @Status = 1, @SecondsSilent = 2000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'running 1', @Status = 2, @SecondsSilent = 3000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'running 2', @Status = 2, @SecondsSilent = 1000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'running 3', @Status = 2, @SecondsSilent = 2000;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep] @BatchSize = 2;

    /* Assert */
    SELECT @Recovered = STRING_AGG([h].[Id], ',') WITHIN GROUP (ORDER BY [h].[Id])
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 0;
    SELECT @Found = STRING_AGG([f].[JobId], ',') WITHIN GROUP (ORDER BY [f].[JobId])
    FROM [SweepZombiesTests].[Failures] AS [f];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'claimed 2,claimed 3', @Actual = @Recovered;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'running 1,running 3', @Actual = @Found;
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 2, @Buried = 5, @Retried = 4;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies takes the batch of the settings where it is given none]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [MaintenanceBatchSize] = 1;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 1000;
    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'b', @Status = 1, @SecondsSilent = 1000;

    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep];

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 1, @Buried = 0, @Retried = 0;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies accepts the largest batch]
AS
BEGIN
    /* Act */
    EXECUTE [SweepZombiesTests].[Sweep] @BatchSize = 1000;

    /* Assert */
    EXECUTE [SweepZombiesTests].[AssertAnswer] @Recovered = 0, @Buried = 0, @Retried = 0;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies refuses a batch of no job]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SweepZombies: @BatchSize%';

    /* Act */
    EXECUTE [chokaq].[SweepZombies] @BatchSize = 0;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies refuses a batch of more than 1000 jobs]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SweepZombies: @BatchSize%';

    /* Act */
    EXECUTE [chokaq].[SweepZombies] @BatchSize = 1001;
END;
GO

CREATE PROCEDURE [SweepZombiesTests].[test SweepZombies leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [SweepZombiesTests].[AddJob] @Id = 'a', @Status = 1, @SecondsSilent = 1000;

    /* Act */
    EXECUTE [chokaq].[SweepZombies];

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO
