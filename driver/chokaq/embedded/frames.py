"""The state of one running procedure or batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .values.strings import key as collation_key

if TYPE_CHECKING:
    from .ir import Program
    from .session import Session


class Frame:
    """``values``: variables and their collation keys by slot; ``tables``: names of its tables in SQLite's
    temp
    database, by slot.
    """

    __slots__ = (
        "keys",
        "name",
        "nest",
        "procedure_id",
        "program",
        "session",
        "tables",
        "temporary",
        "values",
    )

    def __init__(self, session: Session, program: Program, nest: int, tables: tuple[str, ...]) -> None:
        self.session = session
        self.program = program
        self.nest = nest
        self.tables = tables
        self.values: list[Any] = [None] * program.size
        self.keys = program.keys
        self.name = program.name
        self.procedure_id = 0
        self.temporary: list[str] = []

    def assign(self, slot: int, value: Any) -> None:
        """Set a variable, and its collation key where the program uses one."""
        self.values[slot] = value
        key = self.keys.get(slot)
        if key is not None:
            self.values[key] = collation_key(value)
