/*
One-time script: the schema, the ledger, the queues and the three pillars (JobsHot, JobsArchive, JobsDLQ).
Never changed after it was published; a later change is a later script.
Cost on an existing database: none, every object is new. Undo: db/undo/0001_three_pillars.sql.

There are no foreign keys. A foreign key on a hot table would put the locks of other tables into the claim
path, and the only writers are the procedures of this schema, which keep the rows consistent themselves.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

CREATE SCHEMA [chokaq];
GO

/* The ledger of one-time scripts. */
CREATE TABLE [chokaq].[SchemaMigrations] (
    [Version] INT NOT NULL,
    [Name] VARCHAR(200) NOT NULL,
    [Description] NVARCHAR(1000) NULL,
    [Sha256] CHAR(64) NOT NULL,
    [AppliedAtUtc] DATETIME2(7) NOT NULL CONSTRAINT [DF_SchemaMigrations_AppliedAtUtc] DEFAULT (SYSUTCDATETIME()),
    [AppliedBy] NVARCHAR(128) NOT NULL CONSTRAINT [DF_SchemaMigrations_AppliedBy] DEFAULT (SUSER_SNAME()),
    [DurationMs] BIGINT NOT NULL,
    [PackageVersion] VARCHAR(50) NOT NULL,
    CONSTRAINT [PK_SchemaMigrations] PRIMARY KEY CLUSTERED ([Version])
);
GO

/* Which text of which procedure runs here. */
CREATE TABLE [chokaq].[SchemaModules] (
    [Name] VARCHAR(128) NOT NULL,
    [Version] INT NOT NULL,
    [Sha256] CHAR(64) NOT NULL,
    [DeployedAtUtc] DATETIME2(7) NOT NULL CONSTRAINT [DF_SchemaModules_DeployedAtUtc] DEFAULT (SYSUTCDATETIME()),
    [PackageVersion] VARCHAR(50) NOT NULL,
    CONSTRAINT [PK_SchemaModules] PRIMARY KEY CLUSTERED ([Name])
);
GO

/* Settings of the whole installation: one row, and an impossible setting fails at once. */
CREATE TABLE [chokaq].[Settings] (
    [Id] TINYINT NOT NULL CONSTRAINT [DF_Settings_Id] DEFAULT (1),
    [MetricShards] INT NOT NULL CONSTRAINT [DF_Settings_MetricShards] DEFAULT (8),
    [FineResolutionMinutes] INT NOT NULL CONSTRAINT [DF_Settings_FineResolutionMinutes] DEFAULT (5),
    [FineRetentionHours] INT NOT NULL CONSTRAINT [DF_Settings_FineRetentionHours] DEFAULT (6),
    [HourlyRetentionDays] INT NOT NULL CONSTRAINT [DF_Settings_HourlyRetentionDays] DEFAULT (7),
    [DailyRetentionDays] INT NULL CONSTRAINT [DF_Settings_DailyRetentionDays] DEFAULT (90),
    [BucketRetentionMinutes] INT NOT NULL CONSTRAINT [DF_Settings_BucketRetentionMinutes] DEFAULT (15),
    [RollupMaxRows] INT NOT NULL CONSTRAINT [DF_Settings_RollupMaxRows] DEFAULT (20000),
    [FetchedTimeoutSeconds] INT NOT NULL CONSTRAINT [DF_Settings_FetchedTimeoutSeconds] DEFAULT (120),
    [ZombieTimeoutSeconds] INT NOT NULL CONSTRAINT [DF_Settings_ZombieTimeoutSeconds] DEFAULT (120),
    [ArchiveRetentionDays] INT NULL CONSTRAINT [DF_Settings_ArchiveRetentionDays] DEFAULT (30),
    [DlqRetentionDays] INT NULL,
    [MaintenanceBatchSize] INT NOT NULL CONSTRAINT [DF_Settings_MaintenanceBatchSize] DEFAULT (1000),
    [LastUpdatedUtc] DATETIME2(7) NOT NULL CONSTRAINT [DF_Settings_LastUpdatedUtc] DEFAULT (SYSUTCDATETIME()),
    CONSTRAINT [PK_Settings] PRIMARY KEY CLUSTERED ([Id]),
    CONSTRAINT [CK_Settings_Id] CHECK ([Id] = 1),
    CONSTRAINT [CK_Settings_MetricShards] CHECK ([MetricShards] BETWEEN 1 AND 64),
    CONSTRAINT [CK_Settings_FineResolutionMinutes] CHECK ([FineResolutionMinutes] BETWEEN 1 AND 60
        AND 60 % [FineResolutionMinutes] = 0),
    CONSTRAINT [CK_Settings_FineRetentionHours] CHECK ([FineRetentionHours] BETWEEN 1 AND 87600),
    CONSTRAINT [CK_Settings_HourlyRetentionDays] CHECK ([HourlyRetentionDays] <= 3650
        AND [HourlyRetentionDays] * 24 > [FineRetentionHours]),
    CONSTRAINT [CK_Settings_DailyRetentionDays] CHECK ([DailyRetentionDays] IS NULL
        OR [DailyRetentionDays] > [HourlyRetentionDays] AND [DailyRetentionDays] <= 36500),
    CONSTRAINT [CK_Settings_BucketRetentionMinutes] CHECK ([BucketRetentionMinutes] BETWEEN 6 AND 1440),
    CONSTRAINT [CK_Settings_RollupMaxRows] CHECK ([RollupMaxRows] BETWEEN 1 AND 1000000),
    CONSTRAINT [CK_Settings_FetchedTimeoutSeconds] CHECK ([FetchedTimeoutSeconds] BETWEEN 1 AND 86400),
    CONSTRAINT [CK_Settings_ZombieTimeoutSeconds] CHECK ([ZombieTimeoutSeconds] BETWEEN 1 AND 604800),
    CONSTRAINT [CK_Settings_ArchiveRetentionDays] CHECK ([ArchiveRetentionDays] IS NULL
        OR [ArchiveRetentionDays] BETWEEN 0 AND 36500),
    CONSTRAINT [CK_Settings_DlqRetentionDays] CHECK ([DlqRetentionDays] IS NULL
        OR [DlqRetentionDays] BETWEEN 0 AND 36500),
    CONSTRAINT [CK_Settings_MaintenanceBatchSize] CHECK ([MaintenanceBatchSize] BETWEEN 1 AND 1000)
);
GO

INSERT INTO [chokaq].[Settings] ([Id])
VALUES (1);
GO

/*
Who runs maintenance now: one row, held until a moment and not by a session, so that a runner that dies frees it. Not an application lock: asking for
one that is taken is what a second runner does every minute, and an engine of the core does not survive that for long.
*/
CREATE TABLE [chokaq].[MaintenanceGate] (
    [Id] TINYINT NOT NULL CONSTRAINT [DF_MaintenanceGate_Id] DEFAULT (1),
    [RunId] UNIQUEIDENTIFIER NULL,
    [BusyUntilUtc] DATETIME2(7) NOT NULL,
    CONSTRAINT [PK_MaintenanceGate] PRIMARY KEY CLUSTERED ([Id]),
    CONSTRAINT [CK_MaintenanceGate_Id] CHECK ([Id] = 1)
);
GO

INSERT INTO [chokaq].[MaintenanceGate] ([BusyUntilUtc])
VALUES ('2000-01-01T00:00:00');
GO

/* Run-time configuration of each queue. */
CREATE TABLE [chokaq].[Queues] (
    [Name] VARCHAR(255) NOT NULL,
    [IsPaused] BIT NOT NULL CONSTRAINT [DF_Queues_IsPaused] DEFAULT (0),
    [IsActive] BIT NOT NULL CONSTRAINT [DF_Queues_IsActive] DEFAULT (1),
    [MaxWorkers] INT NULL,
    [ZombieTimeoutSeconds] INT NULL,
    [ZombieAction] TINYINT NOT NULL CONSTRAINT [DF_Queues_ZombieAction] DEFAULT (0),
    [MaxAttempts] INT NOT NULL CONSTRAINT [DF_Queues_MaxAttempts] DEFAULT (3),
    [RetryBaseSeconds] INT NOT NULL CONSTRAINT [DF_Queues_RetryBaseSeconds] DEFAULT (10),
    [RetryMultiplier] FLOAT NOT NULL CONSTRAINT [DF_Queues_RetryMultiplier] DEFAULT (2),
    [RetryMaxSeconds] INT NOT NULL CONSTRAINT [DF_Queues_RetryMaxSeconds] DEFAULT (3600),
    [RetryJitterPercent] INT NOT NULL CONSTRAINT [DF_Queues_RetryJitterPercent] DEFAULT (10),
    [MaxJobAgeSeconds] INT NULL,
    [LastUpdatedUtc] DATETIME2(7) NOT NULL,
    CONSTRAINT [PK_Queues] PRIMARY KEY CLUSTERED ([Name]),
    CONSTRAINT [CK_Queues_Name] CHECK ([Name] <> ''),
    CONSTRAINT [CK_Queues_MaxWorkers] CHECK ([MaxWorkers] IS NULL OR [MaxWorkers] >= 0),
    CONSTRAINT [CK_Queues_ZombieTimeoutSeconds] CHECK ([ZombieTimeoutSeconds] IS NULL
        OR [ZombieTimeoutSeconds] BETWEEN 1 AND 604800),
    CONSTRAINT [CK_Queues_ZombieAction] CHECK ([ZombieAction] IN (0, 1)),
    CONSTRAINT [CK_Queues_MaxAttempts] CHECK ([MaxAttempts] BETWEEN 1 AND 1000),
    CONSTRAINT [CK_Queues_RetryBaseSeconds] CHECK ([RetryBaseSeconds] BETWEEN 0 AND 86400),
    CONSTRAINT [CK_Queues_RetryMultiplier] CHECK ([RetryMultiplier] BETWEEN 1 AND 100),
    CONSTRAINT [CK_Queues_RetryMaxSeconds] CHECK ([RetryMaxSeconds] BETWEEN [RetryBaseSeconds] AND 2592000),
    CONSTRAINT [CK_Queues_RetryJitterPercent] CHECK ([RetryJitterPercent] BETWEEN 0 AND 100),
    CONSTRAINT [CK_Queues_MaxJobAgeSeconds] CHECK ([MaxJobAgeSeconds] IS NULL OR [MaxJobAgeSeconds] >= 1)
);
GO

/*
One row for each queue, written by whoever must be alone with a limited queue. It is a table of its own so that
the readers of Queues (every fetch) never wait for that lock. A write, not a locking hint, so that it holds on every engine.
*/
CREATE TABLE [chokaq].[QueueGates] (
    [Queue] VARCHAR(255) NOT NULL,
    [Passes] BIGINT NOT NULL CONSTRAINT [DF_QueueGates_Passes] DEFAULT (0),
    CONSTRAINT [PK_QueueGates] PRIMARY KEY CLUSTERED ([Queue])
);
GO

/* Pillar 1: active work only. */
CREATE TABLE [chokaq].[JobsHot] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL CONSTRAINT [DF_JobsHot_Priority] DEFAULT (10),
    [Status] TINYINT NOT NULL CONSTRAINT [DF_JobsHot_Status] DEFAULT (0),
    [AttemptCount] INT NOT NULL CONSTRAINT [DF_JobsHot_AttemptCount] DEFAULT (0),
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL CONSTRAINT [DF_JobsHot_LeaseToken] DEFAULT (0),
    [HeartbeatUtc] DATETIME2(7) NULL,
    [CancelRequestedUtc] DATETIME2(7) NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [LastUpdatedUtc] DATETIME2(7) NOT NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL,
    CONSTRAINT [PK_JobsHot] PRIMARY KEY CLUSTERED ([Id]),
    CONSTRAINT [CK_JobsHot_Priority] CHECK ([Priority] BETWEEN 0 AND 100),
    CONSTRAINT [CK_JobsHot_Status] CHECK ([Status] IN (0, 1, 2)),
    CONSTRAINT [CK_JobsHot_AttemptCount] CHECK ([AttemptCount] >= 0),
    CONSTRAINT [CK_JobsHot_MaxAttempts] CHECK ([MaxAttempts] IS NULL OR [MaxAttempts] BETWEEN 1 AND 1000),
    /* A claimed job has an owner and a liveness signal; a pending one has neither. */
    CONSTRAINT [CK_JobsHot_Owner] CHECK (([Status] = 0 AND [WorkerId] IS NULL AND [HeartbeatUtc] IS NULL)
        OR ([Status] IN (1, 2) AND [WorkerId] IS NOT NULL AND [HeartbeatUtc] IS NOT NULL))
);
GO

/* The claim: due rows of one queue and one priority are one range, in claim order. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_Fetch] ON [chokaq].[JobsHot]([Queue], [Priority] DESC, [ScheduledAtUtc], [CreatedAtUtc], [Id]) WHERE [Status] = 0;
GO

/* At most one active job for a key. */
CREATE UNIQUE NONCLUSTERED INDEX [IX_JobsHot_Idempotency] ON [chokaq].[JobsHot]([IdempotencyKey]) WHERE [IdempotencyKey] IS NOT NULL;
GO

/* Counts for each queue, and the running jobs that MaxWorkers limits. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_QueueStats] ON [chokaq].[JobsHot]([Queue], [Status]);
GO

/* The oldest due job of a queue, and how many are due. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_PendingLag] ON [chokaq].[JobsHot]([Queue], [ScheduledAtUtc]) WHERE [Status] = 0;
GO

/* The list of active jobs by state and age. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_StatusCreated] ON [chokaq].[JobsHot]([Status], [CreatedAtUtc]);
GO

/* Claimed and never started: found by age of the claim. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_FetchedRecovery] ON [chokaq].[JobsHot]([HeartbeatUtc]) WHERE [Status] = 1;
GO

/* Running without a heartbeat: each queue has its own timeout, so the queue leads. */
CREATE NONCLUSTERED INDEX [IX_JobsHot_ProcessingHeartbeat] ON [chokaq].[JobsHot]([Queue], [HeartbeatUtc]) WHERE [Status] = 2;
GO

/* Pillar 2: what succeeded. */
CREATE TABLE [chokaq].[JobsArchive] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [AttemptCount] INT NOT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FinishedAtUtc] DATETIME2(7) NOT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL,
    CONSTRAINT [PK_JobsArchive] PRIMARY KEY CLUSTERED ([Id])
);
GO

/* The newest finished jobs, page by page, and the purge by age. */
CREATE NONCLUSTERED INDEX [IX_JobsArchive_Date] ON [chokaq].[JobsArchive]([FinishedAtUtc], [Id]);
GO

/* The same for one queue. */
CREATE NONCLUSTERED INDEX [IX_JobsArchive_Queue] ON [chokaq].[JobsArchive]([Queue], [FinishedAtUtc], [Id]);
GO

/* Finished jobs of a tag. */
CREATE NONCLUSTERED INDEX [IX_JobsArchive_Tags] ON [chokaq].[JobsArchive]([Tags]) WHERE [Tags] IS NOT NULL;
GO

/* Pillar 3: what failed, was cancelled, was abandoned or is held by an operator. Nothing that a resurrect needs is dropped. */
CREATE TABLE [chokaq].[JobsDLQ] (
    [Id] VARCHAR(50) NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [IdempotencyKey] VARCHAR(255) NULL,
    [Priority] INT NOT NULL,
    [AttemptCount] INT NOT NULL,
    [MaxAttempts] INT NULL,
    [WorkerId] VARCHAR(100) NULL,
    [LeaseToken] BIGINT NOT NULL,
    [ScheduledAtUtc] DATETIME2(7) NOT NULL,
    [CreatedAtUtc] DATETIME2(7) NOT NULL,
    [StartedAtUtc] DATETIME2(7) NULL,
    [FailedAtUtc] DATETIME2(7) NOT NULL,
    [FailureReason] INT NOT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [CreatedBy] VARCHAR(100) NULL,
    [LastModifiedBy] VARCHAR(100) NULL,
    CONSTRAINT [PK_JobsDLQ] PRIMARY KEY CLUSTERED ([Id]),
    CONSTRAINT [CK_JobsDLQ_FailureReason] CHECK ([FailureReason] BETWEEN 0 AND 10)
);
GO

/* The newest dead jobs, page by page, and the purge by age. */
CREATE NONCLUSTERED INDEX [IX_JobsDLQ_Date] ON [chokaq].[JobsDLQ]([FailedAtUtc], [Id]);
GO

/* The same for one queue. */
CREATE NONCLUSTERED INDEX [IX_JobsDLQ_Queue] ON [chokaq].[JobsDLQ]([Queue], [FailedAtUtc], [Id]);
GO

/* Dead jobs of one reason: what a resurrect or purge by filter walks. */
CREATE NONCLUSTERED INDEX [IX_JobsDLQ_Reason] ON [chokaq].[JobsDLQ]([FailureReason], [FailedAtUtc], [Id]);
GO

/* Dead jobs of one type. */
CREATE NONCLUSTERED INDEX [IX_JobsDLQ_Type] ON [chokaq].[JobsDLQ]([Type], [FailedAtUtc], [Id]);
GO

/* Dead jobs by the time they were enqueued. */
CREATE NONCLUSTERED INDEX [IX_JobsDLQ_CreatedAt] ON [chokaq].[JobsDLQ]([CreatedAtUtc], [Id]);
GO
