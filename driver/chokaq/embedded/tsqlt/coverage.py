"""Which statements of the procedures ran."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest.mock import patch

from .. import ir
from ..problems import SqlError

if TYPE_CHECKING:
    from ..frames import Frame
    from ..session import Session


@dataclass(frozen=True, slots=True)
class Covered:
    """The statements of one procedure; ``missed``: lines (of its text) of those that never ran."""

    procedure: str
    statements: int
    executed: int
    missed: tuple[int, ...]

    @property
    def percent(self) -> float:
        """100 where there is no statement."""
        return 100 * self.executed / self.statements if self.statements else 100.0


class Coverage:
    """Counts while its ``measure`` is entered.

    A statement is known by procedure, line and kind, since a procedure is compiled anew when its tables
    change.
    """

    def __init__(self) -> None:
        self.hits: dict[str, set[tuple[int, str]]] = {}

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Statements that run meanwhile, in every session of the process, count."""
        hits = self.hits

        def run_all(statements: list[ir.Statement], frame: Frame) -> int | None:
            own = hits.setdefault(frame.name.lower(), set())
            for statement in statements:
                own.add((statement.line, type(statement).__name__))
                try:
                    signal = statement.run(frame)
                except SqlError as error:
                    frame.session.statement_failed(error, statement.line, frame)
                    continue
                if signal is not None:
                    return signal
            return None

        with patch.object(ir, "run_all", run_all):
            yield

    def of(self, session: Session, schema: str) -> list[Covered]:
        """Every procedure of a schema, by name."""
        found = []
        for procedure in session.catalog.procedures.values():
            if procedure.schema.lower() != schema.lower():
                continue
            all_ = set(_statements(session.program(procedure).body))
            hit = self.hits.get(procedure.full_name.lower(), set())
            missed = tuple(sorted({line for line, kind in all_ if (line, kind) not in hit}))
            found.append(Covered(procedure.name, len(all_), len(all_ & hit), missed))
        return sorted(found, key=lambda each: each.procedure)


def _statements(body: list[ir.Statement]) -> Iterator[tuple[int, str]]:
    for statement in body:
        if not isinstance(statement, ir.Block) or statement.body:
            yield statement.line, type(statement).__name__
        inner: list[list[ir.Statement]] = []
        if isinstance(statement, ir.If):
            inner = [statement.then, statement.otherwise]
        elif isinstance(statement, (ir.While, ir.Block)):
            inner = [statement.body]
        elif isinstance(statement, ir.TryCatch):
            inner = [statement.body, statement.handler]
        for each in inner:
            yield from _statements(each)


def total(covered: list[Covered]) -> float:
    """Percent of all statements."""
    statements = sum(each.statements for each in covered)
    return 100 * sum(each.executed for each in covered) / statements if statements else 100.0


def table(covered: list[Covered]) -> list[str]:
    """Lines of a report, the worst first."""
    width = max([len("procedure"), *(len(each.procedure) for each in covered)])
    lines = [f"{'procedure'.ljust(width)}  statements  executed  percent  missed lines"]

    def line(name: str, statements: int, executed: int, percent: float, missed: str = "") -> str:
        return f"{name.ljust(width)}  {statements:10}  {executed:8}  {percent:7.1f}  {missed}".rstrip()

    for each in sorted(covered, key=lambda item: (item.percent, item.procedure)):
        missed = ", ".join(str(number) for number in each.missed)
        lines.append(line(each.procedure, each.statements, each.executed, each.percent, missed))
    statements = sum(each.statements for each in covered)
    lines.append(line("total", statements, sum(each.executed for each in covered), total(covered)))
    return lines
