"""What the generated pages say about tables and columns is what the database says."""

from __future__ import annotations

from tools.docs_build.descriptions import descriptions

from .places import Place


def test_extended_properties_are_those_of_the_pages(whole: Place) -> None:
    whole.deploy()
    rows = whole.rows(
        "SELECT [t].[name], [c].[name] AS [ColumnName], CONVERT(NVARCHAR(1000), [p].[value]) AS [Description]"
        " FROM [sys].[extended_properties] AS [p]"
        " INNER JOIN [sys].[tables] AS [t] ON [t].[object_id] = [p].[major_id]"
        " LEFT OUTER JOIN [sys].[columns] AS [c]"
        " ON [c].[object_id] = [p].[major_id] AND [c].[column_id] = [p].[minor_id]"
        f" WHERE [p].[name] = N'MS_Description' AND [t].[schema_id] = SCHEMA_ID(N'{whole.schema}');"
    )
    found = {(row[0].lower(), row[1].lower() if row[1] else None): row[2] for row in rows}
    assert found == descriptions(whole.package.migrations)
