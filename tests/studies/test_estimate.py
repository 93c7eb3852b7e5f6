from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor.domains import Hypercube
from coactor.studies.edit_distance import Estimate, estimate
from tests.studies.stubs import Switches


def fewest_edits(domain, x, y, z):
    """The exact distance by breadth-first search over all solutions of a small problem."""
    visited, waiting = {tuple(y)}, deque([(tuple(y), 0)])
    while waiting:
        solution, depth = waiting.popleft()
        if solution == tuple(z):
            return depth
        for move in domain.moves(x, np.array(solution)):
            neighbour = tuple(domain.apply(x, np.array(solution), move).tolist())
            if neighbour not in visited:
                visited.add(neighbour)
                waiting.append((neighbour, depth + 1))
    raise AssertionError("the goal cannot be reached")


@given(st.permutations(range(5)))
def test_estimate_is_exact_where_the_search_reaches_the_goal(z):
    domain = Hypercube(dimension=5, features=1)
    x = next(domain.sample(np.random.default_rng(0), 1))
    result = estimate(domain, x, np.arange(5), np.array(z))
    assert result.exact
    assert result.effort == fewest_edits(domain, x, range(5), z)


class Far(Switches):
    """Counts up by one or by ten; nothing goes down."""

    def moves(self, x, y):
        return ({"op": "add", "args": [i, step]} for i in range(3) for step in (1, 10))

    def apply(self, x, y, move):
        i, step = move["args"]
        return [v + step if k == i else v for k, v in enumerate(y)]


def test_estimate_marks_goals_that_no_moves_reach():
    unreachable = estimate(Far(), None, [5, 5, 5], [4, 5, 5])
    assert not unreachable.reachable
    assert unreachable.effort == 1.0
    assert estimate(Far(), None, [0, 0, 0], [10, 1, 0]) == Estimate(2.0, exact=True)


class Knows(Switches):
    def edits_between(self, x, y, z):
        return 42


def test_estimate_asks_a_domain_that_counts_edits():
    assert estimate(Knows(), None, [0, 0, 0], [1, 0, 0]).effort == 42.0


@pytest.mark.parametrize("same", [[0, 0, 0], [1, 1, 0]])
def test_estimate_of_an_unchanged_solution_is_zero(same):
    assert estimate(Switches(), None, same, list(same)) == Estimate(0.0, exact=True)
