SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: how fast the failures use up what an objective allows: the share of jobs that failed for good over the share that may fail, for several windows at once. 1 is
    just allowed; a high rate in a short and a long window together is worth waking someone for.
Parameters:
    @Objective        share of jobs that shall succeed, above 0 and below 1.
    @Queue            one queue; NULL: all.
    @NowUtc           end of the windows; NULL: now. For tests.
Result set: WindowMinutes int, Processed bigint, Failed bigint, FailureRate float (0 to 1), BurnRate float; a row for each window: 5, 30, 60, 360, 1440, 4320 and
    43200 minutes.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: MetricSeries (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetBurnRate]
    @Objective FLOAT = 0.99,
    @Queue VARCHAR(255) = NULL,
    @NowUtc DATETIME2(7) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Windows TABLE (
        [WindowMinutes] INT NOT NULL PRIMARY KEY,
        [FromUtc] DATETIME2(7) NOT NULL
    );
    DECLARE @Buckets TABLE (
        [BucketStartUtc] DATETIME2(0) NOT NULL PRIMARY KEY,
        [Processed] BIGINT NOT NULL,
        [Failed] BIGINT NOT NULL
    );

    IF @Objective IS NULL OR @Objective <= 0 OR @Objective >= 1
    BEGIN
        SET @Message = N'GetBurnRate: @Objective must be above 0 and below 1.';
        THROW 51008, @Message, 1;
    END;

    SET @NowUtc = COALESCE(@NowUtc, SYSUTCDATETIME());

    INSERT INTO @Windows ([WindowMinutes], [FromUtc])
    SELECT [w].[WindowMinutes], DATEADD(MINUTE, -[w].[WindowMinutes], @NowUtc)
    FROM (VALUES
        (5),
        (30),
        (60),
        (360),
        (1440),
        (4320),
        (43200)
    ) AS [w] ([WindowMinutes]);

    /* Every sample is in exactly one tier, so the sum over all tiers counts it once; a bucket counts where it starts. The widths
    that there can be are named, so that each is a range of the key. RECOMPILE: see ActOnDlq. */
    INSERT INTO @Buckets ([BucketStartUtc], [Processed], [Failed])
    SELECT
        [m].[BucketStartUtc],
        SUM([m].[SampleCount]),
        SUM(CASE WHEN [m].[Outcome] = 1 THEN [m].[SampleCount] ELSE 0 END)
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
        AND [m].[Measure] = 0
        AND [m].[Outcome] IN (0, 1)
        AND [m].[BucketStartUtc] > DATEADD(MINUTE, -43200, @NowUtc)
        AND [m].[BucketStartUtc] <= @NowUtc
        AND (@Queue IS NULL OR [m].[Queue] = @Queue)
    GROUP BY [m].[BucketStartUtc]
    OPTION (RECOMPILE);

    SELECT
        [s].[WindowMinutes],
        [s].[Processed],
        [s].[Failed],
        COALESCE(CONVERT(FLOAT, [s].[Failed]) / NULLIF([s].[Processed], 0), 0) AS [FailureRate],
        COALESCE(CONVERT(FLOAT, [s].[Failed]) / NULLIF([s].[Processed], 0), 0) / (1 - @Objective) AS [BurnRate]
    FROM (
        SELECT
            [w].[WindowMinutes],
            COALESCE(SUM([b].[Processed]), 0) AS [Processed],
            COALESCE(SUM([b].[Failed]), 0) AS [Failed]
        FROM @Windows AS [w]
        LEFT OUTER JOIN @Buckets AS [b] ON [b].[BucketStartUtc] > [w].[FromUtc]
        GROUP BY [w].[WindowMinutes]
    ) AS [s]
    ORDER BY [s].[WindowMinutes];
END;
GO
