"""JSON functions. Behaviour from relational-databases/json and t-sql/functions/{isjson,json-value,json-query,
json-modify,openjson}-transact-sql.md; error texts from errors-events, numbers 13600 to 13626.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from chokaq.embedded.errors import SqlError
from chokaq.embedded.values.functions import resolve
from chokaq.embedded.values.json_path import parse_path
from chokaq.embedded.values.json_values import (
    JsonColumn,
    is_json,
    json_modify,
    json_query,
    json_value,
    open_json,
    open_json_with,
)
from chokaq.embedded.values.types import BIT, INT, NVARCHAR_MAX, nvarchar, parse_type, varchar

DOCUMENT = '{"a": {"b" : [1, 2.50,  {"c":"x\\u0000y"}]}, "x y":true, "a":5, "n":null, "s":"t\\"é"}'


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except SqlError as error:
        return error.number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}', 1),
        (" [1, 2] ", 1),
        ("{}", 1),
        ("1", 0),
        ('"a"', 0),
        ("null", 0),
        ("", 0),
        ("{a:1}", 0),
        ("{'a':1}", 0),
        ('{"a":1,}', 0),
        ("[1,]", 0),
        ("[01]", 0),
        ("[1.]", 0),
        ("[.5]", 0),
        ("[+1]", 0),
        ("[-0.5e+10]", 1),
        ("[NaN]", 0),
        ("[Infinity]", 0),
        ("[-Infinity]", 0),
        ("[True]", 0),
        ('["\t"]', 0),
        ('["\\x"]', 0),
        ('["\\u12"]', 0),
        ('["\\u0000"]', 1),
        ("[1]x", 0),
        ("[1] \r\n\t", 1),
        ("[1]\xa0", 0),
        ("[" + "9" * 10000 + "]", 1),
    ],
)
def test_is_json(text: str, expected: int) -> None:
    assert is_json(text) == expected


@pytest.mark.parametrize(
    ("path", "value", "query"),
    [
        ("$", None, DOCUMENT),
        ("$.a", None, '{"b" : [1, 2.50,  {"c":"x\\u0000y"}]}'),
        ("$.a.b", None, '[1, 2.50,  {"c":"x\\u0000y"}]'),
        ("$.a.b[0]", "1", None),
        ("$.a.b[1]", "2.50", None),
        ("$.a.b[2]", None, '{"c":"x\\u0000y"}'),
        ("$.a.b[2].c", "x\0y", None),
        ("$.a.b[3]", None, None),
        ('$."x y"', "true", None),
        ("$.n", None, None),
        ("$.s", 't"é', None),
        ("$.A", None, None),
        ("$[0]", None, None),
        ("lax $.zz", None, None),
        ("strict $.zz", 13608, 13608),
        ("strict $.a", 13623, '{"b" : [1, 2.50,  {"c":"x\\u0000y"}]}'),
        ("strict $.s", 't"é', 13624),
        ("strict $.a.b[9]", 13608, 13608),
        ("$.", 13607, 13607),
        ("a", 13607, 13607),
        ("$.1a", 13607, 13607),
        ("$a", 13607, 13607),
        ("$.a[x]", 13607, 13607),
        ('$."open', 13607, 13607),
        ("append $.a", 13607, 13607),
        ("", 13607, 13607),
    ],
)
def test_value_and_query(path: str, value: Any, query: Any) -> None:
    assert outcome(json_value, DOCUMENT, path) == value
    assert outcome(json_query, DOCUMENT, path) == query


@pytest.mark.parametrize(
    ("text", "character", "position"),
    [
        ("", ".", 0),
        ("abc", "a", 0),
        ('{"a":1', ".", 6),
        ('{"a":1}}', "}", 7),
        ('{"a":}', "}", 5),
        ("[1 2]", "2", 3),
    ],
)
def test_malformed(text: str, character: str, position: int) -> None:
    with pytest.raises(SqlError) as caught:
        json_value(text, "$.a")
    assert caught.value.message == (
        f"JSON text is not properly formatted. Unexpected character '{character}' is found at position "
        f"{position}."
    )


def test_long_values() -> None:
    text = '{"a":"' + "x" * 4001 + '"}'
    assert json_value(text, "$.a") is None
    assert outcome(json_value, text, "strict $.a") == 13625
    assert json_value('{"a":"' + "x" * 4000 + '"}', "$.a") == "x" * 4000


def test_half_a_pair_cannot_be_stored() -> None:
    assert json_value('["\\ud83d\\ude00"]', "$[0]") == "😀"
    assert json_value('["\\ud83d"]', "$[0]") == "\ufffd"
    assert open_json('{"\\ud83d":1}') == [("\ufffd", "1", 2)]


def test_paths() -> None:
    assert parse_path('strict $.a."b.c"[3].$d').steps == ("a", "b.c", 3, "$d")
    assert parse_path("  lax $  ").steps == ()
    assert parse_path("$.été_1").steps == ("été_1",)


# OPENJSON


def test_default_form() -> None:
    assert open_json('{"a":"x","b":1.50,"c":null,"d":true,"e":[1, 2],"f":{"g" : 1},"a":2}') == [
        ("a", "x", 1),
        ("b", "1.50", 2),
        ("c", None, 0),
        ("d", "true", 3),
        ("e", "[1, 2]", 4),
        ("f", '{"g" : 1}', 5),
        ("a", "2", 2),
    ]
    assert open_json('["a",{}]') == [("0", "a", 1), ("1", "{}", 5)]
    assert open_json("[]") == open_json("{}") == open_json(None) == []
    assert open_json('{"a":{"b":[7]}}', "$.a.b") == [("0", "7", 2)]
    assert open_json('{"a":1}', "$.a") == open_json('{"a":1}', "$.b") == []
    assert outcome(open_json, '{"a":1}', "strict $.a") == 13611
    assert outcome(open_json, '{"a":1}', "strict $.b") == 13608
    assert outcome(open_json, "[1") == 13609


COLUMNS = (
    JsonColumn("id", INT),
    JsonColumn("Name", varchar(3), "$.name"),
    JsonColumn("Doc", NVARCHAR_MAX, "$.doc", as_json=True),
    JsonColumn("Deep", nvarchar(20), "$.a.b"),
    JsonColumn("Flag", BIT, "$.flag"),
)


def rows(text: str | None, columns: tuple[JsonColumn, ...] = COLUMNS, path: str = "$") -> Any:
    return outcome(lambda: list(open_json_with(text, columns, path)))


def test_with_form() -> None:
    text = """ [ {"id":1,"name":"abcdef","doc":{"z" : [1,  2]},"a":{"b":1.0},"flag":true},
                 {"id":"2","doc":"scalar","name":{"not":"scalar"},"a":[],"flag":0},
                 {"ID":3}, 7, null ] """
    assert rows(text) == [
        (1, "abc", '{"z" : [1,  2]}', "1.0", 1),
        (2, None, None, None, 0),
        (None, None, None, None, None),
        (None, None, None, None, None),
        (None, None, None, None, None),
    ]
    assert rows('{"id":5}') == [(5, None, None, None, None)]
    assert rows("[]") == rows(None) == []
    assert rows('{"r":[{"id":6}]}', path="$.r") == [(6, None, None, None, None)]
    assert rows("[1,2]", (JsonColumn("v", INT, "$"),)) == [(1,), (2,)]
    assert rows("[[1],[2]]", (JsonColumn("v", INT, "$[0]"),)) == [(1,), (2,)]
    assert rows('[{"d":[1, 2]}]', (JsonColumn("d", NVARCHAR_MAX, "$", as_json=True),)) == [('{"d":[1, 2]}',)]


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ('[{"v":"x"}]', JsonColumn("v", INT), 245),
        ('[{"v":1.5}]', JsonColumn("v", INT), 245),
        ('[{"v":3000000000}]', JsonColumn("v", INT), 248),
        ('[{"v":1e3}]', JsonColumn("v", parse_type("float")), [(1000.0,)]),
        ('[{"v":1.255}]', JsonColumn("v", parse_type("decimal(5,2)")), [(126,)]),
        ('[{"v":"ж"}]', JsonColumn("v", varchar(5)), [("?",)]),
        (
            '[{"v":"2024-01-01T00:00:00.1234567Z"}]',
            JsonColumn("v", parse_type("datetime2")),
            [(638396640001234567,)],
        ),
        ('[{"v":"x"}]', JsonColumn("v", parse_type("datetime2")), 241),
        ('[{"v":"YWJj"}]', JsonColumn("v", parse_type("varbinary(10)")), [(b"abc",)]),
        ('[{"v":"!"}]', JsonColumn("v", parse_type("varbinary(10)")), 13612),
        ('[{"v":"abcd"}]', JsonColumn("v", varchar(3), "strict $.v"), 13625),
        ('[{"v":"abc"}]', JsonColumn("v", varchar(3), "strict $.v"), [("abc",)]),
        ("[{}]", JsonColumn("v", varchar(3), "strict $.v"), 13608),
        ('[{"v":[]}]', JsonColumn("v", varchar(3), "strict $.v"), 13623),
        ('[{"v":1}]', JsonColumn("v", NVARCHAR_MAX, "strict $.v", as_json=True), 13624),
        ('[{"v":1}] x', JsonColumn("v", INT), 13609),
        ('[{"v":1}', JsonColumn("v", INT), 13609),
        ("[] x", JsonColumn("v", INT), 13609),
        ("5", JsonColumn("v", INT), []),
        ('[{"v":"a\\u0000b"}]', JsonColumn("v", nvarchar(10)), [("a\0b",)]),
        ('[{"v":"first","v":"second"}]', JsonColumn("v", nvarchar(10)), [("first",)]),
        ('[{"v":12345678901234567890.10}]', JsonColumn("v", nvarchar(50)), [("12345678901234567890.10",)]),
    ],
)
def test_with_form_conversions(text: str, column: JsonColumn, expected: Any) -> None:
    assert rows(text, (column,)) == expected


def test_as_json_wants_nvarchar_max() -> None:
    with pytest.raises(SqlError) as caught:
        JsonColumn("v", varchar(50), as_json=True)
    assert caught.value.number == 13618


@pytest.mark.parametrize(
    ("path", "value", "kind", "expected"),
    [
        ("$.name", "Mike", "string", '{"name":"Mike","skills":["C#","SQL"]}'),
        ("$.surname", "Smith", "string", '{"name":"John","skills":["C#","SQL"],"surname":"Smith"}'),
        ("$.name", None, "string", '{"skills":["C#","SQL"]}'),
        ("$.skills", None, "string", '{"name":"John"}'),
        ("$.nothing", None, "string", '{"name":"John","skills":["C#","SQL"]}'),
        ("strict $.name", None, "string", '{"name":null,"skills":["C#","SQL"]}'),
        ("append $.skills", "Azure", "string", '{"name":"John","skills":["C#","SQL","Azure"]}'),
        ("append $.new", 1, "number", '{"name":"John","skills":["C#","SQL"],"new":[1]}'),
        ("append $.name", 1, "number", '{"name":"John","skills":["C#","SQL"]}'),
        ("$.skills[1]", 'a"b', "string", '{"name":"John","skills":["C#","a\\"b"]}'),
        ("$.skills[5]", "x", "string", '{"name":"John","skills":["C#","SQL"]}'),
        ("$.skills", '["a"]', "json", '{"name":"John","skills":["a"]}'),
        ("$.ok", 1, "bool", '{"name":"John","skills":["C#","SQL"],"ok":true}'),
        ("$.a.b", 1, "number", '{"name":"John","skills":["C#","SQL"]}'),
        ("strict $.surname", "x", "string", 13608),
        ("strict $.a.b", "x", "string", 13608),
        ("append strict $.new", "x", "string", 13608),
        ("append strict $.name", "x", "string", 13621),
        ("$", "x", "string", 13619),
        ("x", "x", "string", 13607),
    ],
)
def test_modify(path: str, value: Any, kind: str, expected: Any) -> None:
    assert outcome(json_modify, '{"name":"John","skills":["C#","SQL"]}', path, value, kind) == expected


def test_modify_into_an_empty_object_and_kinds() -> None:
    assert json_modify("{}", "$.a", "b") == '{"a":"b"}'
    assert json_modify('{ "a" : 1 , "b" : 2 }', "$.a", None) == '{ "b" : 2 }'[:1] + '"b" : 2 }'
    assert resolve("JSON_MODIFY", (NVARCHAR_MAX, nvarchar(10), INT)).plan.extra == ("number",)
    assert resolve("JSON_MODIFY", (NVARCHAR_MAX, nvarchar(10), BIT)).plan.extra == ("bool",)
    assert resolve("JSON_MODIFY", (NVARCHAR_MAX, nvarchar(10), NVARCHAR_MAX), raw_json=True).plan.extra == (
        "json",
    )


def test_large_payloads() -> None:
    payload = "y" * 50_000_000
    begun = time.monotonic()
    text = f'[{{"id":1,"p":"{payload}","q":{{"r":"{payload[:1000]}"}}}}]'
    columns = (JsonColumn("p", NVARCHAR_MAX), JsonColumn("q", NVARCHAR_MAX, as_json=True))
    ((found, nested),) = open_json_with(text, columns)
    assert len(found) == 50_000_000
    assert nested == f'{{"r":"{payload[:1000]}"}}'
    assert is_json(text) == 1
    assert time.monotonic() - begun < 10


def test_depth() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert outcome(is_json, deep) == 13606
    assert is_json("[" * 128 + "]" * 128) == 1
