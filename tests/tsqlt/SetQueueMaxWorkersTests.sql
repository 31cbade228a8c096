SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SetQueueMaxWorkersTests';
GO

CREATE TABLE [SetQueueMaxWorkersTests].[Expected] (
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

CREATE TABLE [SetQueueMaxWorkersTests].[Actual] (
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

CREATE TABLE [SetQueueMaxWorkersTests].[ExpectedCall] (
    [Procedure] NVARCHAR(128) NULL,
    [Queue] NVARCHAR(4000) NULL,
    [Create] BIT NULL
);
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[SetUp]
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

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers returns the row as it now is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueMaxWorkersTests].[Expected] (
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
    VALUES ('mail', 0, 1, 4, NULL, 0, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueueMaxWorkersTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueMaxWorkersTests].[Expected]',
        @Actual = N'[SetQueueMaxWorkersTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers limits a queue]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    SELECT @Changed = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail' AND [q].[MaxWorkers] = 4;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers takes it back]
AS
BEGIN
    /* Assemble */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;
    INSERT INTO [SetQueueMaxWorkersTests].[Expected] (
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
    INSERT INTO [SetQueueMaxWorkersTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueMaxWorkersTests].[Expected]',
        @Actual = N'[SetQueueMaxWorkersTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers answers the same when it is repeated]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueMaxWorkersTests].[Expected] (
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
    VALUES ('mail', 0, 1, 4, NULL, 0, 3, 10, 2, 3600, 10, NULL);
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Act */
    INSERT INTO [SetQueueMaxWorkersTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueMaxWorkersTests].[Expected]',
        @Actual = N'[SetQueueMaxWorkersTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers stamps the change with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    SELECT @Stamped = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail' AND [q].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers leaves other queues alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'other' AND [q].[LastUpdatedUtc] = '2026-01-02T03:04:05' AND [q].[MaxWorkers] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers lets EnsureQueue look for the queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[EnsureQueue]';

    INSERT INTO [SetQueueMaxWorkersTests].[ExpectedCall] ([Procedure], [Queue], [Create])
    VALUES (N'SetQueueMaxWorkers', 'mail', 1);

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueMaxWorkersTests].[ExpectedCall]',
        @Actual = N'[chokaq].[EnsureQueue_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers creates the queue when it is told to]
AS
BEGIN
    /* Assemble */
    INSERT INTO [SetQueueMaxWorkersTests].[Expected] (
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
    VALUES ('new', 0, 1, 4, NULL, 0, 3, 10, 2, 3600, 10, NULL);

    /* Act */
    INSERT INTO [SetQueueMaxWorkersTests].[Actual] (
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
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'new', @MaxWorkers = 4, @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[SetQueueMaxWorkersTests].[Expected]',
        @Actual = N'[SetQueueMaxWorkersTests].[Actual]';
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers refuses a queue that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51010,
        @ExpectedMessagePattern = N'SetQueueMaxWorkers:%"new"%';

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'new', @MaxWorkers = 4;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers refuses a queue without a name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueMaxWorkers: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = NULL, @MaxWorkers = 4, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers refuses a queue name longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Queue NVARCHAR(4000) = REPLICATE(N'q', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'SetQueueMaxWorkers: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = @Queue, @MaxWorkers = 4, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers refuses a queue name outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'SetQueueMaxWorkers: @Queue%';

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = N'очередь', @MaxWorkers = 4, @Create = 1;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers refuses a limit below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'SetQueueMaxWorkers:%@MaxWorkers%';

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = -1;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Changed INT;
    DECLARE @Open INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 4;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Changed = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail' AND [q].[MaxWorkers] = 4;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers alone takes everything back when it fails]
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
        EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'new', @MaxWorkers = 4;
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

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers accepts zero]
AS
BEGIN
    /* Assemble */
    DECLARE @MaxWorkers INT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 0;

    /* Assert */
    SELECT @MaxWorkers = [q].[MaxWorkers] FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MaxWorkers;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers passes the gate of the queue and of no other]
AS
BEGIN
    /* Assemble */
    DECLARE @Passes BIGINT;
    DECLARE @OtherPasses BIGINT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = 1;

    /* Assert */
    SELECT @Passes = [g].[Passes] FROM [chokaq].[QueueGates] AS [g] WHERE [g].[Queue] = 'mail';
    SELECT @OtherPasses = [g].[Passes] FROM [chokaq].[QueueGates] AS [g] WHERE [g].[Queue] = 'other';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 6, @Actual = @Passes;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 5, @Actual = @OtherPasses;
END;
GO

CREATE PROCEDURE [SetQueueMaxWorkersTests].[test SetQueueMaxWorkers passes the gate when it lifts the limit]
AS
BEGIN
    /* Assemble */
    DECLARE @Passes BIGINT;

    /* Act */
    EXECUTE [chokaq].[SetQueueMaxWorkers] @Queue = 'mail', @MaxWorkers = NULL;

    /* Assert */
    SELECT @Passes = [g].[Passes] FROM [chokaq].[QueueGates] AS [g] WHERE [g].[Queue] = 'mail';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 6, @Actual = @Passes;
END;
GO
