from __future__ import annotations

import itertools
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.domains import Fleet, Hypercube, Ranking, Tour
from coactor.studies.edit_distance import Estimate, estimate, inversions, reversals
from tests.studies.stubs import Switches


def bubble(order):
    """Exchanges of neighbours that sort a list, counted by doing them."""
    order, count = list(order), 0
    for _ in order:
        for i in range(len(order) - 1):
            if order[i] > order[i + 1]:
                order[i], order[i + 1] = order[i + 1], order[i]
                count += 1
    return count


@given(st.permutations(range(9)), st.permutations(range(9)))
def test_rankings_are_exact(y, z):
    place = {d: k for k, d in enumerate(z)}
    assert inversions(np.array(y), np.array(z)) == bubble([place[d] for d in y])
    found = estimate(Ranking(features=2), None, np.array(y), np.array(z))
    assert found.exact
    assert found.reachable


def fewest(domain, x, y, same):
    """Breadth first over every tour: the truth, on a small problem."""
    seen, waiting = {tuple(y)}, deque([(tuple(y), 0)])
    while waiting:
        here, depth = waiting.popleft()
        if same(here):
            return depth
        for move in domain.moves(x, np.array(here)):
            there = tuple(domain.apply(x, np.array(here), move).tolist())
            if there not in seen:
                seen.add(there)
                waiting.append((there, depth + 1))
    raise AssertionError("a tour cannot be reached")


@given(st.permutations(range(1, 6)), st.permutations(range(6)))
def test_tours_are_an_upper_bound_and_say_when_they_are_exact(rest, z):
    domain = Tour(points=6, features=1)
    x = next(domain.sample(np.random.default_rng(0), 1))
    y = [0, *rest]
    turns = {tuple(np.roll(order, k)) for k in range(6) for order in (z, z[::-1])}
    truth = fewest(domain, x, y, turns.__contains__)
    found = estimate(domain, x, np.array(y), np.array(z))
    assert truth <= found.effort <= 6
    assert found.reachable
    if found.exact:
        assert found.effort == truth


@given(st.permutations(range(1, 12)))
def test_reversals_sort(rest):
    found = reversals(np.array([0, *rest, 12]))
    assert 0 <= found.effort <= 2 * 12
    assert (found.effort == 0) == (list(rest) == list(range(1, 12)))


def test_one_reversal_is_one():
    for i, j in itertools.combinations(range(1, 20), 2):
        order = np.arange(21)
        order[i : j + 1] = order[i : j + 1][::-1]
        assert reversals(order) == Estimate(1.0, exact=True)


def test_fleets_count_points_that_changed_vehicles_and_say_so():
    domain = Fleet(points=10, vehicles=2, features=1)
    y = (np.array([0, 4, 5, 6, 1]), np.array([2, 7, 8, 9, 3]))
    turned = (np.array([0, 6, 5, 4, 1]), np.array([2, 7, 8, 9, 3]))
    assert estimate(domain, None, y, turned) == Estimate(1.0, exact=True)
    moved = (np.array([0, 4, 5, 1]), np.array([2, 7, 6, 8, 9, 3]))
    assert estimate(domain, None, y, moved) == Estimate(1.0, exact=False, reachable=False)


@given(st.permutations(range(5)))
def test_cubes_are_exact_by_a_short_search(z):
    domain = Hypercube(dimension=5, features=1)
    x = next(domain.sample(np.random.default_rng(0), 1))
    found = estimate(domain, x, np.arange(5), np.array(z))
    assert found.exact
    assert found.effort == fewest(domain, x, list(range(5)), lambda here: here == tuple(z))


class Far(Switches):
    """Counts up by one or by ten; nothing goes down."""

    def moves(self, x, y):
        return ({"op": "add", "args": [i, step]} for i in range(3) for step in (1, 10))

    def apply(self, x, y, move):
        i, step = move["args"]
        return [v + step if k == i else v for k, v in enumerate(y)]


def test_what_the_moves_do_not_reach_says_so():
    unreachable = estimate(Far(), None, [5, 5, 5], [4, 5, 5])
    assert not unreachable.reachable
    assert unreachable.effort == 1.0
    assert estimate(Far(), None, [0, 0, 0], [10, 1, 0]) == Estimate(2.0, exact=True)


class Knows(Switches):
    def edits_between(self, x, y, z):
        return 42


def test_a_domain_that_knows_is_asked():
    assert estimate(Knows(), None, [0, 0, 0], [1, 0, 0]).effort == 42.0


@pytest.mark.parametrize("same", [[0, 0, 0], [1, 1, 0]])
def test_nothing_to_do_is_nothing(same):
    assert estimate(Switches(), None, same, list(same)) == Estimate(0.0, exact=True)
