"""The predicted probability that a proposal is accepted: stored, learned from, withdrawn."""

from __future__ import annotations

import numpy as np

from coactor import Session, SimulatedExpert, learners
from coactor.studies import open_study
from coactor.studies.log.verification import verify
from tests.studies.stubs import tours


def work(study, problems, expert):
    """Ask and tell, one after the other; the chances told."""
    chances = []
    for x in problems:
        p = study.ask(x)
        chances.append(p.chance)
        study.tell(p, moves=list(expert(x, p.solution).moves), actor="ana")
    return chances


def test_chances_are_those_of_a_session(url):
    """With the paper's proposals both see the same problems, so both must say the same."""
    domain, problems = tours(25, points=7, features=3)
    expert = SimulatedExpert(domain, np.array([0.2, 0.9, 0.5]), 0.1)
    session = Session(domain, learners.make("default", 3), proposals="paper")
    expected = []
    for x in problems:
        p = session.ask(x)
        expected.append(p.chance)
        session.tell(p, expert(x, p.solution))
    with open_study(url, "tours", domain, "default", create=True, settings={"proposals": "paper"}) as study:
        told = work(study, problems[:12], expert)
    with open_study(url, "tours") as again:  # another process goes on where the first one stopped
        told += work(again, problems[12:], expert)
        assert told == expected
        assert [row.basis.chance for row in again.effort()] == expected
        assert expected[0] is None
        assert all(0 < chance < 1 for chance in expected[1:])
        assert [t.basis.chance for t in again.proposals()] == expected
        verify(again.store, "tours")


def test_acceptance_forgets_what_is_withdrawn(url):
    domain, problems = tours(8, points=7, features=3)
    expert = SimulatedExpert(domain, np.array([0.2, 0.9, 0.5]), 0.1)
    with open_study(url, "tours", domain, "default", create=True, settings={"proposals": "paper"}) as study:
        work(study, problems[:4], expert)
        kept = study.ask(problems[5]).chance
        other = study.ask(problems[6])
        study.tell(other, moves=[], actor="ana")
        assert study.ask(problems[5]).chance != kept
        study.desk().reopen(other.id, actor="ana")
        assert study.ask(problems[5]).chance == kept
        study.desk().submit(other.id, revision=1, actor="ana", learn=False)
        assert study.ask(problems[5]).chance == kept  # "just today" teaches nothing
        version = study.version
        work(study, problems[7:], expert)
        study.rollback(version, "as it was")
        assert study.ask(problems[5]).chance == kept
        verify(study.store, "tours")


def test_renew_predicts_as_a_new_ask_would(sqlite_url):
    domain, problems = tours(4, points=7, features=3)
    with open_study(sqlite_url, "tours", domain, "default", create=True) as study:
        waiting = study.ask(problems[0])
        for x in problems[1:]:
            study.tell(study.ask(x), moves=[{"op": "reverse", "args": [1, 3]}])
        draft = study.desk().claim(waiting.id, "ana")
        assert draft.basis.version == 3
        assert 0 < draft.basis.chance < 1
        assert waiting.chance is None  # nothing was known when it was asked
        again = study.ask(problems[0])
        assert again.solution.tolist() == draft.proposed.tolist()  # as if it had been asked now
        assert again.chance == draft.basis.chance
