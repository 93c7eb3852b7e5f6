"""Studies that remember what people chose."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from coactor.domains import Day, Plans
from coactor.habits import HabitualDomain, plain
from coactor.studies import Conflict, Study, open_study
from coactor.studies.log.facts import Asked, Told
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.store import Store
from coactor.studies.log.transfer import export, load
from coactor.studies.log.verification import verify
from tests.studies.stubs import Clock, Switches, flip, open_at

MOVES = [{"op": "reverse", "args": [0, 1, 2]}]


def day(*stops: str) -> Day:
    n = len(stops) + 1
    rng = np.random.default_rng(n)
    return Day.of(rng.random((n, n)), [0] + [1] * (n - 1), [9.0], ["depot", *stops])


def opened(url: str, clock: Any = time.time) -> Study:
    return open_at(clock, url, "depot", Plans(), create=True, settings={"habits": True})


def unusual(proposal: Any) -> float:
    return float(proposal.problem.arcs[:, :, 1:].sum())


def remembered(study: Study) -> Any:
    memory = study._ledger.knowledge().memory
    assert memory is not None
    return memory.state()


def test_study_remembers_what_it_learned_and_nothing_else(url):
    with opened(url) as study:
        assert study.config["habits"] is True
        assert study.config["features"][1:] == ["unusual in similar cases"]
        first = study.ask(day("A", "B", "C"), key="monday")
        study.tell(first, moves=MOVES, learn=False)
        assert remembered(study)["cases"] == []
        study.tell(study.ask(day("A", "B", "C")), moves=MOVES)
        assert len(remembered(study)["cases"]) == 1
        second = study.ask(day("A", "B"), key="tuesday")
        assert unusual(second) < 7
        assert unusual(first) == 13  # nothing was known: every arc costs 1
    with open_study(url, "depot") as study:  # in another process, without the domain
        again = study.ask(day("A", "B"), key="tuesday")
        assert np.array_equal(again.problem.arcs, second.problem.arcs)
        assert np.array_equal(study.proposal(second.id).problem.arcs, second.problem.arcs)
        study.tell(second.id, moves=[])
        assert len(remembered(study)["cases"]) == 2
    with Store(url) as store:
        assert verify(store, "depot").arithmetic == ""
        ledger = Ledger(store, "depot")
        with store.reading() as sql:
            entries = list(sql.after(ledger.head.id, 0, 99))
        told = [entry.fact for entry in entries if isinstance(entry.fact, Told)]
        assert [fact.case is None for fact in told] == [True, False, False]
        assert all(entry.fact.recalled in entry.needs for entry in entries if isinstance(entry.fact, Asked))


def test_rollback_reopen_and_export_restore_the_memory(tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    clock = Clock()
    with opened(url, clock=clock) as study:
        for stops in (("A", "B", "C"), ("A", "C", "B"), ("B", "C", "A")):
            study.tell(study.ask(day(*stops)), moves=MOVES, actor="ana")
        whole = remembered(study)
        desk = study.desk()
        desk.reopen(2, actor="ana")  # the tell in the middle
        assert [len(case[0]) for case in remembered(study)["cases"]] == [8, 8]
        desk.submit(2, actor="ana", revision=desk.view(2).revision)
        assert len(remembered(study)["cases"]) == 3
        study.rollback(1, "only the first day")
        assert remembered(study)["cases"] == whole["cases"][:1]
        study.rollback(3, "all again")
        assert remembered(study) == whole
        with Store(url) as store, Store(f"sqlite:///{tmp_path}/copy.db") as copy:
            load(copy, export(store, "depot"))
            assert verify(copy, "depot") == verify(store, "depot")
    with open_study(f"sqlite:///{tmp_path}/copy.db", "depot") as study:
        assert remembered(study) == whole


def test_waiting_proposals_recall_again_when_they_are_renewed(sqlite_url):
    with opened(sqlite_url) as study:
        waits = study.ask(day("A", "B", "C"))
        study.tell(study.ask(day("A", "B", "C")), moves=MOVES)
        renewed = study.renew(waits)
        assert unusual(renewed) < unusual(waits)
    with open_study(sqlite_url, "depot") as study:
        assert np.array_equal(study.proposal(waits.id).problem.arcs, renewed.problem.arcs)
        study.tell(waits, moves=MOVES)
    with Store(sqlite_url) as store:
        verify(store, "depot")


class NamedSwitches(Switches):
    def parts(self, x: Any, y: Any) -> list[tuple[str, str]]:
        return [(f"switch {k}", "on" if value else "off") for k, value in enumerate(y)]


def test_a_domain_of_ones_own_remembers_in_a_study(sqlite_url):
    make = {"create": True, "settings": {"habits": True}}
    with open_study(sqlite_url, "switches", NamedSwitches(), "default", **make) as study:
        assert isinstance(study.domain, HabitualDomain)
        for _ in range(4):
            proposal = study.ask([1.0, -1.0, 0.5])
            wanted = [int(k != proposal.solution[k]) for k in (0, 1, 1)]
            study.tell(proposal, moves=flip(*(k for k in range(3) if proposal.solution[k] != wanted[k])))
        assert plain(study.proposal(1).problem) == [1.0, -1.0, 0.5]
    with open_study(sqlite_url, "switches", NamedSwitches(), settings={"habits": True}) as study:
        assert study.config["dim"] == 4
    with pytest.raises(Conflict, match="has habits"):
        open_study(sqlite_url, "switches", NamedSwitches(), settings={"habits": False})
    with Store(sqlite_url) as store:
        verify(store, "switches")


def test_study_starts_with_the_memory_of_an_archive(sqlite_url, tmp_path):
    with opened(f"sqlite:///{tmp_path}/old.db") as old:
        for _ in range(3):
            old.tell(old.ask(day("A", "B", "C")), moves=MOVES)
        known = old._ledger.knowledge()
        learned = {**known.state(), "habits": True}
    with open_study(sqlite_url, "new", Plans(), create=True, start=learned) as study:
        assert remembered(study) == learned["memory"]
        assert np.array_equal(study.weights(), known.learner.weights)
        assert unusual(study.ask(day("A", "B"))) < 7
