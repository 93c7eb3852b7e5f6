"""Every shipped domain refuses malformed data with a ValueError, whatever the data is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import Session, domains
from coactor.grids import GridModel
from tests.cases import sparse_rows


def _network() -> domains.Network:
    begin, end = [0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]
    return domains.Network.of(begin, end, [1.0, 1.0, 2.0, 2.0, 1.5, 1.5])


DOMAINS: dict[str, Any] = {
    "cube": domains.Hypercube(dimension=4, features=2, hidden=1),
    "tour": domains.Tour(points=6, features=2),
    "fleet": domains.Fleet(points=9, vehicles=2, features=2),
    "ranking": domains.Ranking(features=2, documents=5),
    "sparse ranking": domains.Ranking(features=2, documents=5),
    "plans": domains.Plans(features=2),
    "soft plans": domains.Plans(features=2, soft=True),
    "roads": domains.Roads(_network()),
    "alternatives": domains.Alternatives(features=2),
}
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from([10**400, -(10**20), 2**63, 1.5, 1e308, float("nan"), float("inf")])
    | st.sampled_from(["", "1", "x", "links"])
)
junk = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["op", "0"]), inner, max_size=2)
    ),
    max_leaves=12,
)
positions = st.lists(st.integers(0, 30), max_size=4)


def case(name: str) -> tuple[Any, Any, Any]:
    domain = DOMAINS[name]
    x = next(domain.sample(np.random.default_rng(3), 1))
    if name == "sparse ranking":
        x = domains.Query(sparse_rows(x.documents), x.labels)
    return domain, x, domain.solve(x, np.ones(domain.dim))


def damage(data: Any, path: list[int], value: Any) -> Any:
    """The data with one part, found by following the positions, replaced by the value."""
    if not path or not isinstance(data, list | dict) or not data:
        return value
    if isinstance(data, list):
        k = path[0] % len(data)
        return [*data[:k], damage(data[k], path[1:], value), *data[k + 1 :]]
    key = list(data)[path[0] % len(data)]
    return {**data, key: damage(data[key], path[1:], value)}


@pytest.mark.parametrize("problem", [None, "x", {"size": 4}, np.zeros(3)])
@pytest.mark.parametrize("name", [*DOMAINS, "grid"])
def test_solve_and_ask_refuse_what_is_not_a_problem(name: str, problem: Any) -> None:
    grid = GridModel({"job": ["cut", "weld"]}, {"machine": ["A", "B"]})
    grid.wish("Use of A", grid.has("A"))
    domain: Any = {**DOMAINS, "grid": grid}[name]
    sentence = rf"The problem is a {type(problem).__name__}; expected a [A-Z]\w+"
    with pytest.raises(ValueError, match=sentence):
        domain.solve(problem, np.ones(domain.dim))
    for habits in {False, hasattr(domain, "habits")}:
        session = Session(domain, "default", habits=habits)
        data = isinstance(problem, dict)  # which `decode_problem` reads
        with pytest.raises(ValueError, match="size" if data else sentence):
            session.ask(problem)


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=60, deadline=None)
@given(where=positions, value=junk)
def test_decode_problem_returns_a_solvable_problem_or_raises_value_error(
    name: str, where: list[int], value: Any
) -> None:
    domain, x, _ = case(name)
    data = damage(json.loads(json.dumps(domain.encode_problem(x))), where, value)
    try:
        problem = domain.decode_problem(data)
        solution = domain.solve(problem, np.ones(domain.dim))
    except ValueError:
        return
    domain.check_solution(problem, solution)
    assert np.isfinite(domain.features(problem, solution)).all()
    json.dumps(domain.encode_problem(problem), allow_nan=False)


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=100, deadline=None)
@given(where=positions, value=junk)
def test_decode_solution_returns_an_editable_solution_or_raises_value_error(
    name: str, where: list[int], value: Any
) -> None:
    domain, x, y = case(name)
    data = damage(json.loads(json.dumps(domain.encode_solution(y))), where, value)
    try:
        solution = domain.decode_solution(x, data)
    except ValueError:
        return
    domain.check_solution(x, solution)
    assert len(domain.move_features(x, solution)) == len(list(domain.moves(x, solution)))
    json.dumps(domain.encode_solution(solution), allow_nan=False)


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=100, deadline=None)
@given(move=junk | st.builds(lambda op, args: {"op": op, "args": args}, st.text(max_size=3) | junk, junk))
def test_apply_raises_value_error_for_a_malformed_move(name: str, move: Any) -> None:
    domain, x, y = case(name)
    with pytest.raises(ValueError, match=r".+\."):
        domain.apply(x, y, move)


@pytest.mark.parametrize("name", DOMAINS)
@settings(max_examples=100, deadline=None)
@given(k=st.integers(0, 10_000), args=st.lists(st.integers(-3, 12) | scalars, max_size=5))
def test_apply_gives_another_valid_solution_or_raises_value_error(name: str, k: int, args: list[Any]) -> None:
    domain, x, y = case(name)
    moves, before = list(domain.moves(x, y)), json.dumps(domain.encode_solution(y))
    try:
        z = domain.apply(x, y, {"op": moves[k % len(moves)]["op"], "args": args})
    except ValueError:
        return
    domain.check_solution(x, z)
    assert json.dumps(domain.encode_solution(y)) == before != json.dumps(domain.encode_solution(z))


@pytest.mark.parametrize("origin", [-1, 6])
def test_roads_solve_refuses_a_trip_outside_the_network(origin: int) -> None:
    domain = DOMAINS["roads"]
    with pytest.raises(ValueError, match="links are 0 to 5"):
        domain.solve(domains.Trip(origin, 0), domain.distance)
