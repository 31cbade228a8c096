"""Expressions as scripts write them, against the spelling in which SQL Server stores them."""

from __future__ import annotations

import pytest

from chokaq.deploy.expressions import same

OWNER = (
    "([Status] = 0 AND [WorkerId] IS NULL) OR ([Status] IN (1, 2) AND [WorkerId] IS NOT NULL)",
    "([Status]=(0) AND [WorkerId] IS NULL OR ([Status]=(2) OR [Status]=(1)) AND [WorkerId] IS NOT NULL)",
)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("[Status] IN (0, 1, 2)", "([Status]=(2) OR [Status]=(1) OR [Status]=(0))"),
        ("[Priority] BETWEEN 0 AND 100", "([Priority]>=(0) AND [Priority]<=(100))"),
        (
            "[F] BETWEEN 1 AND 60 AND 60 % [F] = 0",
            "([F]>=(1) AND [F]<=(60) AND (60)%[F]=(0))",
        ),
        ("[H] * 24 > [F]", "([H]*(24)>[F])"),
        ("[D] IS NULL OR [D] > [H]", "([D] IS NULL OR [D]>[H])"),
        ("[M] IS NULL OR [M] BETWEEN 1 AND 9", "([M] IS NULL OR [M]>=(1) AND [M]<=(9))"),
        ("[Name] <> ''", "([Name]<>'')"),
        ("SYSUTCDATETIME()", "(sysutcdatetime())"),
        ("SUSER_SNAME()", "(suser_sname())"),
        ("8", "((8))"),
        ("-1", "((-1))"),
        ("[Key] IS NOT NULL", "([Key] IS NOT NULL)"),
        OWNER,
        (OWNER[0], "((status = 0 AND workerid IS NULL) OR ((status IN (1, 2)) AND (workerid IS NOT NULL)))"),
    ],
)
def test_two_spellings_of_one_thing(written: str, stored: str) -> None:
    assert same(written, stored)
    assert same(stored, written)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[Status] = 0", "([Status]=(1))"),
        ("[Status] IN (0, 1)", "([Status]=(0))"),
        ("[A] > 1 OR [B] > 1", "[A] > 1 AND [B] > 1"),
        ("[A] > 1", "[A] >= 1"),
        ("[A] - [B] > 0", "[B] - [A] > 0"),
        ("[A] <> 'x'", "[A] <> 'X'"),
        ("[A] IS NULL", "[A] IS NOT NULL"),
        ("1", None),
        (None, "1"),
    ],
)
def test_different_things(one: str | None, other: str | None) -> None:
    assert not same(one, other)


def test_nothing_is_like_nothing() -> None:
    assert same(None, None)


def test_what_the_parser_does_not_know_is_compared_word_by_word() -> None:
    assert same("[A] ))( 1", "([A] (1")
