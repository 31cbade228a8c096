SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: one measure over time, read across the tiers. Old parts of the window are as coarse as their tier: a day of them stands at its midnight.
Parameters:
    @FromUtc          start of the window, inclusive.
    @ToUtc            end of the window, exclusive.
    @StepMinutes      width of one point: 1 to 1440, a divisor of 1440.
    @Measure          a row of Measures: 0 execution, 1 queue wait, 2 failures; from 100 on the application's.
    @Queue            one queue; NULL: all.
    @Type             one job type; NULL: all.
Result set: PointUtc datetime2(0), Succeeded, Failed, Retried (bigint; by outcome), SampleCount bigint, AverageMs, MaxMs (float, NULL: no value); in order of time,
    points without samples left out.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: MetricSeries (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetMetricHistory]
    @FromUtc DATETIME2(7),
    @ToUtc DATETIME2(7),
    @StepMinutes INT = 60,
    @Measure SMALLINT = 0,
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);

    IF @FromUtc IS NULL
       OR @ToUtc IS NULL
       OR @FromUtc >= @ToUtc
       OR COALESCE(@StepMinutes, 0) NOT BETWEEN 1 AND 1440
       OR 1440 % @StepMinutes <> 0
    BEGIN
        SET @Message = N'GetMetricHistory: @FromUtc must be before @ToUtc; @StepMinutes must divide the day.';
        THROW 51008, @Message, 1;
    END;

    /* Every sample is in exactly one tier, so the sum over all tiers counts it once; a bucket counts where it starts. The widths
    that there can be are named, so that each is a range of the key. RECOMPILE: see ActOnDlq. */
    SELECT
        [p].[PointUtc],
        SUM(CASE WHEN [p].[Outcome] = 0 THEN [p].[SampleCount] ELSE 0 END) AS [Succeeded],
        SUM(CASE WHEN [p].[Outcome] = 1 THEN [p].[SampleCount] ELSE 0 END) AS [Failed],
        SUM(CASE WHEN [p].[Outcome] = 2 THEN [p].[SampleCount] ELSE 0 END) AS [Retried],
        SUM([p].[SampleCount]) AS [SampleCount],
        SUM([p].[TotalMs]) /
        NULLIF(SUM(CASE WHEN [p].[Bin] = -32768 THEN 0 ELSE [p].[SampleCount] END), 0) AS [AverageMs],
        MAX([p].[MaxMs]) AS [MaxMs]
    FROM (
        SELECT
            DATEADD(
                MINUTE,
                DATEDIFF(MINUTE, CONVERT(DATETIME2(0), '20000101'), [m].[BucketStartUtc]) / @StepMinutes * @StepMinutes,
                CONVERT(DATETIME2(0), '20000101')
            ) AS [PointUtc],
            [m].[Outcome],
            [m].[Bin],
            [m].[SampleCount],
            [m].[TotalMs],
            [m].[MaxMs]
        FROM [chokaq].[MetricSeries] AS [m]
        WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
            AND [m].[Measure] = @Measure
            AND [m].[BucketStartUtc] >= @FromUtc
            AND [m].[BucketStartUtc] < @ToUtc
            AND (@Queue IS NULL OR [m].[Queue] = @Queue)
            AND (@Type IS NULL OR [m].[Type] = @Type)
    ) AS [p]
    GROUP BY [p].[PointUtc]
    ORDER BY [p].[PointUtc]
    OPTION (RECOMPILE);
END;
GO
