SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: sums old rows of MetricSeries into the next tier: one small batch after the other, each summed and deleted in one transaction, so that a crash
    at any point neither loses nor doubles a sample. Shards fold to 0. For RollupMetrics and RunMaintenance.
Parameters:
    @MaxRows          source rows at the most, over all passes; NULL: Settings.RollupMaxRows.
    @NowUtc           the moment from which ages count; NULL: now.
    @FineRows         fine rows summed into hours.
    @HourlyRows       hourly rows summed into days.
    @DroppedRows      rows older than the daily retention, deleted.
    @MoreLeft         1: the cap was reached, call again.
Result set: none.
Outcomes: none.
Errors: none of its own.
Transactions: each batch is a transaction of its own, or part of the caller's.
Lock order: MetricShards, MetricSeries.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RollupRows]
    @MaxRows INT,
    @NowUtc DATETIME2(7),
    @FineRows INT OUTPUT,
    @HourlyRows INT OUTPUT,
    @DroppedRows INT OUTPUT,
    @MoreLeft BIT OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Today DATETIME2(0);
    DECLARE @FineBefore DATETIME2(0);
    DECLARE @HourlyBefore DATETIME2(0);
    DECLARE @DailyBefore DATETIME2(0);
    DECLARE @Left INT;
    DECLARE @Take INT;
    DECLARE @Got INT;
    DECLARE @Pass INT = 1;
    DECLARE @Width INT;
    DECLARE @Rows [chokaq].[SeriesRows];
    DECLARE @Source TABLE (
        [Resolution] INT NOT NULL,
        [BucketStartUtc] DATETIME2(0) NOT NULL,
        [Measure] SMALLINT NOT NULL,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Outcome] TINYINT NOT NULL,
        [FailureReason] INT NOT NULL,
        [Bin] SMALLINT NOT NULL,
        [Shard] TINYINT NOT NULL,
        [SampleCount] BIGINT NOT NULL,
        [TotalMs] FLOAT NOT NULL,
        [MaxMs] FLOAT NULL,
        PRIMARY KEY ([Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [Bin], [Shard])
    );
    /* Hours that got fine samples in this call: they are not rolled on in this call, since more of their samples may follow. */
    DECLARE @FreshHours TABLE (
        [HourStartUtc] DATETIME2(0) NOT NULL PRIMARY KEY
    );

    SET @FineRows = 0;
    SET @HourlyRows = 0;
    SET @DroppedRows = 0;
    SET @NowUtc = COALESCE(@NowUtc, SYSUTCDATETIME());
    SET @Today = CONVERT(DATETIME2(0), CONVERT(DATE, @NowUtc));

    /* Only whole, closed buckets: each limit is the start of the hour or day that the retention still reaches into. Without a daily retention the last is NULL and nothing is older. */
    SELECT
        @Left = COALESCE(@MaxRows, [s].[RollupMaxRows]),
        @FineBefore = DATEADD(HOUR, DATEDIFF(HOUR, @Today, @NowUtc) - [s].[FineRetentionHours], @Today),
        @HourlyBefore = DATEADD(DAY, -[s].[HourlyRetentionDays], @Today),
        @DailyBefore = DATEADD(DAY, -[s].[DailyRetentionDays], @Today)
    FROM [chokaq].[Settings] AS [s];

    /*
    Fine rows are asked for one width after the other (there are several after the setting was changed), so that each question is a seek to the
    oldest of them and never a walk over the fresh ones.
    */
    SELECT @Width = MIN([m].[Resolution]) FROM [chokaq].[MetricSeries] AS [m] WHERE [m].[Resolution] < 3600;

    /* Pass 1: fine to hourly. 2: hours whose day is past the daily retention are dropped. 3: hourly to daily. 4: days past the retention are dropped. */
    WHILE @Pass <= 4 AND @Left > 0
    BEGIN
        SET @Take = CASE WHEN @Left < 1000 THEN @Left ELSE 1000 END;
        DELETE FROM @Source;
        DELETE FROM @Rows;

        BEGIN TRY
            IF @OwnsTransaction = 1
            BEGIN
                BEGIN TRANSACTION;
            END;

            /* The gate of shard 0, to which everything folds: one rollup at a time adds to its rows. */
            UPDATE [chokaq].[MetricShards]
            SET [Passes] = [Passes] + 1
            WHERE [Shard] = 0;

            /* Each count is taken inside its block: an IF that is not taken sets it to 0. */
            IF @Pass = 1
            BEGIN
                DELETE TOP (@Take) FROM [chokaq].[MetricSeries]
                OUTPUT
                    deleted.[Resolution],
                    deleted.[BucketStartUtc],
                    deleted.[Measure],
                    deleted.[Queue],
                    deleted.[Type],
                    deleted.[Outcome],
                    deleted.[FailureReason],
                    deleted.[Bin],
                    deleted.[Shard],
                    deleted.[SampleCount],
                    deleted.[TotalMs],
                    deleted.[MaxMs]
                INTO @Source (
                    [Resolution],
                    [BucketStartUtc],
                    [Measure],
                    [Queue],
                    [Type],
                    [Outcome],
                    [FailureReason],
                    [Bin],
                    [Shard],
                    [SampleCount],
                    [TotalMs],
                    [MaxMs]
                )
                WHERE [Resolution] = @Width AND [BucketStartUtc] < @FineBefore;

                SET @Got = @@ROWCOUNT;
            END;

            IF @Pass = 2
            BEGIN
                DELETE TOP (@Take) FROM [chokaq].[MetricSeries]
                WHERE [Resolution] = 3600 AND [BucketStartUtc] < @DailyBefore AND [BucketStartUtc] < @HourlyBefore;

                SET @Got = @@ROWCOUNT;
            END;

            IF @Pass = 3
            BEGIN
                DELETE TOP (@Take) FROM [chokaq].[MetricSeries]
                OUTPUT
                    deleted.[Resolution],
                    deleted.[BucketStartUtc],
                    deleted.[Measure],
                    deleted.[Queue],
                    deleted.[Type],
                    deleted.[Outcome],
                    deleted.[FailureReason],
                    deleted.[Bin],
                    deleted.[Shard],
                    deleted.[SampleCount],
                    deleted.[TotalMs],
                    deleted.[MaxMs]
                INTO @Source (
                    [Resolution],
                    [BucketStartUtc],
                    [Measure],
                    [Queue],
                    [Type],
                    [Outcome],
                    [FailureReason],
                    [Bin],
                    [Shard],
                    [SampleCount],
                    [TotalMs],
                    [MaxMs]
                )
                WHERE [Resolution] = 3600
                    AND [BucketStartUtc] < @HourlyBefore
                    AND [BucketStartUtc] NOT IN (SELECT [f].[HourStartUtc] FROM @FreshHours AS [f]);

                SET @Got = @@ROWCOUNT;
            END;

            IF @Pass = 4
            BEGIN
                DELETE TOP (@Take) FROM [chokaq].[MetricSeries]
                WHERE [Resolution] = 86400 AND [BucketStartUtc] < @DailyBefore;

                SET @Got = @@ROWCOUNT;
            END;

            IF @Got > 0 AND @Pass IN (1, 3)
            BEGIN
                INSERT INTO @Rows (
                    [Resolution],
                    [BucketStartUtc],
                    [Measure],
                    [Queue],
                    [Type],
                    [Outcome],
                    [FailureReason],
                    [Bin],
                    [SampleCount],
                    [TotalMs],
                    [MaxMs]
                )
                SELECT
                    [c].[Resolution],
                    [c].[BucketStartUtc],
                    [c].[Measure],
                    [c].[Queue],
                    [c].[Type],
                    [c].[Outcome],
                    [c].[FailureReason],
                    [c].[Bin],
                    SUM([c].[SampleCount]),
                    SUM([c].[TotalMs]),
                    MAX([c].[MaxMs])
                FROM (
                    SELECT
                        CASE WHEN @Pass = 1 THEN 3600 ELSE 86400 END AS [Resolution],
                        CASE
                            WHEN @Pass = 1 THEN DATEADD(
                                HOUR,
                                DATEDIFF(HOUR, CONVERT(DATETIME2(0), '20000101'), [s].[BucketStartUtc]),
                                CONVERT(DATETIME2(0), '20000101')
                            )
                            ELSE CONVERT(DATETIME2(0), CONVERT(DATE, [s].[BucketStartUtc]))
                        END AS [BucketStartUtc],
                        [s].[Measure],
                        [s].[Queue],
                        [s].[Type],
                        [s].[Outcome],
                        [s].[FailureReason],
                        [s].[Bin],
                        [s].[SampleCount],
                        [s].[TotalMs],
                        [s].[MaxMs]
                    FROM @Source AS [s]
                ) AS [c]
                GROUP BY
                    [c].[Resolution],
                    [c].[BucketStartUtc],
                    [c].[Measure],
                    [c].[Queue],
                    [c].[Type],
                    [c].[Outcome],
                    [c].[FailureReason],
                    [c].[Bin];

                EXECUTE [chokaq].[AddSeries] @Rows = @Rows, @Shard = 0;
            END;

            IF @OwnsTransaction = 1
            BEGIN
                COMMIT TRANSACTION;
            END;
        END TRY
        BEGIN CATCH
            IF @OwnsTransaction = 1 AND XACT_STATE() <> 0
            BEGIN
                ROLLBACK TRANSACTION;
            END;

            THROW;
        END CATCH;

        IF @Pass = 1
        BEGIN
            INSERT INTO @FreshHours ([HourStartUtc])
            SELECT DISTINCT [r].[BucketStartUtc]
            FROM @Rows AS [r]
            WHERE [r].[BucketStartUtc] NOT IN (SELECT [f].[HourStartUtc] FROM @FreshHours AS [f]);

            SET @FineRows = @FineRows + @Got;
        END;

        IF @Pass = 3
        BEGIN
            SET @HourlyRows = @HourlyRows + @Got;
        END;

        IF @Pass IN (2, 4)
        BEGIN
            SET @DroppedRows = @DroppedRows + @Got;
        END;

        SET @Left = @Left - @Got;

        IF @Got < @Take AND @Pass = 1
        BEGIN
            SELECT @Width = MIN([m].[Resolution])
            FROM [chokaq].[MetricSeries] AS [m]
            WHERE [m].[Resolution] > @Width AND [m].[Resolution] < 3600;
        END;

        IF @Got < @Take AND (@Pass > 1 OR @Width IS NULL)
        BEGIN
            SET @Pass = @Pass + 1;
        END;
    END;

    /* Passes that were not reached, and hours held back because they were fresh, are for the next call. */
    SET @MoreLeft = CASE
            WHEN @Pass <= 4 THEN 1
            WHEN EXISTS (SELECT 1 FROM @FreshHours AS [f] WHERE [f].[HourStartUtc] < @HourlyBefore) THEN 1
            ELSE 0
        END;
END;
GO
