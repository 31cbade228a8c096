SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: deletes jobs from the DLQ for good.
Parameters:
    @JobIds           JSON array of at most 1,000 objects {id}.
Result set: JobId varchar(50), Outcome varchar(20); in the order of the array.
Outcomes: purged; not-found.
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51006 DuplicateRow.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: that of PurgeJobs.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[PurgeDlq] @JobIds NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Jobs [chokaq].[JobEdits];
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Ordinal] INT NOT NULL,
        [Copies] INT NOT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'PurgeDlq',
        @Json = @JobIds,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true}]';

    INSERT INTO @Input ([JobId], [Ordinal], [Copies])
    SELECT CONVERT(VARCHAR(50), JSON_VALUE([j].[value], '$.id')), MIN(CONVERT(INT, [j].[key])), COUNT(*)
    FROM OPENJSON(@JobIds) AS [j]
    GROUP BY CONVERT(VARCHAR(50), JSON_VALUE([j].[value], '$.id'));

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'PurgeDlq: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    INSERT INTO @Jobs ([JobId], [Ordinal])
    SELECT [i].[JobId], [i].[Ordinal] FROM @Input AS [i];

    EXECUTE [chokaq].[PurgeJobs] @Jobs = @Jobs;
END;
GO
