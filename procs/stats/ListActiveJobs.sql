SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: pages through the active jobs, newest first.
Parameters:
    @Queue            jobs of this queue; NULL: of all.
    @Type             jobs of this type; NULL: of all.
    @Status           0 Pending, 1 Fetched, 2 Processing; NULL: all.
    @BeforeUtc        the page after a row: that row's CreatedAtUtc; NULL: the first page.
    @BeforeId         and its JobId.
    @PageSize         rows of a page, 1 to 1000.
Result set: JobId, Queue, Type, Status, Priority, AttemptCount, WorkerId, LeaseToken, ScheduledAtUtc, CreatedAtUtc, StartedAtUtc, HeartbeatUtc, CancelRequestedUtc, Tags, IdempotencyKey; newest first.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: JobsHot (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ListActiveJobs]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Status TINYINT = NULL,
    @BeforeUtc DATETIME2(7) = NULL,
    @BeforeId VARCHAR(50) = NULL,
    @PageSize INT = 100
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);

    IF @PageSize IS NULL OR @PageSize NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'ListActiveJobs: @PageSize must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    /* A client's moment may be cut to microseconds, and the rest of it decides between rows: it is taken from the row itself while that is there. */
    SELECT @BeforeUtc = [h].[CreatedAtUtc]
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = @BeforeId
        AND [h].[CreatedAtUtc] >= @BeforeUtc
        AND [h].[CreatedAtUtc] < DATEADD(MICROSECOND, 1, @BeforeUtc);

    /* Pages by key, not by offset: a page costs the same however far down it is. RECOMPILE: see ActOnDlq. */
    SELECT TOP (@PageSize)
        [h].[Id] AS [JobId],
        [h].[Queue],
        [h].[Type],
        [h].[Status],
        [h].[Priority],
        [h].[AttemptCount],
        [h].[WorkerId],
        [h].[LeaseToken],
        [h].[ScheduledAtUtc],
        [h].[CreatedAtUtc],
        [h].[StartedAtUtc],
        [h].[HeartbeatUtc],
        [h].[CancelRequestedUtc],
        [h].[Tags],
        [h].[IdempotencyKey]
    FROM [chokaq].[JobsHot] AS [h]
    WHERE (@Queue IS NULL OR [h].[Queue] = @Queue)
        AND (@Type IS NULL OR [h].[Type] = @Type)
        AND (@Status IS NULL OR [h].[Status] = @Status)
        AND (
            @BeforeUtc IS NULL
            OR [h].[CreatedAtUtc] < @BeforeUtc
            OR ([h].[CreatedAtUtc] = @BeforeUtc AND [h].[Id] < @BeforeId)
        )
    ORDER BY [h].[CreatedAtUtc] DESC, [h].[Id] DESC
    OPTION (RECOMPILE);
END;
GO
