"""Insertion and 2-opt against naive implementations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import arrays, edges, large_tours, tolerances, tours
from coactor.protocol import Indices, Matrix

seeds = st.integers(0, 2**32 - 1)


def costs_of(seed: int, n: int, metric: bool = False) -> Matrix:
    rng = np.random.default_rng(seed)
    if metric:
        place = rng.random((n, 2))
        return np.asarray(np.hypot(*(place[:, None] - place[None]).T))
    return edges.cost_matrix(rng.standard_normal(n * (n - 1) // 2), n)


def naive_insertion(cost: Matrix) -> list[int]:
    """Every unvisited point at every position, the cheapest first."""
    tour, waiting = [0], list(range(1, len(cost)))
    while waiting:
        found = None
        for q in waiting:
            for k, u in enumerate(tour):
                v = tour[(k + 1) % len(tour)]
                more = cost[u, q] + cost[q, v] - cost[u, v]
                if found is None or more < found[0]:
                    found = (more, q, k + 1)
        assert found is not None
        _, q, k = found
        tour.insert(k, q)
        waiting.remove(q)
    return tour


def naive_two_opt(cost: Matrix, tour: list[int]) -> list[int]:
    """The first reversal in scan order that shortens the tour, again and again."""

    def length(t: list[int]) -> float:
        return sum(cost[a, b] for a, b in zip(t, [*t[1:], t[0]], strict=True))

    n = len(tour)
    while True:
        for i, j in itertools.combinations(range(1, n), 2):
            other = tour[:i] + tour[i : j + 1][::-1] + tour[j + 1 :]
            if length(other) < length(tour) - 1e-9:
                tour = other
                break
        else:
            return tour


@given(seeds, st.integers(1, 14), st.booleans())
def test_insertion_equals_the_naive_one(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    assert tours.insertion(cost).tolist() == naive_insertion(cost)


@given(seeds, st.integers(1, 9), st.booleans())
def test_solve_is_insertion_then_first_improvement(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    assert tours.solve(cost).tolist() == naive_two_opt(cost, naive_insertion(cost))


def is_two_opt_optimal(cost: Matrix, tour: Indices) -> bool:
    return bool(tours.gains(cost, tour).max(initial=0.0) <= tolerances.rounding(cost))


@given(seeds, st.integers(1, 30), st.booleans(), st.integers(1, 12))
def test_large_solve_is_two_opt_optimal_for_any_list_length(
    seed: int, n: int, metric: bool, neighbours: int
) -> None:
    cost = costs_of(seed, n, metric)
    tour = large_tours.solve(cost, neighbours)
    assert arrays.is_permutation(tour, n)
    assert tour[0] == 0
    assert is_two_opt_optimal(cost, tour)


@given(seeds, st.integers(2, 40), st.booleans(), st.integers(1, 5))
def test_greedy_is_a_tour_that_begins_with_the_cheapest_edge(
    seed: int, n: int, metric: bool, neighbours: int
) -> None:
    cost = costs_of(seed, n, metric)
    tour = large_tours.greedy(cost, *large_tours.nearest(cost, min(neighbours, n - 1)))
    assert arrays.is_permutation(tour, n)
    rest = cost + np.where(np.eye(n, dtype=bool), np.inf, 0.0)
    cheapest = np.unravel_index(rest.argmin(), rest.shape)
    assert frozenset(map(int, cheapest)) in edges_of(tour)


@given(seeds, st.integers(2, 12), st.data())
def test_turn_gives_the_cycle_of_a_plain_reversal(seed: int, n: int, data: st.DataObject) -> None:
    tour = np.random.default_rng(seed).permutation(n)
    i = data.draw(st.integers(0, n - 1))
    j = data.draw(st.integers(i, n - 1))
    turned, position = tour.copy(), np.argsort(tour)
    large_tours.turn(turned, position, i, j)
    assert (turned[position] == np.arange(n)).all()
    expected = tour.copy()
    arrays.reverse(expected, i, j)
    assert edges_of(turned) == edges_of(expected)


def edges_of(tour: Indices) -> list[frozenset[int]]:
    return sorted(
        (frozenset(pair) for pair in zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True)), key=sorted
    )


@pytest.mark.parametrize("metric", [True, False])
@pytest.mark.parametrize("neighbours", [1, 3, 10])
@pytest.mark.parametrize("seed", range(5))
def test_large_solve_is_two_opt_optimal_on_300_points(metric: bool, neighbours: int, seed: int) -> None:
    cost = costs_of(seed, 300, metric)
    tour = large_tours.solve(cost, neighbours)
    assert is_two_opt_optimal(cost, tour)


@given(seeds, st.integers(2, 30), st.integers(1, 12))
def test_nearest_are_the_cheapest_and_ties_do_not_all_go_to_the_same_points(
    seed: int, n: int, neighbours: int
) -> None:
    k = min(neighbours, n - 1)
    cost = np.floor(4 * costs_of(seed, n, False))
    near, near_costs = large_tours.nearest(cost, k)
    for p in range(n):
        assert (near_costs[p] == cost[p, near[p]]).all()
        others = sorted(set(range(n)) - {p}, key=lambda q: (cost[p, q], (q - p) % n))
        assert near[p].tolist() == others[:k]


@given(seeds, st.integers(2, 12))
def test_nearest_lists_the_cheapest_partners_in_order(seed: int, n: int) -> None:
    cost = costs_of(seed, n)
    for k in range(1, n):
        near, _ = large_tours.nearest(cost, k)
        for p in range(n):
            others = sorted((q for q in range(n) if q != p), key=lambda q: cost[p, q])
            assert near[p].tolist() == others[:k]
