"""The solver of plans: the large search and the climb."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Day, Plans
from coactor.domains.plans import solver
from coactor.search import PlainLandscape
from tests.domains.plans import days

# Interpreted kernels are a hundred times slower.
LARGE = 8 if numba.config.DISABLE_JIT else 60
EXAMPLES = 5 if numba.config.DISABLE_JIT else 15


def random_day(rng: np.random.Generator, stops: int, vehicles: int, slack: float = 1.2) -> Day:
    places = rng.random((stops + 1, 2))
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    demand = np.append(0.0, rng.integers(1, 5, stops))
    capacity = np.full(vehicles, max(4.0, np.ceil(slack * demand.sum() / vehicles)))
    return Day.of(np.stack([distance, rng.random(distance.shape)], axis=2), demand, capacity)


def lists(y: Any) -> list[list[int]]:
    return [route.tolist() for route in y]


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    stops=st.integers(LARGE, 3 * LARGE // 2),
    vehicles=st.integers(1, 12),
    soft=st.booleans(),
    negative=st.booleans(),
)
def test_solve_is_locally_optimal_on_large_days(
    seed: int, stops: int, vehicles: int, soft: bool, negative: bool
) -> None:
    rng = np.random.default_rng(seed)
    domain, x = Plans(features=2, soft=soft), random_day(rng, stops, vehicles)
    w = rng.standard_normal(domain.dim) if negative else rng.random(domain.dim)
    y = domain.solve(x, w)
    domain.check_solution(x, y)
    assert domain.landscape(x, w).gains(y).max(initial=0.0) <= 1e-9
    if not soft:
        assert domain.overload(x, y) == 0
    assert lists(domain.solve(x, w)) == lists(y)


@pytest.mark.compiled
def test_search_is_better_than_descent_from_its_first_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    domain, w = Plans(features=2), np.array([1.0, 0.1])
    days = [random_day(rng, 3 * LARGE // 2, 1 + LARGE // 8) for _ in range(5)]
    large = sum(w @ domain.features(x, domain.solve(x, w)) for x in days)
    monkeypatch.setattr(solver, "ITERATIONS", 0)
    assert large >= 0.97 * sum(w @ domain.features(x, domain.solve(x, w)) for x in days)


def test_solve_keeps_tight_capacities() -> None:
    """Ten vehicles of ten units for a demand of 99 units, in amounts of 1 to 4."""
    rng = np.random.default_rng(1)
    demand = np.append(0.0, np.repeat([1.0, 2.0, 4.0], [27, 16, 10]))
    x = Day.of(rng.random((54, 54)), demand, np.full(10, 10.0))
    assert demand.sum() == 99.0
    domain = Plans(features=1)
    assert domain.overload(x, domain.solve(x, np.ones(1))) == 0


@pytest.mark.compiled
def test_solve_packs_vehicles_that_differ_to_the_last_unit() -> None:
    """Eight vehicles that the demands fill exactly; in one day of ten it may fail."""
    overloaded = 0
    for seed in range(100, 120):
        rng = np.random.default_rng(seed)
        capacity, demand = rng.integers(20, 70, 8), [0.0]
        for left in capacity.tolist():
            while left:
                demand.append(float(min(left, rng.integers(3, 14))))
                left -= int(demand[-1])
        places = rng.random((len(demand), 2))
        distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
        x, domain = Day.of(distance, demand, capacity), Plans(1)
        overloaded += domain.overload(x, domain.solve(x, np.ones(1))) > 0
    assert overloaded <= 2


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [6, 10, 15, 18, 22, 24])
def test_solve_packs_large_loads_that_fit_on_few_vehicles(seed: int) -> None:
    """Twelve large loads for seven vehicles and a larger one, which must give up small ones far away."""
    rng = np.random.default_rng(seed)
    demand = np.concatenate([[0, 60, 62, 65], rng.integers(74, 100, 9), rng.integers(5, 10, 90)])
    places = rng.random((len(demand), 2))
    places[1:13] *= 0.1
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    x, domain = Day.of(distance, demand, np.repeat([54.0, 131.0, 322.0], [11, 7, 1])), Plans(1)
    assert domain.overload(x, domain.solve(x, np.ones(1))) == 0


def test_solve_returns_the_least_overload_it_finds_if_no_plan_is_feasible() -> None:
    """Four vehicles that are full with all stops but one each: each of them is overloaded by one unit."""
    rng = np.random.default_rng(2)
    domain = Plans(features=1)
    stops = 4 * (LARGE // 4 + 1)
    x = Day.of(
        rng.random((stops + 1, stops + 1)), np.append(0.0, np.full(stops, 2.0)), np.full(4, stops / 2 - 1)
    )
    y = domain.solve(x, np.ones(1))
    domain.check_solution(x, y)
    assert 4.0 <= domain.overload(x, y) <= 6.0


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["plain", "timed", "several"]), best=st.booleans())
def test_climb_by_blocks_equals_the_plain_climb(seed: int, kind: str, best: bool) -> None:
    rng = np.random.default_rng(seed)
    stops, vehicles = int(rng.integers(5, 9)), int(rng.integers(1, 5))
    domain = Plans(features=2, soft=() if kind == "plain" else tuple(rng.permutation(days.SOFT)[:4].tolist()))
    x = (
        random_day(rng, stops, vehicles, slack=1.5)
        if kind == "plain"
        else days.random_day(rng, stops, vehicles, several=kind == "several", optional=seed % 2 == 0)
    )
    y = days.random_plan(rng, stops, x.rows)
    w = rng.random(domain.dim)
    view = domain.landscape(x, w)
    path, _ = view.climb(y, kappa=0.01, best=best, limit=6)
    plain, _ = PlainLandscape(domain, x, w).climb(y, kappa=0.01, best=best, limit=6)
    # Two moves with the same gain may come in another order by rounding.
    assert list(map(view.utility, path)) == pytest.approx(list(map(view.utility, plain)), abs=1e-9)


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10_000), several=st.booleans(), optional=st.booleans())
def test_solve_is_locally_optimal_and_breaks_no_more_than_the_best_of_100_plans(
    seed: int, several: bool, optional: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = days.random_day(rng, 7, 3, several=several, optional=optional)
    domain = Plans(features=2, soft=("unserved", "waiting"))
    w = rng.random(domain.dim)
    y = domain.solve(x, w)
    domain.check_solution(x, y)
    assert domain.landscape(x, w).gains(y).max(initial=0.0) <= 1e-9

    def broken(z: Any) -> float:
        total = days.measured(x, z)
        return sum(total[name] for name in ("lateness", "overtime", "overload", "missing", "pairs"))

    if broken(y) > 1e-9:
        assert broken(y) <= min(broken(days.random_plan(rng, 7, x.rows)) for _ in range(100)) + 1e-9
    assert bool(domain.broken(x, y)) == (broken(y) > 1e-9)
