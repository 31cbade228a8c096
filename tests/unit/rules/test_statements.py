"""Taking a batch apart into statements."""

from __future__ import annotations

import pytest

from chokaq.deploy.lexer import tokens
from tools.tsql_rules.statements import OpenBlock, Statement, parse


def verbs(text: str) -> list[str]:
    return [each.verb if isinstance(each, Statement) else "END" for each in parse(list(tokens(text)))]


def terminated(text: str) -> list[bool]:
    return [isinstance(each, Statement) and each.terminated for each in parse(list(tokens(text)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1; SELECT 2;", ["SELECT", "SELECT"]),
        ("SELECT 1 SELECT 2;", ["SELECT", "SELECT"]),
        ("SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3;", ["SELECT"]),
        ("INSERT INTO t (a) SELECT 1 UNION SELECT 2;", ["INSERT"]),
        ("INSERT INTO t (a) VALUES (1) SELECT 2;", ["INSERT", "SELECT"]),
        ("UPDATE t SET a = 1 FROM t AS t WHERE b = (SELECT 1); SET @x = 1;", ["UPDATE", "SET"]),
        ("UPDATE t SET a = 1 SET @x = 2;", ["UPDATE", "SET"]),
        ("WITH c AS (SELECT 1 AS a) SELECT a FROM c;", ["SELECT"]),
        ("WITH c AS (SELECT 1 AS a), d AS (SELECT 2 AS b) UPDATE t SET a = 1 FROM t AS t;", ["UPDATE"]),
        ("WITH c AS (SELECT 1 AS a) INSERT INTO t (a) SELECT a FROM c;", ["INSERT"]),
        ("SELECT CASE WHEN 1 = 1 THEN 2 ELSE 3 END AS a; RETURN;", ["SELECT", "RETURN"]),
        ("IF @a = 1 BEGIN SELECT 1; END; ELSE BEGIN SELECT 2; END;", ["SELECT", "SELECT"]),
        ("IF EXISTS (SELECT 1) SELECT 1; ELSE SELECT 2;", ["SELECT", "SELECT"]),
        ("WHILE @a < 3 BEGIN SET @a = @a + 1; IF @a = 2 BREAK; END;", ["SET", "BREAK"]),
        (
            "BEGIN TRY BEGIN TRANSACTION; COMMIT; END TRY BEGIN CATCH THROW; END CATCH;",
            ["BEGIN", "COMMIT", "THROW"],
        ),
        ("DECLARE @t TABLE (a INT PRIMARY KEY); DECLARE @x INT = 1, @y INT;", ["DECLARE", "DECLARE"]),
        ("GRANT SELECT, INSERT, EXECUTE ON OBJECT::t TO r; DENY DELETE ON t TO r;", ["GRANT", "DENY"]),
        ("ALTER TABLE t DROP CONSTRAINT c; ALTER TABLE t ALTER COLUMN a INT NULL;", ["ALTER", "ALTER"]),
        ("DROP TABLE IF EXISTS t; DROP PROCEDURE IF EXISTS p;", ["DROP", "DROP"]),
        ("SELECT a FROM t ORDER BY a OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;", ["SELECT"]),
        ("INSERT INTO t (a) EXECUTE [s].[p];", ["INSERT"]),
        (
            "CREATE TABLE t (a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES u (a) ON DELETE CASCADE);",
            ["CREATE"],
        ),
        ("SELECT a FROM t WITH (NOLOCK); SELECT 1;", ["SELECT", "SELECT"]),
        ("IF 1 = 1 BEGIN SELECT 1; END SELECT 2;", ["SELECT", "END", "SELECT"]),
    ],
)
def test_statements_in_order(text: str, expected: list[str]) -> None:
    assert verbs(text) == expected


def test_missing_semicolons_are_seen_where_they_are() -> None:
    assert terminated("SELECT 1; SELECT 2 SELECT 3;") == [True, False, True]
    assert terminated("BEGIN SELECT 1 END;") == [False]
    assert terminated("IF @a = 1 SELECT 1 ELSE SELECT 2;") == [False, True]


def test_guards_are_the_conditions_around_a_statement() -> None:
    found = parse(list(tokens("IF @a = 1 BEGIN WHILE @b = 2 SELECT 1; SELECT 2; END; SELECT 3;")))
    guards = [
        [" ".join(t.text for t in guard) for guard in each.guards]
        for each in found
        if isinstance(each, Statement)
    ]
    assert guards == [["@a = 1", "@b = 2"], ["@a = 1"], []]


def test_a_stray_end_does_not_stop_the_reader() -> None:
    assert verbs("END; SELECT 1;") == ["SELECT"]
    assert not any(isinstance(each, OpenBlock) for each in parse([]))
