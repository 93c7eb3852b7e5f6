"""Several people in one study: each has weights of their own."""

from __future__ import annotations

import numpy as np
import pytest

from coactor.studies import Conflict, Invalid, NotFound
from coactor.studies.log.verification import verify
from tests.studies.stubs import Clock, Switches, flip, open_at

UP = [1.0, 1.0, 1.0]
WANTS = {"ana": [1, 0, 0], "ben": [0, 0, 1]}


def taught(url, rounds=8, learner="default"):
    """Ana wants the first switch on, Ben the last one."""
    study = open_at(Clock(), url, "desk", Switches(), learner, create=True)
    for _ in range(rounds):
        for name, wanted in WANTS.items():
            p = study.ask(UP, actor=name)
            study.tell(p, moves=flip(*np.flatnonzero(np.array(p.solution) != wanted)), actor=name)
    return study


def test_each_person_gets_their_own_proposals(url):
    with taught(url) as study:
        for name, wanted in WANTS.items():
            assert study.ask(UP, asked_for=name).solution == wanted
            assert study.ask(UP, actor=name).solution == wanted
        assert study.learner().people == ("ana", "ben")
        assert not np.array_equal(study.weights(learned_for="ana"), study.weights(learned_for="ben"))
        assert np.array_equal(study.weights(learned_for="newcomer"), study.weights())


def test_replay_is_bit_for_bit_with_several_people(url):
    with taught(url) as study:
        live = {name: study.weights(learned_for=name) for name in WANTS}
        rounds = [study.round(id) for id in range(1, 5)]
        assert verify(study.store, "desk").version == study.version
    with open_at(Clock(), url, "desk", Switches()) as study:
        for name, weights in live.items():
            assert np.array_equal(study.weights(learned_for=name), weights)
        assert [study.round(id) for id in range(1, 5)] == rounds
        assert study.round(1).change.any()


def test_desk_solves_a_proposal_for_the_person_who_opens_it(url):
    with taught(url) as study:
        desk, p = study.desk(lease=60.0), study.ask(UP, actor="ana")
        opened = desk.claim(p.id, "ben")
        assert (opened.proposed, opened.solved_for) == (WANTS["ben"], "ben")
        assert opened.basis.version == p.version  # nothing was learned in between
        assert study.proposal(p.id).solution == WANTS["ben"]
        outcome = desk.submit(p.id, revision=opened.revision, actor="ben")
        assert outcome.accepted
        assert desk.view(p.id).proposed == WANTS["ben"]
        assert desk.reopen(p.id, actor="ben").proposed == WANTS["ben"]
        assert verify(study.store, "desk").version == study.version


def test_desk_keeps_a_proposal_that_was_asked_for_a_person(url):
    with taught(url) as study:
        desk, p = study.desk(lease=60.0), study.ask(UP, asked_for="ana", actor="planner")
        opened = desk.claim(p.id, "ben")
        assert opened.proposed == WANTS["ana"]
        before = study.weights(learned_for="ben")
        desk.submit(p.id, revision=opened.revision, actor="ben")
        assert np.allclose(study.weights(learned_for="ben"), before, rtol=0.2)


def test_tell_learns_from_the_solution_that_the_caller_has(url):
    with taught(url) as study:
        p = study.ask(UP, actor="ana")
        study.desk(lease=0.0).claim(p.id, "ben")  # solved again for ben, with the same version
        assert study.tell(p, moves=[], actor="ana").accepted
        assert study.proposal(p.id).solution == WANTS["ana"]


def test_tell_conflicts_when_told_for_another_person(url):
    with taught(url, rounds=1) as study:
        p = study.ask(UP)
        first = study.tell(p, moves=[], learned_for="ana")
        assert study.tell(p, moves=[], learned_for="ana") == study.tell(p, moves=[]) == first
        assert study.tell(p, moves=[], actor="ben") == first
        with pytest.raises(Conflict, match="already told"):
            study.tell(p, moves=[], learned_for="ben")


def test_ask_conflicts_when_the_key_was_used_for_another_person(url):
    with taught(url, rounds=1) as study:
        first = study.ask(UP, key="k", asked_for="ana")
        assert (
            study.ask(UP, key="k", asked_for="ana").id == study.ask(UP, key="k", actor="ben").id == first.id
        )
        shared = study.ask(UP, key="queue", actor="ana")
        assert study.ask(UP, key="queue", actor="ben").id == shared.id
        for key in ("k", "queue"):
            with pytest.raises(Conflict, match="another request"):
                study.ask(UP, key=key, asked_for="ben")


def test_rollback_of_one_person_leaves_the_others(url):
    with taught(url) as study:
        version, ben = study.version, study.weights(learned_for="ben")
        for _ in range(4):  # another person used ana's account
            p = study.ask(UP, actor="ana")
            study.tell(p, moves=flip(0, 1), actor="ana")
        study.rollback(version, "another person at ana's desk", learned_for="ana")
        assert study.ask(UP, actor="ana").solution == WANTS["ana"]
        assert np.allclose(study.weights(learned_for="ben"), ben, rtol=0.2)
        assert verify(study.store, "desk").version == study.version
        with pytest.raises(NotFound, match="No correction is by an expert called 'cleo'"):
            study.rollback(version, "who?", learned_for="cleo")


def test_rollback_of_one_person_to_nothing_can_be_undone(url):
    with taught(url) as study:
        version, ben = study.version, study.weights(learned_for="ben")
        study.rollback(0, "ben was on leave", learned_for="ben")
        assert study.learner().people == ("ana",)
        study.rollback(version, "no, he was here", learned_for="ben")
        assert np.allclose(study.weights(learned_for="ben"), ben)
        assert verify(study.store, "desk").version == study.version


def test_versions_and_efforts_say_whose_weights_changed(url):
    with taught(url, rounds=1) as study:
        study.tell(study.ask(UP), moves=[], actor="ana", learned_for="depot-7")
        study.tell(study.ask(UP), moves=[])
        study.rollback(2, "back", learned_for="ben")
        study.rollback(1, "all back")
        people = ["", "ana", "ben", "depot-7", "", "ben", ""]
        assert [version.learned_for for version in study.versions()] == people
        assert [row.learned_for for row in study.effort()] == people[1:5]
        p = study.ask(UP, actor="cleo")
        study.tell(p, moves=flip(0), actor="cleo")
        study.desk().reopen(p.id, actor="lea", force=True)
        assert [version.learned_for for version in study.versions(after=7)] == ["cleo"]


def test_rollback_of_an_empty_person_raises_invalid(url):
    with taught(url, rounds=1) as study:
        with pytest.raises(Invalid, match="The name of the expert is empty"):
            study.rollback(0, "an empty variable", learned_for="")
        assert study.version == 2
        assert study.rollback(0, "everybody", learned_for=None).learned_for == ""


def test_rollback_of_a_person_needs_a_learner_of_people(url):
    study = open_at(Clock(), url, "desk", Switches(), "CSPER", create=True)
    with study, pytest.raises(Invalid, match="one set of weights for all"):
        study.rollback(0, "why not", learned_for="ana")
