SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ListArchiveTests';
GO

CREATE TABLE [ListArchiveTests].[ExpectedIds] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL
);
GO

CREATE TABLE [ListArchiveTests].[Expected] (
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FinishedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL
);
GO

CREATE TABLE [ListArchiveTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FinishedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL
);
GO

CREATE PROCEDURE [ListArchiveTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsArchive]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsArchive] ([Id], [FinishedAtUtc], [Queue], [Type], [Tags])
    VALUES
        ('a', '2026-01-02T00:00:00', 'mail', 'send', 'red,50%_[x]'),
        ('b', '2026-01-04T00:00:00', 'mail', 'read', 'blue'),
        ('c', '2026-01-04T00:00:00', 'web', 'send', NULL),
        ('d', '2026-01-01T00:00:00', 'web', 'read', NULL),
        ('e', '2026-01-05T00:00:00', 'web', 'read', NULL);
END;
GO

CREATE PROCEDURE [ListArchiveTests].[List]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @Tag VARCHAR(1000) = NULL,
    @FinishedFromUtc DATETIME2(7) = NULL,
    @BeforeUtc DATETIME2(7) = NULL,
    @BeforeId VARCHAR(50) = NULL,
    @PageSize INT = 100
AS
BEGIN
    INSERT INTO [ListArchiveTests].[Actual] (
        [JobId],
        [Queue],
        [Type],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FinishedAtUtc],
        [DurationMs],
        [WaitMs],
        [Tags],
        [IdempotencyKey]
    )
    EXECUTE [chokaq].[ListArchive]
        @Queue = @Queue,
        @Type = @Type,
        @Tag = @Tag,
        @FinishedFromUtc = @FinishedFromUtc,
        @BeforeUtc = @BeforeUtc,
        @BeforeId = @BeforeId,
        @PageSize = @PageSize;
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive shows a row as it is]
AS
BEGIN
    /* Assemble */
    DELETE FROM [chokaq].[JobsArchive];

    INSERT INTO [chokaq].[JobsArchive] (
        [Id],
        [Queue],
        [Type],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FinishedAtUtc],
        [DurationMs],
        [WaitMs],
        [Tags],
        [IdempotencyKey]
    )
    VALUES (
        'x',
        'mail',
        'send',
        77,
        3,
        'w1',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        1.5,
        2.5,
        'red',
        'key'
    );

    INSERT INTO [ListArchiveTests].[Expected] (
        [JobId],
        [Queue],
        [Type],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FinishedAtUtc],
        [DurationMs],
        [WaitMs],
        [Tags],
        [IdempotencyKey]
    )
    VALUES (
        'x',
        'mail',
        'send',
        77,
        3,
        'w1',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        1.5,
        2.5,
        'red',
        'key'
    );

    /* Act */
    EXECUTE [ListArchiveTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[Expected]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive gives the newest first and equal moments by id]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c'),
        (3, 'b'),
        (4, 'a'),
        (5, 'd');

    /* Act */
    EXECUTE [ListArchiveTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive gives as many as the page has]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @PageSize = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive goes on after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive goes on after a row that has gone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'bb';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive ends after the last row]
AS
BEGIN
    /* Act */
    EXECUTE [ListArchiveTests].[List] @BeforeUtc = '2026-01-01T00:00:00', @BeforeId = 'd';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @Queue = 'MAIL';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive filters by type]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'c'),
        (2, 'a');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @Type = 'send';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive filters a page after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'b');

    /* Act */
    EXECUTE [ListArchiveTests].[List]
        @Queue = 'mail',
        @BeforeUtc = '2026-01-04T00:00:00',
        @BeforeId = 'c',
        @PageSize = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive finds nothing in an unknown queue]
AS
BEGIN
    /* Act */
    EXECUTE [ListArchiveTests].[List] @Queue = 'mai';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive filters by the moment and takes it in]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c'),
        (3, 'b');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @FinishedFromUtc = '2026-01-04T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive filters by tag]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @Tag = 'RED';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive takes the characters of a pattern in a tag as they are]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @Tag = '50%_[x]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive knows no pattern for any one character in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListArchiveTests].[List] @Tag = 'r_d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive knows no pattern for any characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListArchiveTests].[List] @Tag = 'r%d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive knows no set of characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListArchiveTests].[List] @Tag = '[r]ed';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive refuses a page of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListArchive: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListArchive] @PageSize = 0;
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive refuses a page of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListArchive: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListArchive] @PageSize = 1001;
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive refuses NULL for the size of a page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'ListArchive: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListArchive] @PageSize = NULL;
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive knows the row of a moment that the client cut to microseconds]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsArchive]
    SET [FinishedAtUtc] = '2026-01-04T00:00:00.1234567';

    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @BeforeUtc = '2026-01-04T00:00:00.123456', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListArchiveTests].[test ListArchive takes a moment as it is when its row has moved on]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsArchive]
    SET [FinishedAtUtc] = '2026-01-09T00:00:00'
    WHERE [Id] = 'c';

    INSERT INTO [ListArchiveTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListArchiveTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListArchiveTests].[ExpectedIds]',
        @Actual = N'[ListArchiveTests].[Actual]';
END;
GO
