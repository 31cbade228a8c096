SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: changes the settings of the whole installation. A parameter that is NULL leaves its setting as it is.
Parameters:
    @MetricShards            shards of the counters, 1 to 64.
    @FineResolutionMinutes   width of the fine tier, a divisor of 60.
    @FineRetentionHours      age at which fine rows are summed into hours.
    @HourlyRetentionDays     age at which hours are summed into days; longer than the fine retention.
    @DailyRetentionDays      age at which days are dropped; longer than the hourly retention.
    @BucketRetentionMinutes  age at which one-second buckets are dropped, 6 to 1440.
    @RollupMaxRows           rows that one RollupMetrics call touches at the most.
    @FetchedTimeoutSeconds   claimed and never started for so long: pending again.
    @ZombieTimeoutSeconds    running without a heartbeat for so long: a zombie; a queue may have its own.
    @ArchiveRetentionDays    age at which archived jobs are purged.
    @DlqRetentionDays        age at which dead jobs are purged.
    @MaintenanceBatchSize    rows of one purge or sweep batch, 1 to 1000.
    -1 for DailyRetentionDays, ArchiveRetentionDays or DlqRetentionDays: keep for ever.
Result set: the row as it now is: MetricShards, FineResolutionMinutes, FineRetentionHours, HourlyRetentionDays, DailyRetentionDays, BucketRetentionMinutes, RollupMaxRows, FetchedTimeoutSeconds, ZombieTimeoutSeconds, ArchiveRetentionDays, DlqRetentionDays, MaintenanceBatchSize, LastUpdatedUtc.
Outcomes: none.
Errors: 547 from a CHECK constraint of Settings, named in the message, when the settings cannot be together.
Transactions: one statement writes; joins the caller's transaction if there is one.
Lock order: Settings.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[UpdateSettings]
    @MetricShards INT = NULL,
    @FineResolutionMinutes INT = NULL,
    @FineRetentionHours INT = NULL,
    @HourlyRetentionDays INT = NULL,
    @DailyRetentionDays INT = NULL,
    @BucketRetentionMinutes INT = NULL,
    @RollupMaxRows INT = NULL,
    @FetchedTimeoutSeconds INT = NULL,
    @ZombieTimeoutSeconds INT = NULL,
    @ArchiveRetentionDays INT = NULL,
    @DlqRetentionDays INT = NULL,
    @MaintenanceBatchSize INT = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    UPDATE [chokaq].[Settings]
    SET
        [MetricShards] = COALESCE(@MetricShards, [MetricShards]),
        [FineResolutionMinutes] = COALESCE(@FineResolutionMinutes, [FineResolutionMinutes]),
        [FineRetentionHours] = COALESCE(@FineRetentionHours, [FineRetentionHours]),
        [HourlyRetentionDays] = COALESCE(@HourlyRetentionDays, [HourlyRetentionDays]),
        [DailyRetentionDays] = CASE
            WHEN @DailyRetentionDays = -1 THEN NULL
            ELSE COALESCE(@DailyRetentionDays, [DailyRetentionDays])
        END,
        [BucketRetentionMinutes] = COALESCE(@BucketRetentionMinutes, [BucketRetentionMinutes]),
        [RollupMaxRows] = COALESCE(@RollupMaxRows, [RollupMaxRows]),
        [FetchedTimeoutSeconds] = COALESCE(@FetchedTimeoutSeconds, [FetchedTimeoutSeconds]),
        [ZombieTimeoutSeconds] = COALESCE(@ZombieTimeoutSeconds, [ZombieTimeoutSeconds]),
        [ArchiveRetentionDays] = CASE
            WHEN @ArchiveRetentionDays = -1 THEN NULL
            ELSE COALESCE(@ArchiveRetentionDays, [ArchiveRetentionDays])
        END,
        [DlqRetentionDays] = CASE
            WHEN @DlqRetentionDays = -1 THEN NULL
            ELSE COALESCE(@DlqRetentionDays, [DlqRetentionDays])
        END,
        [MaintenanceBatchSize] = COALESCE(@MaintenanceBatchSize, [MaintenanceBatchSize]),
        [LastUpdatedUtc] = SYSUTCDATETIME()
    WHERE [Id] = 1;

    SELECT
        [s].[MetricShards],
        [s].[FineResolutionMinutes],
        [s].[FineRetentionHours],
        [s].[HourlyRetentionDays],
        [s].[DailyRetentionDays],
        [s].[BucketRetentionMinutes],
        [s].[RollupMaxRows],
        [s].[FetchedTimeoutSeconds],
        [s].[ZombieTimeoutSeconds],
        [s].[ArchiveRetentionDays],
        [s].[DlqRetentionDays],
        [s].[MaintenanceBatchSize],
        [s].[LastUpdatedUtc]
    FROM [chokaq].[Settings] AS [s]
    WHERE [s].[Id] = 1;
END;
GO
