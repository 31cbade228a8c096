SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: claims due jobs for a worker. Higher priority first, over all allowed queues; at equal priority the queues take turns, the one
    with the oldest due job first; within a queue by ScheduledAtUtc, then CreatedAtUtc. Paused and inactive queues, jobs that are not due
    and jobs that someone else is claiming are passed over. A queue with MaxWorkers never has more claimed and running jobs than that.
    The cost grows with the batch, the queues and their priority levels: each level of a queue is one seek, whether it holds no due job or
    millions. Nothing here reads the rest of the backlog.
Parameters:
    @WorkerId  the claiming worker, unique to one process and one start of it.
    @Limit     how many jobs at the most, 1 to 1000.
    @Queues    JSON array of queue names, NULL: all queues. Names that do not exist are passed over.
Result set: JobId, Queue, Type, Payload, Tags, IdempotencyKey, Priority, AttemptCount (executions so far), MaxAttempts (the job's, else the
    queue's), LeaseToken, ScheduledAtUtc, CreatedAtUtc, CreatedBy; in the order of the claim.
Outcomes: none; no row means that nothing is due for this worker now.
Errors: 51000 InvalidJson (@Queues), 51008 InvalidParameter (also 51004, 51005 for @WorkerId).
Transactions: joins the caller's; alone it is one transaction. The rows are read after the commit: a job that was cancelled or swept in
    between is left out.
Lock order: Queues (read), QueueGates (limited queues only), JobsHot.
Role: [chokaq_worker]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[FetchNextBatch] @WorkerId NVARCHAR(4000), @Limit INT, @Queues NVARCHAR(MAX) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Owner VARCHAR(100) = CONVERT(VARCHAR(100), @WorkerId);
    DECLARE @OwnsTransaction BIT = CASE WHEN @@TRANCOUNT = 0 THEN 1 ELSE 0 END;
    DECLARE @Now DATETIME2(7) = SYSUTCDATETIME();
    DECLARE @Left INT = @Limit;
    DECLARE @Level INT;
    DECLARE @Sharers INT;
    DECLARE @Share INT;
    DECLARE @Turn INT;
    DECLARE @Queue VARCHAR(255);
    DECLARE @Take INT;
    DECLARE @Picked INT;
    DECLARE @Got INT;
    DECLARE @Message NVARCHAR(2048);
    /* Where the walk stands in each queue. Level: the priority being claimed from, above every priority at first, NULL when done. */
    DECLARE @Walk TABLE (
        [Queue] VARCHAR(255) NOT NULL PRIMARY KEY,
        [IsLimited] BIT NOT NULL,
        [Room] INT NOT NULL,
        [Level] INT NULL,
        [IsSpent] BIT NOT NULL,
        [HeadAtUtc] DATETIME2(7) NULL,
        [Turn] INT NULL
    );
    DECLARE @Candidates TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [LeaseToken] BIGINT NOT NULL,
        [Place] INT NOT NULL
    );
    DECLARE @Batch TABLE (
        [JobId] VARCHAR(50) NOT NULL PRIMARY KEY,
        [Place] INT NOT NULL
    );

    EXECUTE [chokaq].[AssertKey]
        @Procedure = N'FetchNextBatch',
        @Parameter = N'@WorkerId',
        @Value = @WorkerId,
        @MaxBytes = 100;

    IF @Limit IS NULL OR @Limit NOT BETWEEN 1 AND 1000
    BEGIN
        SET @Message = N'FetchNextBatch: @Limit must be between 1 and 1000.';
        THROW 51008, @Message, 1;
    END;

    IF ISJSON(@Queues) = 0
    BEGIN
        SET @Message = N'FetchNextBatch: @Queues is not a JSON array of queue names.';
        THROW 51000, @Message, 1;
    END;

    IF EXISTS (SELECT 1 FROM OPENJSON(CONCAT(N'{"json":', COALESCE(@Queues, N'[]'), N'}')) AS [a] WHERE [a].[type] <> 4)
       OR EXISTS (SELECT 1 FROM OPENJSON(@Queues) AS [w] WHERE [w].[type] <> 1)
    BEGIN
        SET @Message = N'FetchNextBatch: @Queues is JSON, but not an array of queue names.';
        THROW 51000, @Message, 2;
    END;

    BEGIN TRY
        IF @OwnsTransaction = 1
        BEGIN
            BEGIN TRANSACTION;
        END;

        /* A queue whose row someone is changing in an open transaction is passed over, so that it holds up no other queue. */
        IF @Queues IS NULL
        BEGIN
            INSERT INTO @Walk ([Queue], [IsLimited], [Room], [Level], [IsSpent])
            SELECT [q].[Name], CASE WHEN [q].[MaxWorkers] IS NULL THEN 0 ELSE 1 END, @Limit, 101, 1
            FROM [chokaq].[Queues] AS [q] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
            WHERE [q].[IsPaused] = 0 AND [q].[IsActive] = 1;
        END;
        ELSE
        BEGIN
            /* A name that the column cannot hold exactly is no queue's name. */
            INSERT INTO @Walk ([Queue], [IsLimited], [Room], [Level], [IsSpent])
            SELECT [q].[Name], CASE WHEN [q].[MaxWorkers] IS NULL THEN 0 ELSE 1 END, @Limit, 101, 1
            FROM [chokaq].[Queues] AS [q] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
            WHERE [q].[IsPaused] = 0
                AND [q].[IsActive] = 1
                AND [q].[Name] IN (
                    SELECT CONVERT(VARCHAR(255), [w].[value])
                    FROM OPENJSON(@Queues) AS [w]
                    WHERE CONVERT(NVARCHAR(MAX), CONVERT(VARCHAR(255), [w].[value])) COLLATE Latin1_General_BIN2 = [w].[value] COLLATE Latin1_General_BIN2
                );
        END;

        /*
        A limited queue is counted and claimed by one session at a time. Its gate is written, not only read with a hint, so that this holds
        on every engine. A gate that someone holds is passed over: that session is serving the queue at this moment.
        */
        IF EXISTS (SELECT 1 FROM @Walk AS [w] WHERE [w].[IsLimited] = 1)
        BEGIN
            SELECT @Queue = MIN([w].[Queue]) FROM @Walk AS [w] WHERE [w].[IsLimited] = 1;

            WHILE @Queue IS NOT NULL
            BEGIN
                UPDATE [chokaq].[QueueGates] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                SET [Passes] = [Passes] + 1
                WHERE [Queue] = @Queue;

                IF @@ROWCOUNT = 0
                BEGIN
                    DELETE FROM @Walk
                    WHERE [Queue] = @Queue;
                END;

                SELECT @Queue = MIN([w].[Queue]) FROM @Walk AS [w] WHERE [w].[IsLimited] = 1 AND [w].[Queue] > @Queue;
            END;

            /*
            The limit is read again now that nobody can change it, and the jobs that hold a place are counted: without READPAST, since a row
            left out would be a place given twice. Status 1 and 2 are one range in index order; a job that moves while it is read can only be
            counted twice, which is safe.
            */
            UPDATE [w]
            SET
                [w].[Room] = COALESCE([q].[MaxWorkers], @Limit) -
                (SELECT COUNT(*) FROM [chokaq].[JobsHot] AS [h] WHERE [h].[Queue] = [w].[Queue] AND [h].[Status] >= 1)
            FROM @Walk AS [w]
            INNER JOIN [chokaq].[Queues] AS [q] ON [q].[Name] = [w].[Queue]
            WHERE [w].[IsLimited] = 1;

            DELETE FROM @Walk
            WHERE [Room] <= 0;
        END;

        WHILE @Left > 0
        BEGIN
            /* Down to the next level of each queue whose level is spent: one seek a queue. */
            UPDATE [w]
            SET
                [w].[IsSpent] = 0,
                [w].[Level] = (
                    SELECT MAX([h].[Priority])
                    FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                    WHERE [h].[Queue] = [w].[Queue] AND [h].[Status] = 0 AND [h].[Priority] < [w].[Level]
                )
            FROM @Walk AS [w]
            WHERE [w].[IsSpent] = 1;

            SELECT @Level = MAX([w].[Level]) FROM @Walk AS [w];

            IF @Level IS NULL
            BEGIN
                BREAK;
            END;

            /* The oldest due job of each queue on this level: again one seek a queue, past whatever is scheduled for later. */
            UPDATE [w]
            SET
                [w].[Turn] = NULL,
                [w].[HeadAtUtc] = (
                    SELECT MIN([h].[ScheduledAtUtc])
                    FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, READPAST, READCOMMITTEDLOCK)
                    WHERE [h].[Queue] = [w].[Queue]
                        AND [h].[Status] = 0
                        AND [h].[Priority] = @Level
                        AND [h].[ScheduledAtUtc] <= @Now
                )
            FROM @Walk AS [w]
            WHERE [w].[Level] = @Level;

            UPDATE [w]
            SET [w].[Turn] = [t].[Turn]
            FROM @Walk AS [w]
            INNER JOIN (
                SELECT [o].[Queue], ROW_NUMBER() OVER (ORDER BY [o].[HeadAtUtc], [o].[Queue]) AS [Turn]
                FROM @Walk AS [o]
                WHERE [o].[Level] = @Level AND [o].[HeadAtUtc] IS NOT NULL
            ) AS [t] ON [t].[Queue] = [w].[Queue];

            UPDATE @Walk
            SET [IsSpent] = 1
            WHERE [Level] = @Level AND [HeadAtUtc] IS NULL;

            SELECT @Sharers = COUNT(*) FROM @Walk AS [w] WHERE [w].[Level] = @Level AND [w].[Turn] IS NOT NULL;

            /* What is left is shared out evenly; what a queue cannot use goes to the others in the next round. */
            SET @Share = CASE
                    WHEN @Sharers = 0 THEN 0
                    WHEN @Left >= @Sharers THEN @Left / @Sharers
                    ELSE 1
                END;
            SET @Turn = 1;

            WHILE @Turn <= @Sharers AND @Left > 0
            BEGIN
                SELECT @Queue = [w].[Queue], @Take = CASE WHEN [w].[Room] < @Share THEN [w].[Room] ELSE @Share END
                FROM @Walk AS [w]
                WHERE [w].[Level] = @Level AND [w].[Turn] = @Turn;

                DELETE FROM @Candidates;

                INSERT INTO @Candidates ([JobId], [LeaseToken], [Place])
                SELECT
                    [c].[Id],
                    [c].[LeaseToken],
                    ROW_NUMBER() OVER (ORDER BY [c].[ScheduledAtUtc], [c].[CreatedAtUtc], [c].[Id])
                FROM (
                    SELECT TOP (@Take) [h].[Id], [h].[LeaseToken], [h].[ScheduledAtUtc], [h].[CreatedAtUtc]
                    FROM [chokaq].[JobsHot] AS [h] WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK)
                    WHERE [h].[Queue] = @Queue
                        AND [h].[Status] = 0
                        AND [h].[Priority] = @Level
                        AND [h].[ScheduledAtUtc] <= @Now
                    ORDER BY [h].[ScheduledAtUtc], [h].[CreatedAtUtc], [h].[Id]
                ) AS [c];

                SET @Picked = @@ROWCOUNT;

                UPDATE [chokaq].[JobsHot]
                SET
                    [Status] = 1,
                    [WorkerId] = @Owner,
                    [LeaseToken] = [LeaseToken] + 1,
                    [HeartbeatUtc] = @Now,
                    [StartedAtUtc] = NULL,
                    [LastUpdatedUtc] = @Now,
                    [LastModifiedBy] = @Owner
                WHERE [Id] IN (SELECT [c].[JobId] FROM @Candidates AS [c]) AND [Status] = 0;

                SET @Got = @@ROWCOUNT;

                /* The candidates that this call claimed: their rows are this transaction's now. (OUTPUT of an UPDATE is not in the portable core.) */
                INSERT INTO @Batch ([JobId], [Place])
                SELECT [c].[JobId], @Limit - @Left + [c].[Place]
                FROM @Candidates AS [c]
                INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [c].[JobId]
                WHERE [h].[Status] = 1
                    AND [h].[WorkerId] = @Owner
                    AND [h].[LeaseToken] = [c].[LeaseToken] + 1
                    AND [h].[LastUpdatedUtc] = @Now;

                UPDATE @Walk
                SET [Room] = [Room] - @Got, [IsSpent] = CASE WHEN @Picked < @Take OR @Got < @Picked THEN 1 ELSE 0 END
                WHERE [Queue] = @Queue;

                SET @Left = @Left - @Got;
                SET @Turn = @Turn + 1;
            END;

            DELETE FROM @Walk
            WHERE [Room] <= 0;
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

    SELECT
        [h].[Id] AS [JobId],
        [h].[Queue],
        [h].[Type],
        [h].[Payload],
        [h].[Tags],
        [h].[IdempotencyKey],
        [h].[Priority],
        [h].[AttemptCount],
        COALESCE([h].[MaxAttempts], [q].[MaxAttempts]) AS [MaxAttempts],
        [h].[LeaseToken],
        [h].[ScheduledAtUtc],
        [h].[CreatedAtUtc],
        [h].[CreatedBy]
    FROM @Batch AS [b]
    INNER JOIN [chokaq].[JobsHot] AS [h] ON [h].[Id] = [b].[JobId]
    INNER JOIN [chokaq].[Queues] AS [q] ON [q].[Name] = [h].[Queue]
    WHERE [h].[Status] = 1 AND [h].[WorkerId] = @Owner
    ORDER BY [b].[Place];
END;
GO
