SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'ResurrectByFilterTests';
GO

CREATE TABLE [ResurrectByFilterTests].[ExpectedCall] (
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

CREATE PROCEDURE [ResurrectByFilterTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[SpyProcedure] @ProcedureName = N'[chokaq].[ActOnDlq]';
END;
GO

CREATE PROCEDURE [ResurrectByFilterTests].[test ResurrectByFilter hands the whole filter over]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ResurrectByFilterTests].[ExpectedCall] (
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
        N'ResurrectByFilter',
        'resurrect',
        7,
        'op',
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
    EXECUTE [chokaq].[ResurrectByFilter]
        @Queue = 'mail',
        @Type = 'send',
        @FailureReason = 7,
        @CreatedFromUtc = '2026-01-01T00:00:00',
        @CreatedToUtc = '2026-01-02T00:00:00',
        @FailedFromUtc = '2026-01-03T00:00:00',
        @FailedToUtc = '2026-01-04T00:00:00',
        @Tag = 'red',
        @Text = N'boom',
        @MaxJobs = 7,
        @ResurrectedBy = 'op';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ResurrectByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [ResurrectByFilterTests].[test ResurrectByFilter has no filter and a limit by default]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ResurrectByFilterTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs])
    VALUES (N'ResurrectByFilter', 'resurrect', 1000);

    /* Act */
    EXECUTE [chokaq].[ResurrectByFilter];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ResurrectByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO

CREATE PROCEDURE [ResurrectByFilterTests].[test ResurrectByFilter hands NULL over as it is]
AS
BEGIN
    /* Assemble */
    INSERT INTO [ResurrectByFilterTests].[ExpectedCall] ([Procedure], [Action], [MaxJobs], [Queue])
    VALUES (N'ResurrectByFilter', 'resurrect', NULL, 'mail');

    /* Act */
    EXECUTE [chokaq].[ResurrectByFilter] @Queue = 'mail', @MaxJobs = NULL;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[ResurrectByFilterTests].[ExpectedCall]',
        @Actual = N'[chokaq].[ActOnDlq_SpyProcedureLog]';
END;
GO
