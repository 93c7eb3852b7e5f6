"""The same wishes counted three ways: by the kernels, by CP-SAT with decisions fixed, and in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.grids import GridModel, Instance, cpsat, pattern
from coactor.grids.searching import Search
from tests.grids import cases

ROSTER = cases.tutorial()
TIMETABLE = cases.timetable()


def week(rng: np.random.Generator, nurses: int) -> Instance:
    """A week of the tutorial with fewer nurses."""
    data = ROSTER.week(rng)
    few = {name: data[name][-nurses:] for name in data if name != "need"}
    few["mentor"] = [m if m in few["nurse"] else few["nurse"][0] if m else None for m in few["mentor"]]
    return ROSTER.roster.problem({**few, "need": data["need"]})


def counted(model: GridModel, x: Instance, y: Any) -> Any:
    return (model.features(x, y) * model.feature_signs)[: x.own]


@given(seed=st.integers(0, 10**6), nurses=st.integers(2, 12))
def test_roster_wishes_agree_with_plain_python(seed: int, nurses: int) -> None:
    rng = np.random.default_rng(seed)
    x = week(rng, nurses)
    y = rng.integers(4, size=x.shape)
    np.testing.assert_allclose(counted(ROSTER.roster, x, y), cases.count_roster(x, y), atol=1e-9)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 5))
def test_timetable_wishes_agree_with_plain_python(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x = TIMETABLE.problem(cases.lessons(rng, n))
    y = rng.integers(6, size=x.shape)
    np.testing.assert_allclose(counted(TIMETABLE, x, y), cases.count_timetable(x, y), atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), known=st.integers(0, 2))
def test_cp_sat_finds_the_best_of_all_solutions_with_the_same_cells_fixed(
    seed: int, n: int, known: int
) -> None:
    """Broken rules count first, then wishes."""
    pytest.importorskip("ortools")
    rng = np.random.default_rng(seed)
    x = TIMETABLE.problem(cases.lessons(rng, n))
    search = Search(x, rng.standard_normal(TIMETABLE.dim))
    y, free = rng.integers(6, size=n), np.arange(min(known, n - 1), n)
    z, proven = cpsat.Programs(search).solve(y, free, 10.0)
    fixed = y.tolist()[: n - free.size]
    every = (np.array([*fixed, *rest]) for rest in np.ndindex(*(6,) * free.size))
    assert proven
    assert search.worth(z) == pytest.approx(max(map(search.worth, every)), abs=1e-3)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_effects_of_edits_agree_with_evaluating_the_result(seed: int) -> None:
    from coactor.kernels import grids

    rng = np.random.default_rng(seed)
    for model, x in ((ROSTER.roster, week(rng, 4)), (TIMETABLE, TIMETABLE.problem(cases.lessons(rng, 4)))):
        y = rng.integers(x.wishes.choices, size=x.shape)
        here = model.features(x, y)
        for edit, change in zip(x.edits, model.edit_features(x, y, x.edits), strict=True):
            z = y.ravel().copy()
            grids.perform(z, edit, x.stride)
            np.testing.assert_allclose(model.features(x, z) - here, change, atol=1e-9)


def test_patterns_reach_as_far_into_the_past_as_it_is_known() -> None:
    model = GridModel(
        over={"nurse": ["Ana"], "day": ["Mon", "Tue"]},
        choose={"shift": ["off", "work"]},
        axes={"back": ["Sat", "Sun"]},
        data={"week": "nurse back -> shift"},
    )
    work = model.has("work")
    model.wish("Third day in a row", pattern(work, work, work, along="day", past="week"))
    model.wish("Fourth day in a row", pattern(*[work] * 4, along="day", past="week"))
    model.wish("Five days in a row", pattern(*[work] * 5, along="day", past="week"))
    model.wish("Third of four", (work.window("day", 4, past="week") - 2).above())
    y = np.array([[1, 1]])
    known = model.problem({"week": [["work", "work"]]})
    assert (-model.features(known, y)).tolist() == [2.0, 1.0, 0.0, 2.0]
    unknown = model.problem({"week": [[None, "work"]]})
    assert (-model.features(unknown, y)).tolist() == [1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: m.chosen.per("nurs"), "expected nurse"),
        (lambda m: m.chosen.at(shift="nigt"), "expected night"),
        (lambda m: m.chosen.times("hours"), "Data 'hours' is not known"),
        (lambda m: m.chosen.times("last"), "hold positions"),
        (lambda m: m.chosen + m.has("off"), "cannot be added"),
        (lambda m: m.chosen.lookup(nurse="last"), "-> nurse"),
        (lambda m: m.changed("last"), "to be a plan"),
        (lambda m: m.chosen.window("day", 0), "at least 1"),
        (lambda m: m.chosen.window("day", 8), "A window of 8 does not fit on axis 'day'"),
        (lambda m: m.rule("a", 5), "'a' must have a new name and an expression of this model"),
        (lambda m: pattern(m.has("off"), m.chosen, along="day"), "same axes"),
        (lambda m: pattern(m.has("off"), 1 - m.has("off"), along="day", past="last"), "has()"),
    ],
)
def test_an_expression_that_cannot_be_built_is_refused_where_it_is_written(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(ROSTER.roster)
