"""SpyProcedure: a procedure that writes its arguments down takes the place of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ddl
from .. import syntax as s
from ..catalog import Catalog, Parameter, Procedure
from ..parser import parse_batch
from .arguments import Call, bit, procedure, text
from .doubles import mark, new_name, rename_procedure, rename_table
from .names import find_procedure
from .results import quoted
from .state import raised

if TYPE_CHECKING:
    from ..session import Session

LOG = "_SpyProcedureLog"


@procedure("SpyProcedure", text("ProcedureName"), text("CommandToExecute", None), bit("CallOriginal", 0))
def spy_procedure(call: Call, name: str | None, command: str | None, call_original: int | None) -> None:
    """From now on the procedure only logs its arguments and runs ``command``, which may name its parameters.

    The log is ``[schema].[name_SpyProcedureLog]``: ``_id_``, then a column for each parameter; a row a call.
    """
    session = call.session
    found = find_procedure(session, name or "")
    if found is None:
        raise raised(f"Cannot use SpyProcedure on {name} because the procedure does not exist")
    log = f"{found.name}{LOG}"
    original = new_name()
    with session.definition():
        catalog = session.catalog.fork()
        previous = catalog.table(found.schema, log)
        if previous is not None:
            rename_table(session, catalog, previous, new_name())
        _define(session, catalog, _log_text(found, log))
        rename_procedure(catalog, found.schema, found.name, original)
        _define(session, catalog, _spy_text(found, log, command, original if call_original else ""))
        mark(catalog, catalog.tables[f"{found.schema}.{log}".lower()].object_id)
        mark(catalog, catalog.procedures[found.full_name.lower()].object_id, original)
        session.change_catalog(catalog)


def _define(session: Session, catalog: Catalog, source: str) -> None:
    statement = parse_batch(source).statements[0]
    if isinstance(statement, s.CreateTable):
        ddl.create_table(session, catalog, statement)
    elif isinstance(statement, s.CreateProcedure):
        ddl.create_procedure(session, catalog, statement)


def _log_text(found: Procedure, log: str) -> str:
    columns = "".join(f", {quoted(each.name[1:])} {_column_type(each)} NULL" for each in found.parameters)
    return (
        f"CREATE TABLE {quoted(found.schema)}.{quoted(log)} "
        f"([_id_] INT IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED{columns});"
    )


def _column_type(parameter: Parameter) -> str:
    if parameter.table is not None or parameter.type.is_unicode:
        # tSQLt keeps the rows of a table parameter as XML, which this engine does not have.
        return "NVARCHAR(MAX)"
    return "VARCHAR(MAX)" if parameter.type.is_string else str(parameter.type)


def _spy_text(found: Procedure, log: str, command: str | None, original: str) -> str:
    parameters = ", ".join(
        f"{each.name} {quoted(each.table[0])}.{quoted(each.table[1])} READONLY"
        if each.table is not None
        else f"{each.name} {each.type} = NULL{' OUTPUT' if each.output else ''}"
        for each in found.parameters
    )
    table = f"{quoted(found.schema)}.{quoted(log)}"
    scalars = [each for each in found.parameters if each.table is None]
    names = ", ".join(quoted(each.name[1:]) for each in scalars)
    values = ", ".join(each.name for each in scalars)
    insert = (
        f"INSERT INTO {table} ({names}) SELECT {values};"
        if scalars
        else f"INSERT INTO {table} DEFAULT VALUES;"
    )
    lines = [insert, f"{(command or '').rstrip().rstrip(';')};" if command and command.strip(" ;") else ""]
    if original:
        arguments = ", ".join(
            f"{each.name} = {each.name}{' OUTPUT' if each.output and each.table is None else ''}"
            for each in found.parameters
        )
        lines.append(f"EXECUTE {quoted(found.schema)}.{quoted(original)} {arguments};")
    body = "\n".join(line for line in lines if line)
    name = f"{quoted(found.schema)}.{quoted(found.name)}"
    return f"CREATE PROCEDURE {name} {parameters}\nAS\nBEGIN\n{body}\nRETURN;\nEND;"
