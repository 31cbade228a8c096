"""What the runner must know of a server: its dialect, and the few statements that differ between dialects."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .errors import ServerRefusedError
from .session import Session


class Dialect(enum.Enum):
    """The kinds of server that take the package's ``.sql`` files."""

    SQLSERVER = "sqlserver"
    BABELFISH = "babelfish"
    EMBEDDED = "embedded"

    @property
    def has_create_or_alter(self) -> bool:
        """Whether a procedure can be replaced in place; elsewhere it is dropped and created."""
        return self is not Dialect.BABELFISH

    @property
    def has_session_context(self) -> bool:
        """Whether a value can be kept from one batch to the next."""
        return self is not Dialect.EMBEDDED


@dataclass(frozen=True, slots=True)
class Server:
    """A server and the database that the connection is in. ``name`` is the first line of its banner."""

    name: str
    dialect: Dialect
    database: str

    @classmethod
    def of(cls, session: Session) -> Server:
        """Ask the server what it is."""
        banner = str(session.scalar("SELECT @@VERSION AS ServerVersion;")).strip()
        name = banner.splitlines()[0].strip() if banner else "unknown"
        database = session.scalar("SELECT DB_NAME() AS DatabaseName;")
        return cls(name, _dialect(banner), str(database or ""))


def _dialect(banner: str) -> Dialect:
    lower = banner.lower()
    if "babelfish" in lower:
        return Dialect.BABELFISH
    if "embedded" in lower or "chokaq" in lower:
        return Dialect.EMBEDDED
    return Dialect.SQLSERVER


# What CREATE ROLE, TYPE and the rest ask for. The other dialects do not tell all of these.
_RIGHTS = {
    Dialect.SQLSERVER: ("CREATE TABLE", "CREATE PROCEDURE", "CREATE TYPE", "CREATE SCHEMA", "CREATE ROLE"),
    Dialect.BABELFISH: ("CREATE TABLE", "CREATE PROCEDURE"),
    Dialect.EMBEDDED: (),
}


def missing_rights(session: Session, server: Server) -> tuple[str, ...]:
    """The database rights that a deployment needs and this login does not have."""
    missing = []
    for right in _RIGHTS[server.dialect]:
        has = session.scalar(f"SELECT HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'{right}') AS [HasRight];")
        if not has:
            missing.append(right)
    return tuple(missing)


def is_read_only(session: Session, server: Server) -> bool:
    """Whether the database refuses all writes; on the other dialects a write will tell."""
    if server.dialect is not Dialect.SQLSERVER:
        return False
    text = "SELECT CONVERT(NVARCHAR(60), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')) AS [Updateability];"
    return bool(session.scalar(text) == "READ_ONLY")


# From this compatibility level on the database has all that the scripts use.
OLDEST_VERSION = 14
OLDEST_COMPATIBILITY_LEVEL = 140
SYSTEM_DATABASES = ("master", "model", "msdb", "tempdb")
# EngineEdition of Azure SQL Database and of a managed instance, whose version numbers mean something else.
AZURE_EDITIONS = (5, 8)


def check_server(session: Session, server: Server) -> None:
    """Refuse, before anything is done, what would fail in the middle. Raises ServerRefusedError."""
    where = f"database {server.database!r}"
    if server.dialect is not Dialect.EMBEDDED and server.database.lower() in SYSTEM_DATABASES:
        raise ServerRefusedError(f"{where} is a system database; name the right one in the URL")
    if is_read_only(session, server):
        raise ServerRefusedError(f"{where} is read-only")
    if server.dialect is Dialect.SQLSERVER:
        _check_version(session, where)
    missing = missing_rights(session, server)
    if missing:
        raise ServerRefusedError(
            f"{where}: this login lacks {', '.join(missing)}; a deployment needs db_owner or db_ddladmin"
            " with db_securityadmin, the queue itself needs neither"
        )


def _check_version(session: Session, where: str) -> None:
    edition = session.scalar("SELECT CONVERT(INT, SERVERPROPERTY('EngineEdition')) AS [Edition];")
    version = session.scalar("SELECT CONVERT(INT, SERVERPROPERTY('ProductMajorVersion')) AS [Version];")
    if edition not in AZURE_EDITIONS and int(version or 0) < OLDEST_VERSION:
        raise ServerRefusedError("SQL Server 2017 or later is needed")
    level = session.scalar(
        "SELECT [compatibility_level] FROM [sys].[databases] WHERE [database_id] = DB_ID();"
    )
    if level is not None and int(level) < OLDEST_COMPATIBILITY_LEVEL:
        raise ServerRefusedError(
            f"{where} has compatibility level {level}; {OLDEST_COMPATIBILITY_LEVEL} or higher is needed"
        )
