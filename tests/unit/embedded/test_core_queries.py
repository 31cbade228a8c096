"""SELECT: joins, grouping, windows, set operations, CTEs, TOP, OFFSET, subqueries, OPENJSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.embedded.core_support import Engine

QUERIES: list[tuple[str, list[tuple[Any, ...]]]] = [
    (
        "SELECT [t].[Id], [t].[Name] FROM [dbo].[T] AS [t] WHERE [t].[Id] > 2 ORDER BY [t].[Id];",
        [(3, "b"), (4, None)],
    ),
    ("SELECT [Id] FROM [dbo].[T] ORDER BY [Name], [Id] DESC;", [(4,), (2,), (1,), (3,)]),
    ("SELECT [Id] FROM [dbo].[T] ORDER BY [Name] DESC, [Id];", [(3,), (1,), (2,), (4,)]),
    ("SELECT TOP (2) [Id] FROM [dbo].[T] ORDER BY [Id] DESC;", [(4,), (3,)]),
    ("DECLARE @n int = 1; SELECT TOP (@n) [Id] FROM [dbo].[T] ORDER BY [Id];", [(1,)]),
    ("SELECT [Id] FROM [dbo].[T] ORDER BY [Id] OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;", [(2,), (3,)]),
    ("SELECT [Id] AS [x] FROM [dbo].[T] WHERE [Id] < 3 ORDER BY [x] DESC;", [(2,), (1,)]),
    (
        "SELECT [Name], COUNT(*) AS [n], SUM([Id]) AS [s] FROM [dbo].[T] GROUP BY [Name] ORDER BY [Name];",
        [(None, 1, 4), ("a", 2, 3), ("b", 1, 3)],
    ),
    ("SELECT [Name], COUNT(*) AS [n] FROM [dbo].[T] GROUP BY [Name] HAVING COUNT(*) > 1;", [("a", 2)]),
    (
        "SELECT COUNT(*) AS [n], COUNT([Name]) AS [c], COUNT(DISTINCT [Name]) AS [d] FROM [dbo].[T];",
        [(4, 3, 2)],
    ),
    ("SELECT MIN([Name]) AS [a], MAX([Name]) AS [b], AVG([Id]) AS [c] FROM [dbo].[T];", [("a", "b", 2)]),
    ("SELECT SUM([Id]) AS [s] FROM [dbo].[T] WHERE 1 = 0;", [(None,)]),
    ("SELECT COUNT(*) AS [s] FROM [dbo].[T] WHERE 1 = 0 HAVING COUNT(*) = 0;", [(0,)]),
    ("SELECT DISTINCT [Name] FROM [dbo].[T] WHERE [Name] IS NOT NULL ORDER BY [Name];", [("a",), ("b",)]),
    (
        (
            "SELECT [t].[Id], [u].[X] FROM [dbo].[T] AS [t] INNER JOIN [dbo].[U] AS [u] ON [u].[TId] = "
            "[t].[Id] ORDER BY [u].[X];"
        ),
        [(1, 10), (1, 11), (3, 30)],
    ),
    (
        (
            "SELECT [t].[Id], [u].[X] FROM [dbo].[T] AS [t] LEFT OUTER JOIN [dbo].[U] AS [u] ON [u].[TId] = "
            "[t].[Id] AND [u].[X] > 10 "
            "ORDER BY [t].[Id];"
        ),
        [(1, 11), (2, None), (3, 30), (4, None)],
    ),
    ("SELECT COUNT(*) AS [n] FROM [dbo].[T] AS [t] CROSS JOIN [dbo].[U] AS [u];", [(16,)]),
    (
        (
            "SELECT [t].[Id] FROM [dbo].[T] AS [t] WHERE EXISTS (SELECT 1 FROM [dbo].[U] AS [u] WHERE "
            "[u].[TId] = [t].[Id]) ORDER BY [t].[Id];"
        ),
        [(1,), (3,)],
    ),
    (
        (
            "SELECT [t].[Id] FROM [dbo].[T] AS [t] WHERE [t].[Id] IN (SELECT [u].[TId] FROM [dbo].[U] AS "
            "[u]) ORDER BY [t].[Id];"
        ),
        [(1,), (3,)],
    ),
    (
        (
            "SELECT [t].[Id] FROM [dbo].[T] AS [t] WHERE [t].[Id] NOT IN (SELECT [u].[TId] FROM [dbo].[U] AS "
            "[u]);"
        ),
        [],
    ),
    (
        "SELECT [t].[Id] FROM [dbo].[T] AS [t] WHERE [t].[Name] IN (SELECT 'A' AS [x]) ORDER BY [t].[Id];",
        [(1,), (2,)],
    ),
    (
        (
            "SELECT [t].[Id], (SELECT MAX([u].[X]) FROM [dbo].[U] AS [u] WHERE [u].[TId] = [t].[Id]) AS [m] "
            "FROM [dbo].[T] AS [t] "
            "WHERE [t].[Id] < 3 ORDER BY [t].[Id];"
        ),
        [(1, 11), (2, None)],
    ),
    ("SELECT [d].[n] FROM (SELECT COUNT(*) AS [n] FROM [dbo].[T] AS [t]) AS [d];", [(4,)]),
    (
        (
            "SELECT [d].[x], [d].[y] FROM (SELECT [t].[Id], [t].[Name] FROM [dbo].[T] AS [t]) AS [d] ([x], "
            "[y]) WHERE [d].[y] = 'B';"
        ),
        [(3, "b")],
    ),
    (
        (
            "WITH [c] AS (SELECT [Id], [Name] FROM [dbo].[T] WHERE [Id] < 4), [e] ([k]) AS (SELECT [Id] FROM "
            "[c] WHERE [Name] = 'A') "
            "SELECT [e].[k] FROM [e] ORDER BY [e].[k];"
        ),
        [(1,), (2,)],
    ),
    (
        (
            "WITH [r] AS (SELECT 1 AS [n] UNION ALL SELECT [r].[n] + 1 FROM [r] WHERE [r].[n] < 4) SELECT "
            "[n] FROM [r] ORDER BY [n];"
        ),
        [(1,), (2,), (3,), (4,)],
    ),
    ("SELECT 1 AS [n] UNION ALL SELECT 2 UNION ALL SELECT 1 ORDER BY [n] DESC;", [(2,), (1,), (1,)]),
    # type: ignore[list-item]
    ("SELECT [n] FROM (SELECT 'a' AS [n] UNION SELECT 'A ' UNION SELECT 'b') AS [u] ORDER BY [n];", None),
    ("SELECT [Id] FROM [dbo].[T] EXCEPT SELECT [TId] FROM [dbo].[U] ORDER BY [Id];", [(2,), (4,)]),
    ("SELECT [Id] FROM [dbo].[T] INTERSECT SELECT [TId] FROM [dbo].[U] ORDER BY [Id];", [(1,), (3,)]),
    (
        (
            "SELECT [Id], ROW_NUMBER() OVER (PARTITION BY [Name] ORDER BY [Id] DESC) AS [n] FROM [dbo].[T] "
            "ORDER BY [Id];"
        ),
        [(1, 2), (2, 1), (3, 1), (4, 1)],
    ),
    (
        (
            "SELECT [Id], RANK() OVER (ORDER BY [Name]) AS [r], DENSE_RANK() OVER (ORDER BY [Name]) AS [d] "
            "FROM [dbo].[T] ORDER BY [Id];"
        ),
        [(1, 2, 2), (2, 2, 2), (3, 4, 3), (4, 1, 1)],
    ),
    (
        (
            "SELECT [Id], SUM([Id]) OVER (ORDER BY [Id] ROWS UNBOUNDED PRECEDING) AS [s], COUNT(*) OVER () "
            "AS [c] FROM [dbo].[T] ORDER BY [Id];"
        ),
        [(1, 1, 4), (2, 3, 4), (3, 6, 4), (4, 10, 4)],
    ),
    (
        (
            "SELECT [Id], LAG([Id], 1, 0) OVER (ORDER BY [Id]) AS [p], LEAD([Id]) OVER (ORDER BY [Id]) AS "
            "[n] FROM [dbo].[T] ORDER BY [Id];"
        ),
        [(1, 0, 2), (2, 1, 3), (3, 2, 4), (4, 3, None)],
    ),
    ("SELECT STRING_AGG([Name], ',') WITHIN GROUP (ORDER BY [Id] DESC) AS [s] FROM [dbo].[T];", [("b,A,a",)]),
    (
        (
            'SELECT [j].[key], [j].[value], [j].[type] FROM OPENJSON(\'{"a":1.50,"b":[1, '
            '2],"c":null,"d":true,"e":"x"}\') AS [j];'
        ),
        [("a", "1.50", 2), ("b", "[1, 2]", 4), ("c", None, 0), ("d", "true", 3), ("e", "x", 1)],
    ),
    (
        (
            'SELECT [j].[a], [j].[b], [j].[c] FROM OPENJSON(\'[{"a":"1","b":{"x": '
            '2}},{"a":2,"n":{"c":"z"}}]\') '
            "WITH ([a] int, [b] nvarchar(max) AS JSON, [c] varchar(5) '$.n.c') AS [j];"
        ),
        [(1, '{"x": 2}', None), (2, None, "z")],
    ),
    (
        (
            "SELECT [t].[Id], (SELECT COUNT(*) FROM OPENJSON([t].[Doc]) AS [k] WHERE [k].[value] LIKE '1%') "
            "AS [n] FROM [dbo].[T] AS [t] "
            "ORDER BY [t].[Id];"
        ),
        [(1, 2), (2, 0), (3, 1), (4, 0)],
    ),
    (
        (
            "SELECT [k].[value] FROM [dbo].[T] AS [t] INNER JOIN OPENJSON('[1,3]') AS [k] ON CONVERT(int, "
            "[k].[value]) = [t].[Id] ORDER BY [t].[Id];"
        ),
        [("1",), ("3",)],
    ),
    (
        "SELECT [v].[a], [v].[b] FROM (VALUES (1, 'x'), (2, NULL)) AS [v] ([a], [b]) ORDER BY [v].[a];",
        [(1, "x"), (2, None)],
    ),
    ("SELECT * FROM (VALUES (1, 'x')) AS [v] ([a], [b]);", [(1, "x")]),
    ("SELECT [t].* FROM [dbo].[U] AS [t] WHERE [t].[X] = 30;", [(3, 30)]),
    (
        "SELECT [Id] FROM [dbo].[T] WITH (NOLOCK, READPAST) WHERE [Id] = 1 OPTION (RECOMPILE, MAXDOP 1);",
        [(1,)],
    ),
]


@pytest.fixture
def data(db: Engine) -> Engine:
    return db.script(
        "CREATE TABLE [dbo].[T] ([Id] int NOT NULL PRIMARY KEY, [Name] varchar(10) NULL, [Doc] "
        "nvarchar(max) NULL);",
        "CREATE TABLE [dbo].[U] ([TId] int NULL, [X] int NOT NULL);",
        "INSERT INTO [dbo].[T] ([Id], [Name], [Doc]) VALUES (1, 'a', N'{\"a\":1,\"b\":1.5}'), (2, 'A', "
        "N'[]'), (3, 'b', N'[10]'), (4, NULL, NULL);",
        "INSERT INTO [dbo].[U] ([TId], [X]) VALUES (1, 10), (1, 11), (3, 30), (NULL, 40);",
    )


@pytest.mark.parametrize(("sql", "expected"), QUERIES)
def test_queries(data: Engine, sql: str, expected: list[tuple[Any, ...]] | None) -> None:
    found = data(sql)
    if expected is None:
        assert [row[0].strip().lower() for row in found] == ["a", "b"]
    else:
        assert [tuple(_fold(cell) for cell in row) for row in found] == [
            tuple(_fold(cell) for cell in row) for row in expected
        ]


def _fold(cell: Any) -> Any:
    # Which spelling of equal strings a group shows is not fixed.
    return cell.lower() if isinstance(cell, str) else cell


ERRORS: list[tuple[str, int]] = [
    ("SELECT [Nope] FROM [dbo].[T];", 207),
    ("SELECT [x].[Id] FROM [dbo].[T] AS [t];", 4104),
    ("SELECT [Id] FROM [dbo].[Nope];", 208),
    ("SELECT [X] AS [y] FROM [nope].[T];", 208),
    ("SELECT [Id] FROM [dbo].[T] AS [a] CROSS JOIN [dbo].[T] AS [b];", 209),
    ("SELECT [a].[Id] FROM [dbo].[T] AS [a] CROSS JOIN [dbo].[U] AS [a];", 1011),
    ("SELECT [Name], [Id] FROM [dbo].[T] GROUP BY [Name];", 8120),
    ("SELECT [Name], COUNT(*) AS [n] FROM [dbo].[T];", 8120),
    ("SELECT [Id] FROM [dbo].[T] WHERE COUNT(*) > 1;", 147),
    ("SELECT [Id] FROM [dbo].[T] WHERE ROW_NUMBER() OVER (ORDER BY [Id]) = 1;", 4108),
    ("SELECT 1 AS [a] UNION ALL SELECT 1, 2;", 205),
    ("SELECT [Id] FROM [dbo].[T] WHERE [Id] IN (SELECT 1, 2);", 116),
    ("SELECT [d].[a] FROM (SELECT 1) AS [d];", 8155),
    ("SELECT [d].[a] FROM (SELECT 1 AS [a], 2 AS [a]) AS [d];", 8156),
    ("SELECT [Id] FROM [dbo].[T] ORDER BY 2;", 108),
    ("SELECT [Id] FROM [dbo].[T] OFFSET 1 ROWS;", 102),
    ("DECLARE @n int = -1; SELECT TOP (@n) [Id] FROM [dbo].[T];", 1060),
    ("DECLARE @n int; SELECT TOP (@n) [Id] FROM [dbo].[T];", 1060),
    ("SELECT [j].[key] FROM OPENJSON('{x}') AS [j];", 13609),
    ('SELECT [j].[a] FROM OPENJSON(\'[{"a":"x"}]\') WITH ([a] int) AS [j];', 245),
    ("SELECT SUM([Name]) AS [s] FROM [dbo].[T];", 8117),
    ("SELECT [Id] AS [v] FROM [dbo].[T] WITH (NOEXPAND);", 49999),
    ("SELECT [Id] FROM [dbo].[T] WITH (INDEX ([IX_Nope]));", 308),
    ("SELECT [a].[Id] FROM [dbo].[T] AS [a] RIGHT JOIN [dbo].[U] AS [b] ON [b].[TId] = [a].[Id];", 49999),
    (
        "SELECT [a].[Id] FROM [dbo].[T] AS [a] FULL OUTER JOIN [dbo].[U] AS [b] ON [b].[TId] = [a].[Id];",
        49999,
    ),
    ("SELECT [k].[key] FROM [dbo].[T] AS [t] CROSS APPLY OPENJSON([t].[Doc]) AS [k];", 49999),
    ("SELECT [Name] FROM [dbo].[T] GROUP BY ROLLUP([Name]);", 49999),
    ("SELECT [p].[a] FROM [dbo].[T] PIVOT (MAX([Id]) FOR [Name] IN ([a])) AS [p];", 49999),
    ("SELECT [a].[b] FROM [other].[dbo].[T] AS [a];", 49999),
    ("SELECT [Id] INTO [dbo].[Copy] FROM [dbo].[T];", 49999),
    ("SELECT [s].[value] FROM STRING_SPLIT('a,b', ',') AS [s];", 49999),
]


@pytest.mark.parametrize(("sql", "number"), ERRORS)
def test_errors(data: Engine, sql: str, number: int) -> None:
    assert data.error(sql) == number


def test_a_sum_of_int_can_overflow(data: Engine) -> None:
    assert data.error("SELECT SUM([v].[n]) AS [s] FROM (VALUES (2147483647), (1)) AS [v] ([n]);") == 8115
    assert (
        data.one("SELECT SUM(CAST([v].[n] AS bigint)) AS [s] FROM (VALUES (2147483647), (1)) AS [v] ([n]);")
        == 2**31
    )


def test_assignment_takes_the_last_row(data: Engine) -> None:
    assert data(
        "DECLARE @a int = 9, @b varchar(5); SELECT @a = [Id], @b = [Name] FROM [dbo].[T] WHERE [Id] <= 3 "
        "ORDER BY [Id]; "
        "SELECT @a AS [a], @b AS [b];"
    ) == [(3, "b")]
    assert (
        data.one("DECLARE @a int = 9; SELECT @a = [Id] FROM [dbo].[T] WHERE [Id] = 99; SELECT @a AS [a];")
        == 9
    )
    assert (
        data.one(
            "DECLARE @a int = 9; SELECT @a = COALESCE(@a, [Id]) FROM [dbo].[T] WHERE [Id] = 1; SELECT @a "
            "AS [a];"
        )
        == 9
    )
    assert data.error("DECLARE @a int = 0; SELECT @a = @a + [Id] FROM [dbo].[T]; SELECT @a AS [a];") == 49999
    assert data.error("DECLARE @a int; SELECT @a = 1, [Id] FROM [dbo].[T];") == 141


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS [a];\nSELECT\n  [t].[Id],\n  [t].[Nope]\nFROM [dbo].[T] AS [t];",
        "SELECT 1 AS [a];\n/* a\ncomment */\nSELECT SOUNDEXX('a') AS [v];",
        "SELECT 1 AS [a];\n\n\nUPDATE [dbo].[T] SET [Nope] = 1;",
    ],
)
def test_errors_name_the_line(data: Engine, text: str) -> None:
    assert "(line 4)" in str(data.failure(text))
