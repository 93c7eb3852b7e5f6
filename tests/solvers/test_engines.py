from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coactor import solvers
from coactor.domains import Day, Fleet, Graph, Plans, Roads, Tour
from coactor.domains.plans import Routes
from coactor.kernels import plans as kernel
from coactor.protocol import Domain
from coactor.solvers.adapters import to_routes, to_rules, to_solution
from coactor.solvers.prices import FAR, whole_costs
from tests.domains.plans import days

DOMAINS: dict[str, Domain] = {
    "tour": Tour(points=9, features=3),
    "fleet": Fleet(points=12, vehicles=3, features=3),
    "plan": Plans(features=3),
    "soft plan": Plans(features=3, soft=True),
}
ENGINES = {"ortools": solvers.ortools, "pyvrp": solvers.pyvrp}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("sign", ["positive", "any"])
def test_engines_return_valid_polished_solutions_no_worse_than_the_own_solver(
    engine: str, name: str, sign: str
) -> None:
    rng = np.random.default_rng(3)
    domain = DOMAINS[name]
    x = next(domain.sample(rng, 1))  # type: ignore[attr-defined]
    w = rng.random(domain.dim) if sign == "positive" else rng.standard_normal(domain.dim)
    y = ENGINES[engine](domain, seconds=0.1)(x, w)
    domain.check_solution(x, y)  # type: ignore[attr-defined]
    view = domain.landscape(x, w)  # type: ignore[attr-defined]
    assert (view.gains(y) <= 1e-9).all()  # Assumption 1
    assert view.utility(y) >= view.utility(domain.solve(x, w)) - 1e-9
    if name == "plan":
        assert domain.overload(x, y) == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_improve_a_bad_start(engine: str) -> None:
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    x = Graph.from_matrices(np.linalg.norm(places[:, None] - places, axis=2))
    domain = Tour(features=1)
    bad = np.array([0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11])
    y = ENGINES[engine](domain, seconds=0.2)(x, np.ones(1), start=bad)
    around = 12 * 2 * np.sin(np.pi / 12)
    assert -domain.features(x, y)[0] == pytest.approx(around)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), name=st.sampled_from(sorted(DOMAINS)))
def test_integer_costs_keep_the_order_of_solutions(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    domain = DOMAINS[name]
    x = next(domain.sample(rng, 1))  # type: ignore[attr-defined]
    w = rng.standard_normal(domain.dim)
    model = to_rules(domain, x, w)
    assert model is not None
    rules, stops, points = model
    whole, fixed, _, scale = whole_costs(rules, stops)
    assert min(whole.min(), fixed.min()) >= 0
    assert whole.max() <= FAR
    ends = rules.fleet[:, [kernel.START, kernel.END]].astype(int).tolist()

    def cost(table: np.ndarray, routes: Routes, used: np.ndarray) -> float:
        paths = [[start, *route, end] for (start, end), route in zip(ends, routes, strict=True)]
        arcs = float(sum(table[path[:-1], path[1:]].sum() for path in paths))
        return arcs + sum(price for price, route in zip(used, routes, strict=True) if len(route))

    y = domain.solve(x, w)
    z = domain.apply(x, y, next(iter(domain.moves(x, y))))
    before, after = to_routes(domain, y, points), to_routes(domain, z, points)
    none = np.zeros(len(fixed))
    true = cost(rules.ways[0, :, :, 0], before, none) - cost(rules.ways[0, :, :, 0], after, none)
    rounded = (cost(whole[0], before, fixed) - cost(whole[0], after, fixed)) / scale
    assert rounded == pytest.approx(true, abs=30 / scale)
    again = to_solution(domain, x, before, points)
    assert np.allclose(domain.features(x, again), domain.features(x, y))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), optional=st.booleans())
def test_cost_factors_order_plans_as_the_weights_do_where_idle_vehicles_are_free(
    seed: int, optional: bool
) -> None:
    rng = np.random.default_rng(seed)
    soft = ("lateness", "overload", "vehicles", *(("unserved",) if optional else ()))
    domain, x = Plans(2, soft=soft), days.random_day(rng, 7, 3, optional=optional)
    w = np.append(rng.standard_normal(2), rng.random(domain.dim - 2))
    factors = json.loads(json.dumps(solvers.cost_factors(domain, x, w)))
    arcs = np.array(factors["arcs"])
    assert (arcs[:, range(len(x.stops)), range(len(x.stops))] == 0).all()
    assert min(arcs.min(), *(vehicle["fixed"] for vehicle in factors["vehicles"])) >= 0
    ends = x.tables.fleet[:, [kernel.START, kernel.END]].astype(int).tolist()
    differences = []
    for y in (days.random_plan(rng, 7, x.rows) for _ in range(10)):
        measured = days.measured(x, y)
        total = sum(price * measured[name] for name, price in factors["prices"].items())
        for route, vehicle, (start, end) in zip(y, factors["vehicles"], ends, strict=False):
            if len(route):
                way = [start, *route.tolist(), end]
                total += vehicle["fixed"] + arcs[vehicle["kind"], way[:-1], way[1:]].sum()
        if optional:
            total += sum(factors["unserved"][stop - 1] for stop in y[-1].tolist())
        differences.append(total / factors["scale"] + domain.landscape(x, w).utility(y))
    assert np.ptp(differences) < 1e-4


def test_engines_raise_value_error_for_invalid_parameters() -> None:
    domain = Tour(points=8, features=2)
    for engine in ENGINES.values():
        with pytest.raises(ValueError, match="must be a finite number above 0"):
            engine(domain, seconds=0)
    with pytest.raises(ValueError, match="is not a routing domain"):
        to_rules(_roads(), None, np.ones(2))
    day = Day.of(np.ones((3, 3)), [0, 1, 1], [1.0])  # two stops, one vehicle for one
    y = solvers.ortools(Plans(features=1), seconds=0.1)(day, np.ones(1))
    assert Plans(features=1).overload(day, y) == 1  # no plan is feasible: the start is returned


def _roads() -> Roads:
    from coactor.domains import Network

    return Roads(Network.of([0, 1], [1, 0], [1.0, 1.0]))
