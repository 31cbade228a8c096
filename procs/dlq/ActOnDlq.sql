SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that knows the filter of the DLQ and its order, oldest failure first, so that what a preview shows is what the action takes.
    (A resurrect takes jobs whose IdempotencyKey is active again last: they cannot come back now.)
    For PreviewDlq, ResurrectByFilter and PurgeDlqByFilter.
Parameters:
    @Procedure        the caller, named in messages.
    @Action           preview, resurrect or purge.
    @MaxJobs          the first so many jobs, 1 to 1000.
    @ActedBy          who does it.
    @Queue            jobs of this queue.
    @Type             jobs of this type.
    @FailureReason    jobs with this reason.
    @CreatedFromUtc   created at or after.
    @CreatedToUtc     created before.
    @FailedFromUtc    failed at or after.
    @FailedToUtc      failed before.
    @Tag              Tags contain this.
    @Text             ErrorDetails contain this.
Result set: of preview: MatchCount bigint (all that match), JobId, Queue, Type, FailureReason, FailedAtUtc, CreatedAtUtc, AttemptCount, Tags, ErrorDetails
    (first 400 characters); of resurrect: JobId, Outcome; of purge: JobId, Outcome.
Outcomes: resurrected, key-active, not-found; purged, not-found (someone else took the job meanwhile).
Errors: 51008 InvalidParameter.
Transactions: joins the caller's; alone resurrect and purge are one transaction each.
Lock order: JobsDLQ (read), then that of RaiseJobs or PurgeJobs.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ActOnDlq]
    @Procedure NVARCHAR(128),
    @Action VARCHAR(10),
    @MaxJobs INT,
    @ActedBy VARCHAR(100),
    @Queue VARCHAR(255),
    @Type VARCHAR(255),
    @FailureReason INT,
    @CreatedFromUtc DATETIME2(7),
    @CreatedToUtc DATETIME2(7),
    @FailedFromUtc DATETIME2(7),
    @FailedToUtc DATETIME2(7),
    @Tag VARCHAR(1000),
    @Text NVARCHAR(4000)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE
        @Pattern VARCHAR(3010) = CONCAT('%', REPLACE(REPLACE(REPLACE(@Tag, '[', '[[]'), '%', '[%]'), '_', '[_]'), '%');
    DECLARE @Matches TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Ordinal] INT NOT NULL,
        [MatchCount] BIGINT NOT NULL
    );

    IF @MaxJobs IS NULL OR @MaxJobs NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = CONCAT(@Procedure, N': the number of jobs must be between 1 and 1000.');
        THROW 51008, @Message, 1;
    END;

    /*
    Jobs whose key is active again cannot come back; a resurrect takes them last, so that they do not stand in the way of the others.
    */
    /* A rare question with many optional parts: RECOMPILE gives each call a plan for the parts that it has, so that the right index is used. */
    INSERT INTO @Matches ([JobId], [Ordinal], [MatchCount])
    SELECT TOP (@MaxJobs)
        [d].[Id],
        ROW_NUMBER() OVER (ORDER BY CASE WHEN [h].[Id] IS NULL THEN 0 ELSE 1 END, [d].[FailedAtUtc], [d].[Id]),
        COUNT_BIG(*) OVER ()
    FROM [chokaq].[JobsDLQ] AS [d]
    LEFT OUTER JOIN [chokaq].[JobsHot] AS [h]
        ON @Action = 'resurrect' AND [h].[IdempotencyKey] = [d].[IdempotencyKey] AND [h].[IdempotencyKey] IS NOT NULL
    WHERE (@Queue IS NULL OR [d].[Queue] = @Queue)
        AND (@Type IS NULL OR [d].[Type] = @Type)
        AND (@FailureReason IS NULL OR [d].[FailureReason] = @FailureReason)
        AND (@CreatedFromUtc IS NULL OR [d].[CreatedAtUtc] >= @CreatedFromUtc)
        AND (@CreatedToUtc IS NULL OR [d].[CreatedAtUtc] < @CreatedToUtc)
        AND (@FailedFromUtc IS NULL OR [d].[FailedAtUtc] >= @FailedFromUtc)
        AND (@FailedToUtc IS NULL OR [d].[FailedAtUtc] < @FailedToUtc)
        AND (@Tag IS NULL OR [d].[Tags] LIKE @Pattern)
        AND (@Text IS NULL OR CHARINDEX(@Text, [d].[ErrorDetails]) > 0)
    ORDER BY CASE WHEN [h].[Id] IS NULL THEN 0 ELSE 1 END, [d].[FailedAtUtc], [d].[Id]
    OPTION (RECOMPILE);

    IF @Action = 'preview'
    BEGIN
        SELECT
            [m].[MatchCount],
            [d].[Id] AS [JobId],
            [d].[Queue],
            [d].[Type],
            [d].[FailureReason],
            [d].[FailedAtUtc],
            [d].[CreatedAtUtc],
            [d].[AttemptCount],
            [d].[Tags],
            LEFT([d].[ErrorDetails], 400) AS [ErrorDetails]
        FROM @Matches AS [m]
        INNER JOIN [chokaq].[JobsDLQ] AS [d] ON [d].[Id] = [m].[JobId]
        ORDER BY [m].[Ordinal];

        RETURN 0;
    END;

    INSERT INTO @Edits ([JobId], [Ordinal])
    SELECT [m].[JobId], [m].[Ordinal] FROM @Matches AS [m];

    IF @Action = 'resurrect'
    BEGIN
        EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = @ActedBy;
    END;
    ELSE
    BEGIN
        EXECUTE [chokaq].[PurgeJobs] @Jobs = @Edits;
    END;
END;
GO
