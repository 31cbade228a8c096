"""Characters: the code page of varchar (Windows-1252) and the UTF-16 units in which nvarchar counts.

Half a surrogate pair cannot be stored (SQLite keeps UTF-8), so where a function cuts a pair in two, each half
left over becomes U+FFFD.
"""

from __future__ import annotations

import re

__all__ = [
    "cut",
    "decode",
    "encode",
    "fits_code_page",
    "from_units",
    "to_code_page",
    "to_units",
    "utf16",
    "width",
]

# Windows maps the five free positions of the page to the control characters of the same number.
_FREE = "\x81\x8d\x8f\x90\x9d"
_PAGE = frozenset(
    bytes(byte for byte in range(256) if chr(byte) not in _FREE).decode("cp1252") + _FREE,
)
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def fits_code_page(text: str) -> bool:
    """Whether varchar holds the text as it is."""
    return text.isascii() or _PAGE.issuperset(text)


def to_code_page(text: str) -> str:
    """The text as varchar holds it: ``?`` for every UTF-16 unit that the page lacks."""
    if fits_code_page(text):
        return text
    return "".join([c if c in _PAGE else "?" if c <= "\uffff" else "??" for c in text])


def encode(text: str) -> bytes:
    """The bytes of a varchar value."""
    if text.isascii():
        return text.encode("ascii")
    return b"".join([c.encode("latin-1" if c in _FREE else "cp1252") for c in to_code_page(text)])


def decode(data: bytes) -> str:
    """The varchar value of the bytes."""
    if data.isascii():
        return data.decode("ascii")
    return "".join([chr(byte) if chr(byte) in _FREE else bytes((byte,)).decode("cp1252") for byte in data])


def utf16(text: str) -> bytes:
    """The bytes of an nvarchar value."""
    return text.encode("utf-16-le", "surrogatepass")


def to_units(text: str) -> str:
    """The text with surrogate pairs in place of characters beyond U+FFFF: one character a UTF-16 unit."""
    if text.isascii() or not _ASTRAL.search(text):
        return text
    return _ASTRAL.sub(_split, text)


def _split(match: re.Match[str]) -> str:
    code = ord(match[0]) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def from_units(units: str) -> str:
    """The reverse of ``to_units``; halves without their other half become U+FFFD."""
    if units.isascii() or not _SURROGATE.search(units):
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def width(text: str) -> int:
    """Number of UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(c > "\uffff" for c in text)


def cut(text: str, length: int) -> str:
    """The first ``length`` UTF-16 units; a pair is not cut in two."""
    if len(text) * 2 <= length or text.isascii():
        return text[:length]
    units = to_units(text)
    if len(units) <= length:
        return text
    end = length - 1 if "\ud800" <= units[length - 1 : length] <= "\udbff" else length
    return from_units(units[:end])
