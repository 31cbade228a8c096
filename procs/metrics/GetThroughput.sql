SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: how fast jobs are finished now, and what share fails: from the one-second buckets, whose number does not depend on how much history is kept. Purges and resurrects change nothing here.
Parameters:
    @Queue    one queue; NULL: all together.
Result set: ProcessedLastMinute, FailedLastMinute, ProcessedLastFiveMinutes, FailedLastFiveMinutes (bigint; processed = succeeded + failed for good;
    retried attempts are neither), FailureRateLastMinute, FailureRateLastFiveMinutes (float, 0 to 1), AverageDurationMs, MaxDurationMs (float,
    of five minutes, NULL: none); one row.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: MetricBuckets (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetThroughput] @Queue VARCHAR(255) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @OneMinuteAgo DATETIME2(7) = DATEADD(SECOND, -60, @Now);
    DECLARE @FiveMinutesAgo DATETIME2(7) = DATEADD(SECOND, -300, @Now);
    DECLARE @ProcessedOne BIGINT;
    DECLARE @FailedOne BIGINT;
    DECLARE @ProcessedFive BIGINT;
    DECLARE @FailedFive BIGINT;
    DECLARE @DurationCount BIGINT;
    DECLARE @DurationTotal FLOAT;
    DECLARE @DurationMax FLOAT;

    IF @Queue IS NULL
    BEGIN
        SELECT
            @ProcessedOne = SUM(CASE WHEN [b].[BucketStartUtc] > @OneMinuteAgo THEN [b].[CompletedCount] ELSE 0 END),
            @FailedOne = SUM(
                CASE
                    WHEN [b].[BucketStartUtc] > @OneMinuteAgo AND [b].[Outcome] = 1 THEN [b].[CompletedCount]
                    ELSE 0
                END
            ),
            @ProcessedFive = SUM([b].[CompletedCount]),
            @FailedFive = SUM(CASE WHEN [b].[Outcome] = 1 THEN [b].[CompletedCount] ELSE 0 END),
            @DurationCount = SUM([b].[DurationCount]),
            @DurationTotal = SUM([b].[TotalDurationMs]),
            @DurationMax = MAX([b].[MaxDurationMs])
        FROM [chokaq].[MetricBuckets] AS [b]
        WHERE [b].[BucketStartUtc] > @FiveMinutesAgo;
    END;
    ELSE
    BEGIN
        SELECT
            @ProcessedOne = SUM(CASE WHEN [b].[BucketStartUtc] > @OneMinuteAgo THEN [b].[CompletedCount] ELSE 0 END),
            @FailedOne = SUM(
                CASE
                    WHEN [b].[BucketStartUtc] > @OneMinuteAgo AND [b].[Outcome] = 1 THEN [b].[CompletedCount]
                    ELSE 0
                END
            ),
            @ProcessedFive = SUM([b].[CompletedCount]),
            @FailedFive = SUM(CASE WHEN [b].[Outcome] = 1 THEN [b].[CompletedCount] ELSE 0 END),
            @DurationCount = SUM([b].[DurationCount]),
            @DurationTotal = SUM([b].[TotalDurationMs]),
            @DurationMax = MAX([b].[MaxDurationMs])
        FROM [chokaq].[MetricBuckets] AS [b]
        WHERE [b].[BucketStartUtc] > @FiveMinutesAgo AND [b].[Queue] = @Queue;
    END;

    SELECT
        COALESCE(@ProcessedOne, 0) AS [ProcessedLastMinute],
        COALESCE(@FailedOne, 0) AS [FailedLastMinute],
        COALESCE(@ProcessedFive, 0) AS [ProcessedLastFiveMinutes],
        COALESCE(@FailedFive, 0) AS [FailedLastFiveMinutes],
        COALESCE(CONVERT(FLOAT, @FailedOne) / NULLIF(@ProcessedOne, 0), 0) AS [FailureRateLastMinute],
        COALESCE(CONVERT(FLOAT, @FailedFive) / NULLIF(@ProcessedFive, 0), 0) AS [FailureRateLastFiveMinutes],
        @DurationTotal / NULLIF(@DurationCount, 0) AS [AverageDurationMs],
        @DurationMax AS [MaxDurationMs];
END;
GO
