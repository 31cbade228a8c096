SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: makes dead jobs pending again, if wished with another payload, other tags, another priority or a delay.
Parameters:
    @Jobs             JSON array of at most 1,000 objects {id, payload, tags, priority, delaySeconds}; id is required, what is absent stays as it was. payload is
                      text, or an object or array that is stored as its JSON text.
    @ResurrectedBy    who does it.
Result set: JobId varchar(50), Outcome varchar(20); in the order of the array.
Outcomes: resurrected, key-active, not-found; see RaiseJobs.
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51006 DuplicateRow.
Transactions: joins the caller's; alone it is one transaction.
Lock order: that of RaiseJobs.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ResurrectJobs] @Jobs NVARCHAR(MAX), @ResurrectedBy VARCHAR(100) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Ordinal] INT NOT NULL,
        [Copies] INT NOT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'ResurrectJobs',
        @Json = @Jobs,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true},{"key":"payload","kind":"json"},{"key":"tags","kind":"key","max":1000},{"key":"priority","kind":"integer","min":0,"max":100},{"key":"delaySeconds","kind":"integer","min":0,"max":2147483647}]';

    INSERT INTO @Input ([JobId], [Ordinal], [Copies])
    SELECT CONVERT(VARCHAR(50), JSON_VALUE([j].[value], '$.id')), MIN(CONVERT(INT, [j].[key])), COUNT(*)
    FROM OPENJSON(@Jobs) AS [j]
    GROUP BY CONVERT(VARCHAR(50), JSON_VALUE([j].[value], '$.id'));

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'ResurrectJobs: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    INSERT INTO @Edits ([JobId], [Ordinal], [Payload], [Tags], [Priority], [DelaySeconds])
    SELECT
        [j].[JobId],
        [i].[Ordinal],
        (
            SELECT TOP (1) [k].[value]
            FROM OPENJSON([r].[value]) AS [k]
            WHERE [k].[key] COLLATE Latin1_General_BIN2 = N'payload'
        ),
        [j].[Tags],
        [j].[Priority],
        [j].[DelaySeconds]
    FROM OPENJSON(@Jobs) WITH (
        [JobId] VARCHAR(50) '$.id',
        [Tags] VARCHAR(1000) '$.tags',
        [Priority] INT '$.priority',
        [DelaySeconds] INT '$.delaySeconds'
    ) AS [j]
    INNER JOIN @Input AS [i] ON [i].[JobId] = [j].[JobId]
    INNER JOIN OPENJSON(@Jobs) AS [r] ON CONVERT(INT, [r].[key]) = [i].[Ordinal];

    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = @ResurrectedBy;
END;
GO
