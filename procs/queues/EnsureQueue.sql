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
Errors: 51010 QueueNotFound, 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter (no name).
Transactions: belongs to the caller's.
Lock order: Queues, QueueGates.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EnsureQueue] @Procedure NVARCHAR(128), @Queue NVARCHAR(4000), @Create BIT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @Name VARCHAR(255) = CONVERT(VARCHAR(255), @Queue);

    EXECUTE [chokaq].[AssertKey] @Procedure = @Procedure, @Parameter = N'@Queue', @Value = @Queue, @MaxBytes = 255;

    IF EXISTS (SELECT 1 FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = @Name)
    BEGIN
        RETURN 0;
    END;

    IF @Create IS NULL OR @Create = 0
    BEGIN
        SET @Message = CONCAT(@Procedure, N': there is no queue "', @Queue, N'".');
        THROW 51010, @Message, 1;
    END;

    INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
    SELECT @Name, SYSUTCDATETIME()
    WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[Queues] AS [q] WITH (UPDLOCK, HOLDLOCK) WHERE [q].[Name] = @Name);

    INSERT INTO [chokaq].[QueueGates] ([Queue])
    SELECT @Name
    WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[QueueGates] AS [g] WITH (UPDLOCK, HOLDLOCK) WHERE [g].[Queue] = @Name);
END;
GO
