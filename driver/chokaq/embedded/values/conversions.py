"""CAST, CONVERT, TRY_CAST, assignment: stored values of one type as stored values of another.

``converter`` gives a function per pair of types, so that nothing is decided per value. NULL stays NULL.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from ..errors import SqlError, sql_error, truncation, unsupported_value
from . import codepage, decimals
from .binary_values import to_binary, to_guid
from .datetime_text import format_value
from .number_text import float_text, parse_float, parse_whole
from .temporal_values import to_temporal
from .types import RANGES, SqlType, check_conversion, parse_type

__all__ = ["assigner", "convert", "converter", "to_real"]

Converter = Callable[[Any], Any]


@lru_cache(maxsize=4096)
def converter(
    source: SqlType, target: SqlType, style: int | None = None, attempt: bool = False, implicit: bool = False
) -> Converter:
    """A function from stored values of ``source`` to stored values of ``target``.

    ``style``: CONVERT's third argument, None where there is none. ``attempt``: TRY_CAST and TRY_CONVERT, NULL
    instead of an error of the value. ``implicit``: raises 206 or 257 where CAST would have to be written.
    Raises 529 for types that are never converted. Strings and binaries are cut to the target's length.
    """
    check_conversion(source, target, cast=not implicit)
    direct = _find(source, target, style)

    if attempt:

        def try_convert(value: Any) -> Any:
            if value is None:
                return None
            try:
                return direct(value)
            except SqlError:
                return None

        return try_convert

    def run(value: Any) -> Any:
        return None if value is None else direct(value)

    return run


@lru_cache(maxsize=4096)
def assigner(source: SqlType, target: SqlType, table: str, column: str) -> Converter:
    """The conversion of INSERT and UPDATE: as ``converter``, but 2628 instead of cutting strings and
    binaries. ``table``: database.schema.table. Trailing spaces that do not fit are cut silently, as SQL
    Server does.
    """
    check_conversion(source, target)
    if not (target.is_string or target.is_binary) or target.length is None:
        return converter(source, target)
    length = target.length
    whole = SqlType("nvarchar" if target.is_unicode else "varchar", None)
    if target.is_binary:
        whole = SqlType("varbinary", None)
    widen = converter(source, whole)
    finish = converter(whole, target)

    def run(value: Any) -> Any:
        if value is None:
            return None
        wide = widen(value)
        if len(wide) * (2 if target.is_unicode else 1) > length:
            size = codepage.width(wide) if target.is_unicode else len(wide)
            if size > length and _counts(wide, target, length):
                if not (source.is_string or source.is_binary):
                    # Numbers that do not fit are an overflow, as in CAST.
                    return converter(source, target)(value)
                shown = (
                    codepage.cut(wide, length)
                    if isinstance(wide, str)
                    else "0x" + wide[:length].hex().upper()
                )
                raise truncation(table, column, shown)
        return finish(wide)

    return run


def _counts(value: Any, target: SqlType, length: int) -> bool:
    """Whether what does not fit is more than padding."""
    if isinstance(value, str):
        return bool(codepage.to_units(value)[length:].strip(" ")) if target.is_string else True
    return bool(value[length:].strip(b"\0"))


def convert(value: Any, source: str, target: str, style: int | None = None, attempt: int = 0) -> Any:
    """CONVERT with the types written as T-SQL text: what SQLite calls as chokaq_convert."""
    return converter(_type(source), _type(target), style, bool(attempt))(value)


@lru_cache(maxsize=1024)
def _type(text: str) -> SqlType:
    return SqlType("null") if text == "null" else parse_type(text, cast=True)


def _find(source: SqlType, target: SqlType, style: int | None) -> Converter:
    if source.name == "null" or (source == target and style is None and not target.is_fixed):
        return lambda value: value
    if target.is_string:
        return _to_string(source, target, style)
    if target.is_integer:
        return _to_integer(source, target)
    if target.is_float:
        return _to_float(source, target)
    if target.name == "decimal":
        return _to_decimal(source, target)
    if target.is_time:
        return to_temporal(source, target, style)
    if target.name == "uniqueidentifier":
        return to_guid(source)
    return to_binary(source, target, style)


# Text


def _to_string(source: SqlType, target: SqlType, style: int | None) -> Converter:
    if source.is_string:
        return _string_to_string(source, target)
    write = _writer(source, target, style)
    length = target.length
    fixed = target.is_fixed

    def run(value: Any) -> str:
        text = write(value)
        if length is None:
            return text
        if len(text) > length:
            text = _too_long(text, value, source, target, length)
        return text.ljust(length) if fixed else text

    return run


def _too_long(text: str, value: Any, source: SqlType, target: SqlType, length: int) -> str:
    if source.is_integer:
        # The old rule: a star, but only for varchar and not for bigint.
        if target.is_unicode or source.name in ("bigint", "bit"):
            raise sql_error(8115, "expression", target.name)
        return "*"
    if source.name == "decimal":
        raise sql_error(8115, "numeric", target.name, state=5)
    if source.is_float:
        raise sql_error(232, target.name, f"{value:f}")
    if source.name == "uniqueidentifier":
        raise sql_error(8170)
    return text[:length]


def _string_to_string(source: SqlType, target: SqlType) -> Converter:
    narrow = source.is_unicode and not target.is_unicode
    length = target.length
    fixed = target.is_fixed
    if length is None:
        return codepage.to_code_page if narrow else lambda text: text
    wide = target.is_unicode

    def run(text: str) -> str:
        if narrow:
            text = codepage.to_code_page(text)
        if wide:
            if len(text) * 2 > length:
                text = codepage.cut(text, length)
            return text + " " * (length - codepage.width(text)) if fixed else text
        text = text[:length]
        return text.ljust(length) if fixed else text

    return run


def _writer(source: SqlType, target: SqlType, style: int | None) -> Callable[[Any], str]:
    if source.is_integer:
        return str
    if source.name == "decimal":
        return lambda value: decimals.text(decimals.unpack(value, source), source.scale)
    if source.is_float:
        return lambda value: float_text(value, style or 0)
    if source.is_time:
        return lambda value: format_value(value, source, style)
    if source.is_binary:
        if style in (1, 2):
            prefix = "0x" if style == 1 else ""
            return lambda value: prefix + value.hex().upper()
        if style:
            raise unsupported_value(f"style {style} of binary values")
        if target.is_unicode:
            return lambda value: (
                value.decode("utf-16-le", "replace")
                if not len(value) % 2
                else ((value + b"\0").decode("utf-16-le", "replace"))
            )
        return codepage.decode
    return lambda value: value


# Numbers

_INT_COLUMNS: Final = {"smallint": "INT2", "tinyint": "INT1"}
_SIZES: Final = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}


def _to_integer(source: SqlType, target: SqlType) -> Converter:
    name = target.name
    low, high = RANGES[name]
    if source.is_string:
        return _string_to_integer(source, target)
    if source.is_binary:
        size = _SIZES[name]
        signed = name not in ("bit", "tinyint")
        return lambda value: int.from_bytes(value[-size:].rjust(size, b"\0"), "big", signed=signed)
    if name == "bit":
        if source.name == "decimal":
            return lambda value: int(decimals.unpack(value, source) != 0)
        return lambda value: int(value != 0)
    if source.is_integer:
        return _integer_to_integer(source, target)
    if source.name == "decimal":
        unit = 10**source.scale

        def whole(value: Any) -> int:
            unscaled = decimals.unpack(value, source)
            number = abs(unscaled) // unit
            number = -number if unscaled < 0 else number
            if low <= number <= high:
                return int(number)
            raise sql_error(8115, "numeric", name)

        return whole
    if source.is_float:

        def cut(value: float) -> int:
            if math.isfinite(value) and low <= (number := int(value)) <= high:
                return number
            if name == "bigint":
                raise sql_error(8115, "expression", name)
            raise sql_error(232, name, f"{value:f}")

        return cut
    return _days(low, high, name)


def _days(low: int, high: int, name: str) -> Converter:
    """Datetime as a number: days since 1900, rounded to the nearest."""
    from .datetimes import DAY, EPOCH_1900

    def run(value: int) -> int:
        number = (value - EPOCH_1900 + DAY // 2) // DAY
        if low <= number <= high:
            return number
        raise sql_error(8115, "expression", name)

    return run


def _integer_to_integer(source: SqlType, target: SqlType) -> Converter:
    low, high = RANGES[target.name]
    if RANGES[source.name][0] >= low and RANGES[source.name][1] <= high:
        return lambda value: value
    small = target.name in _INT_COLUMNS

    def narrow(value: int) -> int:
        if low <= value <= high:
            return value
        if small:
            raise sql_error(220, target.name, value)
        raise sql_error(8115, "expression", target.name)

    return narrow


def _string_to_integer(source: SqlType, target: SqlType) -> Converter:
    name = target.name
    low, high = RANGES[name]

    def parse(text: str) -> int:
        number = parse_whole(text)
        if number is None:
            if name == "bit" and (word := text.strip(" ").lower()) in ("true", "false"):
                return int(word == "true")
            if name == "bigint":
                raise sql_error(8114, source.name, "bigint")
            raise sql_error(245, source.name, text, name)
        if name == "bit":
            return int(number != 0)
        if low <= number <= high:
            return number
        if name == "int":
            raise sql_error(248, source.name, text)
        if name == "bigint":
            raise sql_error(8115, "expression", "bigint")
        raise sql_error(244, source.name, text, _INT_COLUMNS[name])

    return parse


def to_real(value: float) -> float:
    """A float at real's precision. 232: too large."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        raise sql_error(232, "real", f"{value:f}") from None


def _to_float(source: SqlType, target: SqlType) -> Converter:
    read: Callable[[Any], float]
    if source.is_string:

        def parse(text: str) -> float:
            number = parse_float(text)
            if number is None:
                raise sql_error(8114, source.name, target.name)
            if math.isinf(number):
                raise sql_error(8115, source.name, target.name)
            return number

        read = parse
    elif source.name == "decimal":
        unit = 10**source.scale

        def divide(value: Any) -> float:
            return float(decimals.unpack(value, source) / unit)

        read = divide
    elif source.is_time:
        from .datetimes import DAY, EPOCH_1900

        def days(value: int) -> float:
            return (value - EPOCH_1900) / DAY

        read = days
    else:
        read = float
    if target.name == "real" and source.name != "real":
        return lambda value: to_real(read(value))
    return read


def _to_decimal(source: SqlType, target: SqlType) -> Converter:
    scale = target.scale
    if source.is_integer:
        unit = 10**scale
        return lambda value: decimals.pack(value * unit, target, source.name)
    if source.name == "decimal":
        return lambda value: decimals.pack(
            decimals.rescale(decimals.unpack(value, source), source.scale, scale), target
        )
    if source.is_float:

        def from_float(value: float) -> Any:
            if not math.isfinite(value):
                raise sql_error(8115, source.name, "numeric")
            return decimals.pack(decimals.from_float(value, scale), target, source.name)

        return from_float
    if source.is_string:

        def parse(text: str) -> Any:
            value = decimals.parse(text, scale)
            if value is None:
                raise sql_error(8114, source.name, "numeric")
            return decimals.pack(value, target, source.name)

        return parse
    raise unsupported_value(f"conversion of {source.name} to decimal")
