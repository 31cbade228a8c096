"""Hashes, checksums, identifiers, random values."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.functions import SQL_FUNCTIONS, resolve
from chokaq.embedded.values.hashes import binary_checksum, checksum, new_id, new_sequential_id, rand
from chokaq.embedded.values.types import INT, NVARCHAR_MAX, nvarchar, parse_type, varchar


@pytest.mark.parametrize(
    ("algorithm", "value", "kind", "expected"),
    [
        ("MD5", "abc", "varchar(10)", "900150983CD24FB0D6963F7D28E17F72"),
        ("md5", "abc", "nvarchar(10)", "CE1473CF80C6B3FDA8E3DFC006ADC315"),
        ("SHA1", "abc", "varchar(10)", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
        (
            "SHA2_256",
            "abc",
            "varchar(10)",
            "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        ),
        (
            "SHA2_256",
            b"abc",
            "varbinary(10)",
            "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        ),
        ("SHA2_256", "€", "varchar(10)", None),
    ],
)
def test_hashbytes(algorithm: str, value: Any, kind: str, expected: str | None) -> None:
    result = resolve("HASHBYTES", (varchar(10), parse_type(kind))).evaluate(algorithm, value)
    if expected is None:
        # Code page 1252 has the euro sign at 0x80.
        expected = (
            resolve("HASHBYTES", (varchar(10), parse_type("varbinary(1)")))
            .evaluate(algorithm, b"\x80")
            .hex()
            .upper()
        )
    assert result.hex().upper() == expected


def test_hashbytes_refuses() -> None:
    assert resolve("HASHBYTES", (varchar(10), NVARCHAR_MAX)).evaluate("CRC32", "abc") is None
    assert resolve("HASHBYTES", (varchar(10), NVARCHAR_MAX)).evaluate("MD5", None) is None
    assert len(resolve("HASHBYTES", (varchar(10), NVARCHAR_MAX)).evaluate("SHA2_512", "x" * 100_000)) == 64
    with pytest.raises(SqlError) as caught:
        resolve("HASHBYTES", (varchar(10), INT))
    assert caught.value.number == 8116


def test_checksums() -> None:
    assert checksum("abc") == checksum("ABC  ") != checksum("abd")
    assert binary_checksum("abc") != binary_checksum("ABC")
    assert checksum(7) == 7
    assert checksum("a", "bc") != checksum("ab", "c")
    assert checksum(None) != checksum("")
    assert checksum(1, 2) != checksum(2, 1)
    assert all(-(2**31) <= checksum(f"x{n}", n) < 2**31 for n in range(1000))
    assert resolve("CHECKSUM", (varchar(5), INT)).evaluate("a", 1) == checksum("A", 1)


def test_identifiers() -> None:
    assert uuid.UUID(new_id()).version == 4
    assert new_id().isupper()
    made = [new_sequential_id() for _ in range(1000)]
    assert made == sorted(made)
    assert len(set(made)) == 1000
    assert uuid.UUID(made[0])


def test_random() -> None:
    assert rand(5) == rand(5)
    assert 0 < rand() < 1
    assert resolve("RAND", ()).result.name == "float"
    assert len(resolve("CRYPT_GEN_RANDOM", (INT,)).evaluate(8)) == 8
    assert resolve("CRYPT_GEN_RANDOM", (INT,)).evaluate(0) is None


def test_what_is_constant() -> None:
    assert resolve("NEWID", ()).per_row
    assert not resolve("SYSUTCDATETIME", ()).per_row
    assert not resolve("SYSUTCDATETIME", ()).deterministic
    assert resolve("LEN", (nvarchar(5),)).deterministic
    assert {name for name, function in SQL_FUNCTIONS.items() if not function.deterministic} == {
        "chokaq_newid", "chokaq_newsequentialid", "chokaq_crypt_gen_random", "chokaq_rand",
        "chokaq_sysutcdatetime",
        "chokaq_sysdatetime", "chokaq_sysdatetimeoffset", "chokaq_getutcdate", "chokaq_getdate",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"), [("1", 1), ("-1.5e3", 1), ("abc", 0), ("", 0), ("$5", 1), ("1,000", 1), (None, 0)]
)
def test_isnumeric(text: str | None, expected: int) -> None:
    assert resolve("ISNUMERIC", (varchar(10),)).evaluate(text) == expected
