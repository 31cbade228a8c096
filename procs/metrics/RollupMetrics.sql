SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

/*
Purpose: lets the metric history age: fine rows into hours, hours into days, days away, by the retentions of Settings. Totals by queue, type, outcome and
    bin stay the same until days are dropped. Touches a limited number of rows; call again while MoreLeft is 1.
Parameters:
    @MaxRows          source rows at the most, 1 to 1000000; NULL: Settings.RollupMaxRows.
    @NowUtc           the moment from which ages count; NULL: now. For tests.
Result set: FineRows int (summed into hours), HourlyRows int (summed into days), DroppedRows int, MoreLeft bit; one row.
Outcomes: none.
Errors: 51008 InvalidParameter, 51020 TransactionNotAllowed.
Transactions: each batch is a transaction of its own; refuses to run inside one.
Lock order: that of RollupRows.
Role: [chokaq_operator]
Version: 1
*/
CREATE OR ALTER PROCEDURE [chokaq].[RollupMetrics] @MaxRows INT = NULL, @NowUtc DATETIME2(7) = NULL
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

    DECLARE @Message NVARCHAR(2048);
    DECLARE @FineRows INT;
    DECLARE @HourlyRows INT;
    DECLARE @DroppedRows INT;
    DECLARE @MoreLeft BIT;

    IF @@TRANCOUNT > 0
    BEGIN
        SET @Message = N'RollupMetrics: cannot run inside a transaction, since each batch is one of its own.';
        THROW 51020, @Message, 1;
    END;

    IF @MaxRows NOT BETWEEN 1 AND 1000000
    BEGIN
        SET @Message = N'RollupMetrics: @MaxRows must be between 1 and 1000000.';
        THROW 51008, @Message, 1;
    END;

    SET DEADLOCK_PRIORITY LOW;

    EXECUTE [chokaq].[RollupRows]
        @MaxRows = @MaxRows,
        @NowUtc = @NowUtc,
        @FineRows = @FineRows OUTPUT,
        @HourlyRows = @HourlyRows OUTPUT,
        @DroppedRows = @DroppedRows OUTPUT,
        @MoreLeft = @MoreLeft OUTPUT;

    SELECT @FineRows AS [FineRows], @HourlyRows AS [HourlyRows], @DroppedRows AS [DroppedRows], @MoreLeft AS [MoreLeft];
END;
GO
