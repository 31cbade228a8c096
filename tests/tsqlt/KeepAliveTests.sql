SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'KeepAliveTests';
GO

CREATE TABLE [KeepAliveTests].[Expected] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [KeepAliveTests].[Actual] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [KeepAliveTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[AddJob]
    @Id VARCHAR(50),
    @Status TINYINT,
    @WorkerId VARCHAR(100) = NULL,
    @LeaseToken BIGINT = 3
AS
BEGIN
    /* Every time of the job lies in the past, so that a change of one shows. */
    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Status],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc],
        [LastModifiedBy]
    )
    VALUES (
        @Id,
        'mail',
        'welcome',
        @Status,
        4,
        @WorkerId,
        @LeaseToken,
        CASE WHEN @Status > 0 THEN CONVERT(DATETIME2(7), '2026-01-03T00:00:00') END,
        '2026-01-01T00:00:00',
        '2026-01-01T00:00:00',
        CASE WHEN @Status = 2 THEN CONVERT(DATETIME2(7), '2026-01-02T00:00:00') END,
        '2026-01-03T00:00:00',
        'before'
    );
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive calls lost a job of another worker]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w2', @LeaseToken = 3;

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive calls lost a job under an older lease]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 4;

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive calls lost a job under a lease that was never given]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 2;

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive calls lost a job that is pending]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 0, @WorkerId = NULL, @LeaseToken = 3;

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive calls lost a job that does not exist]
AS
BEGIN
    /* Assemble */
    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive answers for many jobs in the order of their ids]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'c', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [KeepAliveTests].[AddJob] @Id = 'b', @Status = 2, @WorkerId = 'w2', @LeaseToken = 3;

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive]
        @WorkerId = 'w1',
        @Leases = N'[{"id":"c","lease":3},{"id":"d","lease":3},{"id":"a","lease":3},{"id":"b","lease":3}]';

    /* Assert */
    SELECT @Order = STRING_AGG(CONCAT([a].[JobId], '=', [a].[Outcome]), ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [KeepAliveTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a=alive,b=lost,c=alive,d=lost', @Actual = @Order;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive changes only the jobs that it is given]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [KeepAliveTests].[AddJob] @Id = 'b', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'b' AND [h].[Status] = 2 AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive answers an empty array with no row]
AS
BEGIN
    /* Assemble */
    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[KeepAliveTests].[Actual]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive takes ids that differ only in spaces at the end for one job]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006;

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3},{"id":"a ","lease":3}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refreshes the heartbeat of a running job]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Refreshed INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1';

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'alive');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Refreshed = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 2
        AND [h].[HeartbeatUtc] >= @Before
        AND [h].[LastUpdatedUtc] >= @Before
        AND [h].[StartedAtUtc] = '2026-01-02T00:00:00'
        AND [h].[AttemptCount] = 4;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Refreshed;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refreshes the heartbeat of a claimed job that waits in the worker]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Refreshed INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1';

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'alive');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Refreshed = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 1 AND [h].[HeartbeatUtc] >= @Before AND [h].[StartedAtUtc] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Refreshed;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive tells of a cancellation and keeps the job alive]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Refreshed INT;

    EXECUTE [KeepAliveTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1';

    UPDATE [chokaq].[JobsHot]
    SET [CancelRequestedUtc] = '2026-01-03T00:00:00';

    INSERT INTO [KeepAliveTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'cancel-requested');

    /* Act */
    INSERT INTO [KeepAliveTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[KeepAliveTests].[Expected]',
        @Actual = N'[KeepAliveTests].[Actual]';
    SELECT @Refreshed = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[HeartbeatUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Refreshed;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'KeepAlive:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'KeepAlive:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'{"id":"a","lease":1}';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'KeepAlive:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = NULL;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'KeepAlive: row 1, column leases:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":1},{"id":"b","lease":1,"leases":2}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'KeepAlive: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":null,"lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a row without a lease]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'KeepAlive: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a"}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a lease that is not a number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'KeepAlive: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":"1"}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'","lease":1}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'KeepAlive: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = @Json;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'KeepAlive: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = N'[{"id":"ж","lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'KeepAlive:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive]
        @WorkerId = 'w1',
        @Leases = N'[{"id":"a","lease":1},{"id":"b","lease":1},{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Json NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a","lease":1},'), 1000),
            N'{"id":"a","lease":1}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'KeepAlive:%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = 'w1', @Leases = @Json;
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a call without a worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'KeepAlive: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = NULL, @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a worker longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @WorkerId NVARCHAR(4000) = REPLICATE(N'w', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004, @ExpectedMessagePattern = N'KeepAlive: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = @WorkerId, @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses a worker outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005, @ExpectedMessagePattern = N'KeepAlive: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = N'ж', @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [KeepAliveTests].[test KeepAlive refuses an empty worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'KeepAlive: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[KeepAlive] @WorkerId = '', @Leases = N'[{"id":"a","lease":1}]';
END;
GO
