SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: takes an application's own measures (latency of an endpoint, calls of an adapter, events of a client) into the same bins, tiers, rollup and reads as the jobs'.
    A new measure's name is registered; their number is limited, so that a mistake in naming cannot flood the history.
Parameters:
    @Samples          JSON array of at most 1,000 objects {measure, series, queue, valueMs, outcome, atUtc}; measure (its name) and series (the key within it) are
                      required. queue default ''. valueMs 0 or more; absent: the sample only counts. outcome 0 good (default) or 1 bad. atUtc: ISO 8601, UTC,
                      default now, not more than 5 minutes ahead and not before the hourly retention.
    @MaxMeasures      how many measures of applications there may be.
Result set: Accepted int, Refused int (the measure is new and there are too many already, it is one of the package's own, or atUtc
    is out of range); one row.
Outcomes: none.
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows).
Transactions: joins the caller's; alone it is one transaction.
Lock order: Measures, then that of AddSamples.
Role: [chokaq_producer], [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RecordSamples] @Samples NVARCHAR(MAX), @MaxMeasures INT = 100
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @OldestUtc DATETIME2(7);
    DECLARE @Accepted INT = 0;
    DECLARE @Rows [chokaq].[SampleRows];
    DECLARE @Input TABLE (
        [Ordinal] INT IDENTITY(1, 1) NOT NULL PRIMARY KEY,
        [Name] VARCHAR(100) NOT NULL,
        [Series] VARCHAR(255) NOT NULL,
        [Queue] VARCHAR(255) NOT NULL,
        [ValueMs] FLOAT NULL,
        [Outcome] TINYINT NOT NULL,
        [AtUtc] DATETIME2(7) NOT NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'RecordSamples',
        @Json = @Samples,
        @Shape = N'[{"key":"measure","kind":"key","max":100,"required":true},{"key":"series","kind":"key","max":255,"required":true},{"key":"queue","kind":"key","max":255},{"key":"valueMs","kind":"number","min":0,"max":31536000000000},{"key":"outcome","kind":"integer","min":0,"max":1},{"key":"atUtc","kind":"time"}]';

    INSERT INTO @Input ([Name], [Series], [Queue], [ValueMs], [Outcome], [AtUtc])
    SELECT
        [s].[Name],
        [s].[Series],
        COALESCE([s].[Queue], ''),
        [s].[ValueMs],
        COALESCE([s].[Outcome], 0),
        COALESCE(TRY_CONVERT(DATETIME2(7), REPLACE([s].[AtUtc], N'Z', N''), 126), @Now)
    FROM OPENJSON(@Samples) WITH (
        [Name] VARCHAR(100) '$.measure',
        [Series] VARCHAR(255) '$.series',
        [Queue] VARCHAR(255) '$.queue',
        [ValueMs] FLOAT '$.valueMs',
        [Outcome] TINYINT '$.outcome',
        [AtUtc] NVARCHAR(50) '$.atUtc'
    ) AS [s];

    SELECT @OldestUtc = DATEADD(DAY, -[s].[HourlyRetentionDays], @Now) FROM [chokaq].[Settings] AS [s];

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        IF EXISTS (
               SELECT 1
               FROM @Input AS [i]
               WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[Measures] AS [m] WHERE [m].[Name] = [i].[Name])
           )
        BEGIN
            /* The first row of the table is the gate: one registration at a time, so that two sessions cannot take one number or pass the limit together. */
            UPDATE [chokaq].[Measures]
            SET [Name] = [Name]
            WHERE [Measure] = 0;

            INSERT INTO [chokaq].[Measures] ([Measure], [Name])
            SELECT [n].[Measure], [n].[Name]
            FROM (
                SELECT
                    [g].[Name],
                    (
                        SELECT CASE WHEN MAX([m].[Measure]) < 100 THEN 99 ELSE MAX([m].[Measure]) END
                        FROM [chokaq].[Measures] AS [m]
                    ) +
                    ROW_NUMBER() OVER (ORDER BY [g].[Name]) AS [Measure],
                    (SELECT COUNT(*) FROM [chokaq].[Measures] AS [m] WHERE [m].[Measure] >= 100) +
                    ROW_NUMBER() OVER (ORDER BY [g].[Name]) AS [Number]
                FROM (
                    SELECT [i].[Name]
                    FROM @Input AS [i]
                    WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[Measures] AS [m] WHERE [m].[Name] = [i].[Name])
                    GROUP BY [i].[Name]
                ) AS [g]
            ) AS [n]
            WHERE [n].[Number] <= @MaxMeasures AND [n].[Measure] <= 32767;
        END;

        INSERT INTO @Rows ([Ordinal], [AtUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason], [ValueMs])
        SELECT [i].[Ordinal], [i].[AtUtc], [m].[Measure], [i].[Queue], [i].[Series], [i].[Outcome], -1, [i].[ValueMs]
        FROM @Input AS [i]
        INNER JOIN [chokaq].[Measures] AS [m] ON [m].[Name] = [i].[Name]
        WHERE [m].[Measure] >= 100 AND [i].[AtUtc] >= @OldestUtc AND [i].[AtUtc] <= DATEADD(MINUTE, 5, @Now);

        SET @Accepted = @@ROWCOUNT;

        IF @Accepted > 0
        BEGIN
            EXECUTE [chokaq].[AddSamples] @Samples = @Rows;
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

    SELECT @Accepted AS [Accepted], (SELECT COUNT([i].[Ordinal]) FROM @Input AS [i]) - @Accepted AS [Refused];
END;
GO
