"""One database session of a deployment: runs batches, drains results, holds the deployment lock.

It uses nothing of the connection but PEP 249 and its usual extension ``autocommit``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..dbapi import Connection
from .errors import DeployError, LockTimeoutError, OpenTransactionError

# Two of these are frozen into every procedure at creation, and a write to a table with a filtered index
# needs all seven, so a deployment never relies on what the client library or a pool left behind.
SESSION_OPTIONS = (
    "SET ANSI_NULLS, QUOTED_IDENTIFIER, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, CONCAT_NULL_YIELDS_NULL ON;",
    "SET NUMERIC_ROUNDABORT OFF;",
    "SET NOCOUNT, XACT_ABORT ON;",
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;",
)
_LOCK_DENIED = {
    -1: "another deployment of this schema holds the lock",
    -2: "the wait for the deployment lock was cancelled",
    -3: "the wait for the deployment lock ended in a deadlock",
}


class Session:
    """A connection in autocommit mode with the session options of every deployment.

    The runner sends ``BEGIN TRANSACTION`` and ``COMMIT TRANSACTION`` itself, so that what it executes
    is exactly what a rendered plan says.
    """

    def __init__(self, connection: Connection) -> None:
        """Take a connection that is in autocommit mode and outside a transaction.

        Raises :class:`OpenTransactionError` for any other: switching the mode on would commit the
        caller's work. The session options stay set when the deployment is over.
        """
        self._connection = connection
        if not getattr(connection, "autocommit", False):
            raise OpenTransactionError("a deployment needs a connection in autocommit mode")
        if self.scalar("SELECT @@TRANCOUNT AS OpenTransactions;") != 0:
            raise OpenTransactionError("the connection has an open transaction")
        for statement in SESSION_OPTIONS:
            self.execute(statement)

    def execute(self, text: str) -> list[Sequence[Any]]:
        """Run one batch and return the rows of its first result set.

        All result sets are read to the end, because an error that was raised after the first one is
        only reported there.
        """
        cursor = self._connection.cursor()
        try:
            cursor.execute(text)
            rows: list[Sequence[Any]] | None = None
            while True:
                if cursor.description is not None:
                    fetched = list(cursor.fetchall())
                    rows = fetched if rows is None else rows
                if not cursor.nextset():
                    return rows or []
        finally:
            with contextlib.suppress(Exception):
                cursor.close()

    def scalar(self, text: str) -> Any:
        """The first column of the first row of a batch's result; None without a row."""
        rows = self.execute(text)
        return rows[0][0] if rows else None

    def rollback(self) -> None:
        """Roll back whatever is open. A connection that is gone has been rolled back by its server."""
        with contextlib.suppress(Exception):
            self.execute("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the body in one transaction; roll back on any exception, interrupts included."""
        self.execute("BEGIN TRANSACTION;")
        try:
            yield
            if self.scalar("SELECT @@TRANCOUNT AS OpenTransactions;") != 1:
                raise DeployError("the script ended or nested the runner's transaction")
            self.execute("COMMIT TRANSACTION;")
        except BaseException:
            self.rollback()
            raise

    @contextlib.contextmanager
    def deployment_lock(self, schema: str, timeout: float) -> Iterator[None]:
        """Hold the application lock of one schema's deployments; wait for it ``timeout`` seconds.

        The lock belongs to the session: it is released in any case, by the server when we die. Raises
        :class:`LockTimeoutError` when it cannot be had.
        """
        # One server reports a plain time-out only for a positive time.
        milliseconds = max(1, round(timeout * 1000))
        result = self.scalar(f"{acquire_lock(schema, milliseconds)}\nSELECT @Result AS [LockResult];")
        if result is None or result < 0:
            reason = _LOCK_DENIED.get(result, f"the server refused the deployment lock (code {result})")
            raise LockTimeoutError(f"{reason}; waited {timeout:g} s for schema [{schema}]")
        try:
            yield
        finally:
            with contextlib.suppress(Exception):
                self.execute(release_lock(schema))


# Lock names are compared byte by byte while schema names usually are not, and one of the servers keeps a
# single name space for all of its databases.
def _resource(schema: str) -> str:
    return f"DECLARE @Resource NVARCHAR(255) = LOWER(N'chokaq.deploy.' + DB_NAME() + N'.' + N'{schema}');"


def acquire_lock(schema: str, milliseconds: int) -> str:
    """The statements that take the deployment lock of a (validated) schema; the code is in ``@Result``."""
    return (
        f"{_resource(schema)}\n"
        "DECLARE @Result INT;\n\n"
        "EXECUTE @Result = sp_getapplock\n"
        "    @Resource = @Resource,\n"
        "    @LockMode = N'Exclusive',\n"
        "    @LockOwner = N'Session',\n"
        f"    @LockTimeout = {milliseconds};\n"
    )


def release_lock(schema: str) -> str:
    """The statements that give it back."""
    return f"{_resource(schema)}\n\nEXECUTE sp_releaseapplock @Resource = @Resource, @LockOwner = N'Session';"
