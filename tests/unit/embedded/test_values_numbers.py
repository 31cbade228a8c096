"""Arithmetic and mathematical functions."""

from __future__ import annotations

import math
from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.conversions import convert, converter
from chokaq.embedded.values.functions import resolve
from chokaq.embedded.values.numbers import arithmetic, negate
from chokaq.embedded.values.types import FLOAT, NULL, SqlType, arithmetic_type, parse_type, varchar


def kind(text: str) -> SqlType:
    return NULL if text == "null" else parse_type(text)


def stored(value: Any, text: str) -> Any:
    """Decimals are given as text."""
    return (
        convert(value, "varchar(50)", text)
        if isinstance(value, str) and text.startswith("decimal")
        else value
    )


def compute(*case: Any) -> Any:
    left, left_type, operator, right, right_type = case
    one, other = kind(left_type), kind(right_type)
    try:
        value = arithmetic(operator, one, other)(stored(left, left_type), stored(right, right_type))
    except SqlError as error:
        return f"error {error.number}"
    result = arithmetic_type(operator, one, other)
    return converter(result, varchar(60))(value) if result.name == "decimal" else value


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ((7, "int", "/", 2, "int"), 3),
        ((-7, "int", "/", 2, "int"), -3),
        ((-7, "int", "%", 3, "int"), -1),
        ((7, "int", "%", -3, "int"), 1),
        ((1, "int", "/", 0, "int"), "error 8134"),
        ((1, "int", "%", 0, "int"), "error 8134"),
        ((2**31 - 1, "int", "+", 1, "int"), "error 8115"),
        ((2**31 - 1, "int", "+", 1, "bigint"), 2**31),
        ((2**63 - 1, "bigint", "+", 1, "int"), "error 8115"),
        ((-(2**31), "int", "/", -1, "int"), "error 8115"),
        ((200, "tinyint", "+", 100, "tinyint"), "error 8115"),
        ((1, "tinyint", "-", 2, "tinyint"), "error 8115"),
        ((5, "int", "&", 6, "int"), 4),
        ((5, "int", "^", 6, "int"), 3),
        (("5", "varchar(5)", "+", 3, "int"), 8),
        (("x", "varchar(5)", "+", 3, "int"), "error 245"),
        (("a", "varchar(5)", "+", "b", "nvarchar(5)"), "ab"),
        (("a", "varchar(5)", "+", None, "varchar(5)"), None),
        ((None, "int", "+", 1, "int"), None),
        ((b"a", "varbinary(5)", "+", b"b", "varbinary(5)"), b"ab"),
        ((1.5, "float", "+", 1, "int"), 2.5),
        ((1.0, "float", "/", 0, "int"), "error 8134"),
        ((1e308, "float", "*", 10, "int"), "error 8115"),
        (("1.50", "decimal(5,2)", "+", "2.255", "decimal(5,3)"), "3.755"),
        (("1.50", "decimal(5,2)", "*", "2.255", "decimal(5,3)"), "3.38250"),
        ((1, "int", "/", "3.0", "decimal(2,1)"), "0.333333"),
        ((2, "int", "/", "3.0", "decimal(2,1)"), "0.666666"),
        ((-2, "int", "/", "3.0", "decimal(2,1)"), "-0.666666"),
        (("7.5", "decimal(3,1)", "%", "2", "decimal(2,0)"), "1.5"),
        (("1", "decimal(5,2)", "/", "0", "decimal(5,2)"), "error 8134"),
        (("9" * 38, "decimal(38,0)", "+", 1, "int"), "error 8115"),
        (("12345678901234567890.5", "decimal(25,1)", "-", "0.5", "decimal(2,1)"), "12345678901234567890.0"),
    ],
)
def test_arithmetic(case: tuple[Any, ...], expected: Any) -> None:
    assert compute(*case) == expected


def test_datetime_arithmetic() -> None:
    start = convert("2024-01-01", "varchar(20)", "datetime")
    result = arithmetic("+", kind("datetime"), kind("int"))(start, 1)
    assert convert(result, "datetime", "varchar(30)", 121) == "2024-01-02 00:00:00.000"
    result = arithmetic("-", kind("datetime"), kind("float"))(start, 0.5)
    assert convert(result, "datetime", "varchar(30)", 121) == "2023-12-31 12:00:00.000"


def test_negate() -> None:
    assert negate(kind("int"))(5) == -5
    assert negate(kind("float"))(1.5) == -1.5
    assert negate(kind("decimal(5,2)"))(150) == -150
    assert negate(kind("int"))(None) is None
    for text, value in (("int", -(2**31)), ("tinyint", 1)):
        with pytest.raises(SqlError) as caught:
            negate(kind(text))(value)
        assert caught.value.number == 8115


def call(name: str, *arguments: tuple[Any, str]) -> Any:
    try:
        found = resolve(name, tuple(kind(text) for _, text in arguments))
        values = [
            converter(kind(text), target)(stored(value, text))
            for (value, text), target in zip(arguments, found.arguments, strict=True)
        ]
        value = found.evaluate(*values)
    except SqlError as error:
        return f"error {error.number}"
    return converter(found.result, varchar(60))(value) if found.result.name == "decimal" else value


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ABS", [(-5, "int")], 5),
        ("ABS", [(-(2**31), "int")], "error 8115"),
        ("ABS", [("-1.5", "decimal(5,2)")], "1.50"),
        ("ABS", [("-1.5", "varchar(5)")], 1.5),
        ("SIGN", [(-5, "int")], -1),
        ("SIGN", [(0.0, "float")], 0.0),
        ("SIGN", [("-2.5", "decimal(5,2)")], "-1.00"),
        ("FLOOR", [(-1.5, "float")], -2.0),
        ("FLOOR", [("-1.5", "decimal(5,2)")], "-2"),
        ("CEILING", [("-1.5", "decimal(5,2)")], "-1"),
        ("CEILING", [(1.2, "float")], 2.0),
        ("CEILING", [(5, "int")], 5),
        # From the page round of functions in Microsoft's T-SQL reference
        ("ROUND", [("123.9994", "decimal(7,4)"), (3, "int")], "123.9990"),
        ("ROUND", [("123.9995", "decimal(7,4)"), (3, "int")], "124.0000"),
        ("ROUND", [("123.4545", "decimal(7,4)"), (2, "int")], "123.4500"),
        ("ROUND", [("150.75", "decimal(5,2)"), (0, "int")], "151.00"),
        ("ROUND", [("150.75", "decimal(5,2)"), (0, "int"), (1, "int")], "150.00"),
        ("ROUND", [("748.58", "decimal(5,2)"), (-1, "int")], "750.00"),
        ("ROUND", [("748.58", "decimal(5,2)"), (-3, "int")], "error 8115"),
        ("ROUND", [(748, "int"), (-2, "int")], 700),
        ("ROUND", [(-750, "int"), (-2, "int")], -800),
        ("ROUND", [(2.5, "float"), (0, "int")], 3.0),
        ("ROUND", [(-2.5, "float"), (0, "int")], -3.0),
        ("ROUND", [(1234.5678, "float"), (2, "int")], 1234.57),
        ("ROUND", [(1234.5678, "float"), (-2, "int")], 1200.0),
        ("ROUND", [(1e300, "float"), (2, "int")], 1e300),
        ("POWER", [(2, "int"), (10, "int")], 1024),
        ("POWER", [(2, "int"), (31, "int")], "error 232"),
        ("POWER", [(2, "bigint"), (62, "int")], 2**62),
        ("POWER", [(2, "int"), (-1, "int")], 0),
        ("POWER", [(2.0, "float"), (0.5, "float")], math.sqrt(2)),
        ("POWER", [("2.50", "decimal(5,2)"), (2, "int")], "6.25"),
        ("POWER", [(-1.0, "float"), (0.5, "float")], "error 3623"),
        ("POWER", [(0, "int"), (-1, "int")], "error 8134"),
        ("POWER", [(1e200, "float"), (2, "int")], "error 8115"),
        ("LOG", [(math.e, "float")], 1.0),
        ("LOG", [(8, "int"), (2, "int")], 3.0),
        ("LOG", [(0, "int")], "error 3623"),
        ("LOG", [(5, "int"), (1, "int")], "error 3623"),
        ("LOG10", [(1000, "int")], 3.0),
        ("EXP", [(0, "int")], 1.0),
        ("EXP", [(1000, "int")], "error 8115"),
        ("SQRT", [(9, "int")], 3.0),
        ("SQRT", [(-1, "int")], "error 3623"),
        ("SQUARE", [(3, "int")], 9.0),
        ("PI", [], math.pi),
        ("ASIN", [(2, "int")], "error 3623"),
        ("ABS", [(None, "int")], None),
        ("LOG", [(None, "float")], None),
        ("ABS", [(0, "date")], "error 8116"),
    ],
)
def test_functions(name: str, arguments: list[tuple[Any, str]], expected: Any) -> None:
    result = call(name, *arguments)
    assert result == (pytest.approx(expected) if isinstance(expected, float) else expected)


def test_types() -> None:
    assert resolve("LOG", (kind("int"),)).result == FLOAT
    assert str(resolve("CEILING", (kind("decimal(7,2)"),)).result) == "decimal(7,0)"
    assert str(resolve("ABS", (kind("tinyint"),)).result) == "int"
    assert str(resolve("ROUND", (kind("bigint"), kind("int"))).result) == "bigint"
