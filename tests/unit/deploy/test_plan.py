"""What is to be done, and what must not be done, over a given ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chokaq import errors
from chokaq.deploy.errors import (
    DatabaseNewerError,
    DeployError,
    ScriptChangedError,
    ScriptMissingError,
    ScriptOutOfOrderError,
)
from chokaq.deploy.ledger import AppliedMigration, DeployedModule, Ledger
from chokaq.deploy.plan import make_plan, version_key
from chokaq.deploy.scripts import SqlPackage, load_package

from .trees import small_tree


@pytest.fixture
def package(tmp_path: Path) -> SqlPackage:
    return load_package(small_tree(tmp_path))


def full_ledger(package: SqlPackage, version: str = "1.0") -> Ledger:
    return Ledger(
        tuple(AppliedMigration(each.number, each.name, each.sha256, version) for each in package.migrations),
        tuple(DeployedModule(each.name, each.number, each.sha256, version) for each in package.procedures),
    )


def test_a_new_database_gets_everything(package: SqlPackage) -> None:
    plan = make_plan(package, Ledger(), "1.0")
    assert plan.migrations == package.migrations
    assert plan.procedures == package.procedures
    assert plan.is_pending


def test_nothing_is_pending_when_the_ledger_agrees(package: SqlPackage) -> None:
    plan = make_plan(package, full_ledger(package), "1.0")
    assert (plan.migrations, plan.procedures, plan.dropped) == ((), (), ())
    assert not plan.is_pending
    assert plan.permissions == package.permissions


def test_only_what_differs_is_redeployed_and_what_is_gone_is_dropped(package: SqlPackage) -> None:
    full = full_ledger(package)
    ledger = replace(
        full,
        migrations=full.migrations[:1],
        modules=(
            replace(full.modules[0], sha256="0" * 64),
            replace(full.modules[1], name=full.modules[1].name.upper()),
            DeployedModule("OldThing", 1, "1" * 64, "1.0"),
        ),
    )
    plan = make_plan(package, ledger, "1.0")
    assert [script.number for script in plan.migrations] == [2]
    assert [script.name for script in plan.procedures] == [full.modules[0].name]
    assert plan.dropped == ("OldThing",)


def test_a_changed_script_is_refused(package: SqlPackage) -> None:
    full = full_ledger(package)
    changed = (replace(full.migrations[0], sha256="0" * 64), full.migrations[1])
    with pytest.raises(ScriptChangedError, match=r"0001_ledger\.sql was changed"):
        make_plan(package, replace(full, migrations=changed), "1.0")


def test_a_renamed_script_is_refused(package: SqlPackage) -> None:
    full = full_ledger(package)
    renamed = (full.migrations[0], replace(full.migrations[1], name="other"))
    with pytest.raises(ScriptChangedError, match="0002_other"):
        make_plan(package, replace(full, migrations=renamed), "1.0")


def test_a_missing_script_is_refused(package: SqlPackage) -> None:
    with pytest.raises(ScriptMissingError, match="0001_ledger"):
        make_plan(replace(package, migrations=package.migrations[1:]), full_ledger(package), "1.0")


def test_a_script_before_one_that_ran_is_refused(package: SqlPackage) -> None:
    full = full_ledger(package)
    with pytest.raises(ScriptOutOfOrderError, match="0001_ledger"):
        make_plan(package, replace(full, migrations=full.migrations[1:]), "1.0")


def test_a_database_with_later_scripts_is_newer(package: SqlPackage) -> None:
    later = AppliedMigration(3, "more", "0" * 64, "1.0")
    full = full_ledger(package)
    with pytest.raises(DatabaseNewerError, match="0003"):
        make_plan(package, replace(full, migrations=(*full.migrations, later)), "1.0")


def test_a_database_with_a_later_package_is_newer(package: SqlPackage) -> None:
    full = full_ledger(package)
    modules = (replace(full.modules[0], package_version="1.1"), full.modules[1])
    with pytest.raises(errors.DatabaseNewerError, match=r"1\.1"):
        make_plan(package, replace(full, modules=modules), "1.0")
    assert not make_plan(package, replace(full, modules=modules), "1.1").is_pending


def test_versions_are_ordered_as_releases_are() -> None:
    ordered = ["0.9", "1.0.dev1", "1.0a1", "1.0b1", "1.0rc1.dev2", "1.0rc1", "1.0rc2", "1.0", "1.0.1", "1.10"]
    assert [version_key(each) for each in ordered] == sorted(map(version_key, ordered))
    assert version_key("1.0") == version_key("1.0.0")
    with pytest.raises(DeployError):
        version_key("latest")
