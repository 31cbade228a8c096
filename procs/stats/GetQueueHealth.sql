SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: is each queue keeping up. Lag is the age of the oldest job that is due and that nobody has claimed; jobs scheduled for later have none. A few index seeks a queue, however long the backlog.
Parameters:
    @Queue    one queue; NULL: all. A queue that does not exist gives no row.
Result set: Queue, IsPaused, IsActive, MaxWorkers, Fetched int, Processing int, OldestDueUtc (NULL: nothing is due), LagSeconds float (0: nothing is due),
    OldestHeartbeatUtc (of a running job); by queue.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: Queues, JobsHot (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetQueueHealth] @Queue VARCHAR(255) = NULL
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

    /* Rows that a worker is moving at this moment are passed over instead of waited for: a health check must not queue up behind the work. */
    SELECT
        [c].[Queue],
        [c].[IsPaused],
        [c].[IsActive],
        [c].[MaxWorkers],
        [c].[Fetched],
        [c].[Processing],
        [c].[OldestDueUtc],
        COALESCE(DATEDIFF_BIG(MILLISECOND, [c].[OldestDueUtc], @Now) / CONVERT(FLOAT, 1000), 0) AS [LagSeconds],
        [c].[OldestHeartbeatUtc]
    FROM (
        SELECT
            [q].[Name] AS [Queue],
            [q].[IsPaused],
            [q].[IsActive],
            [q].[MaxWorkers],
            (
                SELECT COUNT(*)
                FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                WHERE [h].[Queue] = [q].[Name] AND [h].[Status] = 1
            ) AS [Fetched],
            (
                SELECT COUNT(*)
                FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                WHERE [h].[Queue] = [q].[Name] AND [h].[Status] = 2
            ) AS [Processing],
            (
                SELECT MIN([h].[ScheduledAtUtc])
                FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                WHERE [h].[Queue] = [q].[Name] AND [h].[Status] = 0 AND [h].[ScheduledAtUtc] <= @Now
            ) AS [OldestDueUtc],
            (
                SELECT MIN([h].[HeartbeatUtc])
                FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                WHERE [h].[Queue] = [q].[Name] AND [h].[Status] = 2
            ) AS [OldestHeartbeatUtc]
        FROM @Names AS [n]
        INNER JOIN [chokaq].[Queues] AS [q] ON [q].[Name] = [n].[Queue]
    ) AS [c]
    ORDER BY [c].[Queue];
END;
GO
