"""What can stop a deployment. Each error carries the exit code of the command line."""

from __future__ import annotations

from typing import ClassVar

from .. import errors


class DeployError(errors.ChokaqError):
    """Base of every error of the migration runner. The database is as it was before the failing step."""

    exit_code: ClassVar[int] = 1


class PackageError(DeployError):
    """The ``.sql`` files of the package itself are not a valid set: a gap, a duplicate, a bad name."""


class InvalidSchemaNameError(DeployError):
    """The schema name is not letters, digits and underscores, or belongs to the server."""

    exit_code = 2


class ScriptChangedError(DeployError):
    """A one-time script differs from the one that ran in this database."""


class ScriptMissingError(DeployError):
    """The database ran a one-time script that the package does not hold."""


class ScriptOutOfOrderError(DeployError):
    """The package holds a script that did not run, before one that did."""


class DatabaseNewerError(DeployError, errors.DatabaseNewerError):
    """The database was deployed by a newer package than this one."""


class ScriptFailedError(DeployError):
    """A script failed and was rolled back. ``script`` is its path, ``line`` where its batch begins."""

    def __init__(self, script: str, line: int, reason: str) -> None:
        super().__init__(f"{script}, batch at line {line}: {reason} (nothing of this step remains)")
        self.script = script
        self.line = line
        self.reason = reason


class OpenTransactionError(DeployError):
    """The connection that was passed in has an open transaction; a deployment needs its own."""


class LockTimeoutError(DeployError):
    """Another deployment holds the lock of this schema and did not finish in time."""

    exit_code = 5


class PlanChangedError(DeployError):
    """``expect_plan``: what is to be done is not what was agreed to."""


class ServerRefusedError(DeployError):
    """The server or the database is not one to deploy into: too old, read-only, or rights are missing."""


class LosesJobsError(DeployError):
    """An undo would lose jobs, and nobody said that it may."""


class NoUndoError(DeployError):
    """A one-time script has no undo, or the version asked for is none that this database can go back to."""


class BaselineError(DeployError):
    """The database is not one that can be taken over: something is recorded already, or it differs."""
