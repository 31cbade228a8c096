"""The declared procedures are those in the repository: parameters, types, order, result columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chokaq.procedures import PROCEDURES, Procedure

PROCS = Path(__file__).resolve().parents[3] / "procs"
FILES = {file.stem: file.read_text(encoding="utf-8") for file in PROCS.rglob("*.sql")}


def parameters(text: str) -> list[tuple[str, str]]:
    """(name, type) of the parameters in the text of a procedure, OUTPUT ones left out."""
    found = re.search(
        r"CREATE OR ALTER PROCEDURE\s+\[chokaq\]\.\[\w+\](.*?)\bAS\b\s", text, re.DOTALL | re.IGNORECASE
    )
    assert found
    declared = re.findall(r"@(\w+)\s+([\w]+(?:\s*\(\s*\w+\s*\))?)([^,@]*)", found[1])
    return [
        (name, kind.lower().replace(" ", "")) for name, kind, rest in declared if "OUTPUT" not in rest.upper()
    ]


@pytest.mark.parametrize("procedure", PROCEDURES.values(), ids=PROCEDURES)
def test_parameters(procedure: Procedure) -> None:
    text = FILES.get(procedure.name)
    assert text, "no such procedure in procs/"
    assert [(param.name, str(param.type)) for param in procedure.params] == parameters(text)


@pytest.mark.parametrize("procedure", PROCEDURES.values(), ids=PROCEDURES)
def test_columns(procedure: Procedure) -> None:
    found = re.search(r"Result set:(.*?)\n(?:Outcomes|Errors):", FILES[procedure.name], re.DOTALL)
    assert found
    # What is in parentheses explains; types follow the names.
    header = re.sub(r"\([^()]*\)", "", found[1])
    words = re.findall(r"\b[A-Z][A-Za-z0-9]+\b", header)
    named = dict.fromkeys(word for word in words if word in procedure.columns)
    assert tuple(named) == procedure.columns


def test_arguments() -> None:
    assert PROCEDURES["FetchNextBatch"].arguments == " @WorkerId = ?, @Limit = ?, @Queues = ?"
    assert PROCEDURES["GetSchemaVersion"].arguments == ""
