"""Compares the package with a ledger: what is to be done, or why nothing may be done."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import (
    DatabaseNewerError,
    DeployError,
    ScriptChangedError,
    ScriptMissingError,
    ScriptOutOfOrderError,
)
from .ledger import Ledger
from .scripts import Script, SqlPackage

_VERSION = re.compile(
    r"(?P<release>\d+(?:\.\d+)*)(?:(?P<stage>a|b|rc)(?P<number>\d+))?(?:\.dev(?P<dev>\d+))?"
)
_STAGES = {"a": 1, "b": 2, "rc": 3}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a deployment would do, in this order. Permissions run at every deployment."""

    migrations: tuple[Script, ...]
    procedures: tuple[Script, ...]
    dropped: tuple[str, ...]
    permissions: tuple[Script, ...]

    @property
    def is_pending(self) -> bool:
        """Whether the database differs from the package."""
        return bool(self.migrations or self.procedures or self.dropped)


def make_plan(package: SqlPackage, ledger: Ledger, package_version: str) -> Plan:
    """Work out what is to be done.

    Raises the DeployError that says why the package must not be deployed over this ledger: the database
    is newer, or a one-time script was changed, removed or inserted after the fact.
    """
    _refuse_newer(package, ledger, package_version)
    known = {script.number: script for script in package.migrations}
    for applied in ledger.migrations:
        script = known.get(applied.number)
        label = f"{applied.number:04}_{applied.name}.sql"
        if script is None:
            raise ScriptMissingError(f"{label} ran in this database but is not in the package")
        if script.name != applied.name:
            raise ScriptChangedError(f"{label} ran in this database; the package calls it {script.path}")
        if script.sha256 != applied.sha256:
            raise ScriptChangedError(
                f"{script.path} was changed after it ran: its SHA-256 was {applied.sha256},"
                f" now {script.sha256}. Restore the file and put the change into a new script."
            )
    newest = max((applied.number for applied in ledger.migrations), default=0)
    done = {applied.number for applied in ledger.migrations}
    pending = tuple(script for script in package.migrations if script.number not in done)
    if pending and pending[0].number < newest:
        raise ScriptOutOfOrderError(
            f"{pending[0].path} did not run, but {newest:04} did; give the new script a number after it"
        )
    deployed = {module.name.lower(): module.sha256 for module in ledger.modules}
    current = {script.name.lower() for script in package.procedures}
    return Plan(
        pending,
        tuple(script for script in package.procedures if deployed.get(script.name.lower()) != script.sha256),
        tuple(module.name for module in ledger.modules if module.name.lower() not in current),
        package.permissions,
    )


def _refuse_newer(package: SqlPackage, ledger: Ledger, package_version: str) -> None:
    newest = max((applied.number for applied in ledger.migrations), default=0)
    if newest > package.newest:
        raise DatabaseNewerError(
            f"the database is at script {newest:04}, this package ({package_version}) ends at"
            f" {package.newest:04}; deploy with the newer package"
        )
    # A newer release may differ in procedures alone; deploying the old ones over it is a downgrade too.
    for recorded in sorted(ledger.package_versions):
        if version_key(recorded) > version_key(package_version):
            raise DatabaseNewerError(
                f"the database was deployed by chokaq {recorded}, this is {package_version};"
                " deploy with the newer package"
            )


def version_key(version: str) -> tuple[tuple[int, ...], int, int, float]:
    """A key that orders package versions: 1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 < 1.0.1."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        raise DeployError(f"{version!r} is not a version of this package")
    release = tuple(int(part) for part in match["release"].split("."))
    while release and release[-1] == 0:
        release = release[:-1]
    dev = float("inf") if match["dev"] is None else float(match["dev"])
    last = 4 if match["dev"] is None else 0
    stage = _STAGES[match["stage"]] if match["stage"] else last
    return release, stage, int(match["number"] or 0), dev
