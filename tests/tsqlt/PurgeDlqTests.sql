SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PurgeDlqTests';
GO

CREATE TABLE [PurgeDlqTests].[ExpectedAnswer] (
    [Place] INT NOT NULL,
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [PurgeDlqTests].[Answer] (
    [Place] INT IDENTITY(1, 1) NOT NULL,
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [PurgeDlqTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id])
    VALUES
        ('a'),
        ('b'),
        ('c');
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq deletes the jobs that it is given]
AS
BEGIN
    /* Assemble */
    DECLARE @Left VARCHAR(50);

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":"c"},{"id":"a"}]';

    /* Assert */
    SELECT @Left = MIN([d].[Id]) FROM [chokaq].[JobsDLQ] AS [d];
    EXECUTE [tSQLt].[AssertEqualsString] @Expected = 'b', @Actual = @Left;
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq answers in the order of the array]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeDlqTests].[ExpectedAnswer] ([Place], [JobId], [Outcome])
    VALUES
        (1, 'c', 'purged'),
        (2, 'x', 'not-found'),
        (3, 'a', 'purged');

    /* Act */
    INSERT INTO [PurgeDlqTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":"c"},{"id":"x"},{"id":"a"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeDlqTests].[ExpectedAnswer]',
        @Actual = N'[PurgeDlqTests].[Answer]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq takes an empty list]
AS
BEGIN
    /* Act */
    INSERT INTO [PurgeDlqTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[PurgeDlqTests].[Answer]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'PurgeDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses JSON that is not an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'PurgeDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'{"id":"a"}';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'PurgeDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = NULL;
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'PurgeDlq: row 1, column ids:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":"a"},{"id":"b","ids":1}]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses a row without an id]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'PurgeDlq: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":null}]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses an id that is not text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'PurgeDlq: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":5}]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses an id that is longer than its column]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"id":"', REPLICATE(N'a', 51), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'PurgeDlq: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = @Json;
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses an id outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'PurgeDlq: row 0, column id:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":"ж"}]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses an id that stands twice in one call]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51006, @ExpectedMessagePattern = N'PurgeDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = N'[{"id":"a"},{"id":"b"},{"id":"A"}]';
END;
GO

CREATE PROCEDURE [PurgeDlqTests].[test PurgeDlq refuses more than 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[', REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a"},'), 1000), N'{"id":"a"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'PurgeDlq:%';

    /* Act */
    EXECUTE [chokaq].[PurgeDlq] @JobIds = @Json;
END;
GO
