SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: how many active jobs each queue holds, by state. Counts index entries, so it costs with the backlog: for people and slow polls; GetQueueHealth is the cheap one.
Parameters:
    @Queue    one queue; NULL: all. A queue that does not exist gives no row.
Result set: Queue, Pending (Due + Scheduled), Due, Scheduled (for later), Fetched, Processing (bigint); by queue.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: Queues, JobsHot (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetQueueStats] @Queue VARCHAR(255) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
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
        [c].[Queue],
        [c].[Due] + [c].[Scheduled] AS [Pending],
        [c].[Due],
        [c].[Scheduled],
        [c].[Fetched],
        [c].[Processing]
    FROM (
        SELECT
            [n].[Queue],
            (
                SELECT COUNT_BIG(*)
                FROM [chokaq].[JobsHot] AS [h]
                WHERE [h].[Queue] = [n].[Queue] AND [h].[Status] = 0 AND [h].[ScheduledAtUtc] <= @Now
            ) AS [Due],
            (
                SELECT COUNT_BIG(*)
                FROM [chokaq].[JobsHot] AS [h]
                WHERE [h].[Queue] = [n].[Queue] AND [h].[Status] = 0 AND [h].[ScheduledAtUtc] > @Now
            ) AS [Scheduled],
            (
                SELECT COUNT_BIG(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Queue] = [n].[Queue] AND [h].[Status] = 1
            ) AS [Fetched],
            (
                SELECT COUNT_BIG(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Queue] = [n].[Queue] AND [h].[Status] = 2
            ) AS [Processing]
        FROM @Names AS [n]
    ) AS [c]
    ORDER BY [c].[Queue];
END;
GO
