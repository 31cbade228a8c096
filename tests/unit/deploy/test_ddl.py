"""The model that ``verify`` compares with: what is read from scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from chokaq.deploy.ddl import schema_of
from chokaq.deploy.errors import PackageError
from chokaq.deploy.impact import impact_of
from chokaq.deploy.model import Schema
from chokaq.deploy.scripts import SqlPackage, load_package

from .trees import SETS, small_tree, write


def package(root: Path, *texts: str) -> SqlPackage:
    small_tree(root)
    for number, text in enumerate(texts, start=3):
        write(root, {f"db/migrations/{number:04}_more.sql": SETS + text + "\nGO\n"})
    return load_package(root)


def read(root: Path, *texts: str) -> Schema:
    return schema_of(package(root, *texts).migrations)


TABLE = """/* Why it exists. */
CREATE TABLE [chokaq].[T] (
    [A] INT NOT NULL IDENTITY(1, 1) PRIMARY KEY,
    [B] NVARCHAR(MAX) COLLATE Latin1_General_BIN2 NULL,
    [C] DATETIME2 CONSTRAINT [DF_T_C] DEFAULT SYSUTCDATETIME(),
    [D] DECIMAL(9, 2) NOT NULL DEFAULT (0),
    [E] AS ([A] + 1),
    CONSTRAINT [UQ_T] UNIQUE NONCLUSTERED ([B], [C] DESC),
    CONSTRAINT [CK_T] CHECK ([D] > 0)
);
CREATE UNIQUE CLUSTERED INDEX [IX_T] ON [chokaq].[T]([C] DESC, [A]) INCLUDE ([D])
WHERE [D] > 1 WITH (FILLFACTOR = 90);
"""


def test_a_table_with_everything(tmp_path: Path) -> None:
    table = read(tmp_path, TABLE).tables["t"]
    assert table.reason == "Why it exists."
    assert [(each.name, each.type, each.nullable) for each in table.columns] == [
        ("A", "int", False),
        ("B", "nvarchar(max)", True),
        ("C", "datetime2(7)", True),
        ("D", "decimal(9,2)", False),
        ("E", "computed", True),
    ]
    assert table.columns[0].identity
    assert table.columns[1].collation == "LATIN1_GENERAL_BIN2"
    assert table.columns[2].default_name == "DF_T_C"
    assert table.columns[4].computed == "[A] + 1"
    primary, unique = table.keys
    assert (primary.primary, primary.clustered, str(primary.columns[0])) == (True, True, "A")
    assert (unique.name, [str(each) for each in unique.columns]) == ("UQ_T", ["B", "C DESC"])
    assert table.checks[0].expression == "[D] > 0"
    index = table.indexes[0]
    assert (index.unique, index.clustered, index.included, index.filter) == (True, True, ("D",), "[D] > 1")


def test_later_scripts_change_it(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        TABLE,
        """
ALTER TABLE [chokaq].[T] ADD [F] INT NULL, CONSTRAINT [CK_F] CHECK ([F] < 9);
ALTER TABLE [chokaq].[T] DROP COLUMN [E];
ALTER TABLE [chokaq].[T] DROP CONSTRAINT [CK_T], [DF_T_C];
ALTER TABLE [chokaq].[T] ALTER COLUMN [D] DECIMAL(12, 2) NULL;
DROP INDEX [IX_T] ON [chokaq].[T];
DROP TABLE IF EXISTS [chokaq].[Things];
""",
    )
    assert "things" not in table.tables
    changed = table.tables["t"]
    assert [each.name for each in changed.columns] == ["A", "B", "C", "D", "F"]
    assert [each.name for each in changed.checks] == ["CK_F"]
    assert changed.columns[2].default is None
    assert (changed.columns[3].type, changed.columns[3].nullable, changed.columns[3].default) == (
        "decimal(12,2)",
        True,
        "0",
    )
    assert changed.indexes == ()


@pytest.mark.parametrize(
    "text",
    [
        "CREATE VIEW [chokaq].[V] AS SELECT 1 AS [One];",
        "IF 1 = 1\nBEGIN\n    CREATE TABLE [chokaq].[U] ([A] INT NULL);\nEND;",
        "ALTER TABLE [chokaq].[Things] REBUILD;",
        "ALTER TABLE [chokaq].[Nowhere] ADD [A] INT NULL;",
        "CREATE TABLE [chokaq].[U] ([A] INT SPARSE NULL);",
        "CREATE SEQUENCE [chokaq].[S];",
    ],
)
def test_a_form_that_verify_does_not_know_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(PackageError, match="0003_more"):
        read(tmp_path, text)


def test_the_package_is_known_whole() -> None:
    schema = schema_of(load_package().migrations)
    assert {"jobshot", "jobsarchive", "jobsdlq"} <= schema.tables.keys()
    assert all(table.keys for table in schema.tables.values())


def test_what_a_script_costs(tmp_path: Path) -> None:
    whole = package(
        tmp_path,
        "/* One-time script: more. Cost on an existing database: reads all things. */\n"
        "ALTER TABLE [chokaq].[Things] ADD [A] INT NULL;\n"
        "CREATE NONCLUSTERED INDEX [IX_A] ON [chokaq].[Things]([A]);",
        "CREATE TABLE [chokaq].[U] ([A] INT NULL);\nINSERT INTO [chokaq].[U] ([A]) VALUES (1);",
        "UPDATE [chokaq].[Things] SET [A] = 1;",
    )
    impacts = [impact_of(each, whole) for each in whole.migrations]
    assert impacts[2].cost == "reads all things"
    assert "Things (ALTER TABLE" in impacts[2].locks
    assert impacts[3].locks == "only what it creates"
    assert (impacts[4].touched, impacts[4].cost) == (("Things",), "grows with Things")
    assert impacts[4].undo == "none: restore a backup"
