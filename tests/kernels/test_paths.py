"""Insertion and 2-opt of tours and of several paths against naive implementations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import paths, tolerances
from coactor.protocol import Indices, Matrix
from coactor.validation import is_permutation

seeds = st.integers(0, 2**32 - 1)
TOUR = np.zeros((1, 2), np.int64)


def costs_of(seed: int, n: int, metric: bool = False) -> Matrix:
    rng = np.random.default_rng(seed)
    if metric:
        place = rng.random((n, 2))
        return np.asarray(np.hypot(*(place[:, None] - place[None]).T))
    return paths.cost_matrix(rng.standard_normal(n * (n - 1) // 2), n)


def naive_insertion(cost: Matrix, ends: Indices = TOUR) -> list[list[int]]:
    """Every free point at every position of every path, the cheapest first."""
    found = ends.tolist()
    waiting = [p for p in range(len(cost)) if p not in ends]
    while waiting:
        options = [
            (cost[path[k - 1], q] + cost[q, path[k]] - cost[path[k - 1], path[k]], q, v, k)
            for q in waiting
            for v, path in enumerate(found)
            for k in range(1, len(path))
        ]
        _, q, v, k = min(options)
        found[v].insert(k, q)
        waiting.remove(q)
    return found


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


def is_two_opt_optimal(cost: Matrix, order: Indices, starts: Indices) -> bool:
    return bool(paths.gains(cost, order, starts).max(initial=0.0) <= tolerances.rounding(cost))


@given(seeds, st.integers(1, 14), st.booleans())
def test_insertion_makes_the_naive_tour(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    order, starts = paths.insertion(cost, TOUR)
    assert [order.tolist()] == naive_insertion(cost)
    assert starts.tolist() == [0, n + 1]


@given(seeds, st.integers(1, 3), st.integers(0, 7))
def test_insertion_makes_the_naive_paths_and_solve_is_two_opt_optimal(
    seed: int, vehicles: int, free: int
) -> None:
    n = 2 * vehicles + free
    cost = costs_of(seed, n)
    ends = np.random.default_rng(seed).permutation(n)[: 2 * vehicles].reshape(-1, 2)
    order, starts = paths.insertion(cost, ends)
    assert [order[a:b].tolist() for a, b in itertools.pairwise(starts)] == naive_insertion(cost, ends)
    solved, cuts = paths.solve(cost, ends)
    assert cuts.tolist() == starts.tolist()
    assert is_two_opt_optimal(cost, solved, cuts)


@given(seeds, st.integers(1, 9), st.booleans())
def test_solve_is_insertion_then_first_improvement(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    order, _ = paths.solve(cost, TOUR)
    assert order[:-1].tolist() == naive_two_opt(cost, naive_insertion(cost)[0][:-1])


@given(seeds, st.integers(1, 40), st.booleans())
def test_large_solve_is_two_opt_optimal(seed: int, n: int, metric: bool) -> None:
    cost = costs_of(seed, n, metric)
    order = paths.solve_large(cost)
    assert is_permutation(order[:-1], n)
    assert order[0] == order[-1] == 0
    assert is_two_opt_optimal(cost, order, np.array([0, n + 1]))


@given(seeds, st.integers(2, 40))
def test_greedy_is_a_tour_with_the_first_edges_that_close_no_circle(seed: int, n: int) -> None:
    pairs = np.random.default_rng(seed).permutation(np.column_stack(np.triu_indices(n, 1)))
    tour = paths.greedy(pairs, n)
    assert is_permutation(tour, n)
    used = {frozenset(pair) for pair in zip(tour.tolist(), np.roll(tour, -1).tolist(), strict=True)}
    assert {frozenset(pair) for pair in pairs[:2].tolist()} <= used


@pytest.mark.parametrize("metric", [True, False])
def test_large_solve_beats_insertion_on_200_points(metric: bool) -> None:
    costs, starts = [costs_of(seed, 200, metric) for seed in range(3)], np.array([0, 201])
    large = [paths.length(cost, paths.solve_large(cost), starts) for cost in costs]
    small = [paths.length(cost, *paths.solve(cost, TOUR)) for cost in costs]
    assert sum(large) < sum(small)
