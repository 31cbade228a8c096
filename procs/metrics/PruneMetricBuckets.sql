SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: deletes one-second buckets older than Settings.BucketRetentionMinutes. Counters and history do not change.
Parameters:
    @BatchSize        rows of one batch, 1 to 1000; NULL: Settings.MaintenanceBatchSize.
    @MaxBatches       batches at the most, so that a call ends.
    @NowUtc           the moment from which ages count; NULL: now. For tests.
Result set: Deleted int, MoreLeft bit (1: call again); one row.
Outcomes: none.
Errors: 51008 InvalidParameter, 51020 TransactionNotAllowed.
Transactions: each batch is a transaction of its own; refuses to run inside one.
Lock order: that of DeleteBucketRows.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[PruneMetricBuckets]
    @BatchSize INT = NULL,
    @MaxBatches INT = 100,
    @NowUtc DATETIME2(7) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @BeforeUtc DATETIME2(7);
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT;

    IF @@TRANCOUNT > 0
    BEGIN
        SET @Message = N'PruneMetricBuckets: cannot run inside a transaction, since each batch is one of its own.';
        THROW 51020, @Message, 1;
    END;

    /* Without a retention @BeforeUtc is NULL, and nothing is older than that. */
    SELECT
        @BatchSize = COALESCE(@BatchSize, [s].[MaintenanceBatchSize]),
        @BeforeUtc = DATEADD(MINUTE, -[s].[BucketRetentionMinutes], COALESCE(@NowUtc, SYSUTCDATETIME()))
    FROM [chokaq].[Settings] AS [s];

    IF @BatchSize NOT BETWEEN 1 AND 1000 OR COALESCE(@MaxBatches, 0) < 1
    BEGIN
        SET @Message = N'PruneMetricBuckets: @BatchSize must be between 1 and 1000, @MaxBatches 1 or more.';
        THROW 51008, @Message, 1;
    END;

    SET DEADLOCK_PRIORITY LOW;

    EXECUTE [chokaq].[DeleteBucketRows]
        @BeforeUtc = @BeforeUtc,
        @BatchSize = @BatchSize,
        @MaxBatches = @MaxBatches,
        @Deleted = @Deleted OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    SELECT @Deleted AS [Deleted], @MoreLeft AS [MoreLeft];
END;
GO
