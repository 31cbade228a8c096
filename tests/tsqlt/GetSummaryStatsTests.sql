SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetSummaryStatsTests';
GO

CREATE TABLE [GetSummaryStatsTests].[Expected] (
    [Queue] VARCHAR(255) NOT NULL,
    [SucceededTotal] BIGINT NOT NULL,
    [FailedTotal] BIGINT NOT NULL,
    [RetriedTotal] BIGINT NOT NULL,
    [LastActivityUtc] DATETIME2(7) NULL
);
GO

CREATE TABLE [GetSummaryStatsTests].[Actual] (
    [Queue] VARCHAR(255) NULL,
    [SucceededTotal] BIGINT NULL,
    [FailedTotal] BIGINT NULL,
    [RetriedTotal] BIGINT NULL,
    [LastActivityUtc] DATETIME2(7) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [GetSummaryStatsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]';

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES
        ('zebra'),
        ('mail'),
        ('idle');

    INSERT INTO [chokaq].[StatsSummary] (
        [Queue],
        [Shard],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    VALUES
        ('mail', 0, 1, 20, 300, '2026-01-01T00:00:00'),
        ('mail', 3, 2, 30, 400, '2026-01-03T00:00:00.1234567'),
        ('mail', 5, 4, 50, 600, '2026-01-02T00:00:00'),
        ('zebra', 0, 9, 8, 7, '2026-01-04T00:00:00');
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[Get] @Queue VARCHAR(255) = NULL
AS
BEGIN
    INSERT INTO [GetSummaryStatsTests].[Actual] (
        [Queue],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    EXECUTE [chokaq].[GetSummaryStats] @Queue = @Queue;
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[test GetSummaryStats sums over the shards of each queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetSummaryStatsTests].[Expected] (
        [Queue],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    VALUES
        ('idle', 0, 0, 0, NULL),
        ('mail', 7, 100, 1300, '2026-01-03T00:00:00.1234567'),
        ('zebra', 9, 8, 7, '2026-01-04T00:00:00');

    /* Act */
    EXECUTE [GetSummaryStatsTests].[Get];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetSummaryStatsTests].[Expected]',
        @Actual = N'[GetSummaryStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[test GetSummaryStats returns one queue when it is named]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetSummaryStatsTests].[Expected] (
        [Queue],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    VALUES ('zebra', 9, 8, 7, '2026-01-04T00:00:00');

    /* Act */
    EXECUTE [GetSummaryStatsTests].[Get] @Queue = 'zebra';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetSummaryStatsTests].[Expected]',
        @Actual = N'[GetSummaryStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[test GetSummaryStats returns zeros for a queue without a finished job]
AS
BEGIN
    /* Assemble */
    INSERT INTO [GetSummaryStatsTests].[Expected] (
        [Queue],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    VALUES ('idle', 0, 0, 0, NULL);

    /* Act */
    EXECUTE [GetSummaryStatsTests].[Get] @Queue = 'idle';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetSummaryStatsTests].[Expected]',
        @Actual = N'[GetSummaryStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[test GetSummaryStats returns no row for a queue that does not exist]
AS
BEGIN
    /* Act */
    EXECUTE [GetSummaryStatsTests].[Get] @Queue = 'none';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetSummaryStatsTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetSummaryStatsTests].[test GetSummaryStats returns the queues by name]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    /* Act */
    EXECUTE [GetSummaryStatsTests].[Get];

    /* Assert */
    SELECT @Order = STRING_AGG([a].[Queue], ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [GetSummaryStatsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'idle,mail,zebra', @Actual = @Order;
END;
GO
