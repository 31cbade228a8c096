"""What a batch gives to its client: result sets, row counts, messages and errors, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .sqltypes import SqlType


@dataclass(slots=True)
class ResultSet:
    """Rows of stored values."""

    names: list[str]
    types: list[SqlType]
    rows: list[Any]


@dataclass(slots=True)
class Count:
    """Rows affected by a statement, where NOCOUNT is off."""

    rows: int
