"""String functions, LIKE, PATINDEX, messages; collation, UTF-16 units, NUL characters."""

from __future__ import annotations

import time
from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values import codepage, strings
from chokaq.embedded.values.format_message import format_message
from chokaq.embedded.values.functions import resolve
from chokaq.embedded.values.patterns import like, patindex
from chokaq.embedded.values.types import INT, NVARCHAR_MAX, SqlType, nvarchar, parse_type, varchar

WIDE = nvarchar(100)


def call(name: str, *values: Any, binary: bool = False) -> Any:
    kinds = tuple(INT if isinstance(value, int) else WIDE for value in values)
    try:
        return resolve(name, kinds, binary=binary).evaluate(*values)
    except SqlError as error:
        return error.number


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("abc", "ABC", True),
        ("abc", "abc   ", True),
        ("abc", " abc", False),
        ("é", "É", True),
        ("é", "e", False),
        ("ß", "ss", True),
        ("Ж", "ж", True),
        ("", "  ", True),
        ("a\0", "a", False),
        ("a\t", "a", False),
    ],
)
def test_key(left: str, right: str, same: bool) -> None:
    assert (strings.key(left) == strings.key(right)) is same


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("LEN", ("abc  ",), 3),
        ("LEN", ("  ",), 0),
        ("LEN", ("a😀",), 3),
        ("LEN", ("a\0b ",), 3),
        ("LEN", ("a\t",), 2),
        ("DATALENGTH", ("abc  ",), 10),
        ("DATALENGTH", ("😀",), 4),
        ("DATALENGTH", (5,), 4),
        ("LEFT", ("abcdef", 2), "ab"),
        ("LEFT", ("ab", 0), ""),
        ("LEFT", ("ab", 9), "ab"),
        ("LEFT", ("ab", -1), 537),
        ("LEFT", ("a😀b", 3), "a😀"),
        ("LEFT", ("a😀b", 2), "a\ufffd"),
        ("RIGHT", ("abcdef", 2), "ef"),
        ("RIGHT", ("ab", 0), ""),
        ("RIGHT", ("a😀b", 3), "😀b"),
        ("RIGHT", ("ab", -1), 536),
        ("SUBSTRING", ("abcdef", 2, 3), "bcd"),
        ("SUBSTRING", ("abcdef", 0, 3), "ab"),
        ("SUBSTRING", ("abcdef", -1, 3), "a"),
        ("SUBSTRING", ("abcdef", -5, 3), ""),
        ("SUBSTRING", ("abcdef", 9, 3), ""),
        ("SUBSTRING", ("abcdef", 2, -1), 537),
        ("SUBSTRING", ("a😀bc", 2, 2), "😀"),
        ("SUBSTRING", ("a\0bc", 2, 2), "\0b"),
        ("STUFF", ("abcdef", 2, 3, "ijklmn"), "aijklmnef"),
        ("STUFF", ("abc", 0, 1, "x"), None),
        ("STUFF", ("abc", 4, 1, "x"), None),
        ("STUFF", ("abc", 3, 9, "x"), "abx"),
        ("STUFF", ("abc", 1, -1, "x"), None),
        ("STUFF", ("abc", 1, 1, None), "bc"),
        ("STUFF", ("abc", 1, 0, "x"), "xabc"),
        ("REVERSE", ("abc",), "cba"),
        ("REPLICATE", ("ab", 3), "ababab"),
        ("REPLICATE", ("ab", 0), ""),
        ("REPLICATE", ("ab", -1), None),
        ("SPACE", (3,), "   "),
        ("SPACE", (-1,), None),
        ("CHARINDEX", ("B", "abc"), 2),
        ("CHARINDEX", ("x", "abc"), 0),
        ("CHARINDEX", ("", "abc"), 0),
        ("CHARINDEX", ("a", "abca", 2), 4),
        ("CHARINDEX", ("a", "abca", -5), 1),
        ("CHARINDEX", ("b", "😀b"), 3),
        ("CHARINDEX", ("b", "a\0b"), 3),
        ("REPLACE", ("aBcAbC", "b", "-"), "a-cA-C"),
        ("REPLACE", ("abc", "", "-"), "abc"),
        ("REPLACE", ("aaa", "aa", "b"), "ba"),
        ("REPLACE", ("Straße", "ß", "ss"), "Strasse"),
        ("REPLACE", ("a\0b", "\0", ""), "ab"),
        ("REPLACE", ("abc", None, "-"), None),
        ("TRANSLATE", ("2*[3+4]/{7-2}", "[]{}", "()()"), "2*(3+4)/(7-2)"),
        ("TRANSLATE", ("abc", "ab", "x"), 9828),
        ("UPPER", ("aß é",), "Aß É"),
        ("LOWER", ("AÉ",), "aé"),
        ("LTRIM", ("  a ",), "a "),
        ("RTRIM", (" a  ",), " a"),
        ("RTRIM", ("a\t ",), "a\t"),
        ("TRIM", ("  a ",), "a"),
        ("TRIM", ("xxaxb", "xb"), "a"),
        ("CONCAT", ("a", None, "b"), "ab"),
        ("CONCAT", (None, None), ""),
        ("CONCAT_WS", (",", "a", None, "b"), "a,b"),
        ("CONCAT_WS", (None, "a", "b"), "ab"),
        ("ASCII", ("€",), 128),
        ("ASCII", ("",), None),
        ("CHAR", (128,), "€"),
        ("CHAR", (256,), None),
        ("CHAR", (0,), "\0"),
        ("UNICODE", ("€",), 8364),
        ("UNICODE", ("😀",), 0xD83D),
        ("NCHAR", (8364,), "€"),
        ("NCHAR", (65536,), None),
        ("QUOTENAME", ("abc[]def",), "[abc[]]def]"),
        ("QUOTENAME", ("it's", "'"), "'it''s'"),
        ("QUOTENAME", ("a", "x"), None),
        ("QUOTENAME", ("a" * 129,), None),
        ("QUOTENAME", ("a", "{"), "{a}"),
        ("STRING_ESCAPE", ('\\ / " \b\f\n\r\t\x1f é', "json"), '\\\\ \\/ \\" \\b\\f\\n\\r\\t\\u001f é'),
        ("STRING_ESCAPE", ("a", "xml"), 13622),
        ("SOUNDEX", ("Smith",), "S530"),
        ("SOUNDEX", ("Tymczak",), "T522"),
        ("DIFFERENCE", ("Smithers", "Smythers"), 4),
    ],
)
def test_functions(name: str, values: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *values) == expected


@pytest.mark.parametrize(
    "name", ["LEN", "LEFT", "UPPER", "REVERSE", "CHARINDEX", "SUBSTRING", "QUOTENAME", "REPLACE"]
)
def test_null_gives_null(name: str) -> None:
    count = {"LEFT": 1, "SUBSTRING": 2}.get(name, 0)
    texts = {"CHARINDEX": 2, "REPLACE": 3}.get(name, 1)
    assert call(name, *[None] * texts, *[1] * count) is None


def test_binary_collation() -> None:
    assert call("CHARINDEX", "B", "abc", binary=True) == 0
    assert call("REPLACE", "aBb", "b", "-", binary=True) == "aB-"
    assert not like("ABC", "a%", binary=True)


# From the page str of functions in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((123.45, 6, 1), " 123.5"),
        ((123.45, 2, 2), "**"),
        ((123.456,), "       123"),
        ((12345.678, 7, 3), "12345.7"),
        ((-1.5, 5, 1), " -1.5"),
    ],
)
def test_str(values: tuple[Any, ...], expected: str) -> None:
    assert strings.str_number(*values) == expected


def test_result_types_and_limits() -> None:
    assert str(resolve("REPLACE", (varchar(5), varchar(1), varchar(1))).result) == "varchar(8000)"
    assert str(resolve("REPLACE", (varchar(5), nvarchar(1), varchar(1))).result) == "nvarchar(4000)"
    assert resolve("REPLACE", (NVARCHAR_MAX, nvarchar(1), varchar(1))).result == NVARCHAR_MAX
    assert (
        len(resolve("REPLACE", (varchar(8000), varchar(1), varchar(9))).evaluate("a" * 5000, "a", "bb"))
        == 8000
    )
    assert len(resolve("REPLICATE", (varchar(10), INT)).evaluate("ab", 10**9)) == 8000
    assert len(resolve("REPLICATE", (NVARCHAR_MAX, INT)).evaluate("ab", 10_000)) == 20_000
    assert len(resolve("CONCAT", (varchar(8000), varchar(8000))).evaluate("a" * 8000, "b" * 8000)) == 8000
    assert resolve("LEN", (NVARCHAR_MAX,)).result.name == "bigint"
    assert str(resolve("UPPER", (varchar(7),)).result) == "varchar(7)"
    assert str(resolve("LEFT", (INT, INT)).arguments[0]) == "varchar(12)"


def test_varchar_upper_stays_in_the_page() -> None:
    assert resolve("UPPER", (varchar(5),)).evaluate("µÿ") == "µŸ"


def test_wrong_calls() -> None:
    for name, kinds, number in (
        ("NO_SUCH", (), 195),
        ("LEFT", (varchar(5),), 174),
        ("CHARINDEX", (varchar(5),), 189),
        ("LEFT", (SqlType("varbinary", 5), INT), 8116),
    ):
        with pytest.raises(SqlError) as caught:
            resolve(name, kinds)
        assert caught.value.number == number


@pytest.mark.parametrize(
    ("text", "separator", "parts"),
    [
        ("a,b,,c", ",", ["a", "b", "", "c"]),
        ("", ",", [""]),
        ("abAb", "A", ["", "b", "b"]),
        (None, ",", []),
        ("a b", " ", ["a", "b"]),
    ],
)
def test_string_split(text: str | None, separator: str, parts: list[str]) -> None:
    assert strings.string_split(text, separator) == parts


def test_string_split_wants_one_character() -> None:
    for separator in ("", "ab", None, "😀"):
        with pytest.raises(SqlError) as caught:
            strings.string_split("a", separator)
        assert caught.value.number == 214


# From the page like of language-elements in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("text", "pattern", "escape", "expected"),
    [
        ("abc", "abc", None, True),
        ("ABC", "a%", None, True),
        ("abc", "b%", None, False),
        ("abc", "%C", None, True),
        ("abc", "a_c", None, True),
        ("abc", "a__c", None, False),
        ("", "%", None, True),
        ("", "", None, True),
        ("abc", "%%b%%", None, True),
        ("abcb", "%b", None, True),
        ("aab", "a%ab", None, True),
        ("ab", "a%ab", None, False),
        ("50%", "50[%]", None, True),
        ("_n", "[_]n", None, True),
        ("d", "[a-cdf]", None, True),
        ("e", "[a-cdf]", None, False),
        ("-", "[-acdf]", None, True),
        ("-", "[a-]", None, True),
        ("[", "[[]", None, True),
        ("]", "]", None, True),
        ("b", "[^a]", None, True),
        ("a", "[^a]", None, False),
        ("^", "[a^]", None, True),
        ("B", "[a-c]", None, True),
        ("5%", "5!%", "!", True),
        ("5x", "5!%", "!", False),
        ("5]", "5[!]]", "!", True),
        ("abc", "ab[c", None, False),
        ("abc", "abc!", "!", False),
        ("a\nb", "a_b", None, True),
        ("a\0b", "a%b", None, True),
        ("a.c", "a.c", None, True),
        ("abc", "a.c", None, False),
        ("abc ", "abc", None, True),
        ("abc", "abc ", None, False),
        ("abc  ", "%c", None, True),
        ("a b", "a b%", None, True),
        ("é", "É", None, True),
        ("e", "é", None, False),
    ],
)
def test_like(text: str, pattern: str, escape: str | None, expected: bool) -> None:
    assert like(text, pattern, escape) is expected


def test_like_of_nvarchar_minds_trailing_spaces() -> None:
    assert not like("abc ", "abc", wide=True)
    assert like("abc ", "abc%", wide=True)
    assert like("😀", "__", wide=True)
    assert resolve("LIKE", (varchar(5), varchar(5))).evaluate("abc ", "abc") == 1
    assert resolve("LIKE", (nvarchar(5), varchar(5))).evaluate("abc ", "abc") == 0
    assert resolve("LIKE", (nvarchar(5), varchar(5), varchar(1))).evaluate("5%", "5!%", "!") == 1
    assert resolve("LIKE", (nvarchar(5), varchar(5))).evaluate(None, "abc") is None


def test_like_takes_no_exponential_time() -> None:
    begun = time.monotonic()
    assert not like("a" * 3000, "%a" * 12 + "b")
    assert time.monotonic() - begun < 1


def test_like_refuses_a_long_escape() -> None:
    with pytest.raises(SqlError) as caught:
        like("a", "a", "!!")
    assert caught.value.number == 506


@pytest.mark.parametrize(
    ("pattern", "text", "position"),
    [
        ("%[0-9]%", "abc1", 4),
        ("b%", "abc", 0),
        ("a%", "abc", 1),
        ("%c", "abc", 3),
        ("%C%", "abc", 3),
        ("abc", "abc", 1),
        ("%x%", "abc", 0),
        ("%b%", "😀b", 3),
        ("%", "abc", 1),
    ],
)
def test_patindex(pattern: str, text: str, position: int) -> None:
    assert patindex(pattern, text) == position


# From the page formatmessage of functions in Microsoft's T-SQL reference
@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        (
            "Signed int %i, %d %i, %d, %+i, %+d, %+i, %+d",
            (5, -5, 50, -50, 11, -11, 11, -11),
            "Signed int 5, -5 50, -50, +11, -11, +11, -11",
        ),
        ("Signed int up to 3 leading zeros %03i", (5,), "Signed int up to 3 leading zeros 005"),
        (
            "Signed int up to 20 leading zeros %020i",
            (5,),
            "Signed int up to 20 leading zeros 00000000000000000005",
        ),
        ("Unsigned int %u, %u", (50, -50), "Unsigned int 50, 4294967246"),
        ("Unsigned octal %o, %o", (50, -50), "Unsigned octal 62, 37777777716"),
        (
            "Unsigned hexadecimal %x, %X, %X, %X, %x",
            (11, 11, -11, 50, -50),
            "Unsigned hexadecimal b, B, FFFFFFF5, 32, ffffffce",
        ),
        ("Unsigned octal with prefix: %#o, %#o", (50, -50), "Unsigned octal with prefix: 062, 037777777716"),
        (
            "Unsigned hexadecimal with prefix: %#x, %#X",
            (11, 11),
            "Unsigned hexadecimal with prefix: 0xb, 0XB",
        ),
        ("Hello %s!", ("TEST",), "Hello TEST!"),
        ("Hello %20s!", ("TEST",), "Hello                 TEST!"),
        ("Hello %-20s!", ("TEST",), "Hello TEST                !"),
        ("%.3s|%*d|%.*s", ("abcdef", 5, 42, 2, "xyz"), "abc|   42|xy"),
        ("%I64d %%", (2**40,), "1099511627776 %"),
        ("%s %d", (None,), "(null) (null)"),
        ("100%", (), "100%"),
    ],
)
def test_format_message(template: str, values: tuple[Any, ...], expected: str) -> None:
    assert format_message(template, values) == expected


@pytest.mark.parametrize(
    ("template", "value", "number"), [("%d", "a", 2786), ("%s", 5, 2786), ("%f", 5, 2787)]
)
def test_format_message_refuses(template: str, value: Any, number: int) -> None:
    with pytest.raises(SqlError) as caught:
        format_message(template, (value,))
    assert caught.value.number == number


def test_format_message_is_cut() -> None:
    text = format_message("%s", ("x" * 3000,))
    assert (len(text), text[-4:]) == (2047, "x...")


def test_code_page_round_trip() -> None:
    every = bytes(range(256))
    assert codepage.encode(codepage.decode(every)) == every
    assert codepage.fits_code_page("œ€\x81")
    assert not codepage.fits_code_page("ж")
    assert codepage.from_units(codepage.to_units("a😀b")) == "a😀b"
    assert codepage.width("a😀b") == 4
    assert codepage.cut("😀😀", 3) == "😀"


def test_nulls_survive_sqlite() -> None:
    assert parse_type("nvarchar(5)").storage == "TEXT"
    assert resolve("CONCAT", (WIDE, WIDE)).evaluate("a\0", "\0b") == "a\0\0b"
