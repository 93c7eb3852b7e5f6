from __future__ import annotations

import io

import pytest

from coactor.lab.engine.progress import Progress, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59, "59 s"), (125, "2 min 05 s"), (4210, "1 h 10 min")]
)
def test_durations_as_people_say_them(seconds, said):
    assert duration(seconds) == said


def test_time_left_comes_from_the_pace_of_fresh_work():
    clock = Clock()
    progress = Progress(10, done=4, stream=io.StringIO(), clock=clock)
    assert progress.left() is None
    clock.now = 9.0
    progress.step("a")
    assert progress.left() == pytest.approx(45.0)  # 9 seconds a unit, 5 to go; the 4 old ones took no time
    clock.now = 11.0
    progress.step("b")
    clock.now = 13.0
    progress.step("c")
    assert progress.left() == pytest.approx(6.0)  # 2 seconds a unit: starting up was not work


def test_a_bar_on_a_terminal():
    stream = Terminal()
    progress = Progress(2, stream=stream, clock=Clock())
    assert "0/2  starting" in stream.getvalue()
    progress.step("tsp-clean, run 0")
    assert "█" in stream.getvalue()
    assert "1/2" in stream.getvalue()
    assert "left" in stream.getvalue()
    assert "\n" not in stream.getvalue()
    progress.close()
    assert stream.getvalue().endswith("\x1b[K")


def test_plain_lines_elsewhere_and_not_too_many():
    stream = io.StringIO()
    progress = Progress(1000, stream=stream, clock=Clock())
    for _ in range(1000):
        progress.step("x")
    lines = stream.getvalue().splitlines()
    assert len(lines) <= 22
    assert lines[-1].startswith("1000/1000 done")
    assert "\r" not in stream.getvalue()


def test_silence():
    stream = Terminal()
    progress = Progress(1, silent=True, stream=stream)
    progress.say("hello")
    progress.step("x")
    progress.close()
    assert stream.getvalue() == ""
