"""Text: the code page of varchar, the collation key that decides equality and order, lengths in UTF-16 units."""

from __future__ import annotations


def key(text: str | None) -> str | None:
    """What stands for a string in comparisons: no case, no trailing spaces; accents count."""
    if text is None:
        return None
    if text.isascii():
        return text.rstrip(" ").lower()
    return text.rstrip(" ").casefold()


def to_code_page(text: str) -> str:
    """The text as a varchar holds it: what Windows-1252 lacks becomes ``?``."""
    if text.isascii():
        return text
    return "".join(_narrow(character) for character in _as_units(text))


def _narrow(character: str) -> str:
    code = ord(character)
    if code < 0x80 or 0xA0 <= code <= 0xFF or character in _HIGH:
        return character
    return "?"


# The five positions that Windows-1252 leaves free map to themselves, as Windows does it.
_HIGH = frozenset(
    bytes(range(0x80, 0xA0)).replace(b"\x81", b"").replace(b"\x8d", b"").replace(b"\x8f", b"").replace(b"\x90", b"")
    .replace(b"\x9d", b"").decode("cp1252") + "\x81\x8d\x8f\x90\x9d"
)  # fmt: skip


def encode(text: str) -> bytes:
    """varchar as bytes."""
    try:
        return text.encode("cp1252")
    except UnicodeEncodeError:
        return b"".join(
            character.encode("latin-1") if character in "\x81\x8d\x8f\x90\x9d" else character.encode("cp1252", "replace")
            for character in _as_units(text)
        )


def decode(data: bytes) -> str:
    """Bytes as varchar."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(
            chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes((byte,)).decode("cp1252") for byte in data
        )


def units(text: str) -> int:
    """Length in UTF-16 code units, which is what nvarchar counts."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def cut(text: str, length: int) -> str:
    """The first ``length`` UTF-16 units; half a pair is not left over."""
    if len(text) * 2 <= length or text.isascii():
        return text[:length]
    if units(text) <= length:
        return text
    size = 0
    for index, character in enumerate(text):
        size += 2 if character > "\uffff" else 1
        if size > length:
            return text[:index]
    return text


def _as_units(text: str) -> str:
    """A character outside the basic plane counts as two, so it becomes two question marks."""
    return "".join("\ufffe\ufffe" if character > "\uffff" else character for character in text)
