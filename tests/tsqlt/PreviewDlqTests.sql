SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'PreviewDlqTests';
GO

CREATE TABLE [PreviewDlqTests].[ExpectedCall] (
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

CREATE PROCEDURE [PreviewDlqTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[ActOnDlq]';
END;
GO

CREATE PROCEDURE [PreviewDlqTests].[test PreviewDlq hands the whole filter over]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PreviewDlqTests].[ExpectedCall] (
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
        N'PreviewDlq',
        'preview',
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
    EXECUTE [chokaq].[PreviewDlq]
        @Queue = 'mail',
        @Type = 'send',
        @FailureReason = 7,
        @CreatedFromUtc = '2026-01-01T00:00:00',
        @CreatedToUtc = '2026-01-02T00:00:00',
        @FailedFromUtc = '2026-01-03T00:00:00',
        @FailedToUtc = '2026-01-04T00:00:00',
        @Tag = 'red',
        @Text = N'boom',
        @SampleSize = 7;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PreviewDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [PreviewDlqTests].[test PreviewDlq has no filter and a limit by default]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PreviewDlqTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs])
    VALUES (N'PreviewDlq', 'preview', 20);

    /* Act */
    EXECUTE [chokaq].[PreviewDlq];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PreviewDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [PreviewDlqTests].[test PreviewDlq hands NULL over as it is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [PreviewDlqTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs], [Queue])
    VALUES (N'PreviewDlq', 'preview', NULL, 'mail');

    /* Act */
    EXECUTE [chokaq].[PreviewDlq] @Queue = 'mail', @SampleSize = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[PreviewDlqTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO
