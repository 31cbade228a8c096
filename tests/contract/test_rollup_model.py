"""Five years of rollups as time goes by: leap days, year ends, every tier, and what is read across them."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from chokaq import FailureReason
from tests.contract.support import Database
from tests.contract.test_metrics_history import (
    DAY,
    HOUR,
    UTC,
    Key,
    Limits,
    Numbers,
    Row,
    Series,
    day_of,
    fold,
    put,
    read,
    roll_all,
    rolled,
    same,
)

BEGIN = datetime(2023, 12, 1, tzinfo=UTC)
END = datetime(2028, 12, 31, 23, 59, 59, tzinfo=UTC)
GOOD, BAD = Key(0, "q", "t", 0, -1, 30), Key(0, "q", "t", 1, 6, 40)
EDGES = (timedelta(0), timedelta(hours=13, minutes=35), timedelta(hours=23, minutes=55))
SPECIAL = [
    datetime(2023, 12, 31, tzinfo=UTC),
    datetime(2024, 1, 1, tzinfo=UTC),
    datetime(2024, 2, 28, tzinfo=UTC),
    datetime(2024, 2, 29, tzinfo=UTC),
    datetime(2024, 3, 1, tzinfo=UTC),
    datetime(2025, 2, 28, tzinfo=UTC),
    datetime(2025, 3, 1, tzinfo=UTC),
    datetime(2024, 12, 31, tzinfo=UTC),
    datetime(2028, 2, 29, tzinfo=UTC),
    datetime(2028, 12, 30, tzinfo=UTC),
]


def samples_of(day: datetime) -> Series:
    """Fine rows at both ends of a day and in between; their number tells the day."""
    count = 1 + day.toordinal() % 97
    rows = {
        Row(300, day + edge, GOOD, place): Numbers(count + place, 20.0 * (count + place), 20.0 + place)
        for place, edge in enumerate(EDGES)
    }
    return {**rows, Row(300, day + EDGES[1], BAD, 5): Numbers(count, 50.0 * count, 50.0)}


def days_between(begin: datetime, end: datetime) -> list[datetime]:
    return [begin + DAY * number for number in range((end - begin) // DAY)]


@pytest.mark.slow
def test_five_years_as_time_goes_by(db: Database) -> None:
    """Every so many days the samples since the last time are there, and the rollup runs."""
    db.queue.update_settings(daily_retention_days=-1)
    chosen = random.Random(4)
    series: Series = {}
    clock = BEGIN
    while clock < END:
        later = min(clock + timedelta(days=chosen.randrange(20, 70), minutes=chosen.randrange(1440)), END)
        new = fold(
            item for day in days_between(day_of(clock), day_of(later)) for item in samples_of(day).items()
        )
        put(db, new)
        series |= new
        clock = later
        roll_all(db, clock, chosen.choice([67, 400, 20_000]))
    assert len(series) == 4 * (day_of(END) - BEGIN).days
    same(read(db), rolled(series, Limits.at(clock, None)))

    # Every day has its own samples, read across the tiers.
    points = db.queue.metric_history(BEGIN, END, step_minutes=1440)
    found = {point.at: (point.succeeded, point.failed) for point in points}
    good: Counter[datetime] = Counter()
    bad: Counter[datetime] = Counter()
    for row, numbers in series.items():
        (good if row.key == GOOD else bad)[day_of(row.start)] += numbers.samples
    assert found == {day: (good[day], bad[day]) for day in days_between(BEGIN, day_of(END))}
    assert set(SPECIAL) <= found.keys()
    (all_of_it,) = db.queue.latency_percentiles(BEGIN, END)
    assert all_of_it.sample_count == sum(good.values()) + sum(bad.values())

    # A retention that is set later drops what is too old, and only that.
    db.queue.update_settings(daily_retention_days=90)
    roll_all(db, clock, 300)
    limits = Limits.at(clock)
    same(read(db), rolled(series, limits))
    kept = db.queue.metric_history(BEGIN, END, step_minutes=1440)
    assert kept[0].at == limits.daily
    assert {point.at: (point.succeeded, point.failed) for point in kept} == {
        day: counts for day, counts in found.items() if day >= kept[0].at
    }


@pytest.mark.parametrize("day", SPECIAL, ids=lambda day: f"{day:%Y-%m-%d}")
@pytest.mark.parametrize("cap", [1, 7, 20_000])
def test_a_day_moves_through_the_tiers_hour_by_hour(db: Database, day: datetime, cap: int) -> None:
    """At each clock every sample is in the one tier of its age."""
    series = {**samples_of(day - DAY), **samples_of(day), **samples_of(day + DAY)}
    put(db, series)
    for later in (
        5 * HOUR,
        6 * HOUR,
        7 * HOUR,
        DAY,
        DAY + 6 * HOUR,
        7 * DAY - timedelta(seconds=1),
        7 * DAY,
        8 * DAY,
        8 * DAY + 1 * HOUR,
        9 * DAY,
        90 * DAY,
        91 * DAY,
        92 * DAY,
    ):
        clock = day + later
        roll_all(db, clock, cap)
        same(read(db), rolled(series, Limits.at(clock)))


def test_purges_and_resurrects_change_no_history(db: Database) -> None:
    db.queue.update_settings(archive_retention_days=1)
    assert db.complete("w1", db.started("q")) == ["archived"]
    for _ in range(3):
        assert db.fail("w1", db.started("q"), FailureReason.FATAL_ERROR, error="boom") == "dead"
    counted = db.queue.summary_stats()
    history = read(db)
    first, second, _ = (job.job_id for job in db.queue.list_dlq())
    db.queue.resurrect(first)
    db.queue.purge_dlq(second)
    assert db.queue.purge_archive(now=datetime(2100, 1, 1, tzinfo=UTC)).deleted == 1
    assert db.queue.summary_stats() == counted
    same(read(db), history)
    # The resurrected job counts again when it ends again.
    job = db.start("w1")[0]
    db.complete("w1", job.lease)
    assert db.queue.summary_stats()[0].succeeded_total == counted[0].succeeded_total + 1
    assert db.queue.summary_stats()[0].failed_total == counted[0].failed_total
