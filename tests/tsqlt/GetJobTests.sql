SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetJobTests';
GO

CREATE TABLE [GetJobTests].[Expected] (
    [Pillar] VARCHAR(10) NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NULL,
    [Status] TINYINT NULL,
    [AttemptCount] INT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NULL,
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [ScheduledAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FinishedAtUtc] DATETIME2(7) NULL,
    [FailedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [FailureReason] INT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [LastUpdatedUtc] DATETIME2(7) NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [GetJobTests].[Actual] (
    [Pillar] VARCHAR(10) NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NULL,
    [Status] TINYINT NULL,
    [AttemptCount] INT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NULL,
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [ScheduledAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FinishedAtUtc] DATETIME2(7) NULL,
    [FailedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [FailureReason] INT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [LastUpdatedUtc] DATETIME2(7) NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE PROCEDURE [GetJobTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]';
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [GetJobTests].[Get] @JobId VARCHAR(50)
AS
BEGIN
    INSERT INTO [GetJobTests].[Actual] (
        [Pillar],
        [JobId],
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
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FinishedAtUtc],
        [FailedAtUtc],
        [DurationMs],
        [WaitMs],
        [FailureReason],
        [ErrorDetails],
        [LastUpdatedUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    EXECUTE [chokaq].[GetJob] @JobId = @JobId;
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob finds an active job with all its columns]
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
        [Status],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        2,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-05T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-07T00:00:00.1234567',
        'ann',
        'bob'
    );

    INSERT INTO [GetJobTests].[Expected] (
        [JobId],
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
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [LastUpdatedUtc],
        [CreatedBy],
        [LastModifiedBy],
        [Pillar]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        2,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-05T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-07T00:00:00.1234567',
        'ann',
        'bob',
        'hot'
    );

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = 'j1';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[GetJobTests].[Expected]', @Actual = N'[GetJobTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob finds an archived job with all its columns]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsArchive] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy],
        [FinishedAtUtc],
        [DurationMs],
        [WaitMs]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        'ann',
        'bob',
        '2026-01-08T00:00:00.1234567',
        12.5,
        0.25
    );

    INSERT INTO [GetJobTests].[Expected] (
        [JobId],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy],
        [FinishedAtUtc],
        [DurationMs],
        [WaitMs],
        [Pillar],
        [LastUpdatedUtc]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        'ann',
        'bob',
        '2026-01-08T00:00:00.1234567',
        12.5,
        0.25,
        'archive',
        '2026-01-08T00:00:00.1234567'
    );

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = 'j1';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[GetJobTests].[Expected]', @Actual = N'[GetJobTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob finds a dead job with all its columns]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsDLQ] (
        [Id],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy],
        [FailedAtUtc],
        [FailureReason],
        [ErrorDetails],
        [DurationMs],
        [WaitMs]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        'ann',
        'bob',
        '2026-01-09T00:00:00.1234567',
        6,
        N'всё плохо',
        12.5,
        0.25
    );

    INSERT INTO [GetJobTests].[Expected] (
        [JobId],
        [Queue],
        [Type],
        [Payload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [AttemptCount],
        [MaxAttempts],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy],
        [FailedAtUtc],
        [FailureReason],
        [ErrorDetails],
        [DurationMs],
        [WaitMs],
        [Pillar],
        [LastUpdatedUtc]
    )
    VALUES (
        'j1',
        'mail',
        'welcome',
        N'{"to":"ж"}',
        'vip',
        'k1',
        20,
        3,
        5,
        'w1',
        9000000000,
        '2026-01-02T00:00:00.1234567',
        '2026-01-01T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        'ann',
        'bob',
        '2026-01-09T00:00:00.1234567',
        6,
        N'всё плохо',
        12.5,
        0.25,
        'dlq',
        '2026-01-09T00:00:00.1234567'
    );

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = 'j1';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[GetJobTests].[Expected]', @Actual = N'[GetJobTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob finds no other job]
AS
BEGIN
    /* Assemble */
    DECLARE @Rows INT;
    DECLARE @JobId VARCHAR(50);

    INSERT INTO [chokaq].[JobsHot] ([Id])
    VALUES
        ('j1'),
        ('j2');

    INSERT INTO [chokaq].[JobsArchive] ([Id])
    VALUES ('j3');

    INSERT INTO [chokaq].[JobsDLQ] ([Id])
    VALUES ('j4');

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = 'j2';

    /* Assert */
    SELECT @Rows = COUNT(*), @JobId = MAX([a].[JobId]) FROM [GetJobTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Rows;
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = N'j2', @Actual = @JobId;
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob returns no row for a job that does not exist]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id])
    VALUES ('j1');

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = 'j9';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetJobTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetJobTests].[test GetJob returns no row for NULL]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[JobsHot] ([Id])
    VALUES ('j1');

    /* Act */
    EXECUTE [GetJobTests].[Get] @JobId = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetJobTests].[Actual]';
END;
GO
