SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: lifetime totals of each queue. They never fall, whatever is purged or resurrected: they are not the number of stored rows.
Parameters:
    @Queue    one queue; NULL: all. A queue that does not exist gives no row.
Result set: Queue, SucceededTotal, FailedTotal, RetriedTotal (bigint), LastActivityUtc (NULL: none yet); by queue.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: Queues, StatsSummary (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetSummaryStats] @Queue VARCHAR(255) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    /* Two statements instead of "@Queue IS NULL OR …": each gets a plan of its own. */
    DECLARE @Names TABLE (
        [Queue] VARCHAR(255) NOT NULL PRIMARY KEY
    );

    IF @Queue IS NULL
    BEGIN
        INSERT INTO @Names ([Queue])
        SELECT [q].[Name] FROM [chokaq].[Queues] AS [q];
    END;
    ELSE
    BEGIN
        INSERT INTO @Names ([Queue])
        SELECT [q].[Name] FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = @Queue;
    END;

    SELECT
        [n].[Queue],
        COALESCE(SUM([s].[SucceededTotal]), 0) AS [SucceededTotal],
        COALESCE(SUM([s].[FailedTotal]), 0) AS [FailedTotal],
        COALESCE(SUM([s].[RetriedTotal]), 0) AS [RetriedTotal],
        MAX([s].[LastActivityUtc]) AS [LastActivityUtc]
    FROM @Names AS [n]
    LEFT OUTER JOIN [chokaq].[StatsSummary] AS [s] ON [s].[Queue] = [n].[Queue]
    GROUP BY [n].[Queue]
    ORDER BY [n].[Queue];
END;
GO
