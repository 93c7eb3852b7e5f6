"""Graphs, and the tours and fleets on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from coactor import domains
from coactor.domains import FleetProblem, Graph


def test_from_matrices_reads_the_upper_triangle() -> None:
    table = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    graph = Graph.from_matrices(table, coordinates=[[0, 0], [1, 0], [0, 1]])
    assert graph.edges.tolist() == [[1.0], [2.0], [3.0]]
    assert graph.costs(np.array([2.0])).tolist() == (2 * table).tolist()
    both = Graph.from_matrices(np.stack([table, 10 * table], axis=2))
    assert both.edges.tolist() == [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]
    again = Graph.decode(graph.encode(), 1)
    assert again.coordinates is not None
    assert again.coordinates.tolist() == [[0, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((2, 3)), "expected \\(n, n\\) or \\(n, n, d\\)"),
        (np.zeros(4), "expected \\(n, n\\)"),
        ([[0.0, 1.0], [2.0, 0.0]], "not symmetric"),
        ([[0.0, math.inf], [math.inf, 0.0]], "NaN or infinity"),
    ],
)
def test_from_matrices_raises_value_error_for_malformed_matrices(table: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph.from_matrices(table)


def test_tour_features_are_minus_the_summed_edges() -> None:
    domain = domains.Tour(points=4, features=1)
    graph = Graph.of(4, [[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]])  # 01 02 03 12 13 23
    assert domain.features(graph, np.array([0, 1, 2, 3])).tolist() == [-(1.0 + 8.0 + 32.0 + 4.0)]
    assert domain.by_cell(graph, np.array([0, 1, 2, 3])).ravel().tolist() == [-1.0, -8.0, -32.0, -4.0]
    assert domain.solve(graph, np.array([1.0])).tolist() in ([0, 2, 1, 3], [0, 3, 1, 2])  # 02 12 13 03 = 30


def test_tour_solve_is_locally_optimal_with_neighbour_lists() -> None:
    domain = domains.Tour(points=160, features=1)
    x = next(domain.sample(np.random.default_rng(0), n=1))
    w = np.ones(1)
    y = domain.solve(x, w)
    domain.check_solution(x, y)
    assert domain.landscape(x, w).gains(y).max() <= 1e-9


@pytest.mark.parametrize(
    "terminals",
    [[], [[0, 1, 2]], [[0, 1], [2]], [0, 1], [[0, 0]], [[0, 9]], [[-1, 1]], [[0.5, 1]], "ab", None],
)
def test_fleet_problem_raises_value_error_for_malformed_terminals(terminals: Any) -> None:
    graph = Graph.of(4, np.ones((6, 1)))
    with pytest.raises(ValueError, match=r"terminals .*(expected|must be)"):
        FleetProblem.of(graph, terminals)


def test_fleet_paths_keep_their_terminals() -> None:
    domain = domains.Fleet(points=6, vehicles=2, features=1)
    x = FleetProblem.of(Graph.of(6, np.ones((15, 1))), [[5, 0], [1, 3]])
    y = domain.solve(x, np.ones(1))
    assert [(p[0], p[-1]) for p in y] == [(5, 0), (1, 3)]
    for bad, message in (
        ([[5, 2, 0], [3, 4, 1]], "Path 1 must lead from point 1 to point 3"),
        ([[5, 2, 4, 0]], "1 paths; expected one for each of 2 vehicles"),
        ([[5, 2, 0], [1, 3]], "each of the 6 points exactly once"),
        ([[5, 2, 2, 0], [1, 3]], "exactly once"),
        ([[5], [1, 3]], "Path 0 must lead"),
    ):
        with pytest.raises(ValueError, match=message):
            domain.decode_solution(x, bad)


def test_fleet_features_along_paths_of_different_lengths() -> None:
    """Points may change vehicle between two solutions, though no 2-opt move does that."""
    domain = domains.Fleet(points=6, vehicles=2, features=2)
    x = next(domain.sample(np.random.default_rng(0), n=1))
    one = (np.array([0, 4, 5, 1]), np.array([2, 3]))
    two = (np.array([0, 1]), np.array([2, 4, 5, 3]))
    rows = domain.features_along(x, [one, two])
    np.testing.assert_allclose(rows, [domain.features(x, one), domain.features(x, two)], atol=1e-12)


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning", "ignore:invalid value:RuntimeWarning"
)
@pytest.mark.parametrize("domain", [domains.Tour(5, 2), domains.Fleet(6, 2, 2), domains.Hypercube(4, 2)])
def test_solve_raises_value_error_for_costs_that_overflow(domain: Any) -> None:
    x = next(domain.sample(np.random.default_rng(0), n=1))
    with pytest.raises(ValueError, match="Edge costs are NaN or infinite"):
        domain.solve(x, np.array([1.7e308, 1.7e308]))


def test_landscape_raises_value_error_for_another_number_of_hidden_features() -> None:
    domain = domains.Tour(points=4, features=2, hidden=3)
    x = next(domains.Tour(points=4, features=2, hidden=1).sample(np.random.default_rng(0), n=1))
    assert domain.solve(x, np.ones(2)).size == 4
    with pytest.raises(ValueError, match="2 features and 1 hidden ones; the domain asks for 5"):
        domain.landscape(x, np.ones(5))


def test_tour_of_one_point_keeps_its_hidden_features_through_json() -> None:
    domain = domains.Tour(points=1, features=2, hidden=3)
    x = next(domain.sample(np.random.default_rng(0), n=1))
    again = domain.decode_problem(domain.encode_problem(x))
    assert domain.all_features(again, np.array([0])).shape == (5,)
