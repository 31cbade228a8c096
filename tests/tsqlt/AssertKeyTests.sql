SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

EXECUTE [tSQLt].[NewTestClass] @ClassName = N'AssertKeyTests';
GO

CREATE PROCEDURE [AssertKeyTests].[Check] @Value NVARCHAR(4000), @MaxBytes INT = 5
AS
BEGIN
    /* The value under test, checked for a parameter of a caller named Caller. */
    EXECUTE [chokaq].[AssertKey] @Procedure = N'Caller', @Parameter = N'@Name', @Value = @Value, @MaxBytes = @MaxBytes;
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey accepts a value that fills its column]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'éüß€x';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses a value longer than its column]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51004,
        @ExpectedMessagePattern = N'Caller: @Name is longer than 5 bytes.';

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'abcdef';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey counts spaces at the end]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004;

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'abcde ';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses a value of any length that is too long]
AS
BEGIN
    /* Assemble */
    DECLARE @Value NVARCHAR(4000) = REPLICATE(N'x', 4000);

    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51004;

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = @Value, @MaxBytes = 255;
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses a character outside the code page]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51005,
        @ExpectedMessagePattern = N'Caller: @Name holds characters%';

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'aж';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses a character of which the code page has only a look-alike]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51005;

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'Ā';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey accepts a question mark]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectNoException];

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'a?';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses NULL]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'Caller: @Name is required.';

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = NULL;
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses an empty value]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException]
        @ExpectedErrorNumber = 51008,
        @ExpectedMessagePattern = N'Caller: @Name is required.';

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'';
END;
GO

CREATE PROCEDURE [AssertKeyTests].[test AssertKey refuses a value of spaces alone]
AS
BEGIN
    /* Assert */
    EXECUTE [tSQLt].[ExpectException] @ExpectedErrorNumber = 51008;

    /* Act */
    EXECUTE [AssertKeyTests].[Check] @Value = N'   ';
END;
GO
