SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: sets how often and how soon failed jobs of a queue are tried again. Applies from the next failure on.
Parameters:
    @Queue                the queue's name.
    @MaxAttempts          executions at the most, 1 to 1000; a job may have its own.
    @RetryBaseSeconds     delay after the first failure, 0 to 86400.
    @RetryMultiplier      growth of the delay with each failure, 1 to 100.
    @RetryMaxSeconds      longest delay, from @RetryBaseSeconds to 2592000.
    @RetryJitterPercent   each delay is moved at random by up to so much, 0 to 100.
    @MaxJobAgeSeconds     no retry later than so long after the job was created; NULL: no end.
    @Create               1: create the queue when it does not exist; 0: that is an error, so that a misspelt name cannot pass for success.
Result set: the row as it now is: Queue, IsPaused, IsActive, MaxWorkers, ZombieTimeoutSeconds, ZombieAction, MaxAttempts, RetryBaseSeconds, RetryMultiplier, RetryMaxSeconds, RetryJitterPercent, MaxJobAgeSeconds, LastUpdatedUtc.
Outcomes: none.
Errors: 51010 QueueNotFound, 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: QueueGates (only to create), Queues.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SetQueueRetryPolicy]
    @Queue NVARCHAR(4000),
    @MaxAttempts INT,
    @RetryBaseSeconds INT,
    @RetryMultiplier FLOAT,
    @RetryMaxSeconds INT,
    @RetryJitterPercent INT,
    @MaxJobAgeSeconds INT,
    @Create BIT = 0
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Name VARCHAR(255) = CONVERT(VARCHAR(255), @Queue);
    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);

    IF COALESCE(@MaxAttempts, 0) NOT BETWEEN 1 AND 1000
       OR COALESCE(@RetryBaseSeconds, -1) NOT BETWEEN 0 AND 86400
       OR COALESCE(@RetryMultiplier, 0) NOT BETWEEN 1 AND 100
       OR COALESCE(@RetryMaxSeconds, -1) NOT BETWEEN @RetryBaseSeconds AND 2592000
       OR COALESCE(@RetryJitterPercent, -1) NOT BETWEEN 0 AND 100
       OR @MaxJobAgeSeconds < 1
    BEGIN
        SET @Message = N'SetQueueRetryPolicy: @MaxAttempts 1 to 1000, @RetryBaseSeconds 0 to 86400, @RetryMultiplier 1 to 100, @RetryMaxSeconds from the base to 2592000, @RetryJitterPercent 0 to 100, @MaxJobAgeSeconds 1 or more or NULL.';
        THROW 51008, @Message, 1;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        EXECUTE [chokaq].[EnsureQueue] @Procedure = N'SetQueueRetryPolicy', @Queue = @Queue, @Create = @Create;

        UPDATE [chokaq].[Queues]
        SET
            [MaxAttempts] = @MaxAttempts,
            [RetryBaseSeconds] = @RetryBaseSeconds,
            [RetryMultiplier] = @RetryMultiplier,
            [RetryMaxSeconds] = @RetryMaxSeconds,
            [RetryJitterPercent] = @RetryJitterPercent,
            [MaxJobAgeSeconds] = @MaxJobAgeSeconds,
            [LastUpdatedUtc] = @Now
        WHERE [Name] = @Name;

        IF @OwnsTransaction = 1
        BEGIN
            COMMIT TRANSACTION;
        END;
    END TRY
    BEGIN CATCH
        IF @OwnsTransaction = 1 AND XACT_STATE() <> 0
        BEGIN
            ROLLBACK TRANSACTION;
        END;

        THROW;
    END CATCH;

    SELECT
        [q].[Name] AS [Queue],
        [q].[IsPaused],
        [q].[IsActive],
        [q].[MaxWorkers],
        [q].[ZombieTimeoutSeconds],
        [q].[ZombieAction],
        [q].[MaxAttempts],
        [q].[RetryBaseSeconds],
        [q].[RetryMultiplier],
        [q].[RetryMaxSeconds],
        [q].[RetryJitterPercent],
        [q].[MaxJobAgeSeconds],
        [q].[LastUpdatedUtc]
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = @Name;
END;
GO
