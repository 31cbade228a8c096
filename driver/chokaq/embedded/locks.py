"""Application locks (sp_getapplock) across sessions, threads and processes.

Between the sessions of one process a table in memory decides. Between processes an operating-system lock on
one
byte of a file beside the database does, so the locks of a process that is killed are free at once.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int, offset: int, _shared: bool) -> bool:
        """Lock one byte of the file, always for one process alone; False when another has it."""
        os.lseek(descriptor, offset, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, offset: int) -> None:
        os.lseek(descriptor, offset, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int, offset: int, shared: bool) -> bool:
        """Lock one byte of the file; False when another process has it."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.lockf(descriptor, kind | fcntl.LOCK_NB, 1, offset)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, offset: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, offset)


#: Which modes go together.
_COMPATIBLE = {
    "Shared": {"Shared", "IntentShared", "Update"},
    "Update": {"Shared", "IntentShared"},
    "Exclusive": set(),
    "IntentShared": {"Shared", "Update", "IntentShared", "IntentExclusive"},
    "IntentExclusive": {"IntentShared", "IntentExclusive"},
}  # type: dict[str, set[str]]
MODES = frozenset(_COMPATIBLE)
_SHARING = frozenset({"Shared", "IntentShared"})
_POLL = 0.01


@dataclass
class _Holding:
    session: int
    owner: str
    mode: str
    count: int = 1


@dataclass
class _Resource:
    holdings: list[_Holding] = field(default_factory=list)
    file_mode: str = ""


class LockTable:
    """The locks of one database, for all sessions of this process."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._pid = os.getpid()
        self._condition = threading.Condition()
        self._resources: dict[str, _Resource] = {}
        self._file: Any = None

    def acquire(self, session: int, owner: str, resource: str, mode: str, timeout: float | None) -> int:
        """0 at once, 1 after waiting, -1 when the time (seconds; None: for ever) is over."""
        deadline = None if timeout is None else time.monotonic() + timeout
        waited = False
        with self._condition:
            while True:
                if self._try(session, owner, resource, mode):
                    return 1 if waited else 0
                rest = None if deadline is None else deadline - time.monotonic()
                if rest is not None and rest <= 0:
                    return -1
                waited = True
                # Other processes cannot wake us, so look again soon.
                self._condition.wait(_POLL if self._path else rest)

    def test(self, session: int, resource: str, mode: str) -> bool:
        with self._condition:
            found = self._resources.get(resource)
            if found and not self._free(found, session, mode):
                return False
            if not self._path or (found and found.file_mode):
                return True
            if self._lock_file(resource, mode):
                self._unlock_file(resource)
                return True
            return False

    def mode(self, session: int, owner: str, resource: str) -> str:
        with self._condition:
            found = self._resources.get(resource)
            for holding in found.holdings if found else ():
                if holding.session == session and holding.owner == owner:
                    return holding.mode
            return "NoLock"

    def release(self, session: int, owner: str, resource: str) -> bool:
        """False when there is no such lock."""
        with self._condition:
            found = self._resources.get(resource)
            for holding in found.holdings if found else ():
                if holding.session == session and holding.owner == owner:
                    holding.count -= 1
                    if not holding.count:
                        self._drop(resource, holding)
                    return True
            return False

    def release_all(self, session: int, owner: str = "") -> None:
        """Everything a session (or its transaction) holds."""
        with self._condition:
            for resource, found in list(self._resources.items()):
                for holding in list(found.holdings):
                    if holding.session == session and owner in ("", holding.owner):
                        self._drop(resource, holding)

    def _free(self, found: _Resource, session: int, mode: str) -> bool:
        return all(
            holding.session == session or holding.mode in _COMPATIBLE[mode] for holding in found.holdings
        )

    def _try(self, session: int, owner: str, resource: str, mode: str) -> bool:
        found = self._resources.get(resource) or _Resource()
        if not self._free(found, session, mode):
            return False
        wanted = "shared" if mode in _SHARING else "exclusive"
        if self._path and found.file_mode not in (wanted, "exclusive"):
            if not self._lock_file(resource, mode):
                return False
            found.file_mode = wanted
        for holding in found.holdings:
            if holding.session == session and holding.owner == owner:
                holding.count += 1
                if mode == "Exclusive" or holding.mode in _SHARING:
                    holding.mode = mode
                break
        else:
            found.holdings.append(_Holding(session, owner, mode))
        self._resources[resource] = found
        return True

    def _drop(self, resource: str, holding: _Holding) -> None:
        found = self._resources[resource]
        found.holdings.remove(holding)
        if not found.holdings:
            if found.file_mode:
                self._unlock_file(resource)
            del self._resources[resource]
        self._condition.notify_all()

    # The file

    def _open(self) -> int:
        if self._pid != os.getpid():
            # A forked child holds none of its parent's locks.
            self._resources.clear()
            self._file = None
            self._pid = os.getpid()
        if self._file is None:
            # Never closed: closing any descriptor of the file would drop all locks of the process on it.
            self._file = os.open(f"{self._path}-locks", os.O_RDWR | os.O_CREAT, 0o666)
        return int(self._file)

    def _lock_file(self, resource: str, mode: str) -> bool:
        return _try_lock(self._open(), _offset(resource), mode in _SHARING)

    def _unlock_file(self, resource: str) -> None:
        _unlock(self._open(), _offset(resource))


def _offset(resource: str) -> int:
    """The byte of the file that stands for a resource."""
    return zlib.crc32(resource.encode("utf-8", "surrogatepass")) & 0x3FFFFFFF
