"""Options of every test run: which engine the suites that take any engine run on."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("chokaq")
    group.addoption(
        "--url",
        default=os.environ.get("CHOKAQ_TEST_URL", ""),
        help="a server for the suites that take any engine: mssql://user:password@host:1433/database",
    )
    group.addoption(
        "--engine",
        choices=("embedded", "server", "all"),
        default=None,
        help="where those suites run; default: embedded, and with --url on the server too",
    )


def engines(config: pytest.Config) -> list[str]:
    """The engines of this run: ``embedded``, ``server`` or both."""
    url = config.getoption("--url")
    chosen = config.getoption("--engine") or ("all" if url else "embedded")
    if chosen != "embedded" and not url:
        raise pytest.UsageError("--engine server needs --url")
    return ["embedded", "server"] if chosen == "all" else [chosen]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes ``engine`` runs once on each engine of this run."""
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", engines(metafunc.config), scope="session")


@pytest.fixture(scope="session")
def server_url(request: pytest.FixtureRequest) -> str:
    """The server of this run; skips where there is none."""
    url: str = request.config.getoption("--url")
    if not url:
        pytest.skip("needs --url")
    return url
