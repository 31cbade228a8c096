SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'EnqueueJobsTests';
GO

CREATE TABLE [EnqueueJobsTests].[ExpectedRow] (
    [Ordinal] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [EnqueueJobsTests].[Actual] (
    [Ordinal] INT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE TABLE [EnqueueJobsTests].[ExpectedJob] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [Status] TINYINT NOT NULL,
    [AttemptCount] INT NOT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL,
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE PROCEDURE [EnqueueJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[QueueGates]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[Enqueue] @Jobs NVARCHAR(MAX), @CreatedBy NVARCHAR(4000) = NULL
AS
BEGIN
    INSERT INTO [EnqueueJobsTests].[Actual] ([Ordinal], [JobId], [Outcome])
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs, @CreatedBy = @CreatedBy;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[AssertOutcomes] @Expected NVARCHAR(MAX)
AS
BEGIN
    /* What Enqueue returned, in its order: id=outcome. */
    DECLARE @Outcomes NVARCHAR(MAX);

    SELECT @Outcomes = STRING_AGG(CONCAT([a].[JobId], '=', [a].[Outcome]), ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [EnqueueJobsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Expected, @Actual = @Outcomes;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[AssertStored] @Count INT
AS
BEGIN
    /* How many jobs JobsHot holds. */
    DECLARE @Stored INT;

    SELECT @Stored = COUNT(*) FROM [chokaq].[JobsHot];
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Count, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores a job with everything that it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnqueueJobsTests].[ExpectedJob] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [Status],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES ('j1', 'mail', 'welcome', N'hello ж', 'vip,é', 'k1', 42, 0, 0, 7, NULL, 0, NULL, NULL, NULL, 'ann', 'ann');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"welcome","payload":"hello ж","tags":"vip,é","idempotencyKey":"k1","priority":42,"maxAttempts":7}]',
        @CreatedBy = N'ann';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnqueueJobsTests].[ExpectedJob]',
        @Actual = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores a job with the defaults]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnqueueJobsTests].[ExpectedJob] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [Status],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES ('j1', 'mail', 'welcome', NULL, NULL, NULL, 10, 0, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"welcome"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnqueueJobsTests].[ExpectedJob]',
        @Actual = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs returns a row for each job in the order of the array]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnqueueJobsTests].[ExpectedRow] ([Ordinal], [JobId], [Outcome])
    VALUES
        (0, 'c', 'enqueued'),
        (1, 'a', 'enqueued'),
        (2, 'b', 'enqueued');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"c","queue":"mail","type":"t"},{"id":"a","queue":"mail","type":"t"},{"id":"b","queue":"mail","type":"t"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnqueueJobsTests].[ExpectedRow]',
        @Actual = N'[EnqueueJobsTests].[Actual]';
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'c=enqueued,a=enqueued,b=enqueued';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers an empty array with no row]
AS
BEGIN
    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[EnqueueJobsTests].[Actual]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[Queues]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes a job eligible at once]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Eligible INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]';

    /* Assert */
    SELECT @Eligible = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] = [h].[CreatedAtUtc]
        AND [h].[LastUpdatedUtc] = [h].[CreatedAtUtc]
        AND [h].[CreatedAtUtc] >= @Before
        AND [h].[CreatedAtUtc] <= SYSUTCDATETIME();
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Eligible;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes a job eligible after its delay]
AS
BEGIN
    /* Assemble */
    DECLARE @Delay INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","delaySeconds":90}]';

    /* Assert */
    SELECT @Delay = DATEDIFF(SECOND, [h].[CreatedAtUtc], [h].[ScheduledAtUtc]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 90, @Actual = @Delay;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs takes the longest delay]
AS
BEGIN
    /* Assemble */
    DECLARE @Delay BIGINT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","delaySeconds":2147483647}]';

    /* Assert */
    SELECT @Delay = DATEDIFF_BIG(SECOND, [h].[CreatedAtUtc], [h].[ScheduledAtUtc]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2147483647, @Actual = @Delay;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes a job eligible at the moment that it names]
AS
BEGIN
    /* Assemble */
    DECLARE @Expected DATETIME2(7) = '2030-01-02T03:04:05.1234560';
    DECLARE @Scheduled DATETIME2(7);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","scheduledAtUtc":"2030-01-02T03:04:05.123456Z"}]';

    /* Assert */
    SELECT @Scheduled = [h].[ScheduledAtUtc] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Expected, @Actual = @Scheduled;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes an id where the caller gives none]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId NVARCHAR(MAX);
    DECLARE @Returned NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"queue":"mail","type":"t"}]';

    /* Assert */
    SELECT @JobId = [h].[Id] FROM [chokaq].[JobsHot] AS [h];
    SELECT @Returned = [a].[JobId] FROM [EnqueueJobsTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertLike] @ExpectedPattern = N'________-____-7___-[89ab]___-____________', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @JobId, @Actual = @Returned;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes a different id for each job]
AS
BEGIN
    /* Assemble */
    DECLARE @Ids INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"queue":"mail","type":"t"},{"queue":"mail","type":"t"},{"queue":"mail","type":"t"},{"id":"j1","queue":"mail","type":"t"}]';

    /* Assert */
    SELECT @Ids = COUNT(DISTINCT [h].[Id]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 4, @Actual = @Ids;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs makes ids that grow with time]
AS
BEGIN
    /* Assemble */
    DECLARE @InOrder INT;

    /* The milliseconds of 2026-01-01 are 019b76daa800 in hexadecimal; ids made later compare higher. */
    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"queue":"mail","type":"t"}]';

    /* Assert */
    SELECT @InOrder = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Id] > '019b76da' AND [h].[Id] < '1';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @InOrder;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores a text payload as it is]
AS
BEGIN
    /* Assemble */
    DECLARE @Payload NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","payload":"a \"quoted\" \\ back, a slash \/, a tab \t and ж"}]';

    /* Assert */
    SELECT @Payload = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    SET @Payload = REPLACE(@Payload, NCHAR(9), N'<tab>');
    EXECUTE [tSQLt].[AssertEqualsString]
        @Expected = N'a "quoted" \ back, a slash /, a tab <tab> and ж',
        @Actual = @Payload;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores an object as its JSON text]
AS
BEGIN
    /* Assemble */
    DECLARE @Payload NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","payload":{"to":"ann","cc":["bob"]}}]';

    /* Assert */
    SELECT @Payload = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'{"to":"ann","cc":["bob"]}', @Actual = @Payload;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores an array as its JSON text]
AS
BEGIN
    /* Assemble */
    DECLARE @Payload NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","payload":[1,"two",null]}]';

    /* Assert */
    SELECT @Payload = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'[1,"two",null]', @Actual = @Payload;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores null as no payload]
AS
BEGIN
    /* Assemble */
    DECLARE @Payloads INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","payload":null}]';

    /* Assert */
    SELECT @Payloads = COUNT([h].[Payload]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Payloads;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs stores a long payload whole]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Jobs NVARCHAR(MAX) = CONCAT(
            N'[{"id":"j1","queue":"mail","type":"t","payload":"',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'0123456789'), 2000),
            N'"}]'
        );
    DECLARE @Length INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = @Jobs;

    /* Assert */
    SELECT @Length = LEN([h].[Payload]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 20000, @Actual = @Length;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs creates an unknown queue with its gate]
AS
BEGIN
    /* Assemble */
    DECLARE @Queues INT;
    DECLARE @Gates INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t"},{"id":"j2","queue":"mail","type":"t"},{"id":"j3","queue":"print","type":"t"}]';

    /* Assert */
    SELECT @Queues = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] IN ('mail', 'print') AND [q].[IsPaused] = 0 AND [q].[IsActive] = 1;
    SELECT @Gates = COUNT(*)
    FROM [chokaq].[QueueGates] AS [g]
    WHERE [g].[Queue] IN ('mail', 'print') AND [g].[Passes] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Queues;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Gates;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs leaves a queue that exists as it is]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    INSERT INTO [chokaq].[Queues] ([Name], [IsPaused], [MaxWorkers], [LastUpdatedUtc])
    VALUES ('mail', 1, 4, '2026-01-02T03:04:05');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t"},{"id":"j2","queue":"print","type":"t"}]';

    /* Assert */
    SELECT @Untouched = COUNT(*)
    FROM [chokaq].[Queues] AS [q]
    WHERE [q].[Name] = 'mail'
        AND [q].[IsPaused] = 1
        AND [q].[MaxWorkers] = 4
        AND [q].[LastUpdatedUtc] = '2026-01-02T03:04:05';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 2;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers duplicate with the job that has the key]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [IdempotencyKey])
    VALUES ('active', 'mail', 'k1');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'active=duplicate';
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 1;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers duplicate for a key of another queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [IdempotencyKey])
    VALUES ('active', 'print', 'k1');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'active=duplicate';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers duplicate for a key that stands twice in one call]
AS
BEGIN
    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j2","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j3","queue":"mail","type":"t","idempotencyKey":"k2"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=enqueued,j1=duplicate,j3=enqueued';
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 2;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs takes a key again once its job is finished]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsArchive] ([Id], [IdempotencyKey])
    VALUES ('archived', 'k1');

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [IdempotencyKey])
    VALUES ('dead', 'k2');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j2","queue":"mail","type":"t","idempotencyKey":"k2"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=enqueued,j2=enqueued';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs takes an empty key for none]
AS
BEGIN
    /* Assemble */
    DECLARE @Keys INT;

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":""},{"id":"j2","queue":"mail","type":"t","idempotencyKey":""}]';

    /* Assert */
    SELECT @Keys = COUNT([h].[IdempotencyKey]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=enqueued,j2=enqueued';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Keys;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers exists for an id that is active]
AS
BEGIN
    /* Assemble */
    DECLARE @Untouched INT;

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Type])
    VALUES ('j1', 'print', 'before');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]';

    /* Assert */
    SELECT @Untouched = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Type] = 'before';
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=exists';
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Untouched;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers exists for an id that is archived or dead]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsArchive] ([Id])
    VALUES ('archived');

    INSERT INTO [chokaq].[JobsDLQ] ([Id])
    VALUES ('dead');

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"archived","queue":"mail","type":"t"},{"id":"dead","queue":"mail","type":"t"},{"id":"new","queue":"mail","type":"t"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'archived=exists,dead=exists,new=enqueued';
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 1;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers exists for an id that stands twice in one call]
AS
BEGIN
    /* Assemble */
    DECLARE @Type NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"first"},{"id":"j1","queue":"mail","type":"second"}]';

    /* Assert */
    SELECT @Type = [h].[Type] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=enqueued,j1=exists';
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'first', @Actual = @Type;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs answers exists when a call with ids and keys is repeated]
AS
BEGIN
    /* Assemble */
    EXECUTE [chokaq].[EnqueueJobs]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j2","queue":"mail","type":"t"}]';

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j2","queue":"mail","type":"t"}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=exists,j2=exists';
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 2;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs gives the first row to its output parameters]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId VARCHAR(50);
    DECLARE @Outcome VARCHAR(20);

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [IdempotencyKey])
    VALUES ('active', 'mail', 'k1');

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","idempotencyKey":"k1"},{"id":"j2","queue":"mail","type":"t"}]',
        @JobId = @JobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'active', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'duplicate', @Actual = @Outcome;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs accepts a creator that fills its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Creator NVARCHAR(4000) = REPLICATE(N'é', 100);
    DECLARE @Stored NVARCHAR(MAX);

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]', @CreatedBy = @Creator;

    /* Assert */
    SELECT @Stored = [h].[CreatedBy] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Creator, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a creator that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Creator NVARCHAR(4000) = REPLICATE(N'a', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'EnqueueJobs: @CreatedBy%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]', @CreatedBy = @Creator;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a creator outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'EnqueueJobs: @CreatedBy%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]', @CreatedBy = N'ж';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs accepts the lowest and the highest numbers]
AS
BEGIN
    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t","priority":0,"delaySeconds":0,"maxAttempts":1},{"id":"j2","queue":"mail","type":"t","priority":100,"maxAttempts":1000}]';

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertOutcomes] @Expected = N'j1=enqueued,j2=enqueued';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'EnqueueJobs:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'{"queue":"mail","type":"t"}';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'EnqueueJobs: row 1, column delay:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t"},{"queue":"mail","type":"t","delay":5}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a job without a queue]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"type":"t"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a job without a type]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":""}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a priority below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column priority:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","priority":-1}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a priority above a hundred]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column priority:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","priority":101}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a priority that is not a number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column priority:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","priority":"high"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a delay below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column delaySeconds:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","delaySeconds":-1}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a delay that no int holds]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column delaySeconds:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","delaySeconds":2147483648}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a delay of half a second]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column delaySeconds:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","delaySeconds":0.5}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses no attempt at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column maxAttempts:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","maxAttempts":0}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses more than 1000 attempts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column maxAttempts:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","maxAttempts":1001}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a moment that is not in UTC]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column scheduledAtUtc:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs]
        @Jobs = N'[{"queue":"mail","type":"t","scheduledAtUtc":"2030-01-02T03:04:05+02:00"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a moment that does not exist]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column scheduledAtUtc:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","scheduledAtUtc":"2030-02-30T00:00:00Z"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses an id longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs NVARCHAR(MAX) = CONCAT(N'[{"queue":"mail","type":"t","id":"', REPLICATE(N'a', 51), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","id":"ж"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a queue longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs NVARCHAR(MAX) = CONCAT(N'[{"type":"t","queue":"', REPLICATE(N'a', 256), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a queue outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"type":"t","queue":"ж"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a type longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs NVARCHAR(MAX) = CONCAT(N'[{"queue":"mail","type":"', REPLICATE(N'a', 256), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a type outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"ж"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses tags longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE @Jobs NVARCHAR(MAX) = CONCAT(N'[{"queue":"mail","type":"t","tags":"', REPLICATE(N'a', 1001), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses tags outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","tags":"ж"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a key longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Jobs NVARCHAR(MAX) = CONCAT(N'[{"queue":"mail","type":"t","idempotencyKey":"', REPLICATE(N'a', 256), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column idempotencyKey:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a key outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column idempotencyKey:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"queue":"mail","type":"t","idempotencyKey":"ж"}]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses more than 1000 jobs]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Jobs NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"queue":"mail","type":"t"},'), 1000),
            N'{"queue":"mail","type":"t"}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51007,
        @ExpectedMessagePattern = N'EnqueueJobs: 1001 rows%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = @Jobs;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs accepts 1000 jobs]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Jobs NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"queue":"mail","type":"t"},'), 999),
            N'{"queue":"mail","type":"t"}]'
        );

    /* Act */
    EXECUTE [EnqueueJobsTests].[Enqueue] @Jobs = @Jobs;

    /* Assert */
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 1000;
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs is undone with the work of its caller]
AS
BEGIN
    /* Assemble */
    SAVE TRANSACTION [BeforeWork];

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]';
    ROLLBACK TRANSACTION [BeforeWork];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[Queues]';
END;
GO

CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"}]';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJobs]
        @Jobs = N'[{"id":"j1","queue":"mail","type":"t"},{"id":"j2","queue":"mail","type":"t"}]';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 2;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs refuses a whole call for one bad row]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[EnqueueJobs] @Jobs = N'[{"id":"j1","queue":"mail","type":"t"},{"id":"j2","queue":"mail"}]';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 51002, @Actual = @Error;
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 0;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [EnqueueJobsTests].[test EnqueueJobs alone takes everything back when it fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Queues INT;

    /* Without the check of the rows, the constraint of the table is what refuses the second one. */
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[AssertJsonRows]';
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[JobsHot]', @ConstraintName = N'CK_JobsHot_Priority';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[EnqueueJobs]
            @Jobs = N'[{"id":"j1","queue":"mail","type":"t"},{"id":"j2","queue":"mail","type":"t","priority":101}]';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Queues = COUNT(*) FROM [chokaq].[Queues];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 547, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Queues;
    EXECUTE [EnqueueJobsTests].[AssertStored] @Count = 0;
END;
GO
