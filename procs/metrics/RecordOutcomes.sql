SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that counts. Adds what jobs came to, to StatsSummary (lifetime), MetricBuckets (seconds) and MetricSeries (the fine
    tier), in the transaction that moves the jobs, so that state and numbers cannot differ.
    A session first takes the gate of one shard and then writes rows of that shard alone. So finalizers of one queue in the same second do
    not wait for one row, and two sessions never write the same rows in different orders.
Parameters:
    @Outcomes  Outcome 0 succeeded, 1 failed for good, 2 an attempt that is retried. FailureReason -1 on success. ErrorGroup on failures.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: belongs to the caller's; alone each statement would stand for itself, so it is never granted.
Lock order: MetricShards, StatsSummary, MetricBuckets, MetricSeries; rows in key order.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RecordOutcomes] @Outcomes [chokaq].[OutcomeRows] READONLY
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Day DATETIME2(0) = CONVERT(DATETIME2(0), CONVERT(DATE, @Now));
    DECLARE @Second DATETIME2(0) = DATEADD(SECOND, DATEDIFF(SECOND, @Day, @Now), @Day);
    DECLARE @FineMinutes INT;
    DECLARE @FineStart DATETIME2(0);
    DECLARE @Shard TINYINT;
    DECLARE @Summary TABLE (
        [Queue] VARCHAR(255) NOT NULL PRIMARY KEY,
        [Succeeded] BIGINT NOT NULL,
        [Failed] BIGINT NOT NULL,
        [Retried] BIGINT NOT NULL
    );
    DECLARE @Buckets TABLE (
        [Queue] VARCHAR(255) NOT NULL,
        [Outcome] TINYINT NOT NULL,
        [FailureReason] INT NOT NULL,
        [CompletedCount] BIGINT NOT NULL,
        [DurationCount] BIGINT NOT NULL,
        [TotalDurationMs] FLOAT NOT NULL,
        [MaxDurationMs] FLOAT NULL,
        [WaitCount] BIGINT NOT NULL,
        [TotalWaitMs] FLOAT NOT NULL,
        [MaxWaitMs] FLOAT NULL,
        PRIMARY KEY ([Queue], [Outcome], [FailureReason])
    );
    DECLARE @Series [chokaq].[SeriesRows];

    SELECT @FineMinutes = [s].[FineResolutionMinutes] FROM [chokaq].[Settings] AS [s];

    SET @FineStart = DATEADD(MINUTE, DATEDIFF(MINUTE, @Day, @Now) / @FineMinutes * @FineMinutes, @Day);
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    INSERT INTO @Summary ([Queue], [Succeeded], [Failed], [Retried])
    SELECT
        [o].[Queue],
        SUM(CASE WHEN [o].[Outcome] = 0 THEN 1 ELSE 0 END),
        SUM(CASE WHEN [o].[Outcome] = 1 THEN 1 ELSE 0 END),
        SUM(CASE WHEN [o].[Outcome] = 2 THEN 1 ELSE 0 END)
    FROM @Outcomes AS [o]
    GROUP BY [o].[Queue];

    UPDATE [s]
    SET
        [s].[SucceededTotal] = [s].[SucceededTotal] + [n].[Succeeded],
        [s].[FailedTotal] = [s].[FailedTotal] + [n].[Failed],
        [s].[RetriedTotal] = [s].[RetriedTotal] + [n].[Retried],
        [s].[LastActivityUtc] = @Now
    FROM [chokaq].[StatsSummary] AS [s]
    INNER JOIN @Summary AS [n] ON [n].[Queue] = [s].[Queue]
    WHERE [s].[Shard] = @Shard;

    INSERT INTO [chokaq].[StatsSummary] (
        [Queue],
        [Shard],
        [SucceededTotal],
        [FailedTotal],
        [RetriedTotal],
        [LastActivityUtc]
    )
    SELECT [n].[Queue], @Shard, [n].[Succeeded], [n].[Failed], [n].[Retried], @Now
    FROM @Summary AS [n]
    WHERE NOT EXISTS (
            SELECT 1 FROM [chokaq].[StatsSummary] AS [s] WHERE [s].[Queue] = [n].[Queue] AND [s].[Shard] = @Shard
        )
    ORDER BY [n].[Queue];

    INSERT INTO @Buckets (
        [Queue],
        [Outcome],
        [FailureReason],
        [CompletedCount],
        [DurationCount],
        [TotalDurationMs],
        [MaxDurationMs],
        [WaitCount],
        [TotalWaitMs],
        [MaxWaitMs]
    )
    SELECT
        [o].[Queue],
        [o].[Outcome],
        [o].[FailureReason],
        COUNT_BIG(*),
        COUNT_BIG([o].[DurationMs]),
        COALESCE(SUM([o].[DurationMs]), 0),
        MAX([o].[DurationMs]),
        COUNT_BIG([o].[WaitMs]),
        COALESCE(SUM([o].[WaitMs]), 0),
        MAX([o].[WaitMs])
    FROM @Outcomes AS [o]
    WHERE [o].[Outcome] IN (0, 1)
    GROUP BY [o].[Queue], [o].[Outcome], [o].[FailureReason];

    UPDATE [b]
    SET
        [b].[CompletedCount] = [b].[CompletedCount] + [n].[CompletedCount],
        [b].[DurationCount] = [b].[DurationCount] + [n].[DurationCount],
        [b].[TotalDurationMs] = [b].[TotalDurationMs] + [n].[TotalDurationMs],
        [b].[MaxDurationMs] = CASE
            WHEN [b].[MaxDurationMs] >= [n].[MaxDurationMs] OR [n].[MaxDurationMs] IS NULL THEN [b].[MaxDurationMs]
            ELSE [n].[MaxDurationMs]
        END,
        [b].[WaitCount] = [b].[WaitCount] + [n].[WaitCount],
        [b].[TotalWaitMs] = [b].[TotalWaitMs] + [n].[TotalWaitMs],
        [b].[MaxWaitMs] = CASE
            WHEN [b].[MaxWaitMs] >= [n].[MaxWaitMs] OR [n].[MaxWaitMs] IS NULL THEN [b].[MaxWaitMs]
            ELSE [n].[MaxWaitMs]
        END,
        [b].[LastUpdatedUtc] = @Now
    FROM [chokaq].[MetricBuckets] AS [b]
    INNER JOIN @Buckets AS [n]
        ON [n].[Queue] = [b].[Queue] AND [n].[Outcome] = [b].[Outcome] AND [n].[FailureReason] = [b].[FailureReason]
    WHERE [b].[BucketStartUtc] = @Second AND [b].[Shard] = @Shard;

    INSERT INTO [chokaq].[MetricBuckets] (
        [BucketStartUtc],
        [Queue],
        [Outcome],
        [FailureReason],
        [Shard],
        [CompletedCount],
        [DurationCount],
        [TotalDurationMs],
        [MaxDurationMs],
        [WaitCount],
        [TotalWaitMs],
        [MaxWaitMs],
        [LastUpdatedUtc]
    )
    SELECT
        @Second,
        [n].[Queue],
        [n].[Outcome],
        [n].[FailureReason],
        @Shard,
        [n].[CompletedCount],
        [n].[DurationCount],
        [n].[TotalDurationMs],
        [n].[MaxDurationMs],
        [n].[WaitCount],
        [n].[TotalWaitMs],
        [n].[MaxWaitMs],
        @Now
    FROM @Buckets AS [n]
    WHERE NOT EXISTS (
            SELECT 1
            FROM [chokaq].[MetricBuckets] AS [b]
            WHERE [b].[BucketStartUtc] = @Second
                AND [b].[Queue] = [n].[Queue]
                AND [b].[Outcome] = [n].[Outcome]
                AND [b].[FailureReason] = [n].[FailureReason]
                AND [b].[Shard] = @Shard
        )
    ORDER BY [n].[Queue], [n].[Outcome], [n].[FailureReason];

    /* Measure 0: every execution by its duration. 1: the wait before it. 2: failures by error group, which have no duration of their own. */
    INSERT INTO @Series (
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
        @FineStart,
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
            [u].[Measure],
            [u].[Queue],
            [u].[Type],
            [u].[Outcome],
            [u].[FailureReason],
            [u].[ValueMs],
            CASE
                WHEN [u].[ValueMs] IS NULL THEN -32768
                WHEN [u].[ValueMs] <= 0 THEN -32767
                ELSE CONVERT(SMALLINT, CEILING(LOG([u].[ValueMs]) / LOG(CONVERT(FLOAT, 1.05) / CONVERT(FLOAT, 0.95))))
            END AS [Bin]
        FROM (
            SELECT
                0 AS [Measure],
                [o].[Queue],
                [o].[Type],
                [o].[Outcome],
                [o].[FailureReason],
                [o].[DurationMs] AS [ValueMs]
            FROM @Outcomes AS [o]
            UNION ALL
            SELECT
                1 AS [Measure],
                [o].[Queue],
                [o].[Type],
                [o].[Outcome],
                [o].[FailureReason],
                [o].[WaitMs] AS [ValueMs]
            FROM @Outcomes AS [o]
            WHERE [o].[WaitMs] IS NOT NULL
            UNION ALL
            SELECT
                2 AS [Measure],
                [o].[Queue],
                COALESCE([o].[ErrorGroup], '') AS [Type],
                [o].[Outcome],
                [o].[FailureReason],
                CONVERT(FLOAT, NULL) AS [ValueMs]
            FROM @Outcomes AS [o]
            WHERE [o].[Outcome] IN (1, 2)
        ) AS [u]
    ) AS [v]
    GROUP BY [v].[Measure], [v].[Queue], [v].[Type], [v].[Outcome], [v].[FailureReason], [v].[Bin];

    EXECUTE [chokaq].[AddSeries] @Rows = @Series, @Shard = @Shard;
END;
GO
