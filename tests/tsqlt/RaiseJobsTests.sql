SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RaiseJobsTests';
GO

CREATE TABLE [RaiseJobsTests].[Expected] (
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
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [RaiseJobsTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [RaiseJobsTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [RaiseJobsTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [RaiseJobsTests].[Expected];
    DELETE FROM [RaiseJobsTests].[ExpectedAnswer];
    DELETE FROM [RaiseJobsTests].[Answer];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[StatsSummary]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

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
        [FailedAtUtc],
        [FailureReason],
        [ErrorDetails],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES
        (
            'a',
            'mail',
            'send',
            N'old',
            'red',
            'key',
            77,
            3,
            5,
            'w1',
            9,
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            '2026-01-02T00:00:00',
            0,
            N'boom',
            'shop',
            'w1'
        ),
        (
            'b',
            'mail',
            'send',
            NULL,
            NULL,
            'key',
            10,
            1,
            NULL,
            'w1',
            1,
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            NULL,
            '2026-01-02T00:00:00',
            6,
            NULL,
            NULL,
            NULL
        ),
        (
            'c',
            'mail',
            'send',
            N'kept',
            'kept',
            NULL,
            10,
            1,
            NULL,
            'w1',
            1,
            '2026-01-01T00:00:00',
            '2026-01-01T00:00:00',
            NULL,
            '2026-01-02T00:00:00',
            6,
            NULL,
            NULL,
            NULL
        );
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs makes a dead job pending again as it was]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Left INT;

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES ('a', 1);

    INSERT INTO [RaiseJobsTests].[Expected] (
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
        [CreatedAtUtc],
        [StartedAtUtc],
        [CreatedBy],
        [LastModifiedBy]
    )
    VALUES (
        'a',
        'mail',
        'send',
        N'old',
        'red',
        'key',
        77,
        0,
        0,
        5,
        NULL,
        9,
        NULL,
        NULL,
        '2026-01-01T00:00:00',
        NULL,
        'shop',
        'op'
    );

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[RaiseJobsTests].[Expected]', @Actual = N'[chokaq].[JobsHot]';
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ] AS [d] WHERE [d].[Id] = 'a';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Left;
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs makes the job due now]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Due INT;

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES ('a', 1);

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    SELECT @Due = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[ScheduledAtUtc] BETWEEN @Before AND SYSUTCDATETIME() AND [h].[LastUpdatedUtc] = [h].[ScheduledAtUtc];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Due;
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs changes what the call says]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Changed INT;

    INSERT INTO @Edits ([JobId], [Ordinal], [Payload], [Tags], [Priority], [DelaySeconds])
    VALUES ('a', 1, N'new', 'blue', 0, 60);

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    SELECT @Changed = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Payload] = N'new'
        AND [h].[Tags] = 'blue'
        AND [h].[Priority] = 0
        AND [h].[ScheduledAtUtc] = DATEADD(SECOND, 60, [h].[LastUpdatedUtc]);
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Changed;
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs keeps what the call does not say]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Kept INT;

    INSERT INTO @Edits ([JobId], [Ordinal], [Priority])
    VALUES ('c', 1, 50);

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = NULL;

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'c'
        AND [h].[Payload] = N'kept'
        AND [h].[Tags] = 'kept'
        AND [h].[Priority] = 50
        AND [h].[LastModifiedBy] IS NULL;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs leaves a job whose key is active in the DLQ and says so]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Left INT;

    INSERT INTO [chokaq].[JobsHot] ([Id], [IdempotencyKey])
    VALUES ('newer', 'KEY');

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES
        ('a', 2),
        ('c', 1),
        ('nowhere', 3);

    INSERT INTO [RaiseJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'c', 'resurrected'),
        (2, 'a', 'key-active'),
        (3, 'nowhere', 'not-found');

    /* Act */
    INSERT INTO [RaiseJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RaiseJobsTests].[ExpectedAnswer]',
        @Actual = N'[RaiseJobsTests].[Answer]';
    SELECT @Left = COUNT(*)
    FROM [chokaq].[JobsDLQ] AS [d]
    WHERE [d].[Id] = 'a' AND [d].[LastModifiedBy] = 'w1' AND [d].[Priority] = 77;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Left;
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs brings back the first of two jobs with one key]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES
        ('a', 2),
        ('b', 1);

    INSERT INTO [RaiseJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'b', 'resurrected'),
        (2, 'a', 'key-active');

    /* Act */
    INSERT INTO [RaiseJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RaiseJobsTests].[ExpectedAnswer]',
        @Actual = N'[RaiseJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs does not touch the counters]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES ('a', 1);

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[StatsSummary]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs takes no jobs at all]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];

    /* Act */
    INSERT INTO [RaiseJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[RaiseJobsTests].[Answer]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Open INT;
    DECLARE @Active INT;

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES
        ('a', 1),
        ('c', 2);

    /* Act */
    EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Active;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RaiseJobsTests].[test RaiseJobs alone takes everything back when a job cannot come back]
AS
BEGIN
    /* Assemble */
    DECLARE @Edits [chokaq].[JobEdits];
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Active INT;
    DECLARE @Dead INT;

    /* An active job of the same id, which no procedure would let arise. */
    EXECUTE [tSQLt].[ApplyConstraint] @TableName = N'[chokaq].[JobsHot]', @ConstraintName = N'PK_JobsHot';

    INSERT INTO [chokaq].[JobsHot] ([Id])
    VALUES ('c');

    INSERT INTO @Edits ([JobId], [Ordinal])
    VALUES
        ('a', 1),
        ('c', 2);

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[RaiseJobs] @Edits = @Edits, @RaisedBy = 'op';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Active = COUNT(*) FROM [chokaq].[JobsHot];
    SELECT @Dead = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2627, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Active;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Dead;
END;
GO
