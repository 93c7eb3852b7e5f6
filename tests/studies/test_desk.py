from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from coactor.domains import Plans
from coactor.protocol import Work
from coactor.solutions import solution_key
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, open_study
from coactor.studies.log import transfer
from coactor.studies.log.facts import finished
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.verification import verify
from tests.studies.log.test_people import UP, WANTS, taught
from tests.studies.stubs import Clock, Switches, flip, make, open_at, tours


def desk(url, clock=None, **more):
    study = open_at(clock or Clock(), url, "desk", Switches(), "CSPER", create=True, **more)
    return study, study.desk(lease=60.0)


def test_edit_undo_redo_and_submit(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        first = work.edit(id, flip(0), revision=0, actor="ana")
        assert (first.solution, first.revision, first.effort) == ([1, 0, 0], 1, 1.0)
        assert first.change == [1.0, 0.0, 0.0]
        work.edit(id, flip(2), revision=1, actor="ana")
        back = work.undo(id, revision=2, actor="ana")
        assert (back.solution, back.undone) == ([1, 0, 0], flip(2))
        again = work.redo(id, revision=3, actor="ana")
        assert (again.solution, again.moves, again.revision) == ([1, 0, 1], flip(0, 2), 4)
        outcome = work.submit(id, revision=4, actor="ana", work=Work(seconds=12.5))
        assert (outcome.effort, outcome.work.gestures, outcome.work.seconds) == (2.0, 4, 12.5)
        assert (
            work.submit(id, revision=4, actor="ana", work=Work(seconds=99.0)) == outcome
        )  # the answer got lost: the same again
        with pytest.raises(Conflict, match="already told"):
            work.submit(id, revision=3, actor="ana")
        with pytest.raises(Conflict, match="already told by ana"):
            work.submit(id, revision=4, actor="ben")
        with pytest.raises(Conflict, match="done already"):
            work.edit(id, flip(0), revision=4, actor="ana")
        assert verify(study.store, "desk").version == 1


def test_submit_does_not_count_moves_that_were_undone_by_hand(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        for revision, which in enumerate((0, 1, 1, 0, 2)):
            shown = work.edit(id, flip(which), revision=revision, actor="ana")
        assert shown.effort == 1.0
        outcome = work.submit(id, revision=5, actor="ana")
        assert (outcome.effort, outcome.work.gestures) == (1.0, 5)


def test_edit_raises_conflict_with_the_current_state_when_the_revision_is_stale(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        work.edit(id, flip(0), revision=0, actor="ana")
        with pytest.raises(Conflict, match="revision 1, not 0") as told:
            work.edit(id, flip(2), revision=0, actor="ana")
        assert told.value.current["solution"] == [1, 0, 0]
        assert told.value.current["revision"] == 1
        assert work.view(id).moves == flip(0)
        with pytest.raises(Conflict):
            work.submit(id, revision=0, actor="ana")
        assert study.proposals()[0].state == "held"


def test_edit_with_a_key_can_be_repeated_and_conflicts_whichever_move_differs(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        for _ in range(2):
            shown = work.edit(id, flip(0, 1), revision=0, actor="ana", key="e1")
            assert shown.revision == 2
        clock.now += 1.0
        work.edit(id, flip(2), revision=2, actor="ana")
        for other in (flip(0, 2), flip(0), flip(0, 1, 2)):
            with pytest.raises(Conflict, match="another request"):
                work.edit(id, other, revision=3, actor="ana", key="e1")
        assert work.edit(id, flip(0, 1), revision=0, actor="ana", key="e1").moves == flip(0, 1, 2)
        study.ask([3.0, 2.0, 1.0], key="ask")
        with pytest.raises(Conflict, match="another request"):
            work.edit(id, flip(1), revision=3, actor="ana", key="ask")
        work.undo(id, revision=3, actor="ana", count=2, key="u1")
        assert work.undo(id, revision=3, actor="ana", count=2, key="u1").moves == flip(0)
        with pytest.raises(Conflict, match="another request"):
            work.undo(id, revision=5, actor="ana", key="u1")


def test_a_lease_excludes_others_until_it_expires(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        for prices in ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]):
            study.ask(prices)
        assert work.next("ana").id == 1
        assert work.next("ana").id == 1  # she has one already
        assert work.claim(2, "ben").id == 2
        assert work.next("eve") is None
        for call in (
            lambda: work.claim(1, "eve"),
            lambda: work.edit(1, flip(0), revision=0, actor="eve"),
            lambda: work.submit(1, revision=0, actor="eve"),
            lambda: work.release(1, "eve"),
            lambda: study.tell(1, moves=[], actor="eve"),
        ):
            with pytest.raises(Conflict, match="held by ana"):
                call()
        clock.now += 61  # the lease runs out
        assert work.next("eve").id == 1
        with pytest.raises(Conflict, match="held by eve"):
            work.edit(1, flip(0), revision=0, actor="ana")
        assert work.release(1, "lea", force=True).state == "waiting"
        clock.now += 400 * 86400
        work.claim(1, "ana")
        clock.now -= 400 * 86400  # a clock was set right: nobody holds it for 400 days
        assert work.claim(1, "eve").holder == "eve"
        with pytest.raises(Invalid, match="may last up to 86400 s"):
            study.desk(lease=400 * 86400)


def test_next_hands_out_own_drafts_first_and_drafts_of_others_last(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        for _ in range(2):
            study.ask([1.0, 1.0, 1.0])
        work.edit(1, flip(1), revision=0, actor="ana")
        clock.now += 61
        assert [t.state for t in study.proposals()] == ["draft", "waiting"]
        assert work.claim(2, "ben").id == 2
        taken = work.next("ana")
        assert (taken.id, taken.moves) == (1, flip(1))
        work.release(1, "ana")
        given = work.next("eve")
        assert (given.id, given.editor, given.steps) == (1, "ana", 1)


def test_reopen_unlearns_the_tell_and_keeps_the_draft(url):
    clock = Clock()
    study, work = desk(url, clock, settings={"grace": 100.0})
    with study:
        for prices in ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]):
            study.ask(prices)
        for id, which in ((1, 0), (2, 1), (3, 2)):
            work.edit(id, flip(which), revision=0, actor="ana")
            work.submit(id, revision=1, actor="ana")
        with pytest.raises(Forbidden, match="told by ana"):
            work.reopen(2, actor="ben")
        reopened = work.reopen(2, actor="ana")
        assert (reopened.moves, reopened.holder, reopened.revision) == (flip(1), "ana", 2)
        assert study.weights().tolist() == [1.0, 0.0, 1.0]  # as if 2 had never been told
        assert [row.proposal for row in study.effort()] == [1, 3]
        assert study.finished() == [finished(row) for row in study.effort()]
        assert work.reopen(2, actor="ana").revision == 2  # asking twice does no harm
        work.reopen(1, actor="lea", force=True)
        assert study.weights().tolist() == [0.0, 0.0, 1.0]
        work.undo(2, revision=2, actor="ana")
        assert work.submit(2, revision=3, actor="ana").effort == 0.0
        clock.now += 101
        with pytest.raises(Conflict, match="100 seconds ago"):
            work.reopen(3, actor="ana")
        good = verify(study.store, "desk")
        assert good.version == study.version == 6


def test_unsure_submit_counts_half_until_it_is_answered(url):
    with open_at(Clock(), url, "half", Switches(), create=True) as study:
        study.ask([1.0, 2.0, 3.0])
        work, weights = study.desk(), []
        for unsure in (True, False):
            revision = work.edit(1, flip(0), revision=work.view(1).revision, actor="ana").revision
            work.submit(1, revision=revision, actor="ana", unsure=unsure)
            weights.append(study.weights(learned_for="ana"))
            assert verify(study.store, "half").version == study.version
            revision = work.reopen(1, actor="ana").revision
            work.undo(1, revision=revision, actor="ana")
        assert weights[0].tolist() != weights[1].tolist()


def test_reopen_raises_conflict_after_a_rollback(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        work.submit(id, revision=0, actor="ana")
        study.rollback(0, "start again")
        with pytest.raises(Conflict, match="rolled back since"):
            work.reopen(id, actor="ana")


def test_invalid_edits_change_nothing(sqlite_url):
    study, work = desk(sqlite_url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        before = study._ledger.refresh().seq
        for call in (
            lambda: work.edit(id, flip(5), revision=0, actor="ana"),
            lambda: work.edit(id, [{"op": "flip", "args": "0"}], revision=0, actor="ana"),
            lambda: work.edit(id, ["flip"], revision=0, actor="ana"),
            lambda: work.edit(id, flip(0), revision=0, actor=""),
            lambda: work.undo(id, revision=0, actor="ana"),
            lambda: work.redo(id, revision=0, actor="ana"),
        ):
            with pytest.raises(Invalid):
                call()
        for call in (lambda: work.claim(7, "ana"), lambda: work.view(7), lambda: work.reopen(0, actor="ana")):
            with pytest.raises(NotFound):
                call()
        assert study._ledger.refresh().seq == before


def test_view_reads_ticket_and_moves_at_the_same_moment(sqlite_url):
    """An edit that arrives while a draft is viewed is in both of them or in neither."""
    study, work = desk(sqlite_url)
    other, elsewhere = desk(sqlite_url)
    with study, other:
        study.ask([1.0, 2.0, 3.0])
        stop = threading.Event()

        def edit():
            revision = 0
            while not stop.is_set():
                elsewhere.edit(1, flip(revision % 3), revision=revision, actor="ana")
                revision += 1
                if revision == 60:
                    break

        thread = threading.Thread(target=edit)
        thread.start()
        try:
            while thread.is_alive():
                draft = work.view(1)
                assert draft.revision == len(draft.moves)
        finally:
            stop.set()
            thread.join()


def test_reopen_recomputes_when_others_learned_in_between(sqlite_url, monkeypatch):
    study, work = desk(sqlite_url)
    other, _ = desk(sqlite_url)
    with study, other:
        for _ in range(3):
            study.ask([1.0, 2.0, 3.0])
        work.submit(1, revision=0, actor="ana")
        study.tell(2, moves=flip(0), actor="ana")
        without = Ledger.without

        def late(self, *args):
            monkeypatch.setattr(Ledger, "without", without)
            knowledge = without(self, *args)
            other.tell(3, moves=flip(1))
            return knowledge

        monkeypatch.setattr(Ledger, "without", late)
        work.reopen(2, actor="ana")
        assert study.weights().tolist() == [0.0, 2.0, 0.0]
        verify(study.store, "desk")


def test_reopen_counts_a_free_edit_as_an_edit(sqlite_url):
    study, work = desk(sqlite_url, settings={"costs": {"flip": 0.0}})
    with study:
        study.ask([1.0, 2.0, 3.0])
        study.tell(1, moves=flip(0), actor="ana")
        work.reopen(1, actor="ana")
        assert study.summary()["untouched"] == 0


def test_draft_of_another_person_is_discarded_and_solved_for_the_holder(url):
    with taught(url) as study:
        work, p = study.desk(lease=60.0), study.ask(UP, actor="ana")
        work.edit(p.id, flip(1), revision=0, actor="ana")
        work.release(p.id, "ana")
        begun = work.claim(p.id, "ben")
        assert (begun.editor, begun.steps, begun.for_another) == ("ana", 1, True)
        undone = work.undo(p.id, revision=begun.revision, actor="ben")
        assert (undone.due, undone.for_another) == (True, True)
        study.renew(p.id, actor="ben")
        own = work.view(p.id)
        assert (own.proposed, own.moves, own.undone) == (WANTS["ben"], [], [])
        assert (own.due, own.for_another) == (False, False)
        with pytest.raises(Invalid, match="nothing to redo"):  # it was an edit of the earlier solution
            work.redo(p.id, revision=own.revision, actor="ben")
        work.edit(p.id, flip(1), revision=own.revision, actor="ben")
        assert work.undo(p.id, revision=own.revision + 1, actor="ben").undone == flip(1)
        assert verify(study.store, "desk").version == study.version


def test_draft_without_edits_stays_as_it_is_while_nobody_holds_it(url):
    with taught(url) as study:
        work, p = study.desk(lease=60.0), study.ask(UP, actor="ana")
        work.edit(p.id, flip(1), revision=0, actor="ana")
        work.undo(p.id, revision=1, actor="ana")
        assert work.release(p.id, "ana").state == "waiting"
        opened = work.claim(p.id, "ben")
        assert (opened.proposed, opened.undone) == (WANTS["ana"], flip(1))


def test_first_claim_in_a_process_solves_for_the_person_who_opens(url):
    with taught(url) as study:
        p = study.ask(UP, actor="ana")
    with open_at(Clock(), url, "desk", Switches()) as study:  # the solving time is unknown
        opened = study.desk(lease=60.0, patience=5.0).claim(p.id, "ben")
        assert (opened.proposed, opened.solved_for) == (WANTS["ben"], "ben")


def test_ticket_says_for_whom_ask_named_a_person(url):
    with taught(url) as study:
        ids = [study.ask(UP, actor="ana", asked_for=person).id for person in ("", "depot-7")]
        assert [study.draft(id).asked_for for id in ids] == ["", "depot-7"]
        study.tell(ids[1], moves=[], actor="ana")
        assert study.draft(ids[1]).asked_for == "depot-7"


def test_a_reopened_proposal_keeps_the_reason_it_was_proposed_for(url):
    domain, problems = tours(6)
    with open_study(url, "desk", domain, create=True, settings={"budget": math.inf}) as study:
        for problem in problems[:4]:
            proposal = study.ask(problem)
            assert proposal.solution is not None
            study.tell(proposal, solution=domain.solve(problem, np.ones(3)), actor="ana")
        proposal = study.ask(problems[4])
        assert proposal.basis.reason
        study.tell(proposal, moves=[], actor="ana")
        work = study.desk()
        work.reopen(proposal.id, actor="ana")
        assert study.draft(proposal.id).basis == proposal.basis
        assert verify(study.store, "desk").arithmetic == ""


def test_a_replan_is_an_edit_that_undo_takes_back_and_colleagues_see(url):
    domain, (x,) = tours(1)
    study = open_at(Clock(), url, "keep", domain, "default", create=True)
    with study:
        study.ask(x, keep=[next(domain.parts(x, np.arange(domain.points)))])
        work = study.desk()
        draft = work.claim(1, "ana")
        assert (len(draft.locked), draft.own) == (1, [])
        before = study.summary()["facts"]
        moves = list(domain.moves(x, draft.solution))
        draft = work.edit(1, [moves[3], moves[-1]], revision=draft.revision, actor="ana")
        lock = {"op": "keep", "args": [], "parts": draft.own[:1]}
        draft = work.edit(1, [lock], revision=draft.revision, actor="ana")
        assert {tuple(p) for p in draft.own} <= set(domain.parts(x, work.replan(1).solution))
        shown = work.replan(1, keep=[])
        assert study.summary()["facts"] == before + 2  # the edits: a re-plan alone records nothing
        assert {tuple(p) for p in draft.locked} <= set(domain.parts(x, shown.solution))
        assert shown.moves[:-1] == draft.moves
        taken = work.edit(1, shown.moves[-1:], revision=draft.revision, actor="ana")
        assert np.array_equal(taken.solution, shown.solution)
        assert (draft.effort, taken.effort) == (2.0, 3.0)
        work.release(1, "ana")
        again = work.claim(1, "ben")
        assert (again.locked, again.own) == (taken.locked, taken.own)
        back = work.undo(1, revision=again.revision, actor="ben")
        assert np.array_equal(back.solution, draft.solution)
        forth = work.redo(1, revision=back.revision, actor="ben")
        everything = list(domain.parts(x, forth.solution))
        assert work.replan(1, only=[]).moves == forth.moves  # nothing may change
        with pytest.raises(Invalid, match="no such parts"):
            work.replan(1, keep=[*everything, ("0", "nowhere")])
        told = work.submit(1, revision=forth.revision, actor="ben")
        assert (told.effort, told.cost) == (3.0, 2.0)
        weights = study.weights()
        assert work.reopen(1, actor="ben").locked == forth.locked
        work.submit(1, revision=forth.revision + 1, actor="ben")
        assert verify(study.store, "keep").version == 3
    with open_study(url, "keep", domain) as opened:
        assert np.array_equal(opened.weights(), weights)


def test_submit_counts_the_time_and_the_edits_of_everybody(url):
    with make(url) as study:
        study.ask([1.0, 2.0, 3.0])
        desk = study.desk()
        desk.claim(1, "ana")
        desk.edit(1, flip(0, 1), revision=0, actor="ana")
        desk.release(1, "ana", seconds=90.0)
        desk.claim(1, "lea")
        desk.edit(1, flip(2), revision=2, actor="lea")
        desk.undo(1, revision=3, actor="lea")
        done = desk.submit(1, revision=4, actor="lea", work=Work(seconds=3.0))
        assert (done.effort, done.work.actor, done.work.seconds) == (2.0, "lea", 93.0)
        assert done.work.authors == ["ana", "ana"]
        assert study.round(1) == done
        again = desk.reopen(1, actor="lea")
        draft = desk.edit(1, flip(2, 2), revision=again.revision, actor="lea")  # a loop: it does not count
        draft = desk.undo(1, revision=draft.revision, actor="lea", count=3)
        draft = desk.redo(1, revision=draft.revision, actor="lea", count=3)
        assert draft.authors == ["ana", "lea", "lea", "lea"]
        told = desk.submit(1, revision=draft.revision, actor="lea", work=Work(seconds=7.0))
        assert (told.effort, told.work.seconds, told.work.authors) == (2.0, 100.0, ["ana", "lea"])
        draft = desk.reopen(1, actor="lea")
        assert draft.authors == told.work.authors
        desk.submit(1, revision=draft.revision, actor="lea")
        assert study.report().people[0].minutes == pytest.approx(100 / 60)
        transfer.erase(study.store, "desk", "ana")
    with make(url) as study:
        name, other = study.round(1).work.authors
        assert (name.startswith("erased-"), other) == (True, "lea")


def test_an_edit_that_goes_on_with_the_last_one_is_counted_once(sqlite_url):
    domain = Plans(2)
    problem = next(iter(domain.sample(np.random.default_rng(0), 1)))
    with open_study(sqlite_url, "plans", domain, "CSPER", create=True) as study:
        y = study.ask(problem).solution
        after = {solution_key(domain.apply(problem, y, move)) for move in domain.moves(problem, y)}
        first = next(move for move in domain.moves(problem, y) if move["op"] == "move")
        z = domain.apply(problem, y, first)
        second = next(  # the same stop again, to another place
            move
            for move in domain.moves(problem, z)
            if move["op"] == "move" and solution_key(domain.apply(problem, z, move)) in after
        )
        board = study.desk()
        board.claim(1, "ana")
        board.edit(1, [first, second], revision=0, actor="ana")
        assert board.view(1).effort == 1.0
        assert board.submit(1, revision=2, actor="ana").effort == 1.0
