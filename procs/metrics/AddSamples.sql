SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: puts samples into the fine tier of MetricSeries: each into the bucket of its own moment, so that late ones land where they belong. For RecordSamples and
    BackfillMetrics.
Parameters:
    @Samples          the samples.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: belongs to the caller's.
Lock order: MetricShards, MetricSeries, in key order.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[AddSamples] @Samples [chokaq].[SampleRows] READONLY
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @FineMinutes INT;
    DECLARE @Shard TINYINT;
    DECLARE @Rows [chokaq].[SeriesRows];

    SELECT @FineMinutes = [s].[FineResolutionMinutes] FROM [chokaq].[Settings] AS [s];

    INSERT INTO @Rows (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    SELECT
        @FineMinutes * 60,
        [v].[BucketStartUtc],
        [v].[Measure],
        [v].[Queue],
        [v].[Type],
        [v].[Outcome],
        [v].[FailureReason],
        [v].[Bin],
        COUNT_BIG(*),
        COALESCE(SUM([v].[ValueMs]), 0),
        MAX([v].[ValueMs])
    FROM (
        SELECT
            DATEADD(
                MINUTE,
                DATEDIFF(MINUTE, CONVERT(DATETIME2(0), '20000101'), [p].[AtUtc]) / @FineMinutes * @FineMinutes,
                CONVERT(DATETIME2(0), '20000101')
            ) AS [BucketStartUtc],
            [p].[Measure],
            [p].[Queue],
            [p].[Type],
            [p].[Outcome],
            [p].[FailureReason],
            [p].[ValueMs],
            /* The bins of RecordOutcomes. */
            CASE
                WHEN [p].[ValueMs] IS NULL THEN -32768
                WHEN [p].[ValueMs] <= 0 THEN -32767
                ELSE CONVERT(SMALLINT, CEILING(LOG([p].[ValueMs]) / LOG(CONVERT(FLOAT, 1.05) / CONVERT(FLOAT, 0.95))))
            END AS [Bin]
        FROM @Samples AS [p]
    ) AS [v]
    GROUP BY
        [v].[BucketStartUtc],
        [v].[Measure],
        [v].[Queue],
        [v].[Type],
        [v].[Outcome],
        [v].[FailureReason],
        [v].[Bin];

    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = @Shard;
END;
GO
