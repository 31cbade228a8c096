/*
A SQL Server Agent job that calls RunMaintenance every minute: sweeps after dead workers, rollup and pruning of metrics, purges by the retentions.
Workers do the same by themselves; the job is for the time when none runs, and for those who want to see it in Agent's history.

Run it once, in the database that holds the schema, as a member of sysadmin or SQLAgentOperatorRole. Running it again does nothing: delete the job first
(EXECUTE [msdb].[dbo].[sp_delete_job] @job_name = N'chokaq maintenance';). The owner of the job must be in the role [chokaq_operator].

Two runs at once do no harm: the second answers busy. A run ends by itself (@MaxBatches); what is left is for the next minute.

Azure SQL Database has no Agent. Alternatives, all with the one line EXECUTE [chokaq].[RunMaintenance];
    an elastic job (in the job database):
        EXECUTE [jobs].[sp_add_job] @job_name = N'chokaq maintenance', @enabled = 1, @schedule_interval_type = N'Minutes', @schedule_interval_count = 1;
        EXECUTE [jobs].[sp_add_jobstep] @job_name = N'chokaq maintenance', @command = N'EXECUTE [chokaq].[RunMaintenance];',
            @target_group_name = N'(your target group)';
    a timer-triggered function, or `chokaq maintain` in any scheduler; or just the workers.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DECLARE @Job SYSNAME = N'chokaq maintenance';
DECLARE @Database SYSNAME = DB_NAME();

IF NOT EXISTS (SELECT 1 FROM [msdb].[dbo].[sysjobs] AS [j] WHERE [j].[name] = @Job)
BEGIN
    EXECUTE [msdb].[dbo].[sp_add_job]
        @job_name = @Job,
        @description = N'Sweeps, rollup and purges of the job queue: EXECUTE [chokaq].[RunMaintenance].';

    EXECUTE [msdb].[dbo].[sp_add_jobstep]
        @job_name = @Job,
        @step_name = N'RunMaintenance',
        @subsystem = N'TSQL',
        @database_name = @Database,
        @command = N'EXECUTE [chokaq].[RunMaintenance];',
        @retry_attempts = 0;

    EXECUTE [msdb].[dbo].[sp_add_jobschedule]
        @job_name = @Job,
        @name = N'every minute',
        @freq_type = 4,
        @freq_interval = 1,
        @freq_subday_type = 4,
        @freq_subday_interval = 1;

    EXECUTE [msdb].[dbo].[sp_add_jobserver] @job_name = @Job;
END;
GO
