SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: ends jobs by order of an operator or of the application. A job that nobody runs goes to the DLQ at once; a running one is asked to stop,
    and its worker hears of it at the next KeepAlive.
Parameters:
    @JobIds           JSON array of at most 1,000 objects {id}.
    @CancelledBy      who cancels.
    @Reason           why, kept as the job's ErrorDetails.
Result set: JobId varchar(50), Outcome varchar(20); a row for each id, in the order of the ids.
Outcomes: cancelled (now in the DLQ, FailureReason 1); cancel-requested (runs; a repeat answers the same); not-found (no active job).
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51006 DuplicateRow.
Transactions: joins the caller's; alone it is one transaction.
Lock order: JobsHot, JobsDLQ, then RecordOutcomes; rows in key order.
Role: [chokaq_operator], [chokaq_producer]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[CancelJobs]
    @JobIds NVARCHAR(MAX),
    @CancelledBy VARCHAR(100) = NULL,
    @Reason NVARCHAR(4000) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Outcomes [chokaq].[OutcomeRows];
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Copies] INT NOT NULL
    );
    DECLARE @Touched TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY
    );
    DECLARE @Cancelled TABLE (
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

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'CancelJobs',
        @Json = @JobIds,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true}]';

    INSERT INTO @Input ([JobId], [Copies])
    SELECT [j].[JobId], COUNT(*)
    FROM OPENJSON(@JobIds) WITH (
        [JobId] VARCHAR(50) '$.id'
    ) AS [j]
    GROUP BY [j].[JobId];

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'CancelJobs: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        /* The mark first, on whatever state the job is in: the write holds the row, so it cannot start or stop before the next statement. */
        UPDATE [chokaq].[JobsHot]
        SET [CancelRequestedUtc] = COALESCE([CancelRequestedUtc], @Now), [LastUpdatedUtc] = @Now
        WHERE [Id] IN (SELECT [i].[JobId] FROM @Input AS [i]);

        INSERT INTO @Touched ([JobId])
        SELECT [h].[Id]
        FROM @Input AS [i]
        INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [i].[JobId]
        WHERE [h].[CancelRequestedUtc] IS NOT NULL;

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
        INTO @Cancelled (
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
        WHERE [Id] IN (SELECT [i].[JobId] FROM @Input AS [i]) AND [Status] IN (0, 1);

        IF @@ROWCOUNT > 0
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
                [CreatedBy],
                [FailedAtUtc],
                [FailureReason],
                [ErrorDetails],
                [DurationMs],
                [WaitMs],
                [LastModifiedBy]
            )
            SELECT
                [c].[Id],
                [c].[Queue],
                [c].[Type],
                [c].[Payload],
                [c].[Tags],
                [c].[IdempotencyKey],
                [c].[Priority],
                [c].[AttemptCount],
                [c].[MaxAttempts],
                [c].[WorkerId],
                [c].[LeaseToken],
                [c].[ScheduledAtUtc],
                [c].[CreatedAtUtc],
                [c].[StartedAtUtc],
                [c].[CreatedBy],
                @Now,
                1,
                COALESCE(@Reason, N'Cancelled.'),
                NULL,
                NULL,
                @CancelledBy
            FROM @Cancelled AS [c]
            ORDER BY [c].[Id];

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
            SELECT ROW_NUMBER() OVER (ORDER BY [c].[Id]), [c].[Queue], [c].[Type], 1, 1, NULL, NULL, 'Cancelled'
            FROM @Cancelled AS [c];

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

    SELECT
        [i].[JobId],
        CASE
            WHEN [c].[Id] IS NOT NULL THEN 'cancelled'
            WHEN [t].[JobId] IS NOT NULL THEN 'cancel-requested'
            ELSE 'not-found'
        END AS [Outcome]
    FROM @Input AS [i]
    LEFT OUTER JOIN @Cancelled AS [c] ON [c].[Id] = [i].[JobId]
    LEFT OUTER JOIN @Touched AS [t] ON [t].[JobId] = [i].[JobId]
    ORDER BY [i].[JobId];
END;
GO
