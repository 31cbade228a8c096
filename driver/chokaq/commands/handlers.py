"""Finds handlers by import path, for ``chokaq worker``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from ..worker_handlers import Handler

__all__ = ["load_handlers"]


def load_handlers(paths: Iterable[str]) -> dict[str, Handler]:
    """The handlers of all paths, by job type.

    ``module:name`` of a mapping: its items; of a function, or ``type=module:name``: one handler.
    ``module``: its public functions, each for the type of its name. Raises click.BadParameter.
    """
    # As for any script that python runs: what stands in the working directory can be imported.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    found: dict[str, Handler] = {}
    for path in paths:
        for job_type, handler in _of_path(path).items():
            if job_type in found and found[job_type] is not handler:
                raise _bad(f"the type {job_type} has two handlers")
            found[job_type] = handler
    return found


def _of_path(path: str) -> dict[str, Handler]:
    given_type, equals, place = path.rpartition("=")
    module_name, _, attribute = place.partition(":")
    module = _import(module_name)
    if not attribute:
        if equals:
            raise _bad(f"{path}: a type needs one function, as {given_type}={module_name}:function")
        return _functions(module)
    value: Any = module
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise _bad(f"the module {module_name} has no {attribute}")
        value = getattr(value, part)
    if isinstance(value, Mapping):
        if equals:
            raise _bad(f"{path}: {attribute} is a mapping, which names its types itself")
        return {str(key): _callable(handler, f"{attribute}[{key!r}]") for key, handler in value.items()}
    return {given_type if equals else attribute.rpartition(".")[2]: _callable(value, attribute)}


def _import(name: str) -> ModuleType:
    if not name:
        raise _bad("an import path is module:name, as myapp.jobs:HANDLERS")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise _bad(f"there is no module {error.name}") from None
        raise  # the module is there, and imports one that is not: its traceback says where


def _functions(module: ModuleType) -> dict[str, Handler]:
    """Public functions that the module itself defines; imported ones are its tools, not its handlers."""
    found: dict[str, Handler] = {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == module.__name__
    }
    if not found:
        raise _bad(f"the module {module.__name__} defines no public function")
    return found


def _callable(value: object, name: str) -> Handler:
    if not callable(value):
        raise _bad(f"{name} is neither a function nor a mapping of functions")
    return value


def _bad(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="HANDLERS")
