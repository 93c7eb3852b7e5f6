from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import coactor
from coactor import learners
from coactor.protocol import Work
from coactor.studies import Conflict, Invalid, NotFound, open_study
from coactor.studies.log import transfer
from coactor.studies.log.vectors import digest
from coactor.studies.log.verification import verify
from coactor.studies.telling import Request
from tests.studies.stubs import Switches, flip, make, tours


def test_ask_and_tell_learn_and_survive_reopening_the_store(url):
    with make(url) as study:
        p = study.ask([1.0, -2.0, 3.0], key="monday")
        assert (p.id, p.solution, p.version) == (1, [0, 0, 0], 0)
        result = study.tell(p.id, moves=flip(0, 2), actor="ana", work=Work(note="too empty"))
        assert (result.effort, result.version, result.learn, result.estimated) == (2.0, 1, True, False)
        assert result.change.tolist() == [2.0, 0.0, 6.0]
        assert result.delta.tolist() == [1.0, 0.0, 3.0]
        assert result.lesson == "Learned from it."
        assert study.weights().tolist() == [2.0, 0.0, 6.0]
        assert study.ask([1.0, 1.0, 1.0]).solution == [1, 0, 1]
        row = study.effort()[0]
        assert (row.proposal, row.work.actor, row.effort, row.key) == (1, "ana", 2.0, "monday")
        assert study.efforts == [2.0]
    with open_study(url, "desk", Switches()) as again:
        assert again.weights().tolist() == [2.0, 0.0, 6.0]
        assert [t.state for t in again.proposals()] == ["done", "waiting"]
        assert verify(again.store, "desk").facts == 4


def test_ask_returns_the_same_proposal_for_the_same_key(url):
    with make(url) as study, make(url) as other:
        first = study.ask([1.0, 2.0, 3.0], key="k")
        study.tell(first.id, moves=flip(0))
        second = other.ask([1.0, 2.0, 3.0], key="k")
        assert (second.id, second.solution, second.version) == (first.id, first.solution, first.version)
        with pytest.raises(Conflict, match="used for another request"):
            study.ask([1.0, 2.0, 4.0], key="k")
        assert len(study.proposals()) == 1


def test_ask_raises_invalid_for_bad_arguments(sqlite_url):
    with make(sqlite_url) as study:
        with pytest.raises(Invalid, match="NaN"):
            study.ask([float("nan"), 0.0, 0.0])
        with pytest.raises(Invalid, match="key is empty"):
            study.ask([0.0, 0.0, 0.0], key="")
        with pytest.raises(Invalid, match="label"):
            study.ask([0.0, 0.0, 0.0], label="x" * 201)
        assert study.summary()["facts"] == 1


def test_tell_returns_the_same_round_when_repeated(url):
    with make(url) as study, make(url) as other:
        p = study.ask([1.0, 2.0, 3.0])
        first = study.tell(p.id, moves=flip(1), actor="ana")
        study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(0))  # others go on in between
        assert other.tell(p.id, moves=flip(1), actor="ana") == first
        assert other.round(p) == first
        with pytest.raises(Conflict, match="already told"):
            study.tell(p.id, moves=flip(2), actor="ana")
        assert study.version == 2


def test_tell_learns_in_the_order_of_the_log(url):
    with make(url) as study:
        a, b = study.ask([1.0, 2.0, 3.0]), study.ask([3.0, 2.0, 1.0])
        study.tell(b.id, moves=flip(0))
        late = study.tell(a.id, moves=flip(1))
        assert (late.basis.version, late.version) == (0, 2)
        assert [row.proposal for row in study.effort()] == [2, 1]
        by_hand = learners.make("CSPER", 3)
        for prices, move in (([3.0, 2.0, 1.0], 0), ([1.0, 2.0, 3.0], 1)):
            rows = np.zeros((2, 3))
            rows[1, move] = prices[move]
            by_hand.update(coactor.Feedback(rows, 1.0))
        assert study.weights().tobytes() == by_hand.weights.tobytes()


def test_tell_without_learning_only_records_the_effort(url):
    with make(url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        result = study.tell(p.id, moves=flip(1), learn=False)
        assert (result.learn, result.version, study.version) == (False, 0, 0)
        assert result.delta.tolist() == [0.0, 2.0, 0.0]
        assert not study.weights().any()
        assert not result.change.any()
        assert study.tell(p.id, moves=flip(1), learn=False) == result
        assert study.efforts == [1.0]
        assert verify(study.store, "desk").version == 0


def test_rollback_is_a_new_version_with_the_old_weights(url):
    with make(url) as study:
        for prices in ([1.0, 2.0, 3.0], [3.0, -1.0, 2.0], [-1.0, 5.0, 0.5]):
            study.tell(study.ask(prices).id, moves=flip(0, 1))
        before = {v: study.weights(v) for v in range(4)}
        version = study.rollback(1, "ana had a bad day", actor="lea")
        assert (version.version, version.to, version.how) == (4, 1, "rolled back")
        assert study.weights().tobytes() == before[1].tobytes()
        assert study.weights(3).tobytes() == before[3].tobytes()
        study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(2))
        assert study.version == 5
        told = [(0, "created"), (1, "told"), (2, "told"), (3, "told"), (4, "rolled back"), (5, "told")]
        assert [(v.version, v.how) for v in study.versions()] == told
        with pytest.raises(NotFound, match="0 to 5"):
            study.rollback(6, "too far")
        with pytest.raises(Invalid, match="reason"):
            study.rollback(1, "  ")
        for wrong in ("1", 1.0, True, None):
            with pytest.raises(Invalid, match="The version must be a whole number"):
                study.rollback(wrong, "not a number")
        with pytest.raises(Invalid, match="The expert must be text"):
            study.weights(learned_for=5)
        assert verify(study.store, "desk").weights == digest(study.weights())


def test_own_solver_and_own_strategy_are_used(sqlite_url):
    with make(sqlite_url, solver=lambda x, w: [1, 1, 1]) as study:
        assert study.ask([1.0, 1.0, 1.0]).solution == [1, 1, 1]
    with make(sqlite_url, strategy=lambda x, outlook, stream: [0, 1, 0]) as study:
        assert study.ask([1.0, 1.0, 1.0]).solution == [0, 1, 0]


def test_learner_returns_a_copy_of_a_version(sqlite_url):
    domain, problems = tours(4)
    with open_study(sqlite_url, "tours", domain, "default", create=True) as study:
        for x in problems:
            study.tell(study.ask(x), moves=[{"op": "reverse", "args": [1, 3]}])
        for version in range(5):
            learner = study.learner(version)
            assert learner.weights.tobytes() == study.weights(version).tobytes()
        study.learner().update(coactor.Feedback(np.ones((2, 3)), 1.0))
        assert study.learner().weights.tobytes() == study.weights(4).tobytes()


def test_concurrent_asks_with_one_key_run_one_solver(sqlite_url):
    calls, started, go = [], threading.Event(), threading.Event()

    def solver(x, w):
        calls.append(x)
        started.set()
        assert go.wait(30)
        return [0, 0, 0]

    study = open_study(sqlite_url, "desk", Switches(), "CSPER", create=True, solver=solver)
    with study, ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(study.ask, [1.0, 1.0, 1.0], key="monday") for _ in range(4)]
        assert started.wait(30)
        go.set()
        assert {one.result().id for one in asked} == {1}
        assert len(calls) == 1


def test_a_repeated_rollback_makes_one_version(url):
    with make(url) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(0))
        first = study.rollback(0, "a test", actor="lea")
        assert study.rollback(0, "a test", actor="lea") == first
        assert study.rollback(0, "a test", actor="ana").version == first.version + 1
        assert study.rollback(1, "a test", actor="ana").version == first.version + 2
        assert verify(study.store, "desk").version == first.version + 2


class Packed(Switches):
    """Problems are arrays and solutions tuples; lists will not do."""

    def features(self, x, y):
        return x[0] * np.array(y) if isinstance(y, tuple) else None

    def solve(self, x, w):
        return tuple(super().solve(x[0], w))

    def apply(self, x, y, move):
        return tuple(super().apply(x, y, move))


class Sampled(Packed):
    def sample(self, rng, n):
        return (rng.random((1, 3)) for _ in range(n))


@pytest.mark.parametrize("domain", [Packed(), Sampled()])
def test_natural_json_stands_for_arrays_and_tuples_of_a_domain_without_json_methods(sqlite_url, domain):
    with open_study(sqlite_url, "desk", domain, "CSPER", create=True) as study:
        if isinstance(domain, Sampled):  # no problem has been asked yet
            assert isinstance(study.read_problem([[1, 2, 3]]), np.ndarray)
        study.ask(np.array([[1.0, -2.0, 3.0]]))
    with open_study(sqlite_url, "desk", domain) as study:
        x = study.read_problem([[1, 2, 3]])
        assert (x.dtype, x.tolist()) == (float, [[1.0, 2.0, 3.0]])
        with pytest.raises(Invalid, match="dimensions"):
            study.read_problem([1, 2, 3])
        study.tell(study.ask(x), solution=[1, 0, 1])
        study.receive(1, Request(path=[[0, 0, 0], [0, 0, 1]]))
        assert study.weights().tolist() == [2.0, 0.0, 9.0]
        assert verify(study.store, "desk").version == 2


def test_what_people_say_is_a_fact_that_is_replayed_and_taken_back(url):
    domain, problems = tours(5)
    expert = coactor.SimulatedExpert(domain, weights=[1.0, 0.0, 3.0], kappa=0.05)
    with open_study(url, "desk", domain, "default", create=True) as study:
        with pytest.raises(Invalid, match="No edit has concerned 'feature 2' yet"):
            study.say("feature 2", "less", actor="ana")
        for x in problems[:3]:
            p = study.ask(x, actor="ana")
            told = study.tell(p, expert(x, p.solution), actor="ana")
        before = study.weights()
        assert study.say("feature 2", "less", actor="ana") == told.version + 1
        assert study.say("feature 2", "less", actor="ana") == told.version + 1  # as after a lost answer
        said = study.weights()
        assert said[1] / np.linalg.norm(said) > before[1] / np.linalg.norm(before)  # of a cost
        last = study.versions()[-1]
        assert (last.how, last.reason, last.actor) == ("said", "less “feature 2”", "ana")
        study.tell(study.ask(problems[3], actor="ana"), moves=[], actor="ana")
        study.say("feature 1", "more", actor="lea", learned_for="ana")
        for wrong in (("feature 9", "less"), ("feature 1", "fewer")):
            with pytest.raises(Invalid, match=r"There is no feature 'feature 9'|expected 'more' or 'less'"):
                study.say(*wrong, actor="ana")
        assert study.learner().people == ("ana",)
        facts = study.summary()["facts"]
        verified = verify(study.store, "desk")  # without the domain
        assert (verified.facts, verified.arithmetic) == (facts, "")
        lines = [*study.export()]
        study.desk().reopen(3, actor="ana")  # what was said stays
        assert verify(study.store, "desk").arithmetic == ""
        assert not np.array_equal(study.weights(), before)
        study.rollback(told.version, "it was wrong", actor="lea")
        assert study.weights().tobytes() == before.tobytes()
    with open_study(url, "desk", domain) as again:
        assert again.weights().tobytes() == before.tobytes()
        transfer.load(again.store, iter(lines), "copy")
        assert verify(again.store, "copy").arithmetic == ""
