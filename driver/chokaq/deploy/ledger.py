"""What ran in a database: SchemaMigrations (one-time scripts) and SchemaModules (procedures).

The first migration creates both tables, so in a new database they are not there yet. All statements are
plain text, without parameters, so that a plan can show them as they run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .scripts import Script, rename_schema
from .session import Session

_DESCRIPTION_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class AppliedMigration:
    """A one-time script that ran here."""

    number: int
    name: str
    sha256: str
    package_version: str


@dataclass(frozen=True, slots=True)
class DeployedModule:
    """A procedure as it was last deployed here."""

    name: str
    version: int
    sha256: str
    package_version: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything that is recorded; both parts are empty where nothing was deployed yet."""

    migrations: tuple[AppliedMigration, ...] = ()
    modules: tuple[DeployedModule, ...] = ()

    @property
    def package_versions(self) -> frozenset[str]:
        """The versions of the packages that deployed something here."""
        recorded: Iterable[AppliedMigration | DeployedModule] = (*self.migrations, *self.modules)
        return frozenset(row.package_version for row in recorded)


def read(session: Session, schema: str) -> Ledger:
    """Read the ledger; call it while the deployment lock is held, else another may still be writing."""
    table = "[chokaq].[SchemaMigrations]"
    if session.scalar(_in(schema, f"SELECT OBJECT_ID(N'{table}', N'U') AS ObjectId;")) is None:
        return Ledger()
    migrations = session.execute(
        _in(schema, f"SELECT [Version], [Name], [Sha256], [PackageVersion] FROM {table} ORDER BY [Version];")
    )
    modules = session.execute(
        _in(
            schema,
            "SELECT [Name], [Version], [Sha256], [PackageVersion] FROM [chokaq].[SchemaModules]"
            " ORDER BY [Name];",
        )
    )
    return Ledger(
        tuple(AppliedMigration(int(row[0]), row[1], row[2].strip(), row[3]) for row in migrations),
        tuple(DeployedModule(row[0], int(row[1]), row[2].strip(), row[3]) for row in modules),
    )


def record_migration(script: Script, schema: str, duration_ms: str, package_version: str) -> str:
    """The statement that records a one-time script, in the script's own transaction.

    ``duration_ms`` is T-SQL: a number, or an expression that gives one.
    """
    description = script.description or script.name.replace("_", " ")
    return _in(
        schema,
        "INSERT INTO [chokaq].[SchemaMigrations]\n"
        "    ([Version], [Name], [Description], [Sha256], [AppliedAtUtc], [AppliedBy], [DurationMs],"
        " [PackageVersion])\n"
        f"VALUES ({script.number}, {literal(script.name)},"
        f" {literal(description, _DESCRIPTION_LENGTH)}, {literal(script.sha256)},"
        f" SYSUTCDATETIME(), SUSER_SNAME(), {duration_ms}, {literal(package_version)});",
    )


def forget_migration(number: int, package_version: str, schema: str) -> str:
    """The statements that take a one-time script out of the ledger again.

    What is left belongs to the package of the script before it, which must be able to deploy over it.
    """
    return _in(
        schema,
        f"DELETE FROM [chokaq].[SchemaMigrations] WHERE [Version] = {number};\n\n"
        "UPDATE [chokaq].[SchemaModules]\n"
        f"SET [PackageVersion] = {literal(package_version)}\n"
        f"WHERE [PackageVersion] <> {literal(package_version)};",
    )


def record_module(script: Script, schema: str, package_version: str) -> str:
    """The statements that record a procedure's text, in the transaction that created it."""
    forget = forget_module(script.name, schema)
    return f"{forget}\n" + _in(
        schema,
        "INSERT INTO [chokaq].[SchemaModules]"
        " ([Name], [Version], [Sha256], [DeployedAtUtc], [PackageVersion])\n"
        f"VALUES ({literal(script.name)}, {script.number}, {literal(script.sha256)},"
        f" SYSUTCDATETIME(), {literal(package_version)});",
    )


def forget_module(name: str, schema: str) -> str:
    """The statement that takes a procedure out of the ledger."""
    return _in(schema, f"DELETE FROM [chokaq].[SchemaModules] WHERE [Name] = {literal(name)};")


def literal(value: str, length: int | None = None) -> str:
    """A value of ours as a T-SQL string, cut to ``length`` characters."""
    text = value if length is None else value[:length]
    return "N'" + text.replace("'", "''") + "'"


def _in(schema: str, text: str) -> str:
    return rename_schema(text, schema)
