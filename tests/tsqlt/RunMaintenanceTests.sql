SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RunMaintenanceTests';
GO

CREATE TABLE [RunMaintenanceTests].[ExpectedCall] (
    [BeforeUtc] DATETIME2(7) NULL,
    [BatchSize] INT NOT NULL,
    [MaxBatches] INT NOT NULL
);
GO

CREATE TABLE [RunMaintenanceTests].[ExpectedRollup] (
    [MaxRows] INT NULL,
    [NowUtc] DATETIME2(7) NULL
);
GO

CREATE TABLE [RunMaintenanceTests].[Sweeps] (
    [BatchSize] INT NOT NULL
);
GO

CREATE PROCEDURE [RunMaintenanceTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [RunMaintenanceTests].[ExpectedCall];
    DELETE FROM [RunMaintenanceTests].[ExpectedRollup];
    DELETE FROM [RunMaintenanceTests].[Sweeps];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[SweepBatch]',
        @CommandToExecute = N'INSERT INTO [RunMaintenanceTests].[Sweeps] ([BatchSize]) VALUES (@BatchSize); SET @Recovered = 0; SET @Buried = 0; SET @Retried = 0;';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RollupRows]',
        @CommandToExecute = N'SET @FineRows = 1; SET @HourlyRows = 2; SET @DroppedRows = 3; SET @MoreLeft = 0;';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteBucketRows]',
        @CommandToExecute = N'SET @Deleted = 0; SET @MoreLeft = 0;';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteArchivedRows]',
        @CommandToExecute = N'SET @Deleted = 0; SET @MoreLeft = 0;';
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteDeadRows]',
        @CommandToExecute = N'SET @Deleted = 0; SET @MoreLeft = 0;';

    INSERT INTO [chokaq].[Settings] (
        [Id],
        [BucketRetentionMinutes],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (1, 30, 30, 20, 70);
END;
GO

CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'RunMaintenance:%';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance];
END;
GO

CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'RunMaintenance:%';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance purges the archive by its retention]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RunMaintenanceTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-01T00:00:00', 70, 7);

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RunMaintenanceTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteArchivedRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance purges the DLQ by its retention]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RunMaintenanceTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-11T00:00:00', 70, 7);

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RunMaintenanceTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteDeadRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance prunes buckets by their retention]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RunMaintenanceTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-30T23:30:00', 70, 7);

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RunMaintenanceTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteBucketRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance keeps a DLQ that has no retention]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [DlqRetentionDays] = NULL;

    INSERT INTO [RunMaintenanceTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES (NULL, 70, 20);

    /* Act */
    EXECUTE [chokaq].[RunMaintenance];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RunMaintenanceTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteDeadRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance rolls the history up once by the settings]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RunMaintenanceTests].[ExpectedRollup] ([MaxRows], [NowUtc])
    VALUES (NULL, '2026-01-31T00:00:00');

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RunMaintenanceTests].[ExpectedRollup]',
        @Actual = N'[chokaq].[RollupRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance sweeps once when a batch is not full]
AS
BEGIN
    /* Assemble */
    DECLARE @Sweeps INT;

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 7;

    /* Assert */
    SELECT @Sweeps = COUNT(*) FROM [RunMaintenanceTests].[Sweeps] AS [s] WHERE [s].[BatchSize] = 70;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Sweeps;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance sweeps on while batches of claimed jobs are full]
AS
BEGIN
    /* Assemble */
    DECLARE @Sweeps INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[SweepBatch]',
        @CommandToExecute = N'INSERT INTO [RunMaintenanceTests].[Sweeps] ([BatchSize]) VALUES (@BatchSize); SET @Recovered = 70; SET @Buried = 0; SET @Retried = 0;';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 7;

    /* Assert */
    SELECT @Sweeps = COUNT(*) FROM [RunMaintenanceTests].[Sweeps];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 7, @Actual = @Sweeps;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance sweeps on while batches of zombies are full]
AS
BEGIN
    /* Assemble */
    DECLARE @Sweeps INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[SweepBatch]',
        @CommandToExecute = N'INSERT INTO [RunMaintenanceTests].[Sweeps] ([BatchSize]) VALUES (@BatchSize); SET @Recovered = 0; SET @Buried = 50; SET @Retried = 20;';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 3;

    /* Assert */
    SELECT @Sweeps = COUNT(*) FROM [RunMaintenanceTests].[Sweeps];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Sweeps;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance gives its lock back for the next call]
AS
BEGIN
    /* Assemble */
    DECLARE @Runs INT;

    EXECUTE [chokaq].[RunMaintenance];

    /* Act */
    EXECUTE [chokaq].[RunMaintenance];

    /* Assert */
    SELECT @Runs = COUNT(*) FROM [RunMaintenanceTests].[Sweeps];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Runs;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance passes an error on and gives its lock back]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Held INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteBucketRows]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[RunMaintenance];
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;

    SELECT @Held = COUNT(*) FROM [chokaq].[MaintenanceGate] AS [g] WHERE [g].[BusyUntilUtc] > SYSUTCDATETIME();

    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Held;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance does nothing while another run holds the gate]
AS
BEGIN
    /* Assemble */
    DECLARE @Sweeps INT;

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MaintenanceGate]', @Defaults = 1;

    INSERT INTO [chokaq].[MaintenanceGate] ([BusyUntilUtc])
    VALUES (DATEADD(MINUTE, 1, SYSUTCDATETIME()));

    /* Act */
    EXECUTE [chokaq].[RunMaintenance];

    /* Assert */
    SELECT @Sweeps = COUNT([s].[BatchSize]) FROM [RunMaintenanceTests].[Sweeps] AS [s];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Sweeps;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance refuses no batches at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'RunMaintenance:%';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance refuses more than 1000 batches]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'RunMaintenance:%';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = 1001;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RunMaintenanceTests].[test RunMaintenance refuses NULL for the number of batches]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'RunMaintenance:%';

    /* Act */
    EXECUTE [chokaq].[RunMaintenance] @MaxBatches = NULL;
END;
GO
