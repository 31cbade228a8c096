"""docs/errors.md: the error registry, with who throws each number and the driver's class."""

from __future__ import annotations

import re

from chokaq.deploy.scripts import SqlPackage
from chokaq.errors import REGISTRY

from .markdown import code, page, table
from .procedures import procedures

_ROW = re.compile(r"^\|\s*(\d{5})\s*\|\s*`?(\w+)`?\s*\|\s*(.+?)\s*\|\s*$", re.MULTILINE)
_NUMBER = re.compile(r"\b5[01]\d{3}\b")
_MANY = 12
# Numbers that rendered deployment plans throw.
_PLANS = frozenset({51020, 51021, 51030, 51031})

_INTRO = (
    "Numbers that the package's T-SQL throws, with `THROW` and so with severity 16: one meaning each. "
    "An error dooms the transaction in which it happens (`XACT_ABORT ON`), so nothing of the refused "
    "call remains. Expected outcomes are rows with an `Outcome`, not errors."
)


def _thrown_by(names: list[str], *, plans: bool) -> str:
    some = names if len(names) <= _MANY else [f"{len(names)} procedures, each says so"]
    return ", ".join([*some, *(["deployment plans"] if plans else [])])


def render(package: SqlPackage, registry: str) -> str:
    """The page, from the text of db/errors.md and the headers of the procedures."""
    known = {int(number): (name, meaning) for number, name, meaning in _ROW.findall(registry)}
    throwers: dict[int, list[str]] = {}
    for each in procedures(package):
        for number in set(_NUMBER.findall(each.field("Errors"))):
            throwers.setdefault(int(number), []).append(each.name)
    rows = []
    for number in sorted(known):
        kind = REGISTRY.get(number)
        name, meaning = known[number]
        rows.append(
            (
                str(number),
                name,
                meaning,
                code(f"chokaq.errors.{kind.__name__}") if kind else "",
                _thrown_by(sorted(throwers.get(number, [])), plans=number in _PLANS),
            )
        )
    lines = [
        _INTRO,
        "",
        *table(("number", "name", "meaning", "driver", "thrown by"), rows),
        "Other numbers come from the server itself. Those that matter to a caller:",
        "",
        *table(
            ("number", "meaning", "what the driver does"),
            [
                ("1205", "deadlock victim", "repeats the call where that is safe"),
                ("1222", "lock time-out", "reports it"),
                ("229", "no right to execute the procedure", code("chokaq.errors.PermissionDeniedError")),
                (
                    "547",
                    "UpdateSettings: the settings cannot be together; the message names the check",
                    "reports it",
                ),
                (
                    "2812",
                    "the procedure is not there: not deployed, or an older version",
                    code("chokaq.errors.NotDeployedError"),
                ),
            ],
        ),
    ]
    return page("Errors", "db/errors.md and the headers in procs", lines)
