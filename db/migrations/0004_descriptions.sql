/*
One-time script: a description on every table and column, where tools and people look for it (extended property MS_Description).
Never changed after it was published. Cost on an existing database: none. Undo: db/undo/0004_descriptions.sql.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DECLARE @Schema SYSNAME = REPLACE(REPLACE(N'[chokaq]', N'[', N''), N']', N'');
DECLARE @Place INT = 1;
DECLARE @Table SYSNAME;
DECLARE @Column SYSNAME;
DECLARE @Text NVARCHAR(1000);
DECLARE @Descriptions TABLE (
    [Place] INT NOT NULL PRIMARY KEY,
    [TableName] SYSNAME NOT NULL,
    [ColumnName] SYSNAME NULL,
    [Description] NVARCHAR(1000) NOT NULL
);

INSERT INTO @Descriptions ([Place], [TableName], [ColumnName], [Description])
VALUES
    (
        1,
        N'SchemaMigrations',
        NULL,
        N'The one-time scripts that ran here, one row each. Written by the migration runner alone.'
    ),
    (2, N'SchemaMigrations', N'Version', N'Number of the script; scripts run in this order.'),
    (3, N'SchemaMigrations', N'Name', N'File name without the number.'),
    (4, N'SchemaMigrations', N'Description', N'First sentence of the script''s header.'),
    (
        5,
        N'SchemaMigrations',
        N'Sha256',
        N'Hash of the script''s text with LF line ends and without a byte-order mark, before the schema name is replaced.'
    ),
    (6, N'SchemaMigrations', N'AppliedAtUtc', N'When it ran, UTC.'),
    (7, N'SchemaMigrations', N'AppliedBy', N'Login that ran it.'),
    (8, N'SchemaMigrations', N'DurationMs', N'How long it took, milliseconds.'),
    (9, N'SchemaMigrations', N'PackageVersion', N'Version of the package that brought it.'),
    (10, N'SchemaModules', NULL, N'The procedures as deployed: which text of each runs here.'),
    (11, N'SchemaModules', N'Name', N'Name of the procedure.'),
    (12, N'SchemaModules', N'Version', N'Version from its header.'),
    (13, N'SchemaModules', N'Sha256', N'Hash of its file, as in SchemaMigrations.'),
    (14, N'SchemaModules', N'DeployedAtUtc', N'When this text was deployed, UTC.'),
    (15, N'SchemaModules', N'PackageVersion', N'Version of the package that brought it.'),
    (16, N'Settings', NULL, N'Settings of the whole installation: one row.'),
    (17, N'Settings', N'Id', N'Always 1.'),
    (18, N'Settings', N'MetricShards', N'Shards over which concurrent sessions spread their counters, 1 to 64.'),
    (19, N'Settings', N'FineResolutionMinutes', N'Width of the fine tier of MetricSeries, minutes; divides the hour.'),
    (20, N'Settings', N'FineRetentionHours', N'Age at which fine rows are summed into hours.'),
    (21, N'Settings', N'HourlyRetentionDays', N'Age at which hours are summed into days.'),
    (22, N'Settings', N'DailyRetentionDays', N'Age at which days are dropped; NULL: never.'),
    (23, N'Settings', N'BucketRetentionMinutes', N'Age at which one-second buckets are dropped.'),
    (24, N'Settings', N'RollupMaxRows', N'Rows that one RollupMetrics call touches at the most.'),
    (
        25,
        N'Settings',
        N'FetchedTimeoutSeconds',
        N'A claimed job that never started goes back after so long without a heartbeat.'
    ),
    (
        26,
        N'Settings',
        N'ZombieTimeoutSeconds',
        N'A running job without a heartbeat for so long is a zombie; a queue may have its own.'
    ),
    (27, N'Settings', N'ArchiveRetentionDays', N'Age at which archived jobs are purged; NULL: never.'),
    (28, N'Settings', N'DlqRetentionDays', N'Age at which dead jobs are purged; NULL: never.'),
    (29, N'Settings', N'MaintenanceBatchSize', N'Rows of one purge or sweep batch.'),
    (30, N'Settings', N'LastUpdatedUtc', N'Last change, UTC.'),
    (
        31,
        N'Queues',
        NULL,
        N'Run-time configuration of each queue. Created by the first job of a queue or by an operator.'
    ),
    (32, N'Queues', N'Name', N'The queue.'),
    (33, N'Queues', N'IsPaused', N'1: accepts jobs and hands none out.'),
    (34, N'Queues', N'IsActive', N'0: out of service for good.'),
    (35, N'Queues', N'MaxWorkers', N'Jobs that may be claimed and running at the same time; NULL: no limit.'),
    (36, N'Queues', N'ZombieTimeoutSeconds', N'Own timeout; NULL: Settings.'),
    (37, N'Queues', N'ZombieAction', N'0: a zombie goes to the DLQ; 1: it is retried while attempts remain.'),
    (38, N'Queues', N'MaxAttempts', N'Executions of a job at the most, unless the job says otherwise.'),
    (39, N'Queues', N'RetryBaseSeconds', N'Delay after the first failure.'),
    (40, N'Queues', N'RetryMultiplier', N'Growth of the delay with each failure.'),
    (41, N'Queues', N'RetryMaxSeconds', N'Longest delay.'),
    (42, N'Queues', N'RetryJitterPercent', N'Each delay is moved at random by up to so much.'),
    (43, N'Queues', N'MaxJobAgeSeconds', N'No retry later than so long after the job was created; NULL: no end.'),
    (44, N'Queues', N'LastUpdatedUtc', N'Last change, UTC.'),
    (
        45,
        N'QueueGates',
        NULL,
        N'One row a queue, written by whoever counts and claims from a limited queue. Apart from Queues so that its readers never wait.'
    ),
    (46, N'QueueGates', N'Queue', N'The queue.'),
    (47, N'QueueGates', N'Passes', N'How often the gate was passed; only the write matters.'),
    (48, N'JobsHot', NULL, N'Active work only: pending, claimed and running jobs.'),
    (49, N'JobsHot', N'Id', N'The job, time-ordered text (UUIDv7 or ULID), so that inserts append.'),
    (50, N'JobsHot', N'Queue', N'Its queue.'),
    (51, N'JobsHot', N'Type', N'Key of the handler that executes it.'),
    (52, N'JobsHot', N'Payload', N'What the handler gets; never read by the procedures.'),
    (53, N'JobsHot', N'Tags', N'Free text to search by.'),
    (54, N'JobsHot', N'IdempotencyKey', N'At most one active job has this key.'),
    (55, N'JobsHot', N'Priority', N'0 to 100, higher first.'),
    (56, N'JobsHot', N'Status', N'0 Pending, 1 Fetched, 2 Processing.'),
    (57, N'JobsHot', N'AttemptCount', N'Executions that reached Processing.'),
    (58, N'JobsHot', N'MaxAttempts', N'Executions at the most; NULL: the queue''s.'),
    (59, N'JobsHot', N'WorkerId', N'The owner while claimed or running.'),
    (60, N'JobsHot', N'LeaseToken', N'Grows by one at each claim; a worker that shows an older one has lost the job.'),
    (61, N'JobsHot', N'HeartbeatUtc', N'Last sign of life of the owner, UTC.'),
    (62, N'JobsHot', N'CancelRequestedUtc', N'When an operator asked for the end of a running job, UTC.'),
    (63, N'JobsHot', N'ScheduledAtUtc', N'Not before this moment, UTC.'),
    (64, N'JobsHot', N'CreatedAtUtc', N'When it was accepted, UTC.'),
    (65, N'JobsHot', N'StartedAtUtc', N'Start of the current or last execution, UTC.'),
    (66, N'JobsHot', N'LastUpdatedUtc', N'Last change, UTC.'),
    (67, N'JobsHot', N'CreatedBy', N'Who enqueued it.'),
    (68, N'JobsHot', N'LastModifiedBy', N'Who changed it last.'),
    (69, N'JobsArchive', NULL, N'Jobs that succeeded.'),
    (70, N'JobsArchive', N'Id', N'The job.'),
    (71, N'JobsArchive', N'Queue', N'Its queue.'),
    (72, N'JobsArchive', N'Type', N'Its handler''s key.'),
    (73, N'JobsArchive', N'Payload', N'What the handler got.'),
    (74, N'JobsArchive', N'Tags', N'Free text to search by.'),
    (75, N'JobsArchive', N'IdempotencyKey', N'The key it had while active.'),
    (76, N'JobsArchive', N'Priority', N'0 to 100.'),
    (77, N'JobsArchive', N'AttemptCount', N'Executions it took.'),
    (78, N'JobsArchive', N'MaxAttempts', N'Executions it was allowed; NULL: the queue''s.'),
    (79, N'JobsArchive', N'WorkerId', N'Who finished it.'),
    (80, N'JobsArchive', N'LeaseToken', N'The lease under which it was finished.'),
    (81, N'JobsArchive', N'ScheduledAtUtc', N'Eligible since, UTC.'),
    (82, N'JobsArchive', N'CreatedAtUtc', N'Accepted, UTC.'),
    (83, N'JobsArchive', N'StartedAtUtc', N'Start of the last execution, UTC.'),
    (84, N'JobsArchive', N'FinishedAtUtc', N'End, UTC.'),
    (85, N'JobsArchive', N'DurationMs', N'Length of the last execution, milliseconds.'),
    (86, N'JobsArchive', N'WaitMs', N'From eligible to started, milliseconds.'),
    (87, N'JobsArchive', N'CreatedBy', N'Who enqueued it.'),
    (88, N'JobsArchive', N'LastModifiedBy', N'Who changed it last.'),
    (89, N'JobsDLQ', NULL, N'Jobs that failed for good, were cancelled, were abandoned or are held by an operator.'),
    (90, N'JobsDLQ', N'Id', N'The job.'),
    (91, N'JobsDLQ', N'Queue', N'Its queue.'),
    (92, N'JobsDLQ', N'Type', N'Its handler''s key.'),
    (93, N'JobsDLQ', N'Payload', N'What the handler got.'),
    (94, N'JobsDLQ', N'Tags', N'Free text to search by.'),
    (95, N'JobsDLQ', N'IdempotencyKey', N'The key it had while active.'),
    (96, N'JobsDLQ', N'Priority', N'0 to 100.'),
    (97, N'JobsDLQ', N'AttemptCount', N'Executions it had.'),
    (98, N'JobsDLQ', N'MaxAttempts', N'Executions it was allowed; NULL: the queue''s.'),
    (99, N'JobsDLQ', N'WorkerId', N'The last owner.'),
    (100, N'JobsDLQ', N'LeaseToken', N'The last lease; a resurrected job goes on counting from here.'),
    (101, N'JobsDLQ', N'ScheduledAtUtc', N'Eligible since, UTC.'),
    (102, N'JobsDLQ', N'CreatedAtUtc', N'Accepted, UTC.'),
    (103, N'JobsDLQ', N'StartedAtUtc', N'Start of the last execution, UTC; NULL: never started.'),
    (104, N'JobsDLQ', N'FailedAtUtc', N'When it came here, UTC.'),
    (
        105,
        N'JobsDLQ',
        N'FailureReason',
        N'0 MaxRetriesExceeded, 1 Cancelled, 2 Zombie, 3 CircuitBreaker, 4 Rejected, 5 Throttled, 6 FatalError, 7 Timeout, 8 Transient, 9 HeartbeatFailure, 10 RetryLifetimeExpired.'
    ),
    (106, N'JobsDLQ', N'ErrorDetails', N'The last error in full.'),
    (107, N'JobsDLQ', N'DurationMs', N'Length of the last execution, milliseconds.'),
    (108, N'JobsDLQ', N'WaitMs', N'From eligible to started, milliseconds.'),
    (109, N'JobsDLQ', N'CreatedBy', N'Who enqueued it.'),
    (110, N'JobsDLQ', N'LastModifiedBy', N'Who moved it here.'),
    (
        111,
        N'Measures',
        NULL,
        N'What MetricSeries can hold: the package''s own measures below 100, an application''s from 100 on.'
    ),
    (112, N'Measures', N'Measure', N'Number of the measure.'),
    (113, N'Measures', N'Name', N'Its name.'),
    (114, N'Measures', N'RegisteredAtUtc', N'When it was registered, UTC.'),
    (115, N'MetricShards', NULL, N'The gates of the counters: one row a shard.'),
    (116, N'MetricShards', N'Shard', N'The shard.'),
    (117, N'MetricShards', N'Passes', N'How often the gate was passed; only the write matters.'),
    (118, N'StatsSummary', NULL, N'Lifetime counters. They never fall; readers sum over the shards.'),
    (119, N'StatsSummary', N'Queue', N'The queue.'),
    (120, N'StatsSummary', N'Shard', N'The shard.'),
    (121, N'StatsSummary', N'SucceededTotal', N'Jobs that succeeded.'),
    (122, N'StatsSummary', N'FailedTotal', N'Jobs that failed for good.'),
    (123, N'StatsSummary', N'RetriedTotal', N'Attempts that were retried.'),
    (124, N'StatsSummary', N'LastActivityUtc', N'Last outcome, UTC.'),
    (125, N'MetricBuckets', NULL, N'Final outcomes of one UTC second, for the one-minute and five-minute windows.'),
    (126, N'MetricBuckets', N'BucketStartUtc', N'The second, UTC.'),
    (127, N'MetricBuckets', N'Queue', N'The queue.'),
    (128, N'MetricBuckets', N'Outcome', N'0 succeeded, 1 failed for good.'),
    (129, N'MetricBuckets', N'FailureReason', N'As in JobsDLQ; -1 on success.'),
    (130, N'MetricBuckets', N'Shard', N'The shard.'),
    (131, N'MetricBuckets', N'CompletedCount', N'Jobs.'),
    (132, N'MetricBuckets', N'DurationCount', N'Jobs with a known duration.'),
    (133, N'MetricBuckets', N'TotalDurationMs', N'Sum of the durations, milliseconds.'),
    (134, N'MetricBuckets', N'MaxDurationMs', N'Longest duration.'),
    (135, N'MetricBuckets', N'WaitCount', N'Jobs with a known wait.'),
    (136, N'MetricBuckets', N'TotalWaitMs', N'Sum of the waits, milliseconds.'),
    (137, N'MetricBuckets', N'MaxWaitMs', N'Longest wait.'),
    (138, N'MetricBuckets', N'LastUpdatedUtc', N'Last change, UTC.'),
    (139, N'MetricSeries', NULL, N'Long history of every measure in three tiers; readers sum over the shards.'),
    (140, N'MetricSeries', N'Resolution', N'Width of the bucket, seconds: the fine tier, 3600 or 86400.'),
    (141, N'MetricSeries', N'BucketStartUtc', N'Start of the bucket, UTC.'),
    (142, N'MetricSeries', N'Measure', N'A row of Measures.'),
    (143, N'MetricSeries', N'Queue', N'The queue.'),
    (
        144,
        N'MetricSeries',
        N'Type',
        N'The job type; the error group for measure 2; the series'' key for an application''s measure.'
    ),
    (145, N'MetricSeries', N'Outcome', N'0 succeeded, 1 failed for good, 2 an attempt that was retried.'),
    (146, N'MetricSeries', N'FailureReason', N'As in JobsDLQ; -1 on success.'),
    (
        147,
        N'MetricSeries',
        N'Bin',
        N'Logarithmic bin of the value: ceiling(log(ms) / log(1.05 / 0.95)); -32767: 0; -32768: no value.'
    ),
    (148, N'MetricSeries', N'Shard', N'The shard; 0 in rolled-up tiers.'),
    (149, N'MetricSeries', N'SampleCount', N'Samples.'),
    (150, N'MetricSeries', N'TotalMs', N'Sum of the values, milliseconds.'),
    (151, N'MetricSeries', N'MaxMs', N'Largest value.'),
    (152, N'MetricBackfill', NULL, N'The hours that BackfillMetrics has counted from the pillars.'),
    (153, N'MetricBackfill', N'HourStartUtc', N'The hour, UTC.'),
    (154, N'MetricBackfill', N'SampleCount', N'Samples that it found there.'),
    (155, N'MetricBackfill', N'DoneAtUtc', N'When, UTC.'),
    (156, N'MaintenanceGate', NULL, N'Who runs maintenance now: one row.'),
    (157, N'MaintenanceGate', N'Id', N'Always 1.'),
    (158, N'MaintenanceGate', N'RunId', N'The run that holds the gate, or held it last.'),
    (159, N'MaintenanceGate', N'BusyUntilUtc', N'Held until this moment, UTC; in the past: free.');

WHILE @Place <= 159
BEGIN
    SELECT @Table = [d].[TableName], @Column = [d].[ColumnName], @Text = [d].[Description]
    FROM @Descriptions AS [d]
    WHERE [d].[Place] = @Place;

    IF @Column IS NULL
    BEGIN
        EXECUTE [sys].[sp_addextendedproperty]
            @name = N'MS_Description',
            @value = @Text,
            @level0type = 'SCHEMA',
            @level0name = @Schema,
            @level1type = 'TABLE',
            @level1name = @Table;
    END;
    ELSE
    BEGIN
        EXECUTE [sys].[sp_addextendedproperty]
            @name = N'MS_Description',
            @value = @Text,
            @level0type = 'SCHEMA',
            @level0name = @Schema,
            @level1type = 'TABLE',
            @level1name = @Table,
            @level2type = 'COLUMN',
            @level2name = @Column;
    END;

    SET @Place = @Place + 1;
END;
GO
