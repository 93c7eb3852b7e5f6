"""A model as a domain: rules, edits, solver, plain data, words."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coactor
from coactor.grids import GridModel, Instance, searching
from coactor.kernels import grids
from tests.grids import cases

EXAMPLE = cases.tutorial()
ROSTER: GridModel = EXAMPLE.roster
ROSTER.steps = 100  # quick, and good enough for tests
FEW = 4  # of the nurses, and two of the shifts: check_domain applies every move several times


def week(seed: int) -> Instance:
    return next(ROSTER.sample(np.random.default_rng(seed), n=1))


@pytest.fixture(scope="module")
def x() -> Instance:
    return week(1)


@pytest.fixture(scope="module")
def y(x: Instance) -> Any:
    return ROSTER.solve(x, np.ones(ROSTER.dim))


def test_tutorial_model_passes_check_domain() -> None:
    data = EXAMPLE.week(np.random.default_rng(2))
    small = {name: data[name][-FEW:] for name in data} | {"mentor": [None] * FEW, "leave": np.zeros((FEW, 7))}
    coactor.check_domain(ROSTER, [ROSTER.problem(small | {"need": [[0, 1, 1, 0]] * 7})])


def test_timetable_passes_check_domain() -> None:
    model = cases.timetable()
    coactor.check_domain(model, [model.problem(cases.lessons(np.random.default_rng(3), 5))])


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_every_broken_rule_is_named_with_its_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = week(seed)
    y = rng.integers(4, size=x.shape)
    expected = cases.broken_in_roster(x, y)
    assert {(b.rule, b.place) for b in ROSTER.broken(x, y)} == expected
    with pytest.raises(ValueError, match="breaks the rule") as refusal:
        ROSTER.check_solution(x, y)
    assert all(rule in str(refusal.value) for rule, _ in expected)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_the_edits_offered_are_those_that_keep_every_rule(seed: int) -> None:
    x = week(seed)
    y = ROSTER.solve(x, np.random.default_rng(seed).standard_normal(ROSTER.dim))
    offered = {json.dumps(move) for move in ROSTER.moves(x, y)}
    for edit in x.edits[seed % 5 :: 5]:
        z = y.ravel().copy()
        grids.perform(z, edit, x.stride)
        ends = [edit[1], edit[1] + (edit[3] - 1) * x.stride] if edit[0] == grids.EXCHANGE else [edit[1]]
        changes = all(z[end] != y.ravel()[end] for end in ends)
        legal = changes and not cases.broken_in_roster(x, z.reshape(x.shape))
        (move,) = coactor.grids.edits.to_moves(x, edit[None])
        assert (json.dumps(move) in offered) == legal


def test_apply_names_the_rule_that_a_move_would_break(x: Instance, y: Any) -> None:
    nurse, day = map(int, np.argwhere((x.data["leave"] == 1) & (y == 0))[0])
    move: Any = {"op": "set", "args": [nurse, day, 1]}
    words = f"{x.positions['nurse'][nurse]}, {x.positions['day'][day]}: morning"
    with pytest.raises(ValueError, match=rf"{words}: this breaks the rule.* 'Leave'"):
        ROSTER.apply(x, y, move)


@pytest.mark.parametrize(
    "move",
    [
        {"op": "trade", "args": [0, 0]},
        {"op": "set", "args": [0, 0]},
        {"op": "set", "args": [12, 0, 1]},
        {"op": "set", "args": [0, 0, -1]},
        {"op": "swap", "args": [0, 0, 0, 0]},
        {"op": "swap", "args": [0, 0, 1, 1]},
        {"op": "block", "args": [0, 0, 1, 0, 1]},
        {"op": "block", "args": [0, 5, 1, 5, 3]},
        {"op": "block", "args": [0, 0, 1, 0, True]},
        None,
    ],
)
def test_apply_refuses_what_is_not_a_move(x: Instance, y: Any, move: Any) -> None:
    with pytest.raises(ValueError, match=r"move|args"):
        ROSTER.apply(x, y, move)


def test_setting_a_cell_to_what_it_has_is_refused(x: Instance, y: Any) -> None:
    with pytest.raises(ValueError, match="changes nothing"):
        ROSTER.apply(x, y, {"op": "set", "args": [0, 0, int(y[0, 0])]})


def test_edits_between_counts_exchanges_once() -> None:
    x, plan = week(4), np.random.default_rng(4).integers(4, size=(12, 7))
    plan[:3, :3] = [[0, 1, 2], [1, 2, 3], [2, 3, 0]]
    swapped, block, rotated = plan.copy(), plan.copy(), plan.copy()
    swapped[[0, 1], 0] = plan[[1, 0], 0]
    block[[0, 1], :3] = plan[[1, 0], :3]
    rotated[[0, 1, 2], 0] = plan[[1, 2, 0], 0]
    counts = [ROSTER.edits_between(x, plan, z) for z in (plan, swapped, block, rotated)]
    assert counts == [0, 1, 1, 2]


@given(seed=st.integers(0, 10**6), steps=st.integers(0, 3))
@settings(max_examples=10)
def test_edits_between_is_at_most_the_number_of_cells_that_differ(seed: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    x = week(seed)
    y = rng.integers(4, size=x.shape)
    z = y.copy()
    for _ in range(steps):
        z[rng.integers(12), rng.integers(7)] = rng.integers(4)
    assert ROSTER.edits_between(x, y, z) <= (y != z).sum()


def test_solve_is_deterministic_and_no_move_improves_its_answer(x: Instance) -> None:
    w = np.random.default_rng(0).lognormal(size=ROSTER.dim)
    y = ROSTER.solve(x, w)
    np.testing.assert_array_equal(y, ROSTER.solve(x, w))
    assert ROSTER.landscape(x, w).gains(y).max() <= 1e-9


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), best=st.booleans(), kappa=st.sampled_from([0.0, 1.0]))
def test_climbing_makes_the_first_or_the_best_of_the_moves_that_gain(
    seed: int, best: bool, kappa: float
) -> None:
    rng, x = np.random.default_rng(seed), week(seed)
    y = ROSTER.solve(x, np.ones(ROSTER.dim))
    view = ROSTER.landscape(x, rng.standard_normal(ROSTER.dim))
    path, moves = view.climb(y, kappa=kappa, best=best, limit=4)
    for here, move in zip(path, moves, strict=False):
        gains = view.gains(here)
        good = np.flatnonzero((gains >= kappa) & (gains > 1e-9))
        assert move == ROSTER.moves(x, here)[good[gains[good].argmax()] if best else good[0]]
    assert len(moves) == 4 or not (view.gains(path[-1]) > max(kappa, 1e-9)).any()


def test_the_search_goes_on_where_a_rule_is_still_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    tastes = [np.random.default_rng(seed).standard_normal(ROSTER.dim) for seed in range(12)]
    tasks = [(week(seed), w) for seed, w in enumerate(tastes)]

    def broken() -> int:
        left = [searching.anneal(x, ROSTER.landscape(x, w).value, 12 * 84)[1] for x, w in tasks]
        return sum(amount > grids.KEPT for amount in left)

    assert broken() == 0
    monkeypatch.setattr(searching, "PRICES", searching.PRICES[:1])
    assert broken() > 0


def test_cp_sat_is_asked_where_the_search_breaks_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ortools")
    model, w = cases.timetable(), np.ones(6)
    x = model.problem(cases.lessons(np.random.default_rng(0), 5))
    best = max(
        w @ model.features(x, np.array(y)) for y in np.ndindex(*(6,) * 5) if not model.broken(x, np.array(y))
    )
    monkeypatch.setattr(coactor.grids.model, "anneal", lambda x, *_: (np.zeros(x.shape, np.int64), 1.0))
    y = model.solve(x, w)
    assert w @ model.features(x, y) == pytest.approx(best)
    np.testing.assert_array_equal(y, model.solve(x, w))


@pytest.mark.parametrize("installed", [True, False])
def test_rules_that_contradict_each_other_are_named(installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if installed:
        pytest.importorskip("ortools")
    else:
        monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    model = GridModel(over={"job": ["a", "b", "c"]}, choose={"machine": ["M", "N"]})
    model.rule("One job a machine", model.chosen.per("machine").above(1))
    model.wish("On M", model.has("M"))
    found = "keeps every rule, as CP-SAT proves" if installed else "that keeps every rule is found"
    with pytest.raises(ValueError, match=rf"No solution {found}; .* 'One job a machine'"):
        model.solve(model.problem({}), np.ones(1))


def test_a_problem_survives_json(x: Instance, y: Any) -> None:
    data = json.loads(json.dumps(ROSTER.encode_problem(x)))
    assert ROSTER.encode_problem(ROSTER.decode_problem(data)) == data
    model = cases.timetable()
    lessons = model.problem(cases.lessons(np.random.default_rng(0), 4))
    plain = json.loads(json.dumps(model.encode_problem(lessons)))
    assert plain["plan"][0] == ["lab", "Mon 9"]
    assert model.encode_problem(model.decode_problem(plain)) == plain
    names = [["off", "morning", "evening", "night"][k] for k in y[0]]
    mixed = [names, *json.loads(json.dumps(ROSTER.encode_solution(y)))[1:]]
    np.testing.assert_array_equal(ROSTER.decode_solution(x, mixed), y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"need": [[0, 3, 2, 2]]}, "Data 'need' have shape"),
        ({"need": "many"}, "Data 'need' cannot be read as numbers"),
        ({"contract": [float("nan")] * 12}, "NaN"),
        ({"last": ["late"] * 12}, "last: name 'late' is not known"),
        ({"last": ["off"]}, "last must be nested lists"),
        ({"mentor": [12] * 12}, "mentor holds '12'"),
        ({"nurse": ["Ana"] * 12}, "different names"),
        ({"extra": 1}, "exactly the entries"),
    ],
)
def test_a_problem_that_does_not_match_is_refused(change: dict[str, Any], message: str) -> None:
    data = EXAMPLE.week(np.random.default_rng(0)) | change
    with pytest.raises(ValueError, match=message):
        ROSTER.decode_problem(data)


@pytest.mark.parametrize(
    "data", [None, [], [[0] * 7] * 11, [[4] * 7] * 12, [[None] * 7] * 12, [["x"] * 7] * 12, [[0.5] * 7] * 12]
)
def test_a_solution_that_does_not_match_is_refused(x: Instance, data: Any) -> None:
    with pytest.raises(ValueError, match=r"solution|The solution"):
        ROSTER.decode_solution(x, data)


def test_moves_are_described_in_words(x: Instance) -> None:
    described = [
        ROSTER.describe_edit(x, ROSTER.solve(x, np.ones(ROSTER.dim)), {"op": op, "args": args})
        for op, args in (("set", [0, 1, 3]), ("swap", [0, 1, 2, 1]), ("block", [0, 1, 2, 1, 3]))
    ]
    assert described == ["Ana, Tue: night", "Exchange Ana and Cleo, Tue", "Exchange Ana and Cleo, Tue to Thu"]


def test_a_solution_shows_itself_as_a_grid_with_margins(x: Instance, y: Any) -> None:
    (shown,) = json.loads(json.dumps(ROSTER.show(x, y)))
    assert shown["names"]["shift"] == ["off", "morning", "evening", "night"]
    assert shown["cells"] == y.tolist()
    days, staff = shown["margins"]
    assert days["counts"] == (y > 0).sum(axis=1).tolist()
    assert staff["at"]["shift"] == [1, 2, 3]
    assert staff["counts"] == [[int((y[:, d] == s).sum()) for s in (1, 2, 3)] for d in range(7)]
    assert ROSTER.parts(x, y)[8] == ("Ben", "Tue", ["off", "morning", "evening", "night"][y[1, 1]])


def test_margins_may_have_an_axis_that_only_data_have() -> None:
    model = cases.timetable()
    model.margin("lessons", model.chosen.times("teaches").per("teacher"))
    x = model.problem(cases.lessons(np.random.default_rng(0), 3))
    (shown,) = model.show(x, np.zeros(3, np.int64))
    margin = shown["margins"][-1]
    assert len(shown["names"]["teacher"]) == len(margin["counts"])


def test_a_wish_after_the_first_problem_is_refused() -> None:
    model = cases.timetable()
    model.problem(cases.lessons(np.random.default_rng(0), 2))
    with pytest.raises(ValueError, match="come before any problem"):
        model.wish("Late", model.chosen)


def test_more_of_a_wish_is_a_merit_and_less_of_the_others_a_cost() -> None:
    assert set(ROSTER.feature_signs) == {-1}
    assert cases.timetable().feature_signs == [-1, -1, -1, -1, 1, -1]
    assert ROSTER.feature_names[:2] == ("Unwished shift (points)", "Refused day off (days)")


def test_edits_of_a_cell_name_the_rules_that_they_break(x: Instance, y: Any) -> None:
    cell = 9
    offers = ROSTER.edits_of(x, y, cell)
    allowed = [move for move in ROSTER.moves(x, y) if touches(x, move, cell)]
    assert [move for move, _, refused in offers if not refused] == allowed
    for move, change, refused in offers:
        z = ROSTER._edited(x, y, move)
        np.testing.assert_allclose(change, ROSTER.features(x, z) - ROSTER.features(x, y))
        assert bool(refused) == bool(cases.broken_in_roster(x, z))
        assert all(repr(rule) in refused for rule, _ in cases.broken_in_roster(x, z))
    with pytest.raises(ValueError, match="no cell 84"):
        ROSTER.edits_of(x, y, 84)


def touches(x: Instance, move: Any, cell: int) -> bool:
    at = list(map(int, np.unravel_index(cell, x.shape)))
    args = move["args"]
    return args[:2] == at or (move["op"] != "set" and args[2:4] == at)


def test_a_model_without_rules_can_be_solved() -> None:
    model = GridModel(over={"job": ["a", "b"]}, choose={"machine": ["M", "N"]}, swaps=[])
    model.wish("On M", model.has("M"), more=True)
    assert model.solve(model.problem({}), np.ones(1)).tolist() == [0, 0]


def test_grids_and_data_that_are_too_large_are_refused() -> None:
    model = GridModel(
        over={"job": None}, choose={"machine": ["M", "N"]}, axes={"tool": None}, data={"uses": "job tool"}
    )
    model.wish("Tools", model.chosen.times("uses").per("tool"))
    jobs, tools = [str(k) for k in range(4000)], [str(k) for k in range(20_000)]
    with pytest.raises(ValueError, match=r"more than \d+ edits"):
        model.problem({"job": jobs, "tool": ["t"], "uses": np.zeros((4000, 1))})
    with pytest.raises(ValueError, match=r"more than \d+ terms"):
        model.problem({"job": jobs[:600], "tool": tools, "uses": np.zeros((600, 20_000))})
