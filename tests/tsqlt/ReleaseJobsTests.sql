SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ReleaseJobsTests';
GO

CREATE TABLE [ReleaseJobsTests].[Expected] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [ReleaseJobsTests].[Actual] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [ReleaseJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[AddJob]
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

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job of another worker]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w2', @LeaseToken = 3;

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job under an older lease]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 4;

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job under a lease that was never given]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 2;

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job that is pending]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 0, @WorkerId = NULL, @LeaseToken = 3;

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[LastUpdatedUtc] = '2026-01-03T00:00:00' AND [h].[AttemptCount] = 4 AND [h].[LastModifiedBy] = 'before';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job that does not exist]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs answers for many jobs in the order of their ids]
AS
BEGIN
    /* Assemble */
    DECLARE @Order NVARCHAR(MAX);

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'c', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'b', @Status = 1, @WorkerId = 'w2', @LeaseToken = 3;

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs]
        @WorkerId = 'w1',
        @Leases = N'[{"id":"c","lease":3},{"id":"d","lease":3},{"id":"a","lease":3},{"id":"b","lease":3}]';

    /* Assert */
    SELECT @Order = STRING_AGG(CONCAT([a].[JobId], '=', [a].[Outcome]), ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [ReleaseJobsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a=released,b=lost,c=released,d=lost', @Actual = @Order;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs changes only the jobs that it is given]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'b', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'b' AND [h].[Status] = 1 AND [h].[LastUpdatedUtc] = '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs answers an empty array with no row]
AS
BEGIN
    /* Assemble */
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ReleaseJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1', @LeaseToken = 3;

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs takes ids that differ only in spaces at the end for one job]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006;

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3},{"id":"a ","lease":3}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs gives back a claimed job]
AS
BEGIN
    /* Assemble */
    DECLARE @Released INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1';

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'released');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Released = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 0
        AND [h].[WorkerId] IS NULL
        AND [h].[HeartbeatUtc] IS NULL
        AND [h].[LastModifiedBy] = 'w1'
        AND [h].[LastUpdatedUtc] > '2026-01-03T00:00:00';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Released;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs keeps the place, the lease and the attempts of the job]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1';

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] = '2026-01-01T00:00:00'
        AND [h].[CreatedAtUtc] = '2026-01-01T00:00:00'
        AND [h].[LeaseToken] = 3
        AND [h].[AttemptCount] = 4;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs answers the same when it is repeated]
AS
BEGIN
    /* Assemble */
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1';
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'released');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs answers lost once someone else has claimed the job]
AS
BEGIN
    /* Assemble */
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 1, @WorkerId = 'w1';
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    UPDATE [chokaq].[JobsHot]
    SET [Status] = 1, [WorkerId] = 'w2', [LeaseToken] = 4, [LastModifiedBy] = 'w2';

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job that has started]
AS
BEGIN
    /* Assemble */
    DECLARE @Running INT;

    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 2, @WorkerId = 'w1';

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
    SELECT @Running = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 2 AND [h].[WorkerId] = 'w1';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Running;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs calls lost a job that its worker had retried]
AS
BEGIN
    /* Assemble */
    EXECUTE [ReleaseJobsTests].[AddJob] @Id = 'a', @Status = 0;

    UPDATE [chokaq].[JobsHot]
    SET [LastModifiedBy] = 'w1', [StartedAtUtc] = '2026-01-02T00:00:00';

    INSERT INTO [ReleaseJobsTests].[Expected] ([JobId], [Outcome])
    VALUES ('a', 'lost');

    /* Act */
    INSERT INTO [ReleaseJobsTests].[Actual] ([JobId], [Outcome])
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":3}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ReleaseJobsTests].[Expected]',
        @Actual = N'[ReleaseJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ReleaseJobs:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ReleaseJobs:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'{"id":"a","lease":1}';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ReleaseJobs:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = NULL;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'ReleaseJobs: row 1, column leases:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs]
        @WorkerId = 'w1',
        @Leases = N'[{"id":"a","lease":1},{"id":"b","lease":1,"leases":2}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'ReleaseJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":null,"lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a row without a lease]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'ReleaseJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a"}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a lease that is not a number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'ReleaseJobs: row 0, column lease:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"a","lease":"1"}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'","lease":1}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'ReleaseJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = @Json;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'ReleaseJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = N'[{"id":"ж","lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'ReleaseJobs:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs]
        @WorkerId = 'w1',
        @Leases = N'[{"id":"a","lease":1},{"id":"b","lease":1},{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses more than 1000 rows]
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
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'ReleaseJobs:%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = 'w1', @Leases = @Json;
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a call without a worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ReleaseJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = NULL, @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a worker longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @WorkerId NVARCHAR(4000) = REPLICATE(N'w', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'ReleaseJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = @WorkerId, @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses a worker outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'ReleaseJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = N'ж', @Leases = N'[{"id":"a","lease":1}]';
END;
GO

CREATE PROCEDURE [ReleaseJobsTests].[test ReleaseJobs refuses an empty worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ReleaseJobs: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[ReleaseJobs] @WorkerId = '', @Leases = N'[{"id":"a","lease":1}]';
END;
GO
