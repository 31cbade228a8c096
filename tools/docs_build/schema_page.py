"""docs/schema.md: the atlas of tables, columns, indexes, constraints and types."""

from __future__ import annotations

from collections.abc import Iterator

from chokaq.deploy.ddl import schema_of
from chokaq.deploy.model import Index, Key, Table
from chokaq.deploy.scripts import SqlPackage

from .descriptions import Descriptions, descriptions
from .markdown import code, page, sentence, table


def reason(index: Index) -> str:
    """Why the index exists. Raises ValueError where the script does not say so: that is a gap to fill."""
    if not index.reason:
        raise ValueError(f"{index.name}: the script has no comment that says why it exists")
    return index.reason


_INTRO = (
    "All tables lie in one schema, `chokaq` unless the deployment says otherwise. Times are UTC, from "
    "the database's clock. There are no foreign keys: on a hot table they would put the locks of "
    "other tables into the claim path, and the procedures are the only writers."
)


def render(package: SqlPackage) -> str:
    """The page."""
    schema = schema_of(package.migrations)
    known = descriptions(package.migrations)
    lines = [
        _INTRO,
        "",
        "![The three pillars](diagrams/pillars.svg)",
        "",
        "A job is one row of one of three tables:",
        "",
        "![The states of a job](diagrams/job_states.svg)",
        "",
        "## Tables",
        "",
    ]
    lines += table(
        ("table", "what it holds", "rows"),
        [
            (f"[{each.name}](#{each.name.lower()})", known[each.name.lower(), None], _ROWS.get(each.name, ""))
            for each in schema.tables.values()
        ],
    )
    for each in schema.tables.values():
        lines += _table(each, known)
    lines += ["## Table types", "", "Parameters between procedures; no application needs them.", ""]
    for each in schema.types.values():
        lines += [f"### {each.name}", "", sentence(each.reason), ""]
        lines += table(
            ("column", "type", "null"),
            [(code(c.name), code(c.type), "yes" if c.nullable else "no") for c in each.columns],
        )
        keys = [f"primary key ({_columns(key)})" for key in each.keys]
        lines += [f"{'; '.join(keys)}.".capitalize(), ""] if keys else []
    return page("Schema", "db/migrations", lines)


_ROWS = {
    "JobsHot": "active jobs",
    "JobsArchive": "finished jobs within the retention",
    "JobsDLQ": "dead jobs within the retention",
    "Queues": "queues",
    "QueueGates": "queues",
    "Settings": "1",
    "StatsSummary": "queues × shards",
    "MetricBuckets": "busy seconds × queues × outcomes × shards, minutes long",
    "MetricSeries": "busy buckets × series × latency bins",
    "MetricShards": "64",
    "Measures": "measures, 100 at the most of the application's own",
    "MetricBackfill": "hours counted",
    "SchemaMigrations": "one-time scripts",
    "SchemaModules": "procedures",
}


def _table(each: Table, known: Descriptions) -> Iterator[str]:
    yield from (f"### {each.name}", "", sentence(known[each.name.lower(), None]), "")
    yield from table(
        ("column", "type", "null", "default", "meaning"),
        [
            (
                code(c.name),
                code(c.type),
                "yes" if c.nullable else "no",
                code(c.default or ""),
                known[each.name.lower(), c.name.lower()],
            )
            for c in each.columns
        ],
    )
    rows = [(code(key.name or ""), _key(key), "") for key in each.keys]
    rows += [(code(index.name), _index(index), reason(index)) for index in each.indexes]
    yield from table(("key or index", "columns", "why"), rows)
    if each.checks:
        yield from table(
            ("check", "condition"),
            [(code(check.name or ""), code(check.expression)) for check in each.checks],
        )


def _key(key: Key) -> str:
    sort = "primary key" if key.primary else "unique"
    return f"{sort}, {'clustered' if key.clustered else 'nonclustered'}: {_columns(key)}"


def _columns(key: Key | Index) -> str:
    return ", ".join(str(each) for each in key.columns)


def _index(index: Index) -> str:
    text = ("unique: " if index.unique else "") + _columns(index)
    if index.included:
        text += f"; includes {', '.join(index.included)}"
    if index.filter:
        text += f"; where {code(index.filter)}"
    return text
