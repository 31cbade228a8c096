SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: changes a dead job where it lies, so that it can be resurrected later. NULL leaves a value as it is.
Parameters:
    @JobId            the job.
    @Payload          its new payload.
    @Tags             its new tags, at most 1000 bytes.
    @Priority         its new priority, 0 to 100.
    @EditedBy         who edits.
Result set: JobId varchar(50), Outcome varchar(20); one row.
Outcomes: edited; not-found (not in the DLQ).
Errors: 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: JobsDLQ.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EditDlqJob]
    @JobId VARCHAR(50),
    @Payload NVARCHAR(MAX) = NULL,
    @Tags NVARCHAR(4000) = NULL,
    @Priority INT = NULL,
    @EditedBy VARCHAR(100) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Edited INT;

    IF @JobId IS NULL OR @Priority NOT BETWEEN 0 AND 100
    BEGIN
        SET @Message = N'EditDlqJob: @JobId is required, @Priority must be 0 to 100.';
        THROW 51008, @Message, 1;
    END;

    IF DATALENGTH(CONVERT(VARCHAR(MAX), @Tags)) > 1000
    BEGIN
        SET @Message = N'EditDlqJob: row 0, column tags: the value is too long.';
        THROW 51004, @Message, 1;
    END;

    IF CONVERT(NVARCHAR(4000), CONVERT(VARCHAR(4000), @Tags)) COLLATE Latin1_General_BIN2 <> @Tags COLLATE Latin1_General_BIN2
    BEGIN
        SET @Message = N'EditDlqJob: row 0, column tags: the value holds characters that the column''s code page does not have.';
        THROW 51005, @Message, 1;
    END;

    UPDATE [chokaq].[JobsDLQ]
    SET
        [Payload] = COALESCE(@Payload, [Payload]),
        [Tags] = COALESCE(CONVERT(VARCHAR(1000), @Tags), [Tags]),
        [Priority] = COALESCE(@Priority, [Priority]),
        [LastModifiedBy] = @EditedBy
    WHERE [Id] = @JobId;

    SET @Edited = @@ROWCOUNT;

    SELECT @JobId AS [JobId], CASE WHEN @Edited = 1 THEN 'edited' ELSE 'not-found' END AS [Outcome];
END;
GO
