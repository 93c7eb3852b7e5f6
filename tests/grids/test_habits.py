from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor import Session
from coactor.grids import GridModel
from coactor.habits import Memory, past_case, recall


def small() -> GridModel:
    model = GridModel(over={"nurse": ["Ana", "Ben"], "day": ["Mon", "Tue"]}, choose={"shift": ["off", "on"]})
    model.rule("One on each day", 1 - model.has("on").per("day"))
    model.wish("Work", model.has("on"))
    return model


def test_grids_have_habits_in_their_kernels() -> None:
    model = small().with_habits()
    x = model.problem({})
    y = np.array([[1, 0], [0, 1]])
    assert model.feature_names == ("Work", "broken: One on each day", "unusual in similar cases")
    assert model.features(x, y)[2] == 0.0
    one = Memory([past_case(model, x, y)])
    full = model.extend(x, recall(one, model, x))
    usual = model.features(full, y)[2]
    other = model.features(full, 1 - y)[2]
    assert usual == pytest.approx(-4 * 0.1835)
    assert other == -4.0  # four cells, none of them as before
    coactor.check_domain(model, [x, full])
    again = model.extend(full, recall(one, model, full))
    assert np.array_equal(model.features(again, y), model.features(full, y))
    assert np.array_equal(model.solve(full, np.array([0.1, 0.0, 1.0])), y)


def test_a_session_learns_who_works_when() -> None:
    session = Session(small(), "default", habits=True)
    wanted = np.array([[0, 1], [1, 0]])
    for _ in range(4):
        session.tell(session.ask(session.domain.problem({})), solution=wanted)  # type: ignore[attr-defined]
    assert np.array_equal(session.ask(session.domain.problem({})).solution, wanted)  # type: ignore[attr-defined]
