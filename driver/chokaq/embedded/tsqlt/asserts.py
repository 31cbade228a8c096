"""The assertions, Fail, and the expectations of exceptions."""

from __future__ import annotations

from typing import Any

from ..problems import SqlError
from ..sqltypes import NVARCHAR_MAX, SqlType, higher
from ..system import PROCEDURES
from ..transactions import DOOMED
from ..values.conversions import converter
from ..values.patterns import like
from ..values.strings import key
from .arguments import Call, Variant, integer, procedure, text, variant
from .names import Found, exists, find_table
from .results import quoted
from .state import Expectation, raised, state_of
from .tables import NEW_LINE, differences, whole_text

FAILURE = "tSQLt.Failure"
_FAIL_PARAMETERS = tuple(text(f"Message{number}", "") for number in range(10))


@procedure("Fail", *_FAIL_PARAMETERS)
def fail(call: Call, *messages: str | None) -> None:
    """End the test as failed. A doomed transaction is left and begun again, for the test to end in it."""
    session = call.session
    state = state_of(session)
    warning = ""
    if session.doomed:
        warning = f"{NEW_LINE}Warning: Uncommitable transaction detected!"
        count = session.trancount
        session.rollback()
        for _ in range(count):
            session.begin()
        session.save(state.savepoint)
    state.failure = "".join("!NULL!" if each is None else each for each in messages) + warning
    raise raised(FAILURE)


def _fail(call: Call, *messages: str | None) -> None:
    fail(call, *messages)


# Values


def _family(kind: SqlType) -> str:
    """sql_variant compares values of one family only."""
    if kind.is_string:
        return "text"
    if kind.is_float:
        return "approximate"
    if kind.is_integer or kind.name in ("decimal", "money"):
        return "exact"
    if kind.is_time:
        return "time"
    return "binary" if kind.is_binary else kind.name


def _equal(expected: Variant, actual: Variant) -> bool:
    if expected.type is None or actual.type is None:
        return expected.type is None and actual.type is None
    if _family(expected.type) != _family(actual.type):
        return False
    meeting = higher(expected.type, actual.type)
    left = converter(expected.type, meeting)(expected.value)
    right = converter(actual.type, meeting)(actual.value)
    return bool(key(left) == key(right) if meeting.is_string else left == right)


def _shown(value: Variant) -> str:
    return "NULL" if value.type is None else str(converter(value.type, NVARCHAR_MAX)(value.value))


_STYLES = {"float": 2, "real": 1, "binary": 1, "varbinary": 1}


def _formatted(value: Variant) -> str:
    kind = value.type or NVARCHAR_MAX
    style = 126 if kind.is_time else _STYLES.get(kind.name)
    return str(converter(kind, NVARCHAR_MAX, style)(value.value))


@procedure("AssertEquals", variant("Expected"), variant("Actual"), text("Message", ""))
def assert_equals(call: Call, expected: Variant, actual: Variant, message: str | None) -> None:
    """Two values are equal, or both NULL."""
    if not _equal(expected, actual):
        lead = f"{message} " if message and not message.endswith(" ") else message
        _fail(call, lead, f"Expected: <{_shown(expected)}> but was: <{_shown(actual)}>")


@procedure("AssertNotEquals", variant("Expected"), variant("Actual"), text("Message", ""))
def assert_not_equals(call: Call, expected: Variant, actual: Variant, message: str | None) -> None:
    """Two values differ."""
    if _equal(expected, actual):
        what = "be NULL" if expected.type is None else f"equal <{_formatted(expected)}>"
        _fail(call, message, f"Expected actual value to not {what}.")


def _or_null(value: str | None) -> str:
    return "NULL" if value is None else f"<{value}>"


@procedure("AssertEqualsString", text("Expected"), text("Actual"), text("Message", ""))
def assert_equals_string(call: Call, expected: str | None, actual: str | None, message: str | None) -> None:
    """Two texts are equal by the database's collation, or both NULL."""
    if key(expected) != key(actual):
        _fail(
            call, message, f"{NEW_LINE}Expected: {_or_null(expected)}{NEW_LINE}but was : {_or_null(actual)}"
        )


@procedure("AssertLike", text("ExpectedPattern"), text("Actual"), text("Message", ""))
def assert_like(call: Call, pattern: str | None, actual: str | None, message: str | None) -> None:
    """A text matches a pattern of LIKE, or both are NULL."""
    if pattern is not None and len(pattern) > 4000:
        raise raised("@ExpectedPattern may not exceed 4000 characters.")
    matches = actual is None and pattern is None
    if actual is not None and pattern is not None:
        matches = like(actual, pattern, wide=True)
    if not matches:
        shown = ["NULL" if value is None else value for value in (pattern, actual)]
        _fail(call, message, f"{NEW_LINE}Expected: <{shown[0]}>{NEW_LINE} but was: <{shown[1]}>")


# Objects and tables


@procedure("AssertObjectExists", text("ObjectName"), text("Message", ""))
def assert_object_exists(call: Call, name: str | None, message: str | None) -> None:
    """There is a table, procedure or #table of this name."""
    if name is None or not exists(call.session, name):
        _fail(call, message, f"'{'NULL' if name is None else name}' does not exist")


@procedure("AssertObjectDoesNotExist", text("ObjectName"), text("Message", ""))
def assert_object_does_not_exist(call: Call, name: str | None, message: str | None) -> None:
    """There is nothing of this name."""
    if name is not None and exists(call.session, name):
        _fail(call, message, f"'{name}' does exist!")


def _table(call: Call, name: str | None) -> Found:
    assert_object_exists(call, name, "")
    found = find_table(call.session, name or "")
    if found is None:
        raise SqlError(208, f"Invalid object name '{name}'.", 16, 1)
    return found


@procedure("AssertEmptyTable", text("TableName"), text("Message", ""))
def assert_empty_table(call: Call, name: str | None, message: str | None) -> None:
    """A table has no row."""
    found = _table(call, name)
    shown = whole_text(call.session, found)
    if shown:
        table = found.table
        full = quoted(table.name) if found.temporary else f"{quoted(table.schema)}.{quoted(table.name)}"
        _fail(call, message, f"{full} was not empty:{NEW_LINE}{shown}")


@procedure(
    "AssertEqualsTable",
    text("Expected"), text("Actual"), text("Message", None),
    text("FailMsg", "Unexpected/missing resultset rows!"),
)  # fmt: skip
def assert_equals_table(
    call: Call, expected: str | None, actual: str | None, message: str | None, fail_message: str | None
) -> None:
    """Two tables have the same rows in the columns of the first, in any order."""
    left, right = _table(call, expected), _table(call, actual)
    if call.session.doomed:
        # tSQLt makes a table here, which such a transaction does not allow.
        raise SqlError(3930, DOOMED, 16, 1)
    unequal, shown = differences(call.session, left, right)
    if unequal:
        lead = "" if message is None else message + NEW_LINE
        _fail(call, f"{lead}{fail_message or ''}{NEW_LINE}", shown)


# Exceptions


@procedure(
    "ExpectException",
    text("ExpectedMessage", None), integer("ExpectedSeverity", None), integer("ExpectedState", None),
    text("Message", None), text("ExpectedMessagePattern", None), integer("ExpectedErrorNumber", None),
)  # fmt: skip
def expect_exception(  # noqa: PLR0917
    call: Call, expected: str | None, severity: int | None, state: int | None, message: str | None,
    pattern: str | None, number: int | None,
) -> None:  # fmt: skip
    """The rest of the test must raise an error like this."""
    own = state_of(call.session)
    if own.expectation is not None and own.expectation.raises:
        own.expectation = None
        raise raised("Each test can only contain one call to tSQLt.ExpectException.")
    own.expectation = Expectation(True, expected, pattern, severity, state, number, message)


@procedure("ExpectNoException", text("Message", None))
def expect_no_exception(call: Call, message: str | None) -> None:
    """An error in the rest of the test is a failure."""
    own = state_of(call.session)
    before, own.expectation = own.expectation, None
    if before is not None:
        raise raised(
            "tSQLt.ExpectNoException cannot follow tSQLt.ExpectException inside a single test."
            if before.raises
            else "Each test can only contain one call to tSQLt.ExpectNoException."
        )
    own.expectation = Expectation(False, message=message)


# What tSQLt has besides


def _refuse(name: str) -> None:
    def handler(*_: Any) -> tuple[int, dict[str, Any]]:
        raise SqlError(49999, f"The embedded engine does not support tSQLt.{name}.", 16, 1)

    PROCEDURES["tsqlt", name.lower()] = handler


for _name in (
    "ApplyTrigger", "AssertEqualsTableSchema", "AssertResultSetsHaveSameMetaData", "AssertStringIn",
    "CaptureOutput", "FakeFunction", "ResultSetFilter", "SetFakeViewOff", "SetFakeViewOn", "StubRecord",
):  # fmt: skip
    _refuse(_name)
