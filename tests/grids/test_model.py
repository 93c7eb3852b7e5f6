"""A model as a domain: rules, edits, solver, plain data, words."""

from __future__ import annotations

import json
import sys
from copy import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coactor
from coactor.grids import GridModel, Instance, cpsat, pattern, searching
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
    amounts = ROSTER.features(x, y)[x.own :]
    assert {rule for rule, amount in zip(ROSTER.rules, amounts, strict=True) if amount < 0} == dict(
        expected
    ).keys()
    ROSTER.check_solution(x, y)


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


def tight(days: int = 28) -> GridModel:
    """Rules about runs, which single changes and exchanges cannot leave."""
    model = GridModel(
        over={"nurse": None, "day": [str(k + 1) for k in range(days)]},
        choose={"shift": ["off", "early", "late"]},
        data={"leave": "nurse day", "need": "day shift"},
    )
    off, work, late, early = model.has("off"), ~model.has("off"), model.has("late"), model.has("early")
    model.rule("At most five in a row", work.window("day", 6).above(5))
    model.rule("No single shift", pattern(off, work, off, along="day"))
    model.rule("No single day off", pattern(work, off, work, along="day"))
    model.rule("No early after a late", pattern(late, early, along="day"))
    model.rule("18 to 20 shifts", work.per("nurse").above(20))
    model.rule("At least 18 shifts", work.per("nurse").below(18))
    model.rule("Leave", work.times("leave"))
    model.wish("Too few", (model.chosen.per("day", "shift") - "need").below())
    return model


@pytest.mark.parametrize("seed", range(3))
def test_the_search_breaks_rules_about_runs_only_where_it_must(seed: int) -> None:
    pytest.importorskip("ortools")
    model, rng = tight(), np.random.default_rng(seed)
    data = {
        "nurse": [f"n{k}" for k in range(10)],
        "leave": rng.random((10, 28)) < 0.08,
        "need": [[0, 3, 3]] * 28,
    }
    x, w = model.problem(data), np.ones(model.dim)
    search = searching.Search(x, w)
    y = search.anneal(100_000)
    best, proven = cpsat.Programs(search).solve(y, search.free, 30.0)
    assert proven
    assert search.worth(y) == search.worth(best)


def test_with_more_time_the_answer_is_at_least_as_good_as_the_start() -> None:
    model, rng = tight(7), np.random.default_rng(0)
    data = {"nurse": ["Ana", "Ben", "Cleo"], "leave": np.zeros((3, 7)), "need": [[0, 1, 1]] * 7}
    x, w = model.problem(data), rng.random(model.dim)
    search = searching.Search(x, w)
    for installed in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not installed:
                patch.setitem(sys.modules, "ortools.sat.python", None)
            start = model.solve(x, w)
            assert search.worth(model.solve(x, w, start=start, seconds=0.2)) >= search.worth(start)
            np.testing.assert_array_equal(start, model.solve(x, w))


def test_the_memory_of_a_solve_does_not_depend_on_its_steps() -> None:
    x, w = week(0), np.ones(ROSTER.dim)
    search, drawn = searching.Search(x, w), []
    draw = search._draw
    search._draw = lambda count: drawn.append(count) or draw(count)  # type: ignore[method-assign,func-returns-value]
    search.anneal(3_000_000)
    assert max(drawn) <= searching.CHUNK


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), nurses=st.integers(2, 4), installed=st.booleans())
def test_solve_breaks_as_few_rules_as_possible_and_names_them(
    seed: int, nurses: int, installed: bool
) -> None:
    """Whatever the data; CP-SAT is the judge."""
    pytest.importorskip("ortools")
    rng, thorough = np.random.default_rng(seed), copy(ROSTER)
    thorough.steps = 2000
    data = EXAMPLE.week(rng)
    few = {name: data[name][-nurses:] for name in data} | {"mentor": [None] * nurses}
    few |= {"leave": rng.random((nurses, 7)) < 0.2, "need": rng.integers(0, 3, (7, 4))}
    x, w = ROSTER.problem(few), rng.standard_normal(ROSTER.dim)
    with pytest.MonkeyPatch.context() as patch:
        if not installed:
            patch.setitem(sys.modules, "ortools.sat.python", None)
        y = thorough.solve(x, w)
    assert {(b.rule, b.place) for b in ROSTER.broken(x, y)} == cases.broken_in_roster(x, y)
    search = searching.Search(x, w)
    best, proven = cpsat.Programs(search).solve(y, search.free, 30.0)
    assert proven
    assert search.worth(y)[0] == pytest.approx(search.worth(best)[0], abs=0.0 if installed else 0.1)


def test_of_rules_that_contradict_each_other_the_least_important_is_broken() -> None:
    model = GridModel(over={"job": ["a", "b", "c"]}, choose={"machine": ["M", "N"]})
    model.rule("One job on M", model.chosen.at(machine="M").per("machine").above(1))
    model.rule("One job on N", model.chosen.at(machine="N").per("machine").above(1))
    model.wish("On M", model.has("M"), more=True)
    x = model.problem({})
    rules = [[b.rule for b in model.broken(x, model.solve(x, np.array([9.0, *w])))] for w in ((1, 1), (1, 2))]
    assert rules == [["One job on N"], ["One job on M"]]
    assert model.broken(x, model.solve(x, np.array([9.0])))[0].amount == 1.0


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_draft_that_breaks_rules_is_edited_where_no_rule_gets_worse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = week(seed)
    y = rng.integers(4, size=x.shape)
    here = ROSTER.features(x, y)[x.own :]
    listed = {json.dumps(move) for move in ROSTER.moves(x, y)}
    for edit in x.edits[seed % 7 :: 7]:
        (move,) = coactor.grids.edits.to_moves(x, edit[None])
        try:
            z = ROSTER._edited(x, y, move)
        except ValueError:
            continue
        worse = [
            r for r, more in zip(ROSTER.rules, here - ROSTER.features(x, z)[x.own :], strict=True) if more > 0
        ]
        if worse:
            with pytest.raises(ValueError, match="breaks") as refusal:
                ROSTER.apply(x, y, move)
            assert all(repr(rule) in str(refusal.value) for rule in worse)
            np.testing.assert_array_equal(ROSTER.apply(x, y, {**move, "anyway": "ill"}), z)  # type: ignore[typeddict-unknown-key]
        else:
            np.testing.assert_array_equal(ROSTER.apply(x, y, move), z)
        assert not worse or json.dumps(move) not in listed


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(0, 30))
def test_replan_keeps_what_it_must_and_is_never_worse(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = week(seed), rng.standard_normal(ROSTER.dim)
    y = ROSTER.solve(x, w)
    wanted = ROSTER.parts(x, rng.integers(4, size=x.shape))
    keep = frozenset(wanted[k] for k in rng.choice(y.size, count, replace=False))
    draft = y.copy()
    for k in (k for k, part in enumerate(wanted) if part in keep):
        draft.flat[k] = ["off", "morning", "evening", "night"].index(wanted[k][-1])
    z = ROSTER.replan(x, w, y, keep)
    assert keep <= set(ROSTER.parts(x, z))
    search = searching.Search(x, w)
    assert search.worth(z) >= search.worth(draft)
    if (
        np.isclose(*(search.worth(one)[1] for one in (z, draft)))
        and search.worth(z)[0] == search.worth(draft)[0]
    ):
        np.testing.assert_array_equal(z, draft)
    with pytest.raises(ValueError, match="cannot both be kept"):
        ROSTER.replan(x, w, y, {("Ana", "Mon", "off"), ("Ana", "Mon", "night")})
    with pytest.raises(ValueError, match="has no part"):
        ROSTER.replan(x, w, y, {("Ana", "Mon", "late")})


@pytest.mark.parametrize("first", ["Sick", "Intensive care"])
def test_replan_prefers_the_rule_that_was_broken_on_purpose(first: str) -> None:
    """Ana is sick, Ben is taken off: Cleo can work, but not alone in intensive care."""
    model = GridModel(
        over={"nurse": ["Ana", "Ben", "Cleo"], "day": ["Mon"]},
        choose={"shift": ["off", "night"]},
        data={"sick": "nurse", "trained": "nurse"},
    )
    night = model.has("night")
    rules = {
        "Sick": night.times("sick"),
        "Intensive care": night.times("trained").per("day").below(1),
        "One at night": night.per("day").below(1),
    }
    for name in sorted(rules, key=lambda name: name != first):
        model.rule(name, rules[name])
    model.wish("Nights", night)
    x = model.problem({"sick": [1, 0, 0], "trained": [1, 1, 0]})
    draft = model.apply(
        x, np.array([[0], [1], [0]]), {"op": "set", "args": [1, 0, 0], "anyway": "Ben is ill"}
    )  # type: ignore[typeddict-unknown-key]
    z = model.replan(x, np.ones(model.dim), draft, [("Ben", "Mon", "off")])
    assert z.tolist() == [[0], [0], [1]]


def test_replan_changes_little_around_one_ill_nurse(x: Instance, y: Any) -> None:
    w = np.ones(ROSTER.dim)
    np.testing.assert_array_equal(ROSTER.replan(x, w, y, frozenset()), y)
    nurse, day = map(int, np.argwhere(y > 0)[0])
    place = (x.positions["nurse"][nurse], x.positions["day"][day], "off")
    z = ROSTER.replan(x, w, y, {place})
    assert z[nurse, day] == 0
    assert not ROSTER.broken(x, z)
    assert 1 < (z != y).sum() < 15


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_parts_of_cells_add_up_to_the_features(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for model, x in ((ROSTER, week(seed)), (cases.timetable(), None)):
        x = model.problem(cases.lessons(rng, 4)) if x is None else x
        y = rng.integers(x.phi.choices, size=x.shape)
        np.testing.assert_allclose(model.by_cell(x, y).sum(axis=0), model.features(x, y), atol=1e-9)


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
    assert cases.timetable().feature_signs == [-1, -1, -1, -1, 1, -1, -1, -1]
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


def test_advice_names_rules_that_are_broken_often_and_wishes_that_might_be_rules() -> None:
    model = GridModel(over={"nurse": ["Ana"], "day": ["Mon", "Tue"]}, choose={"shift": ["off", "on"]})
    model.rule("Free on Mon", model.has("on").at(day="Mon"))
    model.wish("Work on Tue", model.has("on").at(day="Tue"))
    model.wish("Work", model.has("on"))
    x = model.problem({})
    finals = [(x, np.array([[int(k < 6), 0]])) for k in range(40)]
    assert model.advice(finals, "weeks") == [
        "The rule 'Free on Mon' was broken 6 times in 40 weeks: make it a wish?",
        "In 40 weeks there was no 'Work on Tue': make it a rule?",
    ]
    assert model.advice(finals[6:15], "weeks") == []  # too few to say


def test_marks_and_needs_and_broken_rules_are_shown(x: Instance) -> None:
    y = np.zeros(x.shape, np.int64)
    y[np.nonzero(x.data["leave"])] = 1
    (shown,) = json.loads(json.dumps(ROSTER.show(x, y)))
    marks = {mark["name"]: mark for mark in shown["marks"]}
    assert marks["senior"] == {"name": "senior", "symbol": "★", "axis": "nurse", "at": [0, 1, 2, 3, 4]}
    assert marks["leave"]["at"] == np.flatnonzero(x.data["leave"]).tolist()
    chosen = np.take_along_axis(x.data["dislike"], y[..., None], 2)[..., 0]
    assert marks["dislike"]["at"] == np.flatnonzero(chosen).tolist()
    assert shown["margins"][1]["need"] == x.data["need"][:, 1:].tolist()
    cells = [one["cells"] for one in shown["broken"] if one["rule"] == "Leave"]
    assert sorted(cells) == [[cell] for cell in np.flatnonzero(x.data["leave"])]
    with pytest.raises(ValueError, match="one or two characters"):
        ROSTER.mark("last", "L")


def test_colours_have_three_or_six_digits() -> None:
    model = GridModel(over={"job": ["a"]}, choose={"machine": {"M": "#abc", "N": "#123456"}})
    assert model.colours == {"machine": {"M": "#aabbcc", "N": "#123456"}}
    with pytest.raises(ValueError, match="The colour of 'M' is 'redd'"):
        GridModel(over={"job": ["a"]}, choose={"machine": {"M": "redd"}})


def test_models_and_problems_have_a_short_repr(x: Instance) -> None:
    assert repr(ROSTER) == "<GridModel of nurse x day, choices shift: 5 rules, 15 wishes>"
    assert repr(x) == "<Problem of 12 nurse x 7 day, choices 4 shift>"


def test_a_budget_gives_the_solver_what_the_candidates_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    solve = GridModel.solve

    def watched(self: GridModel, x: Instance, w: Any, *, start: Any = None, seconds: Any = None) -> Any:
        given.append(seconds)
        return solve(self, x, w, start=start, seconds=seconds and 0.01)

    monkeypatch.setattr(GridModel, "solve", watched)
    data = EXAMPLE.week(np.random.default_rng(0))
    coactor.Session(ROSTER, "PER", budget=1000.0).ask(data)
    assert 500 < max(one for one in given if one) < 1000
    given.clear()
    coactor.Session(ROSTER, "PER").ask(data)
    assert set(given) == {None}
