"""docs/procedures.md: every procedure from its header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chokaq.deploy.scripts import SqlPackage

from .markdown import code, page, sentence, table
from .procedures import Procedure, procedures

_ROLE = re.compile(r"\[(chokaq_\w+)\]")
_AREAS = {
    "jobs": "Enqueue, claim, keep",
    "finalize": "Finish",
    "recovery": "Recover",
    "dlq": "Dead letters and cancelling",
    "queues": "Queues",
    "stats": "Read",
    "metrics": "Metrics",
    "maintenance": "Maintenance and settings",
}

_INTRO = (
    "One set of rows each, its columns in a fixed order. Expected outcomes are rows with an "
    "`Outcome`, not errors; the numbers of the errors are in [errors.md](errors.md), the rights in "
    "[permissions.md](permissions.md). JSON parameters are arrays of objects, at most 1,000 a call; "
    "times are UTC."
)


def render(package: SqlPackage) -> str:
    """The page."""
    found = procedures(package)
    lines = [
        _INTRO,
        "",
    ]
    for area, title in _AREAS.items():
        lines += [f"**{title}**", ""]
        lines += table(
            ("procedure", "what it does", "roles"),
            [
                (f"[{each.name}](#{each.name.lower()})", _first(each), ", ".join(each.roles) or "internal")
                for each in found
                if each.area == area
            ],
        )
    for area, title in _AREAS.items():
        lines += [f"## {title}", ""]
        for each in found:
            if each.area == area:
                lines += _procedure(each)
    return page("Procedures", "the headers in procs", lines)


def _first(each: Procedure) -> str:
    return sentence(each.field("Purpose").split(". ")[0])


def _procedure(each: Procedure) -> Iterator[str]:
    yield from (f"### {each.name}", "", sentence(each.field("Purpose")), "")
    if each.parameters:
        yield from table(
            ("parameter", "type", "default", "meaning"),
            [
                (
                    code(p.name),
                    code(p.type) + (f" {p.direction}" if p.direction else ""),
                    code(p.default) if p.default else "" if p.direction == "READONLY" else "required",
                    p.meaning,
                )
                for p in each.parameters
            ],
        )
    if each.note:
        yield from (sentence(f"Parameters {each.note}"), "")
    for name in ("Result set", "Outcomes", "Errors", "Transactions", "Lock order", "Role"):
        text = each.field(name) if name == "Outcomes" else sentence(each.field(name))
        text = _ROLE.sub(r"`\1`", text)
        yield f"- **{name}:** {text}"
    yield f"- **Version:** {each.field('Version')}, [{each.path}](../{each.path})"
    yield ""
