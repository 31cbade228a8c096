SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
The procedure commits batch by batch, so that it refuses the transaction of a test. Its work is tested where it is done, in the
internal procedures that it calls, and from outside in tests/contract.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'BackfillMetricsTests';
GO

CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses the transaction of its caller]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = '2026-01-01T00:00:00', @ToUtc = '2026-01-02T00:00:00';
END;
GO

CREATE PROCEDURE [BackfillMetricsTests].[test BackfillMetrics refuses the transaction before it looks at its parameters]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51020, @ExpectedMessagePattern = N'BackfillMetrics:%';

    /* Act */
    EXECUTE [chokaq].[BackfillMetrics] @FromUtc = NULL, @ToUtc = NULL;
END;
GO
