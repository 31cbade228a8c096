"""Each rule finds what it is for, where it is, and leaves the good spelling alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.tsql_rules import set_rules
from tools.tsql_rules.__main__ import check_file, check_tree, main
from tools.tsql_rules.file_rules import FILE_RULES
from tools.tsql_rules.source import Finding, SqlFile
from tools.tsql_rules.statement_rules import STATEMENT_RULES
from tools.type_case import recase

HEAD = "SET ANSI_NULLS ON;\nSET QUOTED_IDENTIFIER ON;\nGO\n"
HEADER = """/*
Purpose: for a test.
Parameters: none.
Result set: none.
Outcomes: none.
Errors: none.
Transactions: none.
Lock order: none.
Role: [chokaq_worker]
Version: 1
*/
"""
CREATE = "CREATE OR ALTER PROCEDURE [chokaq].[Sample]\nAS\nBEGIN\n"
START = "    SET NOCOUNT, XACT_ABORT ON;\n    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\n"
END = "END;\nGO\n"
GOOD = HEAD + HEADER + CREATE + START + "    SELECT 1 AS [One];\n" + END
PATH = "procs/jobs/Sample.sql"


def found(text: str, path: str = PATH) -> list[Finding]:
    return list(check_file(SqlFile(path, text)))


def rules(findings: Sequence[Finding]) -> set[str]:
    return {each.rule for each in findings}


def in_procedure(statement: str) -> list[Finding]:
    """What is found in a procedure that holds this statement and is fine otherwise."""
    return found(HEAD + HEADER + CREATE + START + f"    {statement}\n" + END)


def in_script(text: str) -> list[Finding]:
    return found(f"{HEAD}{text}\nGO\n", "db/migrations/0001_sample.sql")


def test_a_good_procedure_has_no_findings() -> None:
    assert found(GOOD) == []


@pytest.mark.parametrize(
    "head",
    [
        "",
        "SET ANSI_NULLS ON;\nGO\n",
        "SET ANSI_NULLS ON;\nSET QUOTED_IDENTIFIER OFF;\nGO\n",
        "SET ANSI_NULLS ON;\nSET QUOTED_IDENTIFIER ON;\nSELECT 1 AS [One];\nGO\n",
    ],
)
def test_set_options(head: str) -> None:
    assert "set-options" in rules(found(GOOD.replace(HEAD, head)))


def test_set_options_may_stand_on_one_line() -> None:
    assert found(GOOD.replace(HEAD, "SET ANSI_NULLS, QUOTED_IDENTIFIER ON;\nGO\n")) == []


@pytest.mark.parametrize(
    "text",
    ["SELECT N'chokaq' AS [a];", "SELECT N'chokaq.JobsHot' AS [a];", "SELECT [a] FROM chokaq.[T] AS [t];"],
)
def test_schema_token(text: str) -> None:
    assert "schema-token" in rules(in_procedure(text))


def test_schema_token_in_brackets_or_in_a_comment_is_fine() -> None:
    assert in_procedure("SELECT N'[chokaq].[JobsHot] [chokaq_worker]' AS [a]; -- chokaq") == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (GOOD, "procs/jobs/Other.sql"),
        (GOOD, "procs/elsewhere/Sample.sql"),
        (GOOD, "procs/jobs/more/Sample.sql"),
        (GOOD.replace("CREATE OR ALTER PROCEDURE", "CREATE PROCEDURE"), PATH),
        (GOOD.replace("[chokaq].[Sample]", "[Sample]"), PATH),
        (GOOD.replace("[chokaq]", "[dbo]"), PATH),
        (GOOD + GOOD.replace("Sample", "Second").removeprefix(HEAD), PATH),
        (GOOD.replace("Sample", "sp_Sample"), "procs/jobs/sp_Sample.sql"),
        (HEAD + "SELECT 1 AS [One];\nGO\n", PATH),
    ],
)
def test_one_procedure(text: str, path: str) -> None:
    assert "one-procedure" in rules(found(text, path))


@pytest.mark.parametrize(
    "field", ["Purpose", "Parameters", "Result set", "Outcomes", "Errors", "Lock order", "Role"]
)
def test_header_without_a_field(field: str) -> None:
    lines = [line for line in GOOD.splitlines(keepends=True) if not line.startswith(f"{field}:")]
    assert [each.message for each in found("".join(lines)) if each.rule == "header"] == [
        f"the header comment lacks {field}"
    ]


def test_header_with_an_empty_field_in_another_order_or_with_no_number() -> None:
    assert "header" in rules(found(GOOD.replace("Outcomes: none.", "Outcomes:")))
    swapped = GOOD.replace("Outcomes: none.\nErrors: none.", "Errors: none.\nOutcomes: none.")
    assert "header" in rules(found(swapped))
    assert "header" in rules(found(GOOD.replace("Version: 1", "Version: one")))
    assert "header" in rules(found(GOOD.replace(HEADER, "")))


@pytest.mark.parametrize(
    "start",
    [
        "",
        "    SET NOCOUNT ON;\n    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\n",
        "    SET NOCOUNT, XACT_ABORT ON;\n",
        "    SET NOCOUNT, XACT_ABORT ON;\n    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\n",
        "    DECLARE @x INT;\n" + START,
    ],
)
def test_body_start(start: str) -> None:
    assert "body-start" in rules(found(GOOD.replace(START, start)))


def test_double_quotes() -> None:
    assert "double-quotes" in rules(in_procedure('SELECT [t]."a" FROM [chokaq].[T] AS [t];'))


def test_type_case() -> None:
    assert "type-case" in rules(in_procedure("DECLARE @x int;"))
    text = "DECLARE @int int; SELECT [int], CONVERT(nvarchar(max), 'int') /* int */ AS [a];"
    assert recase(text) == "DECLARE @int INT; SELECT [int], CONVERT(NVARCHAR(MAX), 'int') /* int */ AS [a];"


BAD = [
    ("forbidden", "MERGE INTO [chokaq].[T] AS [t] USING @x AS [x] ON 1 = 1 WHEN MATCHED THEN DELETE;"),
    ("forbidden", "SELECT [t].[a] FROM [chokaq].[T] AS [t] CROSS APPLY OPENJSON([t].[a]) AS [j];"),
    ("forbidden", "WAITFOR DELAY '00:00:01';"),
    ("forbidden", "DECLARE c CURSOR FOR SELECT 1 AS [a];"),
    ("forbidden", "SELECT [t].[a] FROM [chokaq].[T] AS [t] WITH (NOLOCK);"),
    ("forbidden", "SELECT [t].[a] FROM [chokaq].[T] AS [t] WITH (READUNCOMMITTED);"),
    ("forbidden", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;"),
    ("forbidden", "EXECUTE sp_executesql N'SELECT 1';"),
    ("forbidden", "RAISERROR (N'no', 16, 1);"),
    ("forbidden", "SELECT GETDATE() AS [a];"),
    ("dynamic-sql", "EXECUTE (N'SELECT 1');"),
    ("dynamic-sql", "EXEC (@text);"),
    ("dynamic-sql", "EXECUTE @name @p = 1;"),
    ("qualified", "EXECUTE [Other];"),
    ("qualified", "EXECUTE @result = Other @p = 1;"),
    ("qualified", "SELECT [t].[a] FROM [T] AS [t];"),
    ("qualified", "SELECT [t].[a] FROM T AS [t];"),
    ("qualified", "SELECT [t].[a] FROM [chokaq].[T] AS [t] INNER JOIN [U] AS [u] ON [u].[a] = [t].[a];"),
    ("qualified", "INSERT INTO [T] ([a]) VALUES (1);"),
    ("qualified", "UPDATE [T] SET [a] = 1;"),
    ("qualified", "UPDATE TOP (1) [T] SET [a] = 1;"),
    ("qualified", "DELETE FROM [T] WHERE [a] = 1;"),
    ("qualified", "DELETE [T] WHERE [a] = 1;"),
    ("qualified", "IF @x = 1 DELETE FROM [chokaq].[U] WHERE [a] IN (SELECT [t].[a] FROM [T] AS [t]);"),
    ("select-star", "SELECT * FROM [chokaq].[T] AS [t];"),
    ("select-star", "SELECT [t].* FROM [chokaq].[T] AS [t];"),
    ("select-star", "SELECT TOP (1) * FROM [chokaq].[T] AS [t];"),
    ("select-star", "SELECT DISTINCT * FROM [chokaq].[T] AS [t];"),
    ("select-star", "SELECT 1 AS [a], * FROM [chokaq].[T] AS [t];"),
    ("select-star", "DELETE FROM [chokaq].[T] OUTPUT deleted.* INTO @x WHERE [a] = 1;"),
    ("semicolon", "SELECT 1 AS [a]"),
    ("semicolon", "SELECT 1 AS [a] SELECT 2 AS [a];"),
    ("semicolon", "IF @a = 1 BEGIN SELECT 1 AS [a]; END"),
    ("semicolon", "BEGIN TRY SELECT 1 AS [a]; END TRY BEGIN CATCH THROW; END CATCH"),
    ("semicolon", "DECLARE @x INT SET @x = 1;"),
    ("semicolon", "INSERT INTO @x ([a]) VALUES (1) UPDATE @x SET [a] = 2;"),
    ("output-into", "UPDATE [chokaq].[T] SET [a] = 1 OUTPUT inserted.[a] WHERE [b] = 1;"),
    ("output-into", "DELETE FROM [chokaq].[T] OUTPUT deleted.[a] WHERE [b] = 1;"),
    ("output-into", "INSERT INTO [chokaq].[T] ([a]) OUTPUT inserted.[a] VALUES (1);"),
    ("output-deleted", "UPDATE [chokaq].[T] SET [a] = 1 OUTPUT deleted.[a] INTO @x WHERE [b] = 1;"),
    ("output-deleted", "UPDATE [chokaq].[T] SET [a] = 1 OUTPUT inserted.[a], DELETED.[a] INTO @x;"),
    (
        "derived-top",
        "UPDATE [t] SET [a] = 1 FROM [sys].[T] AS [t] INNER JOIN (SELECT TOP (1) 1 AS [a]) AS [d] ON 1 = 1;",
    ),
    ("derived-top", "DELETE FROM [d] FROM (SELECT TOP (1) [t].[a] FROM [chokaq].[T] AS [t]) AS [d];"),
    ("updatable-cte", "WITH [c] AS (SELECT [t].[a] FROM [chokaq].[T] AS [t]) UPDATE [c] SET [a] = 1;"),
    ("updatable-cte", "WITH [c] ([a]) AS (SELECT [t].[a] FROM [chokaq].[T] AS [t]) DELETE FROM [c];"),
    ("insert-columns", "INSERT INTO [chokaq].[T] SELECT 1;"),
    ("insert-columns", "INSERT INTO @x VALUES (1);"),
    ("insert-columns", "INSERT [chokaq].[T] WITH (ROWLOCK) VALUES (1);"),
    ("readpast", "SELECT [t].[a] FROM [chokaq].[T] AS [t] WITH (READPAST);"),
    ("readpast", "UPDATE [chokaq].[T] WITH (ROWLOCK, READPAST) SET [a] = 1;"),
    ("readpast", "DELETE FROM [chokaq].[T] WITH (READPAST, READCOMMITTEDLOCK) WHERE [a] = 1;"),
    (
        "table-key",
        "DECLARE @x TABLE ([a] INT); DELETE FROM [chokaq].[T] WHERE [a] IN (SELECT [x].[a] FROM @x AS [x]);",
    ),
    ("own-transaction", "BEGIN TRANSACTION; COMMIT TRANSACTION;"),
    ("own-transaction", "ROLLBACK TRANSACTION;"),
    ("one-clock", "SELECT SYSUTCDATETIME() AS [a], SYSUTCDATETIME() AS [b];"),
    ("rowcount", "IF 1 = 0 BEGIN DELETE FROM [chokaq].[T] WHERE [a] = 1; END; SET @n = @@ROWCOUNT;"),
    ("rowcount", "SET @n = 1; SET @m = @@ROWCOUNT;"),
]


@pytest.mark.parametrize(("rule", "statement"), BAD)
def test_bad_statements(rule: str, statement: str) -> None:
    findings = in_procedure(statement)
    assert rule in rules(findings)
    line = (HEAD + HEADER + CREATE + START).count("\n") + 1
    assert {each.line for each in findings} <= {line, line + 1}


@pytest.mark.parametrize(("rule", "statement"), BAD)
def test_comments_and_strings_are_no_statements(rule: str, statement: str) -> None:
    quoted = statement.replace("'", "''").replace("[chokaq]", "")
    assert in_procedure(f"/* {statement} */ SELECT N'{quoted}' AS [a]; -- {statement}") == [], rule


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(*) AS [n], 2 * 3 AS [a], [t].[a] * [t].[b] AS [c] FROM [chokaq].[T] AS [t];",
        "UPDATE [t] SET [t].[a] = 1 FROM [chokaq].[T] AS [t] INNER JOIN @x AS [x] ON [x].[a] = [t].[a];",
        "UPDATE [chokaq].[T] SET [a] = 1 OUTPUT inserted.[a] INTO @x ([a]) WHERE [b] = 1;",
        "DELETE [t] OUTPUT deleted.[a] INTO @x FROM [chokaq].[T] AS [t] WHERE [t].[a] = 1;",
        "INSERT INTO [chokaq].[T] ([a]) OUTPUT inserted.[a] INTO @x SELECT [j].[a] FROM OPENJSON(@y) AS [j];",
        "INSERT INTO [chokaq].[T] WITH (ROWLOCK) ([a]) VALUES (1);",
        "WITH [c] AS (SELECT [t].[a] FROM [sys].[T] AS [t]) INSERT INTO @x ([a]) SELECT [c].[a] FROM [c];",
        "WITH [c] AS (SELECT [t].[a] FROM [chokaq].[T] AS [t]) SELECT [c].[a] FROM [c];",
        "EXECUTE @result = [chokaq].[Other] @p = @q OUTPUT;",
        "EXECUTE @result = sp_getapplock @Resource = N'x', @LockTimeout = 0;",
        "EXECUTE [sys].[sp_getapplock] @Resource = N'x', @LockTimeout = 0;",
        "SELECT [t].[a] FROM [chokaq].[T] AS [t] WITH (ROWLOCK, UPDLOCK, READPAST, READCOMMITTEDLOCK);",
        "SELECT [t].[a] FROM (SELECT TOP (1) [u].[a] FROM [chokaq].[U] AS [u]) AS [t];",
        "DECLARE @x TABLE ([a] INT NOT NULL); SELECT [x].[a] FROM @x AS [x]; DELETE FROM @x WHERE [a] = 1;",
        "DECLARE @x TABLE ([a] INT PRIMARY KEY); DELETE [t] FROM @x AS [x], [sys].[T] AS [t];",
        "IF @@TRANCOUNT = 0 BEGIN BEGIN TRANSACTION; COMMIT TRANSACTION; END;",
        "DECLARE @Now DATETIME2(7) = SYSUTCDATETIME(); THROW 51000, @Message, 1;",
        "IF @a = 1 BEGIN SELECT 1 AS [a]; END; ELSE BEGIN SELECT 2 AS [a]; END;",
        "SELECT CASE WHEN @a = 1 THEN 1 ELSE 2 END AS [a], [sys].[schemas].[name] FROM [sys].[schemas];",
    ],
)
def test_good_statements(statement: str) -> None:
    assert in_procedure(statement) == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("named-constraint", "CREATE TABLE [chokaq].[T] ([a] INT NOT NULL PRIMARY KEY);"),
        ("named-constraint", "CREATE TABLE [chokaq].[T] ([a] INT NOT NULL UNIQUE);"),
        ("named-constraint", "CREATE TABLE [chokaq].[T] ([a] INT NOT NULL DEFAULT (1));"),
        ("named-constraint", "CREATE TABLE [chokaq].[T] ([a] INT NOT NULL CHECK ([a] > 1));"),
        ("named-constraint", "CREATE TABLE [chokaq].[T] ([a] INT REFERENCES [chokaq].[U] ([a]));"),
        (
            "named-constraint",
            "CREATE TABLE [chokaq].[T] ([a] INT, FOREIGN KEY ([a]) REFERENCES [chokaq].[U] ([a]));",
        ),
        ("named-constraint", "ALTER TABLE [chokaq].[T] ADD [b] INT NOT NULL DEFAULT (1);"),
        ("qualified", "CREATE TABLE [T] ([a] INT NOT NULL);"),
        ("qualified", "ALTER TABLE [T] ADD [b] INT NULL;"),
        ("qualified", "DROP TABLE [T];"),
        ("qualified", "DROP TABLE IF EXISTS [T];"),
        ("qualified", "CREATE TYPE [T] AS TABLE ([a] INT NOT NULL PRIMARY KEY);"),
        ("qualified", "CREATE UNIQUE INDEX [IX_T] ON [T] ([a]);"),
        ("table-key", "CREATE TYPE [chokaq].[T] AS TABLE ([a] INT NOT NULL);"),
        ("forbidden", "USE [Shop];"),
    ],
)
def test_bad_definitions(rule: str, text: str) -> None:
    assert rules(in_script(text)) == {rule}


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE [chokaq].[T] ([a] INT CONSTRAINT [DF_T] DEFAULT (1) CONSTRAINT [UQ_T] UNIQUE);",
        "CREATE TABLE [sys].[T] ([a] INT, CONSTRAINT [P] PRIMARY KEY ([a]), CONSTRAINT [C] CHECK (1 = 1));",
        "ALTER TABLE [chokaq].[T] ADD CONSTRAINT [FK_T] FOREIGN KEY ([a]) REFERENCES [chokaq].[U] ([a]);",
        "ALTER TABLE [chokaq].[T] WITH CHECK ADD CONSTRAINT [CK_T] CHECK ([a] > 1);",
        "ALTER TABLE [chokaq].[T] CHECK CONSTRAINT [CK_T];",
        "CREATE UNIQUE NONCLUSTERED INDEX [IX_T] ON [chokaq].[T] ([a]) WHERE [a] IS NOT NULL ON [PRIMARY];",
        "CREATE TYPE [chokaq].[T] AS TABLE ([a] INT NOT NULL PRIMARY KEY);",
        "DROP INDEX [IX_T] ON [chokaq].[T];",
        "CREATE SCHEMA [chokaq];",
        "CREATE ROLE [chokaq_worker];",
    ],
)
def test_good_definitions(text: str) -> None:
    assert in_script(text) == []


REGISTRY = (
    "| number | name | meaning |\n|---|---|---|\n| 51000 | InvalidJson | … |\n| 51001 | UnknownKey | … |\n"
)


def registry(statement: str, text: str = REGISTRY, elsewhere: Sequence[str] = ()) -> list[str]:
    file = SqlFile(PATH, HEAD + HEADER + CREATE + START + statement + END)
    return [each.message for each in set_rules.registry([file], text, elsewhere)]


def test_registry() -> None:
    both = "THROW 51000, @m, 1; THROW 51001, @m, 1; THROW;"
    assert registry(both) == []
    assert registry("THROW 51000, @m, 1;", elsewhere=["    THROW 51001, N'changed', 1;"]) == []
    assert registry("THROW 51000, @m, 1;") == ["51001 is never thrown"]
    assert registry(both + "THROW 51002, @m, 1;") == ["THROW 51002: not in db/errors.md"]
    assert registry(both + "THROW @n, @m, 1;") == ["THROW @n: write the number itself"]
    assert registry(both, REGISTRY + "| 51000 | Again | … |\n") == ["51000 stands here twice"]
    assert registry(both + "THROW 50001, @m, 1;", REGISTRY + "| 50001 | Low | … |\n") == [
        "50001 is outside 51000–51999"
    ]


def test_stated_errors() -> None:
    def check(header: str) -> list[Finding]:
        text = HEAD + HEADER.replace("Errors: none.", header) + CREATE + START + "THROW 51000, @m, 1;" + END
        return list(set_rules.stated_errors([SqlFile(PATH, text)]))

    assert check("Errors: 51000 InvalidJson.") == []
    assert [each.message for each in check("Errors: 51001.")] == ["51000 is not in the header's Errors"]


def test_undo_scripts() -> None:
    files = [
        SqlFile(path, HEAD)
        for path in ("db/migrations/0001_a.sql", "db/migrations/0002_b.sql", "db/undo/0001_a.sql")
    ]
    assert [str(each) for each in set_rules.undo_scripts(files)] == [
        "db/migrations/0002_b.sql:1: undo: db/undo/0002_b.sql is missing"
    ]


def test_grants() -> None:
    def check(grants: str) -> list[str]:
        files = [SqlFile(PATH, GOOD), SqlFile("db/permissions/roles.sql", HEAD + grants)]
        return [each.message for each in set_rules.grants(files)]

    good = "GRANT EXECUTE ON OBJECT::[chokaq].[Sample] TO [chokaq_worker];"
    assert check(good) == []
    assert check("SELECT 1 AS [a];") == ["the header says [chokaq_worker], no permission script grants it"]
    assert check(good.replace(";", ", [chokaq_reader];")) == [
        "granted to [chokaq_reader], which the header does not say"
    ]


def test_every_rule_is_exercised_here() -> None:
    assert len(FILE_RULES) + len(STATEMENT_RULES) == 24


def test_the_command_reports_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "procs/jobs"
    folder.mkdir(parents=True)
    (tmp_path / "db").mkdir()
    (folder / "Sample.sql").write_text(GOOD.replace("SELECT 1 AS [One]", "SELECT [t].[a] FROM [T] AS [t]"))
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.startswith("procs/jobs/Sample.sql:20: qualified: [T]")
    (folder / "Sample.sql").write_text(GOOD)
    assert main(tmp_path) == 0
    (folder / "Broken.sql").write_text("SELECT 'open")
    assert [each.rule for each in check_tree(tmp_path)] == ["batches"]
