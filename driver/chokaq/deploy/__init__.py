"""The migration runner.

``deploy`` brings a database to the state of the package, ``status`` compares versions, ``verify`` finds
what was changed by hand, ``undo`` goes back, ``baseline`` takes over, and ``plan_script`` writes down what
``deploy`` would do.
"""

from .baseline import baseline
from .drift import Difference
from .errors import (
    BaselineError,
    DatabaseNewerError,
    DeployError,
    InvalidSchemaNameError,
    LockTimeoutError,
    LosesJobsError,
    NoUndoError,
    OpenTransactionError,
    PackageError,
    PlanChangedError,
    ScriptChangedError,
    ScriptFailedError,
    ScriptMissingError,
    ScriptOutOfOrderError,
    ServerRefusedError,
)
from .plan import Plan, make_plan
from .render import PlanScript
from .runner import DeployReport, Reporter, Status, deploy, offline_plan_script, plan_script, status
from .scripts import Script, SqlPackage, load_package
from .server import Dialect
from .undo import UndoPlan, undo
from .verify import Verification, verify

__all__ = [
    "BaselineError",
    "DatabaseNewerError",
    "DeployError",
    "DeployReport",
    "Dialect",
    "Difference",
    "InvalidSchemaNameError",
    "LockTimeoutError",
    "LosesJobsError",
    "NoUndoError",
    "OpenTransactionError",
    "PackageError",
    "Plan",
    "PlanChangedError",
    "PlanScript",
    "Reporter",
    "Script",
    "ScriptChangedError",
    "ScriptFailedError",
    "ScriptMissingError",
    "ScriptOutOfOrderError",
    "ServerRefusedError",
    "SqlPackage",
    "Status",
    "UndoPlan",
    "Verification",
    "baseline",
    "deploy",
    "load_package",
    "make_plan",
    "offline_plan_script",
    "plan_script",
    "status",
    "undo",
    "verify",
]
