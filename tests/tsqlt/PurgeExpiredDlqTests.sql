SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PurgeExpiredDlqTests';
GO

CREATE TABLE [PurgeExpiredDlqTests].[ExpectedCall] (
    [BeforeUtc] DATETIME2(7) NULL,
    [BatchSize] INT NOT NULL,
    [MaxBatches] INT NOT NULL
);
GO

CREATE TABLE [PurgeExpiredDlqTests].[Moments] (
    [BeforeUtc] DATETIME2(7) NULL
);
GO

CREATE PROCEDURE [PurgeExpiredDlqTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [PurgeExpiredDlqTests].[ExpectedCall];
    DELETE FROM [PurgeExpiredDlqTests].[Moments];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;
    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[DeleteDeadRows]',
        @CommandToExecute = N'INSERT INTO [PurgeExpiredDlqTests].[Moments] ([BeforeUtc]) VALUES (@BeforeUtc); SET @Deleted = 3; SET @MoreLeft = 0;';

    INSERT INTO [chokaq].[Settings] ([Id], [DlqRetentionDays], [MaintenanceBatchSize])
    VALUES (1, 30, 70);
END;
GO

CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq];
END;
GO

CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq hands over the moment and the sizes]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeExpiredDlqTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-01T00:00:00', 5, 7);

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @BatchSize = 5, @MaxBatches = 7, @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeExpiredDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteDeadRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq takes the size of a batch from the settings]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeExpiredDlqTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES ('2026-01-01T00:00:00', 70, 100);

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @NowUtc = '2026-01-31T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeExpiredDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteDeadRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq counts from the clock of the database]
AS
BEGIN
    /* Assemble */
    DECLARE @Near INT;

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq];

    /* Assert */
    SELECT @Near = COUNT(*)
    FROM [PurgeExpiredDlqTests].[Moments] AS [l]
    WHERE ABS(DATEDIFF(MINUTE, [l].[BeforeUtc], DATEADD(DAY, -30, SYSUTCDATETIME()))) < 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Near;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq has no moment without a retention]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[Settings]
    SET [DlqRetentionDays] = NULL;

    INSERT INTO [PurgeExpiredDlqTests].[ExpectedCall] ([BeforeUtc], [BatchSize], [MaxBatches])
    VALUES (NULL, 70, 100);

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeExpiredDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[DeleteDeadRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses batches of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @BatchSize = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses batches of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @BatchSize = 1001;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses no batches at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @MaxBatches = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [PurgeExpiredDlqTests].[test PurgeExpiredDlq refuses NULL for the number of batches]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'PurgeExpiredDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeExpiredDlq] @MaxBatches = NULL;
END;
GO
