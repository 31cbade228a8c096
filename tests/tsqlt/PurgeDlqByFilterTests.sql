SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PurgeDlqByFilterTests';
GO

CREATE TABLE [PurgeDlqByFilterTests].[ExpectedCall] (
    [Procedure] NVARCHAR(128) NOT NULL,
    [Action] VARCHAR(10) NOT NULL,
    [MaxJobs] INT NULL,
    [ActedBy] VARCHAR(100) NULL,
    [Queue] VARCHAR(255) NULL,
    [Type] VARCHAR(255) NULL,
    [FailureReason] INT NULL,
    [CreatedFromUtc] DATETIME2(7) NULL,
    [CreatedToUtc] DATETIME2(7) NULL,
    [FailedFromUtc] DATETIME2(7) NULL,
    [FailedToUtc] DATETIME2(7) NULL,
    [Tag] VARCHAR(1000) NULL,
    [Text] NVARCHAR(4000) NULL
);
GO

CREATE PROCEDURE [PurgeDlqByFilterTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[ActOnDlq]';
END;
GO

CREATE PROCEDURE [PurgeDlqByFilterTests].[test PurgeDlqByFilter hands the whole filter over]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeDlqByFilterTests].[ExpectedCall] (
        [Procedure],
        [Action],
        [MaxJobs],
        [ActedBy],
        [Queue],
        [Type],
        [FailureReason],
        [CreatedFromUtc],
        [CreatedToUtc],
        [FailedFromUtc],
        [FailedToUtc],
        [Tag],
        [Text]
    )
    VALUES (
        N'PurgeDlqByFilter',
        'purge',
        7,
        NULL,
        'mail',
        'send',
        7,
        '2026-01-01T00:00:00',
        '2026-01-02T00:00:00',
        '2026-01-03T00:00:00',
        '2026-01-04T00:00:00',
        'red',
        N'boom'
    );

    /* Act */
    EXECUTE [chokaq].[PurgeDlqByFilter]
        @Queue = 'mail',
        @Type = 'send',
        @FailureReason = 7,
        @CreatedFromUtc = '2026-01-01T00:00:00',
        @CreatedToUtc = '2026-01-02T00:00:00',
        @FailedFromUtc = '2026-01-03T00:00:00',
        @FailedToUtc = '2026-01-04T00:00:00',
        @Tag = 'red',
        @Text = N'boom',
        @MaxJobs = 7;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeDlqByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [PurgeDlqByFilterTests].[test PurgeDlqByFilter has no filter and a limit by default]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeDlqByFilterTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs])
    VALUES (N'PurgeDlqByFilter', 'purge', 1000);

    /* Act */
    EXECUTE [chokaq].[PurgeDlqByFilter];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeDlqByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [PurgeDlqByFilterTests].[test PurgeDlqByFilter hands NULL over as it is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PurgeDlqByFilterTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs], [Queue])
    VALUES (N'PurgeDlqByFilter', 'purge', NULL, 'mail');

    /* Act */
    EXECUTE [chokaq].[PurgeDlqByFilter] @Queue = 'mail', @MaxJobs = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PurgeDlqByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO
