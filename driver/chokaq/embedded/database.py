"""A database that this process has open: its file, its shared catalog, its application locks, its compiled
programs.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
import threading
import uuid
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import ir
from .catalog import Catalog, dumps, loads
from .locks import LockTable
from .sql_functions import has_logarithm

#: Changes whenever the form of stored data or of compiled programs does.
FORMAT = 1
_VERSION_KEY = "format"

_open: dict[str, Database] = {}
# The garbage collector may close a connection, which takes this lock, inside a thread that holds it.
_open_lock = threading.RLock()
_programs: dict[tuple[str, str], list[ir.Program]] = {}
_PROGRAM_LIMIT = 2000


class Database:
    """Shared by all sessions of one process on one file (or one database in memory)."""

    def __init__(self, path: str | None, name: str) -> None:
        self.path = path
        self.name = name
        self.uri = f"file:/{name}?vfs=memdb" if path is None else ""
        self.locks = LockTable(path)
        self.lock = threading.RLock()
        self.catalog: Catalog | None = None
        self.catalog_id = ""
        self.sessions = 0
        self.spids: set[int] = set()
        self.anchor: sqlite3.Connection | None = None

    @classmethod
    def of(cls, path: str | os.PathLike[str] | None) -> Database:
        """The database of a path; None is a new one in memory, ``:memory:name`` one shared by its name."""
        with _open_lock:
            if path is None:
                found = cls(None, f"chokaq-{uuid.uuid4().hex}")
                _open[found.name] = found
                return found
            text = os.fspath(path)
            if text.startswith(":memory:"):
                name = f"chokaq-{text[8:] or 'shared'}"
                if name not in _open:
                    _open[name] = cls(None, name)
                return _open[name]
            real = os.path.realpath(text)
            if real not in _open:
                stem = Path(real).stem
                _open[real] = cls(real, stem)
            return _open[real]

    def connect(self, timeout: float, synchronous: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.uri or str(self.path),
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
            uri=bool(self.uri),
            cached_statements=1000,
        )
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA foreign_keys = ON")
        if self.path is not None:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA cache_size = -16384")
        elif self.anchor is None:
            # A database in memory lives as long as one connection to it.
            self.anchor = sqlite3.connect(self.uri, uri=True, check_same_thread=False, isolation_level=None)
            self.anchor.execute("SELECT 1").fetchone()
        return connection

    def take_spid(self) -> int:
        with self.lock:
            spid = 51
            while spid in self.spids:
                spid += 1
            self.spids.add(spid)
            return spid

    def closed(self, spid: int) -> None:
        with self.lock:
            self.spids.discard(spid)
            if self.spids or not self.uri:
                return
            if self.anchor is not None and self.name.startswith("chokaq-") and len(self.name) == 39:
                # Nobody else can know the name of a private one.
                self.anchor.close()
                self.anchor = None
                with _open_lock:
                    _open.pop(self.name, None)

    # The catalog

    def read_catalog(self, connection: sqlite3.Connection, version: int) -> Catalog:
        """The catalog of a version that is committed or our own uncommitted one."""
        if not version:
            return Catalog.new()
        catalog = Catalog()
        identity = ""
        for key, data in connection.execute('SELECT key, data FROM main."#catalog"'):
            kind, _, name = key.partition(":")
            if kind == "meta":
                meta = loads(data)
                catalog.next_id = meta["next_id"]
                identity = meta["id"]
                if meta[_VERSION_KEY] != FORMAT:
                    raise sqlite3.DatabaseError("the file was made by another version of the embedded engine")
            elif kind in ("grants", "properties"):
                setattr(catalog, kind, loads(data))
            else:
                getattr(catalog, kind)[name] = loads(data)
        catalog.version = version
        catalog.identity = identity
        return catalog

    def write_catalog(self, connection: sqlite3.Connection, old: Catalog, new: Catalog) -> None:
        """Write what differs, in the connection's transaction."""
        if not old.version:
            connection.execute(
                'CREATE TABLE IF NOT EXISTS main."#catalog" (key TEXT PRIMARY KEY, data BLOB NOT NULL) '
                "WITHOUT ROWID"
            )
            connection.execute(
                'CREATE TABLE IF NOT EXISTS main."#programs" (key TEXT PRIMARY KEY, data BLOB NOT NULL) '
                "WITHOUT ROWID"
            )
            new.identity = uuid.uuid4().hex
            old = Catalog()
        new.version = old.version + 1 if old.version else 1
        changes: list[tuple[str, bytes]] = [
            ("meta:", dumps({"next_id": new.next_id, "id": new.identity, _VERSION_KEY: FORMAT}))
        ]
        for kind in ("schemas", "tables", "types", "procedures", "principals"):
            before, after = getattr(old, kind), getattr(new, kind)
            changes += [
                (f"{kind}:{name}", dumps(value))
                for name, value in after.items()
                if before.get(name) is not value
            ]
            connection.executemany(
                'DELETE FROM main."#catalog" WHERE key = ?',
                [(f"{kind}:{name}",) for name in before.keys() - after.keys()],
            )
        for kind in ("grants", "properties"):
            if getattr(old, kind) != getattr(new, kind):
                changes.append((f"{kind}:", dumps(getattr(new, kind))))
        connection.executemany('INSERT OR REPLACE INTO main."#catalog" (key, data) VALUES (?, ?)', changes)
        connection.execute(f"PRAGMA main.user_version = {new.version}")


# Compiled programs


@lru_cache(maxsize=1)
def environment() -> str:
    """What a stored program must match: engine, Python and SQLite."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        stat = path.stat()
        digest.update(f"{path.name}:{stat.st_size}:{stat.st_mtime_ns};".encode())
    python, sqlite = platform.python_version(), sqlite3.sqlite_version
    return f"{FORMAT}/{digest.hexdigest()[:16]}/{python}/{sqlite}{'+' if has_logarithm() else ''}"


def text_key(name: str, text: str) -> str:
    return hashlib.sha256(f"{name.lower()}\0{text}".encode()).hexdigest()


def find_program(key: str, catalog: Catalog) -> ir.Program | None:
    """A program of this process that fits the catalog's tables."""
    for program in _programs.get((key, environment()), ()):
        if fits(program, catalog):
            return program
    return None


def keep_program(key: str, program: ir.Program) -> None:
    if len(_programs) > _PROGRAM_LIMIT:
        _programs.clear()
    _programs.setdefault((key, environment()), []).append(program)


def fits(program: ir.Program, catalog: Catalog) -> bool:
    """Whether everything that the program was compiled for is still the same."""
    for name, print_ in program.dependencies.items():
        kind, _, full = name.partition(":")
        table = (catalog.tables if kind == "table" else catalog.types).get(full)
        if (table.fingerprint() if table else "") != print_:
            return False
    return True


def stored_program(connection: sqlite3.Connection, key: str, catalog: Catalog) -> ir.Program | None:
    """A program that the database file keeps."""
    row = connection.execute(
        'SELECT data FROM main."#programs" WHERE key = ?', (f"{key}/{environment()}",)
    ).fetchone()
    if row is None:
        return None
    try:
        program: Any = loads(row[0])
    except Exception:
        return None
    return program if isinstance(program, ir.Program) and fits(program, catalog) else None


def store_program(connection: sqlite3.Connection, key: str, program: ir.Program) -> None:
    """Keep a program in the database file; in the connection's transaction."""
    connection.execute('DELETE FROM main."#programs" WHERE key LIKE ?', (f"{key}/%",))
    connection.execute(
        'INSERT OR REPLACE INTO main."#programs" (key, data) VALUES (?, ?)',
        (f"{key}/{environment()}", dumps(program)),
    )
