from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.proposals.calibration import ENOUGH, calibration, wilson


def compared(told):
    return calibration([chance for chance, _ in told], [accepted for _, accepted in told])


def test_verdict_compares_with_the_binomial_spread():
    rng = np.random.default_rng(0)
    true = [(p, bool(rng.random() < p)) for p in rng.random(200)]
    found = compared(true)
    assert found.verdict == "fits"
    assert sum(b.proposals for b in found.bins) == found.proposals == 200
    assert compared([(0.9, False)] * 30).verdict == "hopeful"
    assert compared([(0.1, True)] * 30).verdict == "careful"
    early = compared([(0.9, False)] * (ENOUGH - 1))
    assert (
        early.sentence
        == f"Too early to tell: {ENOUGH - 1} of at least {ENOUGH} proposals with a chance are done."
    )
    assert compared([(None, True)] * 50).verdict == "silent"
    verdicts = [compared([(p, bool(rng.random() < p)) for p in rng.random(40)]).verdict for _ in range(300)]
    assert verdicts.count("fits") > 270  # where every word is true, it is seldom doubted


chances = st.floats(0, 1, allow_nan=False)


@given(st.lists(st.tuples(st.none() | chances, st.booleans()), max_size=60))
def test_bins_hold_each_proposal_once(told):
    found = compared(told)
    assert sum(b.proposals for b in found.bins) == sum(chance is not None for chance, _ in told)
    for one in found.bins:
        assert one.low - 1e-9 <= one.predicted <= one.high + 1e-9
        assert 0 <= one.least <= one.observed + 1e-9
        assert one.observed <= one.most + 1e-9 <= 1 + 1e-9


@pytest.mark.parametrize(("share", "n", "least", "most"), [(0.0, 10, 0.0, 0.278), (0.5, 40, 0.352, 0.648)])
def test_wilson_interval_contains_the_share(share, n, least, most):
    """Against the values every table gives."""
    assert wilson(share, n) == pytest.approx((least, most), abs=5e-4)
