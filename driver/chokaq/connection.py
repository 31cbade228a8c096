"""Opens and keeps connections: from a URL, an ODBC string, a callable or a connection that the caller has.

Owned connections (all but the last kind) are in autocommit mode, one for each thread, and are thrown away
when they break or when the process was forked. A connection that the caller handed in is used as it is: never
committed, closed or retried.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from . import odbc, urls
from .dbapi import is_driver_error, read_error
from .errors import ChokaqError, ConnectionFailedError

__all__ = ["Connector", "Session", "Source"]

#: What ``chokaq.connect`` accepts. (A connection is typed Any: wrappers of pools are fine.)
Source = str | urls.Target | Callable[[], Any] | Any

# Connections that were open when the process forked. Closing them here would log out the parent's session
# over the socket that both share, so they are kept from being collected.
_INHERITED: list[Any] = []


class Session:
    """A connection, and the cursors kept on it: a cursor that executes the same statement again need not
    prepare it again, which halves the time of a short call.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.pid = os.getpid()
        self._cursors: dict[str, Any] = {}

    def cursor(self, statement: str) -> Any:
        """The cursor that is kept for ``statement``."""
        cursor = self._cursors.get(statement)
        if cursor is None:
            cursor = self._cursors[statement] = self.connection.cursor()
        return cursor

    def drop_cursor(self, statement: str) -> None:
        """Forgets the cursor after an error: it may hold unread results."""
        cursor = self._cursors.pop(statement, None)
        if cursor is not None:
            close_quietly(cursor)

    def close(self) -> None:
        """Closes the connection, unless a parent process still uses it."""
        connection, self.connection = self.connection, None
        if connection is None:
            return
        if self.pid != os.getpid():
            _INHERITED.append((connection, self._cursors))
            return
        self._cursors.clear()
        close_quietly(connection)

    def __del__(self) -> None:
        self.close()  # the thread ended, and its thread-local storage with it


def close_quietly(thing: Any) -> None:
    """Closes a cursor or connection that may be broken already: then there is nothing more to tell."""
    with contextlib.suppress(Exception):
        thing.close()


class Connector:
    """Gives out connections to one database. Safe to share between threads, and to use after a fork.

    ``source``: URL or ODBC string; a ``Target``; a callable that returns a new connection each time; or an
    open DB-API connection. ``owned`` is False for the last: its transactions are the caller's.
    """

    def __init__(self, source: Source) -> None:
        self._target: urls.Target | None = None
        self._factory: Callable[[], Any] | None = None
        self._given: Any = None
        self._local = threading.local()
        self._closed = False
        self._start_bookkeeping()
        if isinstance(source, str):
            self._target = urls.parse(source)
        elif isinstance(source, urls.Target):
            self._target = source
        elif hasattr(source, "cursor"):
            self._given = source
        elif callable(source):
            self._factory = source
        else:
            raise TypeError(
                "connect() takes a URL, an ODBC connection string, a connection, or a callable that "
                f"returns one; not {type(source).__name__}"
            )

    def _start_bookkeeping(self) -> None:
        self._pid = os.getpid()
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()
        self._sessions_lock = threading.Lock()
        self._given_lock = threading.RLock()

    @property
    def owned(self) -> bool:
        """Whether the driver opens (and so may commit, repeat on, and close) the connections."""
        return self._given is None

    @property
    def target(self) -> urls.Target | None:
        """Where the connections lead, when that is known."""
        return self._target

    def __repr__(self) -> str:
        return f"<Connector to {self.describe()}>"

    def describe(self) -> str:
        """The database in words, without credentials."""
        if self._target is not None:
            return str(self._target)
        return "a given connection" if self._given is not None else "connections of a callable"

    def scrub(self, text: str) -> str:
        """``text`` without credentials."""
        return self._target.scrub(text) if self._target is not None else urls.scrub_generic(text)

    def open(self) -> Any:
        """A new connection in autocommit mode that belongs to the caller.

        Raises ConnectionFailedError, DriverMissingError.
        """
        failure: ConnectionFailedError | None = None
        connection: Any = None
        try:
            connection = self._open()
        except Exception as error:
            if not is_driver_error(error) and not isinstance(error, OSError):
                raise
            found = read_error(error)
            failure = ConnectionFailedError(
                f"Cannot connect to {self.describe()}: {self.scrub(found.message)}",
                sqlstate=found.sqlstate,
                number=found.number,
            )
        # Outside of the except block: the driver's exception, whose text may quote the connection string,
        # shall not hang on ours as __context__, which loggers print.
        if failure is not None:
            raise failure
        return connection

    def _open(self) -> Any:
        if self._factory is not None:
            connection = self._factory()
            # A callable's connections are the driver's to drive; without this every call would open a
            # transaction.
            connection.autocommit = True
            _reset_session(connection)
            return connection
        target = self._target
        if target is None:
            raise ChokaqError("A connection that was handed in cannot be opened a second time.")
        if target.engine == "embedded":
            engine = importlib.import_module("chokaq.embedded")
            return engine.connect(target.path, autocommit=True)
        pyodbc = odbc.load()
        connection = pyodbc.connect(
            target.odbc_string(odbc.choose_driver(target)), autocommit=True, timeout=target.login_timeout
        )
        if target.query_timeout:
            connection.timeout = target.query_timeout
        return _reset_session(connection)

    @contextlib.contextmanager
    def lend(self) -> Iterator[Any]:
        """The connection that was handed in, to one thread at a time."""
        self._begin_use()
        with self._given_lock:
            yield self._given

    def _begin_use(self) -> None:
        if self._closed:
            raise ChokaqError("This queue is closed.")
        if self._pid != os.getpid():
            # A thread of the parent may have held a lock when it forked; nobody would ever release it here.
            self._start_bookkeeping()

    @contextlib.contextmanager
    def use(self) -> Iterator[Session]:
        """The thread's own session, opened at need. Whoever finds it broken calls ``discard``."""
        self._begin_use()
        session: Session | None = getattr(self._local, "session", None)
        if session is not None and session.pid != os.getpid():
            session.close()
            session = None
        if session is None or session.connection is None:
            session = Session(self.open())
            self._local.session = session
            with self._sessions_lock:
                self._sessions.add(session)
        yield session

    def discard(self) -> None:
        """Throws the thread's connection away; the next use opens a new one."""
        session: Session | None = getattr(self._local, "session", None)
        if session is not None:
            self._local.session = None
            session.close()

    def close(self) -> None:
        """Closes the connections of all threads. Call it when no other thread is in a call. Repeatable."""
        self._closed = True
        with self._sessions_lock:
            sessions = list(self._sessions)
        for session in sessions:
            session.close()


def _reset_session(connection: Any) -> Any:
    """The isolation level survives in pooled connections, whoever pooled them; the procedures set it as well,
    but a pool's SNAPSHOT or SERIALIZABLE would already govern the statement that calls them.
    """
    cursor = connection.cursor()
    try:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED;")
    except BaseException:
        close_quietly(connection)
        raise
    finally:
        close_quietly(cursor)
    return connection
