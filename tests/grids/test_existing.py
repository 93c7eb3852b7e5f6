"""An existing CP-SAT model as a domain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import coactor
from coactor.grids.existing import Built, CpSatModel

cp_model = pytest.importorskip("ortools.sat.python.cp_model")


def build(problem: Any) -> Built:
    """Jobs on two machines: at most two on each, slack variables that are only bounded from below."""
    model = cp_model.CpModel()
    jobs = {name: model.new_int_var(0, 1, name) for name in problem["jobs"]}
    model.add(sum(jobs.values()) <= 2)
    model.add(sum(jobs.values()) >= len(jobs) - 2)
    late = model.new_int_var(0, 100, "late")
    model.add(late >= sum(h * job for h, job in zip(problem["hours"], jobs.values(), strict=True)) - 4)
    cost = sum(c * job for c, job in zip(problem["cost"], jobs.values(), strict=True))
    return Built(model, jobs, {"late": late, "cost": cost})


PROBLEM = {"jobs": ["cut", "weld", "paint"], "hours": [3, 4, 2], "cost": [1, 0, 2]}
DOMAIN = CpSatModel(build, ["late", "cost"])


def test_features_are_evaluated_by_fixing_the_decisions() -> None:
    for y in ([0, 0, 1], [1, 1, 0], [1, 0, 1]):
        hours, cost = np.dot(PROBLEM["hours"], y), np.dot(PROBLEM["cost"], y)  # type: ignore[arg-type]
        np.testing.assert_array_equal(DOMAIN.features(PROBLEM, np.array(y)), [-max(0, hours - 4), -cost])


def test_existing_model_passes_check_domain() -> None:
    coactor.check_domain(DOMAIN, [PROBLEM])
    assert DOMAIN.solve(PROBLEM, np.array([1.0, 1.0])).tolist() == [0, 1, 0]


def test_moves_keep_the_constraints_and_others_are_refused() -> None:
    y = np.array([1, 1, 0])
    moves = list(DOMAIN.moves(PROBLEM, y))
    assert {"op": "set", "args": [2, 1]} not in moves
    assert {"op": "swap", "args": [0, 2]} in moves
    assert DOMAIN.describe(PROBLEM, {"op": "swap", "args": [0, 2]}) == "Exchange cut and paint"
    for move in (
        {"op": "set", "args": [2, 1]},
        {"op": "set", "args": [0, 1]},
        {"op": "set", "args": [0, 7]},
        {"op": "swap", "args": [0, 9]},
        {"op": "drop", "args": [0, 1]},
    ):
        with pytest.raises(ValueError, match=r"(?i)constraint|changes nothing|decision|move"):
            DOMAIN.apply(PROBLEM, y, move)  # type: ignore[arg-type]


def test_terms_that_do_not_match_the_names_are_refused() -> None:
    with pytest.raises(ValueError, match="expected"):
        CpSatModel(build, ["late"]).solve(PROBLEM, np.ones(1))
