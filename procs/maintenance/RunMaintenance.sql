SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: everything that is due, one after the other: sweep of what dead workers hold, rollup and pruning of metrics, purges of archive and DLQ. For a SQL Agent job
    every minute or so, or a worker's maintenance thread. Runs once at a time: a second call answers busy and does nothing.
Parameters:
    @MaxBatches       batches of each task at the most, so that a call ends; what is left is for the next call.
    @NowUtc           the moment from which ages count; NULL: now. For tests.
Result set: Task varchar(30), RowsDone bigint, MoreLeft bit; a row for each task: recovered, buried, retried, rolled-up, dropped-history, pruned-buckets, purged-archive,
    purged-dlq; or the one row busy.
Outcomes: none.
Errors: 51008 InvalidParameter, 51020 TransactionNotAllowed.
Transactions: each batch is a transaction of its own; refuses to run inside one.
Lock order: MaintenanceGate, then those of SweepBatch, RollupRows, DeleteBucketRows, DeleteArchivedRows, DeleteDeadRows.
Role: [chokaq_operator], [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RunMaintenance] @MaxBatches INT = 20, @NowUtc DATETIME2(7) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Clock DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Now DATETIME2(7) = COALESCE(@NowUtc, @Clock);
    DECLARE @RunId UNIQUEIDENTIFIER = NEWID();
    DECLARE @BatchSize INT;
    DECLARE @BucketsBeforeUtc DATETIME2(0);
    DECLARE @ArchiveBeforeUtc DATETIME2(7);
    DECLARE @DlqBeforeUtc DATETIME2(7);
    DECLARE @Batches INT = 0;
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @RecoveredAll BIGINT = 0;
    DECLARE @BuriedAll BIGINT = 0;
    DECLARE @RetriedAll BIGINT = 0;
    DECLARE @FineRows INT;
    DECLARE @HourlyRows INT;
    DECLARE @DroppedRows INT;
    DECLARE @Deleted INT;
    DECLARE @MoreLeft BIT = 1;
    DECLARE @Done TABLE (
        [Place] INT NOT NULL PRIMARY KEY,
        [Task] VARCHAR(30) NOT NULL,
        [RowsDone] BIGINT NOT NULL,
        [MoreLeft] BIT NOT NULL
    );

    IF @@TRANCOUNT > 0
    BEGIN
        SET @Message = N'RunMaintenance: cannot run inside a transaction, since each batch is one of its own.';
        THROW 51020, @Message, 1;
    END;

    IF COALESCE(@MaxBatches, 0) NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'RunMaintenance: @MaxBatches must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    /*
    Held for five minutes at the most: a runner that dies frees the gate without doing anything, and a run that takes longer may meet another,
    which does no harm. The real clock, whatever @NowUtc says.
    */
    UPDATE [chokaq].[MaintenanceGate]
    SET [RunId] = @RunId, [BusyUntilUtc] = DATEADD(MINUTE, 5, @Clock)
    WHERE [Id] = 1 AND [BusyUntilUtc] <= @Clock;

    IF @@ROWCOUNT = 0
    BEGIN
        SELECT CONVERT(VARCHAR(30), 'busy') AS [Task], CONVERT(BIGINT, 0) AS [RowsDone], CONVERT(BIT, 0) AS [MoreLeft];

        RETURN 0;
    END;

    SET DEADLOCK_PRIORITY LOW;

    BEGIN TRY
        SELECT
            @BatchSize = [s].[MaintenanceBatchSize],
            @BucketsBeforeUtc = DATEADD(MINUTE, -[s].[BucketRetentionMinutes], @Now),
            @ArchiveBeforeUtc = DATEADD(DAY, -[s].[ArchiveRetentionDays], @Now),
            @DlqBeforeUtc = DATEADD(DAY, -[s].[DlqRetentionDays], @Now)
        FROM [chokaq].[Settings] AS [s];

        WHILE @MoreLeft = 1 AND @Batches < @MaxBatches
        BEGIN
            EXECUTE [chokaq].[SweepBatch]
                @BatchSize = @BatchSize,
                @Recovered = @Recovered OUTPUT,
                @Buried = @Buried OUTPUT,
                @Retried = @Retried OUTPUT;

            SET @RecoveredAll = @RecoveredAll + @Recovered;
            SET @BuriedAll = @BuriedAll + @Buried;
            SET @RetriedAll = @RetriedAll + @Retried;
            SET @Batches = @Batches + 1;
            SET @MoreLeft = CASE WHEN @Recovered = @BatchSize OR @Buried + @Retried = @BatchSize THEN 1 ELSE 0 END;
        END;

        INSERT INTO @Done ([Place], [Task], [RowsDone], [MoreLeft])
        VALUES
            (1, 'recovered', @RecoveredAll, @MoreLeft),
            (2, 'buried', @BuriedAll, @MoreLeft),
            (3, 'retried', @RetriedAll, @MoreLeft);

        EXECUTE [chokaq].[RollupRows]
            @MaxRows = NULL,
            @NowUtc = @NowUtc,
            @FineRows = @FineRows OUTPUT,
            @HourlyRows = @HourlyRows OUTPUT,
            @DroppedRows = @DroppedRows OUTPUT,
            @MoreLeft = @MoreLeft OUTPUT;

        INSERT INTO @Done ([Place], [Task], [RowsDone], [MoreLeft])
        VALUES
            (4, 'rolled-up', @FineRows + @HourlyRows, @MoreLeft),
            (5, 'dropped-history', @DroppedRows, @MoreLeft);

        EXECUTE [chokaq].[DeleteBucketRows]
            @BeforeUtc = @BucketsBeforeUtc,
            @BatchSize = @BatchSize,
            @MaxBatches = @MaxBatches,
            @Deleted = @Deleted OUTPUT,
            @MoreLeft = @MoreLeft OUTPUT;

        INSERT INTO @Done ([Place], [Task], [RowsDone], [MoreLeft])
        VALUES (6, 'pruned-buckets', @Deleted, @MoreLeft);

        EXECUTE [chokaq].[DeleteArchivedRows]
            @BeforeUtc = @ArchiveBeforeUtc,
            @BatchSize = @BatchSize,
            @MaxBatches = @MaxBatches,
            @Deleted = @Deleted OUTPUT,
            @MoreLeft = @MoreLeft OUTPUT;

        INSERT INTO @Done ([Place], [Task], [RowsDone], [MoreLeft])
        VALUES (7, 'purged-archive', @Deleted, @MoreLeft);

        EXECUTE [chokaq].[DeleteDeadRows]
            @BeforeUtc = @DlqBeforeUtc,
            @BatchSize = @BatchSize,
            @MaxBatches = @MaxBatches,
            @Deleted = @Deleted OUTPUT,
            @MoreLeft = @MoreLeft OUTPUT;

        INSERT INTO @Done ([Place], [Task], [RowsDone], [MoreLeft])
        VALUES (8, 'purged-dlq', @Deleted, @MoreLeft);

        UPDATE [chokaq].[MaintenanceGate]
        SET [BusyUntilUtc] = @Clock
        WHERE [Id] = 1 AND [RunId] = @RunId;
    END TRY
    BEGIN CATCH
        UPDATE [chokaq].[MaintenanceGate]
        SET [BusyUntilUtc] = @Clock
        WHERE [Id] = 1 AND [RunId] = @RunId;

        THROW;
    END CATCH;

    SELECT [d].[Task], [d].[RowsDone], [d].[MoreLeft] FROM @Done AS [d] ORDER BY [d].[Place];
END;
GO
