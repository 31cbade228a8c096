SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: changes a job that nobody has claimed yet. NULL leaves a value as it is.
Parameters:
    @JobId            the job.
    @Payload          its new payload.
    @Tags             its new tags, at most 1000 bytes.
    @Priority         its new priority, 0 to 100.
    @ScheduledAtUtc   when it is due, UTC.
    @MaxAttempts      executions at the most, 1 to 1000.
    @EditedBy         who edits.
Result set: JobId varchar(50), Outcome varchar(20); one row.
Outcomes: edited; not-pending (claimed or running: too late); not-found (no active job).
Errors: 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: JobsHot.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EditPendingJob]
    @JobId VARCHAR(50),
    @Payload NVARCHAR(MAX) = NULL,
    @Tags NVARCHAR(4000) = NULL,
    @Priority INT = NULL,
    @ScheduledAtUtc DATETIME2(7) = NULL,
    @MaxAttempts INT = NULL,
    @EditedBy VARCHAR(100) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Edited INT;

    IF @JobId IS NULL OR @Priority NOT BETWEEN 0 AND 100 OR @MaxAttempts NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'EditPendingJob: @JobId is required, @Priority must be 0 to 100, @MaxAttempts 1 to 1000.';
        THROW 51008, @Message, 1;
    END;

    IF DATALENGTH(CONVERT(VARCHAR(MAX), @Tags)) > 1000
    BEGIN
        SET @Message = N'EditPendingJob: row 0, column tags: the value is too long.';
        THROW 51004, @Message, 1;
    END;

    IF CONVERT(NVARCHAR(4000), CONVERT(VARCHAR(4000), @Tags)) COLLATE Latin1_General_BIN2 <> @Tags COLLATE Latin1_General_BIN2
    BEGIN
        SET @Message = N'EditPendingJob: row 0, column tags: the value holds characters that the column''s code page does not have.';
        THROW 51005, @Message, 1;
    END;

    UPDATE [chokaq].[JobsHot]
    SET
        [Payload] = COALESCE(@Payload, [Payload]),
        [Tags] = COALESCE(CONVERT(VARCHAR(1000), @Tags), [Tags]),
        [Priority] = COALESCE(@Priority, [Priority]),
        [ScheduledAtUtc] = COALESCE(@ScheduledAtUtc, [ScheduledAtUtc]),
        [MaxAttempts] = COALESCE(@MaxAttempts, [MaxAttempts]),
        [LastUpdatedUtc] = @Now,
        [LastModifiedBy] = @EditedBy
    WHERE [Id] = @JobId AND [Status] = 0;

    SET @Edited = @@ROWCOUNT;

    SELECT
        @JobId AS [JobId],
        CASE
            WHEN @Edited = 1 THEN 'edited'
            WHEN EXISTS (SELECT 1 FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Id] = @JobId) THEN 'not-pending'
            ELSE 'not-found'
        END AS [Outcome];
END;
GO
