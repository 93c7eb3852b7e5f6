"""Wrong arguments: one sentence, and nothing changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, check_learner, connect, domains, lab, open_study, solvers
from coactor.archives import evaluate
from coactor.grids import GridModel
from coactor.protocol import Problem
from coactor.solvers.pyvrp_engine import solve_day
from coactor.studies import NotFound

TOUR = domains.Tour(points=6, features=2)
X: Problem = next(TOUR.sample(np.random.default_rng(0), 1))
MODEL = GridModel(over={"job": ["cut"]}, choose={"machine": ["A", "B"]})
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"costs": {"reverse": -1}}, "cost of the move 'reverse' must be a number from 0"),
        ({"costs": {"reverse": NAN}}, "must be a number from 0 .* found nan"),
        ({"costs": {"reverse": "x"}}, "must be a number from 0 .* found 'x'"),
        ({"costs": 5}, "'costs' is 5; expected Mapping"),
        ({"seed": "x"}, "seed is 'x'; it must be a whole number"),
        ({"seed": -1}, "seed is -1; it must be a whole number of at least 0"),
        ({"solver": 5}, "The solver is 5; expected a function"),
        ({"proposals": None}, "The strategy is None; expected a function"),
        ({"habits": "yes"}, "'habits' is 'yes'; expected true or false"),
        ({"budget": NAN}, "budget in seconds must be a number from 0"),
    ],
)
def test_session_refuses_wrong_options(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Session(TOUR, "default", **options)


@pytest.fixture(params=["session", "study"])
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A session or a study, and its open proposal p."""
    if request.param == "session":
        session = Session(TOUR, "default")
        yield SimpleNamespace(s=session, p=session.ask(X))
        return
    with open_study(f"sqlite:///{tmp_path}/desk.db", "desk", TOUR, create=True) as study:
        yield SimpleNamespace(s=study, p=study.ask(X))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, p: s.ask(None), "roblem"),
        (lambda s, p: s.ask("x"), "roblem"),
        (lambda s, p: s.ask(X, key=5), "The key must be text"),
        (lambda s, p: s.ask(X, label=5), "The label must be text"),
        (lambda s, p: s.ask(X, keep=5), "The parts to keep must be a list; found 5"),
        (lambda s, p: s.tell(True, moves=[]), "True is not a proposal"),
        (lambda s, p: s.tell("1", moves=[]), "'1' is not a proposal"),
        (lambda s, p: s.tell(None, moves=[]), "None is not a proposal"),
        (lambda s, p: s.tell(p, 5), "The correction is 5; expected Correction"),
        (lambda s, p: s.tell(p, [1, 2]), r"The correction is \[1, 2\]"),
        (lambda s, p: s.tell(p, moves=5), "The moves must be a list; found 5"),
        (lambda s, p: s.tell(p, moves={"op": "reverse", "args": [1, 2]}), "The moves must be a list"),
        (lambda s, p: s.tell(p, moves=[], work=5), "The work is 5; expected Work"),
        (lambda s, p: s.tell(p, moves=[], learn="no"), "'learn' is 'no'; expected true or false"),
        (
            lambda s, p: s.tell(p, moves=[{"op": "reverse", "args": [1, 2], "anyway": True}]),
            "'anyway' must be a text, the reason",
        ),
        (lambda s, p: s.replan(None, moves=[]), "None is not a proposal"),
        (lambda s, p: s.replan(p, moves=[], keep=5), "The parts to keep must be a list; found 5"),
    ],
)
def test_wrong_arguments_are_refused_and_change_nothing(
    asked: Any, call: Callable[[Any, Any], Any], message: str
) -> None:
    before = asked.s.weights()
    with pytest.raises(ValueError, match=message):
        call(asked.s, asked.p)
    assert not asked.s.effort()
    np.testing.assert_array_equal(asked.s.weights(), before)
    assert asked.s.tell(asked.p, moves=[]).proposal == 1  # it is still open


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": 5}, "5 is not a domain"),
        ({"settings": 5}, "'settings' is 5"),
        ({"settings": {"costs": 5}}, "'costs' is 5"),
        ({"settings": {"seed": "x"}}, "seed is 'x'"),
        ({"settings": {"habits": 5}}, "'habits' is 5; expected true or false"),
    ],
)
def test_open_study_refuses_wrong_arguments_and_creates_nothing(
    arguments: Any, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "desk.db"
    with pytest.raises(ValueError, match=message):
        open_study(f"sqlite:///{file}", "desk", **{"domain": TOUR, "create": True, **arguments})
    assert not file.exists()


def test_open_study_creates_no_store_unless_asked_to(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"There is no store sqlite:///.*desk\.db"):
        open_study(f"sqlite:///{tmp_path}/desk.db", "desk", TOUR)
    assert not (tmp_path / "desk.db").exists()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: connect("http://localhost", "", token="t"), "'' is not a valid name"),
        (lambda: connect(None, "desk", token="t"), "The URL must be text"),
        (lambda: connect("http://localhost", "desk", token="t", domain=5), "5 is not a domain"),
        (lambda: SimulatedExpert(None, weights=[1.0]), "None is not a domain"),
        (lambda: check_learner("PER"), "'PER' cannot be called; give a class"),
        (lambda: evaluate("trips", ["PER"]), "The archive is 'trips'; expected Archive"),
        (lambda: lab.compare(["PER"], runs=1.5), "runs is 1.5; it must be a whole number"),
        (lambda: MODEL.chosen.times(NAN), "contain NaN or infinity"),
        (lambda: MODEL.chosen.times(None), "contain NaN or infinity|cannot be read"),
        (lambda: MODEL.chosen.above(NAN), "contain NaN or infinity"),
        (
            lambda: GridModel(over={"job": ["cut"]}, choose={"machine": ["A"]}, effort=NAN),
            "The effort must be a number from 0",
        ),
        (lambda: MODEL.has(), "Name the axis of the choices"),
        (lambda: solvers.ortools(TOUR, seconds=INF), "must be a finite number above 0"),
        (lambda: solvers.pyvrp(TOUR, seconds=INF), "must be a finite number above 0"),
        (lambda: solve_day(None, None, None, NAN, "own"), "must be a finite number above 0"),
    ],
)
def test_other_calls_are_refused_with_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_compare_takes_the_name_of_one_learner() -> None:
    assert len(list(lab.compare("PER", panel="path-clean", runs=1, examples=2, jobs=1))) == 1
