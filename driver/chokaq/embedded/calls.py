"""Compilation of function calls: scalar functions, session functions, @@variables.

The scalar functions themselves are in ``values``; a name that is neither there nor here is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import scalars
from .aggregates import AGGREGATES, WINDOW_ONLY, AggregateCompiler
from .conversions import convert, null
from .problems import SqlError, at_line
from .scope import Typed
from .sql_functions import has_logarithm
from .sqltypes import (
    BIGINT,
    DATETIME,
    DATETIME2,
    INT,
    NVARCHAR_MAX,
    SMALLINT,
    SYSNAME,
    SqlType,
    decimal,
    nvarchar,
    varchar,
)
from .tree import exp
from .values import functions as values

if TYPE_CHECKING:
    from .expressions import Expressions

Compiler = Callable[["FunctionCompiler", "Expressions", str, list[Any]], Typed]

_ATOM = re.compile(r"(?:\w+\(.*\)|CASE .* END|\(.*\))", re.DOTALL)


class FunctionCompiler(AggregateCompiler):
    """Stateless: what a call needs comes with the Expressions that it stands in."""

    def call(self, ex: Expressions, name: str, arguments: list[Any], node: Any) -> Typed:
        try:
            handler = _TABLE.get(name)
            if handler is not None:
                return handler(self, ex, name, arguments)
            if values.is_function(name) and name != "LIKE":
                return self._resolved(ex, name, arguments)
            if name in AGGREGATES:
                return self.aggregate(ex, name, arguments, node)
            if name in WINDOW_ONLY:
                raise SqlError(10753, f"The function '{name}' must have an OVER clause.", 15, 1)
        except SqlError as error:
            raise at_line(error, ex.line(node)) from None
        raise ex.refuse(f"the function {name}", node)

    def _resolved(self, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
        part = ""
        if name in values.DATEPART_FUNCTIONS and arguments:
            part = _word(arguments[0])
            arguments = arguments[1:]
        return self.apply(ex, name, [ex.value(argument) for argument in arguments], part)

    def apply(self, ex: Expressions, name: str, given: list[Typed], part: str = "") -> Typed:
        """A function of ``values`` over compiled arguments."""
        if any(e.type.name == "boolean" for e in given):
            raise SqlError(4145, "A condition stands where a value is expected.", 15, 1)
        types = tuple(e.type for e in given)
        rank = max([e.rank for e in given if e.type.is_string], default=0)
        binary = any(e.binary for e in given if e.rank == rank)
        raw_json = bool(given) and given[-1].json
        call = values.resolve(name, types, part=part, binary=binary, raw_json=raw_json)
        converted = [
            e if e.type == kind else convert(e, kind, cast=True)
            for e, kind in zip(given, call.arguments, strict=True)
        ]
        sql = _inline(name, converted) or call.sql([e.sql for e in converted])
        if not _ATOM.fullmatch(sql):
            sql = f"({sql})"
        node = None
        if not call.per_row and all(e.node is not None for e in converted):
            nodes = [e.node for e in converted if e.node is not None]
            node = scalars.Function(name, types, part, binary, raw_json, nodes)
        made = Typed(sql, call.result, node=node, binary=binary and call.result.is_string, rank=rank)
        made.json = name in ("JSON_QUERY", "JSON_MODIFY")
        if node is not None and (name in _ONCE or part):
            return ex.hoist(made)
        return made

    # @@variables and session state

    def global_variable(self, ex: Expressions, name: str, node: Any) -> Typed:
        kind = _GLOBALS.get(name.upper())
        if kind is None:
            raise ex.refuse(f"@@{name}", node)
        return self.special(ex, f"@@{name.lower()}", kind)

    def special(self, ex: Expressions, name: str, kind: SqlType) -> Typed:
        return Typed(ex.context.special(name), kind, node=scalars.Special(name))

    def session_call(self, name: str, kind: SqlType, given: list[Typed]) -> Typed:
        """A function of the session: ``session.functions`` has it under its name."""
        sql = f"chokaq_{name}({', '.join(e.sql for e in given)})"
        node = None
        if all(e.node is not None for e in given):
            node = scalars.Call(name, [e.node for e in given if e.node is not None])
        return Typed(sql, kind, node=node)


# RAND is worked out once for a whole query, as on a server; NEWID for every row.
_ONCE = frozenset({"RAND"})


def _inline(name: str, given: list[Typed]) -> str:
    """Functions of a float that SQLite can do without Python; empty for the others."""
    if len(given) != 1 or given[0].type.name != "float" or len(given[0].sql) > _SHORT:
        return ""
    x = given[0].sql
    if name in ("FLOOR", "CEILING"):
        # Beyond this every float is a whole number.
        down = f"- ({x} < CAST({x} AS INTEGER))" if name == "FLOOR" else f"+ ({x} > CAST({x} AS INTEGER))"
        whole = f"CAST(CAST({x} AS INTEGER) {down} AS REAL)"
        return f"CASE WHEN abs({x}) < 4503599627370496.0 THEN {whole} ELSE {x} END"
    if name == "LOG" and has_logarithm():
        return f"CASE WHEN {x} <= 0 THEN chokaq_log({x}) ELSE ln({x}) END"
    return ""


_SHORT = 200


def _word(node: Any) -> str:
    """A bare word where a datepart belongs."""
    if isinstance(node, exp.Column) and not node.table:
        return str(node.name)
    return str(getattr(node, "this", ""))


def as_text(e: Typed) -> Typed:
    """The value as text: numbers and dates as CONCAT writes them."""
    from .values.types import text_length

    if e.type.is_string:
        return e
    if e.type.name == "null":
        return null(varchar(1))
    length = e.type.length if e.type.is_binary else text_length(e.type)
    return convert(e, nvarchar(length) if e.type.is_binary else varchar(length), cast=True)


# Handlers: (functions, expressions, name, argument nodes) -> Typed


def _null_if(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
    if len(arguments) != 2:
        return f.apply(ex, name, [ex.value(argument) for argument in arguments])
    left, right = ex.value(arguments[0]), ex.value(arguments[1])
    equal = ex.compare("=", left, right)
    result = ex.case([equal], [null(left.type), left])
    if left.type.is_number and left.type.name != "decimal" and right.type.is_integer:
        result.sql = f"nullif({left.sql}, {right.sql})"
    return result


def _coalesce(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
    given = [ex.value(argument) for argument in arguments]
    if len(given) < 2:
        return f.apply(ex, name, given)
    return ex.coalesce(given)


def _is_null(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
    given = [ex.value(argument) for argument in arguments]
    if len(given) != 2:
        return f.apply(ex, name, given)
    left, right = given
    if left.type.name == "null":
        return right
    return ex.coalesce([left, convert(right, left.type)])


def _iif(_f: FunctionCompiler, ex: Expressions, _name: str, arguments: list[Any]) -> Typed:
    if len(arguments) != 3:
        raise SqlError(174, "The iif function requires 3 argument(s).", 15, 1)
    return ex.case([ex.condition(arguments[0])], [ex.value(arguments[1]), ex.value(arguments[2])])


def _choose(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
    if len(arguments) < 2:
        return f.apply(ex, name, [ex.value(argument) for argument in arguments])
    from .conversions import constant

    index = convert(ex.value(arguments[0]), INT)
    conditions = [ex.compare("=", index, constant(number, INT)) for number in range(1, len(arguments))]
    return ex.case(conditions, [*(ex.value(argument) for argument in arguments[1:]), null(SqlType("null"))])


def _state(special: str, kind: SqlType) -> Compiler:
    """Something of the session that takes no argument."""

    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
        if arguments:
            raise SqlError(174, f"The {name.lower()} function requires 0 argument(s).", 15, 1)
        return f.special(ex, special, kind)

    return compile_


def _session(kind: SqlType, fewest: int, most: int, *kinds: SqlType | str) -> Compiler:
    """A function of the session; ``kinds`` are "text" or a type, the last one for all that follow."""

    def compile_(f: FunctionCompiler, ex: Expressions, name: str, arguments: list[Any]) -> Typed:
        if not fewest <= len(arguments) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise SqlError(174, f"The {name.lower()} function requires {wanted} argument(s).", 15, 1)
        given = []
        for index, argument in enumerate(arguments):
            wanted_kind = kinds[min(index, len(kinds) - 1)]
            e = ex.value(argument)
            given.append(convert(e, wanted_kind) if isinstance(wanted_kind, SqlType) else as_text(e))
        return f.session_call(name.lower(), kind, given)

    return compile_


_TEXT4000 = nvarchar(4000)
_TABLE: dict[str, Compiler] = {
    "NULLIF": _null_if,
    "COALESCE": _coalesce,
    "ISNULL": _is_null,
    "IIF": _iif,
    "CHOOSE": _choose,
    # The clock stands still while a statement runs.
    "SYSUTCDATETIME": _state("now", DATETIME2),
    "SYSDATETIME": _state("local", DATETIME2),
    "GETUTCDATE": _state("now_datetime", DATETIME),
    "GETDATE": _state("local_datetime", DATETIME),
    "CURRENT_TIMESTAMP": _state("local_datetime", DATETIME),
    "ERROR_NUMBER": _state("error_number", INT),
    "ERROR_MESSAGE": _state("error_message", _TEXT4000),
    "ERROR_SEVERITY": _state("error_severity", INT),
    "ERROR_STATE": _state("error_state", INT),
    "ERROR_LINE": _state("error_line", INT),
    "ERROR_PROCEDURE": _state("error_procedure", SYSNAME),
    "XACT_STATE": _state("xact_state", SMALLINT),
    "SCOPE_IDENTITY": _state("scope_identity", decimal(38, 0)),
    "ROWCOUNT_BIG": _state("@@rowcount", BIGINT),
    "PARSENAME": _session(SYSNAME, 2, 2, "text", INT),
    "OBJECT_ID": _session(INT, 1, 2, "text"),
    "OBJECT_NAME": _session(SYSNAME, 1, 2, INT),
    "OBJECT_SCHEMA_NAME": _session(SYSNAME, 1, 2, INT),
    "OBJECT_DEFINITION": _session(NVARCHAR_MAX, 1, 1, INT),
    "SCHEMA_ID": _session(INT, 0, 1, "text"),
    "SCHEMA_NAME": _session(SYSNAME, 0, 1, INT),
    "TYPE_ID": _session(INT, 1, 1, "text"),
    "TYPE_NAME": _session(SYSNAME, 1, 1, INT),
    "COL_LENGTH": _session(SMALLINT, 2, 2, "text"),
    "COL_NAME": _session(SYSNAME, 2, 2, INT),
    "DB_NAME": _session(SYSNAME, 0, 1, INT),
    "DB_ID": _session(SMALLINT, 0, 1, "text"),
    "SUSER_SNAME": _session(SYSNAME, 0, 0),
    "SUSER_NAME": _session(SYSNAME, 0, 0),
    "ORIGINAL_LOGIN": _session(SYSNAME, 0, 0),
    "USER_NAME": _session(SYSNAME, 0, 1, INT),
    "USER_ID": _session(INT, 0, 1, "text"),
    "DATABASE_PRINCIPAL_ID": _session(INT, 0, 1, "text"),
    "HOST_NAME": _session(SYSNAME, 0, 0),
    "APP_NAME": _session(SYSNAME, 0, 0),
    "SERVERPROPERTY": _session(_TEXT4000, 1, 1, "text"),
    "DATABASEPROPERTYEX": _session(_TEXT4000, 2, 2, "text"),
    "OBJECTPROPERTY": _session(INT, 2, 2, INT, "text"),
    "INDEXPROPERTY": _session(INT, 3, 3, INT, "text"),
    "COLUMNPROPERTY": _session(INT, 3, 3, INT, "text"),
    "HAS_PERMS_BY_NAME": _session(INT, 3, 5, "text"),
    "IS_ROLEMEMBER": _session(INT, 1, 2, "text"),
    "IS_MEMBER": _session(INT, 1, 1, "text"),
    "APPLOCK_TEST": _session(SMALLINT, 4, 4, "text"),
    "APPLOCK_MODE": _session(nvarchar(32), 3, 3, "text"),
}
_GLOBALS = {
    "ROWCOUNT": INT,
    "TRANCOUNT": INT,
    "SPID": SMALLINT,
    "ERROR": INT,
    "IDENTITY": decimal(38, 0),
    "PROCID": INT,
    "VERSION": nvarchar(300),
    "SERVERNAME": SYSNAME,
    "NESTLEVEL": INT,
    "LOCK_TIMEOUT": INT,
    "MAX_PRECISION": SqlType("tinyint"),
    "DATEFIRST": SqlType("tinyint"),
    "LANGUAGE": SYSNAME,
}
