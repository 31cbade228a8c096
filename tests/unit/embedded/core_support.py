"""Runs batches on an embedded database and takes their results apart."""

from __future__ import annotations

import re
from typing import Any

from chokaq import embedded


class Engine:
    """One connection to a database of its own."""

    def __init__(self, connection: embedded.Connection | None = None) -> None:
        self.connection = connection or embedded.connect(autocommit=True)

    def __call__(self, sql: str, *values: Any) -> list[Any]:
        """The rows of the last result set, as tuples."""
        sets = self.sets(sql, *values)
        return sets[-1] if sets else []

    def sets(self, sql: str, *values: Any) -> list[list[Any]]:
        """All result sets; raises whatever error comes first."""
        cursor = self.connection.cursor()
        cursor.execute(sql, *values)
        found = []
        while True:
            if cursor.description is not None:
                found.append([tuple(row) for row in cursor.fetchall()])
            if not cursor.nextset():
                return found

    def one(self, sql: str, *values: Any) -> Any:
        """The only value."""
        rows = self(sql, *values)
        assert len(rows) == 1, rows
        assert len(rows[0]) == 1, rows
        return rows[0][0]

    def error(self, sql: str, *values: Any) -> int:
        """The number of the first error; 0 when there is none."""
        return number_of(self.failure(sql, *values))

    def failure(self, sql: str, *values: Any) -> embedded.Error | None:
        """The first error."""
        try:
            self.sets(sql, *values)
        except embedded.Error as error:
            return error
        return None

    def script(self, *batches: str) -> Engine:
        for batch in batches:
            self.sets(batch)
        return self


def number_of(error: BaseException | None) -> int:
    """SQL Server's number of an exception; 0 for none."""
    if error is None:
        return 0
    found = re.search(r"\((\d+)\) \(SQL\w+\)$", str(error.args[1]))
    assert found, error
    return int(found[1])
