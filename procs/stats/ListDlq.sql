SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: pages through the dead jobs, newest first.
Parameters:
    @Queue            jobs of this queue; NULL: of all.
    @Type             jobs of this type; NULL: of all.
    @FailureReason    jobs with this reason; NULL: all.
    @Tag              Tags contain this.
    @Text             ErrorDetails contain this.
    @FailedFromUtc    failed at or after.
    @BeforeUtc        the page after a row: that row's FailedAtUtc; NULL: the first page.
    @BeforeId         and its JobId.
    @PageSize         rows of a page, 1 to 1000.
Result set: JobId, Queue, Type, FailureReason, Priority, AttemptCount, WorkerId, CreatedAtUtc, StartedAtUtc, FailedAtUtc, DurationMs, Tags, IdempotencyKey, ErrorDetails (first 400 characters); newest first.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: JobsDLQ (read).
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ListDlq]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @FailureReason INT = NULL,
    @Tag VARCHAR(1000) = NULL,
    @Text NVARCHAR(4000) = NULL,
    @FailedFromUtc DATETIME2(7) = NULL,
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
        SET @Message = N'ListDlq: @PageSize must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    /* A client's moment may be cut to microseconds, and the rest of it decides between rows: it is taken from the row itself while that is there. */
    SELECT @BeforeUtc = [d].[FailedAtUtc]
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[Id] = @BeforeId
        AND [d].[FailedAtUtc] >= @BeforeUtc
        AND [d].[FailedAtUtc] < DATEADD(MICROSECOND, 1, @BeforeUtc);

    /* Pages by key, not by offset: a page costs the same however far down it is. RECOMPILE: see ActOnDlq. */
    SELECT TOP (@PageSize)
        [d].[Id] AS [JobId],
        [d].[Queue],
        [d].[Type],
        [d].[FailureReason],
        [d].[Priority],
        [d].[AttemptCount],
        [d].[WorkerId],
        [d].[CreatedAtUtc],
        [d].[StartedAtUtc],
        [d].[FailedAtUtc],
        [d].[DurationMs],
        [d].[Tags],
        [d].[IdempotencyKey],
        LEFT([d].[ErrorDetails], 400) AS [ErrorDetails]
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE (@Queue IS NULL OR [d].[Queue] = @Queue)
        AND (@Type IS NULL OR [d].[Type] = @Type)
        AND (@FailureReason IS NULL OR [d].[FailureReason] = @FailureReason)
        AND (@Tag IS NULL OR [d].[Tags] LIKE @Pattern)
        AND (@Text IS NULL OR CHARINDEX(@Text, [d].[ErrorDetails]) > 0)
        AND (@FailedFromUtc IS NULL OR [d].[FailedAtUtc] >= @FailedFromUtc)
        AND (
            @BeforeUtc IS NULL
            OR [d].[FailedAtUtc] < @BeforeUtc
            OR ([d].[FailedAtUtc] = @BeforeUtc AND [d].[Id] < @BeforeId)
        )
    ORDER BY [d].[FailedAtUtc] DESC, [d].[Id] DESC
    OPTION (RECOMPILE);
END;
GO
