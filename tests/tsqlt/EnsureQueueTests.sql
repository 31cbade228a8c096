SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'EnsureQueueTests';
GO

CREATE TABLE [EnsureQueueTests].[Expected] (
    [Name] VARCHAR(255) NOT NULL,
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

CREATE TABLE [EnsureQueueTests].[ExpectedGates] (
    [Queue] VARCHAR(255) NOT NULL,
    [Passes] BIGINT NOT NULL
);
GO

CREATE PROCEDURE [EnsureQueueTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[QueueGates]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue creates a missing queue with the defaults of the table]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnsureQueueTests].[Expected] (
        [Name],
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
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[EnsureQueueTests].[Expected]', @Actual = N'[chokaq].[Queues]';
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue stamps a new queue with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 1;

    /* Assert */
    SELECT @Stamped = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue creates the gate of a new queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnsureQueueTests].[ExpectedGates] ([Queue], [Passes])
    VALUES ('mail', 0);

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnsureQueueTests].[ExpectedGates]',
        @Actual = N'[chokaq].[QueueGates]';
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue keeps a gate that is there before its queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[QueueGates] ([Queue], [Passes])
    VALUES ('mail', 7);

    INSERT INTO [EnsureQueueTests].[ExpectedGates] ([Queue], [Passes])
    VALUES ('mail', 7);

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnsureQueueTests].[ExpectedGates]',
        @Actual = N'[chokaq].[QueueGates]';
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue leaves a queue that exists as it is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name], [IsPaused], [IsActive], [MaxWorkers], [MaxAttempts], [LastUpdatedUtc])
    VALUES ('mail', 1, 0, 4, 9, '2026-01-02T03:04:05');

    INSERT INTO [EnsureQueueTests].[Expected] (
        [Name],
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
    VALUES ('mail', 1, 0, 4, NULL, 0, 9, 10, 2, 3600, 10, NULL);

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[EnsureQueueTests].[Expected]', @Actual = N'[chokaq].[Queues]';
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue accepts a queue that exists without permission to create]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
    VALUES ('mail', '2026-01-02T03:04:05');

    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = 0;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue refuses a queue that does not exist]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
    VALUES ('mail', '2026-01-02T03:04:05');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51010, @ExpectedMessagePattern = N'Caller:%"mial"%';

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mial', @Create = 0;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue takes NULL for no permission to create]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51010;

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = 'mail', @Create = NULL;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue refuses NULL for a name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'Caller: @Queue%';

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = NULL, @Create = 1;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue refuses an empty name]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'Caller: @Queue%';

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = '', @Create = 1;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue refuses a name longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Queue NVARCHAR(4000) = REPLICATE(N'q', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004, @ExpectedMessagePattern = N'Caller: @Queue%';

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = @Queue, @Create = 1;
END;
GO

CREATE PROCEDURE [EnsureQueueTests].[test EnsureQueue refuses a name outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005, @ExpectedMessagePattern = N'Caller: @Queue%';

    /* Act */
    EXECUTE [chokaq].[EnsureQueue] @Procedure = N'Caller', @Queue = N'очередь', @Create = 1;
END;
GO
