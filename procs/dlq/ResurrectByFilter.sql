SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: makes the dead jobs that match pending again, oldest failure first. See PreviewDlq for the filter; jobs whose IdempotencyKey is active again
    come last. Call again while a row says resurrected.
Parameters:
    @Queue            jobs of this queue.
    @Type             jobs of this type.
    @FailureReason    jobs with this reason.
    @CreatedFromUtc   created at or after.
    @CreatedToUtc     created before.
    @FailedFromUtc    failed at or after.
    @FailedToUtc      failed before.
    @Tag              Tags contain this.
    @Text             ErrorDetails contain this.
    @MaxJobs          at most so many, 1 to 1000.
    @ResurrectedBy    who does it.
Result set: JobId varchar(50), Outcome varchar(20); oldest failure first.
Outcomes: resurrected, key-active, not-found; see RaiseJobs.
Errors: 51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: that of ActOnDlq.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[ResurrectByFilter]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @FailureReason INT = NULL,
    @CreatedFromUtc DATETIME2(7) = NULL,
    @CreatedToUtc DATETIME2(7) = NULL,
    @FailedFromUtc DATETIME2(7) = NULL,
    @FailedToUtc DATETIME2(7) = NULL,
    @Tag VARCHAR(1000) = NULL,
    @Text NVARCHAR(4000) = NULL,
    @MaxJobs INT = 1000,
    @ResurrectedBy VARCHAR(100) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    EXECUTE [chokaq].[ActOnDlq]
        @Procedure = N'ResurrectByFilter',
        @Action = 'resurrect',
        @MaxJobs = @MaxJobs,
        @ActedBy = @ResurrectedBy,
        @Queue = @Queue,
        @Type = @Type,
        @FailureReason = @FailureReason,
        @CreatedFromUtc = @CreatedFromUtc,
        @CreatedToUtc = @CreatedToUtc,
        @FailedFromUtc = @FailedFromUtc,
        @FailedToUtc = @FailedToUtc,
        @Tag = @Tag,
        @Text = @Text;
END;
GO
