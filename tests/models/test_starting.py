"""Starting from the weights in use."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, learners
from coactor.models import learner_from
from tests.models import cases

EXAMPLE = cases.tutorial()
ROSTER = EXAMPLE.roster
ROSTER.steps = 50
HAND = np.arange(1.0, 16.0)


def test_a_start_has_the_proportions_of_the_weights_in_use() -> None:
    weeks = list(ROSTER.sample(np.random.default_rng(0), n=2))
    for trust in (0.01, 1.0, 10.0):
        start = learner_from(ROSTER, HAND, weeks, trust)
        np.testing.assert_allclose(start.weights / start.weights[0], HAND / HAND[0])
        assert learners.from_state(start.state()).state() == start.state()


def test_more_trust_moves_the_weights_less() -> None:
    weeks = list(ROSTER.sample(np.random.default_rng(1), n=2))
    planner = SimulatedExpert(ROSTER, HAND[::-1], kappa=1.0)
    angles = []
    for trust in (0.01, 100.0):
        session = Session(ROSTER, learner_from(ROSTER, HAND, weeks, trust), proposals="polish")
        proposal = session.ask(weeks[0])
        session.tell(proposal, planner(weeks[0], proposal.solution))
        w = session.learner.weights
        angles.append(w @ HAND / np.linalg.norm(w) / np.linalg.norm(HAND))
    assert angles[0] < angles[1]


def test_a_start_without_weights_or_problems_is_refused() -> None:
    with pytest.raises(ValueError, match="A start needs"):
        learner_from(ROSTER, HAND, [])
    with pytest.raises(ValueError, match="A start needs"):
        learner_from(ROSTER, np.zeros(15), ROSTER.sample(np.random.default_rng(0), n=1))
