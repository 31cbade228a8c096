"""Finding, hashing and checking the package's ``.sql`` files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from chokaq.deploy.errors import InvalidSchemaNameError, PackageError
from chokaq.deploy.scripts import load_package, rename_schema, validate_schema

from .trees import SETS, procedure, small_tree, write


def test_everything_is_found_in_the_order_of_running(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    assert [script.path for script in package.migrations] == [
        "db/migrations/0001_ledger.sql",
        "db/migrations/0002_things.sql",
    ]
    assert [script.number for script in package.migrations] == [1, 2]
    assert package.newest == 2
    assert [script.name for script in package.procedures] == ["CountThings", "AskForThings"]
    assert [script.path for script in package.permissions] == ["db/permissions/0001_roles.sql"]


def test_the_package_of_this_checkout_loads() -> None:
    package = load_package()
    assert package.migrations[0].name == "three_pillars"


def test_descriptions_are_the_first_sentence_of_the_header(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    assert package.migrations[0].description == ""
    assert package.migrations[1].description == "things that tests look at"


def test_the_hash_does_not_depend_on_the_checkout(tmp_path: Path) -> None:
    plain = load_package(small_tree(tmp_path / "plain")).migrations[1]
    other = small_tree(tmp_path / "other")
    path = other / plain.path
    path.write_bytes(b"\xef\xbb\xbf" + plain.text.replace("\n", "\r\n").encode())
    script = load_package(other).migrations[1]
    assert script.sha256 == plain.sha256 == hashlib.sha256(plain.text.encode()).hexdigest()
    assert script.batches() == plain.batches()


def test_callees_come_first_and_circles_are_no_harm(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "procs/jobs/A.sql": procedure("A", "EXECUTE [chokaq].[Z];"),
            "procs/jobs/B.sql": procedure("B"),
            "procs/stats/M.sql": procedure("M", "EXECUTE [chokaq].[Z];"),
            "procs/stats/Z.sql": procedure("Z", "EXECUTE [chokaq].[M];\n    SELECT N'[chokaq].[A]' AS [x];"),
        },
    )
    assert [script.name for script in load_package(tmp_path).procedures] == ["M", "Z", "A", "B"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"db/migrations/0002_things.sql": "SELECT 1;"}, "0001 is missing"),
        ({"db/migrations/0001_a.sql": "SELECT 1;", "db/migrations/0001_b.sql": "SELECT 1;"}, "is also"),
        ({"db/migrations/1_a.sql": "SELECT 1;"}, "NNNN_lower_case"),
        ({"db/migrations/0001_A.SQL": "SELECT 1;"}, "NNNN_lower_case"),
        ({"db/undo/0001_a.sql": "SELECT 1;"}, "does not exist"),
        ({"db/migrations/0001_a.sql": "-- nothing\nGO\n"}, "no statement"),
        ({"db/migrations/0001_a.sql": "SELECT 'open;\n"}, "0001_a.sql: line 1"),
        ({"procs/jobs/A.sql": procedure("B")}, r"PROCEDURE \[chokaq\].\[A\]"),
        ({"procs/jobs/A.sql": "CREATE PROCEDURE [chokaq].[A] AS SELECT 1;"}, "CREATE OR ALTER"),
        ({"procs/jobs/A.sql": procedure("A").replace("Version: 1", "")}, "Version"),
        ({"procs/jobs/A.sql": procedure("A"), "procs/stats/a.sql": procedure("a")}, "same name"),
    ],
)
def test_a_set_of_files_that_is_not_valid_is_refused(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(PackageError, match=message):
        load_package(write(tmp_path, files))


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "db/migrations/0001_a.sql"
    path.parent.mkdir(parents=True)
    path.write_bytes("SELECT 'ж';".encode("utf-16"))
    with pytest.raises(PackageError, match="not UTF-8"):
        load_package(tmp_path)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"db/migrations/README.md": "text", "db/errors.md": "text", "procs/notes.txt": "text"})
    assert load_package(tmp_path).migrations == ()


def test_only_the_two_tokens_are_replaced() -> None:
    text = "[chokaq].[JobsHot] N'[chokaq].[Queues]' [chokaq_worker] chokaq [Chokaq] [x].[chokaq2] -- [chokaq]"
    assert rename_schema(text, "jobs") == (
        "[jobs].[JobsHot] N'[jobs].[Queues]' [jobs_worker] chokaq [Chokaq] [x].[chokaq2] -- [jobs]"
    )


def test_renaming_happens_in_the_batches_but_not_in_the_hash(tmp_path: Path) -> None:
    script = load_package(small_tree(tmp_path)).migrations[1]
    assert "[other].[Things]" in script.batches("other")[1].text
    assert "[chokaq].[Things]" in script.batches()[1].text
    assert SETS.startswith(script.batches("other")[0].text)


@pytest.mark.parametrize("name", ["chokaq", "Jobs_2", "_x", "a" * 100])
def test_names_that_a_schema_may_have(name: str) -> None:
    assert validate_schema(name) == name


@pytest.mark.parametrize(
    "name", ["", "1a", "a b", "a]b", "a.b", "a'b", "über", "dbo", "SYS", "a" * 101, "a\n", "a;DROP", "a-b"]
)
def test_names_that_a_schema_may_not_have(name: str) -> None:
    with pytest.raises(InvalidSchemaNameError):
        validate_schema(name)
