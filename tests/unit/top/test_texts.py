from __future__ import annotations

import pytest

from chokaq.pacing import Paced
from chokaq.top.keys import parse
from chokaq.top.texts import clean, count, milliseconds, seconds, share, sparkline


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0, "0"),
        (99_999, "99999"),
        (100_000, "100k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (12_345_678, "12M"),
        (9_990_000_000, "10G"),
        (2**63 - 1, "9e+18"),
    ],
)
def test_counts(value: int | None, shown: str) -> None:
    assert count(value) == shown
    assert len(shown) <= 6


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0.0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.04, "4.0%"),
        (0.9994, "99.9%"),
        (0.9996, "100%"),
        (1.0, "100%"),
    ],
)
def test_shares(value: float | None, shown: str) -> None:
    assert share(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0s"), (119, "119s"), (120, "2m"), (7200, "2h"), (172_800, "2d")]
)
def test_seconds(value: float, shown: str) -> None:
    assert seconds(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0, "0 ms"),
        (0.44, "0.4 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (119_000, "119 s"),
        (120_000, "2.0 min"),
        (7_200_000, "2.0 h"),
    ],
)
def test_milliseconds(value: float | None, shown: str) -> None:
    assert milliseconds(value) == shown


def test_a_name_cannot_move_the_cursor() -> None:
    assert clean("a\x1b[2J\nb\tc") == "a\\x1b[2J b c"


def test_sparkline() -> None:
    assert sparkline([0, None, 1, 50, 100]) == "▁ ▂▅█"
    assert sparkline([0, None, 1, 50, 100], is_ascii=True).isascii()
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == "▁▁"


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"q", ["q"]),
        (b"P", ["p"]),
        (b"\x1b[A\x1bOBj", ["up", "down", "j"]),
        (b"\x03", ["interrupt"]),
        (b"\x1b[15~p", ["p"]),
        (b"\x1b[1;5A", []),
        (b"\x1b", []),
        (b"\xff\xfe", []),
        (b"", []),
    ],
)
def test_keys(sent: bytes, keys: list[str]) -> None:
    assert parse(sent) == keys


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_reading_is_repeated_after_its_interval() -> None:
    clock, answers = Clock(), iter(range(9))
    paced = Paced(lambda: next(answers), 10, clock=clock)
    assert paced.get() == 0
    clock.now += 9
    assert paced.get() == 0
    clock.now += 2
    assert paced.get() == 1
    paced.forget()
    assert paced.get() == 2


def test_a_slow_reading_takes_a_tenth_of_the_time_at_the_most() -> None:
    clock, reads = Clock(), []

    def read() -> int:
        clock.now += 5
        reads.append(clock.now)
        return len(reads)

    paced = Paced(read, 1, clock=clock)
    while len(reads) < 3:
        paced.get()
        clock.now += 1
    assert reads[2] - reads[1] >= 50


def test_an_error_of_a_reading_is_not_kept() -> None:
    faults = [ValueError("no")]

    def read() -> int:
        if faults:
            raise faults.pop()
        return 1

    paced = Paced(read, 10, clock=Clock())
    with pytest.raises(ValueError, match="no"):
        paced.get()
    assert paced.get() == 1
