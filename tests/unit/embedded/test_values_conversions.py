"""CAST, CONVERT, TRY_CAST and assignment: tables of cases.

Rules from the page cast-and-convert of Microsoft's T-SQL reference and from those of the data types.
"""

from __future__ import annotations

from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.conversions import assigner, convert, converter
from chokaq.embedded.values.types import SqlType, parse_type, varchar

ABSENT = object()


def cast(value: Any, source: str, target: str, style: int | None = None) -> Any:
    try:
        return convert(value, source, target, style)
    except SqlError as error:
        return error.number


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("12", "int", 12),
        ("  12  ", "int", 12),
        ("+12", "int", 12),
        ("- 12", "int", -12),
        ("", "int", 0),
        ("   ", "int", 0),
        ("-", "int", 0),
        ("007", "int", 7),
        ("1.0", "int", 245),
        ("1e3", "int", 245),
        ("1,000", "int", 245),
        ("abc", "int", 245),
        ("12\n", "int", 245),
        ("１２", "int", 245),
        ("2147483647", "int", 2147483647),
        ("2147483648", "int", 248),
        ("9" * 5000, "int", 248),
        ("9223372036854775807", "bigint", 2**63 - 1),
        ("9223372036854775808", "bigint", 8115),
        ("abc", "bigint", 8114),
        ("256", "tinyint", 244),
        ("-1", "tinyint", 244),
        ("32768", "smallint", 244),
        ("true", "bit", 1),
        ("FALSE", "bit", 0),
        ("7", "bit", 1),
        ("yes", "bit", 245),
        ("1.5", "float", 1.5),
        (" -1.5e3 ", "float", -1500.0),
        ("1e", "float", 1.0),
        (".5", "float", 0.5),
        ("", "float", 0.0),
        ("abc", "float", 8114),
        ("1_0", "float", 8114),
        ("inf", "float", 8114),
        ("1e400", "float", 8115),
        ("1.005", "decimal(5,2)", 101),
        ("-1.005", "decimal(5,2)", -101),
        ("123.4", "decimal(5,2)", 12340),
        ("1234.5", "decimal(5,2)", 8115),
        ("1e3", "decimal(5,2)", 8114),
        ("", "decimal(5,2)", 8114),
        (".", "decimal(5,2)", 8114),
    ],
)
def test_text_to_number(text: str, target: str, expected: Any) -> None:
    assert cast(text, "varchar(8000)", target) == expected
    assert cast(text, "nvarchar(max)", target) == expected


@pytest.mark.parametrize(
    ("value", "source", "target", "message"),
    [
        (
            "a",
            "varchar(5)",
            "int",
            "Conversion failed when converting the varchar value 'a' to data type int.",
        ),
        (
            "a",
            "nvarchar(max)",
            "bit",
            "Conversion failed when converting the nvarchar value 'a' to data type bit.",
        ),
        (
            "3000000000",
            "varchar(10)",
            "int",
            "The conversion of the varchar value '3000000000' overflowed an int column.",
        ),
        (
            "300",
            "varchar(10)",
            "tinyint",
            (
                "The conversion of the varchar value '300' overflowed an INT1 column. Use a larger integer "
                "column."
            ),
        ),
        ("a", "varchar(10)", "bigint", "Error converting data type varchar to bigint."),
        ("a", "varchar(10)", "decimal(5,2)", "Error converting data type varchar to numeric."),
        (3e9, "float", "int", "Arithmetic overflow error for type int, value = 3000000000.000000."),
        (40000, "int", "smallint", "Arithmetic overflow error for data type smallint, value = 40000."),
        (2**40, "bigint", "int", "Arithmetic overflow error converting expression to data type int."),
        (1000, "int", "decimal(2,0)", "Arithmetic overflow error converting int to data type numeric."),
        (
            100,
            "decimal(3,0)",
            "decimal(2,0)",
            "Arithmetic overflow error converting numeric to data type numeric.",
        ),
        (
            1000,
            "decimal(4,0)",
            "tinyint",
            "Arithmetic overflow error converting numeric to data type tinyint.",
        ),
        (
            "x",
            "varchar(5)",
            "datetime2",
            "Conversion failed when converting date and/or time from character string.",
        ),
        (
            "17520101",
            "varchar(8)",
            "datetime",
            (
                "The conversion of a varchar data type to a datetime data type resulted in an out-of-range "
                "value."
            ),
        ),
        (
            "x",
            "varchar(5)",
            "uniqueidentifier",
            "Conversion failed when converting from a character string to uniqueidentifier.",
        ),
    ],
)
def test_messages(value: Any, source: str, target: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        convert(value, source, target)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (1.9, "float", "int", 1),
        (-1.9, "float", "int", -1),
        (1.9, "float", "bit", 1),
        (0.0, "float", "bit", 0),
        (1e20, "float", "bigint", 8115),
        (300.0, "float", "tinyint", 232),
        (199, "decimal(5,2)", "int", 1),
        (-199, "decimal(5,2)", "int", -1),
        (256, "int", "tinyint", 220),
        (5, "int", "bit", 1),
        (5, "int", "float", 5.0),
        (125, "decimal(5,2)", "float", 1.25),
        (125, "decimal(5,2)", "decimal(5,1)", 13),
        (-125, "decimal(5,2)", "decimal(5,1)", -13),
        (0.1, "float", "decimal(20,18)", "1" + f"{100000000000000006:038}"),
        (2.5, "float", "decimal(5,0)", 3),
        (1e39, "float", "decimal(38,0)", 8115),
        (1.1, "float", "real", 1.100000023841858),
        (1e39, "float", "real", 232),
        (b"\x00\x00\x00\x05", "varbinary(8)", "int", 5),
        (b"\xff\xff\xff\xff", "varbinary(8)", "int", -1),
        (b"\x01\x02\x03\x04\x05", "varbinary(8)", "smallint", 0x0405),
        (5, "int", "varbinary(8)", b"\x00\x00\x00\x05"),
        (5, "int", "varbinary(2)", b"\x00\x05"),
        (5, "int", "binary(6)", b"\x00\x00\x00\x00\x00\x05"),
        (-1, "bigint", "varbinary(8)", b"\xff" * 8),
    ],
)
def test_numbers(value: Any, source: str, target: str, expected: Any) -> None:
    assert cast(value, source, target) == expected


@pytest.mark.parametrize(
    ("value", "source", "target", "style", "expected"),
    [
        (123456, "int", "varchar(3)", None, "*"),
        (123456, "int", "char(3)", None, "*  "),
        (123456, "int", "nvarchar(3)", None, 8115),
        (123456, "bigint", "varchar(3)", None, 8115),
        (12345, "decimal(5,2)", "varchar(3)", None, 8115),
        (123.25, "float", "varchar(3)", None, 232),
        (5, "decimal(5,2)", "varchar(10)", None, "0.05"),
        (-5, "decimal(5,2)", "varchar(10)", None, "-0.05"),
        (1.5, "float", "varchar(30)", None, "1.5"),
        (123456.0, "float", "varchar(30)", None, "123456"),
        (1234567.0, "float", "varchar(30)", None, "1.23457e+006"),
        (0.0001, "float", "varchar(30)", None, "0.0001"),
        (0.00001, "float", "varchar(30)", None, "1e-005"),
        (-0.0, "float", "varchar(30)", None, "0"),
        (1.5, "float", "varchar(30)", 1, "1.5000000e+000"),
        (1.5, "float", "varchar(30)", 2, "1.500000000000000e+000"),
        (0.1, "float", "varchar(30)", 3, "1.0000000000000001e-001"),
        (b"\xab\x01", "varbinary(8)", "varchar(20)", 1, "0xAB01"),
        (b"\xab\x01", "varbinary(8)", "varchar(20)", 2, "AB01"),
        (b"\xab\x01", "varbinary(8)", "varchar(3)", 1, "0xA"),
        (b"abc", "varbinary(8)", "varchar(20)", 0, "abc"),
        (b"a\0b\0", "varbinary(8)", "nvarchar(20)", None, "ab"),
        (b"\x80", "varbinary(8)", "varchar(20)", None, "€"),
        ("0xAB01", "varchar(20)", "varbinary(8)", 1, b"\xab\x01"),
        ("AB01", "varchar(20)", "varbinary(8)", 2, b"\xab\x01"),
        ("AB01", "varchar(20)", "varbinary(8)", 1, 8114),
        ("0xABC", "varchar(20)", "varbinary(8)", 1, 8114),
        ("0xZZ", "varchar(20)", "varbinary(8)", 1, 8114),
        ("€", "varchar(20)", "varbinary(8)", None, b"\x80"),
        ("ab", "nvarchar(20)", "varbinary(8)", None, b"a\0b\0"),
        ("abcdef", "varchar(20)", "varbinary(3)", None, b"abc"),
        ("ab", "varchar(20)", "binary(4)", None, b"ab\0\0"),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "uniqueidentifier",
            "varbinary(16)",
            None,
            bytes.fromhex("FF19966F868B11D0B42D00C04FC964FF"),
        ),
        (
            bytes.fromhex("FF19966F868B11D0B42D00C04FC964FF"),
            "varbinary(16)",
            "uniqueidentifier",
            None,
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        (
            "6f9619ff-8b86-d011-b42d-00c04fc964ffXYZ",
            "varchar(50)",
            "uniqueidentifier",
            None,
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        (
            "{6f9619ff-8b86-d011-b42d-00c04fc964ff}",
            "varchar(50)",
            "uniqueidentifier",
            None,
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        ("6f9619ff", "varchar(50)", "uniqueidentifier", None, 8169),
        ("6F9619FF-8B86-D011-B42D-00C04FC964FF", "uniqueidentifier", "varchar(35)", None, 8170),
        ("1", "int", "date", None, 529),
    ],
)
def test_text_and_binary(value: Any, source: str, target: str, style: int | None, expected: Any) -> None:
    assert cast(value, source, target, style) == expected


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("abcdef", "varchar(20)", "varchar(3)", "abc"),
        ("abc", "varchar(20)", "char(5)", "abc  "),
        ("a😀b", "nvarchar(20)", "nvarchar(2)", "a"),
        ("a😀b", "nvarchar(20)", "nvarchar(3)", "a😀"),
        ("a😀", "nvarchar(20)", "nchar(5)", "a😀  "),
        ("a😀b", "nvarchar(20)", "varchar(20)", "a??b"),
        ("жб", "nvarchar(20)", "varchar(20)", "??"),
        ("€œ", "nvarchar(20)", "varchar(20)", "€œ"),
        # Best fit is left out on purpose: Windows would write 'A' for the full-width letter.
        ("Ａ", "nvarchar(20)", "varchar(20)", "?"),
        ("a\0b", "nvarchar(20)", "varchar(20)", "a\0b"),
        ("\x81", "nvarchar(20)", "varchar(20)", "\x81"),
        ("x" * 9000, "varchar(max)", "varchar(8000)", "x" * 8000),
    ],
)
def test_text_to_text(text: str, source: str, target: str, expected: str) -> None:
    assert convert(text, source, target) == expected


def moment(text: str, target: str, style: int | None = None) -> Any:
    value = cast(text, "varchar(100)", target, style)
    return value if isinstance(value, int) and value < 10000 else convert(value, target, "varchar(50)", 121)


# From the page datetime2 of data-types in Microsoft's T-SQL reference, "Converting string literals", and
# those of date, time and datetime
@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("2024-01-02", "datetime2", "2024-01-02 00:00:00.0000000"),
        ("20240102", "datetime2(0)", "2024-01-02 00:00:00"),
        ("20240102 03:04:05.1234567", "datetime2", "2024-01-02 03:04:05.1234567"),
        ("2024-01-02T03:04:05.1234567", "datetime2", "2024-01-02 03:04:05.1234567"),
        ("2024-01-02T03:04:05Z", "datetime2", "2024-01-02 03:04:05.0000000"),
        # The offset is dropped, not applied: "the local DATETIME will be used".
        ("2024-01-02T03:04:05+02:00", "datetime2", "2024-01-02 03:04:05.0000000"),
        ("2007-05-08 12:35:29. 1234567 +12:15", "datetime2", "2007-05-08 12:35:29.1234567"),
        ("2007-05-08 12:35:29. 1234567 +12:15", "time", "12:35:29.1234567"),
        ("2007-05-08 12:35:29. 1234567 +12:15", "date", "2007-05-08"),
        ("2007-05-08 12:35:29.1234567 +12:15", "datetimeoffset", "2007-05-08 12:35:29.1234567 +12:15"),
        ("2007-05-08 12:35:29", "datetimeoffset(0)", "2007-05-08 12:35:29 +00:00"),
        ("2007-05-08 12:35:29.123", "smalldatetime", "2007-05-08 12:35:00.000"),
        ("2007-05-08 12:35:30", "smalldatetime", "2007-05-08 12:36:00.000"),
        ("2007-05-08 12:35:29.123", "datetime", "2007-05-08 12:35:29.123"),
        ("2007-05-08 12:35:29.124", "datetime", "2007-05-08 12:35:29.123"),
        ("2007-05-08 12:35:29.995", "datetime", "2007-05-08 12:35:29.997"),
        ("2007-05-08 23:59:59.999", "datetime", "2007-05-09 00:00:00.000"),
        ("2024-01-01 00:00:00.9999999", "datetime2(3)", "2024-01-01 00:00:01.000"),
        ("9999-12-31 23:59:59.9999999", "datetime2(3)", "9999-12-31 23:59:59.999"),
        ("2024-01-01 00:00:00.12345678", "datetime2", 241),
        ("2024-01-01 00:00:00.1234", "datetime", 241),
        ("2024-01-01T00:00:00+02:00", "datetime", 241),
        ("2024-02-30", "datetime2", 241),
        ("2023-02-29", "date", 241),
        ("2024-13-01", "date", 241),
        ("2024-01-01 24:00", "datetime2", 241),
        ("2024-01-01 12:60", "datetime2", 241),
        ("2024-01-01 +02:00", "datetime2", 241),
        ("0000-01-01", "datetime2", 241),
        ("17521231", "datetime", 242),
        ("20790607", "smalldatetime", 242),
        ("garbage", "datetime2", 241),
        ("", "datetime2", "1900-01-01 00:00:00.0000000"),
        ("12:30", "datetime2", "1900-01-01 12:30:00.0000000"),
        ("1:02:03:4", "time(3)", "01:02:03.004"),
        ("1:02:03.4", "time(3)", "01:02:03.400"),
        ("3PM", "time(0)", "15:00:00"),
        ("12:30 am", "time(0)", "00:30:00"),
        ("01/02/2024", "date", "2024-01-02"),
        ("1-2-24", "date", "2024-01-02"),
        ("1/2/50", "date", "1950-01-02"),
        ("240102", "date", "2024-01-02"),
        ("2024", "date", "2024-01-01"),
        ("Jan  2 2024  3:04AM", "datetime2(0)", "2024-01-02 03:04:00"),
        ("2 jan 2024", "date", "2024-01-02"),
        ("January 2, 2024", "date", "2024-01-02"),
        ("2024 Jan 2", "date", "2024-01-02"),
        ("2-Jan-2024", "date", "2024-01-02"),
        (" 2024-01-02 ", "date", "2024-01-02"),
    ],
)
def test_text_to_time(text: str, target: str, expected: Any) -> None:
    assert moment(text, target) == expected


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        ("02/01/2024", 101, "2024-02-01"),
        ("02/01/2024", 103, "2024-01-02"),
        ("02/01/24", 3, "2024-01-02"),
        ("02.01.2024", 104, "2024-01-02"),
        ("20240102", 112, "2024-01-02"),
        ("2024-01-02", 23, "2024-01-02"),
        ("2024-01-02T03:04:05", 126, "2024-01-02"),
    ],
)
def test_text_to_time_by_style(text: str, style: int, expected: str) -> None:
    assert moment(text, "date", style) == expected


# docs: cast-and-convert-transact-sql.md, "Date and time styles"
@pytest.mark.parametrize(
    ("text", "source", "style", "expected"),
    [
        ("2024-01-02 03:04:05.007", "datetime", None, "Jan  2 2024  3:04AM"),
        ("2024-01-02 13:04:05.007", "datetime", 0, "Jan  2 2024  1:04PM"),
        ("2024-01-02 13:04:05.007", "datetime", 100, "Jan  2 2024  1:04PM"),
        ("2024-01-02 03:04:05", "datetime", 1, "01/02/24"),
        ("2024-01-02 03:04:05", "datetime", 3, "02/01/24"),
        ("2024-01-02 03:04:05", "datetime", 4, "02.01.24"),
        ("2024-01-02 03:04:05", "datetime", 101, "01/02/2024"),
        ("2024-01-02 03:04:05", "datetime", 103, "02/01/2024"),
        ("2024-01-02 03:04:05", "datetime", 106, "02 Jan 2024"),
        ("2024-01-02 03:04:05", "datetime", 107, "Jan 02, 2024"),
        ("2024-01-02 03:04:05", "datetime", 112, "20240102"),
        ("2024-01-02 03:04:05.007", "datetime", 20, "2024-01-02 03:04:05"),
        ("2024-01-02 03:04:05.007", "datetime", 120, "2024-01-02 03:04:05"),
        ("2024-01-02 03:04:05.007", "datetime", 21, "2024-01-02 03:04:05.007"),
        ("2024-01-02 03:04:05.007", "datetime", 121, "2024-01-02 03:04:05.007"),
        ("2024-01-02 03:04:05.007", "datetime", 23, "2024-01-02"),
        ("2024-01-02 03:04:05.007", "datetime", 126, "2024-01-02T03:04:05.007"),
        ("2024-01-02 03:04:05", "datetime", 126, "2024-01-02T03:04:05"),
        ("2024-01-02 03:04:05.007", "datetime", 109, "Jan  2 2024  3:04:05:007AM"),
        ("2024-01-02 03:04:05.007", "datetime", 113, "02 Jan 2024 03:04:05:007"),
        ("2024-01-02 03:04:05.007", "datetime", 114, "03:04:05:007"),
        ("2024-01-02 03:04:05.007", "datetime", 108, "03:04:05"),
        ("2024-01-02 03:04:05.1234567", "datetime2", None, "2024-01-02 03:04:05.1234567"),
        ("2024-01-02 03:04:05.1234567", "datetime2(3)", None, "2024-01-02 03:04:05.123"),
        ("2024-01-02 03:04:05.1234567", "datetime2(0)", 121, "2024-01-02 03:04:05"),
        ("2024-01-02 03:04:05.1234567", "datetime2", 0, "Jan  2 2024  3:04AM"),
        ("2024-01-02 03:04:05.1234567", "datetime2", 126, "2024-01-02T03:04:05.1234567"),
        ("2024-01-02 03:04:05.1234567", "datetime2", 127, "2024-01-02T03:04:05.1234567"),
        ("2024-01-02", "date", None, "2024-01-02"),
        ("2024-01-02", "date", 112, "20240102"),
        ("2024-01-02", "date", 126, "2024-01-02"),
        ("2024-01-02", "date", 0, "Jan  2 2024"),
        ("03:04:05.12", "time(2)", None, "03:04:05.12"),
        ("03:04:05.12", "time(2)", 108, "03:04:05"),
        ("2024-01-02 03:04:05 +02:00", "datetimeoffset(0)", None, "2024-01-02 03:04:05 +02:00"),
        ("2024-01-02 03:04:05 +02:00", "datetimeoffset(0)", 126, "2024-01-02T03:04:05+02:00"),
        ("2024-01-02 03:04:05 +02:00", "datetimeoffset(0)", 127, "2024-01-02T01:04:05Z"),
        ("2024-01-02", "date", 108, 281),
        ("03:04:05", "time", 112, 281),
        ("2024-01-02", "datetime2", 99, 281),
    ],
)
def test_time_to_text(text: str, source: str, style: int | None, expected: Any) -> None:
    value = convert(text, "varchar(100)", source)
    assert cast(value, source, "varchar(50)", style) == expected


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        # docs: datetime2-transact-sql.md: the old type's 1/300 s shows in full since compatibility level 130.
        ("2016-10-23 12:45:37.333", "datetime", "datetime2", "2016-10-23 12:45:37.3333333"),
        ("2016-10-23 12:45:37.337", "datetime", "datetime2(3)", "2016-10-23 12:45:37.337"),
        ("2016-12-21", "date", "datetime2", "2016-12-21 00:00:00.0000000"),
        ("12:10:16.1234567", "time", "datetime2", "1900-01-01 12:10:16.1234567"),
        ("2016-10-23 12:45:37.1234567 +10:00", "datetimeoffset", "datetime2", "2016-10-23 12:45:37.1234567"),
        ("2016-10-23 12:45:37.1234567", "datetime2", "datetimeoffset", "2016-10-23 12:45:37.1234567 +00:00"),
        ("2016-10-23 12:45:37.1234567", "datetime2", "date", "2016-10-23"),
        ("2016-10-23 12:45:37.1234567", "datetime2", "time(3)", "12:45:37.123"),
        ("2016-10-23 12:45:37.1234567", "datetime2", "datetime", "2016-10-23 12:45:37.123"),
        ("1700-01-01", "datetime2", "datetime", 242),
    ],
)
def test_time_to_time(text: str, source: str, target: str, expected: Any) -> None:
    value = cast(convert(text, "varchar(100)", source), source, target)
    assert (value if value == 242 else convert(value, target, "varchar(50)", 121)) == expected


def test_number_as_datetime_counts_days() -> None:
    assert convert(convert(1, "int", "datetime"), "datetime", "varchar(30)", 121) == "1900-01-02 00:00:00.000"
    assert (
        convert(convert(0.5, "float", "datetime"), "datetime", "varchar(30)", 121)
        == "1900-01-01 12:00:00.000"
    )
    assert convert(convert("19000103", "varchar(8)", "datetime"), "datetime", "int") == 2


def test_null_and_try() -> None:
    assert convert(None, "varchar(5)", "int") is None
    assert convert("x", "varchar(5)", "int", None, 1) is None
    assert convert("5", "varchar(5)", "int", None, 1) == 5
    with pytest.raises(SqlError) as caught:
        # TRY_CAST forgives values, not types.
        converter(parse_type("int"), parse_type("date"), attempt=True)
    assert caught.value.number == 529


def test_implicit_conversion_that_must_be_written() -> None:
    with pytest.raises(SqlError) as caught:
        converter(varchar(5), parse_type("varbinary(max)"), implicit=True)
    assert caught.value.message == (
        "Implicit conversion from data type varchar to varbinary(max) is not allowed. Use the CONVERT "
        "function to run this query."
    )


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        ("abc", "varchar(20)", "varchar(3)", "abc"),
        ("abc   ", "varchar(20)", "varchar(3)", "abc"),
        ("abcd", "varchar(20)", "varchar(3)", "T 'abc'"),
        ("a😀", "nvarchar(20)", "nvarchar(2)", "T 'a'"),
        ("a😀", "nvarchar(20)", "nvarchar(3)", "a😀"),
        ("ж", "nvarchar(20)", "varchar(3)", "?"),
        ("a", "varchar(20)", "char(3)", "a  "),
        (b"abcd", "varbinary(20)", "varbinary(3)", "T '0x616263'"),
        (b"abc\0", "varbinary(20)", "varbinary(3)", b"abc"),
        (12345, "int", "varchar(3)", "*"),
        (None, "varchar(20)", "varchar(3)", None),
        ("x" * 9000, "varchar(max)", "varchar(max)", "x" * 9000),
        ("5", "varchar(5)", "int", 5),
    ],
)
def test_assignment(value: Any, source: str, target: str, expected: Any) -> None:
    run = assigner(parse_type(source), parse_type(target), "d.s.T", "C")
    if isinstance(expected, str) and expected.startswith("T "):
        with pytest.raises(SqlError) as caught:
            run(value)
        assert caught.value.number == 2628
        assert caught.value.message.endswith(
            f"in table 'd.s.T', column 'C'. Truncated value: {expected[2:]}."
        )
    else:
        assert run(value) == expected


def test_types_are_hashable_keys() -> None:
    assert converter(varchar(5), SqlType("int")) is converter(varchar(5), SqlType("int"))
