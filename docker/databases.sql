/*
The test databases: an ordinary one, one whose readers do not wait for writers (READ_COMMITTED_SNAPSHOT), and one in which the
case of names counts. tSQLt needs the common language runtime.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [sys].[sp_configure] @configname = 'show advanced options', @configvalue = 1;

RECONFIGURE;
GO

EXECUTE [sys].[sp_configure] @configname = 'clr enabled', @configvalue = 1;

RECONFIGURE;
GO

CREATE DATABASE [chokaq_test];
GO

CREATE DATABASE [chokaq_test_snapshot];
GO

ALTER DATABASE [chokaq_test_snapshot] SET READ_COMMITTED_SNAPSHOT ON;
GO

CREATE DATABASE [chokaq_test_case] COLLATE Latin1_General_100_CS_AS;
GO
