"""How likely a proposal is to be accepted."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, domains, learners
from coactor.proposals.outcomes import Acceptance


def test_acceptance_is_calibrated_on_past_proposals() -> None:
    rng = np.random.default_rng(13)
    acceptance = Acceptance()

    def truth(moves: float) -> float:
        return float(1.0 / (1.0 + np.exp(-(1.0 - 1.5 * np.log(moves)))))

    for _ in range(600):
        expected = float(np.exp(rng.normal(0.0, 1.5)))
        acceptance.learn(expected, accepted=bool(rng.random() < truth(expected)))
    for expected in (0.1, 0.5, 2.0, 8.0):
        assert acceptance.chance(expected) == pytest.approx(truth(expected), abs=0.12)
    assert acceptance.chance(0.0) > 0.9  # no move at all is expected
    assert 0.0 < acceptance.chance(1e9) < 0.1


def test_session_predicts_chances_and_learns_from_acceptance() -> None:
    rng = np.random.default_rng(14)
    domain = domains.Tour(points=7, features=3, hidden=1)
    expert = SimulatedExpert(domain, rng.random(4), kappa=0.1)
    session = Session(domain, learners.make("choice", 3))
    told, happened = [], []
    for x in domain.sample(rng, n=200):
        proposal = session.ask(x)
        told.append(np.nan if proposal.chance is None else proposal.chance)
        happened.append(session.tell(proposal, expert(x, proposal.solution)).accepted)
    chances, accepted = np.array(told[60:], float), np.array(happened[60:], float)
    assert abs(chances.mean() - accepted.mean()) < 0.1
    high = chances > np.median(chances)
    assert accepted[high].mean() > accepted[~high].mean()
    assert np.isnan(told[0])  # nothing had been seen
    assert not np.isnan(told[1:]).any()
    assert Session(domain, learners.PER(3)).ask(x).chance is None
