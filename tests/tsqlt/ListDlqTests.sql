SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ListDlqTests';
GO

CREATE TABLE [ListDlqTests].[ExpectedIds] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL
);
GO

CREATE TABLE [ListDlqTests].[Expected] (
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [FailureReason] INT NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FailedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL
);
GO

CREATE TABLE [ListDlqTests].[Actual] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [FailureReason] INT NULL,
    [Priority] INT NULL,
    [AttemptCount] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FailedAtUtc] DATETIME2(7) NULL,
    [DurationMs] FLOAT NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL
);
GO

CREATE PROCEDURE [ListDlqTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [FailedAtUtc], [Queue], [Type], [Tags], [FailureReason], [ErrorDetails])
    VALUES
        ('a', '2026-01-02T00:00:00', 'mail', 'send', 'red,50%_[x]', 7, N'Disk full [50%_x]'),
        ('b', '2026-01-04T00:00:00', 'mail', 'read', 'blue', 0, N'disk gone'),
        ('c', '2026-01-04T00:00:00', 'web', 'send', NULL, 6, NULL),
        ('d', '2026-01-01T00:00:00', 'web', 'read', NULL, 6, NULL),
        ('e', '2026-01-05T00:00:00', 'web', 'read', NULL, 6, NULL);
END;
GO

CREATE PROCEDURE [ListDlqTests].[List]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @FailureReason INT = NULL,
    @Tag VARCHAR(1000) = NULL,
    @Text NVARCHAR(4000) = NULL,
    @FailedFromUtc DATETIME2(7) = NULL,
    @BeforeUtc DATETIME2(7) = NULL,
    @BeforeId VARCHAR(50) = NULL,
    @PageSize INT = 100
AS
BEGIN
    INSERT INTO [ListDlqTests].[Actual] (
        [JobId],
        [Queue],
        [Type],
        [FailureReason],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FailedAtUtc],
        [DurationMs],
        [Tags],
        [IdempotencyKey],
        [ErrorDetails]
    )
    EXECUTE [chokaq].[ListDlq]
        @Queue = @Queue,
        @Type = @Type,
        @FailureReason = @FailureReason,
        @Tag = @Tag,
        @Text = @Text,
        @FailedFromUtc = @FailedFromUtc,
        @BeforeUtc = @BeforeUtc,
        @BeforeId = @BeforeId,
        @PageSize = @PageSize;
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq shows a row as it is]
AS
BEGIN
    /* Assemble */
    DELETE FROM [chokaq].[JobsDLQ];

    INSERT INTO [chokaq].[JobsDLQ] (
        [Id],
        [Queue],
        [Type],
        [FailureReason],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FailedAtUtc],
        [DurationMs],
        [Tags],
        [IdempotencyKey],
        [ErrorDetails]
    )
    VALUES (
        'x',
        'mail',
        'send',
        7,
        77,
        3,
        'w1',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        1.5,
        'red',
        'key',
        N'boom'
    );

    INSERT INTO [ListDlqTests].[Expected] (
        [JobId],
        [Queue],
        [Type],
        [FailureReason],
        [Priority],
        [AttemptCount],
        [WorkerId],
        [CreatedAtUtc],
        [StartedAtUtc],
        [FailedAtUtc],
        [DurationMs],
        [Tags],
        [IdempotencyKey],
        [ErrorDetails]
    )
    VALUES (
        'x',
        'mail',
        'send',
        7,
        77,
        3,
        'w1',
        '2026-01-02T00:00:00.1234567',
        '2026-01-03T00:00:00.1234567',
        '2026-01-06T00:00:00.1234567',
        1.5,
        'red',
        'key',
        N'boom'
    );

    /* Act */
    EXECUTE [ListDlqTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[ListDlqTests].[Expected]', @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq gives the newest first and equal moments by id]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c'),
        (3, 'b'),
        (4, 'a'),
        (5, 'd');

    /* Act */
    EXECUTE [ListDlqTests].[List];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq gives as many as the page has]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c');

    /* Act */
    EXECUTE [ListDlqTests].[List] @PageSize = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq goes on after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListDlqTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq goes on after a row that has gone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListDlqTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'bb';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq ends after the last row]
AS
BEGIN
    /* Act */
    EXECUTE [ListDlqTests].[List] @BeforeUtc = '2026-01-01T00:00:00', @BeforeId = 'd';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Queue = 'MAIL';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by type]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'c'),
        (2, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Type = 'send';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters a page after a row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'b');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Queue = 'mail', @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c', @PageSize = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq finds nothing in an unknown queue]
AS
BEGIN
    /* Act */
    EXECUTE [ListDlqTests].[List] @Queue = 'mai';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by the moment and takes it in]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'e'),
        (2, 'c'),
        (3, 'b');

    /* Act */
    EXECUTE [ListDlqTests].[List] @FailedFromUtc = '2026-01-04T00:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by tag]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Tag = 'RED';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq takes the characters of a pattern in a tag as they are]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Tag = '50%_[x]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq knows no pattern for any one character in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListDlqTests].[List] @Tag = 'r_d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq knows no pattern for any characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListDlqTests].[List] @Tag = 'r%d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq knows no set of characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ListDlqTests].[List] @Tag = '[r]ed';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by reason]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @FailureReason = 7;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by the lowest reason]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'b');

    /* Act */
    EXECUTE [ListDlqTests].[List] @FailureReason = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq filters by text]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Text = N'DISK';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq takes the characters of a pattern in a text as they are]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES (1, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @Text = N'[50%_x]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq cuts the error text]
AS
BEGIN
    /* Assemble */
    DECLARE @Characters INT;

    UPDATE [chokaq].[JobsDLQ]
    SET [ErrorDetails] = REPLICATE(N'x', 1000)
    WHERE [Id] = 'a';

    /* Act */
    EXECUTE [ListDlqTests].[List] @Text = N'xxx';

    /* Assert */
    SELECT @Characters = LEN([a].[ErrorDetails]) FROM [ListDlqTests].[Actual] AS [a];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 400, @Actual = @Characters;
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq refuses a page of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'ListDlq: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListDlq] @PageSize = 0;
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq refuses a page of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'ListDlq: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListDlq] @PageSize = 1001;
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq refuses NULL for the size of a page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'ListDlq: @PageSize%';

    /* Act */
    EXECUTE [chokaq].[ListDlq] @PageSize = NULL;
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq knows the row of a moment that the client cut to microseconds]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [FailedAtUtc] = '2026-01-04T00:00:00.1234567';

    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a');

    /* Act */
    EXECUTE [ListDlqTests].[List] @BeforeUtc = '2026-01-04T00:00:00.123456', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO

CREATE PROCEDURE [ListDlqTests].[test ListDlq takes a moment as it is when its row has moved on]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [FailedAtUtc] = '2026-01-09T00:00:00'
    WHERE [Id] = 'c';

    INSERT INTO [ListDlqTests].[ExpectedIds] ([Place], [JobId])
    VALUES
        (1, 'b'),
        (2, 'a'),
        (3, 'd');

    /* Act */
    EXECUTE [ListDlqTests].[List] @BeforeUtc = '2026-01-04T00:00:00', @BeforeId = 'c';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ListDlqTests].[ExpectedIds]',
        @Actual = N'[ListDlqTests].[Actual]';
END;
GO
