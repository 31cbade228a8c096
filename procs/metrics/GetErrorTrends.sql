SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the most frequent error groups over time: which error grows, which is gone.
Parameters:
    @FromUtc          start of the window, inclusive.
    @ToUtc            end of the window, exclusive.
    @StepMinutes      width of one point: 1 to 1440, a divisor of 1440.
    @Queue            one queue; NULL: all.
    @Top              groups at the most, 1 to 100.
Result set: ErrorGroup varchar(255), PointUtc datetime2(0), Failures bigint (attempts), Final bigint (of them those that ended in the DLQ); by group, most failures of the
    window first, then time.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: MetricSeries (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetErrorTrends]
    @FromUtc DATETIME2(7),
    @ToUtc DATETIME2(7),
    @StepMinutes INT = 60,
    @Queue VARCHAR(255) = NULL,
    @Top INT = 10
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Groups TABLE (
        [ErrorGroup] VARCHAR(255) NOT NULL PRIMARY KEY,
        [Place] INT NOT NULL
    );

    IF @FromUtc IS NULL
       OR @ToUtc IS NULL
       OR @FromUtc >= @ToUtc
       OR COALESCE(@StepMinutes, 0) NOT BETWEEN 1 AND 1440
       OR 1440 % @StepMinutes <> 0
       OR COALESCE(@Top, 0) NOT BETWEEN 1 AND 100
    BEGIN
        SET @Message = N'GetErrorTrends: @FromUtc must be before @ToUtc; @StepMinutes must divide the day, @Top be 1 to 100.';
        THROW 51008, @Message, 1;
    END;

    /* Every sample is in exactly one tier, so the sum over all tiers counts it once; a bucket counts where it starts. The widths
    that there can be are named, so that each is a range of the key. RECOMPILE: see ActOnDlq. */
    INSERT INTO @Groups ([ErrorGroup], [Place])
    SELECT TOP (@Top) [g].[Type], ROW_NUMBER() OVER (ORDER BY [g].[Failures] DESC, [g].[Type] ASC)
    FROM (
        SELECT [m].[Type], SUM([m].[SampleCount]) AS [Failures]
        FROM [chokaq].[MetricSeries] AS [m]
        WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
            AND [m].[Measure] = 2
            AND [m].[BucketStartUtc] >= @FromUtc
            AND [m].[BucketStartUtc] < @ToUtc
            AND (@Queue IS NULL OR [m].[Queue] = @Queue)
        GROUP BY [m].[Type]
    ) AS [g]
    ORDER BY [g].[Failures] DESC, [g].[Type] ASC
    OPTION (RECOMPILE);

    SELECT
        [p].[ErrorGroup],
        [p].[PointUtc],
        SUM([p].[SampleCount]) AS [Failures],
        SUM(CASE WHEN [p].[Outcome] = 1 THEN [p].[SampleCount] ELSE 0 END) AS [Final]
    FROM (
        SELECT
            [t].[Place],
            [t].[ErrorGroup],
            DATEADD(
                MINUTE,
                DATEDIFF(MINUTE, CONVERT(DATETIME2(0), '20000101'), [m].[BucketStartUtc]) / @StepMinutes * @StepMinutes,
                CONVERT(DATETIME2(0), '20000101')
            ) AS [PointUtc],
            [m].[Outcome],
            [m].[SampleCount]
        FROM [chokaq].[MetricSeries] AS [m]
        INNER JOIN @Groups AS [t] ON [t].[ErrorGroup] = [m].[Type]
        WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
            AND [m].[Measure] = 2
            AND [m].[BucketStartUtc] >= @FromUtc
            AND [m].[BucketStartUtc] < @ToUtc
            AND (@Queue IS NULL OR [m].[Queue] = @Queue)
    ) AS [p]
    GROUP BY [p].[Place], [p].[ErrorGroup], [p].[PointUtc]
    ORDER BY [p].[Place], [p].[PointUtc]
    OPTION (RECOMPILE);
END;
GO
