"""Turns a plan into steps: what is run in one transaction, batch by batch.

The runner executes these steps and the renderer prints them, so a printed plan is what a deployment runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..version import __version__
from . import ledger
from .lexer import TokenKind, tokens
from .plan import Plan
from .scripts import Script, rename_schema
from .server import Dialect


@dataclass(frozen=True, slots=True)
class Action:
    """One batch. ``line`` is where it stands in the file ``path``; 0: it is the runner's own."""

    text: str
    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """What belongs together inside a step: a file's batches, then the ledger row. ``done`` says so."""

    title: str
    actions: tuple[Action, ...]
    done: str
    script: Script | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One transaction. ``ledger_row`` gives its last batch, from the duration as T-SQL text."""

    title: str
    parts: tuple[Part, ...]
    script: Script | None = None
    ledger_row: Callable[[str], str] | None = None


def steps_of(plan: Plan, schema: str, dialect: Dialect) -> tuple[Step, ...]:
    """The steps of a plan, in order: each one-time script, then procedures and permissions together."""
    steps = [_migration(script, schema) for script in plan.migrations]
    if plan.procedures or plan.dropped or plan.permissions:
        steps.append(_modules(plan, schema, dialect))
    return tuple(steps)


def _migration(script: Script, schema: str) -> Step:
    def row(duration: str) -> str:
        return ledger.record_migration(script, schema, duration, __version__)

    part = Part(script.path, file_actions(script, schema), f"applied {script.path}", script)
    return Step(script.path, (part,), script, row)


def _modules(plan: Plan, schema: str, dialect: Dialect) -> Step:
    """One transaction, so that nobody sees a procedure without its grants, nor half of a release."""
    parts = [drop_procedure(name, schema, "it is no longer in the package") for name in plan.dropped]
    for script in plan.procedures:
        actions = file_actions(script, schema, replace=not dialect.has_create_or_alter)
        row = Action(ledger.record_module(script, schema, __version__), script.path)
        parts.append(Part(script.path, (*actions, row), f"deployed {script.path}", script))
    parts += [
        Part(script.path, file_actions(script, schema), f"granted {script.path}", script)
        for script in plan.permissions
    ]
    return Step("procedures and permissions", tuple(parts))


def drop_procedure(name: str, schema: str, reason: str) -> Part:
    """Takes a procedure away, from the database and from the ledger."""
    path = f"procedure {name}"
    text = rename_schema(f"DROP PROCEDURE IF EXISTS [chokaq].[{name}];", schema)
    return Part(
        path,
        (Action(text, path), Action(ledger.forget_module(name, schema), path)),
        f"dropped procedure {name}: {reason}",
    )


def file_actions(script: Script, schema: str, *, replace: bool = False) -> tuple[Action, ...]:
    """A file's batches. A ``GO 3`` becomes three: an error in the first must stop the others."""
    actions: list[Action] = []
    for batch in script.batches(schema):
        texts = drop_and_create(batch.text) if replace else [batch.text]
        for _ in range(batch.count):
            actions += [Action(text, script.path, batch.line) for text in texts]
    return tuple(actions)


def drop_and_create(batch: str) -> list[str]:
    """The statements that replace a procedure where the server has no ``CREATE OR ALTER``.

    Dropping loses the grants; the permissions run later in the same transaction. Any other batch comes
    back as it is.
    """
    code = [token for token in tokens(batch) if token.kind is not TokenKind.COMMENT]
    if [token.upper for token in code[:4]] != ["CREATE", "OR", "ALTER", "PROCEDURE"]:
        return [batch]
    name = "".join(token.text for token in code[4:7])
    return [f"DROP PROCEDURE IF EXISTS {name};", batch[: code[1].start] + batch[code[3].start :]]
