SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'DeleteDeadRowsTests';
GO

CREATE TABLE [DeleteDeadRowsTests].[ExpectedKeys] (
    [Id] VARCHAR(255) NOT NULL
);
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [FailedAtUtc])
    VALUES
        ('a', '2026-01-05T00:00:00'),
        ('b', '2026-01-04T00:00:00'),
        ('c', '2026-01-03T00:00:00'),
        ('d', '2026-01-02T00:00:00'),
        ('e', '2026-01-01T00:00:00');
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows deletes what is older and keeps the moment itself]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    INSERT INTO [DeleteDeadRowsTests].[ExpectedKeys] ([Id])
    VALUES
        ('a'),
        ('b');

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2026-01-04T00:00:00',
        @BatchSize = 1000,
        @MaxBatches = 100,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[DeleteDeadRowsTests].[ExpectedKeys]',
        @Actual = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows deletes nothing without a moment]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;
    DECLARE @Left INT;

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = NULL,
        @BatchSize = 1000,
        @MaxBatches = 100,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 5, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows stops after its batches and says that more may be left]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;
    DECLARE @Left INT;

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 4, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows goes on where the call before it ended]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows deletes the oldest first]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    INSERT INTO [DeleteDeadRowsTests].[ExpectedKeys] ([Id])
    VALUES
        ('a'),
        ('b'),
        ('c');

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 1,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[DeleteDeadRowsTests].[ExpectedKeys]',
        @Actual = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [DeleteDeadRowsTests].[test DeleteDeadRows leaves the counters alone]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;
    DECLARE @Failed BIGINT;

    INSERT INTO [chokaq].[StatsSummary] ([Queue], [Shard], [FailedTotal])
    VALUES ('mail', 0, 7);

    /* Act */
    EXECUTE [chokaq].[DeleteDeadRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 1000,
        @MaxBatches = 1,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    SELECT @Failed = SUM([s].[FailedTotal]) FROM [chokaq].[StatsSummary] AS [s];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 7, @Actual = @Failed;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO
