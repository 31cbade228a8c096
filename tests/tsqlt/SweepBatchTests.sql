SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'SweepBatchTests';
GO

CREATE TABLE [SweepBatchTests].[Expected] (
    [Id] VARCHAR(50) NOT NULL,
    [Status] TINYINT NOT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL,
    [AttemptCount] INT NOT NULL
);
GO

CREATE PROCEDURE [SweepBatchTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Queues]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricBuckets]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[Queues] (
        [Name],
        [ZombieTimeoutSeconds],
        [ZombieAction],
        [MaxAttempts],
        [RetryBaseSeconds],
        [RetryMultiplier],
        [RetryMaxSeconds],
        [RetryJitterPercent]
    )
    VALUES
        ('bury', NULL, 0, 3, 10, 2, 3600, 0),
        ('retry', NULL, 1, 3, 10, 2, 3600, 0),
        ('patient', 86400, 0, 3, 10, 2, 3600, 0);

    UPDATE [chokaq].[Settings]
    SET [FetchedTimeoutSeconds] = 60, [ZombieTimeoutSeconds] = 120
    WHERE [Id] = 1;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[Add]
    @Id VARCHAR(50),
    @Queue VARCHAR(255),
    @Status TINYINT,
    @Age INT,
    @AttemptCount INT = 1
AS
BEGIN
    DECLARE @At DATETIME2(7) = DATEADD(SECOND, -@Age, SYSUTCDATETIME());

    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Priority],
        [Status],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc]
    )
    VALUES (
        @Id,
        @Queue,
        'send',
        10,
        @Status,
        @AttemptCount,
        'w1',
        5,
        @At,
        '2026-01-01T00:00:00',
        '2026-01-01T00:00:00',
        CASE WHEN @Status = 2 THEN @At END,
        @At
    );
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch gives a claimed job back that was never started]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'bury', @Status = 1, @Age = 70, @AttemptCount = 0;
    EXECUTE [SweepBatchTests].[Add] @Id = 'fresh', @Queue = 'bury', @Status = 1, @Age = 50, @AttemptCount = 0;

    INSERT INTO [SweepBatchTests].[Expected] ([Id], [Status], [WorkerId], [LeaseToken], [AttemptCount])
    VALUES
        ('late', 0, NULL, 5, 0),
        ('fresh', 1, 'w1', 5, 0);

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[SweepBatchTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Recovered;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Buried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Retried;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch keeps the place of a job that it gives back]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @Kept INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'bury', @Status = 1, @Age = 70, @AttemptCount = 0;

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] = '2026-01-01T00:00:00'
        AND [h].[HeartbeatUtc] IS NULL
        AND [h].[LastModifiedBy] = 'SweepZombies';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch buries a running job without a heartbeat]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @Dead INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'bury', @Status = 2, @Age = 130;
    EXECUTE [SweepBatchTests].[Add] @Id = 'fresh', @Queue = 'bury', @Status = 2, @Age = 110;

    INSERT INTO [SweepBatchTests].[Expected] ([Id], [Status], [WorkerId], [LeaseToken], [AttemptCount])
    VALUES ('fresh', 2, 'w1', 5, 1);

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[SweepBatchTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    SELECT @Dead = COUNT(*)
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[Id] = 'late'
        AND [d].[FailureReason] = 2
        AND [d].[WorkerId] = 'w1'
        AND [d].[LeaseToken] = 5
        AND [d].[ErrorDetails] LIKE N'No heartbeat since %w1.';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Dead;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Recovered;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Buried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Retried;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch retries a zombie where the queue says so]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @Later INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'retry', @Status = 2, @Age = 130;

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    SELECT @Later = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'late' AND [h].[Status] = 0 AND [h].[ScheduledAtUtc] > [h].[LastUpdatedUtc];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Later;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Buried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Retried;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch buries a zombie that has no attempts left]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'retry', @Status = 2, @Age = 130, @AttemptCount = 3;

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Buried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Retried;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch follows the timeout of the queue]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'patient', @Status = 2, @Age = 80000;

    INSERT INTO [SweepBatchTests].[Expected] ([Id], [Status], [WorkerId], [LeaseToken], [AttemptCount])
    VALUES ('late', 2, 'w1', 5, 1);

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[SweepBatchTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Buried;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch takes as many of each kind as the batch has the stalest first]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'claimed 1', @Queue = 'bury', @Status = 1, @Age = 300, @AttemptCount = 0;
    EXECUTE [SweepBatchTests].[Add] @Id = 'claimed 2', @Queue = 'bury', @Status = 1, @Age = 400, @AttemptCount = 0;
    EXECUTE [SweepBatchTests].[Add] @Id = 'running 1', @Queue = 'bury', @Status = 2, @Age = 300;
    EXECUTE [SweepBatchTests].[Add] @Id = 'running 2', @Queue = 'bury', @Status = 2, @Age = 400;

    INSERT INTO [SweepBatchTests].[Expected] ([Id], [Status], [WorkerId], [LeaseToken], [AttemptCount])
    VALUES
        ('claimed 1', 1, 'w1', 5, 0),
        ('claimed 2', 0, NULL, 5, 0),
        ('running 1', 2, 'w1', 5, 1);

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 1,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[SweepBatchTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Recovered;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Buried;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch leaves pending jobs alone and gives zeros]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT = 7;
    DECLARE @Buried INT = 7;
    DECLARE @Retried INT = 7;

    INSERT INTO [chokaq].[JobsHot] ([Id], [Queue], [Status], [LeaseToken], [AttemptCount], [LastUpdatedUtc])
    VALUES ('pending', 'bury', 0, 0, 0, '2026-01-01T00:00:00');

    INSERT INTO [SweepBatchTests].[Expected] ([Id], [Status], [WorkerId], [LeaseToken], [AttemptCount])
    VALUES ('pending', 0, NULL, 0, 0);

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[SweepBatchTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Recovered;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Buried;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Retried;
END;
GO

CREATE PROCEDURE [SweepBatchTests].[test SweepBatch counts a zombie as a failure of its own group]
AS
BEGIN
    /* Assemble */
    DECLARE @Recovered INT;
    DECLARE @Buried INT;
    DECLARE @Retried INT;
    DECLARE @Counted BIGINT;

    EXECUTE [SweepBatchTests].[Add] @Id = 'late', @Queue = 'bury', @Status = 2, @Age = 130;

    /* Act */
    EXECUTE [chokaq].[SweepBatch]
        @BatchSize = 10,
        @Recovered = @Recovered OUTPUT,
        @Buried = @Buried OUTPUT,
        @Retried = @Retried OUTPUT;

    /* Assert */
    SELECT @Counted = SUM([m].[SampleCount])
    FROM [chokaq].[MetricSeries] AS [m]
    WHERE [m].[Measure] = 2 AND [m].[Type] = 'No heartbeat' AND [m].[Outcome] = 1 AND [m].[FailureReason] = 2;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Counted;
END;
GO
