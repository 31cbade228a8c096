SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PurgeJobsTests';
GO

CREATE TABLE [PurgeJobsTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [PurgeJobsTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [PurgeJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id])
    VALUES
        ('a'),
        ('b');

    INSERT INTO [chokaq].[JobsHot] ([Id])
    VALUES ('hot');

    INSERT INTO [chokaq].[StatsSummary] ([Queue], [Shard], [FailedTotal])
    VALUES ('mail', 0, 7);
END;
GO

CREATE PROCEDURE [PurgeJobsTests].[test PurgeJobs deletes dead jobs and answers in the order of the ordinals]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs [chokaq].[JobEdits];
    DECLARE @Left VARCHAR(50);

    INSERT INTO @Jobs ([JobId], [Ordinal])
    VALUES
        ('a', 3),
        ('hot', 2),
        ('nowhere', 1);

    INSERT INTO [PurgeJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'nowhere', 'not-found'),
        (2, 'hot', 'not-found'),
        (3, 'a', 'purged');

    /* Act */
    INSERT INTO [PurgeJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[PurgeJobs] @Jobs = @Jobs;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeJobsTests].[ExpectedAnswer]',
        @Actual = N'[PurgeJobsTests].[Answer]';
    SELECT @Left = MIN([d].[Id]) FROM [chokaq].[JobsDLQ] AS [d];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = 'b', @Actual = @Left;
    SELECT @Left = MIN([h].[Id]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = 'hot', @Actual = @Left;
END;
GO

CREATE PROCEDURE [PurgeJobsTests].[test PurgeJobs does not touch the counters]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs [chokaq].[JobEdits];
    DECLARE @Failed BIGINT;

    INSERT INTO @Jobs ([JobId], [Ordinal])
    VALUES ('a', 1);

    /* Act */
    EXECUTE [chokaq].[PurgeJobs] @Jobs = @Jobs;

    /* Assert */
    SELECT @Failed = SUM([s].[FailedTotal]) FROM [chokaq].[StatsSummary] AS [s];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 7, @Actual = @Failed;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [PurgeJobsTests].[test PurgeJobs takes no jobs at all]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs [chokaq].[JobEdits];
    DECLARE @Left INT;

    /* Act */
    INSERT INTO [PurgeJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[PurgeJobs] @Jobs = @Jobs;

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[PurgeJobsTests].[Answer]';
END;
GO
