SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: which errors happen most: failures by error group over the last hours, from the counted history, so purges and resurrects do not change the answer.
    Counts attempts: one that is retried and one that is final both are failures.
Parameters:
    @Queue            one queue; NULL: all.
    @Hours            how far back, 1 to 2160; whole buckets.
    @Top              groups at the most, 1 to 100.
Result set: ErrorGroup varchar(255), Failures bigint, Final bigint (of them those that ended in the DLQ), LastSeenUtc (start of the newest bucket); most first.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: MetricSeries (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetTopErrors] @Queue VARCHAR(255) = NULL, @Hours INT = 24, @Top INT = 10
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @FromUtc DATETIME2(0) = DATEADD(HOUR, -@Hours, SYSUTCDATETIME());

    IF COALESCE(@Hours, 0) NOT BETWEEN 1 AND 2160 OR COALESCE(@Top, 0) NOT BETWEEN 1 AND 100
    BEGIN
        SET @Message = N'GetTopErrors: @Hours must be between 1 and 2160, @Top between 1 and 100.';
        THROW 51008, @Message, 1;
    END;

    /* Every sample is in exactly one tier, so all tiers of the window are summed. The widths that
    there can be are named, so that each is a range of the key. RECOMPILE: see ActOnDlq. */
    SELECT TOP (@Top)
        [m].[Type] AS [ErrorGroup],
        SUM([m].[SampleCount]) AS [Failures],
        SUM(CASE WHEN [m].[Outcome] = 1 THEN [m].[SampleCount] ELSE 0 END) AS [Final],
        MAX([m].[BucketStartUtc]) AS [LastSeenUtc]
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[Resolution] IN (60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800, 3600, 86400)
        AND [m].[Measure] = 2
        AND [m].[BucketStartUtc] > @FromUtc
        AND (@Queue IS NULL OR [m].[Queue] = @Queue)
    GROUP BY [m].[Type]
    ORDER BY SUM([m].[SampleCount]) DESC, [m].[Type]
    OPTION (RECOMPILE);
END;
GO
