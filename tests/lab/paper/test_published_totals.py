"""Panels without noise at full size, against the totals of an independent implementation."""

from __future__ import annotations

import pytest

import coactor

TOTALS = {
    "path-clean": {"PER": 481, "CSPER": 486, "PA": 614, "CSPA": 526, "expert": 407},
    "tsp-clean": {"PER": 1696, "CSPER": 1174, "PA": 2366, "CSPA": 1417, "expert": 0},
}


@pytest.mark.slow
@pytest.mark.parametrize("panel", TOTALS)
def test_totals_agree_within_15_percent(panel):
    rows = coactor.lab.compare(list(TOTALS[panel]), panel=panel, runs=4, examples=1000, seed=0, jobs=1)
    for row in rows:
        assert row["total"] == pytest.approx(TOTALS[panel][row["learner"]], rel=0.15), row
