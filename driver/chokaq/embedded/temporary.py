"""Temporary tables of a session: table variables, #tables, rows of OPENJSON, system views.

All of them are tables of SQLite's temp database. They take part in its transactions, while table variables
must not:
what those hold is put back after a rollback.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import storage
from .catalog import Table
from .frames import Frame
from .naming import quote
from .problems import SqlError

if TYPE_CHECKING:
    from .ir import JsonLoad, Program


class Temporary:
    """Part of a Session."""

    sqlite: sqlite3.Connection
    frames: list[Frame]

    def start_temporary(self) -> None:
        self.temp_shapes: dict[str, Table] = {}
        #: Made again in another shape: a rollback would bring the old one back.
        self.reshaped: set[str] = set()
        self.temp_exists: set[str] = set()
        self.loaded: dict[str, str | None] = {}
        self.views_version: dict[str, Any] = {}
        self.statistics_ready = False
        #: #tables by lower-case name: the newest last.
        self.hash_tables: dict[str, list[tuple[Table, str]]] = {}

    def ensure_temp(self, name: str, table: Table) -> bool:
        """Make the temp table if it is not there; True when it is new."""
        if name in self.temp_exists:
            known = self.temp_shapes.get(name)
            if known is table or known is None or known.fingerprint() == table.fingerprint():
                return False
            # The procedure was compiled anew, and its variable looks different now.
            self.drop_temp(name)
            self.reshaped.add(name)
        self.temp_shapes[name] = table
        for statement in storage.create_table(table, name, "temp"):
            self.sqlite.execute(statement)
        if not self.statistics_ready:
            # Makes sqlite_stat1 of the temp database.
            self.sqlite.execute('CREATE TABLE IF NOT EXISTS temp."#statistics" (x)')
            self.sqlite.execute('ANALYZE temp."#statistics"')
            self.statistics_ready = True
        self.sqlite.executemany(
            "INSERT INTO temp.sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)",
            storage.statistics(table, name, storage.SMALL),
        )
        self.sqlite.execute("ANALYZE temp.sqlite_schema")
        self.temp_exists.add(name)
        return True

    def drop_temp(self, name: str) -> None:
        self.sqlite.execute(f"DROP TABLE IF EXISTS temp.{quote(name)}")
        if self.statistics_ready:
            self.sqlite.execute("DELETE FROM temp.sqlite_stat1 WHERE tbl = ?", (name,))
        self.temp_exists.discard(name)
        self.temp_shapes.pop(name, None)

    def forget_program(self, program: Program) -> None:
        """A batch that is not kept any longer needs no table variables."""
        for slot in program.tables:
            name = f"{program.name}{slot.name}~0"
            if slot.kind == "variable" and name in self.temp_exists:
                self.drop_temp(name)

    # Frames

    def frame_tables(self, program: Program, nest: int, given: dict[int, str]) -> tuple[str, ...]:
        """The SQLite names of a frame's tables; its variables exist and are empty."""
        names = []
        for index, slot in enumerate(program.tables):
            if slot.kind == "parameter":
                names.append(given[index])
                continue
            name = f"{program.name}{slot.name}~{nest}"
            names.append(name)
            if slot.kind == "variable" and not self.ensure_temp(name, slot.table):
                self.sqlite.execute(f"DELETE FROM temp.{quote(name)}")
        return tuple(names)

    def make_temporary(self, frame: Frame, slot: int) -> None:
        """CREATE TABLE #t."""
        shape = frame.program.tables[slot].table
        low = shape.name.lower()
        name = frame.tables[slot]
        for table, existing in self.hash_tables.get(low, []):
            if existing == name:
                raise SqlError(
                    2714, f"There is already an object named '{table.name}' in the database.", 16, 6
                )
        self.temp_exists.discard(name)
        self.drop_temp(name)
        self.ensure_temp(name, shape)
        self.hash_tables.setdefault(low, []).append((shape, name))
        frame.temporary.append(name)

    def drop_temporary(self, name: str, if_exists: bool) -> None:
        found = self.hash_tables.get(name.lower())
        if not found:
            if if_exists:
                return
            raise SqlError(
                3701,
                f"Cannot drop the table '{name}', because it does not exist or you do not have permission.",
                11,
                5,
            )
        _, sqlite_name = found.pop()
        self.drop_temp(sqlite_name)
        for frame in self.frames:
            if sqlite_name in frame.temporary:
                frame.temporary.remove(sqlite_name)

    def end_frame(self, frame: Frame) -> None:
        """#tables end with the procedure that made them."""
        for name in frame.temporary:
            for found in self.hash_tables.values():
                found[:] = [entry for entry in found if entry[1] != name]
            self.drop_temp(name)
        frame.temporary = []

    # Rollback

    @contextlib.contextmanager
    def kept_tables(self) -> Iterator[None]:
        """Around a rollback: table variables keep their rows."""
        kept: list[tuple[str, Table, str, list[Any]]] = []
        for frame in self.frames:
            for slot, name in zip(frame.program.tables, frame.tables, strict=False):
                if slot.kind == "variable" and name in self.temp_exists:
                    columns = ", ".join(
                        quote(column.name) for column in slot.table.columns if not column.computed
                    )
                    rows = self.sqlite.execute(f"SELECT rowid, {columns} FROM temp.{quote(name)}").fetchall()
                    identity = slot.table.identity is not None
                    if identity:
                        rows = [row[1:] for row in rows]
                    kept.append((name, slot.table, columns if identity else f"rowid, {columns}", rows))
        yield
        self.temp_exists = {
            name
            for (name,) in self.sqlite.execute("SELECT name FROM temp.sqlite_master WHERE type = 'table'")
        }
        self.statistics_ready = "#statistics" in self.temp_exists
        self.forget_reshaped()
        for name, table, columns, rows in kept:
            if not self.ensure_temp(name, table):
                self.sqlite.execute(f"DELETE FROM temp.{quote(name)}")
            marks = ", ".join("?" * (columns.count(", ") + 1))
            if rows:
                self.sqlite.executemany(
                    f"INSERT INTO temp.{quote(name)} ({columns}) VALUES ({', '.join('?' * len(rows[0]))})",
                    rows,
                )
            del marks

    def rolled_back(self) -> None:
        """What was cached of temp tables may be gone."""
        self.loaded.clear()
        self.views_version.clear()
        self.temp_exists = {
            name
            for (name,) in self.sqlite.execute("SELECT name FROM temp.sqlite_master WHERE type = 'table'")
        }
        self.statistics_ready = "#statistics" in self.temp_exists
        self.forget_reshaped()
        for found in self.hash_tables.values():
            found[:] = [entry for entry in found if entry[1] in self.temp_exists]
        self.catalog_rolled_back()

    def forget_reshaped(self) -> None:
        for name in self.reshaped & self.temp_exists:
            self.drop_temp(name)
        self.reshaped.clear()

    def catalog_rolled_back(self) -> None:
        raise NotImplementedError

    # OPENJSON

    def load_json(self, load: JsonLoad, frame: Frame) -> None:
        text = load.text.eval(frame)
        name = load.name
        if name in self.loaded and self.loaded[name] == text:
            return
        rows = [] if text is None else load.rows(text)
        self.loaded.pop(name, None)
        new = self.ensure_temp(name, load.table)
        execute = self.sqlite.execute
        alone = not self.sqlite.in_transaction
        if alone:
            # Else each row would be a transaction.
            execute("BEGIN")
        if not new:
            execute(f"DELETE FROM temp.{quote(name)}")
        if rows:
            self.sqlite.executemany(
                f"INSERT INTO temp.{quote(name)} VALUES ({', '.join('?' * len(rows[0]))})", rows
            )
        if alone:
            execute("COMMIT")
        self.loaded[name] = text
