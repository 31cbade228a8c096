SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: pages through the succeeded jobs, newest first.
Parameters:
    @Queue            jobs of this queue; NULL: of all.
    @Type             jobs of this type; NULL: of all.
    @Tag              Tags contain this.
    @FinishedFromUtc  finished at or after.
    @BeforeUtc        the page after a row: that row's FinishedAtUtc; NULL: the first page.
    @BeforeId         and its JobId.
    @PageSize         rows of a page, 1 to 1000.
Result set: JobId, Queue, Type, Priority, AttemptCount, WorkerId, CreatedAtUtc, StartedAtUtc, FinishedAtUtc, DurationMs, WaitMs, Tags, IdempotencyKey; newest first.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: JobsArchive (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ListArchive]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Tag VARCHAR(1000) = NULL,
    @FinishedFromUtc DATETIME2(7) = NULL,
    @BeforeUtc DATETIME2(7) = NULL,
    @BeforeId VARCHAR(50) = NULL,
    @PageSize INT = 100
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE
        @Pattern VARCHAR(3010) = CONCAT('%', REPLACE(REPLACE(REPLACE(@Tag, '[', '[[]'), '%', '[%]'), '_', '[_]'), '%');

    IF @PageSize IS NULL OR @PageSize NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'ListArchive: @PageSize must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    /* A client's moment may be cut to microseconds, and the rest of it decides between rows: it is taken from the row itself while that is there. */
    SELECT @BeforeUtc = [a].[FinishedAtUtc]
    FROM [chokaq].[JobsArchive] AS [a]
    WHERE [a].[Id] = @BeforeId
        AND [a].[FinishedAtUtc] >= @BeforeUtc
        AND [a].[FinishedAtUtc] < DATEADD(MICROSECOND, 1, @BeforeUtc);

    /* Pages by key, not by offset: a page costs the same however far down it is. RECOMPILE: see ActOnDlq. */
    SELECT TOP (@PageSize)
        [a].[Id] AS [JobId],
        [a].[Queue],
        [a].[Type],
        [a].[Priority],
        [a].[AttemptCount],
        [a].[WorkerId],
        [a].[CreatedAtUtc],
        [a].[StartedAtUtc],
        [a].[FinishedAtUtc],
        [a].[DurationMs],
        [a].[WaitMs],
        [a].[Tags],
        [a].[IdempotencyKey]
    FROM [chokaq].[JobsArchive] AS [a]
    WHERE (@Queue IS NULL OR [a].[Queue] = @Queue)
        AND (@Type IS NULL OR [a].[Type] = @Type)
        AND (@Tag IS NULL OR [a].[Tags] LIKE @Pattern)
        AND (@FinishedFromUtc IS NULL OR [a].[FinishedAtUtc] >= @FinishedFromUtc)
        AND (
            @BeforeUtc IS NULL
            OR [a].[FinishedAtUtc] < @BeforeUtc
            OR ([a].[FinishedAtUtc] = @BeforeUtc AND [a].[Id] < @BeforeId)
        )
    ORDER BY [a].[FinishedAtUtc] DESC, [a].[Id] DESC
    OPTION (RECOMPILE);
END;
GO
