"""Whatever is done, in whatever order: a replay from the first fact gives the same model, bit for bit."""

from __future__ import annotations

import tempfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor import SimulatedExpert, learners
from coactor.studies import Conflict, Desk, Forbidden, Invalid, NotFound, Store, Tampered, open_study
from coactor.studies.log import ledger, transfer
from coactor.studies.log.facts import digest
from tests.studies.stubs import Switches, flip, tours

small = st.integers(1, 6)
price = st.floats(-5, 5)
acts = st.one_of(
    st.tuples(st.just("ask"), st.lists(price, min_size=3, max_size=3)),
    st.tuples(st.just("tell"), small, st.lists(st.integers(0, 2), max_size=3), st.booleans()),
    st.tuples(st.just("edit"), small, st.integers(0, 2), st.integers(0, 3)),
    st.tuples(st.just("undo"), small, st.integers(0, 3)),
    st.tuples(st.just("submit"), small, st.integers(0, 3), st.booleans()),
    st.tuples(st.just("next"), st.sampled_from(["ana", "ben"])),
    st.tuples(st.just("claim"), small, st.sampled_from(["ana", "ben"])),
    st.tuples(st.just("release"), small),
    st.tuples(st.just("renew"), small),
    st.tuples(st.just("reopen"), small),
    st.tuples(st.just("rollback"), st.integers(0, 4)),
)


def perform(study, desk, act):
    match act:
        case ("ask", prices):
            study.ask(prices)
        case ("tell", id, which, learn):
            study.tell(id, moves=flip(*which), learn=learn, actor="ana")
        case ("edit", id, which, revision):
            desk.edit(id, flip(which), revision=revision, actor="ana")
        case ("undo", id, revision):
            desk.undo(id, revision=revision, actor="ana")
        case ("submit", id, revision, learn):
            desk.submit(id, revision=revision, actor="ana", learn=learn)
        case ("next", who):
            desk.next(who)
        case ("claim", id, who):
            desk.claim(id, who)
        case ("release", id):
            desk.release(id, "ana", force=True)
        case ("renew", id):
            study.renew(id)
        case ("reopen", id):
            desk.reopen(id, actor="ana")
        case ("rollback", to):
            study.rollback(to, "because")


@settings(max_examples=40)
@given(st.lists(acts, min_size=5, max_size=25), st.sampled_from(["PER", "CSPA", "averaged-CSPER"]))
def test_replay_equals_live(sequence, learner):
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/desk.db") as store:
        live = [open_study(store, "desk", Switches(), learner, create=True) for _ in range(2)]
        desks = [Desk(study) for study in live]
        live[0].ask([1.0, -1.0, 0.5])
        for turn, act in enumerate(sequence):  # two processes, turn by turn
            with suppress(Conflict, NotFound, Invalid, Forbidden):  # refused: it must leave no trace
                perform(live[turn % 2], desks[turn % 2], act)
        models = [study.ledger.refresh() for study in live]
        assert models[0].snapshot() == models[1].snapshot()
        good = transfer.verify(store, "desk")
        assert good.weights == digest(models[0].learner.weights)
        assert good.facts == models[0].seq


@pytest.mark.parametrize("learner", learners.names())
def test_replay_of_every_learner_without_solver_or_domain(tmp_path, learner):
    rng = np.random.default_rng(3)
    domain, problems = tours(12, points=7, features=4)
    expert = SimulatedExpert(domain, rng.random(4))
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "tours", domain, learner, create=True) as study:
        for x in problems:
            p = study.ask(x)
            study.tell(p.id, moves=list(expert(x, p.solution).moves))
        weights = study.weights()
    with Store(url) as store, store.reading() as sql:
        replayed = transfer.replay(store, sql.find("tours"))  # knows learners and facts, nothing else
        assert replayed.learner.weights.tobytes() == weights.tobytes()
        assert transfer.verify(store, "tours").version == 12


def test_snapshots_change_nothing_but_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 5)
    monkeypatch.setattr(transfer, "EVERY", 5)
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        for k in range(12):
            study.tell(study.ask([1.0 + k, 2.0, -k]).id, moves=flip(k % 3))
            study.ask([0.0, 0.0, 0.0])
        good = transfer.verify(study.store, "desk")
        assert good.snapshots == 7
        with study.store.reading() as sql:
            slow = study.ledger.load(sql, good.facts, shortcut=False)
            fast = study.ledger.load(sql, good.facts)
        assert slow.snapshot() == fast.snapshot()
        for version in range(13):
            assert study.weights(version).shape == (3,)


def change(store, statement):
    with store.writing() as sql:
        assert sql.sql.exec_driver_sql(statement).rowcount > 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE coactor_facts SET body = CAST(REPLACE(CAST(body AS TEXT), 'ana', 'eve') AS BLOB)",
        "UPDATE coactor_facts SET vectors = zeroblob(LENGTH(vectors)) WHERE seq = 3",
        "UPDATE coactor_facts SET hash = zeroblob(32) WHERE seq = 4",
        "UPDATE coactor_facts SET proposal = 2 WHERE seq = 3",
        "UPDATE coactor_facts SET made = 7 WHERE seq = 3",
        "DELETE FROM coactor_facts WHERE seq = 3",
        "DELETE FROM coactor_facts WHERE seq = 5",
        "UPDATE coactor_problems SET data = CAST('[9,9,9]' AS BLOB)",
        "UPDATE coactor_snapshots SET data = CAST(REPLACE(CAST(data AS TEXT), 'd\":2', 'd\":9') AS BLOB)",
    ],
)
def test_tampering_is_visible(tmp_path, monkeypatch, statement):
    monkeypatch.setattr(ledger, "EVERY", 5)
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        for k in range(3):
            study.tell(study.ask([1.0 + k, 2.0, 3.0]).id, moves=flip(k), actor="ana")
        transfer.verify(study.store, "desk")
        change(study.store, statement)
        with pytest.raises(Tampered):
            transfer.verify(study.store, "desk")


def test_a_running_process_notices_a_changed_fact_when_it_catches_up(tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    with (
        open_study(url, "desk", Switches(), "CSPER", create=True) as one,
        open_study(url, "desk", Switches()) as two,
    ):
        one.tell(one.ask([1.0, 2.0, 3.0]).id, moves=flip(0), actor="ana")
        change(one.store, "UPDATE coactor_facts SET vectors = zeroblob(LENGTH(vectors)) WHERE seq = 3")
        with pytest.raises(Tampered, match="Fact 3"):
            two.ask([1.0, 1.0, 1.0])


def test_a_running_process_follows_a_store_that_was_set_back(tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    with open_study(url, "desk", Switches(), "CSPER", create=True) as study:
        study.ask([1.0, 2.0, 3.0])
        held = study.ledger.model.hash
        study.tell(1, moves=flip(0))
        change(study.store, "DELETE FROM coactor_facts WHERE seq = 3")
        with study.store.writing() as sql:
            sql.sql.exec_driver_sql("UPDATE coactor_studies SET seq = 2, hash = ?", (held,))
        assert study.version == 0
        assert study.tell(1, moves=flip(1)).version == 1
        transfer.verify(study.store, "desk")
