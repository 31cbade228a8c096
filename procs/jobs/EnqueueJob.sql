SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: accepts one job, for T-SQL callers; inside their transaction the job exists exactly if their work does (outbox).
Parameters: as the keys of EnqueueJobs. Text parameters are wider than their columns on purpose: a value that the column cannot
    hold is then refused instead of being cut or turned into "?" on its way in.
    @JobId    the caller's id or NULL; OUTPUT: the job's id.
    @Outcome  OUTPUT.
Result set: Ordinal int, JobId varchar(50), Outcome varchar(20); one row.
Outcomes: enqueued, duplicate, exists; see EnqueueJobs.
Errors: those of EnqueueJobs, the row being 0.
Transactions: joins the caller's; alone it is one transaction.
Lock order: that of EnqueueJobs.
Role: [chokaq_producer]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EnqueueJob]
    @Queue NVARCHAR(4000),
    @Type NVARCHAR(4000),
    @Payload NVARCHAR(MAX) = NULL,
    @Tags NVARCHAR(4000) = NULL,
    @IdempotencyKey NVARCHAR(4000) = NULL,
    @Priority INT = NULL,
    @DelaySeconds INT = NULL,
    @ScheduledAtUtc DATETIME2(7) = NULL,
    @MaxAttempts INT = NULL,
    @CreatedBy NVARCHAR(4000) = NULL,
    @JobId NVARCHAR(4000) = NULL OUTPUT,
    @Outcome VARCHAR(20) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Job NVARCHAR(MAX);
    DECLARE @NewJobId VARCHAR(50);

    /*
    Numbers by hand, because not every engine lets JSON_MODIFY write a number as a number; text by JSON_MODIFY, which escapes it and
    leaves a key out when its value is NULL. The blank is for Babelfish, whose style 126 has one in place of the T.
    */
    SET @Job = CONCAT(
            CASE WHEN @Priority IS NOT NULL THEN CONCAT(N',"priority":', @Priority) END,
            CASE WHEN @DelaySeconds IS NOT NULL THEN CONCAT(N',"delaySeconds":', @DelaySeconds) END,
            CASE WHEN @MaxAttempts IS NOT NULL THEN CONCAT(N',"maxAttempts":', @MaxAttempts) END
        );
    SET @Job = CONCAT(N'{', STUFF(@Job, 1, 1, N''), N'}');
    SET @Job = JSON_MODIFY(@Job, '$.id', @JobId);
    SET @Job = JSON_MODIFY(@Job, '$.queue', @Queue);
    SET @Job = JSON_MODIFY(@Job, '$.type', @Type);
    SET @Job = JSON_MODIFY(@Job, '$.tags', @Tags);
    SET @Job = JSON_MODIFY(@Job, '$.idempotencyKey', @IdempotencyKey);
    SET @Job = JSON_MODIFY(@Job, '$.scheduledAtUtc', REPLACE(CONVERT(NVARCHAR(30), @ScheduledAtUtc, 126), N' ', N'T'));
    SET @Job = JSON_MODIFY(@Job, '$.payload', @Payload);
    SET @Job = CONCAT(N'[', @Job, N']');

    EXECUTE [chokaq].[EnqueueJobs]
        @Jobs = @Job,
        @CreatedBy = @CreatedBy,
        @JobId = @NewJobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    SET @JobId = @NewJobId;
END;
GO
