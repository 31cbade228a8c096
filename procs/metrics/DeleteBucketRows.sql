SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: deletes one-second buckets older than a moment, in small batches. For PruneMetricBuckets and RunMaintenance.
Parameters:
    @BeforeUtc        older than this.
    @BatchSize        rows of one batch.
    @MaxBatches       batches at the most.
    @Deleted          rows deleted.
    @MoreLeft         1: the last batch was full, call again.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: each batch is a statement of its own; joins the caller's transaction if there is one.
Lock order: MetricBuckets; rows locked by others are passed over.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[DeleteBucketRows]
    @BeforeUtc DATETIME2(0),
    @BatchSize INT,
    @MaxBatches INT,
    @Deleted INT OUTPUT,
    @MoreLeft BIT OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Got INT;
    DECLARE @Batches INT = 0;

    SET @Deleted = 0;
    SET @MoreLeft = 1;

    /* The oldest buckets lead the clustered index, so each batch is a seek to its start. */
    WHILE @MoreLeft = 1 AND @Batches < @MaxBatches
    BEGIN
        DELETE TOP (@BatchSize) FROM [chokaq].[MetricBuckets] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
        WHERE [BucketStartUtc] < @BeforeUtc;

        SET @Got = @@ROWCOUNT;
        SET @Deleted = @Deleted + @Got;
        SET @Batches = @Batches + 1;
        SET @MoreLeft = CASE WHEN @Got = @BatchSize THEN 1 ELSE 0 END;
    END;
END;
GO
