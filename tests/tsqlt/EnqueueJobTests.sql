SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'EnqueueJobTests';
GO

CREATE TABLE [EnqueueJobTests].[ExpectedJob] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [Status] TINYINT NOT NULL,
    [MaxAttempts] INT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [EnqueueJobTests].[Expected] (
    [Ordinal] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [EnqueueJobTests].[Actual] (
    [Ordinal] INT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [EnqueueJobTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[QueueGates]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores a job with everything that it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnqueueJobTests].[ExpectedJob] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [Status],
        [MaxAttempts],
        [ScheduledAtUtc],
        [CreatedBy]
    )
    VALUES ('j1', 'mail', 'welcome', N'hello ж', 'vip,é', 'k1', 42, 0, 7, '2030-01-02T03:04:05.1234567', 'ann');

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @Payload = N'hello ж',
        @Tags = N'vip,é',
        @IdempotencyKey = N'k1',
        @Priority = 42,
        @ScheduledAtUtc = '2030-01-02T03:04:05.1234567',
        @MaxAttempts = 7,
        @CreatedBy = N'ann',
        @JobId = N'j1';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[EnqueueJobTests].[ExpectedJob]', @Actual = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores a job with the defaults]
AS
BEGIN
    /* Assemble */
    DECLARE @Plain INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome';

    /* Assert */
    SELECT @Plain = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Queue] = 'mail'
        AND [h].[Type] = 'welcome'
        AND [h].[Payload] IS NULL
        AND [h].[Tags] IS NULL
        AND [h].[IdempotencyKey] IS NULL
        AND [h].[Priority] = 10
        AND [h].[MaxAttempts] IS NULL
        AND [h].[ScheduledAtUtc] = [h].[CreatedAtUtc]
        AND [h].[CreatedBy] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Plain;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob returns one row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EnqueueJobTests].[Expected] ([Ordinal], [JobId], [Outcome])
    VALUES (0, 'j1', 'enqueued');

    /* Act */
    INSERT INTO [EnqueueJobTests].[Actual] ([Ordinal], [JobId], [Outcome])
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @JobId = N'j1';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EnqueueJobTests].[Expected]',
        @Actual = N'[EnqueueJobTests].[Actual]';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob gives the id that it made]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId NVARCHAR(4000);
    DECLARE @Outcome VARCHAR(20);
    DECLARE @Stored NVARCHAR(4000);

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @JobId = @JobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    /* Assert */
    SELECT @Stored = [h].[Id] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Stored, @Actual = @JobId;
    EXECUTE [tSQLt].[AssertLike] @ExpectedPattern = N'________-____-7___-[89ab]___-____________', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'enqueued', @Actual = @Outcome;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob answers duplicate with the job that has the key]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId NVARCHAR(4000) = N'j1';
    DECLARE @Outcome VARCHAR(20);

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [IdempotencyKey])
    VALUES ('active', 'mail', 'k1');

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @IdempotencyKey = N'k1',
        @JobId = @JobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'active', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'duplicate', @Actual = @Outcome;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob answers exists for an id that any pillar holds]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId NVARCHAR(4000) = N'j1';
    DECLARE @Outcome VARCHAR(20);

    INSERT INTO [chokaq].[JobsArchive] ([Id])
    VALUES ('j1');

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @JobId = @JobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'j1', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'exists', @Actual = @Outcome;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob makes a job eligible after its delay]
AS
BEGIN
    /* Assemble */
    DECLARE @Delay INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @DelaySeconds = 90;

    /* Assert */
    SELECT @Delay = DATEDIFF(SECOND, [h].[CreatedAtUtc], [h].[ScheduledAtUtc]) FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 90, @Actual = @Delay;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores a payload character by character]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Payload NVARCHAR(MAX) = CONCAT(
            N'{"quote":"\"","back":"\\"} / ',
            NCHAR(9),
            NCHAR(13),
            NCHAR(10),
            NCHAR(1),
            N' ж [chokaq]'
        );
    DECLARE @Stored NVARCHAR(MAX);

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Payload = @Payload;

    /* Assert */
    SELECT @Stored = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Payload, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores an empty payload as an empty text]
AS
BEGIN
    /* Assemble */
    DECLARE @Stored NVARCHAR(MAX);

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Payload = N'';

    /* Assert */
    SELECT @Stored = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'', @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores a long payload whole]
AS
BEGIN
    /* Assemble */
    DECLARE @Payload NVARCHAR(MAX) = REPLICATE(CONVERT(NVARCHAR(MAX), N'0123456789'), 2000);
    DECLARE @Stored NVARCHAR(MAX);

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Payload = @Payload;

    /* Assert */
    SELECT @Stored = [h].[Payload] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = @Payload, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob stores quotes and brackets in tags and in the key]
AS
BEGIN
    /* Assemble */
    DECLARE @Tags NVARCHAR(4000);
    DECLARE @IdempotencyKey NVARCHAR(4000);

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @Tags = N'a "b" \c [d]',
        @IdempotencyKey = N'{"k":''1''}';

    /* Assert */
    SELECT @Tags = [h].[Tags], @IdempotencyKey = [h].[IdempotencyKey] FROM [chokaq].[JobsHot] AS [h];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'a "b" \c [d]', @Actual = @Tags;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'{"k":''1''}', @Actual = @IdempotencyKey;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob creates an unknown queue]
AS
BEGIN
    /* Assemble */
    DECLARE @Queues INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome';

    /* Assert */
    SELECT @Queues = COUNT(*) FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = 'mail';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Queues;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob hands on what EnqueueJobs answers]
AS
BEGIN
    /* Assemble */
    DECLARE @JobId NVARCHAR(4000);
    DECLARE @Outcome VARCHAR(20);

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[EnqueueJobs]',
        @CommandToExecute = N'SET @JobId = ''other''; SET @Outcome = ''exists'';';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob]
        @Queue = N'mail',
        @Type = N'welcome',
        @JobId = @JobId OUTPUT,
        @Outcome = @Outcome OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'other', @Actual = @JobId;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'exists', @Actual = @Outcome;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob is undone with the work of its caller]
AS
BEGIN
    /* Assemble */
    SAVE TRANSACTION [BeforeWork];

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome';
    ROLLBACK TRANSACTION [BeforeWork];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome';

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Stored INT;

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Stored = COUNT(*) FROM [chokaq].[JobsHot];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stored;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses NULL for the queue]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = NULL, @Type = N'welcome';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses an empty queue]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'', @Type = N'welcome';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses NULL for the type]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = NULL;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a priority below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column priority:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Priority = -1;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a priority above a hundred]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column priority:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Priority = 101;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a delay below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column delaySeconds:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @DelaySeconds = -1;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses no attempt at all]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column maxAttempts:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @MaxAttempts = 0;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a queue longer than the column instead of cutting]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = @Text, @Type = N'welcome';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a queue outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column queue:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'ж', @Type = N'welcome';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a type longer than the column instead of cutting]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = @Text;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a type outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column type:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'ж';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses tags longer than the column instead of cutting]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 1001);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Tags = @Text;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses tags outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @Tags = N'ж';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a key longer than the column instead of cutting]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 256);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column idempotencyKey:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @IdempotencyKey = @Text;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a key outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column idempotencyKey:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @IdempotencyKey = N'ж';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses an id longer than the column instead of cutting]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 51);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @JobId = @Text;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'EnqueueJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @JobId = N'ж';
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a creator longer than the column]
AS
BEGIN
    /* Assemble */
    DECLARE @Text NVARCHAR(4000) = REPLICATE(N'a', 101);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'EnqueueJobs: @CreatedBy%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @CreatedBy = @Text;
END;
GO

CREATE PROCEDURE [EnqueueJobTests].[test EnqueueJob refuses a creator outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'EnqueueJobs: @CreatedBy%';

    /* Act */
    EXECUTE [chokaq].[EnqueueJob] @Queue = N'mail', @Type = N'welcome', @CreatedBy = N'ж';
END;
GO
