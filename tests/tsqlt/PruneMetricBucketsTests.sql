SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PruneMetricBucketsTests';
GO

CREATE TABLE [PruneMetricBucketsTests].[ExpectedCall] (
    [BeforeUtc] DATETIME2(0) NULL,
    [BatchSize] INT NOT NULL,
    [MaxBatches] INT NOT NULL
);
GO

CREATE TABLE [PruneMetricBucketsTests].[Moments] (
    [BeforeUtc] DATETIME2(0) NULL
);
GO

CREATE PROCEDURE [PruneMetricBucketsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [PruneMetricBucketsTests].[ExpectedCall];
    DELETE FROM [PruneMetricBucketsTests].[Moments];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteBucketRows]',
        @CommandToExecute = N'INSERT INTO [PruneMetricBucketsTests].[Moments] ([BeforeUtc]) VALUES (@BeforeUtc); SET @Deleted = 3; SET @MoreLeft = 0;';

    INSERT INTO [chokaq].[Settings] ([Id], [BucketRetentionMinutes], [MaintenanceBatchSize])
    VALUES (1, 30, 70);
END;
GO

CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets];
END;
GO

CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets hands over the moment and the sizes]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PruneMetricBucketsTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-30T23:30:00', 5, 7);

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @BatchSize = 5, @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PruneMetricBucketsTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteBucketRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets takes the size of a batch from the settings]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PruneMetricBucketsTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-30T23:30:00', 70, 100);

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PruneMetricBucketsTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteBucketRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets counts from the clock of the database]
AS
BEGIN
    /* Assemble */
    DECLARE @Near INT;

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets];

    /* Assert */
    SELECT @Near = COUNT(*)
    FROM [PruneMetricBucketsTests].[Moments] AS [l]
    WHERE ABS(DATEDIFF(MINUTE, [l].[BeforeUtc], DATEADD(MINUTE, -30, SYSUTCDATETIME()))) < 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Near;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses batches of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @BatchSize = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses batches of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @BatchSize = 1001;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses no batches at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PruneMetricBucketsTests].[test PruneMetricBuckets refuses NULL for the number of batches]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PruneMetricBuckets:%';

    /* Act */
    EXECUTE [chokaq].[PruneMetricBuckets] @MaxBatches = NULL;
END;
GO
