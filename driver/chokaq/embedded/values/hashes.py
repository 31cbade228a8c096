"""HASHBYTES, checksums, identifiers and random numbers."""

from __future__ import annotations

import hashlib
import os
import random
import time
import uuid
import zlib
from typing import Any, Final

from .codepage import encode, utf16
from .strings import key

__all__ = [
    "binary_checksum",
    "checksum",
    "crypt_gen_random",
    "hash_bytes",
    "new_id",
    "new_sequential_id",
    "rand",
]

_ALGORITHMS: Final = {
    "md5": "md5",
    "sha": "sha1",
    "sha1": "sha1",
    "sha2_256": "sha256",
    "sha2_512": "sha512",
}


def hash_bytes(algorithm: str, value: str | bytes, *, wide: bool = False) -> bytes | None:
    """HASHBYTES over the bytes that SQL Server stores: code page 1252 for varchar, UTF-16 (``wide``) for
    nvarchar. NULL for an unknown algorithm.
    """
    name = _ALGORITHMS.get(algorithm.rstrip(" ").lower())
    if name is None:
        return None
    data = value if isinstance(value, bytes) else utf16(value) if wide else encode(value)
    return hashlib.new(name, data, usedforsecurity=False).digest()


def checksum(*values: Any) -> int:
    """CHECKSUM: equal for values that compare equal. Deterministic, but its numbers are not SQL Server's
    (except for one whole number, which is its own checksum).
    """
    return _combine([key(value) if isinstance(value, str) else value for value in values])


def binary_checksum(*values: Any) -> int:
    """BINARY_CHECKSUM: as CHECKSUM, but case and trailing spaces count."""
    return _combine(list(values))


def _combine(values: list[Any]) -> int:
    if len(values) == 1 and isinstance(values[0], int) and -(2**31) <= values[0] < 2**31:
        return values[0]
    state = 0
    for value in values:
        if value is None:
            data = b"\0n"
        elif isinstance(value, bytes):
            data = value
        else:
            data = str(value).encode("utf-8", "surrogatepass")
        state = zlib.crc32(len(data).to_bytes(4, "big") + data, state)
    return state - 2**32 if state >= 2**31 else state


def new_id() -> str:
    """NEWID."""
    return str(uuid.uuid4()).upper()


_sequence: Final = {"next": 0}


def new_sequential_id() -> str:
    """NEWSEQUENTIALID: grows within a process, in the order in which SQL Server sorts uniqueidentifiers by
    their text here; a new range begins with every process start.
    """
    value = max(_sequence["next"], time.time_ns() // 100 << 16)
    _sequence["next"] = value + 1
    text = f"{value % 2**80:020X}{_NODE}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"


_NODE: Final = os.urandom(6).hex().upper()


def crypt_gen_random(size: int) -> bytes | None:
    """CRYPT_GEN_RANDOM; NULL for a size outside 1 to 8,000."""
    return os.urandom(size) if 1 <= size <= 8000 else None


_random: Final = random.Random()


def rand(seed: int | None = None) -> float:
    """RAND: 0 to 1, both excluded as on the server. A seed gives the same number every time (not SQL Server's
    number) and starts the sequence that follows.
    """
    if seed is not None:
        _random.seed(seed)
    return _random.random() or 2**-53
