SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: which version of the schema is deployed, so that a client can refuse one that it does not know.
Parameters:
    none.
Result set: Version int, Name varchar(200), PackageVersion varchar(50), AppliedAtUtc; one row, the newest script.
Outcomes: none.
Errors: none of its own.
Transactions: reads only; opens none.
Lock order: SchemaMigrations (read).
Role: [chokaq_producer], [chokaq_worker], [chokaq_operator], [chokaq_reader]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[GetSchemaVersion]
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    SELECT TOP (1) [m].[Version], [m].[Name], [m].[PackageVersion], [m].[AppliedAtUtc]
    FROM [chokaq].[SchemaMigrations] AS [m]
    ORDER BY [m].[Version] DESC;
END;
GO
