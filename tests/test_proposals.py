"""Proposals: whatever the strategy, a valid local optimum that is no worse than the plain answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import Session, domains, learners, proposals
from coactor.proposals import Effort, Outlook, strategy
from tests.cases import Bare, Case, cases, make_case, same

QUICK = Effort(candidates=8)


@settings(max_examples=25)
@given(
    cases(), st.sampled_from(["polish", "deep", "effort-aware", "default"]), st.integers(0, 99), st.booleans()
)
def test_every_proposal_is_a_local_optimum_no_worse_than_the_plain_one(
    case: Case, name: str, seed: int, bare: bool
) -> None:
    domain: Any = Bare(case.domain) if bare else case.domain
    outlook = Outlook(case.weights(), 0.5)
    view = case.domain.landscape(case.x, outlook.weights)
    y = strategy(name, domain, effort=QUICK)(case.x, outlook, (seed, 1))
    case.domain.check_solution(case.x, y)
    assert view.gains(y).max(initial=0.0) <= 1e-9
    plain = strategy("polish", domain)(case.x, outlook, (seed, 1))
    assert view.utility(y) >= view.utility(plain) - 1e-9
    assert same(y, strategy(name, domain, effort=QUICK)(case.x, outlook, (seed, 1)))  # the stream decides


@given(cases())
def test_the_papers_proposal_is_the_solvers_answer(case: Case) -> None:
    w = case.weights()
    for name in ("paper", "default"):  # without a threshold, the default is the paper's
        assert same(strategy(name, case.domain)(case.x, Outlook(w), (0,)), case.domain.solve(case.x, w))


def test_deep_looks_further_and_effort_aware_counts_what_is_left() -> None:
    """Over some problems, not on each: the plain answer stays where nothing better is found."""
    domain = domains.Tour(points=12, features=3)
    w = np.array([4.0, 2.0, 1.0])
    deeper = fewer = 0.0
    for k, x in enumerate(domain.sample(np.random.default_rng(0), n=20)):
        view, outlook = domain.landscape(x, w), Outlook(w, -1.0)
        plain, deep, aware = (
            strategy(n, domain)(x, outlook, (0, k)) for n in ("polish", "deep", "effort-aware")
        )
        assert view.utility(deep) >= view.utility(aware) - 1e-9
        deeper += view.utility(deep) - view.utility(plain)
        left = [proposals.expected_moves(view.gains(y), -1.0) for y in (plain, aware)]
        fewer += left[0] - left[1]
    assert deeper > 0
    assert fewer > 0


def test_expected_moves_adds_up_chances() -> None:
    assert proposals.expected_moves(np.array([]), 1.0) == 0.0
    assert proposals.expected_moves(np.array([2.0, 2.0]), 2.0) == pytest.approx(1.0)
    assert proposals.expected_moves(np.array([-1e9, 1e9]), 0.0) == pytest.approx(1.0)


def test_without_time_the_plain_answer_is_shown() -> None:
    case = make_case("tour", size=12, seed=1)
    outlook = Outlook(case.weights(), 0.0)
    hasty = strategy("deep", case.domain, effort=Effort(seconds=-1.0))
    assert same(hasty(case.x, outlook, (0,)), strategy("polish", case.domain)(case.x, outlook, (0,)))


def test_a_solver_of_ones_own_is_used_and_improved() -> None:
    case = make_case("tour", size=8, seed=1)
    bad = np.arange(8)
    y = strategy("polish", case.domain, lambda x, w: bad)(case.x, Outlook(np.ones(3)), (0,))
    assert case.domain.landscape(case.x, np.ones(3)).gains(y).max() <= 1e-9
    assert same(strategy("paper", case.domain, lambda x, w: bad)(case.x, Outlook(np.ones(3)), (0,)), bad)


def test_sessions_repeat_themselves_and_differ_by_seed() -> None:
    domain = domains.Tour(points=12, features=3)
    problems = list(domain.sample(np.random.default_rng(0), n=6))

    def shown(seed: int) -> list[list[int]]:
        session = Session(domain, learners.make("default", 3), seed=seed)
        return [session.ask(x).solution.tolist() for x in problems]

    assert shown(0) == shown(0)
    assert any(shown(0) != shown(seed) for seed in range(1, 6))


def test_a_strategy_of_ones_own_is_checked() -> None:
    case = make_case("tour", seed=1)
    session = Session(
        case.domain, learners.PER(3), proposals=lambda x, outlook, stream: np.zeros(6, np.int64)
    )
    with pytest.raises(ValueError, match="exactly once"):
        session.ask(case.x)
    fixed = Session(case.domain, learners.PER(3), proposals=lambda x, outlook, stream: np.arange(6))
    assert fixed.ask(case.x).solution.tolist() == [0, 1, 2, 3, 4, 5]


def test_bad_names_get_a_sentence() -> None:
    case = make_case("tour", seed=1)
    with pytest.raises(
        ValueError, match="there is no strategy 'best' for proposals; choose one of default, paper"
    ):
        Session(case.domain, learners.PER(3), proposals="best")
    session = Session(case.domain, learners.PER(3), proposals="effort-aware")
    with pytest.raises(ValueError, match="need a learner with a threshold"):
        session.ask(case.x)
