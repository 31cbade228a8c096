SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: one job, wherever it is.
Parameters:
    @JobId    the job.
Result set: Pillar varchar(10) (hot, archive or dlq), JobId, Queue, Type, Payload, Tags, IdempotencyKey, Priority, Status, AttemptCount, MaxAttempts, WorkerId, LeaseToken, HeartbeatUtc, CancelRequestedUtc, ScheduledAtUtc, CreatedAtUtc, StartedAtUtc, FinishedAtUtc, FailedAtUtc, DurationMs, WaitMs, FailureReason, ErrorDetails, LastUpdatedUtc, CreatedBy, LastModifiedBy; no row or
    one. Columns that the pillar does not have are NULL; LastUpdatedUtc of a finished job is when it finished.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: JobsHot, JobsArchive, JobsDLQ (read).
Role: [chokaq_producer], [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetJob] @JobId VARCHAR(50)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    /* In the order in which a job moves, so that one that moves meanwhile is found where it goes. */
    SELECT
        CONVERT(VARCHAR(10), 'hot') AS [Pillar],
        [h].[Id] AS [JobId],
        [h].[Queue],
        [h].[Type],
        [h].[Payload],
        [h].[Tags],
        [h].[IdempotencyKey],
        [h].[Priority],
        [h].[Status],
        [h].[AttemptCount],
        [h].[MaxAttempts],
        [h].[WorkerId],
        [h].[LeaseToken],
        [h].[HeartbeatUtc],
        [h].[CancelRequestedUtc],
        [h].[ScheduledAtUtc],
        [h].[CreatedAtUtc],
        [h].[StartedAtUtc],
        CONVERT(DATETIME2(7), NULL) AS [FinishedAtUtc],
        CONVERT(DATETIME2(7), NULL) AS [FailedAtUtc],
        CONVERT(FLOAT, NULL) AS [DurationMs],
        CONVERT(FLOAT, NULL) AS [WaitMs],
        CONVERT(INT, NULL) AS [FailureReason],
        CONVERT(NVARCHAR(MAX), NULL) AS [ErrorDetails],
        [h].[LastUpdatedUtc],
        [h].[CreatedBy],
        [h].[LastModifiedBy]
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = @JobId
    UNION ALL
    SELECT
        CONVERT(VARCHAR(10), 'archive') AS [Pillar],
        [a].[Id] AS [JobId],
        [a].[Queue],
        [a].[Type],
        [a].[Payload],
        [a].[Tags],
        [a].[IdempotencyKey],
        [a].[Priority],
        CONVERT(TINYINT, NULL) AS [Status],
        [a].[AttemptCount],
        [a].[MaxAttempts],
        [a].[WorkerId],
        [a].[LeaseToken],
        CONVERT(DATETIME2(7), NULL) AS [HeartbeatUtc],
        CONVERT(DATETIME2(7), NULL) AS [CancelRequestedUtc],
        [a].[ScheduledAtUtc],
        [a].[CreatedAtUtc],
        [a].[StartedAtUtc],
        [a].[FinishedAtUtc],
        CONVERT(DATETIME2(7), NULL) AS [FailedAtUtc],
        [a].[DurationMs],
        [a].[WaitMs],
        CONVERT(INT, NULL) AS [FailureReason],
        CONVERT(NVARCHAR(MAX), NULL) AS [ErrorDetails],
        [a].[FinishedAtUtc] AS [LastUpdatedUtc],
        [a].[CreatedBy],
        [a].[LastModifiedBy]
    FROM [chokaq].[JobsArchive] AS [a]
    WHERE [a].[Id] = @JobId
    UNION ALL
    SELECT
        CONVERT(VARCHAR(10), 'dlq') AS [Pillar],
        [d].[Id] AS [JobId],
        [d].[Queue],
        [d].[Type],
        [d].[Payload],
        [d].[Tags],
        [d].[IdempotencyKey],
        [d].[Priority],
        CONVERT(TINYINT, NULL) AS [Status],
        [d].[AttemptCount],
        [d].[MaxAttempts],
        [d].[WorkerId],
        [d].[LeaseToken],
        CONVERT(DATETIME2(7), NULL) AS [HeartbeatUtc],
        CONVERT(DATETIME2(7), NULL) AS [CancelRequestedUtc],
        [d].[ScheduledAtUtc],
        [d].[CreatedAtUtc],
        [d].[StartedAtUtc],
        CONVERT(DATETIME2(7), NULL) AS [FinishedAtUtc],
        [d].[FailedAtUtc],
        [d].[DurationMs],
        [d].[WaitMs],
        [d].[FailureReason],
        [d].[ErrorDetails],
        [d].[FailedAtUtc] AS [LastUpdatedUtc],
        [d].[CreatedBy],
        [d].[LastModifiedBy]
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[Id] = @JobId;
END;
GO
