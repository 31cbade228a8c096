SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetQueueStatsTests';
GO

CREATE TABLE [GetQueueStatsTests].[Expected] (
    [Queue] VARCHAR(255) NOT NULL,
    [Pending] BIGINT NOT NULL,
    [Due] BIGINT NOT NULL,
    [Scheduled] BIGINT NOT NULL,
    [Fetched] BIGINT NOT NULL,
    [Processing] BIGINT NOT NULL
);
GO

CREATE TABLE [GetQueueStatsTests].[Actual] (
    [Queue] VARCHAR(255) NULL,
    [Pending] BIGINT NULL,
    [Due] BIGINT NULL,
    [Scheduled] BIGINT NULL,
    [Fetched] BIGINT NULL,
    [Processing] BIGINT NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [GetQueueStatsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES
        ('zebra'),
        ('mail'),
        ('idle');

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [ScheduledAtUtc])
    VALUES
        ('due 1', 'mail', 0, DATEADD(SECOND, -60, SYSUTCDATETIME())),
        ('due 2', 'mail', 0, DATEADD(SECOND, -1, SYSUTCDATETIME())),
        ('later 1', 'mail', 0, DATEADD(HOUR, 1, SYSUTCDATETIME())),
        ('claimed 1', 'mail', 1, DATEADD(SECOND, -60, SYSUTCDATETIME())),
        ('claimed 2', 'mail', 1, DATEADD(HOUR, 1, SYSUTCDATETIME())),
        ('claimed 3', 'mail', 1, DATEADD(SECOND, -60, SYSUTCDATETIME())),
        ('running 1', 'mail', 2, DATEADD(SECOND, -60, SYSUTCDATETIME())),
        ('due 3', 'zebra', 0, DATEADD(SECOND, -60, SYSUTCDATETIME())),
        ('stray', 'no such queue', 0, DATEADD(SECOND, -60, SYSUTCDATETIME()));
END;
GO

CREATE PROCEDURE [GetQueueStatsTests].[Get] @Queue VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetQueueStatsTests].[Actual] ([Queue], [Pending], [Due], [Scheduled], [Fetched], [Processing])
    EXECUTE [chokaq].[GetQueueStats] @Queue = @Queue;
END;
GO

CREATE PROCEDURE [GetQueueStatsTests].[test GetQueueStats counts the jobs of each queue by state]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetQueueStatsTests].[Expected] ([Queue], [Pending], [Due], [Scheduled], [Fetched], [Processing])
    VALUES
        ('idle', 0, 0, 0, 0, 0),
        ('mail', 3, 2, 1, 3, 1),
        ('zebra', 1, 1, 0, 0, 0);

    /* Act */
    EXECUTE [GetQueueStatsTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetQueueStatsTests].[Expected]',
        @Actual = N'[GetQueueStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueStatsTests].[test GetQueueStats returns one queue when it is named]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetQueueStatsTests].[Expected] ([Queue], [Pending], [Due], [Scheduled], [Fetched], [Processing])
    VALUES ('mail', 3, 2, 1, 3, 1);

    /* Act */
    EXECUTE [GetQueueStatsTests].[Get] @Queue = 'mail';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetQueueStatsTests].[Expected]',
        @Actual = N'[GetQueueStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueStatsTests].[test GetQueueStats returns no row for a queue that does not exist]
AS
BEGIN
    /* Act */
    EXECUTE [GetQueueStatsTests].[Get] @Queue = 'none';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetQueueStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetQueueStatsTests].[test GetQueueStats returns the queues by name]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    /* Act */
    EXECUTE [GetQueueStatsTests].[Get];

    /* Assert */
    SELECT @Order = STRING_AGG([a].[Queue], ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [GetQueueStatsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'idle,mail,zebra', @Actual = @Order;
END;
GO
