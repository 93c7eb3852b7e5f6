"""How likely a proposal is to be accepted untouched: kept, learned, taken back, held against the facts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, learners
from coactor.studies import Desk, Store, Study, open_study
from coactor.studies.calibration import ENOUGH, calibration, wilson
from coactor.studies.log import ledger, transfer
from coactor.studies.results import EffortRow
from tests.studies.stubs import tours

OLD = Path(__file__).parent / "data" / "before-chances.jsonl"


def work(study, problems, expert):
    """Ask and tell, one after the other; the chances told."""
    chances = []
    for x in problems:
        p = study.ask(x)
        chances.append(p.chance)
        study.tell(p, moves=list(expert(x, p.solution).moves), actor="ana")
    return chances


def test_the_same_chances_as_a_session(url):
    """With the paper's proposals both see the same problems, so both must say the same."""
    domain, problems = tours(25, points=7, features=3)
    expert = SimulatedExpert(domain, np.array([0.2, 0.9, 0.5]), 0.1)
    session = Session(domain, learners.make("default", 3), proposals="paper")
    expected = []
    for x in problems:
        p = session.ask(x)
        expected.append(p.chance)
        session.tell(p, expert(x, p.solution))
    with open_study(url, "tours", domain, "default", create=True, proposals="paper") as study:
        told = work(study, problems[:12], expert)
    with open_study(url, "tours") as again:  # another process goes on where the first one stopped
        told += work(again, problems[12:], expert)
        assert told == expected
        assert [row.chance for row in again.effort()] == expected
        assert expected[0] is None
        assert all(0 < chance < 1 for chance in expected[1:])
        assert [t.chance for t in again.proposals()] == expected
        transfer.verify(again.store, "tours")


def test_what_is_taken_back_is_forgotten(url):
    domain, problems = tours(8, points=7, features=3)
    expert = SimulatedExpert(domain, np.array([0.2, 0.9, 0.5]), 0.1)
    with open_study(url, "tours", domain, "default", create=True, proposals="paper") as study:
        work(study, problems[:4], expert)
        kept = study.ask(problems[5]).chance
        other = study.ask(problems[6])
        study.tell(other, moves=[], actor="ana")
        assert study.ask(problems[5]).chance != kept
        Desk(study).reopen(other.id, actor="ana")
        assert study.ask(problems[5]).chance == kept
        Desk(study).submit(other.id, revision=1, actor="ana", learn=False)
        assert study.ask(problems[5]).chance == kept  # "just today" teaches nothing
        version = study.version
        work(study, problems[7:], expert)
        study.rollback(version, "as it was")
        assert study.ask(problems[5]).chance == kept
        transfer.verify(study.store, "tours")


def test_a_learner_that_cannot_tell_says_nothing(sqlite_url):
    domain, problems = tours(3)
    with open_study(sqlite_url, "tours", domain, "CSPER", create=True) as study:
        study.tell(study.ask(problems[0]), moves=[])
        p = study.ask(problems[1])
        assert p.chance is None
        assert study.calibration().verdict == "silent"
        with study.store.reading() as sql:
            said = orjson.loads(sql.bodies(study.ledger.head.id, 1, 1)[0])
        assert "chance" not in said


def test_an_older_study_opens_and_goes_on(url):
    """Written before there were chances and renewals."""
    with Store(url) as store:
        transfer.load(store, transfer.read_lines(OLD))
        before = transfer.verify(store, "old")
        study = Study(store, "old")
        assert {t.chance for t in study.proposals()} == {None}
        assert [t.state for t in study.proposals("open")] == ["draft", "waiting"]
        assert not any(t.due for t in study.proposals("open"))  # nobody wrote down who had solved them
        assert Desk(study).claim(8, "ana").ticket.version == 5
        problem, _ = study.material(1)
        study.tell(study.ask(problem), moves=[])
        study.rollback(3, "further back")
        after = transfer.verify(store, "old")
        assert after.facts == before.facts + 4


def test_a_snapshot_from_before_is_good(sqlite_url, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 5)
    monkeypatch.setattr(transfer, "EVERY", 5)
    with Store(sqlite_url) as store:
        transfer.load(store, transfer.read_lines(OLD))
        with store.writing() as sql:
            study = sql.find("old").id
            for seq, data in sql.snapshots(study).items():
                found = orjson.loads(data)
                del found["acceptance"]
                for draft in found["open"]:
                    for name in ("base", "chance", "expected", "renewable"):
                        del draft[name]
                sql.sql.exec_driver_sql(
                    "UPDATE coactor_snapshots SET data = ? WHERE seq = ?", (orjson.dumps(found), seq)
                )
        assert transfer.verify(store, "old").snapshots == 4
        assert Study(store, "old").version == 8


# -- predicted against observed ----------------------------------------------------------------------------


def rows(told):
    return [
        EffortRow(k, 0.0, k, None, "", 0.0 if accepted else 2.0, False, 0, None, True, 0, 0, chance)
        for k, (chance, accepted) in enumerate(told)
    ]


def test_the_verdict():
    rng = np.random.default_rng(0)
    true = [(p, bool(rng.random() < p)) for p in rng.random(200)]
    found = calibration(rows(true))
    assert found.verdict == "fits"
    assert sum(b.proposals for b in found.bins) == found.proposals == 200
    assert calibration(rows([(0.9, False)] * 30)).verdict == "hopeful"
    assert calibration(rows([(0.1, True)] * 30)).verdict == "careful"
    early = calibration(rows([(0.9, False)] * (ENOUGH - 1)))
    assert (
        early.sentence
        == f"Too early to tell: {ENOUGH - 1} of at least {ENOUGH} proposals with a chance are done."
    )
    assert calibration(rows([(None, True)] * 50)).verdict == "silent"
    said = [
        calibration(rows([(p, bool(rng.random() < p)) for p in rng.random(40)])).verdict for _ in range(300)
    ]
    assert said.count("fits") > 270  # where every word is true, it is seldom doubted


chances = st.floats(0, 1, allow_nan=False)


@given(st.lists(st.tuples(st.none() | chances, st.booleans()), max_size=60))
def test_bins_hold_each_proposal_once(told):
    found = calibration(rows(told))
    assert sum(b.proposals for b in found.bins) == sum(chance is not None for chance, _ in told)
    for one in found.bins:
        assert one.low - 1e-9 <= one.predicted <= one.high + 1e-9
        assert 0 <= one.least <= one.observed + 1e-9
        assert one.observed <= one.most + 1e-9 <= 1 + 1e-9


@pytest.mark.parametrize(("share", "n", "least", "most"), [(0.0, 10, 0.0, 0.278), (0.5, 40, 0.352, 0.648)])
def test_wilsons_interval(share, n, least, most):
    """Against the values every table gives."""
    assert wilson(share, n) == pytest.approx((least, most), abs=5e-4)
