"""Whether the database and this package fit together."""

from __future__ import annotations

import functools
import re

from .calls import Caller, not_deployed
from .errors import DatabaseNewerError, DatabaseOlderError

__all__ = ["check_version", "compare", "expected_version"]

_MIGRATION = re.compile(r"(\d{4})_.+\.sql")


@functools.lru_cache(maxsize=1)
def expected_version() -> int:
    """Number of the newest one-time script in this package."""
    from .deploy.scripts import sql_root  # only here: a process that never connects needs no runner

    names = [entry.name for entry in sql_root().joinpath("db").joinpath("migrations").iterdir()]
    return max((int(match[1]) for name in names if (match := _MIGRATION.fullmatch(name))), default=0)


def check_version(caller: Caller) -> int:
    """Asks the database which version it has and compares.

    Through a procedure, because workers and producers may execute procedures and nothing else. Returns the
    version. Raises NotDeployedError, DatabaseOlderError, DatabaseNewerError.
    """
    rows = caller.call("GetSchemaVersion")
    if not rows:
        raise not_deployed(caller.connector.describe(), caller.schema, "GetSchemaVersion")
    found = int(rows[0][0])
    compare(found, expected_version(), database_package=rows[0][2], where=f"Schema [{caller.schema}]")
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
