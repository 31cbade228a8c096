SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the heartbeat of many jobs in one call, running ones and claimed ones that wait in the worker.
Parameters:
    @WorkerId  the owner.
    @Leases    JSON array of at most 1,000 objects {id, lease}, both required; lease is the LeaseToken that the claim returned.
Result set: JobId varchar(50), Outcome varchar(20); a row for each id, in the order of the ids.
Outcomes: alive; cancel-requested (alive, and an operator asked for its end); lost (not this worker's or not this lease: stop).
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51006 DuplicateRow, 51008 InvalidParameter.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: JobsHot, in key order.
Role: [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[KeepAlive] @WorkerId NVARCHAR(4000), @Leases NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Owner VARCHAR(100) = CONVERT(VARCHAR(100), @WorkerId);
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Input TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [LeaseToken] BIGINT NOT NULL,
        [Copies] INT NOT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'KeepAlive',
        @Json = @Leases,
        @Shape = N'[{"key":"id","kind":"key","max":50,"required":true},{"key":"lease","kind":"integer","required":true}]';

    EXECUTE [chokaq].[AssertKey]
        @Procedure = N'KeepAlive',
        @Parameter = N'@WorkerId',
        @Value = @WorkerId,
        @MaxBytes = 100;

    INSERT INTO @Input ([JobId], [LeaseToken], [Copies])
    SELECT [l].[JobId], MAX([l].[LeaseToken]), COUNT(*)
    FROM OPENJSON(@Leases) WITH (
        [JobId] VARCHAR(50) '$.id',
        [LeaseToken] BIGINT '$.lease'
    ) AS [l]
    GROUP BY [l].[JobId];

    IF EXISTS (SELECT 1 FROM @Input AS [i] WHERE [i].[Copies] > 1)
    BEGIN
        SET @Message = N'KeepAlive: a job id stands twice in one call.';
        THROW 51006, @Message, 1;
    END;

    UPDATE [h]
    SET [h].[HeartbeatUtc] = @Now, [h].[LastUpdatedUtc] = @Now
    FROM [chokaq].[JobsHot] AS [h]
    INNER JOIN @Input AS [i] ON [i].[JobId] = [h].[Id]
    WHERE [h].[WorkerId] = @Owner AND [h].[LeaseToken] = [i].[LeaseToken] AND [h].[Status] IN (1, 2);

    SELECT
        [i].[JobId],
        CASE
            WHEN [h].[Id] IS NULL THEN 'lost'
            WHEN [h].[CancelRequestedUtc] IS NOT NULL THEN 'cancel-requested'
            ELSE 'alive'
        END AS [Outcome]
    FROM @Input AS [i]
    LEFT OUTER JOIN [chokaq].[JobsHot] AS [h]
        ON [h].[Id] = [i].[JobId]
            AND [h].[WorkerId] = @Owner
            AND [h].[LeaseToken] = [i].[LeaseToken]
            AND [h].[Status] IN (1, 2)
    ORDER BY [i].[JobId];
END;
GO
