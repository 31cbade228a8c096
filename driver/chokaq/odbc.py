"""pyodbc and the ODBC driver: found when first needed, so that the embedded engine needs neither."""

from __future__ import annotations

import importlib
import importlib.util
import platform
import re
import sys
from pathlib import Path
from typing import Any

from .errors import DriverMissingError
from .urls import Target

__all__ = ["bundled_driver", "choose_driver", "load", "system_driver"]

_INSTALL = 'Run: pip install "chokaq[sqlserver]"'
_SYSTEM_NAME = re.compile(r"ODBC Driver (\d+) for SQL Server")
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "aarch64": "arm64"}
_FAMILIES = {
    "alpine": "alpine",
    **dict.fromkeys(("debian", "ubuntu"), "debian_ubuntu"),
    **dict.fromkeys(("rhel", "fedora", "centos", "rocky", "almalinux", "amzn", "ol"), "rhel"),
    **dict.fromkeys(("sles", "suse", "opensuse"), "suse"),
}


def load() -> Any:
    """The module pyodbc. Raises DriverMissingError when it is not installed or cannot be loaded."""
    try:
        return importlib.import_module("pyodbc")
    except ImportError as error:
        raise DriverMissingError(
            f"SQL Server is reached through pyodbc, which cannot be imported ({error}). {_INSTALL}"
        ) from error


def choose_driver(target: Target) -> str | None:
    """What to write after ``Driver=``: the one asked for, else the newest installed, else the one in the PyPI
    package mssql-python-odbc. None when the target's DSN decides.
    """
    if target.driver:
        return target.driver
    if target.has_data_source:
        return None
    found = system_driver(load().drivers()) or bundled_driver()
    if found is None:
        raise DriverMissingError(f"No ODBC driver for SQL Server (17 or 18) is installed. {_INSTALL}")
    return found


def system_driver(names: list[str]) -> str | None:
    """The newest "ODBC Driver N for SQL Server", 17 or later, among the names of installed drivers."""
    found = [(int(match[1]), name) for name in names if (match := _SYSTEM_NAME.fullmatch(name))]
    usable = [pair for pair in found if pair[0] >= 17]
    return max(usable)[1] if usable else None


def bundled_driver() -> str | None:
    """Path of the shared library inside mssql-python-odbc for this machine, None where there is none.

    Only on Linux and macOS: the driver manager of Windows wants a registered driver, not a path.
    """
    spec = importlib.util.find_spec("mssql_python_odbc")
    if spec is None or not spec.submodule_search_locations or sys.platform == "win32":
        return None
    libraries = Path(next(iter(spec.submodule_search_locations))) / "libs"
    machine = platform.machine().lower()
    machine = _MACHINES.get(machine, machine)
    if sys.platform == "darwin":
        folders = [libraries / "macos" / machine / "lib"]
    else:
        # A library of the wrong family may load as well, so the others are a last resort, better than
        # nothing.
        own = _linux_family()
        families = [own] if own else []
        families += [
            name for name in ("debian_ubuntu", "rhel", "suse") if name not in families and own != "alpine"
        ]
        folders = [libraries / "linux" / family / machine / "lib" for family in families]
    for folder in folders:
        for file in sorted(folder.glob("libmsodbcsql*")):
            if file.suffix != ".rll":
                return str(file)
    return None


def _linux_family() -> str | None:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return None
    for name in (release.get("ID", ""), *release.get("ID_LIKE", "").split()):
        family = _FAMILIES.get(name.partition("-")[0])
        if family:
            return family
    return None
