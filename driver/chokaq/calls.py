"""The one way to call a procedure.

A call is ``EXEC [schema].[Name] @A = ?, …``: every parameter named, passed, and bound with the type that the
procedure declares. Why so:

* ``{CALL … (?)}`` would be a remote procedure call, which spares SQL Server a short text to parse, but
  Babelfish refuses it with parameters (16901). The text here is constant for each procedure, so its plan is
  found in the cache; and with declared types (varchar(100), not nvarchar of the value's length) it is one
  plan, and a varchar column is compared with a varchar.
* NULL is passed as a NULL of the declared type, not left out: then a procedure's default and an explicit NULL
  never have to be told apart. The defaults that ``JobQueue`` states are those of the procedures.

All result sets are read to the end before a row is believed: an error that the procedure raises after its
first rows arrives only with the next result set.
"""

from __future__ import annotations

import logging
import math
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from .connection import Connector, Session, close_quietly
from .dbapi import Cursor, DriverError, is_driver_error, read_error
from .errors import (
    REGISTRY,
    CallTimeoutError,
    ChokaqError,
    ConnectionFailedError,
    ConnectionLostError,
    DatabaseError,
    DeadlockError,
    NotDeployedError,
    NotRepresentableError,
    PermissionDeniedError,
    ProtocolError,
    ValueTooLongError,
)
from .procedures import PROCEDURES, Param, Procedure, SqlType

__all__ = ["Caller", "RetryPolicy", "Row", "not_deployed", "utc_naive"]

_log = logging.getLogger("chokaq.calls")
Row = Sequence[Any]


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently a call is repeated: delays double from ``base`` to ``cap`` seconds, and
    each is drawn between half and all of that, so that workers do not come back in step.
    """

    attempts: int = 5
    base: float = 0.1
    cap: float = 5.0

    def delay(self, failures: int) -> float:
        """Seconds to wait after the given number of failures in a row (1 = the first)."""
        full = min(self.cap, self.base * 2.0 ** min(failures - 1, 32))
        return full * (0.5 + random.random() / 2)


# Told by the server itself, before it did anything with the call, or after it rolled all of it back.
_SERVER_BUSY = frozenset({40197, 40501, 40613, 49918, 49919, 49920, 10928, 10929, 10936})
_DEADLOCK = 1205
_NO_PROCEDURE = 2812
_NO_SCHEMA = 2760
_NO_PERMISSION = 229
# Babelfish has one number for all that it did not translate, and PostgreSQL's text.
_BABELFISH_UNMAPPED = 33557097
_BABELFISH_TEXTS = (
    (re.compile(r"(?:procedure .+|schema \".+\") does not exist"), _NO_PROCEDURE),
    (re.compile(r"permission denied for "), _NO_PERMISSION),
)
_THERE_AND_BACK = "SELECT CONVERT(nvarchar(4000), CONVERT(varchar(8000), ?)) AS Stored;"


class Caller:
    """Calls procedures of one schema through one connector."""

    def __init__(
        self,
        connector: Connector,
        schema: str = "chokaq",
        *,
        retry: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", schema):
            raise ValueError("schema: letters, digits and underscores only, not beginning with a digit")
        self.connector = connector
        self.schema = schema
        # One string object for each procedure: pyodbc recognises a prepared statement by identity.
        self._statements = {
            name: f"EXEC [{schema}].[{name}]{procedure.arguments};" for name, procedure in PROCEDURES.items()
        }
        self._retry = retry or RetryPolicy()
        self._sleep = sleep

    def call(self, name: str, *values: Any, connection: Any = None) -> list[Row]:
        """Calls a procedure with all its parameters, in order, and returns the rows of its result set.

        With ``connection`` the call is made there, once, inside whatever transaction is open. Otherwise
        deadlock victims are repeated, and lost connections too where the procedure is ``repeatable``.
        Raises DatabaseError and its subclasses, NotDeployedError, ConnectionFailedError, ProtocolError.
        """
        procedure = PROCEDURES[name]
        if len(values) != len(procedure.params):
            raise TypeError(f"{name} takes {len(procedure.params)} parameters, got {len(values)}")
        values = tuple(
            _check(procedure, param, value) for param, value in zip(procedure.params, values, strict=True)
        )
        if connection is not None:
            return self._on_connection(connection, procedure, values)
        if not self.connector.owned:
            with self.connector.lend() as given:
                return self._on_connection(given, procedure, values)
        return self._repeated(procedure, values)

    def _repeated(self, procedure: Procedure, values: tuple[Any, ...]) -> list[Row]:
        failures = 0
        while True:
            try:
                with self.connector.use() as own:
                    return self._on_session(own, procedure, values)
            except (ChokaqError, KeyboardInterrupt, SystemExit, MemoryError) as error:
                if not _leaves_connection_usable(error):
                    self.connector.discard()
                failures += 1
                if failures >= self._retry.attempts or not _may_repeat(error, procedure):
                    raise
                delay = self._retry.delay(failures)
                _log.warning(
                    "%s is repeated in %.2f s: %s",
                    procedure.name,
                    delay,
                    type(error).__name__,
                    extra={"event": "call-repeated", "procedure": procedure.name, "attempt": failures},
                )
            except BaseException:
                # Unknown where it stopped: unread results may be left on the connection.
                self.connector.discard()
                raise
            self._sleep(delay)

    def _on_session(self, session: Session, procedure: Procedure, values: tuple[Any, ...]) -> list[Row]:
        statement = self._statements[procedure.name]
        try:
            cursor = session.cursor(statement)
            try:
                self._refuse_unrepresentable(session.connection, procedure, values)
                return self._execute(cursor, procedure, values)
            except BaseException:
                session.drop_cursor(statement)
                raise
        except Exception as error:
            if not is_driver_error(error):
                raise
            raise self._translate(read_error(error), procedure.name) from error

    def _on_connection(self, connection: Any, procedure: Procedure, values: tuple[Any, ...]) -> list[Row]:
        """As on a session, but nothing is kept on a connection that is not ours."""
        try:
            self._refuse_unrepresentable(connection, procedure, values)
            cursor = connection.cursor()
            try:
                return self._execute(cursor, procedure, values)
            finally:
                close_quietly(cursor)
        except Exception as error:
            if not is_driver_error(error):
                raise
            raise self._translate(read_error(error), procedure.name) from error

    def _execute(self, cursor: Cursor, procedure: Procedure, values: tuple[Any, ...]) -> list[Row]:
        _bind(cursor, [param.type for param in procedure.params])
        statement = self._statements[procedure.name]
        if values:
            cursor.execute(statement, values)
        else:
            cursor.execute(statement)
        names: tuple[str, ...] | None = None
        rows: list[Row] = []
        while True:
            if cursor.description is not None:
                if names is not None:
                    raise ProtocolError(f"{procedure.name} returned more than one result set.")
                names = tuple(column[0] for column in cursor.description)
                rows = list(cursor.fetchall())
            if not cursor.nextset():
                break
        if names != procedure.columns:
            raise ProtocolError(
                f"{procedure.name} returned the columns {', '.join(names) if names else '(none)'}; expected "
                f"{', '.join(procedure.columns)}. The database and this package are of different versions."
            )
        return rows

    def _refuse_unrepresentable(self, connection: Any, procedure: Procedure, values: tuple[Any, ...]) -> None:
        """A varchar parameter turns characters that its code page lacks into ``?`` before the procedure can
        see them: in the ODBC driver, or in the server. Only there is the code page known, so the rare value
        that is not plain ASCII is sent there and back the same way first.
        """
        for param, value in zip(procedure.params, values, strict=True):
            if param.type.name != "varchar" or value is None or value.isascii():
                continue
            cursor = connection.cursor()
            try:
                _bind(cursor, [SqlType("varchar", 8000)])
                cursor.execute(_THERE_AND_BACK, (value,))
                stored = cursor.fetchall()[0][0]
            finally:
                close_quietly(cursor)
            if stored != value:
                raise NotRepresentableError(
                    f"parameter {param.name} has characters that the database's code page lacks.",
                    number=51005,
                    procedure=procedure.name,
                )

    def _translate(self, found: DriverError, procedure: str) -> ChokaqError:
        message = self.connector.scrub(found.message)
        number, state = found.number, found.sqlstate or ""
        if number == _BABELFISH_UNMAPPED:
            number = next((meant for text, meant in _BABELFISH_TEXTS if text.match(message)), number)
        known = REGISTRY.get(number) if number is not None else None
        kind: type[DatabaseError] = known or DatabaseError
        if known is None:
            if state.startswith("08"):
                kind = ConnectionLostError
            elif state in ("HYT00", "HYT01"):
                kind = CallTimeoutError
            elif number == _DEADLOCK:
                kind = DeadlockError
            elif number == _NO_PERMISSION:
                kind = PermissionDeniedError
            elif number in (_NO_PROCEDURE, _NO_SCHEMA):
                return not_deployed(self.connector.describe(), self.schema, procedure, message)
        return kind(message, number=number, sqlstate=found.sqlstate, procedure=procedure)


def not_deployed(database: str, schema: str, procedure: str, message: str = "") -> NotDeployedError:
    """The error for a procedure that is not there; ``message``: what the server said."""
    option = "" if schema == "chokaq" else f" --schema {schema}"
    return NotDeployedError(
        f"[{schema}].[{procedure}] cannot be called in {database}{f' ({message})' if message else ''}. "
        f"Deploy chokaq with: chokaq deploy --url URL{option}  (or: invoke deploy-db)"
    )


def _check(procedure: Procedure, param: Param, value: Any) -> Any:
    """The value as it is bound; TypeError/ValueError/ValueTooLongError where it never could be."""
    kind = param.type.name
    place = f"{procedure.name}, parameter {param.name}"
    if value is None:
        return None
    if kind in ("varchar", "nvarchar"):
        if not isinstance(value, str):
            raise TypeError(f"{place}: a str is needed, not {type(value).__name__}")
        if param.type.size and len(value) > param.type.size:
            # SQL Server cuts an over-long argument without a word.
            raise ValueTooLongError(
                f"{place}: {len(value)} characters, the longest allowed is {param.type.size}.",
                number=51004,
                procedure=procedure.name,
            )
    elif kind == "bit":
        if not isinstance(value, bool):
            raise TypeError(f"{place}: a bool is needed, not {type(value).__name__}")
    elif kind == "int":
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{place}: an int is needed, not {type(value).__name__}")
        if not -(2**31) <= value < 2**31:
            raise ValueError(f"{place}: {value} does not fit an int")
    elif kind in ("tinyint", "smallint"):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{place}: an int is needed, not {type(value).__name__}")
        if not (0 <= value < 2**8 if kind == "tinyint" else -(2**15) <= value < 2**15):
            raise ValueError(f"{place}: {value} does not fit a {kind}")
        return int(value)
    elif kind == "float":
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise TypeError(f"{place}: a number is needed, not {type(value).__name__}")
        if not math.isfinite(value):
            raise ValueError(f"{place}: not a finite number")
        return float(value)
    elif kind == "datetime2":
        # As text: pyodbc cuts the fraction when the server (Babelfish) understates its precision, and SQL
        # Server takes ISO 8601 with a T in any language setting.
        return utc_naive(value, place).isoformat(timespec="microseconds")
    return value


def utc_naive(value: object, place: str) -> datetime:
    """An aware datetime as the UTC wall-clock value that datetime2 columns hold. Naive ones are refused."""
    if not isinstance(value, datetime):
        raise TypeError(f"{place}: a datetime is needed, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise ValueError(
            f"{place}: the datetime has no time zone; give an aware one, as datetime.now(timezone.utc)"
        )
    return value.astimezone(timezone.utc).replace(tzinfo=None)


_ODBC_TYPES = {
    "varchar": "SQL_VARCHAR",
    "nvarchar": "SQL_WVARCHAR",
    "int": "SQL_INTEGER",
    "tinyint": "SQL_TINYINT",
    "smallint": "SQL_SMALLINT",
    "bit": "SQL_BIT",
    "float": "SQL_DOUBLE",
    "datetime2": "SQL_VARCHAR",  # see _check
}


def _bind(cursor: Any, types: Sequence[SqlType]) -> None:
    """Declares the parameters' types, so that a str becomes varchar where the procedure says varchar.

    Asked of the cursor, not of the connection, because a given connection may be a pool's wrapper around
    pyodbc. Other DB-API modules bind by value.
    """
    if not types or type(cursor).__module__.partition(".")[0] != "pyodbc":
        return
    import pyodbc

    cursor.setinputsizes([(getattr(pyodbc, _ODBC_TYPES[kind.name]), kind.size, 0) for kind in types])


def _leaves_connection_usable(error: BaseException) -> bool:
    """Whether the server answered in full, so that nothing of the call is left on the connection."""
    if isinstance(error, ConnectionLostError | CallTimeoutError | ProtocolError | ConnectionFailedError):
        return False
    if isinstance(error, NotDeployedError):
        return True
    if not isinstance(error, DatabaseError):
        return False
    # Without a number it was not the server that spoke. After an error that Babelfish has no number for, the
    # session was seen to repeat the error ever after.
    return error.number not in (None, _BABELFISH_UNMAPPED)


def _may_repeat(error: BaseException, procedure: Procedure) -> bool:
    if isinstance(error, DeadlockError):
        return True  # rolled back as a whole: nothing has happened yet
    if isinstance(error, ConnectionFailedError):
        return (error.sqlstate or "").startswith("08")  # nothing was sent; a refused login has another state
    if isinstance(error, ConnectionLostError):
        return procedure.repeatable
    return isinstance(error, DatabaseError) and error.number in _SERVER_BUSY and procedure.repeatable
