"""JSON as T-SQL reads it: JSON_VALUE, JSON_QUERY, JSON_MODIFY, and the rows of OPENJSON.

Numbers and fragments are returned as they were written, so positions in the text are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from json.decoder import scanstring
from typing import Any

from .convert import converter
from .problems import SqlError
from .sqltypes import NVARCHAR_MAX, RANGES, SqlType

_SPACE = re.compile(r"[ \t\n\r]*").match
_STEP = re.compile(r'\.([A-Za-z_$][\w$]*)|\."((?:[^"\\]|\\.)*)"|\[(\d+)\]')


class Number(str):
    """A number that is not a whole one, as written."""

    __slots__ = ()


def _refuse(word: str) -> Any:
    raise ValueError(word)


_decoder = json.JSONDecoder(parse_float=Number, parse_constant=_refuse)
_scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once


def malformed(text: str, position: int) -> SqlError:
    character = text[position] if position < len(text) else "."
    return SqlError(
        13609,
        f"JSON text is not properly formatted. Unexpected character '{character}' is found at position {position}.",
        16,
        4,
    )


def parse(text: str) -> Any:
    """The whole text as Python values (numbers with a fraction as Number). Raises 13609."""
    start = _SPACE(text, 0).end()  # type: ignore[union-attr]
    value, end = scan(text, start)
    end = _SPACE(text, end).end()  # type: ignore[union-attr]
    if end != len(text):
        raise malformed(text, end)
    return value


def scan(text: str, position: int) -> tuple[Any, int]:
    try:
        return _scan(text, position)
    except StopIteration as stop:
        raise malformed(text, stop.value) from None
    except json.JSONDecodeError as error:
        raise malformed(text, error.pos) from None
    except (ValueError, RecursionError):
        raise malformed(text, position) from None


@lru_cache(maxsize=1024)
def path_steps(path: str) -> tuple[bool, tuple[str | int, ...]]:
    """(strict, steps) of a path such as ``$.a."b c"[0]``. Raises 13607."""
    text = path.strip()
    strict = False
    for word in ("lax", "strict"):
        if text.lower().startswith(word) and text[len(word) : len(word) + 1] in (" ", "$"):
            strict = word == "strict"
            text = text[len(word) :].lstrip()
    steps: list[str | int] = []
    if not text.startswith("$"):
        raise _bad_path(path)
    position = 1
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None:
            raise _bad_path(path)
        if found[3] is not None:
            steps.append(int(found[3]))
        else:
            steps.append(found[1] if found[1] is not None else json.loads(f'"{found[2]}"'))
        position = found.end()
    return strict, tuple(steps)


def _bad_path(path: str) -> SqlError:
    return SqlError(13607, f"JSON path is not properly formatted: '{path}'.", 16, 4)


def _missing() -> SqlError:
    return SqlError(13608, "Property cannot be found on the specified JSON path.", 16, 1)


def members(text: str, position: int) -> tuple[str, list[tuple[str, int, int, Any]]]:
    """("{" or "[", members) of the object or array at a position: (key, start, end, value) each."""
    kind = text[position]
    found: list[tuple[str, int, int, Any]] = []
    position = _SPACE(text, position + 1).end()  # type: ignore[union-attr]
    closing = "}" if kind == "{" else "]"
    if text[position : position + 1] == closing:
        return kind, found
    index = 0
    while True:
        if kind == "{":
            if text[position : position + 1] != '"':
                raise malformed(text, position)
            try:
                key, position = scanstring(text, position + 1, True)
            except json.JSONDecodeError as error:
                raise malformed(text, error.pos) from None
            position = _SPACE(text, position).end()  # type: ignore[union-attr]
            if text[position : position + 1] != ":":
                raise malformed(text, position)
            position = _SPACE(text, position + 1).end()  # type: ignore[union-attr]
        else:
            key = str(index)
            index += 1
        value, end = scan(text, position)
        found.append((key, position, end, value))
        position = _SPACE(text, end).end()  # type: ignore[union-attr]
        character = text[position : position + 1]
        if character == closing:
            return kind, found
        if character != ",":
            raise malformed(text, position)
        position = _SPACE(text, position + 1).end()  # type: ignore[union-attr]


def locate(text: str, steps: Sequence[str | int], position: int = 0) -> tuple[int, int, Any] | None:
    """(start, end, value) of what the steps lead to; None when there is nothing."""
    position = _SPACE(text, position).end()  # type: ignore[union-attr]
    value, end = scan(text, position)
    for step in steps:
        if not isinstance(value, dict if isinstance(step, str) else list):
            return None
        wanted = step if isinstance(step, str) else str(step)
        for key, start, stop, member in members(text, position)[1]:
            if key == wanted:
                position, end, value = start, stop, member
                break
        else:
            return None
    return position, end, value


def as_text(value: Any) -> str | None:
    """A JSON scalar as SQL text."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def json_value(text: Any, path: Any) -> Any:
    if text is None or path is None:
        return None
    strict, steps = path_steps(path)
    parse(text)
    found = locate(text, steps)
    if found is None:
        if strict:
            raise _missing()
        return None
    value = found[2]
    if isinstance(value, (dict, list)):
        if strict:
            raise SqlError(13623, "Scalar value cannot be found in the specified JSON path.", 16, 1)
        return None
    result = as_text(value)
    if result is not None and len(result) > 4000:
        if strict:
            raise SqlError(13625, "String value in the specified JSON path would be truncated.", 16, 1)
        return None
    return result


def json_query(text: Any, path: Any = "$") -> Any:
    if text is None or path is None:
        return None
    strict, steps = path_steps(path)
    parse(text)
    found = locate(text, steps)
    if found is None or not isinstance(found[2], (dict, list)):
        if strict:
            raise _missing() if found is None else SqlError(13624, "Object or array cannot be found in the specified JSON path.", 16, 1)
        return None
    return text[found[0] : found[1]]


def json_modify(text: Any, path: Any, value: Any, kind: str = "string") -> Any:
    """kind: string, number, bit, or json for a value that came from JSON_QUERY and the like."""
    if text is None or path is None:
        return None
    append = False
    rest = path.strip()
    if rest.lower().startswith("append "):
        append = True
        rest = rest[7:].lstrip()
    strict, steps = path_steps(rest)
    parse(text)
    if value is None:
        written = "null"
    elif kind == "string":
        written = json.dumps(value, ensure_ascii=False)
    elif kind == "bit":
        written = "true" if value else "false"
    else:
        written = str(value)
    found = locate(text, steps)
    if append:
        if found is None or not isinstance(found[2], list):
            if strict:
                raise _missing()
            return text
        start, end, members_ = found
        comma = "," if members_ else ""
        return f"{text[: end - 1]}{comma}{written}{text[end - 1 :]}"
    if found is not None:
        if value is None and not strict and steps and isinstance(steps[-1], str):
            return _without(text, steps)
        return text[: found[0]] + written + text[found[1] :]
    if strict:
        raise _missing()
    if value is None:
        return text
    parent = locate(text, steps[:-1])
    step = steps[-1]
    if parent is None or not isinstance(parent[2], dict) or not isinstance(step, str):
        return text
    comma = "," if parent[2] else ""
    end = parent[1] - 1
    return f"{text[:end]}{comma}{json.dumps(step, ensure_ascii=False)}:{written}{text[end:]}"


def _without(text: str, steps: Sequence[str | int]) -> str:
    parent = locate(text, steps[:-1])
    if parent is None:
        return text
    kept = [
        f"{json.dumps(key, ensure_ascii=False)}:{text[start:end]}"
        for key, start, end, _ in members(text, parent[0])[1]
        if key != steps[-1]
    ]
    return text[: parent[0]] + "{" + ",".join(kept) + "}" + text[parent[1] :]


def raw_child(text: Any, key: Any) -> Any:
    """One member of an object or array, as written."""
    position = _SPACE(text, 0).end()  # type: ignore[union-attr]
    for name, start, end, _ in members(text, position)[1]:
        if name == str(key):
            return text[start:end]
    return None


def string_escape(text: Any, kind: Any) -> Any:
    if text is None:
        return None
    return json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/")


TYPE_CODES = {type(None): 0, str: 1, int: 2, Number: 2, bool: 3, list: 4, dict: 5}


def default_rows(text: str, path: str = "$") -> list[tuple[str, str | None, int]]:
    """OPENJSON without WITH: (key, value, type) of each member. Raises 13609."""
    strict, steps = path_steps(path)
    start = _SPACE(text, 0).end()  # type: ignore[union-attr]
    if text[start : start + 1] not in ("{", "["):
        raise malformed(text, start)
    if steps:
        parse(text)
        found = locate(text, steps)
        if found is None or not isinstance(found[2], (dict, list)):
            if strict:
                raise _missing()
            return []
        start = found[0]
    kind, found_members = members(text, start)
    if not steps:
        _check_rest(text, found_members, start, kind)
    rows = []
    for key, begin, end, value in found_members:
        code = TYPE_CODES[type(value)]
        if code == 1 or code == 0:
            rows.append((key, value, code))
        else:
            rows.append((key, text[begin:end], code))
    return rows


def _check_rest(text: str, found: list[tuple[str, int, int, Any]], start: int, kind: str) -> None:
    """Nothing but spaces may follow the closing bracket."""
    position = found[-1][2] if found else start + 1
    position = _SPACE(text, position).end() + 1  # type: ignore[union-attr]
    position = _SPACE(text, position).end()  # type: ignore[union-attr]
    if position != len(text):
        raise malformed(text, position)


#: One column of OPENJSON … WITH: (strict, steps, as_json, converter from text).
ColumnReader = tuple[bool, tuple[str | int, ...], bool, Callable[[Any], Any]]


def typed_rows(text: str, columns: Sequence[ColumnReader], path: str = "$") -> list[tuple[Any, ...]]:
    """OPENJSON … WITH: one row for each object of an array, or one for an object. Raises 13609."""
    strict, steps = path_steps(path)
    start = _SPACE(text, 0).end()  # type: ignore[union-attr]
    if text[start : start + 1] not in ("{", "["):
        raise malformed(text, start)
    if steps:
        parse(text)
        found = locate(text, steps)
        if found is None or not isinstance(found[2], (dict, list)):
            if strict:
                raise _missing()
            return []
        start = found[0]
    if text[start] == "[":
        kind, elements = members(text, start)
        if not steps:
            _check_rest(text, elements, start, kind)
    else:
        value, end = scan(text, start)
        elements = [("", start, end, value)]
        if not steps:
            position = _SPACE(text, end).end()  # type: ignore[union-attr]
            if position != len(text):
                raise malformed(text, position)
    rows = []
    for _, begin, end, element in elements:
        row = []
        for column_strict, column_steps, as_json, convert in columns:
            value = element
            for step in column_steps:
                if type(value) is dict:
                    if step in value:
                        value = value[step]
                        continue
                elif type(value) is list and type(step) is int and step < len(value):
                    value = value[step]
                    continue
                if column_strict:
                    raise _missing()
                value = None
                break
            if value is None:
                row.append(None)
            elif type(value) is dict or type(value) is list:
                if as_json:
                    if column_steps:
                        place = locate(text, column_steps, begin)
                        row.append(text[place[0] : place[1]] if place else None)
                    else:
                        row.append(text[begin:end])
                elif column_strict:
                    raise SqlError(13623, "Scalar value cannot be found in the specified JSON path.", 16, 1)
                else:
                    row.append(None)
            elif as_json:
                if column_strict:
                    raise SqlError(13624, "Object or array cannot be found in the specified JSON path.", 16, 1)
                row.append(None)
            else:
                row.append(convert(value))
        rows.append(tuple(row))
    return rows


def reader(kind: SqlType) -> Callable[[Any], Any]:
    """How a JSON scalar becomes a value of a column of OPENJSON … WITH."""
    convert = converter(NVARCHAR_MAX, kind)
    if kind.is_integer and kind.name != "bit":
        low, high = RANGES[kind.name]

        def whole(value: Any) -> Any:
            if type(value) is int and low <= value <= high:
                return value
            return convert(as_text(value))

        return whole
    if kind.name in ("varchar", "nvarchar"):
        limit = kind.length if kind.length is not None else 2**31

        def text(value: Any) -> Any:
            if type(value) is str and len(value) <= limit and value.isascii():
                return value
            return convert(as_text(value))

        return text
    if kind.is_float:

        def number(value: Any) -> Any:
            if type(value) is int or type(value) is Number:
                return float(value)
            return convert(as_text(value))

        return number
    return lambda value: convert(as_text(value))
