"""Between Python values and stored values: parameters on the way in, rows on the way out."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import uuid
from collections.abc import Callable
from typing import Any

from .sqltypes import BIGINT, BIT, DATE, FLOAT, GUID, INT, NULL_TYPE, SqlType
from .values import datetimes
from .values.codepage import width as units
from .values.conversions import converter

_DATETIME2_6 = SqlType("datetime2", scale=6)


def stored(value: Any) -> tuple[Any, SqlType]:
    """A parameter as a stored value, and the type that ODBC would give it. TypeError for other types."""
    if value is None:
        return None, NULL_TYPE
    if isinstance(value, bool):
        return int(value), BIT
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return int(value), INT
        if -(2**63) <= value < 2**63:
            return int(value), BIGINT
        raise OverflowError(f"{value} does not fit a bigint")
    if isinstance(value, str):
        size = units(value)
        return str(value), SqlType("nvarchar", max(1, size) if size <= 4000 else None)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("float parameters must be finite")
        return float(value), FLOAT
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        return data, SqlType("varbinary", max(1, len(data)) if len(data) <= 8000 else None)
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, dt.datetime):
        return datetimes.from_datetime(value), _DATETIME2_6
    if isinstance(value, dt.date):
        return datetimes.from_date(value), DATE
    if isinstance(value, dt.time):
        return datetimes.from_time(value), SqlType("time", scale=6)
    if isinstance(value, uuid.UUID):
        return str(value).upper(), GUID
    raise TypeError(f"a parameter of type {type(value).__name__} cannot be bound")


def _decimal(value: decimal.Decimal) -> tuple[Any, SqlType]:
    from .values import decimals

    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError("decimal parameters must be finite")
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    kind = SqlType("decimal", 0, precision, scale)
    number = int("".join(map(str, digits))) * 10 ** max(0, exponent)
    return decimals.pack(-number if sign else number, kind), kind


def fetcher(kind: SqlType) -> Callable[[Any], Any] | None:
    """How a stored value is shown to the client; None: as it is."""
    name = kind.name
    if name == "bit":
        return bool
    if name in ("datetime2", "datetime", "smalldatetime"):
        return datetimes.to_datetime
    if name == "date":
        return datetimes.to_date
    if name == "time":
        return datetimes.to_time
    if name == "datetimeoffset":
        # pyodbc has no type for it.
        return converter(kind, SqlType("varchar", 34))
    if name == "decimal":
        from .values import decimals

        return lambda value: decimal.Decimal(decimals.unpack(value, kind)).scaleb(-kind.scale, _CONTEXT)
    return None


_CONTEXT = decimal.Context(prec=60)
_PYTHON_TYPES = {
    "bit": bool,
    "float": float,
    "real": float,
    "decimal": decimal.Decimal,
    "datetime2": dt.datetime,
    "datetime": dt.datetime,
    "smalldatetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "binary": bytes,
    "varbinary": bytes,
    "tinyint": int,
    "smallint": int,
    "int": int,
    "bigint": int,
}


def description(name: str, kind: SqlType) -> tuple[str, type, None, int, int, int, bool]:
    """A column of cursor.description, as pyodbc gives it."""
    from .metadata import type_facts

    if kind.is_string or kind.is_binary:
        size = kind.length or 0
        return name, _PYTHON_TYPES.get(kind.name, str), None, size, size, 0, True
    _, _, precision, scale = type_facts(kind)
    return name, _PYTHON_TYPES.get(kind.name, str), None, precision, precision, scale, True
