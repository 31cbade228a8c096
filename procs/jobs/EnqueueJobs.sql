SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: accepts jobs. An unknown queue is created. A row whose IdempotencyKey is active already gives the active job; a row whose id
    any pillar holds already inserts nothing, so a call may be repeated after a lost connection.
Parameters:
    @Jobs       JSON array of at most 1,000 objects {id, queue, type, payload, tags, idempotencyKey, priority, delaySeconds or scheduledAtUtc,
                maxAttempts}; queue and type are required. id: at most 50 bytes, time-ordered (UUIDv7 or ULID), made here when absent. payload: a
                string is stored as it is, an object or array as its JSON text. priority 0 to 100, default 10, higher first. delaySeconds 0 to
                2147483647. scheduledAtUtc: ISO 8601, UTC. maxAttempts 1 to 1000, default the queue's.
    @CreatedBy  who enqueues, at most 100 bytes.
    @JobId, @Outcome  OUTPUT, those of the first row: for EnqueueJob.
Result set: Ordinal int (place in the array, from 0), JobId varchar(50), Outcome varchar(20); in the order of the array.
Outcomes: enqueued; duplicate (the key is active: JobId is the active job's); exists (the id is known: nothing was inserted).
Errors: 51000, 51001, 51002, 51003, 51004, 51005, 51007 (see AssertJsonRows), 51008 InvalidParameter (@CreatedBy). One bad row refuses the whole call.
Transactions: joins the caller's; alone it is one transaction.
Lock order: Queues, QueueGates, JobsHot (keys in key order), JobsArchive and JobsDLQ (read).
Role: [chokaq_producer]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[EnqueueJobs]
    @Jobs NVARCHAR(MAX),
    @CreatedBy NVARCHAR(4000) = NULL,
    @JobId VARCHAR(50) = NULL OUTPUT,
    @Outcome VARCHAR(20) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Creator VARCHAR(100) = CONVERT(VARCHAR(100), @CreatedBy);
    DECLARE @Numbered NVARCHAR(MAX);
    DECLARE @Milliseconds BIGINT;
    DECLARE @IdPrefix VARCHAR(15) = '';
    DECLARE @TriesLeft INT = 3;
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Input TABLE (
        [Ordinal] INT NOT NULL PRIMARY KEY,
        [JobId] VARCHAR(50) NOT NULL,
        [Queue] VARCHAR(255) NOT NULL,
        [Type] VARCHAR(255) NOT NULL,
        [Payload] NVARCHAR(MAX) NULL,
        [IsTextPayload] BIT NOT NULL,
        [Tags] VARCHAR(1000) NULL,
        [IdempotencyKey] VARCHAR(255) NULL,
        [Priority] INT NOT NULL,
        [ScheduledAtUtc] DATETIME2(7) NOT NULL,
        [MaxAttempts] INT NULL,
        [ActiveJobId] VARCHAR(50) NULL,
        [Outcome] VARCHAR(20) NULL,
        UNIQUE ([JobId], [Ordinal])
    );
    /* The keys of the call, each once: read in key order, so that two calls with the same keys lock them in the same order. */
    DECLARE @ActiveKeys TABLE (
        [IdempotencyKey] VARCHAR(255) NOT NULL PRIMARY KEY,
        [FirstOrdinal] INT NOT NULL,
        [JobId] VARCHAR(50) NULL
    );

    EXECUTE [chokaq].[AssertJsonRows]
        @Procedure = N'EnqueueJobs',
        @Json = @Jobs,
        @Shape = N'[{"key":"id","kind":"key","max":50},{"key":"queue","kind":"key","max":255,"required":true},{"key":"type","kind":"key","max":255,"required":true},{"key":"payload","kind":"json"},{"key":"tags","kind":"key","max":1000},{"key":"idempotencyKey","kind":"key","max":255},{"key":"priority","kind":"integer","min":0,"max":100},{"key":"delaySeconds","kind":"integer","min":0,"max":2147483647},{"key":"scheduledAtUtc","kind":"time"},{"key":"maxAttempts","kind":"integer","min":1,"max":1000}]';

    IF DATALENGTH(CONVERT(VARCHAR(MAX), @CreatedBy)) > 100
       OR CONVERT(NVARCHAR(4000), @Creator) COLLATE Latin1_General_BIN2 <> @CreatedBy COLLATE Latin1_General_BIN2
    BEGIN
        SET @Message = N'EnqueueJobs: @CreatedBy is longer than 100 bytes or holds characters outside the code page.';
        THROW 51008, @Message, 1;
    END;

    /* OPENJSON … WITH does not tell a row's place in the array; the other form does, so each row is wrapped together with its place. */
    SELECT
        @Numbered = CONCAT(
            N'[',
            STRING_AGG(
                CONVERT(
                    NVARCHAR(MAX),
                    CONCAT(
                        N'{"n":',
                        [j].[key] COLLATE DATABASE_DEFAULT,
                        N',"row":',
                        [j].[value] COLLATE DATABASE_DEFAULT,
                        N'}'
                    )
                ),
                N','
            ),
            N']'
        )
    FROM OPENJSON(@Jobs) AS [j];

    /* The payload by the form without WITH, which gives an object as its text, a string as the string, and cuts neither on any engine. */
    INSERT INTO @Input (
        [Ordinal],
        [JobId],
        [Queue],
        [Type],
        [Payload],
        [IsTextPayload],
        [Tags],
        [IdempotencyKey],
        [Priority],
        [ScheduledAtUtc],
        [MaxAttempts]
    )
    SELECT
        [j].[Ordinal],
        COALESCE([j].[JobId], ''),
        [j].[Queue],
        [j].[Type],
        (
            SELECT TOP (1) [k].[value]
            FROM OPENJSON([r].[value]) AS [k]
            WHERE [k].[key] COLLATE Latin1_General_BIN2 = N'payload'
        ),
        0,
        [j].[Tags],
        NULLIF([j].[IdempotencyKey], ''),
        COALESCE([j].[Priority], 10),
        COALESCE(
            TRY_CONVERT(DATETIME2(7), REPLACE([j].[ScheduledAtUtc], N'Z', N''), 126),
            DATEADD(SECOND, COALESCE([j].[DelaySeconds], 0), @Now)
        ),
        [j].[MaxAttempts]
    FROM OPENJSON(@Numbered) WITH (
        [Ordinal] INT '$.n',
        [JobId] VARCHAR(50) '$.row.id',
        [Queue] VARCHAR(255) '$.row.queue',
        [Type] VARCHAR(255) '$.row.type',
        [Tags] VARCHAR(1000) '$.row.tags',
        [IdempotencyKey] VARCHAR(255) '$.row.idempotencyKey',
        [Priority] INT '$.row.priority',
        [DelaySeconds] INT '$.row.delaySeconds',
        [ScheduledAtUtc] NVARCHAR(50) '$.row.scheduledAtUtc',
        [MaxAttempts] INT '$.row.maxAttempts'
    ) AS [j]
    INNER JOIN OPENJSON(@Jobs) AS [r] ON CONVERT(INT, [r].[key]) = [j].[Ordinal];

    /*
    Ids for the rows without one. UUIDv7: 48 bits of milliseconds, then random bits taken from NEWID, whose variant bits stand in the
    same place. The digits are made one by one because not every engine knows the hexadecimal styles of CONVERT.
    */
    IF EXISTS (SELECT 1 FROM @Input AS [n] WHERE [n].[JobId] = '')
    BEGIN
        SET @Milliseconds = DATEDIFF_BIG(MILLISECOND, CONVERT(DATETIME2(7), '19700101'), @Now);

        WHILE LEN(@IdPrefix) < 12
        BEGIN
            SET @IdPrefix = CONCAT(SUBSTRING('0123456789abcdef', CONVERT(INT, @Milliseconds % 16) + 1, 1), @IdPrefix);
            SET @Milliseconds = @Milliseconds / 16;
        END;

        SET @IdPrefix = CONCAT(STUFF(@IdPrefix, 9, 0, '-'), '-7');

        UPDATE @Input
        SET [JobId] = LOWER(CONCAT(@IdPrefix, RIGHT(CONVERT(CHAR(36), NEWID()), 21)))
        WHERE [JobId] = '';
    END;

    /*
    SQL Server gives the text that a JSON string stands for. An engine that leaves the escapes in (Babelfish) is told by one sample, and
    they are taken out here; a doubled backslash first becomes a character that cannot occur in such text.
    */
    IF JSON_VALUE(N'{"sample":"\\"}', '$.sample') = N'\\'
    BEGIN
        UPDATE @Input
        SET [IsTextPayload] = 1
        WHERE [Ordinal] IN (
                SELECT CONVERT(INT, [r].[key])
                FROM OPENJSON(@Jobs) AS [r]
                WHERE EXISTS (
                        SELECT 1
                        FROM OPENJSON([r].[value]) AS [k]
                        WHERE [k].[key] COLLATE Latin1_General_BIN2 = N'payload' AND [k].[type] = 1
                    )
            );

        UPDATE @Input
        SET
            [Payload] = CASE
                WHEN [IsTextPayload] = 1 THEN REPLACE(
                    REPLACE(
                        REPLACE(
                            REPLACE(
                                REPLACE(
                                    REPLACE(
                                        REPLACE(REPLACE(REPLACE([Payload], N'\\', NCHAR(1)), N'\"', N'"'), N'\/', N'/'),
                                        N'\n',
                                        NCHAR(10)
                                    ),
                                    N'\r',
                                    NCHAR(13)
                                ),
                                N'\t',
                                NCHAR(9)
                            ),
                            N'\b',
                            NCHAR(8)
                        ),
                        N'\f',
                        NCHAR(12)
                    ),
                    NCHAR(1),
                    N'\'
                )
                ELSE [Payload]
            END,
            [Tags] = REPLACE(
                REPLACE(
                    REPLACE(
                        REPLACE(
                            REPLACE(
                                REPLACE(
                                    REPLACE(REPLACE(REPLACE([Tags], N'\\', NCHAR(1)), N'\"', N'"'), N'\/', N'/'),
                                    N'\n',
                                    NCHAR(10)
                                ),
                                N'\r',
                                NCHAR(13)
                            ),
                            N'\t',
                            NCHAR(9)
                        ),
                        N'\b',
                        NCHAR(8)
                    ),
                    N'\f',
                    NCHAR(12)
                ),
                NCHAR(1),
                N'\'
            ),
            [IdempotencyKey] = REPLACE(
                REPLACE(
                    REPLACE(
                        REPLACE(
                            REPLACE(
                                REPLACE(
                                    REPLACE(
                                        REPLACE(REPLACE([IdempotencyKey], N'\\', NCHAR(1)), N'\"', N'"'),
                                        N'\/',
                                        N'/'
                                    ),
                                    N'\n',
                                    NCHAR(10)
                                ),
                                N'\r',
                                NCHAR(13)
                            ),
                            N'\t',
                            NCHAR(9)
                        ),
                        N'\b',
                        NCHAR(8)
                    ),
                    N'\f',
                    NCHAR(12)
                ),
                NCHAR(1),
                N'\'
            )
        WHERE CHARINDEX(N'\', [Payload]) > 0 OR CHARINDEX(N'\', [Tags]) > 0 OR CHARINDEX(N'\', [IdempotencyKey]) > 0;
    END;

    /*
    On SQL Server the locks below leave no room for a duplicate key. Where range locks do not exist, or for the same id twice at the
    same moment, the unique index decides: then the call starts again and sees the other one's row.
    */
    WHILE @TriesLeft > 0
    BEGIN
        BEGIN TRY
            UPDATE @Input
            SET [Outcome] = NULL, [ActiveJobId] = NULL;

            DELETE FROM @ActiveKeys;

            IF @OwnsTransaction = 1
            BEGIN
                BEGIN TRANSACTION;
            END;

            IF EXISTS (
                   SELECT 1
                   FROM @Input AS [n]
                   WHERE NOT EXISTS (SELECT 1 FROM [chokaq].[Queues] AS [q] WHERE [q].[Name] = [n].[Queue])
               )
            BEGIN
                INSERT INTO [chokaq].[Queues] ([Name], [LastUpdatedUtc])
                SELECT [n].[Queue], @Now
                FROM @Input AS [n]
                WHERE NOT EXISTS (
                        SELECT 1 FROM [chokaq].[Queues] AS [q] WITH (UPDLOCK, HOLDLOCK) WHERE [q].[Name] = [n].[Queue]
                    )
                GROUP BY [n].[Queue]
                ORDER BY [n].[Queue];

                INSERT INTO [chokaq].[QueueGates] ([Queue])
                SELECT [n].[Queue]
                FROM @Input AS [n]
                WHERE NOT EXISTS (
                        SELECT 1
                        FROM [chokaq].[QueueGates] AS [g] WITH (UPDLOCK, HOLDLOCK)
                        WHERE [g].[Queue] = [n].[Queue]
                    )
                GROUP BY [n].[Queue]
                ORDER BY [n].[Queue];
            END;

            /*
            Known ids. The pillars are asked one after the other, in the order in which a job moves, so that a job on its way is seen in one
            place or the other. Not with range locks: new ids all go to the end of the index, and every producer would wait there for every
            other.
            */
            UPDATE [n]
            SET [n].[Outcome] = 'exists'
            FROM @Input AS [n]
            INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [n].[JobId]
            WHERE [n].[Outcome] IS NULL;

            UPDATE [n]
            SET [n].[Outcome] = 'exists'
            FROM @Input AS [n]
            INNER JOIN [chokaq].[JobsArchive] AS [a] ON [a].[Id] = [n].[JobId]
            WHERE [n].[Outcome] IS NULL;

            UPDATE [n]
            SET [n].[Outcome] = 'exists'
            FROM @Input AS [n]
            INNER JOIN [chokaq].[JobsDLQ] AS [d] ON [d].[Id] = [n].[JobId]
            WHERE [n].[Outcome] IS NULL;

            /* The same id twice in the call: the first row counts. */
            UPDATE [n]
            SET [n].[Outcome] = 'exists'
            FROM @Input AS [n]
            INNER JOIN @Input AS [e] ON [e].[JobId] = [n].[JobId] AND [e].[Ordinal] < [n].[Ordinal]
            WHERE [n].[Outcome] IS NULL;

            INSERT INTO @ActiveKeys ([IdempotencyKey], [FirstOrdinal])
            SELECT [n].[IdempotencyKey], MIN([n].[Ordinal])
            FROM @Input AS [n]
            WHERE [n].[Outcome] IS NULL AND [n].[IdempotencyKey] IS NOT NULL
            GROUP BY [n].[IdempotencyKey];

            IF @@ROWCOUNT > 0
            BEGIN
                UPDATE [k]
                SET [k].[JobId] = [h].[Id]
                FROM @ActiveKeys AS [k]
                INNER JOIN [chokaq].[JobsHot] AS [h] WITH (UPDLOCK, HOLDLOCK)
                    ON [h].[IdempotencyKey] = [k].[IdempotencyKey] AND [h].[IdempotencyKey] IS NOT NULL;

                UPDATE [n]
                SET [n].[Outcome] = 'duplicate', [n].[ActiveJobId] = COALESCE([k].[JobId], [f].[JobId])
                FROM @Input AS [n]
                INNER JOIN @ActiveKeys AS [k] ON [k].[IdempotencyKey] = [n].[IdempotencyKey]
                INNER JOIN @Input AS [f] ON [f].[Ordinal] = [k].[FirstOrdinal]
                WHERE [n].[Outcome] IS NULL AND ([k].[JobId] IS NOT NULL OR [n].[Ordinal] > [k].[FirstOrdinal]);
            END;

            INSERT INTO [chokaq].[JobsHot] (
                [Id],
                [Queue],
                [Type],
                [Payload],
                [Tags],
                [IdempotencyKey],
                [Priority],
                [MaxAttempts],
                [ScheduledAtUtc],
                [CreatedAtUtc],
                [LastUpdatedUtc],
                [CreatedBy],
                [LastModifiedBy]
            )
            SELECT
                [n].[JobId],
                [n].[Queue],
                [n].[Type],
                [n].[Payload],
                [n].[Tags],
                [n].[IdempotencyKey],
                [n].[Priority],
                [n].[MaxAttempts],
                [n].[ScheduledAtUtc],
                @Now,
                @Now,
                @Creator,
                @Creator
            FROM @Input AS [n]
            WHERE [n].[Outcome] IS NULL
            ORDER BY [n].[JobId];

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

    SELECT @JobId = COALESCE([n].[ActiveJobId], [n].[JobId]), @Outcome = COALESCE([n].[Outcome], 'enqueued')
    FROM @Input AS [n]
    WHERE [n].[Ordinal] = 0;

    SELECT
        [n].[Ordinal],
        COALESCE([n].[ActiveJobId], [n].[JobId]) AS [JobId],
        COALESCE([n].[Outcome], 'enqueued') AS [Outcome]
    FROM @Input AS [n]
    ORDER BY [n].[Ordinal];
END;
GO
