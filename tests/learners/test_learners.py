"""What every learner promises, whatever its formula."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, check_learner, learners
from coactor.learners import PA, PAI, BatchPER, CappedCSPER
from coactor.protocol import Feedback
from tests.cases import make_case

NAMES = learners.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_passes_check_learner(name: str) -> None:
    steady = not name.startswith("averaged")
    check_learner(lambda dim: learners.make(name, dim), steady=steady)
    check_learner(lambda dim: learners.make(name, dim), dim=1, steady=steady)


@settings(max_examples=40)
@given(st.sampled_from(NAMES), st.integers(0, 2**32 - 1), st.integers(0, 12))
def test_restored_learner_continues_bit_for_bit(name: str, seed: int, stop: int) -> None:
    case = make_case("tour", size=7, seed=seed)
    expert = SimulatedExpert(case.domain, case.rng.random(3), kappa=0.05)
    problems = list(case.domain.sample(case.rng, n=16))
    live = Session(case.domain, learners.make(name, 3), proposals="paper")
    for x in problems[:stop]:
        proposal = live.ask(x)
        live.tell(proposal, expert(x, proposal.solution))
    state = json.loads(json.dumps(live.learner.state()))
    again = Session(case.domain, learners.from_state(state), proposals="paper")
    for x in problems[stop:]:
        one, two = live.ask(x), again.ask(x)
        np.testing.assert_array_equal(one.solution, two.solution)
        live.tell(one, expert(x, one.solution))
        again.tell(two, expert(x, two.solution))
    assert json.dumps(live.learner.state()) == json.dumps(again.learner.state())
    assert live.learner.weights.tobytes() == again.learner.weights.tobytes()


def damaged(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The state with one thing wrong, each in turn."""
    out: list[dict[str, Any]] = [{**state, "learner": "another"}]
    for key, value in state.items():
        if key == "learner":
            continue
        out.append({k: v for k, v in state.items() if k != key})
        for bad in (None, "x", -1, [math.nan] * 3, {"f8": "?", "shape": [3]}):
            out.append({**state, key: bad})
        if isinstance(value, list):
            out.append({**state, key: [*value, 0.0]})
        if isinstance(value, dict) and "learner" in value:
            out.append({**state, key: {**value, "learner": "another"}})
    return out


@pytest.mark.parametrize("name", NAMES)
def test_restore_raises_for_a_damaged_state_and_changes_nothing(name: str) -> None:
    learner = learners.make(name, 3)
    rng = np.random.default_rng(0)
    for _ in range(3):
        declined = rng.standard_normal((4, 3)) if learner.reads == "declined" else None
        learner.update(Feedback(rng.standard_normal((2, 3)), 2.0, declined))
    good = json.loads(json.dumps(learner.state()))
    for state in damaged(good):
        fresh = learners.make(name, 3)
        before = json.dumps(fresh.state())
        refusal = None
        try:
            fresh.restore(state)
        except ValueError as error:
            refusal = str(error)
        if refusal is None:  # what was damaged is not needed to go on: then nothing is lost
            assert {**fresh.state(), "weights": good["weights"]} == good, state
        else:
            assert len(refusal) > 20
            assert json.dumps(fresh.state()) == before, state


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"learner": "PER"},
        {"weights": [0.0]},
        {"learner": "unknown", "weights": [0.0]},
        {"learner": ["PER"], "weights": [0.0]},
    ],
)
def test_from_state_raises_for_what_is_not_a_state(state: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"not a learner's state|Unknown learner|name of a learner"):
        learners.from_state(state)


def test_make_suggests_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"Unknown learner 'CSPR'. Did you mean .*CSPER"):
        learners.make("CSPR", 2)
    with pytest.raises(ValueError, match="Unknown learner 'averaged-unknown'"):
        learners.make("averaged-unknown", 2)
    assert {"PER", "CSPER", "PA", "CSPA", "PA-I", "PA-II", "capped-CSPER", "batch-PER"} <= set(NAMES)


def test_make_passes_settings() -> None:
    assert repr(learners.make("PA", 2, margin=2.0)) == "PA(dim=2, margin=2.0)"
    batch = learners.make("batch-PER", 2, size=3)
    assert isinstance(batch, BatchPER)
    assert batch.size == 3
    choice = learners.make("default", 2, forgetting=0.9)
    assert choice.state()["single"]["forgetting"] == 0.9
    assert repr(choice) == "Population(dim=2) after 0 rounds with 0 people"
    assert repr(learners.make("default", 300)) == "Committee(dim=300) after 0 rounds"


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("PER", "margin", "Learner 'PER' has no setting 'margin'; it has none."),
        ("PA", "margn", "Learner 'PA' has no setting 'margn'; it has margin."),
        ("default", "doubt", "Learner 'population' has no setting 'doubt'; it has start, trust, forgetting"),
    ],
)
def test_make_raises_for_unknown_settings(name: str, setting: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learners.make(name, 2, **{setting: 1.0})


@pytest.mark.parametrize("name", NAMES)
def test_make_takes_the_name_of_a_learner(name: str) -> None:
    learner = learners.make(name, 3)
    assert learner.name == learners.resolve(name, 3)
    assert type(learners.make(learner.name, 3)) is type(learner)
    assert learners.make(learner.name, 3).state() == learner.state()


def test_make_knows_learners_announced_by_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    class Announced(PA):
        name = "mine"

    class EntryPoint:
        def load(self) -> Any:
            return Announced

    monkeypatch.setattr(learners, "announced", lambda group: {"mine": EntryPoint()})
    assert "mine" in learners.names()
    learner = learners.make("mine", 2, margin=3.0)
    assert isinstance(learner, Announced)
    assert learners.from_state(learner.state()).state() == learner.state()
    with pytest.raises(ValueError, match="has no setting 'cap'"):
        learners.make("mine", 2, cap=1.0)
    monkeypatch.setattr(learners, "announced", lambda group: {"PA": EntryPoint()})
    with pytest.raises(ValueError, match="announces the learner 'PA', which is built in"):
        learners.make("PA", 2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dim", [0, -1, 2.5, True, None])
def test_make_raises_without_features(name: str, dim: Any) -> None:
    with pytest.raises(ValueError, match="dim is"):
        learners.make(name, dim)


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, "big"])
def test_make_raises_for_settings_that_are_not_positive_numbers(bad: Any) -> None:
    for make in (
        lambda: PA(2, margin=bad),
        lambda: PAI(2, aggressiveness=bad),
        lambda: CappedCSPER(2, cap=bad),
    ):
        with pytest.raises(ValueError, match="must be a finite number above 0"):
            make()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("feedback", "sentence"),
    [
        (Feedback(np.zeros((2, 4)), 1.0), r"feedback.path has shape \(2, 4\); expected \(steps \+ 1, 3\)"),
        (Feedback(np.zeros(3), 1.0), "feedback.path has shape"),
        (Feedback(np.zeros((0, 3)), 1.0), "feedback.path has shape"),
        (Feedback(np.array([[0.0] * 3, [math.nan] * 3]), 1.0), "feedback.path contains NaN or infinity"),
        (
            Feedback(np.array([[0.0] * 3, [math.inf, -math.inf, 0.0]]), 1.0),
            "feedback.path contains NaN or infinity",
        ),
        (Feedback(np.zeros((2, 3)), -1.0), "feedback.cost is -1.0"),
        (Feedback(np.zeros((2, 3)), math.nan), "feedback.cost is nan"),
        (Feedback(np.zeros((2, 3)), 1.0, np.zeros((2, 2))), "feedback.declined has shape"),
        (Feedback(np.zeros((2, 3)), 1.0, np.full((2, 3), math.nan)), "feedback.declined contains NaN"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_update_raises_for_invalid_feedback_and_changes_nothing(
    name: str, feedback: Feedback, sentence: str
) -> None:
    learner = learners.make(name, 3)
    before = json.dumps(learner.state())
    with pytest.raises(ValueError, match=sentence):
        learner.update(feedback)
    assert json.dumps(learner.state()) == before


def test_update_does_not_change_weights_that_were_returned_before() -> None:
    """A proposal keeps the weights it was made with: an update makes new ones."""
    for name in NAMES:
        learner = learners.make(name, 2)
        shown = learner.weights
        kept = shown.copy()
        for _ in range(6):
            learner.update(Feedback(np.array([[0.0, 0.0], [1.0, 2.0]]), 1.0, np.array([[-1.0, 0.5]])))
        np.testing.assert_array_equal(shown, kept)
        assert not np.array_equal(learner.weights, kept)
