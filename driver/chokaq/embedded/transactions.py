"""Transactions of a session: counting, savepoints, doomed transactions, implicit ones, and the one SQLite
transaction
below them.

SQLite has one writer. BEGIN TRANSACTION takes the write lock (BEGIN IMMEDIATE), so what a transaction reads
stays as it
is until it ends. An implicit transaction (a connection without autocommit) takes it with its first write or
locking
read: a client that only looked around and does not commit stands in nobody's way.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .naming import quote
from .problems import SqlError, unsupported

if TYPE_CHECKING:
    from .frames import Frame
    from .locks import LockTable

_WRITE_LOCKING = frozenset({"REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT"})
#: SET options that the engine has in one state only.
_FIXED = {
    "ANSI_NULLS": True,
    "QUOTED_IDENTIFIER": True,
    "ANSI_PADDING": True,
    "ANSI_WARNINGS": True,
    "ANSI_NULL_DFLT_ON": True,
    "ARITHABORT": True,
    "CONCAT_NULL_YIELDS_NULL": True,
    "NUMERIC_ROUNDABORT": False,
}


def check_option(name: str, on: bool, line: int) -> None:
    """Refuse a state of an option that the engine does not have."""
    if name in _FIXED and _FIXED[name] is not on:
        raise unsupported(f"SET {name} {'ON' if on else 'OFF'}", line)


DOOMED = (
    "The current transaction cannot be committed and cannot support operations that write to the log "
    "file. Roll back the "
    "transaction."
)


@dataclass(slots=True)
class Options:
    """What SET changes; a procedure's changes end with it."""

    nocount: bool = False
    xact_abort: bool = False
    implicit: bool = False
    isolation: str = "READ COMMITTED"
    lock_timeout: int | None = None
    identity_insert: str = ""

    def copy(self) -> Options:
        return replace(self)


class Transactions:
    """Part of a Session."""

    sqlite: sqlite3.Connection
    options: Options
    frames: list[Frame]
    locks: LockTable
    spid: int
    default_timeout: float

    def start_transactions(self) -> None:
        self.trancount = 0
        self.doomed = False
        self.tx_open = False
        self.tx_name = ""
        self.savepoints: list[tuple[str, str]] = []
        self.savepoint_number = 0
        self.statement_number = 0

    # BEGIN, COMMIT, ROLLBACK, SAVE

    def begin(self, name: str = "") -> None:
        if self.options.implicit and not self.trancount:
            self.trancount = 1
        if not self.tx_open:
            self.begin_write()
        self.trancount += 1
        if self.trancount == 1:
            self.tx_name = name

    def commit(self) -> None:
        if not self.trancount:
            raise SqlError(
                3902, "The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.", 16, 1
            )
        if self.doomed:
            raise SqlError(3930, DOOMED, 16, 1)
        if self.trancount == 1:
            if self.tx_open:
                try:
                    self.sqlite.execute("COMMIT")
                except sqlite3.Error as error:
                    raise self.translate(error) from None
            self._ended()
            self.committed()
            return
        self.trancount -= 1

    def rollback(self, name: str = "") -> None:
        if not self.trancount:
            raise SqlError(
                3903, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.", 16, 1
            )
        if name and name != self.tx_name:
            self._rollback_to(name)
            return
        if self.tx_open:
            with self.kept_tables():
                if self.sqlite.in_transaction:
                    self.sqlite.execute("ROLLBACK")
        self._ended()
        self.rolled_back()

    def _rollback_to(self, name: str) -> None:
        if self.doomed:
            raise SqlError(
                3931,
                "The current transaction cannot be committed and cannot be rolled back to a savepoint. "
                "Roll back the entire transaction.",
                16,
                1,
            )
        for index in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[index][0] == name:
                break
        else:
            raise SqlError(
                6401, f"Cannot roll back {name}. No transaction or savepoint of that name was found.", 16, 1
            )
        del self.savepoints[index + 1 :]
        if self.tx_open:
            with self.kept_tables():
                self.sqlite.execute(f"ROLLBACK TO {quote(self.savepoints[index][1])}")
            self.rolled_back()

    def save(self, name: str) -> None:
        if not self.trancount:
            raise SqlError(628, "Cannot issue SAVE TRANSACTION when there is no active transaction.", 16, 0)
        if self.doomed:
            raise SqlError(3930, DOOMED, 16, 1)
        self.savepoint_number += 1
        point = (name, f"save{self.savepoint_number}")
        if self.tx_open:
            self.sqlite.execute(f"SAVEPOINT {quote(point[1])}")
        self.savepoints.append(point)

    def _ended(self) -> None:
        self.trancount = 0
        self.doomed = False
        self.tx_open = False
        self.tx_name = ""
        self.savepoints.clear()
        self.locks.release_all(self.spid, "Transaction")

    def lost(self) -> None:
        """SQLite rolled the transaction back by itself (disk full, for example)."""
        self._ended()
        self.rolled_back()

    # Before statements

    def begin_write(self) -> None:
        """Take the write lock for the open transaction."""
        if self.tx_open:
            return
        try:
            self.sqlite.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self.translate(error) from None
        self.tx_open = True
        for _, point in self.savepoints:
            self.sqlite.execute(f"SAVEPOINT {quote(point)}")

    def before_read(self, reads: bool, locks: bool) -> None:
        if not reads:
            return
        if not self.trancount:
            if not self.options.implicit:
                return
            self.trancount = 1
        if not self.tx_open and (locks or self.options.isolation in _WRITE_LOCKING):
            self.begin_write()

    def before_write(self, permanent: bool, reads: bool, locks: bool) -> None:
        if not permanent:
            self.before_read(reads, locks)
            return
        if self.doomed:
            raise SqlError(3930, DOOMED, 16, 1)
        if not self.trancount:
            if not self.options.implicit:
                return
            self.trancount = 1
        self.begin_write()

    @contextlib.contextmanager
    def one_statement(self, permanent: bool) -> Iterator[None]:
        """Several SQLite statements that are one T-SQL statement: all of it happens, or nothing."""
        if self.sqlite.in_transaction:
            self.statement_number += 1
            point = quote(f"statement{self.statement_number}")
            self.sqlite.execute(f"SAVEPOINT {point}")
            undo = [f"ROLLBACK TO {point}", f"RELEASE {point}"]
            finish = f"RELEASE {point}"
        else:
            try:
                self.sqlite.execute("BEGIN IMMEDIATE" if permanent else "BEGIN")
            except sqlite3.Error as error:
                raise self.translate(error) from None
            undo = ["ROLLBACK"]
            finish = "COMMIT"
        try:
            yield
        except BaseException:
            if self.sqlite.in_transaction:
                for text in undo:
                    self.sqlite.execute(text)
            self.rolled_back()
            raise
        try:
            self.sqlite.execute(finish)
        except sqlite3.Error as error:
            raise self.translate(error) from None

    @contextlib.contextmanager
    def definition(self) -> Iterator[None]:
        """Around a statement that changes the catalog, in or outside of a transaction."""
        self.before_write(True, False, False)
        alone = not self.sqlite.in_transaction
        with self.one_statement(True):
            self.sync_catalog()
            yield
        if alone:
            self.committed()

    # SET

    def set_option(self, name: str, on: bool, table: str = "") -> None:
        if name in _FIXED:
            if _FIXED[name] is not on:
                raise unsupported(f"SET {name} {'ON' if on else 'OFF'}", 0)
            return
        if name == "NOCOUNT":
            self.options.nocount = on
        elif name == "XACT_ABORT":
            self.options.xact_abort = on
        elif name == "IMPLICIT_TRANSACTIONS":
            self.options.implicit = on
        elif name == "IDENTITY_INSERT":
            if on and self.options.identity_insert not in ("", table):
                raise SqlError(
                    8107,
                    f"IDENTITY_INSERT is already ON for table '{self.options.identity_insert}'. Cannot "
                    f"perform SET operation for table '{table}'.",
                    16,
                    1,
                )
            self.options.identity_insert = table if on else ""

    def set_lock_timeout(self, milliseconds: Any) -> None:
        if not isinstance(milliseconds, int) or milliseconds < -1:
            raise SqlError(102, "SET LOCK_TIMEOUT takes a number of milliseconds, or -1.", 15, 1)
        self.options.lock_timeout = None if milliseconds == -1 else milliseconds
        self.apply_lock_timeout()

    def apply_lock_timeout(self) -> None:
        timeout = self.options.lock_timeout
        wait = int(self.default_timeout * 1000) if timeout is None else timeout
        self.sqlite.execute(f"PRAGMA busy_timeout = {wait}")

    # Provided by the session

    def translate(
        self, error: sqlite3.Error, verb: str = "", target: Any = None, frame: Any = None
    ) -> SqlError:
        raise NotImplementedError

    def kept_tables(self) -> contextlib.AbstractContextManager[None]:
        raise NotImplementedError

    def rolled_back(self) -> None:
        raise NotImplementedError

    def sync_catalog(self) -> None:
        raise NotImplementedError

    def committed(self) -> None:
        raise NotImplementedError
