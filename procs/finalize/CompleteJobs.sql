SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: moves jobs that succeeded from JobsHot to JobsArchive and counts them, in one transaction. A call that is repeated after it
    had committed answers the same.
Parameters:
    @WorkerId  the owner.
    @Results   JSON array of at most 1,000 objects {id, lease, durationMs}; id and lease are required. durationMs: how long the execution took
               by the worker's own monotonic clock; without it the time since MarkAsProcessing counts.
Result set: JobId varchar(50), Outcome varchar(20); a row for each id, in the order of the ids.
Outcomes: archived; lost (not this worker's, not this lease, or never marked as processing: nothing changed).
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51006 DuplicateRow, 51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: JobsHot, JobsArchive, then RecordOutcomes (MetricShards, StatsSummary, MetricBuckets, MetricSeries); rows in key order.
Role: [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[CompleteJobs] @WorkerId NVARCHAR(4000), @Results NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Owner VARCHAR(100) = CONVERT(VARCHAR(100), @WorkerId);
    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Outcomes [chokaq].[OutcomeRows];
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [LeaseToken] BIGINT NOT NULL,
        [DurationMs] FLOAT NULL,
        [Copies] INT NOT NULL
    );
    DECLARE @Done TABLE (
        [Id] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Payload] NVARCHAR(MAX) NULL,
        [Tags] VARCHAR(1000) NULL,
        [IdempotencyKey] VARCHAR(255) NULL,
        [Priority] INT NOT NULL,
        [AttemptCount] INT NOT NULL,
        [MaxAttempts] INT NULL,
        [LeaseToken] BIGINT NOT NULL,
        [ScheduledAtUtc] DATETIME2(7) NOT NULL,
        [CreatedAtUtc] DATETIME2(7) NOT NULL,
        [StartedAtUtc] DATETIME2(7) NOT NULL,
        [CreatedBy] VARCHAR(100) NULL,
        [DurationMs] FLOAT NULL,
        [WaitMs] FLOAT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'CompleteJobs',
        @Json = @Results,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true},{"key":"lease","kind":"integer","required":true},{"key":"durationMs","kind":"number","min":0,"max":31536000000000}]';

    EXECUTE [chokaq].[AssertKey]
        @Procedure = N'CompleteJobs',
        @Parameter = N'@WorkerId',
        @Value = @WorkerId,
        @MaxBytes = 100;

    INSERT INTO @Input ([JobId], [LeaseToken], [DurationMs], [Copies])
    SELECT [r].[JobId], MAX([r].[LeaseToken]), MAX([r].[DurationMs]), COUNT(*)
    FROM OPENJSON(@Results) WITH (
        [JobId] VARCHAR(50) '$.id',
        [LeaseToken] BIGINT '$.lease',
        [DurationMs] FLOAT '$.durationMs'
    ) AS [r]
    GROUP BY [r].[JobId];

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'CompleteJobs: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        /* One statement takes the rows out and hands them over, so there is no moment between the check of the lease and the move. */
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
            deleted.[LeaseToken],
            deleted.[ScheduledAtUtc],
            deleted.[CreatedAtUtc],
            deleted.[StartedAtUtc],
            deleted.[CreatedBy]
        INTO @Done (
            [Id],
            [Queue],
            [Type],
            [Payload],
            [Tags],
            [IdempotencyKey],
            [Priority],
            [AttemptCount],
            [MaxAttempts],
            [LeaseToken],
            [ScheduledAtUtc],
            [CreatedAtUtc],
            [StartedAtUtc],
            [CreatedBy]
        )
        WHERE [Id] IN (SELECT [i].[JobId] FROM @Input AS [i] WHERE [i].[LeaseToken] = [JobsHot].[LeaseToken])
            AND [WorkerId] = @Owner
            AND [Status] = 2;

        IF @@ROWCOUNT > 0
        BEGIN
            UPDATE [d]
            SET
                [d].[DurationMs] = COALESCE(
                    [i].[DurationMs],
                    DATEDIFF_BIG(MICROSECOND, [d].[StartedAtUtc], @Now) / CONVERT(FLOAT, 1000)
                ),
                [d].[WaitMs] = CASE
                    WHEN [d].[StartedAtUtc] > [d].[ScheduledAtUtc] THEN DATEDIFF_BIG(
                        MICROSECOND,
                        [d].[ScheduledAtUtc],
                        [d].[StartedAtUtc]
                    ) /
                    CONVERT(FLOAT, 1000)
                    ELSE 0
                END
            FROM @Done AS [d]
            INNER JOIN @Input AS [i] ON [i].[JobId] = [d].[Id];

            INSERT INTO [chokaq].[JobsArchive] (
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
                [FinishedAtUtc],
                [DurationMs],
                [WaitMs],
                [CreatedBy],
                [LastModifiedBy]
            )
            SELECT
                [d].[Id],
                [d].[Queue],
                [d].[Type],
                [d].[Payload],
                [d].[Tags],
                [d].[IdempotencyKey],
                [d].[Priority],
                [d].[AttemptCount],
                [d].[MaxAttempts],
                @Owner,
                [d].[LeaseToken],
                [d].[ScheduledAtUtc],
                [d].[CreatedAtUtc],
                [d].[StartedAtUtc],
                @Now,
                [d].[DurationMs],
                [d].[WaitMs],
                [d].[CreatedBy],
                @Owner
            FROM @Done AS [d]
            ORDER BY [d].[Id];

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
                ROW_NUMBER() OVER (ORDER BY [d].[Id]),
                [d].[Queue],
                [d].[Type],
                0,
                -1,
                [d].[DurationMs],
                [d].[WaitMs],
                NULL
            FROM @Done AS [d];

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

    /* The archive remembers who finished a job under which lease, so the answer is the same however often it is asked. */
    SELECT [i].[JobId], CASE WHEN [a].[Id] IS NULL THEN 'lost' ELSE 'archived' END AS [Outcome]
    FROM @Input AS [i]
    LEFT OUTER JOIN [chokaq].[JobsArchive] AS [a]
        ON [a].[Id] = [i].[JobId] AND [a].[WorkerId] = @Owner AND [a].[LeaseToken] = [i].[LeaseToken]
    ORDER BY [i].[JobId];
END;
GO
