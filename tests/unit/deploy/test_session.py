"""The session of a deployment, against a connection that answers as it is told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from chokaq.deploy.errors import DeployError, LockTimeoutError, OpenTransactionError
from chokaq.deploy.session import Session

Answer = Callable[[str], list[Any]]


class FakeCursor:
    """Gives the result sets of its connection's answer; an exception among them is raised by nextset."""

    def __init__(self, connection: FakeConnection) -> None:
        self.connection = connection
        self.sets: list[Any] = []

    @property
    def description(self) -> Any:
        return (("c",),) if self.sets and self.sets[0] is not None else None

    def execute(self, operation: str) -> None:
        self.connection.executed.append(operation)
        self.sets = self.connection.answer(operation)
        if self.sets and isinstance(self.sets[0], Exception):
            raise self.sets[0]

    def fetchall(self) -> Sequence[Any]:
        return self.sets[0]

    def nextset(self) -> bool:
        self.sets = self.sets[1:]
        if self.sets and isinstance(self.sets[0], Exception):
            raise self.sets[0]
        return bool(self.sets)

    def close(self) -> None:
        self.connection.closed_cursors += 1


class FakeConnection:
    def __init__(self, answer: Answer | None = None, autocommit: bool = True) -> None:
        self.autocommit = autocommit
        self.executed: list[str] = []
        self.closed_cursors = 0
        self.special = answer
        self.trancount = 0

    def answer(self, operation: str) -> list[Any]:
        if self.special is not None:
            given = self.special(operation)
            if given:
                return given
        if operation.startswith("BEGIN TRANSACTION"):
            self.trancount += 1
        elif operation.startswith("COMMIT"):
            self.trancount -= 1
        elif "ROLLBACK" in operation:
            self.trancount = 0
        elif "@@TRANCOUNT" in operation:
            return [[(self.trancount,)]]
        elif "sp_getapplock" in operation:
            return [[(0,)]]
        return [None]

    def cursor(self) -> FakeCursor:
        return FakeCursor(self)

    def close(self) -> None:
        raise AssertionError("a connection that was handed in is not closed")


def last(connection: FakeConnection) -> str:
    return connection.executed[-1]


def test_the_session_options_are_set_before_anything_else() -> None:
    connection = FakeConnection()
    Session(connection)
    text = " ".join(connection.executed)
    for option in (
        "ANSI_NULLS", "QUOTED_IDENTIFIER", "ANSI_PADDING", "ANSI_WARNINGS", "ARITHABORT",
        "CONCAT_NULL_YIELDS_NULL", "NUMERIC_ROUNDABORT OFF", "XACT_ABORT", "READ COMMITTED",
    ):  # fmt: skip
        assert option in text
    assert connection.closed_cursors == len(connection.executed)


def test_a_connection_without_autocommit_is_refused_untouched() -> None:
    connection = FakeConnection(autocommit=False)
    with pytest.raises(OpenTransactionError):
        Session(connection)
    assert connection.executed == []


def test_an_open_transaction_is_refused() -> None:
    connection = FakeConnection()
    connection.trancount = 1
    with pytest.raises(OpenTransactionError):
        Session(connection)
    assert connection.trancount == 1


def test_an_error_after_the_first_result_set_is_seen() -> None:
    failure = RuntimeError("late")
    session = Session(FakeConnection(lambda text: [[(1,)], failure] if text == "x" else []))
    with pytest.raises(RuntimeError, match="late"):
        session.execute("x")


def test_the_first_rows_count_and_later_sets_are_drained() -> None:
    session = Session(FakeConnection(lambda text: [None, [(1,), (2,)], None, [(3,)]] if text == "x" else []))
    assert session.execute("x") == [(1,), (2,)]
    assert session.scalar("x") == 1
    assert session.scalar("y") is None


@pytest.mark.parametrize("failure", [RuntimeError("no"), KeyboardInterrupt()])
def test_a_transaction_is_rolled_back_whatever_ends_it(failure: BaseException) -> None:
    connection = FakeConnection()
    session = Session(connection)
    with pytest.raises(type(failure)), session.transaction():
        raise failure
    assert "ROLLBACK" in last(connection)
    assert connection.trancount == 0


@pytest.mark.parametrize("trancount", [0, 2])
def test_a_script_may_not_end_or_nest_the_transaction(trancount: int) -> None:
    connection = FakeConnection()
    session = Session(connection)
    with pytest.raises(DeployError, match="transaction"), session.transaction():
        connection.trancount = trancount
    assert connection.trancount == 0


def test_the_lock_is_released_in_any_case() -> None:
    connection = FakeConnection()
    session = Session(connection)
    with session.deployment_lock("Jobs", 1.5):
        taken = last(connection)
    assert "LOWER(N'chokaq.deploy.' + DB_NAME() + N'.' + N'Jobs')" in taken
    assert "@LockTimeout = 1500" in taken
    assert "N'Session'" in taken
    assert "sp_releaseapplock" in last(connection)
    with pytest.raises(RuntimeError), session.deployment_lock("Jobs", 1):
        raise RuntimeError
    assert "sp_releaseapplock" in last(connection)


@pytest.mark.parametrize(
    ("result", "message"), [(-1, "another deployment"), (-2, "cancelled"), (-3, "deadlock"), (-999, "-999")]
)
def test_every_refusal_of_the_lock_is_an_error(result: int, message: str) -> None:
    connection = FakeConnection(lambda text: [[(result,)]] if "sp_getapplock" in text else [])
    session = Session(connection)
    with pytest.raises(LockTimeoutError, match=message) as caught, session.deployment_lock("jobs", 0):
        raise AssertionError("not reached")
    assert caught.value.exit_code == 5
    assert "sp_releaseapplock" not in last(connection)


def test_the_lock_may_come_after_a_wait() -> None:
    session = Session(FakeConnection(lambda text: [[(1,)]] if "sp_getapplock" in text else []))
    with session.deployment_lock("jobs", 1):
        pass


def test_a_connection_that_died_does_not_hide_what_killed_it() -> None:
    connection = FakeConnection()
    session = Session(connection)

    def die() -> None:
        with session.deployment_lock("jobs", 1), session.transaction():
            connection.special = lambda _: [ConnectionResetError("later")]
            raise ConnectionResetError("first")

    with pytest.raises(ConnectionResetError, match="first"):
        die()
