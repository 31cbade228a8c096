/* Undo of 0003_table_types.sql. The procedures that use the types must be gone first. Loses no data. */
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DROP TYPE [chokaq].[SampleRows];
GO

DROP TYPE [chokaq].[SeriesRows];
GO

DROP TYPE [chokaq].[JobEdits];
GO

DROP TYPE [chokaq].[FailureRows];
GO

DROP TYPE [chokaq].[OutcomeRows];
GO
