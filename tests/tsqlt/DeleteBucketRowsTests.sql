SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'DeleteBucketRowsTests';
GO

CREATE TABLE [DeleteBucketRowsTests].[ExpectedKeys] (
    [Queue] VARCHAR(255) NOT NULL
);
GO

CREATE PROCEDURE [DeleteBucketRowsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBuckets]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[MetricBuckets] ([Queue], [BucketStartUtc])
    VALUES
        ('a', '2026-01-05T00:00:00'),
        ('b', '2026-01-04T00:00:00'),
        ('c', '2026-01-03T00:00:00'),
        ('d', '2026-01-02T00:00:00'),
        ('e', '2026-01-01T00:00:00');
END;
GO

CREATE PROCEDURE [DeleteBucketRowsTests].[test DeleteBucketRows deletes what is older and keeps the moment itself]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    INSERT INTO [DeleteBucketRowsTests].[ExpectedKeys] ([Queue])
    VALUES
        ('a'),
        ('b');

    /* Act */
    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = '2026-01-04T00:00:00',
        @BatchSize = 1000,
        @MaxBatches = 100,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[DeleteBucketRowsTests].[ExpectedKeys]',
        @Actual = N'[chokaq].[MetricBuckets]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteBucketRowsTests].[test DeleteBucketRows deletes nothing without a moment]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;
    DECLARE @Left INT;

    /* Act */
    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = NULL,
        @BatchSize = 1000,
        @MaxBatches = 100,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[MetricBuckets];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 5, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteBucketRowsTests].[test DeleteBucketRows stops after its batches and says that more may be left]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;
    DECLARE @Left INT;

    /* Act */
    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[MetricBuckets];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 4, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @MoreLeft;
END;
GO

CREATE PROCEDURE [DeleteBucketRowsTests].[test DeleteBucketRows goes on where the call before it ended]
AS
BEGIN
    /* Assemble */
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Act */
    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = '2027-01-01T00:00:00',
        @BatchSize = 2,
        @MaxBatches = 2,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricBuckets]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Deleted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @MoreLeft;
END;
GO
