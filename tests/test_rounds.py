"""One round of learning: what is observed, what is learned, and what a failure leaves behind."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController, threadpool_limits

from coactor import Session, SimulatedExpert, learners, rounds
from coactor.domains import Tour
from coactor.habits import Memory
from coactor.proposals import strategy
from coactor.protocol import Correction, Feedback, Invalid, PastCase, Vector
from coactor.rounds import Knowledge, Observation, learn, observe, propose
from tests.cases import KINDS, Coins, make_case


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", learners.names())
def test_session_equals_the_three_functions_for_every_domain_and_learner(kind: str, name: str) -> None:
    """And a tell by moves equals a tell by correction."""
    case = make_case(kind, size=6, seed=3)
    expert = SimulatedExpert(case.domain, [1.0, 0.5, 0.1], kappa=0.05)
    plan = strategy("default", case.domain)
    by_correction = Session(case.domain, learners.make(name, 3), seed=5)
    by_moves = Session(case.domain, learners.make(name, 3), seed=5)
    for session in (by_correction, by_moves):
        session.knowledge.guard = None
    knowledge = Knowledge(learners.make(name, 3))
    for k, x in enumerate(case.domain.sample(case.rng, n=6)):
        one, two = by_correction.ask(x), by_moves.ask(x)
        proposal = propose(case.domain, plan, knowledge, x, version=k, seed=5)
        correction = expert(x, one.solution)
        first = by_correction.tell(one, correction)
        second = by_moves.tell(two.id, moves=correction.moves)
        observation = observe(case.domain, proposal, correction, knowledge.learner.reads)
        learn(knowledge, observation)
        assert first == second
        assert one.chance == two.chance == proposal.chance
        assert first.cost == observation.feedback.cost
        assert first.accepted == observation.accepted == (not correction.moves)
        for session in (by_correction, by_moves):
            np.testing.assert_array_equal(session.weights(), knowledge.learner.weights)
    assert by_correction.effort() == by_moves.effort()
    assert by_correction.knowledge.state() == by_moves.knowledge.state() == knowledge.state()


@pytest.mark.parametrize(
    ("costs", "cut", "accepted", "learned"),
    [
        ([], False, True, True),
        ([], True, True, False),
        ([0.0], False, False, True),
        ([1.0], True, False, True),
    ],
)
def test_acceptance_is_learned_from_steps_not_from_effort(
    costs: list[float], cut: bool, accepted: bool, learned: bool
) -> None:
    """A step that costs nothing is a step, and a cut before the first step is no acceptance."""
    domain, x = Coins(), [[1.0, 0.0], [0.0, 1.0]]
    knowledge = Knowledge(learners.make("default", 2))
    learn(knowledge, Observation(Feedback(np.array([[0.0, 0.0], [1.0, 0.0]]), 1.0, -np.eye(2)), False))
    proposal = propose(domain, strategy("paper", domain), knowledge, x, version=1)
    assert proposal.basis.expected_moves is not None
    path = [proposal.solution] + [
        domain.apply(x, proposal.solution, m) for m in domain.moves(x, (0, 0))[: len(costs)]
    ]
    observation = observe(domain, proposal, Correction(path, [], costs, cut), "declined")
    assert observation.accepted is accepted
    before = knowledge.acceptance.state()
    learn(knowledge, observation)
    assert (knowledge.acceptance.state() != before) is learned


def test_an_infinite_expectation_gives_no_chance() -> None:
    class Certain(learners.PER):
        threshold = 0.0

        def chances(self, differences: Any) -> Vector:
            return np.ones(len(differences))

    class Unbounded(Coins):
        def landscape(self, x: Any, w: Vector) -> Any:
            class View:
                def gains(self, y: Any) -> Vector:
                    return np.array([math.nan])

            return View()

    domain = Unbounded()
    proposal = propose(domain, strategy("paper", domain), Knowledge(Certain(2)), [[1.0, 0.0]], version=0)
    assert (proposal.chance, proposal.basis.expected_moves) == (None, None)


@pytest.mark.parametrize(
    ("part", "method", "error", "raised"),
    [(learners.PER, "update", ValueError, Invalid), (Memory, "add", MemoryError, MemoryError)],
)
def test_an_update_or_a_memory_that_fails_changes_nothing(
    part: type, method: str, error: type[Exception], raised: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not what was accepted and remembered, either."""

    def refuse(*_: object) -> None:
        raise error("no convergence")

    knowledge = Knowledge(learners.PER(2), memory=Memory())
    monkeypatch.setattr(part, method, refuse)
    before = json.dumps(knowledge.state())
    feedback = Feedback(np.array([[0.0, 0.0], [1.0, 2.0]]), 1.0)
    with pytest.raises(raised, match="no convergence"):
        learn(knowledge, Observation(feedback, False, 0.5, PastCase((("", "tent"),))))
    assert json.dumps(knowledge.state()) == before


@pytest.mark.parametrize("name", ["PER", "CSPER", "averaged-PER", "batch-PER"])
def test_weights_that_would_overflow_are_refused(name: str) -> None:
    knowledge = Knowledge(learners.make(name, 2, **({"size": 1} if name == "batch-PER" else {})))
    vectors = Feedback(np.array([[0.0, 0.0], [1.7e308, 0.0]]), 10.0)
    if name != "CSPER":
        learn(knowledge, Observation(vectors, False))
    before = json.dumps(knowledge.state())
    with pytest.raises(Invalid, match="weights would become infinite"):
        learn(knowledge, Observation(vectors, False))
    assert json.dumps(knowledge.state()) == before


def test_blas_runs_on_one_thread_even_if_a_caller_resets_it() -> None:
    knowledge = Knowledge(learners.PER(2))
    with threadpool_limits(2, user_api="blas"):
        learn(knowledge, Observation(Feedback(np.array([[0.0, 0.0], [1.0, 2.0]]), 1.0), False))
        libraries = ThreadpoolController().select(user_api="blas").info()
    numpys = [library for library in libraries if "numpy" in library["filepath"]]  # others may be loaded
    assert {library["num_threads"] for library in numpys or libraries} <= {1}


def test_knowledge_returns_to_a_state_or_changes_nothing() -> None:
    knowledge = Knowledge(learners.make("default", 2))
    start = json.loads(json.dumps(knowledge.state()))
    observation = Observation(Feedback(np.array([[0.0, 0.0], [1.0, 2.0]]), 1.0, -np.eye(2)), False, 0.7)
    twin = knowledge.copy()
    learn(knowledge, observation)
    learned = knowledge.state()
    assert twin.state() == start
    for bad in ({}, None, {**start, "acceptance": {}}, {**start, "learner": {}}):
        with pytest.raises(ValueError, match="state"):
            knowledge.restore(bad)  # type: ignore[arg-type]
        assert knowledge.state() == learned
    knowledge.restore(start)
    assert knowledge.state() == start


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 50), st.integers(0, 3), st.sampled_from(["more", "less"]))
def test_statement_turns_the_weights_towards_what_is_said(seed: int, feature: int, wish: Any) -> None:
    domain = Tour(points=7, features=4)
    rng = np.random.default_rng(seed)
    expert = SimulatedExpert(domain, weights=rng.random(4), kappa=0.01)
    session = Session(domain, "default", seed=seed)
    for x in domain.sample(rng, 2):
        p = session.ask(x)
        session.tell(p, expert(x, p.solution), actor="ana")
    one = session.learner
    unit, w = one.prior_deviations(), session.weights()
    said = rounds.statement(domain, one, f"feature {feature + 1}", wish, "ana")
    opposite = "less" if wish == "more" else "more"
    other = rounds.statement(domain, one, f"feature {feature + 1}", opposite, "ana")
    assert np.allclose(said.delta, -other.delta)
    assert abs(w @ said.delta) <= 1e-9 * np.abs(w * said.delta).sum()  # the weights do not decide it
    session.say(f"feature {feature + 1}", wish, actor="ana")
    new = session.weights()
    part = [(v / unit)[feature] / np.linalg.norm(v / unit) for v in (w, new)]
    assert (part[1] > part[0]) == (wish == "less")  # of a cost


def test_statement_says_nothing_about_features_that_no_edit_has_concerned() -> None:
    domain, rng = Tour(points=7, features=3), np.random.default_rng(0)
    expert = SimulatedExpert(domain, weights=[1.0, 0.3, 1.0], kappa=0.01)
    session = Session(domain, "default")
    for x in domain.sample(rng, 3):
        x = replace(x, edges=x.edges * [1.0, 1.0, 0.0])
        p = session.ask(x)
        session.tell(p, expert(x, p.solution), actor="ana")
    before = session.learner.single.units
    assert before.features[2] == 0.0
    session.say("feature 2", "more", actor="ana")
    assert session.learner.single.units is before
    with pytest.raises(ValueError, match="No edit has concerned 'feature 3' yet"):
        session.say("feature 3", "more", actor="ana")
