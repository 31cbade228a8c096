/* Undo of 0001_three_pillars.sql. Loses every job, the queues' configuration and the ledger itself. */
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DROP TABLE [chokaq].[JobsDLQ];
GO

DROP TABLE [chokaq].[JobsArchive];
GO

DROP TABLE [chokaq].[JobsHot];
GO

DROP TABLE [chokaq].[QueueGates];
GO

DROP TABLE [chokaq].[Queues];
GO

DROP TABLE [chokaq].[MaintenanceGate];
GO

DROP TABLE [chokaq].[Settings];
GO

DROP TABLE [chokaq].[SchemaModules];
GO

DROP TABLE [chokaq].[SchemaMigrations];
GO

DROP SCHEMA [chokaq];
GO
