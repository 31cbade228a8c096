/*
Roles and their rights, applied at the end of every deploy. EXECUTE on the procedures of the role and nothing on tables: the procedures and the
tables have one owner, so SQL Server asks for no right on the tables (ownership chaining).
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

IF NOT EXISTS (
       SELECT 1
       FROM [sys].[database_principals] AS [p]
       WHERE [p].[name] = REPLACE(REPLACE(N'[chokaq_producer]', N'[', N''), N']', N'')
   )
BEGIN
    CREATE ROLE [chokaq_producer];
END;

IF NOT EXISTS (
       SELECT 1
       FROM [sys].[database_principals] AS [p]
       WHERE [p].[name] = REPLACE(REPLACE(N'[chokaq_worker]', N'[', N''), N']', N'')
   )
BEGIN
    CREATE ROLE [chokaq_worker];
END;

IF NOT EXISTS (
       SELECT 1
       FROM [sys].[database_principals] AS [p]
       WHERE [p].[name] = REPLACE(REPLACE(N'[chokaq_operator]', N'[', N''), N']', N'')
   )
BEGIN
    CREATE ROLE [chokaq_operator];
END;

IF NOT EXISTS (
       SELECT 1
       FROM [sys].[database_principals] AS [p]
       WHERE [p].[name] = REPLACE(REPLACE(N'[chokaq_reader]', N'[', N''), N']', N'')
   )
BEGIN
    CREATE ROLE [chokaq_reader];
END;
GO

GRANT EXECUTE ON OBJECT::[chokaq].[CancelJobs] TO [chokaq_producer];
GRANT EXECUTE ON OBJECT::[chokaq].[EnqueueJob] TO [chokaq_producer];
GRANT EXECUTE ON OBJECT::[chokaq].[EnqueueJobs] TO [chokaq_producer];
GRANT EXECUTE ON OBJECT::[chokaq].[GetJob] TO [chokaq_producer];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSchemaVersion] TO [chokaq_producer];
GRANT EXECUTE ON OBJECT::[chokaq].[RecordSamples] TO [chokaq_producer];
GO

GRANT EXECUTE ON OBJECT::[chokaq].[CompleteJobs] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[FailJobs] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[FetchNextBatch] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSchemaVersion] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[KeepAlive] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[MarkAsProcessing] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[RecordSamples] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[ReleaseJobs] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[RunMaintenance] TO [chokaq_worker];
GRANT EXECUTE ON OBJECT::[chokaq].[SweepZombies] TO [chokaq_worker];
GO

GRANT EXECUTE ON OBJECT::[chokaq].[BackfillMetrics] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[CancelJobs] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[EditDlqJob] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[EditPendingJob] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetBurnRate] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetErrorTrends] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetJob] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetLatencyPercentiles] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetMetricHistory] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetQueueHealth] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetQueueStats] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSchemaVersion] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSummaryStats] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetThroughput] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[GetTopErrors] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[ListActiveJobs] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[ListArchive] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[ListDlq] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PreviewDlq] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PruneMetricBuckets] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PurgeArchive] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PurgeDlq] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PurgeDlqByFilter] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[PurgeExpiredDlq] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[ResurrectByFilter] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[ResurrectJobs] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[RollupMetrics] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[RunMaintenance] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SetQueueActive] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SetQueueMaxWorkers] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SetQueuePaused] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SetQueueRetryPolicy] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SetQueueZombiePolicy] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[SweepZombies] TO [chokaq_operator];
GRANT EXECUTE ON OBJECT::[chokaq].[UpdateSettings] TO [chokaq_operator];
GO

GRANT EXECUTE ON OBJECT::[chokaq].[GetBurnRate] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetErrorTrends] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetJob] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetLatencyPercentiles] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetMetricHistory] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetQueueHealth] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetQueueStats] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSchemaVersion] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetSummaryStats] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetThroughput] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[GetTopErrors] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[ListActiveJobs] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[ListArchive] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[ListDlq] TO [chokaq_reader];
GRANT EXECUTE ON OBJECT::[chokaq].[PreviewDlq] TO [chokaq_reader];
GO
