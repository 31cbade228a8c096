"""Writes a plan as one script that a DBA reads, signs and runs in sqlcmd or SSMS.

Clients go on with the next batch after an error, so the script stops itself: after every batch a guard looks
at ``@@ERROR`` and at the transaction, rolls back, and makes the session execute nothing more (see
:mod:`.guards`). The same input gives the same bytes: no clock, no server name, nothing of this machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..version import __version__
from . import guards
from .errors import PackageError
from .impact import Impact, impact_of
from .ledger import Ledger
from .lexer import TokenKind, tokens
from .plan import Plan
from .scripts import Script, SqlPackage
from .server import Dialect
from .steps import Action, Step, steps_of

# What one of the clients takes for itself wherever it stands: sqlcmd's variables and commands.
_SQLCMD = re.compile(r"\$\(|^[ \t]*(?::|!!)|^[ \t]*(?:exit|quit|reset|ed)\b", re.IGNORECASE | re.MULTILINE)
_GO_LINE = re.compile(r"^[ \t]*GO\b", re.IGNORECASE | re.MULTILINE)
_OPTION_LINES = (
    "",
    "SET ANSI_NULLS ON;",
    "SET QUOTED_IDENTIFIER ON;",
    "SET ANSI_NULLS, QUOTED_IDENTIFIER ON;",
)
_RULE = "-" * 100
_HOW = """\
How to run   sqlcmd -b -f 65001 -d DATABASE -i FILE, or open it in SSMS and press F5; it needs no
             SQLCMD mode. The first error stops it: the step in which it happens is rolled back, the
             steps before it stay, nothing after it is executed. Then make a new plan.
             chokaq deploy --expect-plan HASH does the same if, and only if, the plan is still this
             one; HASH is the SHA-256 of this file.
Never        changes database options, needs sysadmin, runs dynamic SQL, touches another schema.
Locks        an application lock keeps other deployments out. Replacing a procedure waits for the
             calls of it that run. Tables that hold data are locked only as the steps say.
"""


@dataclass(frozen=True, slots=True)
class PlanScript:
    """A rendered plan. ``data`` is the file: UTF-8, with a byte-order mark where it is not plain ASCII,
    because the clients otherwise read it in a code page. ``sha256`` is the hash of these bytes.
    """

    text: str
    data: bytes
    sha256: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class PlanTarget:
    """What a plan is for. ``database`` is None for a plan that was made without a connection."""

    schema: str
    dialect: Dialect
    database: str | None


def render(plan: Plan, ledger: Ledger, package: SqlPackage, target: PlanTarget) -> PlanScript:
    """The script that does what ``deploy`` would do over this ledger.

    Raises :class:`PackageError` for text that a client would take for one of its own commands.
    """
    steps = steps_of(plan, target.schema, target.dialect)
    impacts = {script.path: impact_of(script, package) for script in plan.migrations}
    batches = [
        *guards.session_options(target),
        *guards.gates(target, ledger),
    ]
    for index, step in enumerate(steps, start=1):
        batches += _step(step, f"{index} of {len(steps)}", impacts, package, target)
    batches += guards.finish(target)
    header = _header(plan, ledger, impacts, steps, target)
    text = header + "".join(f"{batch.rstrip()}\nGO\n\n" for batch in batches)
    _check_clients(text)
    bom = "" if text.isascii() else "\ufeff"
    data = (bom + text).encode("utf-8")
    return PlanScript(text, data, hashlib.sha256(data).hexdigest(), plan)


def _step(
    step: Step,
    place: str,
    impacts: dict[str, Impact],
    package: SqlPackage,
    target: PlanTarget,
) -> Iterator[str]:
    lines = [f"Step {place}: {step.title}"]
    if step.script is not None:
        lines += _facts(step.script, impacts[step.script.path])
    yield guards.begin(target, _comment(lines))
    yield guards.inside(target)
    for part in step.parts:
        for index, action in enumerate(part.actions):
            text = _marked(action, part.script, len(step.parts) > 1) if index == 0 else action.text
            yield text
            if not _only_sets_options(action.text):
                yield guards.inside(target)
    if step.ledger_row is not None:
        yield guards.commit(step.ledger_row(guards.duration(target)))
    else:
        yield guards.commit(guards.self_check(package, target))
    yield guards.outside(target)


def _only_sets_options(text: str) -> bool:
    """Whether a batch is the head of a file, which cannot fail."""
    return all(line.strip() in _OPTION_LINES for line in text.splitlines())


def _marked(action: Action, script: Script | None, needed: bool) -> str:
    """The first batch of a file, below a line that names the file and its hash."""
    if not needed:
        return action.text
    digest = f" sha256 {script.sha256}" if script is not None else ""
    return f"/* ---- {action.path}{digest} ---- */\n{action.text}"


def _facts(script: Script, impact: Impact) -> list[str]:
    return [
        f"sha256       {script.sha256}",
        f"purpose      {script.description or script.name.replace('_', ' ')}",
        f"size of data {impact.cost}",
        f"locks        {impact.locks}",
        f"undo         {impact.undo}",
    ]


def _header(
    plan: Plan, ledger: Ledger, impacts: dict[str, Impact], steps: tuple[Step, ...], target: PlanTarget
) -> str:
    newest = ledger.migrations[-1] if ledger.migrations else None
    previous = (
        "nothing"
        if newest is None
        else f"{newest.number:04}_{newest.name} by chokaq {newest.package_version}"
    )
    lines = [
        f"chokaq {__version__}: deployment plan",
        "",
        f"target       {_target(target)}",
        f"schema       [{target.schema}]",
        f"deployed     {previous}",
        f"steps        {len(steps)}, a transaction each: {len(plan.migrations)} one-time scripts, and then",
        f"             {len(plan.procedures)} procedures to create, {len(plan.dropped)} to drop, grants",
        "",
        *_HOW.splitlines(),
        "",
    ]
    for script in plan.migrations:
        lines += [script.path, *(f"    {fact}" for fact in _facts(script, impacts[script.path]))]
    if plan.dropped:
        lines.append(f"procedures dropped: {', '.join(plan.dropped)}")
    if plan.procedures:
        lines.append("procedures created or replaced:")
        lines += [f"    {script.name:<28} v{script.number} {script.sha256}" for script in plan.procedures]
    if not plan.is_pending:
        lines.append("Nothing is pending: the script only grants again.")
    return _comment(lines)


def _target(target: PlanTarget) -> str:
    kinds = {
        Dialect.SQLSERVER: "SQL Server 2017 or later, or Azure SQL Database",
        Dialect.BABELFISH: "Babelfish for PostgreSQL; it has no CREATE OR ALTER: DROP and CREATE",
        Dialect.EMBEDDED: "the embedded engine",
    }
    where = "an empty database" if target.database is None else f"database {target.database}"
    return f"{where}, {kinds[target.dialect]}"


def _comment(lines: list[str]) -> str:
    body = "\n".join(line.replace("*/", "* /").replace("/*", "/ *").rstrip() for line in lines)
    return f"/* {_RULE}\n{body}\n{_RULE} */\n"


def _check_clients(text: str) -> None:
    """Refuse what a client would not send as it stands."""
    found = _SQLCMD.search(text)
    if found is not None:
        raise PackageError(
            f"line {text.count(chr(10), 0, found.start()) + 1} of the plan: sqlcmd takes"
            f" {found.group().strip()!r} for itself; word it differently"
        )
    separators = len(split_lines(text))
    if len(_GO_LINE.findall(text)) != separators:
        raise PackageError("a line of a string or comment begins with GO, where some clients would split it")


def split_lines(text: str) -> list[int]:
    """The lines on which a ``GO`` really separates batches."""
    return [
        token.line
        for token in tokens(text)
        if token.is_word("GO")
        and token.kind is not TokenKind.COMMENT
        and not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()
    ]
