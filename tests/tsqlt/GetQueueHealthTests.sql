SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetQueueHealthTests';
GO

CREATE TABLE [GetQueueHealthTests].[Expected] (
    [Queue] VARCHAR(255) NOT NULL,
    [IsPaused] BIT NOT NULL,
    [IsActive] BIT NOT NULL,
    [MaxWorkers] INT NULL,
    [Fetched] INT NOT NULL,
    [Processing] INT NOT NULL,
    [OldestDueUtc] DATETIME2(7) NULL,
    [OldestHeartbeatUtc] DATETIME2(7) NULL
);
GO

CREATE TABLE [GetQueueHealthTests].[Actual] (
    [Queue] VARCHAR(255) NULL,
    [IsPaused] BIT NULL,
    [IsActive] BIT NULL,
    [MaxWorkers] INT NULL,
    [Fetched] INT NULL,
    [Processing] INT NULL,
    [OldestDueUtc] DATETIME2(7) NULL,
    [LagSeconds] FLOAT NULL,
    [OldestHeartbeatUtc] DATETIME2(7) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [GetQueueHealthTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[Get] @Queue VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetQueueHealthTests].[Actual] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [Fetched],
        [Processing],
        [OldestDueUtc],
        [LagSeconds],
        [OldestHeartbeatUtc]
    )
    EXECUTE [chokaq].[GetQueueHealth] @Queue = @Queue;
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth describes each queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name], [IsPaused], [IsActive], [MaxWorkers])
    VALUES
        ('mail', 0, 1, NULL),
        ('print', 1, 0, 4);

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc], [HeartbeatUtc])
    VALUES
        ('due 1', 'mail', 0, '2026-01-02T00:00:00.1234567', NULL),
        ('due 2', 'mail', 0, '2026-01-02T00:00:01', NULL),
        ('claimed 1', 'mail', 1, '2026-01-01T00:00:00', '2026-01-01T00:00:01'),
        ('claimed 2', 'mail', 1, '2026-01-01T00:00:00', '2026-01-01T00:00:02'),
        ('running 1', 'mail', 2, '2026-01-01T00:00:00', '2026-01-01T00:00:03'),
        ('running 2', 'mail', 2, '2026-01-01T00:00:00', '2026-01-01T00:00:04'),
        ('running 3', 'mail', 2, '2026-01-01T00:00:00', '2026-01-01T00:00:05');

    INSERT INTO [GetQueueHealthTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [Fetched],
        [Processing],
        [OldestDueUtc],
        [OldestHeartbeatUtc]
    )
    VALUES
        ('mail', 0, 1, NULL, 2, 3, '2026-01-02T00:00:00.1234567', '2026-01-01T00:00:03'),
        ('print', 1, 0, 4, 0, 0, NULL, NULL);

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetQueueHealthTests].[Expected]',
        @Actual = N'[GetQueueHealthTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth gives the age of the oldest due job as the lag]
AS
BEGIN
    /* Assemble */
    DECLARE @Lag FLOAT;
    DECLARE @IsRight BIT;

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc])
    VALUES
        ('young', 'mail', 0, DATEADD(SECOND, -5, SYSUTCDATETIME())),
        ('old', 'mail', 0, DATEADD(SECOND, -90, SYSUTCDATETIME()));

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get];

    /* Assert */
    SELECT @Lag = [a].[LagSeconds] FROM [GetQueueHealthTests].[Actual] AS [a];
    SET @IsRight = CASE WHEN @Lag BETWEEN 90 AND 150 THEN 1 ELSE 0 END;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @IsRight;
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth gives no lag to jobs that are scheduled for later]
AS
BEGIN
    /* Assemble */
    DECLARE @Lag FLOAT;
    DECLARE @HasDue INT;

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc], [CreatedAtUtc])
    VALUES ('later', 'mail', 0, DATEADD(HOUR, 1, SYSUTCDATETIME()), '2026-01-01T00:00:00');

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get];

    /* Assert */
    SELECT @Lag = [a].[LagSeconds] FROM [GetQueueHealthTests].[Actual] AS [a];
    SELECT @HasDue = COUNT([a].[OldestDueUtc]) FROM [GetQueueHealthTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0.0E0, @Actual = @Lag;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @HasDue;
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth gives no lag to jobs that are claimed or running]
AS
BEGIN
    /* Assemble */
    DECLARE @Lag FLOAT;

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc])
    VALUES
        ('claimed', 'mail', 1, '2026-01-01T00:00:00'),
        ('running', 'mail', 2, '2026-01-01T00:00:00');

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get];

    /* Assert */
    SELECT @Lag = [a].[LagSeconds] FROM [GetQueueHealthTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0.0E0, @Actual = @Lag;
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth returns one queue when it is named]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES
        ('mail'),
        ('print');

    INSERT INTO [GetQueueHealthTests].[Expected] (
        [Queue],
        [IsPaused],
        [IsActive],
        [MaxWorkers],
        [Fetched],
        [Processing],
        [OldestDueUtc],
        [OldestHeartbeatUtc]
    )
    VALUES ('print', 0, 1, NULL, 0, 0, NULL, NULL);

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get] @Queue = 'print';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetQueueHealthTests].[Expected]',
        @Actual = N'[GetQueueHealthTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth returns no row for a queue that does not exist]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get] @Queue = 'none';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetQueueHealthTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueHealthTests].[test GetQueueHealth returns the queues by name]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES
        ('zebra'),
        ('mail'),
        ('print');

    /* Act */
    EXECUTE [GetQueueHealthTests].[Get];

    /* Assert */
    SELECT @Order = STRING_AGG([a].[Queue], ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [GetQueueHealthTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'mail,print,zebra', @Actual = @Order;
END;
GO
