"""Arithmetic by T-SQL's rules, as functions of stored values and, where it is the same, as SQLite's SQL.

Integer division truncates, ``%`` takes the sign of the dividend, overflow is 8115, division by zero 8134.
"""

from __future__ import annotations

import math
import operator as operators
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ..errors import SqlError, divide_by_zero, sql_error
from . import decimals
from .conversions import converter, to_real
from .types import INT, RANGES, SqlType, arithmetic_type, parse_type

__all__ = [
    "absolute",
    "arithmetic",
    "arithmetic_by_text",
    "ceiling",
    "exp",
    "floor",
    "inline_arithmetic",
    "inline_negate",
    "log",
    "negate",
    "power",
    "round_number",
    "sign",
    "sqrt",
]

Binary = Callable[[Any, Any], Any]

_BITS: Final[dict[str, Callable[[int, int], int]]] = {
    "&": operators.and_,
    "|": operators.or_,
    "^": operators.xor,
}


def _divide(left: int, right: int) -> int:
    if not right:
        raise divide_by_zero()
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _modulo(left: int, right: int) -> int:
    if not right:
        raise divide_by_zero()
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


_WHOLE: Final[dict[str, Callable[[int, int], int]]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "/": _divide,
    "%": _modulo,
    **_BITS,
}


@lru_cache(maxsize=1024)
def arithmetic(operator: str, left: SqlType, right: SqlType) -> Binary:
    """``+ - * / % & | ^`` over stored values of the two types; the result is of ``arithmetic_type``. NULL
    gives NULL. Raises what ``arithmetic_type`` raises.
    """
    result = arithmetic_type(operator, left, right)
    run = _runner(operator, left, right, result)

    def checked(one: Any, other: Any) -> Any:
        if one is None or other is None:
            return None
        return run(one, other)

    return checked


def _runner(operator: str, left: SqlType, right: SqlType, result: SqlType) -> Binary:
    if result.is_string or result.is_binary:
        if operator != "+":
            return _binary_bits(operator, left, right, result)
        return _concatenation(left, right, result)
    if result.is_time:
        return _day_arithmetic(operator, left, right, result)
    if result.name == "decimal":
        return _decimal(operator, left, right, result)
    first, second = converter(left, result), converter(right, result)
    if result.is_float:
        return _float(operator, first, second, result)
    low, high = RANGES[result.name]
    whole = _WHOLE[operator]
    name = result.name

    def run(one: Any, other: Any) -> int:
        value = whole(first(one), second(other))
        if low <= value <= high:
            return value
        raise sql_error(8115, "expression", name)

    return run


def _binary_bits(operator: str, left: SqlType, right: SqlType, result: SqlType) -> Binary:
    # One operand of & | ^ may be binary, the other a whole number; then the number decides.
    del result
    to_int = [converter(kind, SqlType("bigint")) for kind in (left, right)]
    return lambda one, other: _BITS[operator](to_int[0](one), to_int[1](other))


def _concatenation(left: SqlType, right: SqlType, result: SqlType) -> Binary:
    kind = "varbinary" if result.is_binary else "nvarchar" if result.is_unicode else "varchar"
    whole = SqlType(kind, None)
    first, second, finish = converter(left, whole), converter(right, whole), converter(whole, result)
    return lambda one, other: finish(first(one) + second(other))


def _day_arithmetic(operator: str, left: SqlType, right: SqlType, result: SqlType) -> Binary:
    from .datetimes import EPOCH_1900, MAX_TICKS, fit

    first, second = converter(left, result), converter(right, result)
    sign_ = 1 if operator == "+" else -1

    def run(one: Any, other: Any) -> int:
        ticks = first(one) + sign_ * (second(other) - EPOCH_1900)
        if not 0 <= ticks <= MAX_TICKS:
            raise sql_error(517, result.name)
        return fit(ticks, result)

    return run


def _float(
    operator: str, first: Callable[[Any], Any], second: Callable[[Any], Any], result: SqlType
) -> Binary:
    real = result.name == "real"

    def run(one: Any, other: Any) -> float:
        left, right = first(one), second(other)
        if operator == "/":
            if not right:
                raise divide_by_zero()
            value = left / right
        elif operator == "*":
            value = left * right
        else:
            value = left + right if operator == "+" else left - right
        return to_real(value) if real else _finite(value)

    return run


def _finite(value: float) -> float:
    if math.isfinite(value):
        return value
    raise sql_error(8115, "expression", "float")


def _decimal(operator: str, left: SqlType, right: SqlType, result: SqlType) -> Binary:
    s1, s2 = _scale(left, result), _scale(right, result)
    first, second = _unscaled(left, s1), _unscaled(right, s2)
    scale = result.scale

    def run(one: Any, other: Any) -> Any:
        a, b = first(one), second(other)
        if operator in "+-":
            wide = max(s1, s2)
            a, b = decimals.rescale(a, s1, wide), decimals.rescale(b, s2, wide)
            value = decimals.rescale(a + b if operator == "+" else a - b, wide, scale)
        elif operator == "*":
            value = decimals.rescale(a * b, s1 + s2, scale)
        elif operator == "/":
            # Further digits are cut, not rounded.
            shift = scale - s1 + s2
            value = _divide(a * 10**shift, b) if shift >= 0 else _divide(a, b * int(10**-shift))
        else:
            value = _modulo(decimals.rescale(a, s1, scale), decimals.rescale(b, s2, scale))
        return decimals.pack(value, result, "expression")

    return run


def _scale(kind: SqlType, result: SqlType) -> int:
    return 0 if kind.is_integer else kind.scale if kind.name == "decimal" else result.scale


def _unscaled(kind: SqlType, scale: int) -> Callable[[Any], int]:
    if kind.name == "decimal":
        return lambda value: decimals.unpack(value, kind)
    if kind.is_integer:
        return int
    target = SqlType("decimal", 0, 38, scale)
    read = converter(kind, target)
    return lambda value: decimals.unpack(read(value), target)


def arithmetic_by_text(operator: str, one: Any, other: Any, left: str, right: str) -> Any:
    """As ``arithmetic``, with the types as T-SQL text: what SQLite calls as chokaq_arithmetic."""
    return _by_text(operator, left, right)(one, other)


@lru_cache(maxsize=1024)
def _by_text(operator: str, left: str, right: str) -> Binary:
    return arithmetic(operator, _parse(left), _parse(right))


def _parse(text: str) -> SqlType:
    return SqlType("null") if text == "null" else parse_type(text, cast=True)


def inline_arithmetic(operator: str, one: str, other: str, left: SqlType, right: SqlType) -> str | None:
    """The operation in SQLite's SQL, None where it must be ``arithmetic``. The operands are written up to
    four times, so they should be short. chokaq_arithmetic is called only to raise the error.
    """
    result = arithmetic_type(operator, left, right)
    if not (left.is_integer and right.is_integer) or operator == "^":
        return None
    slow = f"chokaq_arithmetic('{operator}', {one}, {other}, '{left}', '{right}')"
    plain = f"({one}) {operator} ({other})"
    if operator in "&|":
        return f"({plain})"
    if operator in "/%":
        wrong = f"({other}) = 0"
        if operator == "/":
            wrong += f" OR ({other}) = -1" if result.name in ("smallint", "int", "bigint") else ""
        return f"CASE WHEN {wrong} THEN {slow} ELSE {plain} END"
    if result.name == "bigint":
        # Beyond 64 bits SQLite goes on in floating point.
        return f"CASE WHEN typeof({plain}) = 'real' THEN {slow} ELSE {plain} END"
    low, high = RANGES[result.name]
    return f"CASE WHEN ({plain}) NOT BETWEEN {low} AND {high} THEN {slow} ELSE {plain} END"


def negate(kind: SqlType) -> Callable[[Any], Any]:
    """Unary minus."""
    if kind.name == "decimal":
        return lambda value: None if value is None else decimals.pack(-decimals.unpack(value, kind), kind)
    if kind.is_integer and kind.name != "bit":
        subtract = arithmetic("-", kind if kind.name == "tinyint" else INT if kind == INT else kind, kind)
        return lambda value: subtract(0, value)
    if kind.is_float:
        return lambda value: None if value is None else -value
    raise sql_error(8117, kind.message_name, "minus")


def inline_negate(value: str, kind: SqlType) -> str | None:
    """Unary minus in SQLite's SQL."""
    if kind.is_float:
        return f"(-({value}))"
    if kind.is_integer and kind.name != "bit":
        return inline_arithmetic("-", "0", value, kind, kind)
    return None


# Functions


def absolute(value: Any, kind: SqlType) -> Any:
    """ABS. 8115: the lowest value of a type."""
    if kind.name == "decimal":
        return decimals.pack(abs(decimals.unpack(value, kind)), kind)
    result = abs(value)
    if kind.is_integer and result > RANGES[kind.name][1]:
        raise sql_error(8115, "expression", kind.name)
    return result


def sign(value: Any, kind: SqlType) -> Any:
    """SIGN: -1, 0 or 1 in the type of the argument."""
    if kind.name == "decimal":
        unscaled = decimals.unpack(value, kind)
        return decimals.pack(((unscaled > 0) - (unscaled < 0)) * 10**kind.scale, kind)
    result = (value > 0) - (value < 0)
    return float(result) if kind.is_float else result


def floor(value: Any, kind: SqlType) -> Any:
    """FLOOR; a decimal becomes decimal(p, 0)."""
    if kind.name == "decimal":
        return _whole(decimals.unpack(value, kind) // 10**kind.scale, kind)
    return float(math.floor(value)) if kind.is_float else value


def ceiling(value: Any, kind: SqlType) -> Any:
    """CEILING; a decimal becomes decimal(p, 0)."""
    if kind.name == "decimal":
        return _whole(-(-decimals.unpack(value, kind) // 10**kind.scale), kind)
    return float(math.ceil(value)) if kind.is_float else value


def _whole(value: int, kind: SqlType) -> Any:
    return decimals.pack(value, SqlType("decimal", 0, kind.precision, 0))


def round_number(value: Any, digits: int, kind: SqlType, cut: int = 0) -> Any:
    """ROUND, half away from zero; ``cut`` not 0 truncates. 8115: the rounded number does not fit."""
    if kind.name == "decimal":
        return _round_decimal(value, digits, kind, cut)
    if kind.is_integer:
        if digits >= 0:
            return value
        unit = 10 ** min(-digits, 40)
        rounded = (abs(value) + (0 if cut else unit // 2)) // unit * unit
        rounded = -rounded if value < 0 else rounded
        if not RANGES[kind.name][0] <= rounded <= RANGES[kind.name][1]:
            raise sql_error(8115, "expression", kind.name)
        return rounded
    if not math.isfinite(value) or abs(digits) > 400:
        return value if digits > 0 else 0.0
    factor = 10.0 ** abs(digits) if abs(digits) <= 308 else math.inf
    scaled = abs(value) * factor if digits >= 0 else abs(value) / factor
    if math.isinf(scaled) or scaled >= 2**53:
        # All digits lie before the place of rounding.
        return value
    result = math.floor(scaled if cut else scaled + 0.5)
    result_value = result / factor if digits >= 0 else result * factor
    return math.copysign(result_value, value) if result_value else 0.0


def _round_decimal(value: Any, digits: int, kind: SqlType, cut: int) -> Any:
    unscaled = decimals.unpack(value, kind)
    if digits >= kind.scale:
        return value
    unit = 10 ** min(kind.scale - digits, 80)
    rounded = (abs(unscaled) + (0 if cut else unit // 2)) // unit * unit
    return decimals.pack(-rounded if unscaled < 0 else rounded, kind, "expression")


def power(base: float, exponent: float) -> float:
    """POWER over floats. 3623: no real result; 8115: too large."""
    try:
        result = math.pow(base, exponent)
    except OverflowError:
        raise _float_overflow() from None
    except ValueError:
        if base == 0:
            raise divide_by_zero() from None
        raise sql_error(3623) from None
    return _finite(result)


def _float_overflow() -> SqlError:
    return sql_error(8115, "expression", "float")


def exp(value: float) -> float:
    """EXP. 8115: too large."""
    try:
        return math.exp(value)
    except OverflowError:
        raise _float_overflow() from None


def log(value: float, base: float | None = None) -> float:
    """LOG. 3623: not positive, or a base that is none."""
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise sql_error(3623)
    if base is None:
        return math.log(value)
    return math.log10(value) if base == 10 else math.log(value) / math.log(base)


def sqrt(value: float) -> float:
    """SQRT. 3623: negative."""
    if value < 0:
        raise sql_error(3623)
    return math.sqrt(value)
