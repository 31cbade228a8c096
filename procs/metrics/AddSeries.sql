SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that adds samples to MetricSeries: to the row of their bucket and bin, or to a new one.
Parameters:
    @Rows   the samples, of one or many buckets and tiers.
    @Shard  the shard whose gate the caller holds.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: belongs to the caller's, which holds the gate of the shard.
Lock order: MetricSeries, in key order.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[AddSeries] @Rows [chokaq].[SeriesRows] READONLY, @Shard TINYINT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    UPDATE [m]
    SET
        [m].[SampleCount] = [m].[SampleCount] + [n].[SampleCount],
        [m].[TotalMs] = [m].[TotalMs] + [n].[TotalMs],
        [m].[MaxMs] = CASE WHEN [m].[MaxMs] >= [n].[MaxMs] OR [n].[MaxMs] IS NULL THEN [m].[MaxMs] ELSE [n].[MaxMs] END
    FROM [chokaq].[MetricSeries] AS [m]
    INNER JOIN @Rows AS [n]
        ON [n].[Resolution] = [m].[Resolution]
            AND [n].[BucketStartUtc] = [m].[BucketStartUtc]
            AND [n].[Measure] = [m].[Measure]
            AND [n].[Queue] = [m].[Queue]
            AND [n].[Type] = [m].[Type]
            AND [n].[Outcome] = [m].[Outcome]
            AND [n].[FailureReason] = [m].[FailureReason]
            AND [n].[Bin] = [m].[Bin]
    WHERE [m].[Shard] = @Shard;

    INSERT INTO [chokaq].[MetricSeries] (
        [Resolution],
        [BucketStartUtc],
        [Measure],
        [Queue],
        [Type],
        [Outcome],
        [FailureReason],
        [Bin],
        [Shard],
        [SampleCount],
        [TotalMs],
        [MaxMs]
    )
    SELECT
        [n].[Resolution],
        [n].[BucketStartUtc],
        [n].[Measure],
        [n].[Queue],
        [n].[Type],
        [n].[Outcome],
        [n].[FailureReason],
        [n].[Bin],
        @Shard,
        [n].[SampleCount],
        [n].[TotalMs],
        [n].[MaxMs]
    FROM @Rows AS [n]
    WHERE NOT EXISTS (
            SELECT 1
            FROM [chokaq].[MetricSeries] AS [m]
            WHERE [m].[Resolution] = [n].[Resolution]
                AND [m].[BucketStartUtc] = [n].[BucketStartUtc]
                AND [m].[Measure] = [n].[Measure]
                AND [m].[Queue] = [n].[Queue]
                AND [m].[Type] = [n].[Type]
                AND [m].[Outcome] = [n].[Outcome]
                AND [m].[FailureReason] = [n].[FailureReason]
                AND [m].[Bin] = [n].[Bin]
                AND [m].[Shard] = @Shard
        )
    ORDER BY
        [n].[Resolution],
        [n].[BucketStartUtc],
        [n].[Measure],
        [n].[Queue],
        [n].[Type],
        [n].[Outcome],
        [n].[FailureReason],
        [n].[Bin];
END;
GO
