SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ActOnDlqTests';
GO

CREATE TABLE [ActOnDlqTests].[ExpectedIds] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [MatchCount] BIGINT NOT NULL
);
GO

CREATE TABLE [ActOnDlqTests].[Preview_] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [MatchCount] BIGINT NULL,
    [JobId] VARCHAR(50) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [FailureReason] INT NULL,
    [FailedAtUtc] DATETIME2(7) NULL,
    [CreatedAtUtc] DATETIME2(7) NULL,
    [AttemptCount] INT NULL,
    [Tags] VARCHAR(1000) NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL
);
GO

CREATE TABLE [ActOnDlqTests].[ExpectedRow] (
    [MatchCount] BIGINT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [FailureReason] INT NOT NULL,
    [FailedAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [AttemptCount] INT NOT NULL,
    [Tags] VARCHAR(1000) NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL
);
GO

CREATE TABLE [ActOnDlqTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [ActOnDlqTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [ActOnDlqTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] (
        [Id],
        [Queue],
        [Type],
        [Tags],
        [Priority],
        [AttemptCount],
        [LeaseToken],
        [CreatedAtUtc],
        [FailedAtUtc],
        [FailureReason],
        [ErrorDetails]
    )
    VALUES
        ('a', 'web', 'read', NULL, 10, 1, 1, '2026-01-01T12:00:00', '2026-01-02T05:00:00', 6, NULL),
        ('b', 'mail', 'read', NULL, 10, 1, 1, '2026-01-01T12:00:00', '2026-01-02T04:00:00', 6, NULL),
        ('c', 'web', 'send', NULL, 10, 1, 1, '2026-01-01T12:00:00', '2026-01-02T03:00:00', 6, NULL),
        ('d', 'web', 'read', NULL, 10, 1, 1, '2026-01-01T12:00:00', '2026-01-02T02:00:00', 7, NULL),
        ('e', 'web', 'read', 'red,50%_[x]', 10, 1, 1, '2026-01-01T12:00:00', '2026-01-02T01:00:00', 6, NULL),
        (
            'f',
            'web',
            'read',
            NULL,
            10,
            1,
            1,
            '2026-01-01T12:00:00',
            '2026-01-02T00:00:00',
            6,
            N'Boom: disk full [50%_x]'
        ),
        ('g', 'web', 'read', NULL, 10, 1, 1, '2026-01-01T11:59:59.9999999', '2026-01-02T06:00:00', 6, NULL),
        ('h', 'mail', 'read', 'blue', 10, 1, 1, '2026-01-01T13:00:00', '2026-01-02T07:00:00', 6, NULL);
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[Preview]
    @Queue VARCHAR(255) = NULL,
    @Type VARCHAR(255) = NULL,
    @FailureReason INT = NULL,
    @CreatedFromUtc DATETIME2(7) = NULL,
    @CreatedToUtc DATETIME2(7) = NULL,
    @FailedFromUtc DATETIME2(7) = NULL,
    @FailedToUtc DATETIME2(7) = NULL,
    @Tag VARCHAR(1000) = NULL,
    @Text NVARCHAR(4000) = NULL,
    @MaxJobs INT = 1000
AS
BEGIN
    INSERT INTO [ActOnDlqTests].[Preview_] (
        [MatchCount],
        [JobId],
        [Queue],
        [Type],
        [FailureReason],
        [FailedAtUtc],
        [CreatedAtUtc],
        [AttemptCount],
        [Tags],
        [ErrorDetails]
    )
    EXECUTE [chokaq].[ActOnDlq]
        @Procedure = N'Caller',
        @Action = 'preview',
        @MaxJobs = @MaxJobs,
        @ActedBy = NULL,
        @Queue = @Queue,
        @Type = @Type,
        @FailureReason = @FailureReason,
        @CreatedFromUtc = @CreatedFromUtc,
        @CreatedToUtc = @CreatedToUtc,
        @FailedFromUtc = @FailedFromUtc,
        @FailedToUtc = @FailedToUtc,
        @Tag = @Tag,
        @Text = @Text;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[Act] @Action VARCHAR(10), @Queue VARCHAR(255) = NULL, @MaxJobs INT = 1000
AS
BEGIN
    INSERT INTO [ActOnDlqTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[ActOnDlq]
        @Procedure = N'Caller',
        @Action = @Action,
        @MaxJobs = @MaxJobs,
        @ActedBy = 'op',
        @Queue = @Queue,
        @Type = NULL,
        @FailureReason = NULL,
        @CreatedFromUtc = NULL,
        @CreatedToUtc = NULL,
        @FailedFromUtc = NULL,
        @FailedToUtc = NULL,
        @Tag = NULL,
        @Text = NULL;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq takes everything without a filter]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'f', 8),
        (2, 'e', 8),
        (3, 'd', 8),
        (4, 'c', 8),
        (5, 'b', 8),
        (6, 'a', 8),
        (7, 'g', 8),
        (8, 'h', 8);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by queue]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'b', 2),
        (2, 'h', 2);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Queue = 'mail';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by queue in any case]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'b', 2),
        (2, 'h', 2);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Queue = 'MAIL';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by type]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'c', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Type = 'send';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by reason]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'd', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @FailureReason = 7;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by the lowest reason]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @FailureReason = 0;

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by created at or after]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'f', 7),
        (2, 'e', 7),
        (3, 'd', 7),
        (4, 'c', 7),
        (5, 'b', 7),
        (6, 'a', 7),
        (7, 'h', 7);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @CreatedFromUtc = '2026-01-01T12:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by created before]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'g', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @CreatedToUtc = '2026-01-01T12:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by failed at or after]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'b', 4),
        (2, 'a', 4),
        (3, 'g', 4),
        (4, 'h', 4);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @FailedFromUtc = '2026-01-02T04:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by failed before]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'f', 4),
        (2, 'e', 4),
        (3, 'd', 4),
        (4, 'c', 4);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @FailedToUtc = '2026-01-02T04:00:00';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by tag]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'e', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = 'RED';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq takes the characters of a pattern in a tag as they are]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'e', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = '50%_[x]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq knows no pattern for any one character in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = 'r_d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq knows no pattern for any characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = 'r%d';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq knows no set of characters in a tag]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = '[r]ed';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq filters by text]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'f', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Text = N'DISK';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq takes the characters of a pattern in a text as they are]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'f', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Text = N'[50%_x]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq wants all parts of a filter]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES (1, 'h', 1);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Queue = 'mail', @Tag = 'blue';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq finds nothing where one part does not match]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Queue = 'mail', @Tag = 'red';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq shows a job as it is and cuts the error]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [ErrorDetails] = REPLICATE(N'x', 1000), [AttemptCount] = 4, [Tags] = 'blue'
    WHERE [Id] = 'h';

    INSERT INTO [ActOnDlqTests].[ExpectedRow] (
        [MatchCount],
        [JobId],
        [Queue],
        [Type],
        [FailureReason],
        [FailedAtUtc],
        [CreatedAtUtc],
        [AttemptCount],
        [Tags],
        [ErrorDetails]
    )
    VALUES (1, 'h', 'mail', 'read', 6, '2026-01-02T07:00:00', '2026-01-01T13:00:00', 4, 'blue', REPLICATE(N'x', 400));

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @Tag = 'blue';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedRow]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq counts all that match and shows as many as it may]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'f', 8),
        (2, 'e', 8);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @MaxJobs = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq orders by id where moments are equal]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [FailedAtUtc] = '2026-01-02T00:00:00';

    INSERT INTO [ActOnDlqTests].[ExpectedIds] ([Place], [JobId], [MatchCount])
    VALUES
        (1, 'a', 8),
        (2, 'b', 8),
        (3, 'c', 8);

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview] @MaxJobs = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedIds]',
        @Actual = N'[ActOnDlqTests].[Preview_]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq changes nothing in a preview]
AS
BEGIN
    /* Assemble */
    DECLARE @Left INT;

    /* Act */
    EXECUTE [ActOnDlqTests].[Preview];

    /* Assert */
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 8, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq resurrects the oldest that match in their order]
AS
BEGIN
    /* Assemble */
    DECLARE @Raised INT;

    INSERT INTO [ActOnDlqTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'f', 'resurrected'),
        (2, 'e', 'resurrected'),
        (3, 'd', 'resurrected');

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'resurrect', @Queue = 'web', @MaxJobs = 3;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedAnswer]',
        @Actual = N'[ActOnDlqTests].[Answer]';
    SELECT @Raised = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] IN ('d', 'e', 'f') AND [h].[LastModifiedBy] = 'op';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Raised;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq purges the oldest that match in their order]
AS
BEGIN
    /* Assemble */
    DECLARE @Left INT;

    INSERT INTO [ActOnDlqTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'b', 'purged'),
        (2, 'h', 'purged');

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'purge', @Queue = 'mail';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedAnswer]',
        @Actual = N'[ActOnDlqTests].[Answer]';
    SELECT @Left = COUNT(*) FROM [chokaq].[JobsDLQ];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 6, @Actual = @Left;
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq answers nothing where nothing matches]
AS
BEGIN
    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'purge', @Queue = 'nowhere';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ActOnDlqTests].[Answer]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq refuses a limit of 0]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'purge', @MaxJobs = 0;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq refuses a limit above 1000]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'resurrect', @MaxJobs = 1001;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq refuses NULL for the limit]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'purge', @MaxJobs = NULL;
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq takes jobs whose key is active last in a resurrect]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [IdempotencyKey] = [Id]
    WHERE [Id] IN ('f', 'e');

    INSERT INTO [chokaq].[JobsHot] ([Id], [IdempotencyKey])
    VALUES
        ('newer 1', 'F'),
        ('newer 2', 'e');

    INSERT INTO [ActOnDlqTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'd', 'resurrected'),
        (2, 'c', 'resurrected'),
        (3, 'a', 'resurrected'),
        (4, 'g', 'resurrected'),
        (5, 'f', 'key-active');

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'resurrect', @Queue = 'web', @MaxJobs = 5;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedAnswer]',
        @Actual = N'[ActOnDlqTests].[Answer]';
END;
GO

CREATE PROCEDURE [ActOnDlqTests].[test ActOnDlq does not care for keys in a purge]
AS
BEGIN
    /* Assemble */
    UPDATE [chokaq].[JobsDLQ]
    SET [IdempotencyKey] = [Id];

    INSERT INTO [chokaq].[JobsHot] ([Id], [IdempotencyKey])
    VALUES ('newer', 'f');

    INSERT INTO [ActOnDlqTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES (1, 'f', 'purged');

    /* Act */
    EXECUTE [ActOnDlqTests].[Act] @Action = 'purge', @MaxJobs = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ActOnDlqTests].[ExpectedAnswer]',
        @Actual = N'[ActOnDlqTests].[Answer]';
END;
GO
