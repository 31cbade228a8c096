"""Conversions into binary, varbinary and uniqueidentifier."""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Callable
from typing import Any, Final

from ..errors import sql_error, unsupported_value
from . import codepage
from .types import SqlType

__all__ = ["to_binary", "to_guid"]

_GUID: Final = re.compile(
    r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\S*\})"
    r"|\{[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\})",
    re.IGNORECASE | re.ASCII,
)
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*", re.IGNORECASE | re.ASCII)
_SIZES: Final = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}


def to_guid(source: SqlType) -> Callable[[Any], str]:
    """From text (what follows the 36 characters is ignored), binary or uniqueidentifier. 8169: malformed."""
    if source.is_binary:
        return lambda value: str(uuid.UUID(bytes_le=value[:16].ljust(16, b"\0"))).upper()

    def parse(text: str) -> str:
        found = _GUID.match(text)
        if found is None:
            raise sql_error(8169)
        return found[0].strip("{}").upper()

    return parse


def to_binary(source: SqlType, target: SqlType, style: int | None) -> Callable[[Any], bytes]:
    """Numbers keep their last bytes, everything else its first."""
    length = target.length
    fixed = target.is_fixed
    if source.is_integer:
        size = _SIZES[source.name]
        signed = source.name not in ("bit", "tinyint")

        def from_integer(value: int) -> bytes:
            data = value.to_bytes(size, "big", signed=signed)
            if length is None:
                return data
            return data[-length:].rjust(length, b"\0") if fixed else data[-length:]

        return from_integer
    read = _reader(source, style)

    def finish(value: Any) -> bytes:
        data = read(value)
        if length is None:
            return data
        return data[:length].ljust(length, b"\0") if fixed else data[:length]

    return finish


def _reader(source: SqlType, style: int | None) -> Callable[[Any], bytes]:
    if source.is_string:
        if style in (1, 2):
            return _hex_reader(source, style)
        return codepage.utf16 if source.is_unicode else codepage.encode
    if source.is_binary:
        return bytes
    if source.name == "uniqueidentifier":
        return lambda value: uuid.UUID(value).bytes_le
    if source.is_float:
        form = ">d" if source.name == "float" else ">f"
        return lambda value: struct.pack(form, value)
    # The bytes of these are SQL Server's internal form.
    raise unsupported_value(f"conversion of {source.name} to binary")


def _hex_reader(source: SqlType, style: int) -> Callable[[str], bytes]:
    def read(text: str) -> bytes:
        body = text
        if style == 1:
            body = text[2:] if text[:2].lower() == "0x" else "?"
        if not _HEX.fullmatch(body):
            raise sql_error(8114, source.name, "varbinary")
        return bytes.fromhex(body)

    return read
