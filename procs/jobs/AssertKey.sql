SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: the one place that refuses a text parameter which its varchar column could not hold exactly. Such parameters are declared wider than
    their columns, so that a value is not cut or turned into "?" before anyone can see it.
Parameters:
    @Procedure  the caller, named in messages.
    @Parameter  the parameter, named in messages.
    @Value      its value.
    @MaxBytes   length of the column.
Result set: none.
Outcomes: none.
Errors: 51004 ValueTooLong, 51005 NotRepresentable, 51008 InvalidParameter (NULL or empty).
Transactions: reads no table and opens none.
Lock order: none.
Role: internal, not granted.
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[AssertKey]
    @Procedure NVARCHAR(128),
    @Parameter NVARCHAR(128),
    @Value NVARCHAR(4000),
    @MaxBytes INT
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);

    IF @Value IS NULL OR @Value = N''
    BEGIN
        SET @Message = CONCAT(@Procedure, N': ', @Parameter, N' is required.');
        THROW 51008, @Message, 1;
    END;

    IF CONVERT(NVARCHAR(4000), CONVERT(VARCHAR(8000), @Value)) COLLATE Latin1_General_BIN2 <> @Value COLLATE Latin1_General_BIN2
    BEGIN
        SET @Message = CONCAT(
                @Procedure,
                N': ',
                @Parameter,
                N' holds characters that the column''s code page does not have.'
            );
        THROW 51005, @Message, 1;
    END;

    IF DATALENGTH(CONVERT(VARCHAR(8000), @Value)) > @MaxBytes
    BEGIN
        SET @Message = CONCAT(@Procedure, N': ', @Parameter, N' is longer than ', @MaxBytes, N' bytes.');
        THROW 51004, @Message, 1;
    END;
END;
GO
