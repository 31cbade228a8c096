SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
The procedure commits batch by batch, so that it refuses the transaction of a test. Its work is tested where it is done, in the
internal procedures that it calls, and from outside in tests/contract.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RollupMetricsTests';
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
