SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: takes back what dead workers hold. A job that was claimed and never started goes back to Pending, at its old place, after
    Settings.FetchedTimeoutSeconds without a heartbeat. A running job without a heartbeat for the queue's ZombieTimeoutSeconds (else Settings')
    goes to SettleFailures as a Zombie: to the DLQ, or to a retry where the queue's ZombieAction says so. One call is one batch.
Parameters:
    @BatchSize  how many jobs of each kind at the most, 1 to 1000; NULL: Settings.MaintenanceBatchSize.
Result set: Recovered int (claimed, pending again), Buried int (zombies now in the DLQ), Retried int (zombies pending again); one row. Call again
    while a number reaches the batch size.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: joins the caller's; alone the two kinds are a transaction each. State, lease and heartbeat are checked again in the statements
    that move, so a worker that answers in the last moment keeps its job.
Lock order: that of SweepBatch.
Role: [chokaq_worker], [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SweepZombies] @BatchSize INT = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @Message NVARCHAR(2048);

    SELECT @BatchSize = COALESCE(@BatchSize, [s].[MaintenanceBatchSize]) FROM [chokaq].[Settings] AS [s];

    IF @BatchSize NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'SweepZombies: @BatchSize must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    SET DEADLOCK_PRIORITY LOW;

    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = @BatchSize,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    SELECT @Recovered AS [Recovered], @Buried AS [Buried], @Retried AS [Retried];
END;
GO
