SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: takes the gate of one shard of the counters for the rest of the transaction: the session's own, or the next that nobody holds; if
    all are held, the session waits for its own. Whoever holds a gate is the only one who writes counters of that shard.
Parameters:
    @Shard  OUTPUT: the shard.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: belongs to the caller's.
Lock order: MetricShards.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[TakeShard] @Shard TINYINT OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Shards INT;
    DECLARE @FirstShard TINYINT;

    SELECT @Shards = [s].[MetricShards], @Shard = NULL FROM [chokaq].[Settings] AS [s];

    SET @FirstShard = @@SPID % @Shards;

    SELECT TOP (1) @Shard = [m].[Shard]
    FROM [chokaq].[MetricShards] AS [m] WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
    WHERE [m].[Shard] >= @FirstShard AND [m].[Shard] < @Shards
    ORDER BY [m].[Shard];

    IF @Shard IS NULL
    BEGIN
        SELECT TOP (1) @Shard = [m].[Shard]
        FROM [chokaq].[MetricShards] AS [m] WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
        WHERE [m].[Shard] < @FirstShard
        ORDER BY [m].[Shard];
    END;

    SET @Shard = COALESCE(@Shard, @FirstShard);

    /* Written, not only read with a hint, so that the gate is closed on every engine. */
    UPDATE [chokaq].[MetricShards]
    SET [Passes] = [Passes] + 1
    WHERE [Shard] = @Shard;
END;
GO
