"""The migration runner: ``deploy`` brings a database to the state of the package, ``status`` compares."""

from .errors import (
    DatabaseNewerError,
    DeployError,
    InvalidSchemaNameError,
    LockTimeoutError,
    OpenTransactionError,
    PackageError,
    ScriptChangedError,
    ScriptFailedError,
    ScriptMissingError,
    ScriptOutOfOrderError,
)
from .plan import Plan, make_plan
from .runner import DeployReport, Status, deploy, status
from .scripts import Script, SqlPackage, load_package

__all__ = [
    "DatabaseNewerError",
    "DeployError",
    "DeployReport",
    "InvalidSchemaNameError",
    "LockTimeoutError",
    "OpenTransactionError",
    "PackageError",
    "Plan",
    "Script",
    "ScriptChangedError",
    "ScriptFailedError",
    "ScriptMissingError",
    "ScriptOutOfOrderError",
    "SqlPackage",
    "Status",
    "deploy",
    "load_package",
    "make_plan",
    "status",
]
