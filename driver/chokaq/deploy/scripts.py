"""The package's ``.sql`` files: where they are, what they are called, what they hash to.

In a wheel they lie inside the package (``chokaq/sql/db``, ``chokaq/sql/procs``); in a checkout, and so
in an editable install, they are the repository's own ``db/`` and ``procs/``.
"""

from __future__ import annotations

import enum
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from .batches import Batch, SplitError, normalize, split
from .errors import InvalidSchemaNameError, PackageError
from .lexer import Token, TokenKind, tokens

if sys.version_info >= (3, 11):
    from importlib.resources.abc import Traversable
else:
    from importlib.abc import Traversable

DEFAULT_SCHEMA = "chokaq"

_MIGRATION_FILE = re.compile(r"(?P<number>\d{4})_(?P<name>[a-z0-9]+(?:_[a-z0-9]+)*)\.sql")
_SCHEMA_TOKEN = re.compile(r"\[chokaq(?P<role>(?:_[a-z]+)?)\]")
_SCHEMA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
# Role names are the schema's name and a suffix, and an identifier holds at most 128 characters.
_SCHEMA_NAME_LENGTH = 100
_SERVER_SCHEMAS = frozenset({"dbo", "guest", "information_schema", "sys"})
# The first sentence after the field's name; it may go on over several lines.
_PURPOSE = re.compile(
    r"(?:Purpose|One-time script):\s*(?P<text>.+?)(?:\.(?=\s)|\n\s*\n|\n[ \t]*[A-Z][a-z ]+:|\*/)", re.DOTALL
)
_VERSION = re.compile(r"^[ \t]*Version:[ \t]*(?P<number>\d+)\b", re.MULTILINE)


class ScriptKind(enum.Enum):
    """What a file is for, and so when it runs."""

    MIGRATION = "migration"
    UNDO = "undo"
    PROCEDURE = "procedure"
    PERMISSION = "permission"


@dataclass(frozen=True, slots=True)
class Script:
    """One ``.sql`` file.

    ``path`` is relative to the repository, with forward slashes. ``text`` has no byte-order mark and
    line feeds only; ``sha256`` (64 lower-case hexadecimal digits) is taken over its UTF-8 bytes, before
    the schema is renamed, so a release has the same hashes in every checkout and under every schema
    name. ``number`` is a migration's number or the version that a procedure's header states, else 0.
    ``description`` is the first sentence of the header, and may be empty.
    """

    kind: ScriptKind
    path: str
    name: str
    text: str
    sha256: str
    number: int
    description: str

    def batches(self, schema: str = DEFAULT_SCHEMA) -> list[Batch]:
        """The batches to run in a database where the schema is called ``schema``."""
        return split(rename_schema(self.text, schema))


@dataclass(frozen=True, slots=True)
class SqlPackage:
    """Everything that can be deployed: migrations in order, procedures callees first."""

    migrations: tuple[Script, ...]
    undos: tuple[Script, ...]
    procedures: tuple[Script, ...]
    permissions: tuple[Script, ...]

    @property
    def newest(self) -> int:
        """The number of the last migration; 0 when there is none."""
        return self.migrations[-1].number if self.migrations else 0


def validate_schema(name: str) -> str:
    """Give ``name`` back when a schema of ours may be called so, else raise InvalidSchemaNameError."""
    if not _SCHEMA_NAME.fullmatch(name):
        raise InvalidSchemaNameError(
            f"schema name {name!r}: only letters, digits and underscores, not beginning with a digit"
        )
    if len(name) > _SCHEMA_NAME_LENGTH:
        raise InvalidSchemaNameError(f"schema name {name!r}: at most {_SCHEMA_NAME_LENGTH} characters")
    if name.lower() in _SERVER_SCHEMAS:
        raise InvalidSchemaNameError(f"schema name {name!r}: chokaq needs a schema of its own")
    return name


def rename_schema(text: str, schema: str) -> str:
    """Replace the schema token ``[chokaq]`` and the role tokens ``[chokaq_worker]`` … in a script."""
    validate_schema(schema)
    return _SCHEMA_TOKEN.sub(lambda match: f"[{schema}{match['role']}]", text)


def sql_root() -> Traversable:
    """The folder that holds ``db`` and ``procs``: in the installed package, else in the checkout."""
    packaged = resources.files("chokaq").joinpath("sql")
    if packaged.joinpath("db").is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[3]
    if checkout.joinpath("db", "migrations").is_dir():
        return checkout
    raise PackageError("this installation of chokaq holds no .sql files; install it again")


def load_package(root: Traversable | None = None) -> SqlPackage:
    """Read and check all ``.sql`` files below ``root`` (default: this installation's own).

    Raises :class:`PackageError` for duplicate or missing numbers, a misnamed or undecodable file, an
    undo without its migration, two procedures of one name, or a script that cannot be split.
    """
    base = sql_root() if root is None else root
    migrations = _numbered(base, "db/migrations", ScriptKind.MIGRATION)
    undos = _numbered(base, "db/undo", ScriptKind.UNDO)
    permissions = [
        _script(ScriptKind.PERMISSION, path, path.rpartition("/")[2][: -len(".sql")], text, 0)
        for path, text in _sql_files(base, "db/permissions", recurse=False)
    ]
    for expected, script in enumerate(migrations, start=1):
        if script.number != expected:
            raise PackageError(f"{script.path}: number {expected:04} is missing before it")
    known = {script.name: script.number for script in migrations}
    for script in undos:
        if known.get(script.name) != script.number:
            raise PackageError(f"{script.path}: undoes a migration that does not exist under this name")
    procedures = _callees_first(
        [_procedure(path, text) for path, text in _sql_files(base, "procs", recurse=True)]
    )
    return SqlPackage(tuple(migrations), tuple(undos), tuple(procedures), tuple(permissions))


def _script(kind: ScriptKind, path: str, name: str, text: str, number: int) -> Script:
    sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Script(kind, path, name, text, sha256, number, _description(text))


def _numbered(base: Traversable, folder: str, kind: ScriptKind) -> list[Script]:
    scripts: dict[int, Script] = {}
    for path, text in _sql_files(base, folder, recurse=False):
        match = _MIGRATION_FILE.fullmatch(path.rpartition("/")[2])
        if match is None:
            raise PackageError(f"{path}: the name must be NNNN_lower_case_words.sql")
        number = int(match["number"])
        if number in scripts:
            raise PackageError(f"{path}: number {number:04} is also {scripts[number].path}")
        scripts[number] = _script(kind, path, match["name"], text, number)
    return [scripts[number] for number in sorted(scripts)]


def _procedure(path: str, text: str) -> Script:
    name = path.rpartition("/")[2][: -len(".sql")]
    created = created_procedure(tokens(text))
    if created is None or created.value != name:
        raise PackageError(
            f"{path}: must hold CREATE OR ALTER PROCEDURE [chokaq].[{name}], as the file is called"
        )
    version = _VERSION.search(header_of(text))
    if version is None:
        raise PackageError(f"{path}: the header comment has no line like Version: 1")
    return _script(ScriptKind.PROCEDURE, path, name, text, int(version["number"]))


def created_procedure(found: Iterable[Token]) -> Token | None:
    """The name token of the ``CREATE OR ALTER PROCEDURE [chokaq].[Name]`` of a file; None without one."""
    code = [token for token in found if token.kind is not TokenKind.COMMENT]
    for index, token in enumerate(code[:-6]):
        if token.is_word("CREATE") and (
            [other.upper for other in code[index + 1 : index + 6]]
            == ["OR", "ALTER", "PROCEDURE", f"[{DEFAULT_SCHEMA.upper()}]", "."]
        ):
            return code[index + 6]
    return None


def _callees_first(procedures: list[Script]) -> list[Script]:
    """Order procedures so that each comes after those it calls, by name where nothing else decides."""
    by_name: dict[str, Script] = {}
    for script in procedures:
        other = by_name.setdefault(script.name.lower(), script)
        if other is not script:
            raise PackageError(f"{script.path}: {other.path} creates a procedure of the same name")
    ordered: dict[str, Script] = {}

    def place(key: str, above: tuple[str, ...]) -> None:
        if key in ordered or key in above:  # a circle of calls is legal: names bind when they run
            return
        script = by_name[key]
        for callee in sorted(_mentioned(script.text) & by_name.keys()):
            place(callee, (*above, key))
        ordered[key] = script

    for key in sorted(by_name):
        place(key, ())
    return list(ordered.values())


def _mentioned(text: str) -> set[str]:
    """Names, in lower case, of what a script calls in the schema: ``EXEC [chokaq].[Name]``."""
    code = [token for token in tokens(text) if token.kind is not TokenKind.COMMENT]
    return {
        name.value.lower()
        for schema, dot, name in zip(code, code[1:], code[2:], strict=False)
        if schema.text == f"[{DEFAULT_SCHEMA}]" and dot.text == "." and name.kind is TokenKind.NAME
    }


def _sql_files(base: Traversable, folder: str, *, recurse: bool) -> Iterator[tuple[str, str]]:
    """Path and normalised text of each ``.sql`` file of a folder, by path; a missing folder is empty."""
    here = base.joinpath(*folder.split("/"))
    if not here.is_dir():
        return
    for entry in sorted(here.iterdir(), key=lambda each: each.name):
        path = f"{folder}/{entry.name}"
        if entry.is_dir():
            if recurse:
                yield from _sql_files(base, path, recurse=True)
        elif entry.name.lower().endswith(".sql"):
            yield path, _read(entry, path)


def _read(entry: Traversable, path: str) -> str:
    try:
        text = normalize(entry.read_bytes())
    except UnicodeDecodeError as error:
        raise PackageError(f"{path}: not UTF-8 (byte {error.start})") from error
    try:
        if not split(text):
            raise PackageError(f"{path}: holds no statement")
    except SplitError as error:
        raise PackageError(f"{path}: {error}") from error
    return text


def header_of(text: str) -> str:
    """The first comment block of a script; empty when it has none."""
    blocks = (token for token in tokens(text) if token.text.startswith("/*"))
    return next((block.text for block in blocks), "")


def _description(text: str) -> str:
    """What a script's header says it is for: its first sentence, on one line."""
    match = _PURPOSE.search(header_of(text))
    return " ".join(match["text"].split()) if match else ""
