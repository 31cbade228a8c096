SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'EditDlqJobTests';
GO

CREATE TABLE [EditDlqJobTests].[Expected] (
    [Id] VARCHAR(50) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [Priority] INT NOT NULL,
    [LastModifiedBy] VARCHAR(100) NULL
);
GO

CREATE TABLE [EditDlqJobTests].[ExpectedAnswer] (
    [JobId] VARCHAR(50) NOT NULL,
    [Outcome] VARCHAR(20) NOT NULL
);
GO

CREATE TABLE [EditDlqJobTests].[Answer] (
    [JobId] VARCHAR(50) NULL,
    [Outcome] VARCHAR(20) NULL
);
GO

CREATE PROCEDURE [EditDlqJobTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsDLQ]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[JobsHot]', @Defaults = 1;

    INSERT INTO [chokaq].[JobsDLQ] ([Id], [Payload], [Tags], [Priority], [LastModifiedBy])
    VALUES
        ('a', N'old', 'red', 5, 'w1'),
        ('b', N'old', 'red', 5, 'w1');

    INSERT INTO [chokaq].[JobsHot] ([Id], [Priority])
    VALUES ('hot', 5);
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob changes what it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EditDlqJobTests].[Expected] ([Id], [Payload], [Tags], [Priority], [LastModifiedBy])
    VALUES
        ('a', N'new', 'blue', 0, 'op'),
        ('b', N'old', 'red', 5, 'w1');

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Payload = N'new', @Tags = N'blue', @Priority = 0, @EditedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[EditDlqJobTests].[Expected]', @Actual = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob leaves what it is not given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EditDlqJobTests].[Expected] ([Id], [Payload], [Tags], [Priority], [LastModifiedBy])
    VALUES
        ('a', N'old', 'red', 100, NULL),
        ('b', N'old', 'red', 5, 'w1');

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Priority = 100;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable] @Expected = N'[EditDlqJobTests].[Expected]', @Actual = N'[chokaq].[JobsDLQ]';
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob answers edited or not-found]
AS
BEGIN
    /* Assemble */
    INSERT INTO [EditDlqJobTests].[ExpectedAnswer] ([JobId], [Outcome])
    VALUES
        ('a', 'edited'),
        ('hot', 'not-found');

    /* Act */
    INSERT INTO [EditDlqJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Priority = 1;

    INSERT INTO [EditDlqJobTests].[Answer] ([JobId], [Outcome])
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'hot', @Priority = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[EditDlqJobTests].[ExpectedAnswer]',
        @Actual = N'[EditDlqJobTests].[Answer]';
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob takes tags of 1000 characters]
AS
BEGIN
    /* Assemble */
    DECLARE @Tags NVARCHAR(4000) = REPLICATE(N'é', 1000);
    DECLARE @Bytes INT;

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Tags = @Tags;

    /* Assert */
    SELECT @Bytes = DATALENGTH([d].[Tags]) FROM [chokaq].[JobsDLQ] AS [d] WHERE [d].[Id] = 'a';
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1000, @Actual = @Bytes;
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob refuses tags that are too long]
AS
BEGIN
    /* Assemble */
    DECLARE @Tags NVARCHAR(4000) = REPLICATE(N'x', 1001);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004, @ExpectedMessagePattern = N'EditDlqJob:%tags%';

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Tags = @Tags;
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob refuses tags outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005, @ExpectedMessagePattern = N'EditDlqJob:%tags%';

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Tags = N'ж';
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob refuses a priority above the range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditDlqJob:%';

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Priority = 101;
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob refuses a priority below the range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditDlqJob:%';

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = 'a', @Priority = -1;
END;
GO

CREATE PROCEDURE [EditDlqJobTests].[test EditDlqJob refuses NULL for the job]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008, @ExpectedMessagePattern = N'EditDlqJob:%';

    /* Act */
    EXECUTE [chokaq].[EditDlqJob] @JobId = NULL, @Priority = 1;
END;
GO
