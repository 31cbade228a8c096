SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: takes a queue out of service or back. Like a pause, but meant to last: an inactive queue is one that nobody should look for.
Parameters:
    @Queue                the queue's name.
    @IsActive             1: in service, 0: not.
    @Create               1: create the queue when it does not exist; 0: that is an error, so that a misspelt name cannot pass for success.
Result set: the row as it now is: Queue, IsPaused, IsActive, MaxWorkers, ZombieTimeoutSeconds, ZombieAction, MaxAttempts, RetryBaseSeconds, RetryMultiplier, RetryMaxSeconds, RetryJitterPercent, MaxJobAgeSeconds, LastUpdatedUtc.
Outcomes: none.
Errors: 51010 QueueNotFound, 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter.
Transactions: joins the caller's; alone it is one transaction.
Lock order: QueueGates (only to create), Queues.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[SetQueueActive] @Queue NVARCHAR(4000), @IsActive BIT, @Create BIT = 0
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Name VARCHAR(255) = CONVERT(VARCHAR(255), @Queue);
    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Message NVARCHAR(2048);

    IF @IsActive IS NULL
    BEGIN
        SET @Message = N'SetQueueActive: @IsActive is required.';
        THROW 51008, @Message, 1;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        EXECUTE [chokaq].[EnsureQueue] @Procedure = N'SetQueueActive', @Queue = @Queue, @Create = @Create;

        UPDATE [chokaq].[Queues]
        SET [IsActive] = @IsActive, [LastUpdatedUtc] = @Now
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
