"""Whether the database and this package fit together."""

from __future__ import annotations

from .calls import Caller, not_deployed
from .errors import DatabaseNewerError, DatabaseOlderError

__all__ = ["EXPECTED_VERSION", "check_version", "compare"]

#: Number of the newest script in db/migrations that this package was written for.
EXPECTED_VERSION = 3


def check_version(caller: Caller) -> int:
    """Asks the database which version it has and compares.

    Through a procedure, because workers and producers may execute procedures and nothing else. Returns the
    version. Raises NotDeployedError, DatabaseOlderError, DatabaseNewerError.
    """
    rows = caller.call("GetSchemaVersion")
    if not rows:
        raise not_deployed(caller.connector.describe(), caller.schema, "GetSchemaVersion")
    found = int(rows[0][0])
    compare(found, EXPECTED_VERSION, database_package=rows[0][2], where=f"Schema [{caller.schema}]")
    return found


def compare(found: int, expected: int, *, database_package: str | None, where: str) -> None:
    """Raises when the database's version is not the package's."""
    deployed_by = f" (deployed by chokaq {database_package})" if database_package else ""
    if found < expected:
        raise DatabaseOlderError(
            f"{where} is at version {found}{deployed_by}, this package needs {expected}. "
            "Upgrade it with: chokaq deploy --url URL  (or: invoke deploy-db)"
        )
    if found > expected:
        raise DatabaseNewerError(
            f"{where} is at version {found}{deployed_by}, this package knows {expected}. "
            "Install the newer chokaq."
        )
