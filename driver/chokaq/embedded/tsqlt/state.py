"""What the procedures remember of the test that runs, for each session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..problems import SqlError

if TYPE_CHECKING:
    from ..session import Session


@dataclass(slots=True)
class Expectation:
    """What ExpectException (``raises``) or ExpectNoException asked for; None: not asked."""

    raises: bool
    text: str | None = None
    pattern: str | None = None
    severity: int | None = None
    state: int | None = None
    number: int | None = None
    message: str | None = None


@dataclass(slots=True)
class State:
    """``failure``: what the last tSQLt.Fail said. ``savepoint``: where the running test goes back to."""

    failure: str = ""
    expectation: Expectation | None = None
    savepoint: str = ""
    verbose: bool = False
    last_run: str = ""


_states: WeakKeyDictionary[Session, State] = WeakKeyDictionary()


def state_of(session: Session) -> State:
    """The state of a session, made when first asked for."""
    found = _states.get(session)
    if found is None:
        found = _states[session] = State()
    return found


def raised(text: str) -> SqlError:
    """The error of RAISERROR(text, 16, 10), which is how tSQLt reports."""
    error = SqlError(50000, text, 16, 10)
    error.origin = "raiserror"
    return error
