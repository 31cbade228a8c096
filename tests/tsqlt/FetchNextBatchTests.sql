SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
What several sessions do at the same time (no job twice, MaxWorkers) cannot be shown inside one transaction; the fault tests do that.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'FetchNextBatchTests';
GO

CREATE TABLE [FetchNextBatchTests].[ExpectedJob] (
    [JobId] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [AttemptCount] INT NOT NULL,
    [MaxAttempts] INT NOT NULL,
    [LeaseToken] BIGINT NOT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [CreatedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [FetchNextBatchTests].[Actual] (
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [MaxAttempts] INT NULL,
    [LeaseToken] BIGINT NULL,
    [ScheduledAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [Place] INT IDENTITY(1, 1) NOT NULL
);
GO

CREATE PROCEDURE [FetchNextBatchTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[QueueGates]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[Queues] ([Name])
    VALUES ('mail');

    INSERT INTO [chokaq].[QueueGates] ([Queue])
    VALUES ('mail');
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[AddQueue]
    @Name VARCHAR(255),
    @MaxWorkers INT = NULL,
    @IsPaused BIT = 0,
    @IsActive BIT = 1
AS
BEGIN
    INSERT INTO [chokaq].[Queues] ([Name], [MaxWorkers], [IsPaused], [IsActive])
    VALUES (@Name, @MaxWorkers, @IsPaused, @IsActive);

    INSERT INTO [chokaq].[QueueGates] ([Queue])
    VALUES (@Name);
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[AddJob]
    @Id VARCHAR(50),
    @Queue VARCHAR(255) = 'mail',
    @Priority INT = 10,
    @SecondsDue INT = 60,
    @Status TINYINT = 0
AS
BEGIN
    /* Due since so many seconds; below zero: not yet. */
    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Priority],
        [Status],
        [WorkerId],
        [HeartbeatUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [LastUpdatedUtc]
    )
    VALUES (
        @Id,
        @Queue,
        'welcome',
        @Priority,
        @Status,
        CASE WHEN @Status > 0 THEN 'w0' END,
        CASE WHEN @Status > 0 THEN SYSUTCDATETIME() END,
        DATEADD(SECOND, -@SecondsDue, SYSUTCDATETIME()),
        '2026-01-01T00:00:00',
        '2026-01-01T00:00:00'
    );
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[Fetch]
    @Limit INT = 10,
    @Queues NVARCHAR(MAX) = NULL,
    @WorkerId VARCHAR(100) = 'w1'
AS
BEGIN
    INSERT INTO [FetchNextBatchTests].[Actual] (
        [JobId],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [CreatedBy]
    )
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = @WorkerId, @Limit = @Limit, @Queues = @Queues;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[AssertClaimed] @Expected NVARCHAR(MAX)
AS
BEGIN
    /* The ids that Fetch returned, in their order; an empty text: none. */
    DECLARE @Claimed NVARCHAR(MAX);

    SELECT @Claimed = STRING_AGG([a].[JobId], ',') WITHIN GROUP (ORDER BY [a].[Place])
    FROM [FetchNextBatchTests].[Actual] AS [a];
    SET @Claimed = COALESCE(@Claimed, N'');
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Expected, @Actual = @Claimed;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims a due job]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Claimed INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';

    UPDATE [chokaq].[JobsHot]
    SET [LeaseToken] = 7, [AttemptCount] = 2, [StartedAtUtc] = '2026-01-01T00:00:00';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'a';
    SELECT @Claimed = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Status] = 1
        AND [h].[WorkerId] = 'w1'
        AND [h].[LeaseToken] = 8
        AND [h].[AttemptCount] = 2
        AND [h].[HeartbeatUtc] >= @Before
        AND [h].[StartedAtUtc] IS NULL
        AND [h].[LastUpdatedUtc] >= @Before
        AND [h].[LastModifiedBy] = 'w1';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Claimed;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch returns the whole job with the new lease]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [CreatedBy]
    )
    VALUES (
        'a',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        33,
        2,
        5,
        9000000000,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.7654321',
        'ann'
    );

    INSERT INTO [FetchNextBatchTests].[ExpectedJob] (
        [JobId],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [CreatedBy]
    )
    VALUES (
        'a',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        33,
        2,
        5,
        9000000001,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.7654321',
        'ann'
    );

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[FetchNextBatchTests].[ExpectedJob]',
        @Actual = N'[FetchNextBatchTests].[Actual]';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch returns the attempts of the queue where the job has none of its own]
AS
BEGIN
    /* Assemble */
    DECLARE @MaxAttempts INT;

    UPDATE [chokaq].[Queues]
    SET [MaxAttempts] = 17;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    SELECT @MaxAttempts = [a].[MaxAttempts] FROM [FetchNextBatchTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 17, @Actual = @MaxAttempts;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch returns no row where nothing is due]
AS
BEGIN
    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[FetchNextBatchTests].[Actual]';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch leaves a job that is scheduled for later]
AS
BEGIN
    /* Assemble */
    DECLARE @Pending INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'later', @SecondsDue = -3600;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'due';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'due';
    SELECT @Pending = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'later' AND [h].[Status] = 0 AND [h].[LeaseToken] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Pending;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims no job twice]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'b';
    EXECUTE [FetchNextBatchTests].[Fetch] @WorkerId = 'w1';

    DELETE FROM [FetchNextBatchTests].[Actual];

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @WorkerId = 'w2';

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch leaves claimed and running jobs to their workers]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'claimed', @Status = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running', @Status = 2;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
    SELECT @Kept = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[WorkerId] = 'w0' AND [h].[LeaseToken] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims no more than the limit]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'b', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'c', @SecondsDue = 10;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 2;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'a,b';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims one job when the limit is one]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a', @SecondsDue = 10;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'b', @SecondsDue = 20;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 1;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'b';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch takes the oldest of a queue first]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a', @SecondsDue = 10;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'b', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'c', @SecondsDue = 20;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'b,c,a';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch takes jobs of one moment by their creation]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [ScheduledAtUtc], [CreatedAtUtc])
    VALUES
        ('a', 'mail', '2026-01-02T00:00:00', '2026-01-01T00:00:03'),
        ('b', 'mail', '2026-01-02T00:00:00', '2026-01-01T00:00:01'),
        ('c', 'mail', '2026-01-02T00:00:00', '2026-01-01T00:00:02');

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'b,c,a';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch takes higher priority first]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'low', @Priority = 0, @SecondsDue = 300;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'high', @Priority = 100, @SecondsDue = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'middle', @Priority = 50, @SecondsDue = 30;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'high,middle,low';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch takes higher priority first over all queues]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm10', @Queue = 'mail', @Priority = 10, @SecondsDue = 300;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p20', @Queue = 'print', @Priority = 20, @SecondsDue = 200;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm30', @Queue = 'mail', @Priority = 30, @SecondsDue = 100;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p40', @Queue = 'print', @Priority = 40, @SecondsDue = 1;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 3;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'p40,m30,p20';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch reaches past jobs of higher priority that are not due]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'later', @Priority = 90, @SecondsDue = -3600;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'due', @Priority = 1;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'due';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch shares a batch among queues of equal priority]
AS
BEGIN
    /* Assemble */
    DECLARE @Mail INT;
    DECLARE @Print INT;

    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail', @SecondsDue = 500;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm2', @Queue = 'mail', @SecondsDue = 400;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm3', @Queue = 'mail', @SecondsDue = 300;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p2', @Queue = 'print', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p3', @Queue = 'print', @SecondsDue = 10;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 4;

    /* Assert */
    SELECT @Mail = COUNT(*) FROM [FetchNextBatchTests].[Actual] AS [a] WHERE [a].[JobId] IN ('m1', 'm2');
    SELECT @Print = COUNT(*) FROM [FetchNextBatchTests].[Actual] AS [a] WHERE [a].[JobId] IN ('p1', 'p2');
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Mail;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Print;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch gives the odd place to the queue with the oldest job]
AS
BEGIN
    /* Assemble */
    DECLARE @Print INT;

    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm2', @Queue = 'mail', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @SecondsDue = 500;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p2', @Queue = 'print', @SecondsDue = 400;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 3;

    /* Assert */
    SELECT @Print = COUNT(*) FROM [FetchNextBatchTests].[Actual] AS [a] WHERE [a].[Queue] = 'print';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Print;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch gives what a queue cannot use to the others]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail', @SecondsDue = 500;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @SecondsDue = 40;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p2', @Queue = 'print', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p3', @Queue = 'print', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p4', @Queue = 'print', @SecondsDue = 10;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 4;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm1,p1,p2,p3';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch fills a batch from lower priorities]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a', @Priority = 30, @SecondsDue = 10;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'b', @Priority = 20, @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'c', @Priority = 20, @SecondsDue = 10;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'd', @Priority = 10, @SecondsDue = 99;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 3;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'a,b,c';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch skips a paused queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @IsPaused = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p', @Queue = 'print', @Priority = 90;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm', @Queue = 'mail';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch skips a queue that is out of service]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @IsActive = 0;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p', @Queue = 'print', @Priority = 90;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm', @Queue = 'mail';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch skips a paused queue that is asked for by name]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @IsPaused = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p', @Queue = 'print';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Queues = N'["print"]';

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims from the named queues alone]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print';
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'scan';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm', @Queue = 'mail', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p', @Queue = 'print', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 's', @Queue = 'scan', @SecondsDue = 10;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Queues = N'["scan","mail","mail","no such queue"]';

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm,s';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims nothing when no queue is named]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Queues = N'[]';

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch passes over a name outside the code page]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = '?';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'q', @Queue = '?';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Queues = N'["ж"]';

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch leaves room for the claimed and running jobs of a limited queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 4;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'claimed', @Queue = 'print', @Status = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running', @Queue = 'print', @Status = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @SecondsDue = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p2', @Queue = 'print', @SecondsDue = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p3', @Queue = 'print', @SecondsDue = 10;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'p1,p2';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims nothing from a limited queue that is full]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running', @Queue = 'print', @Status = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @Priority = 90;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm1';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims nothing from a queue whose limit was lowered below what runs]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running 1', @Queue = 'print', @Status = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running 2', @Queue = 'print', @Status = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch claims nothing from a queue limited to zero]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 0;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch keeps to the limit over all priorities of a queue]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print', @Priority = 30;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p2', @Queue = 'print', @Priority = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p3', @Queue = 'print', @Priority = 10;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail', @Priority = 5;

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'p1,p2,m1';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch does not count the running jobs of other queues]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'running', @Queue = 'mail', @Status = 2;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'p1';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch passes the gate of a limited queue and no other]
AS
BEGIN
    /* Assemble */
    DECLARE @Passes BIGINT;
    DECLARE @OtherPasses BIGINT;

    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 1;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    SELECT @Passes = [g].[Passes] FROM [chokaq].[QueueGates] AS [g] WHERE [g].[Queue] = 'print';
    SELECT @OtherPasses = [g].[Passes] FROM [chokaq].[QueueGates] AS [g] WHERE [g].[Queue] = 'mail';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Passes;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @OtherPasses;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch leaves a limited queue alone whose gate it does not get]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddQueue] @Name = 'print', @MaxWorkers = 5;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'p1', @Queue = 'print';
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'm1', @Queue = 'mail';

    DELETE FROM [chokaq].[QueueGates];

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch];

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'm1';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch accepts the highest limit]
AS
BEGIN
    /* Assemble */
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [FetchNextBatchTests].[Fetch] @Limit = 1000;

    /* Assert */
    EXECUTE [FetchNextBatchTests].[AssertClaimed] @Expected = N'a';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses a limit of zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'FetchNextBatch:%@Limit%';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 0;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses a limit above 1000]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 1001;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses NULL for the limit]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = NULL;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses a call without a worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'FetchNextBatch: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = NULL, @Limit = 10;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses an empty worker]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = '', @Limit = 10;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses a worker longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @WorkerId NVARCHAR(4000) = REPLICATE(N'w', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'FetchNextBatch: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = @WorkerId, @Limit = 10;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses a worker outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'FetchNextBatch: @WorkerId%';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = N'ж', @Limit = 10;
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses an object whose keys look like places of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10, @Queues = N'{"0":"[mail]"}';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses queues that are no texts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10, @Queues = N'["mail",1]';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses queues that are not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51000,
        @ExpectedMessagePattern = N'FetchNextBatch: @Queues%';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10, @Queues = N'mail';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch refuses queues that are not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10, @Queues = N'{"queue":"mail"}';
END;
GO

CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Claimed INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'a';

    /* Act */
    EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Claimed = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 1;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Claimed;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [FetchNextBatchTests].[test FetchNextBatch alone takes everything back when it fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Pending INT;

    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'first', @Priority = 20;
    EXECUTE [FetchNextBatchTests].[AddJob] @Id = 'last', @Priority = 10;

    /* No lease follows this one: the claim of the second level overflows. */
    UPDATE [chokaq].[JobsHot]
    SET [LeaseToken] = 9223372036854775807
    WHERE [Id] = 'last';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[FetchNextBatch] @WorkerId = 'w1', @Limit = 10;
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Pending = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Status] = 0;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 8115, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Pending;
END;
GO
