"""Where a run of the demo lives: a folder for its logs, and a database that nobody else uses."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from chokaq import urls
from chokaq.deploy import undo

__all__ = ["Place", "make_place"]


@dataclass
class Place:
    """``shown``: the database without credentials. ``engine``: as ``urls.Target`` has it. ``file``: the
    database file that the demo made, None on another engine. ``keep``: leave all of it at the end.
    """

    url: str = field(repr=False)
    shown: str
    engine: str
    schema: str
    folder: Path
    file: Path | None
    keep: bool
    is_deployed: bool = False

    def where(self) -> str:
        """The database for people."""
        return str(self.file) if self.file is not None else f"{self.shown}, schema [{self.schema}]"

    def has_logs(self) -> bool:
        """Whether a worker has begun to write down what it does."""
        return any(self.folder.glob("worker-*"))

    @property
    def page(self) -> Path:
        """Where the page with the charts is written; it stays when the rest is removed."""
        return self.folder / "report.html"

    def clean_up(self) -> None:
        """Removes what the demo made, but for the page, unless it is to be kept."""
        if self.keep:
            return
        if self.file is None and self.is_deployed:
            undo(self.url, to=0, schema=self.schema, lose_jobs=True)
        if not self.page.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path != self.page:
                path.unlink(missing_ok=True)


def make_place(url: str, keep: bool) -> Place:
    """A new place. ``url`` empty: a new file of the embedded engine; else a database, in which the demo uses
    a new schema, since it changes settings that are not its to change in another's.
    """
    target = urls.parse(url) if url else None
    folder = Path(tempfile.mkdtemp(prefix="chokaq-demo-"))
    if target is not None:
        schema = f"chokaq_demo_{secrets.token_hex(3)}"
        return Place(url, str(target), target.engine, schema, folder, None, keep)
    file = folder / "demo.db"
    made = "embedded://" + quote("/" + file.as_posix().lstrip("/"), safe="/:")
    return Place(made, made, "embedded", "chokaq", folder, file, keep)
