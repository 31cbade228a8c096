"""The GO splitter: what separates batches and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chokaq.deploy.batches import Batch, SplitError, normalize, split


def texts(script: str) -> list[str]:
    return [batch.text for batch in split(script)]


def test_batches_are_what_stands_between_separators() -> None:
    assert split("SELECT 1;\nGO\nSELECT 2;\nGO\n") == [Batch("SELECT 1;", 1), Batch("SELECT 2;", 3)]


def test_the_last_batch_needs_no_separator() -> None:
    assert texts("SELECT 1;\nGO\nSELECT 2;") == ["SELECT 1;", "SELECT 2;"]


@pytest.mark.parametrize("separator", ["GO", "go", "Go", "  GO", "\tgO  ", "GO -- that was it", "GO 1"])
def test_spellings_of_the_separator(separator: str) -> None:
    assert texts(f"SELECT 1;\n{separator}\nSELECT 2;\n{separator}") == ["SELECT 1;", "SELECT 2;"]


def test_a_count_repeats_the_batch_before_it() -> None:
    assert split("SELECT 1;\nGO 5\nSELECT 2;\nGO") == [Batch("SELECT 1;", 1, 5), Batch("SELECT 2;", 3, 1)]


@pytest.mark.parametrize(
    "batch",
    [
        "SELECT '\nGO\n';",
        "SELECT N'it''s\nGO\nGO 5\n';",
        "SELECT [a\nGO\nb]]\nGO\n];",
        'SELECT "a\nGO\n""b";',
        "/* comment\nGO\n*/\nSELECT 1;",
        "/* outer /* inner\nGO\n*/\nGO\n*/\nSELECT 1;",
        "SELECT 1; -- it's GO\n",
        "-- GO\nSELECT 1;",
        "SELECT 1 AS GO;",
        "SELECT go.x FROM [s].[t] AS go\nORDER BY\n    go.x;",
        "SELECT 1 /* ' */ AS a; -- ' \n",
        "EXECUTE [s].[GO];",
        "SELECT @GO;",
        "SELECT 1 AS GOING\n, 2 AS b;",
    ],
)
def test_what_only_looks_like_a_separator(batch: str) -> None:
    assert texts(f"{batch}\nGO\nSELECT 2;") == [batch.rstrip(), "SELECT 2;"]


def test_blank_and_comment_only_batches_are_left_out() -> None:
    assert texts("\n\nGO\n/* nothing */\nGO\nGO\n-- nothing\nGO\nSELECT 1;\nGO\n\nGO") == ["SELECT 1;"]


def test_a_leading_comment_belongs_to_its_batch() -> None:
    assert split("SET X ON;\nGO\n\n/* header */\nCREATE PROCEDURE p AS;\nGO") == [
        Batch("SET X ON;", 1),
        Batch("/* header */\nCREATE PROCEDURE p AS;", 4),
    ]


def test_lines_count_from_the_start_of_the_file() -> None:
    script = "/* one\ntwo */\nSELECT 1;\nGO\n\n\n  SELECT '\n';\nGO 2\nSELECT 3;"
    assert [(batch.line, batch.text) for batch in split(script)] == [
        (1, "/* one\ntwo */\nSELECT 1;"),
        (7, "  SELECT '\n';"),
        (10, "SELECT 3;"),
    ]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_other_line_ends_change_nothing(ending: str) -> None:
    script = "SELECT 1;\nGO\nSELECT '\nGO\n';\nGO 3\n"
    assert split(script.replace("\n", ending)) == split(script)


def test_a_byte_order_mark_is_no_part_of_the_script() -> None:
    data = "GO\nSELECT 'ж';".encode("utf-8-sig")
    assert split(normalize(data)) == [Batch("SELECT 'ж';", 2)]
    assert split("\ufeffGO\nSELECT 1;") == [Batch("SELECT 1;", 2)]


@pytest.mark.parametrize(
    ("script", "line", "reason"),
    [
        ("SELECT 1;\nSELECT 'open\nGO\n", 2, "string"),
        ("SELECT N'open\nGO\n", 1, "string"),
        ("\nSELECT [open\nGO\n", 2, "bracketed name"),
        ('SELECT "open\nGO\n', 1, "quoted name"),
        ("SELECT 1;\nGO\n/* open /* closed */\nGO", 3, "block comment"),
        ("SELECT 1;\nGO;\nSELECT 2;", 2, "semicolon"),
        ("SELECT 1;\nGO 0\n", 2, "whole number"),
        ("SELECT 1;\nGO 1.5\n", 2, "whole number"),
        ("SELECT 1;\n/* end */ GO\n", 2, "alone"),
        ("SELECT 1;\nGO /* end */\n", 2, "alone"),
    ],
)
def test_what_cannot_be_split_is_refused(script: str, line: int, reason: str) -> None:
    with pytest.raises(SplitError, match=reason) as caught:
        split(script)
    assert caught.value.line == line


_STATEMENTS = st.sampled_from(
    ["SELECT 1;", "SELECT 'a\nGO\nb';", "/* x\nGO */ SELECT [GO\n];", "SELECT 1 -- GO\n;", 'SELECT "GO";']
)


@given(st.lists(st.tuples(_STATEMENTS, st.integers(min_value=1, max_value=9)), max_size=6))
def test_splitting_undoes_joining(parts: list[tuple[str, int]]) -> None:
    script = "".join(f"{text}\nGO {count}\n" for text, count in parts)
    found = split(script)
    assert [(batch.text, batch.count) for batch in found] == parts
    lines = script.split("\n")
    for batch in found:
        assert lines[batch.line - 1] == batch.text.split("\n")[0]


@given(st.text(alphabet="GO 0123;'[]\"/*-\n\rabc", max_size=40))
def test_no_text_breaks_the_splitter(text: str) -> None:
    try:
        found = split(text)
    except SplitError as error:
        found = []
        first_bad = error.line
    else:
        first_bad = 1
    assert 1 <= first_bad <= normalize(text).count("\n") + 1
    for batch in found:
        assert batch.text.strip()
        assert batch.text in normalize(text)
