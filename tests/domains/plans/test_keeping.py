from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Day, Plans
from tests.cases import Case
from tests.domains.plans.days import random_day


def test_replan_breaks_no_rule_for_what_it_gains() -> None:
    domain = Plans(features=2, soft=("lateness", "overload", "unserved", "longest shift"))
    for stops, seed in ((5, 21), (4, 2542)):
        rng = np.random.default_rng(seed)
        case = Case(domain, random_day(rng, stops, 2), rng)
        w, y = case.weights(), case.solution()
        parts = sorted(domain.lockable(case.x, y))
        keep = {parts[k] for k in rng.permutation(len(parts))[: rng.integers(len(parts) + 1)].tolist()}
        assert not domain.broken(case.x, y)
        assert not domain.broken(case.x, domain.replan(case.x, w, y, frozenset(keep)))


def test_replan_makes_parts_that_the_plan_does_not_have() -> None:
    rng = np.random.default_rng(0)
    x = Day.of(rng.random((9, 9)), np.append(0, np.ones(8)), [5, 5, 5], vehicles=["Ana", "Bo", "Cy"])
    domain = Plans(1)
    y = domain.solve(x, np.ones(1))
    keep = frozenset(
        {("3", "7"), ("7", "1"), ("0", "4"), ("2", "0"), ("vehicle", "5", "Cy"), ("vehicle", "3", "1")}
    )
    z = domain.replan(x, np.ones(1), y, keep)
    assert {("3", "7"), ("7", "1"), ("0", "4"), ("2", "0")} <= {*domain.parts(x, z)}
    assert 5 in z[2]
    assert 3 in z[0]


def test_replan_leaves_a_vehicle_idle_that_is_kept_so() -> None:
    rng = np.random.default_rng(0)
    x, domain = Day.of(rng.random((7, 7)), np.append(0, np.ones(6)), [6, 6, 6]), Plans(1)
    y = (np.array([1, 2, 3]), np.array([4]), np.array([5, 6]))
    keep = frozenset({("0", "0"), ("vehicle", "4", "2")})
    z = domain.replan(x, np.ones(1), y, keep)
    assert [len(route) > 0 for route in z].count(False) >= 1
    assert 4 in z[1]
    assert keep <= {*domain.lockable(x, z)}


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ({("1", "2"), ("1", "3")}, "2 and 3 cannot both come right after 1"),
        ({("1", "2"), ("2", "1")}, "1, 2 cannot be kept together: they would follow each other in a circle"),
        ({("1", "2"), ("vehicle", "1", "1"), ("vehicle", "2", "2")}, "1 and 2 are kept together"),
        ({("vehicle", "1", "1"), ("vehicle", "1", "2")}, "1 cannot be on two vehicles"),
        ({("0", "1"), ("0", "2"), ("0", "3")}, "These parts cannot be kept together: 0 - "),
        ({("1", "9")}, "is not a part of this day"),
    ],
)
def test_replan_names_parts_that_exclude_each_other(keep: set[tuple[str, ...]], message: str) -> None:
    x = Day.of(np.ones((5, 5)), np.append(0, np.ones(4)), [9, 9])
    with pytest.raises(ValueError, match=message):
        Plans(1).replan(x, np.ones(1), (np.arange(1, 5), np.array([], int)), frozenset(keep))
