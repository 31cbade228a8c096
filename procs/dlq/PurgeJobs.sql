SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that deletes jobs from the DLQ for an operator. Lifetime counters and history do not change: that the jobs failed stays true.
    For PurgeDlq and PurgeDlqByFilter.
Parameters:
    @Jobs             the jobs.
Result set: JobId varchar(50), Outcome varchar(20); in the order of the Ordinals.
Outcomes: purged; not-found (not in the DLQ).
Errors: none of its own.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: JobsDLQ, in key order.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[PurgeJobs] @Jobs [chokaq].[JobEdits] READONLY
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Purged TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY
    );

    DELETE FROM [chokaq].[JobsDLQ]
    OUTPUT deleted.[Id] INTO @Purged ([JobId])
    WHERE [Id] IN (SELECT [j].[JobId] FROM @Jobs AS [j]);

    SELECT [j].[JobId], CASE WHEN [p].[JobId] IS NULL THEN 'not-found' ELSE 'purged' END AS [Outcome]
    FROM @Jobs AS [j]
    LEFT OUTER JOIN @Purged AS [p] ON [p].[JobId] = [j].[JobId]
    ORDER BY [j].[Ordinal];
END;
GO
