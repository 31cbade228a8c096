"""The metric history: samples, rollup, reads across the tiers, percentiles, backfill.

Time is a parameter of every procedure here, so these tests choose their clocks. ``State`` is the model of the
rollup: what each tier holds, and what one complete run at a clock makes of it.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chokaq import DatabaseError, FailureReason, InvalidParameterError, RollupResult, Sample, SampleResult
from tests.contract.support import Database

UTC = timezone.utc
NOW = datetime(2026, 3, 4, 12, 34, 56, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GAMMA = 1.05 / 0.95


@pytest.fixture(autouse=True)
def own_measures_gone(db: Database) -> Iterator[None]:
    """What these tests register and backfill is not part of every test's cleaning."""
    yield
    db.sql("DELETE FROM [chokaq].[Measures] WHERE [Measure] >= 100; DELETE FROM [chokaq].[MetricBackfill];")


class Key(NamedTuple):
    """What a sample is counted under, apart from its moment."""

    measure: int
    queue: str
    type: str
    outcome: int
    reason: int
    bin: int


class Row(NamedTuple):
    """A row of MetricSeries, but for its numbers."""

    resolution: int
    start: datetime
    key: Key
    shard: int


class Numbers(NamedTuple):
    samples: int
    total: float
    top: float | None

    def plus(self, other: Numbers) -> Numbers:
        tops = [top for top in (self.top, other.top) if top is not None]
        return Numbers(self.samples + other.samples, self.total + other.total, max(tops, default=None))


Series = dict[Row, Numbers]


def text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()


def fold(rows: Iterable[tuple[Any, Numbers]]) -> dict[Any, Numbers]:
    """Sums by whatever stands first."""
    sums: dict[Any, Numbers] = {}
    for what, numbers in rows:
        sums[what] = sums[what].plus(numbers) if what in sums else numbers
    return sums


def put(db: Database, series: Series) -> None:
    document = [
        {
            "r": row.resolution,
            "b": text(row.start),
            "m": row.key.measure,
            "q": row.key.queue,
            "t": row.key.type,
            "o": row.key.outcome,
            "f": row.key.reason,
            "n": row.key.bin,
            "s": row.shard,
            "c": numbers.samples,
            "l": numbers.total,
            "x": numbers.top,
        }
        for row, numbers in series.items()
    ]
    for start in range(0, len(document), 500):
        db.sql(
            "INSERT INTO [chokaq].[MetricSeries] ([Resolution], [BucketStartUtc], [Measure], [Queue], [Type],"
            " [Outcome], [FailureReason], [Bin], [Shard], [SampleCount], [TotalMs], [MaxMs])"
            " SELECT [j].[r], [j].[b], [j].[m], [j].[q], [j].[t], [j].[o], [j].[f], [j].[n], [j].[s],"
            " [j].[c], [j].[l], [j].[x] FROM OPENJSON(?) WITH ([r] INT '$.r', [b] DATETIME2(0) '$.b',"
            " [m] SMALLINT '$.m', [q] VARCHAR(255) '$.q', [t] VARCHAR(255) '$.t', [o] TINYINT '$.o',"
            " [f] INT '$.f', [n] SMALLINT '$.n', [s] TINYINT '$.s', [c] BIGINT '$.c',"
            " [l] FLOAT '$.l', [x] FLOAT '$.x') AS [j];",
            json.dumps(document[start : start + 500]),
        )


def read(db: Database) -> Series:
    rows = db.sql(
        "SELECT [Resolution], [BucketStartUtc], [Measure], [Queue], [Type], [Outcome], [FailureReason],"
        " [Bin], [Shard], [SampleCount], [TotalMs], [MaxMs] FROM [chokaq].[MetricSeries];"
    )
    found: Series = {}
    for row in rows:
        values = list(row.values())
        key = Key(*values[2:8])
        place = Row(values[0], values[1].replace(tzinfo=UTC), key, values[8])
        found[place] = Numbers(*values[9:12])
    return found


def same(found: dict[Any, Numbers], expected: dict[Any, Numbers]) -> None:
    """Equal keys and counts; sums of floats may differ in their last digits."""
    assert found.keys() == expected.keys()
    for what, numbers in expected.items():
        assert found[what].samples == numbers.samples, what
        assert math.isclose(found[what].total, numbers.total, rel_tol=1e-9, abs_tol=1e-9), what
        assert found[what].top == numbers.top, what


class Limits(NamedTuple):
    """The starts of the hours and days that the retentions still reach into, at a clock."""

    fine: datetime
    hourly: datetime
    daily: datetime | None

    @classmethod
    def at(cls, now: datetime, daily_days: int | None = 90) -> Limits:
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        hour = now.replace(minute=0, second=0, microsecond=0)
        return cls(hour - 6 * HOUR, today - 7 * DAY, None if daily_days is None else today - daily_days * DAY)


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def day_of(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def rolled(series: Series, limits: Limits) -> Series:
    """What is there when no call has anything left to do."""

    def place(row: Row) -> Row | None:
        resolution, start, shard = row.resolution, row.start, row.shard
        if resolution < 3600 and start < limits.fine:
            resolution, start, shard = 3600, hour_of(start), 0
        if resolution == 3600 and start < limits.hourly:
            resolution, start, shard = 86400, day_of(start), 0
        if resolution == 86400 and limits.daily is not None and start < limits.daily:
            return None
        return Row(resolution, start, row.key, shard)

    moved = ((place(row), numbers) for row, numbers in series.items())
    return fold((row, numbers) for row, numbers in moved if row is not None)


def by_day(series: Series, since: datetime | None) -> dict[Any, Numbers]:
    """Totals by day, measure, queue, type, outcome, reason and bin of the days that may not be dropped."""
    kept = (
        ((day_of(row.start), row.key), numbers)
        for row, numbers in series.items()
        if since is None or row.start >= since
    )
    return fold(kept)


def roll_all(db: Database, now: datetime, cap: int | None = None, limit: int = 5000) -> list[RollupResult]:
    """Calls until nothing is left."""
    calls: list[RollupResult] = []
    while len(calls) < limit:
        calls.append(db.queue.rollup_metrics(max_rows=cap, now=now))
        if not calls[-1].more_left:
            return calls
    raise AssertionError("the rollup never ends")


def numbers(count: int, value: float | None) -> Numbers:
    return Numbers(count, 0 if value is None else count * value, value)


# The model

MOMENTS = [
    datetime(2024, 2, 28, 23, 30, tzinfo=UTC),
    datetime(2024, 2, 29, 0, 30, tzinfo=UTC),
    datetime(2024, 3, 1, 0, 0, tzinfo=UTC),
    datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC),
    datetime(2026, 1, 1, 0, 0, tzinfo=UTC),
    datetime(2026, 3, 29, 1, 30, tzinfo=UTC),  # clocks change in Europe; UTC does not
    datetime(2028, 2, 29, 12, 0, tzinfo=UTC),
]
KEYS = [
    Key(0, "a", "t", 0, -1, 10),
    Key(0, "a", "t", 1, 6, 10),
    Key(0, "a", "u", 0, -1, -32768),
    Key(1, "b", "t", 0, -1, -32767),
    Key(2, "b", "boom", 2, 8, -32768),
    Key(100, "", "GET /", 0, -1, 10),
]
ages = st.one_of(
    st.integers(0, 8 * 60),  # minutes: around the fine retention
    st.integers(6 * 24 * 60, 9 * 24 * 60),  # around the hourly retention
    st.integers(88 * 24 * 60, 93 * 24 * 60),  # around the daily retention
    st.integers(0, 5 * 366 * 24 * 60),  # five years
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[datetime, Series]:
    """A clock, and samples of random ages in fine buckets of random shards."""
    now = draw(st.sampled_from(MOMENTS)) + timedelta(minutes=draw(st.integers(0, 2 * 24 * 60)))
    rows = draw(
        st.lists(
            st.tuples(ages, st.sampled_from(KEYS), st.integers(0, 7), st.integers(1, 9)),
            min_size=1,
            max_size=14,
        )
    )

    def fine(age: int) -> datetime:
        moment = now - timedelta(minutes=age)
        return moment.replace(minute=moment.minute // 5 * 5, second=0, microsecond=0)

    def value(key: Key, count: int) -> float | None:
        return {-32768: None, -32767: 0.0}.get(key.bin, float(count))

    found = (
        (Row(300, fine(age), key, shard), numbers(count, value(key, count)))
        for age, key, shard, count in rows
    )
    return now, fold(found)


steps = st.lists(
    st.tuples(
        st.sampled_from([1, 7, 20000]),
        st.one_of(st.just(0), st.integers(-3 * 24 * 60, 12 * 24 * 60), st.integers(0, 400 * 24 * 60)),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("daily_days", [90, None])
def test_any_sequence_of_rollups_keeps_the_totals(db: Database, daily_days: int | None) -> None:
    db.queue.update_settings(daily_retention_days=daily_days or -1)

    @settings(
        max_examples=25,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(history=histories(), sequence=steps)
    @example(
        history=(
            MOMENTS[1],
            {Row(300, MOMENTS[1] - timedelta(days=n) * 400, KEYS[0], n): numbers(1, 1.0) for n in range(5)},
        ),
        sequence=[(1, 0), (7, 60), (20000, 10 * 24 * 60)],
    )
    def check(history: tuple[datetime, Series], sequence: list[tuple[int, int]]) -> None:
        now, series = history
        db.sql("DELETE FROM [chokaq].[MetricSeries];")
        put(db, series)
        before = read(db)
        same(before, series)
        for cap, minutes in sequence:
            clock = now + timedelta(minutes=minutes)
            limits = Limits.at(clock, daily_days)
            result = db.queue.rollup_metrics(max_rows=cap, now=clock)
            after = read(db)
            touched = result.fine_rows + result.hourly_rows + result.dropped_rows
            assert touched <= cap
            same(by_day(after, limits.daily), by_day(before, limits.daily))
            # The hour that is being filled, and all within the retention, stay as they are.
            young = {r: n for r, n in before.items() if r.resolution < 3600 and r.start >= limits.fine}
            same({r: n for r, n in after.items() if r.resolution < 3600 and r.start >= limits.fine}, young)
            if not result.more_left:
                same(after, rolled(before, limits))
            before = after
        last = now + timedelta(minutes=sequence[-1][1])
        roll_all(db, last, 7)
        same(read(db), rolled(before, Limits.at(last, daily_days)))
        assert db.queue.rollup_metrics(now=last) == RollupResult(
            fine_rows=0, hourly_rows=0, dropped_rows=0, more_left=False
        )

    check()


# The rules of the rollup, one by one


def test_the_hour_that_is_being_filled_is_not_rolled(db: Database) -> None:
    edge = hour_of(NOW) - 6 * HOUR
    kept = {Row(300, edge + timedelta(minutes=5 * n), KEYS[0], n % 8): numbers(1, 1.0) for n in range(12)}
    old = {Row(300, edge - timedelta(minutes=5), KEYS[0], 3): numbers(2, 1.0)}
    put(db, {**kept, **old})
    result = db.queue.rollup_metrics(now=NOW)
    assert (result.fine_rows, result.more_left) == (1, False)
    same(read(db), {**kept, Row(3600, edge - HOUR, KEYS[0], 0): numbers(2, 1.0)})


def test_an_hour_waits_for_the_day_until_its_samples_are_all_there(db: Database) -> None:
    """An hour that got fine samples in a call is not rolled on in that call."""
    start = day_of(NOW) - 10 * DAY
    put(db, {Row(300, start + timedelta(minutes=5 * n), KEYS[0], n): numbers(1, 1.0) for n in range(6)})
    put(db, {Row(3600, start - HOUR, KEYS[0], 0): numbers(5, 1.0)})
    first = db.queue.rollup_metrics(now=NOW)
    assert first == RollupResult(fine_rows=6, hourly_rows=1, dropped_rows=0, more_left=True)
    hour, day = Row(3600, start, KEYS[0], 0), Row(86400, start - DAY, KEYS[0], 0)
    same(read(db), {hour: numbers(6, 1.0), day: numbers(5, 1.0)})
    second = db.queue.rollup_metrics(now=NOW)
    assert second == RollupResult(fine_rows=0, hourly_rows=1, dropped_rows=0, more_left=False)
    same(read(db), {Row(86400, start, KEYS[0], 0): numbers(6, 1.0), day: numbers(5, 1.0)})


def test_an_hour_past_the_daily_retention_is_dropped_not_rolled(db: Database) -> None:
    edge = day_of(NOW) - 90 * DAY
    put(
        db,
        {Row(3600, edge - HOUR, KEYS[0], 0): numbers(5, 1.0), Row(3600, edge, KEYS[0], 0): numbers(7, 1.0)},
    )
    result = db.queue.rollup_metrics(now=NOW)
    assert result == RollupResult(fine_rows=0, hourly_rows=1, dropped_rows=1, more_left=False)
    same(read(db), {Row(86400, edge, KEYS[0], 0): numbers(7, 1.0)})


def test_days_past_the_retention_are_dropped_and_kept_for_ever_without_one(db: Database) -> None:
    edge = day_of(NOW) - 90 * DAY
    kept = {Row(86400, edge, KEYS[0], 0): numbers(2, 1.0)}
    put(db, {**kept, Row(86400, edge - DAY, KEYS[0], 0): numbers(1, 1.0)})
    db.queue.update_settings(daily_retention_days=-1)
    assert db.queue.rollup_metrics(now=NOW + 3650 * DAY).dropped_rows == 0
    db.queue.update_settings(daily_retention_days=90)
    assert db.queue.rollup_metrics(now=NOW).dropped_rows == 1
    same(read(db), kept)


def test_shards_fold_to_the_first(db: Database) -> None:
    start = hour_of(NOW) - 8 * HOUR
    put(db, {Row(300, start, KEYS[0], shard): Numbers(1, shard, float(shard)) for shard in range(8)})
    db.queue.rollup_metrics(now=NOW)
    same(read(db), {Row(3600, start, KEYS[0], 0): Numbers(8, 28, 7.0)})


def test_every_width_of_the_fine_tier_is_rolled(db: Database) -> None:
    start = hour_of(NOW) - 8 * HOUR
    put(db, {Row(width, start, KEYS[0], 0): numbers(1, 1.0) for width in (60, 300, 1800)})
    assert db.queue.rollup_metrics(now=NOW).fine_rows == 3
    same(read(db), {Row(3600, start, KEYS[0], 0): numbers(3, 1.0)})


def test_other_settings_are_followed(db: Database) -> None:
    db.queue.update_settings(fine_retention_hours=1, hourly_retention_days=1, daily_retention_days=2)
    today, hour = day_of(NOW), hour_of(NOW)
    put(
        db,
        {
            Row(300, hour - HOUR, KEYS[0], 1): numbers(1, 1.0),
            Row(300, hour - 2 * HOUR, KEYS[0], 1): numbers(2, 1.0),
            Row(3600, today - DAY, KEYS[0], 0): numbers(3, 1.0),
            Row(3600, today - DAY - HOUR, KEYS[0], 0): numbers(4, 1.0),
            Row(86400, today - 2 * DAY, KEYS[1], 0): numbers(5, 1.0),
            Row(86400, today - 3 * DAY, KEYS[0], 0): numbers(6, 1.0),
        },
    )
    roll_all(db, NOW)
    same(
        read(db),
        {
            Row(300, hour - HOUR, KEYS[0], 1): numbers(1, 1.0),
            Row(3600, hour - 2 * HOUR, KEYS[0], 0): numbers(2, 1.0),
            Row(3600, today - DAY, KEYS[0], 0): numbers(3, 1.0),
            Row(86400, today - 2 * DAY, KEYS[0], 0): numbers(4, 1.0),
            Row(86400, today - 2 * DAY, KEYS[1], 0): numbers(5, 1.0),
        },
    )


@pytest.mark.parametrize("cap", [1, 7])
def test_the_cap_is_shared_by_the_passes(db: Database, cap: int) -> None:
    today = day_of(NOW)
    series = {Row(300, today - DAY + timedelta(minutes=5 * n), KEYS[0], 0): numbers(1, 1.0) for n in range(9)}
    series |= {Row(3600, today - 9 * DAY + n * HOUR, KEYS[0], 0): numbers(1, 1.0) for n in range(9)}
    series |= {Row(86400, today - (100 + n) * DAY, KEYS[0], 0): numbers(1, 1.0) for n in range(9)}
    put(db, series)
    calls = roll_all(db, NOW, cap)
    assert max(call.fine_rows + call.hourly_rows + call.dropped_rows for call in calls) == cap
    assert sum(call.fine_rows for call in calls) == sum(call.dropped_rows for call in calls) == 9
    assert sum(call.hourly_rows for call in calls) == 9
    same(read(db), rolled(series, Limits.at(NOW)))


def test_caps_out_of_range_are_refused(db: Database) -> None:
    for cap in (0, -1, 1_000_001):
        with pytest.raises(InvalidParameterError):
            db.queue.rollup_metrics(max_rows=cap)


def many(count: int) -> Series:
    """Fine rows of one hour and more, each under a type of its own, so that several batches are needed."""
    start = hour_of(NOW) - 20 * HOUR
    return {
        Row(300, start + timedelta(minutes=5 * (n // 250)), Key(0, "q", f"t{n % 250:03}", 0, -1, 5), n % 8): (
            numbers(1 + n % 3, 2.0)
        )
        for n in range(count)
    }


def test_an_error_between_batches_neither_loses_nor_doubles(db: Database) -> None:
    series = many(2600)
    put(db, series)
    # Nothing can be added to this row: the batch that has the samples of its hour fails.
    last = max(row.start for row in series)
    brake = Row(3600, hour_of(last), Key(0, "q", "t249", 0, -1, 5), 0)
    put(db, {brake: Numbers(2**63 - 1, 0, 2.0)})
    with pytest.raises(DatabaseError):
        db.queue.rollup_metrics(now=NOW)
    between = read(db)
    del between[brake]
    same(fold((row.key, n) for row, n in between.items()), fold((row.key, n) for row, n in series.items()))
    db.sql("DELETE FROM [chokaq].[MetricSeries] WHERE [SampleCount] > 1000000000;")
    roll_all(db, NOW)
    same(read(db), rolled(series, Limits.at(NOW)))


def test_a_rollup_that_is_cut_off_has_done_nothing(db: Database) -> None:
    series = many(300)
    put(db, series)
    connection = db.connect()
    db.sql(
        "DECLARE @F INT, @H INT, @D INT, @M BIT; EXECUTE [chokaq].[RollupRows] @MaxRows = 100, @NowUtc = ?,"
        " @FineRows = @F OUTPUT, @HourlyRows = @H OUTPUT, @DroppedRows = @D OUTPUT, @MoreLeft = @M OUTPUT;"
        " SELECT @F AS [F];",
        text(NOW),
        connection=connection,
    )
    connection.close()
    same(read(db), series)
    roll_all(db, NOW, 100)
    same(read(db), rolled(series, Limits.at(NOW)))


def test_two_rollups_at_once(db: Database) -> None:
    series = many(800)
    put(db, series)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(roll_all, db, NOW, 90) for _ in range(2)]
        calls = [call for run in runs for call in run.result()]
    assert sum(call.fine_rows for call in calls) == len(series)
    same(read(db), rolled(series, Limits.at(NOW)))


# Samples


def bin_of(value: float | None) -> int:
    if value is None:
        return -32768
    return -32767 if value <= 0 else math.ceil(math.log(value) / math.log(GAMMA))


def clock(db: Database) -> datetime:
    found = db.scalar("SELECT SYSUTCDATETIME() AS [Now];")
    assert isinstance(found, datetime)
    return found.replace(tzinfo=UTC)


def test_a_sample_lands_in_the_bucket_of_its_moment(db: Database) -> None:
    now = clock(db)
    late = now - 3 * DAY
    samples = [
        Sample(measure="endpoint", series="GET /", value_ms=12.5, at=late),
        Sample(measure="endpoint", series="GET /", value_ms=12.5, at=late),
        Sample(measure="endpoint", series="GET /", value_ms=0, at=late, failed=True),
        Sample(measure="endpoint", series="GET /", queue="web", at=late),
    ]
    assert db.queue.record_samples(samples) == SampleResult(accepted=4, refused=0)
    start = late.replace(minute=late.minute // 5 * 5, second=0, microsecond=0)
    sums = fold(((row.resolution, row.start, row.key), n) for row, n in read(db).items())
    same(
        sums,
        {
            (300, start, Key(100, "", "GET /", 0, -1, bin_of(12.5))): Numbers(2, 25, 12.5),
            (300, start, Key(100, "", "GET /", 1, -1, -32767)): Numbers(1, 0, 0.0),
            (300, start, Key(100, "web", "GET /", 0, -1, -32768)): Numbers(1, 0, None),
        },
    )


def test_late_samples_join_the_hour_and_the_day_that_were_rolled_before(db: Database) -> None:
    now = clock(db)
    late = now - 2 * DAY
    sample = Sample(measure="m", series="s", value_ms=10, at=late)
    db.queue.record_samples([sample] * 3)
    roll_all(db, now)
    db.queue.record_samples([sample] * 2)
    (point,) = db.queue.metric_history(late - HOUR, late + HOUR, measure=100, step_minutes=1440)
    assert point.sample_count == 5
    roll_all(db, now)
    key = Key(100, "", "s", 0, -1, bin_of(10))
    same(read(db), {Row(3600, hour_of(late), key, 0): Numbers(5, 50, 10.0)})
    roll_all(db, now + 8 * DAY)
    db.queue.record_samples(sample)
    roll_all(db, now + 8 * DAY)
    same(read(db), {Row(86400, day_of(late), key, 0): Numbers(6, 60, 10.0)})


def test_samples_out_of_range_are_refused_and_the_others_kept(db: Database) -> None:
    now = clock(db)
    moments = [now - 6 * DAY, now - 8 * DAY, now + timedelta(minutes=4), now + timedelta(minutes=7), None]
    samples = [Sample(measure="m", series="s", value_ms=1, at=at) for at in moments]
    assert db.queue.record_samples(samples) == SampleResult(accepted=3, refused=2)
    assert sum(n.samples for n in read(db).values()) == 3


def test_the_number_of_measures_is_limited(db: Database) -> None:
    def record(*names: str) -> SampleResult:
        return db.queue.record_samples(
            [Sample(measure=name, series="s", value_ms=1) for name in names], max_measures=3
        )

    assert record("a", "A", "b") == SampleResult(accepted=3, refused=0)
    assert record("a", "c", "d", "e") == SampleResult(accepted=2, refused=2)
    assert record("e", "b") == SampleResult(accepted=1, refused=1)
    names = db.sql(
        "SELECT [Measure], [Name] FROM [chokaq].[Measures] WHERE [Measure] >= 100 ORDER BY [Measure];"
    )
    assert [(row["Measure"], row["Name"].lower()) for row in names] == [(100, "a"), (101, "b"), (102, "c")]


def test_the_packages_own_measures_take_no_samples(db: Database) -> None:
    found = db.queue.record_samples([Sample(measure="execution", series="s", value_ms=1)])
    assert found == SampleResult(accepted=0, refused=1)
    assert read(db) == {}


def test_new_measures_of_several_sessions_at_once(db: Database) -> None:
    def record(worker: int) -> int:
        samples = [Sample(measure=f"m{n}", series=f"w{worker}", value_ms=1) for n in range(12)]
        return sum(db.queue.record_samples(sample, max_measures=8).accepted for sample in samples)

    with ThreadPoolExecutor(3) as pool:
        accepted = sum(pool.map(record, range(3)))
    measures = db.sql("SELECT [Measure] FROM [chokaq].[Measures] WHERE [Measure] >= 100 ORDER BY [Measure];")
    assert [row["Measure"] for row in measures] == list(range(100, 108))
    assert accepted == sum(n.samples for n in read(db).values()) == 24


def test_samples_and_rollups_at_once(db: Database) -> None:
    now = clock(db)

    def record(worker: int) -> int:
        chosen = random.Random(worker)
        accepted = 0
        for _ in range(6):
            samples = [
                Sample(
                    measure="m",
                    series=f"s{chosen.randrange(3)}",
                    value_ms=5,
                    at=now - timedelta(hours=chosen.randrange(100)),
                )
                for _ in range(20)
            ]
            accepted += db.queue.record_samples(samples).accepted
        return accepted

    with ThreadPoolExecutor(3) as pool:
        recording = [pool.submit(record, worker) for worker in range(2)]
        rolling = pool.submit(lambda: [roll_all(db, now, 7) for _ in range(4)])
        accepted = sum(part.result() for part in recording)
        rolling.result()
    roll_all(db, now)
    assert accepted == 240
    assert sum(n.samples for n in read(db).values()) == accepted


# Reads across the tiers


def test_a_window_over_all_tiers_reads_each_sample_once(db: Database) -> None:
    chosen = random.Random(7)
    moments = [NOW - timedelta(minutes=chosen.randrange(60 * 24 * 60)) for _ in range(400)]
    series = fold(
        (
            Row(
                300,
                m.replace(minute=m.minute // 5 * 5, second=0),
                chosen.choice(KEYS[:2]),
                chosen.randrange(8),
            ),
            numbers(1, 4.0),
        )
        for m in moments
    )
    put(db, series)
    window = (day_of(NOW) - 60 * DAY, NOW + HOUR)
    before = db.queue.metric_history(*window, step_minutes=1440)
    assert sum(point.sample_count for point in before) == 400
    roll_all(db, NOW)
    assert {row.resolution for row in read(db)} == {300, 3600, 86400}
    after = db.queue.metric_history(*window, step_minutes=1440)
    assert after == before
    by_hand = Counter(day_of(moment) for moment in moments)
    assert {point.at: point.sample_count for point in after} == by_hand
    (found,) = db.queue.latency_percentiles(*window)
    assert (found.sample_count, found.average_ms, found.max_ms) == (400, 4.0, 4.0)
    failed = sum(n.samples for row, n in series.items() if row.key.outcome == 1)
    rates = {rate.window_minutes: rate for rate in db.queue.burn_rate(0.9, now=NOW)}
    month = [m for m in moments if day_of(m) > NOW - timedelta(minutes=43200)]
    assert rates[43200].processed == len(month)
    assert sum(point.failed for point in after) == failed


def test_a_window_takes_a_bucket_where_it_starts(db: Database) -> None:
    start = hour_of(NOW)
    put(db, {Row(300, start + timedelta(minutes=5 * n), KEYS[0], n): numbers(1, 1.0) for n in range(6)})

    def total(begin: int, end: int) -> int:
        window = (start + timedelta(minutes=begin), start + timedelta(minutes=end))
        return sum(point.sample_count for point in db.queue.metric_history(*window, step_minutes=5))

    assert (total(0, 30), total(5, 10), total(1, 10), total(0, 5), total(30, 60)) == (6, 1, 1, 1, 0)
    assert total(0, 15) + total(15, 30) == 6


def test_history_by_outcome_queue_and_type(db: Database) -> None:
    start = hour_of(NOW)
    put(
        db,
        {
            Row(300, start, Key(0, "a", "t", 0, -1, 5), 0): Numbers(2, 6, 4.0),
            Row(300, start, Key(0, "a", "t", 0, -1, -32768), 0): Numbers(3, 0, None),
            Row(300, start, Key(0, "a", "u", 1, 6, 5), 0): Numbers(1, 9, 9.0),
            Row(300, start, Key(0, "b", "t", 2, 8, -32768), 0): Numbers(4, 0, None),
            Row(300, start, Key(1, "a", "t", 0, -1, 5), 0): Numbers(99, 1, 1.0),
            Row(300, start + HOUR, Key(0, "a", "t", 0, -1, 5), 0): Numbers(7, 7, 1.0),
        },
    )
    first, second = db.queue.metric_history(start, start + 2 * HOUR)
    assert (first.at, second.at) == (start, start + HOUR)
    assert (first.succeeded, first.failed, first.retried, first.sample_count) == (5, 1, 4, 10)
    assert (first.average_ms, first.max_ms) == (5.0, 9.0)
    (only,) = db.queue.metric_history(start, start + HOUR, queue="b")
    assert (only.retried, only.average_ms, only.max_ms) == (4, None, None)
    (typed,) = db.queue.metric_history(start, start + HOUR, queue="a", type="u")
    assert (typed.failed, typed.sample_count) == (1, 1)
    (wait,) = db.queue.metric_history(start, start + HOUR, measure=1)
    assert wait.sample_count == 99
    (day,) = db.queue.metric_history(start, start + 2 * HOUR, step_minutes=1440)
    assert (day.at, day.sample_count) == (day_of(NOW), 17)


def test_windows_and_steps_that_cannot_be_are_refused(db: Database) -> None:
    window = (NOW, NOW + HOUR)
    calls: list[Callable[[], Any]] = [
        lambda: db.queue.metric_history(NOW, NOW),
        lambda: db.queue.metric_history(*window, step_minutes=0),
        lambda: db.queue.metric_history(*window, step_minutes=7),
        lambda: db.queue.metric_history(*window, step_minutes=2880),
        lambda: db.queue.latency_percentiles(NOW, NOW - HOUR),
        lambda: db.queue.error_trends(*window, step_minutes=11),
        lambda: db.queue.error_trends(*window, top=0),
        lambda: db.queue.error_trends(NOW, NOW),
        lambda: db.queue.top_errors(hours=0),
        lambda: db.queue.top_errors(hours=2161),
        lambda: db.queue.top_errors(top=101),
        lambda: db.queue.burn_rate(0.0),
        lambda: db.queue.burn_rate(1.0),
        lambda: db.queue.backfill_metrics(NOW, NOW),
        lambda: db.queue.backfill_metrics(*window, max_hours=0),
        lambda: db.queue.backfill_metrics(*window, max_hours=1001),
    ]
    for call in calls:
        with pytest.raises(InvalidParameterError):
            call()


def test_burn_rate(db: Database) -> None:
    good, bad = Key(0, "a", "t", 0, -1, 5), Key(0, "a", "t", 1, 6, 5)
    retried, other = Key(0, "a", "t", 2, 8, 5), Key(0, "b", "t", 1, 6, 5)
    put(
        db,
        {
            Row(300, NOW - timedelta(minutes=4), good, 0): numbers(98, 1.0),
            Row(300, NOW - timedelta(minutes=4), bad, 0): numbers(2, 1.0),
            Row(300, NOW - timedelta(minutes=4), retried, 0): numbers(1000, 1.0),
            Row(300, NOW - timedelta(minutes=4), other, 0): numbers(50, 1.0),
            Row(3600, NOW - 10 * HOUR, good, 0): numbers(900, 1.0),
            Row(86400, NOW - 20 * DAY, bad, 0): numbers(500, 1.0),
            Row(86400, NOW - 31 * DAY, bad, 0): numbers(7777, 1.0),
            Row(300, NOW + timedelta(minutes=1), bad, 0): numbers(7777, 1.0),
        },
    )
    rates = {rate.window_minutes: rate for rate in db.queue.burn_rate(0.99, queue="a", now=NOW)}
    assert sorted(rates) == [5, 30, 60, 360, 1440, 4320, 43200]
    assert {minutes: (rate.processed, rate.failed) for minutes, rate in rates.items()} == {
        **dict.fromkeys((5, 30, 60, 360), (100, 2)),
        **dict.fromkeys((1440, 4320), (1000, 2)),
        43200: (1500, 502),
    }
    assert math.isclose(rates[5].failure_rate, 0.02)
    assert math.isclose(rates[5].burn_rate, 2.0, rel_tol=1e-9)
    assert math.isclose(rates[1440].burn_rate, 0.2, rel_tol=1e-9)
    assert db.queue.burn_rate(0.99, now=NOW)[0].failed == 52
    quiet = db.queue.burn_rate(0.99, queue="nowhere", now=NOW)
    assert {(rate.processed, rate.failed, rate.failure_rate, rate.burn_rate) for rate in quiet} == {
        (0, 0, 0, 0)
    }


def test_error_trends_and_top_errors(db: Database) -> None:
    now = clock(db)
    start = hour_of(now)

    def failures(group: str, outcome: int, queue: str = "q") -> Key:
        return Key(2, queue, group, outcome, 6, -32768)

    put(
        db,
        {
            Row(300, start, failures("disk", 1), 0): numbers(3, None),
            Row(300, start, failures("disk", 2), 1): numbers(4, None),
            Row(3600, start - 9 * HOUR, failures("disk", 1), 0): numbers(1, None),
            Row(300, start, failures("net", 2), 0): numbers(5, None),
            Row(300, start, failures("cpu", 2, "other"), 0): numbers(1, None),
            Row(86400, day_of(now) - 10 * DAY, failures("old", 1), 0): numbers(100, None),
            Row(300, start, Key(0, "q", "disk", 1, 6, 5), 0): numbers(99, 1.0),
        },
    )
    trends = db.queue.error_trends(start - 10 * HOUR, start + HOUR)
    assert [(p.error_group, p.at, p.failures, p.final) for p in trends] == [
        ("disk", start - 9 * HOUR, 1, 1),
        ("disk", start, 7, 3),
        ("net", start, 5, 0),
        ("cpu", start, 1, 0),
    ]
    assert [p.error_group for p in db.queue.error_trends(start, start + HOUR, top=1)] == ["disk"]
    assert [p.error_group for p in db.queue.error_trends(start, start + HOUR, queue="other")] == ["cpu"]
    top = db.queue.top_errors()
    assert [(e.error_group, e.failures, e.final, e.last_seen_at) for e in top] == [
        ("disk", 8, 4, start),
        ("net", 5, 0, start),
        ("cpu", 1, 0, start),
    ]
    assert [e.error_group for e in db.queue.top_errors(hours=24 * 15, top=1)] == ["old"]
    assert [e.error_group for e in db.queue.top_errors("other")] == ["cpu"]


def test_jobs_show_in_the_history(db: Database) -> None:
    db.complete("w1", db.started())
    db.fail("w1", db.started(), FailureReason.TRANSIENT, error="net\nmore", duration_ms=20)
    db.fail("w1", db.started(), FailureReason.FATAL_ERROR, error_group="disk", duration_ms=40)
    now = clock(db)
    (point,) = db.queue.metric_history(now - DAY, now + HOUR, step_minutes=1440, queue="q")[-1:]
    assert (point.succeeded, point.failed, point.retried) == (1, 1, 1)
    (waits,) = db.queue.metric_history(now - DAY, now + HOUR, step_minutes=1440, measure=1)[-1:]
    assert waits.sample_count == 3
    groups = {error.error_group: (error.failures, error.final) for error in db.queue.top_errors("q")}
    assert groups == {"net": (1, 0), "disk": (1, 1)}
    (failed,) = db.queue.latency_percentiles(now - DAY, now + HOUR, outcome=1)
    assert math.isclose(failed.p50_ms, 40, rel_tol=0.05)


# Percentiles


def exact(values: list[float], share: float) -> float:
    """The value of that rank: the smallest that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


def distributions() -> dict[str, list[float]]:
    chosen = random.Random(42)
    return {
        "uniform": [chosen.uniform(0.001, 5000) for _ in range(1500)],
        "exponential": [chosen.expovariate(1 / 300) for _ in range(1500)],
        "bimodal": [
            chosen.gauss(20, 2) if chosen.random() < 0.8 else chosen.gauss(9000, 500) for _ in range(1500)
        ],
        "constant": [123.456] * 700,
        "zeros": [0.0] * 60 + [7.5] * 40,
        "single": [0.02],
        "huge": [86_400_000.0 * n for n in range(1, 50)],
    }


def close(found: float, wanted: float) -> bool:
    return math.isclose(found, wanted, rel_tol=0.0501, abs_tol=1e-12)


def test_percentiles_are_within_five_percent_on_every_tier(db: Database) -> None:
    now = clock(db)
    chosen = random.Random(1)
    data = distributions()
    for name, values in data.items():
        db.queue.record_samples(
            Sample(
                measure="latency",
                series=name,
                value_ms=value,
                at=now - timedelta(minutes=chosen.randrange(300)),
            )
            for value in values
        )
    window = (now - 2 * DAY, now + HOUR)
    tiers = {}
    for tier, later in (("fine", timedelta(0)), ("hourly", 2 * DAY), ("daily", 30 * DAY)):
        roll_all(db, now + later)
        tiers[tier] = {row.resolution for row in read(db)}
        rows = db.queue.latency_percentiles(*window, measure=100, by_type=True)
        assert sorted(row.type or "" for row in rows) == sorted(data)
        assert [row.sample_count for row in rows] == sorted((len(v) for v in data.values()), reverse=True)
        for row in rows:
            values = data[row.type or ""]
            place = (tier, row.type)
            assert row.sample_count == len(values), place
            for share, found in ((0.5, row.p50_ms), (0.95, row.p95_ms), (0.99, row.p99_ms)):
                assert close(found, exact(values, share)), (place, share, found, exact(values, share))
                assert found <= row.max_ms
            assert row.max_ms == max(values), place
            assert math.isclose(row.average_ms, sum(values) / len(values), rel_tol=1e-9), place
            (alone,) = db.queue.latency_percentiles(*window, measure=100, type=row.type)
            assert (alone.p50_ms, alone.p95_ms, alone.p99_ms) == (row.p50_ms, row.p95_ms, row.p99_ms)
    assert tiers == {"fine": {300}, "hourly": {3600}, "daily": {86400}}
    everything = [value for values in data.values() for value in values]
    (together,) = db.queue.latency_percentiles(*window, measure=100)
    assert (together.queue, together.type, together.sample_count) == (None, None, len(everything))
    assert close(together.p95_ms, exact(everything, 0.95))


def test_samples_without_a_value_are_no_latency(db: Database) -> None:
    start = hour_of(NOW)
    put(
        db,
        {
            Row(300, start, Key(0, "a", "t", 0, -1, -32768), 0): Numbers(100, 0, None),
            Row(300, start, Key(0, "a", "t", 0, -1, bin_of(50)), 0): Numbers(1, 50, 50.0),
        },
    )
    (found,) = db.queue.latency_percentiles(start, start + HOUR)
    assert (found.sample_count, found.average_ms) == (1, 50.0)
    assert close(found.p50_ms, 50)
    db.sql("DELETE FROM [chokaq].[MetricSeries] WHERE [Bin] <> -32768;")
    assert db.queue.latency_percentiles(start, start + HOUR) == []


# Backfill


def old_jobs(db: Database, start: datetime) -> None:
    """Three hours of jobs that no counter has seen: 2 + 1 successes and 2 failures."""
    for number, minutes in enumerate((1, 59, 60)):
        db.sql(
            "INSERT INTO [chokaq].[JobsArchive] ([Id], [Queue], [Type], [Priority], [AttemptCount],"
            " [LeaseToken], [ScheduledAtUtc], [CreatedAtUtc], [FinishedAtUtc], [DurationMs], [WaitMs])"
            " VALUES (?, 'q', 't', 10, 1, 1, ?, ?, ?, 10, 5);",
            f"a{number}",
            *[text(start + timedelta(minutes=minutes))] * 3,
        )
    for number, minutes in enumerate((30, 150)):
        db.sql(
            "INSERT INTO [chokaq].[JobsDLQ] ([Id], [Queue], [Type], [Priority], [AttemptCount],"
            " [LeaseToken], [ScheduledAtUtc], [CreatedAtUtc], [FailedAtUtc], [FailureReason], [DurationMs])"
            " VALUES (?, 'q', 't', 10, 1, 1, ?, ?, ?, 6, NULL);",
            f"d{number}",
            *[text(start + timedelta(minutes=minutes))] * 3,
        )


def test_backfill_counts_each_hour_once_however_often_it_is_called(db: Database) -> None:
    start = hour_of(NOW) - 10 * HOUR
    old_jobs(db, start)

    def fill(begin: datetime, end: datetime, max_hours: int = 24) -> tuple[int, int, bool]:
        found = db.queue.backfill_metrics(begin, end, max_hours=max_hours, counted_since=NOW)
        return found.hours_done, found.sample_count, found.more_left

    assert fill(start, start + 3 * HOUR, 1) == (1, 3, True)
    assert fill(start, start + 3 * HOUR) == (2, 2, False)
    once = read(db)
    sums = fold(((row.start, row.key), n) for row, n in once.items())
    good, bad = Key(0, "q", "t", 0, -1, bin_of(10)), Key(0, "q", "t", 1, 6, -32768)
    wait = Key(1, "q", "t", 0, -1, bin_of(5))
    same(
        sums,
        {
            (start, good): Numbers(2, 20, 10.0),
            (start, wait): Numbers(2, 10, 5.0),
            (start, bad): Numbers(1, 0, None),
            (start + HOUR, good): Numbers(1, 10, 10.0),
            (start + HOUR, wait): Numbers(1, 5, 5.0),
            (start + 2 * HOUR, bad): Numbers(1, 0, None),
        },
    )
    assert fill(start, start + 3 * HOUR) == (0, 0, False)
    assert fill(start - DAY, start + DAY, 1000)[1] == 0
    same(read(db), once)


def test_backfill_takes_whole_hours_before_the_counters_only(db: Database) -> None:
    start = hour_of(NOW) - 10 * HOUR
    old_jobs(db, start)
    minute = timedelta(minutes=1)
    found = db.queue.backfill_metrics(start + minute, start + 3 * HOUR - minute, counted_since=NOW)
    assert (found.hours_done, found.sample_count) == (1, 1)
    found = db.queue.backfill_metrics(start, start + 3 * HOUR, counted_since=start + 2 * HOUR + minute)
    assert (found.hours_done, found.sample_count, found.more_left) == (1, 3, False)


def test_backfill_leaves_out_what_was_counted_as_it_happened(db: Database) -> None:
    db.complete("w1", db.started())
    before = read(db)
    now = clock(db)
    db.queue.backfill_metrics(now - DAY, now + DAY, max_hours=100)
    same(read(db), before)


def test_backfills_at_once_count_once(db: Database) -> None:
    start = hour_of(NOW) - 10 * HOUR
    old_jobs(db, start)

    def fill(_: int) -> int:
        try:
            return db.queue.backfill_metrics(start, start + 3 * HOUR, counted_since=NOW).sample_count
        except DatabaseError as error:
            assert error.number == 2627  # noqa: PT017 - only one of the two may fail, and only so
            return 0

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(fill, range(2)))
    fill(0)
    counts: dict[int, int] = defaultdict(int)
    for row, n in read(db).items():
        counts[row.key.measure] += n.samples
    assert counts == {0: 5, 1: 3}
