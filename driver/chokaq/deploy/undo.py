"""Goes back to an earlier version: undo scripts, newest first, each in a transaction with its ledger row.

Procedures of the newer version that mention what is taken away are dropped first; a procedure that still
fits keeps running. The older package is deployed afterwards, as after any undo.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..connection import Source
from . import grants, ledger
from .ddl import schema_of
from .errors import LosesJobsError, NoUndoError
from .impact import impact_of
from .lexer import TokenKind, tokens
from .model import Schema
from .runner import DEFAULT_LOCK_TIMEOUT, Reporter, prepare, run_step
from .scripts import DEFAULT_SCHEMA, Script, SqlPackage, load_package, rename_schema, validate_schema
from .server import Dialect
from .session import Session
from .steps import Action, Part, Step, drop_procedure, file_actions
from .target import open_connection

_JOB_TABLES = ("JobsHot", "JobsArchive", "JobsDLQ")


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What an undo would do. ``scripts`` are the undo scripts in order, ``losses`` words what goes with
    each; ``procedures`` are dropped; ``job_losses`` tells the jobs that would be lost, empty: none.
    """

    version: int
    scripts: tuple[str, ...]
    losses: tuple[str, ...]
    procedures: tuple[str, ...]
    job_losses: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether there is anything to undo."""
        return bool(self.scripts)


Confirm = Callable[[UndoPlan], bool]


def undo(
    target: Source,
    *,
    to: int,
    schema: str = DEFAULT_SCHEMA,
    lose_jobs: bool = False,
    confirm: Confirm = lambda _: True,
    lock_timeout: float = DEFAULT_LOCK_TIMEOUT,
    report: Reporter = lambda _: None,
    package: SqlPackage | None = None,
) -> UndoPlan:
    """Take back the one-time scripts after number ``to``; 0 removes everything.

    ``confirm`` sees the plan and says whether to go on; when it does not, nothing happens. Raises
    :class:`NoUndoError` when ``to`` is no version of this database or a script has no undo, and
    :class:`LosesJobsError` when jobs would be lost and ``lose_jobs`` is not set: looked at again inside
    the transaction that would lose them.
    """
    validate_schema(schema)
    package = load_package() if package is None else package
    with open_connection(target) as connection:
        session = Session(connection)
        with session.deployment_lock(schema, lock_timeout):
            server, recorded, _ = prepare(session, schema, package)
            undone = _undone(package, recorded, to)
            before = schema_of(each for each in package.migrations if each.number <= _newest(recorded))
            after = schema_of(each for each in package.migrations if each.number <= to)
            dropped = _unfit(package, recorded, before, after, everything=to == 0)
            planned = UndoPlan(
                to,
                tuple(each.path for each in undone),
                tuple(impact_of(_of(package, each), package).undo for each in undone),
                dropped,
                _job_losses(session, schema, before, after, locked=False, dialect=server.dialect),
            )
            if planned.job_losses and not lose_jobs:
                raise LosesJobsError(_words(planned.job_losses))
            if not planned.changes or not confirm(planned):
                return planned
            for script in undone:
                step = _step(script, schema, recorded, dropped if script is undone[0] else ())
                check = None if lose_jobs else _checker(schema, package, script, server.dialect)
                run_step(session, step, report, check)
            if to == 0:
                _drop_roles(session, schema, package, report)
    return planned


def _newest(recorded: ledger.Ledger) -> int:
    return max((each.number for each in recorded.migrations), default=0)


def _of(package: SqlPackage, undo_script: Script) -> Script:
    return next(each for each in package.migrations if each.number == undo_script.number)


def _undone(package: SqlPackage, recorded: ledger.Ledger, to: int) -> list[Script]:
    newest = _newest(recorded)
    if not 0 <= to <= newest:
        raise NoUndoError(f"this database is at version {newest}; it cannot be undone to {to}")
    by_number = {each.number: each for each in package.undos}
    scripts = []
    for number in range(newest, to, -1):
        if number not in by_number:
            raise NoUndoError(f"version {number} has no undo script; restore a backup")
        scripts.append(by_number[number])
    return scripts


def _unfit(
    package: SqlPackage, recorded: ledger.Ledger, before: Schema, after: Schema, *, everything: bool
) -> tuple[str, ...]:
    """The deployed procedures that mention something which goes, or a procedure that does."""
    deployed = {each.name.lower(): each.name for each in recorded.modules}
    if everything:
        return tuple(deployed.values())
    gone = _gone(before, after)
    mentions = {each.name.lower(): _mentioned(each.text) for each in package.procedures}
    # A procedure of a text that this package does not have cannot be judged: it goes, too.
    hashes = {each.name.lower(): each.sha256 for each in package.procedures}
    foreign = {each.name.lower() for each in recorded.modules if hashes.get(each.name.lower()) != each.sha256}
    unfit = foreign if gone else set()
    unfit |= {name for name in deployed if mentions.get(name, set()) & gone}
    while True:
        callers = {name for name in deployed if mentions.get(name, set()) & unfit} - unfit
        if not callers:
            return tuple(name for key, name in deployed.items() if key in unfit)
        unfit |= callers


def _gone(before: Schema, after: Schema) -> set[str]:
    """Names, in lower case, of tables, types and columns that go."""
    gone = (before.tables.keys() - after.tables.keys()) | (before.types.keys() - after.types.keys())
    for key, table in before.tables.items():
        left = after.tables.get(key)
        if left is not None:
            gone |= {each.name.lower() for each in table.columns if left.column(each.name) is None}
    return gone


def _mentioned(text: str) -> set[str]:
    return {token.value.lower() for token in tokens(text) if token.kind is TokenKind.NAME}


def _job_losses(
    session: Session, schema: str, before: Schema, after: Schema, *, locked: bool, dialect: Dialect
) -> tuple[str, ...]:
    """What the tables of jobs lose: all of their rows, or a column that holds values."""
    losses = []
    # Nobody may add a job between the look and the drop; only one dialect needs to be told, and knows how.
    hint = " WITH (TABLOCKX, HOLDLOCK)" if locked and dialect is Dialect.SQLSERVER else ""
    for name in _JOB_TABLES:
        table, left = before.tables.get(name.lower()), after.tables.get(name.lower())
        if table is None:
            continue
        if left is None:
            count = _count(session, schema, f"FROM [chokaq].[{name}] AS [j]{hint}")
            if count:
                losses.append(f"{count} jobs of {name}")
            continue
        for column in table.columns:
            if left.column(column.name) is None:
                source = f"FROM [chokaq].[{name}] AS [j]{hint} WHERE [j].[{column.name}] IS NOT NULL"
                count = _count(session, schema, source)
                if count:
                    losses.append(f"{column.name} of {count} jobs of {name}")
    return tuple(losses)


def _count(session: Session, schema: str, source: str) -> int:
    return int(session.scalar(rename_schema(f"SELECT COUNT(*) AS [Rows] {source};", schema)) or 0)


def _words(losses: tuple[str, ...]) -> str:
    return f"this would lose {', '.join(losses)}; say so with --lose-jobs, or drain the queues first"


def _checker(schema: str, package: SqlPackage, script: Script, dialect: Dialect) -> Callable[[Session], None]:
    before = schema_of(each for each in package.migrations if each.number <= script.number)
    after = schema_of(each for each in package.migrations if each.number < script.number)

    def check(session: Session) -> None:
        losses = _job_losses(session, schema, before, after, locked=True, dialect=dialect)
        if losses:
            raise LosesJobsError(_words(losses))

    return check


def _step(script: Script, schema: str, recorded: ledger.Ledger, dropped: tuple[str, ...]) -> Step:
    parts = [drop_procedure(name, schema, "it does not fit the older version") for name in dropped]
    parts.append(Part(script.path, file_actions(script, schema), f"undone {script.path}", script))
    if script.number > 1:  # the first script made the ledger, so its undo took it away
        left = [each for each in recorded.migrations if each.number < script.number]
        forget = ledger.forget_migration(script.number, left[-1].package_version, schema)
        parts.append(Part("ledger", (Action(forget, script.path),), ""))
    return Step(script.path, tuple(parts))


def _drop_roles(session: Session, schema: str, package: SqlPackage, report: Reporter) -> None:
    """Roles without members go; members are the DBA's, so a role that has some stays and is named."""
    for role in grants.roles(package.permissions, schema):
        members = session.scalar(
            "SELECT COUNT(*) AS [Members] FROM [sys].[database_role_members] AS [m]"
            " INNER JOIN [sys].[database_principals] AS [r]"
            " ON [r].[principal_id] = [m].[role_principal_id]"
            f" WHERE [r].[name] = {ledger.literal(role)};"
        )
        if members:
            report(f"kept role {role}: it has members")
        else:
            session.execute(f"DROP ROLE IF EXISTS [{role}];")
            report(f"dropped role {role}")
