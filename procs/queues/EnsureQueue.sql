SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: makes sure that a queue exists before it is configured.
Parameters:
    @Procedure  the caller, named in messages.
    @Queue      the queue's name.
    @Create     1: create it when it does not exist.
Result set: none.
Outcomes: none.
Errors: 51010 QueueNotFound, 51008 InvalidParameter (no name).
Transactions: belongs to the caller's.
Lock order: Queues, QueueGates.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EnsureQueue] @Procedure NVARCHAR(128), @Queue VARCHAR(255), @Create BIT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);

    IF @Queue IS NULL OR @Queue = ''
    BEGIN
        SET @Message = CONCAT(@Procedure, N': @Queue is required.');
        THROW 51008, @Message, 1;
    END;

    IF EXISTS (SELECT 1 FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = @Queue)
    BEGIN
        RETURN 0;
    END;

    IF @Create IS NULL OR @Create = 0
    BEGIN
        SET @Message = CONCAT(@Procedure, N': there is no queue "', @Queue, N'".');
        THROW 51010, @Message, 1;
    END;

    INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
    SELECT @Queue, SYSUTCDATETIME()
    WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[Queues] AS [q] WITH (UPDLOCK, HOLDLOCK) WHERE [q].[Name] = @Queue);

    INSERT INTO [chokaq].[QueueGates] ([Queue])
    SELECT @Queue
    WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[QueueGates] AS [g] WITH (UPDLOCK, HOLDLOCK) WHERE [g].[Queue] = @Queue);
END;
GO
