from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.domains import Fleet, Tour
from coactor.kernels.paths import count_reversals
from tests.test_corrections import fewest_edits


@given(st.permutations(range(1, 6)), st.permutations(range(6)))
def test_tour_edits_between_is_an_upper_bound(rest, z):
    y = [0, *rest]
    goals = {tuple(np.roll(order, k)) for k in range(6) for order in (z, z[::-1])}
    domain = Tour(points=6, features=1)
    exact = fewest_edits(domain, next(domain.sample(np.random.default_rng(0), 1)), y, goals)
    assert exact <= domain.edits_between(None, np.array(y), np.array(z)) <= 6


@given(st.permutations(range(1, 12)))
def test_count_reversals_is_bounded_and_zero_only_when_sorted(rest):
    count = count_reversals(np.array([0, *rest, 12]))
    assert 0 <= count <= 2 * 12
    assert (count == 0) == (list(rest) == list(range(1, 12)))


def test_count_reversals_of_one_reversal_is_one():
    for i, j in itertools.combinations(range(1, 20), 2):
        order = np.arange(21)
        order[i : j + 1] = order[i : j + 1][::-1]
        assert count_reversals(order) == 1


def test_fleet_edits_between_counts_reversals_and_points_on_another_path():
    domain = Fleet(points=10, vehicles=2, features=1)
    y = (np.array([0, 4, 5, 6, 1]), np.array([2, 7, 8, 9, 3]))
    reversed_path = (np.array([0, 6, 5, 4, 1]), np.array([2, 7, 8, 9, 3]))
    assert domain.edits_between(None, y, y) == 0
    assert domain.edits_between(None, y, reversed_path) == 1
    moved_point = (np.array([0, 4, 5, 1]), np.array([2, 7, 6, 8, 9, 3]))
    assert domain.edits_between(None, y, moved_point) == 1
