SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PurgeArchiveTests';
GO

CREATE TABLE [PurgeArchiveTests].[ExpectedCall] (
    [BeforeUtc] DATETIME2(7) NULL,
    [BatchSize] INT NOT NULL,
    [MaxBatches] INT NOT NULL
);
GO

CREATE TABLE [PurgeArchiveTests].[Moments] (
    [BeforeUtc] DATETIME2(7) NULL
);
GO

CREATE PROCEDURE [PurgeArchiveTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [PurgeArchiveTests].[ExpectedCall];
    DELETE FROM [PurgeArchiveTests].[Moments];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteArchivedRows]',
        @CommandToExecute = N'INSERT INTO [PurgeArchiveTests].[Moments] ([BeforeUtc]) VALUES (@BeforeUtc); SET @Deleted = 3; SET @MoreLeft = 0;';

    INSERT INTO [chokaq].[Settings] ([Id], [ArchiveRetentionDays], [MaintenanceBatchSize])
    VALUES (1, 30, 70);
END;
GO

CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive];
END;
GO

CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive hands over the moment and the sizes]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeArchiveTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-01T00:00:00', 5, 7);

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @BatchSize = 5, @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeArchiveTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteArchivedRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive takes the size of a batch from the settings]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeArchiveTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-01T00:00:00', 70, 100);

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeArchiveTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteArchivedRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive counts from the clock of the database]
AS
BEGIN
    /* Assemble */
    DECLARE @Near INT;

    /* Act */
    EXECUTE [chokaq].[PurgeArchive];

    /* Assert */
    SELECT @Near = COUNT(*)
    FROM [PurgeArchiveTests].[Moments] AS [l]
    WHERE ABS(DATEDIFF(MINUTE, [l].[BeforeUtc], DATEADD(DAY, -30, SYSUTCDATETIME()))) < 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Near;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive has no moment without a retention]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [ArchiveRetentionDays] = NULL;

    INSERT INTO [PurgeArchiveTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES (NULL, 70, 100);

    /* Act */
    EXECUTE [chokaq].[PurgeArchive];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeArchiveTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteArchivedRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses batches of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @BatchSize = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses batches of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @BatchSize = 1001;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses no batches at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeArchiveTests].[test PurgeArchive refuses NULL for the number of batches]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeArchive:%';

    /* Act */
    EXECUTE [chokaq].[PurgeArchive] @MaxBatches = NULL;
END;
GO
