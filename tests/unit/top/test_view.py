from __future__ import annotations

import io

import pytest
from rich.console import Console

from chokaq.top.frame import Frame
from chokaq.top.view import Screen, shown_queues
from tests.unit.top.frames import error, frame, line


def shown(screen: Screen, width: int = 80, encoding: str = "utf-8") -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    Console(file=stream, width=width, highlight=False, markup=False, emoji=False).print(screen)
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode(encoding).splitlines()


def screen(found: Frame, **values: object) -> Screen:
    return Screen(where="embedded://jobs.db [chokaq]", frame=found, **values)  # type: ignore[arg-type]


FULL = frame(
    line("mail", 120, processing=4, max_workers=4, lag_seconds=61.0),
    line("q" * 255, 10**12, is_paused=True, processing=2**31 - 1, lag_seconds=10.0**8),
    line("[red]old[/red]\x1b[2J", is_active=False),
    errors=(error("ConnectionResetError"), error("x" * 255), error("")),
)


@pytest.mark.parametrize("width", [80, 81, 100, 200])
def test_it_fits_the_width(width: int) -> None:
    lines = shown(screen(FULL, keys=True, trouble="gone " * 40, selected="mail"), width)
    assert max(map(len, lines)) <= width


def test_it_says_all_without_colour() -> None:
    text = "\n".join(shown(screen(FULL, selected="mail")))
    assert "\x1b" not in text
    assert "> mail" in text
    assert "paused" in text
    assert " off " in text
    assert "[red]old[/red]\\x1b[2J"[:10] in text
    assert "1 min: 100 done, 4.0% failed" in text
    assert "p50" in text
    assert "1000 ms" not in text
    assert "ConnectionResetError" in text
    assert "(no group)" in text


def test_it_goes_through_an_ascii_terminal() -> None:
    for each in shown(screen(FULL, keys=True), encoding="ascii"):
        assert each.isascii()


def test_columns_hold_the_figures_of_a_queue() -> None:
    found = next(each for each in shown(screen(FULL)) if "mail" in each)
    assert found.split() == ["mail", "on", "120", "4", "4", "61s", "0", "-", "0", "-"]


def test_no_queue() -> None:
    assert any("no queues yet" in each for each in shown(screen(frame())))
    assert any("no errors in 24 h" in each for each in shown(screen(frame())))


def test_old_figures_say_why() -> None:
    lines = shown(screen(FULL, trouble="ConnectionLostError: gone\nx; next try in 2 s"))
    assert "! ConnectionLostError: gone x; next try in 2 s" in lines[2]


def test_queues_that_do_not_fit_move_with_the_selection() -> None:
    queues = tuple(line(f"q{number:02}") for number in range(30))
    for height in (10, 24, 40):
        for selected in (None, "q00", "q15", "q29", "gone"):
            lines, before, after = shown_queues(queues, selected, height)
            assert before + len(lines) + after == 30
            if selected not in {None, "gone"}:
                assert selected in [each.name for each in lines]
    assert shown_queues(queues, None, None) == (queues, 0, 0)


@pytest.mark.parametrize("height", [24, 25, 40])
def test_it_fits_the_height(height: int) -> None:
    queues = [line(f"q{number:02}") for number in range(60)]
    full = frame(*queues, errors=tuple(error(f"e{number}") for number in range(5)))
    lines = shown(screen(full, height=height, keys=True, selected="q30", trouble="gone"))
    assert len(lines) <= height
    assert any("queues above" in each for each in lines)
