SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: shows what ResurrectByFilter and PurgeDlqByFilter with the same filter would take, in the order in which they take it. Several parts of the
    filter must all match; NULL parts do not count.
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
    @SampleSize       rows to show, 1 to 1000.
Result set: MatchCount bigint (all that match), JobId, Queue, Type, FailureReason, FailedAtUtc, CreatedAtUtc, AttemptCount, Tags, ErrorDetails (first 400
    characters); no row when nothing matches.
Outcomes: none.
Errors: 51008 InvalidParameter.
Transactions: reads only; opens none.
Lock order: that of ActOnDlq.
Role: [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[PreviewDlq]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @FailureReason INT = NULL,
    @CreatedFromUtc DATETIME2(7) = NULL,
    @CreatedToUtc DATETIME2(7) = NULL,
    @FailedFromUtc DATETIME2(7) = NULL,
    @FailedToUtc DATETIME2(7) = NULL,
    @Tag VARCHAR(1000) = NULL,
    @Text NVARCHAR(4000) = NULL,
    @SampleSize INT = 20
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    EXECUTE [chokaq].[ActOnDlq]
        @Procedure = N'PreviewDlq',
        @Action = 'preview',
        @MaxJobs = @SampleSize,
        @ActedBy = NULL,
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
