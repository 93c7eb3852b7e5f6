from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.domains import Day, Plans
from tests.domains.plans import days


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000), kind=st.sampled_from(["plain", "timed", "several"]), optional=st.booleans()
)
def test_replan_keeps_every_part_and_is_not_worse(seed: int, kind: str, optional: bool) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=2, soft=("lateness", "overload", "unserved", "longest shift"))
    x = (
        next(domain.sample(rng, 1))
        if kind == "plain"
        else days.random_day(rng, 8, 3, several=kind == "several", optional=optional)
    )
    y = days.random_plan(rng, x.size, x.rows)
    w = rng.random(domain.dim)
    parts = list(domain.lockable(x, y))
    keep = frozenset(
        parts[k] for k in rng.permutation(len(parts))[: rng.integers(0, len(parts) + 1)].tolist()
    )
    z = domain.replan(x, w, y, keep)
    domain.check_solution(x, z)
    assert keep <= {*domain.lockable(x, z)}
    broken = (
        [sum(days.measured(x, one)[name] for name in ("overtime", "missing", "pairs")) for one in (y, z)]
        if kind != "plain"
        else [0, 0]
    )
    assert broken[1] <= broken[0] + 1e-9
    if broken[1] > broken[0] - 1e-9:
        assert domain.landscape(x, w).utility(z) >= domain.landscape(x, w).utility(y) - 1e-9


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
