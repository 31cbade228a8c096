"""One deployed schema for each engine and test process, emptied before every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.support import Database, embedded_url, new_schema


@pytest.fixture(scope="session")
def deployed(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """The schema of this engine; tests take ``db``."""
    if engine == "embedded":
        url = embedded_url(tmp_path_factory.mktemp("embedded"))
    else:
        url = request.getfixturevalue("server_url")
    database = Database(url, new_schema())
    try:
        database.deploy()
        yield database
    finally:
        database.drop()
        database.close()


@pytest.fixture
def db(deployed: Database) -> Database:
    """An empty, deployed schema."""
    deployed.reset()
    return deployed
