"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from ..version import __version__
from . import charts
from .data import QueueFacts, Report, TypeFacts
from .numbers import duration_text, milliseconds, percent, width_text

__all__ = ["page_of"]

#: Nothing is loaded, whatever a job's texts should hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page_of(report: Report) -> str:
    """The page, complete."""
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    scope = "all queues" if report.queue is None else f"queue {report.queue}"
    parts = [
        _head(report, scope),
        _figures(report),
        _over_time(report),
        _burn(report),
        _pair(_dead(report), _queues(report.queues)),
        _types(report),
        _errors(report),
        f'<p class="note">Written by chokaq {escape(__version__)}. Percentiles are at most 5 % off.</p>',
    ]
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>chokaq: {_text(scope)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _head(report: Report, scope: str) -> str:
    window = report.window
    return (
        f"<header><h1>chokaq: {_text(scope)}</h1>"
        f"<p>{_text(report.where)}</p>"
        f"<p>{window.begin:%Y-%m-%d %H:%M} to {report.now:%Y-%m-%d %H:%M} UTC; a point of the charts is "
        f"{width_text(window.width)} wide, the last one is not over yet.</p></header>"
    )


def _figures(report: Report) -> str:
    total, now = report.total, report.throughput
    execution, wait = report.execution_of_all, report.wait_of_all
    facts = (
        ("jobs finished", f"{total.finished:,}"),
        ("failed for good", f"{total.failed:,} ({percent(total.failure_rate)})"),
        ("retried attempts", f"{total.retried:,}"),
        ("execution p50 / p95", _two(execution.p50_ms, execution.p95_ms) if execution else "–"),
        ("queue wait p50 / p95", _two(wait.p50_ms, wait.p95_ms) if wait else "–"),
        ("finished, last 5 min", f"{now.processed_last_five_minutes:,}"),
    )
    shown = "".join(f"<div><dt>{name}</dt><dd>{_text(value)}</dd></div>" for name, value in facts)
    return f'<dl class="figures">{shown}</dl>'


def _two(first: float, second: float) -> str:
    return f"{milliseconds(first)} / {milliseconds(second)}"


def _over_time(report: Report) -> str:
    window = report.window
    if not report.counts:
        return _section("Throughput", _note("Nothing was executed in this window."))
    return "\n".join(
        (
            _section(
                "Throughput: executions by what they came to", charts.throughput_chart(window, report.counts)
            ),
            _section(
                "Failures: share of the jobs that failed for good",
                charts.failures_chart(window, report.counts),
            ),
            _section(
                "Execution time: percentiles",
                charts.latency_chart(window, report.execution, "execution")
                if report.execution
                else _note("No execution had a duration."),
            ),
            _section(
                "Queue wait: from the moment a job was due to its start",
                charts.latency_chart(window, report.wait, "wait")
                if report.wait
                else _note("No execution had a wait."),
            ),
        )
    )


def _burn(report: Report) -> str:
    rows = [
        (
            charts.window_text(rate.window_minutes),
            f"{rate.processed:,}",
            f"{rate.failed:,}",
            percent(rate.failure_rate),
            (f"{rate.burn_rate:,.2f}", "bad" if rate.burn_rate > 1 else "good"),
        )
        for rate in report.burn_rates
    ]
    table = _table(("window", "finished", "failed", "failure rate", "burn rate"), rows, texts=1)
    note = _note(
        f"Objective: {percent(report.objective)} of the jobs succeed. 1 is what that just allows; a high "
        "rate in a short and in a long window together is worth waking someone for."
    )
    chart = charts.burn_chart(report.burn_rates)
    return _section("Burn rate", f'{note}<div class="pair"><div>{chart}</div>{table}</div>')


def _dead(report: Report) -> str:
    if not report.dead:
        return _section("Dead-letter queue, by reason", _note("It is empty."))
    count = sum(report.dead.values())
    return _section(
        "Dead-letter queue, by reason", _note(f"{count:,} jobs now.") + charts.dead_chart(report.dead)
    )


def _queues(queues: Sequence[QueueFacts]) -> str:
    rows = []
    for each in queues:
        health, stats = each.health, each.stats
        state = "off" if not health.is_active else "paused" if health.is_paused else "on"
        rows.append(
            (
                health.queue,
                (state, "" if state == "on" else "bad"),
                f"{stats.due:,}" if stats else "–",
                f"{stats.scheduled:,}" if stats else "–",
                f"{health.processing:,}",
                "–" if health.max_workers is None else f"{health.max_workers:,}",
                duration_text(health.lag_seconds),
            )
        )
    names = ("queue", "state", "due", "later", "running", "limit", "lag")
    return _section("Queues now", _table(names, rows, texts=2) if rows else _note("There are none."))


def _types(report: Report) -> str:
    rows = [_type_row(each) for each in report.types]
    names = (
        "queue",
        "type",
        "succeeded",
        "failed",
        "retried",
        "failure rate",
        "p50",
        "p95",
        "p99",
        "max",
        "wait p95",
    )
    content = _table(names, rows, texts=2) if rows else _note("Nothing was executed in this window.")
    return _section("Job types with the most executions", content)


def _type_row(facts: TypeFacts) -> tuple[Cell, ...]:
    counts, execution, rate = facts.counts, facts.execution, facts.counts.failure_rate
    return (
        facts.queue,
        facts.type,
        f"{counts.succeeded:,}",
        f"{counts.failed:,}",
        f"{counts.retried:,}",
        (percent(rate), "bad" if rate else ""),
        milliseconds(execution.p50_ms),
        milliseconds(execution.p95_ms),
        milliseconds(execution.p99_ms),
        milliseconds(execution.max_ms),
        milliseconds(facts.wait.p95_ms if facts.wait else None),
    )


def _errors(report: Report) -> str:
    if not report.top_errors and not report.error_points:
        return _section("Errors", _note("There were none."))
    chart = charts.errors_chart(report.window, report.error_points) if report.error_points else ""
    rows = [
        (
            each.error_group or "(no group)",
            f"{each.failures:,}",
            f"{each.final:,}",
            f"{each.last_seen_at:%Y-%m-%d %H:%M}",
        )
        for each in report.top_errors
    ]
    names = (f"group, last {report.errors_of_hours:,} h", "failed attempts", "final", "last seen (bucket)")
    return _section("Errors: failed attempts by group", chart + _table(names, rows, texts=1))


# HTML

Cell = str | tuple[str, str]


def _text(text: str) -> str:
    """Escaped; characters that a page may not hold become visible."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))


def _section(title: str, content: str) -> str:
    return f"<section><h2>{_text(title)}</h2>\n{content}\n</section>"


def _pair(*sections: str) -> str:
    return '<div class="pair">' + "\n".join(sections) + "</div>"


def _note(text: str) -> str:
    return f'<p class="note">{_text(text)}</p>'


def _table(names: Sequence[str], rows: Iterable[Sequence[Cell]], *, texts: int) -> str:
    """``texts``: so many columns from the left are text, the others numbers. A cell is text, or text and the
    class that it gets.
    """

    def kind(number: int, extra: str = "") -> str:
        found = " ".join(filter(None, ("number" if number >= texts else "", extra)))
        return f' class="{found}"' if found else ""

    def cell(number: int, value: Cell) -> str:
        text, extra = (value, "") if isinstance(value, str) else value
        return f"<td{kind(number, extra)}>{_text(text)}</td>"

    head = "".join(f"<th{kind(number)}>{_text(name)}</th>" for number, name in enumerate(names))
    body = "\n".join(
        "<tr>" + "".join(cell(number, value) for number, value in enumerate(row)) + "</tr>" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'
