"""Types as written, precedence, conversions allowed, types of expressions."""

from __future__ import annotations

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.types import (
    EXPLICIT,
    FORBIDDEN,
    IMPLICIT,
    NULL,
    SqlType,
    arithmetic_type,
    branch_type,
    comparison_type,
    concat_type,
    conversion,
    literal_type,
    parse_type,
)


def kind(text: str) -> SqlType:
    return NULL if text == "null" else parse_type(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("int", "int"),
        ("INTEGER", "int"),
        ("[nvarchar](max)", "nvarchar(max)"),
        ("NVARCHAR ( 50 )", "nvarchar(50)"),
        ("varchar", "varchar(1)"),
        ("sysname", "nvarchar(128)"),
        ("decimal", "decimal(18,0)"),
        ("numeric(10)", "decimal(10,0)"),
        ("numeric(10, 2)", "decimal(10,2)"),
        ("float(24)", "real"),
        ("float(25)", "float"),
        ("double precision", "float"),
        ("datetime2", "datetime2(7)"),
        ("datetime2(3)", "datetime2(3)"),
        ("time(0)", "time(0)"),
        ("datetimeoffset", "datetimeoffset(7)"),
        ("national character varying(5)", "nvarchar(5)"),
        ("[sys].[bit]", "bit"),
        ("varbinary(MAX)", "varbinary(max)"),
        ("datetime", "datetime"),
        ("uniqueidentifier", "uniqueidentifier"),
    ],
)
def test_parse(text: str, shown: str) -> None:
    assert str(parse_type(text)) == shown
    assert parse_type(shown) == parse_type(text)


def test_strings_have_30_characters_in_cast() -> None:
    assert parse_type("varchar", cast=True).length == 30
    assert parse_type("nchar", cast=True).length == 30


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("geography", 243),
        ("varchar(8001)", 131),
        ("nvarchar(4001)", 131),
        ("varchar(0)", 1001),
        ("char(max)", 291),
        ("int(4)", 291),
        ("decimal(39)", 2750),
        ("decimal(5,6)", 2751),
        ("datetime2(8)", 1002),
        ("float(54)", 1001),
        ("varchar(a)", 102),
        ("(5)", 102),
    ],
)
def test_parse_refuses(text: str, number: int) -> None:
    with pytest.raises(SqlError) as caught:
        parse_type(text)
    assert caught.value.number == number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1", "int"),
        ("2147483647", "int"),
        # docs: int, bigint …: constants beyond int become decimal, not bigint.
        ("2147483648", "decimal(10,0)"),
        ("1.50", "decimal(3,2)"),
        ("0.5", "decimal(1,1)"),
        ("12.345", "decimal(5,3)"),
        ("1e3", "float"),
        ("'abc'", "varchar(3)"),
        ("''", "varchar(1)"),
        ("N'it''s'", "nvarchar(4)"),
        ("N'😀'", "nvarchar(2)"),
        ("0x1F", "varbinary(1)"),
        ("0xABC", "varbinary(2)"),
        ("NULL", "null"),
    ],
)
def test_literals(text: str, shown: str) -> None:
    assert str(literal_type(text)) == shown


# From the page cast-and-convert of functions in Microsoft's T-SQL reference, the table of conversions
@pytest.mark.parametrize(
    ("source", "target", "allowed"),
    [
        ("varchar(5)", "int", IMPLICIT),
        ("varchar(5)", "varbinary(5)", EXPLICIT),
        ("nvarchar(5)", "varchar(5)", IMPLICIT),
        ("int", "varchar(5)", IMPLICIT),
        ("int", "datetime", IMPLICIT),
        ("int", "datetime2", FORBIDDEN),
        ("int", "date", FORBIDDEN),
        ("datetime", "int", EXPLICIT),
        ("datetime2", "int", FORBIDDEN),
        ("datetime", "datetime2", IMPLICIT),
        ("datetime2", "datetime", IMPLICIT),
        ("date", "time", FORBIDDEN),
        ("time", "datetime2", IMPLICIT),
        ("uniqueidentifier", "varchar(36)", IMPLICIT),
        ("uniqueidentifier", "int", FORBIDDEN),
        ("varbinary(8)", "int", IMPLICIT),
        ("varbinary(8)", "float", FORBIDDEN),
        ("float", "varbinary(8)", IMPLICIT),
        ("bit", "uniqueidentifier", FORBIDDEN),
        ("null", "datetime2", IMPLICIT),
    ],
)
def test_conversion_matrix(source: str, target: str, allowed: str) -> None:
    assert conversion(kind(source), kind(target)) == allowed


@pytest.mark.parametrize(
    ("types", "shown"),
    [
        (["int", "bigint"], "bigint"),
        (["varchar(5)", "int"], "int"),
        (["varchar(5)", "nvarchar(3)"], "nvarchar(5)"),
        (["varchar(8000)", "nvarchar(3)"], "nvarchar(4000)"),
        (["varchar(max)", "nvarchar(3)"], "nvarchar(max)"),
        (["char(5)", "varchar(3)"], "varchar(5)"),
        (["char(5)", "char(3)"], "char(5)"),
        (["null", "varchar(3)", "null"], "varchar(3)"),
        (["decimal(5,2)", "decimal(10,4)"], "decimal(10,4)"),
        (["decimal(5,2)", "int"], "decimal(12,2)"),
        (["decimal(38,0)", "decimal(38,38)"], "decimal(38,0)"),
        (["datetime2(3)", "datetime2(5)"], "datetime2(5)"),
        (["datetime2(3)", "varchar(30)"], "datetime2(3)"),
        (["float", "decimal(5,2)"], "float"),
        (["date", "datetime"], "datetime"),
        (["uniqueidentifier", "varchar(36)"], "uniqueidentifier"),
        (["varbinary(5)", "varbinary(max)"], "varbinary(max)"),
    ],
)
def test_branches(types: list[str], shown: str) -> None:
    assert str(branch_type(*map(kind, types))) == shown


@pytest.mark.parametrize(
    ("types", "number"),
    [
        (["int", "date"], 206),
        (["int", "uniqueidentifier"], 206),
        (["datetime2", "int"], 206),
        (["varbinary(3)", "date"], 257),
    ],
)
def test_branches_that_do_not_meet(types: list[str], number: int) -> None:
    with pytest.raises(SqlError) as caught:
        branch_type(*map(kind, types))
    assert caught.value.number == number


def test_comparison_of_date_and_time() -> None:
    with pytest.raises(SqlError) as caught:
        comparison_type(kind("date"), kind("time"), "equal to")
    assert caught.value.message == "The data types date and time are incompatible in the equal to operator."


# From the page precision-scale-and-length of data-types in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("left", "operator", "right", "shown"),
    [
        ("int", "+", "int", "int"),
        ("tinyint", "+", "tinyint", "tinyint"),
        ("smallint", "*", "int", "int"),
        ("int", "/", "bigint", "bigint"),
        ("bit", "+", "int", "int"),
        ("int", "+", "varchar(5)", "int"),
        ("decimal(5,2)", "+", "decimal(8,4)", "decimal(9,4)"),
        ("decimal(5,2)", "*", "decimal(8,4)", "decimal(14,6)"),
        ("decimal(5,2)", "/", "decimal(8,4)", "decimal(18,11)"),
        ("decimal(5,2)", "%", "decimal(8,4)", "decimal(7,4)"),
        ("int", "/", "decimal(2,1)", "decimal(17,6)"),
        ("decimal(38,10)", "*", "decimal(38,10)", "decimal(38,6)"),
        ("decimal(30,10)", "+", "decimal(38,20)", "decimal(38,18)"),
        ("float", "*", "decimal(5,2)", "float"),
        ("real", "+", "int", "real"),
        ("datetime", "+", "int", "datetime"),
        ("varchar(5)", "+", "nvarchar(3)", "nvarchar(8)"),
        ("varchar(5)", "+", "null", "varchar(6)"),
        ("varbinary(5)", "+", "varbinary(3)", "varbinary(8)"),
        ("varchar(8000)", "+", "varchar(1)", "varchar(8000)"),
        ("varchar(max)", "+", "varchar(1)", "varchar(max)"),
        ("int", "&", "tinyint", "int"),
        ("bit", "|", "bit", "bit"),
    ],
)
def test_arithmetic(left: str, operator: str, right: str, shown: str) -> None:
    assert str(arithmetic_type(operator, kind(left), kind(right))) == shown


@pytest.mark.parametrize(
    ("left", "operator", "right", "number"),
    [
        ("bit", "+", "bit", 8117),
        ("varchar(5)", "-", "varchar(5)", 8117),
        ("datetime2", "+", "int", 206),
        ("date", "+", "int", 206),
        ("datetime2", "-", "datetime2", 8117),
        ("date", "-", "datetime2", 402),
        ("float", "%", "int", 402),
        ("float", "&", "int", 402),
        ("uniqueidentifier", "+", "uniqueidentifier", 8117),
    ],
)
def test_arithmetic_refused(left: str, operator: str, right: str, number: int) -> None:
    with pytest.raises(SqlError) as caught:
        arithmetic_type(operator, kind(left), kind(right))
    assert caught.value.number == number


def test_concat_type() -> None:
    assert str(concat_type(kind("varchar(5)"), kind("int"), kind("nvarchar(5)"))) == "nvarchar(22)"
    assert str(concat_type(kind("varchar(5)"), kind("varchar(max)"))) == "varchar(max)"


@pytest.mark.parametrize(
    ("text", "storage"),
    [
        ("bit", "INTEGER"),
        ("decimal(18,4)", "INTEGER"),
        ("decimal(19,4)", "TEXT"),
        ("float", "REAL"),
        ("datetime2", "INTEGER"),
        ("datetimeoffset", "TEXT"),
        ("varbinary(5)", "BLOB"),
        ("nvarchar(max)", "TEXT"),
        ("uniqueidentifier", "TEXT"),
    ],
)
def test_storage(text: str, storage: str) -> None:
    assert kind(text).storage == storage
