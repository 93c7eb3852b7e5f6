from __future__ import annotations

import numpy as np
import pytest

import coactor
from coactor import learners
from coactor.studies import Conflict, Invalid, NotFound, Store, Unavailable, open_study
from coactor.studies.log import transfer
from coactor.studies.log.facts import digest
from coactor.studies.study import Study
from tests.studies.stubs import Switches, flip, tours


def make(url, name="desk", learner="CSPER", **more):
    return open_study(url, name, Switches(), learner, create=True, **more)


def test_a_day_at_the_desk(url):
    with make(url) as study:
        p = study.ask([1.0, -2.0, 3.0], key="monday")
        assert (p.id, p.solution, p.version) == (1, [0, 0, 0], 0)
        outcome = study.tell(p.id, moves=flip(0, 2), actor="ana", note="too empty")
        assert (outcome.effort, outcome.version, outcome.learned, outcome.estimated) == (2.0, 1, True, False)
        assert outcome.change == [2.0, 0.0, 6.0]
        assert outcome.sentence == "Learned: more weight on feature 3 and feature 1."
        assert study.weights().tolist() == [2.0, 0.0, 6.0]
        assert study.ask([1.0, 1.0, 1.0]).solution == [1, 0, 1]
        row = study.effort()[0]
        assert (row.proposal, row.actor, row.effort, row.key) == (1, "ana", 2.0, "monday")
    with open_study(url, "desk", Switches()) as again:
        assert again.weights().tolist() == [2.0, 0.0, 6.0]
        assert [t.state for t in again.proposals()] == ["done", "waiting"]
        assert transfer.verify(again.store, "desk").facts == 4


def test_the_same_key_gives_the_same_proposal(url):
    with make(url) as study, make(url) as other:
        first = study.ask([1.0, 2.0, 3.0], key="k")
        study.tell(first.id, moves=flip(0))
        second = other.ask([1.0, 2.0, 3.0], key="k")
        assert (second.id, second.solution, second.version) == (first.id, first.solution, first.version)
        with pytest.raises(Conflict, match="used for something else"):
            study.ask([1.0, 2.0, 4.0], key="k")
        assert len(study.proposals()) == 1


def test_a_tell_that_arrives_twice_is_answered_the_same_twice(url):
    with make(url) as study, make(url) as other:
        p = study.ask([1.0, 2.0, 3.0])
        first = study.tell(p.id, moves=flip(1), actor="ana")
        study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(0))  # others go on in between
        assert other.tell(p.id, moves=flip(1), actor="ana") == first
        with pytest.raises(Conflict, match="already told"):
            study.tell(p.id, moves=flip(2), actor="ana")
        assert study.version == 2


def test_tells_out_of_order_are_learned_in_the_order_of_the_log(url):
    with make(url) as study:
        a, b = study.ask([1.0, 2.0, 3.0]), study.ask([3.0, 2.0, 1.0])
        study.tell(b.id, moves=flip(0))
        late = study.tell(a.id, moves=flip(1))
        assert (late.asked_with, late.version) == (0, 2)
        assert [row.proposal for row in study.effort()] == [2, 1]
        by_hand = learners.make("CSPER", 3)
        for prices, move in (([3.0, 2.0, 1.0], 0), ([1.0, 2.0, 3.0], 1)):
            rows = np.zeros((2, 3))
            rows[1, move] = prices[move]
            by_hand.update(coactor.Feedback(rows, 1.0))
        assert study.weights().tobytes() == by_hand.weights.tobytes()


def test_just_today_is_recorded_and_not_learned(url):
    with make(url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        outcome = study.tell(p.id, moves=flip(1), learn=False)
        assert (outcome.learned, outcome.version, study.version) == (False, 0, 0)
        assert not study.weights().any()
        assert [row.effort for row in study.effort()] == [1.0]
        assert transfer.verify(study.store, "desk").version == 0


def test_ways_to_say_what_was_done(url):
    with make(url) as study:
        x = [1.0, 2.0, 3.0]
        moves = study.tell(study.ask(x).id, moves=flip(1))
        study.rollback(0, "the same start for the next")
        path = study.tell(study.ask(x).id, path=[[0, 0, 0], [0, 1, 0]])
        study.rollback(0, "the same start for the next")
        final = study.tell(study.ask(x).id, solution=[0, 1, 0])
        study.rollback(0, "the same start for the next")
        known = study.tell(study.ask(x).id, solution=[0, 1, 0], effort=4)
        accepted = study.tell(study.ask(x).id, moves=[])
        assert moves.change == path.change == final.change
        assert (moves.effort, path.effort, final.effort, known.effort, accepted.effort) == (1, 1, 1, 4, 0)
        assert [o.estimated for o in (moves, path, final, known, accepted)] == [
            False,
            False,
            True,
            False,
            False,
        ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "one way"),
        ({"moves": [], "solution": [0, 0, 0]}, "one way"),
        ({"moves": flip(7)}, "cannot be made"),
        ({"moves": [{"op": "explode", "args": [0]}]}, "cannot be made"),
        ({"moves": [{"op": "flip"}]}, "is no move"),
        ({"moves": [{"op": "flip", "args": [0.5]}]}, "whole numbers"),
        ({"moves": "flip"}, "list"),
        ({"moves": [], "effort": 2}, "at least one step"),
        ({"moves": flip(0), "effort": float("nan")}, "effort"),
        ({"moves": flip(0), "effort": -1}, "effort"),
        ({"path": [[1, 1, 1], [0, 0, 0]]}, "begin with the proposal"),
        ({"path": []}, "1 to"),
        ({"moves": flip(0), "note": "x" * 3000}, "note"),
        ({"moves": flip(0), "note": "\ud800"}, "half a character"),
        ({"moves": flip(0), "actor": "x" * 300}, "actor"),
        ({"moves": flip(0), "learn": "yes"}, "true or false"),
        ({"moves": flip(0), "seconds": float("inf")}, "seconds"),
    ],
)
def test_a_bad_tell_is_refused_in_a_sentence_and_changes_nothing(sqlite_url, said, why):
    with make(sqlite_url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        before = study.ledger.refresh().seq
        with pytest.raises(Invalid, match=why):
            study.tell(p.id, **said)
        assert study.ledger.refresh().seq == before
        assert (
            study.tell(p.id, moves=flip(0)).version == 1
        )  # the next good one is learned as if nothing had been


def test_vectors_that_would_spoil_the_weights_are_refused_before_they_are_written(sqlite_url):
    with make(sqlite_url) as study:
        p = study.ask([1e308, -1e308, 1e308])
        with pytest.raises(Invalid, match="infinite"):
            study.tell(p.id, moves=flip(0, 1, 2))  # CSPER: three times 1e308
        assert study.ledger.refresh().seq == 2
        assert study.tell(p.id, moves=flip(0, 1, 2), learn=False).version == 0


def test_what_is_not_there(sqlite_url):
    with pytest.raises(NotFound, match="no study"):
        open_study(sqlite_url, "desk", Switches())
    with pytest.raises(Invalid, match="which domain"):
        open_study(sqlite_url, "desk", create=True)
    with pytest.raises(Invalid, match="no name"):
        open_study(sqlite_url, "../desk", Switches(), create=True)
    with pytest.raises(Invalid, match="no learner"):
        open_study(sqlite_url, "desk", Switches(), "clairvoyant", create=True)
    with make(sqlite_url) as study:
        for call in (lambda: study.tell(1, moves=[]), lambda: study.explain(9), lambda: study.weights(5)):
            with pytest.raises(NotFound):
                call()
        with pytest.raises(Invalid, match="NaN"):
            study.ask([float("nan"), 0.0, 0.0])
        with pytest.raises(Invalid, match="empty key"):
            study.ask([0.0, 0.0, 0.0], key="")
        with pytest.raises(Invalid, match="no state"):
            study.proposals("asleep")
    with pytest.raises(Invalid, match="3 features"):
        open_study(sqlite_url, "desk", tours(1, features=4)[0])


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "sqlite:///:memory:", "mysql://x/y"])
def test_what_is_no_store(url):
    with pytest.raises(Invalid):
        Store(url)


def test_a_store_that_cannot_be_reached_says_so(tmp_path):
    with pytest.raises(Unavailable, match="cannot be used"):
        Store(f"sqlite:///{tmp_path}/no/such/folder/desk.db")


def test_rollback_is_a_fact_and_leads_to_the_very_weights(url):
    with make(url) as study:
        for prices in ([1.0, 2.0, 3.0], [3.0, -1.0, 2.0], [-1.0, 5.0, 0.5]):
            study.tell(study.ask(prices).id, moves=flip(0, 1))
        kept = {v: study.weights(v) for v in range(4)}
        made = study.rollback(1, "ana had a bad day", actor="lea")
        assert (made.version, made.to, made.how) == (4, 1, "rolled back")
        assert study.weights().tobytes() == kept[1].tobytes()
        assert study.weights(3).tobytes() == kept[3].tobytes()
        study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(2))
        assert study.version == 5
        assert [(v.version, v.how) for v in study.versions()] == [
            (0, "created"),
            (1, "told"),
            (2, "told"),
            (3, "told"),
            (4, "rolled back"),
            (5, "told"),
        ]
        with pytest.raises(NotFound, match="0 to 5"):
            study.rollback(6, "too far")
        with pytest.raises(Invalid, match="reason"):
            study.rollback(1, "  ")
        assert transfer.verify(study.store, "desk").weights == digest(study.weights())


def test_two_processes_behave_as_one(url):
    """Two study objects on two connections share nothing but the store."""
    with make(url) as one, make(url) as two:
        p = one.ask([1.0, 2.0, 3.0])
        two.tell(p.id, moves=flip(0, 1))
        assert one.weights().tolist() == two.weights().tolist() == [2.0, 4.0, 0.0]
        q = one.ask([1.0, 1.0, 1.0])
        assert q.version == 1
        assert q.id == 2


def test_explain_adds_up(url):
    domain, problems = tours(3)
    with open_study(url, "tours", domain, "PER", create=True) as study:
        study.tell(study.ask(problems[0]).id, moves=[{"op": "reverse", "args": [2, 4]}])
        p = study.ask(problems[1])
        study.tell(p.id, moves=[{"op": "reverse", "args": [1, 3]}, {"op": "reverse", "args": [4, 6]}])
        about = study.explain(p.id)
        w = study.weights(p.version)
        assert about.utility == pytest.approx(w @ domain.features(problems[1], p.solution))
        assert sum(share.share for share in about.shares) == pytest.approx(about.utility)
        assert [e["move"]["args"] for e in about.edits] == [[1, 3], [4, 6]]
        for edit in about.edits:
            assert sum(share.share for share in edit["shares"]) == pytest.approx(edit["gain"])


def test_operators_may_cost_differently(url):
    with make(url, costs={"flip": 2.5}) as study:
        assert study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(0, 1)).effort == 5.0


def test_the_papers_candidate_is_taken_from_the_weights_asked_with(sqlite_url):
    with make(sqlite_url, candidate="disagreement") as study:
        study.tell(study.ask([1.0, 1.0, 1.0]).id, moves=flip(0))  # w = (1, 0, 0)
        p = study.ask([-1.0, 1.0, 1.0])  # asked with it: nothing switched on
        study.tell(study.ask([1.0, 5.0, 1.0]).id, moves=flip(1))  # w moves on meanwhile
        outcome = study.tell(p.id, moves=flip(0, 0, 1))
        # Under (1, 0, 0) the whole path counts: its end is worth no more than the proposal.
        assert outcome.change == [0.0, 3.0, 0.0]


def test_own_solver_and_own_proposals(sqlite_url):
    with make(sqlite_url, solver=lambda x, w: [1, 1, 1]) as study:
        assert study.ask([1.0, 1.0, 1.0]).solution == [1, 1, 1]
    with make(sqlite_url, proposals=lambda x, outlook, stream: [0, 1, 0]) as study:
        assert study.ask([1.0, 1.0, 1.0]).solution == [0, 1, 0]


def test_problems_are_stored_once(sqlite_url):
    import sqlalchemy as sa

    from coactor.studies.log import schema

    with make(sqlite_url) as study:
        for _ in range(3):
            study.ask([1.0, 2.0, 3.0])
        with study.store.reading() as sql:
            assert sql.sql.scalar(sa.select(sa.func.count()).select_from(schema.problems)) == 1


def test_an_installed_domain_need_not_be_passed(sqlite_url):
    domain, problems = tours(1)
    with open_study(sqlite_url, "tours", domain, "PER", create=True) as study:
        study.ask(problems[0])
    with Store(sqlite_url) as store:
        again = Study(store, "tours")
        assert type(again.domain) is type(domain)
        assert again.domain.points == 8
        assert again.material(1)[0].edges.tobytes() == problems[0].edges.tobytes()
        with make(store) as own:
            own.ask([1.0, 1.0, 1.0])
        with pytest.raises(PermissionError, match="no name here"):
            Study(store, "desk")


def test_a_study_is_not_opened_with_another_domain(sqlite_url):
    domain, _ = tours(1, features=3)
    open_study(sqlite_url, "tours", domain, "PER", create=True).close()
    with pytest.raises(Invalid, match="domain 'tour', not 'ranking'"):
        open_study(sqlite_url, "tours", coactor.domains.Ranking(features=3))


class Own:
    """A learner of somebody's own: adds the last change, knows nothing else."""

    name, reads = "own", "ends"

    def __init__(self):
        self.weights = np.zeros(3)

    def update(self, feedback):
        self.weights = self.weights + feedback.delta

    def state(self):
        return {"weights": self.weights.tolist()}

    def restore(self, state):
        self.weights = np.array(state["weights"])

    def __len__(self):
        return 0


def test_a_learner_of_ones_own(sqlite_url, tmp_path):
    with open_study(sqlite_url, "desk", Switches(), Own(), create=True) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]).id, moves=flip(0, 1))
        study.rollback(0, "try again")
        study.tell(study.ask([1.0, 2.0, 3.0]).id, moves=flip(2))
        assert transfer.verify(study.store, "desk", Own()).version == 3
        lines = list(study.export())
    with open_study(sqlite_url, "desk", Switches(), Own()) as again:
        assert again.weights().tolist() == [0.0, 0.0, 3.0]
    with pytest.raises(Invalid, match="'own' is not installed"):
        open_study(sqlite_url, "desk", Switches())
    with Store(f"sqlite:///{tmp_path}/copy.db") as other:
        with pytest.raises(Invalid, match="not installed"):
            transfer.load(other, lines)
        transfer.load(other, lines, learner=Own())
