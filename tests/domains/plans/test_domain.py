from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coactor
from coactor.domains import Day, Plans


def routes_of(y: tuple[np.ndarray, ...]) -> list[list[int]]:
    return sorted(route.tolist() for route in y if len(route))


def random_plan(rng: np.random.Generator, stops: int, vehicles: int) -> tuple[np.ndarray, ...]:
    order = rng.permutation(stops) + 1
    cuts = np.sort(rng.integers(0, stops + 1, vehicles - 1))
    return tuple(np.split(order, cuts))


@pytest.mark.parametrize("soft", [False, True])
def test_plans_pass_check_domain(soft: bool) -> None:
    domain = Plans(features=2, soft=soft)
    coactor.check_domain(domain, domain.sample(np.random.default_rng(0), 2))


def test_plans_start_at_distance() -> None:
    assert Plans(1, soft=True, habits=True).start.tolist() == [1.0, 0.0, 100.0]  # type: ignore[union-attr]
    assert Plans(2, names=["night", "distance"]).start.tolist() == [0.0, 1.0]  # type: ignore[union-attr]
    assert Plans(2).start is None
    session = coactor.Session(Plans(1), "default", habits=True)
    assert session.learner.start[0] > 0.0 == session.learner.start[1]  # type: ignore[attr-defined]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), soft=st.booleans())
def test_every_move_gives_a_valid_plan_with_the_gain_of_the_landscape(seed: int, soft: bool) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=2, soft=soft)
    x = next(domain.sample(rng, 1))
    y = random_plan(rng, x.size, 3)
    w = rng.standard_normal(domain.dim)
    moves = list(domain.moves(x, y))
    gains = domain.landscape(x, w).gains(y)
    assert len(moves) == len(gains)
    for k in rng.integers(len(moves), size=5).tolist() if moves else []:
        z = domain.apply(x, y, moves[k])
        domain.check_solution(x, z)
        assert w @ (domain.features(x, z) - domain.features(x, y)) == pytest.approx(gains[k])
        if not soft:
            assert domain.overload(x, z) <= domain.overload(x, y) + 1e-9


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), stops=st.integers(1, 14), vehicles=st.integers(1, 5))
def test_edits_towards_lead_to_the_goal(seed: int, stops: int, vehicles: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=1)
    x = Day.of(rng.random((stops + 1, stops + 1)), np.append(0, np.ones(stops)), np.full(vehicles, 20.0))
    y, goal = random_plan(rng, stops, vehicles), random_plan(rng, stops, vehicles)
    moves = domain.edits_towards(x, y, goal)
    z = y
    for move in moves:
        z = domain.apply(x, z, move)
    assert routes_of(z) == routes_of(goal)
    assert len(moves) <= 2 * (stops + vehicles)
    assert domain.edits_towards(x, goal, goal[::-1]) == []  # vehicles are alike
    assert bool(moves) == (routes_of(y) != routes_of(goal))


def test_edits_towards_finds_a_single_edit() -> None:
    domain = Plans(features=1)
    x = Day.of(np.ones((9, 9)), np.append(0, np.ones(8)), [20.0, 20.0])
    y = (np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8]))
    for move in (
        {"op": "reverse", "args": [0, 2, 4]},
        {"op": "move", "args": [0, 1, 1, 3]},
        {"op": "swap", "args": [0, 2, 1, 3]},
        {"op": "tails", "args": [0, 1, 1, 2]},
    ):
        assert len(domain.edits_towards(x, y, domain.apply(x, y, move))) == 1


def test_solve_overloads_no_vehicle() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = Day.of(rng.random((11, 11)), np.append(0, rng.integers(1, 4, 10)), np.full(4, 8.0))
        assert Plans(features=1).overload(x, Plans(features=1).solve(x, np.ones(1))) == 0


def test_plans_raise_value_error_for_malformed_input() -> None:
    domain = Plans(features=1)
    x = Day.of(np.ones((4, 4)), [0, 1, 1, 1], [2.0, 2.0])
    y = (np.array([1, 2]), np.array([3]))
    with pytest.raises(ValueError, match="Stop 2 has demand 9; the largest vehicle holds 2"):
        Day.of(np.ones((4, 4)), [0, 1, 9, 1], [2.0, 2.0])
    with pytest.raises(ValueError, match="no route 7"):
        domain.apply(x, y, {"op": "move", "args": [7, 1, 0, 0]})
    with pytest.raises(ValueError, match="no position 4 on route 0"):
        domain.apply(x, y, {"op": "swap", "args": [0, 4, 1, 1]})
    with pytest.raises(ValueError, match="changes nothing"):
        domain.apply(x, y, {"op": "reverse", "args": [0, 2, 2]})
    with pytest.raises(ValueError, match="expected one of reverse, move, swap, tails"):
        domain.apply(x, y, {"op": "teleport", "args": []})
    with pytest.raises(ValueError, match="exactly once"):
        domain.decode_solution(x, [[1, 2], [2]])
