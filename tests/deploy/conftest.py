"""Fixtures of the runner's tests: a place with a small tree, and one with the package's own scripts."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from chokaq.deploy.scripts import sql_root
from tests.unit.deploy.trees import small_tree

from .places import Place, wipe


def _place(engine: str, root: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    schema = f"deploy_{uuid.uuid4().hex[:8]}"
    if engine == "embedded":
        yield Place(engine, f"embedded:///{tmp_path}/test.db", schema, root)
        return
    here = Place(engine, request.getfixturevalue("server_url"), schema, root)
    yield here
    with here.session() as session:
        wipe(session, schema)


@pytest.fixture
def place(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """Deploys the small tree."""
    yield from _place(engine, small_tree(tmp_path / "tree"), tmp_path, request)


@pytest.fixture
def whole(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """Deploys the package itself."""
    root = sql_root()
    assert isinstance(root, Path)
    yield from _place(engine, root, tmp_path, request)
