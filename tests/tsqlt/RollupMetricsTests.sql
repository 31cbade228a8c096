SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RollupMetricsTests';
GO

CREATE TABLE [RollupMetricsTests].[ExpectedCall] (
    [MaxRows] INT NULL,
    [NowUtc] DATETIME2(7) NULL
);
GO

CREATE PROCEDURE [RollupMetricsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [RollupMetricsTests].[ExpectedCall];

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[RollupRows]',
        @CommandToExecute = N'SET @FineRows = 1; SET @HourlyRows = 2; SET @DroppedRows = 3; SET @MoreLeft = 0;';
END;
GO

CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'RollupMetrics:%';

    /* Act */
    EXECUTE [chokaq].[RollupMetrics];
END;
GO

CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'RollupMetrics:%';

    /* Act */
    EXECUTE [chokaq].[RollupMetrics] @MaxRows = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics hands over what it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RollupMetricsTests].[ExpectedCall] ([MaxRows], [NowUtc])
    VALUES (1000000, '2026-01-31T00:00:00.1234567');

    /* Act */
    EXECUTE [chokaq].[RollupMetrics] @MaxRows = 1000000, @NowUtc = '2026-01-31T00:00:00.1234567';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupMetricsTests].[ExpectedCall]',
        @Actual = N'[chokaq].[RollupRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics leaves rows and moment to RollupRows by default]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RollupMetricsTests].[ExpectedCall] ([MaxRows], [NowUtc])
    VALUES (NULL, NULL);

    /* Act */
    EXECUTE [chokaq].[RollupMetrics];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RollupMetricsTests].[ExpectedCall]',
        @Actual = N'[chokaq].[RollupRows_SpyProcedureLog]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics refuses no rows at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'RollupMetrics:%';

    /* Act */
    EXECUTE [chokaq].[RollupMetrics] @MaxRows = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RollupMetricsTests].[test RollupMetrics refuses more than a million rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'RollupMetrics:%';

    /* Act */
    EXECUTE [chokaq].[RollupMetrics] @MaxRows = 1000001;
END;
GO
