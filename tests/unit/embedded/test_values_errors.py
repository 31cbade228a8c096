"""Numbers, texts and SQLSTATEs of errors, and that every use of the table fits its template."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

from chokaq.embedded import errors
from chokaq.embedded.errors import MESSAGES, SqlError, dbapi_class, sql_error, sqlstate


@pytest.mark.parametrize(
    ("error", "number", "text"),
    [
        (errors.syntax_near("x"), 102, "Incorrect syntax near 'x'."),
        (errors.invalid_object("dbo.t"), 208, "Invalid object name 'dbo.t'."),
        (errors.invalid_column("c"), 207, "Invalid column name 'c'."),
        (
            errors.conversion_failed("varchar", "a", "int"),
            245,
            "Conversion failed when converting the varchar value 'a' to data type int.",
        ),
        (
            errors.null_into_column("C", "s.T", "INSERT"),
            515,
            (
                "Cannot insert the value NULL into column 'C', table 's.T'; column does not allow nulls. "
                "INSERT fails."
            ),
        ),
        (
            errors.check_conflict("INSERT", "CK_T", "d", "s.T", "C"),
            547,
            (
                'The INSERT statement conflicted with the CHECK constraint "CK_T". The conflict occurred in '
                'database "d", table "s.T", column \'C\'.'
            ),
        ),
        (
            errors.foreign_key_conflict("DELETE", "FK_T", "d", "s.T", referenced=True),
            547,
            (
                'The DELETE statement conflicted with the REFERENCE constraint "FK_T". The conflict '
                'occurred in database "d", table "s.T".'
            ),
        ),
        (
            errors.duplicate_key("PRIMARY KEY", "PK_T", "s.T", "(1, a)"),
            2627,
            (
                "Violation of PRIMARY KEY constraint 'PK_T'. Cannot insert duplicate key in object 's.T'. "
                "The duplicate key value is (1, a)."
            ),
        ),
        (
            errors.duplicate_row("s.T", "IX_T", "(1)"),
            2601,
            (
                "Cannot insert duplicate key row in object 's.T' with unique index 'IX_T'. The duplicate key "
                "value is (1)."
            ),
        ),
        (
            errors.truncation("d.s.T", "C", "abc"),
            2628,
            "String or binary data would be truncated in table 'd.s.T', column 'C'. Truncated value: 'abc'.",
        ),
        (errors.divide_by_zero(), 8134, "Divide by zero error encountered."),
        (
            errors.type_overflow("tinyint", 300),
            220,
            "Arithmetic overflow error for data type tinyint, value = 300.",
        ),
        (
            errors.convert_overflow("int"),
            8115,
            "Arithmetic overflow error converting expression to data type int.",
        ),
        (sql_error(1222), 1222, "Lock request time out period exceeded."),
        (
            sql_error(3930),
            3930,
            (
                "The current transaction cannot be committed and cannot support operations that write to the "
                "log file. Roll back the transaction."
            ),
        ),
        (sql_error(13608), 13608, "Property cannot be found on the specified JSON path."),
        (
            sql_error(201, "p", "@a"),
            201,
            "Procedure or function 'p' expects parameter '@a', which was not supplied.",
        ),
        (sql_error(2812, "p"), 2812, "Could not find stored procedure 'p'."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_texts(error: SqlError, number: int, text: str) -> None:
    assert (error.number, error.message) == (number, text)
    assert str(error).startswith(f"Msg {number}, Level {error.severity}, State {error.state}: ")


# As seen from pyodbc with Microsoft's driver; the exception class follows from the state by pyodbc's own
# table (mkleehammer/pyodbc, src/errors.cpp).
@pytest.mark.parametrize(
    ("number", "state", "name"),
    [
        (102, "42000", "ProgrammingError"),
        (206, "22018", "DataError"),
        (207, "42S22", "ProgrammingError"),
        (208, "42S02", "ProgrammingError"),
        (241, "22007", "DataError"),
        (242, "22007", "DataError"),
        (245, "22018", "DataError"),
        (266, "25000", "ProgrammingError"),
        (512, "21000", "Error"),
        (515, "23000", "IntegrityError"),
        (517, "22007", "DataError"),
        (535, "22003", "DataError"),
        (547, "23000", "IntegrityError"),
        (1205, "40001", "Error"),
        (1222, "42000", "ProgrammingError"),
        (2601, "23000", "IntegrityError"),
        (2627, "23000", "IntegrityError"),
        (2628, "42000", "ProgrammingError"),
        (2714, "42S01", "ProgrammingError"),
        (2812, "42000", "ProgrammingError"),
        (8114, "42000", "ProgrammingError"),
        (8115, "22003", "DataError"),
        (8134, "22012", "DataError"),
        (8152, "22001", "DataError"),
        (51002, "42000", "ProgrammingError"),
    ],
)
def test_states(number: int, state: str, name: str) -> None:
    assert (sqlstate(number), dbapi_class(state)) == (state, name)


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ("HYT00", "OperationalError"),
        ("08S01", "OperationalError"),
        ("0A000", "NotSupportedError"),
        ("HY000", "Error"),
    ],
)
def test_classes(state: str, name: str) -> None:
    assert dbapi_class(state) == name


def test_wanted_numbers_are_there() -> None:
    wanted = """102 137 156 201 207 208 217 220 232 241 242 245 257 266 295 402 512 515 547 1205 1222 2601
        2627 2628 2714 2812 3609 3902 3903 3908 3930 3998 4104 6401 8114 8115 8134 8144 8145 8152 8178 13608
        13609 15233"""
    assert not {int(number) for number in wanted.split()} - MESSAGES.keys()


def test_survives_pickle() -> None:
    error = errors.conversion_failed("varchar", "a", "int")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.number, copy.message, copy.severity, copy.state) == (245, error.message, 16, 1)


def test_every_use_fits_its_template() -> None:
    package = Path(errors.__file__).parent
    checked = 0
    for file in [*package.glob("values/*.py"), package / "errors.py"]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sql_error" and node.args):
                continue
            numbers = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            for number in [number for number in numbers if isinstance(number, int) and number > 100]:
                fields = MESSAGES[number].text.count("{}")
                assert len(node.args) - 1 >= fields, f"{file.name}:{node.lineno}: {number}"
                checked += 1
    assert checked > 80
