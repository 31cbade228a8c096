/* Undo of 0002_metrics.sql. Loses the lifetime counters and the whole metric history. */
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DROP TABLE [chokaq].[MetricBackfill];
GO

DROP TABLE [chokaq].[MetricSeries];
GO

DROP TABLE [chokaq].[MetricBuckets];
GO

DROP TABLE [chokaq].[StatsSummary];
GO

DROP TABLE [chokaq].[MetricShards];
GO

DROP TABLE [chokaq].[Measures];
GO
