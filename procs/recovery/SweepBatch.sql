SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: takes back what dead workers hold. A job that was claimed and never started goes back to Pending, at its old place, after
    Settings.FetchedTimeoutSeconds without a heartbeat. A running job without a heartbeat for the queue's ZombieTimeoutSeconds (else Settings')
    goes to SettleFailures as a Zombie: to the DLQ, or to a retry where the queue's ZombieAction says so. One call is one batch. For
    SweepZombies and RunMaintenance.
Parameters:
    @BatchSize  how many jobs of each kind at the most.
    @Recovered, @Buried, @Retried  OUTPUT: claimed jobs that are pending again, zombies now in the DLQ, zombies pending again.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: joins the caller's; alone the two kinds are a transaction each. State, lease and heartbeat are checked again in the statements
    that move, so a worker that answers in the last moment keeps its job.
Lock order: Queues (read), JobsHot, then that of SettleFailures; rows in key order, rows locked by others are passed over.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SweepBatch]
    @BatchSize INT,
    @Recovered INT OUTPUT,
    @Buried INT OUTPUT,
    @Retried INT OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @FetchedBeforeUtc DATETIME2(7);
    DECLARE @Zombies [chokaq].[FailureRows];
    DECLARE @Abandoned TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY
    );
    DECLARE @Cutoffs TABLE (
        [Queue] VARCHAR(255) NOT NULL PRIMARY KEY,
        [StaleBeforeUtc] DATETIME2(7) NOT NULL
    );

    SET @Buried = 0;
    SET @Retried = 0;

    SELECT @FetchedBeforeUtc = DATEADD(SECOND, -[s].[FetchedTimeoutSeconds], @Now) FROM [chokaq].[Settings] AS [s];

    INSERT INTO @Cutoffs ([Queue], [StaleBeforeUtc])
    SELECT [q].[Name], DATEADD(SECOND, -COALESCE([q].[ZombieTimeoutSeconds], [s].[ZombieTimeoutSeconds]), @Now)
    FROM [chokaq].[Queues] AS [q]
    CROSS JOIN [chokaq].[Settings] AS [s];

    INSERT INTO @Abandoned ([JobId])
    SELECT TOP (@BatchSize) [h].[Id]
    FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
    WHERE [h].[Status] = 1 AND [h].[HeartbeatUtc] < @FetchedBeforeUtc
    ORDER BY [h].[HeartbeatUtc];

    UPDATE [chokaq].[JobsHot]
    SET
        [Status] = 0,
        [WorkerId] = NULL,
        [HeartbeatUtc] = NULL,
        [LastUpdatedUtc] = @Now,
        [LastModifiedBy] = 'SweepZombies'
    WHERE [Id] IN (SELECT [a].[JobId] FROM @Abandoned AS [a]) AND [Status] = 1 AND [HeartbeatUtc] < @FetchedBeforeUtc;

    SET @Recovered = @@ROWCOUNT;

    INSERT INTO @Zombies (
        [JobId],
        [WorkerId],
        [LeaseToken],
        [FailureReason],
        [ErrorDetails],
        [ErrorGroup],
        [RetryAfterSeconds],
        [DurationMs],
        [StaleBeforeUtc]
    )
    SELECT TOP (@BatchSize)
        [h].[Id],
        [h].[WorkerId],
        [h].[LeaseToken],
        2,
        CONCAT(
            N'No heartbeat since ',
            REPLACE(CONVERT(NVARCHAR(30), [h].[HeartbeatUtc], 126), N' ', N'T'),
            N'Z from worker ',
            [h].[WorkerId],
            N'.'
        ),
        N'No heartbeat',
        NULL,
        NULL,
        [c].[StaleBeforeUtc]
    FROM @Cutoffs AS [c]
    INNER JOIN [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK) ON [h].[Queue] = [c].[Queue]
    WHERE [h].[Status] = 2 AND [h].[HeartbeatUtc] < [c].[StaleBeforeUtc]
    ORDER BY [h].[HeartbeatUtc];

    IF @@ROWCOUNT > 0
    BEGIN
        EXECUTE [chokaq].[SettleFailures]
            @Failures = @Zombies,
            @ModifiedBy = 'SweepZombies',
            @Retried = @Retried OUTPUT,
            @Dead = @Buried OUTPUT;
    END;
END;
GO
