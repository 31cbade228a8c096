/*
One-time script: the table types that procedures pass to each other. Never changed after it was published: a type that has to
change gets a new name. Undo: db/undo/0003_table_types.sql.
*/
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/* What a job came to, for RecordOutcomes. Outcome 0 succeeded, 1 failed for good, 2 an attempt that is retried. */
CREATE TYPE [chokaq].[OutcomeRows] AS TABLE(
    [Ordinal] INT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [DurationMs] FLOAT NULL,
    [WaitMs] FLOAT NULL,
    [ErrorGroup] VARCHAR(255) NULL,
    PRIMARY KEY CLUSTERED ([Ordinal])
);
GO

/* Executions that went wrong, for SettleFailures. StaleBeforeUtc: settle only if the last heartbeat is older than this. */
CREATE TYPE [chokaq].[FailureRows] AS TABLE(
    [JobId] VARCHAR(50) NOT NULL,
    [WorkerId] VARCHAR(100) NOT NULL,
    [LeaseToken] BIGINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [ErrorDetails] NVARCHAR(MAX) NULL,
    [ErrorGroup] NVARCHAR(255) NULL,
    [RetryAfterSeconds] INT NULL,
    [DurationMs] FLOAT NULL,
    [StaleBeforeUtc] DATETIME2(7) NULL,
    PRIMARY KEY CLUSTERED ([JobId])
);
GO

/* Jobs for an operator's procedures to act on, with what shall be different about them afterwards; NULL: as it was. */
CREATE TYPE [chokaq].[JobEdits] AS TABLE(
    [JobId] VARCHAR(50) NOT NULL,
    [Ordinal] INT NOT NULL,
    [Payload] NVARCHAR(MAX) NULL,
    [Tags] VARCHAR(1000) NULL,
    [Priority] INT NULL,
    [DelaySeconds] INT NULL,
    PRIMARY KEY CLUSTERED ([JobId])
);
GO

/* Samples on their way into MetricSeries, for AddSeries. */
CREATE TYPE [chokaq].[SeriesRows] AS TABLE(
    [Resolution] INT NOT NULL,
    [BucketStartUtc] DATETIME2(0) NOT NULL,
    [Measure] SMALLINT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [Bin] SMALLINT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [TotalMs] FLOAT NOT NULL,
    [MaxMs] FLOAT NULL,
    PRIMARY KEY CLUSTERED ([Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [Bin])
);
GO

/* Samples of any measure and moment, for AddSamples. */
CREATE TYPE [chokaq].[SampleRows] AS TABLE(
    [Ordinal] INT NOT NULL,
    [AtUtc] DATETIME2(7) NOT NULL,
    [Measure] SMALLINT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [ValueMs] FLOAT NULL,
    PRIMARY KEY CLUSTERED ([Ordinal])
);
GO
