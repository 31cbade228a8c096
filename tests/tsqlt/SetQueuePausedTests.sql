SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SetQueuePausedTests';
GO

CREATE TABLE [SetQueuePausedTests].[Expected] (
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

CREATE TABLE [SetQueuePausedTests].[Actual] (
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

CREATE TABLE [SetQueuePausedTests].[ExpectedCall] (
    [Procedure] NVARCHAR(128) NULL,
    [Queue] NVARCHAR(4000) NULL,
    [Create] BIT NULL
);
GO

CREATE PROCEDURE [SetQueuePausedTests].[SetUp]
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

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused returns the row as it now is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueuePausedTests].[Expected] (
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
    VALUES ('mail', 1, 1, NULL, NULL, 0, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueuePausedTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueuePausedTests].[Expected]',
        @Actual = N'[SetQueuePausedTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused pauses a queue]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    SELECT @Changed = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail' AND [q].[IsPaused] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused takes it back]
AS
BEGIN
    /* Assemble */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;
    INSERT INTO [SetQueuePausedTests].[Expected] (
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
    INSERT INTO [SetQueuePausedTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueuePausedTests].[Expected]',
        @Actual = N'[SetQueuePausedTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused answers the same when it is repeated]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueuePausedTests].[Expected] (
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
    VALUES ('mail', 1, 1, NULL, NULL, 0, 3, 10, 2, 3600, 10, NULL);
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Act */
    INSERT INTO [SetQueuePausedTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueuePausedTests].[Expected]',
        @Actual = N'[SetQueuePausedTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused stamps the change with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused leaves other queues alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'other' AND [q].[LastUpdatedUtc] = '2026-01-02T03:04:05' AND [q].[IsPaused] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused lets EnsureQueue look for the queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[EnsureQueue]';

    INSERT INTO [SetQueuePausedTests].[ExpectedCall] ([Procedure], [Queue], [Create])
    VALUES (N'SetQueuePaused', 'mail', 1);

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueuePausedTests].[ExpectedCall]',
        @Actual = N'[chokaq].[EnsureQueue_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused creates the queue when it is told to]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueuePausedTests].[Expected] (
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
    VALUES ('new', 1, 1, NULL, NULL, 0, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueuePausedTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'new', @IsPaused = 1, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueuePausedTests].[Expected]',
        @Actual = N'[SetQueuePausedTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused refuses a queue that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51010, @ExpectedMessagePattern = N'SetQueuePaused:%"new"%';

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'new', @IsPaused = 1;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused refuses a queue without a name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueuePaused: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = NULL, @IsPaused = 1, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused refuses a queue name longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Queue NVARCHAR(4000) = REPLICATE(N'q', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'SetQueuePaused: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = @Queue, @IsPaused = 1, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused refuses a queue name outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'SetQueuePaused: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = N'очередь', @IsPaused = 1, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused refuses NULL for IsPaused]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueuePaused:%@IsPaused%';

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = NULL;
END;
GO

CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;
    DECLARE @Open INT;

    /* Act */
    EXECUTE [chokaq].[SetQueuePaused] @Queue = 'mail', @IsPaused = 1;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Changed = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail' AND [q].[IsPaused] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueuePausedTests].[test SetQueuePaused alone takes everything back when it fails]
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
        EXECUTE [chokaq].[SetQueuePaused] @Queue = 'new', @IsPaused = 1;
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
