"""The guard: who proposes, why, and at what cost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from coactor import Session, domains, learners, rounds
from coactor.proposals.guard import BEATEN, CASES, EARLY, GAP, Guard
from coactor.protocol import Correction, Invalid

TOUR = domains.Tour(points=6, features=2)
TOURS = list(TOUR.sample(np.random.default_rng(0), n=12))


def test_the_learner_proposes_first_and_among_equals() -> None:
    guard = Guard(2, start=np.array([1.0, 3.0]))
    assert (guard.leader, guard.weights, guard.reason) == ("learner", None, "")
    for alike, leader in ((9.0, "learner"), (3.0, "learner"), (6.0, "alike")):  # the first cases
        guard.learn({"learner": 9.0, "start": 9.0, "alike": alike})
        assert guard.leader == leader
    guard.learn({"learner": 0.0, "start": 9.0, "alike": 9.0})
    assert guard.leader == "learner"
    assert guard.reason == (
        "Proposed with what was learned: in 4 cases that would have left 27 edits, "
        "the weights in use before 36, all features alike 27."
    )


def test_one_bad_case_does_not_replace_the_learner() -> None:
    guard = Guard(2)
    for learner in (30.0, 2.0, 2.0, 2.0, 2.0):
        guard.learn({"learner": learner, "alike": 2.0})
    assert guard.leader == "learner"


def test_with_habits_another_leads_in_early_cases_unless_the_learner_is_clearly_ahead() -> None:
    guard = Guard(2, habits=[1])
    for learner, leader in ((3.0, "learner"), (5.0, "alike"), (2.5, "alike"), (0.0, "learner")):
        guard.learn({"learner": learner, "alike": 4.0, "habits": 6.0})
        assert guard.leader == leader


def test_with_habits_whoever_is_ahead_leads_later() -> None:
    guard = Guard(2, habits=[1])
    for _ in range(EARLY):
        guard.learn({"learner": 4.0, "alike": 4.0, "habits": 6.0})
        assert guard.leader == "learner"  # nobody was better in any case
    for learner, leader in ((3.5, "learner"), (5.0, "alike"), (3.0, "learner")):
        guard.learn({"learner": learner, "alike": 4.0, "habits": 6.0})
        assert guard.leader == leader


def test_a_learner_that_was_replaced_is_tried_again_and_returns_if_it_is_clearly_better() -> None:
    """While another proposes, experts end near its proposals: 2 edits for it, 9 for the learner."""
    guard, proposers = Guard(2), []
    for _ in range(200):
        proposers.append(guard.proposer)
        biased = len(proposers) <= CASES or guard.proposer == "alike"
        guard.learn({"learner": 9.0, "alike": 2.0} if biased else {"learner": 0.0, "alike": 9.0})
    first, second = CASES + GAP, CASES + 3 * GAP + 1
    assert proposers[CASES:first] == ["alike"] * GAP
    assert proposers[first : first + 2] == ["learner", "alike"]
    assert proposers[second:] == ["learner"] * (200 - second)


def test_a_trial_is_said_to_be_one() -> None:
    guard = Guard(2)
    for _ in range(CASES + GAP):
        guard.learn({"learner": 3.0, "alike": 1.0})
    assert (guard.leader, guard.proposer, guard.weights) == ("alike", "learner", None)
    assert guard.reason.startswith("Proposed with what was learned, on trial: in 19 cases")


def test_an_alternative_that_is_clearly_beaten_is_dropped_and_the_learner_never() -> None:
    guard = Guard(2)
    for _ in range(int(BEATEN) + 1):
        assert guard.undecided == ("learner", "alike")
        guard.learn({"learner": 0.0, "alike": 2.0})
    assert guard.undecided == ()
    assert guard.reason == "Proposed with what was learned: the alternatives left more to edit."
    guard = Guard(2)
    for _ in range(20):
        guard.learn({"learner": 2.0, "alike": 0.0})
    assert guard.undecided == ("learner", "alike")


@pytest.mark.parametrize("habits", [(), (2,)])
def test_regret_stays_within_the_bound(habits: tuple[int, ...]) -> None:
    for seed in range(30):
        rng, guard = np.random.default_rng(seed), Guard(3, np.array([1.0, 0.0, 5.0]), habits)
        names = list(guard.totals)
        means, changes, replaced, trials, spent = rng.integers(1, 6, len(names)), 0, 0, 0, 0.0
        totals = np.zeros(len(names))
        for _ in range(100):
            losses = rng.poisson(means).astype(float)
            left = dict(zip(names, losses.tolist(), strict=True))
            before, cases = guard.leader, guard.cases
            spent += left[guard.proposer]
            trials += guard.proposer != before
            totals += losses
            guard.learn(left)
            changes += guard.leader != before
            replaced += guard.leader != before == "learner"
            if guard.cases <= cases:  # the comparison begins again
                changes = replaced = trials = 0
                spent, totals = 0.0, np.zeros(len(names))
        margin = max(CASES * guard.most, *(square**0.5 for square in guard.squares.values()))
        kept = [totals[k] for k, name in enumerate(names) if name in guard.totals]
        assert spent <= min(kept) + (changes + trials) * guard.most + (replaced + 1) * margin


def test_a_start_that_counts_all_features_alike_is_no_further_alternative() -> None:
    assert list(Guard(2, start=np.array([5.0, 5.0])).totals) == ["learner", "alike"]


def test_habits_are_an_alternative_where_a_domain_has_them() -> None:
    guard = rounds.make_guard(domains.Plans(1, soft=True, habits=True), learners.make("choice", 3))
    assert guard is not None
    for _ in range(3):
        guard.learn({"learner": 2.0, "alike": 2.0, "habits": 1.0})
    assert guard.leader == "habits"
    assert guard.weights is not None
    assert guard.weights.tolist() == [1.0, 3.0, 1.0]
    assert guard.reason.startswith("Proposed with habits first: in 3 cases that would have left 3 edits,")


def test_rankings_of_many_features_have_a_guard() -> None:
    guard = Session(domains.Ranking(features=300), "default").knowledge.guard
    assert guard is not None
    assert list(guard.totals) == ["learner", "alike"]


def test_a_case_that_does_not_compare_all_changes_nothing() -> None:
    guard = Guard(2)
    before = guard.state()
    for left in ({"learner": 1.0}, {"learner": 1.0, "alike": float("nan")}, {}):
        guard.learn(left)
    assert guard.state() == before


def test_state_survives_json_and_a_bad_one_changes_nothing() -> None:
    guard = Guard(2, start=np.array([1.0, 3.0]))
    for _ in range(3):
        guard.learn({"learner": 9.0, "start": 2.0, "alike": 3.0})
    twin = Guard(2)
    twin.restore(json.loads(json.dumps(guard.state(), sort_keys=True)))
    assert list(twin.totals) == list(guard.totals)  # the order decides ties
    assert twin.state() == guard.state()
    assert twin.leader == "start"
    for bad in ({}, {**guard.state(), "leader": "unknown"}, {**guard.state(), "totals": {"alike": 1.0}}):
        with pytest.raises(Invalid, match="not the state of a guard"):
            twin.restore(bad)
    assert twin.state() == guard.state()


# -- in a session --------------------------------------------------------------------------------------------


def recorded(x: Any, y: Any, z: Any) -> Correction:
    """An expert who wants z for every proposal."""
    return (
        Correction([y, z], [], [float(TOUR.edits_between(x, y, z))])
        if TOUR.edits_between(x, y, z)
        else (Correction([y], [], []))
    )


def test_a_session_proposes_with_the_weights_that_leave_least_to_edit() -> None:
    truth = np.array([1.0, 1.0])
    session = Session(TOUR, learners.make("choice", 2, start=[1.0, 0.0]), proposals="paper", guard=True)
    session.knowledge.learner.update = lambda feedback: None  # type: ignore[method-assign]
    session.knowledge.learner.units = learners.units.Units(np.ones(2), 1.0)  # type: ignore[attr-defined]
    proposers = []
    for x in TOURS:
        proposal = session.ask(x)
        proposers.append(proposal.proposer)
        session.tell(proposal, recorded(x, proposal.solution, TOUR.solve(x, truth)))
    assert proposers[0] == "learner"
    assert proposers[-1] == "alike"
    assert "all features alike" in session.ask(TOURS[0]).reason
    twin = Session(TOUR, learners.make("choice", 2), proposals="paper", guard=True)
    twin.restore(session.state())
    assert twin.knowledge.guard is not None
    assert twin.knowledge.guard.state() == session.knowledge.guard.state()  # type: ignore[union-attr]


def test_a_guard_belongs_to_the_default_learner_unless_it_is_wanted() -> None:
    assert Session(TOUR, "default").knowledge.guard is not None
    assert Session(TOUR, "PER", guard=True).knowledge.guard is None
    assert Session(TOUR, learners.make("default", 2)).knowledge.guard is None
    assert Session(TOUR, "default", guard=False).knowledge.guard is None


def test_an_unfinished_correction_is_not_compared() -> None:
    session = Session(TOUR, "default")
    for cut, cases in ((False, 1), (True, 1), (False, 2)):
        x = TOURS[0]
        proposal = session.ask(x)
        z = TOUR.solve(x, np.array([0.0, 1.0]))
        session.tell(proposal, path=[proposal.solution, z], cut=cut)
        assert session.knowledge.guard is not None
        assert session.knowledge.guard.cases == cases
