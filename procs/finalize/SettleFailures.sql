SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that decides between retry and DLQ, and does it. For FailJobs and SweepZombies.
    Never retried: Cancelled, Rejected, FatalError; a job whose cancellation was asked for; a Zombie unless the queue's ZombieAction is 1.
    CircuitBreaker: the job was not really tried, so its attempt is given back and only its age ends it.
    Otherwise: retried while executions remain (the job's MaxAttempts, else the queue's) and the next run is within MaxJobAgeSeconds.
    The delay is RetryBaseSeconds * RetryMultiplier ^ (executions - 1), at most RetryMaxSeconds, give or take RetryJitterPercent, and never
    less than the worker's RetryAfterSeconds. A retried job queues up at its new time; it does not go to the head.
    In the DLQ an ordinary or Transient failure that ran out of attempts is MaxRetriesExceeded, one that ran out of time is
    RetryLifetimeExpired, any other keeps its reason.
Parameters:
    @Failures    the executions; a row whose worker, lease, state or heartbeat does not match any more is passed over.
    @ModifiedBy  who settles.
    @Retried, @Dead  OUTPUT: how many were.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: joins the caller's; alone it is one transaction.
Lock order: Queues (read), JobsHot, JobsDLQ, then RecordOutcomes; rows in key order.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SettleFailures]
    @Failures [chokaq].[FailureRows] READONLY,
    @ModifiedBy VARCHAR(100),
    @Retried INT OUTPUT,
    @Dead INT OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Outcomes [chokaq].[OutcomeRows];
    DECLARE @Decisions TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [WorkerId] VARCHAR(100) NOT NULL,
        [LeaseToken] BIGINT NOT NULL,
        [FailureReason] INT NOT NULL,
        [IsCancelled] BIT NOT NULL,
        [ZombieAction] TINYINT NOT NULL,
        [AttemptCount] INT NOT NULL,
        [MaxAttempts] INT NOT NULL,
        [ExpiresAtUtc] DATETIME2(7) NULL,
        [RetryMaxSeconds] FLOAT NOT NULL,
        [JitterShare] FLOAT NOT NULL,
        [DelaySeconds] FLOAT NOT NULL,
        [RetryAfterSeconds] INT NOT NULL,
        [NextRunUtc] DATETIME2(7) NULL,
        [DeadReason] INT NULL,
        [DurationMs] FLOAT NULL,
        [WaitMs] FLOAT NULL,
        [ErrorGroup] NVARCHAR(255) NOT NULL
    );
    DECLARE @Pending TABLE (
        [Id] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL
    );
    DECLARE @Buried TABLE (
        [Id] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Payload] NVARCHAR(MAX) NULL,
        [Tags] VARCHAR(1000) NULL,
        [IdempotencyKey] VARCHAR(255) NULL,
        [Priority] INT NOT NULL,
        [AttemptCount] INT NOT NULL,
        [MaxAttempts] INT NULL,
        [WorkerId] VARCHAR(100) NULL,
        [LeaseToken] BIGINT NOT NULL,
        [ScheduledAtUtc] DATETIME2(7) NOT NULL,
        [CreatedAtUtc] DATETIME2(7) NOT NULL,
        [StartedAtUtc] DATETIME2(7) NULL,
        [CreatedBy] VARCHAR(100) NULL
    );

    SET @Retried = 0;
    SET @Dead = 0;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        /*
        The rows are locked here and stay so. The exponent is compared before it is raised, so that no number of attempts can overflow.
        CHECKSUM(NEWID()) is a fresh random number for each row; the sign bit is masked because ABS fails on the lowest int.
        */
        INSERT INTO @Decisions (
            [JobId],
            [WorkerId],
            [LeaseToken],
            [FailureReason],
            [IsCancelled],
            [ZombieAction],
            [AttemptCount],
            [MaxAttempts],
            [ExpiresAtUtc],
            [RetryMaxSeconds],
            [JitterShare],
            [DelaySeconds],
            [RetryAfterSeconds],
            [DurationMs],
            [WaitMs],
            [ErrorGroup]
        )
        SELECT
            [h].[Id],
            [f].[WorkerId],
            [f].[LeaseToken],
            [f].[FailureReason],
            CASE WHEN [h].[CancelRequestedUtc] IS NULL THEN 0 ELSE 1 END,
            [q].[ZombieAction],
            [h].[AttemptCount],
            COALESCE([h].[MaxAttempts], [q].[MaxAttempts]),
            DATEADD(SECOND, [q].[MaxJobAgeSeconds], [h].[CreatedAtUtc]),
            [q].[RetryMaxSeconds],
            [q].[RetryJitterPercent] / CONVERT(FLOAT, 100) * ((CHECKSUM(NEWID()) & 2147483647) % 2001 - 1000) /
            CONVERT(FLOAT, 1000),
            CASE
                WHEN [q].[RetryBaseSeconds] = 0 THEN 0
                WHEN ([h].[AttemptCount] - 1) * LOG([q].[RetryMultiplier]) >= LOG(
                    CONVERT(FLOAT, [q].[RetryMaxSeconds]) / NULLIF([q].[RetryBaseSeconds], 0)
                ) THEN [q].[RetryMaxSeconds]
                ELSE [q].[RetryBaseSeconds] * POWER([q].[RetryMultiplier], [h].[AttemptCount] - 1)
            END,
            COALESCE([f].[RetryAfterSeconds], 0),
            COALESCE([f].[DurationMs], DATEDIFF_BIG(MICROSECOND, [h].[StartedAtUtc], @Now) / CONVERT(FLOAT, 1000)),
            CASE
                WHEN [h].[StartedAtUtc] > [h].[ScheduledAtUtc] THEN DATEDIFF_BIG(
                    MICROSECOND,
                    [h].[ScheduledAtUtc],
                    [h].[StartedAtUtc]
                ) /
                CONVERT(FLOAT, 1000)
                ELSE 0
            END,
            COALESCE(
                NULLIF([f].[ErrorGroup], N''),
                /* CONVERT because LEFT counts a character outside the BMP as one in some collations, and the column as two. */
                NULLIF(
                    CONVERT(
                        NVARCHAR(255),
                        REPLACE(
                            LEFT(
                                [f].[ErrorDetails],
                                CHARINDEX(NCHAR(10), CONCAT(LEFT([f].[ErrorDetails], 255), NCHAR(10))) - 1
                            ),
                            NCHAR(13),
                            N''
                        )
                    ),
                    N''
                ),
                N'(no error text)'
            )
        FROM @Failures AS [f]
        INNER JOIN [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, UPDLOCK) ON [h].[Id] = [f].[JobId]
        INNER JOIN [chokaq].[Queues] AS [q] ON [q].[Name] = [h].[Queue]
        WHERE [h].[WorkerId] = [f].[WorkerId]
            AND [h].[LeaseToken] = [f].[LeaseToken]
            AND [h].[Status] = 2
            AND ([f].[StaleBeforeUtc] IS NULL OR [h].[HeartbeatUtc] < [f].[StaleBeforeUtc]);

        UPDATE @Decisions
        SET
            [DelaySeconds] = CASE
                WHEN [DelaySeconds] * (1 + [JitterShare]) > [RetryMaxSeconds] THEN [RetryMaxSeconds]
                ELSE [DelaySeconds] * (1 + [JitterShare])
            END;

        UPDATE @Decisions
        SET
            [NextRunUtc] = CASE
                WHEN [RetryAfterSeconds] > [DelaySeconds] THEN DATEADD(SECOND, [RetryAfterSeconds], @Now)
                ELSE DATEADD(
                    MILLISECOND,
                    CONVERT(INT, ([DelaySeconds] - FLOOR([DelaySeconds])) * 1000),
                    DATEADD(SECOND, CONVERT(INT, FLOOR([DelaySeconds])), @Now)
                )
            END;

        UPDATE @Decisions
        SET
            [DeadReason] = CASE
                WHEN [IsCancelled] = 1 THEN 1
                WHEN [FailureReason] IN (1, 4, 6) THEN [FailureReason]
                WHEN [FailureReason] = 2 AND [ZombieAction] = 0 THEN 2
                WHEN [FailureReason] <> 3 AND [AttemptCount] >= [MaxAttempts] THEN CASE
                    WHEN [FailureReason] IN (0, 8) THEN 0
                    ELSE [FailureReason]
                END
                WHEN [NextRunUtc] > [ExpiresAtUtc] THEN 10
            END;

        /* The state is checked once more in the statements that change it: not every engine keeps the locks that the hint asked for. */
        UPDATE [h]
        SET
            [h].[Status] = 0,
            [h].[WorkerId] = NULL,
            [h].[HeartbeatUtc] = NULL,
            [h].[AttemptCount] = [h].[AttemptCount] - CASE WHEN [d].[FailureReason] = 3 THEN 1 ELSE 0 END,
            [h].[ScheduledAtUtc] = [d].[NextRunUtc],
            [h].[LastUpdatedUtc] = @Now,
            [h].[LastModifiedBy] = @ModifiedBy
        FROM [chokaq].[JobsHot] AS [h]
        INNER JOIN @Decisions AS [d] ON [d].[JobId] = [h].[Id]
        WHERE [d].[DeadReason] IS NULL
            AND [h].[WorkerId] = [d].[WorkerId]
            AND [h].[LeaseToken] = [d].[LeaseToken]
            AND [h].[Status] = 2;

        SET @Retried = @@ROWCOUNT;

        /* The rows just changed, which are this transaction's now. (OUTPUT together with values from a join is not in the portable core.) */
        INSERT INTO @Pending ([Id], [Queue], [Type])
        SELECT [h].[Id], [h].[Queue], [h].[Type]
        FROM @Decisions AS [d]
        INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [d].[JobId]
        WHERE [d].[DeadReason] IS NULL
            AND [h].[LeaseToken] = [d].[LeaseToken]
            AND [h].[Status] = 0
            AND [h].[LastUpdatedUtc] = @Now
            AND [h].[LastModifiedBy] = @ModifiedBy;

        DELETE FROM [chokaq].[JobsHot]
        OUTPUT
            deleted.[Id],
            deleted.[Queue],
            deleted.[Type],
            deleted.[Payload],
            deleted.[Tags],
            deleted.[IdempotencyKey],
            deleted.[Priority],
            deleted.[AttemptCount],
            deleted.[MaxAttempts],
            deleted.[WorkerId],
            deleted.[LeaseToken],
            deleted.[ScheduledAtUtc],
            deleted.[CreatedAtUtc],
            deleted.[StartedAtUtc],
            deleted.[CreatedBy]
        INTO @Buried (
            [Id],
            [Queue],
            [Type],
            [Payload],
            [Tags],
            [IdempotencyKey],
            [Priority],
            [AttemptCount],
            [MaxAttempts],
            [WorkerId],
            [LeaseToken],
            [ScheduledAtUtc],
            [CreatedAtUtc],
            [StartedAtUtc],
            [CreatedBy]
        )
        WHERE [Id] IN (
                SELECT [d].[JobId]
                FROM @Decisions AS [d]
                WHERE [d].[DeadReason] IS NOT NULL
                    AND [d].[WorkerId] = [JobsHot].[WorkerId]
                    AND [d].[LeaseToken] = [JobsHot].[LeaseToken]
            )
            AND [Status] = 2;

        SET @Dead = @@ROWCOUNT;

        IF @Dead > 0
        BEGIN
            INSERT INTO [chokaq].[JobsDLQ] (
                [Id],
                [Queue],
                [Type],
                [Payload],
                [Tags],
                [IdempotencyKey],
                [Priority],
                [AttemptCount],
                [MaxAttempts],
                [WorkerId],
                [LeaseToken],
                [ScheduledAtUtc],
                [CreatedAtUtc],
                [StartedAtUtc],
                [FailedAtUtc],
                [FailureReason],
                [ErrorDetails],
                [DurationMs],
                [WaitMs],
                [CreatedBy],
                [LastModifiedBy]
            )
            SELECT
                [b].[Id],
                [b].[Queue],
                [b].[Type],
                [b].[Payload],
                [b].[Tags],
                [b].[IdempotencyKey],
                [b].[Priority],
                [b].[AttemptCount],
                [b].[MaxAttempts],
                [b].[WorkerId],
                [b].[LeaseToken],
                [b].[ScheduledAtUtc],
                [b].[CreatedAtUtc],
                [b].[StartedAtUtc],
                @Now,
                [d].[DeadReason],
                [f].[ErrorDetails],
                [d].[DurationMs],
                [d].[WaitMs],
                [b].[CreatedBy],
                @ModifiedBy
            FROM @Buried AS [b]
            INNER JOIN @Decisions AS [d] ON [d].[JobId] = [b].[Id]
            INNER JOIN @Failures AS [f] ON [f].[JobId] = [b].[Id]
            ORDER BY [b].[Id];
        END;

        IF @Dead > 0 OR @Retried > 0
        BEGIN
            /* An error group that the column's code page does not have is counted under a number made from it, never under question marks. */
            INSERT INTO @Outcomes (
                [Ordinal],
                [Queue],
                [Type],
                [Outcome],
                [FailureReason],
                [DurationMs],
                [WaitMs],
                [ErrorGroup]
            )
            SELECT
                ROW_NUMBER() OVER (ORDER BY [s].[Id]),
                [s].[Queue],
                [s].[Type],
                [s].[Outcome],
                CASE WHEN [s].[Outcome] = 1 THEN [d].[DeadReason] ELSE [d].[FailureReason] END,
                [d].[DurationMs],
                [d].[WaitMs],
                CASE
                    WHEN CONVERT(NVARCHAR(255), CONVERT(VARCHAR(255), [d].[ErrorGroup])) COLLATE Latin1_General_BIN2 = [d].[ErrorGroup] COLLATE Latin1_General_BIN2 THEN CONVERT(
                        VARCHAR(255),
                        [d].[ErrorGroup]
                    )
                    ELSE CONCAT('#', CONVERT(VARCHAR(11), CHECKSUM([d].[ErrorGroup])))
                END
            FROM (
                SELECT [b].[Id], [b].[Queue], [b].[Type], 1 AS [Outcome] FROM @Buried AS [b]
                UNION ALL
                SELECT [p].[Id], [p].[Queue], [p].[Type], 2 AS [Outcome] FROM @Pending AS [p]
            ) AS [s]
            INNER JOIN @Decisions AS [d] ON [d].[JobId] = [s].[Id];

            EXECUTE [chokaq].[RecordOutcomes] @Outcomes = @Outcomes;
        END;

        IF @OwnsTransaction = 1
        BEGIN
            COMMIT TRANSACTION;
        END;
    END TRY
    BEGIN CATCH
        IF @OwnsTransaction = 1 AND XACT_STATE() <> 0
        BEGIN
            ROLLBACK TRANSACTION;
        END;

        THROW;
    END CATCH;
END;
GO
