SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ListActiveJobsTests';
GO

CREATE TABLE [ListActiveJobsTests].[ExpectedIds] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL
);
GO

CREATE TABLE [ListActiveJobsTests].[Expected] (
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Status] TINYINT NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NULL,
    [ScheduledAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL
);
GO

CREATE TABLE [ListActiveJobsTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Status] TINYINT NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NULL,
    [ScheduledAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL
);
GO

CREATE PROCEDURE [ListActiveJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsHot] ([Id], [CreatedAtUtc], [Queue], [Type], [Status])
    VALUES
        ('a', '2026-01-02T00:00:00', 'mail', 'send', 0),
        ('b', '2026-01-04T00:00:00', 'mail', 'read', 1),
        ('c', '2026-01-04T00:00:00', 'web', 'send', 2),
        ('d', '2026-01-01T00:00:00', 'web', 'read', 0),
        ('e', '2026-01-05T00:00:00', 'web', 'read', 0);
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[List]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Status TINYINT = NULL,
    @BeforeUtc DATETIME2(7) = NULL,
    @BeforeId VARCHAR(50) = NULL,
    @PageSize INT = 100
AS
BEGIN
    INSERT INTO [ListActiveJobsTests].[Actual] (
        [JobId],
        [Queue],
        [Type],
        [Status],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [Tags],
        [IdempotencyKey]
    )
    EXECUTE [chokaq].[ListActiveJobs]
        @Queue = @Queue,
        @Type = @Type,
        @Status = @Status,
        @BeforeUtc = @BeforeUtc,
        @BeforeId = @BeforeId,
        @PageSize = @PageSize;
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs shows a row as it is]
AS
BEGIN
    /* Assemble */
    DELETE FROM [chokaq].[JobsHot];

    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Queue],
        [Type],
        [Status],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [Tags],
        [IdempotencyKey]
    )
    VALUES (
        'x',
        'mail',
        'send',
        2,
        77,
        3,
        'w1',
        9,
        '2026-01-01T00:00:00.1234567',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-04T00:00:00.1234567',
        '2026-01-05T00:00:00.1234567',
        'red',
        'key'
    );

    INSERT INTO [ListActiveJobsTests].[Expected] (
        [JobId],
        [Queue],
        [Type],
        [Status],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [LeaseToken],
        [ScheduledAtUtc],
        [CreatedAtUtc],
        [StartedAtUtc],
        [HeartbeatUtc],
        [CancelRequestedUtc],
        [Tags],
        [IdempotencyKey]
    )
    VALUES (
        'x',
        'mail',
        'send',
        2,
        77,
        3,
        'w1',
        9,
        '2026-01-01T00:00:00.1234567',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-04T00:00:00.1234567',
        '2026-01-05T00:00:00.1234567',
        'red',
        'key'
    );

    /* Act */
    EXECUTE [ListActiveJobsTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[Expected]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs gives the newest first and equal moments by id]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c'),
        (3, 'b'),
        (4, 'a'),
        (5, 'd');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs gives as many as the page has]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @PageSize = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs goes on after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs goes on after a row that has gone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'bb';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs ends after the last row]
AS
BEGIN
    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @BeforeUtc = '2026-01-01T00:00:00', @BeforeId = 'd';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @Queue = 'MAIL';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs filters by type]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'c'),
        (2, 'a');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @Type = 'send';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs filters a page after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'b');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List]
        @Queue = 'mail',
        @BeforeUtc = '2026-01-04T00:00:00',
        @BeforeId = 'c',
        @PageSize = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs finds nothing in an unknown queue]
AS
BEGIN
    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @Queue = 'mai';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs filters by status]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'b');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @Status = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs filters by the lowest status]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @Status = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs refuses a page of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListActiveJobs: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListActiveJobs] @PageSize = 0;
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs refuses a page of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListActiveJobs: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListActiveJobs] @PageSize = 1001;
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs refuses NULL for the size of a page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListActiveJobs: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListActiveJobs] @PageSize = NULL;
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs knows the row of a moment that the client cut to microseconds]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsHot]
    SET [CreatedAtUtc] = '2026-01-04T00:00:00.1234567';

    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @BeforeUtc = '2026-01-04T00:00:00.123456', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListActiveJobsTests].[test ListActiveJobs takes a moment as it is when its row has moved on]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsHot]
    SET [CreatedAtUtc] = '2026-01-09T00:00:00'
    WHERE [Id] = 'c';

    INSERT INTO [ListActiveJobsTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListActiveJobsTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListActiveJobsTests].[ExpectedIds]',
        @Actual = N'[ListActiveJobsTests].[Actual]';
END;
GO
