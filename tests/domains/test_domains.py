"""Properties of every domain: valid moves, locally optimal solutions, exact round trips through JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from coactor import Session, SimulatedExpert, check_domain, domains, learners
from coactor.protocol import Codes, Hides, Landscapes, Samples, Validates, Vectorises, feature_signs, has
from tests.cases import KINDS, Case, cases, make_case, make_domain, same


@given(cases())
def test_domains_pass_check_domain(case: Case) -> None:
    check_domain(case.domain, [case.x], rng=case.rng)


@given(cases())
def test_problems_and_solutions_survive_a_round_trip_through_json(case: Case) -> None:
    y = case.solution()
    x = case.domain.decode_problem(json.loads(json.dumps(case.domain.encode_problem(case.x))))
    z = case.domain.decode_solution(x, json.loads(json.dumps(case.domain.encode_solution(y))))
    assert same(y, z)
    np.testing.assert_array_equal(case.domain.all_features(x, z), case.domain.all_features(case.x, y))
    assert json.dumps(case.domain.encode_problem(x)) == json.dumps(case.domain.encode_problem(case.x))


@pytest.mark.parametrize("kind", KINDS)
def test_domains_implement_the_protocols(kind: str) -> None:
    domain = make_domain(kind, 5, 2, 1)
    for ability in (Samples, Hides, Landscapes, Vectorises, Validates, Codes):
        assert has(domain, ability)
    assert list(domain.feature_names) == ["feature 1", "feature 2"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_session_learns_on_the_smallest_problems(kind: str, size: int) -> None:
    case = make_case(kind, size=size, seed=3)
    domain = case.domain
    session = Session(domain, learners.CSPER(3), candidate="disagreement")
    for policy in ("first", "best"):
        expert = SimulatedExpert(domain, np.ones(3), policy=policy, budget=5)  # type: ignore[arg-type]
        proposal = session.ask(case.x)
        correction = expert(case.x, proposal.solution)
        session.tell(proposal, correction)
        domain.check_solution(case.x, correction.final)
    y = domain.solve(case.x, np.ones(3))
    moves = list(domain.moves(case.x, y))
    assert domain.move_features(case.x, y).shape == (len(moves), 3)
    assert domain.landscape(case.x, np.ones(3)).gains(y).shape == (len(moves),)
    assert domain.features_along(case.x, [y]).shape == (1, 3)


def test_fleet_solves_a_problem_without_free_points() -> None:
    domain = domains.Fleet(points=4, vehicles=2, features=2)
    x = next(domain.sample(np.random.default_rng(0), n=1))
    y = domain.solve(x, np.ones(2))
    assert [p.tolist() for p in y] == [[0, 1], [2, 3]]
    assert list(domain.moves(x, y)) == []
    assert SimulatedExpert(domain, np.ones(2))(x, y).effort == 0.0


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "w",
    [np.ones(2), np.ones((3, 1)), np.ones(9), np.array([1.0, math.nan, 1.0]), np.array([1.0, math.inf, 1.0])],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_solve_and_landscape_raise_value_error_for_malformed_weights(kind: str, w: Any) -> None:
    case = make_case(kind, seed=1)
    for call in (case.domain.solve, case.domain.landscape):
        with pytest.raises(ValueError, match=r"weights have shape|NaN or infinite"):
            call(case.x, w)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: domains.Tour(points=0), "points is 0; it must be a whole number of at least 1"),
        (lambda: domains.Tour(features=0), "features is 0"),
        (lambda: domains.Tour(hidden=-1), "hidden is -1"),
        (lambda: domains.Tour(points=2.5), "points is 2.5"),  # type: ignore[arg-type]
        (lambda: domains.Tour(points=True), "points is True"),
        (lambda: domains.Tour(features=2, names=["a"]), "1 names were given for 2 features"),
        (lambda: domains.Fleet(points=3, vehicles=2), "at least 4"),
        (lambda: domains.Fleet(vehicles=0), "vehicles is 0"),
        (lambda: domains.Hypercube(dimension=0), "dimension is 0"),
        (lambda: domains.Hypercube(dimension=21), "does not fit in memory"),
        (lambda: domains.Ranking(documents=0), "documents is 0"),
        (lambda: domains.Ranking(features=-3), "features is -3"),
    ],
)
def test_domains_raise_value_error_for_invalid_parameters(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_domains_declare_whether_their_features_are_costs() -> None:
    network = domains.Network.of([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0])
    costs = domains.Hypercube(), domains.Tour(), domains.Fleet(), domains.Plans(), domains.Roads(network)
    assert {sign for domain in costs for sign in feature_signs(domain)} == {-1}
    assert set(feature_signs(domains.Ranking())) == {1}
