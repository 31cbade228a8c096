"""The Grafana dashboard asks for what the exporter has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chokaq.exporter.families import FAMILIES

PATH = Path(__file__).resolve().parents[3] / "docker" / "grafana" / "chokaq.json"
EXPOSED = {family.exposed: family for family in FAMILIES.values()}
#: Values of labels that are not open-ended.
VALUES = {
    "outcome": {"succeeded", "failed"},
    "state": {"due", "scheduled", "fetched", "processing"},
    "quantile": {"0.5", "0.95", "0.99"},
    "window": {"1m", "5m", "30m", "1h", "6h", "1d", "3d", "30d"},
}


@pytest.fixture(scope="module")
def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def expressions(dashboard: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every expression, and the legend over it."""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield target["expr"], target.get("legendFormat", "")
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"], ""


def test_it_has_an_identity_and_panels(dashboard: dict[str, Any]) -> None:
    assert dashboard["uid"]
    assert dashboard["title"]
    assert "id" not in dashboard  # Grafana gives it
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids)) >= 10
    for panel in dashboard["panels"]:
        assert panel["datasource"]["uid"] == "${datasource}"
        assert panel["title"]
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24


def test_panels_do_not_overlap(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


def test_it_asks_for_metrics_and_labels_that_are_there(dashboard: dict[str, Any]) -> None:
    asked = set()
    for expression, legend in expressions(dashboard):
        names = set(re.findall(r"\bchokaq_\w+", expression))
        assert names, expression
        assert names <= EXPOSED.keys(), expression
        asked |= names
        labels = {label for name in names for label in EXPOSED[name].labels}
        for label, pattern in re.findall(r'(\w+)\s*=~?\s*"([^"]*)"', expression):
            assert label in labels, expression
            if label in VALUES:
                assert set(pattern.split("|")) <= VALUES[label], expression
        for group in re.findall(r"by \(([^)]*)\)", expression):
            assert {each.strip() for each in group.split(",")} <= labels, expression
        assert set(re.findall(r"{{(\w+)}}", legend)) <= labels, legend
    assert asked >= EXPOSED.keys() - {"chokaq_build_info", "chokaq_objective_ratio", "chokaq_processed_jobs"}


def test_counters_are_rated(dashboard: dict[str, Any]) -> None:
    for expression, _ in expressions(dashboard):
        for name in re.findall(r"\bchokaq_\w+_total", expression):
            assert re.search(rf"rate\({name}\b", expression), expression
            assert len(re.findall(rf"rate\({name}\b", expression)) == expression.count(name)


def test_braces_and_quotes_are_balanced(dashboard: dict[str, Any]) -> None:
    for expression, _ in expressions(dashboard):
        for opening, closing in ("()", "{}", "[]"):
            assert expression.count(opening) == expression.count(closing), expression
        assert expression.count('"') % 2 == 0
