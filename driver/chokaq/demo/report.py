"""The tables at the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import chokaq
from chokaq.models import FailureReason
from chokaq.operator_models import DeadJob

from .figures import RunFigures
from .files import QUEUES, printable
from .reads import FinishedJob
from .verdict import Verdict

__all__ = ["dead_letter_samples", "print_report", "print_verdict"]

_SLOWEST = 5
_SAMPLES = 5
_PAGE = 100  # so many dead letters of each reason are looked at for samples
_ALIKE = 40  # errors that begin with the same so many characters are alike
_PROBLEMS = 10


def print_report(
    console: Console, figures: RunFigures, verdict: Verdict, samples: dict[FailureReason, list[DeadJob]]
) -> None:
    """Everything but the verdict."""
    _print_queues(console, figures)
    _print_contents(console, figures)
    _print_throughput(console, figures)
    _print_rescue(console, figures)
    _print_slowest(console, figures)
    _print_dead(console, figures, verdict, samples)
    _print_times(console, figures)


def _table(title: str, *columns: str, texts: int = 1) -> Table:
    """``texts``: so many columns from the left hold text, the others numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number < texts else "right", overflow="fold")
    return table


def _say(console: Console, text: str, style: str = "") -> None:
    """A sentence, left to the terminal to fold."""
    console.print(Text(text, style=style), soft_wrap=True)


def _row(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))  # Text: names of files may hold what rich takes for markup


def _print_queues(console: Console, figures: RunFigures) -> None:
    table = _table("Queues", "queue", "jobs", "archived", "dead", "retried", "avg ms", "max ms", "avg wait s")
    retried = {each.queue: each.retried_total for each in figures.summary}
    archived, dead = figures.tables.archive, figures.tables.dlq
    for name in (*QUEUES, ""):
        done = [job for job in archived if name in ("", job.queue)]
        failed = [job for job in dead if name in ("", job.queue)]
        worked = [job for job in (*done, *failed) if job.reason is not FailureReason.ZOMBIE]
        if not done and not failed:
            continue
        _row(
            table,
            name or "all",
            f"{len(done) + len(failed):,}",
            f"{len(done):,}",
            f"{len(failed):,}",
            f"{retried.get(name, 0) if name else sum(retried.values()):,}",
            *_figures(worked),
        )
    console.print(table)


def _figures(jobs: Sequence[FinishedJob]) -> tuple[str, str, str]:
    durations = [job.duration_ms for job in jobs if job.duration_ms is not None]
    waits = [job.wait_ms for job in jobs if job.wait_ms is not None]
    return (
        f"{_mean(durations):.1f}",
        f"{max(durations, default=0.0):.1f}",
        f"{_mean(waits) / 1000:.1f}",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _print_contents(console: Console, figures: RunFigures) -> None:
    """What the handlers found, each archived job counted once: by the execution that the archive names."""
    facts = {run.claim: run.facts for record in figures.records for run in record.executions if run.facts}
    found = [facts[job.claim] for job in figures.tables.archive if job.claim in facts]
    sums = {
        name: sum(each[name] or 0 for each in found) for name in ("size", "lines", "functions", "classes")
    }
    distinct = len({each["sha256"] for each in found})
    _say(
        console,
        f"Found: {sums['size'] / 1e6:,.1f} MB, {sums['lines']:,} lines, {sums['functions']:,} functions, "
        f"{sums['classes']:,} classes; {distinct:,} different contents.",
    )


def _print_throughput(console: Console, figures: RunFigures) -> None:
    found = figures.throughput
    if found is None:
        return
    table = _table(
        "Throughput (GetThroughput)", "window", "processed", "failed", "failure rate", "avg ms", "max ms"
    )
    average, longest = (
        "" if value is None else f"{value:.1f}"
        for value in (found.average_duration_ms, found.max_duration_ms)
    )
    for window, processed, failed, rate, durations in (
        (
            "last minute",
            found.processed_last_minute,
            found.failed_last_minute,
            found.failure_rate_last_minute,
            ("", ""),
        ),
        (
            "last five minutes",
            found.processed_last_five_minutes,
            found.failed_last_five_minutes,
            found.failure_rate_last_five_minutes,
            (average, longest),
        ),
    ):
        _row(table, window, f"{processed:,}", f"{failed:,}", f"{(rate or 0.0):.2%}", *durations)
    console.print(table)


def _print_rescue(console: Console, figures: RunFigures) -> None:
    sweeps, kill = figures.sweeps, figures.kill
    if kill is None:
        _say(console, "No worker was killed: the work was done before one held jobs.")
    else:
        _say(console, f"Killed: worker {kill.member.number}, holding {kill}.")
    _say(
        console,
        f"Swept: {sweeps.recovered} claimed jobs given back (Recovered), {sweeps.retried} zombies to run "
        f"again (Retried), {sweeps.buried} zombies to the dead-letter queue (Buried).",
    )
    lost = sum(record.lost for record in figures.records)
    if lost:
        _say(console, f"Living workers lost {lost} jobs to a sweep: they had been silent for too long.")
    for (name, error), count in Counter(
        event for record in figures.records for event in record.events
    ).items():
        _say(console, f"A worker told of trouble, {count} times: {name}: {error}")


def _print_slowest(console: Console, figures: RunFigures) -> None:
    jobs = [
        job
        for job in (*figures.tables.archive, *figures.tables.dlq)
        if job.job_id in figures.enqueued and job.reason is not FailureReason.ZOMBIE
    ]
    jobs.sort(key=lambda job: job.duration_ms or 0.0, reverse=True)
    table = _table("Slowest files", "file", "type", "ms", "wait s", texts=2)
    for job in jobs[:_SLOWEST]:
        _row(
            table,
            printable(figures.enqueued[job.job_id]),
            job.type,
            f"{job.duration_ms or 0.0:.1f}",
            f"{(job.wait_ms or 0.0) / 1000:.1f}",
        )
    console.print(table)


def dead_letter_samples(queue: chokaq.JobQueue, figures: RunFigures) -> dict[FailureReason, list[DeadJob]]:
    """Reason → some of its dead jobs, with errors as different as they come."""
    samples = {}
    for reason in {job.reason for job in figures.tables.dlq if job.reason is not None}:
        page = queue.list_dlq(failure_reason=reason, page_size=_PAGE)
        by_start = {_headline(job)[:_ALIKE]: job for job in page}
        samples[reason] = list(by_start.values())[:_SAMPLES]
    return samples


def _headline(job: DeadJob) -> str:
    return (job.error_details or "").partition("\n")[0]


def _print_dead(
    console: Console, figures: RunFigures, verdict: Verdict, samples: dict[FailureReason, list[DeadJob]]
) -> None:
    if not figures.tables.dlq:
        _say(console, "Dead letters: none.")
        return
    table = _table(
        f"Dead letters: {verdict.dead:,} (samples)", "reason", "file", "error", "attempts", texts=3
    )
    counts = Counter(job.reason for job in figures.tables.dlq if job.reason is not None)
    for reason, count in counts.most_common():
        name = f"{reason.name.replace('_', ' ').lower()} ({count:,})"
        if not samples.get(reason):
            _row(table, name)
        for job in samples.get(reason, ()):
            path = printable(figures.enqueued.get(job.job_id, "?"))
            _row(table, name, path, printable(_headline(job)), str(job.attempt_count))
            name = ""
    console.print(table)


def _print_times(console: Console, figures: RunFigures) -> None:
    """Where the time went: the phases of the run, and the workers' calls."""
    phases = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in figures.seconds.items())
    _say(console, f"Phases: {phases} (all jobs: from the first enqueue to the last result).")
    told = [record for record in figures.records if record.cpu_seconds is not None]
    if not told:
        return
    calls: dict[str, tuple[int, float]] = {}
    for record in told:
        for name, (count, seconds) in record.calls.items():
            before = calls.get(name, (0, 0.0))
            calls[name] = (before[0] + count, before[1] + seconds)
    executions = [run for record in told for run in record.executions if run.ended_at is not None]
    handlers = sum((run.ended_at or 0) - run.started_at for run in executions) / 1e9
    cpu = sum(record.cpu_seconds or 0.0 for record in told)
    table = _table("Where the workers' time went", "what", "times", "s", "ms each")
    for name, count, seconds in (
        ("handlers (threads share a processor)", len(executions), handlers),
        *((name, count, seconds) for name, (count, seconds) in _by_time(calls.items())),
    ):
        _row(table, name, f"{count:,}", f"{seconds:.1f}", f"{seconds / max(count, 1) * 1000:.1f}")
    console.print(table)
    killed = len(figures.records) - len(told)
    _say(
        console,
        f"Processor time of these {len(told)} workers: {cpu:.1f} s."
        + (" A killed worker takes its figures along." if killed else ""),
    )


def _by_time(
    calls: Iterable[tuple[str, tuple[int, float]]],
) -> list[tuple[str, tuple[int, float]]]:
    return sorted(calls, key=lambda item: item[1][1], reverse=True)


def print_verdict(console: Console, figures: RunFigures, verdict: Verdict) -> None:
    """Whether every job came to its end, once."""
    executions = sum(len(record.executions) for record in figures.records)
    _say(
        console,
        f"Checked: {verdict.enqueued:,} enqueued = {verdict.archived:,} archived + {verdict.dead:,} dead; "
        f"{len(verdict.lost)} lost; {verdict.as_json()['claimed_twice']} claimed twice, by {executions:,} "
        f"executions in the logs of {len(figures.records)} workers.",
    )
    _say(console, f"{verdict.elapsed_s:.1f} s, {verdict.jobs_per_s:,.0f} jobs/s.")
    for problem in verdict.problems[:_PROBLEMS]:
        _say(console, f"PROBLEM: {problem}", style="bold red")
    if len(verdict.problems) > _PROBLEMS:
        _say(console, f"… and {len(verdict.problems) - _PROBLEMS} problems more.")
