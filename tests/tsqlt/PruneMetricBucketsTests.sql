SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
The procedure commits batch by batch, so that it refuses the transaction of a test. Its work is tested where it is done, in the
internal procedures that it calls, and from outside in tests/contract.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PruneMetricBucketsTests';
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
