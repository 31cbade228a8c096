SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'EditPendingJobTests';
GO

CREATE TABLE [EditPendingJobTests].[Expected] (
    [Id] VARCHAR(50) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [Priority] INT NOT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [MaxAttempts] INT NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [EditPendingJobTests].[ExpectedAnswer] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [EditPendingJobTests].[Answer] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [EditPendingJobTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsHot] (
        [Id],
        [Payload],
        [Tags],
        [Priority],
        [Status],
        [ScheduledAtUtc],
        [MaxAttempts],
        [LastUpdatedUtc],
        [LastModifiedBy]
    )
    VALUES
        ('a', N'old', 'red', 5, 0, '2026-01-01T00:00:00', 3, '2026-01-01T00:00:00', 'shop'),
        ('claimed', N'old', 'red', 5, 1, '2026-01-01T00:00:00', 3, '2026-01-01T00:00:00', 'shop'),
        ('running', N'old', 'red', 5, 2, '2026-01-01T00:00:00', 3, '2026-01-01T00:00:00', 'shop');
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob changes what it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EditPendingJobTests].[Expected] (
        [Id],
        [Payload],
        [Tags],
        [Priority],
        [ScheduledAtUtc],
        [MaxAttempts],
        [LastModifiedBy]
    )
    VALUES
        ('a', N'new', 'blue', 0, '2027-01-01T00:00:00.1234567', 9, 'op'),
        ('claimed', N'old', 'red', 5, '2026-01-01T00:00:00', 3, 'shop'),
        ('running', N'old', 'red', 5, '2026-01-01T00:00:00', 3, 'shop');

    /* Act */
    EXECUTE [chokaq].[EditPendingJob]
        @JobId = 'a',
        @Payload = N'new',
        @Tags = N'blue',
        @Priority = 0,
        @ScheduledAtUtc = '2027-01-01T00:00:00.1234567',
        @MaxAttempts = 9,
        @EditedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EditPendingJobTests].[Expected]',
        @Actual = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob leaves what it is not given]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Priority = 100, @EditedBy = 'op';

    /* Assert */
    SELECT @Kept = COUNT(*)
    FROM [chokaq].[JobsHot] AS [h]
    WHERE [h].[Id] = 'a'
        AND [h].[Payload] = N'old'
        AND [h].[Tags] = 'red'
        AND [h].[Priority] = 100
        AND [h].[ScheduledAtUtc] = '2026-01-01T00:00:00'
        AND [h].[MaxAttempts] = 3;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob stamps the change]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Priority = 100;

    /* Assert */
    SELECT @Stamped = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Id] = 'a' AND [h].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob changes no job that is claimed or running]
AS
BEGIN
    /* Assemble */
    DECLARE @Kept INT;

    INSERT INTO [EditPendingJobTests].[ExpectedAnswer] ([JobId], [Outcome])
    VALUES
        ('a', 'edited'),
        ('claimed', 'not-pending'),
        ('running', 'not-pending'),
        ('nowhere', 'not-found');

    /* Act */
    INSERT INTO [EditPendingJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Priority = 1;

    INSERT INTO [EditPendingJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'claimed', @Priority = 1;

    INSERT INTO [EditPendingJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'running', @Priority = 1;

    INSERT INTO [EditPendingJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'nowhere', @Priority = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EditPendingJobTests].[ExpectedAnswer]',
        @Actual = N'[EditPendingJobTests].[Answer]';
    SELECT @Kept = COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Priority] = 5;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 2, @Actual = @Kept;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses tags that are too long]
AS
BEGIN
    /* Assemble */
    DECLARE @Tags NVARCHAR(4000) = REPLICATE(N'x', 1001);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004, @ExpectedMessagePattern = N'EditPendingJob:%tags%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Tags = @Tags;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses tags outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005, @ExpectedMessagePattern = N'EditPendingJob:%tags%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Tags = N'ж';
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses a priority out of range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditPendingJob:%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @Priority = 101;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses no attempts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditPendingJob:%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @MaxAttempts = 0;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses too many attempts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditPendingJob:%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = 'a', @MaxAttempts = 1001;
END;
GO

CREATE PROCEDURE [EditPendingJobTests].[test EditPendingJob refuses NULL for the job]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditPendingJob:%';

    /* Act */
    EXECUTE [chokaq].[EditPendingJob] @JobId = NULL;
END;
GO
