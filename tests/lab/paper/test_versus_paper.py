from __future__ import annotations

import pytest

from coactor.lab.paper.versus_paper import margins
from tests.lab.helpers import panel_result


def test_margins_choose_the_best_of_the_four_in_every_run() -> None:
    result = panel_result(
        {
            "PER": [[4.0], [10.0]],
            "CSPER": [[8.0], [5.0]],
            "expert": [[1.0], [1.0]],
            "default": [[2.0], [5.0]],
        },
        {"PER": -3.0, "CSPER": -2.0, "default": -1.5},
    )
    (margin,) = margins(result)
    assert margin.learner == "default"
    assert margin.best.value == pytest.approx((4.0 + 5.0) / 2)
    assert margin.ratio.value == pytest.approx((2 / 4 + 5 / 5) / 2)
    assert margin.ratio_of_totals.value == pytest.approx(7 / 9)
    assert margin.wins == pytest.approx(0.75)  # one run won, one tied
    assert margin.rival == "CSPER"  # 6.5 on average against 7
    assert margin.against_rival.value == pytest.approx(3.5 - 6.5)
    assert margin.above_expert is not None
    assert margin.above_expert.value == pytest.approx(2.5)
    assert margin.utility.value == pytest.approx(0.5)  # above CSPER, which has the highest of the four
    assert margin.ratio.low <= margin.ratio.value <= margin.ratio.high


def test_margins_without_effort_have_ratio_one_and_without_rivals_are_empty() -> None:
    (margin,) = margins(panel_result({"PER": [[0.0], [0.0]], "default": [[0.0], [0.0]]}))
    assert margin.ratio.value == margin.ratio_of_totals.value == 1.0
    assert margin.above_expert is None
    assert margins(panel_result({"default": [[1.0]]})) == []
