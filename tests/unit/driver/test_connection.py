"""Connections: whose they are, which thread's, and when they are thrown away."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import types
from typing import Any
from urllib.parse import quote

import pytest

from chokaq import ChokaqError, ConnectionFailedError, DriverMissingError, JobQueue, connect
from chokaq import odbc as odbc_module
from chokaq.connection import Connector
from chokaq.urls import parse
from tests.unit.driver import fakedb


def nothing(_call: fakedb.Call) -> list[fakedb.Answer | fakedb.Error]:
    return [fakedb.Answer()]


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(TypeError, match="not int"):
        Connector(7)


def test_a_callables_connections_are_set_to_autocommit_and_reset() -> None:
    server = fakedb.Server(nothing)
    connector = Connector(server.connect)
    with connector.use() as session:
        assert session.connection.autocommit is True
    assert [call.statement for call in server.calls] == ["SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"]


def test_each_thread_has_its_connection_and_it_is_closed_when_the_thread_ends() -> None:
    server = fakedb.Server(nothing)
    connector = Connector(server.connect)
    seen: list[Any] = []

    def work() -> None:
        for _ in range(2):
            with connector.use() as session:
                seen.append(session.connection)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    work()
    assert [seen[0] is seen[1], seen[2] is seen[3], seen[4] is seen[5]] == [True] * 3
    assert len({id(connection) for connection in seen}) == 3
    assert [connection.closed for connection in server.connections] == [True, True, False]
    connector.close()
    assert server.connections[2].closed


def test_a_closed_queue_says_so() -> None:
    connector = Connector(fakedb.Server(nothing).connect)
    connector.close()
    connector.close()
    with pytest.raises(ChokaqError, match="closed"), connector.use():
        pass


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_leaves_the_parents_connection_alone() -> None:
    server = fakedb.Server(nothing)
    connector = Connector(server.connect)
    with connector.use():
        pass
    pid = os.fork()
    if pid == 0:  # the child reports through its exit code
        ok = False
        try:
            with connector.use() as session:
                ok = session.connection is server.connections[1] and not server.connections[0].closed
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0


class FakePyodbc(types.ModuleType):
    """pyodbc, as far as opening a connection goes."""

    def __init__(self, outcome: Any, drivers: list[str]) -> None:
        super().__init__("pyodbc")
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._outcome = outcome
        self._drivers = drivers

    def drivers(self) -> list[str]:
        return self._drivers

    def connect(self, text: str, **options: Any) -> Any:
        self.asked.append((text, options))
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome.connect()


def test_sql_server_is_opened_through_pyodbc(monkeypatch: pytest.MonkeyPatch) -> None:
    server = fakedb.Server(nothing)
    pyodbc = FakePyodbc(server, ["SQLite3", "ODBC Driver 17 for SQL Server", "ODBC Driver 18 for SQL Server"])
    monkeypatch.setitem(sys.modules, "pyodbc", pyodbc)
    connection = Connector("mssql://u:p@h/d?login_timeout=4&query_timeout=9").open()
    assert pyodbc.asked == [
        (
            "Driver={ODBC Driver 18 for SQL Server};Server=h;Database=d;Encrypt=yes;UID={u};PWD={p}",
            {"autocommit": True, "timeout": 4},
        )
    ]
    assert connection.timeout == 9


def test_a_failed_connection_tells_everything_but_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "S3C" + "RET;x"  # in two parts: a traceback shows this file's lines as well
    url = f"mssql://u:{quote(secret)}@h/d"
    failure = fakedb.error("28000", 18456, f"Login failed for 'u' with PWD={{{secret}}} ({secret})")
    monkeypatch.setitem(sys.modules, "pyodbc", FakePyodbc(failure, ["ODBC Driver 18 for SQL Server"]))
    with pytest.raises(ConnectionFailedError) as caught:
        connect(url)
    error = caught.value
    assert (error.sqlstate, error.number) == ("28000", 18456)
    assert "Login failed" in str(error)
    assert "mssql://u:***@h/d" in str(error)
    assert error.__context__ is None
    assert error.__cause__ is None
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(error.__dict__)
    assert "S3CRET" not in shown


def test_a_callables_own_failure_is_scrubbed_too() -> None:
    def connect_badly() -> Any:
        raise fakedb.error("08001", 53, "no server in Server=h;PWD=" + "S3C" + "RET;x")

    with pytest.raises(ConnectionFailedError, match=r"PWD=\*\*\*") as caught:
        Connector(connect_badly).open()
    assert "S3CRET" not in "".join(traceback.format_exception(caught.value))


def test_a_callables_mistake_is_its_own() -> None:
    def mistaken() -> Any:
        raise KeyError("x")

    with pytest.raises(KeyError):
        Connector(mistaken).open()


def test_no_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyodbc", FakePyodbc(None, ["SQLite3", "ODBC Driver 13 for SQL Server"]))
    monkeypatch.setattr(odbc_module, "bundled_driver", lambda: None)
    with pytest.raises(DriverMissingError, match=r'pip install "chokaq\[sqlserver\]"'):
        Connector("mssql://u:p@h/d").open()


def test_no_pyodbc_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyodbc", None)
    with pytest.raises(DriverMissingError, match=r'pip install "chokaq\[sqlserver\]"'):
        Connector("mssql://u:p@h/d").open()


def test_importing_the_package_imports_no_driver() -> None:
    assert connect.__module__ == "chokaq.queue"
    import subprocess

    code = "import sys, chokaq; sys.exit('pyodbc' in sys.modules or 'chokaq.embedded' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == 0


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ([], None),
        (["ODBC Driver 13 for SQL Server", "SQL Server"], None),
        (["ODBC Driver 17 for SQL Server"], "ODBC Driver 17 for SQL Server"),
        (["ODBC Driver 18 for SQL Server", "ODBC Driver 17 for SQL Server"], "ODBC Driver 18 for SQL Server"),
    ],
)
def test_the_newest_system_driver_is_chosen(names: list[str], chosen: str | None) -> None:
    assert odbc_module.system_driver(names) == chosen


def test_an_asked_for_driver_and_a_dsn_are_respected() -> None:
    assert odbc_module.choose_driver(parse("mssql://u:p@h/d?driver=%2Fopt%2Flib.so")) == "/opt/lib.so"
    assert odbc_module.choose_driver(parse("DSN=jobs")) is None


def test_repr_shows_no_password() -> None:
    assert repr(JobQueue("mssql://u:S3CRET@h/d")) == "<JobQueue [chokaq] in mssql://u:***@h/d>"
    assert repr(JobQueue("Server=h;UID=u;PWD=S3CRET")) == "<JobQueue [chokaq] in Server=h;UID=u>"
