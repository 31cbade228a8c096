"""Rendered plans as text: what is in them, that they are the same again, what a client must not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from chokaq.deploy import Dialect, PackageError, load_package, offline_plan_script
from chokaq.deploy.batches import split

from .trees import SETS, procedure, small_tree, write


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path / "a"))
    again = load_package(small_tree(tmp_path / "b"))
    for dialect in Dialect:
        one = offline_plan_script(dialect=dialect, package=package)
        assert one.data == offline_plan_script(dialect=dialect, package=again).data
        assert str(tmp_path) not in one.text
    hashes = {offline_plan_script(dialect=each, package=package).sha256 for each in Dialect}
    hashes.add(offline_plan_script(schema="other", package=package).sha256)
    assert len(hashes) == 4


def test_every_file_stands_in_it_with_its_hash(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    text = offline_plan_script(package=package).text
    for script in (*package.migrations, *package.procedures, *package.permissions):
        assert script.path in text
        assert script.sha256 in text
        for batch in script.batches():
            assert batch.text in text


def test_a_guard_follows_every_batch_that_can_fail(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    batches = [batch.text for batch in split(offline_plan_script(package=package).text)]
    guards = [index for index, batch in enumerate(batches) if batch.startswith("IF @@ERROR <> 0")]
    for script in (*package.migrations, *package.procedures, *package.permissions):
        for batch in script.batches():
            if not batch.text.startswith("SET ANSI"):
                at = next(index for index, text in enumerate(batches) if text.endswith(batch.text))
                assert at + 1 in guards
    assert all("NOEXEC ON" in batches[index] for index in guards)


def test_create_procedure_is_alone_in_its_batch(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    for dialect in Dialect:
        for batch in split(offline_plan_script(dialect=dialect, package=package).text):
            words = batch.text.split()
            if "PROCEDURE" in words and "CREATE" in words:
                code = batch.text[batch.text.rindex("*/") + 2 :].split()
                assert code[0] == "CREATE"


def test_one_dialect_drops_and_creates(tmp_path: Path) -> None:
    package = load_package(small_tree(tmp_path))
    text = offline_plan_script(dialect=Dialect.BABELFISH, package=package).text
    assert "DROP PROCEDURE IF EXISTS [chokaq].[CountThings];" in text
    assert "CREATE OR ALTER PROCEDURE" not in text
    assert "NOEXEC" not in text
    assert "default_transaction_read_only" in text


def test_bytes_that_are_not_ascii_begin_with_a_mark(tmp_path: Path) -> None:
    small_tree(tmp_path)
    assert offline_plan_script(package=load_package(tmp_path)).data.isascii()
    write(tmp_path, {"procs/jobs/CountThings.sql": procedure("CountThings", "SELECT N'ж' AS [Letter];")})
    script = offline_plan_script(package=load_package(tmp_path))
    assert script.data.startswith(b"\xef\xbb\xbf")
    assert script.data.decode("utf-8-sig") == script.text


@pytest.mark.parametrize(
    "text",
    ["SELECT N'$(Path)' AS [x];", "/*\n:r other.sql\n*/\nSELECT 1 AS [x];", "/*\nexit\n*/\nSELECT 1 AS [x];",
     "SELECT N'\n!!dir' AS [x];", "SELECT N'\nGO\n' AS [x];"],
)  # fmt: skip
def test_what_a_client_takes_for_itself_is_refused(tmp_path: Path, text: str) -> None:
    write(small_tree(tmp_path), {"db/migrations/0003_bad.sql": SETS + text + "\nGO\n"})
    with pytest.raises(PackageError):
        offline_plan_script(package=load_package(tmp_path))


def test_the_package_itself_can_be_rendered() -> None:
    for dialect in Dialect:
        assert offline_plan_script(dialect=dialect).plan.is_pending
