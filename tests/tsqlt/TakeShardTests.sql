SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'TakeShardTests';
GO

CREATE PROCEDURE [TakeShardTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricShards]', @Defaults = 1;

    INSERT INTO [chokaq].[MetricShards] ([Shard], [Passes])
    VALUES
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 0);

    UPDATE [chokaq].[Settings]
    SET [MetricShards] = 4
    WHERE [Id] = 1;
END;
GO

CREATE PROCEDURE [TakeShardTests].[test TakeShard takes the gate of the session]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;
    DECLARE @Own TINYINT = @@SPID % 4;

    /* Act */
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Own, @Actual = @Shard;
END;
GO

CREATE PROCEDURE [TakeShardTests].[test TakeShard closes the gate that it takes and no other]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;
    DECLARE @Closed INT;
    DECLARE @Passes BIGINT;

    /* Act */
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    /* Assert */
    SELECT @Closed = COUNT(*) FROM [chokaq].[MetricShards] AS [m] WHERE [m].[Shard] = @Shard AND [m].[Passes] = 1;
    SELECT @Passes = SUM([m].[Passes]) FROM [chokaq].[MetricShards] AS [m];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Closed;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Passes;
END;
GO

CREATE PROCEDURE [TakeShardTests].[test TakeShard uses only the shards of the setting]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;

    UPDATE [chokaq].[Settings]
    SET [MetricShards] = 1
    WHERE [Id] = 1;

    /* Act */
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Shard;
END;
GO

CREATE PROCEDURE [TakeShardTests].[test TakeShard does not depend on what the variable held]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT = 77;
    DECLARE @Own TINYINT = @@SPID % 4;

    /* Act */
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Own, @Actual = @Shard;
END;
GO

CREATE PROCEDURE [TakeShardTests].[test TakeShard begins again at the first shard when the later ones are not there]
AS
BEGIN
    /* Assemble */
    DECLARE @Shard TINYINT;
    DECLARE @First TINYINT = CASE WHEN @@SPID % 4 = 0 THEN 1 ELSE 0 END;

    DELETE FROM [chokaq].[MetricShards]
    WHERE [Shard] >= @@SPID % 4 AND [Shard] <> @First;

    /* Act */
    EXECUTE [chokaq].[TakeShard] @Shard = @Shard OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = @First, @Actual = @Shard;
END;
GO
