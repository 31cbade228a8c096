SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Settings is not faked here: its CHECK constraints are what refuses an impossible setting. Each test begins from known values.
*/
EXECUTE [tSQLt].[NewTestClass] @ClassName = N'UpdateSettingsTests';
GO

CREATE TABLE [UpdateSettingsTests].[Expected] (
    [MetricShards] INT NOT NULL,
    [FineResolutionMinutes] INT NOT NULL,
    [FineRetentionHours] INT NOT NULL,
    [HourlyRetentionDays] INT NOT NULL,
    [DailyRetentionDays] INT NULL,
    [BucketRetentionMinutes] INT NOT NULL,
    [RollupMaxRows] INT NOT NULL,
    [FetchedTimeoutSeconds] INT NOT NULL,
    [ZombieTimeoutSeconds] INT NOT NULL,
    [ArchiveRetentionDays] INT NULL,
    [DlqRetentionDays] INT NULL,
    [MaintenanceBatchSize] INT NOT NULL
);
GO

CREATE TABLE [UpdateSettingsTests].[Actual] (
    [MetricShards] INT NULL,
    [FineResolutionMinutes] INT NULL,
    [FineRetentionHours] INT NULL,
    [HourlyRetentionDays] INT NULL,
    [DailyRetentionDays] INT NULL,
    [BucketRetentionMinutes] INT NULL,
    [RollupMaxRows] INT NULL,
    [FetchedTimeoutSeconds] INT NULL,
    [ZombieTimeoutSeconds] INT NULL,
    [ArchiveRetentionDays] INT NULL,
    [DlqRetentionDays] INT NULL,
    [MaintenanceBatchSize] INT NULL,
    [LastUpdatedUtc] DATETIME2(7) NULL
);
GO

CREATE PROCEDURE [UpdateSettingsTests].[SetUp]
AS
BEGIN
    UPDATE [chokaq].[Settings]
    SET
        [MetricShards] = 8,
        [FineResolutionMinutes] = 5,
        [FineRetentionHours] = 6,
        [HourlyRetentionDays] = 7,
        [DailyRetentionDays] = 90,
        [BucketRetentionMinutes] = 15,
        [RollupMaxRows] = 20000,
        [FetchedTimeoutSeconds] = 120,
        [ZombieTimeoutSeconds] = 120,
        [ArchiveRetentionDays] = 30,
        [DlqRetentionDays] = NULL,
        [MaintenanceBatchSize] = 1000,
        [LastUpdatedUtc] = '2026-01-02T03:04:05'
    WHERE [Id] = 1;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings without parameters changes no setting]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings];

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes every setting that it is given]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (16, 10, 12, 14, 180, 30, 5000, 60, 300, 10, 20, 500);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings]
        @MetricShards = 16,
        @FineResolutionMinutes = 10,
        @FineRetentionHours = 12,
        @HourlyRetentionDays = 14,
        @DailyRetentionDays = 180,
        @BucketRetentionMinutes = 30,
        @RollupMaxRows = 5000,
        @FetchedTimeoutSeconds = 60,
        @ZombieTimeoutSeconds = 300,
        @ArchiveRetentionDays = 10,
        @DlqRetentionDays = 20,
        @MaintenanceBatchSize = 500;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes MetricShards alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (16, 5, 6, 7, 90, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @MetricShards = 16;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes FineResolutionMinutes alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 10, 6, 7, 90, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @FineResolutionMinutes = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes FineRetentionHours alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 12, 7, 90, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @FineRetentionHours = 12;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes HourlyRetentionDays alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 14, 90, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @HourlyRetentionDays = 14;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes DailyRetentionDays alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 180, 15, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @DailyRetentionDays = 180;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes BucketRetentionMinutes alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 30, 20000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @BucketRetentionMinutes = 30;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes RollupMaxRows alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 5000, 120, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @RollupMaxRows = 5000;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes FetchedTimeoutSeconds alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 60, 120, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @FetchedTimeoutSeconds = 60;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes ZombieTimeoutSeconds alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 120, 300, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @ZombieTimeoutSeconds = 300;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes ArchiveRetentionDays alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 120, 120, 10, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @ArchiveRetentionDays = 10;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes DlqRetentionDays alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 120, 120, 30, 20, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @DlqRetentionDays = 20;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings changes MaintenanceBatchSize alone]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, 90, 15, 20000, 120, 120, 30, NULL, 500);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @MaintenanceBatchSize = 500;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings takes -1 for keep for ever]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (8, 5, 6, 7, NULL, 15, 20000, 120, 120, NULL, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings] @DailyRetentionDays = -1, @ArchiveRetentionDays = -1, @DlqRetentionDays = -1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings accepts the lowest value of each setting]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (1, 1, 1, 1, 2, 6, 1, 1, 1, 0, 0, 1);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings]
        @MetricShards = 1,
        @FineResolutionMinutes = 1,
        @FineRetentionHours = 1,
        @HourlyRetentionDays = 1,
        @DailyRetentionDays = 2,
        @BucketRetentionMinutes = 6,
        @RollupMaxRows = 1,
        @FetchedTimeoutSeconds = 1,
        @ZombieTimeoutSeconds = 1,
        @ArchiveRetentionDays = 0,
        @DlqRetentionDays = 0,
        @MaintenanceBatchSize = 1;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings accepts the highest value of each setting]
AS
BEGIN
    /* Assemble */
    INSERT INTO [UpdateSettingsTests].[Expected] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize]
    )
    VALUES (64, 60, 6, 7, 90, 1440, 1000000, 86400, 604800, 30, NULL, 1000);

    /* Act */
    INSERT INTO [UpdateSettingsTests].[Actual] (
        [MetricShards],
        [FineResolutionMinutes],
        [FineRetentionHours],
        [HourlyRetentionDays],
        [DailyRetentionDays],
        [BucketRetentionMinutes],
        [RollupMaxRows],
        [FetchedTimeoutSeconds],
        [ZombieTimeoutSeconds],
        [ArchiveRetentionDays],
        [DlqRetentionDays],
        [MaintenanceBatchSize],
        [LastUpdatedUtc]
    )
    EXECUTE [chokaq].[UpdateSettings]
        @MetricShards = 64,
        @FineResolutionMinutes = 60,
        @BucketRetentionMinutes = 1440,
        @RollupMaxRows = 1000000,
        @FetchedTimeoutSeconds = 86400,
        @ZombieTimeoutSeconds = 604800,
        @MaintenanceBatchSize = 1000;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[UpdateSettingsTests].[Expected]',
        @Actual = N'[UpdateSettingsTests].[Actual]';
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings stamps the change with the time]
AS
BEGIN
    /* Assemble */
    DECLARE @Before DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Stamped INT;

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @RollupMaxRows = 100;

    /* Assert */
    SELECT @Stamped = COUNT(*) FROM [chokaq].[Settings] AS [s] WHERE [s].[LastUpdatedUtc] >= @Before;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Stamped;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses no shard]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]MetricShards%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @MetricShards = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses more than 64 shards]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]MetricShards%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @MetricShards = 65;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a fine width that does not divide the hour]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]FineResolutionMinutes%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FineResolutionMinutes = 7;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a fine width of more than an hour]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]FineResolutionMinutes%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FineResolutionMinutes = 120;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a fine retention of no hour]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]FineRetentionHours%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FineRetentionHours = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses an hourly retention no longer than the fine one]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]HourlyRetentionDays%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FineRetentionHours = 48, @HourlyRetentionDays = 2;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a daily retention no longer than the hourly one]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]DailyRetentionDays%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @HourlyRetentionDays = 30, @DailyRetentionDays = 30;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses buckets kept for less than the windows that read them]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]BucketRetentionMinutes%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @BucketRetentionMinutes = 5;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses buckets kept for more than a day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]BucketRetentionMinutes%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @BucketRetentionMinutes = 1441;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a rollup of no rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]RollupMaxRows%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @RollupMaxRows = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a claim that times out at once]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]FetchedTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FetchedTimeoutSeconds = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a claim that lasts for more than a day]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]FetchedTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @FetchedTimeoutSeconds = 86401;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a heartbeat that times out at once]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]ZombieTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @ZombieTimeoutSeconds = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a heartbeat timeout of more than a week]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]ZombieTimeoutSeconds%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @ZombieTimeoutSeconds = 604801;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses an archive retention below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]ArchiveRetentionDays%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @ArchiveRetentionDays = -2;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses a DLQ retention below zero]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]DlqRetentionDays%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @DlqRetentionDays = -2;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses batches of no row]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]MaintenanceBatchSize%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @MaintenanceBatchSize = 0;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings refuses batches of more than 1000 rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 547,
        @ExpectedMessagePattern = N'%CK[_]Settings[_]MaintenanceBatchSize%';

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @MaintenanceBatchSize = 1001;
END;
GO

CREATE PROCEDURE [UpdateSettingsTests].[test UpdateSettings leaves the transaction of its caller open]
AS
BEGIN
    /* Assemble */
    DECLARE @Before INT = @@TRANCOUNT;
    DECLARE @After INT;

    /* Act */
    EXECUTE [chokaq].[UpdateSettings] @RollupMaxRows = 100;

    /* Assert */
    SET @After = @@TRANCOUNT;
    EXECUTE [tSQLt].[AssertEquals] @Expected = @Before, @Actual = @After;
END;
GO
