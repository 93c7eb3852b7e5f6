from __future__ import annotations

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, corrections, learners
from coactor.protocol import Correction, Work
from coactor.studies import Conflict, Invalid, NotFound, open_study
from coactor.studies.log.verification import verify
from coactor.studies.telling import Request
from tests.studies.stubs import Switches, flip, make, tours


def report(study, id, tell):
    """A tell in the words of the library, or of a request from outside."""
    more = {name: tell.pop(name) for name in ("note", "seconds") if name in tell}
    if {"path", "costs"} & tell.keys():
        return study.receive(id, Request(**tell))
    return study.tell(id, **tell, work=Work(**more))


def test_tell_accepts_a_correction_moves_a_path_or_a_solution(url):
    with make(url) as study:
        x = [1.0, 2.0, 3.0]

        def again():
            study.rollback(0, "the same start for the next")
            return study.ask(x)

        correction = study.tell(again(), corrections.correction(Switches(), x, [0, 0, 0], moves=flip(1)))
        moves = study.tell(again(), moves=iter(flip(1)))
        path = study.receive(again().id, Request(path=[[0, 0, 0], [0, 1, 0]]))
        final = study.tell(again().id, solution=[0, 1, 0])
        known = study.tell(again().id, solution=[0, 1, 0], effort=4)
        accepted = study.tell(again().id, moves=[])
        told = (correction, moves, path, final, known, accepted)
        assert [r.effort for r in told] == [1, 1, 1, 1, 4, 0]
        assert [r.estimated for r in told] == [False, False, False, True, False, False]
        assert [r.accepted for r in told] == [False] * 5 + [True]
        assert all(r.change.tolist() == [0.0, 2.0, 0.0] for r in told[:4])
        verify(study.store, "desk")


def test_tell_stores_the_costs_of_a_correction(url):
    """A simulated expert may have costs of its own; a study's costs are for moves alone."""
    domain, problems = tours(6)
    expert = SimulatedExpert(domain, np.array([0.2, 0.9, 0.5]), costs={"reverse": 0.3})
    session = Session(domain, learners.make("CSPA", 3), candidate="disagreement")
    with open_study(
        url, "tours", domain, "CSPA", create=True, settings={"candidate": "disagreement"}
    ) as study:
        for x in problems:
            p, q = study.ask(x), session.ask(x)
            correction = expert(x, p.solution)
            result = study.tell(p, correction)
            expected = session.tell(q, correction)
            assert (result.effort, result.cost) == (expected.effort, expected.cost)
            assert result.change.tobytes() == expected.change.tobytes()
            assert study.tell(p, correction) == result
        assert any(effort % 1 for effort in study.efforts)


@pytest.mark.parametrize(
    ("tell", "message"),
    [
        ({}, "exactly one"),
        ({"moves": [], "solution": [0, 0, 0]}, "exactly one"),
        ({"moves": flip(7)}, "cannot be applied"),
        ({"moves": [{"op": "flip"}]}, "not a valid move"),
        ({"moves": "flip"}, "list"),
        ({"moves": flip(0), "effort": -1}, "effort"),
        ({"moves": flip(0), "costs": [1.0, 2.0]}, "one cost"),
        ({"moves": flip(0), "costs": [-1.0]}, "cost"),
        ({"moves": flip(0), "costs": [1.0], "effort": 1.0}, "replace the effort"),
        ({"path": [[1, 1, 1], [0, 0, 0]]}, "start with the proposal"),
        ({"moves": flip(0), "note": "x" * 3000}, "note"),
        ({"moves": flip(0), "note": "\ud800"}, "surrogate"),
        ({"moves": flip(0), "actor": "x" * 300}, "actor"),
        ({"moves": flip(0), "learn": "yes"}, "true or false"),
        ({"moves": flip(0), "seconds": float("inf")}, "seconds"),
        ({"correction": Correction([[0, 0, 0]], [], []), "cut": True}, "correction alone"),
        ({"correction": Correction([[1, 1, 1]], [], [])}, "start with the proposal"),
        ({"correction": Correction([[0, 0, 0], [0, 0, 1]], flip(2), [])}, "one cost"),
    ],
)
def test_tell_raises_invalid_and_changes_nothing(sqlite_url, tell, message):
    with make(sqlite_url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        before = study.summary()
        with pytest.raises(Invalid, match=message):
            report(study, p.id, dict(tell))
        assert study.summary() == before
        assert study.tell(p.id, moves=flip(0)).version == 1


def test_tell_raises_not_found_without_such_a_proposal(sqlite_url):
    with make(sqlite_url) as study, pytest.raises(NotFound, match="no proposal 1"):
        study.tell(1, moves=[])


def test_tell_raises_invalid_when_the_weights_would_become_infinite(sqlite_url):
    with make(sqlite_url) as study:
        p = study.ask([1e308, -1e308, 1e308])
        with pytest.raises(Invalid, match="infinite"):
            study.tell(p.id, moves=flip(0, 1, 2))  # CSPER: three times 1e308
        assert study.summary()["facts"] == 2
        assert study.tell(p.id, moves=flip(0, 1, 2), learn=False).version == 0


class Failing(Switches):
    """Raises an error when it computes the features of a certain solution."""

    def __init__(self, error):
        self.error = error

    def features(self, x, y):
        if list(y) == [1, 1, 1]:
            raise self.error
        return super().features(x, y)


@pytest.mark.parametrize("error", [ValueError("bad via"), IndexError("7"), np.linalg.LinAlgError("singular")])
def test_tell_raises_invalid_when_the_domain_rejects_the_correction(sqlite_url, error):
    with open_study(sqlite_url, "desk", Failing(error), "CSPER", create=True) as study:
        p = study.ask([1.0, 2.0, 3.0])
        with pytest.raises(Invalid, match=str(error)):
            study.tell(p, moves=flip(0, 1, 2))
        with pytest.raises(Invalid, match=str(error)):
            study.desk().edit(1, flip(0, 1, 2), revision=0, actor="ana")
        assert study.summary()["facts"] == 2


def test_tell_passes_on_a_bug_in_the_domain(sqlite_url):
    with open_study(sqlite_url, "desk", Failing(KeyError("a bug")), "CSPER", create=True) as study:
        p = study.ask([1.0, 2.0, 3.0])
        with pytest.raises(KeyError):
            study.tell(p, moves=flip(0, 1, 2))
        assert study.summary()["facts"] == 2


def test_tell_recognises_moves_with_tuples_as_the_same_request(sqlite_url):
    with make(sqlite_url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        first = study.tell(p, moves=[{"op": "flip", "args": (0,)}])
        assert study.tell(p, moves=[{"op": "flip", "args": [np.int64(0)]}]) == first


def test_operators_may_cost_nothing_without_counting_as_accepted(url):
    with make(url, learner="default", settings={"costs": {"flip": 0.0}}) as study:
        study.tell(study.ask([1.0, 1.0, 1.0]), moves=flip(1))
        result = study.tell(study.ask([1.0, 1.0, 1.0]), moves=flip(0))
        assert (result.effort, result.accepted) == (0.0, False)
        assert study.summary()["untouched"] == 0
        verify(study.store, "desk")


def test_tell_relearns_when_the_weights_changed_in_between(sqlite_url):
    """The copy that learned outside the lock is dropped if another tell was faster."""

    class Interrupted(Switches):
        meanwhile = None

        def features(self, x, y):
            happens, self.meanwhile = self.meanwhile, None
            if happens:
                happens()
            return super().features(x, y)

    domain = Interrupted()
    with make(sqlite_url) as other, open_study(sqlite_url, "desk", domain) as study:
        p, q = study.ask([1.0, 2.0, 3.0]), other.ask([1.0, 1.0, 1.0])
        domain.meanwhile = lambda: other.tell(q, moves=flip(1))
        result = study.tell(p, moves=flip(0))
        assert (result.version, result.change.tolist()) == (2, [1.0, 0.0, 0.0])
        assert study.weights().tolist() == other.weights().tolist() == [1.0, 1.0, 0.0]
        assert verify(study.store, "desk").arithmetic == ""


def test_tell_raises_conflict_when_another_person_holds_the_proposal(sqlite_url):
    with make(sqlite_url) as study:
        study.ask([1.0, 2.0, 3.0])
        study.desk().claim(1, "ana")
        with pytest.raises(Conflict, match="held by ana"):
            study.tell(1, moves=[], actor="eve")
