"""Declares the procedures: their parameters, and how arguments reach the Python function behind each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..problems import SqlError
from ..sqltypes import BIT, INT, NVARCHAR_MAX, SqlType
from ..system import PROCEDURES
from ..values.conversions import converter

if TYPE_CHECKING:
    from ..frames import Frame
    from ..session import Session

SCHEMA = "tSQLt"
_REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Call:
    """One call: who calls, and from where."""

    session: Session
    frame: Frame


@dataclass(frozen=True, slots=True)
class Variant:
    """A value of sql_variant with its base type; ``type`` is None for NULL."""

    value: Any
    type: SqlType | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind``: text, int, bit or variant."""

    name: str
    kind: str
    default: Any = _REQUIRED


_TARGETS = {"text": NVARCHAR_MAX, "int": INT, "bit": BIT}
Function = Callable[..., Any]


def text(name: str, default: Any = _REQUIRED) -> Parameter:
    """An NVARCHAR(MAX) parameter."""
    return Parameter(name, "text", default)


def integer(name: str, default: Any = _REQUIRED) -> Parameter:
    """An INT parameter."""
    return Parameter(name, "int", default)


def bit(name: str, default: Any = _REQUIRED) -> Parameter:
    """A BIT parameter."""
    return Parameter(name, "bit", default)


def variant(name: str) -> Parameter:
    """An SQL_VARIANT parameter."""
    return Parameter(name, "variant")


def procedure(name: str, *parameters: Parameter) -> Callable[[Function], Function]:
    """Make a function the procedure ``tSQLt.name``: it takes the Call, then a value for each parameter."""

    def declare(function: Function) -> Function:
        def handler(session: Session, frame: Frame, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            function(Call(session, frame), *_bind(session, name, parameters, values))
            return 0, {}

        PROCEDURES[SCHEMA.lower(), name.lower()] = handler
        return function

    return declare


def _bind(
    session: Session, name: str, parameters: tuple[Parameter, ...], values: dict[str, Any]
) -> list[Any]:
    """The arguments in the order of the parameters. Errors 8144, 8145, 201, 206."""
    types = session.argument_types
    names = [f"@{parameter.name.lower()}" for parameter in parameters]
    found: dict[int, Any] = {}
    for key, value in values.items():
        if key.startswith("#"):
            index = int(key[1:])
            if index >= len(parameters):
                raise SqlError(8144, f"Procedure or function {name} has too many arguments specified.", 16, 2)
        elif key in names:
            index = names.index(key)
        else:
            raise SqlError(8145, f"{key} is not a parameter for procedure {name}.", 16, 2)
        if types.get(key) is not None or value is not None:
            found[index] = _value(parameters[index], value, types.get(key))
        elif parameters[index].default is _REQUIRED or key in values:
            found[index] = Variant(None, None) if parameters[index].kind == "variant" else None
    bound = []
    for index, parameter in enumerate(parameters):
        if index not in found and parameter.default is _REQUIRED:
            raise SqlError(
                201,
                f"Procedure or function '{name}' expects parameter '@{parameter.name}', "
                "which was not supplied.",
                16,
                4,
            )
        bound.append(found.get(index, parameter.default))
    return bound


def _value(parameter: Parameter, value: Any, kind: SqlType | None) -> Any:
    if parameter.kind == "variant":
        if kind is not None and kind.length is None:
            raise SqlError(206, f"Operand type clash: {kind} is incompatible with sql_variant", 16, 2)
        return Variant(value, None if value is None or kind is None or kind.name == "null" else kind)
    if value is None or kind is None or kind.name == "null":
        return None
    return converter(kind, _TARGETS[parameter.kind])(value)
