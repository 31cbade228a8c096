"""Compiles the procedures that make doubles statement by statement.

A procedure is compiled as a whole before it runs. One that fakes a table and then names it would go on with
what it was compiled for; so each of its statements is compiled when its turn comes, as those of a batch are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import ir, metadata
from .. import syntax as s
from ..catalog import Procedure
from ..compiler import UnitCompiler
from ..parser import parse_batch
from ..scope import Unit

if TYPE_CHECKING:
    from ..session import Session

_MAKES_DOUBLES = re.compile(
    r"\[?tSQLt\]?\s*\.\s*\[?(FakeTable|ApplyConstraint|RemoveObject|UndoTestDoubles)\b", re.IGNORECASE
)
_CALL = re.compile(
    r"\bEXEC(?:UTE)?\s+\[?(?P<schema>[^\s\[\].]+)\]?\s*\.\s*\[?(?P<name>[^\s\[\];]+)\]?", re.IGNORECASE
)


class LatePrograms:
    """For one session: which procedures are compiled so, and their programs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, tuple[Procedure, bool]] = {}
        self._programs: dict[str, tuple[Procedure, ir.Program]] = {}

    def program(self, procedure: Procedure) -> ir.Program | None:
        """The program of a procedure that makes doubles; None for any other."""
        if not self._makes_doubles(procedure, ()):
            return None
        low = procedure.full_name.lower()
        found = self._programs.get(low)
        if found is None or found[0] is not procedure:
            found = self._programs[low] = (procedure, self._compile(procedure))
        return found[1]

    def _makes_doubles(self, procedure: Procedure, callers: tuple[str, ...]) -> bool:
        low = procedure.full_name.lower()
        known = self._known.get(low)
        if known is not None and known[0] is procedure:
            return known[1]
        if low in callers:
            return False
        makes = _MAKES_DOUBLES.search(procedure.definition) is not None or any(
            self._makes_doubles(inner, (*callers, low)) for inner in self._called(procedure)
        )
        self._known[low] = (procedure, makes)
        return makes

    def _called(self, procedure: Procedure) -> list[Procedure]:
        """The helpers of its own class that a procedure calls."""
        found = []
        for match in _CALL.finditer(procedure.definition):
            if match["schema"].lower() == procedure.schema.lower():
                inner = self._session.catalog.procedure(match["schema"], match["name"])
                if inner is not None:
                    found.append(inner)
        return found

    def _compile(self, procedure: Procedure) -> ir.Program:
        statement = next(
            each
            for each in parse_batch(procedure.definition).statements
            if isinstance(each, s.CreateProcedure)
        )
        unit = Unit(self._session.catalog, procedure.full_name, metadata.view_tables())
        compiler = UnitCompiler(self._session, unit, procedure.parameters)
        return compiler.batch(s.Batch(procedure.definition, "", statement.body))
