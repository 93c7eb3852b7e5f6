from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coactor
from coactor.domains import Network, Roads, Route, Trip
from coactor.domains.roads.topology import turn_sides
from coactor.habits import Memory, past_case, recall
from coactor.kernels import roads as kernel
from coactor.protocol import Usage
from tests.domains.roads.networks import grid


def brute_force(domain: Roads, x: Trip, costs: np.ndarray) -> float:
    """Bellman and Ford, in plain Python."""
    network = domain.network
    best = np.full(network.size, np.inf)
    best[x.origin] = 0.0
    for _ in range(network.size):
        for turn, (a, b) in enumerate(zip(network.tail, network.head, strict=True)):
            best[b] = min(best[b], best[a] + costs[turn])
    return float(best[x.destination])


def fewest_vias(domain: Roads, x: Trip, y: Route, driven: np.ndarray) -> int:
    """Try all sets of via-points on the path, smallest first."""
    if np.array_equal(domain.route(x, (), y.weights).links, driven):
        return 0
    for count in range(1, len(driven)):
        for vias in itertools.combinations(driven.tolist(), count):
            if np.array_equal(domain.route(x, vias, y.weights).links, driven):
                return count
    raise AssertionError("no set of via-points draws the path")


def wander(domain: Roads, rng: np.random.Generator, length: int) -> np.ndarray:
    """A path that never visits a link twice, turning at random."""
    network = domain.network
    links = [int(rng.integers(network.size))]
    while len(links) < length:
        exits = [
            b for b in network.head[network.start[links[-1]] : network.start[links[-1] + 1]] if b not in links
        ]
        if not exits:
            break
        links.append(int(rng.choice(exits)))
    return np.array(links)


def test_roads_pass_check_domain() -> None:
    rng = np.random.default_rng(0)
    network = grid(4, rng, drop=0.3)
    for habits in (False, True):
        domain = Roads(network, habits)
        coactor.check_domain(domain, domain.sample(rng, 3))
    usage = Usage(("0",), (network.ids[network.head[0]],), np.array([0.4]))
    coactor.check_domain(domain, [domain.extend(Trip(0, 7), usage)])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_solve_finds_the_cheapest_path_and_no_move_improves_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Roads(grid(4, rng, drop=0.2))
    x = next(domain.sample(rng, 1))
    w = rng.random(domain.dim) * (rng.random(domain.dim) < 0.8)
    y = domain.solve(x, w)
    domain.check_solution(x, y)
    costs = domain._costs(x, w)
    turns = kernel.find_turns(domain.network.start, domain.network.head, y.links)
    assert costs[turns].sum() == pytest.approx(brute_force(domain, x, costs))
    assert (domain.move_features(x, y) @ w <= 1e-5 * max(1.0, w.max())).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_vias_towards_are_the_fewest_that_draw_the_driven_path(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Roads(grid(3, rng))
    driven = wander(domain, rng, int(rng.integers(2, 8)))
    if len(driven) < 2 or driven[0] == driven[-1]:
        return
    x = Trip(int(driven[0]), int(driven[-1]))
    y = domain.solve(x, rng.random(domain.dim))
    vias = domain.vias_towards(x, y, driven)
    assert np.array_equal(domain.route(x, vias, y.weights).links, driven)
    assert len(vias) == fewest_vias(domain, x, y, driven)


def test_solve_treats_negative_weights_as_zero() -> None:
    rng = np.random.default_rng(1)
    domain = Roads(grid(4, rng))
    x = next(domain.sample(rng, 1))
    w = np.array([1.0, -3.0, 0.5, -1.0, 0.2])
    assert np.array_equal(domain.solve(x, w).links, domain.solve(x, np.maximum(w, 0)).links)
    assert np.array_equal(domain.solve(x, np.zeros(5)).links, domain.solve(x, domain.distance).links)


def test_habits_make_the_usual_turn_cheaper() -> None:
    network = Network.of([0, 1, 1, 2, 3], [1, 2, 3, 4, 4], [1.0, 1.0, 1.0, 1.0, 1.0])
    domain, memory = Roads(network, habits=True), Memory()
    route = domain.route(Trip(0, 4), (2,), domain.distance)
    for _ in range(9):
        memory.add(past_case(domain, Trip(0, 4), route))
    trip = domain.extend(Trip(0, 3), recall(memory, domain, Trip(0, 3)))
    assert trip.habits is not None
    usual, never = trip.habits[1, 0], trip.habits[0, 0]  # 0 -> 2, nine times; 0 -> 1
    assert never == 1.0
    assert usual == 0.0267
    assert domain.features(trip, domain.solve(trip, domain.distance))[-1] < 0


def test_network_tells_left_turns_from_right_turns() -> None:
    places = np.array([[0.0, 0.0], [0.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    network = Network.of(
        [0, 1, 1, 1, 1], [1, 2, 3, 4, 0], np.ones(5), places=places
    )  # north, then W, E, N, back
    names = network.names[1:]
    table = {
        int(b): dict(zip(names, row, strict=True))
        for b, row in zip(network.head, network.turn_features, strict=True)
    }
    assert table[1] == {"u-turns": 0, "left turns": 1, "right turns": 0}
    assert table[2] == {"u-turns": 0, "left turns": 0, "right turns": 1}
    assert table[3] == {"u-turns": 0, "left turns": 0, "right turns": 0}
    assert table[4] == {"u-turns": 1, "left turns": 0, "right turns": 0}


def test_roads_and_networks_raise_value_error_for_malformed_input() -> None:
    rng = np.random.default_rng(0)
    network = grid(3, rng)
    domain = Roads(network)
    x = next(domain.sample(rng, 1))
    y = domain.solve(x, np.ones(domain.dim))
    with pytest.raises(ValueError, match="there are links 0 to"):
        domain.apply(x, y, {"op": "via", "args": [999, 0]})
    with pytest.raises(ValueError, match="legs 0 to 0"):
        domain.apply(x, y, {"op": "via", "args": [0, 1]})
    with pytest.raises(ValueError, match="via-points, in order"):
        domain.decode_solution(x, {"links": y.links.tolist(), "vias": [int(y.links[-1]), int(y.links[0])]})
    with pytest.raises(ValueError, match="the trip is from"):
        domain.check_path(x, y.links[:-1])
    with pytest.raises(ValueError, match="origin is link 999"):
        domain.decode_problem({"origin": 999, "destination": 0})
    with pytest.raises(ValueError, match="has 2 connected components"):
        Network.of([0, 2], [1, 3], [1.0, 1.0])
    dead_end = Roads(Network.of([0, 1], [1, 2], [1.0, 1.0]))
    with pytest.raises(ValueError, match="no way from link 1 to link 0"):
        dead_end.solve(Trip(1, 0), dead_end.distance)


def test_turn_sides_of_degrees_are_those_on_the_ground() -> None:
    # At 60 degrees north 2 degrees east are as long as 1 degree north: the second link turns by 30 degrees.
    places = np.array([[0.0, 60.0], [0.02, 60.0], [0.0546, 60.01]])
    begin, end, turns = np.array([0, 1]), np.array([1, 2]), np.array([[0, 1]])
    assert not any(side.any() for side in turn_sides(places, begin, end, turns))
    steep = np.array([[0.0, 60.0], [0.02, 60.0], [0.032, 60.01]])  # 59 degrees, drawn as 40
    left, right = turn_sides(steep, begin, end, turns)
    assert (left.tolist(), right.tolist()) == ([True], [False])
    left, _ = turn_sides(1000 * steep, begin, end, turns)  # metres
    assert left.tolist() == [False]
