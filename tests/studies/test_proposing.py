"""Proposals that waited while the weights changed are solved again when a person opens them."""

from __future__ import annotations

import tempfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.proposals.strategies import strategy
from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Store, open_study
from coactor.studies.log.facts import Asked, Told
from coactor.studies.log.verification import verify
from coactor.studies.telling import Request
from tests.studies.log.test_ledger import acts, perform
from tests.studies.stubs import Clock, Switches, flip, open_at
from tests.studies.test_processes import together

UP = [1.0, 1.0, 1.0]


def desk(url, clock=None, **more):
    study = open_at(clock or Clock(), url, "desk", Switches(), "CSPER", create=True, **more)
    return study, study.desk(lease=60.0)


def of_kind(study, kind):
    with study.store.reading() as sql:
        return [entry.fact for entry in sql.of_kind(study._ledger.head.id, kind)]


def renewals(study):
    return [fact for fact in of_kind(study, "asked") if fact.revision]


def learn(study, *which):
    """Another proposal is finished: the weights change."""
    study.tell(study.ask([1.0, 2.0, 3.0]), moves=flip(*which))


def test_claim_solves_a_waiting_proposal_again_with_the_newest_weights(url):
    study, work = desk(url)
    with study:
        p = study.ask(UP, key="monday", label="van 7")
        learn(study, 0)
        assert study.proposals("waiting")[0].due
        assert work.view(p.id).proposed == [0, 0, 0]  # looking changes nothing
        opened = work.claim(p.id, "ana")
        assert (opened.proposed, opened.solution, opened.basis.version) == ([1, 0, 0], [1, 0, 0], 1)
        assert (opened.key, opened.label, opened.state) == ("monday", "van 7", "held")
        assert not opened.due
        work.edit(p.id, flip(2), revision=opened.revision, actor="ana")
        outcome = work.submit(p.id, revision=opened.revision + 1, actor="ana")
        assert (outcome.effort, outcome.basis.version, outcome.change.tolist()) == (1.0, 1, [0.0, 0.0, 1.0])
        assert study.proposals()[0].basis.version == 1
        assert study.proposal(p.id).solution == [1, 0, 0]
        assert study.explain(p.id).version == 1
        assert work.reopen(p.id, actor="ana").proposed == [1, 0, 0]
        assert verify(study.store, "desk").version == study.version


def test_next_solves_again_also_after_a_rollback(url):
    study, work = desk(url)
    with study:
        study.ask(UP)
        learn(study, 0)
        assert work.next("ana").proposed == [1, 0, 0]
        work.release(1, "ana")
        study.rollback(0, "again from the start")
        assert work.next("ana").proposed == [0, 0, 0]
        assert [fact.basis.version for fact in renewals(study)] == [1, 2]


def test_claim_solves_nothing_again_when_the_weights_are_the_same(url):
    study, work = desk(url)
    with study:
        study.ask(UP)
        work.claim(1, "ana")
        work.release(1, "ana")
        study.tell(study.ask(UP), moves=flip(0), learn=False)  # "just today" changes no weights
        work.claim(1, "ana")
        assert renewals(study) == []


def test_a_held_or_touched_proposal_is_not_solved_again(url):
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        for _ in range(3):
            study.ask(UP)
        work.claim(1, "ana")  # held, not touched
        work.edit(2, flip(1), revision=0, actor="ana")
        work.release(2, "ana")  # a draft left behind
        learn(study, 0)
        assert [t.due for t in study.proposals("open")] == [False, False, True]
        assert work.claim(1, "ana").proposed == [0, 0, 0]  # a reload shows her what she has been looking at
        assert work.claim(2, "ben").solution == [0, 1, 0]
        with pytest.raises(Conflict, match="held by ana"):
            work.claim(1, "ben")
        assert study.renew(1).solution == [0, 0, 0]
        clock.now += 61  # her lease runs out: now it waits like any other
        assert work.claim(1, "ben").proposed == [1, 0, 0]
        assert work.view(2).proposed == [0, 0, 0]


def test_edit_raises_conflict_when_the_proposal_was_solved_again(url):
    """Ana looked, her lease ran out, Ben had it solved again and gave it back: she edits something else."""
    clock = Clock()
    study, work = desk(url, clock)
    with study:
        study.ask(UP)
        seen = work.claim(1, "ana").revision
        learn(study, 0)
        clock.now += 61
        work.claim(1, "ben")
        work.release(1, "ben")
        for late in (
            lambda: work.edit(1, flip(1), revision=seen, actor="ana"),
            lambda: work.submit(1, revision=seen, actor="ana"),
        ):
            with pytest.raises(Conflict, match="changed elsewhere") as refused:
                late()
            assert refused.value.current["proposed"] == [1, 0, 0]


def test_tell_is_about_the_solving_that_the_caller_names(url):
    """A tell with the proposal of `ask` is learned as if it had not been opened meanwhile."""
    study, work = desk(url)
    with study:
        held = [study.ask(UP) for _ in range(4)]
        learn(study, 0)
        for p in held:
            work.claim(p.id, "ana")
            work.release(p.id, "ana")
        with pytest.raises(Conflict, match="which version was corrected: 0 or 1") as refused:
            study.tell(held[0].id, moves=flip(1))
        assert refused.value.current["versions"] == [0, 1]
        with pytest.raises(Invalid, match="not 7"):
            study.receive(held[0].id, Request(moves=flip(1), version=7))
        told = [
            study.tell(held[0], moves=flip(1)),
            study.receive(held[1].id, Request(moves=flip(1), version=1)),
            study.receive(held[2].id, Request(path=[[0, 0, 0], [0, 1, 0]])),  # it says itself where it begins
            study.receive(held[3].id, Request(path=[[1, 0, 0], [1, 1, 0]])),
        ]
        assert [one.basis.version for one in told] == [0, 1, 0, 1]
        assert [t.basis.version for t in study.proposals()[:4]] == [0, 1, 0, 1]
        finals = [fact.solution for fact in of_kind(study, "told")][1:]
        assert finals == [[0, 1, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0]]
        assert study.proposal(1).solution == [0, 0, 0]
        assert study.tell(held[0], moves=flip(1)) == told[0]  # again, the same
        verify(study.store, "desk")


def test_ask_returns_the_first_solving_for_its_key(url):
    study, work = desk(url)
    with study:
        first = study.ask(UP, key="k")
        learn(study, 0)
        work.claim(1, "ana")
        work.release(1, "ana")
        again = study.ask(UP, key="k")
        assert (again.id, again.solution, again.version) == (first.id, first.solution, first.version)
        assert study.tell(again, moves=[]).basis.version == 0


def test_tell_needs_no_version_when_all_solvings_are_equal(url):
    study, work = desk(url)
    with study:
        p = study.ask([-1.0, -1.0, -1.0])
        learn(study, 0)
        work.claim(p.id, "ana")
        work.release(p.id, "ana")
        assert len(renewals(study)) == 1
        assert study.tell(p.id, moves=[]).basis.version == 1


def test_proposals_that_cannot_be_repeated_are_not_solved_again(url):
    """Printed plans, and proposals of a solver that this process does not have."""
    study, work = desk(url)
    with study, open_at(Clock(), url, "desk", Switches(), solver=lambda x, w: [1, 1, 1]) as own:
        study.ask(UP, renew=False)
        own.ask(UP)
        study.ask(UP)
        learn(study, 0)
        assert [t.due for t in study.proposals("open")] == [False, False, True]
        assert [t.due for t in own.proposals("open")] == [False, False, False]
        assert work.claim(1, "ana").proposed == [0, 0, 0]
        assert work.claim(2, "ana").proposed == [1, 1, 1]
        assert own.desk().claim(3, "ben").proposed == [0, 0, 0]
        assert renewals(study) == []
    with open_study(
        url, "strategy", Switches(), "CSPER", create=True, settings={"proposals": "paper"}
    ) as named:
        named.ask(UP)
        learn(named, 0)
        with open_study(
            named.store, "strategy", Switches(), strategy=strategy("polish", Switches())
        ) as other:
            assert [t.due for t in named.proposals("open")] == [True]
            assert [t.due for t in other.proposals("open")] == [False]


def test_renew_keeps_the_proposal_when_the_solver_fails(sqlite_url):
    class Moody(Switches):
        tired = False

        def solve(self, x, w):
            if self.tired:
                raise ValueError("no")
            return super().solve(x, w)

    domain = Moody()
    with open_study(sqlite_url, "desk", domain, "CSPER", create=True) as study:
        study.ask(UP)
        learn(study, 0)
        domain.tired = True
        assert study.desk().claim(1, "ana").proposed == [0, 0, 0]
        assert renewals(study) == []


def test_claims_of_several_processes_solve_a_proposal_again_once(url):
    """However many open it at the same moment: one holds it, it was solved again once, all see the same."""
    a, _ = desk(url)
    b, _ = desk(url)
    with a, b:
        for round in range(4):
            p = a.ask([1.0, float(round), 1.0])
            learn(a, round % 3)
            calls = [lambda k=k, p=p: (a if k % 2 else b).desk().claim(p.id, f"p{k}") for k in range(6)]
            answers = together(calls)
            got = [draft for draft in answers if not isinstance(draft, Exception)]
            assert len(got) == 1, answers
            assert all(isinstance(one, Conflict) for one in answers if one is not got[0])
            assert got[0].basis.version == a.version
            renewed = [fact for fact in renewals(a) if fact.proposal == p.id]
            assert len(renewed) == 1
            for study in (a, b):
                assert study.desk().view(p.id).proposed == got[0].proposed
            a.desk().submit(p.id, revision=got[0].revision, actor=got[0].holder)
        verify(a.store, "desk")


class Interrupted(Switches):
    """Something happens while it solves."""

    def __init__(self, meanwhile):
        self.meanwhile = meanwhile

    def solve(self, x, w):
        happens, self.meanwhile = self.meanwhile, lambda: None
        happens()
        return super().solve(x, w)


@pytest.mark.parametrize("what", ["took", "looks", "edited", "finished", "renewed"])
def test_renew_respects_what_happens_while_it_solves(url, what):
    other, there = desk(url)
    own = open_at(Clock(), url, "desk", Switches(), solver=lambda x, w: [1, 1, 1])
    looking = own.desk()
    with other, own:
        other.ask(UP)
        learn(other, 0)
        happen = {
            "took": lambda: there.claim(1, "ben"),
            "looks": lambda: looking.claim(
                1, "ben"
            ),  # this process cannot solve again, so ben sees it as it is
            "edited": lambda: (there.edit(1, flip(1), revision=0, actor="ben"), there.release(1, "ben")),
            "finished": lambda: other.tell(1, moves=flip(2)),
            "renewed": lambda: (learn(other, 1), other.renew(1)),
        }[what]
        domain = Interrupted(happen)
        with open_at(Clock(), url, "desk", domain) as study:
            seen = study.renew(1)
        solution, version, count = {
            "took": ([1, 0, 0], 1, 1),
            "looks": ([0, 0, 0], 0, 0),
            "edited": ([0, 0, 0], 0, 0),
            "finished": ([0, 0, 0], 0, 0),
            "renewed": ([1, 1, 0], 2, 1),
        }[what]
        assert seen.solution == there.view(1).proposed == solution
        assert seen.version == version
        assert len(renewals(other)) == count
        verify(other.store, "desk")


@settings(max_examples=40)
@given(st.lists(acts, min_size=8, max_size=30))
def test_every_tell_is_about_a_solving_of_its_proposal(sequence):
    """Every tell names a solving of its proposal, and a draft's edits lead from that one to what was told."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/desk.db") as store:
        live = [open_study(store, "desk", Switches(), "CSPER", create=True) for _ in range(2)]
        live[0].ask([1.0, -1.0, 0.5])
        live[0].ask([0.5, 1.0, -1.0])
        for turn, act in enumerate(sequence):
            with suppress(Conflict, NotFound, Invalid, Forbidden):
                perform(live[turn % 2], live[turn % 2].desk(), act)
        study, domain = live[0], Switches()
        with store.reading() as sql:
            entries = list(sql.after(study._ledger.head.id, 0))
        shown: dict[int, dict[int, list[int]]] = {}
        held: dict[int, str] = {}
        touched: set[int] = set()
        for entry in entries:
            fact, id = entry.fact, entry.proposal
            if isinstance(fact, Asked) and not fact.revision:
                shown[id] = {fact.basis.version: fact.solution}
            elif isinstance(fact, Asked):
                assert id not in touched
                assert held.get(id) in (None, entry.actor)
                assert fact.basis.version > max(shown[id])
                shown[id][fact.basis.version] = fact.solution
            elif isinstance(fact, Told):
                y = shown[id][fact.round.basis.version]
                for move in fact.moves:
                    y = domain.apply(None, y, move)
                assert y == fact.solution
            touched |= {id} if fact.kind in ("edited", "reopened") else set()
            if fact.kind in ("claimed", "edited", "reopened"):
                held[id] = entry.actor
            elif fact.kind in ("released", "told"):
                held.pop(id, None)


def test_a_desk_that_does_not_renew_shows_the_last_solution_at_once(sqlite_url):
    study, _ = desk(sqlite_url)
    with study:
        work = study.desk(lease=60.0, patience=-1.0)
        p = study.ask(UP)
        learn(study, 0)
        opened = work.claim(p.id, "ana")
        assert (opened.proposed, opened.basis.version) == ([0, 0, 0], 0)
        assert study.renew(p.id, actor="ben").solution == [0, 0, 0]  # held by another person
        assert study.renew(p.id, actor="ana").solution == [1, 0, 0]  # with the holder's consent
        assert work.view(p.id).proposed == [1, 0, 0]


def test_renew_ahead_solves_the_oldest_waiting_proposals_again(sqlite_url):
    study, work = desk(sqlite_url)
    with study:
        ids = [study.ask(UP).id for _ in range(5)]
        work.claim(ids[0], "ana")
        assert study.renew_ahead(2) == 0
        learn(study, 0)
        assert study.renew_ahead(2) == 2
        assert study.renew_ahead(2) == 0
        assert [fact.proposal for fact in renewals(study)] == ids[1:3]
        assert study.desk(patience=-1.0).claim(ids[1], "ben").proposed == [1, 0, 0]
        assert verify(study.store, "desk").version == 1


def test_a_registered_solution_is_stored_as_given_and_never_renewed(sqlite_url):
    study, work = desk(sqlite_url)
    with study:
        p = study.ask(UP, solution=[0, 1, 0])
        assert (p.solution, study.proposal(p.id).solution) == ([0, 1, 0], [0, 1, 0])
        learn(study, 0)
        assert work.claim(p.id, "ana").proposed == [0, 1, 0]
        assert study.tell(p, moves=flip(1), actor="ana").effort == 1.0
