"""The T-SQL around the scripts of a rendered plan: options, gates, guards, self-check, end.

A guard stands between any two batches. What it does when something went wrong depends on the dialect:
SQL Server has ``SET NOEXEC ON``, after which batches are compiled and not executed; Babelfish ignores that,
but can make every later write fail by a read-only session; the embedded engine is only driven by programs,
which stop at the first error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..version import __version__
from .ledger import Ledger, literal
from .scripts import Script, SqlPackage, rename_schema
from .server import (
    AZURE_EDITIONS,
    OLDEST_COMPATIBILITY_LEVEL,
    OLDEST_VERSION,
    SYSTEM_DATABASES,
    Dialect,
)
from .session import SESSION_OPTIONS, acquire_lock, release_lock

if TYPE_CHECKING:
    from .render import PlanTarget

_LOCK_WAIT_MILLISECONDS = 60_000
_STATE = "CONVERT(NVARCHAR(40), SESSION_CONTEXT(N'chokaq.plan'))"
_READ_ONLY = (
    "SELECT [pg_catalog].[set_config](N'default_transaction_read_only', N'{}', "
    "CAST(0 AS [pg_catalog].[bool])) AS [ReadOnlySession];"
)


def session_options(target: PlanTarget) -> Iterator[str]:
    """The options of every deployment, whatever the client has set or an earlier run has left."""
    if target.dialect is Dialect.SQLSERVER:
        yield "SET NOEXEC OFF;"
    elif target.dialect is Dialect.BABELFISH:
        yield _READ_ONLY.format("off")
    yield "\n".join(SESSION_OPTIONS)
    if target.dialect.has_session_context:
        yield f"SET IMPLICIT_TRANSACTIONS OFF;\n\n{_set_state('started')}"


def gates(target: PlanTarget, ledger: Ledger) -> Iterator[str]:
    """Nothing is done in the wrong place, beside another deployment, or over another state."""
    yield "/* The right server, the right database? */\n" + "\n\n".join(_server_gate(target))
    yield outside(target)
    yield _lock(target)
    yield outside(target)
    yield "/* Is the database still as it was when this plan was made? */\n" + _ledger_gate(
        ledger, target.schema
    )
    yield outside(target)


def begin(target: PlanTarget, comment: str) -> str:
    """Opens a step."""
    clock = ""
    if target.dialect.has_session_context:
        clock = (
            "DECLARE @Started NVARCHAR(40) = CONVERT(NVARCHAR(40), SYSUTCDATETIME(), 121);\n\n"
            "EXECUTE sp_set_session_context @key = N'chokaq.started', @value = @Started;\n\n"
        )
    return f"{comment}{clock}BEGIN TRANSACTION;"


def duration(target: PlanTarget) -> str:
    """T-SQL for the milliseconds since the step began."""
    if not target.dialect.has_session_context:
        return "0"
    return (
        "DATEDIFF_BIG(MILLISECOND, CONVERT(DATETIME2(7),"
        " CONVERT(NVARCHAR(40), SESSION_CONTEXT(N'chokaq.started')), 121), SYSUTCDATETIME())"
    )


def commit(last: str) -> str:
    """The last batch of a step: the ledger row or the self-check, then the commit."""
    return f"{last}\n\nCOMMIT TRANSACTION;"


def inside(target: PlanTarget) -> str:
    """The guard within a step's transaction."""
    return _guard(target, 1)


def outside(target: PlanTarget) -> str:
    """The guard between steps."""
    return _guard(target, 0)


def finish(target: PlanTarget) -> Iterator[str]:
    """Gives the lock back and tells whether the script got this far."""
    if target.dialect.has_session_context:
        yield f"IF {_STATE} = N'started'\nBEGIN\n    {_set_state('finished')}\nEND;"
    if target.dialect is Dialect.SQLSERVER:
        yield "SET NOEXEC OFF;"
    elif target.dialect is Dialect.BABELFISH:
        yield _READ_ONLY.format("off")
    if not target.dialect.has_session_context:
        yield release_lock(target.schema)
        return
    yield (
        "IF CONVERT(NVARCHAR(40), SESSION_CONTEXT(N'chokaq.lock')) = N'held'\n"
        "BEGIN\n"
        f"{_indented(release_lock(target.schema))}\n\n"
        "    EXECUTE sp_set_session_context @key = N'chokaq.lock', @value = NULL;\n"
        "END;\n\n"
        f"IF ISNULL({_STATE}, N'') <> N'finished'\n"
        "BEGIN\n"
        "    THROW 51030, N'chokaq: the plan was NOT carried out to its end. The first error above says why;"
        " the step in which it happened was rolled back.', 1;\n"
        "END;\n\n"
        f"PRINT N'chokaq {__version__}: schema [{target.schema}] is deployed.';"
    )


def _set_state(state: str) -> str:
    return f"EXECUTE sp_set_session_context @key = N'chokaq.plan', @value = N'{state}';"


def _guard(target: PlanTarget, depth: int) -> str:
    if target.dialect is Dialect.EMBEDDED:
        return (
            f"IF @@TRANCOUNT <> {depth}\nBEGIN\n"
            "    THROW 51030, N'The plan stops: the transaction is not as it should be.', 1;\nEND;"
        )
    stop = "SET NOEXEC ON;" if target.dialect is Dialect.SQLSERVER else _READ_ONLY.format("on")
    return (
        f"IF @@ERROR <> 0 OR @@TRANCOUNT <> {depth} OR ISNULL({_STATE}, N'') <> N'started'\n"
        f"BEGIN IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; {_set_state('stopped')} {stop} END;"
    )


def _refuse(condition: str, number: int, message: str) -> str:
    return f"IF {condition}\nBEGIN\n    {_throw(number, message)}\nEND;"


def _throw(number: int, message: str) -> str:
    return f"THROW {number}, {literal(message)}, 1;"


def _server_gate(target: PlanTarget) -> Iterator[str]:
    yield _refuse("@@TRANCOUNT <> 0", 51020, "chokaq: end your open transaction first.")
    if target.dialect is Dialect.EMBEDDED:
        return
    is_babelfish = "@@VERSION LIKE N'%Babelfish%'"
    if target.dialect is Dialect.BABELFISH:
        yield _refuse(f"NOT ({is_babelfish})", 51030, "chokaq: this plan was made for Babelfish.")
    else:
        yield _refuse(is_babelfish, 51030, "chokaq: this plan was made for SQL Server, not for Babelfish.")
        editions = ", ".join(str(each) for each in AZURE_EDITIONS)
        yield _refuse(
            f"CONVERT(INT, SERVERPROPERTY('EngineEdition')) NOT IN ({editions})\n"
            f"    AND CONVERT(INT, SERVERPROPERTY('ProductMajorVersion')) < {OLDEST_VERSION}",
            51030,
            "chokaq: SQL Server 2017 or later is needed.",
        )
        yield _refuse(
            "(SELECT [d].[compatibility_level] FROM [sys].[databases] AS [d]"
            " WHERE [d].[database_id] = DB_ID())"
            f" < {OLDEST_COMPATIBILITY_LEVEL}",
            51030,
            f"chokaq: the database needs compatibility level {OLDEST_COMPATIBILITY_LEVEL} or higher.",
        )
        yield _refuse(
            "DATABASEPROPERTYEX(DB_NAME(), N'Updateability') = N'READ_ONLY'",
            51030,
            "chokaq: the database is read-only.",
        )
    system = ", ".join(literal(name) for name in SYSTEM_DATABASES)
    yield _refuse(f"DB_NAME() IN ({system})", 51030, "chokaq: this is a system database.")
    if target.database is not None:
        yield _refuse(
            f"DB_NAME() <> {literal(target.database)}",
            51030,
            f"chokaq: this plan was made for database {target.database}; this is another.",
        )


def _lock(target: PlanTarget) -> str:
    held = "\n\nEXECUTE sp_set_session_context @key = N'chokaq.lock', @value = N'held';"
    refusal = _refuse(
        "@Result < 0", 51021, "chokaq: another deployment of this schema holds the lock; nothing was done."
    )
    text = (
        f"/* One deployment at a time. */\n{acquire_lock(target.schema, _LOCK_WAIT_MILLISECONDS)}\n{refusal}"
    )
    return text + (held if target.dialect.has_session_context else "")


def _ledger_gate(ledger: Ledger, schema: str) -> str:
    changed = "chokaq: the database is not as it was when this plan was made; make a new plan."
    if not ledger.migrations:
        return rename_schema(
            _refuse("OBJECT_ID(N'[chokaq].[SchemaMigrations]', N'U') IS NOT NULL", 51031, changed), schema
        )
    rows = ",\n    ".join(f"({each.number}, {literal(each.sha256)})" for each in ledger.migrations)
    same = (
        "(\n    SELECT COUNT(*)\n    FROM [chokaq].[SchemaMigrations] AS [m]\n    INNER JOIN (VALUES\n    "
        f"{rows}\n    ) AS [e] ([Version], [Sha256])\n"
        "        ON [e].[Version] = [m].[Version] AND [e].[Sha256] = [m].[Sha256]\n)"
    )
    count = len(ledger.migrations)
    return rename_schema(
        _refuse(
            f"(SELECT COUNT(*) FROM [chokaq].[SchemaMigrations]) <> {count}\n    OR {same} <> {count}",
            51031,
            changed,
        ),
        schema,
    )


def self_check(package: SqlPackage, target: PlanTarget) -> str:
    """What must hold before the last commit: ledger, procedures and their options are the package's."""
    wrong = "chokaq: self-check: {} Nothing of this step remains."
    checks = [
        _refuse(
            _missing("SchemaMigrations", "Version", package.migrations),
            51031,
            wrong.format("the ledger does not hold every one-time script of the package."),
        ),
        _refuse(
            _missing("SchemaModules", "Name", package.procedures),
            51031,
            wrong.format("the ledger does not hold every procedure of the package."),
        ),
    ]
    names = "),\n    (".join(literal(f"[chokaq].[{each.name}]") for each in package.procedures)
    if names:
        checks.append(
            _refuse(
                "EXISTS (\n    SELECT 1\n    FROM (VALUES\n    ("
                f"{names})\n    ) AS [e] ([Name])\n    WHERE OBJECT_ID([e].[Name], N'P') IS NULL\n)",
                51031,
                wrong.format("a procedure is missing."),
            )
        )
    if package.procedures and target.dialect is Dialect.SQLSERVER:
        checks.append(
            _refuse(
                "EXISTS (\n    SELECT 1\n    FROM [sys].[sql_modules] AS [m]\n"
                "    INNER JOIN [sys].[objects] AS [o] ON [o].[object_id] = [m].[object_id]\n"
                f"    WHERE [o].[schema_id] = SCHEMA_ID({literal(target.schema)})\n"
                "        AND ([m].[uses_ansi_nulls] = 0 OR [m].[uses_quoted_identifier] = 0)\n)",
                51031,
                wrong.format("a procedure was created with the wrong SET options."),
            )
        )
    return "/* Self-check */\n" + rename_schema("\n\n".join(checks), target.schema)


def _missing(table: str, column: str, scripts: tuple[Script, ...]) -> str:
    if not scripts:
        return "1 = 0"
    keys = [str(each.number) if column == "Version" else literal(each.name) for each in scripts]
    rows = "),\n    (".join(
        f"{key}, {literal(script.sha256)}" for key, script in zip(keys, scripts, strict=True)
    )
    return (
        "EXISTS (\n    SELECT 1\n    FROM (VALUES\n    ("
        f"{rows})\n    ) AS [e] ([{column}], [Sha256])\n"
        f"    LEFT OUTER JOIN [chokaq].[{table}] AS [m]\n"
        f"        ON [m].[{column}] = [e].[{column}] AND [m].[Sha256] = [e].[Sha256]\n"
        f"    WHERE [m].[{column}] IS NULL\n)"
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
