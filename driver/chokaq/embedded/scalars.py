"""Scalar expressions that run in Python, without a round trip to SQLite: conditions, assignments, arguments.

Plain data (picklable); ``eval(frame)`` gives a stored value, and for conditions True, False or None
(unknown).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .sqltypes import SqlType
from .values.conversions import converter
from .values.functions import resolve
from .values.numbers import arithmetic
from .values.strings import key

if TYPE_CHECKING:
    from .frames import Frame


@dataclass(slots=True)
class Scalar:
    """Base of the nodes."""

    def eval(self, frame: Frame) -> Any:
        raise NotImplementedError


@dataclass(slots=True)
class Literal(Scalar):
    value: Any

    def eval(self, _frame: Frame) -> Any:
        return self.value


@dataclass(slots=True)
class Variable(Scalar):
    slot: int

    def eval(self, frame: Frame) -> Any:
        return frame.values[self.slot]


@dataclass(slots=True)
class Special(Scalar):
    """@@TRANCOUNT, XACT_STATE(), SYSUTCDATETIME() …: asked of the session by name."""

    name: str

    def eval(self, frame: Frame) -> Any:
        return frame.session.special(self.name, frame)


@dataclass(slots=True)
class Convert(Scalar):
    value: Scalar
    source: SqlType
    target: SqlType
    style: int | None = None
    attempt: bool = False
    call: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)

    def eval(self, frame: Frame) -> Any:
        call = self.call
        if call is None:
            call = self.call = converter(self.source, self.target, self.style, self.attempt)
        return call(self.value.eval(frame))

    def __getstate__(self) -> Any:
        return (self.value, self.source, self.target, self.style, self.attempt)

    def __setstate__(self, state: Any) -> None:
        self.value, self.source, self.target, self.style, self.attempt = state
        self.call = None


@dataclass(slots=True)
class Function(Scalar):
    """A function of ``values``, looked up when it is first called."""

    name: str
    types: tuple[SqlType, ...]
    part: str
    binary: bool
    raw_json: bool
    arguments: list[Scalar]
    call: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    extra: tuple[Any, ...] = ()

    def eval(self, frame: Frame) -> Any:
        call = self.call
        if call is None:
            found = resolve(self.name, self.types, part=self.part, binary=self.binary, raw_json=self.raw_json)
            call = self.call = found.python
            self.extra = found.plan.extra
        return call(*[argument.eval(frame) for argument in self.arguments], *self.extra)

    def __getstate__(self) -> Any:
        return (self.name, self.types, self.part, self.binary, self.raw_json, self.arguments)

    def __setstate__(self, state: Any) -> None:
        self.name, self.types, self.part, self.binary, self.raw_json, self.arguments = state
        self.call = None
        self.extra = ()


@dataclass(slots=True)
class Concat(Scalar):
    """``a + b`` of strings: NULL when one of them is."""

    left: Scalar
    right: Scalar

    def eval(self, frame: Frame) -> Any:
        left, right = self.left.eval(frame), self.right.eval(frame)
        return None if left is None or right is None else left + right


@dataclass(slots=True)
class Call(Scalar):
    """A function of the session over stored values."""

    name: str
    arguments: list[Scalar]

    def eval(self, frame: Frame) -> Any:
        return frame.session.functions[self.name](*[argument.eval(frame) for argument in self.arguments])


@dataclass(slots=True)
class Key(Scalar):
    value: Scalar

    def eval(self, frame: Frame) -> Any:
        return key(self.value.eval(frame))


@dataclass(slots=True)
class Trimmed(Scalar):
    """Text without trailing spaces: the key of a binary collation."""

    value: Scalar

    def eval(self, frame: Frame) -> Any:
        value = self.value.eval(frame)
        return None if value is None else value.rstrip(" ")


@dataclass(slots=True)
class Compare(Scalar):
    operator: str
    left: Scalar
    right: Scalar

    def eval(self, frame: Frame) -> bool | None:
        left = self.left.eval(frame)
        if left is None:
            return None
        right = self.right.eval(frame)
        if right is None:
            return None
        operator = self.operator
        if operator == "=":
            return bool(left == right)
        if operator == "<>":
            return bool(left != right)
        if operator == "<":
            return bool(left < right)
        if operator == ">":
            return bool(left > right)
        if operator == "<=":
            return bool(left <= right)
        return bool(left >= right)


@dataclass(slots=True)
class And(Scalar):
    left: Scalar
    right: Scalar

    def eval(self, frame: Frame) -> bool | None:
        left = self.left.eval(frame)
        if left is False:
            return False
        right = self.right.eval(frame)
        if right is False:
            return False
        return None if left is None or right is None else True


@dataclass(slots=True)
class Or(Scalar):
    left: Scalar
    right: Scalar

    def eval(self, frame: Frame) -> bool | None:
        left = self.left.eval(frame)
        if left is True:
            return True
        right = self.right.eval(frame)
        if right is True:
            return True
        return None if left is None or right is None else False


@dataclass(slots=True)
class Not(Scalar):
    value: Scalar

    def eval(self, frame: Frame) -> bool | None:
        value = self.value.eval(frame)
        return None if value is None else not value


@dataclass(slots=True)
class IsNull(Scalar):
    value: Scalar

    def eval(self, frame: Frame) -> bool:
        return self.value.eval(frame) is None


@dataclass(slots=True)
class In(Scalar):
    value: Scalar
    items: list[Scalar]

    def eval(self, frame: Frame) -> bool | None:
        value = self.value.eval(frame)
        if value is None:
            return None
        unknown = False
        for item in self.items:
            other = item.eval(frame)
            if other is None:
                unknown = True
            elif other == value:
                return True
        return None if unknown else False


@dataclass(slots=True)
class Case(Scalar):
    branches: list[tuple[Scalar, Scalar]]
    otherwise: Scalar

    def eval(self, frame: Frame) -> Any:
        for condition, value in self.branches:
            if condition.eval(frame) is True:
                return value.eval(frame)
        return self.otherwise.eval(frame)


@dataclass(slots=True)
class Coalesce(Scalar):
    items: list[Scalar]

    def eval(self, frame: Frame) -> Any:
        for item in self.items:
            value = item.eval(frame)
            if value is not None:
                return value
        return None


@dataclass(slots=True)
class Arithmetic(Scalar):
    """``left operator right`` of operands of these types."""

    operator: str
    left: Scalar
    right: Scalar
    left_type: SqlType
    right_type: SqlType
    call: Callable[[Any, Any], Any] | None = field(default=None, compare=False, repr=False)

    def eval(self, frame: Frame) -> Any:
        call = self.call
        if call is None:
            call = self.call = arithmetic(self.operator, self.left_type, self.right_type)
        return call(self.left.eval(frame), self.right.eval(frame))

    def __getstate__(self) -> Any:
        return (self.operator, self.left, self.right, self.left_type, self.right_type)

    def __setstate__(self, state: Any) -> None:
        self.operator, self.left, self.right, self.left_type, self.right_type = state
        self.call = None
