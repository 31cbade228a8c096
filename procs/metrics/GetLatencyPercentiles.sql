SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: percentiles of a measure over any window, from the logarithmic bins: at most 5 % off the value of that rank, on every tier.
Parameters:
    @FromUtc          start of the window, inclusive.
    @ToUtc            end of the window, exclusive.
    @Measure          a row of Measures.
    @Queue            one queue; NULL: all.
    @Type             one job type; NULL: all.
    @Outcome          0 succeeded, 1 failed, 2 retried attempts; NULL: all.
    @ByType           1: a row for each queue and type; 0: one row for all.
Result set: Queue, Type (NULL where they are not told apart), SampleCount bigint (with a value), P50Ms, P95Ms, P99Ms, AverageMs, MaxMs (float); most samples first, no row
    without samples.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: MetricSeries (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetLatencyPercentiles]
    @FromUtc DATETIME2(7),
    @ToUtc DATETIME2(7),
    @Measure SMALLINT = 0,
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Outcome TINYINT = NULL,
    @ByType BIT = 0
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Gamma FLOAT = CONVERT(FLOAT, 1.05) / CONVERT(FLOAT, 0.95);
    DECLARE @Bins TABLE (
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Bin] SMALLINT NOT NULL,
        [SampleCount] BIGINT NOT NULL,
        [TotalMs] FLOAT NOT NULL,
        [MaxMs] FLOAT NULL,
        PRIMARY KEY ([Queue], [Type], [Bin])
    );

    IF @FromUtc IS NULL OR @ToUtc IS NULL OR @FromUtc >= @ToUtc
    BEGIN
        SET @Message = N'GetLatencyPercentiles: @FromUtc must be before @ToUtc.';
        THROW 51008, @Message, 1;
    END;

    /* Every sample is in exactly one tier, so the sum over all tiers counts it once; a bucket counts where it starts. The widths
    that there can be are named, so that each is a range of the key. RECOMPILE: see ActOnDlq. */
    INSERT INTO @Bins ([Queue], [Type], [Bin], [SampleCount], [TotalMs], [MaxMs])
    SELECT [g].[Queue], [g].[Type], [g].[Bin], SUM([g].[SampleCount]), SUM([g].[TotalMs]), MAX([g].[MaxMs])
    FROM (
        SELECT
            CASE WHEN @ByType = 1 THEN [m].[Queue] ELSE '' END AS [Queue],
            CASE WHEN @ByType = 1 THEN [m].[Type] ELSE '' END AS [Type],
            [m].[Bin],
            [m].[SampleCount],
            [m].[TotalMs],
            [m].[MaxMs]
        FROM [chokaq].[MetricSeries] AS [m]
        WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
            AND [m].[Measure] = @Measure
            AND [m].[BucketStartUtc] >= @FromUtc
            AND [m].[BucketStartUtc] < @ToUtc
            AND [m].[Bin] <> -32768
            AND (@Queue IS NULL OR [m].[Queue] = @Queue)
            AND (@Type IS NULL OR [m].[Type] = @Type)
            AND (@Outcome IS NULL OR [m].[Outcome] = @Outcome)
    ) AS [g]
    GROUP BY [g].[Queue], [g].[Type], [g].[Bin]
    OPTION (RECOMPILE);

    SELECT
        NULLIF([b].[Queue], '') AS [Queue],
        NULLIF([b].[Type], '') AS [Type],
        [b].[SampleCount],
        CASE
            WHEN [b].[Bin50] = -32767 THEN CONVERT(FLOAT, 0)
            WHEN 2 * POWER(@Gamma, [b].[Bin50]) / (@Gamma + 1) > [b].[MaxMs] THEN [b].[MaxMs]
            ELSE 2 * POWER(@Gamma, [b].[Bin50]) / (@Gamma + 1)
        END AS [P50Ms],
        CASE
            WHEN [b].[Bin95] = -32767 THEN CONVERT(FLOAT, 0)
            WHEN 2 * POWER(@Gamma, [b].[Bin95]) / (@Gamma + 1) > [b].[MaxMs] THEN [b].[MaxMs]
            ELSE 2 * POWER(@Gamma, [b].[Bin95]) / (@Gamma + 1)
        END AS [P95Ms],
        CASE
            WHEN [b].[Bin99] = -32767 THEN CONVERT(FLOAT, 0)
            WHEN 2 * POWER(@Gamma, [b].[Bin99]) / (@Gamma + 1) > [b].[MaxMs] THEN [b].[MaxMs]
            ELSE 2 * POWER(@Gamma, [b].[Bin99]) / (@Gamma + 1)
        END AS [P99Ms],
        [b].[TotalMs] / [b].[SampleCount] AS [AverageMs],
        [b].[MaxMs]
    FROM (
        SELECT
            [c].[Queue],
            [c].[Type],
            SUM([c].[SampleCount]) AS [SampleCount],
            SUM([c].[TotalMs]) AS [TotalMs],
            MAX([c].[MaxMs]) AS [MaxMs],
            MIN(CASE WHEN [c].[Below] >= 0.50 * [c].[AllCount] THEN [c].[Bin] END) AS [Bin50],
            MIN(CASE WHEN [c].[Below] >= 0.95 * [c].[AllCount] THEN [c].[Bin] END) AS [Bin95],
            MIN(CASE WHEN [c].[Below] >= 0.99 * [c].[AllCount] THEN [c].[Bin] END) AS [Bin99]
        FROM (
            SELECT
                [i].[Queue],
                [i].[Type],
                [i].[Bin],
                [i].[SampleCount],
                [i].[TotalMs],
                [i].[MaxMs],
                SUM([i].[SampleCount]) OVER (
                    PARTITION BY [i].[Queue], [i].[Type]
                    ORDER BY [i].[Bin]
                    ROWS UNBOUNDED PRECEDING
                ) AS [Below],
                SUM([i].[SampleCount]) OVER (PARTITION BY [i].[Queue], [i].[Type]) AS [AllCount]
            FROM @Bins AS [i]
        ) AS [c]
        GROUP BY [c].[Queue], [c].[Type]
    ) AS [b]
    ORDER BY [b].[SampleCount] DESC, [b].[Queue] ASC, [b].[Type] ASC;
END;
GO
