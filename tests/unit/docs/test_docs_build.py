"""The generated pages are current, and hold everything."""

from __future__ import annotations

import shutil
from pathlib import Path

from chokaq.deploy.ddl import schema_of
from chokaq.deploy.scripts import load_package
from tools.docs_build import diagrams
from tools.docs_build.__main__ import pages, stale
from tools.docs_build.descriptions import descriptions
from tools.docs_build.procedures import procedures
from tools.docs_build.schema_page import reason

ROOT = Path(__file__).resolve().parents[3]


def test_every_table_column_and_index_is_explained() -> None:
    package = load_package(ROOT)
    known = descriptions(package.migrations)
    schema = schema_of(package.migrations)
    for key, table in schema.tables.items():
        assert known[key, None]
        for column in table.columns:
            assert known[key, column.name.lower()], (key, column.name)
        assert all(reason(index) for index in table.indexes)
    columns = {(key, c.name.lower()) for key, table in schema.tables.items() for c in table.columns}
    assert {each for each in known if each[1] is not None} == columns


def test_every_parameter_is_explained() -> None:
    silent = [
        f"{each.name} {parameter.name}"
        for each in procedures(load_package(ROOT))
        for parameter in each.parameters
        if not parameter.meaning
    ]
    assert silent == []


def test_links_between_the_pages_lead_somewhere() -> None:
    found = pages(ROOT)
    names = {each.name.lower() for each in procedures(load_package(ROOT))}
    for text in found.values():
        for part in text.split("procedures.md#")[1:]:
            assert part.split(")")[0] in names


def test_a_change_makes_a_page_stale(tmp_path: Path) -> None:
    for folder in ("db", "procs", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    before = set(stale(tmp_path))
    source = tmp_path / diagrams.FOLDER / "pillars.dot"
    source.write_text(source.read_text(encoding="utf-8") + "// more\n", encoding="utf-8")
    registry = tmp_path / "db" / "errors.md"
    registry.write_text(
        registry.read_text(encoding="utf-8").replace("InvalidJson", "BadJson"), encoding="utf-8"
    )
    new = set(stale(tmp_path)) - before
    assert any("errors.md" in each for each in new)
    assert any("pillars.svg" in each for each in new)
