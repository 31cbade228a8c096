"""Plans of the mathematical functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from ..errors import sql_error
from . import numbers
from .conversions import converter
from .plan import Context, Plan, SqlFunction, nulls, short
from .types import FLOAT, INT, RANGES, SqlType, decimal, parse_type

__all__ = ["FUNCTIONS", "PLANS"]

Types = tuple[SqlType, ...]


def _number(kind: SqlType, function: str) -> SqlType:
    """The numeric type in which a function takes its argument: text and bit become float. 8116: none."""
    if kind.name == "null":
        return INT
    if kind.name == "bit" or kind.is_string:
        return FLOAT
    if not kind.is_number:
        raise sql_error(8116, kind.message_name, 1, function)
    # real comes back as float.
    return FLOAT if kind.name == "real" else kind


def _by_type(function: str, result: Callable[[SqlType], SqlType]) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        kind = _number(types[0], function)
        if kind.name in ("tinyint", "smallint"):
            kind = INT

        def inline(a: Sequence[str]) -> str | None:
            return _inline(function, kind, a[0])

        return Plan(result(kind), (kind,), f"chokaq_{function}", (str(kind),), inline)

    return plan


def _inline(function: str, kind: SqlType, x: str) -> str | None:
    if function in ("floor", "ceiling"):
        return x if kind.is_integer else None
    if kind.name == "decimal" or not short(x):
        # A long decimal is text.
        return None
    if function == "sign":
        one = "1.0" if kind.is_float else "1"
        return f"CASE WHEN {x} > 0 THEN {one} WHEN {x} < 0 THEN -{one} WHEN {x} = 0 THEN {one} - {one} END"
    if kind.is_float:
        return f"abs({x})"
    low = RANGES[kind.name][0] + 1
    return f"CASE WHEN {x} < {low} THEN chokaq_abs({x}, '{kind}') ELSE abs({x}) END"


def _whole(kind: SqlType) -> SqlType:
    return decimal(kind.precision, 0) if kind.name == "decimal" else kind


def _round(types: Types, _: Context) -> Plan:
    kind = _number(types[0], "round")
    if kind.name in ("tinyint", "smallint"):
        kind = INT
    cut = (INT,) if len(types) == 3 else ()
    return Plan(kind, (kind, INT, *cut), "chokaq_round", (str(kind),))


def _power(types: Types, _: Context) -> Plan:
    kind = _number(types[0], "power")
    if kind.name in ("tinyint", "smallint"):
        kind = INT
    result = decimal(38, kind.scale) if kind.name == "decimal" else kind
    return Plan(result, (kind, FLOAT), "chokaq_power", (str(kind),))


def _floats(function: str) -> Callable[[Types, Context], Plan]:
    def plan(types: Types, _: Context) -> Plan:
        for position, kind in enumerate(types, 1):
            if not (kind.is_number or kind.is_string or kind.name == "null"):
                raise sql_error(8116, kind.message_name, position, function)
        return Plan(FLOAT, (FLOAT,) * len(types), f"chokaq_{function}")

    return plan


_FLOATS: Final = (
    "log10",
    "exp",
    "sqrt",
    "square",
    "sin",
    "cos",
    "tan",
    "cot",
    "asin",
    "acos",
    "atan",
    "radians",
    "degrees",
)

#: T-SQL name → fewest and most arguments, plan.
PLANS: Final[dict[str, tuple[int, int | None, Callable[[Types, Context], Plan]]]] = {
    "ABS": (1, 1, _by_type("abs", lambda kind: kind)),
    "SIGN": (1, 1, _by_type("sign", lambda kind: kind)),
    "FLOOR": (1, 1, _by_type("floor", _whole)),
    "CEILING": (1, 1, _by_type("ceiling", _whole)),
    "ROUND": (2, 3, _round),
    "POWER": (2, 2, _power),
    "LOG": (1, 2, _floats("log")),
    "ATN2": (2, 2, _floats("atn2")),
    "PI": (0, 0, lambda _, __: Plan(FLOAT, (), "chokaq_pi", inline=lambda ___: repr(math.pi))),
    **{name.upper(): (1, 1, _floats(name)) for name in _FLOATS},
}


@lru_cache(maxsize=256)
def _kind(text: str) -> SqlType:
    return parse_type(text)


def _typed(function: Callable[[Any, SqlType], Any]) -> Callable[..., Any]:
    def run(value: Any, kind: str) -> Any:
        return None if value is None else function(value, _kind(kind))

    return run


def _round_call(*values: Any) -> Any:
    *given, kind = values
    if None in given:
        return None
    value, digits, *cut = given
    return numbers.round_number(value, digits, _kind(kind), *cut)


def _power_call(base: Any, exponent: float | None, kind_text: str) -> Any:
    if base is None or exponent is None:
        return None
    kind = _kind(kind_text)
    if kind.is_integer and exponent >= 0 and exponent == int(exponent) and exponent < 1000:
        # Exact, where floating point would lose digits.
        whole = base ** int(exponent)
        if RANGES[kind.name][0] <= whole <= RANGES[kind.name][1]:
            return whole
    result = numbers.power(float(converter(kind, FLOAT)(base)), exponent)
    target = decimal(38, kind.scale) if kind.name == "decimal" else kind
    return converter(FLOAT, target)(result)


def _domain(function: Callable[[float], float]) -> Callable[[float], float]:
    def run(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            raise sql_error(3623) from None

    return run


def _cot(value: float) -> float:
    if not value:
        raise sql_error(3623)
    return 1 / math.tan(value)


def _square(value: float) -> float:
    result = value * value
    if math.isinf(result):
        raise sql_error(8115, "expression", "float")
    return result


#: What the plans above call.
FUNCTIONS: Final = (
    SqlFunction("chokaq_arithmetic", numbers.arithmetic_by_text, 5),
    SqlFunction("chokaq_abs", _typed(numbers.absolute), 2),
    SqlFunction("chokaq_sign", _typed(numbers.sign), 2),
    SqlFunction("chokaq_floor", _typed(numbers.floor), 2),
    SqlFunction("chokaq_ceiling", _typed(numbers.ceiling), 2),
    SqlFunction("chokaq_negate", _typed(lambda value, kind: numbers.negate(kind)(value)), 2),
    SqlFunction("chokaq_round", _round_call, -1),
    SqlFunction("chokaq_power", _power_call, 3),
    SqlFunction("chokaq_pi", lambda: math.pi, 0),
    SqlFunction("chokaq_log", nulls(numbers.log), -1),
    SqlFunction("chokaq_log10", nulls(lambda value: numbers.log(value, 10)), 1),
    SqlFunction("chokaq_exp", nulls(numbers.exp), 1),
    SqlFunction("chokaq_sqrt", nulls(numbers.sqrt), 1),
    SqlFunction("chokaq_square", nulls(_square), 1),
    SqlFunction("chokaq_sin", nulls(math.sin), 1),
    SqlFunction("chokaq_cos", nulls(math.cos), 1),
    SqlFunction("chokaq_tan", nulls(math.tan), 1),
    SqlFunction("chokaq_cot", nulls(_cot), 1),
    SqlFunction("chokaq_asin", nulls(_domain(math.asin)), 1),
    SqlFunction("chokaq_acos", nulls(_domain(math.acos)), 1),
    SqlFunction("chokaq_atan", nulls(math.atan), 1),
    SqlFunction("chokaq_atn2", nulls(math.atan2), 2),
    SqlFunction("chokaq_radians", nulls(math.radians), 1),
    SqlFunction("chokaq_degrees", nulls(math.degrees), 1),
)
