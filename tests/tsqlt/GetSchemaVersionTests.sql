SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'GetSchemaVersionTests';
GO

CREATE TABLE [GetSchemaVersionTests].[Expected] (
    [Version] INT NOT NULL,
    [Name] VARCHAR(200) NOT NULL,
    [PackageVersion] VARCHAR(50) NOT NULL,
    [AppliedAtUtc] DATETIME2(7) NOT NULL
);
GO

CREATE TABLE [GetSchemaVersionTests].[Actual] (
    [Version] INT NULL,
    [Name] VARCHAR(200) NULL,
    [PackageVersion] VARCHAR(50) NULL,
    [AppliedAtUtc] DATETIME2(7) NULL
);
GO

CREATE PROCEDURE [GetSchemaVersionTests].[SetUp]
AS
BEGIN
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[SchemaMigrations]';
END;
GO

CREATE PROCEDURE [GetSchemaVersionTests].[test GetSchemaVersion returns the script with the highest number]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[SchemaMigrations] ([Version], [Name], [PackageVersion], [AppliedAtUtc])
    VALUES
        (1, 'first', '1.0', '2026-03-01T00:00:00.1234567'),
        (10, 'tenth', '1.2', '2026-01-01T00:00:00.1234567'),
        (9, 'ninth', '1.1', '2026-02-01T00:00:00.1234567');

    INSERT INTO [GetSchemaVersionTests].[Expected] ([Version], [Name], [PackageVersion], [AppliedAtUtc])
    VALUES (10, 'tenth', '1.2', '2026-01-01T00:00:00.1234567');

    /* Act */
    INSERT INTO [GetSchemaVersionTests].[Actual] ([Version], [Name], [PackageVersion], [AppliedAtUtc])
    EXECUTE [chokaq].[GetSchemaVersion];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[GetSchemaVersionTests].[Expected]',
        @Actual = N'[GetSchemaVersionTests].[Actual]';
END;
GO

CREATE PROCEDURE [GetSchemaVersionTests].[test GetSchemaVersion returns no row where no script ran]
AS
BEGIN
    /* Act */
    INSERT INTO [GetSchemaVersionTests].[Actual] ([Version], [Name], [PackageVersion], [AppliedAtUtc])
    EXECUTE [chokaq].[GetSchemaVersion];

    /* Assert */
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[GetSchemaVersionTests].[Actual]';
END;
GO
