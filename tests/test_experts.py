"""Experts: what they promise, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import SimulatedExpert, check_expert, corrections, domains
from coactor.corrections import move_cost
from coactor.experts import Errors, Policy
from coactor.search import PlainLandscape
from tests.cases import Bare, Case, Coins, cases, make_case, same, same_correction

policies = st.sampled_from(["first", "best"])


@given(cases(), policies, st.sampled_from([0.0, 0.1, 0.4]), st.booleans())
def test_every_step_gains_kappa_and_at_the_end_no_move_does(
    case: Case, policy: Policy, kappa: float, hidden: bool
) -> None:
    expert = SimulatedExpert(case.domain, case.weights(hidden), kappa=kappa, policy=policy)
    correction = expert(case.x, case.solution())
    truth = PlainLandscape(case.domain, case.x, expert.weights)
    for z, move, after in zip(correction.path, correction.moves, correction.path[1:], strict=False):
        gains = truth.gains(z)
        gain = truth.utility(after) - truth.utility(z)
        assert gain >= kappa - 1e-9
        assert gain > 0
        number = list(case.domain.moves(case.x, z)).index(move)
        enough = np.flatnonzero((gains >= kappa - 1e-9) & (gains > 1e-9))
        if policy == "first":
            assert number == enough[0]
        else:
            assert gains[number] == pytest.approx(gains.max(), abs=1e-9)
    assert truth.gains(correction.final).max(initial=-math.inf) <= max(kappa, 1e-9) + 1e-9
    assert correction.effort == len(correction.moves)
    assert not correction.cut
    assert correction.misjudged == 0.0


@given(cases(least=5), policies, st.integers(0, 3))
def test_a_budget_cuts_the_same_path_short(case: Case, policy: Policy, budget: int) -> None:
    w, y = case.weights(hidden=True), case.solution()
    whole = SimulatedExpert(case.domain, w, policy=policy)(case.x, y)
    short = SimulatedExpert(case.domain, w, policy=policy, budget=budget)(case.x, y)
    assert list(short.moves) == list(whole.moves)[:budget]
    assert all(map(same, short.path, whole.path))
    assert short.cut == (len(whole.moves) > budget)


def test_a_drawn_budget_is_drawn_once_for_each_problem() -> None:
    domain = domains.Tour(points=12, features=2)
    expert = SimulatedExpert(domain, [1.0, 1.0], kappa=0.0, budget=(2, 4), rng=np.random.default_rng(3))
    seen = set()
    for x in domain.sample(np.random.default_rng(0), n=40):
        efforts = {expert(x, np.random.default_rng(k).permutation(12)).effort for k in range(3)}
        assert len(efforts) == 1  # twelve random points leave far more than four moves
        seen |= efforts
    assert seen == {2.0, 3.0, 4.0}


@given(cases(least=3, most=6), policies, st.sampled_from([0.2, 1.0]), st.booleans())
def test_misjudgement_is_bounded_as_theorem_2_needs(
    case: Case, policy: Policy, misjudgement: float, bare: bool
) -> None:
    """Each solution's error lies within half of it, so no path falls short by more than all of it."""
    domain = Bare(case.domain) if bare else case.domain
    expert = SimulatedExpert(
        domain, case.weights(hidden=True), kappa=0.1, policy=policy, misjudgement=misjudgement, rng=case.rng
    )
    y = case.solution()
    correction = expert(case.x, y)
    truth = PlainLandscape(case.domain, case.x, expert.weights)
    gained = [truth.utility(z) - truth.utility(y) for z in correction.path]
    for steps, gain in enumerate(gained):
        assert gain >= 0.1 * steps - misjudgement - 1e-9
    assert correction.misjudged == pytest.approx(max(0.0, 0.1 * correction.effort - gained[-1]), abs=1e-9)
    assert same_correction(correction, expert(case.x, y))  # the errors of one problem are fixed


@pytest.mark.parametrize(
    ("errors", "share"),
    [("uniform", 1 / 8), ("normal", 0.1587)],  # of gains above half of the size, or above a deviation
)
def test_errors_of_a_perceived_gain_have_the_size_and_distribution_named(
    errors: Errors, share: float
) -> None:
    kappa = 1.0 if errors == "uniform" else 2.0
    expert = SimulatedExpert(
        Coins(),
        [0.0, 0.0],  # whatever the coin shows: a flip is an error
        kappa=kappa,
        misjudgement=2.0,
        errors=errors,
        rng=np.random.default_rng(0),
    )
    flips = [expert([[1.0, 0.0]], (0,)).effort for _ in range(3000)]
    assert set(flips) == {0.0, 1.0}  # nobody flips it back
    assert np.mean(flips) == pytest.approx(share, abs=0.02)  # three standard errors


def test_operators_have_their_own_costs() -> None:
    domain, x = Coins(), [[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]
    by_name = SimulatedExpert(domain, [1.0, 0.0], costs={"heads": 3.0})
    by_move = SimulatedExpert(domain, [1.0, 0.0], costs=lambda move: 0.5 + move["args"][0])
    assert by_name(x, (0, 1, 0)).costs == [3.0, 1.0, 3.0]
    assert by_name(x, (0, 1, 0)).effort == 7.0
    assert by_move(x, (0, 1, 0)).costs == [0.5, 1.5, 2.5]
    moves, costs = [{"op": "heads", "args": [2]}], {"heads": 4.0}
    assert corrections.correction(domain, x, (0, 0, 0), moves=moves, costs=costs).effort == 4.0


@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf])
def test_a_move_cannot_cost_less_than_nothing(cost: float) -> None:
    with pytest.raises(ValueError, match="must be a number from 0"):
        move_cost({"heads": cost}, {"op": "heads", "args": [0]})


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
    st.none() | st.integers(0, 9),
)
def test_the_ranking_expert_follows_the_papers_rule(labels: list[int], seed: int, budget: int | None) -> None:
    """Exchange two neighbours if the later label is at least 2 higher, until there are none."""
    n = len(labels)
    domain, rng = domains.Ranking(features=2), np.random.default_rng(seed)
    x = domains.Query.of(rng.random((n, 2)), labels)
    y = rng.permutation(n)
    listed, exchanges = y.tolist(), []
    while budget is None or len(exchanges) < budget:
        place = next((i for i in range(n - 1) if labels[listed[i + 1]] - labels[listed[i]] >= 2), None)
        if place is None:
            break
        listed[place], listed[place + 1] = listed[place + 1], listed[place]
        exchanges.append(place)
    correction = SimulatedExpert(domain, domain.truth(), kappa=2.0, budget=budget)(x, y)
    assert [move["args"][0] for move in correction.moves] == exchanges
    assert correction.final.tolist() == listed


@given(cases())
def test_simulated_expert_passes_check_expert(case: Case) -> None:
    problems = [case.x]
    check_expert(SimulatedExpert(case.domain, case.weights()), case.domain, problems)
    check_expert(
        SimulatedExpert(case.domain, case.weights(hidden=True), budget=1, policy="best"),
        case.domain,
        problems,
    )
    erring = SimulatedExpert(case.domain, case.weights(), misjudgement=0.3, budget=9, rng=case.rng)
    check_expert(erring, case.domain, problems)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"weights": [1.0]},
            r"weights have shape \(1,\); this domain has 3 features \(or 5 with the hidden features\)",
        ),
        ({"weights": [[1.0, 1.0, 1.0]]}, "weights have shape"),
        ({"weights": [1.0, math.nan, 1.0]}, "NaN or infinity"),
        ({"weights": [1.0, math.inf, 1.0]}, "NaN or infinity"),
        ({"kappa": -0.1}, "kappa must be a number from 0 .* found -0.1"),
        ({"kappa": math.nan}, "kappa must be a number from 0 .* found nan"),
        ({"misjudgement": -1.0}, "misjudgement must be a number from 0 .* found -1.0"),
        ({"policy": "worst"}, "policy is 'worst'; expected 'first' or 'best'"),
        ({"errors": "large"}, "errors is 'large'; expected 'uniform' or 'normal'"),
        ({"budget": -1}, "budget is -1; expected a whole number of moves"),
        ({"budget": 2.5}, "budget is 2.5"),
        ({"budget": (4, 2)}, r"budget is \(4, 2\)"),
        ({"budget": (2, None)}, r"budget is \(2, None\)"),
        ({"budget": (1, 2)}, "needs an rng"),
        ({"misjudgement": 0.1}, "needs an rng"),
    ],
)
def test_simulated_expert_raises_value_error_for_invalid_settings(
    change: dict[str, Any], sentence: str
) -> None:
    settings = {"weights": [1.0, 1.0, 1.0], **change}
    with pytest.raises(ValueError, match=sentence):
        SimulatedExpert(domains.Tour(points=5, features=3, hidden=2), **settings)


@pytest.mark.parametrize("kind", ["cube", "tour", "fleet", "dense ranking", "sparse ranking"])
def test_an_invalid_solution_is_refused_before_any_kernel_sees_it(kind: str) -> None:
    case = make_case(kind, seed=1)
    expert = SimulatedExpert(case.domain, case.weights())
    for bad in (np.array([10**9, -(10**9)]), np.zeros(6, np.int64), [], None, "abc", [[0], [1, 2]]):
        with pytest.raises(ValueError, match="must be"):
            expert(case.x, bad)


def test_an_expert_who_could_err_needs_a_gain_of_kappa_and_above_zero() -> None:
    def moves(gain: float, kappa: float) -> int:
        expert = SimulatedExpert(Coins(), [1.0, 0.0], kappa, misjudgement=1e-13, rng=np.random.default_rng(0))
        return len(expert([[gain, 0.0]], (0,)).moves)

    assert (moves(0.5 + 1e-9, 0.5), moves(0.49, 0.5), moves(0.0, 0.0)) == (1, 0, 0)


@pytest.mark.parametrize("policy", ["first", "best"])
def test_an_expert_who_could_err_and_does_not_keeps_the_policy(policy: Policy) -> None:
    case = make_case("tour", size=8)
    w, y = case.weights(), case.solution()
    rng = np.random.default_rng(0)
    careful = SimulatedExpert(case.domain, w, policy=policy)(case.x, y)
    erring = SimulatedExpert(case.domain, w, policy=policy, misjudgement=1e-13, rng=rng)(case.x, y)
    assert len(careful.moves) > 1
    assert same_correction(careful, erring)
