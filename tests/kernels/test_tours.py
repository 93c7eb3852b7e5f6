"""Insertion and 2-opt against naive implementations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import arrays, edges, tolerances, tours
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


@given(seeds, st.integers(1, 40), st.booleans())
def test_large_solve_is_two_opt_optimal(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    tour = tours.solve_large(cost)
    assert arrays.is_permutation(tour, n)
    assert tour[0] == 0
    assert is_two_opt_optimal(cost, tour)


@given(seeds, st.integers(2, 40))
def test_greedy_is_a_tour_with_the_first_edges_that_close_no_circle(seed: int, n: int) -> None:
    pairs = np.random.default_rng(seed).permutation(np.column_stack(np.triu_indices(n, 1)))
    tour = tours.greedy(pairs, n)
    assert arrays.is_permutation(tour, n)
    used = {frozenset(pair) for pair in zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True)}
    assert {frozenset(pair) for pair in pairs[:2].tolist()} <= used


@pytest.mark.parametrize("metric", [True, False])
def test_large_solve_beats_insertion_on_300_points(metric: bool) -> None:
    costs = [costs_of(seed, 300, metric) for seed in range(5)]
    large, small = (
        [tours.length(cost, solve(cost)) for cost in costs] for solve in (tours.solve_large, tours.solve)
    )
    assert sum(large) < sum(small)
    assert all(is_two_opt_optimal(cost, tours.solve_large(cost)) for cost in costs)
