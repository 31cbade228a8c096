from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chokaq.report.numbers import duration_text, milliseconds, percent, step_label, width_text
from chokaq.report.windows import LONGEST, window_until

UTC = timezone.utc
EARLY = datetime(2001, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 3, 4, 12, 34, 56, 789_000, tzinfo=UTC)


@given(
    st.integers(0, 100 * 365 * 86_400 * 1000).map(lambda ms: EARLY + timedelta(milliseconds=ms)),
    st.timedeltas(timedelta(seconds=1), LONGEST),
)
def test_a_window_is_whole_steps_that_hold_all_of_it(now: datetime, length: timedelta) -> None:
    window = window_until(now, length)
    assert window.begin <= now - length
    assert now < window.end <= now + window.width
    starts = window.starts
    assert 1 <= len(starts) <= 62
    assert starts[0] == window.begin
    assert starts[-1] + window.width == window.end
    assert window.start_of(now) == starts[-1]
    assert window.start_of(window.begin) == starts[0]
    assert 1440 % window.step_minutes == 0
    assert window.width % timedelta(minutes=window.step_minutes) == timedelta()


@pytest.mark.parametrize(
    ("length", "step", "width"),
    [
        (timedelta(minutes=1), 5, "5 minutes"),
        (timedelta(hours=1), 5, "5 minutes"),
        (timedelta(hours=6), 15, "15 minutes"),
        (timedelta(hours=24), 60, "1 hour"),
        (timedelta(days=7), 360, "6 hours"),
        (timedelta(days=30), 1440, "1 day"),
        (timedelta(days=90), 1440, "2 days"),
        (LONGEST, 1440, "31 days"),
    ],
)
def test_steps(length: timedelta, step: int, width: str) -> None:
    window = window_until(NOW, length)
    assert window.step_minutes == step
    assert width_text(window.width) == width


@pytest.mark.parametrize("length", [timedelta(), timedelta(seconds=-1), LONGEST + timedelta(seconds=1)])
def test_lengths_that_cannot_be(length: timedelta) -> None:
    with pytest.raises(ValueError, match="a window is longer"):
        window_until(NOW, length)


def test_numbers() -> None:
    found = [milliseconds(value) for value in (None, 0, 0.421, 12.34, 345.6, 3450, 130_000, 7_200_000)]
    assert found == ["–", "0 ms", "0.42 ms", "12.3 ms", "346 ms", "3.45 s", "2.17 min", "2.0 h"]
    assert [percent(value) for value in (None, 0, 0.00001, 0.0123, 0.456, 1)] == [
        "–",
        "0 %",
        "<0.01 %",
        "1.23 %",
        "45.6 %",
        "100 %",
    ]
    assert [duration_text(value) for value in (0, 90, 720, 12_240, 432_000)] == [
        "0 s",
        "90 s",
        "12 min",
        "3.4 h",
        "5.0 d",
    ]


def test_labels_say_the_date_where_it_changes() -> None:
    hour, day = timedelta(hours=1), timedelta(days=1)
    noon, midnight = datetime(2026, 3, 4, 12, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)
    assert step_label(noon, hour, is_first=False) == "12:00"
    assert step_label(noon, hour, is_first=True) == "03-04 12:00"
    assert step_label(midnight, hour, is_first=False) == "03-05 00:00"
    assert step_label(midnight, day, is_first=False) == "03-05"
    assert step_label(midnight, day, is_first=True) == "2026-03-05"
