SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that checks a JSON parameter: an array of at most 1,000 objects with known keys, each value of the stated
    kind, range and length. Procedures call it before they open a transaction and may then read the values with OPENJSON … WITH as they are.
Parameters:
    @Procedure  the caller, named in messages.
    @Json       the JSON text to check.
    @Shape      what is allowed: [{"key", "kind", "required", "min", "max"}], kind one of
                key (text for a varchar column of "max" bytes), text (text for an nvarchar column, at most "max" characters when given),
                integer and number (between "min" and "max"), time (ISO 8601, UTC), json (anything).
Result set: none.
Outcomes: none.
Errors: 51000 InvalidJson, 51001 UnknownKey, 51002 MissingValue, 51003 InvalidValue, 51004 ValueTooLong, 51005 NotRepresentable,
    51007 BatchTooLarge. Rows are counted from 0.
Transactions: reads no table and opens none.
Lock order: none.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[AssertJsonRows] @Procedure NVARCHAR(128), @Json NVARCHAR(MAX), @Shape NVARCHAR(MAX)
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Rows INT;
    DECLARE @NotObjects INT;
    DECLARE @Row INT;
    DECLARE @Problem NVARCHAR(200);
    DECLARE @Number INT;
    DECLARE @Message NVARCHAR(2048);
    DECLARE @Keys TABLE (
        [KeyName] NVARCHAR(50) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY,
        [Kind] VARCHAR(10) NOT NULL,
        [IsRequired] BIT NOT NULL,
        [MinValue] BIGINT NULL,
        [MaxValue] BIGINT NULL
    );

    IF @Json IS NULL OR ISJSON(@Json) = 0
    BEGIN
        SET @Message = CONCAT(@Procedure, N': the parameter is not valid JSON; an array of objects is expected.');
        THROW 51000, @Message, 1;
    END;

    SELECT
        @Rows = COUNT(*),
        @NotObjects = COALESCE(
            SUM(CASE WHEN [j].[type] <> 5 OR TRY_CONVERT(INT, [j].[key]) IS NULL THEN 1 ELSE 0 END),
            0
        )
    FROM OPENJSON(@Json) AS [j];

    /* An object may look like an array to OPENJSON, with places for keys; inside another object its type tells them apart. */
    IF @NotObjects > 0 OR EXISTS (SELECT 1 FROM OPENJSON(CONCAT(N'{"json":', @Json, N'}')) AS [a] WHERE [a].[type] <> 4)
    BEGIN
        SET @Message = CONCAT(@Procedure, N': the parameter is JSON, but not an array of objects.');
        THROW 51000, @Message, 2;
    END;

    IF @Rows > 1000
    BEGIN
        SET @Message = CONCAT(@Procedure, N': ', @Rows, N' rows in one call; at most 1000 are taken.');
        THROW 51007, @Message, 1;
    END;

    INSERT INTO @Keys ([KeyName], [Kind], [IsRequired], [MinValue], [MaxValue])
    SELECT [s].[KeyName], [s].[Kind], COALESCE([s].[IsRequired], 0), [s].[MinValue], [s].[MaxValue]
    FROM OPENJSON(@Shape) WITH (
        [KeyName] NVARCHAR(50) '$.key',
        [Kind] VARCHAR(10) '$.kind',
        [IsRequired] BIT '$.required',
        [MinValue] BIGINT '$.min',
        [MaxValue] BIGINT '$.max'
    ) AS [s];

    /* The problem is one text, its number first, so that one pass over the keys of a row finds the first problem of the row. */
    SELECT TOP (1) @Row = [p].[RowNumber], @Problem = [p].[Problem]
    FROM (
        SELECT
            TRY_CONVERT(INT, [j].[key]) AS [RowNumber],
            (
                SELECT
                    MIN(
                        CASE
                            WHEN [s].[KeyName] IS NULL THEN N'51001' + LEFT([k].[key] COLLATE DATABASE_DEFAULT, 100)
                            WHEN [s].[Kind] = 'json' OR [k].[type] = 0 THEN NULL
                            WHEN [s].[Kind] IN ('integer', 'number') AND [k].[type] <> 2 THEN N'51003' +
                            [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] IN ('key', 'text', 'time') AND [k].[type] <> 1 THEN N'51003' +
                            [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] = 'key'
                            AND CONVERT(NVARCHAR(MAX), CONVERT(VARCHAR(MAX), [k].[value])) COLLATE Latin1_General_BIN2 <> [k].[value] COLLATE Latin1_General_BIN2 THEN N'51005' +
                            [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] = 'key'
                            AND DATALENGTH(CONVERT(VARCHAR(MAX), [k].[value])) > [s].[MaxValue] THEN N'51004' +
                            [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] = 'text' AND DATALENGTH([k].[value]) > [s].[MaxValue] * 2 THEN N'51004' +
                            [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] = 'integer'
                            AND (
                                TRY_CONVERT(BIGINT, [k].[value]) IS NULL
                                OR TRY_CONVERT(BIGINT, [k].[value]) < [s].[MinValue]
                                OR TRY_CONVERT(BIGINT, [k].[value]) > [s].[MaxValue]
                            ) THEN N'51003' + [s].[KeyName] COLLATE DATABASE_DEFAULT
                            WHEN [s].[Kind] = 'number'
                            AND (
                                TRY_CONVERT(FLOAT, [k].[value]) IS NULL
                                OR TRY_CONVERT(FLOAT, [k].[value]) < [s].[MinValue]
                                OR TRY_CONVERT(FLOAT, [k].[value]) > [s].[MaxValue]
                            ) THEN N'51003' + [s].[KeyName] COLLATE DATABASE_DEFAULT
                            /* UTC only: a "Z" or nothing after the time, never an offset, which a datetime2 would lose in silence. */
                            WHEN [s].[Kind] = 'time'
                            AND (
                                [k].[value] NOT LIKE N'____-__-__T__:__%'
                                OR CHARINDEX(N'+', [k].[value]) > 0
                                OR CHARINDEX(N'-', [k].[value], 11) > 0
                                OR TRY_CONVERT(DATETIME2(7), REPLACE([k].[value], N'Z', N''), 126) IS NULL
                            ) THEN N'51003' + [s].[KeyName] COLLATE DATABASE_DEFAULT
                        END
                    )
                FROM OPENJSON([j].[value]) AS [k]
                LEFT OUTER JOIN @Keys AS [s]
                    /* The length too, since a comparison does not see blanks at the end. */
                    ON [s].[KeyName] = [k].[key] COLLATE Latin1_General_BIN2
                        AND DATALENGTH([s].[KeyName]) = DATALENGTH([k].[key])
            ) AS [Problem]
        FROM OPENJSON(@Json) AS [j]
    ) AS [p]
    WHERE [p].[Problem] IS NOT NULL
    ORDER BY [p].[RowNumber];

    /* A required value that is absent, null or empty. */
    IF @Problem IS NULL
    BEGIN
        SELECT TOP (1) @Row = TRY_CONVERT(INT, [j].[key]), @Problem = N'51002' + [s].[KeyName] COLLATE DATABASE_DEFAULT
        FROM OPENJSON(@Json) AS [j]
        CROSS JOIN @Keys AS [s]
        WHERE [s].[IsRequired] = 1
            AND NOT EXISTS (
                SELECT 1
                FROM OPENJSON([j].[value]) AS [k]
                WHERE [k].[key] COLLATE Latin1_General_BIN2 = [s].[KeyName]
                    AND [k].[type] <> 0
                    AND [k].[value] COLLATE Latin1_General_BIN2 <> N''
            )
        ORDER BY TRY_CONVERT(INT, [j].[key]);
    END;

    IF @Problem IS NULL
    BEGIN
        RETURN 0;
    END;

    SET @Number = CONVERT(INT, LEFT(@Problem, 5));
    SET @Problem = SUBSTRING(@Problem, 6, 195);
    SET @Message = CONCAT(
            @Procedure,
            N': row ',
            @Row,
            N', column ',
            @Problem,
            CASE @Number
                WHEN 51001 THEN N': the key is not known.'
                WHEN 51002 THEN N': the value is missing.'
                WHEN 51003 THEN N': the value has the wrong type, cannot be converted or is out of range.'
                WHEN 51004 THEN N': the value is too long.'
                ELSE N': the value holds characters that the column''s code page does not have.'
            END
        );

    IF @Number = 51001
    BEGIN
        THROW 51001, @Message, 1;
    END;

    IF @Number = 51002
    BEGIN
        THROW 51002, @Message, 1;
    END;

    IF @Number = 51003
    BEGIN
        THROW 51003, @Message, 1;
    END;

    IF @Number = 51004
    BEGIN
        THROW 51004, @Message, 1;
    END;

    THROW 51005, @Message, 1;
END;
GO
