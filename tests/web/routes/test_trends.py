from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.web.routes.trends import ENOUGH, MOST_ROWS, trend


@given(st.lists(st.floats(0, 50), max_size=60))
def test_band_contains_the_mean(efforts):
    course = trend(efforts)
    assert len(course.mean) == len(efforts)
    for low, mean, high in zip(course.low, course.mean, course.high, strict=True):
        assert low <= mean + 1e-9 <= high + 2e-9
    assert (course.verdict == "early") == (len(efforts) < ENOUGH)
    if course.interval is not None and course.verdict == "fell":
        assert course.interval[1] < 0
        assert course.change < 0


def test_verdict():
    rng = np.random.default_rng(0)
    fell = trend([*rng.poisson(8, 20), *rng.poisson(1, 20)])
    assert fell.verdict == "fell"
    assert "less to correct" in fell.sentence
    assert trend([*rng.poisson(1, 20), *rng.poisson(8, 20)]).verdict == "rose"
    assert trend([4.0] * 30).verdict == "unclear"
    assert trend([9.0] * 6 + [0.0] * 5).sentence.startswith("Too early to tell: 11")
    verdicts = [trend(list(rng.poisson(3, 30))).verdict for _ in range(200)]
    assert verdicts.count("unclear") > 160  # few false alarms where nothing changes


def test_verdict_does_not_fade_as_a_study_grows():
    rng = np.random.default_rng(1)
    efforts = [*rng.poisson(4, 15), *rng.poisson(2, 15), *rng.poisson(1, 1970)]
    for n in (45, 600, 2000):
        course = trend(efforts[:n])
        assert (course.verdict, course.change < -1) == ("fell", True), n


def test_curves_are_running_means_and_standard_errors():
    efforts = [3.0, 0.0, 5.0, 1.0, *range(20)]
    course = trend(efforts)
    for end in range(1, len(efforts) + 1):
        recent = np.array(efforts[max(0, end - course.window) : end])
        margin = 2 * recent.std(ddof=1) / np.sqrt(len(recent)) if end > 1 else 0.0
        assert course.mean[end - 1] == pytest.approx(recent.mean())
        assert course.low[end - 1] == pytest.approx(max(0.0, recent.mean() - margin))
        assert course.high[end - 1] == pytest.approx(recent.mean() + margin)
    assert trend([]).mean == []
    assert len(trend([1.0] * (MOST_ROWS + 5)).mean) == MOST_ROWS
