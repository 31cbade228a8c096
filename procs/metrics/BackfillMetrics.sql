SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: counts history from JobsArchive and JobsDLQ for the time before this database counted it (jobs that were brought in from elsewhere). Whole hours only; an hour is counted
    once, however often the call is repeated, and hours from the deployment of the counters on are left out, since they were counted as they happened.
Parameters:
    @FromUtc          start, inclusive.
    @ToUtc            end, exclusive.
    @MaxHours         hours at the most in one call, 1 to 1000.
    @CountedSinceUtc  hours from here on were counted as they happened; NULL: the deployment of the counters. For tests.
Result set: HoursDone int, SampleCount bigint (executions), MoreLeft bit (1: call again); one row.
Outcomes: none.
Errors: 51008 InvalidParameter, 51020 TransactionNotAllowed.
Transactions: each hour is a transaction of its own; refuses to run inside one.
Lock order: JobsArchive and JobsDLQ (read), MetricShards, MetricSeries, MetricBackfill.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[BackfillMetrics]
    @FromUtc DATETIME2(7),
    @ToUtc DATETIME2(7),
    @MaxHours INT = 24,
    @CountedSinceUtc DATETIME2(7) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Zero DATETIME2(0) = CONVERT(DATETIME2(0), '20000101');
    DECLARE @Hour DATETIME2(0);
    DECLARE @Next DATETIME2(0);
    DECLARE @End DATETIME2(0);
    DECLARE @HoursDone INT = 0;
    DECLARE @Got BIGINT;
    DECLARE @SampleCount BIGINT = 0;
    DECLARE @Rows [chokaq].[SampleRows];

    IF @@TRANCOUNT > 0
    BEGIN
        SET @Message = N'BackfillMetrics: cannot run inside a transaction, since each hour is one of its own.';
        THROW 51020, @Message, 1;
    END;

    IF @FromUtc IS NULL OR @ToUtc IS NULL OR @FromUtc >= @ToUtc OR COALESCE(@MaxHours, 0) NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'BackfillMetrics: @FromUtc must be before @ToUtc, @MaxHours 1 to 1000.';
        THROW 51008, @Message, 1;
    END;

    IF @CountedSinceUtc IS NULL
    BEGIN
        SELECT @CountedSinceUtc = MIN([m].[AppliedAtUtc])
        FROM [chokaq].[SchemaMigrations] AS [m]
        WHERE [m].[Version] = 2;
    END;

    /* The last whole hour before the end and before the counters' own time; the first whole hour of the window. */
    SET @End = CASE WHEN @CountedSinceUtc < @ToUtc THEN @CountedSinceUtc ELSE @ToUtc END;
    SET @End = DATEADD(HOUR, DATEDIFF(HOUR, @Zero, @End), @Zero);
    SET @Hour = DATEADD(HOUR, DATEDIFF(HOUR, @Zero, DATEADD(SECOND, 3599, @FromUtc)), @Zero);

    WHILE @Hour < @End AND @HoursDone < @MaxHours
    BEGIN
        SET @Next = DATEADD(HOUR, 1, @Hour);
        SET @Got = 0;
        DELETE FROM @Rows;

        IF NOT EXISTS (SELECT 1 FROM [chokaq].[MetricBackfill] AS [b] WHERE [b].[HourStartUtc] = @Hour)
        BEGIN
            INSERT INTO @Rows ([Ordinal], [AtUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [ValueMs])
            SELECT
                ROW_NUMBER() OVER (ORDER BY [s].[Measure], [s].[Id]),
                @Hour,
                [s].[Measure],
                [s].[Queue],
                [s].[Type],
                [s].[Outcome],
                [s].[FailureReason],
                [s].[ValueMs]
            FROM (
                SELECT
                    [a].[Id],
                    0 AS [Measure],
                    [a].[Queue],
                    [a].[Type],
                    0 AS [Outcome],
                    -1 AS [FailureReason],
                    [a].[DurationMs] AS [ValueMs]
                FROM [chokaq].[JobsArchive] AS [a]
                WHERE [a].[FinishedAtUtc] >= @Hour AND [a].[FinishedAtUtc] < @Next
                UNION ALL
                SELECT
                    [a].[Id],
                    1 AS [Measure],
                    [a].[Queue],
                    [a].[Type],
                    0 AS [Outcome],
                    -1 AS [FailureReason],
                    [a].[WaitMs] AS [ValueMs]
                FROM [chokaq].[JobsArchive] AS [a]
                WHERE [a].[FinishedAtUtc] >= @Hour AND [a].[FinishedAtUtc] < @Next AND [a].[WaitMs] IS NOT NULL
                UNION ALL
                SELECT
                    [d].[Id],
                    0 AS [Measure],
                    [d].[Queue],
                    [d].[Type],
                    1 AS [Outcome],
                    [d].[FailureReason],
                    [d].[DurationMs] AS [ValueMs]
                FROM [chokaq].[JobsDLQ] AS [d]
                WHERE [d].[FailedAtUtc] >= @Hour AND [d].[FailedAtUtc] < @Next
                UNION ALL
                SELECT
                    [d].[Id],
                    1 AS [Measure],
                    [d].[Queue],
                    [d].[Type],
                    1 AS [Outcome],
                    [d].[FailureReason],
                    [d].[WaitMs] AS [ValueMs]
                FROM [chokaq].[JobsDLQ] AS [d]
                WHERE [d].[FailedAtUtc] >= @Hour AND [d].[FailedAtUtc] < @Next AND [d].[WaitMs] IS NOT NULL
            ) AS [s];

            SELECT @Got = COUNT_BIG(*) FROM @Rows AS [r] WHERE [r].[Measure] = 0;

            BEGIN TRY
                BEGIN TRANSACTION;

                /* The ledger row first: of two calls for one hour the second fails here and has counted nothing. */
                INSERT INTO [chokaq].[MetricBackfill] ([HourStartUtc], [SampleCount], [DoneAtUtc])
                VALUES (@Hour, @Got, SYSUTCDATETIME());

                EXECUTE [chokaq].[AddSamples] @Samples = @Rows;

                COMMIT TRANSACTION;
            END TRY
            BEGIN CATCH
                IF XACT_STATE() <> 0
                BEGIN
                    ROLLBACK TRANSACTION;
                END;

                THROW;
            END CATCH;

            SET @HoursDone = @HoursDone + 1;
            SET @SampleCount = @SampleCount + @Got;
        END;

        SET @Hour = @Next;
    END;

    SELECT
        @HoursDone AS [HoursDone],
        @SampleCount AS [SampleCount],
        CONVERT(BIT, CASE WHEN @Hour < @End THEN 1 ELSE 0 END) AS [MoreLeft];
END;
GO
