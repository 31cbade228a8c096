SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SetQueueRetryPolicyTests';
GO

CREATE TABLE [SetQueueRetryPolicyTests].[Expected] (
    [Queue] VARCHAR(255) NOT NULL,
    [IsPaused] BIT NOT NULL,
    [IsActive] BIT NOT NULL,
    [MaxWorkers] INT NULL,
    [ZombieTimeoutSeconds] INT NULL,
    [ZombieAction] TINYINT NOT NULL,
    [MaxAttempts] INT NOT NULL,
    [RetryBaseSeconds] INT NOT NULL,
    [RetryMultiplier] FLOAT NOT NULL,
    [RetryMaxSeconds] INT NOT NULL,
    [RetryJitterPercent] INT NOT NULL,
    [MaxJobAgeSeconds] INT NULL
);
GO

CREATE TABLE [SetQueueRetryPolicyTests].[Actual] (
    [Queue] VARCHAR(255) NULL,
    [IsPaused] BIT NULL,
    [IsActive] BIT NULL,
    [MaxWorkers] INT NULL,
    [ZombieTimeoutSeconds] INT NULL,
    [ZombieAction] TINYINT NULL,
    [MaxAttempts] INT NULL,
    [RetryBaseSeconds] INT NULL,
    [RetryMultiplier] FLOAT NULL,
    [RetryMaxSeconds] INT NULL,
    [RetryJitterPercent] INT NULL,
    [MaxJobAgeSeconds] INT NULL,
    [LastUpdatedUtc] DATETIME2(7) NULL
);
GO

CREATE TABLE [SetQueueRetryPolicyTests].[ExpectedCall] (
    [Procedure] NVARCHAR(128) NULL,
    [Queue] NVARCHAR(4000) NULL,
    [Create] BIT NULL
);
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[QueueGates]', @Defaults = 1;

    INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
    VALUES
        ('mail', '2026-01-02T03:04:05'),
        ('other', '2026-01-02T03:04:05');

    INSERT INTO [chokaq].[QueueGates] ([Queue], [Passes])
    VALUES
        ('mail', 5),
        ('other', 5);
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy returns the row as it now is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueRetryPolicyTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds]
    )
    VALUES ('mail', 0, 1, NULL, NULL, 0, 5, 20, 1.5, 600, 0, 7200);

    /* Act */
    INSERT INTO [SetQueueRetryPolicyTests].[Actual] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueRetryPolicyTests].[Expected]',
        @Actual = N'[SetQueueRetryPolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy sets every part of the policy]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    SELECT @Changed = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail'
        AND [q].[MaxAttempts] = 5
        AND [q].[RetryBaseSeconds] = 20
        AND [q].[RetryMultiplier] = 1.5
        AND [q].[RetryMaxSeconds] = 600
        AND [q].[RetryJitterPercent] = 0
        AND [q].[MaxJobAgeSeconds] = 7200;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy takes it back]
AS
BEGIN
    /* Assemble */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
    INSERT INTO [SetQueueRetryPolicyTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds]
    )
    VALUES ('mail', 0, 1, NULL, NULL, 0, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueueRetryPolicyTests].[Actual] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 3,
        @RetryBaseSeconds = 10,
        @RetryMultiplier = 2,
        @RetryMaxSeconds = 3600,
        @RetryJitterPercent = 10,
        @MaxJobAgeSeconds = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueRetryPolicyTests].[Expected]',
        @Actual = N'[SetQueueRetryPolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy answers the same when it is repeated]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueRetryPolicyTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds]
    )
    VALUES ('mail', 0, 1, NULL, NULL, 0, 5, 20, 1.5, 600, 0, 7200);
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Act */
    INSERT INTO [SetQueueRetryPolicyTests].[Actual] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueRetryPolicyTests].[Expected]',
        @Actual = N'[SetQueueRetryPolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy stamps the change with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy leaves other queues alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'other'
        AND [q].[LastUpdatedUtc] = '2026-01-02T03:04:05'
        AND [q].[MaxAttempts] = 3
        AND [q].[RetryBaseSeconds] = 10
        AND [q].[RetryMultiplier] = 2
        AND [q].[RetryMaxSeconds] = 3600
        AND [q].[RetryJitterPercent] = 10
        AND [q].[MaxJobAgeSeconds] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy lets EnsureQueue look for the queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[EnsureQueue]';

    INSERT INTO [SetQueueRetryPolicyTests].[ExpectedCall] ([Procedure], [Queue], [Create])
    VALUES (N'SetQueueRetryPolicy', 'mail', 1);

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200,
        @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueRetryPolicyTests].[ExpectedCall]',
        @Actual = N'[chokaq].[EnsureQueue_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy creates the queue when it is told to]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueRetryPolicyTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds]
    )
    VALUES ('new', 0, 1, NULL, NULL, 0, 5, 20, 1.5, 600, 0, 7200);

    /* Act */
    INSERT INTO [SetQueueRetryPolicyTests].[Actual] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent],
        [MaxJobAgeSeconds],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'new',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200,
        @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueRetryPolicyTests].[Expected]',
        @Actual = N'[SetQueueRetryPolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a queue that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51010,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%"new"%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'new',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a queue without a name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = NULL,
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200,
        @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a queue name longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Queue NVARCHAR(4000) = REPLICATE(N'q', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = @Queue,
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200,
        @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a queue name outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = N'очередь',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200,
        @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses no attempt at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@MaxAttempts%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 0,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses more than 1000 attempts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@MaxAttempts%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 1001,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses NULL for the attempts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@MaxAttempts%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = NULL,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a base below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryBaseSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = -1,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a base of more than a day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryBaseSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 86401,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 86401,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses NULL for the base]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryBaseSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = NULL,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a multiplier below one]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMultiplier%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 0.9,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a multiplier above a hundred]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMultiplier%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 100.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses NULL for the multiplier]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMultiplier%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = NULL,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a longest delay below the base]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMaxSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 19,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a longest delay of more than thirty days]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMaxSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 2592001,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses NULL for the longest delay]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryMaxSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = NULL,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a jitter below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryJitterPercent%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = -1,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a jitter above a hundred]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryJitterPercent%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 101,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses NULL for the jitter]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@RetryJitterPercent%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = NULL,
        @MaxJobAgeSeconds = 7200;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy refuses a job age of zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueRetryPolicy:%@MaxJobAgeSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 0;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;
    DECLARE @Open INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 5,
        @RetryBaseSeconds = 20,
        @RetryMultiplier = 1.5,
        @RetryMaxSeconds = 600,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 7200;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Changed = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail'
        AND [q].[MaxAttempts] = 5
        AND [q].[RetryBaseSeconds] = 20
        AND [q].[RetryMultiplier] = 1.5
        AND [q].[RetryMaxSeconds] = 600
        AND [q].[RetryJitterPercent] = 0
        AND [q].[MaxJobAgeSeconds] = 7200;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy alone takes everything back when it fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Stored INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[EnsureQueue]',
        @CommandToExecute = N'INSERT INTO [chokaq].[Queues] ([Name]) VALUES (''new''); THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[SetQueueRetryPolicy]
            @Queue = 'new',
            @MaxAttempts = 5,
            @RetryBaseSeconds = 20,
            @RetryMultiplier = 1.5,
            @RetryMaxSeconds = 600,
            @RetryJitterPercent = 0,
            @MaxJobAgeSeconds = 7200;
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Stored = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'new';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy accepts the lowest value of each part]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 1,
        @RetryBaseSeconds = 0,
        @RetryMultiplier = 1,
        @RetryMaxSeconds = 0,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 1;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy accepts the highest value of each part]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 1000,
        @RetryBaseSeconds = 86400,
        @RetryMultiplier = 100,
        @RetryMaxSeconds = 2592000,
        @RetryJitterPercent = 100,
        @MaxJobAgeSeconds = 2147483647;
END;
GO

CREATE PROCEDURE [SetQueueRetryPolicyTests].[test SetQueueRetryPolicy accepts what the table accepts]
AS
BEGIN
    /* Assemble */
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[Queues]', @ConstraintName = N'CK_Queues_MaxAttempts';
    EXECUTE [tSQLt].[ApplyConstraint]
        @TableName = N'[chokaq].[Queues]',
        @ConstraintName = N'CK_Queues_RetryBaseSeconds';
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[Queues]', @ConstraintName = N'CK_Queues_RetryMultiplier';
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[Queues]', @ConstraintName = N'CK_Queues_RetryMaxSeconds';
    EXECUTE [tSQLt].[ApplyConstraint]
        @TableName = N'[chokaq].[Queues]',
        @ConstraintName = N'CK_Queues_RetryJitterPercent';
    EXECUTE [tSQLt].[ApplyConstraint]
        @TableName = N'[chokaq].[Queues]',
        @ConstraintName = N'CK_Queues_MaxJobAgeSeconds';

    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 1000,
        @RetryBaseSeconds = 86400,
        @RetryMultiplier = 100,
        @RetryMaxSeconds = 2592000,
        @RetryJitterPercent = 100,
        @MaxJobAgeSeconds = 2147483647;
    EXECUTE [chokaq].[SetQueueRetryPolicy]
        @Queue = 'mail',
        @MaxAttempts = 1,
        @RetryBaseSeconds = 0,
        @RetryMultiplier = 1,
        @RetryMaxSeconds = 0,
        @RetryJitterPercent = 0,
        @MaxJobAgeSeconds = 1;
END;
GO
