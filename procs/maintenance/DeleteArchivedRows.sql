SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: deletes rows of JobsArchive older than a moment, oldest first, in small batches: no lock escalation, no long transaction. For PurgeArchive and RunMaintenance.
Parameters:
    @BeforeUtc        older than this; NULL: nothing is.
    @BatchSize        rows of one batch.
    @MaxBatches       batches at the most.
    @Deleted          rows deleted.
    @MoreLeft         1: the last batch was full, call again.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: each batch is a statement of its own; joins the caller's transaction if there is one.
Lock order: JobsArchive, in key order; rows locked by others are passed over.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[DeleteArchivedRows]
    @BeforeUtc DATETIME2(7),
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
    DECLARE @Batch TABLE (
        [Id] VARCHAR(50) NOT NULL PRIMARY KEY
    );

    SET @Deleted = 0;
    SET @MoreLeft = 1;

    WHILE @MoreLeft = 1 AND @Batches < @MaxBatches
    BEGIN
        DELETE FROM @Batch;

        INSERT INTO @Batch ([Id])
        SELECT TOP (@BatchSize) [a].[Id]
        FROM [chokaq].[JobsArchive] AS [a] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
        WHERE [a].[FinishedAtUtc] < @BeforeUtc
        ORDER BY [a].[FinishedAtUtc], [a].[Id];

        DELETE FROM [chokaq].[JobsArchive] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
        WHERE [Id] IN (SELECT [b].[Id] FROM @Batch AS [b]) AND [FinishedAtUtc] < @BeforeUtc;

        SET @Got = @@ROWCOUNT;
        SET @Deleted = @Deleted + @Got;
        SET @Batches = @Batches + 1;
        SET @MoreLeft = CASE WHEN @Got = @BatchSize THEN 1 ELSE 0 END;
    END;
END;
GO
