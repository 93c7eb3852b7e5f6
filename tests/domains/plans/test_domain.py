from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coactor
from coactor.domains import Day, Plans, Shifts, Visits
from coactor.kernels import plans as kernel
from coactor.protocol import Move
from tests.domains.plans import days
from tests.domains.plans.days import random_plan


def routes_of(y: tuple[np.ndarray, ...]) -> list[list[int]]:
    return sorted(route.tolist() for route in y if len(route))


@pytest.mark.parametrize("soft", [False, True])
def test_plans_pass_check_domain(soft: bool) -> None:
    domain = Plans(features=2, soft=soft)
    coactor.check_domain(domain, domain.sample(np.random.default_rng(0), 2))


def test_plans_start_at_distance() -> None:
    assert Plans(1, soft=True, habits=True).start.tolist() == [1.0, 0.0, 100.0]  # type: ignore[union-attr]
    assert Plans(2, names=["night", "distance"]).start.tolist() == [0.0, 1.0]  # type: ignore[union-attr]
    assert Plans(2).start is None
    session = coactor.Session(Plans(1), "default", habits=True)
    assert session.learner.start[0] > 0.0 == session.learner.start[1]  # type: ignore[attr-defined]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["plain", "timed", "several"]), soft=st.booleans())
def test_every_move_gives_a_valid_plan_with_the_gain_of_the_landscape(
    seed: int, kind: str, soft: bool
) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=2, soft=days.SOFT if soft else ("unserved",))
    if kind == "plain":
        x = next(domain.sample(rng, 1))
    else:
        x = days.random_day(rng, 8, 4, several=kind == "several", optional=seed % 2 == 0)
    y = random_plan(rng, x.size, x.rows)
    w = rng.standard_normal(domain.dim)
    moves = list(domain.moves(x, y))
    gains, changes = domain.landscape(x, w).gains(y), domain.move_features(x, y)
    assert len(moves) == len(gains) == len(changes)
    for k in rng.integers(len(moves), size=5).tolist() if moves else []:
        z = domain.apply(x, y, moves[k])  # a move that is listed breaks no rule
        if kind != "plain":
            rules = ("missing", "pairs", *(() if soft else ("lateness", "overtime", "overload")))
            before, after = (sum(days.measured(x, one)[rule] for rule in rules) for one in (y, z))
            assert after <= before + 1e-9
        domain.check_solution(x, z)
        change = domain.features(x, z) - domain.features(x, y)
        assert changes[k] == pytest.approx(change)
        assert w @ change == pytest.approx(gains[k])


def test_each_stop_that_must_be_served_counts() -> None:
    visits = Visits(prices=[0, 0, 0, 0, 1])
    x = Day.of(np.ones((5, 5)), [0, 1, 1, 1, 1], [4, 4], visits=visits)
    y = (np.array([2, 3, 4]), np.array([], int), np.array([1]))
    domain = Plans(1, soft=("unserved",))
    assert [move["args"][:2] for move in domain.moves(x, y) if move["args"][2:] == [2, 0]] == [[0, 3]]
    small = Day.of(np.ones((5, 5)), [0, 1, 1, 1, 1], [1, 1], visits=visits)
    assert len(domain.solve(small, np.ones(2))[2]) == 2


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), several=st.booleans(), optional=st.booleans())
def test_features_equal_plain_python(seed: int, several: bool, optional: bool) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=2, soft=days.SOFT)
    x = days.random_day(rng, 7, 3, several=several, optional=optional)
    y = random_plan(rng, x.size, x.rows)
    total = days.measured(x, y)
    assert -domain.features(x, y)[2:] == pytest.approx([total[name] for name in days.SOFT])
    again = domain.decode_problem(json.loads(json.dumps(domain.encode_problem(x))))
    assert np.array_equal(domain.features(again, y), domain.features(x, y))
    phi, cells = domain.features(x, y), domain.by_cell(x, y)
    summed = [k for k, name in enumerate(domain.feature_names) if name not in ("unserved", "longest shift")]
    assert cells.sum(axis=0)[summed] == pytest.approx(phi[summed])
    (view,) = domain.show(x, y)
    stops = [stop for route in view["routes"] for stop in route["stops"]]
    assert sum(late for *_, late in stops) == pytest.approx(total["lateness"])
    assert sum(max(0.0, begin - at) for at, begin, *_ in stops) == pytest.approx(total["waiting"])
    assert np.sum([route["amounts"] for route in view["routes"]], axis=0) == pytest.approx(-phi[:2])


def test_features_equal_those_of_pyvrp() -> None:
    pyvrp = pytest.importorskip("pyvrp")
    rng = np.random.default_rng(0)
    domain, n, m = Plans(1, soft=days.SOFT), 12, 3
    for _ in range(20):
        minutes = rng.integers(1, 30, (n + 1, n + 1))
        opens = rng.integers(0, 200, n + 1)
        windows = [(float(a), float(a + 40)) for a in opens]
        visits = Visits(service=np.full(n + 1, 5.0), windows=[None, *([one] for one in windows[1:])])
        capacity, loads = 10, np.append(0, rng.integers(1, 6, n))
        shifts = Shifts(hours=[(10.0, 300.0)] * m, longest=[200.0] * m)
        x = Day.of(minutes, loads, np.full(m, capacity), minutes=minutes, visits=visits, shifts=shifts)
        data = pyvrp.ProblemData(
            [pyvrp.Location(0, 0) for _ in range(n + 1)],
            [
                pyvrp.Client(k, delivery=[int(loads[k])], service_duration=5, tw_early=int(a), tw_late=int(b))
                for k, (a, b) in enumerate(windows)
                if k
            ],
            [pyvrp.Depot(0)],
            [pyvrp.VehicleType(m, capacity=[capacity], tw_early=10, tw_late=300, shift_duration=200)],
            [minutes - np.diag(np.diag(minutes))],
            [minutes - np.diag(np.diag(minutes))],
        )
        y = random_plan(rng, n, m)
        theirs = [pyvrp.Route(data, [v - 1 for v in route.tolist()], 0) for route in y if len(route)]
        ours = dict(zip(days.SOFT, -domain.features(x, y)[1:], strict=True))
        assert ours["lateness"] + ours["overtime"] == sum(route.time_warp() for route in theirs)
        assert ours["waiting"] == sum(route.wait_duration() for route in theirs)
        assert ours["overload"] * capacity == pytest.approx(sum(sum(one.excess_load()) for one in theirs))
        assert ours["vehicles"] == len(theirs)
        idle = sum(minutes[0, 0] for route in y if not len(route))
        assert -domain.features(x, y)[0] == idle + sum(route.distance() for route in theirs)


def test_apply_refuses_what_breaks_a_rule_unless_the_move_has_a_reason() -> None:
    minutes = 10.0 * (np.ones((4, 4)) - np.eye(4))
    visits = Visits(windows=[None, [(500, 510)], [(505, 520)], None], service=[0, 5, 5, 5])
    shifts = Shifts(hours=[(480, 700), (490, 700)], skills=[["crane"], []])
    day = Day.of(
        minutes,
        [0, 1, 1, 1],
        [3, 3],
        ["Depot", "Bridge St 25", "Mill Lane 2", "Dock 3"],
        minutes=minutes,
        visits=visits,
        shifts=shifts,
    )
    domain = Plans(1)
    y = (np.array([1, 2, 3]), np.array([], int))
    late: Move = {"op": "reverse", "args": [0, 1, 2]}
    with pytest.raises(ValueError, match=r"^Bridge St 25 would be reached at 8:40, 10 min late\.$"):
        domain.apply(day, y, late)
    z = domain.apply(day, y, {**late, "anyway": "the customer agreed"})  # type: ignore[typeddict-unknown-key]
    assert domain.broken(day, z) == ["Bridge St 25 would be reached at 8:40, 10 min late."]
    assert domain.broken(day, y) == []
    assert Plans(1, soft=("lateness",)).apply(day, y, late)[0].tolist() == [2, 1, 3]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), stops=st.integers(1, 14), vehicles=st.integers(1, 5))
def test_edits_towards_lead_to_the_goal(seed: int, stops: int, vehicles: int) -> None:
    rng = np.random.default_rng(seed)
    domain = Plans(features=1)
    x = Day.of(rng.random((stops + 1, stops + 1)), np.append(0, np.ones(stops)), np.full(vehicles, 20.0))
    y, goal = random_plan(rng, stops, vehicles), random_plan(rng, stops, vehicles)
    moves = domain.edits_towards(x, y, goal)
    z = y
    for move in moves:
        z = domain.apply(x, z, move)
    assert routes_of(z) == routes_of(goal)
    assert len(moves) <= 2 * (stops + vehicles)
    assert domain.edits_towards(x, goal, goal[::-1]) == []  # vehicles are alike
    assert bool(moves) == (routes_of(y) != routes_of(goal))


def test_edits_towards_finds_a_single_edit() -> None:
    domain = Plans(features=1)
    x = Day.of(np.ones((9, 9)), np.append(0, np.ones(8)), [20.0, 20.0])
    y = (np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8]))
    for move in (
        {"op": "reverse", "args": [0, 2, 4]},
        {"op": "move", "args": [0, 1, 1, 3]},
        {"op": "swap", "args": [0, 2, 1, 3]},
        {"op": "tails", "args": [0, 1, 1, 2]},
    ):
        assert len(domain.edits_towards(x, y, domain.apply(x, y, move))) == 1


def test_solve_overloads_no_vehicle() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = Day.of(rng.random((11, 11)), np.append(0, rng.integers(1, 4, 10)), np.full(4, 8.0))
        assert Plans(features=1).overload(x, Plans(features=1).solve(x, np.ones(1))) == 0


def test_a_day_with_another_demand_has_its_tables() -> None:
    x = Day.of(np.ones((4, 4)), [0, 1, 1, 1], [2.0, 2.0])
    assert replace(x, demand=np.array([0.0, 1.0, 2.0, 1.0])).tables.points[2, kernel.DEMAND] == 2.0


def test_plans_raise_value_error_for_malformed_input() -> None:
    domain = Plans(features=1)
    x = Day.of(np.ones((4, 4)), [0, 1, 1, 1], [2.0, 2.0])
    y = (np.array([1, 2]), np.array([3]))
    with pytest.raises(ValueError, match="Stop 2 has demand 9; the largest vehicle holds 2"):
        Day.of(np.ones((4, 4)), [0, 1, 9, 1], [2.0, 2.0])
    with pytest.raises(ValueError, match="no route 7"):
        domain.apply(x, y, {"op": "move", "args": [7, 1, 0, 0]})
    with pytest.raises(ValueError, match="no position 4 on route 0"):
        domain.apply(x, y, {"op": "swap", "args": [0, 4, 1, 1]})
    with pytest.raises(ValueError, match="changes nothing"):
        domain.apply(x, y, {"op": "reverse", "args": [0, 2, 2]})
    with pytest.raises(ValueError, match="expected one of reverse, move, swap, tails"):
        domain.apply(x, y, {"op": "teleport", "args": []})
    with pytest.raises(ValueError, match="exactly once"):
        domain.decode_solution(x, [[1, 2], [2]])
