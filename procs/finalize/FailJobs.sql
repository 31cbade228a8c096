SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: reports executions that went wrong. What becomes of them is decided here, not by the worker: see SettleFailures. A call that is
    repeated after it had committed answers the same.
Parameters:
    @WorkerId  the owner.
    @Failures  JSON array of at most 1,000 objects {id, lease, reason, error, errorGroup, retryAfterSeconds, durationMs}; id, lease and reason
               are required. reason: a FailureReason that a worker can know: 0 ordinary, 1 Cancelled, 3 CircuitBreaker, 4 Rejected,
               5 Throttled, 6 FatalError, 7 Timeout, 8 Transient, 9 HeartbeatFailure. error: text of any length. errorGroup: a short
               fingerprint (at most 255 characters) under which failures are counted, default the first line of the error.
               retryAfterSeconds: not before that. durationMs: as in CompleteJobs.
Result set: JobId varchar(50), Outcome varchar(20), NextRunUtc datetime2(7) NULL; a row for each id, in the order of the ids.
Outcomes: retry (pending again, due at NextRunUtc); dead (now in the DLQ); lost (not this worker's, not this lease, or never marked as
    processing: nothing changed).
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows; reasons 2 and 10 are 51003), 51006 DuplicateRow,
    51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: that of SettleFailures.
Role: [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[FailJobs] @WorkerId NVARCHAR(4000), @Failures NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Owner VARCHAR(100) = CONVERT(VARCHAR(100), @WorkerId);
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Retried INT;
    DECLARE @Dead INT;
    DECLARE @Rows [chokaq].[FailureRows];
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [LeaseToken] BIGINT NOT NULL,
        [FailureReason] INT NOT NULL,
        [ErrorGroup] NVARCHAR(255) NULL,
        [RetryAfterSeconds] INT NULL,
        [DurationMs] FLOAT NULL,
        [Copies] INT NOT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'FailJobs',
        @Json = @Failures,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true},{"key":"lease","kind":"integer","required":true},{"key":"reason","kind":"integer","min":0,"max":9,"required":true},{"key":"error","kind":"text"},{"key":"errorGroup","kind":"text","max":255},{"key":"retryAfterSeconds","kind":"integer","min":0,"max":2147483647},{"key":"durationMs","kind":"number","min":0,"max":31536000000000}]';

    EXECUTE [chokaq].[AssertKey]
        @Procedure = N'FailJobs',
        @Parameter = N'@WorkerId',
        @Value = @WorkerId,
        @MaxBytes = 100;

    INSERT INTO @Input (
        [JobId],
        [LeaseToken],
        [FailureReason],
        [ErrorGroup],
        [RetryAfterSeconds],
        [DurationMs],
        [Copies]
    )
    SELECT
        [f].[JobId],
        MAX([f].[LeaseToken]),
        MAX([f].[FailureReason]),
        MAX([f].[ErrorGroup]),
        MAX([f].[RetryAfterSeconds]),
        MAX([f].[DurationMs]),
        COUNT(*)
    FROM OPENJSON(@Failures) WITH (
        [JobId] VARCHAR(50) '$.id',
        [LeaseToken] BIGINT '$.lease',
        [FailureReason] INT '$.reason',
        [ErrorGroup] NVARCHAR(255) '$.errorGroup',
        [RetryAfterSeconds] INT '$.retryAfterSeconds',
        [DurationMs] FLOAT '$.durationMs'
    ) AS [f]
    GROUP BY [f].[JobId];

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'FailJobs: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[FailureReason] = 2)
    BEGIN
        SET @Message = N'FailJobs: column reason: 2 (Zombie) is for SweepZombies alone.';
        THROW 51003, @Message, 2;
    END;

    /* The error by the form of OPENJSON without WITH, which cuts no text on any engine. */
    INSERT INTO @Rows (
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
    SELECT
        [i].[JobId],
        @Owner,
        [i].[LeaseToken],
        [i].[FailureReason],
        (
            SELECT TOP (1) [k].[value]
            FROM OPENJSON([r].[value]) AS [k]
            WHERE [k].[key] COLLATE Latin1_General_BIN2 = N'error'
        ),
        [i].[ErrorGroup],
        [i].[RetryAfterSeconds],
        [i].[DurationMs],
        NULL
    FROM @Input AS [i]
    INNER JOIN OPENJSON(@Failures) AS [r] ON CONVERT(VARCHAR(50), JSON_VALUE([r].[value], '$.id')) = [i].[JobId];

    /*
    SQL Server gives the text that a JSON string stands for. An engine that leaves the escapes in (Babelfish) is told by one sample, and
    they are taken out here; a doubled backslash first becomes a character that cannot occur in such text.
    */
    IF JSON_VALUE(N'{"sample":"\\"}', '$.sample') = N'\\'
    BEGIN
        UPDATE @Rows
        SET
            [ErrorDetails] = REPLACE(
                REPLACE(
                    REPLACE(
                        REPLACE(
                            REPLACE(
                                REPLACE(
                                    REPLACE(
                                        REPLACE(REPLACE([ErrorDetails], N'\\', NCHAR(1)), N'\"', N'"'),
                                        N'\/',
                                        N'/'
                                    ),
                                    N'\n',
                                    NCHAR(10)
                                ),
                                N'\r',
                                NCHAR(13)
                            ),
                            N'\t',
                            NCHAR(9)
                        ),
                        N'\b',
                        NCHAR(8)
                    ),
                    N'\f',
                    NCHAR(12)
                ),
                NCHAR(1),
                N'\'
            ),
            [ErrorGroup] = REPLACE(
                REPLACE(
                    REPLACE(
                        REPLACE(
                            REPLACE(
                                REPLACE(
                                    REPLACE(REPLACE(REPLACE([ErrorGroup], N'\\', NCHAR(1)), N'\"', N'"'), N'\/', N'/'),
                                    N'\n',
                                    NCHAR(10)
                                ),
                                N'\r',
                                NCHAR(13)
                            ),
                            N'\t',
                            NCHAR(9)
                        ),
                        N'\b',
                        NCHAR(8)
                    ),
                    N'\f',
                    NCHAR(12)
                ),
                NCHAR(1),
                N'\'
            )
        WHERE CHARINDEX(N'\', [ErrorDetails]) > 0 OR CHARINDEX(N'\', [ErrorGroup]) > 0;
    END;

    EXECUTE [chokaq].[SettleFailures]
        @Failures = @Rows,
        @ModifiedBy = @Owner,
        @Retried = @Retried OUTPUT,
        @Dead = @Dead OUTPUT;

    /*
    The answer is read from where the job is now, so that a repeated call gets the first answer. LastModifiedBy tells this worker's own
    report from a sweep or an operator's act; StartedAtUtc tells a retry from a job that was given back before it started.
    */
    SELECT
        [i].[JobId],
        CASE
            WHEN [d].[Id] IS NOT NULL THEN 'dead'
            WHEN [h].[Id] IS NOT NULL THEN 'retry'
            ELSE 'lost'
        END AS [Outcome],
        [h].[ScheduledAtUtc] AS [NextRunUtc]
    FROM @Input AS [i]
    LEFT OUTER JOIN [chokaq].[JobsHot] AS [h]
        ON [h].[Id] = [i].[JobId]
            AND [h].[LeaseToken] = [i].[LeaseToken]
            AND [h].[LastModifiedBy] = @Owner
            AND [h].[Status] = 0
            AND [h].[StartedAtUtc] IS NOT NULL
    LEFT OUTER JOIN [chokaq].[JobsDLQ] AS [d]
        ON [d].[Id] = [i].[JobId]
            AND [d].[LeaseToken] = [i].[LeaseToken]
            AND [d].[WorkerId] = @Owner
            AND [d].[LastModifiedBy] = @Owner
    ORDER BY [i].[JobId];
END;
GO
