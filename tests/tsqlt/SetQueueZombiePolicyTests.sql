SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SetQueueZombiePolicyTests';
GO

CREATE TABLE [SetQueueZombiePolicyTests].[Expected] (
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

CREATE TABLE [SetQueueZombiePolicyTests].[Actual] (
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

CREATE TABLE [SetQueueZombiePolicyTests].[ExpectedCall] (
    [Procedure] NVARCHAR(128) NULL,
    [Queue] NVARCHAR(4000) NULL,
    [Create] BIT NULL
);
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[SetUp]
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

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy returns the row as it now is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueZombiePolicyTests].[Expected] (
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
    VALUES ('mail', 0, 1, NULL, 60, 1, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueueZombiePolicyTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueZombiePolicyTests].[Expected]',
        @Actual = N'[SetQueueZombiePolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy sets the timeout and the action]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    SELECT @Changed = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[ZombieTimeoutSeconds] = 60 AND [q].[ZombieAction] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy takes it back]
AS
BEGIN
    /* Assemble */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;
    INSERT INTO [SetQueueZombiePolicyTests].[Expected] (
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
    INSERT INTO [SetQueueZombiePolicyTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = NULL, @ZombieAction = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueZombiePolicyTests].[Expected]',
        @Actual = N'[SetQueueZombiePolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy answers the same when it is repeated]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueZombiePolicyTests].[Expected] (
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
    VALUES ('mail', 0, 1, NULL, 60, 1, 3, 10, 2, 3600, 10, NULL);
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Act */
    INSERT INTO [SetQueueZombiePolicyTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueZombiePolicyTests].[Expected]',
        @Actual = N'[SetQueueZombiePolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy stamps the change with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy leaves other queues alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'other'
        AND [q].[LastUpdatedUtc] = '2026-01-02T03:04:05'
        AND [q].[ZombieTimeoutSeconds] IS NULL
        AND [q].[ZombieAction] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy lets EnsureQueue look for the queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[EnsureQueue]';

    INSERT INTO [SetQueueZombiePolicyTests].[ExpectedCall] ([Procedure], [Queue], [Create])
    VALUES (N'SetQueueZombiePolicy', 'mail', 1);

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueZombiePolicyTests].[ExpectedCall]',
        @Actual = N'[chokaq].[EnsureQueue_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy creates the queue when it is told to]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueZombiePolicyTests].[Expected] (
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
    VALUES ('new', 0, 1, NULL, 60, 1, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueueZombiePolicyTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'new', @ZombieTimeoutSeconds = 60, @ZombieAction = 1, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueZombiePolicyTests].[Expected]',
        @Actual = N'[SetQueueZombiePolicyTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a queue that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51010,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy:%"new"%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'new', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a queue without a name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = NULL, @ZombieTimeoutSeconds = 60, @ZombieAction = 1, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a queue name longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Queue NVARCHAR(4000) = REPLICATE(N'q', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = @Queue, @ZombieTimeoutSeconds = 60, @ZombieAction = 1, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a queue name outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy]
        @Queue = N'очередь',
        @ZombieTimeoutSeconds = 60,
        @ZombieAction = 1,
        @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a timeout of zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy:%@ZombieTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 0, @ZombieAction = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses a timeout of more than a week]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy:%@ZombieTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 604801, @ZombieAction = 1;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses an action that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy:%@ZombieAction%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 2;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy refuses NULL for the action]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueZombiePolicy:%@ZombieAction%';

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = NULL;
END;
GO

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;
    DECLARE @Open INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Changed = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[ZombieTimeoutSeconds] = 60 AND [q].[ZombieAction] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy alone takes everything back when it fails]
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
        EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'new', @ZombieTimeoutSeconds = 60, @ZombieAction = 1;
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

CREATE PROCEDURE [SetQueueZombiePolicyTests].[test SetQueueZombiePolicy accepts the shortest and the longest timeout]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 1, @ZombieAction = 0;
    EXECUTE [chokaq].[SetQueueZombiePolicy] @Queue = 'mail', @ZombieTimeoutSeconds = 604800, @ZombieAction = 1;
END;
GO
