"""Proposals: whatever the strategy, a valid local optimum that is no worse than the plain answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, domains, learners, proposals
from coactor.proposals.strategies import Outlook, SearchLimits, limits, strategy
from coactor.protocol import Vector
from coactor.search import landscape
from tests.cases import Bare, Case, Coins, cases, make_case, same

QUICK = SearchLimits(candidates=8)


@settings(max_examples=60)
@given(
    cases(),
    st.sampled_from(["polish", "effort-aware", "default"]),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from([-2.0, 0.5, np.inf]),
)
def test_every_proposal_is_a_local_optimum_no_worse_than_the_plain_one(
    case: Case, name: str, seed: int, bare: bool, threshold: float
) -> None:
    domain: Any = Bare(case.domain) if bare else case.domain
    outlook = Outlook(case.weights(), threshold)
    view = case.domain.landscape(case.x, outlook.weights)
    y = strategy(name, domain, how=QUICK)(case.x, outlook, (seed, 1))
    case.domain.check_solution(case.x, y)
    assert view.gains(y).max(initial=0.0) <= 1e-9
    plain = strategy("polish", domain)(case.x, outlook, (seed, 1))
    assert view.utility(y) >= view.utility(plain) - 1e-9
    assert same(y, strategy(name, domain, how=QUICK)(case.x, outlook, (seed, 1)))  # the stream decides


@given(cases())
def test_paper_strategy_returns_the_solution_of_the_solver(case: Case) -> None:
    w = case.weights()
    for name in ("paper", "default"):  # without a threshold, the default is the paper's
        assert same(strategy(name, case.domain)(case.x, Outlook(w), (0,)), case.domain.solve(case.x, w))


def test_expected_moves_adds_up_chances() -> None:
    assert proposals.expected_moves(np.array([]), 1.0) == 0.0
    assert proposals.expected_moves(np.array([2.0, 2.0]), 2.0) == pytest.approx(1.0)
    assert proposals.expected_moves(np.array([-1e9, 1e9]), 0.0) == pytest.approx(1.0)


def test_proposals_depend_on_the_seed_alone() -> None:
    domain = domains.Tour(points=12, features=3)
    problems = list(domain.sample(np.random.default_rng(0), n=6))

    def shown(seed: int) -> list[list[int]]:
        session = Session(domain, learners.make("default", 3), seed=seed)
        return [session.ask(x).solution.tolist() for x in problems]

    assert shown(0) == shown(0)
    assert any(shown(0) != shown(seed) for seed in range(1, 6))


def test_strategy_raises_value_error_for_unknown_names() -> None:
    case = make_case("tour", seed=1)
    with pytest.raises(
        ValueError, match="There is no strategy 'best' for proposals; choose one of default, paper"
    ):
        Session(case.domain, learners.PER(3), proposals="best")
    session = Session(case.domain, learners.PER(3), proposals="effort-aware")
    with pytest.raises(ValueError, match="need a learner with a threshold"):
        session.ask(case.x)


# -- the floor, budgets, and domains of any kind ---------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(cases())
def test_effort_aware_is_at_least_as_good_by_its_score(case: Case) -> None:
    view, how = Outlook(case.weights(), 0.5), SearchLimits()
    seen = landscape(case.domain, case.x, view.weights)

    def score(y: Any) -> float:
        return seen.utility(y) - how.price * proposals.expected_moves(seen.gains(y), 0.5)

    plain, aware = (strategy(name, case.domain)(case.x, view, (3, 4)) for name in ("polish", "effort-aware"))
    assert score(aware) >= score(plain)


class Counting:
    """A solver that counts how often it is called, and moves a clock on."""

    def __init__(self, domain: Any, seconds: float = 0.0) -> None:
        self.domain, self.seconds, self.calls = domain, seconds, 0

    def __call__(self, x: Any, w: Vector) -> Any:
        self.calls += 1
        return self.domain.solve(x, w)

    def clock(self) -> float:
        """The time, if nothing but the solver took any."""
        return self.calls * self.seconds


@pytest.mark.parametrize("candidates", [1, 2, 8])
def test_without_a_time_limit_only_the_domains_own_solver_is_called_again(
    candidates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case("tour", size=14, features=6, seed=2)
    how, outlook = SearchLimits(candidates=candidates, patience=99), Outlook(case.weights(), 0.5)
    solver = Counting(case.domain)
    strategy("effort-aware", case.domain, solver, how)(case.x, outlook, (0, 0))
    assert solver.calls == 1
    original, calls = type(case.domain).solve, list[int]()
    monkeypatch.setattr(
        type(case.domain), "solve", lambda self, x, w: (calls.append(1), original(self, x, w))[1]
    )
    strategy("effort-aware", case.domain, None, how)(case.x, outlook, (0, 0))
    assert len(calls) == 1 + candidates // 2  # every other candidate is found by kicks


def test_a_slow_solver_is_called_while_there_is_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case("tour", size=14, features=6, seed=2)
    view = Outlook(case.weights(), 0.5)
    plain = strategy("polish", case.domain)(case.x, view, (0, 0))
    slow = Counting(case.domain, seconds=2.0)
    monkeypatch.setattr("coactor.proposals.strategies.time.monotonic", slow.clock)
    y = strategy("effort-aware", case.domain, slow, SearchLimits(seconds=1.0))(case.x, view, (0, 0))
    assert slow.calls == 1
    assert same(y, plain)  # the budget is spent
    longer = Counting(case.domain, seconds=0.1)
    monkeypatch.setattr("coactor.proposals.strategies.time.monotonic", longer.clock)
    how = SearchLimits(candidates=100, patience=100, seconds=1.05)
    strategy("effort-aware", case.domain, longer, how)(case.x, view, (0, 0))
    assert longer.calls == 10  # an eleventh call would end after 1.1 seconds


def test_an_expensive_solver_gives_way_to_climbs_from_the_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case("tour", size=40, features=6, seed=2)
    view = Outlook(case.weights(), 0.5)
    slow = Counting(case.domain, seconds=2.0)
    monkeypatch.setattr("coactor.proposals.strategies.time.monotonic", slow.clock)
    y = strategy("effort-aware", case.domain, slow, SearchLimits(seconds=3.0))(case.x, view, (0, 0))
    assert slow.calls == 1
    utility = landscape(case.domain, case.x, view.weights).utility
    assert utility(y) > utility(case.domain.solve(case.x, view.weights))


def test_with_a_time_limit_nothing_is_searched_before_anything_is_learned() -> None:
    case = make_case("tour", size=14, features=6, seed=2)
    view = Outlook(case.weights(), np.inf)
    solver = Counting(case.domain)
    y = strategy("default", case.domain, solver, SearchLimits(seconds=1e9))(case.x, view, (0, 0))
    assert solver.calls == 1
    assert same(y, strategy("polish", case.domain)(case.x, view, (0, 0)))


def test_a_solver_that_takes_a_start_is_given_the_incumbent() -> None:
    case = make_case("tour", size=14, features=6, seed=2)
    starts = list[Any]()

    def solver(x: Any, w: Vector, start: Any = None) -> Any:
        starts.append(start)
        return case.domain.solve(x, w) if start is None else start

    view = Outlook(case.weights(), 0.5)
    strategy("effort-aware", case.domain, solver, SearchLimits(candidates=4, seconds=1e9))(
        case.x, view, (0, 0)
    )
    assert len(starts) == 3
    assert starts[0] is None
    assert same(starts[1], strategy("polish", case.domain)(case.x, view, (0, 0)))


@pytest.mark.parametrize("budget", [-1.0, float("nan"), True, "1"])
def test_limits_raise_value_error_for_a_budget_that_is_not_a_time(budget: Any) -> None:
    with pytest.raises(ValueError, match="budget in seconds must be a number from 0"):
        limits(budget)


def test_limits_of_no_budget_count_candidates() -> None:
    assert limits(None) == limits(float("inf")) == SearchLimits()
    assert limits(2).seconds == 2.0


def test_patience_ends_the_search_if_there_is_one_optimum() -> None:
    domain, x = Coins(), [[1.0, 0.0], [0.0, 1.0]]
    solver = Counting(domain)
    strategy("effort-aware", domain, solver, SearchLimits(candidates=1000, patience=4))(
        x, Outlook(np.array([1.0, 1.0]), 0.0), (0, 0)
    )
    assert solver.calls <= 4


@pytest.mark.parametrize("name", proposals.NAMES)
def test_a_five_line_domain_without_kernels_learns(name: str) -> None:
    domain = Coins()
    rng = np.random.default_rng(3)
    expert = SimulatedExpert(domain, [1.0, -0.7], kappa=0.05)
    session = Session(domain, learners.make("default", 2), proposals=name)
    for _ in range(60):
        x = rng.standard_normal((4, 2)).tolist()
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution))
    assert sum(session.efforts[-20:]) <= sum(session.efforts[:20])
    assert sum(session.efforts[-20:]) <= 3


def test_any_solver_is_improved_upon() -> None:
    """Even one that always gives the same answer."""
    case = make_case("tour", size=10, features=4, seed=8)
    view = Outlook(case.weights(), 0.5)
    stubborn = np.arange(10)
    seen = landscape(case.domain, case.x, view.weights)
    y = strategy("effort-aware", case.domain, lambda x, w: stubborn.copy())(case.x, view, (0, 0))
    assert seen.utility(y) > seen.utility(stubborn)
    assert seen.gains(y).max() <= 1e-9
