SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'AssertJsonRowsTests';
GO

CREATE PROCEDURE [AssertJsonRowsTests].[Check]
    @Json NVARCHAR(MAX),
    @Shape NVARCHAR(MAX) = N'[{"key":"id","kind":"key","max":5,"required":true}]'
AS
BEGIN
    /* The rows under test, checked for a caller named Caller. */
    EXECUTE [chokaq].[AssertJsonRows] @Procedure = N'Caller', @Json = @Json, @Shape = @Shape;
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts an empty array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts an array of objects with known keys]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N' [ {"id":"a"}, {"id":"b"} ] ';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts an array of 1000 rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[', REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a"},'), 999), N'{"id":"a"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = @Json;
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses 1001 rows]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[', REPLICATE(CONVERT(NVARCHAR(MAX), N'{"id":"a"},'), 1000), N'{"id":"a"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51007, @ExpectedMessagePattern = N'Caller: 1001 rows%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = @Json;
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses NULL]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = NULL;
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an empty text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses text that is not JSON]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"}';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses one object]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000, @ExpectedMessagePattern = N'Caller:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'{"id":"a"}';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an empty object]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'{}';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an object of objects]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'{"first":{"id":"a"}}';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an object whose keys look like places of an array]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'{"0":{"id":"a"}}';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an array of texts]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"},"b"]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an array of arrays]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[[{"id":"a"}]]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses null among the rows]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51000;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"},null]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an unknown key and names its row]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51001,
        @ExpectedMessagePattern = N'Caller: row 1, column nmae: the key is not known.';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"},{"id":"b","nmae":1}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows knows keys by their exact case]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51001;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a","Id":"b"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows reports the first row that has a problem]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'Caller: row 2, column id:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"},{"id":"b"},{"id":3},{"id":4},{"no":5}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a required key that is absent]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51002,
        @ExpectedMessagePattern = N'Caller: row 1, column id: the value is missing.';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"a"},{}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses null for a required key]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51002, @ExpectedMessagePattern = N'%row 0, column id:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":null}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an empty text for a required key]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51002, @ExpectedMessagePattern = N'%row 0, column id:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":""}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts null for every kind that is not required]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null}]',
        @Shape = N'[{"key":"a","kind":"key","max":5},{"key":"b","kind":"text"},{"key":"c","kind":"integer"},{"key":"d","kind":"number"},{"key":"e","kind":"time"},{"key":"f","kind":"json"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts zero for a required number]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":0}]',
        @Shape = N'[{"key":"n","kind":"integer","required":true}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number in place of a key text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'Caller: row 0, column id:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":1}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses true in place of a key text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":true}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an object in place of a key text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":{"a":"b"}}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts a key text that fills its column]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"éüß€x"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a key text longer than its column]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'Caller: row 0, column id: the value is too long.';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"abcdef"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows counts spaces at the end of a key text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"abcde "}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a key text outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'Caller: row 0, column id:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"ж"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a key text of which the code page has only a look-alike]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"id":"Ā"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts any character in a text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"t":"жĀ語"}]', @Shape = N'[{"key":"t","kind":"text","max":3}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a text longer than its column]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'Caller: row 0, column t:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"t":"жжжж"}]', @Shape = N'[{"key":"t","kind":"text","max":3}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts a text of any length where no length is given]
AS
BEGIN
    /* Assemble */
    DECLARE @Json NVARCHAR(MAX) = CONCAT(N'[{"t":"', REPLICATE(CONVERT(NVARCHAR(MAX), N'x'), 20000), N'"}]');

    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = @Json, @Shape = N'[{"key":"t","kind":"text"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number in place of a text]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"t":1}]', @Shape = N'[{"key":"t","kind":"text"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts integers at both ends of their range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":0},{"n":100}]',
        @Shape = N'[{"key":"n","kind":"integer","min":0,"max":100}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an integer below its range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'Caller: row 0, column n: the value has the wrong type, cannot be converted or is out of range.';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":-1}]',
        @Shape = N'[{"key":"n","kind":"integer","min":0,"max":100}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an integer above its range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":101}]',
        @Shape = N'[{"key":"n","kind":"integer","min":0,"max":100}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts any bigint as an integer without a range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":9223372036854775807},{"n":-9223372036854775808}]',
        @Shape = N'[{"key":"n","kind":"integer"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses an integer that no bigint holds]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":9223372036854775808}]',
        @Shape = N'[{"key":"n","kind":"integer"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a fraction in place of an integer]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":1.5}]', @Shape = N'[{"key":"n","kind":"integer"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a text in place of an integer]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":"1"}]', @Shape = N'[{"key":"n","kind":"integer"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses true in place of an integer]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":true}]', @Shape = N'[{"key":"n","kind":"integer"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts fractions and exponents as numbers]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"n":0},{"n":0.25},{"n":1.5e3}]',
        @Shape = N'[{"key":"n","kind":"number","min":0}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number below its range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":-0.5}]', @Shape = N'[{"key":"n","kind":"number","min":0}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number above its range]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":10.5}]', @Shape = N'[{"key":"n","kind":"number","max":10}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number that no float holds]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"n":1e400}]', @Shape = N'[{"key":"n","kind":"number"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts times in UTC]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"t":"2026-01-02T03:04:05Z"},{"t":"2026-01-02T03:04:05"},{"t":"2026-01-02T03:04:05.1234567Z"}]',
        @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a time east of UTC]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51003,
        @ExpectedMessagePattern = N'Caller: row 0, column t:%';

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"t":"2026-01-02T03:04:05+01:00"}]',
        @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a time west of UTC]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"t":"2026-01-02T03:04:05-05:00"}]',
        @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a day that no calendar has]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"t":"2026-02-30T00:00:00Z"}]',
        @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a time without a T]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"t":"2026-01-02 03:04:05"}]',
        @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows refuses a number in place of a time]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51003;

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check] @Json = N'[{"t":20260102}]', @Shape = N'[{"key":"t","kind":"time"}]';
END;
GO

CREATE PROCEDURE [AssertJsonRowsTests].[test AssertJsonRows accepts anything where json is asked for]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertJsonRowsTests].[Check]
        @Json = N'[{"p":"text"},{"p":1},{"p":true},{"p":{"deep":[1]}},{"p":["ж"]},{"p":null}]',
        @Shape = N'[{"key":"p","kind":"json"}]';
END;
GO
