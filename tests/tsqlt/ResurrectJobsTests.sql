SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ResurrectJobsTests';
GO

CREATE TABLE [ResurrectJobsTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [ResurrectJobsTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE TABLE [ResurrectJobsTests].[ExpectedJobs] (
    [Id] VARCHAR(50) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [Priority] INT NOT NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE PROCEDURE [ResurrectJobsTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [Queue], [Type], [Payload], [Tags], [Priority], [LeaseToken], [CreatedAtUtc])
    VALUES
        ('a', 'mail', 'send', N'old', 'red', 5, 1, '2026-01-01T00:00:00'),
        ('b', 'mail', 'send', N'old', 'red', 5, 1, '2026-01-01T00:00:00'),
        ('c', 'mail', 'send', N'old', 'red', 5, 1, '2026-01-01T00:00:00');
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs answers in the order of the array]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ResurrectJobsTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'c', 'resurrected'),
        (2, 'x', 'not-found'),
        (3, 'a', 'resurrected');

    /* Act */
    INSERT INTO [ResurrectJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"c"},{"id":"x"},{"id":"a"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ResurrectJobsTests].[ExpectedAnswer]',
        @Actual = N'[ResurrectJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs applies the edits of each row]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ResurrectJobsTests].[ExpectedJobs] ([Id], [Payload], [Tags], [Priority], [LastModifiedBy])
    VALUES
        ('a', N'new', 'red', 5, 'op'),
        ('b', N'[1]', 'blue', 5, 'op'),
        ('c', N'old', 'red', 0, 'op');

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs]
        @Jobs = N'[{"id":"a","payload":"new"},{"id":"b","payload":[1],"tags":"blue"},{"id":"c","priority":0,"delaySeconds":60}]',
        @ResurrectedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ResurrectJobsTests].[ExpectedJobs]',
        @Actual = N'[chokaq].[JobsHot]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs delays only the row that says so]
AS
BEGIN
    /* Assemble */
    DECLARE @Delayed VARCHAR(50);

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a"},{"id":"c","delaySeconds":60}]';

    /* Assert */
    SELECT @Delayed = MAX([h].[Id]) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[ScheduledAtUtc] > [h].[LastUpdatedUtc];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = 'c', @Actual = @Delayed;
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs takes an empty list]
AS
BEGIN
    /* Act */
    INSERT INTO [ResurrectJobsTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[ResurrectJobsTests].[Answer]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses a priority out of range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'ResurrectJobs: row 1, column priority:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a","priority":100},{"id":"b","priority":101}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses a negative delay]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column delaySeconds:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a","delaySeconds":-1}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses tags that are too long]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"a","tags":"', REPLICATE(N'x', 1001), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = @Json;
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses tags outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column tags:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a","tags":"ж"}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ResurrectJobs:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ResurrectJobs:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'{"id":"a"}';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'ResurrectJobs:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = NULL;
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'ResurrectJobs: row 1, column ids:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a"},{"id":"b","ids":1}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":null}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses an id that is not text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":5}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = @Json;
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'ResurrectJobs: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"ж"}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'ResurrectJobs:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = N'[{"id":"a"},{"id":"b"},{"id":"A"}]';
END;
GO

CREATE PROCEDURE [ResurrectJobsTests].[test ResurrectJobs refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[', REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a"},'), 1000), N'{"id":"a"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'ResurrectJobs:%';

    /* Act */
    EXECUTE [chokaq].[ResurrectJobs] @Jobs = @Json;
END;
GO
