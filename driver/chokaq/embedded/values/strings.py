"""String functions over stored text. NULL arguments give NULL unless a function says otherwise.

Positions and lengths count UTF-16 units, as nvarchar does without an _SC collation; a varchar holds no
character beyond U+FFFF, so for it they are characters. ``binary`` means a BIN2 collation: comparison by
code point, no folding. NUL characters are characters like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from ..errors import sql_error
from .codepage import cut, fits_code_page, from_units, to_units, width

__all__ = [
    "ascii_code",
    "char",
    "charindex",
    "concat",
    "concat_ws",
    "data_length",
    "difference",
    "fold",
    "key",
    "left",
    "length",
    "lower",
    "ltrim",
    "nchar",
    "quote_name",
    "replace",
    "replicate",
    "reverse",
    "right",
    "rtrim",
    "space",
    "str_number",
    "string_escape",
    "string_split",
    "stuff",
    "substring",
    "translate",
    "trim",
    "unicode_code",
    "upper",
]


# Collation


def key(text: str | None) -> str | None:
    """What stands for a string wherever strings are compared, grouped or sorted: no case, no trailing spaces;
    accents count. For ASCII it equals SQLite's ``lower(rtrim(x, ' '))``.
    """
    if text is None:
        return None
    return text.rstrip(" ").casefold()


def fold(text: str) -> str:
    """Case taken away without changing the length, for searching inside strings."""
    if text.isascii():
        return text.lower()
    return "".join([_fold_one(c) for c in text])


@lru_cache(maxsize=4096)
def _fold_one(character: str) -> str:
    folded = character.casefold()
    return folded if len(folded) == 1 else character


# Lengths and pieces


def length(text: str) -> int:
    """LEN: trailing spaces do not count."""
    return width(text.rstrip(" "))


def data_length(value: Any, kind: str, size: int = 0) -> int:
    """DATALENGTH. ``kind``: the type's name; ``size``: bytes of a type of fixed size."""
    if isinstance(value, str):
        if kind in ("nvarchar", "nchar"):
            return 2 * width(value)
        return len(value) if kind in ("varchar", "char") else size
    return len(value) if isinstance(value, bytes) else size


def left(text: str, count: int) -> str:
    """LEFT. 537: negative length."""
    if count < 0:
        raise sql_error(537)
    if text.isascii():
        return text[:count]
    return from_units(to_units(text)[:count])


def right(text: str, count: int) -> str:
    """RIGHT. 536: negative length."""
    if count < 0:
        raise sql_error(536, "right")
    if not count:
        return ""
    if text.isascii():
        return text[-count:]
    return from_units(to_units(text)[-count:])


def substring(value: Any, start: int, count: int) -> Any:
    """SUBSTRING of text or binary; positions before 1 count as characters that are not there. 537: negative
    length.
    """
    if count < 0:
        raise sql_error(537)
    first = max(start, 1) - 1
    end = max(start + count - 1, first)
    if isinstance(value, bytes) or value.isascii():
        return value[first:end]
    return from_units(to_units(value)[first:end])


def stuff(text: str, start: int, count: int, insert: str | None) -> str | None:
    """STUFF; NULL for a start outside the text or a negative length. A NULL ``insert`` only deletes."""
    units = to_units(text)
    if start < 1 or start > len(units) or count < 0:
        return None
    return from_units(units[: start - 1] + to_units(insert or "") + units[start - 1 + count :])


def reverse(text: str) -> str:
    """REVERSE; surrogate pairs fall apart, as on the server."""
    return text[::-1] if text.isascii() else from_units(to_units(text)[::-1])


def replicate(text: str, count: int, limit: int | None) -> str | None:
    """REPLICATE; NULL for a negative count. ``limit``: bytes, for text that is not (max)."""
    if count < 0:
        return None
    if limit is None or not text:
        return text * count if text else ""
    return cut(text * min(count, limit), limit)


def space(count: int) -> str | None:
    """SPACE: at most 8,000."""
    return None if count < 0 else " " * min(count, 8000)


# Searching


def charindex(find: str, text: str, start: int = 1, *, binary: bool = False) -> int:
    """CHARINDEX: 1-based, 0 when absent."""
    if not find:
        return 0
    find, text = to_units(find), to_units(text)
    if not binary:
        find, text = fold(find), fold(text)
    return text.find(find, max(start, 1) - 1) + 1


def replace(text: str, find: str, by: str, *, binary: bool = False) -> str:
    """REPLACE by the collation."""
    if not find or len(find) > len(text):
        return text
    if binary:
        return text.replace(find, by)
    low, sought = fold(text), fold(find)
    if sought not in low:
        return text
    parts = []
    last = 0
    for at in _places(low, sought):
        parts.append(text[last:at])
        last = at + len(sought)
    parts.append(text[last:])
    return by.join(parts)


def _places(text: str, find: str) -> Iterator[int]:
    at = text.find(find)
    while at >= 0:
        yield at
        at = text.find(find, at + len(find))


def translate(text: str, old: str, new: str) -> str:
    """TRANSLATE. 9828: the lists differ in length."""
    if len(old) != len(new):
        raise sql_error(9828)
    table: dict[str, str] = {}
    for source, target in zip(fold(old), new, strict=True):
        table.setdefault(source, target)
    return "".join([table.get(_fold_one(c), c) for c in text])


# Case and trimming


@lru_cache(maxsize=4096)
def _upper_one(character: str, narrow: bool) -> str:
    changed = character.upper()
    return changed if len(changed) == 1 and (not narrow or fits_code_page(changed)) else character


def upper(text: str, *, narrow: bool = False) -> str:
    """UPPER; a character whose upper case is longer, or (``narrow``) not in varchar's page, stays."""
    return text.upper() if text.isascii() else "".join([_upper_one(c, narrow) for c in text])


def lower(text: str) -> str:
    """LOWER; a character whose lower case is longer stays."""
    if text.isascii():
        return text.lower()
    return "".join([low if len(low := c.lower()) == 1 else c for c in text])


def ltrim(text: str) -> str:
    return text.lstrip(" ")


def rtrim(text: str) -> str:
    return text.rstrip(" ")


def trim(text: str, characters: str = " ") -> str:
    return text.strip(characters) if characters else text


# Joining and splitting


def concat(*parts: str | None) -> str:
    """CONCAT of texts; NULL counts as empty."""
    return "".join([part for part in parts if part])


def concat_ws(separator: str | None, *parts: str | None) -> str:
    """CONCAT_WS: NULL parts are left out, separator included."""
    return (separator or "").join([part for part in parts if part is not None])


def string_split(text: str | None, separator: str | None) -> list[str]:
    """STRING_SPLIT. 214: the separator is not one character."""
    if separator is None or width(separator) != 1:
        raise sql_error(214, "separator", "nchar(1)/nvarchar(1)")
    return [] if text is None else _split(text, separator)


def _split(text: str, separator: str) -> list[str]:
    if fold(separator) == separator and separator.upper() == separator:
        return text.split(separator)
    parts, last = [], 0
    for at in _places(fold(text), fold(separator)):
        parts.append(text[last:at])
        last = at + 1
    return [*parts, text[last:]]


# Codes and quoting


def ascii_code(text: str) -> int | None:
    """ASCII: the byte of the first character as varchar holds it."""
    from .codepage import encode

    return encode(text[0])[0] if text else None


def char(code: int) -> str | None:
    """CHAR."""
    from .codepage import decode

    return decode(bytes((code,))) if 0 <= code <= 255 else None


def unicode_code(text: str) -> int | None:
    """UNICODE: the first UTF-16 unit."""
    return ord(to_units(text[0])[0]) if text else None


def nchar(code: int) -> str | None:
    """NCHAR without an _SC collation; half a surrogate pair is U+FFFD here."""
    return from_units(chr(code)) if 0 <= code <= 0xFFFF else None


_QUOTES: Final = {
    "[": ("[", "]"), "]": ("[", "]"), "'": ("'", "'"), '"': ('"', '"'), "(": ("(", ")"), ")": ("(", ")"),
    "<": ("<", ">"), ">": ("<", ">"), "{": ("{", "}"), "}": ("{", "}"), "`": ("`", "`"),
}  # fmt: skip


def quote_name(text: str, mark: str = "[") -> str | None:
    """QUOTENAME; NULL for more than 128 characters or an unknown mark."""
    pair = _QUOTES.get(mark[:1])
    if pair is None or width(text) > 128:
        return None
    return pair[0] + text.replace(pair[1], pair[1] * 2) + pair[1]


_ESCAPES: Final = {
    **{chr(code): f"\\u{code:04x}" for code in range(32)},
    '"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip
_TO_ESCAPE: Final = re.compile(r'[\x00-\x1f"\\/]')


def string_escape(text: str, kind: str = "json") -> str:
    """STRING_ESCAPE. 13622: the type is not json."""
    if kind.rstrip(" ").lower() != "json":
        raise sql_error(13622, 2)
    return _TO_ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def str_number(value: float, size: int = 10, digits: int = 0) -> str | None:
    """STR: right-justified; stars when the whole part does not fit."""
    if size < 0 or digits < 0:
        return None
    digits = min(digits, 16)
    text = f"{value:.{digits}f}"
    if len(text) > size and "." in text:
        whole = text.index(".")
        room = size - whole - 1
        text = f"{value:.{max(room, 0)}f}" if whole <= size else text
    return text.rjust(size) if len(text) <= size else "*" * size


_SOUNDS: Final = {
    c: d for d, group in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1) for c in group
}


def soundex(text: str) -> str:
    """SOUNDEX."""
    word = upper(text)
    if not word or not word[0].isalpha():
        return "0000"
    code = word[0]
    last = _SOUNDS.get(word[0], 0)
    for letter in word[1:]:
        if not letter.isalpha():
            break
        sound = _SOUNDS.get(letter, 0)
        if sound and sound != last:
            code += str(sound)
        if letter not in "HW":
            last = sound
    return code[:4].ljust(4, "0")


def difference(one: str, other: str) -> int:
    """DIFFERENCE: 0 to 4 equal places of the two SOUNDEX codes."""
    return sum(a == b for a, b in zip(soundex(one), soundex(other), strict=True))
