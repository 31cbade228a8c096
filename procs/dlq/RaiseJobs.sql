SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that takes jobs out of the DLQ and makes them pending again: attempts start over, the lease goes on counting from where it
    was, everything else is as it was unless the call says otherwise. For ResurrectJobs and ResurrectByFilter.
Parameters:
    @Edits            the jobs, and what shall be different about them.
    @RaisedBy         who does it.
Result set: JobId varchar(50), Outcome varchar(20); a row for each job, in the order of the Ordinals.
Outcomes: resurrected; key-active (another active job has its IdempotencyKey: it stays in the DLQ); not-found (not in the DLQ).
Errors: none of its own.
Transactions: joins the caller's; alone it is one transaction.
Lock order: JobsHot (keys in key order), JobsDLQ, JobsHot; a job's key is held before its row in the DLQ is taken.
Role: internal, not granted
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RaiseJobs] @Edits [chokaq].[JobEdits] READONLY, @RaisedBy VARCHAR(100)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @TriesLeft INT = 3;
    DECLARE @Raised TABLE (
        [Id] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Payload] NVARCHAR(MAX) NULL,
        [Tags] VARCHAR(1000) NULL,
        [IdempotencyKey] VARCHAR(255) NULL,
        [Priority] INT NOT NULL,
        [MaxAttempts] INT NULL,
        [LeaseToken] BIGINT NOT NULL,
        [CreatedAtUtc] DATETIME2(7) NOT NULL,
        [CreatedBy] VARCHAR(100) NULL
    );
    DECLARE @Keys TABLE (
        [IdempotencyKey] VARCHAR(255) NOT NULL PRIMARY KEY,
        [JobId] VARCHAR(50) NOT NULL,
        [IsActive] BIT NOT NULL
    );
    DECLARE @Found TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Ordinal] INT NOT NULL,
        [IdempotencyKey] VARCHAR(255) NULL,
        [MayRise] BIT NOT NULL
    );

    /* As in EnqueueJobs: where range locks do not exist the unique index decides, and then the call starts again. */
    WHILE @TriesLeft > 0
    BEGIN
        BEGIN TRY
            DELETE FROM @Found;
            DELETE FROM @Keys;
            DELETE FROM @Raised;

            IF @OwnsTransaction = 1
            BEGIN
                BEGIN TRANSACTION;
            END;

            INSERT INTO @Found ([JobId], [Ordinal], [IdempotencyKey], [MayRise])
            SELECT
                [d].[Id],
                [e].[Ordinal],
                [d].[IdempotencyKey],
                CASE WHEN [d].[IdempotencyKey] IS NULL THEN 1 ELSE 0 END
            FROM @Edits AS [e]
            INNER JOIN [chokaq].[JobsDLQ] AS [d] ON [d].[Id] = [e].[JobId];

            /* Of several jobs with one key the first of the call may come back. */
            INSERT INTO @Keys ([IdempotencyKey], [JobId], [IsActive])
            SELECT [r].[IdempotencyKey], [r].[JobId], 0
            FROM (
                SELECT
                    [f].[IdempotencyKey],
                    [f].[JobId],
                    ROW_NUMBER() OVER (PARTITION BY [f].[IdempotencyKey] ORDER BY [f].[Ordinal]) AS [Place]
                FROM @Found AS [f]
                WHERE [f].[IdempotencyKey] IS NOT NULL
            ) AS [r]
            WHERE [r].[Place] = 1;

            UPDATE [k]
            SET [k].[IsActive] = 1
            FROM @Keys AS [k]
            INNER JOIN [chokaq].[JobsHot] AS [h] WITH (UPDLOCK, HOLDLOCK)
                ON [h].[IdempotencyKey] = [k].[IdempotencyKey] AND [h].[IdempotencyKey] IS NOT NULL;

            UPDATE [f]
            SET [f].[MayRise] = 1
            FROM @Found AS [f]
            INNER JOIN @Keys AS [k] ON [k].[JobId] = [f].[JobId]
            WHERE [k].[IsActive] = 0;

            DELETE FROM [chokaq].[JobsDLQ]
            OUTPUT
                deleted.[Id],
                deleted.[Queue],
                deleted.[Type],
                deleted.[Payload],
                deleted.[Tags],
                deleted.[IdempotencyKey],
                deleted.[Priority],
                deleted.[MaxAttempts],
                deleted.[LeaseToken],
                deleted.[CreatedAtUtc],
                deleted.[CreatedBy]
            INTO @Raised (
                [Id],
                [Queue],
                [Type],
                [Payload],
                [Tags],
                [IdempotencyKey],
                [Priority],
                [MaxAttempts],
                [LeaseToken],
                [CreatedAtUtc],
                [CreatedBy]
            )
            WHERE [Id] IN (SELECT [f].[JobId] FROM @Found AS [f] WHERE [f].[MayRise] = 1);

            INSERT INTO [chokaq].[JobsHot] (
                [Id],
                [Queue],
                [Type],
                [Payload],
                [Tags],
                [IdempotencyKey],
                [Priority],
                [Status],
                [AttemptCount],
                [MaxAttempts],
                [LeaseToken],
                [ScheduledAtUtc],
                [CreatedAtUtc],
                [LastUpdatedUtc],
                [CreatedBy],
                [LastModifiedBy]
            )
            SELECT
                [r].[Id],
                [r].[Queue],
                [r].[Type],
                COALESCE([e].[Payload], [r].[Payload]),
                COALESCE([e].[Tags], [r].[Tags]),
                [r].[IdempotencyKey],
                COALESCE([e].[Priority], [r].[Priority]),
                0,
                0,
                [r].[MaxAttempts],
                [r].[LeaseToken],
                DATEADD(SECOND, COALESCE([e].[DelaySeconds], 0), @Now),
                [r].[CreatedAtUtc],
                @Now,
                [r].[CreatedBy],
                @RaisedBy
            FROM @Raised AS [r]
            INNER JOIN @Edits AS [e] ON [e].[JobId] = [r].[Id]
            ORDER BY [r].[Id];

            IF @OwnsTransaction = 1
            BEGIN
                COMMIT TRANSACTION;
            END;

            SET @TriesLeft = 0;
        END TRY
        BEGIN CATCH
            IF @OwnsTransaction = 1 AND XACT_STATE() <> 0
            BEGIN
                ROLLBACK TRANSACTION;
            END;

            SET @TriesLeft = @TriesLeft - 1;

            IF @OwnsTransaction = 0 OR @TriesLeft = 0 OR ERROR_NUMBER() NOT IN (2601, 2627)
            BEGIN
                THROW;
            END;
        END CATCH;
    END;

    SELECT
        [e].[JobId],
        CASE
            WHEN [r].[Id] IS NOT NULL THEN 'resurrected'
            WHEN [f].[JobId] IS NOT NULL AND [f].[MayRise] = 0 THEN 'key-active'
            ELSE 'not-found'
        END AS [Outcome]
    FROM @Edits AS [e]
    LEFT OUTER JOIN @Raised AS [r] ON [r].[Id] = [e].[JobId]
    LEFT OUTER JOIN @Found AS [f] ON [f].[JobId] = [e].[JobId]
    ORDER BY [e].[Ordinal];
END;
GO
