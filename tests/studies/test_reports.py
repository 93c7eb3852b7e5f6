from __future__ import annotations

from dataclasses import replace

import pytest

from coactor.grids import GridModel
from coactor.protocol import Basis
from coactor.studies import Invalid, NotFound, open_study, reports
from coactor.studies.log.transactions import Transaction
from coactor.studies.queue import QueueQuery
from tests.studies.stubs import Clock, flip, make, tours


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
        assert [e.move["args"] for e in about.edits] == [[1, 3], [4, 6]]
        for edit in about.edits:
            assert sum(share.share for share in edit.shares) == pytest.approx(edit.gain)


def test_explain_words_a_replan(url):
    domain, (x,) = tours(1)
    with open_study(url, "tours", domain, start=[1.0] * domain.dim, create=True) as study:
        y = domain.solve(x, study.weights())
        worst = list(domain.moves(x, y))[domain.landscape(x, study.weights()).gains(y).argmin()]
        proposal = study.ask(x, solution=domain.apply(x, y, worst))
        study.tell(study.replan(proposal), moves=[])
        assert [edit.text.split(":")[0] for edit in study.explain(proposal.id).edits] == ["Re-planned"]


def test_report_reads_no_more_rows_of_a_longer_study(url, monkeypatch):
    monkeypatch.setattr(reports, "RECENT", 5)
    monkeypatch.setattr(reports, "EARLIEST", 6)
    read, finished = [], Transaction.finished
    monkeypatch.setattr(
        Transaction, "finished", lambda *args: read.append(finished(*args)) or finished(*args)
    )
    with make(url, clock=Clock()) as study:
        for k in range(23):
            study.tell(study.ask([1.0 + k, 2.0, 3.0]), moves=flip(0) if k % 2 else [], actor="ana")
            if k == 8:
                assert study.report().proposals == 9
        assert study.report().proposals == study.report().people[0].finished == 8
        assert [row.proposal for row in read[-2]] == list(range(16, 24))  # a window begins at each fifth
        assert [row.proposal for row in read[-1]] == [1, 2, 3, 4, 5, 6]
        assert study.calibration().proposals <= 8
        assert study.totals() == {"finished": 23, "unchanged": 12, "effort": 11.0}
        assert study.totals(last=3) == {"finished": 3, "unchanged": 2, "effort": 1.0}
        newest = [row.proposal for row in finished_edits(study, "ana", 20)]
        assert newest == [18, 20] == [row.proposal for row in finished_edits(study, "", 20)]
        assert finished_edits(study, "ben", 23) == []


def finished_edits(study, learned_for, version):
    with study.store.reading() as sql:
        return sql.edited(study._ledger.head.id, version, learned_for, 2)


def test_report_names_rules_that_are_broken_often_and_wishes_that_might_be_rules(sqlite_url):
    model = GridModel(over={"nurse": ["Ana"], "day": ["Mon", "Tue"]}, choose={"shift": ["off", "on"]})
    model.rule("Free on Mon", model.has("on").at(day="Mon"))
    model.wish("Work on Tue", model.has("on").at(day="Tue"))
    with open_study(sqlite_url, "ward", model, "default", create=True) as study:
        for week in range(20):
            proposal = study.ask(model.problem({}), solution=[[0, 0]])
            mended = {"op": "set", "args": [0, 0, 1], "anyway": "Ben is ill"}
            study.tell(proposal, moves=[mended] if week < 6 else [])
        assert study.report().notes[-2:] == [
            "The rule 'Free on Mon' was broken 6 times in 20 proposals: make it a wish?",
            "In 20 proposals there was no 'Work on Tue': make it a rule?",
        ]


def test_queue_counts_searches_sorts_and_says_when_nothing_changed(sqlite_url):
    clock = Clock()
    with make(sqlite_url, clock=clock) as study:
        for k in range(120):
            study.ask([float(k), 1.0, 1.0], label=f"Van {k}", key=f"day/{k}")
        desk = study.desk(lease=60.0)
        desk.claim(2, "ben")
        page = study.queue(limit=50)
        assert (page.waiting, page.draft, page.held, page.matching) == (119, 0, 1, 120)
        assert [t.id for t in page.drafts] == list(range(1, 51))
        assert [t.id for t in study.queue(offset=100).drafts] == list(range(101, 121))
        assert [t.id for t in study.queue(QueueQuery(search="vAn 11", order="newest")).drafts] == [
            *range(120, 110, -1),
            12,
        ]
        assert [t.id for t in study.queue(QueueQuery(search="#7")).drafts] == [7]
        assert [t.id for t in study.queue(QueueQuery(search="day/118")).drafts] == [119]
        assert [t.id for t in study.queue(QueueQuery("held")).drafts] == [2]
        assert study.queue(since=page.tag) is None
        for other in ({"query": QueueQuery(search="7")}, {"offset": 50}, {"limit": 10}):
            assert study.queue(**other, since=page.tag) is not None  # another page of the same queue
        clock.now += 61  # the lease expires without a fact
        assert study.queue(since=page.tag).held == 0
        assert desk.next("ana", QueueQuery(search="van 9", order="newest")).id == 100
        for wrong in ({"state": "done"}, {"order": "loudest"}):
            with pytest.raises(Invalid, match="There is no"):
                QueueQuery(**wrong)


def test_queue_is_sorted_by_chance(sqlite_url):
    with make(sqlite_url) as study:
        for k in range(4):
            study.ask([float(k), 1.0, 1.0])
        drafts = study._ledger.projection.drafts
        for id, chance in enumerate((0.5, None, 0.9, 0.1), 1):
            drafts[id] = replace(drafts[id], basis=Basis(chance=chance))
        assert [t.id for t in study.queue(QueueQuery(order="doubtful")).drafts] == [4, 1, 3, 2]
        assert [t.id for t in study.queue(QueueQuery(order="likely")).drafts] == [3, 1, 4, 2]


def test_proposals_lists_tickets_by_state_and_page(sqlite_url):
    with make(sqlite_url) as study:
        for k in range(120):
            study.ask([float(k), 1.0, 1.0], label=f"van {k}")
        for id in range(1, 121, 2):
            study.tell(id, moves=flip(0), actor="ana")
        study.desk().claim(2, "ben")
        assert [t.id for t in study.proposals("done", limit=3)] == [1, 3, 5]
        assert [t.id for t in study.proposals("done", after=100, limit=100)] == list(range(101, 121, 2))
        assert [t.id for t in study.proposals(after=117)] == [118, 119, 120]
        assert [t.id for t in study.proposals("held")] == [2]
        assert len(study.proposals("open", limit=1000)) == 60
        assert study.draft(3).actor == "ana"
        assert (study.draft(4).state, study.draft(4).label) == ("waiting", "van 3")
        with pytest.raises(Invalid, match="no state"):
            study.proposals("asleep")


def test_reports_raise_not_found_without_such_a_proposal_or_version(sqlite_url):
    with make(sqlite_url) as study:
        for call in (study.explain, study.draft, study.proposal, study.round, study.weights, study.learner):
            with pytest.raises(NotFound):
                call(9)


def test_round_raises_invalid_for_an_unfinished_proposal(sqlite_url):
    with make(sqlite_url) as study:
        p = study.ask([1.0, 2.0, 3.0])
        with pytest.raises(Invalid, match="not finished"):
            study.round(p)


def test_weights_of_a_version_are_read_without_a_replay(sqlite_url, monkeypatch):
    with make(sqlite_url) as study:
        for k in range(6):
            study.tell(study.ask([1.0 + k, 2.0, 3.0]), moves=flip(k % 3))
        study.rollback(2, "again")
        expected = [study.weights(version).tolist() for version in range(8)]
    with make(sqlite_url) as study:
        monkeypatch.setattr(study._ledger, "load", None)  # a replay would fail
        assert [study.weights(version).tolist() for version in range(8)] == expected
        assert expected[7] == expected[2]
        change = [a - b for a, b in zip(expected[3], expected[2], strict=True)]
        assert study.round(3).change.tolist() == change
        assert study.round(3).lesson == "Learned from it."
        assert study.explain(3).version == 2
        study.learner(7)


def test_queue_is_filtered_by_person_and_day(sqlite_url):
    clock = Clock()
    with make(sqlite_url, clock=clock) as study:
        start = clock.now
        for _ in range(4):
            study.ask([1.0, 1.0, 1.0])
            clock.now += 100
        desk = study.desk(lease=60.0)
        desk.claim(2, "ben")
        desk.edit(2, flip(0), revision=0, actor="ben")
        desk.release(2, "ben")  # an unfinished draft of ben's
        desk.claim(3, "ana")
        page = study.queue(QueueQuery(expert="ben"))
        assert [t.id for t in page.drafts] == [2]
        assert page.people == ["ana", "ben"]
        assert [t.id for t in study.queue(QueueQuery(expert="ana")).drafts] == [3]
        day = QueueQuery(arrived_from=start + 100, arrived_until=start + 300)
        assert [t.id for t in study.queue(day).drafts] == [2, 3]
        assert desk.next("dov", day).id == 2
