/* Undo of 0004_descriptions.sql: takes the descriptions off again. Loses no data. */
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO

DECLARE @Schema SYSNAME = REPLACE(REPLACE(N'[chokaq]', N'[', N''), N']', N'');
DECLARE @Table SYSNAME;
DECLARE @Column SYSNAME;
DECLARE @Left INT = 1;

WHILE @Left > 0
BEGIN
    SET @Table = NULL;

    SELECT TOP (1) @Table = [t].[name], @Column = [c].[name]
    FROM [sys].[extended_properties] AS [p]
    INNER JOIN [sys].[tables] AS [t] ON [t].[object_id] = [p].[major_id]
    LEFT OUTER JOIN [sys].[columns] AS [c] ON [c].[object_id] = [p].[major_id] AND [c].[column_id] = [p].[minor_id]
    WHERE [p].[class] = 1 AND [p].[name] = N'MS_Description' AND [t].[schema_id] = SCHEMA_ID(@Schema)
    ORDER BY [t].[name], [p].[minor_id];

    IF @Table IS NULL
    BEGIN
        SET @Left = 0;
    END;
    ELSE IF @Column IS NULL
    BEGIN
        EXECUTE [sys].[sp_dropextendedproperty]
            @name = N'MS_Description',
            @level0type = 'SCHEMA',
            @level0name = @Schema,
            @level1type = 'TABLE',
            @level1name = @Table;
    END;
    ELSE
    BEGIN
        EXECUTE [sys].[sp_dropextendedproperty]
            @name = N'MS_Description',
            @level0type = 'SCHEMA',
            @level0name = @Schema,
            @level1type = 'TABLE',
            @level1name = @Table,
            @level2type = 'COLUMN',
            @level2name = @Column;
    END;
END;
GO
