"""The T-SQL tests on the embedded engine: each is a test here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chokaq.deploy import deploy
from chokaq.embedded import connect
from chokaq.embedded.tsqlt import Coverage, create_classes, install, run
from chokaq.embedded.tsqlt.coverage import table, total

from .discovery import HERE, PROCEDURES, names

#: Percent of the statements of all procedures; some branches are for other engines alone.
MINIMUM = 95.0


@pytest.fixture(scope="module")
def coverage() -> Coverage:
    return Coverage()


@pytest.fixture(scope="module")
def session(coverage: Coverage) -> Iterator[Any]:
    connection = connect(None, autocommit=True)
    deploy(connection)
    prepared = install(connection)
    create_classes(connection, [HERE])
    with coverage.measure():
        yield prepared
    connection.close()


@pytest.mark.parametrize("name", names(), ids=str)
def test_tsql(session: Any, name: str) -> None:
    found = run(session, [name]).results
    assert [(each.outcome, each.message) for each in found] == [("Success", "")]


def test_every_procedure_has_its_class() -> None:
    classes = {name.partition("]")[0][1:] for name in names()}
    assert {f"{path.stem}Tests" for path in PROCEDURES.rglob("*.sql")} - classes == set()


def test_statement_coverage(session: Any, coverage: Coverage, request: pytest.FixtureRequest) -> None:
    """Runs last, and only after all of the tests above: a part of them covers less."""
    chosen = sum(getattr(item, "originalname", "") == "test_tsql" for item in request.session.items)
    if chosen < len(names()):
        pytest.skip("only a part of the T-SQL tests was chosen")
    covered = coverage.of(session, "chokaq")
    assert total(covered) >= MINIMUM, "\n".join(table(covered))
