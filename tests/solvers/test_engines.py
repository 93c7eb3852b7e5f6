from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coactor import solvers
from coactor.domains import Day, Fleet, Graph, Plans, Roads, Tour
from coactor.protocol import Domain
from coactor.solvers.routing_model import LARGEST, to_model, to_solution, to_visits

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
    model = to_model(domain, x, w)
    whole, scale = model.integer_costs()
    assert whole.min() >= 0
    assert whole.max() <= LARGEST

    def cost(costs: np.ndarray, visits: list[list[int]]) -> float:
        total = 0.0
        for start, end, stops in zip(model.starts, model.ends, visits, strict=True):
            path = [int(start), *stops, int(end)]
            total += float(costs[path[:-1], path[1:]].sum())
        return total

    y = domain.solve(x, w)
    z = domain.apply(x, y, next(iter(domain.moves(x, y))))
    before, after = to_visits(domain, y), to_visits(domain, z)
    true = cost(model.costs, before) - cost(model.costs, after)
    rounded = (cost(whole, before) - cost(whole, after)) / scale
    assert rounded == pytest.approx(true, abs=30 / scale)
    again = to_solution(domain, x, before)
    assert np.allclose(domain.features(x, again), domain.features(x, y))


def test_engines_raise_value_error_for_invalid_parameters() -> None:
    domain = Tour(points=8, features=2)
    for engine in ENGINES.values():
        with pytest.raises(ValueError, match="must be above 0"):
            engine(domain, seconds=0)
    with pytest.raises(ValueError, match="is not a routing domain"):
        to_model(_roads(), None, np.ones(2))
    day = Day.of(np.ones((3, 3)), [0, 1, 1], [1.0])  # two stops, one vehicle for one
    y = solvers.ortools(Plans(features=1), seconds=0.1)(day, np.ones(1))
    assert Plans(features=1).overload(day, y) == 1  # no plan is feasible: the start is returned


def _roads() -> Roads:
    from coactor.domains import Network

    return Roads(Network.of([0, 1], [1, 0], [1.0, 1.0]))
