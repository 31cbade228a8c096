SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'RecordSamplesTests';
GO

CREATE TABLE [RecordSamplesTests].[Expected] (
    [Measure] SMALLINT NOT NULL,
    [Queue] VARCHAR(255) NOT NULL,
    [Type] VARCHAR(255) NOT NULL,
    [Outcome] TINYINT NOT NULL,
    [FailureReason] INT NOT NULL,
    [Bin] SMALLINT NOT NULL,
    [SampleCount] BIGINT NOT NULL,
    [TotalMs] FLOAT NOT NULL,
    [MaxMs] FLOAT NULL
);
GO

CREATE TABLE [RecordSamplesTests].[ExpectedMeasures] (
    [Measure] SMALLINT NOT NULL,
    [Name] VARCHAR(100) NOT NULL
);
GO

CREATE TABLE [RecordSamplesTests].[ExpectedAnswer] (
    [Accepted] INT NOT NULL,
    [Refused] INT NOT NULL
);
GO

CREATE TABLE [RecordSamplesTests].[Answer] (
    [Accepted] INT NULL,
    [Refused] INT NULL
);
GO

CREATE PROCEDURE [RecordSamplesTests].[SetUp]
AS
BEGIN
    /* Tests without a transaction leave their rows behind. */
    DELETE FROM [RecordSamplesTests].[Expected];
    DELETE FROM [RecordSamplesTests].[ExpectedMeasures];
    DELETE FROM [RecordSamplesTests].[ExpectedAnswer];
    DELETE FROM [RecordSamplesTests].[Answer];

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Measures]', @Defaults = 1;
    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[MetricSeries]', @Defaults = 1;

    INSERT INTO [chokaq].[Measures] ([Measure], [Name])
    VALUES
        (0, 'execution'),
        (1, 'queue wait'),
        (2, 'failure');

    EXECUTE [tSQLt].[FakeTable] @TableName = N'[chokaq].[Settings]', @Defaults = 1;

    INSERT INTO [chokaq].[Settings] ([Id])
    VALUES (1);
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[Record] @Samples NVARCHAR(MAX), @MaxMeasures INT = 100
AS
BEGIN
    INSERT INTO [RecordSamplesTests].[Answer] ([Accepted], [Refused])
    EXECUTE [chokaq].[RecordSamples] @Samples = @Samples, @MaxMeasures = @MaxMeasures;
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[RecordAt] @Minutes INT
AS
BEGIN
    /* A sample of a moment so many minutes from now. */
    DECLARE
        @Samples NVARCHAR(MAX) = CONCAT(
            N'[{"measure":"m","series":"s","valueMs":1,"atUtc":"',
            CONVERT(NVARCHAR(30), DATEADD(MINUTE, @Minutes, SYSUTCDATETIME()), 126),
            N'Z"}]'
        );

    EXECUTE [RecordSamplesTests].[Record] @Samples = @Samples;
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples counts samples of one series together]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[Expected] (
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
    VALUES
        (100, '', 'GET /', 0, -1, 47, 2, 201, 101),
        (100, 'mail', 'GET /', 1, -1, -32768, 1, 0, NULL);

    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (3, 0);

    /* Act */
    EXECUTE [RecordSamplesTests].[Record]
        @Samples = N'[{"measure":"endpoint","series":"GET /","valueMs":100},{"measure":"endpoint","series":"GET /","valueMs":101,"outcome":0},{"measure":"endpoint","series":"GET /","queue":"mail","outcome":1}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[Expected]',
        @Actual = N'[chokaq].[MetricSeries]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples registers new measures from 100 on]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedMeasures] ([Measure], [Name])
    VALUES
        (0, 'execution'),
        (1, 'queue wait'),
        (2, 'failure'),
        (100, 'a'),
        (101, 'B');

    /* Act */
    EXECUTE [RecordSamplesTests].[Record]
        @Samples = N'[{"measure":"b","series":"s"},{"measure":"a","series":"s"},{"measure":"B","series":"s"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedMeasures]',
        @Actual = N'[chokaq].[Measures]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples gives a new measure the next number]
AS
BEGIN
    /* Assemble */
    INSERT INTO [chokaq].[Measures] ([Measure], [Name])
    VALUES
        (100, 'z'),
        (105, 'y');

    INSERT INTO [RecordSamplesTests].[ExpectedMeasures] ([Measure], [Name])
    VALUES
        (0, 'execution'),
        (1, 'queue wait'),
        (2, 'failure'),
        (100, 'z'),
        (105, 'y'),
        (106, 'a');

    /* Act */
    EXECUTE [RecordSamplesTests].[Record] @Samples = N'[{"measure":"a","series":"s"},{"measure":"z","series":"s"}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedMeasures]',
        @Actual = N'[chokaq].[Measures]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses measures beyond the limit and keeps the others]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES
        (2, 1),
        (1, 1);

    INSERT INTO [RecordSamplesTests].[ExpectedMeasures] ([Measure], [Name])
    VALUES
        (0, 'execution'),
        (1, 'queue wait'),
        (2, 'failure'),
        (100, 'a'),
        (101, 'b');

    /* Act */
    EXECUTE [RecordSamplesTests].[Record]
        @Samples = N'[{"measure":"a","series":"s"},{"measure":"b","series":"s"},{"measure":"c","series":"s"}]',
        @MaxMeasures = 2;
    EXECUTE [RecordSamplesTests].[Record]
        @Samples = N'[{"measure":"d","series":"s"},{"measure":"a","series":"s"}]',
        @MaxMeasures = 2;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedMeasures]',
        @Actual = N'[chokaq].[Measures]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples takes no samples of the package's own measures]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (0, 1);

    /* Act */
    EXECUTE [RecordSamplesTests].[Record] @Samples = N'[{"measure":"Execution","series":"s","valueMs":1}]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples takes a sample from before the fine retention]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (1, 0);

    /* Act */
    EXECUTE [RecordSamplesTests].[RecordAt] @Minutes = -10020;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a sample from before the hourly retention]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (0, 1);

    /* Act */
    EXECUTE [RecordSamplesTests].[RecordAt] @Minutes = -10140;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples takes a sample from a clock that is a little ahead]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (1, 0);

    /* Act */
    EXECUTE [RecordSamplesTests].[RecordAt] @Minutes = 4;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a sample from the future]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (0, 1);

    /* Act */
    EXECUTE [RecordSamplesTests].[RecordAt] @Minutes = 6;

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples takes an empty list]
AS
BEGIN
    /* Assemble */
    INSERT INTO [RecordSamplesTests].[ExpectedAnswer] ([Accepted], [Refused])
    VALUES (0, 0);

    /* Act */
    EXECUTE [RecordSamplesTests].[Record] @Samples = N'[]';

    /* Assert */
    EXECUTE [tSQLt].[AssertEqualsTable]
        @Expected = N'[RecordSamplesTests].[ExpectedAnswer]',
        @Actual = N'[RecordSamplesTests].[Answer]';
    EXECUTE [tSQLt].[AssertEmptyTable] @TableName = N'[chokaq].[MetricSeries]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'RecordSamples:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses NULL in place of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'RecordSamples:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = NULL;
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a key that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column value:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","value":1}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a sample without a measure]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column measure:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"series":"s"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a sample without a series]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'RecordSamples: row 1, column series:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s"},{"measure":"m"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a negative value]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column valueMs:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","valueMs":-1}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a value that is text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column valueMs:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","valueMs":"1"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses an outcome that it does not know]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column outcome:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","outcome":2}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a moment that is none]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column atUtc:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","atUtc":"yesterday"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a moment with an offset]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column atUtc:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s","atUtc":"2026-03-04T05:06:07+02:00"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a name that is too long]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"series":"s","measure":"', REPLICATE(N'x', 101), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column measure:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = @Json;
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses a series outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'RecordSamples: row 0, column series:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"ж"}]';
END;
GO

CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples refuses more than 1000 samples]
AS
BEGIN
    /* Assemble */
    DECLARE
        @Json NVARCHAR(MAX) = CONCAT(
            N'[',
            REPLICATE(CONVERT(NVARCHAR(MAX), N'{"measure":"m","series":"s"},'), 1000),
            N'{"measure":"m","series":"s"}]'
        );

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'RecordSamples:%';

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = @Json;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples alone is one transaction that it commits]
AS
BEGIN
    /* Assemble */
    DECLARE @Open INT;
    DECLARE @Counted INT;
    DECLARE @Registered INT;

    /* Act */
    EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s"}]';

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Counted = COUNT(*) FROM [chokaq].[MetricSeries];
    SELECT @Registered = COUNT(*) FROM [chokaq].[Measures];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 1, @Actual = @Counted;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 4, @Actual = @Registered;
END;
GO

--[@tSQLt:NoTransaction](DEFAULT)
CREATE PROCEDURE [RecordSamplesTests].[test RecordSamples alone takes everything back when the counting fails]
AS
BEGIN
    /* Assemble */
    DECLARE @Error INT = 0;
    DECLARE @Open INT;
    DECLARE @Registered INT;

    EXECUTE [tSQLt].[SpyProcedure]
        @ProcedureName = N'[chokaq].[AddSamples]',
        @CommandToExecute = N'THROW 50001, N''for the test'', 1;';

    /* Act */
    BEGIN TRY
        EXECUTE [chokaq].[RecordSamples] @Samples = N'[{"measure":"m","series":"s"}]';
    END TRY
    BEGIN CATCH
        SET @Error = ERROR_NUMBER();
    END CATCH;

    /* Assert */
    SET @Open = @@TRANCOUNT;
    SELECT @Registered = COUNT(*) FROM [chokaq].[Measures];
    EXECUTE [tSQLt].[AssertEquals] @Expected = 50001, @Actual = @Error;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 0, @Actual = @Open;
    EXECUTE [tSQLt].[AssertEquals] @Expected = 3, @Actual = @Registered;
END;
GO
