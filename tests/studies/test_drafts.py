from __future__ import annotations

import pytest

from coactor.studies import Conflict, Desk, Forbidden, Invalid, NotFound, open_study
from coactor.studies.log import transfer
from tests.studies.stubs import Clock, Switches, flip


def desk(url, clock=None, **more):
    study = open_study(url, "desk", Switches(), "CSPER", create=True, clock=clock or Clock(), **more)
    return study, Desk(study, lease=60.0)


def test_edit_undo_redo_submit(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        first = work.edit(id, flip(0), revision=0, actor="ana")
        assert (first.solution, first.ticket.revision, first.ticket.effort) == ([1, 0, 0], 1, 1.0)
        assert first.change == [1.0, 0.0, 0.0]
        work.edit(id, flip(2), revision=1, actor="ana")
        back = work.undo(id, revision=2, actor="ana")
        assert (back.solution, back.undone) == ([1, 0, 0], flip(2))
        again = work.redo(id, revision=3, actor="ana")
        assert (again.solution, again.moves, again.ticket.revision) == ([1, 0, 1], flip(0, 2), 4)
        outcome = work.submit(id, revision=4, actor="ana", seconds=12.5)
        assert (outcome.effort, outcome.gross, outcome.seconds) == (2.0, 4, 12.5)
        assert (
            work.submit(id, revision=4, actor="ana", seconds=99.0) == outcome
        )  # the answer got lost: the same again
        with pytest.raises(Conflict, match="already told"):
            work.submit(id, revision=3, actor="ana")
        with pytest.raises(Conflict, match="done already"):
            work.edit(id, flip(0), revision=4, actor="ana")
        assert transfer.verify(study.store, "desk").version == 1


def test_what_was_done_and_undone_by_hand_does_not_count(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        for revision, which in enumerate((0, 1, 1, 0, 2)):
            shown = work.edit(id, flip(which), revision=revision, actor="ana")
        assert shown.ticket.effort == 1.0
        outcome = work.submit(id, revision=5, actor="ana")
        assert (outcome.effort, outcome.gross) == (1.0, 5)


def test_a_stale_tab_is_told_and_nothing_is_overwritten(url):
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


def test_an_edit_with_a_key_can_be_repeated(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0], key="ask").id
        for _ in range(2):
            shown = work.edit(id, flip(0), revision=0, actor="ana", key="e1")
            assert shown.ticket.revision == 1
        with pytest.raises(Conflict, match="something else"):
            work.edit(id, flip(1), revision=1, actor="ana", key="e1")
        with pytest.raises(Conflict, match="something else"):
            work.edit(id, flip(1), revision=1, actor="ana", key="ask")


def test_nobody_gets_what_somebody_holds(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        for prices in ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]):
            study.ask(prices)
        assert work.next("ana").ticket.id == 1
        assert work.next("ana").ticket.id == 1  # she has one already
        assert work.next("ben").ticket.id == 2
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
        assert work.next("eve").ticket.id == 1
        with pytest.raises(Conflict, match="held by eve"):
            work.edit(1, flip(0), revision=0, actor="ana")
        assert work.release(1, "lea", force=True).state == "waiting"


def test_a_draft_left_behind_is_handed_on_first(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        study.ask([1.0, 1.0, 1.0])
        study.ask([2.0, 2.0, 2.0])
        work.edit(2, flip(1), revision=0, actor="ana")
        clock.now += 61
        assert [t.state for t in study.proposals()] == ["waiting", "draft"]
        taken = work.next("ben")
        assert (taken.ticket.id, taken.moves) == (2, flip(1))


def test_reopen_forgets_the_tell_and_keeps_the_draft(url):
    clock = Clock()
    study, work = desk(url, clock, grace=100.0)
    with study:
        for prices in ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]):
            study.ask(prices)
        for id, which in ((1, 0), (2, 1), (3, 2)):
            work.edit(id, flip(which), revision=0, actor="ana")
            work.submit(id, revision=1, actor="ana")
        with pytest.raises(Forbidden, match="told by ana"):
            work.reopen(2, actor="ben")
        reopened = work.reopen(2, actor="ana")
        assert (reopened.moves, reopened.ticket.holder, reopened.ticket.revision) == (flip(1), "ana", 2)
        assert study.weights().tolist() == [1.0, 0.0, 1.0]  # as if 2 had never been told
        assert [row.proposal for row in study.effort()] == [1, 3]
        assert work.reopen(2, actor="ana").ticket.revision == 2  # asking twice does no harm
        work.reopen(1, actor="lea", force=True)
        assert study.weights().tolist() == [0.0, 0.0, 1.0]
        work.undo(2, revision=2, actor="ana")
        assert work.submit(2, revision=3, actor="ana").effort == 0.0
        clock.now += 101
        with pytest.raises(Conflict, match="100 seconds ago"):
            work.reopen(3, actor="ana")
        good = transfer.verify(study.store, "desk")
        assert good.version == study.version == 6


def test_reopen_after_a_rollback_is_refused(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        work.submit(id, revision=0, actor="ana")
        study.rollback(0, "start again")
        with pytest.raises(Conflict, match="rolled back since"):
            work.reopen(id, actor="ana")


def test_just_today_can_be_reopened_without_touching_the_weights(url):
    study, work = desk(url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        work.edit(id, flip(0), revision=0, actor="ana")
        work.submit(id, revision=1, actor="ana", learn=False)
        work.reopen(id, actor="ana")
        assert study.version == 0
        assert transfer.verify(study.store, "desk").version == 0


def test_bad_edits_are_refused_and_change_nothing(sqlite_url):
    study, work = desk(sqlite_url)
    with study:
        id = study.ask([1.0, 2.0, 3.0]).id
        before = study.ledger.refresh().seq
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
        assert study.ledger.refresh().seq == before


def test_drafts_survive_another_process(url):
    study, work = desk(url)
    other, elsewhere = desk(url)
    with study, other:
        id = study.ask([1.0, 2.0, 3.0]).id
        work.edit(id, flip(0), revision=0, actor="ana")
        assert elsewhere.view(id).solution == [1, 0, 0]
        elsewhere.undo(id, revision=1, actor="ana")
        assert work.view(id).undone == flip(0)
