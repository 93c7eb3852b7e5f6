"""Detours: the landscape by trees equals the plain one, and alternatives avoid the stretch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Roads, Route, Trip
from coactor.domains.roads import detours
from coactor.proposals.strategies import Outlook, strategy
from coactor.search import PlainLandscape, landscape
from tests.domains.roads.networks import grid


def case(seed: int, side: int = 5) -> tuple[Roads, Trip, Route, np.ndarray]:
    rng = np.random.default_rng(seed)
    domain = Roads(grid(side, rng, drop=0.1))
    x = next(domain.sample(rng, 1))
    y = domain.solve(x, rng.random(domain.dim) + 0.1)
    for _ in range(int(rng.integers(0, 3))):
        moves = list(domain.moves(x, y))
        if moves:
            y = domain.apply(x, y, moves[rng.integers(len(moves))])
    return domain, x, y, rng.random(domain.dim)


def simple(domain: Roads, y: Route) -> bool:
    """Whether a route passes no junction twice."""
    ends = domain.network.ends
    passed = [ends[y.links[0], 0], *ends[y.links, 1]]
    return len(set(passed)) == len(passed)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), best=st.booleans())
def test_landscape_by_trees_equals_the_plain_landscape(seed: int, best: bool) -> None:
    domain, x, y, w = case(seed, side=4)
    fast, plain = landscape(domain, x, w), PlainLandscape(domain, x, w)
    np.testing.assert_allclose(fast.gains(y), plain.gains(y), atol=1e-9)
    assert fast.utility(y) == pytest.approx(plain.utility(y))
    path, moves = fast.climb(y, kappa=0.05, best=best, limit=4)
    again, wanted = plain.climb(y, kappa=0.05, best=best, limit=4)
    assert moves == wanted
    assert [z.links.tolist() for z in path] == [z.links.tolist() for z in again]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_other_ways_avoid_the_stretch_and_differ_from_each_other(seed: int) -> None:
    domain, x, y, w = case(seed)
    rng = np.random.default_rng(seed)
    first, last = np.sort(rng.integers(len(y.links), size=2)).tolist()
    ways = detours.other_ways(domain, x, y, first, last, w)
    assert len(ways) <= 5
    gains = [way.gain for way in ways]
    assert gains == sorted(gains, reverse=True)
    stretch, old = y.links[first : last + 1], set(y.links.tolist())
    fresh = []
    for way in ways:
        domain.check_solution(x, way.route)
        z = domain.apply(x, y, way.move)
        assert np.array_equal(z.links, way.route.links)
        change = domain.features(x, z) - domain.features(x, y)
        np.testing.assert_allclose(way.change, change)
        assert way.gain == pytest.approx(w @ change)
        if simple(domain, y):  # a route that passes a junction twice may do so again
            assert np.isin(z.links, stretch).sum() < np.isin(y.links, stretch).sum()
            assert simple(domain, z)
        fresh.append(set(z.links.tolist()) - old)
    for k, one in enumerate(fresh):
        assert one
        assert all(len(one & other) <= detours.ALIKE * min(len(one), len(other)) for other in fresh[:k])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_way_through_passes_the_link_on_the_cheapest_leg(seed: int) -> None:
    domain, x, y, w = case(seed)
    rng = np.random.default_rng(seed)
    link = int(rng.integers(domain.network.size))
    way = detours.way_through(domain, x, y, [link], w)
    if link in y.links:
        assert way is None
        return
    assert way is not None
    assert link in way.route.links
    assert way.move["args"][0] == link
    costs = domain._costs(x, y.weights)

    def price(z: Route) -> float:
        turns = detours.kernel.find_turns(domain.network.start, domain.network.head, z.links)
        return float(costs[turns].sum())

    every = [domain.apply(x, y, {"op": "via", "args": [link, leg]}) for leg in range(len(y.vias) + 1)]
    # A direct turn is always taken, even where the router knows better; beyond that it is the cheapest leg.
    assert price(way.route) <= min(map(price, every)) + 0.5 * max(costs)


def test_detours_raise_value_error_for_unknown_stretches_and_links() -> None:
    domain, x, y, w = case(1)
    with pytest.raises(ValueError, match="no stretch from 3 to 2"):
        detours.other_ways(domain, x, y, 3, 2, w)
    with pytest.raises(ValueError, match="There are links 0 to"):
        detours.way_through(domain, x, y, [10**6], w)
    assert detours.way_through(domain, x, y, y.links.tolist(), w) is None


def test_default_strategy_asks_an_exact_solver_once() -> None:
    """There is one optimum: a search for others would only add via-points."""
    domain, x, _, w = case(2)
    shown = strategy("default", domain)(x, Outlook(w, threshold=1.0), (1, 2))
    assert shown.vias == ()
    assert np.array_equal(shown.links, domain.solve(x, w).links)
