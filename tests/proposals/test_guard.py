"""The guard: who proposes, why, and at what cost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from coactor import Session, domains, learners
from coactor.proposals.outcomes import Guard
from coactor.protocol import Correction, Invalid

TOUR = domains.Tour(points=6, features=2)
TOURS = list(TOUR.sample(np.random.default_rng(0), n=12))


def test_the_learner_proposes_until_another_is_ahead_by_a_standard_error() -> None:
    guard = Guard(2, start=np.array([1.0, 3.0]))
    assert (guard.proposer, guard.weights, guard.reason) == ("learner", None, "")
    # ahead by 1, 0, 2 and 3, with standard errors of 1, 1.4, 2.4 and 2.6
    for alike, proposer in ((8.0, "learner"), (10.0, "learner"), (7.0, "learner"), (8.0, "alike")):
        guard.learn({"learner": 9.0, "start": 9.0, "alike": alike})
        assert guard.proposer == proposer
    assert guard.reason == (
        "Proposed with all features alike: so far they would have left 3 edits fewer than what was learned."
    )
    guard.learn({"learner": 0.0, "start": 9.0, "alike": 9.0})
    assert guard.proposer == "learner"


def test_one_bad_case_does_not_replace_the_learner() -> None:
    guard = Guard(2)
    for learner in (30.0, 2.0, 2.0, 2.0, 2.0):
        guard.learn({"learner": learner, "alike": 2.0})
    assert guard.proposer == "learner"


def test_the_one_furthest_ahead_proposes() -> None:
    guard = Guard(2, start=np.array([1.0, 3.0]))
    for start, alike in ((3.0, 1.0), (1.0, 1.0), (1.0, 2.0)):
        guard.learn({"learner": 5.0, "start": start, "alike": alike})
    assert guard.proposer == "alike"
    guard.learn({"learner": 5.0, "start": 0.0, "alike": 4.0})
    assert guard.proposer == "start"


def test_regret_stays_within_the_bound() -> None:
    for seed in range(30):
        rng, guard = np.random.default_rng(seed), Guard(3, np.array([1.0, 0.0, 5.0]))
        names = ["learner", *guard.fixed]
        means, changes, replaced, spent, most, error = rng.integers(1, 6, 3), 0, 0, 0.0, 0.0, 0.0
        totals = np.zeros(3)
        for _ in range(100):
            losses = rng.poisson(means).astype(float)
            before = guard.proposer
            spent += losses[names.index(before)]
            totals += losses
            most = max(most, losses.max())
            guard.learn(dict(zip(names, losses.tolist(), strict=True)))
            changes += guard.proposer != before
            replaced += guard.proposer != before == "learner"
            error = max(error, *(squares**0.5 for squares in guard.squares.values()))
        assert spent <= totals.min() + (changes + 1) * most + (replaced + 1) * error


def test_a_start_that_counts_all_features_alike_is_no_further_alternative() -> None:
    assert list(Guard(2, start=np.array([5.0, 5.0])).fixed) == ["alike"]


def test_a_case_without_the_learner_or_with_a_number_that_is_none_changes_nothing() -> None:
    guard = Guard(2)
    before = guard.state()
    for left in ({"alike": 1.0}, {"learner": 1.0, "alike": float("nan")}, {}):
        guard.learn(left)
    assert guard.state() == before


def test_state_survives_json_and_a_bad_one_changes_nothing() -> None:
    guard = Guard(2, start=np.array([1.0, 3.0]))
    for _ in range(3):
        guard.learn({"learner": 9.0, "start": 2.0, "alike": 3.0})
    twin = Guard(2)
    twin.restore(json.loads(json.dumps(guard.state(), sort_keys=True)))
    assert twin.state() == guard.state()
    assert twin.proposer == "start"
    for bad in ({}, {**guard.state(), "ahead": {"alike": 1.0}}, {**guard.state(), "fixed": {}}):
        with pytest.raises(Invalid, match="not the state of a guard"):
            twin.restore(bad)
    assert twin.state() == guard.state()


# -- in a session --------------------------------------------------------------------------------------------


def recorded(x: Any, y: Any, z: Any) -> Correction:
    """An expert who wants z for every proposal."""
    edits = TOUR.edits_between(x, y, z)
    return Correction([y, z], [], [float(edits)]) if edits else Correction([y], [], [])


def test_a_session_proposes_with_the_weights_that_leave_least_to_edit() -> None:
    truth = np.array([1.0, 1.0])
    session = Session(TOUR, "default", start=[1.0, 0.0])
    session.knowledge.learner.update = lambda feedback: None  # type: ignore[method-assign]
    proposers = []
    for x in TOURS:
        proposal = session.ask(x)
        assert set(proposal.alternatives) == {"learner", "start", "alike"}
        proposers.append(proposal.basis.proposer)
        session.tell(proposal, recorded(x, proposal.solution, TOUR.solve(x, truth)))
    assert proposers[0] == "learner"
    assert proposers[-1] == "alike"
    assert "all features alike" in session.ask(TOURS[0]).basis.reason
    twin = Session(TOUR, "default")
    twin.restore(session.state())
    assert twin.knowledge.guard is not None
    assert twin.knowledge.guard.state() == session.knowledge.guard.state()  # type: ignore[union-attr]


def test_a_guard_belongs_to_a_learner_with_a_start_whatever_proposes() -> None:
    for proposals in ("default", "paper"):
        assert Session(TOUR, "default", proposals=proposals).knowledge.guard is not None
        assert Session(TOUR, "PER", proposals=proposals).knowledge.guard is None
    assert Session(TOUR, learners.make("default", 2)).knowledge.guard is not None


def test_an_unfinished_correction_is_not_compared() -> None:
    session, x = Session(TOUR, "default"), TOURS[0]
    assert session.knowledge.guard is not None
    z = TOUR.solve(x, np.array([0.0, 1.0]))
    for cut in (True, False):
        before = session.knowledge.guard.state()
        session.tell(session.ask(x), solution=z, cut=cut)
        assert (session.knowledge.guard.state() == before) is cut


def test_a_tell_calls_no_solver_and_a_solver_that_fails_for_an_alternative_stops_nothing() -> None:
    calls = []

    def solver(x: Any, w: Any) -> Any:
        calls.append(w)
        if np.allclose(w, 1.0):
            raise RuntimeError("infeasible")
        return TOUR.solve(x, w)

    session = Session(TOUR, "default", solver=solver, start=[1.0, 0.2])
    compared = 0
    for x in TOURS:
        proposal = session.ask(x)
        asked = len(calls)
        session.tell(proposal, solution=TOUR.solve(x, np.array([1.0, 0.5])))
        assert len(calls) == asked
        compared += len(proposal.alternatives) > 1
    assert 1 <= compared <= len(TOURS) / 4
    assert len(calls) <= 1.25 * len(TOURS) + 1
