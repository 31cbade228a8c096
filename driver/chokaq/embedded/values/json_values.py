"""ISJSON, JSON_VALUE, JSON_QUERY, JSON_MODIFY and OPENJSON.

Objects and arrays come back as they stand in the source. Positions in messages count from 0.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ..errors import SqlError, sql_error
from .codepage import from_units, width
from .conversions import converter
from .json_path import JsonPath, locate, parse_path, step, walk
from .json_text import MISSING, Number, Span, elements, kind_of, members, parse, skip_space
from .strings import string_escape
from .types import SqlType

__all__ = [
    "JsonColumn",
    "is_json",
    "json_modify",
    "json_query",
    "json_value",
    "open_json",
    "open_json_with",
    "read_column",
]


def is_json(text: str) -> int:
    """ISJSON: 1 for an object or an array, else 0."""
    try:
        return int(isinstance(parse(text).value, (dict, list)))
    except SqlError as error:
        if error.number == 13606:
            raise
        return 0


def json_value(text: str, path: str = "$") -> str | None:
    """JSON_VALUE: a scalar as nvarchar(4000). Lax: NULL for what is no scalar, missing or too long;
    strict: 13623, 13608, 13625.
    """
    route = parse_path(path)
    value = walk(parse(text).value, route.steps)
    scalar = _scalar(value, route)
    if scalar is not None and len(scalar) > 2000 and width(scalar) > 4000:
        if route.strict:
            raise sql_error(13625)
        return None
    return scalar


def json_query(text: str, path: str = "$") -> str | None:
    """JSON_QUERY: the text of an object or array. Lax: NULL for a scalar or nothing; strict: 13624, 13608."""
    route = parse_path(path)
    whole = parse(text)
    value = walk(whole.value, route.steps)
    if not _is_nested(value, route):
        return None
    span = locate(text, whole, route.steps)
    return text[span.start : span.end] if span else None


def _scalar(value: Any, route: JsonPath) -> str | None:
    if value is MISSING:
        if route.strict:
            raise sql_error(13608)
        return None
    if isinstance(value, (dict, list)):
        if route.strict:
            raise sql_error(13623)
        return None
    return _text(value)


def _is_nested(value: Any, route: JsonPath) -> bool:
    if isinstance(value, (dict, list)):
        return True
    if route.strict:
        raise sql_error(13608 if value is MISSING else 13624)
    return False


def _text(value: Any) -> str | None:
    """A scalar as T-SQL sees it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    # Half a surrogate pair may come from an escape; it cannot be stored.
    return value.decode() if isinstance(value, Number) else from_units(value)


# OPENJSON


def open_json(text: str | None, path: str = "$") -> list[tuple[str, str | None, int]]:
    """OPENJSON without WITH: rows (key, value, type). Nothing for NULL; lax: nothing where the path leads
    to no object or array; strict: 13608, 13611.
    """
    opened = _open(text, path)
    if opened is None or text is None:
        return []
    if isinstance(opened.value, dict):
        named = ((from_units(item.key or ""), item) for item in members(text, opened.start))
    else:
        named = ((str(index), item) for index, item in enumerate(elements(text, opened.start)))
    return [(name, _shown(text, item), kind_of(item.value)) for name, item in named]


def _shown(text: str, span: Span) -> str | None:
    if isinstance(span.value, (dict, list)):
        return text[span.start : span.end]
    return _text(span.value)


def _open(text: str | None, path: str) -> Span | None:
    if text is None:
        return None
    route = parse_path(path)
    whole = parse(text)
    value = walk(whole.value, route.steps)
    if not isinstance(value, (dict, list)):
        if route.strict:
            raise sql_error(13608 if value is MISSING else 13611)
        return None
    return locate(text, whole, route.steps)


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """A column of OPENJSON … WITH. ``path`` "": the member of the column's name. 13618: AS JSON of a type
    other than nvarchar(max).
    """

    name: str
    type: SqlType
    path: str = ""
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.as_json and (self.type.name != "nvarchar" or self.type.length is not None):
            raise sql_error(13618)


_SOURCE: Final = SqlType("nvarchar", None)


def open_json_with(
    text: str | None, columns: Sequence[JsonColumn], path: str = "$"
) -> Iterator[tuple[Any, ...]]:
    """OPENJSON … WITH: one row of stored values for each element of an array, or one for an object.

    Strings are cut to the column (strict: 13625); what cannot be converted raises the conversion's error.
    """
    if text is None:
        return
    first = skip_space(text, 0)
    spans: Iterable[Span]
    if text[first : first + 1] == "[" and not parse_path(path).steps:
        # The usual case: each element is read once.
        spans = elements(text, first, whole=True)
    else:
        opened = _open(text, path)
        if opened is None:
            return
        spans = (opened,) if isinstance(opened.value, dict) else elements(text, opened.start)
    readers = [read_column(column) for column in columns]
    plain = [name for _, name, _ in readers if name is not None]
    if len(plain) == len(readers):
        # The usual form: members of the row's own object.
        fields = [(read, plain[index]) for index, (read, _, _) in enumerate(readers)]
        for span in spans:
            value = span.value
            if isinstance(value, dict):
                yield tuple([read(text, span, value.get(name, MISSING)) for read, name in fields])
            else:
                yield tuple([read(text, span, MISSING) for read, _ in fields])
        return
    for span in spans:
        yield tuple([read(text, span, walk(span.value, steps)) for read, _, steps in readers])


_Reader = tuple[Callable[[str, Span, Any], Any], "str | None", "tuple[str | int, ...]"]


@lru_cache(maxsize=1024)
def read_column(column: JsonColumn) -> _Reader:
    """How a column is read: from the text, the row's span and the value; its name when that is the whole
    path;
    its path.
    """
    route = parse_path(column.path) if column.path else JsonPath((column.name,))
    only = route.steps[0] if len(route.steps) == 1 and isinstance(route.steps[0], str) else None
    steps = route.steps
    if column.as_json:

        def read_json(text: str, span: Span, value: Any) -> Any:
            if not _is_nested(value, route):
                return None
            found = locate(text, span, steps)
            return text[found.start : found.end] if found else None

        return read_json, only, steps
    finish = _finisher(column, route)

    def read_scalar(_: str, __: Span, value: Any) -> Any:
        if value is MISSING or value is None or isinstance(value, (dict, list)):
            scalar = _scalar(value, route)
            return None if scalar is None else finish(scalar)
        if value is True or value is False:
            return finish("true" if value else "false")
        return finish(value.decode() if isinstance(value, Number) else from_units(value))

    return read_scalar, only, steps


def _finisher(column: JsonColumn, route: JsonPath) -> Callable[[str], Any]:
    kind = column.type
    if kind.is_binary:
        to_bytes = converter(SqlType("varbinary", None), kind)
        return lambda text: to_bytes(_base64(text))
    convert = converter(_SOURCE, kind)
    if route.strict and kind.is_string and kind.length is not None:
        limit = kind.length

        def check(text: str) -> Any:
            if width(text) > limit:
                raise sql_error(13625)
            return convert(text)

        return check
    if kind.is_unicode and kind.length is None:
        return str
    return convert


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise sql_error(13612) from None


# JSON_MODIFY


def json_modify(text: str, path: str, value: Any, kind: str = "string") -> str:
    """JSON_MODIFY. ``kind`` says how the new value is written: ``string`` is quoted, ``number`` and
    ``bool`` are not, ``json`` (the result of JSON_QUERY) stands as it is. A NULL value deletes in lax mode.
    """
    route = parse_path(path, modify=True)
    if not route.steps and not route.append:
        raise sql_error(13619, 2)
    whole = parse(text)
    written = _written(value, kind)
    if route.append:
        return _append(text, whole, route, written)
    parent = locate(text, whole, route.steps[:-1])
    last = route.steps[-1]
    if parent is None:
        if route.strict:
            raise sql_error(13608)
        return text
    if step(parent.value, last) is MISSING:
        return _insert(text, parent, last, None if value is None else written, strict=route.strict)
    if value is None and not route.strict and isinstance(last, str):
        return _delete(text, parent, last)
    target = locate(text, parent, (last,))
    if target is None:
        return text
    return text[: target.start] + written + text[target.end :]


def _written(value: Any, kind: str) -> str:
    if value is None:
        return "null"
    if kind == "bool":
        return "true" if value else "false"
    if kind in ("number", "json"):
        return str(value)
    return f'"{string_escape(str(value))}"'


def _insert(text: str, parent: Span, name: str | int, written: str | None, *, strict: bool) -> str:
    if strict:
        raise sql_error(13608)
    if written is None or not isinstance(parent.value, dict) or not isinstance(name, str):
        return text
    comma = "," if parent.value else ""
    return f'{text[: parent.end - 1]}{comma}"{string_escape(name)}":{written}{text[parent.end - 1 :]}'


def _append(text: str, whole: Span, route: JsonPath, written: str) -> str:
    target = locate(text, whole, route.steps)
    if target is None:
        parent = locate(text, whole, route.steps[:-1])
        if route.strict or parent is None:
            if route.strict:
                raise sql_error(13608)
            return text
        return _insert(text, parent, route.steps[-1], f"[{written}]", strict=False)
    if not isinstance(target.value, list):
        if route.strict:
            raise sql_error(13621)
        return text
    comma = "," if target.value else ""
    return f"{text[: target.end - 1]}{comma}{written}{text[target.end - 1 :]}"


def _delete(text: str, parent: Span, name: str) -> str:
    """Without the member, its comma and the spaces around it."""
    start = parent.start + 1
    previous_end = None
    items = list(members(text, parent.start))
    index = next(i for i, item in enumerate(items) if item.key == name)
    if index > 0:
        previous_end = items[index - 1].end
        return text[:previous_end] + text[items[index].end :]
    if len(items) > 1:
        following = text.index('"', text.index(",", items[0].end))
        return text[:start] + text[following:]
    return text[:start] + text[items[0].end :]
