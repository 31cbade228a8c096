SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: pauses a queue or lets it go on. A paused queue accepts jobs and hands none out; what runs goes on running.
Parameters:
    @Queue                the queue's name.
    @IsPaused             1: paused, 0: not.
    @Create               1: create the queue when it does not exist; 0: that is an error, so that a misspelt name cannot pass for success.
Result set: the row as it now is: Queue, IsPaused, IsActive, MaxWorkers, ZombieTimeoutSeconds, ZombieAction, MaxAttempts, RetryBaseSeconds, RetryMultiplier, RetryMaxSeconds, RetryJitterPercent, MaxJobAgeSeconds, LastUpdatedUtc.
Outcomes: none.
Errors: 51010 QueueNotFound, 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: QueueGates (only to create), Queues.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SetQueuePaused] @Queue NVARCHAR(4000), @IsPaused BIT, @Create BIT = 0
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Name VARCHAR(255) = CONVERT(VARCHAR(255), @Queue);
    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);

    IF @IsPaused IS NULL
    BEGIN
        SET @Message = N'SetQueuePaused: @IsPaused is required.';
        THROW 51008, @Message, 1;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        EXECUTE [chokaq].[EnsureQueue] @Procedure = N'SetQueuePaused', @Queue = @Queue, @Create = @Create;

        UPDATE [chokaq].[Queues]
        SET [IsPaused] = @IsPaused, [LastUpdatedUtc] = @Now
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
